"""Conversation memory: the last messages of each session as they were said, and a rolling summary of those before.

Messages in, the buffer of the asking session out. Episodic memory has the whole conversation; this is what is at hand.
"""

from dataclasses import replace

from reverie.ports import DeriveId, StoreView
from reverie.records import CONVERSATION, Candidate, Filters, MemoryItem, ReadContext, Stored
from reverie.settings import StoreSettings
from reverie.stores.base_type import Searched
from reverie.stores.overflow_summary import Summarise, fitted, fold, is_folded, shorten_items, total_tokens

SUMMARY_TOKENS = 400  # of the rolling summary


class Conversation(Searched):
    name = CONVERSATION

    def __init__(self, settings: StoreSettings, derive_id: DeriveId, summarise: Summarise = shorten_items) -> None:
        super().__init__(settings, summarise)
        self._derive_id = derive_id
        self._max_messages = max(1, settings.conversation_max_messages)
        self._max_tokens = max(1, settings.conversation_max_tokens)

    def accepts(self, item: MemoryItem) -> bool:  # noqa: ARG002
        """Nothing by itself: a message's home is episodic memory, and is shown here without a copy."""
        return False

    def memorize(self, item: MemoryItem, view: StoreView) -> Stored:
        """Add a message; when the buffer is full, its oldest quarter moves into the summary."""
        known = view.get(item.id)
        if known is not None and known.deleted_ms is not None:
            return Stored(())  # it has moved on already
        item = replace(fitted(item, max(1, self._max_tokens // 4), self._summarise), store=CONVERSATION)
        view.put(item)
        here = _beside(item, view)
        buffer = [one for one in here if not is_folded(one)]
        if len(buffer) <= self._max_messages and total_tokens(buffer) <= self._max_tokens:
            return Stored((item.id,))
        fallen = self._fallen(buffer)
        summary = next((one for one in here if is_folded(one)), None)
        limit = SUMMARY_TOKENS
        view.put(fold(fallen, summary, limit, self._summarise, self._derive_id))
        ids = tuple(one.id for one in fallen)
        view.remove(ids, item.created_ms)
        return Stored(() if item.id in ids else (item.id,), summarised=ids)

    def _fallen(self, buffer: list[MemoryItem]) -> list[MemoryItem]:
        """The oldest messages, a quarter at once: a summary that is made anew for each message forgets faster."""
        keep = self._max_messages - self._max_messages // 4
        count = max(0, len(buffer) - keep) if len(buffer) > self._max_messages else 1
        while total_tokens(buffer[count:]) > self._max_tokens * 3 // 4:
            count += 1
        return buffer[:count]

    def remember(self, context: ReadContext, view: StoreView) -> list[Candidate]:
        """The buffer of the session that asks, newest first, then its summary; nothing where no session is named."""
        session = context.filters.session or context.session
        if not session:
            return []
        here = view.items(replace(context.filters, session=session))
        ordered = [item for item in here if is_folded(item)] + [item for item in here if not is_folded(item)]
        found = []
        for place, item in enumerate(reversed(ordered)):
            recency = 1 - place / len(ordered)
            found.append(Candidate(item=item, score=recency, parts={"recency": recency}))
        return found


def _beside(item: MemoryItem, view: StoreView) -> list[MemoryItem]:
    """Return the items of an item's session and project: a summary of two would show each what the other did."""
    here = view.items(Filters(session=item.session, project=item.project))
    return [one for one in here if (one.session, one.project) == (item.session, item.project)]
