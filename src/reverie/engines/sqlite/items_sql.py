"""The columns and statements of `items` and of the tables that hang on it: versions, sources, links, vectors.

`?1` is the user in all those that number their parameters. Lists of ids go in as one JSON array.
"""

from typing import Any, NamedTuple

from reverie.records import Filters, Trust


class ItemRow(NamedTuple):
    """The columns that say what an item is. Where its text stands, and when it changed, is the table's own business."""

    store: str
    type: str
    position: int
    chunk_index: int
    parent_id: str
    session_id: str
    project: str
    speaker: str
    agent: str
    task: str
    episode: str
    subject: str
    source: str
    trust: str
    lifecycle: str
    importance: float
    novelty: float
    confidence: float
    tokens: int
    retention: str
    ttl_ms: int | None
    redaction: str
    checksum: str
    created_ms: int
    accessed_ms: int | None
    access_count: int
    modified_ms: int | None
    deleted_ms: int | None
    step_index: int
    version: int
    valid_from_ms: int | None
    valid_to_ms: int | None
    superseded_by: str
    data: str


_COLUMNS = ", ".join(ItemRow._fields)
# A message's text has one home, the log; a chunk of it is told by where it begins and ends.
_TEXT = (
    "coalesce(i.text, (SELECT CASE WHEN i.first_char IS NULL THEN whole "
    "ELSE substr(whole, i.first_char + 1, i.last_char - i.first_char) END FROM "
    "(SELECT CASE o.title WHEN '' THEN o.text ELSE o.title || char(10) || o.text END AS whole "
    "FROM observations o WHERE o.user_id = i.user_id AND o.position = i.position)), '')"
)
# How often an item was used stands beside it, so that counting does not change the item.
_BESIDE = {"accessed_ms": "u.used_ms", "access_count": "coalesce(u.uses, 0)"}
_VALUES = ", ".join(_BESIDE.get(column, f"i.{column}") for column in ItemRow._fields)
_FIELDS = f"i.id, {_TEXT}, i.user_id, {_VALUES}"
_ITEMS = "items i LEFT JOIN item_uses u ON u.user_id = i.user_id AND u.item_id = i.id"
_CURRENT = "i.deleted_ms IS NULL AND i.superseded_by = '' AND i.lifecycle NOT IN ('archived','expired','quarantined')"

READ = f"id, text, user_id, {_COLUMNS}"  # the columns that every SELECT of items begins with
SELECT = f"SELECT {_FIELDS} FROM {_ITEMS}"

# ---- items: reading

BY_ID = f"{SELECT} WHERE i.user_id = ? AND i.id IN (SELECT value FROM json_each(?))"
OF_SOURCES = (
    f"{SELECT} WHERE i.user_id = ?1 AND i.id IN (SELECT s.item_id FROM item_sources s "
    "WHERE s.user_id = ?1 AND s.observation_id IN (SELECT value FROM json_each(?2))) "
    "ORDER BY i.position, i.chunk_index, i.id"
)
BY_END_OF_ID = (
    f"{SELECT} WHERE i.user_id = ?1 AND i.id IN (SELECT k.id FROM items k, json_each(?2) e "
    "WHERE k.user_id = ?1 AND e.value <> '' AND substr(k.id, -length(e.value)) = e.value) ORDER BY i.id"
)
MADE_OF = (
    f"WITH named(id) AS (SELECT value FROM json_each(?3)) {SELECT} WHERE i.user_id = ?1 AND i.store = ?2 "
    "AND i.id IN (SELECT id FROM named "
    "UNION SELECT item_id FROM item_sources WHERE user_id = ?1 AND observation_id IN named "
    "UNION SELECT id FROM items WHERE user_id = ?1 AND store = ?2 AND parent_id IN named) "
    "ORDER BY i.position, i.chunk_index, i.id"
)
HIDDEN = "SELECT id FROM items WHERE user_id = ? AND deleted_ms IS NOT NULL AND id IN (SELECT value FROM json_each(?))"
SESSIONS_WITHOUT_EPISODE = (
    "SELECT DISTINCT session_id FROM items i WHERE user_id = ? AND captured AND episode = '' "
    "AND deleted_ms IS NULL ORDER BY 1"
)
CAPACITY = f"SELECT count(*), coalesce(sum(tokens), 0) FROM items i WHERE user_id = ? AND store = ? AND {_CURRENT}"
COUNTS = f"SELECT store, count(*) FROM items i WHERE user_id = ? AND {_CURRENT} GROUP BY store ORDER BY store"
COUNT_ALL = "SELECT count(*) FROM items WHERE user_id = ?"
COUNT_QUARANTINED = "SELECT count(*) FROM items WHERE user_id = ? AND lifecycle = 'quarantined' AND deleted_ms IS NULL"
# Each name by one look into the index.
STORES = (
    "WITH RECURSIVE s(name) AS (SELECT min(store) FROM items WHERE user_id = ?1 UNION ALL "
    "SELECT (SELECT min(store) FROM items WHERE user_id = ?1 AND store > s.name) FROM s WHERE s.name IS NOT NULL) "
    "SELECT name FROM s WHERE name IS NOT NULL"
)
CHANGED_SINCE = (
    f"SELECT {_FIELDS}, i.changed, v.vector FROM {_ITEMS} "
    "LEFT JOIN vectors v ON v.user_id = i.user_id AND v.embedder = ? AND v.item_id = i.id "
    "WHERE i.user_id = ? AND i.changed > ? ORDER BY i.changed LIMIT ?"
)
REMOVED_SINCE = "SELECT position, id FROM tombstones WHERE user_id = ? AND position > ? ORDER BY position"
HAS_NEWS = (
    "SELECT EXISTS (SELECT 1 FROM items WHERE user_id = ?1 AND changed > ?2) "
    "OR EXISTS (SELECT 1 FROM tombstones WHERE user_id = ?1 AND position > ?3) OR ?4 != "
    "coalesce((SELECT value FROM meta WHERE user_id = ?1 AND name = 'items_generation'), 0)"
)
LAST_CHANGE = "SELECT max(changed) FROM items WHERE user_id = ?"
WITHOUT_VECTOR = (
    f"{SELECT} WHERE i.user_id = ? AND i.changed > ? AND i.deleted_ms IS NULL AND NOT EXISTS (SELECT 1 "
    "FROM vectors v WHERE v.user_id = i.user_id AND v.embedder = ? AND v.item_id = i.id) "
    "ORDER BY i.changed LIMIT ?"
)

