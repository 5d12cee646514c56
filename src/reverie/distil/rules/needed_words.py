"""A pattern -> the words that it cannot do without, and a looser pattern that RE2 understands.

A phrase needs its words: without "we" and one of "use", "run" or "deploy" in a sentence there is no "we deploy".
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, TypeAlias

TOKEN: Final = re.compile(r"[^\W_]+")
KEY: Final = 4  # letters of a word that count, so that "prefer" also stands for "prefers"
DIGIT: Final = "0"  # stands for every word that begins with a digit


@dataclass(frozen=True, slots=True, eq=False)
class _Group:
    """Alternatives, each a sequence of parts; optional if it may be missing. Equal only to itself, for the caches."""

    alternatives: tuple[tuple["str | _Group", ...], ...]
    is_optional: bool = False


@cache
def _group(alternatives: tuple[tuple["str | _Group", ...], ...], is_optional: bool = False) -> _Group:
    """The same group for the same alternatives: what is named in several lists is looked at once."""
    return _Group(alternatives, is_optional)


_Part: TypeAlias = str | _Group
_EDGE: Final = "\0"  # the edge of a word, in the place of a text
_GAP: Final = _Group((("x",),), is_optional=True)  # something of which nothing is known; perhaps a letter

# How common a word is, roughly, in one of a hundred messages; of two words that are needed, the rarer one tells more.
_COMMON: Final = {
    **dict.fromkeys(("the", "to", "i", "a", "and", "is", "it", "in", "of", "you", "that", "this"), 60),
    **dict.fromkeys(("for", "on", "not", "be", "are", "we", "with", "my", "have", "but", "if", "so", "can"), 30),
    **dict.fromkeys(
        ("do", "use", "was", "at", "as", "from", "when", "just", "no", "or", "an", "has", "all", "add"), 15
    ),
    **dict.fromkeys(("test", "file", "code", "func", "clas", "conf", "impo", "main", "app", "erro", "user", "clie"), 8),
}
_MOST_GROUPS = 3  # more of them hardly exclude more
_TOO_COMMON = 300  # to exclude anything; the costs above, added up
_DEEPEST = 1  # groups in groups that are spread out


def needed_words(pattern: str) -> list[tuple[frozenset[str], ...]]:
    """For each alternative of a pattern: groups of (beginnings of) words, of each of which a match has at least one.

    >>> sorted([sorted(one) for one in groups] for groups in needed_words(r"\\b(?:we|i) (?:also )?run|going on\\b"))
    [[['goin'], ['on']], [['run'], ['i']], [['run'], ['we']]]
    """
    alternatives, _ = _parse(pattern, 0)
    phrases = [phrase for sequence in alternatives for phrase in _spread(sequence)]
    needed = {tuple(sorted(set(_groups_in(phrase, True, True)), key=_cost)[:_MOST_GROUPS]) for phrase in phrases}
    return [(*groups[:1], *(group for group in groups[1:] if _cost(group)[0] < _TOO_COMMON)) for groups in needed]


@cache
def _cost(group: frozenset[str]) -> tuple[int, list[str]]:
    return sum(_COMMON.get(word, 1) for word in group), sorted(group)


def _spread(sequence: tuple[_Part, ...], depth: int = 0) -> Iterator[tuple[_Part, ...]]:
    """A sequence once for each alternative of its largest group, and so on, unless they are only words."""
    sizes = [len(_certain(part)) for part in sequence]
    at = max(range(len(sequence) - 1, -1, -1), key=sizes.__getitem__, default=0)  # the last of equals
    largest = _certain(sequence[at]) if sequence else ()
    if not largest or (depth and all(len(one) == 1 for one in largest)):
        yield sequence
        return
    for alternative in largest:
        spread = (*sequence[:at], *alternative, *sequence[at + 1 :])
        yield from _spread(spread, depth + 1) if depth < _DEEPEST else (spread,)


def _certain(part: _Part) -> tuple[tuple[_Part, ...], ...]:
    """The alternatives of which one is certainly there."""
    return () if isinstance(part, str) or part.is_optional else part.alternatives


def _groups_in(sequence: Sequence[_Part], left: bool, right: bool) -> Iterator[frozenset[str]]:
    """The groups of words in a sequence. Left and right say whether words end where the sequence ends."""
    starts = _edges(sequence, left, at_end=True)
    ends = _edges(sequence, right, at_end=False)[::-1]
    for place, part in enumerate(sequence):
        if isinstance(part, str):
            yield from _keys(part, starts[place], ends[place + 1])
            following = sequence[place + 1] if place + 1 < len(sequence) else None
            if isinstance(following, _Group) and (endings := _endings(following, ends[place + 2])):
                yield from _with_endings(part, starts[place], endings)
        elif not part.is_optional and (group := _group_of(part, starts[place], ends[place + 1])):
            yield group


@cache
def _group_of(part: _Group, starts: bool, ends: bool) -> frozenset[str]:
    """The words of which one is in every alternative of a group; none if some alternative does without."""
    best = [min(_groups_in(one, starts, ends), key=_cost, default=frozenset[str]()) for one in part.alternatives]
    return frozenset[str]().union(*best) if all(best) else frozenset()


@cache
def _keys(text: str, starts: bool, ends: bool) -> list[frozenset[str]]:
    """The beginnings of the whole words in a text, each a group of its own."""
    keys = []
    for token in TOKEN.finditer(text):
        is_begun = token.start() > 0 or starts
        is_whole = token.end() < len(text) or ends
        if is_begun and (is_whole or len(token[0]) >= KEY or token[0][0] == DIGIT):
            keys.append(frozenset((token[0][:KEY],)))
    return keys


def _endings(after: _Group, is_edge: bool) -> list[str]:
    """Return the endings that a short word may have, such as the "s" of "runs?", if it certainly ends there."""
    if not is_edge or not after.is_optional or after is _GAP:
        return []
    endings = ["".join(part for part in one if isinstance(part, str)) for one in after.alternatives]
    is_simple = all(len(one) == 1 for one in after.alternatives) and all(map(str.isalnum, endings))
    return endings if is_simple else []


def _with_endings(text: str, starts: bool, endings: list[str]) -> Iterator[frozenset[str]]:
    last = TOKEN.findall(text)[-1:] if text[-1].isalnum() else []
    for word in last:
        if len(word) < KEY and (starts or len(word) < len(text)):
            yield frozenset([word, *((word + ending)[:KEY] for ending in endings)])


def _edges(sequence: Sequence[_Part], outside: bool, *, at_end: bool) -> list[bool]:
    """Whether a word can only begin, or end, next to a sequence: to none of it, to its first part, and so on to all."""
    edges = [outside]
    for part in sequence if at_end else reversed(sequence):
        if isinstance(part, str):
            outside = not part[-1 if at_end else 0].isalnum()
        else:
            outside = _is_edge_of(part, outside, at_end)
        edges.append(outside)
    return edges


@cache
def _is_edge_of(part: _Group, outside: bool, at_end: bool) -> bool:
    inside = all(_edges(one, outside, at_end=at_end)[-1] for one in part.alternatives)
    return inside and (outside or not part.is_optional)


def forget() -> None:
    """Free what was kept while many patterns were looked at."""
    for known in (_group, _group_of, _is_edge_of, _keys, _cost):
        known.cache_clear()


# ---- reading a pattern

_QUANTIFIER = re.compile(r"(?:[?*+]|\{(\d*),?\d*\})\??")
_COUNT = re.compile(r"\{(\d+)(?:,\d*)?\}")
_LOOKAROUND = re.compile(r"\(\?<?[=!]")
_OPENING = re.compile(r"\((?:\?:|\?P<\w+>)?")
_LETTERS = re.compile(r"[^\\()\[\]{}?*+|.^$]+(?![?*+{])")  # that stand for themselves, and once
_COPIED = re.compile(r"[^\\(\[{]+")


def _parse(pattern: str, at: int) -> tuple[tuple[tuple[_Part, ...], ...], int]:
    """The alternatives from here to the closing parenthesis or the end, and where that is."""
    alternatives: list[list[_Part]] = [[]]
    while at < len(pattern) and pattern[at] != ")":
        if pattern[at] == "|":
            alternatives.append([])
            at += 1
            continue
        if letters := _LETTERS.match(pattern, at):
            _append(alternatives[-1], letters[0])
            at = letters.end()
            continue
        part, at = _part(pattern, at)
        if quantifier := _QUANTIFIER.match(pattern, at):
            at = quantifier.end()
            is_optional = quantifier[0][0] in "?*" or quantifier[1] in ("", "0")
            alternatives[-1] += _repeated(part, is_optional, once=quantifier[0][0] == "?")
        elif isinstance(part, _Group) and len(part.alternatives) == 1 and not part.is_optional:
            for inner in part.alternatives[0]:
                _append(alternatives[-1], inner)
        elif part is not None:
            _append(alternatives[-1], part)
    return tuple(tuple(sequence) for sequence in alternatives), at


def _append(sequence: list[_Part], part: _Part) -> None:
    """Letters next to each other are one text."""
    if isinstance(part, str) and sequence and isinstance(sequence[-1], str) and _EDGE not in (part, sequence[-1]):
        sequence[-1] += part
    else:
        sequence.append(part)


def _repeated(part: _Part | None, is_optional: bool, *, once: bool) -> list[_Part]:
    if part is None or part is _GAP:
        return [_GAP]
    perhaps = _group(part.alternatives if isinstance(part, _Group) else ((part,),), True)
    return [perhaps] if is_optional or once else [part, perhaps]


def _part(pattern: str, at: int) -> tuple[_Part | None, int]:
    """One part of a pattern and where it ends; None for what takes no room."""
    sign = pattern[at]
    if look := _LOOKAROUND.match(pattern, at):
        end = _closing(pattern, look.end())
        is_edge = look[0][-1] == "!" and pattern[look.end() : end] in (r"\w", r"[\w-]")
        return _EDGE if is_edge else None, end + 1
    if opening := _OPENING.match(pattern, at):
        alternatives, end = _parse(pattern, opening.end())
        is_edge = all(alternative == (_EDGE,) for alternative in alternatives)
        return _EDGE if is_edge else _group(alternatives), end + 1
    if sign == "[":
        end = pattern.index("]", at + 2)
        inside = pattern[at + 1 : end]
        is_sign = not inside.startswith("^") and not re.search(r"\w|\\[wWdD]", inside.replace(r"\s", " "))
        return " " if is_sign else _GAP, end + 1
    if sign == "\\":
        letter = pattern[at + 1]
        return {"b": _EDGE, "s": " ", "d": DIGIT}.get(letter, _GAP if letter.isalnum() else letter), at + 2
    return _EDGE if sign in "^$" else _GAP if sign == "." else sign, at + 1


def loosened(pattern: str) -> str:
    """A pattern that matches at least where another one does, without what RE2 does not know or like.

    What stands around is not looked at, and what is repeated a few times may be repeated more often: RE2 would count
    by states.

    >>> loosened(r"\\b(?<!-)(?:we|i) [^,]{1,80}?run{2}(?!\\w)")
    '\\\\b(?:we|i) [^,]+?run+'
    """
    loose, at = "", 0
    while at < len(pattern):
        if copied := _COPIED.match(pattern, at):
            loose += copied[0]
            at = copied.end()
            continue
        if look := _LOOKAROUND.match(pattern, at):
            at = _closing(pattern, look.end()) + 1
            continue
        if count := _COUNT.match(pattern, at):
            loose += "*" if count[1] == "0" else "+"
            at = count.end()
            continue
        end = pattern.index("]", at + 2) + 1 if pattern[at] == "[" else at + 2 if pattern[at] == "\\" else at + 1
        loose += pattern[at:end]
        at = end
    return loose


def _closing(pattern: str, at: int) -> int:
    """Return the place of the parenthesis that closes the one before this place."""
    depth = 1
    while True:
        sign = pattern[at]
        if sign == "\\":
            at += 1
        elif sign == "[":
            at = pattern.index("]", at + 2)
        else:
            depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return at
        at += 1
