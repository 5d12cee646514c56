"""Memory items with their vectors, versions and links. Derived from the log, except for what was forgotten."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any

from reverie.engines.sqlite import items_sql, rows
from reverie.engines.sqlite.checks import is_item_data
from reverie.engines.sqlite.database import Database
from reverie.engines.sqlite.fts import fts_query
from reverie.engines.sqlite.items_sql import ItemRow
from reverie.foundation.as_json import item_as_json, item_from_json
from reverie.records import Capacity, Filters, ItemType, Lifecycle, MemoryItem, Redaction, Source, Trust

_ENCODE = json.JSONEncoder(separators=(",", ":"), sort_keys=True).encode
_ADMITTED = "items_position"  # the counters of this table, in `meta`
_GENERATION = "items_generation"

# A look into a dict takes a fifth of the time that an enumeration takes to find one of its members.
_TYPES = {one.value: one for one in ItemType}
_TRUSTS = {one.value: one for one in Trust}
_SOURCES = {one.value: one for one in Source}
_LIFECYCLES = {one.value: one for one in Lifecycle}
_REDACTIONS = {one.value: one for one in Redaction}


class SqliteItems:
    def __init__(self, database: Database, user: str) -> None:
        self._db = database
        self._user = user

    # ---- writing

    def put(self, items: Sequence[MemoryItem], home: Mapping[str, "tuple[int, int] | None"] | None = None) -> None:
        """Add items, or replace those with the same id.

        With `home` they are observations as they are: it names those whose text the log keeps, all of it (None), or
        from one character to another. The others have a text of their own, because something had to be masked.
        """
        if not items:
            return
        with self._db.write():
            changed = self._db.next_position(len(items))
            document = self._db.value(items_sql.LAST_DOCUMENT)
            known = self._documents([item.id for item in items])
            for number, item in enumerate(items):
                if item.id in known:
                    self._db.execute(items_sql.UNINDEX_TEXT, (known[item.id],))
                    self._db.execute(items_sql.DELETE_VECTORS, (self._user, item.id))
                    self._db.execute(items_sql.DELETE_USES, (self._user, item.id))
                else:
                    document += 1
                self._write(item, known.get(item.id, document), changed + number, home)

    def _write(self, item: MemoryItem, document: int, changed: int, home: Mapping[str, Any] | None) -> None:
        is_in_log = home is not None and item.id in home
        span = home.get(item.id) if home else None
        text = None if is_in_log else rows.storable(item.text)
        place = (self._user, item.id, document, text, *(span or (None, None)), home is not None, changed)
        self._db.execute(items_sql.INSERT, (*place, *_row(item)))
        if text is not None:
            self._db.execute(items_sql.INDEX_TEXT, (document, text))
        if item.access_count or item.accessed_ms is not None:
            self._db.execute(items_sql.ADD_USES, (self._user, item.id, item.access_count, item.accessed_ms))
        self._db.execute_many(items_sql.ADD_SOURCE, [(self._user, one, item.id) for one in item.sources])

    def _documents(self, ids: Sequence[str]) -> dict[str, int]:
        return dict(self._db.rows(items_sql.DOCUMENTS, (json.dumps(list(ids)), self._user)))

    def keep_version(self, item: MemoryItem) -> None:
        """Keep an item as it is now, before it is changed."""
        kept = (self._user, item.id, item.version, _ENCODE(item_as_json(item)))
        with self._db.write():
            self._db.execute(items_sql.ADD_VERSION, kept)

    def versions(self, item_id: str) -> list[MemoryItem]:
        def version_of(row: Sequence[Any]) -> MemoryItem:
            (data,) = row
            return item_from_json(rows.told(data))

        return self._db.records("item_versions", "data", version_of, items_sql.VERSIONS, (self._user, item_id))

    def link(self, links: Iterable[tuple[str, str, str]]) -> None:
        """Note (from, kind, to)."""
        with self._db.write():
            self._db.execute_many(items_sql.ADD_LINK, [(self._user, *link) for link in links])

    def unlink(self, links: Iterable[tuple[str, str, str]]) -> None:
        with self._db.write():
            self._db.execute_many(items_sql.DELETE_LINK, [(self._user, *link) for link in links])

    def links(self, item_id: str) -> list[tuple[str, str, str]]:
        found = self._db.rows(items_sql.LINKS, (self._user, item_id))
        return [(from_id, kind, to_id) for from_id, kind, to_id in found]

    def hidden(self, ids: Sequence[str]) -> set[str]:
        """Return those of these ids that were forgotten softly."""
        return {item_id for (item_id,) in self._db.rows(items_sql.HIDDEN, (self._user, json.dumps(list(ids))))}

    def set_episode(self, ids: Sequence[str], episode: str, *, archived: bool = False) -> None:
        """Note which episode these belong to; archived, they are no longer recalled, only pointed at."""
        sql = items_sql.SET_EPISODE_AND_ARCHIVE if archived else items_sql.SET_EPISODE
        with self._db.write():
            for item_id in ids:
                self._db.execute(sql, (episode, self._db.next_position(), self._user, item_id))

    def set_validity(self, item: MemoryItem) -> None:
        """Note an item's subject, validity and what superseded it. Nothing else of it changes; its text stays put."""
        valid = (item.subject, item.valid_from_ms, item.valid_to_ms, item.superseded_by)
        with self._db.write():
            self._db.execute(items_sql.SET_VALIDITY, (*valid, self._db.next_position(), self._user, item.id))

    def sessions_without_episode(self) -> list[str]:
        """Sessions with captured items that no episode has yet."""
        return [session for (session,) in self._db.rows(items_sql.SESSIONS_WITHOUT_EPISODE, (self._user,))]

    def mark(self, ids: Sequence[str], tag: str, importance: float) -> None:
        """Tag these, and let them matter at least so much."""
        with self._db.write():
            for item in self.get(ids):
                tags = json.dumps(list(dict.fromkeys([*item.tags, tag])))
                self._db.execute(items_sql.SET_TAGS, (importance, tags, self._db.next_position(), self._user, item.id))

    def touch(self, ids: Sequence[str], at_ms: int) -> None:
        """Count that these were used."""
        with self._db.write():
            self._db.execute_many(items_sql.COUNT_USE, [(self._user, item_id, at_ms) for item_id in ids])

    # ---- reading

    def get(self, ids: Sequence[str]) -> list[MemoryItem]:
        """Items by id, in the order asked for; unknown ids are left out."""
        found = {item.id: item for item in self._read(items_sql.BY_ID, (self._user, json.dumps(list(ids))))}
        return [found[item_id] for item_id in ids if item_id in found]

    def select(
        self,
        filters: Filters,
        *,
        limit: int | None = None,
        newest_first: bool = False,
        words: str = "",
        up_to: int | None = None,
    ) -> list[MemoryItem]:
        """Items that pass the filters, in the order of the log; with words, the best matches first."""
        where, arguments = items_sql.where(filters)
        if up_to is not None:
            where, arguments = f"{where} AND i.position <= ?", [*arguments, up_to]
        order = "i.position DESC, i.chunk_index DESC" if newest_first else "i.position, i.chunk_index"
        source = items_sql.SELECT
        if words:
            if not (query := fts_query(words)):
                return []
            source += " JOIN items_fts f ON f.rowid = i.document"
            where += " AND items_fts MATCH ?"
            order, arguments = "f.rank, i.id", [*arguments, query]
        sql = f"{source} WHERE i.user_id = ? AND {where} ORDER BY {order}, i.id LIMIT ?"
        return self._read(sql, (self._user, *arguments, -1 if limit is None else limit))

    def recent_with(self, words: str, filters: Filters, limit: int) -> list[MemoryItem]:
        """The newest items that have any of these words, whatever others have stored."""
        if not (query := fts_query(words)):
            return []
        where, arguments = items_sql.where(filters)
        sql = (
            f"{items_sql.SELECT} WHERE i.user_id = ? AND {where} AND i.document IN "
            "(SELECT rowid FROM items_fts WHERE items_fts MATCH ?) ORDER BY i.position DESC, i.id LIMIT ?"
        )
        return self._read(sql, (self._user, *arguments, query, limit))

    def of_sources(self, observation_ids: Sequence[str]) -> list[MemoryItem]:
        """Everything that was made of these observations."""
        return self._read(items_sql.OF_SOURCES, (self._user, json.dumps(list(observation_ids))))

    def ending(self, ends: Sequence[str]) -> list[MemoryItem]:
        """The items whose ids end with one of these, whatever has become of them."""
        return self._read(items_sql.BY_END_OF_ID, (self._user, json.dumps(list(ends))))

    def made_of(self, ids: Sequence[str], store: str) -> list[MemoryItem]:
        """The items of a memory type with these ids, and those that were made of them, whatever has become of them."""
        return self._read(items_sql.MADE_OF, (self._user, store, json.dumps(list(ids))))

    def capacity(self, store: str) -> Capacity:
        ((count, tokens),) = self._db.rows(items_sql.CAPACITY, (self._user, store))
        return Capacity(count, tokens)

    def counts(self) -> dict[str, int]:
        """Count the current items of each memory type."""
        return dict(self._db.rows(items_sql.COUNTS, (self._user,)))

    def stores(self) -> list[str]:
        """The names of the memory types that have items."""
        return [name for (name,) in self._db.rows(items_sql.STORES, (self._user,))]

    def count_quarantined(self) -> int:
        """Count the items that wait for a person to look at them."""
        return self._db.number(items_sql.COUNT_QUARANTINED, (self._user,))

    def _read(self, sql: str, parameters: Sequence[Any]) -> list[MemoryItem]:
        return self._db.records("items", items_sql.READ, _item, sql, parameters)

    # ---- following, for an index in memory

    def changes(self, after: int, embedder: str, limit: int) -> list[tuple[int, MemoryItem, bytes | None]]:
        """Return what was written since, oldest first: the number of the change, the item, its vector."""
        asked = (embedder, self._user, after, limit)
        return self._db.records("items", items_sql.READ, _changed_item, items_sql.CHANGED_SINCE, asked)

    def removals(self, after: int) -> list[tuple[int, str]]:
        """Return what was erased since."""
        return [
            (position, item_id) for position, item_id in self._db.rows(items_sql.REMOVED_SINCE, (self._user, after))
        ]

    def has_news(self, generation: int, change: int, removal: int) -> bool:
        """Whether anything was written, erased or derived anew since an index followed so far: one look tells."""
        return bool(self._db.value(items_sql.HAS_NEWS, (self._user, change, removal, generation)))

    def generation(self) -> int:
        """Changes when everything was thrown away and derived anew."""
        return self._counter(_GENERATION)

    def admitted(self) -> int:
        """The place in the log up to which observations have become items."""
        return self._counter(_ADMITTED)

    def set_admitted(self, position: int) -> None:
        self._set_counter(_ADMITTED, position)

    def _counter(self, name: str) -> int:
        return self._db.number(items_sql.COUNTER, (self._user, name))

    def _set_counter(self, name: str, value: int) -> None:
        self._db.execute(items_sql.SET_COUNTER, (self._user, name, value))

    # ---- vectors

    def without_vector(self, embedder: str, limit: int) -> list[MemoryItem]:
        """Items that this embedder has not seen. Up to a remembered change there are none, and nobody looks."""
        name = _embedded_by(embedder)
        done = self._counter(name)
        found = self._read(items_sql.WITHOUT_VECTOR, (self._user, done, embedder, limit))
        if not found and (last := self._db.number(items_sql.LAST_CHANGE, (self._user,))) > done:
            with self._db.write():
                self._set_counter(name, last)
        return found

    def count_vectors(self, embedder: str) -> tuple[int, int]:
        """Count the items that have a vector of this embedder, and all items."""
        have = self._db.value(items_sql.COUNT_VECTORS, (self._user, embedder))
        return have, self._db.value(items_sql.COUNT_ALL, (self._user,))

    def embedders(self) -> dict[str, int]:
        """Count the vectors of each embedder."""
        return dict(self._db.rows(items_sql.EMBEDDERS, (self._user,)))

    def vectors(self, embedder: str, ids: Sequence[str]) -> dict[str, bytes]:
        return dict(self._db.rows(items_sql.VECTORS, (self._user, embedder, json.dumps(list(ids)))))

    def put_vectors(self, embedder: str, vectors: Sequence[tuple[str, bytes]], announce: bool = True) -> None:
        """Store vectors. Unless the items were written in the same transaction, say that they changed."""
        with self._db.write():
            self._db.execute_many(
                items_sql.PUT_VECTOR, [(self._user, embedder, item_id, vector) for item_id, vector in vectors]
            )
            if announce:
                first = self._db.next_position(len(vectors))
                self._db.execute_many(
                    items_sql.SET_CHANGED,
                    [(first + number, self._user, item_id) for number, (item_id, _) in enumerate(vectors)],
                )

    def drop_vectors_except(self, embedder: str) -> None:
        with self._db.write():
            self._db.execute(items_sql.DELETE_OTHER_VECTORS, (self._user, embedder))
            self._db.execute(items_sql.DELETE_EMBEDDED_COUNTERS, (self._user, _embedded_by(embedder)))

    # ---- forgetting

    def hide(self, ids: Sequence[str], at_ms: int) -> int:
        """Soft: nobody is shown them any more, and they can be brought back."""
        return self._set_deleted(items_sql.HIDE, ids, at_ms)

    def unhide(self, ids: Sequence[str]) -> int:
        return self._set_deleted(items_sql.UNHIDE, ids, None)

    def _set_deleted(self, sql: str, ids: Sequence[str], at_ms: int | None) -> int:
        count = 0
        with self._db.write():
            for item_id in ids:
                self._db.execute(sql, (at_ms, self._db.next_position(), self._user, item_id))
                count += self._db.connection.changes()
        return count

    def erase(self, ids: Sequence[str], at_ms: int) -> int:
        """Hard: the rows, their index entries, vectors, versions and links are gone; a hash says that they were."""
        with self._db.write():
            documents = self._documents(ids)
            for item_id, document in documents.items():
                self._db.execute(items_sql.UNINDEX_TEXT, (document,))
                for sql in items_sql.ERASE:
                    self._db.execute(sql, (self._user, item_id))
                tombstone = (self._user, item_id, self._db.next_position(), at_ms)
                self._db.execute(items_sql.ADD_TOMBSTONE, tombstone)
        return len(documents)

    def clear(self, *, captured: bool = True) -> None:
        """Throw everything away, for a rebuild; or only what memory made, and what it noted on captured items."""
        noted = (
            items_sql.DELETE_ALL_USES,
            items_sql.UNHIDE_ALL,
            items_sql.FORGET_VALIDITY,
            items_sql.FORGET_EPISODES,
        )
        with self._db.write():
            for sql in (*items_sql.clear(captured=captured), *noted):
                self._db.execute(sql, (self._user,))
            if captured:
                self.set_admitted(0)
            self._db.execute(items_sql.DELETE_EMBEDDED_COUNTERS, (self._user, ""))
            self._set_counter(_GENERATION, self.generation() + 1)

    def dump(self) -> Iterator[str]:
        """Everything that a rebuild must bring back, in order."""
        for sql in items_sql.DUMP:
            yield from (repr(row) for row in self._db.rows(sql, (self._user,)))