# ---- items: writing

INSERT = (
    f"INSERT OR REPLACE INTO items (user_id, id, document, text, first_char, last_char, captured, changed, {_COLUMNS}) "
    f"VALUES ({', '.join('?' * (8 + len(ItemRow._fields)))})"
)
LAST_DOCUMENT = "SELECT coalesce(max(document), 0) FROM items"
DOCUMENTS = "SELECT i.id, i.document FROM json_each(?) w CROSS JOIN items i ON i.user_id = ? AND i.id = w.value"
SET_EPISODE = "UPDATE items SET episode = ?, changed = ? WHERE user_id = ? AND id = ?"
SET_EPISODE_AND_ARCHIVE = (
    "UPDATE items SET episode = ?, changed = ?, lifecycle = 'archived' WHERE user_id = ? AND id = ?"
)
SET_VALIDITY = (
    "UPDATE items SET subject = ?, valid_from_ms = ?, valid_to_ms = ?, superseded_by = ?, changed = ? "
    "WHERE user_id = ? AND id = ?"
)
SET_TAGS = (
    "UPDATE items SET importance = max(importance, ?), data = json_set(data, '$.tags', json(?)), "
    "changed = ? WHERE user_id = ? AND id = ?"
)
SET_CHANGED = "UPDATE items SET changed = ? WHERE user_id = ? AND id = ?"
HIDE = "UPDATE items SET deleted_ms = ?, changed = ? WHERE user_id = ? AND id = ? AND deleted_ms IS NULL"
UNHIDE = "UPDATE items SET deleted_ms = ?, changed = ? WHERE user_id = ? AND id = ? AND deleted_ms IS NOT NULL"
UNHIDE_ALL = "UPDATE items SET deleted_ms = NULL WHERE user_id = ?"
FORGET_VALIDITY = (
    "UPDATE items SET subject = '', valid_from_ms = NULL, valid_to_ms = NULL, superseded_by = '' "
    "WHERE user_id = ? AND captured AND subject != ''"
)
FORGET_EPISODES = (
    "UPDATE items SET episode = '', lifecycle = 'generated' WHERE user_id = ? AND captured AND episode != ''"
)
ADD_TOMBSTONE = "INSERT OR IGNORE INTO tombstones (user_id, id, position, at_ms) VALUES (?, ?, ?, ?)"

# ---- the text index, which wants to be told what a text said before it forgets it

INDEX_TEXT = "INSERT INTO items_fts (rowid, text) VALUES (?, ?)"
UNINDEX_TEXT = (
    "INSERT INTO items_fts (items_fts, rowid, text) "
    "SELECT 'delete', document, text FROM items WHERE document = ? AND text IS NOT NULL"
)

# ---- uses

