"""The base of our memory types, and the memory type for items whose own one this process does not have.

A stranger's memory type needs none of this: it implements `MemoryType` as it likes.
"""

from reverie.ports import Shelf
from reverie.records import Candidate, Capacity, Filters, MemoryItem, ReadContext, Stored
from reverie.settings import StoreSettings
from reverie.stores.forget_scopes import forget_matching
from reverie.stores.overflow_summary import Summarise, shorten_items, summary_of

CANDIDATES = 100  # that a memory type offers to a question; the ranking picks from these


class Searched:
    """Offers what a search finds, forgets what filters name, and has no limit. What it takes in says each itself."""

    def __init__(self, settings: StoreSettings, summarise: Summarise = shorten_items) -> None:
        self._settings = settings
        self._summarise = summarise

    def remember(self, context: ReadContext, shelf: Shelf) -> list[Candidate]:
        return shelf.search(context, max(context.top_k, CANDIDATES))

    def forget(self, filters: Filters, shelf: Shelf, at_ms: int, *, hard: bool = False) -> int:
        return forget_matching(filters, shelf, at_ms, hard=hard)

    def summarize(self, shelf: Shelf, limit_tokens: int) -> str:
        return summary_of(shelf, limit_tokens, self._summarise)

    def capacity(self, shelf: Shelf) -> Capacity:
        return shelf.capacity()


class UnregisteredType(Searched):
    """Stands in for a memory type that has items here and is not registered: they stay, are found and forgotten."""

    def __init__(self, name: str, settings: StoreSettings, summarise: Summarise = shorten_items) -> None:
        super().__init__(settings, summarise)
        self.name = name

    def accepts(self, item: MemoryItem) -> bool:  # noqa: ARG002
        """Nothing by itself: what belongs here only the memory type knows for which this stands."""
        return False

    def memorize(self, item: MemoryItem, shelf: Shelf) -> Stored:
        shelf.put(item)
        return Stored((item.id,))
