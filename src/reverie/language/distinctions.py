"""Tell texts apart that share their words: by numbers, denials and directions; and list words that say nothing.

Whoever compares texts by their words leaves out the empty ones, and looks at the rest of this: "port 8080" and "port
9090", "everybody deploys" and "nobody deploys", "run it before" and "run it after" are alike and no repeats.
"""

import re
from typing import NamedTuple

from reverie.language.words import GRAMMAR, words

# Words that change nothing, as stems. Each room adds those that say nothing where it looks.
EMPTY = GRAMMAR | frozenset(
    words(
        "again all also any but can could here if into just like me my no not now only our over own really same should "
        "so some such than then there too us very we well will would your"
    )
)

_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
# Words that say no, or take out what they stand with. A twin that is missed only takes room, so rather too many.
_DENIAL = re.compile(
    r"\b(?:"
    # English, also with the apostrophe left out.
    r"not|no|never|none|nobody|nothing|nowhere|neither|nor|without|cannot|unable|unlike|unless|except|excluding|"
    r"hardly|barely|scarcely|rarely|seldom|stop(?:s|ped|ping)?|avoid(?:s|ed|ing)?|refus(?:e|es|ed|ing)|"
    r"forb[ia]d(?:s|den)?|prohibit(?:s|ed)?|reject(?:s|ed)?|lacks?|"
    r"dis(?:lik|abl|allow|agre|approv|continu|courag|regard|trust)\w*|"
    r"(?:do|does|did|is|are|was|were|ca|wo|would|should|could|must|need|have|has|had|ai)nt|"
    # German. A capital "Mai" is the month, and not the Italian "never" below.
    r"nicht|nichts|nie|niemals|niemand(?:en|em|es)?|nirgend(?:s|wo)|kein\w*|ohne|weder|nein|außer|kaum|selten|"
    r"vermeide\w*|verboten|untersagt|"
    # Spanish, French, Portuguese, Italian.
    r"nunca|jamás|sin|nadie|nada|ning[uú]n\w*|tampoco|jamais|sans|pas|rien|aucune?|não|ninguém|nenhuma?|sem|"
    r"non|(?-i:mai)|nessun\w*|niente|senza"
    r")\b|n[’']t\b|不|没|沒|無|无|勿|ない|ません|안 |없|않",
    re.IGNORECASE,
)
# Which of two it is. Most of their opposites ("on", "in") are words that say nothing.
_DIRECTION = re.compile(r"\b(?:off|out|up|down|before|after|over|under|more|less|fewer|most|least)\b", re.IGNORECASE)


def numbers(text: str) -> frozenset[str]:
    """Figures, dates and times, as they are written.

    >>> sorted(numbers("at 14:30 on 2026-05-03, 12 people"))
    ['12', '14:30', '2026-05-03']
    """
    return frozenset(_NUMBER.findall(text))


def denials(text: str) -> int:
    """Count the words that turn the meaning round.

    >>> denials("Nobody deploys without approval"), denials("Ana deploys")
    (2, 0)
    """
    return len(_DENIAL.findall(text))


def directions(text: str) -> tuple[str, ...]:
    """The words that say which way, in order.

    >>> directions("Turn it off before the deploy"), directions("Turn it on")
    (('off', 'before'), ())
    """
    return tuple(_DIRECTION.findall(text.lower()))


class Points(NamedTuple):
    """The points of a text that must be equal in a repeat of it, however alike two texts are."""

    numbers: frozenset[str]
    denials: int
    directions: tuple[str, ...]


def points(text: str) -> Points:
    """The numbers, denials and directions of a text.

    >>> points("Deploy to port 8080") == points("deploy to port 9090"), points("Use tabs") == points("use tabs!")
    (False, True)
    """
    return Points(numbers(text), denials(text), directions(text))
