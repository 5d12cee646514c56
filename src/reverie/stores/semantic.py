"""Semantic memory: what is known, by subject. A newer item of a subject ends the validity of the older one.

Items in; history stays. The items of one subject and project form a chain in the order in which they became true, each
valid until the next one begins that is trusted as much. What is learned late takes its place in the past and does not
become current.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from reverie.foundation.chunks import tokens_of
from reverie.ports import StoreView
from reverie.records import (
    SEMANTIC,
    Capacity,
    Filters,
    ItemType,
    Lifecycle,
    MemoryItem,
    Redaction,
    Stored,
    Trust,
)
from reverie.stores.base_type import Searched
from reverie.stores.eviction import evict

_ACCEPTED = (
    ItemType.FACT, ItemType.PREFERENCE, ItemType.CORRECTION, ItemType.PATTERN, ItemType.SKILL, ItemType.SUMMARY,
    ItemType.GOAL, ItemType.INSIGHT, ItemType.POINTER,
)  # fmt: skip
_NO_LINK = (Lifecycle.QUARANTINED, Lifecycle.ARCHIVED)  # what nobody approved, and what was merged into another
_EVICT_TO = 0.95  # of the limit, so that not every newcomer looks through everything


class Semantic(Searched):
    name = SEMANTIC

    def accepts(self, item: MemoryItem) -> bool:
        """Accept what was distilled and is of use beyond the episode it comes from."""
        return item.type in _ACCEPTED

    def memorize(self, item: MemoryItem, view: StoreView) -> Stored:
        """Put it in its place among what is known of its subject, and close what it replaces. A repeat is a no-op."""
        known = view.get(item.id)
        if known is not None and known.deleted_ms is not None:
            return Stored(())
        if known is not None and (known.text, known.lifecycle) == (item.text, item.lifecycle):
            return Stored((item.id,))
        item = replace(item, store=SEMANTIC, subject=item.subject.strip(), tokens_estimate=tokens_of(item))
        if item.lifecycle is not Lifecycle.QUARANTINED:  # what nobody has approved replaces nothing
            item = self._in_place(item, view)
        view.put(item)
        evicted = self._make_room(item, view)
        return Stored(() if item.id in evicted else (item.id,), evicted)

    def _in_place(self, item: MemoryItem, view: StoreView) -> MemoryItem:
        item = replace(item, valid_from_ms=_start(item))
        chain = [one for one in history(item.subject, item.project, view) if one.id != item.id]
        placed = {one.id: one for one in chained([*chain, item])} if item.subject else {item.id: item}
        closed = [(one, placed[one.id]) for one in chain if placed[one.id] is not one]
        # Those that it says it replaces, whatever their subject, unless something else has done so meanwhile.
        named = [one for one_id in item.lineage_ids if (one := view.get(one_id)) and not one.superseded_by]
        for one in named:
            if one.id not in placed and _start(one) <= _start(item):
                closed.append((one, _closed(one, item, one.valid_to_ms)))
        for _, after in closed:
            view.put(replace(after, modified_ms=item.created_ms))
        lineage = (*(one.id for one, after in closed if after.superseded_by == item.id), *item.lineage_ids)
        return replace(
            placed[item.id],
            version=max(item.version, 1 + max((one.version for one in [*chain, *named]), default=0)),
            lineage_ids=tuple(dict.fromkeys(lineage)),
        )

    def _make_room(self, newcomer: MemoryItem, view: StoreView) -> tuple[str, ...]:
        """Evict the least useful subjects, each with all of its versions."""
        limit = self._settings.semantic_max_items
        if limit <= 0 or view.capacity().items <= limit:
            return ()
        everything = view.items(Filters(superseded=True, expired=True))
        least = frozenset(
            evict(
                [item for item in everything if item.is_current],
                now_ms=newcomer.created_ms,
                max_items=max(1, int(limit * _EVICT_TO)),
                protect=lambda item: item.id == newcomer.id,
            )
        )
        subjects = {(item.subject, item.project) for item in everything if item.id in least and item.subject}
        gone = [item.id for item in everything if item.id in least or (item.subject, item.project) in subjects]
        view.remove(gone, newcomer.created_ms)
        return tuple(gone)

    def capacity(self, view: StoreView) -> Capacity:
        now = view.capacity()
        return Capacity(now.items, now.tokens, self._settings.semantic_max_items or None)


# ---- the chain of a subject


_EVER = Filters(superseded=True, expired=True)


def history(subject: str, project: str, view: StoreView, filters: Filters = _EVER) -> list[MemoryItem]:
    """All that was ever known of a subject in a project, in the order in which it became true."""
    if not subject:
        return []
    found = view.items(replace(filters, subject=subject, project=project))
    return sorted((item for item in found if (item.subject, item.project) == (subject, project)), key=_order)


def chained(items: Iterable[MemoryItem]) -> list[MemoryItem]:
    """The items of one subject in order, each valid until a later one begins that is trusted as much.

    Hidden items may be among them: they end nobody's validity, and an end that was theirs is taken back.
    """
    ordered = sorted(items, key=_order)
    by_id = {one.id: one for one in ordered}
    later: dict[Trust, MemoryItem] = {}  # by trust: the next one that is trusted at least so much
    result = []
    for one in reversed(ordered):
        former = by_id.get(one.superseded_by)
        if one.superseded_by and former is None:  # by something of another subject
            result.append(one)
        else:
            own_end = _own_end(one, former) if former else one.valid_to_ms
            result.append(_closed(one, later.get(one.trust), own_end))
        if one.deleted_ms is None and one.lifecycle not in _NO_LINK:
            later |= {trust: one for trust in Trust if one.trust >= trust}
    return result[::-1]


def _closed(item: MemoryItem, newer: MemoryItem | None, own_end: int | None) -> MemoryItem:
    """The item as it ends by itself or where the newer one begins; the same one, if it does already."""
    ends = [end for end in (own_end, _start(newer) if newer else None) if end is not None]
    after = (newer.id if newer else "", min(ends, default=None))
    if (item.superseded_by, item.valid_to_ms) == after:
        return item
    return replace(item, superseded_by=after[0], valid_to_ms=after[1])


def _own_end(item: MemoryItem, newer: MemoryItem) -> int | None:
    """Return the end that an item would have without the newer one; one that had ended before keeps its end."""
    return None if item.valid_to_ms == _start(newer) else item.valid_to_ms


def _start(item: MemoryItem) -> int:
    return item.created_ms if item.valid_from_ms is None else item.valid_from_ms


def _order(item: MemoryItem) -> tuple[int, int, str]:
    return (_start(item), item.position, item.id)


# ---- merging


def strengthen(existing: MemoryItem, newcomer: MemoryItem) -> MemoryItem:
    """The existing item, surer by what the newcomer says again. Its trust is the lower of the two, never higher.

    The version before is kept by the view. What comes from the same sources is no second witness.
    """
    is_new = not set(newcomer.sources or (newcomer.id,)) <= set(existing.sources)
    doubt = (1 - existing.confidence) * (1 - newcomer.confidence) if is_new else 1 - existing.confidence
    redaction = max(existing.redaction_status, newcomer.redaction_status, key=list(Redaction).index)
    return replace(
        existing,
        version=existing.version + 1,
        confidence=1 - doubt,
        access_count=existing.access_count + (1 if is_new else 0),
        accessed_ms=max(existing.accessed_ms or existing.created_ms, newcomer.created_ms),
        modified_ms=max(existing.modified_ms or existing.created_ms, newcomer.created_ms),
        importance=max(existing.importance, newcomer.importance),
        trust=min(existing.trust, newcomer.trust),
        redaction_status=redaction,
        tags=_united(existing.tags, newcomer.tags),
        sources=_united(existing.sources, newcomer.sources or (newcomer.id,)),
    )


def _united(first: Sequence[str], second: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *second)))


def restore(before: MemoryItem, view: StoreView) -> MemoryItem:
    """Undo a merge: the item as it was, as a further version, so that the undo can be undone as well.

    What happened to its validity meanwhile stays: undoing a merge does not bring back what was superseded since.
    """
    now = view.get(before.id)
    if now is None:
        now = before
    restored = replace(
        before,
        version=max(now.version, before.version) + 1,
        valid_to_ms=now.valid_to_ms,
        superseded_by=now.superseded_by,
        deleted_ms=now.deleted_ms,
    )
    view.put(restored)
    return restored
