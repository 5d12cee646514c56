"""Candidates of all memory types -> one ranking: α·similarity + β·recency + γ·importance − δ·duplication.

Recency and importance enter over a tenth of their range. Over all of it the same formula buries old exact answers: it
costs 2 to 40 points of recall, where this costs less than half a point.
"""

from collections.abc import Iterable, Sequence
from statistics import median
from typing import NamedTuple

from reverie.language.asking import asked
from reverie.recall.likeness import Likeness
from reverie.records import WORKING, Candidate, MemoryItem, ReadContext, Recalled, repeats
from reverie.settings import RecallSettings

_DAY_MS = 86_400_000
LeftOut = list[tuple[str, str]]


class Outline(NamedTuple):
    """As much of a candidate as the formula needs."""

    id: str
    score: float
    created_ms: int
    importance: float
    source: str  # the one message that it was made of; its own id if it stands for itself


class Standing(NamedTuple):
    """Where an outline came in: which it is, and the formula's terms."""

    place: int
    score: float
    similarity: float
    recency: float
    importance: float
    duplication: float


def rank(
    candidates: Sequence[Candidate], context: ReadContext, working: Sequence[MemoryItem], settings: RecallSettings
) -> tuple[list[Recalled], LeftOut]:
    """The candidates, best first, ties in the order of ids; and those left out as repeats, with the reason.

    `working` is what the agent has before it already: what only repeats it is not worth room.
    """
    best = _best_of_each(candidates)
    similarities = _similarities([candidate.score for candidate in best])
    span = _recency_span(context, settings)
    known = Likeness(working)
    ranked: list[Recalled] = []
    left_out: LeftOut = []
    for candidate, similarity in zip(best, similarities, strict=True):
        item = candidate.item
        likeness = known.most(item) if known and item.store != WORKING else 0.0
        if likeness >= settings.same:
            left_out.append((item.id, f"in working memory already (likeness {likeness:.2f})"))
            continue
        ranked.append(_scored(candidate, similarity, likeness, span, context.at_ms, settings))
    ranked.sort(key=lambda found: (-found.score, found.item.id))
    return one_per_source(ranked, left_out), left_out


def one_per_source(ranked: Iterable[Recalled], left_out: LeftOut) -> list[Recalled]:
    """Of a message and what was learned from that message alone, the better one; the other goes to `left_out`."""
    kept: list[Recalled] = []
    owner: dict[str, str] = {}  # a message -> the kept item that stands for it
    for found in ranked:
        source = found.item.sources[0] if len(found.item.sources) == 1 else found.item.id
        if repeats(found.item.id, source, owner):
            left_out.append((found.item.id, f"the same source as {owner[source]}"))
        else:
            kept.append(found)
    return kept


def leaders(outlines: Sequence[Outline], context: ReadContext, settings: RecallSettings, most: int) -> list[Standing]:
    """The same ranking, of outlines with different ids and beside no working memory: the first `most` of it."""
    span = _recency_span(context, settings)
    similarities = _similarities([outline.score for outline in outlines])
    standings = [
        Standing(place, *_terms(outline.created_ms, outline.importance, similarity, 0.0, span, context.at_ms, settings))
        for place, (outline, similarity) in enumerate(zip(outlines, similarities, strict=True))
    ]
    standings.sort(key=lambda standing: (-standing.score, outlines[standing.place].id))
    kept: list[Standing] = []
    owner: dict[str, str] = {}
    for standing in standings:
        if len(kept) >= most:
            break
        outline = outlines[standing.place]
        if not repeats(outline.id, outline.source, owner):
            kept.append(standing)
    return kept


def _recency_span(context: ReadContext, settings: RecallSettings) -> float:
    return settings.current_span if asked(context).wants_current else settings.recency_span


def _best_of_each(candidates: Sequence[Candidate]) -> list[Candidate]:
    """One candidate for each id: two memory types may offer the same."""
    best: dict[str, Candidate] = {}
    for candidate in candidates:
        known = best.get(candidate.item.id)
        if known is None or candidate.score > known.score:
            best[candidate.item.id] = candidate
    return list(best.values())


def _similarities(scores: Sequence[float]) -> list[float]:
    """Raw scores -> 0 for the middle of the field and below, 1 for the best."""
    if not scores:
        return []
    middle, top = median(scores), max(scores)
    if top == middle:
        return [1.0] * len(scores)
    return [min(1.0, max(0.0, (score - middle) / (top - middle))) for score in scores]


def _scored(
    candidate: Candidate, similarity: float, likeness: float, span: float, at_ms: int, settings: RecallSettings
) -> Recalled:
    item = candidate.item
    score, _, recency, importance, duplication = _terms(
        item.created_ms, item.importance, similarity, likeness, span, at_ms, settings
    )
    return Recalled(
        item=item,
        score=score,
        similarity=similarity,
        recency=recency,
        importance=importance,
        duplication=duplication,
        parts=candidate.parts,
    )


def _terms(
    created_ms: int,
    importance: float,
    similarity: float,
    likeness: float,
    span: float,
    at_ms: int,
    settings: RecallSettings,
) -> tuple[float, float, float, float, float]:
    """The formula: the score, and the similarity, recency, importance and duplication that it is made of."""
    age_days = max(0, at_ms - created_ms) / _DAY_MS
    recency = 1 - span + span * 2 ** (-age_days / settings.half_life_days)
    importance = 1 - settings.importance_span + settings.importance_span * importance
    duplication = (
        max(0.0, (likeness - settings.duplicate) / (1 - settings.duplicate)) if settings.duplicate < 1 else 0.0
    )
    score = (
        settings.similarity * similarity
        + settings.recency * recency
        + settings.importance * importance
        - settings.duplication * duplication
    )
    return round(score, 6), similarity, recency, importance, duplication
