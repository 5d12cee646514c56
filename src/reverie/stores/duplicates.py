"""Semantic items -> proposals to merge those that say the same. Nothing is written here, and every merge can be undone.

Two texts that share most of their words can still say different things: another number, a "not", another name, the same
words the other way round, or one word exchanged (staging for production). So likeness alone never merges: what differs
may only be added by one side. The fuller text is kept, and the others stay in the record behind it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt

from reverie.language.distinctions import Points, points
from reverie.records import Lifecycle, MemoryItem
from reverie.stores.terms import entities, stems

_LIKENESS = 0.88  # of stems, and vectors where given; below it too many pairs tell of two things


@dataclass(frozen=True, slots=True)
class Merging:
    """A proposal: which item stays, which go behind it, what the kept one becomes, and what undo restores."""

    keep: str
    absorbed: tuple[str, ...]
    merged: MemoryItem
    before: tuple[MemoryItem, ...]


def propose(
    items: Sequence[MemoryItem],
    vectors: Mapping[str, Sequence[float]] | None = None,
) -> list[Merging]:
    """Clusters of items that say the same, in one pass, oldest first. Each item is in one proposal at most."""
    clusters: dict[tuple[str, ...], list[list[_Read]]] = {}
    for item in sorted(items, key=lambda item: (item.created_ms, item.position, item.id)):
        if not item.is_current or not (read := _Read.of(item, (vectors or {}).get(item.id))).terms:
            continue
        same_kind = clusters.setdefault(_kind(item), [])
        # Alike with every member: by a chain of small differences one could get from anything to anything.
        home = next((one for one in same_kind if all(likeness(read, other) >= _LIKENESS for other in one)), None)
        if home is None:
            same_kind.append([read])
        else:
            home.append(read)
    return [_merging([read.item for read in one]) for group in clusters.values() for one in group if len(one) > 1]


def applied(merging: Merging) -> list[MemoryItem]:
    """The rows to write: the merged item, and the absorbed ones out of sight behind it."""
    behind = [
        replace(item, superseded_by=merging.keep, lifecycle=Lifecycle.ARCHIVED)
        for item in merging.before
        if item.id in merging.absorbed
    ]
    return [merging.merged, *behind]


def undo(merging: Merging) -> list[MemoryItem]:
    """The rows as they were, exactly."""
    return list(merging.before)


@dataclass(frozen=True, slots=True)
class _Read:
    item: MemoryItem
    order: tuple[str, ...]
    terms: frozenset[str]
    points: Points
    names: frozenset[str]
    vector: Sequence[float] | None

    @classmethod
    def of(cls, item: MemoryItem, vector: Sequence[float] | None) -> "_Read":
        order = tuple(dict.fromkeys(stems(item.text)))
        return cls(item, order, frozenset(order), points(item.text), entities(item.text), vector)


def likeness(one: _Read, other: _Read) -> float:
    """Score how alike two texts are; 0 where they may not be merged, however alike they look."""
    if one.points != other.points or not _share_names(one, other):
        return 0.0
    if not (one.terms <= other.terms or other.terms <= one.terms):
        return 0.0
    shared = one.terms & other.terms
    if [term for term in one.order if term in shared] != [term for term in other.order if term in shared]:
        return 0.0
    dice = 2 * len(shared) / (len(one.terms) + len(other.terms))
    if one.vector is None or other.vector is None:
        return dice
    return (dice + _cosine(one.vector, other.vector)) / 2


def _share_names(one: _Read, other: _Read) -> bool:
    """Whether each text has what the other one names, written large or small."""
    ours, theirs = one.item.text.lower(), other.item.text.lower()
    return all(name in theirs for name in one.names) and all(name in ours for name in other.names)


def _kind(item: MemoryItem) -> tuple[str, ...]:
    """Only items that agree in all of this can be one: trust would otherwise rise or fall by a merge."""
    return item.user, item.project, item.store, item.type, item.trust, item.speaker, item.subject


def _merging(cluster: Sequence[MemoryItem]) -> Merging:
    kept = max(cluster, key=lambda item: (len(set(stems(item.text))), item.confidence, item.created_ms, item.id))
    absorbed = tuple(item.id for item in cluster if item.id != kept.id)
    accessed = [item.accessed_ms for item in cluster if item.accessed_ms is not None]
    starts = [item.valid_from_ms for item in cluster]
    merged = replace(
        kept,
        version=max(item.version for item in cluster) + 1,
        lineage_ids=_together(kept.lineage_ids, absorbed, *(item.lineage_ids for item in cluster)),
        sources=_together(*(item.sources or (item.id,) for item in cluster)),
        tags=_together(*(item.tags for item in cluster)),
        importance=max(item.importance for item in cluster),
        confidence=max(item.confidence for item in cluster),
        access_count=sum(item.access_count for item in cluster),
        accessed_ms=max(accessed, default=None),
        valid_from_ms=None if None in starts else min(start for start in starts if start is not None),
    )
    return Merging(kept.id, absorbed, merged, tuple(cluster))


def _together(*lists: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for one in lists for name in one))


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    lengths = sqrt(sum(a * a for a in one) * sum(b * b for b in other))
    return sum(a * b for a, b in zip(one, other, strict=True)) / lengths if lengths else 0.0
