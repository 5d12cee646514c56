"""One user's search index, in step with the record; and the embedder whose vectors it has.

The index lives in this process and follows the record by change numbers. One-shot processes have none: they ask the
steward, or search by words alone.
"""

from collections.abc import Callable, Sequence
from struct import unpack
from typing import TYPE_CHECKING

from reverie.errors import ReverieError
from reverie.pipeline.item_writer import ItemWriter
from reverie.ports import Embedder, Engine, Env
from reverie.records import Candidate, MemoryItem, ReadContext
from reverie.settings import Settings
from reverie.stores.retention import expires_ms

if TYPE_CHECKING:
    from reverie.index import ItemIndex

_FOLLOWED = 2000  # changes read at a time


class LiveIndex:
    """Loads the index when it is first needed, and keeps it up to date."""

    def __init__(
        self, engine: Engine, env: Env, settings: Settings, load_embedder: Callable[[], Embedder | None]
    ) -> None:
        """`load_embedder` gives the embedder that is wanted; it is called when vectors are first needed."""
        self._engine = engine
        self._env = env
        self._settings = settings
        self._index: ItemIndex | None = None
        self._load_embedder = load_embedder
        self._wanted: Embedder | None = None
        self._serving: Embedder | None = None
        self._embedder_error = ""
        self._generation = -1
        self._change = 0
        self._removal = 0

    @property
    def is_warm(self) -> bool:
        """Whether the index is loaded already."""
        return self._index is not None

    def wanted(self) -> Embedder | None:
        """The embedder that the settings ask for; loaded at the first call."""
        if self._wanted is None and not self._embedder_error:
            try:
                self._wanted = self._load_embedder()
            except (ReverieError, ImportError) as error:
                self._embedder_error = f"no vectors: {error}"
        return self._wanted

    def embedder(self) -> Embedder | None:
        """The embedder whose vectors are searched: after a change, the former one until all items have new vectors."""
        if self._serving is None and (wanted := self.wanted()):
            others = {name: count for name, count in self._engine.items.embedders().items() if name != wanted.name}
            former = max(others, key=lambda name: (others[name], name), default="")
            have, _ = self._engine.items.count_vectors(wanted.name)
            self._serving = self._former(former) if former and have < others[former] else None
            self._serving = self._serving or wanted
        return self._serving

    @property
    def is_changing(self) -> bool:
        """Whether a former embedder still serves."""
        return self.embedder() is not self.wanted()

    def _former(self, name: str) -> Embedder | None:
        """An embedder that was in use before, if it can still be had without settings of its own."""
        from reverie.embed.static import StaticEmbedder

        static = StaticEmbedder.load(self._env) if name.startswith("static-") else None
        return static if static and static.name == name else None

    def re_embed(self, item_writer: ItemWriter, limit: int) -> tuple[int, int]:
        """Give some more items a vector of the wanted embedder; says how many have one, and how many there are.

        The former embedder serves until this is through; then its vectors are dropped.
        """
        wanted = self.wanted()
        if wanted is None:
            return 0, 0
        if item_writer.embed_waiting(wanted, limit) == 0 and self.embedder() is not wanted:
            self._engine.items.drop_vectors_except(wanted.name)
            self._serving, self._index = wanted, None
        return self._engine.items.count_vectors(wanted.name)

    def follow(self) -> "ItemIndex":
        """The index with everything that was written, superseded or forgotten until now."""
        items = self._engine.items
        if self._index is not None and not items.has_news(self._generation, self._change, self._removal):
            return self._index
        embedder = self.embedder()
        if self._index is None or self._generation != items.generation():
            from reverie.index import ItemIndex

            retention = self._settings.retention
            self._index = ItemIndex(embedder, lambda item: expires_ms(item, retention))
            self._generation, self._change, self._removal = items.generation(), 0, 0
        name = embedder.name if embedder else ""
        while changes := items.changes(self._change, name, _FOLLOWED):
            shown = [(item, vector) for _, item, vector in changes if item.deleted_ms is None]
            self._index.put([item for item, _ in shown], [vector for _, vector in shown])
            self._index.remove([item.id for _, item, _ in changes if item.deleted_ms is not None])
            self._change = changes[-1][0]
        if removals := items.removals(self._removal):
            gone = [item_id for _, item_id in removals]
            again = {item.id for item in items.get(gone)}  # what was erased with its source may have been made anew
            self._index.remove([item_id for item_id in gone if item_id not in again])
            self._removal = removals[-1][0]
        return self._index

    @property
    def note(self) -> str:
        """Say what an answer of this index lacks; "" if nothing."""
        return self._embedder_error or ("" if self.wanted() else "by words alone")

    def index_for(self, _: ReadContext) -> "ItemIndex":
        return self.follow()

    def get(self, ids: Sequence[str]) -> list[MemoryItem]:
        return self._engine.items.get(ids)

    def vectors(self, ids: Sequence[str]) -> dict[str, tuple[float, ...]]:
        """Return the vectors by which these items are found; an item that waits to be embedded has none."""
        embedder = self.embedder()
        found = self._engine.items.vectors(embedder.name, ids) if embedder else {}
        return {item_id: unpack(f"<{len(data) // 2}e", data) for item_id, data in found.items()}

    def candidates(self, context: ReadContext, limit: int) -> list[Candidate]:
        """The best items for a question, by the index alone."""
        scored = self.follow().search(context, limit)
        items = {item.id: item for item in self._engine.items.get([one.id for one in scored])}
        return [Candidate(item=items[one.id], score=one.score, parts=one.parts) for one in scored if one.id in items]
