"""Learnings of a model -> those that say something that the rules have not found already."""

from collections.abc import Sequence

from reverie.distil.source_trust import stems
from reverie.records import Learning

# Share of a learning's words that another one must have for both to say the same. A model rewords what a rule quotes,
# and a lower bar would drop "runs the tests with pytest -x" for "runs the tests with pytest".
_SAME = 0.7


def only_new(known: Sequence[Learning], found: Sequence[Learning]) -> list[Learning]:
    """Those of `found` that repeat nothing of `known`, in their order."""
    return [learning for learning in found if not any(_same(learning, other) for other in known)]


def _same(one: Learning, other: Learning) -> bool:
    if one.type is not other.type:
        return False
    if one.subject and one.subject == other.subject:
        return True
    words, others = stems(one.text), stems(other.text)
    return len(words & others) >= _SAME * max(1, min(len(words), len(others)))
