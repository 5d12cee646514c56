"""A question -> an index of the items that may answer it, without vectors: for a process that lives for one search.

It is searched and ranked like the whole index; the part of a score that vectors give is 0. It is read from the record
and the log as they are, and writes nothing.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from reverie.language.empty import asked_by
from reverie.pipeline.item_writer import ItemWriter
from reverie.ports import Engine
from reverie.records import Filters, MemoryItem, ReadContext
from reverie.settings import RetentionSettings
from reverie.stores.retention import expires_ms

if TYPE_CHECKING:
    from reverie.index import ItemIndex

# Items that are read for one search: 0.2 s. A store of no more is searched whole, and answers as `search` does without
# vectors. Of a larger one, the text index chooses.
_MOST = 2000
_MATCHES = 500  # of these, found by the text index; the rest is what was said around them
_EVERYTHING = Filters(superseded=True, quarantined=True, expired=True)  # as the whole index has it


class WordIndex:
    """Reads what one question needs."""

    note = "by words alone"

    def __init__(self, engine: Engine, item_writer: ItemWriter, retention: RetentionSettings) -> None:
        self._engine = engine
        self._item_writer = item_writer
        self._retention = retention
        self._items: dict[str, MemoryItem] = {}

    def index_for(self, context: ReadContext) -> "ItemIndex":
        from reverie.index import ItemIndex

        self._items = {item.id: item for item in self._whole() or self._chosen(context)}
        index = ItemIndex(None, lambda item: expires_ms(item, self._retention))
        index.put(list(self._items.values()), [None] * len(self._items))
        return index

    def get(self, ids: Sequence[str]) -> list[MemoryItem]:
        return [self._items[one] for one in ids if one in self._items]

    def vectors(self, _: Sequence[str]) -> dict[str, tuple[float, ...]]:
        return {}

    def _whole(self) -> list[MemoryItem]:
        """Everything that is stored or waits to be, unless it is too much to read."""
        stored = self._engine.items.changes(0, "", _MOST + 1)
        waiting = self._engine.log.read(after=self._engine.items.admitted(), limit=_MOST + 1)
        if len(stored) + len(waiting) > _MOST:
            return []
        items = [item for _, item, _ in stored if item.deleted_ms is None]
        return [*items, *self._item_writer.items_of(waiting), *self._item_writer.learned_items(_MOST)]

    def _chosen(self, context: ReadContext) -> list[MemoryItem]:
        """Return what the text index finds, and then the sessions of the best hits, as many as there is room for."""
        words = " ".join(asked_by(context.query_text))
        project = context.filters.project
        said = [hit.id for hit in self._engine.log.search(words, _MATCHES, project)]
        made = self._engine.items.of_sources(said)
        known = {source for item in made for source in item.sources}
        waiting = [one for item_id in said if item_id not in known and (one := self._engine.log.get(item_id))]
        own = self._engine.items.select(_EVERYTHING, words=words, limit=_MATCHES)
        found = [*own, *(item for item in made if item.deleted_ms is None), *self._item_writer.items_of(waiting)]
        found += self._item_writer.learned_items(_MATCHES)
        for session in dict.fromkeys(item.session for item in found if item.session):
            room = _MOST - len(found)
            if room <= 0:
                break
            found += self._engine.items.select(Filters(session=session, superseded=True), limit=room)
        return found
