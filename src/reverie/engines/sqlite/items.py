"""Memory items with their vectors, versions and links. Derived from the log, except for what was forgotten."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any

from reverie.as_json import item_as_json, item_from_json
from reverie.engines.sqlite import rows
from reverie.engines.sqlite.checks import is_item_data
from reverie.engines.sqlite.database import Database, Row
from reverie.engines.sqlite.fts import fts_query
from reverie.records import (
    Capacity,
    Filters,
    ItemType,
    Lifecycle,
    MemoryItem,
    Redaction,
    Source,
    Trust,
)

_COLUMNS = (
    "store, type, position, chunk_index, parent_id, session_id, project, speaker, agent, task, episode, subject, "
    "source, trust, lifecycle, importance, novelty, confidence, tokens, retention, ttl_ms, redaction, checksum, "
    "created_ms, accessed_ms, access_count, modified_ms, deleted_ms, step_index, version, valid_from_ms, valid_to_ms, "
    "superseded_by, data"
)
# A message's text has one home, the log; a chunk of it is told by where it begins and ends.
_TEXT = (
    "coalesce(i.text, (SELECT CASE WHEN i.first_char IS NULL THEN whole "
    "ELSE substr(whole, i.first_char + 1, i.last_char - i.first_char) END FROM "
    "(SELECT CASE o.title WHEN '' THEN o.text ELSE o.title || char(10) || o.text END AS whole "
    "FROM observations o WHERE o.user_id = i.user_id AND o.position = i.position)), '')"
)
# How often an item was used stands beside it, so that counting does not change the item.
_BESIDE = {"accessed_ms": "u.used_ms", "access_count": "coalesce(u.uses, 0)"}
_READ = ", ".join(_BESIDE.get(column, f"i.{column}") for column in _COLUMNS.split(", "))
_FIELDS = f"i.id, {_TEXT}, i.user_id, {_READ}"
_NAMES = f"id, text, user_id, {_COLUMNS}"
_ITEMS = "items i LEFT JOIN item_uses u ON u.user_id = i.user_id AND u.item_id = i.id"
_SELECT = f"SELECT {_FIELDS} FROM {_ITEMS}"
_CURRENT = "i.deleted_ms IS NULL AND i.superseded_by = '' AND i.lifecycle NOT IN ('archived','expired','quarantined')"
_DUMP = (
    f"SELECT i.id, i.text, i.first_char, i.last_char, i.captured, {_READ} FROM {_ITEMS} "
    "WHERE i.user_id = ? ORDER BY i.id"
)

# What hangs on an item, and by which column.
_HANGING = (("vectors", "item_id"), ("item_sources", "item_id"), ("item_versions", "id"), ("item_links", "from_id"))
_COUNTED = "INSERT INTO item_uses (user_id, item_id, uses, used_ms) VALUES (?, ?, ?, ?)"
_COUNT_ONE = (
    "INSERT INTO item_uses (user_id, item_id, uses, used_ms) "
    "SELECT user_id, id, 1, ?3 FROM items WHERE user_id = ?1 AND id = ?2 "
    "ON CONFLICT (user_id, item_id) DO UPDATE SET uses = uses + 1, used_ms = excluded.used_ms"
)
_INSERT = (
    f"INSERT OR REPLACE INTO items (user_id, id, document, text, first_char, last_char, captured, changed, {_COLUMNS}) "
    f"VALUES ({', '.join('?' * (8 + len(_COLUMNS.split(', '))))})"
)

_ENCODE = json.JSONEncoder(separators=(",", ":"), sort_keys=True).encode


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
            document = self._db.value("SELECT coalesce(max(document), 0) FROM items")
            known = self._documents([item.id for item in items])
            for number, item in enumerate(items):
                if item.id in known:
                    self._unindex(known[item.id])
                    self._db.execute("DELETE FROM vectors WHERE user_id = ? AND item_id = ?", (self._user, item.id))
                    self._db.execute("DELETE FROM item_uses WHERE user_id = ? AND item_id = ?", (self._user, item.id))
                else:
                    document += 1
                self._write(item, known.get(item.id, document), changed + number, home)

    def _write(self, item: MemoryItem, document: int, changed: int, home: Mapping[str, Any] | None) -> None:
        is_in_log = home is not None and item.id in home
        span = home.get(item.id) if home else None
        text = None if is_in_log else rows.storable(item.text)
        place = (self._user, item.id, document, text, *(span or (None, None)), home is not None, changed)
        self._db.execute(_INSERT, (*place, *_values(item)))
        if text is not None:
            self._db.execute("INSERT INTO items_fts (rowid, text) VALUES (?, ?)", (document, text))
        if item.access_count or item.accessed_ms is not None:
            self._db.execute(_COUNTED, (self._user, item.id, item.access_count, item.accessed_ms))
        self._db.execute_many(
            "INSERT OR IGNORE INTO item_sources VALUES (?, ?, ?)", [(self._user, one, item.id) for one in item.sources]
        )

    def _documents(self, ids: Sequence[str]) -> dict[str, int]:
        sql = "SELECT i.id, i.document FROM json_each(?) w CROSS JOIN items i ON i.user_id = ? AND i.id = w.value"
        return dict(self._db.rows(sql, (json.dumps(list(ids)), self._user)))

    def _unindex(self, document: int) -> None:
        """Take an item out of the text index, which wants to be told what it said."""
        self._db.execute(
            "INSERT INTO items_fts (items_fts, rowid, text) "
            "SELECT 'delete', document, text FROM items WHERE document = ? AND text IS NOT NULL",
            (document,),
        )

    def keep_version(self, item: MemoryItem) -> None:
        """Keep an item as it is now, before it is changed."""
        with self._db.write():
            self._db.execute(
                "INSERT OR REPLACE INTO item_versions VALUES (?, ?, ?, ?)",
                (self._user, item.id, item.version, _ENCODE(item_as_json(item))),
            )

    def versions(self, item_id: str) -> list[MemoryItem]:
        sql = "SELECT data FROM item_versions WHERE user_id = ? AND id = ? ORDER BY version"
        return self._db.records(
            "item_versions", "data", lambda row: item_from_json(rows.told(row[0])), sql, (self._user, item_id)
        )

    def link(self, links: Iterable[tuple[str, str, str]]) -> None:
        """Note (from, kind, to)."""
        with self._db.write():
            self._db.execute_many(
                "INSERT OR IGNORE INTO item_links VALUES (?, ?, ?, ?)", [(self._user, *link) for link in links]
            )

    def unlink(self, links: Iterable[tuple[str, str, str]]) -> None:
        with self._db.write():
            self._db.execute_many(
                "DELETE FROM item_links WHERE user_id = ? AND from_id = ? AND kind = ? AND to_id = ?",
                [(self._user, *link) for link in links],
            )

    def hidden(self, ids: Sequence[str]) -> set[str]:
        """Which of these were forgotten softly."""
        asked = "id IN (SELECT value FROM json_each(?))"
        sql = f"SELECT id FROM items WHERE user_id = ? AND deleted_ms IS NOT NULL AND {asked}"
        return {row[0] for row in self._db.rows(sql, (self._user, json.dumps(list(ids))))}

    def links(self, item_id: str) -> list[tuple[str, str, str]]:
        sql = (
            "SELECT from_id, kind, to_id FROM item_links WHERE user_id = ?1 AND (from_id = ?2 OR to_id = ?2) "
            "ORDER BY from_id, kind, to_id"
        )
        return [(row[0], row[1], row[2]) for row in self._db.rows(sql, (self._user, item_id))]

    def set_episode(self, ids: Sequence[str], episode: str, *, archived: bool = False) -> None:
        """Note which episode these belong to; archived, they are no longer recalled, only pointed at."""
        lifecycle = ", lifecycle = 'archived'" if archived else ""
        with self._db.write():
            for item_id in ids:
                self._db.execute(
                    f"UPDATE items SET episode = ?, changed = ? {lifecycle} WHERE user_id = ? AND id = ?",
                    (episode, self._db.next_position(), self._user, item_id),
                )

    def set_validity(self, item: MemoryItem) -> None:
        """Note an item's subject, validity and what superseded it. Nothing else of it changes; its text stays put."""
        with self._db.write():
            self._db.execute(
                "UPDATE items SET subject = ?, valid_from_ms = ?, valid_to_ms = ?, superseded_by = ?, changed = ? "
                "WHERE user_id = ? AND id = ?",
                (
                    item.subject, item.valid_from_ms, item.valid_to_ms, item.superseded_by, self._db.next_position(),
                    self._user, item.id,
                ),
            )  # fmt: skip

    def sessions_without_episode(self) -> list[str]:
        """Sessions with captured items that no episode has yet."""
        sql = (
            "SELECT DISTINCT session_id FROM items i WHERE user_id = ? AND captured AND episode = '' "
            "AND deleted_ms IS NULL ORDER BY 1"
        )
        return [row[0] for row in self._db.rows(sql, (self._user,))]

    def mark(self, ids: Sequence[str], tag: str, importance: float) -> None:
        """Tag these, and let them matter at least so much."""
        with self._db.write():
            for item in self.get(ids):
                tags = list(dict.fromkeys([*item.tags, tag]))
                self._db.execute(
                    "UPDATE items SET importance = max(importance, ?), data = json_set(data, '$.tags', json(?)), "
                    "changed = ? WHERE user_id = ? AND id = ?",
                    (importance, json.dumps(tags), self._db.next_position(), self._user, item.id),
                )

    def touch(self, ids: Sequence[str], at_ms: int) -> None:
        """Count that these were used."""
        with self._db.write():
            self._db.execute_many(_COUNT_ONE, [(self._user, item_id, at_ms) for item_id in ids])

    # ---- reading

    def get(self, ids: Sequence[str]) -> list[MemoryItem]:
        """Items by id, in the order asked for; unknown ids are left out."""
        sql = f"{_SELECT} WHERE i.user_id = ? AND i.id IN (SELECT value FROM json_each(?))"
        found = {item.id: item for item in self._read(sql, (self._user, json.dumps(list(ids))))}
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
        where, arguments = _where(filters)
        if up_to is not None:
            where, arguments = f"{where} AND i.position <= ?", [*arguments, up_to]
        order = "i.position DESC, i.chunk_index DESC" if newest_first else "i.position, i.chunk_index"
        source = _SELECT
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
        where, arguments = _where(filters)
        sql = (
            f"{_SELECT} WHERE i.user_id = ? AND {where} AND i.document IN "
            "(SELECT rowid FROM items_fts WHERE items_fts MATCH ?) ORDER BY i.position DESC, i.id LIMIT ?"
        )
        return self._read(sql, (self._user, *arguments, query, limit))

    def of_sources(self, observation_ids: Sequence[str]) -> list[MemoryItem]:
        """Everything that was made of these observations."""
        sql = (
            f"{_SELECT} WHERE i.user_id = ?1 AND i.id IN (SELECT s.item_id FROM item_sources s "
            "WHERE s.user_id = ?1 AND s.observation_id IN (SELECT value FROM json_each(?2))) "
            "ORDER BY i.position, i.chunk_index, i.id"
        )
        return self._read(sql, (self._user, json.dumps(list(observation_ids))))

    def ending(self, ends: Sequence[str]) -> list[MemoryItem]:
        """The items whose ids end with one of these, whatever has become of them."""
        sql = (
            f"{_SELECT} WHERE i.user_id = ?1 AND i.id IN (SELECT k.id FROM items k, json_each(?2) e "
            "WHERE k.user_id = ?1 AND e.value <> '' AND substr(k.id, -length(e.value)) = e.value) ORDER BY i.id"
        )
        return self._read(sql, (self._user, json.dumps(list(ends))))

    def made_of(self, ids: Sequence[str], store: str) -> list[MemoryItem]:
        """The items of a memory type with these ids, and those that were made of them, whatever has become of them."""
        sql = (
            f"WITH named(id) AS (SELECT value FROM json_each(?3)) {_SELECT} WHERE i.user_id = ?1 AND i.store = ?2 "
            "AND i.id IN (SELECT id FROM named "
            "UNION SELECT item_id FROM item_sources WHERE user_id = ?1 AND observation_id IN named "
            "UNION SELECT id FROM items WHERE user_id = ?1 AND store = ?2 AND parent_id IN named) "
            "ORDER BY i.position, i.chunk_index, i.id"
        )
        return self._read(sql, (self._user, store, json.dumps(list(ids))))

    def capacity(self, store: str) -> Capacity:
        sql = f"SELECT count(*), coalesce(sum(tokens), 0) FROM items i WHERE user_id = ? AND store = ? AND {_CURRENT}"
        count, tokens = self._db.rows(sql, (self._user, store))[0]
        return Capacity(count, tokens)

    def counts(self) -> dict[str, int]:
        """How many current items each memory type has."""
        sql = f"SELECT store, count(*) FROM items i WHERE user_id = ? AND {_CURRENT} GROUP BY store ORDER BY store"
        return dict(self._db.rows(sql, (self._user,)))

    def stores(self) -> list[str]:
        """The names of the memory types that have items, each by one look into the index."""
        sql = (
            "WITH RECURSIVE s(name) AS (SELECT min(store) FROM items WHERE user_id = ?1 UNION ALL "
            "SELECT (SELECT min(store) FROM items WHERE user_id = ?1 AND store > s.name) FROM s WHERE s.name NOT NULL) "
            "SELECT name FROM s WHERE name NOT NULL"
        )
        return [row[0] for row in self._db.rows(sql, (self._user,))]

    def count_quarantined(self) -> int:
        """How many wait for a person to look at them."""
        sql = "SELECT count(*) FROM items WHERE user_id = ? AND lifecycle = 'quarantined' AND deleted_ms IS NULL"
        return self._db.number(sql, (self._user,))

    # ---- following, for an index in memory

    def changes(self, after: int, embedder: str, limit: int) -> list[tuple[int, MemoryItem, bytes | None]]:
        """What was written since, oldest first: the number of the change, the item, its vector."""
        sql = (
            f"SELECT {_FIELDS}, i.changed, v.vector FROM {_ITEMS} "
            "LEFT JOIN vectors v ON v.user_id = i.user_id AND v.embedder = ? AND v.item_id = i.id "
            "WHERE i.user_id = ? AND i.changed > ? ORDER BY i.changed LIMIT ?"
        )
        return self._db.records("items", _NAMES, _changed, sql, (embedder, self._user, after, limit))

    def removals(self, after: int) -> list[tuple[int, str]]:
        """What was erased since."""
        sql = "SELECT position, id FROM tombstones WHERE user_id = ? AND position > ? ORDER BY position"
        return [(row[0], row[1]) for row in self._db.rows(sql, (self._user, after))]

    def has_news(self, generation: int, change: int, removal: int) -> bool:
        """Whether anything was written, erased or derived anew since an index followed so far: one look tells."""
        sql = (
            "SELECT EXISTS (SELECT 1 FROM items WHERE user_id = ?1 AND changed > ?2) "
            "OR EXISTS (SELECT 1 FROM tombstones WHERE user_id = ?1 AND position > ?3) OR ?4 != "
            "coalesce((SELECT value FROM meta WHERE user_id = ?1 AND name = 'items_generation'), 0)"
        )
        return bool(self._db.value(sql, (self._user, change, removal, generation)))

    def generation(self) -> int:
        """Changes when everything was thrown away and derived anew."""
        sql = "SELECT value FROM meta WHERE user_id = ? AND name = 'items_generation'"
        return self._db.number(sql, (self._user,))

    def admitted(self) -> int:
        """The place in the log up to which observations have become items."""
        sql = "SELECT value FROM meta WHERE user_id = ? AND name = 'items_position'"
        return self._db.number(sql, (self._user,))

    def set_admitted(self, position: int) -> None:
        self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, 'items_position', ?)", (self._user, position))

    # ---- vectors

    def without_vector(self, embedder: str, limit: int) -> list[MemoryItem]:
        """Items that this embedder has not seen. Up to a remembered change there are none, and nobody looks."""
        name = f"vectors:{embedder}"
        done = self._db.number("SELECT value FROM meta WHERE user_id = ? AND name = ?", (self._user, name))
        sql = (
            f"{_SELECT} WHERE i.user_id = ? AND i.changed > ? AND i.deleted_ms IS NULL AND NOT EXISTS (SELECT 1 "
            "FROM vectors v WHERE v.user_id = i.user_id AND v.embedder = ? AND v.item_id = i.id) "
            "ORDER BY i.changed LIMIT ?"
        )
        found = self._read(sql, (self._user, done, embedder, limit))
        if not found and (last := self._last_change()) > done:
            with self._db.write():
                self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?, ?)", (self._user, name, last))
        return found

    def _read(self, sql: str, parameters: Sequence[Any]) -> list[MemoryItem]:
        return self._db.records("items", _NAMES, _item, sql, parameters)

    def _last_change(self) -> int:
        return self._db.number("SELECT max(changed) FROM items WHERE user_id = ?", (self._user,))

    def count_vectors(self, embedder: str) -> tuple[int, int]:
        """How many items have a vector of this embedder, and how many there are."""
        have = self._db.value("SELECT count(*) FROM vectors WHERE user_id = ? AND embedder = ?", (self._user, embedder))
        return have, self._db.value("SELECT count(*) FROM items WHERE user_id = ?", (self._user,))

    def embedders(self) -> dict[str, int]:
        """How many vectors there are of each embedder."""
        sql = "SELECT embedder, count(*) FROM vectors WHERE user_id = ? GROUP BY embedder ORDER BY embedder"
        return dict(self._db.rows(sql, (self._user,)))

    def put_vectors(self, embedder: str, vectors: Sequence[tuple[str, bytes]], announce: bool = True) -> None:
        """Store vectors. Unless the items were written in the same transaction, say that they changed."""
        with self._db.write():
            self._db.execute_many(
                "INSERT OR REPLACE INTO vectors (user_id, embedder, item_id, vector) "
                "SELECT ?1, ?2, ?3, ?4 WHERE EXISTS (SELECT 1 FROM items WHERE user_id = ?1 AND id = ?3)",
                [(self._user, embedder, item_id, vector) for item_id, vector in vectors],
            )
            if announce:
                first = self._db.next_position(len(vectors))
                self._db.execute_many(
                    "UPDATE items SET changed = ? WHERE user_id = ? AND id = ?",
                    [(first + number, self._user, item_id) for number, (item_id, _) in enumerate(vectors)],
                )

    def drop_vectors_except(self, embedder: str) -> None:
        with self._db.write():
            self._db.execute("DELETE FROM vectors WHERE user_id = ? AND embedder != ?", (self._user, embedder))
            self._db.execute(
                "DELETE FROM meta WHERE user_id = ? AND name LIKE 'vectors:%' AND name != ?",
                (self._user, f"vectors:{embedder}"),
            )

    # ---- forgetting

    def hide(self, ids: Sequence[str], at_ms: int) -> int:
        """Soft: nobody is shown them any more, and they can be brought back."""
        return self._set_deleted(ids, at_ms, "IS NULL")

    def unhide(self, ids: Sequence[str]) -> int:
        return self._set_deleted(ids, None, "IS NOT NULL")

    def _set_deleted(self, ids: Sequence[str], at_ms: int | None, those: str) -> int:
        count = 0
        with self._db.write():
            for item_id in ids:
                self._db.execute(
                    f"UPDATE items SET deleted_ms = ?, changed = ? WHERE user_id = ? AND id = ? AND deleted_ms {those}",
                    (at_ms, self._db.next_position(), self._user, item_id),
                )
                count += self._db.connection.changes()
        return count

    def erase(self, ids: Sequence[str], at_ms: int) -> int:
        """Hard: the rows, their index entries, vectors, versions and links are gone; a hash says that they were."""
        count = 0
        with self._db.write():
            for item_id, document in self._documents(ids).items():
                self._unindex(document)
                mine = (self._user, item_id)
                for sql in (
                    "DELETE FROM items WHERE user_id = ? AND id = ?",
                    "DELETE FROM vectors WHERE user_id = ? AND item_id = ?",
                    "DELETE FROM item_uses WHERE user_id = ? AND item_id = ?",
                    "DELETE FROM item_versions WHERE user_id = ? AND id = ?",
                    "DELETE FROM item_sources WHERE user_id = ? AND item_id = ?",
                ):
                    self._db.execute(sql, mine)
                self._db.execute("DELETE FROM item_links WHERE user_id = ?1 AND (from_id = ?2 OR to_id = ?2)", mine)
                self._db.execute(
                    "INSERT OR IGNORE INTO tombstones (user_id, id, position, at_ms) VALUES (?, ?, ?, ?)",
                    (*mine, self._db.next_position(), at_ms),
                )
                count += 1
        return count

    def clear(self, *, captured: bool = True) -> None:
        """Throw everything away, for a rebuild; or only what memory made, and what it noted on captured items."""
        which = "user_id = ?1" if captured else "user_id = ?1 AND NOT captured"
        gone = f"SELECT id FROM items WHERE {which}"
        with self._db.write():
            self._db.execute(
                "INSERT INTO items_fts (items_fts, rowid, text) "
                f"SELECT 'delete', document, text FROM items WHERE {which} AND text IS NOT NULL",
                (self._user,),
            )
            for table, column in _HANGING:
                self._db.execute(f"DELETE FROM {table} WHERE user_id = ?1 AND {column} IN ({gone})", (self._user,))
            self._db.execute(f"DELETE FROM items WHERE {which}", (self._user,))
            self._db.execute("DELETE FROM item_uses WHERE user_id = ?", (self._user,))
            self._db.execute("UPDATE items SET deleted_ms = NULL WHERE user_id = ?", (self._user,))
            self._db.execute(
                "UPDATE items SET subject = '', valid_from_ms = NULL, valid_to_ms = NULL, superseded_by = '' "
                "WHERE user_id = ? AND captured AND subject != ''",
                (self._user,),
            )
            self._db.execute(
                "UPDATE items SET episode = '', lifecycle = 'generated' WHERE user_id = ? AND captured "
                "AND episode != ''",
                (self._user,),
            )
            if captured:
                self.set_admitted(0)
            self._db.execute("DELETE FROM meta WHERE user_id = ? AND name LIKE 'vectors:%'", (self._user,))
            generation = self.generation() + 1
            self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, 'items_generation', ?)", (self._user, generation))

    def dump(self) -> Iterator[str]:
        """Everything that a rebuild must bring back, in order."""
        for sql in (
            _DUMP,
            "SELECT id, version, data FROM item_versions WHERE user_id = ? ORDER BY id, version",
            "SELECT observation_id, item_id FROM item_sources WHERE user_id = ? ORDER BY 1, 2",
            "SELECT from_id, kind, to_id FROM item_links WHERE user_id = ? ORDER BY 1, 2, 3",
        ):
            yield from (repr(row) for row in self._db.rows(sql, (self._user,)))


