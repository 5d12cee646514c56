"""Search hits -> lines for a terminal: title, date and source in colour, the text below, wrapped to the width.

Into a pipe each hit is one plain line, for programs that read lines; `--json` gives all fields.
"""

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from os.path import basename
from unicodedata import east_asian_width

import click

from reverie.records import Hit
from reverie.shells.cli.show import one_line, plain, say, short, wants_colour, when

_WIDEST = 100  # longer lines are hard to read
_NARROWEST = 30
_TEXT_LINES = 3  # of each hit; `reverie memories show` tells the rest
_READ_CHARS = 2_000  # of a text: more than the lines have room for
_INDENT = "  "
_MORE = " …"
_LOOKS: Mapping[str, Callable[[str], str]] = {
    "title": partial(click.style, bold=True),
    "text": str,
    "source": partial(click.style, fg="cyan"),
    "why": partial(click.style, fg="green"),
    "id": partial(click.style, dim=True),
}


def say_hits(hits: Sequence[Hit], *, is_terminal: bool, why: bool = False) -> None:
    if not is_terminal:
        for hit in hits:
            say(plain_line(hit))
            if why and hit.why:
                say(f"{_INDENT}{one_line(hit.why, 300)}")
        return
    width = max(_NARROWEST, min(shutil.get_terminal_size().columns, _WIDEST))
    for hit in hits:
        for line, part in hit_lines(hit, width, why):
            click.echo(_LOOKS[part](plain(line)) if wants_colour() else plain(line))


def plain_line(hit: Hit) -> str:
    cost = f"  ({hit.tokens} tokens)" if hit.tokens else ""
    return (
        f"{short(hit.id)}  {when(hit.when_ms)}  {one_line(hit.speaker or hit.what, 17):<17} {one_line(hit.text)}{cost}"
    )


def hit_lines(hit: Hit, width: int, why: bool = False) -> Iterator[tuple[str, str]]:
    """Each line with the part that it is. No line is wider than `width` cells; a wide character takes two."""
    room = width - len(_INDENT)
    lines = wrapped(plain(hit.text[:_READ_CHARS]), room - len(_MORE))
    if len(lines) > _TEXT_LINES or len(hit.text) > _READ_CHARS:
        lines = [*lines[: _TEXT_LINES - 1], lines[_TEXT_LINES - 1] + _MORE]
    for number, line in enumerate(lines):
        yield (_INDENT + line, "text") if number else (line, "title")
    yield _INDENT + clipped(f"{when(hit.when_ms)}  {source_of(hit)}", room), "source"
    for line in wrapped(plain(hit.why), room) if why else ():
        yield _INDENT + line, "why"
    yield _INDENT + clipped(short(hit.id), room), "id"


def source_of(hit: Hit) -> str:
    """Say where a hit comes from: who said it or what it is, in which project and session."""
    who = one_line(hit.speaker, 30) or hit.what.replace("_", " ")
    place = f" in {basename(one_line(hit.project, 200).rstrip('/'))}" if hit.project else ""
    return f"{who}{place}" + (f", session {one_line(hit.session, 20)}" if hit.session else "")


def wrapped(text: str, width: int) -> list[str]:
    """Break a text into lines of at most `width` cells, between words where there are any.

    >>> wrapped("one two three", 8), wrapped("漢字漢字", 4)
    (['one two', 'three'], ['漢字', '漢字'])
    """
    lines, line = list[str](), ""
    for word in text.split():
        rest = word
        while rest:
            joined = f"{line} {rest}" if line and rest is word else line + rest
            if cells(joined) <= width:
                line, rest = joined, ""
            elif line:
                lines.append(line)
                line = ""
            else:
                fitting = clipped(rest, width)
                lines.append(fitting)
                rest = rest[len(fitting) :]
    return [*lines, line] if line else lines


def clipped(text: str, width: int) -> str:
    """The beginning of a text that fits into so many cells; at least one character."""
    used = 0
    for place, sign in enumerate(text):
        used += cells(sign)
        if used > width and place:
            return text[:place]
    return text


def cells(text: str) -> int:
    return sum(2 if east_asian_width(sign) in "WF" else 1 for sign in text)
