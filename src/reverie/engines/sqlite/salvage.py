"""A damaged file -> what still stands in it, in a new file. The damaged one is set aside, never deleted.

Only truth is carried over; what is derived is derived anew. No tree and no schema of the old file is trusted: each page
is read for itself (pages.py), and a record is known by the shape of its values; an observation also by its checksum.
"""

import json
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import apsw

from reverie.engines.sqlite import rows
from reverie.engines.sqlite.checks import SEALED, Column, RowShape, columns_of, problem_of
from reverie.engines.sqlite.damaged_rows import TEXT_INDEXES, Damaged, set_aside, set_aside_of_log
from reverie.engines.sqlite.database import Database, Row
from reverie.engines.sqlite.pages import PageFile, records
from reverie.ports import Env

TRUTH = (
    "meta",
    "observations",
    "acts",
    "replies",
    "ticks",
    "sessions",
    "pending_actions",
    "goals",
    "questions",
    "tombstones",
    "learning_ids",
    "spend",
    "mirrors",
    "inbox",
    "drains",
    "trace",
    "texts",
    "reminders",
    "punchclock",
    "domaindocs",
    "domaindoc_sections",
    "domaindoc_versions",
    "segments",
    "messages",
    "cache_ledger",
    "set_aside",
)
_NUMBERED = ("observations", "acts", "replies", "ticks", "trace", "tombstones")  # that have a place in the log
_GONE = "its observations were damaged"

# How many columns of a table later migrations added: rows that were not changed since are shorter by them.
_ADDED = {"inbox": 1, "acts": 1, "replies": 1, "ticks": 1}


@dataclass(frozen=True, slots=True)
class Salvaged:
    """The number of rows that were carried over, by table, and where the damaged file lies now."""

    kept: dict[str, int]
    set_aside: Path


# ---- carrying over


def salvage(path: Path, env: Env) -> Salvaged:
    """Carry over every row of truth that stands on pages which can be read."""
    aside = path.with_name(f"{path.name}.damaged-{env.random_bytes(4).hex()}")
    present = set(env.files.names(path.parent))
    for suffix in ("", "-wal", "-shm"):
        if path.name + suffix in present:
            env.files.rename(path.with_name(path.name + suffix), aside.with_name(aside.name + suffix))
    fresh = Database(path, env)
    kept = dict.fromkeys(TRUTH, 0)
    try:
        shapes = _shapes(fresh)
        with fresh.write():
            fresh.execute("DELETE FROM meta")
            damaged = []
            for table, row, is_whole in _truth(aside, shapes):
                if is_whole:
                    kept[table] += _insert(fresh, table, row)
                else:
                    damaged.append((table, row))
            set_aside_of_log(fresh, damaged, env.now_ms())
            mend(fresh)
    finally:
        fresh.close()
    return Salvaged(kept, aside)


@dataclass(frozen=True, slots=True)
class _Kind:
    """A table, and how its rows are told from those of others."""

    table: str
    columns: tuple[Column, ...]
    defaults: tuple[object, ...]  # of the columns that a short row lacks
    shape: RowShape

    def whole(self, row: Row) -> Row:
        """A row with the columns that migrations have added since it was written."""
        if missing := len(self.columns) - len(row):
            row = (*row, *self.defaults[-missing:])
            return rows.sealed(row[:-1]) if self.table in SEALED else row
        return row


_Shapes = dict[tuple[bool, int], list[_Kind]]


def _shapes(database: Database) -> _Shapes:
    """Map the kind of a tree and its number of columns to the tables whose rows look so."""
    is_row = {name: not wr for name, wr in database.rows("SELECT name, wr FROM pragma_table_list")}
    shapes: _Shapes = {}
    for table in TRUTH:
        sql = 'SELECT name, type, "notnull", dflt_value FROM pragma_table_info(?)'
        declared = database.rows(sql, (table,))
        columns = tuple(columns_of(table, [row[:3] for row in declared]))
        defaults = tuple(json.loads(row[3]) for row in declared[len(declared) - _ADDED.get(table, 0) :])
        kind = _Kind(table, columns, defaults, RowShape(table, columns))
        for missing in range(_ADDED.get(table, 0) + 1):
            shapes.setdefault((is_row[table], len(columns) - missing), []).append(kind)
    return shapes


