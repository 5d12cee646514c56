"""Parse a model's reply: its text in, lines that mean something out. Pure and strict.

A line is `KIND [o1] (0.8) {subject=…}: text`. The parts in brackets may be missing: the plain `KIND: text` is one too.
Valid lines are kept whatever stands around them. A refusal, an apology, an error text or a piece of HTML is never a
learning, not even behind a kind: what is stored once is shown to agents for months.
"""

import re
from dataclasses import dataclass
from typing import TypeVar

from reverie.records import LearningType, Owner, Priority

_Choice = TypeVar("_Choice", Priority, Owner)

_MAX_TEXT_CHARS = 500  # the prompt asks for 300; a longer one is a text, not a learning
_MAX_LINE_CHARS = 1_000
_MAX_REPLY_CHARS = 50_000
_MAX_LINES = 20  # the prompt asks for 8; a flood is a sign of something else
_MAX_SUBJECT_CHARS = 60
_DEFAULT_CONFIDENCE = 0.7  # a model that gives none is neither sure nor unsure

_START = re.compile(r"(?:[-*•]\s+|\d{1,2}[.)]\s+)?\**(FACT|PATTERN|CORRECTION|PREFERENCE|ACTION)\b\**")
_PART = re.compile(r"\s*(?:\[([^\[\]]*)\]|\(([^()]*)\)|\{([^{}]*)\})")
_COLON = re.compile(r"\**\s*[:：]\**\s*")
_REF = re.compile(r"o?(\d{1,6})", re.IGNORECASE)
_CONFIDENCE = re.compile(r"(?:confidence\s*[:=]?\s*)?([01](?:\.\d{1,6})?|\.\d{1,6})", re.IGNORECASE)
_NONE = re.compile(r"[\W_]*NONE(?:[\W_]*|\W*[-.:;,(–—].*)")

# How refusals, apologies and excuses begin, in small letters. They are looked for where a sentence starts, because a
# learning may well report that somebody was sorry.
_EXCUSES = (
    r"(?:i am|i'm|im|we are|we're) (?:\w+ ){0,2}(?:sorry|unable|afraid|not able|not allowed)\b",
    r"(?:sorry|apologies|my apologies|i apologi[sz]e|i must decline|i decline|i have to decline)\b",
    r"(?:i|we) (?:can't|cannot|can not|could not|couldn't|won't|will not|would not) (?:\w+ ){0,3}"
    r"(?:help|assist|comply|provide|fulfil|process|extract|continue|analy[sz]e|access|generate|create|complete|share"
    r"|discuss|engage|support|answer|respond|see|find|determine|identify|do that|do this|do so)",
    r"(?:i|we) (?:don't|do not) (?:have (?:access|enough|sufficient|any)|(?:see|find) any|feel comfortable)\b",
    r"unfortunately,? (?:i|we)\b",
    r"as an? (?:ai|large language|language)\b",
    r"i'm just an? (?:ai|language)\b",
    r"(?:es )?tut mir leid|lo siento|(?:je suis )?désolée?|mi dispiace",
    r"抱歉|很抱歉|对不起|對不起|申し訳|すみません|죄송",
)
_EXCUSE = re.compile(rf"(?:^|[.!?;] |[。！])[^\w]*(?:{'|'.join(_EXCUSES)})")

# Ways of saying NONE in a whole sentence.
_NOTHING = re.compile(
    r"(?:there (?:is|are|was|were) )?(?:no|nothing|none) (?:of |new |relevant |lasting |further )?"
    r"(?:learnings?|facts?|patterns?|information|worth|notable|to (?:extract|note|report|learn|add))\b"
)

# What a server says when it fails, where the model's words should be. Pages and JSON are known by their first
# character: a learning is a sentence, and does not begin like a document.
_ERROR = re.compile(
    r"[^\w]*(?:(?:internal |server |api |http )*error ?(?:\d|:|$)"
    r"|rate limit|overloaded|service unavailable|bad gateway|gateway time-?out|too many requests|traceback \("
    r"|(?:http/\S+ |https? )?[45]\d\d (?:error|bad|unauthori|forbidden|not found|internal|service|gateway|too many)"
    r"|(?:unauthori[sz]ed|forbidden|not found)(?:$|[:.]))"
)


@dataclass(frozen=True, slots=True)
class ReplyLine:
    """One valid line. `refs` are the places of its observations in the turn, counted from 1; empty if it named none."""

    type: LearningType
    text: str
    refs: tuple[int, ...] = ()
    confidence: float = _DEFAULT_CONFIDENCE
    subject: str = ""
    priority: Priority = Priority.NORMAL
    owner: Owner = Owner.AGENT


