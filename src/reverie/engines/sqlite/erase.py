"""Forget for good: rows, text indexes, vectors, versions, model replies and acts that quote them; a hash remains.

Nothing is left in the file only with all three of `secure_delete`, FTS5 `'secure-delete'` and a truncated
write-ahead log: the first two are set when the file is opened, the third is done by `SqliteEngine.scrub`.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from reverie.engines.sqlite.database import Database
from reverie.engines.sqlite.items import SqliteItems
from reverie.engines.sqlite.learnings import chain_again, delete
from reverie.engines.sqlite.rows import INDEXED_CHARS, checksum

# What was learned from one observation, and what a model said of its turn.
_ABOUT = "user_id = ?1 AND (position = ?2 OR (origin != 'rules' AND session_id = ?3 AND turn = ?4))"
_START = 40  # characters by which a text is looked up
# A segment without its summary is summarised anew; who is summarising it right now finds another version.
_UNTOLD = "UPDATE segments SET title = '', summary = '', done = '[]', version = version + 1 WHERE user_id = ?1"


class _Erased(NamedTuple):
    """The columns of an observation by which everything that was made of it is found."""

    position: int
    id: str
    fingerprint: bytes
    session_id: str
    turn: int
    title: str
    text: str


_ERASURES = "SELECT value FROM meta WHERE user_id = ? AND name = 'erasures'"
_SET_ERASURES = "INSERT OR REPLACE INTO meta VALUES (?, 'erasures', ?)"

_OBSERVATIONS = (
    f"SELECT {', '.join(_Erased._fields)} FROM observations "
    "WHERE user_id = ? AND id IN (SELECT value FROM json_each(?))"
)
_UNINDEX_OBSERVATION = "INSERT INTO observations_fts (observations_fts, rowid, title, text) VALUES ('delete', ?, ?, ?)"
_DELETE_OBSERVATION = "DELETE FROM observations WHERE user_id = ? AND position = ?"
_ADD_TOMBSTONE = "INSERT OR REPLACE INTO tombstones (user_id, id, position, fingerprint, at_ms) VALUES (?, ?, ?, ?, ?)"
_DELETE_MESSAGES = "DELETE FROM messages WHERE user_id = ? AND fingerprint = ?"
_SEGMENTS_WITH = "SELECT segment_id FROM messages WHERE user_id = ? AND fingerprint = ?"
_DELETE_EMPTY_WORK = (
    "DELETE FROM inbox WHERE user_id = ?1 AND session_id IN (SELECT value FROM json_each(?2)) "
    "AND NOT EXISTS (SELECT 1 FROM observations o WHERE o.user_id = ?1 AND o.session_id = inbox.session_id "
    "AND o.position BETWEEN inbox.first_position AND inbox.last_position)"
)
_DELETE_LEARNED = tuple(
    f"DELETE FROM {table} WHERE user_id = ?1 AND id IN (SELECT id FROM learnings WHERE {_ABOUT})"
    for table in ("pending_actions", "learning_ids")
)
_DELETE_REPLIES = "DELETE FROM replies WHERE user_id = ? AND session_id = ? AND turn = ?"
_DELETE_COMPOSED = tuple(
    f"DELETE FROM {table} WHERE user_id = ?" for table in ("sections", "section_texts", "context_searches")
)

_ASKED = "SELECT position, json_extract(data, '$.asked'), json_extract(data, '$.text') FROM trace WHERE user_id = ?"
_TEXTS_NAMING = "SELECT json_extract(data, '$.text') FROM trace WHERE user_id = ? AND instr(data, ?)"
_DELETE_SPAN = "DELETE FROM trace WHERE user_id = ? AND position = ?"
_DELETE_TEXT = "DELETE FROM texts WHERE user_id = ? AND hash = ?"
_DELETE_SPANS_NAMING = "DELETE FROM trace WHERE user_id = ? AND instr(data, ?)"
_DELETE_ACTS_ON = "DELETE FROM acts WHERE user_id = ? AND target = ?"
_DELETE_ASIDE_NAMING = "DELETE FROM set_aside WHERE user_id = ? AND instr(data, ?)"
_UNWRITE_SUMMARIES_NAMING = (
    "UPDATE ticks SET reason = json_remove(reason, '$.written') "
    "WHERE user_id = ? AND kind = 'compact' AND instr(reason, ?) RETURNING position"
)
_TICK = "SELECT * FROM ticks WHERE user_id = ? AND position = ?"
_SEAL_TICK = "UPDATE ticks SET checksum = ? WHERE user_id = ? AND position = ?"


_UNINDEX_USER = (
    "INSERT INTO observations_fts (observations_fts, rowid, title, text) "
    f"SELECT 'delete', position, title, substr(text, 1, {INDEXED_CHARS}) FROM observations WHERE user_id = ?",
    "INSERT INTO learnings_fts (learnings_fts, rowid, text) "
    "SELECT 'delete', document, text FROM learnings WHERE user_id = ?",
    "INSERT INTO items_fts (items_fts, rowid, text) "
    "SELECT 'delete', document, text FROM items WHERE user_id = ? AND text IS NOT NULL",
)
_TABLES_OF_USERS = (
    "SELECT t.name FROM pragma_table_list t WHERE t.schema = 'main' AND t.type = 'table' "
    "AND EXISTS (SELECT 1 FROM pragma_table_info(t.name) WHERE name = 'user_id') ORDER BY t.name"
)


def erase_user(db: Database, user: str) -> int:
    """Erase every row of a user, with its index entries; return how many rows there were."""
    with db.write():
        for statement in _UNINDEX_USER:
            db.execute(statement, (user,))
        count = 0
        for (table,) in db.rows(_TABLES_OF_USERS):
            db.execute(f"DELETE FROM {table} WHERE user_id = ?", (user,))
            count += db.connection.changes()
        db.action_writes += 1
    return count


def count_erasure(db: Database, user: str) -> None:
    """Count an erasure. A process that composed something before it sees the count change, and does not store it."""
    db.execute(_SET_ERASURES, (user, erasures(db, user) + 1))


def erasures(db: Database, user: str) -> int:
    """Count how often something was forgotten for good."""
    return db.number(_ERASURES, (user,))


def erase_observations(db: Database, items: SqliteItems, user: str, ids: Sequence[str], at_ms: int) -> int:
    """Erase observations with everything that was made of them; says how many there were.

    Learnings of the same turn by a model go with the model's reply, which may quote what is erased.
    """
    with db.write():
        found = [_Erased._make(row) for row in db.rows(_OBSERVATIONS, (user, json.dumps(list(ids))))]
        sessions = {it.session_id for it in found}
        segments = sessions.union(*(_segments_with(db, user, it.fingerprint) for it in found))
        for it in found:
            _erase_one(db, user, it, at_ms)
        made = [item.id for item in items.of_sources([it.id for it in found])]
        items.erase([*made, *(it.id for it in found)], at_ms)
        # A turn of which nothing is left is no work any more, and a rebuild has nothing to look at there.
        db.execute(_DELETE_EMPTY_WORK, (user, json.dumps(sorted(sessions))))
        _erase_composed(db, user, sorted(segments))
        _erase_questions(db, user, {it.text for it in found})
    return len(found)


def _segments_with(db: Database, user: str, mark: bytes) -> Iterator[str]:
    """The segments of all conversations in which an observation stands as a message."""
    return (segment for (segment,) in db.rows(_SEGMENTS_WITH, (user, mark)))


def _erase_one(db: Database, user: str, it: _Erased, at_ms: int) -> None:
    erase_learned(db, user, it.position, it.session_id, it.turn)
    db.execute(_UNINDEX_OBSERVATION, (it.position, it.title, it.text[:INDEXED_CHARS]))
    db.execute(_DELETE_OBSERVATION, (user, it.position))
    db.execute(_DELETE_MESSAGES, (user, it.fingerprint))
    db.execute(_ADD_TOMBSTONE, (user, it.id, db.next_position(), it.fingerprint, at_ms))


def erase_learned(db: Database, user: str, position: int, session: str, turn: int) -> None:
    """Erase what was learned from the observation at a place, and all that a model said and learned of its turn."""
    where = (user, position, session, turn)
    for sql in _DELETE_LEARNED:
        db.execute(sql, where)
    db.action_writes += 1
    chain_again(db, user, delete(db, _ABOUT, where))
    db.execute(_DELETE_REPLIES, (user, session, turn))


def _erase_questions(db: Database, user: str, texts: Collection[str]) -> None:
    """The trace tells what was asked of memory: mostly the beginning of what somebody said."""
    by_start: dict[str, list[str]] = {}
    for text in texts:
        by_start.setdefault(text[:_START], []).append(text)
    told = [
        (position, address)
        for position, asked, address in db.rows(_ASKED, (user,))
        if asked and any(text.startswith(asked) for text in by_start.get(asked[:_START], ()))
    ]
    db.execute_many(_DELETE_SPAN, [(user, position) for position, _ in told])
    db.execute_many(_DELETE_TEXT, [(user, address) for _, address in told])


def _erase_composed(db: Database, user: str, segments: Sequence[str]) -> None:
    """Prompts quote what is remembered: nothing that was composed stays, nor what a conversation was called by it."""
    for sql in _DELETE_COMPOSED:
        db.execute(sql, (user,))
    db.execute(f"{_UNTOLD} AND id IN (SELECT value FROM json_each(?2))", (user, json.dumps(segments)))


def erase_titles(db: Database, user: str, says: str, words: str) -> None:
    """Erase what conversations are called and summarised by, where it mentions these words."""
    db.execute(f"{_UNTOLD} AND {says.format('title || char(10) || summary')}", (user, words))


def erase_traces(db: Database, user: str, ids: Iterable[str]) -> None:
    """Erase what the trace and the composed texts say of these items: a past turn then shows that they are gone."""
    with db.write():
        for item_id in ids:
            addresses = db.rows(_TEXTS_NAMING, (user, item_id))
            db.execute_many(_DELETE_TEXT, [(user, address) for (address,) in addresses])
            db.execute(_DELETE_SPANS_NAMING, (user, item_id))
            db.execute(_DELETE_ACTS_ON, (user, item_id))
            # What a model wrote of an episode may quote what is forgotten; the rules summarise it anew.
            for (position,) in db.rows(_UNWRITE_SUMMARIES_NAMING, (user, item_id)):
                seal_tick(db, user, position)
            db.execute(_DELETE_ASIDE_NAMING, (user, item_id))


def seal_tick(db: Database, user: str, position: int) -> None:
    """Give a tick of which something was forgotten the checksum of what is left."""
    for *row, _ in db.rows(_TICK, (user, position)):
        db.execute(_SEAL_TICK, (checksum(row), user, position))