def _where(filters: Filters) -> tuple[str, list[Any]]:
    """Filters as SQL over `items i`."""
    terms: list[str] = ["1" if filters.deleted else "i.deleted_ms IS NULL"]
    arguments: list[Any] = []
    if filters.valid_at_ms is not None:
        terms.append("max(i.created_ms, coalesce(i.valid_from_ms, i.created_ms)) <= ?")
        arguments.append(filters.valid_at_ms)
        if not filters.superseded:
            terms.append("(i.valid_to_ms IS NULL OR i.valid_to_ms > ?)")
            arguments.append(filters.valid_at_ms)
    elif not filters.superseded:
        terms.append("i.superseded_by = ''")
    hidden = [] if filters.quarantined else ["quarantined"]
    hidden += [] if filters.expired else ["archived", "expired"]
    if hidden:
        terms.append(f"i.lifecycle NOT IN ({', '.join('?' * len(hidden))})")
        arguments += hidden
    if filters.project is not None:
        terms.append("i.project IN (?, '')")
        arguments.append(filters.project)
    for column in ("session", "speaker", "agent", "task", "subject"):
        if wanted := getattr(filters, column):
            terms.append(f"i.{'session_id' if column == 'session' else column} = ?")
            arguments.append(wanted)
    for column, several in (("store", filters.stores), ("type", filters.types)):
        if several:
            terms.append(f"i.{column} IN ({', '.join('?' * len(several))})")
            arguments += several
    for tag in filters.tags:
        terms.append("EXISTS (SELECT 1 FROM json_each(i.data, '$.tags') WHERE value = ?)")
        arguments.append(tag)
    if filters.after_ms is not None:
        terms.append("i.created_ms >= ?")
        arguments.append(filters.after_ms)
    if filters.before_ms is not None:
        terms.append("i.created_ms < ?")
        arguments.append(filters.before_ms)
    if filters.min_importance:
        terms.append("i.importance >= ?")
        arguments.append(filters.min_importance)
    if filters.min_trust is not Trust.OUTSIDE_TOOL:
        trusted = [trust.value for trust in Trust if not trust < filters.min_trust]
        terms.append(f"i.trust IN ({', '.join('?' * len(trusted))})")
        arguments += trusted
    return " AND ".join(terms), arguments


