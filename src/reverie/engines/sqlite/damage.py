"""A file as it lies on the disk -> what is wrong with it: in its trees, in its rows, or at one cheap look."""

import re
from pathlib import Path

import apsw

from reverie.engines.sqlite.damaged_rows import Damaged, find_damaged
from reverie.engines.sqlite.database import Database
from reverie.engines.sqlite.failures import FAILURES
from reverie.engines.sqlite.wal import BUSY_TIMEOUT_MS
from reverie.errors import StoreError

# What SQLite says of a row that it cannot have written itself; its trees are whole.
_OF_A_ROW = re.compile(r"(NULL|TEXT|NUMERIC|\S+) value in \w+\.\w+")


def damage(path: Path, *, writable: bool = True, is_foreign: bool = False) -> list[str]:
    """List what is wrong with a file, in SQLite's words and ours; nothing if it is whole.

    Of a file that `is_foreign`, which a newer Reverie wrote, we do not know what should stand in its rows.
    """
    found = broken_trees(path, writable=writable, is_foreign=is_foreign)
    if found or is_foreign:
        return found
    try:
        return [it.said for it in damaged_rows(path, writable=writable)]
    except FAILURES as error:
        return [str(error)]


def damaged_rows(path: Path, *, writable: bool = True) -> list[Damaged]:
    """The rows of a file that hold what cannot stand there."""
    connection = open_for_looking(path) if writable else open_for_reading(path)
    try:
        return list(find_damaged(connection, writable=writable))
    finally:
        connection.close()


def broken_trees(path: Path, *, writable: bool = True, is_foreign: bool = False) -> list[str]:
    """List, in SQLite's words, what keeps it from reading a file. Single rows are for `damaged_rows`."""
    try:
        connection = open_for_looking(path) if writable else open_for_reading(path)
    except apsw.Error as error:
        return [str(error)]
    try:
        told = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(200)") if row[0] != "ok"]
        return [one for one in told if is_foreign or not _OF_A_ROW.fullmatch(one)]
    except FAILURES as error:
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
    except StoreError as error:
        return str(error)
    for kind, name, table in trees:
        by = "rowid" if table in ids else "1"
        source = f'"{table}" NOT INDEXED' if kind == "table" else f'"{table}" INDEXED BY "{name}"'
        order = (f" ORDER BY {by}", f" ORDER BY {by} DESC") if kind == "table" else ("",)
        for direction in order:
            try:
                with database.turn:
                    database.connection.execute(f"SELECT * FROM {source}{direction} LIMIT 1").fetchall()
            except apsw.SQLError:
                continue  # an index of some rows only is not used for all
            except FAILURES as error:
                return f"{name}: {error}"
    return ""


def open_for_looking(path: Path) -> apsw.Connection:
    """Without its locks and settings: closing it must not move a write-ahead log into a file that may be damaged."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    connection.set_busy_timeout(BUSY_TIMEOUT_MS)  # who writes at this moment is no damage
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
