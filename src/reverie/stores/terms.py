"""Text -> what it is about: content words by their stems, names, numbers, negations. Pure and without a dictionary.

Languages without spaces give pairs of characters instead of words.
"""

import re

from reverie.language.words import words

_FUNCTION_WORDS = frozenset(
    words(
        "a about after again all also am an and any are as at be because been before being but by can could did do "
        "does doing don down for from get go going got had has have having he her here hers him his how i if in into "
        "is it its just let like ll me more most my no nor not now of off on one only or other our out over own re "
        "really s same she should so some such t than that the their them then there these they thing this those "
        "through to too up us ve very was we well were what when where which while who whom why will with would you "
        "your yours m d"
    )
)
# The lengths are bounded because a megabyte of dashes is a text too, and must not take a minute.
_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_NAME = re.compile(r"(?<![\w/.])(?:[A-Z][\w&-]{0,40}?[a-z\d][\w&-]{0,40}|[A-Z]{2,40}\d{0,9})(?!\w)")
_FILE = re.compile(
    r"(?<!\w)(?:(?:~|\.{1,2})?/?(?:[\w.-]{1,60}/){1,20}[\w.-]{1,60}|[\w-]{1,60}\.(?:[a-z]\w{0,4}))(?!\w)"
)
_IDENTIFIER = re.compile(r"\b(?:[a-z\d]+_[a-z\d_]+|[a-z]+[A-Z]\w+|\w+\(\))")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;\n]\s*|[\"“(*-]\s*)(?=[A-Z])")
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|stop(?:ped|s)?|avoid|un(?:able|like)|dis\w+|"
    r"nicht|kein\w*|nie|pas|jamais|sin|nunca)\b|n['’]t\b|不|没|沒|無|ない|안 |없",
    re.IGNORECASE,
)
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
    return [word for word in words(text) if word not in _FUNCTION_WORDS and (len(word) > 1 or word.isascii())]


def numbers(text: str) -> frozenset[str]:
    """Figures, dates and times, as they are written.

    >>> sorted(numbers("at 14:30 on 2026-05-03, 12 people"))
    ['12', '14:30', '2026-05-03']
    """
    return frozenset(_NUMBER.findall(text))


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
    """What a text names: people, places, products, files, identifiers; in small letters."""
    return frozenset(word.lower() for word in names(text) | files(text))


def negations(text: str) -> int:
    """How many words turn the meaning round."""
    return len(_NEGATION.findall(text))
