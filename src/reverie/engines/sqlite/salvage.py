"""A damaged file -> what still stands in it, in a new file. The damaged one is set aside, never deleted.

Only truth is carried over; what is derived is derived anew. No tree and no schema of the old file is trusted: each page
is read for itself (pages.py), and a record is known by the shape of its values; an observation also by its checksum.
"""

import json
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import apsw

from reverie.conversing import Role, SegmentState
from reverie.desk import PunchState
from reverie.engines.sqlite import rows
from reverie.engines.sqlite.database import Database, Row
from reverie.engines.sqlite.pages import PageFile, records
from reverie.ids import content_address, tail_of
from reverie.ports import Env
from reverie.records import ActionStatus, GoalStatus, Horizon, Owner, Priority, Stage, Trust, WorkState

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
)
_NUMBERED = ("observations", "acts", "replies", "ticks", "trace", "tombstones")  # that have a place in the log
_GONE = "its observations were damaged"

_PYTHON_TYPES: dict[str, tuple[type, ...]] = {
    "TEXT": (str,),
    "INTEGER": (int,),
    "REAL": (float, int),  # SQLite writes 1.0 as 1
    "BLOB": (bytes,),
}
# Columns whose every value is one of a few words. A row with another word could not be read later.
_WORDS: dict[tuple[str, str], Iterable[str]] = {
    ("inbox", "stage"): Stage,
    ("inbox", "state"): WorkState,
    ("pending_actions", "priority"): Priority,
    ("pending_actions", "owner"): Owner,
    ("pending_actions", "status"): ActionStatus,
    ("pending_actions", "trust"): Trust,
    ("goals", "priority"): Priority,
    ("goals", "horizon"): Horizon,
    ("goals", "status"): GoalStatus,
    ("reminders", "kind"): ("user", "internal"),
    ("reminders", "status"): ("active", "done"),
    ("punchclock", "state"): PunchState,
    ("domaindoc_sections", "by"): ("user", "agent"),
    ("segments", "state"): SegmentState,
    ("messages", "role"): Role,
}


@dataclass(frozen=True, slots=True)
class Salvaged:
    """What was carried over, by table, and where the damaged file lies now."""

    kept: dict[str, int]
    set_aside: Path


# ---- looking


def damage(path: Path, *, writable: bool = True, is_foreign: bool = False) -> list[str]:
    """What is wrong with a file, in SQLite's words and ours; nothing if it is whole.

    Of a file that `is_foreign`, which a newer Reverie wrote, we do not know what should stand in its rows.
    """
    try:
        connection = open_for_looking(path) if writable else open_for_reading(path)
    except apsw.Error as error:
        return [str(error)]
    try:
        found = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(20)") if row[0] != "ok"]
        if is_foreign:
            return found
        changed = sum(not _is_whole(row) for row in connection.execute("SELECT * FROM observations NOT INDEXED"))
        if changed:
            found.append(f"{changed} observations do not match their checksum")
        for index in ("observations_fts", "learnings_fts") if writable else ():
            connection.execute(f"INSERT INTO {index} ({index}, rank) VALUES ('integrity-check', 1)")
        return found
    except (apsw.Error, UnicodeDecodeError) as error:
        return [str(error)]
    finally:
        connection.close()


def sign_of_damage(database: Database) -> str:
    """The first sign of damage that is cheap to see: at the root and at both ends of every tree. '' if there is none.

    What lies deeper is for `damage`, which reads everything.
    """
    try:
        trees = database.rows("SELECT type, name, tbl_name FROM sqlite_schema WHERE rootpage > 0")
        ids = {row[0] for row in database.rows("SELECT name FROM pragma_table_list WHERE NOT wr")}
    except apsw.Error as error:
        return str(error)
    for kind, name, table in trees:
        by = "rowid" if table in ids else "1"
        source = f'"{table}" NOT INDEXED' if kind == "table" else f'"{table}" INDEXED BY "{name}"'
        order = (f" ORDER BY {by}", f" ORDER BY {by} DESC") if kind == "table" else ("",)
        for direction in order:
            try:
                database.rows(f"SELECT * FROM {source}{direction} LIMIT 1")
            except apsw.SQLError:
                continue  # an index of some rows only is not used for all
            except (apsw.Error, UnicodeDecodeError) as error:
                return f"{name}: {error}"
    return ""


