"""Many lists of phrases, looked for in a text quickly.

A list of phrases is one regular expression, and to try eighty of them on every sentence would take milliseconds. But a
phrase needs its words: without "we" and one of "use", "run" or "deploy" in the sentence there is no "we deploy". So each
list knows, from its own expression, which words it cannot do without, and is tried only where they are. (RE2 for all
lists at once was tried and left: fast on a text it has seen, but each new combination of matches is a new state of its
automaton, and on fresh text it took five milliseconds a message.)
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias


@dataclass(frozen=True, slots=True)
class Plain:
    """A text in small letters, and which groups of words have one in it, as the bits of a number."""

    text: str
    words: int = 0


class Phrases:
    """A list of phrases, as one pattern, and the words it needs: all the groups of one of the `needs`."""

    __slots__ = ("_exact", "_pattern", "needs")

    def __init__(self, pattern: str, needs: frozenset[int]) -> None:
        self._pattern = pattern
        self._exact: re.Pattern[str] | None = None
        self.needs = needs

    @property
    def exact(self) -> re.Pattern[str]:
        """The pattern itself, compiled when it is first needed: most runs need few of them."""
        if self._exact is None:
            self._exact = re.compile(self._pattern)
        return self._exact

    def search(self, plain: Plain) -> re.Match[str] | None:
        """Where one of the phrases is in a text."""
        return self.exact.search(plain.text) if has_any(plain, self.needs) else None

    def match(self, plain: Plain) -> re.Match[str] | None:
        """The same, at the start of the text."""
        return self.exact.match(plain.text) if has_any(plain, self.needs) else None


def has_any(plain: Plain, needs: frozenset[int]) -> bool:
    """Whether a text has the words for one of these needs. If not, no phrase that needs them is in it."""
    words = plain.words
    for need in needs:  # not `any`: this is the innermost loop of all
        if words & need == need:
            return True
    return False


def needs_of(*lists: Phrases) -> frozenset[int]:
    """What a text needs to have a phrase of one of some lists."""
    return frozenset[int]().union(*(one.needs for one in lists))


def words(text: str) -> frozenset[str]:
    """A list of words, for those that are only looked up."""
    return frozenset(text.split())


_TOKEN = re.compile(r"[^\W_]+")
_KEY = 4  # letters of a word that count, so that "prefer" also stands for "prefers"


class PhraseBook:
    """Lists of phrases, and the groups of words that they need."""

    def __init__(self) -> None:
        self._bits: dict[str, int] = {}  # by the beginning of a word: the groups that it is in
        self._groups: dict[frozenset[str], int] = {}

    def add(self, pattern: str) -> Phrases:
        return Phrases(pattern, frozenset(self._need(groups) for groups in needed_words(pattern)))

    def read(self, text: str) -> Plain:
        """A text with what it has of the words that matter."""
        found, bits = 0, self._bits
        for token in {token[:_KEY] for token in _TOKEN.findall(text)}:
            if token in bits:
                found |= bits[token]
        return Plain(text, found)

    def _need(self, groups: Sequence[frozenset[str]]) -> int:
        need = 0
        for group in groups:
            bit = self._groups.setdefault(group, 1 << len(self._groups))
            for key in group:
                self._bits[key] = self._bits.get(key, 0) | bit
            need |= bit
        return need


# ---- which words a pattern cannot do without


@dataclass(frozen=True, slots=True)
class _Group:
    """Alternatives, each a sequence of parts; optional if it may be missing."""

    alternatives: tuple[tuple["str | _Group", ...], ...]
    is_optional: bool = False


_Part: TypeAlias = str | _Group
_EDGE: Final = "\0"  # the edge of a word, in the place of a text
_GAP: Final = _Group((("x",),), is_optional=True)  # something of which nothing is known; perhaps a letter

# How common a word is, roughly, in one of a hundred messages; of two words that are needed, the rarer one tells more.
_COMMON: Final = {
    **dict.fromkeys(("the", "to", "i", "a", "and", "is", "it", "in", "of", "you", "that", "this"), 60),
    **dict.fromkeys(("for", "on", "not", "be", "are", "we", "with", "my", "have", "but", "if", "so", "can"), 30),
    **dict.fromkeys(("do", "use", "was", "at", "as", "from", "when", "just", "no", "or", "an", "has", "all", "add"), 15),
}
_MOST_GROUPS = 3  # more of them hardly exclude more


def needed_words(pattern: str) -> Iterator[tuple[frozenset[str], ...]]:
    """For each alternative of a pattern: groups of (beginnings of) words, of each of which a match has at least one.

    >>> [[sorted(group) for group in groups] for groups in needed_words(r"\\b(?:we|i) (?:always )?run|going forward\\b")]
    [[['run'], ['i', 'we']], [['forw'], ['goin']]]
    """
    alternatives, _ = _parse(pattern, 0)
    for sequence in alternatives:
        for part in _spread(sequence):
            groups = sorted(set(_groups_in(part, True, True)), key=_cost)
            yield tuple(groups[:_MOST_GROUPS])


def _cost(group: frozenset[str]) -> tuple[int, list[str]]:
    return sum(_COMMON.get(word, 1) for word in group), sorted(group)


def _spread(sequence: tuple[_Part, ...]) -> Iterator[tuple[_Part, ...]]:
    """A sequence once for each alternative of its largest group."""
    groups = [part for part in sequence if isinstance(part, _Group) and not part.is_optional]
    if not groups:
        yield sequence
        return
    largest = max(groups, key=lambda group: len(group.alternatives))
    at = sequence.index(largest)
    for alternative in largest.alternatives:
        yield (*sequence[:at], *alternative, *sequence[at + 1 :])


def _groups_in(sequence: Sequence[_Part], left: bool, right: bool) -> Iterator[frozenset[str]]:
    """The groups of words in a sequence. Left and right say whether words end where the sequence ends."""
    for place, part in enumerate(sequence):
        starts = _is_edge(sequence[:place], left, at_end=True)
        ends = _is_edge(sequence[place + 1 :], right, at_end=False)
        if isinstance(part, str):
            yield from (frozenset((key,)) for key in _keys(part, starts, ends))
        elif not part.is_optional:
            best = [min(_groups_in(one, starts, ends), key=_cost, default=None) for one in part.alternatives]
            found = [group for group in best if group is not None]
            if len(found) == len(best):
                yield frozenset[str]().union(*found)


def _keys(text: str, starts: bool, ends: bool) -> Iterator[str]:
    """The beginnings of the whole words in a text."""
    for token in _TOKEN.finditer(text):
        is_begun = token.start() > 0 or starts
        is_whole = token.end() < len(text) or ends
        if is_begun and (is_whole or len(token[0]) >= _KEY):
            yield token[0][:_KEY]


def _is_edge(sequence: Sequence[_Part], outside: bool, *, at_end: bool) -> bool:
    """Whether a word can only begin, or end, next to a sequence."""
    for part in sequence if at_end else reversed(sequence):
        if isinstance(part, str):
            outside = not part[-1 if at_end else 0].isalnum()
        else:
            inside = all(_is_edge(one, outside, at_end=at_end) for one in part.alternatives)
            outside = inside and (outside or not part.is_optional)
    return outside


# ---- reading a pattern

_QUANTIFIER = re.compile(r"(?:[?*+]|\{(\d*),?\d*\})\??")
_LOOKAROUND = re.compile(r"\(\?<?[=!]")
_OPENING = re.compile(r"\((?:\?:|\?P<\w+>)?")


def _parse(pattern: str, at: int) -> tuple[tuple[tuple[_Part, ...], ...], int]:
    """The alternatives from here to the closing parenthesis or the end, and where that is."""
    alternatives: list[list[_Part]] = [[]]
    while at < len(pattern) and pattern[at] != ")":
        if pattern[at] == "|":
            alternatives.append([])
            at += 1
            continue
        part, at = _part(pattern, at)
        if quantifier := _QUANTIFIER.match(pattern, at):
            at = quantifier.end()
            is_optional = quantifier[0][0] in "?*" or quantifier[1] in ("", "0")
            alternatives[-1] += _repeated(part, is_optional, once=quantifier[0][0] == "?")
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
    perhaps = _Group(part.alternatives if isinstance(part, _Group) else ((part,),), is_optional=True)
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
        return _Group(alternatives), end + 1
    if sign == "[":
        end = pattern.index("]", at + 2)
        inside = pattern[at + 1 : end]
        is_sign = not inside.startswith("^") and not re.search(r"\w|\\[wWdD]", inside.replace(r"\s", " "))
        return " " if is_sign else _GAP, end + 1
    if sign == "\\":
        letter = pattern[at + 1]
        return {"b": _EDGE, "s": " "}.get(letter, _GAP if letter.isalnum() else letter), at + 2
    return _EDGE if sign in "^$" else _GAP if sign == "." else sign, at + 1


def _closing(pattern: str, at: int) -> int:
    """Where the parenthesis that was opened before this place is closed."""
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