def _truth(path: Path, shapes: _Shapes) -> Iterator[tuple[str, Row, bool]]:
    """Rows of truth, each with its table and whether it is whole. Of those that are not, only the log's are known."""
    file = PageFile(path)
    try:
        for found in records(file, lambda is_row, columns: (is_row, columns) in shapes):
            kinds = [(it, it.whole(found.values)) for it in shapes[found.is_row, len(found.values)]]
            for kind, row in kinds:
                if not kind.shape.problem(row) and _belongs(kind.table, row):
                    yield kind.table, row, True
                    break
            else:
                of_log = [(it.table, row) for it, row in kinds if it.table in SEALED and found.is_row]
                if len(of_log) == 1 and isinstance(found.values[1], int):
                    yield *of_log[0], False
    finally:
        file.close()


def _belongs(table: str, row: Row) -> bool:
    """More than types: an index on three words looks like a table of three words."""
    if table == "meta" and row[0] != "":
        return False  # what is kept there for a user belongs to tables that are derived anew
    return not problem_of(table, row)


def _insert(database: Database, table: str, row: Row) -> bool:
    marks = ",".join("?" * len(row))
    try:
        database.execute(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", row)
    except apsw.ConstraintError:
        return False
    is_new = bool(database.connection.changes())
    if table == "observations" and is_new:
        text = row[13][: rows.INDEXED_CHARS]
        database.execute("INSERT INTO observations_fts (rowid, title, text) VALUES (?, ?, ?)", (row[1], row[12], text))
    return is_new


# ---- in place, where only rows are damaged


# What follows from the log: thrown away and derived anew.
DERIVED = ("learnings", "item_versions", "item_sources", "item_links", "item_uses", "vectors", "items")
# From which something is derived. Of the last three, a row that is gone is made again from the others.
_DERIVED_FROM = (*SEALED, "meta", "tombstones", "inbox", "sessions")


def repair_rows(database: Database, damaged: Sequence[Damaged], at_ms: int) -> bool:
    """Set damaged rows aside and mend what is missing between the others; says whether a rebuild must follow.

    Derived rows are not set aside: the rebuild makes them again.
    """
    must_rebuild = any(it.table in (*DERIVED, *_DERIVED_FROM, *TEXT_INDEXES) for it in damaged)
    with database.write():
        if must_rebuild:
            for index in ("learnings_fts", "items_fts"):
                database.execute(f"INSERT INTO {index} ({index}) VALUES ('delete-all')")
            for table in DERIVED:
                database.execute(f"DELETE FROM {table}")
        for it in damaged:
            set_aside(database, it, at_ms)
        if must_rebuild:
            database.execute("INSERT INTO observations_fts (observations_fts) VALUES ('rebuild')")
            mend(database)
    return must_rebuild


# ---- what is missing between the rows


def mend(database: Database) -> None:
    """Counters that must not be behind the rows, work that was lost, and work whose observations are gone."""
    last = max(database.value(f"SELECT coalesce(max(position), 0) FROM {table}") for table in _NUMBERED)
    last = max(last, database.value("SELECT coalesce(max(id), 0) FROM inbox"))
    database.execute("INSERT OR IGNORE INTO meta VALUES ('', 'position', 0)")
    database.execute("UPDATE meta SET value = max(value, ?) WHERE user_id = '' AND name = 'position'", (last,))
    # Who owns the files for people may be lost: then the setting `user` says so once more, and the person is told.
    database.execute(
        "INSERT OR IGNORE INTO meta SELECT '', 'owner untold', 1 WHERE NOT EXISTS "
        "(SELECT 1 FROM meta WHERE user_id = '' AND name = 'owner')"
    )
    # Each closed turn has a tick. If its work is lost, the tick of its extraction says whether it was done.
    database.execute(
        "INSERT OR IGNORE INTO inbox (user_id, id, stage, session_id, turn, first_position, last_position, closed_ms, "
        "state) SELECT user_id, position, 'rules', session_id, turn, first_position, last_position, at_ms, "
        "CASE WHEN (user_id, session_id, first_position, last_position) IN (SELECT user_id, session_id, "
        "first_position, last_position FROM ticks WHERE kind = 'rules done') THEN 'done' ELSE 'pending' END "
        "FROM ticks t WHERE kind = 'turn' AND EXISTS (SELECT 1 FROM observations o WHERE o.user_id = t.user_id "
        "AND o.session_id = t.session_id AND o.position BETWEEN t.first_position AND t.last_position)"
    )
    # A session whose row is gone gets one from its observations, so that new events find their place in it.
    database.execute(
        "INSERT OR IGNORE INTO sessions (user_id, session_id, project, source, started_ms, last_ms, message_count, "
        "observation_count, turn, last_position, closed_position) "
        "SELECT o.user_id, o.session_id, max(o.project), max(o.source), min(o.occurred_ms), max(o.recorded_ms), "
        "sum(o.kind IN ('user_message', 'assistant_message')), max(o.sequence_num), max(o.turn), max(o.position), "
        "coalesce(closed.position, 0) FROM observations o LEFT JOIN (SELECT user_id, session_id, max(last_position) "
        "AS position FROM inbox GROUP BY user_id, session_id) closed USING (user_id, session_id) "
        "GROUP BY o.user_id, o.session_id"
    )
    _queue_lost_turns(database)
    database.execute(
        "UPDATE inbox SET state = 'skipped', token = '', reason = ? WHERE NOT EXISTS (SELECT 1 FROM "
        "observations o WHERE o.user_id = inbox.user_id AND o.session_id = inbox.session_id "
        "AND o.position BETWEEN inbox.first_position AND inbox.last_position)",
        (_GONE,),
    )


def _queue_lost_turns(database: Database) -> None:
    """Observations of closed turns that no work covers any more are queued again, turn by turn."""
    covered: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for user, session, first, last in database.rows(
        "SELECT user_id, session_id, first_position, last_position FROM inbox WHERE stage = 'rules' ORDER BY 3"
    ):
        covered.setdefault((user, session), []).append((first, last))
    lost: dict[tuple[str, str, int], list[int]] = {}
    for user, session, turn, position in database.execute(
        "SELECT o.user_id, o.session_id, o.turn, o.position FROM observations o JOIN sessions s "
        "USING (user_id, session_id) WHERE o.position <= s.closed_position ORDER BY o.position"
    ):
        spans = covered.get((user, session), [])
        index = bisect_right(spans, (position, 1 << 62)) - 1
        if index < 0 or spans[index][1] < position:
            lost.setdefault((user, session, turn), []).append(position)
    for (user, session, turn), positions in lost.items():
        at_ms = database.value("SELECT recorded_ms FROM observations WHERE position = ?", (positions[-1],))
        work = (user, database.next_position(), session, turn, positions[0], positions[-1])
        tick = (*work[:2], "turn", *work[2:], "salvaged", at_ms)
        database.execute("INSERT INTO ticks VALUES (?,?,?,?,?,?,?,?,?,?)", rows.sealed(tick))
        database.execute(
            "INSERT INTO inbox (user_id, id, stage, session_id, turn, first_position, last_position, closed_ms, state) "
            "VALUES (?, ?, 'rules', ?, ?, ?, ?, ?, 'pending')",
            (*work, at_ms),
        )