def _embedded_by(embedder: str) -> str:
    """The counter of the change up to which every item has a vector of this embedder."""
    return f"vectors:{embedder}"


# ---- rows <-> items, column by column and by name


def _item(row: Sequence[Any]) -> MemoryItem:
    """Read an item from its id, its text, its user and the columns of an ItemRow."""
    item_id, text, user = row[:3]
    it = ItemRow._make(row[3:])
    data = json.loads(it.data) if it.data != "{}" else {}
    if not is_item_data(data):
        raise ValueError(f"data is {it.data[:40]!r}")
    return MemoryItem(
        id=item_id, text=text, user=user, store=it.store, type=_TYPES[it.type], position=it.position,
        chunk_index=it.chunk_index, parent_id=it.parent_id, session=it.session_id, project=it.project,
        speaker=it.speaker, agent=it.agent, task=it.task, episode=it.episode, subject=it.subject,
        source=_SOURCES[it.source], trust=_TRUSTS[it.trust], lifecycle=_LIFECYCLES[it.lifecycle],
        importance=it.importance, novelty=it.novelty, confidence=it.confidence, tokens_estimate=it.tokens,
        retention=it.retention, ttl_ms=it.ttl_ms, redaction_status=_REDACTIONS[it.redaction], checksum=it.checksum,
        created_ms=it.created_ms, accessed_ms=it.accessed_ms, access_count=it.access_count,
        modified_ms=it.modified_ms, deleted_ms=it.deleted_ms, step_index=it.step_index, version=it.version,
        valid_from_ms=it.valid_from_ms, valid_to_ms=it.valid_to_ms, superseded_by=it.superseded_by,
        tags=tuple(data.get("tags", ())), metadata=data.get("metadata", {}),
        lineage_ids=tuple(data.get("lineage", ())), sources=tuple(data.get("sources", ())),
        sparse_terms=tuple(data.get("terms", ())),
    )  # fmt: skip


