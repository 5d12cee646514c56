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
from collections.abc import Callable
from functools import cached_property
from string import digits
from typing import NamedTuple

import re2

from reverie.distil.rules.needed_words import DIGIT, KEY, forget, loosened, needed_words


class LowerText(NamedTuple):
    """A text in small letters, and the lists that may have a phrase in it, as the bits of a number."""

    text: str
    seen: int = 0


class Phrases:
    """A list of phrases, as one pattern. One without a bit of its own is tried on every text.

    Compiled when it is first needed: most runs need few of them.
    """

    def __init__(self, make: Callable[[], str], bit: int = 0) -> None:
        self._make = make
        self.bit = bit

    @cached_property
    def pattern(self) -> str:
        """The phrases as one regular expression."""
        return self._make()

    @cached_property
    def exact(self) -> re.Pattern[str]:
        """The pattern itself."""
        return re.compile(self.pattern)

    @cached_property
    def loose(self) -> Callable[[bytes], object]:
        """Return a quick search that finds all that the pattern allows, and more. For `is_common` texts only."""
        return quick(loosened(self.pattern))

    def search(self, plain: LowerText | str) -> re.Match[str] | None:
        """Find one of the phrases in a text. A text of which nothing is known is looked through at once."""
        if isinstance(plain, str):
            return self.exact.search(plain)
        return self.exact.search(plain.text) if self._may_be_in(plain) else None

    def match(self, plain: LowerText | str) -> re.Match[str] | None:
        """The same, at the start of the text."""
        if isinstance(plain, str):
            return self.exact.match(plain)
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


_BEGINNING = re.compile(rf"([^\W_]{{1,{KEY}}})[^\W_]*")
# The same, for plain ASCII: what is no word becomes a space.
_ONLY_WORDS = bytes(place if chr(place).isalnum() else 32 for place in range(128)).ljust(256)
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

    def add(self, make: Callable[[], str]) -> Phrases:
        """A new list of phrases."""
        self._lists.append(Phrases(make, 1 << len(self._lists)))
        return self._lists[-1]

    def read(self, text: str) -> LowerText:
        """A text with what may be in it; what is left out certainly is not."""
        if self._read < len(self._lists):
            self._take_in()
        is_plain = text.isascii()
        said = text.encode().translate(_ONLY_WORDS).decode().split() if is_plain else _BEGINNING.findall(text)
        if any(map(text.__contains__, digits)) if is_plain else _HAS_DIGIT.search(text):
            said.append(DIGIT)
        seen = self._free
        phrases: list[tuple[int, int]] = []
        for of_word, together in filter(None, map(self._words.get, {word[:KEY] for word in said})):
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
        forget()

    def _bit(self, group: frozenset[str]) -> int:
        if group not in self._bits:
            self._bits[group] = 1 << len(self._lists) + len(self._bits)
            self._give(self._bits[group], group)
        return self._bits[group]

    def _give(self, bit: int, group: frozenset[str]) -> None:
        for word in group:
            of_word, together = self._words.get(word, (0, []))
            self._words[word] = of_word | bit, together
