"""Items: memories one by one, by id: looking at them, changing them, and what waits for a person's approval."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from reverie.errors import BadInput
from reverie.open_store import OpenStore
from reverie.orchestrator.keeping import Keeping
from reverie.records import EPISODIC, Filters, Hit, MemoryItem, Recalled

if TYPE_CHECKING:
    from reverie.pipeline.lookup import Lookup


class Items:
    def __init__(self, store: OpenStore, keeping: Keeping, lookup: "Lookup") -> None:
        self._store = store
        self._keeping = keeping
        self._lookup = lookup

    def get(self, ids: Sequence[str]) -> list[MemoryItem]:
        """Return memories whole, by id; the short ids of conversations will do."""
        self._keeping.admit()
        ids = self._keeping.whole_ids(ids)
        found = self._store.engine.items.get(ids)
        missing = set(ids) - {item.id for item in found}
        if missing:
            raise BadInput(f"no memory has the id {', '.join(sorted(missing))}; `search` shows ids")
        return found

    def timeline(self, item_id: str, before: int = 3, after: int = 3) -> list[Hit]:
        """Return what happened around a memory, in order, one line each."""
        item = self.get([item_id])[0]
        filters = Filters(session=item.session, stores=(EPISODIC,), superseded=True)
        here = self._store.engine.items.select(filters)
        earlier = [one for one in here if (one.position, one.chunk_index) < (item.position, item.chunk_index)]
        later = [one for one in here if (one.position, one.chunk_index) > (item.position, item.chunk_index)]
        shown = [*earlier[len(earlier) - min(before, len(earlier)) :], item, *later[:after]]
        return self._lookup.as_hits([_unranked(one) for one in shown])

    def mark(self, ids: Sequence[str], goal_id: str) -> None:
        """Record that memories matter for a goal: they count for more, and are found by the tag `goal:ID`."""
        if goal_id not in {goal.id for goal in self._store.engine.goals.goals(everything=True)}:
            raise BadInput(f'no goal "{goal_id}"; `reverie goals` lists them')
        self._keeping.mark([item.id for item in self.get(ids)], goal_id)

    def quarantined(self) -> list[MemoryItem]:
        """Return what the gate has set aside for a person to look at."""
        return self._keeping.quarantined()

    def approve(self, item_id: str) -> MemoryItem:
        """Take a quarantined item into memory, because a person vouches for it."""
        whole = self._keeping.whole_ids([item_id])[0]
        if whole not in {item.id for item in self.quarantined()}:
            raise BadInput(f'"{item_id}" is not in quarantine; `reverie gate list` shows what is')
        return self._keeping.approve(whole)


def _unranked(item: MemoryItem) -> Recalled:
    return Recalled(item=item, score=0.0, similarity=0.0, recency=0.0, importance=item.importance, duplication=0.0)
