"""Items -> the sentences in them that could be quoted, each with who said it, when, and what it holds.

Prose is split into sentences. Code blocks and logs are shortened to their telling lines: commands, errors, results,
definitions. What is longer than a sentence should be is cut, and the cut is marked.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property

from reverie.language.distinctions import numbers
from reverie.language.tokens import count_tokens
from reverie.records import ItemType, MemoryItem
from reverie.stores.terms import files, names, stems

_LONGEST = 80  # tokens of one sentence; what has no full stop for longer is a list or a dump
_LONGEST_CHARS = 1_000  # where no sentence may go on
_LINES_OF_BLOCK = 4  # of a code block or a log
_MAX_MS = 253_402_300_799_000  # the last day that has a name

_FENCE = re.compile(r"```[^\n]*\n(.*?)(?:```|\Z)", re.DOTALL)
_END = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+(?=[^\sa-z])|(?<=[。！？])\s*")
_ABBREVIATED = re.compile(r"(?:\b(?:Dr|Mr|Mrs|Ms|Prof|St|vs|etc|approx|ca|No|e\.g|i\.e|[A-Z])\.|^\d{1,3}\.)$")
_BULLET = re.compile(r"^(?:[-*•#>]+|\d{1,3}[.)])\s+")
_LOUD = re.compile(
    r"\b(?:error|exception|failed|failure|fatal|panic|denied|refused|cannot|not found)\b|\w(?:Error|Exception)\b",
    re.IGNORECASE,
)
_TELLING = re.compile(
    r"^\s*(?:\$|>>>|#\s|def |class |function |fn |func |export |import |CREATE |ALTER |FROM |RUN )"
    r"|\b(?:passed|failed|warning|warn|exit(?:ed)?|status|success|created|updated|deleted|installed|built|deployed|"
    r"listening|version|total|took|completed|done|ok)\b",
    re.IGNORECASE,
)
_DECISION = re.compile(
    r"\b(?:decid\w+|agreed?|chose|chosen|let['’]?s|we(?:['’]ll| will| should| need)|"
    r"i(?:['’]ll| will| plan| want| need| prefer)|going to|gonna|must|always|never|instead|prefer\w*|plan\w*|because|"
    r"deadline|due|promis\w+|todo|entschieden|beschlossen|décid\w+|decidi\w+)\b|决定|同意|決定|결정",
    re.IGNORECASE,
)
_WHEN = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|"
    r"june|july|august|september|october|november|december|since|until|"
    r"(?:last|next|this) (?:week|weekend|month|year|night|summer|winter|spring|fall|autumn)|"
    r"(?:\w+ )?(?:days?|weeks?|months?|years?) (?:ago|later|from now))\b"
    r"|今天|明天|昨天|下周|上周|周[一二三四五六日]|[月日]|昨日|明日|今日|오늘|내일|어제",
    re.IGNORECASE,
)
_COMMAND = re.compile(r"^\$ \S|`[^`\n]+`")
_FIRST_PERSON = re.compile(
    r"\b(?:i|my|we|our|me|ich|mein\w*|wir|je|mon|ma|nous|yo|mi|io)\b|我|私|僕|나는|내", re.IGNORECASE
)
_SMALL_TALK = frozenset(
    stems(
        "hey hi hello thanks thank wow awesome great good nice cool amazing glad happy sounds love sure yeah yes okay "
        "oh well really hear hope keep luck congrats proud inspiring inspire wonderful fantastic incredible absolutely "
        "definitely totally always thing lot way take care talk soon bye see feel think know want make look appreciate "
        "please welcome perfect exactly right help let got fine sorry super excited exciting best better interesting"
    )
)


@dataclass(frozen=True)
class QuotableSentence:
    """One sentence or telling line. `place` is its item's place, `number` its own within the item."""

    item: str
    speaker: str
    day: str
    place: int
    number: int
    text: str

    @cached_property
    def tokens(self) -> int:
        return count_tokens(self.text)

    @cached_property
    def terms(self) -> frozenset[str]:
        """Return the stems that it is about, without greetings and praise."""
        return frozenset(stems(self.text)) - _SMALL_TALK

    @cached_property
    def is_question(self) -> bool:
        return self.text.endswith(("?", "？"))

    @cached_property
    def bonus(self) -> float:
        """Score what people look for later: names, figures, dates, decisions, commands, file names, errors."""
        return (
            min(len(names(self.text)), 3) / 2 + min(len(numbers(self.text)), 2) + bool(_WHEN.search(self.text))
            + bool(_DECISION.search(self.text)) + bool(_COMMAND.search(self.text)) + bool(files(self.text))
            + 2 * bool(_LOUD.search(self.text)) + bool(_FIRST_PERSON.search(self.text)) / 2
        )  # fmt: skip


