"""Many lists of phrases, looked for in a text at once.

Python's regular expressions can look around, but they try one alternative after the other; RE2 follows all of them in one
pass, but cannot look around. So a list exists twice: for RE2 without its looking around and its counting, which can only
find more, and exactly, for the few texts in which RE2 found something. A sentence without any of seventy lists costs two
microseconds instead of half a millisecond.
"""

import re
from dataclasses import dataclass
from typing import Any

import re2

# RE2 builds its automaton as it reads. This is room for all that 100,000 messages make of it, several times over; when it
# is full, RE2 starts again with an empty one.
_AUTOMATON_BYTES = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Plain:
    """A text in small letters, and the numbers of the lists that may have a phrase in it."""

    text: str
    seen: frozenset[int] = frozenset()


class Phrases:
    """A list of phrases, as one pattern."""

    __slots__ = ("_exact", "_number", "_pattern")

    def __init__(self, pattern: str, number: int) -> None:
        self._pattern = pattern
        self._number = number
        self._exact: re.Pattern[str] | None = None

    @property
    def exact(self) -> re.Pattern[str]:
        """The pattern itself, compiled when it is first needed: most runs need few of them."""
        if self._exact is None:
            self._exact = re.compile(self._pattern)
        return self._exact

    def search(self, plain: Plain) -> re.Match[str] | None:
        """Where one of the phrases is in a text."""
        return self.exact.search(plain.text) if self._number in plain.seen else None

    def match(self, plain: Plain) -> re.Match[str] | None:
        """The same, at the start of the text."""
        return self.exact.match(plain.text) if self._number in plain.seen else None


class PhraseBook:
    """Lists of phrases that are looked for together."""

    def __init__(self) -> None:
        options = re2.Options()
        options.max_mem = _AUTOMATON_BYTES
        self._set: Any = re2.Set.SearchSet(options)
        self._size = 0
        self._is_compiled = False

    def add(self, pattern: str) -> Phrases:
        number: int = self._set.Add(without_looking_around(pattern))
        return Phrases(pattern, number)

    def read(self, text: str) -> Plain:
        """A text with what may be in it; what is left out certainly is not."""
        if not self._is_compiled:
            self._set.Compile()
            self._is_compiled = True
        return Plain(text, frozenset(self._set.Match(text.encode("utf-8", "replace")) or ()))


_LOOKAROUND = re.compile(r"\(\?<?[=!]")
_COUNTED = re.compile(r"\{\d*,\d\d+\}")
# RE2 knows only ASCII letters. Everything else counts as a letter, a digit and a space too.
_WIDER = {"w": r"\w\x{80}-\x{10ffff}", "s": r"\s\x{80}-\x{10ffff}", "d": r"\d\x{80}-\x{10ffff}"}


def without_looking_around(pattern: str) -> str:
    """A pattern for RE2 that finds whatever the given one finds, and perhaps more.

    >>> without_looking_around(r"(?<!not )always(?! the (?:same|last))\\b.{0,40}end")
    'always.*end'
    """
    kept: list[str] = []
    at = 0
    while at < len(pattern):
        if look := _LOOKAROUND.match(pattern, at):
            at = _closing(pattern, look.end()) + 1
        elif counted := _COUNTED.match(pattern, at):
            kept.append("*")
            at = counted.end()
        elif pattern[at] == "[":
            end = pattern.index("]", at + 2)
            kept.append(_wider_class(pattern[at : end + 1]))
            at = end + 1
        elif pattern[at] == "\\":
            letter = pattern[at + 1]
            kept.append("" if letter == "b" else f"[{_WIDER[letter]}]" if letter in _WIDER else "\\" + letter)
            at += 2
        else:
            kept.append(pattern[at])
            at += 1
    return "".join(kept)


def _wider_class(text: str) -> str:
    if text.startswith("[^"):  # of a complement, less is more: it keeps its ASCII meaning
        return text
    return re.sub(r"\\([wsd])", lambda found: _WIDER[found[1]], text)


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
