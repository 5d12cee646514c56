"""A memory type's place in the record: the `StoreView` that every memory type is handed, ours and others'."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from reverie.ports import SCRUB, Engine
from reverie.records import CONVERSATION, EPISODIC, Candidate, Capacity, Filters, ItemType, MemoryItem, ReadContext

Search = Callable[[ReadContext, int], list[Candidate]]
_MESSAGES = (ItemType.USER_MESSAGE.value, ItemType.ASSISTANT_MESSAGE.value)


class EngineStoreView:
    """The items of one memory type. A replaced item's earlier version is kept."""

    def __init__(self, name: str, engine: Engine, search: Search) -> None:
        self.name = name
        self._engine = engine
        self._search = search

    def put(self, item: MemoryItem) -> None:
        before = self.get(item.id)
        if before and before.version < item.version:
            self._engine.items.keep_version(before)
        self._engine.items.put([replace(item, store=self.name, user=self._engine.user)])

    def get(self, item_id: str) -> MemoryItem | None:
        found = self._engine.items.get([item_id])
        return found[0] if found and found[0].store == self.name else None

    def items(
        self, filters: Filters | None = None, *, limit: int | None = None, newest_first: bool = False
    ) -> list[MemoryItem]:
        wanted = replace(filters or Filters(), stores=(self.name,))
        if not (wanted.ids or wanted.text):
            return self._engine.items.select(wanted, limit=limit, newest_first=newest_first)
        found = self._engine.items.select(wanted, newest_first=newest_first)
        return [item for item in found if wanted.admits(item)][:limit]

    def made_of(self, ids: Sequence[str]) -> list[MemoryItem]:
        return self._engine.items.made_of(ids, self.name)

    def capacity(self) -> Capacity:
        return self._engine.items.capacity(self.name)

    def remove(self, ids: Sequence[str], at_ms: int, *, hard: bool = False) -> int:
        if not hard:
            return self._engine.items.hide(ids, at_ms)
        with self._engine.write():
            self._engine.owe(SCRUB)
            return self._engine.items.erase(ids, at_ms)

    def search(self, context: ReadContext, limit: int) -> list[Candidate]:
        filters = replace(context.filters, stores=(self.name,))
        return self._search(replace(context, filters=filters), limit)


class ConversationStoreView(EngineStoreView):
    """The messages of a session are in episodic memory already: they are shown here as well, without a copy."""

    def __init__(self, engine: Engine, search: Search, max_messages: int) -> None:
        super().__init__(CONVERSATION, engine, search)
        self._max_messages = max_messages

    def items(
        self, filters: Filters | None = None, *, limit: int | None = None, newest_first: bool = False
    ) -> list[MemoryItem]:
        own = super().items(filters, limit=limit, newest_first=newest_first)
        if own or not filters or not filters.session:
            return own
        messages = replace(filters, stores=(EPISODIC,), types=_MESSAGES, superseded=True)  # they were said all the same
        last = self._engine.items.select(
            messages, limit=min(limit or self._max_messages, self._max_messages), newest_first=True
        )
        said = [replace(item, store=CONVERSATION) for item in last if not item.chunk_index]
        return said if newest_first else said[::-1]
