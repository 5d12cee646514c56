"""Forget for good: rows, text indexes, vectors, versions, model replies and acts that quote them; a hash remains.

Nothing is left in the file only with all three of `secure_delete`, FTS5 `'secure-delete'` and a truncated
write-ahead log: the first two are set when the file is opened, the third is done by `Database.truncate_wal`.
"""

import json
from collections.abc import Sequence

from reverie.engines.sqlite.database import Database, Row
from reverie.engines.sqlite.items import SqliteItems
from reverie.engines.sqlite.rows import INDEXED_CHARS

# What was learned from one observation, and what a model said of its turn.
_ABOUT = "user_id = ?1 AND (position = ?2 OR (origin != 'rules' AND session_id = ?3 AND turn = ?4))"


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
    where = (user, position, session, turn)
    db.execute(
        "INSERT INTO learnings_fts (learnings_fts, rowid, text) "
        f"SELECT 'delete', document, text FROM learnings WHERE {_ABOUT}",
        where,
    )
    db.execute(
        "UPDATE learnings AS older SET superseded_by = (SELECT newer.superseded_by FROM learnings newer "
        "WHERE newer.user_id = older.user_id AND newer.id = older.superseded_by) "
        f"WHERE user_id = ?1 AND superseded_by IN (SELECT id FROM learnings WHERE {_ABOUT})",
        where,
    )
    db.execute(
        f"DELETE FROM pending_actions WHERE user_id = ?1 AND id IN (SELECT id FROM learnings WHERE {_ABOUT})",
        where,
    )
    db.execute(f"DELETE FROM learnings WHERE {_ABOUT}", where)
    db.execute("DELETE FROM replies WHERE user_id = ? AND session_id = ? AND turn = ?", (user, session, turn))
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


def _erase_composed(db: Database, user: str, sessions: Sequence[str]) -> None:
    """Prompts quote what is remembered: nothing that was composed stays, nor what a conversation was called by it."""
    for table in ("sections", "section_texts", "context_searches"):
        db.execute(f"DELETE FROM {table} WHERE user_id = ?", (user,))
    db.execute(
        "UPDATE segments SET title = '', summary = '' WHERE user_id = ? AND id IN (SELECT value FROM json_each(?))",
        (user, json.dumps(sessions)),
    )


def erase_traces(db: Database, user: str, ids: Sequence[str]) -> None:
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


def erase_mentions(db: Database, user: str, words: Sequence[str]) -> None:
    """Erase what mentions all of these words outside of memory itself: prompts in the trace, what the gate dropped,
    goals, questions, reminders, documents. Without words, everything of the kind.
    """
    with db.write():
        for table, column in _MENTIONS:
            said = "".join(f" AND instr(lower({column}), ?)" for _ in words)
            where = f"user_id = ?{said}" + (" AND kind = 'memorize'" if table == "acts" else "")
            db.execute(f"DELETE FROM {table} WHERE {where}", (user, *(word.lower() for word in words)))
        _erase_from_policies(db, user, [word.lower() for word in words])


def _erase_from_policies(db: Database, user: str, words: Sequence[str]) -> None:
    """What the gate judged by names the goals of that time: those that are forgotten go from there as well."""
    for position, told in db.rows("SELECT position, reason FROM ticks WHERE user_id = ? AND kind = 'policy'", (user,)):
        policy = json.loads(told)
        kept = [goal for goal in policy["goals"] if not all(word in goal["text"].lower() for word in words)]
        if kept != policy["goals"]:
            policy["goals"] = kept
            db.execute(
                "UPDATE ticks SET reason = ? WHERE user_id = ? AND position = ?",
                (json.dumps(policy, sort_keys=True), user, position),
            )


_MENTIONS = (
    ("trace", "data"),
    ("texts", "text"),
    ("section_texts", "text"),
    ("sections", "content"),
    ("acts", "data"),
    ("goals", "text"),
    ("questions", "text"),
    ("reminders", "title || ' ' || note"),
    ("punchclock", "label || ' ' || note"),
    ("domaindoc_sections", "header || ' ' || content || ' ' || summary"),
    ("domaindoc_versions", "diff || ' ' || data"),
    ("context_searches", "query || ' ' || found"),
)
