"""A long text -> pieces that fit a limit of tokens and, joined, are the text again to the last character.

A piece ends where a reader would pause: after a paragraph, else a line, a sentence, a word. Only a run without any of
these is cut in its middle, and even then never inside what a reader sees as one character.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from unicodedata import category, combining

from reverie.language.tokens import count_tokens
from reverie.ports import DeriveId
from reverie.records import MemoryItem

# What a unit of text ends with, coarse units first. All these borders are where `count_tokens` begins anew, so the
# tokens of units add up, and a text of any length is cut in one walk over it.
_SENTENCE_END = re.compile(r"[.!?…][)\"'”’]*\s+|[。！？]+[」』”’）]*\s*")
_ENDS = (re.compile(r"\n[^\S\n]*\n\s*"), re.compile(r"\n"), _SENTENCE_END, re.compile(r"\s+"))

_ZERO_WIDTH_JOINER = "\u200d"
_VIRAMA = 9  # the combining class of signs that join two consonants of Indian scripts


def cut(text: str, limit_tokens: int) -> list[str]:
    """Pieces of at most `limit_tokens` each; `"".join` of them is the text.

    >>> cut("One is here. Two is there. Three.", 8)
    ['One is here. Two is there. ', 'Three.']
    """
    return _cut(text, max(1, limit_tokens), 0)


def _cut(text: str, limit: int, level: int) -> list[str]:
    if level == len(_ENDS):
        return list(_runs(text, limit))
    pieces: list[str] = []
    current: list[str] = []
    size = 0
    for unit in _units(_ENDS[level], text):
        cost = count_tokens(unit)
        if size + cost > limit:
            pieces.append("".join(current))
            current, size = [unit], cost
            if cost > limit:
                *whole, last = _cut(unit, limit, level + 1)
                pieces += whole
                current, size = [last], count_tokens(last)
        else:
            current.append(unit)
            size += cost
    pieces.append("".join(current))
    return [piece for piece in pieces if piece] or [""]


def _units(end: re.Pattern[str], text: str) -> Iterator[str]:
    """The units of a text. One that begins inside a character, such as a space with an accent, joins the one before."""
    start = 0
    for match in end.finditer(text):
        if is_border(text, match.end()):
            yield text[start : match.end()]
            start = match.end()
    if start < len(text):
        yield text[start:]


def _runs(text: str, limit: int) -> Iterator[str]:
    """Cut a run without spaces. No character counts for more than one token, so `limit` of them always fit."""
    start = 0
    while start < len(text):
        end = min(start + limit, len(text))
        while end > start and not is_border(text, end, start):
            end -= 1
        if end == start:  # one character with very many marks
            end = start + 1
            while not is_border(text, end, start):
                end += 1
        yield text[start:end]
        start = end


def is_border(text: str, index: int, since: int = 0) -> bool:
    """Whether a reader sees two characters, not one, to the left and right of this place.

    The rules of Unicode's grapheme clusters, as far as they are told by ranges and general categories. `since` is a
    border further left from which flags, which are pairs, may be counted.

    >>> [is_border("e\u0301a", index) for index in range(4)]
    [True, False, True, True]
    """
    if index <= 0 or index >= len(text):
        return True
    before, after = text[index - 1], text[index]
    if before < "\u0300" and after < "\u0300":
        return not (before == "\r" and after == "\n")
    if category(after) in ("Mn", "Mc", "Me") or after == _ZERO_WIDTH_JOINER or _extends(after):
        return before in "\r\n"
    if before == _ZERO_WIDTH_JOINER or combining(before) == _VIRAMA:
        return False
    if "\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff":
        return False
    if _is_flag_half(before) and _is_flag_half(after):
        first = index
        while first > since and _is_flag_half(text[first - 1]):
            first -= 1
        return (index - first) % 2 == 0
    return not _is_one_syllable(before, after)


def _extends(character: str) -> bool:
    """Skin tones and the tags of regional flags; other marks are told by their category."""
    return "\U0001f3fb" <= character <= "\U0001f3ff" or "\U000e0020" <= character <= "\U000e007f"


def _is_flag_half(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _is_one_syllable(before: str, after: str) -> bool:
    """Whether two Korean letters are parts of one syllable."""
    leads, vowels, tails = ("\u1100", "\u115f"), ("\u1160", "\u11a7"), ("\u11a8", "\u11ff")
    if vowels[0] <= after <= vowels[1]:
        return leads[0] <= before <= vowels[1] or ("가" <= before <= "힣" and (ord(before) - ord("가")) % 28 == 0)
    if tails[0] <= after <= tails[1]:
        return vowels[0] <= before <= tails[1] or "가" <= before <= "힣"
    return leads[0] <= before <= leads[1] and (leads[0] <= after <= leads[1] or "가" <= after <= "힣")


def head(text: str, limit_tokens: int) -> str:
    """The beginning of a text, at most so many tokens of it.

    >>> head("One is here. Two is there.", 4)
    'One is here.'
    """
    piece = cut(text, limit_tokens)[0].strip() if limit_tokens > 0 else ""
    return piece if count_tokens(piece) <= limit_tokens else ""


def first_sentence(text: str) -> str:
    """The first sentence of the first line that says something.

    >>> first_sentence("Version 1.2 is out! Get it.")
    'Version 1.2 is out!'
    """
    line = next((line for line in text.splitlines() if line.strip()), "")
    found = _SENTENCE_END.search(line)
    return (line[: found.end()] if found else line).strip()


def tokens_of(item: MemoryItem) -> int:
    """Return the tokens of an item: as they were counted, or counted now."""
    return item.tokens_estimate or count_tokens(item.text)


def chunked(item: MemoryItem, limit_tokens: int, derive_id: DeriveId) -> list[MemoryItem]:
    """An item as it is stored: itself, or the chunks of its text, which name it as their parent.

    The parent is no row of its own: a text has one home. `metadata["span"]` says where in the text a chunk stands.
    """
    if tokens_of(item) <= limit_tokens or len(pieces := cut(item.text, limit_tokens)) == 1:
        return [replace(item, tokens_estimate=tokens_of(item))]
    chunks: list[MemoryItem] = []
    start = 0
    for index, piece in enumerate(pieces):
        chunks.append(
            replace(
                item,
                id=derive_id(item.created_ms, "chunk", [item.id], index),
                text=piece,
                tokens_estimate=count_tokens(piece),
                parent_id=item.id,
                chunk_index=index,
                checksum="",
                metadata={**item.metadata, "span": [start, start + len(piece)], "chunks": len(pieces)},
            )
        )
        start += len(piece)
    return chunks