def sentences(items: Sequence[MemoryItem]) -> list[QuotableSentence]:
    """Everything that could be quoted, in the order of the items."""
    return [
        QuotableSentence(item.id, speaker_of(item), day_of(item.created_ms), place, number, text)
        for place, item in enumerate(items)
        for number, text in enumerate(_quotable(item))
    ]


def speaker_of(item: MemoryItem) -> str:
    """Return who said it: by name, by role, or the tool that answered."""
    tool = item.metadata.get("tool")
    name = item.speaker or (tool if isinstance(tool, str) else "") or _ROLES.get(item.type, "")
    return " ".join(name.split())[:40]


_ROLES = {ItemType.USER_MESSAGE: "user", ItemType.ASSISTANT_MESSAGE: "assistant", ItemType.TOOL_RESULT: "tool"}


def day_of(time_ms: int) -> str:
    """The day, as people file things; nothing where no time is known.

    >>> day_of(1_790_000_000_000), day_of(0)
    ('2026-09-21', '')
    """
    if not 0 < time_ms <= _MAX_MS:
        return ""
    return datetime.fromtimestamp(time_ms / 1000, UTC).strftime("%Y-%m-%d")


def cut(text: str, limit_tokens: int) -> str:
    """At most so many tokens of a text, with a mark where it was cut.

    >>> cut("one two three four", 3)
    'one two…'
    """
    if count_tokens(text) <= limit_tokens:
        return text
    if limit_tokens < 2:
        return ""
    low, high = 0, len(text)
    while low < high:  # the longest start that fits; the count of a start hardly ever falls as it grows
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count_tokens(text[:middle]) < limit_tokens else (low, middle - 1)
    kept = text[:low]
    if low < len(text) and not text[low].isspace() and " " in kept:
        kept = kept[: kept.rindex(" ")]
    while kept and count_tokens(kept.rstrip() + "…") > limit_tokens:
        kept = kept[:-1]
    return kept.rstrip() + "…" if kept.strip() else ""


def _quotable(item: MemoryItem) -> Iterator[str]:
    if item.type in (ItemType.TOOL_RESULT, ItemType.ERROR):
        pieces: Iterator[str] = _of_tool(item)
    else:
        pieces = _of_prose(item.text)
    seen: set[str] = set()
    for piece in pieces:
        text = cut(" ".join(piece.split()), _LONGEST)
        if text not in seen and any(map(str.isalnum, text)):
            seen.add(text)
            yield text


def _of_tool(item: MemoryItem) -> Iterator[str]:
    """Yield the input of a tool call, then the telling lines of its answer."""
    given = item.metadata.get("input")
    if isinstance(given, dict):
        given = next((value for value in given.values() if isinstance(value, str) and value), "")
    if isinstance(given, str) and given.strip():
        yield "$ " + given.strip().splitlines()[0]
    yield from _telling_lines(item.text)


def _of_prose(text: str) -> Iterator[str]:
    place = 0
    for block in _FENCE.finditer(text):
        yield from _split(text[place : block.start()])
        yield from _telling_lines(block.group(1))
        place = block.end()
    yield from _split(text[place:])


def _split(text: str) -> Iterator[str]:
    for line in text.splitlines():
        waiting = ""
        for piece in _END.split(" ".join(line.split())):
            waiting = f"{waiting} {piece}" if waiting else piece
            if len(waiting) > _LONGEST_CHARS or not _ABBREVIATED.search(piece[-9:]):
                yield _BULLET.sub("", waiting)
                waiting = ""
        yield _BULLET.sub("", waiting)


def _telling_lines(block: str) -> list[str]:
    """The lines that say what happened; of a block that says nothing special, its first and last."""
    lines = [line.strip() for line in block.splitlines() if line.strip()]
    if len(lines) <= 2:
        return lines
    ranked = sorted(range(len(lines)), key=lambda place: (-_tells(lines[place]), place))
    kept = [place for place in ranked if _tells(lines[place])][:_LINES_OF_BLOCK] or [0, len(lines) - 1]
    return [lines[place] for place in sorted(kept)]


def _tells(line: str) -> int:
    return 2 * bool(_LOUD.search(line)) + bool(_TELLING.search(line))
