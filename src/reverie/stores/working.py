"""Working memory: a small scratchpad of the task at hand, first in, first out, in tiers of importance.

Items in, `Stored` out, which says what had to make room. Under 0.3 goes first and without a trace; the rest of the tail
lives on in one summary item per session; 0.7 and above goes only when there is nothing else.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import log

from reverie.ports import DeriveId, StoreView
from reverie.records import WORKING, Candidate, Capacity, ItemType, MemoryItem, ReadContext, Stored
from reverie.settings import StoreSettings
from reverie.stores.base_type import Searched
from reverie.stores.eviction import evict, is_held
from reverie.stores.overflow_summary import Summarise, fitted, fold, is_folded, shorten_items, total_tokens
from reverie.stores.retention import DAY_MS, decay

LOW, PROTECTED = 0.3, 0.7
SUMMARY_TOKENS = 300  # of what fell out; never over a quarter of working memory
RECENT = 12  # newest items that are offered, whatever is asked
_HALF_LIFE_MINUTES = 60.0  # what is an hour old counts half; a task rarely runs longer


class Working(Searched):
    name = WORKING

    def __init__(self, settings: StoreSettings, derive_id: DeriveId, summarise: Summarise = shorten_items) -> None:
        super().__init__(settings, summarise)
        self._derive_id = derive_id
        self._max_items = max(1, settings.working_max_items)
        self._max_tokens = max(1, settings.working_max_tokens)
        self._decay_per_day = log(2) * DAY_MS / (_HALF_LIFE_MINUTES * 60_000)

    def accepts(self, item: MemoryItem) -> bool:
        """Transient reasoning."""
        return item.type in (ItemType.THOUGHT, ItemType.PLAN)

    def memorize(self, item: MemoryItem, view: StoreView) -> Stored:
        """Note it as the next step of its task, and make room."""
        known = view.get(item.id)
        if known is not None and known.deleted_ms is not None:
            return Stored(())  # it was here, and had to go: a repeat does not bring it back
        here = [one for one in view.items() if one.id != item.id]
        step = known.step_index if known else 1 + max((one.step_index for one in _of_task(here, item)), default=0)
        item = replace(fitted(item, self._max_tokens // 2, self._summarise), store=WORKING, step_index=step)
        view.put(item)
        if not item.is_current or not self._is_over([*here, item]):
            return Stored((item.id,))
        return self._make_room(item, view)

    # ---- making room

    def _make_room(self, newcomer: MemoryItem, view: StoreView) -> Stored:
        at_ms = newcomer.created_ms
        here = view.items()
        evicted = _removed(self._unimportant(here), view, at_ms)
        here = [item for item in here if item.id not in evicted]
        summarised: list[str] = []
        for least, below in ((LOW, PROTECTED), (PROTECTED, 2.0)):
            if tail := self._tail(here, newcomer, least, below):
                folded, dropped = self._fold_tail(tail, view, at_ms)
                summarised += folded
                evicted += dropped
                here = view.items()
        evicted += _removed(self._least_useful(here, newcomer), view, at_ms)
        return Stored(() if newcomer.id in evicted else (newcomer.id,), tuple(evicted), tuple(summarised))

    def _is_over(self, items: Sequence[MemoryItem], share: float = 1.0) -> bool:
        return len(items) > self._max_items * share or total_tokens(items) > self._max_tokens * share

    def _unimportant(self, here: Sequence[MemoryItem]) -> list[str]:
        """The oldest items of the lowest tier, no more than needed."""
        stay = list(here)
        gone: list[str] = []
        for item in [item for item in here if item.importance < LOW and not is_held(item)]:
            if not self._is_over(stay):
                break
            stay.remove(item)
            gone.append(item.id)
        return gone

    def _tail(self, here: list[MemoryItem], newcomer: MemoryItem, least: float, below: float) -> list[MemoryItem]:
        """The oldest items of a tier: enough to leave a quarter free, so that not every newcomer makes a summary."""
        if not self._is_over(here):
            return []
        tail: list[MemoryItem] = []
        stay = list(here)
        running = {_place(item) for item in here if not is_folded(item)}
        for item in here:
            is_open = least <= item.importance < below and not is_held(item) and item.id != newcomer.id
            if is_open and not (is_folded(item) and _place(item) in running):
                if not self._is_over(stay, share=0.75):
                    break
                stay.remove(item)
                tail.append(item)
        return tail

    def _fold_tail(self, tail: Sequence[MemoryItem], view: StoreView, at_ms: int) -> tuple[list[str], list[str]]:
        """Summarise a tail, each session by itself: (summarised, dropped). What would not get shorter is dropped."""
        summarised: list[str] = []
        dropped = [item.id for item in tail if is_folded(item)]  # the summary of a session that is over
        summaries = {_place(item): item for item in view.items() if is_folded(item) and item.id not in dropped}
        for place in dict.fromkeys(_place(item) for item in tail):
            group = [item for item in tail if _place(item) == place and item.id not in dropped]
            summary = summaries.get(place)
            if summary is None and len(group) < 2:
                dropped += [item.id for item in group]
            elif group:
                limit = min(SUMMARY_TOKENS, self._max_tokens // 4)
                view.put(fold(group, summary, limit, self._summarise, self._derive_id))
                summarised += [item.id for item in group]
        _removed([*summarised, *dropped], view, at_ms)
        return summarised, dropped

    def _least_useful(self, here: Sequence[MemoryItem], newcomer: MemoryItem) -> list[str]:
        """The last resort: by lowest utility density; and if only pinned items are left, the newcomer."""
        gone = evict(
            here,
            now_ms=newcomer.created_ms,
            max_items=self._max_items,
            max_tokens=self._max_tokens,
            protect=lambda item: item.importance >= PROTECTED or item.id == newcomer.id,
        )
        stay = [item for item in here if item.id not in gone]
        if self._is_over(stay) and newcomer.id not in gone:
            gone.append(newcomer.id)
        return gone

    # ---- the rest of the interface

    def remember(self, context: ReadContext, view: StoreView) -> list[Candidate]:
        """The newest items, and the summary of what came before them, of this session if one is named."""
        session = context.filters.session or context.session
        here = [item for item in view.items(context.filters) if not session or item.session in (session, "")]
        recent = [item for item in here if not is_folded(item)][-RECENT:]
        found = []
        for item in [*(item for item in here if is_folded(item)), *recent][::-1]:
            recency = decay(context.at_ms - item.created_ms, self._decay_per_day)
            found.append(Candidate(item=item, score=recency, parts={"recency": recency}))
        return found

    def capacity(self, view: StoreView) -> Capacity:
        now = view.capacity()
        return Capacity(now.items, now.tokens, self._max_items, self._max_tokens)


def _place(item: MemoryItem) -> tuple[str, str]:
    """Return the key of items that may share a summary: one of two projects would show each what the other did."""
    return (item.project, item.session)


def _of_task(items: Sequence[MemoryItem], item: MemoryItem) -> list[MemoryItem]:
    """The items of the same task; where none is named, of the same session."""
    if item.task:
        return [one for one in items if one.task == item.task]
    return [one for one in items if not one.task and one.session == item.session]


def _removed(ids: list[str], view: StoreView, at_ms: int) -> list[str]:
    if ids:
        view.remove(ids, at_ms)
    return ids
