"""Two texts in, how much they have in common out, and whether they say the same.

Likeness finds candidates; it never decides. "Port 8080" and "port 9090", "use tabs" and "do not use tabs", "Ana manages
Bo" and "Bo manages Ana" are alike and mean different things, and a false merge loses a fact while a missed one only
takes room. So a twin is a text that adds nothing: no telling word that the other lacks, in another order, or denied.
"""

import re
from collections.abc import Sequence

from reverie.language.words import words

# Words that say no.
_DENIAL = re.compile(
    r"\b(?:not|no|never|none|nor|without|avoid|stop|cannot|neither|refuse|nicht|kein\w*|nie|niemals|ohne|nunca|jamás|"
    r"sin|"
    r"jamais|sans|pas|não|nunca|non|mai)\b|n[’']t\b|不|没|勿",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
# The words that hold a sentence together, as stems.
GRAMMAR = frozenset(
    words(
        "a an the and or of to in on at for with by from about as is are was were be been being do does did has have "
        "had what "
        "which who whom when where why how that this these those it its he she they his her their him them i you"
    )
)
# Words that change nothing: who says it, how politely, how surely.
_EMPTY = GRAMMAR | frozenset(
    words(
        "please just really very quite also too now still currently here there so then well actually basically "
        "simply we "
        "our my your us me user person team will would should can could may might must shall not no never does than if "
        "but over into always ever only again all any some such same own prefer prefers want wants like likes"
    )
)


def telling_words(text: str) -> list[str]:
    """The words that carry content, as stems, each once, in order.

    >>> telling_words("Please always run the tests with pytest")
    ['run', 'test', 'pytest']
    """
    found = list(dict.fromkeys(words(text)))
    return [word for word in found if word not in _EMPTY] or found


def likeness(a: str, b: str) -> float:
    """The share of telling words that two texts have in common: 1 is the same, 0 is nothing.

    >>> likeness("The staging port is 8080", "staging port: 8080"), likeness("I like tea", "Deploy on Friday")
    (1.0, 0.0)
    """
    left, right = set(telling_words(a)), set(telling_words(b))
    if not left or not right:
        return float(a.strip() == b.strip())
    return round(2 * len(left & right) / (len(left) + len(right)), 4)


def adds_nothing(new: str, known: str) -> bool:
    """Whether a text says nothing that another has not said: same words, same order, same numbers, same denials.

    >>> adds_nothing("the port is 8080", "The staging port is 8080"), adds_nothing("use tabs", "do not use tabs")
    (True, False)
    >>> adds_nothing("tabs instead of spaces", "spaces instead of tabs")
    False
    """
    telling, others = telling_words(new), telling_words(known)
    if not set(telling) <= set(others) or _numbers(new) - _numbers(known) or _denials(new) != _denials(known):
        return False
    return [word for word in others if word in set(telling)] == telling


def _numbers(text: str) -> set[str]:
    return set(_NUMBER.findall(text))


def _denials(text: str) -> Sequence[str]:
    return len(_DENIAL.findall(text)) * "-"
