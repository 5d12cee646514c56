"""Two texts -> how much they say the same, by their words: 1 is the same words as often, 0 none in common.

Where one of two that are much alike denies what the other says, or has another number, they have nothing in common.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import sqrt

from reverie.language.distinctions import points
from reverie.language.words import words
from reverie.records import MemoryItem

_ALIKE = 0.7  # from here on a text may be taken for a repeat, and is worth a closer look


class Likeness:
    """Compares items with a few others that were counted beforehand."""

    def __init__(self, others: Sequence[MemoryItem]) -> None:
        self._others = [(other, Counter(words(other.text))) for other in others]
        self._lengths = [_length(counts) for _, counts in self._others]

    def __bool__(self) -> bool:
        return bool(self._others)

    def most(self, item: MemoryItem) -> float:
        """The likeness to the one that resembles it most. An item is like itself, whatever its text."""
        if any(item.id == other.id for other, _ in self._others):
            return 1.0
        counts = Counter(words(item.text))
        length = _length(counts)
        most = 0.0
        for (other, others), others_length in zip(self._others, self._lengths, strict=True):
            alike = _cosine(counts, length, others, others_length)
            if alike > most and (alike < _ALIKE or points(item.text) == points(other.text)):
                most = alike
        return most


def _length(counts: Mapping[str, int]) -> float:
    return sqrt(sum(count * count for count in counts.values()))


def _cosine(counts: Mapping[str, int], length: float, others: Mapping[str, int], others_length: float) -> float:
    if not length or not others_length:
        return 0.0
    shared = sum(count * others[word] for word, count in counts.items() if word in others)
    return shared / (length * others_length)