ADD_USES = "INSERT INTO item_uses (user_id, item_id, uses, used_ms) VALUES (?, ?, ?, ?)"
COUNT_USE = (
    "INSERT INTO item_uses (user_id, item_id, uses, used_ms) "
    "SELECT user_id, id, 1, ?3 FROM items WHERE user_id = ?1 AND id = ?2 "
    "ON CONFLICT (user_id, item_id) DO UPDATE SET uses = uses + 1, used_ms = excluded.used_ms"
)
DELETE_USES = "DELETE FROM item_uses WHERE user_id = ? AND item_id = ?"
DELETE_ALL_USES = "DELETE FROM item_uses WHERE user_id = ?"

# ---- vectors

PUT_VECTOR = (
    "INSERT OR REPLACE INTO vectors (user_id, embedder, item_id, vector) "
    "SELECT ?1, ?2, ?3, ?4 WHERE EXISTS (SELECT 1 FROM items WHERE user_id = ?1 AND id = ?3)"
)
VECTORS = (
    "SELECT item_id, vector FROM vectors "
    "WHERE user_id = ? AND embedder = ? AND item_id IN (SELECT value FROM json_each(?))"
)
DELETE_VECTORS = "DELETE FROM vectors WHERE user_id = ? AND item_id = ?"
DELETE_OTHER_VECTORS = "DELETE FROM vectors WHERE user_id = ? AND embedder != ?"
COUNT_VECTORS = "SELECT count(*) FROM vectors WHERE user_id = ? AND embedder = ?"
EMBEDDERS = "SELECT embedder, count(*) FROM vectors WHERE user_id = ? GROUP BY embedder ORDER BY embedder"

# ---- sources, versions, links

ADD_SOURCE = "INSERT OR IGNORE INTO item_sources VALUES (?, ?, ?)"
DELETE_SOURCES = "DELETE FROM item_sources WHERE user_id = ? AND item_id = ?"
ADD_VERSION = "INSERT OR REPLACE INTO item_versions VALUES (?, ?, ?, ?)"
VERSIONS = "SELECT data FROM item_versions WHERE user_id = ? AND id = ? ORDER BY version"
DELETE_VERSIONS = "DELETE FROM item_versions WHERE user_id = ? AND id = ?"
ADD_LINK = "INSERT OR IGNORE INTO item_links VALUES (?, ?, ?, ?)"
LINKS = (
    "SELECT from_id, kind, to_id FROM item_links WHERE user_id = ?1 AND (from_id = ?2 OR to_id = ?2) "
    "ORDER BY from_id, kind, to_id"
)
DELETE_LINK = "DELETE FROM item_links WHERE user_id = ? AND from_id = ? AND kind = ? AND to_id = ?"
DELETE_LINKS = "DELETE FROM item_links WHERE user_id = ?1 AND (from_id = ?2 OR to_id = ?2)"

# ---- counters

COUNTER = "SELECT value FROM meta WHERE user_id = ? AND name = ?"
SET_COUNTER = "INSERT OR REPLACE INTO meta VALUES (?, ?, ?)"
DELETE_EMBEDDED_COUNTERS = "DELETE FROM meta WHERE user_id = ? AND name LIKE 'vectors:%' AND name != ?"

# ---- all of it

ERASE = (
    "DELETE FROM items WHERE user_id = ? AND id = ?",
    DELETE_VECTORS,
    DELETE_USES,
    DELETE_VERSIONS,
    DELETE_SOURCES,
    DELETE_LINKS,
)
DUMP = (
    f"SELECT i.id, i.text, i.first_char, i.last_char, i.captured, {_VALUES} FROM {_ITEMS} "
    "WHERE i.user_id = ? ORDER BY i.id",
    "SELECT id, version, data FROM item_versions WHERE user_id = ? ORDER BY id, version",
    "SELECT observation_id, item_id FROM item_sources WHERE user_id = ? ORDER BY 1, 2",
    "SELECT from_id, kind, to_id FROM item_links WHERE user_id = ? ORDER BY 1, 2, 3",
)


def clear(*, captured: bool) -> list[str]:
    """The statements that delete all items with what hangs on them; or only those that memory made itself."""
    which = "user_id = ?1" if captured else "user_id = ?1 AND NOT captured"
    hanging = (("vectors", "item_id"), ("item_sources", "item_id"), ("item_versions", "id"), ("item_links", "from_id"))
    gone = f"(SELECT id FROM items WHERE {which})"
    return [
        "INSERT INTO items_fts (items_fts, rowid, text) "
        f"SELECT 'delete', document, text FROM items WHERE {which} AND text IS NOT NULL",
        *(f"DELETE FROM {table} WHERE user_id = ?1 AND {column} IN {gone}" for table, column in hanging),
        f"DELETE FROM items WHERE {which}",
    ]


def where(filters: Filters) -> tuple[str, list[Any]]:
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
    for name, value in filters.metadata:
        terms.append("EXISTS (SELECT 1 FROM json_each(i.data, '$.metadata') WHERE key = ? AND value = ?)")
        arguments += [name, value]
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
