"""A message -> its writer's sentences, without what is only supposed and without what somebody else said.

Each sentence comes twice: as it was written, and plain, in small letters with code and quotes blacked out, letter for
letter at the same places. Cues are looked for in the plain one, texts are cut from the written one. Questions stay,
marked, because what comes after them may lean on them.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from reverie.distil.rules.cues import BOOK, cues
from reverie.distil.rules.passages import OwnLine, passages
from reverie.distil.rules.phrases import LowerText, bits, quick

_LONGEST = 600  # characters; what goes on longer without a full stop is not a sentence
_SHORT_MARKS = 40

CODE: Final = "ǁ"  # stands for each character of inline code; a letter, so that patterns see a word
QUOTE: Final = "ǂ"  # the same for each character between quotation marks


class Sentence(NamedTuple):
    """One sentence. A request is a question that asks to do something: "could you always number them?"."""

    text: str
    plain: LowerText
    is_question: bool = False
    is_request: bool = False
    is_listed: bool = False
    follows_quote: bool = False
    leads_to_question: bool = False


def sentences(message: str) -> list[Sentence]:
    """Split a message into its writer's own sentences, in order.

    >>> [s.text for s in sentences('Always use tabs. Suppose we did: why? ```# never```')]
    ['Always use tabs.']
    """
    found: list[Sentence] = []
    read = [[(line, BOOK.read(_plain(line.text))) for line in _joined(lines)] for lines in passages(message)]
    for passage in read:
        for sentence in _split(passage):
            if _NOT_OWN & sentence.plain.seen:
                if _SUPPOSES.match(sentence.plain) or _SHOWS_A_TEXT.match(sentence.plain):
                    break  # the rest of the passage leans on it
                if _REPORTS.search(sentence.plain) and not _YOURS.search(sentence.plain.text):
                    continue
                if _NOT_MEANT.search(sentence.plain):
                    if _KIDDING.search(sentence.plain.text):
                        del found[-1:]
                    continue
            found.append(sentence)
    return found


# ---- what kind of sentence it is

_ASKS: Final = cues("asks")
_REQUESTS: Final = cues("requests")
_SUPPOSES: Final = cues("supposes")
_SHOWS_A_TEXT: Final = cues("shows_a_text")
_REPORTS: Final = cues("reports")
_NOT_MEANT: Final = cues("not_meant")
_KIDDING: Final = cues("kidding")
_YOURS: Final = cues("yours")
_NOT_OWN = bits(_SUPPOSES, _SHOWS_A_TEXT, _REPORTS, _NOT_MEANT)
_TAG_QUESTION: Final = cues("tag_question")

# ---- where a sentence begins and ends

_QUOTED = re.compile(
    r"""`+[^`]{1,300}`+
    | (?<![\w"])"(?=\S)[^"]{1,600}" | “[^”]{1,600}[”“] | „[^“”]{1,600}[“”] | «[^»]{1,600}»
    | (?<![\w'])'(?=[^\s'])(?:[^']|'(?=\w)){1,300}'(?!\w) | (?<!\w)‘(?:[^’]|’(?=\w)){1,300}’(?!\w)""",
    re.VERBOSE,
)
_QUOTATION_MARKS = "`\"“„«'‘"
_STOP = re.compile(r"[.!?…]+[)\]]*(?=\s|$)")
_STOP_OR_SMILE = re.compile(_STOP.pattern + r"|(?<=\s)[:;]-?[)dp(](?=[\s,.)]|$)")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|approx|incl|resp|cf|z\.b|bzw|ca|d\.h|u\.a|p\.ej|nr|dr|mr|mrs|st)|(?<![\w.])p"
    r"|\b(?:am|vom|zum|dem|der|ab) \d\d?)\.$"
)
_THEN_ASKS: Final = cues("then_asks")
_THEN_WISHES: Final = cues("then_wishes")
_WISHES = ("remind me", "let me forget", "from now on", "call me", "i prefer", "my name is")
_ONLY_MARKS: Final = cues("only_marks")
_MAY_BE_PARTED = quick(r"[,;]| :|[.!?][)\]]*(?: |$)|[^ -~]|" + "|".join(_WISHES))
_ASIDE = re.compile(r"\(([^()]{10,300})\)")


def _split(lines: list[tuple[OwnLine, LowerText]]) -> Iterator[Sentence]:
    """The sentences of some lines. What may be in a line may be in each of its sentences: it is read only once."""
    for line, (plain, seen) in lines:
        for start, end, leads in _spans(plain):
            for sentence in _sentence(line.text[start:end], LowerText(plain[start:end], seen), line, leads):
                yield sentence
                line = line._replace(follows_quote=False) if line.follows_quote else line