def _values(item: MemoryItem) -> Row:
    data = {
        "tags": list(item.tags),
        "metadata": dict(item.metadata),
        "lineage": list(item.lineage_ids),
        "sources": list(item.sources),
        "terms": list(item.sparse_terms),
    }
    return (
        item.store, item.type.value, item.position, item.chunk_index, item.parent_id, item.session, item.project,
        item.speaker, item.agent, item.task, item.episode, item.subject, item.source.value, item.trust.value,
        item.lifecycle.value, item.importance, item.novelty, item.confidence, item.tokens_estimate, item.retention,
        item.ttl_ms, item.redaction_status.value, item.checksum or checksum_of(item.text), item.created_ms,
        None, 0, item.modified_ms, item.deleted_ms, item.step_index, item.version,
        item.valid_from_ms, item.valid_to_ms, item.superseded_by, _ENCODE({k: v for k, v in data.items() if v}),
    )  # fmt: skip


def checksum_of(text: str) -> str:
    """Tells whether an item's text is the one that was stored."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


_TYPES = {one.value: one for one in ItemType}
_TRUSTS = {one.value: one for one in Trust}
_SOURCES = {one.value: one for one in Source}
_LIFECYCLES = {one.value: one for one in Lifecycle}
_REDACTIONS = {one.value: one for one in Redaction}


def _changed(row: Sequence[Any]) -> tuple[int, MemoryItem, bytes | None]:
    return row[-2], _item(row), row[-1]


def _item(row: Sequence[Any]) -> MemoryItem:
    data = json.loads(row[36]) if row[36] != "{}" else {}
    if not is_item_data(data):
        raise ValueError(f"data is {row[36][:40]!r}")
    return MemoryItem(
        id=row[0], text=row[1], user=row[2], store=row[3], type=_TYPES[row[4]], position=row[5], chunk_index=row[6],
        parent_id=row[7], session=row[8], project=row[9], speaker=row[10], agent=row[11], task=row[12],
        episode=row[13], subject=row[14], source=_SOURCES[row[15]], trust=_TRUSTS[row[16]],
        lifecycle=_LIFECYCLES[row[17]], importance=row[18], novelty=row[19], confidence=row[20],
        tokens_estimate=row[21], retention=row[22], ttl_ms=row[23], redaction_status=_REDACTIONS[row[24]],
        checksum=row[25], created_ms=row[26], accessed_ms=row[27], access_count=row[28], modified_ms=row[29],
        deleted_ms=row[30], step_index=row[31], version=row[32], valid_from_ms=row[33], valid_to_ms=row[34],
        superseded_by=row[35], tags=tuple(data.get("tags", ())), metadata=data.get("metadata", {}),
        lineage_ids=tuple(data.get("lineage", ())), sources=tuple(data.get("sources", ())),
        sparse_terms=tuple(data.get("terms", ())),
    )  # fmt: skip
