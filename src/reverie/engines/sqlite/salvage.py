"""A damaged file -> what can still be read of it, in a new file. The damaged one is set aside, never deleted.

Only truth is carried over; what is derived is derived anew. A row counts as readable if SQLite can read it and, for
observations, if its checksum holds.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import apsw

from reverie.engines.sqlite import rows
from reverie.engines.sqlite.database import Database, Row
from reverie.ports import Env

# Truth, in an order that respects what refers to what.
_TRUTH = (
    "meta",
    "observations",
    "acts",
    "replies",
    "ticks",
    "sessions",
    "pending_actions",
    "spend",
    "mirrors",
    "inbox",
    "drains",
)
_BY_POSITION = ("observations", "acts", "replies", "ticks")


@dataclass(frozen=True, slots=True)
class Salvaged:
    """What was carried over, by table, and where the damaged file lies now."""

    kept: dict[str, int]
    set_aside: Path


def damage(path: Path) -> list[str]:
    """What is wrong with a file, in SQLite's words and ours; nothing if it is whole."""
    try:
        connection = _open(path)
    except apsw.Error as error:
        return [str(error)]
    try:
        found = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(20)") if row[0] != "ok"]
        changed = sum(not _is_whole(row) for row in connection.execute("SELECT * FROM observations NOT INDEXED"))
        if changed:
            found.append(f"{changed} observations do not match their checksum")
        for index in ("observations_fts", "learnings_fts"):
            connection.execute(f"INSERT INTO {index} ({index}, rank) VALUES ('integrity-check', 1)")
        return found
    except (apsw.Error, UnicodeDecodeError) as error:
        return [str(error)]
    finally:
        connection.close()


def salvage(path: Path, env: Env) -> Salvaged:
    """Carry over every row that can be read, from both ends of each table towards the damage."""
    stamp = env.random_bytes(4).hex()
    aside = path.with_name(f"{path.name}.damaged-{stamp}")
    for suffix in ("", "-wal", "-shm"):
        if (old := path.with_name(path.name + suffix)).exists():
            env.files.rename(old, aside.with_name(aside.name + suffix))
    fresh = Database(path, env)
    kept = {}
    try:
        with fresh.write():
            fresh.execute("DELETE FROM meta")
            for table in _TRUTH:
                kept[table] = sum(_insert(fresh, table, row) for row in _readable(aside, table))
            _mend(fresh)
    finally:
        fresh.close()
    return Salvaged(kept, aside)


def _open(path: Path) -> apsw.Connection:
    """For looking only: closing it must not move a write-ahead log into a file that may be damaged."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    return connection


def _open_in_spite_of_all(path: Path) -> apsw.Connection:
    """SQLite reads on where it would refuse a file that was cut short, or whose schema is damaged in part."""
    connection = _open(path)
    connection.execute("PRAGMA writable_schema = ON")
    return connection


def _readable(path: Path, table: str) -> Iterator[Row]:
    """Rows from the front until damage, then from the back until damage. Repeats are the inserter's business."""
    for direction in ("ASC", "DESC"):
        try:
            connection = _open_in_spite_of_all(path)
        except apsw.Error:
            return
        try:
            order = "rowid" if table in _BY_POSITION else "1"
            for row in connection.execute(f"SELECT * FROM {table} NOT INDEXED ORDER BY {order} {direction}"):
                if table in _BY_POSITION and not isinstance(row[1], int):
                    continue  # the page of another table
                if table != "observations" or _is_whole(row):
                    yield row
            return
        except (apsw.Error, UnicodeDecodeError):
            continue
        finally:
            connection.close()


def _is_whole(row: Row) -> bool:
    try:
        return bool(rows.checksum(row[:17]) == row[17])
    except UnicodeError:
        return False


def _insert(database: Database, table: str, row: Row) -> bool:
    marks = ",".join("?" * len(row))
    try:
        database.execute(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", row)
    except apsw.Error:
        return False
    if table == "observations" and database.connection.changes():
        text = row[13][: rows.INDEXED_CHARS]
        database.execute("INSERT INTO observations_fts (rowid, title, text) VALUES (?, ?, ?)", (row[1], row[12], text))
    return bool(database.connection.changes())


def _mend(database: Database) -> None:
    """Counters that must not be behind the rows, and work whose observations are gone."""
    last = database.value(
        "SELECT max((SELECT coalesce(max(position), 0) FROM observations),"
        " (SELECT coalesce(max(position), 0) FROM ticks),"
        " (SELECT coalesce(max(position), 0) FROM acts), (SELECT coalesce(max(position), 0) FROM replies))"
    )
    database.execute(
        "DELETE FROM meta WHERE name = 'store_key' AND (typeof(value) != 'blob' OR length(value) != 32) "
        "OR name != 'store_key' AND typeof(value) != 'integer'"
    )
    database.execute("INSERT OR IGNORE INTO meta VALUES ('', 'position', 0)")
    database.execute("UPDATE meta SET value = max(value, ?) WHERE user_id = '' AND name = 'position'", (last,))
    database.execute(
        "UPDATE inbox SET state = 'dead', reason = 'its observations were damaged' WHERE NOT EXISTS (SELECT 1 FROM "
        "observations o WHERE o.user_id = inbox.user_id AND o.session_id = inbox.session_id "
        "AND o.position BETWEEN inbox.first_position AND inbox.last_position)"
    )
    # A session whose row is gone gets one from its observations, so that new events find their place in it.
    database.execute(
        "INSERT OR IGNORE INTO sessions (user_id, session_id, project, source, started_ms, last_ms, message_count, "
        "observation_count, turn, last_position, closed_position) "
        "SELECT user_id, session_id, max(project), max(source), "
        "min(occurred_ms), max(recorded_ms), sum(kind IN ('user_message', 'assistant_message')), max(sequence_num), "
        "max(turn), max(position), coalesce((SELECT max(t.last_position) FROM ticks t WHERE t.user_id = o.user_id AND "
        "t.session_id = o.session_id), 0) FROM observations o GROUP BY user_id, session_id"
    )
