"""Semantic memory: what is known, by subject. A newer item of a subject ends the validity of the older one.

Items in; history stays. The items of one subject and project form a chain in the order in which they became true, each
valid until the next one begins. What is learned late takes its place in the past and does not become current.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from reverie.ports import Shelf
from reverie.records import (
    SEMANTIC,
    Candidate,
    Capacity,
    Filters,
    ItemType,
    Lifecycle,
    MemoryItem,
    ReadContext,
    Redaction,
    Stored,
)
from reverie.settings import StoreSettings
from reverie.stores.chunks import tokens_of
from reverie.stores.eviction import evict
from reverie.stores.folding import Summarise, shorten_items, summary_of
from reverie.stores.forgetting import forget_matching

_ACCEPTED = (
    ItemType.FACT, ItemType.PREFERENCE, ItemType.CORRECTION, ItemType.PATTERN, ItemType.SKILL, ItemType.SUMMARY,
    ItemType.GOAL, ItemType.INSIGHT, ItemType.POINTER,
)  # fmt: skip
_EVICT_TO = 0.95  # of the limit, so that not every newcomer looks through everything


class Semantic:
    name = SEMANTIC

    def __init__(self, settings: StoreSettings, summarise: Summarise = shorten_items) -> None:
        self._settings = settings
        self._summarise = summarise

    def accepts(self, item: MemoryItem) -> bool:
        """What was distilled and is of use beyond the episode it comes from."""
        return item.type in _ACCEPTED

    def memorize(self, item: MemoryItem, shelf: Shelf) -> Stored:
        """Put it in its place among what is known of its subject, and close what it replaces. A repeat is a no-op."""
        known = shelf.get(item.id)
        if known is not None and known.deleted_ms is not None:
            return Stored(())
        if known is not None and (known.text, known.lifecycle) == (item.text, item.lifecycle):
            return Stored((item.id,))
        item = replace(item, store=SEMANTIC, subject=item.subject.strip(), tokens_estimate=tokens_of(item))
        if item.lifecycle is not Lifecycle.QUARANTINED:  # what nobody has approved replaces nothing
            item = self._in_place(item, shelf)
        shelf.put(item)
        evicted = self._make_room(item, shelf)
        return Stored(() if item.id in evicted else (item.id,), evicted)

    def _in_place(self, item: MemoryItem, shelf: Shelf) -> MemoryItem:
        chain = [one for one in history(item.subject, item.project, shelf) if one.id != item.id]
        start = _start(item)
        older = [one for one in chain if _order(one) < _order(item)]
        newer = [one for one in chain if _order(one) > _order(item)]
        # Those that it says it replaces, whatever their subject, unless something else has done so meanwhile.
        named = [one for one_id in item.lineage_ids if (one := shelf.get(one_id)) and not one.superseded_by]
        for one in {one.id: one for one in [*older[-1:], *named]}.values():
            if one.id != item.id and _start(one) <= start:
                ended = _earliest(one.valid_to_ms, start)
                shelf.put(replace(one, valid_to_ms=ended, superseded_by=item.id, modified_ms=item.created_ms))
        lineage = (*(one.id for one in older[-1:]), *item.lineage_ids)
        return replace(
            item,
            version=max(item.version, 1 + max((one.version for one in [*chain, *named]), default=0)),
            lineage_ids=tuple(dict.fromkeys(lineage)),
            valid_from_ms=start,
            valid_to_ms=_earliest(item.valid_to_ms, _start(newer[0])) if newer else item.valid_to_ms,
            superseded_by=newer[0].id if newer else item.superseded_by,
        )

    def _make_room(self, newcomer: MemoryItem, shelf: Shelf) -> tuple[str, ...]:
        """Evict the least useful subjects, each with all of its versions."""
        limit = self._settings.semantic_max_items
        if limit <= 0 or shelf.capacity().items <= limit:
            return ()
        everything = shelf.items(Filters(superseded=True, expired=True))
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
        shelf.remove(gone, newcomer.created_ms)
        return tuple(gone)

    def remember(self, context: ReadContext, shelf: Shelf) -> list[Candidate]:
        return shelf.search(context, max(context.top_k, self._settings.candidates))

    def forget(self, filters: Filters, shelf: Shelf, at_ms: int, *, hard: bool = False) -> int:
        return forget_matching(filters, shelf, at_ms, hard=hard)

    def summarize(self, shelf: Shelf, limit_tokens: int) -> str:
        return summary_of(shelf, limit_tokens, self._summarise)

    def capacity(self, shelf: Shelf) -> Capacity:
        now = shelf.capacity()
        return Capacity(now.items, now.tokens, self._settings.semantic_max_items or None)


# ---- the chain of a subject


def history(subject: str, project: str, shelf: Shelf) -> list[MemoryItem]:
    """All that was ever known of a subject in a project, in the order in which it became true."""
    if not subject:
        return []
    found = shelf.items(Filters(subject=subject, project=project, superseded=True, expired=True))
    return sorted((item for item in found if (item.subject, item.project) == (subject, project)), key=_order)


def as_of(items: Iterable[MemoryItem], at_ms: int) -> MemoryItem | None:
    """Of the items of one subject, the one that was valid at a time."""
    for item in items:
        begins = item.valid_from_ms is None or item.valid_from_ms <= at_ms
        if begins and (item.valid_to_ms is None or at_ms < item.valid_to_ms):
            return item
    return None


def _start(item: MemoryItem) -> int:
    return item.created_ms if item.valid_from_ms is None else item.valid_from_ms


def _order(item: MemoryItem) -> tuple[int, int, str]:
    return (_start(item), item.position, item.id)


def _earliest(ended_ms: int | None, other_ms: int) -> int:
    return other_ms if ended_ms is None else min(ended_ms, other_ms)


# ---- merging


def strengthen(existing: MemoryItem, newcomer: MemoryItem) -> MemoryItem:
    """The existing item, surer by what the newcomer says again. Its trust is the lower of the two, never higher.

    The version before is kept by the shelf. What comes from the same sources is no second witness.
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


def restore(before: MemoryItem, shelf: Shelf) -> MemoryItem:
    """Undo a merge: the item as it was, as a further version, so that the undo can be undone as well.

    What happened to its validity meanwhile stays: undoing a merge does not bring back what was superseded since.
    """
    now = shelf.get(before.id)
    if now is None:
        now = before
    restored = replace(
        before,
        version=max(now.version, before.version) + 1,
        valid_to_ms=now.valid_to_ms,
        superseded_by=now.superseded_by,
        deleted_ms=now.deleted_ms,
    )
    shelf.put(restored)
    return restored