def _joined(lines: list[OwnLine]) -> Iterator[OwnLine]:
    """Lines that were only broken at the margin, put together again."""
    begun = lines[0]
    text = begun.text
    for line in lines[1:]:
        if not line.is_listed and len(text) >= 50 and text[-1] not in ".!?:;…" and line.text[0].islower():
            text = f"{text} {line.text}"
        else:
            yield OwnLine(text, begun.is_listed, begun.follows_quote)
            begun, text = line, line.text
    yield OwnLine(text, begun.is_listed, begun.follows_quote)


def _plain(text: str) -> str:
    """Quotes blacked out, and small letters, as many as before: a few capitals become two letters, and those stay."""
    if any(map(text.__contains__, _QUOTATION_MARKS)):
        text = _QUOTED.sub(_blacked_out, text)
    small = text.lower()
    if len(small) != len(text):
        small = "".join(one if len(one := letter.lower()) == 1 else letter for letter in text)
    return small.replace("’", "'").replace("\u00a0", " ")


def _blacked_out(quoted: re.Match[str]) -> str:
    return (CODE if quoted[0][0] == "`" else QUOTE) * len(quoted[0])


def _spans(plain: str) -> Iterator[tuple[int, int, bool]]:
    """Yield the places of the sentences, and whether they lead to a question."""
    if not _MAY_BE_PARTED(plain.encode("utf-8", "replace")):
        if len(plain) <= _LONGEST:
            yield 0, len(plain), False
        return
    has_wishes = any(map(plain.__contains__, _WISHES))
    smiles = " :" in plain or " ;" in plain
    start = 0
    for stop in [*(_STOP_OR_SMILE if smiles else _STOP).finditer(plain), None]:
        end = stop.end() if stop else len(plain)
        mark = stop[0] if stop else ""
        if mark == "." and _ABBREVIATION.search(plain, max(start, end - 8), end):
            continue
        if "!" in mark and end - start < _SHORT_MARKS and _ONLY_MARKS.match(plain[start:end]):
            continue
        if end - start <= _LONGEST:
            if has_wishes or plain.find(",", start, end) >= 0 or plain.find(";", start, end) >= 0:
                yield from _thoughts(plain, start, end, has_wishes)
            else:
                yield start, end, False
        start = end


def _thoughts(plain: str, start: int, end: int, has_wishes: bool) -> Iterator[tuple[int, int, bool]]:
    # Where one thought ends, and whether a question may follow.
    turns = {turn.start(): True for turn in _THEN_ASKS.exact.finditer(plain, start, end)}
    if has_wishes:
        turns |= {turn.start(): False for turn in _THEN_WISHES.exact.finditer(plain, start, end)}
    if turns and _ASKS.match(plain[start:end].lstrip()):
        turns = {}
    for turn in sorted(turns):
        if turn > start:
            yield start, turn, turns[turn] and _ASKS.match(plain[turn:end].lstrip(" ,;")) is not None
            start = turn
    yield start, end, False


def _sentence(text: str, read: LowerText, line: OwnLine, leads_to_question: bool = False) -> Iterator[Sentence]:
    """The sentence, and what it says in passing in parentheses."""
    plain, seen = read
    asides = []
    if "(" in plain:
        asides = [aside for aside in _ASIDE.finditer(plain) if plain.count(" ", *aside.span()) > 1]
        if any(len(aside[0]) >= len(plain.strip()) - 2 for aside in asides):
            asides = []
        for aside in asides:
            plain = plain[: aside.start()] + " " * len(aside[0]) + plain[aside.end() :]
    written = text
    cut = len(plain) - len(plain.lstrip(" ,;-–—(•"))
    text, plain = text[cut:].rstrip(), plain[cut:].rstrip()
    if plain.endswith("?") and (tag := _TAG_QUESTION.search(plain)):
        text, plain = text[: tag.start()], plain[: tag.start()]
    if not any(map(str.isalnum, plain)):
        return
    read = LowerText(plain, seen)
    asks = plain.endswith("?") or _ASKS.match(read) is not None
    requests = asks and _REQUESTS.match(read) is not None
    yield Sentence(text, read, asks and not requests, requests, line.is_listed, line.follows_quote, leads_to_question)
    for aside in asides:
        yield from _sentence(
            written[aside.start(1) : aside.end(1)], LowerText(aside[1], seen), OwnLine("", line.is_listed)
        )
