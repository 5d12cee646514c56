"""Keep a section small: stored text and lists of any length in, bounded markup out.

Sizes are counted as they stand in the prompt, after escaping: a text of ampersands is five times as long there.
What is left out says so, and where the rest is.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import TypeVar

from reverie.compose.markup import Markup, Origin, data, join, tag
from reverie.foundation.text import clip, xml_attribute, xml_text

T = TypeVar("T")

PAGE_CHARS = 20_000  # of a person's file: some 5,000 tokens; a longer one crowds out the conversation
LINE_CHARS = 400
LIST_LENGTH = 40  # an agent that reads a wall of text reads none of it
LIST_CHARS = 16_000
LONGEST_ESCAPE = len("&quot;")
LINES_NAMED = 1_000  # of one text; each costs a little in every element around it


def line(text: str, most: int = LINE_CHARS, escaped: Callable[[str], str] = xml_text) -> str:
    """Text on one line of at most so many characters; a list has no room for more.

    >>> line("  two\\n lines "), line("a fairly long line", 10), line("&&&&", 12)
    ('two lines', 'a fairly…', '&&…')
    """
    start = text[: most * 8]  # a line of 5 MB is not read to its end
    flat = " ".join(start.split())
    if len(start) == len(text) and (len(flat) * LONGEST_ESCAPE <= most or len(escaped(flat)) <= most):
        return flat
    kept = flat[: most - 1]
    while len(escaped(kept)) > most - 1:
        kept = kept[: len(kept) * (most - 1) // len(escaped(kept))]
    return kept.rstrip() + "…"


def attribute(text: str, most: int) -> str:
    """The same for the value of an attribute, where a quote is six characters.

    >>> line('"x"', 8), attribute('"x"', 8)
    ('"x"', '"…')
    """
    return line(text, most, xml_attribute)


def cut(text: str, room: int) -> str:
    """The head and the tail of a text that is too long, with how much is missing between them.

    >>> cut("short", 10), len(xml_text(cut("&" * 1000, 100))) <= 100
    ('short', True)
    """
    if len(text) <= room and shown_size(text) <= room:
        return text
    # The longest clipping that fits once it is escaped.
    limit = bisect_right(range(1, room + 1), room, key=lambda limit: shown_size(clip(text, limit)))
    return clip(text, limit)


def shown_size(text: str) -> int:
    """Count the characters that a text takes inside an element."""
    return len(xml_text(text))


def lines_of(text: str, kind: str, record_id: str, why: str = "") -> Markup:
    """Text of several lines, each of which knows whose it is; what comes after many lines is told by the last of them.

    >>> [origin.line for origin in lines_of("a\\n\\nb", "file", "soul.md").origins]
    [0, 2]
    """
    shown = data(text)
    telling = (number for number, one in enumerate(shown.split("\n")) if one)
    return Markup(shown, [Origin(number, kind, record_id, why) for number in islice(telling, LINES_NAMED)])


def page(name: str, text: str, file: str, why: str) -> Markup:
    """A whole text as one section; nothing if there is none."""
    text = cut(text, PAGE_CHARS).strip()
    return tag(name, lines_of(text, "file", file, why)) if text else Markup()


def listed(
    things: Sequence[T],
    shown: Callable[[T], Markup],
    rest: str,
    *,
    most: int = LIST_LENGTH,
    room: int = LIST_CHARS,
) -> list[Markup]:
    """The first of the things, each as it is shown, while there is room; then how many more there are, and where.

    >>> listed(["a", "b", "c"], Markup, "`reverie x` lists them", most=2)
    ['a', 'b', '[… 1 more; `reverie x` lists them]']
    """
    parts: list[Markup] = []
    for thing in islice(things, most):
        part = shown(thing)
        if (room := room - len(part) - 1) < 0:
            break
        parts.append(part)
    left = len(things) - len(parts)
    return [*parts, data(f"[… {left:,} more; {rest}]")] if left else parts


def group(name: str, parts: Iterable[Markup]) -> Markup:
    """Parts under one element, each on its own line; nothing if there are none."""
    parts = list(parts)
    return tag(name, join(parts)) if parts else Markup()
