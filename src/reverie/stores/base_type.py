"""The base of our memory types, and the memory type for items whose own one this process does not have.

A stranger's memory type needs none of this: it implements `MemoryType` as it likes.
"""

from reverie.ports import StoreView
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

    def remember(self, context: ReadContext, view: StoreView) -> list[Candidate]:
        return view.search(context, max(context.top_k, CANDIDATES))

    def forget(self, filters: Filters, view: StoreView, at_ms: int, *, hard: bool = False) -> int:
        return forget_matching(filters, view, at_ms, hard=hard)

    def summarize(self, view: StoreView, limit_tokens: int) -> str:
        return summary_of(view, limit_tokens, self._summarise)

    def capacity(self, view: StoreView) -> Capacity:
        return view.capacity()


class UnregisteredType(Searched):
    """Stands in for a memory type that has items here and is not registered: they stay, are found and forgotten."""

    def __init__(self, name: str, settings: StoreSettings, summarise: Summarise = shorten_items) -> None:
        super().__init__(settings, summarise)
        self.name = name

    def accepts(self, item: MemoryItem) -> bool:  # noqa: ARG002
        """Nothing by itself: what belongs here only the memory type knows for which this stands."""
        return False

    def memorize(self, item: MemoryItem, view: StoreView) -> Stored:
        view.put(item)
        return Stored((item.id,))
