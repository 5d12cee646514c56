"""Many lists of phrases, looked for in a text quickly.

A list of phrases is one regular expression, and to try eighty of them on every sentence would take milliseconds. But a
phrase needs its words: without "we" and one of "use", "run" or "deploy" in the sentence there is no "we deploy". So it
is found out from its expression which words a list cannot do without, and it is tried only where they are. Even there
most lists have no phrase, so RE2 looks first, for a looser pattern; and where it finds none of those that a rule starts
with (`narrowed`), nothing more is asked of that sentence. (RE2 with all lists at once was tried and left:
fast on a text it has seen, but each new combination of matches is a new state of its automaton, and on fresh text it
took five milliseconds a message.)
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from string import digits
from typing import Final, NamedTuple, TypeAlias

import re2


class LowerText(NamedTuple):
    """A text in small letters, and the lists that may have a phrase in it, as the bits of a number."""

    text: str
    seen: int = 0


class Phrases:
    """A list of phrases, as one pattern. One without a bit of its own is tried on every text.

    Compiled when it is first needed: most runs need few of them.
    """

    def __init__(self, pattern: str, bit: int = 0) -> None:
        self.pattern = pattern
        self.bit = bit

    @cached_property
    def exact(self) -> re.Pattern[str]:
        """The pattern itself."""
        return re.compile(self.pattern)

    @cached_property
    def loose(self) -> Callable[[bytes], object]:
        """Return a quick search that finds all that the pattern allows, and more. For `is_common` texts only."""
        return quick(loosened(self.pattern))

    def search(self, plain: LowerText) -> re.Match[str] | None:
        """Find one of the phrases in a text."""
        return self.exact.search(plain.text) if self._may_be_in(plain) else None

    def match(self, plain: LowerText) -> re.Match[str] | None:
        """The same, at the start of the text."""
        return self.exact.match(plain.text) if not self.bit or self.bit & plain.seen else None

    def _may_be_in(self, plain: LowerText) -> bool:
        if self.bit and not self.bit & plain.seen:
            return False
        return not is_common(plain.text) or bool(self.loose(plain.text.encode()))


def is_common(text: str) -> bool:
    """Whether `re` and RE2 agree on what a letter, or a space, is in this text."""
    return text.isascii() and text.isprintable()


def quick(pattern: str) -> Callable[[bytes], object]:
    """Tells by RE2 whether a text has a pattern. A set of one: a set does not look for the place.

    The text is read byte by byte, for which a smaller automaton will do; what is not ASCII in a pattern is not found.

    >>> [bool(quick("no…? ?way")(text)) for text in ("no way".encode(), "no… way".encode())]
    [True, False]
    """
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    found = re2.Set.SearchSet(options)
    found.Add(_NOT_ASCII.sub(_NO_BYTE, pattern).encode("latin-1"))
    found.Compile()
    # The set inside, where it has one: without the wrapper a short text takes 0.6 µs instead of 0.85.
    match: Callable[[bytes], object] = getattr(found, "_set", found).Match
    return match


_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_NO_BYTE = "\xff"  # that no text in UTF-8 has


def bits(*lists: Phrases) -> int:
    """The bits of some lists, to be compared with what was seen."""
    return sum(one.bit for one in lists)


def words(text: str) -> frozenset[str]:
    """A list of words, for those that are only looked up."""
    return frozenset(text.split())


_TOKEN = re.compile(r"[^\W_]+")
_KEY = 4  # letters of a word that count, so that "prefer" also stands for "prefers"
_BEGINNING = re.compile(rf"([^\W_]{{1,{_KEY}}})[^\W_]*")
# The same, for plain ASCII: what is no word becomes a space.
_ONLY_WORDS = bytes(place if chr(place).isalnum() else 32 for place in range(128)).ljust(256)
_DIGIT = "0"  # stands for every word that begins with a digit
_HAS_DIGIT = re.compile(r"\d")


class PhraseBook:
    """Lists of phrases, and the groups of words that they need: of each group one, all groups of some phrase.

    What they need is found out when the first text is read: not every program that can distil does.
    """

    def __init__(self) -> None:
        self._lists: list[Phrases] = []
        self._read = 0  # so many of the lists have their words in the tables below
        self._free = 0  # the lists with a phrase of which no word is certain
        self._bits: dict[frozenset[str], int] = {}  # of the groups, above those of the lists
        # By the beginning of a word: the bits of its groups, and of the lists with a phrase that needs no more than it;
        # and the phrases whose rarest group it is in, with what else they need and the bit of their list.
        self._words: dict[str, tuple[int, list[tuple[int, int]]]] = {}

    def add(self, pattern: str) -> Phrases:
        """A new list of phrases."""
        self._lists.append(Phrases(pattern, 1 << len(self._lists)))
        return self._lists[-1]

    def read(self, text: str) -> LowerText:
        """A text with what may be in it; what is left out certainly is not."""
        if self._read < len(self._lists):
            self._take_in()
        is_plain = text.isascii()
        said = text.encode().translate(_ONLY_WORDS).decode().split() if is_plain else _BEGINNING.findall(text)
        if any(map(text.__contains__, digits)) if is_plain else _HAS_DIGIT.search(text):
            said.append(_DIGIT)
        seen = self._free
        phrases: list[tuple[int, int]] = []
        for of_word, together in filter(None, map(self._words.get, {word[:_KEY] for word in said})):
            seen |= of_word
            phrases += together
        for needed, bit in phrases:
            if seen & needed == needed:
                seen |= bit
        return LowerText(text, seen & ((1 << self._read) - 1))

    def narrowed(self, plain: LowerText, among: int) -> LowerText:
        """The same text, without those of some lists that RE2 does not find in it."""
        asked = plain.seen & among
        if not asked or not is_common(plain.text):
            return plain
        text, seen = plain.text.encode(), plain.seen
        while asked:
            number = asked.bit_length() - 1
            asked ^= 1 << number
            if not self._lists[number].loose(text):
                seen ^= 1 << number
        return LowerText(plain.text, seen)

    def _take_in(self) -> None:
        """Find out what the lists need."""
        self._bits.clear()
        self._words.clear()
        for phrases in self._lists:
            for groups in needed_words(phrases.pattern):
                if not groups:
                    self._free |= phrases.bit
                elif len(groups) == 1:
                    self._give(phrases.bit, groups[0])
                else:
                    needed = sum(map(self._bit, groups[1:]))  # a word of the first group leads here
                    for word in groups[0]:
                        self._words.setdefault(word, (0, []))[1].append((needed, phrases.bit))
        self._read = len(self._lists)
        for known in (_group, _group_of, _is_edge_of, _keys, _cost):
            known.cache_clear()

    def _bit(self, group: frozenset[str]) -> int:
        if group not in self._bits:
            self._bits[group] = 1 << len(self._lists) + len(self._bits)
            self._give(self._bits[group], group)
        return self._bits[group]

    def _give(self, bit: int, group: frozenset[str]) -> None:
        for word in group:
            of_word, together = self._words.get(word, (0, []))
            self._words[word] = of_word | bit, together


# ---- which words a pattern cannot do without


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
    for token in _TOKEN.finditer(text):
        is_begun = token.start() > 0 or starts
        is_whole = token.end() < len(text) or ends
        if is_begun and (is_whole or len(token[0]) >= _KEY or token[0][0] == _DIGIT):
            keys.append(frozenset((token[0][:_KEY],)))
    return keys


def _endings(after: _Group, is_edge: bool) -> list[str]:
    """Return the endings that a short word may have, such as the "s" of "runs?", if it certainly ends there."""
    if not is_edge or not after.is_optional or after is _GAP:
        return []
    endings = ["".join(part for part in one if isinstance(part, str)) for one in after.alternatives]
    is_simple = all(len(one) == 1 for one in after.alternatives) and all(map(str.isalnum, endings))
    return endings if is_simple else []


def _with_endings(text: str, starts: bool, endings: list[str]) -> Iterator[frozenset[str]]:
    last = _TOKEN.findall(text)[-1:] if text[-1].isalnum() else []
    for word in last:
        if len(word) < _KEY and (starts or len(word) < len(text)):
            yield frozenset([word, *((word + ending)[:_KEY] for ending in endings)])


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
        return {"b": _EDGE, "s": " ", "d": _DIGIT}.get(letter, _GAP if letter.isalnum() else letter), at + 2
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
