"""Two texts in, how much they have in common out, and whether they say the same.

Likeness finds candidates; it never decides. "Port 8080" and "port 9090", "use tabs" and "do not use tabs", "Ana manages
Bo" and "Bo manages Ana" are alike and mean different things, and a false merge loses a fact while a missed one only
takes room. So a twin is a text that adds nothing: no telling word that the other lacks, in another order, or denied.
"""

from reverie.language.distinctions import EMPTY, denials, directions, numbers
from reverie.language.words import words

# Nor does it change anything who says it, how politely and how surely.
_EMPTY = EMPTY | frozenset(
    words(
        "actually always basically currently ever may might must never person please prefer prefers quite shall simply "
        "still team user want wants likes"
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
    """Whether a text says nothing that another has not said: same words and order, numbers, denials, directions.

    >>> adds_nothing("the port is 8080", "The staging port is 8080"), adds_nothing("use tabs", "do not use tabs")
    (True, False)
    >>> adds_nothing("tabs instead of spaces", "spaces instead of tabs")
    False
    """
    telling, others = telling_words(new), telling_words(known)
    if not set(telling) <= set(others) or not numbers(new) <= numbers(known):
        return False
    if denials(new) != denials(known) or directions(new) != directions(known):
        return False
    return [word for word in others if word in set(telling)] == telling
