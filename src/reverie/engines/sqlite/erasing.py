"""Forget for good: rows, text indexes, vectors, versions, model replies and acts that quote them; a hash remains.

Nothing is left in the file only with all three of `secure_delete`, FTS5 `'secure-delete'` and a truncated
write-ahead log: the first two are set when the file is opened, the third is done by `SqliteEngine.scrub`.
"""

import json
from collections.abc import Collection, Iterable, Sequence

from reverie.engines.sqlite.database import Database, Row
from reverie.engines.sqlite.items import SqliteItems
from reverie.engines.sqlite.learnings import chain_again, delete
from reverie.engines.sqlite.rows import INDEXED_CHARS

# What was learned from one observation, and what a model said of its turn.
_ABOUT = "user_id = ?1 AND (position = ?2 OR (origin != 'rules' AND session_id = ?3 AND turn = ?4))"
_START = 40  # characters by which a text is looked up
# A segment without its summary is summarised anew; who is summarising it right now finds another version.
_UNTOLD = "UPDATE segments SET title = '', summary = '', done = '[]', version = version + 1 WHERE user_id = ?1"


def count_erasure(db: Database, user: str) -> None:
    """Whoever composed something before this one knows it by the count, and does not write it down."""
    sql = "INSERT OR REPLACE INTO meta VALUES (?, 'erasures', ?)"
    db.execute(sql, (user, erasures(db, user) + 1))


def erasures(db: Database, user: str) -> int:
    """How often something was forgotten for good."""
    return int(db.value("SELECT value FROM meta WHERE user_id = ? AND name = 'erasures'", (user,)) or 0)


def erase_observations(db: Database, items: SqliteItems, user: str, ids: Sequence[str], at_ms: int) -> int:
    """Erase observations with everything that was made of them; says how many there were.

    Learnings of the same turn by a model go with the model's reply, which may quote what is erased.
    """
    with db.write():
        sql = (
            "SELECT o.position, o.id, o.fingerprint, o.session_id, o.turn, o.title, o.text FROM observations o "
            "WHERE o.user_id = ? AND o.id IN (SELECT value FROM json_each(?))"
        )
        found = db.rows(sql, (user, json.dumps(list(ids))))
        for row in found:
            _erase_one(db, user, row, at_ms)
        made = [item.id for item in items.of_sources([row[1] for row in found])]
        items.erase([*made, *(row[1] for row in found)], at_ms)
        _drop_empty_turns(db, user, sorted({row[3] for row in found}))
        _erase_composed(db, user, sorted({row[3] for row in found}))
        _erase_questions(db, user, {row[6] for row in found})
    return len(found)


def _drop_empty_turns(db: Database, user: str, sessions: Sequence[str]) -> None:
    """A turn of which nothing is left is no work any more, and a rebuild has nothing to look at there."""
    db.execute(
        "DELETE FROM inbox WHERE user_id = ?1 AND session_id IN (SELECT value FROM json_each(?2)) "
        "AND NOT EXISTS (SELECT 1 FROM observations o WHERE o.user_id = ?1 AND o.session_id = inbox.session_id "
        "AND o.position BETWEEN inbox.first_position AND inbox.last_position)",
        (user, json.dumps(sessions)),
    )


def _erase_one(db: Database, user: str, row: Row, at_ms: int) -> None:
    position, observation_id, mark, session, turn, title, text = row
    erase_learned(db, user, position, session, turn)
    db.execute(
        "INSERT INTO observations_fts (observations_fts, rowid, title, text) VALUES ('delete', ?, ?, ?)",
        (position, title, text[:INDEXED_CHARS]),
    )
    db.execute("DELETE FROM observations WHERE user_id = ? AND position = ?", (user, position))
    db.execute("DELETE FROM messages WHERE user_id = ? AND fingerprint = ?", (user, mark))
    db.execute(
        "INSERT OR REPLACE INTO tombstones (user_id, id, position, fingerprint, at_ms) VALUES (?, ?, ?, ?, ?)",
        (user, observation_id, db.next_position(), mark, at_ms),
    )


def erase_learned(db: Database, user: str, position: int, session: str, turn: int) -> None:
    """Erase what was learned from the observation at a place, and all that a model said and learned of its turn."""
    where = (user, position, session, turn)
    for table in ("pending_actions", "learning_ids"):
        db.execute(f"DELETE FROM {table} WHERE user_id = ?1 AND id IN (SELECT id FROM learnings WHERE {_ABOUT})", where)
    db.action_writes += 1
    chain_again(db, user, delete(db, _ABOUT, where))
    db.execute("DELETE FROM replies WHERE user_id = ? AND session_id = ? AND turn = ?", (user, session, turn))


def _erase_questions(db: Database, user: str, texts: Collection[str]) -> None:
    """The trace tells what was asked of memory: mostly the beginning of what somebody said."""
    by_start: dict[str, list[str]] = {}
    for text in texts:
        by_start.setdefault(text[:_START], []).append(text)
    sql = "SELECT position, json_extract(data, '$.asked'), json_extract(data, '$.text') FROM trace WHERE user_id = ?"
    told = [
        row
        for row in db.rows(sql, (user,))
        if row[1] and any(text.startswith(row[1]) for text in by_start.get(row[1][:_START], ()))
    ]
    db.execute_many("DELETE FROM trace WHERE user_id = ? AND position = ?", [(user, row[0]) for row in told])
    db.execute_many("DELETE FROM texts WHERE user_id = ? AND hash = ?", [(user, row[2]) for row in told])


def _erase_composed(db: Database, user: str, sessions: Sequence[str]) -> None:
    """Prompts quote what is remembered: nothing that was composed stays, nor what a conversation was called by it."""
    for table in ("sections", "section_texts", "context_searches"):
        db.execute(f"DELETE FROM {table} WHERE user_id = ?", (user,))
    db.execute(f"{_UNTOLD} AND id IN (SELECT value FROM json_each(?2))", (user, json.dumps(sessions)))


def erase_titles(db: Database, user: str, says: str, words: str) -> None:
    """Erase what conversations are called and summarised by, where it mentions these words."""
    db.execute(f"{_UNTOLD} AND {says.format('title || char(10) || summary')}", (user, words))


def erase_traces(db: Database, user: str, ids: Iterable[str]) -> None:
    """Erase what the trace and the composed texts say of these items: a past turn then shows that they are gone."""
    with db.write():
        for item_id in ids:
            hashes = db.rows(
                "SELECT json_extract(data, '$.text') FROM trace WHERE user_id = ? AND instr(data, ?)", (user, item_id)
            )
            db.execute_many("DELETE FROM texts WHERE user_id = ? AND hash = ?", [(user, row[0]) for row in hashes])
            db.execute("DELETE FROM trace WHERE user_id = ? AND instr(data, ?)", (user, item_id))
            db.execute("DELETE FROM acts WHERE user_id = ? AND target = ?", (user, item_id))
            # What a model wrote of an episode may quote what is forgotten; the rules summarise it anew.
            db.execute(
                "UPDATE ticks SET reason = json_remove(reason, '$.written') "
                "WHERE user_id = ? AND kind = 'compact' AND instr(reason, ?)",
                (user, item_id),
            )
