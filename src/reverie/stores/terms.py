"""Text -> what it is about: content words by their stems, names, files. Pure and without a dictionary.

Languages without spaces give pairs of characters instead of words.
"""

import re

from reverie.language.distinctions import EMPTY
from reverie.language.words import words

# What also says nothing in a conversation: how it goes on, and what is left of "don't" and "I'm".
_EMPTY = EMPTY | frozenset(
    words(
        "after am because before d doing don down get go going got having hers let ll m more most nor off one other "
        "out re s t thing through up ve while yours"
    )
)
# The lengths are bounded because a megabyte of dashes is a text too, and must not take a minute.
_NAME = re.compile(r"(?<![\w/.])(?:[A-Z][\w&-]{0,40}?[a-z\d][\w&-]{0,40}|[A-Z]{2,40}\d{0,9})(?!\w)")
_FILE = re.compile(
    r"(?<!\w)(?:(?:~|\.{1,2})?/?(?:[\w.-]{1,60}/){1,20}[\w.-]{1,60}|[\w-]{1,60}\.(?:[a-z]\w{0,4}))(?!\w)"
)
_IDENTIFIER = re.compile(r"\b(?:[a-z\d]+_[a-z\d_]+|[a-z]+[A-Z]\w+|\w+\(\))")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;\n]\s*|[\"“(*-]\s*)(?=[A-Z])")
_NOT_NAMES = frozenset(
    words(
        "i hey hi hello yes yeah no ok okay thanks thank wow cool oh that the this it we you he she they what when "
        "where who why how and but so if in on at my your our let please sure great good nice well also not do did can "
        "could would should will is are was were have has just then there here now sounds looks sorry congrats todo"
    )
)


def stems(text: str) -> list[str]:
    """The content words of a text, in order, each by its stem.

    >>> stems("She was booking the flights to Oslo")
    ['book', 'flight', 'oslo']
    >>> stems("会议改到")
    ['会议', '议改', '改到']
    """
    return [word for word in words(text) if word not in _EMPTY and (len(word) > 1 or word.isascii())]


def names(text: str) -> frozenset[str]:
    """Words that are written like names. The first word of a sentence counts only if it is a name elsewhere too.

    >>> sorted(names("Yesterday Ana met Ben at Oslo Central."))
    ['Ana', 'Ben', 'Central', 'Oslo']
    """
    starts = {match.end() for match in _SENTENCE_START.finditer(text)}
    found = [(match.start() in starts, match.group()) for match in _NAME.finditer(text)]
    sure = {word for at_start, word in found if not at_start or not word[1:].islower()}
    return frozenset(word for word in sure if words(word)[:1] != [] and words(word)[0] not in _NOT_NAMES)


def files(text: str) -> frozenset[str]:
    """File names, paths and identifiers of code."""
    return frozenset(_FILE.findall(text)) | frozenset(_IDENTIFIER.findall(text))


def entities(text: str) -> frozenset[str]:
    """Return the names in a text: people, places, products, files, identifiers; in small letters."""
    return frozenset(word.lower() for word in names(text) | files(text))
