"""Whether a text mentions what somebody named: whole words, in any order and case, in every script.

Forgetting goes by this rule everywhere, for memories as for what lies beside them, so that nothing is missed in one
place and nothing too much is taken in another.
"""

import json
from collections.abc import Iterator
from typing import Any
from unicodedata import category, normalize

# Scripts that put no spaces between words, from and to: there, part of a run of letters is a word.
_UNSPACED = (
    ("\u0e00", "\u0eff"),
    ("\u1000", "\u109f"),
    ("\u1780", "\u17ff"),
    ("\u2e80", "\u9fff"),
    ("\uac00", "\ud7af"),
    ("\uf900", "\ufaff"),
)


def says(text: str, words: str) -> bool:
    """Whether a text has all of these words. Signs only, such as an emoji, are looked for as they stand.

    >>> says("The staging password is kept by Ana.", "ana PASSWORD"), says("Banana", "ana"), says("НАТАЛЬЯ!", "Наталья")
    (True, False, True)
    """
    haystack = _folded(text)
    wanted = _words(_folded(words))
    if not wanted:
        return _folded(words) in haystack
    return all(_has(haystack, word) for word in wanted)


def spoken(told: str) -> str:
    """Return the values in JSON, a line each, without escapes. Keys are names that we or tools gave.

    >>> spoken('{"query": "zo\\\\u00eb", "limit": [5, "x"]}')
    'zoë\\n5\\nx'
    """
    try:
        return "\n".join(_texts(json.loads(told)))
    except ValueError:  # it was no JSON: then it is taken as it stands
        return told


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def _folded(text: str) -> str:
    """Text in which what a person would call the same letters are the same."""
    return text.casefold() if text.isascii() else normalize("NFKC", normalize("NFKC", text).casefold())


def _words(text: str) -> list[str]:
    return "".join(sign if _joins(sign) else " " for sign in text).split()


def _has(haystack: str, word: str) -> bool:
    if any(first <= sign <= last for sign in word for first, last in _UNSPACED):
        return word in haystack
    at = haystack.find(word)
    while at >= 0:
        end = at + len(word)
        if not (at and _joins(haystack[at - 1])) and not (end < len(haystack) and _joins(haystack[end])):
            return True
        at = haystack.find(word, at + 1)
    return False


def _joins(sign: str) -> bool:
    """Whether a sign belongs to the word beside it: letters, digits, and the marks that stand on letters."""
    return sign.isalnum() or sign == "_" or (not sign.isascii() and category(sign)[0] == "M")