def _changed_item(row: Sequence[Any]) -> tuple[int, MemoryItem, bytes | None]:
    """Read an item, the number of its last change, and its vector."""
    changed, vector = row[-2:]
    return changed, _item(row[:-2]), vector


def _row(item: MemoryItem) -> ItemRow:
    """The columns to store of an item."""
    data = {
        "tags": item.tags,
        "metadata": dict(item.metadata),
        "lineage": item.lineage_ids,
        "sources": item.sources,
        "terms": item.sparse_terms,
    }
    return ItemRow(
        store=item.store, type=item.type.value, position=item.position, chunk_index=item.chunk_index,
        parent_id=item.parent_id, session_id=item.session, project=item.project, speaker=item.speaker,
        agent=item.agent, task=item.task, episode=item.episode, subject=item.subject, source=item.source.value,
        trust=item.trust.value, lifecycle=item.lifecycle.value, importance=item.importance, novelty=item.novelty,
        confidence=item.confidence, tokens=item.tokens_estimate, retention=item.retention, ttl_ms=item.ttl_ms,
        redaction=item.redaction_status.value, checksum=item.checksum or _checksum(item.text),
        created_ms=item.created_ms, accessed_ms=None, access_count=0,
        modified_ms=item.modified_ms, deleted_ms=item.deleted_ms, step_index=item.step_index, version=item.version,
        valid_from_ms=item.valid_from_ms, valid_to_ms=item.valid_to_ms, superseded_by=item.superseded_by,
        data=_ENCODE({name: value for name, value in data.items() if value}),
    )  # fmt: skip


def _checksum(text: str) -> str:
    """Tells whether an item's text is the one that was stored."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
