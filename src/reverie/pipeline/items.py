"""Items: memories one by one, by id: looking at them, changing them, and what waits for a person's approval."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from reverie.errors import BadInput, StaleVersion
from reverie.gate.redact import redact
from reverie.pipeline.item_drafts import draft_of
from reverie.pipeline.item_writer import ItemWriter
from reverie.pipeline.open_store import OpenStore
from reverie.records import EPISODIC, JSON, Filters, Hit, MemoryItem, Recalled, Trust
from reverie.records.results import Forgotten

if TYPE_CHECKING:
    from reverie.pipeline.erase import Eraser
    from reverie.pipeline.lookup import FilterInput, Lookup


class Items:
    def __init__(self, store: OpenStore, item_writer: ItemWriter, lookup: "Lookup", eraser: "Eraser") -> None:
        self._store = store
        self._item_writer = item_writer
        self._lookup = lookup
        self._eraser = eraser

    def get(self, ids: Sequence[str]) -> list[MemoryItem]:
        """Return memories whole, by id; the short ids of conversations will do."""
        self._item_writer.admit()
        ids = self._item_writer.whole_ids(ids)
        found = self._store.engine.items.get(ids)
        missing = set(ids) - {item.id for item in found}
        if missing:
            raise BadInput(f"no memory has the id {', '.join(sorted(missing))}; `search` shows ids")
        return found

    def update(
        self,
        item_id: str,
        *,
        version: int | None = None,
        text: str | None = None,
        importance: float | None = None,
        tags: Sequence[str] | None = None,
        metadata: Mapping[str, object] | None = None,
        by: str = "agent",
    ) -> MemoryItem:
        """Change a memory that was memorised or learned; with a version, only if nobody else was first.

        The earlier version is kept. An agent's change never raises trust; a person says `by="user"`.
        """
        item = self.get([item_id])[0]
        given = {"importance": importance, "tags": tags}
        fields: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        if text is not None:
            fields["trust"] = Trust.PERSON if by == "user" else min(item.trust, Trust.ASSISTANT)
        whole = {**item.metadata, **(metadata or {})}
        draft = draft_of(item.text if text is None else text, whole, fields, self._store.engine, self._store.env)
        cleaned = redact(draft, self._store.settings.privacy)
        if cleaned.forbidden:
            raise BadInput("the privacy settings do not let memory keep this")
        clean = cleaned.item
        changes: dict[str, JSON] = {}
        if text is not None:
            changes |= {
                "text": clean.text,
                "redaction_status": clean.redaction_status.value,
                "trust": clean.trust.value,
            }
        if importance is not None:
            changes["importance"] = clean.importance
        if tags is not None:
            changes["tags"] = [*clean.tags]
        if metadata:
            changes["metadata"] = dict(clean.metadata)
        return self._item_writer.edit(item.id, changes, version)

    def delete(self, item_id: str, *, version: int | None = None, hard: bool = False) -> Forgotten:
        """Forget one memory, softly or for good; with a version, only if nobody has changed it."""
        item = self.get([item_id])[0]
        if version is not None and item.version != version:
            raise StaleVersion(f"{item.id} is at version {item.version}, not {version}; look at it again")
        return self._eraser.forget(f"id:{item.id}", hard=hard, dry_run=False)

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
        self._item_writer.mark([item.id for item in self.get(ids)], goal_id)

    def quarantined(self) -> list[MemoryItem]:
        """Return what the gate has set aside for a person to look at."""
        return self._item_writer.quarantined()

    def approve(self, item_id: str) -> MemoryItem:
        """Take a quarantined item into memory, because a person vouches for it."""
        whole = self._item_writer.whole_ids([item_id])[0]
        if whole not in {item.id for item in self.quarantined()}:
            raise BadInput(f'"{item_id}" is not in quarantine; `reverie admin gate list` shows what is')
        return self._item_writer.approve(whole)

    def list(self, filters: "FilterInput" = None, *, limit: int | None = 100) -> Sequence[MemoryItem]:
        """Return the memories that pass these filters, newest first."""
        self._item_writer.admit()
        self._item_writer.judge_waiting()
        return self._store.engine.items.select(self._lookup.filters(filters), limit=limit, newest_first=True)


def _unranked(item: MemoryItem) -> Recalled:
    return Recalled(item=item, score=0.0, similarity=0.0, recency=0.0, importance=item.importance, duplication=0.0)