def open_for_looking(path: Path) -> apsw.Connection:
    """Without its locks and settings: closing it must not move a write-ahead log into a file that may be damaged."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    return connection


def open_for_reading(path: Path) -> apsw.Connection:
    """A file that we may not write to.

    Normally the index of its write-ahead log is shared with whoever writes. If that file is not there and cannot be
    made, nobody is writing: then the index is made in memory, without locks. A file without a log needs neither.
    """
    address = "file:" + str(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23") + "?mode=ro"
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    for vfs, options in (("", ""), ("unix-none", ""), ("unix-none", "&immutable=1")):
        connection = apsw.Connection(address + options, flags=flags, vfs=vfs or None)
        try:
            if vfs:
                connection.execute("PRAGMA locking_mode = EXCLUSIVE").fetchall()
            connection.execute("SELECT 1 FROM sqlite_schema").fetchall()
        except (apsw.CantOpenError, apsw.ReadOnlyError, apsw.IOError):
            connection.close()
            continue
        return connection
    raise apsw.CantOpenError(f"{path} cannot be read")


def _is_whole(row: Row) -> bool:
    try:
        return bool(rows.checksum(row[:17]) == row[17])
    except UnicodeError:
        return False


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
            for table, row in _truth(aside, shapes):
                kept[table] += _insert(fresh, table, row)
            _mend(fresh)
    finally:
        fresh.close()
    return Salvaged(kept, aside)


@dataclass(frozen=True, slots=True)
class _Column:
    name: str
    types: tuple[type, ...]
    words: frozenset[str] | None  # the only ones it may hold


_Shapes = dict[tuple[bool, int], list[tuple[str, list[_Column]]]]


def _shapes(database: Database) -> _Shapes:
    """How rows of truth look, by the kind of their tree and their number of columns."""
    is_row = {name: not wr for name, wr in database.rows("SELECT name, wr FROM pragma_table_list")}
    shapes: _Shapes = {}
    for table in TRUTH:
        columns = []
        for name, kind, not_null in database.rows('SELECT name, type, "notnull" FROM pragma_table_info(?)', (table,)):
            types = _PYTHON_TYPES[kind] if table != "meta" else (str, int, bytes)
            words = _WORDS.get((table, name))
            columns.append(
                _Column(name, types if not_null else (*types, type(None)), frozenset(words) if words else None)
            )
        shapes.setdefault((is_row[table], len(columns)), []).append((table, columns))
    return shapes


def _truth(path: Path, shapes: _Shapes) -> Iterator[tuple[str, Row]]:
    file = PageFile(path)
    try:
        for found in records(file, lambda is_row, columns: (is_row, columns) in shapes):
            for table, columns in shapes[found.is_row, len(found.values)]:
                if _fits(found.values, columns) and _BELONGS.get(table, _anything)(found.values):
                    yield table, found.values
                    break
    finally:
        file.close()


def _fits(row: Row, columns: Sequence[_Column]) -> bool:
    return all(
        isinstance(value, column.types) and (column.words is None or value in column.words)
        for value, column in zip(row, columns, strict=True)
    )


def _is_setting(row: Row) -> bool:
    """Of the whole store. What is kept there for a user belongs to tables that are derived anew."""
    user, name, value = row
    if name == "store_key":
        return user == "" and isinstance(value, bytes) and len(value) == 32
    return user == "" and isinstance(name, str) and isinstance(value, int)


def _is_text(row: Row) -> bool:
    return bool(content_address(row[2]) == row[1])


def _is_given_id(row: Row) -> bool:
    """Not an entry in the index of tombstones: there, the hash is the one in the id."""
    return tail_of(row[2]) not in (None, row[1])


def _has_json(column: int, kind: type = dict) -> Callable[[Row], bool]:
    def belongs(row: Row) -> bool:
        try:
            return isinstance(json.loads(row[column]), kind)
        except ValueError:
            return False

    return belongs


def _anything(_row: Row) -> bool:
    return True


# More than types: what else a row of a table is known by. An index on three words looks like a table of three words.
_BELONGS: dict[str, Callable[[Row], bool]] = {
    "meta": _is_setting,
    "drains": lambda row: row[1].startswith(("drain-", "own-")),  # the names that spool files have
    "observations": _is_whole,
    "acts": _has_json(4),
    "trace": _has_json(6),
    "texts": _is_text,
    "learning_ids": _is_given_id,
    "punchclock": _has_json(4, list),
    "domaindoc_versions": _has_json(8),
    "segments": _has_json(11, list),
    "messages": _has_json(9, list),
    "cache_ledger": _has_json(7),
}


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


# ---- what is missing between the rows


def _mend(database: Database) -> None:
    """Counters that must not be behind the rows, work that was lost, and work whose observations are gone."""
    last = max(database.value(f"SELECT coalesce(max(position), 0) FROM {table}") for table in _NUMBERED)
    last = max(last, database.value("SELECT coalesce(max(id), 0) FROM inbox"))
    database.execute("INSERT OR IGNORE INTO meta VALUES ('', 'position', 0)")
    database.execute("UPDATE meta SET value = max(value, ?) WHERE user_id = '' AND name = 'position'", (last,))
    # Each closed turn has a tick. If its work is lost, the tick of its extraction says whether it was done.
    database.execute(
        "INSERT OR IGNORE INTO inbox (user_id, id, stage, session_id, turn, first_position, last_position, closed_ms, "
        "state) SELECT user_id, position, 'rules', session_id, turn, first_position, last_position, at_ms, "
        "CASE WHEN (user_id, session_id, first_position, last_position) IN (SELECT user_id, session_id, "
        "first_position, last_position FROM ticks WHERE kind = 'rules done') THEN 'done' ELSE 'pending' END "
        "FROM ticks WHERE kind = 'turn'"
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
        database.execute("INSERT INTO ticks VALUES (?, ?, 'turn', ?, ?, ?, ?, 'salvaged', ?)", (*work, at_ms))
        database.execute(
            "INSERT INTO inbox (user_id, id, stage, session_id, turn, first_position, last_position, closed_ms, state) "
            "VALUES (?, ?, 'rules', ?, ?, ?, ?, ?, 'pending')",
            (*work, at_ms),
        )
