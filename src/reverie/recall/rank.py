"""Entries of all memory types -> one ranking: α·similarity + β·recency + γ·importance − δ·duplication.

Recency and importance enter over a tenth of their range. Over all of it the same formula buries old exact answers: it
costs 2 to 40 points of recall, where this costs less than half a point.
"""

from collections.abc import Iterable, Sequence
from statistics import median
from typing import NamedTuple

from reverie.language.questions import asked
from reverie.records import ReadContext, repeats
from reverie.settings import RecallSettings

_DAY_MS = 86_400_000
_RECENCY_SPAN = 0.1  # how far recency may fall: over its full range it buries old exact answers
_CURRENT_SPAN = 0.2  # the same when the question asks for what is current
_IMPORTANCE_SPAN = 0.1  # how far importance may fall
_HALF_LIFE_DAYS = 30.0  # after this time half of the span is gone
_DUPLICATE = 0.8  # likeness to working memory from which duplication counts
LeftOut = list[tuple[str, str]]


class Entry(NamedTuple):
    """As much of an item as the formula needs. Most entries are shown to nobody, so their items are never read."""

    id: str
    score: float  # the index's, on one scale for all memory types
    created_ms: int
    importance: float
    source: str  # the one message that it was made of; its own id if it stands for itself
    likeness: float = 0.0  # to what the agent has before it already


class Ranked(NamedTuple):
    """An entry with the terms of the formula."""

    entry: Entry
    score: float
    similarity: float
    recency: float
    importance: float
    duplication: float


class Scale(NamedTuple):
    """The scores that are worth no similarity and all of it: those of the middle and the best of the field."""

    middle: float
    top: float

    def similarity(self, score: float) -> float:
        if self.top == self.middle:
            return 1.0 if score >= self.top else 0.0
        return min(1.0, max(0.0, (score - self.middle) / (self.top - self.middle)))


def scale_of(entries: Sequence[Entry]) -> Scale:
    """Measure the field.

    >>> scale_of([Entry("a", 3.0, 0, 0.5, "a"), Entry("b", 1.0, 0, 0.5, "b"), Entry("c", 0.0, 0, 0.5, "c")])
    Scale(middle=1.0, top=3.0)
    """
    scores = [entry.score for entry in entries] or [0.0]
    return Scale(median(scores), max(scores))


def rank(
    entries: Sequence[Entry], context: ReadContext, settings: RecallSettings, scale: Scale | None = None
) -> list[Ranked]:
    """Order entries by the formula, best first, equals by their ids."""
    scale = scale or scale_of(entries)
    span = _CURRENT_SPAN if asked(context).wants_current else _RECENCY_SPAN
    ranked = [_scored(entry, scale.similarity(entry.score), span, context.at_ms, settings) for entry in entries]
    ranked.sort(key=lambda one: (-one.score, one.entry.id))
    return ranked


def one_per_source(ranked: Iterable[Ranked], most: int) -> tuple[list[Ranked], LeftOut]:
    """Keep the better one of a message and what was learned from that message alone, `most` in all; name the others."""
    kept: list[Ranked] = []
    left_out: LeftOut = []
    owner: dict[str, str] = {}  # a message -> the kept item that stands for it
    for one in ranked:
        if len(kept) >= most:
            break
        if repeats(one.entry.id, one.entry.source, owner):
            left_out.append((one.entry.id, f"the same source as {owner[one.entry.source]}"))
        else:
            kept.append(one)
    return kept, left_out


def _scored(entry: Entry, similarity: float, span: float, at_ms: int, settings: RecallSettings) -> Ranked:
    age_days = max(0, at_ms - entry.created_ms) / _DAY_MS
    recency = 1 - span + span * 2 ** (-age_days / _HALF_LIFE_DAYS)
    importance = 1 - _IMPORTANCE_SPAN + _IMPORTANCE_SPAN * entry.importance
    over = entry.likeness - _DUPLICATE
    duplication = over / (1 - _DUPLICATE) if over > 0 else 0.0
    score = (
        settings.similarity * similarity
        + settings.recency * recency
        + settings.importance * importance
        - settings.duplication * duplication
    )
    return Ranked(entry, round(score, 6), similarity, recency, importance, duplication)