@dataclass(frozen=True, slots=True)
class ReadReply:
    """A parsed reply. `rejected` are the lines that say nothing we can use, each cut to its start."""

    lines: tuple[ReplyLine, ...]
    rejected: tuple[str, ...]
    says_none: bool
    is_refusal: bool

    @property
    def is_readable(self) -> bool:
        return bool(self.lines) or self.says_none


def read_reply(text: str, observations: int) -> ReadReply:
    """Read a reply about a turn of so many observations. Never raises, whatever the text."""
    lines: list[ReplyLine] = []
    rejected: list[str] = []
    says_none = False
    for raw in text[:_MAX_REPLY_CHARS].splitlines():
        line = raw.strip()
        if not line or line.startswith("```"):
            continue
        if _NONE.fullmatch(line):
            says_none = True
        elif (read := _read_line(line, observations)) is None or len(lines) == _MAX_LINES:
            rejected.append(line[:80])
        elif all((read.type, read.text) != (known.type, known.text) for known in lines):
            lines.append(read)
    is_refusal = not lines and not says_none and looks_like_refusal(text[:2_000])
    return ReadReply(tuple(lines), tuple(rejected), says_none, is_refusal)


def looks_like_refusal(text: str) -> bool:
    """Whether a text is about what the speaker cannot do, rather than about what was learned.

    >>> looks_like_refusal("I’m sorry, but I can’t help with that.")
    True
    >>> looks_like_refusal("Says sorry when a build breaks; wants no apologies back")
    False
    """
    return _EXCUSE.search(_plain(text)) is not None


def is_worth_storing(text: str) -> bool:
    """Whether the text of a line can be a learning at all: some words, not too many, and no excuse, page or error.

    >>> [is_worth_storing(text) for text in ("Error 529: overloaded", "<html>", "There are no learnings")]
    [False, False, False]
    >>> is_worth_storing("The error page is served by nginx")
    True
    """
    if len(text) > _MAX_TEXT_CHARS or sum(map(str.isalnum, text)) < 3 or text[0] in "<{":
        return False
    plain = _plain(text)
    return not (_NONE.fullmatch(text) or _EXCUSE.search(plain) or _NOTHING.match(plain) or _ERROR.match(plain))


def _plain(text: str) -> str:
    """Small letters, straight apostrophes, single spaces: so that the patterns can be read."""
    return " ".join(text.casefold().replace("’", "'").replace("`", "'").split())


def _read_line(line: str, observations: int) -> ReplyLine | None:
    """One line, or None if any part of it is not as it should be."""
    start = _START.match(line)
    if start is None or len(line) > _MAX_LINE_CHARS:
        return None
    refs, confidence, details, place = _parts(line, start.end())
    colon = _COLON.match(line, place)
    if colon is None or not 0 <= confidence <= 1 or not all(1 <= ref <= observations for ref in refs):
        return None
    text = "".join(character for character in line[colon.end() :] if character.isprintable()).strip("* ")
    if not is_worth_storing(text):
        return None
    return ReplyLine(
        type=LearningType(start[1].lower()),
        text=text,
        refs=refs,
        confidence=confidence,
        subject=details.get("subject", "")[:_MAX_SUBJECT_CHARS],
        priority=_one_of(Priority, details.get("priority", ""), Priority.NORMAL),
        owner=_one_of(Owner, details.get("owner", ""), Owner.AGENT),
    )


def _parts(line: str, place: int) -> tuple[tuple[int, ...], float, dict[str, str], int]:
    """Read the brackets after the kind; return their values and end. A bad reference is 0, a bad confidence -1."""
    refs: tuple[int, ...] = ()
    confidence, details = _DEFAULT_CONFIDENCE, dict[str, str]()
    while part := _PART.match(line, place):
        place = part.end()
        named, figure, pairs = part.groups()
        if named is not None:
            places = [_REF.fullmatch(name.strip()) for name in named.split(",")]
            refs += tuple(int(found[1]) if found else 0 for found in places)
        elif figure is not None:
            certain = _CONFIDENCE.fullmatch(figure.strip())
            confidence = float(certain[1]) if certain else -1.0
        else:
            details.update(_pairs(pairs))
    return refs, confidence, details, place


def _pairs(text: str) -> dict[str, str]:
    """`a=b, c=d` as a mapping; what is not of this form is left out.

    >>> _pairs("Subject = Test  command, priority=high, x")
    {'subject': 'test command', 'priority': 'high'}
    """
    pairs = (pair.partition("=") for pair in text.split(","))
    return {name.strip().lower(): " ".join(value.lower().split()) for name, equals, value in pairs if equals}


def _one_of(kind: type[_Choice], value: str, otherwise: _Choice) -> _Choice:
    return next((choice for choice in kind if choice.value == value), otherwise)
