"""The write-ahead log: how it is moved into the file, how it shrinks, and which processes keep it from shrinking.

Whatever is written stands in the log first, and so does what a later write erases: it is gone from the disk only when
the log is moved and cut. SQLite cannot do that while anybody still reads what the file was before. A log that nobody
cuts keeps the length that it once had (docs/decisions/024-what-a-reader-holds-up.md).
"""

import os
import re
from pathlib import Path

import apsw

from reverie.ports import Env

BUSY_TIMEOUT_MS = 5000
# From which length on the log is moved into the file, by whom. A longer one makes every read slower; a shorter one
# would be moved for nothing. Any other writer makes a person wait for it, so it leaves the log to the steward, until it
# is longer than a steward that runs would let it become.
STEWARD_WAL_BYTES = 12_000_000
OPENER_WAL_BYTES = 16_000_000
MUCH_LONGER_BYTES = 32_000_000  # by so much, and readers that come and go are waited for
_ATTEMPT_MS = 200

# The bytes of the `-shm` file that readers lock for as long as they read: https://sqlite.org/walformat.html
_READ_LOCKS = range(123, 128)
# 13: POSIX  ADVISORY  READ 15221 fe:00:2172008 124 124
_LOCK = re.compile(r"POSIX +ADVISORY +READ (?P<process>\d+) \w+:\w+:(?P<inode>\d+) (?P<first>\d+) (?P<last>\d+)$", re.M)
# What may keep a log from being moved and is no fault of whoever wrote: others who read or move it, a full disk.
_HELD_UP = (apsw.BusyError, apsw.LockedError, apsw.FullError, apsw.IOError)


def files_of(database: Path) -> tuple[Path, Path, Path]:
    """The file itself, its write-ahead log, and the index of that."""
    return database, database.with_name(f"{database.name}-wal"), database.with_name(f"{database.name}-shm")


def move_log(connection: apsw.Connection) -> bool:
    """Move as much of the log into the file as readers allow, while nobody waits; says whether that was all of it."""
    try:
        in_log, moved = connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
    except _HELD_UP:
        return False
    return in_log == moved


def empty_log(connection: apsw.Connection, wait_ms: int) -> bool:
    """Move all of the log and cut it to nothing; false if readers hold on for longer. Meanwhile nobody can write.

    It is tried several times instead of once with a long wait: SQLite waits for the place in which it saw a reader of
    an old state, even when others who read the newest state share that place by now and never leave it all at once.
    """
    connection.set_busy_timeout(min(wait_ms, _ATTEMPT_MS))
    try:
        return any(_truncate(connection) for _ in range(max(1, wait_ms // _ATTEMPT_MS)))
    finally:
        connection.set_busy_timeout(BUSY_TIMEOUT_MS)


def _truncate(connection: apsw.Connection) -> bool:
    try:
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    except _HELD_UP:
        return False
    return True


def readers_of(database: Path, env: Env) -> tuple[int, ...]:
    """The processes that read a file right now, as far as this machine tells: Linux does, for those we can see."""
    try:
        inode = os.stat(f"{database}-shm").st_ino
        told = (env.files.read(Path("/proc/locks")) or b"").decode("ascii", "replace")
    except OSError:
        return ()
    locks = _LOCK.finditer(told)
    found = {int(lock["process"]) for lock in locks if lock["inode"] == str(inode) and _is_of_a_reader(lock)}
    return tuple(sorted(process for process in found if _has_open(process, database)))


def _is_of_a_reader(lock: re.Match[str]) -> bool:
    return int(lock["first"]) < _READ_LOCKS.stop and int(lock["last"]) >= _READ_LOCKS.start


def _has_open(process: int, database: Path) -> bool:
    """Whether it is this file: another file system may have one of the same number. Where that is hidden, it is."""
    folder = f"/proc/{process}/fd"
    try:
        return any(_leads_to(f"{folder}/{name}", f"{database}-shm") for name in os.listdir(folder))
    except OSError:
        return True


def _leads_to(descriptor: str, path: str) -> bool:
    try:
        return os.path.samefile(descriptor, path)
    except OSError:  # closed meanwhile
        return False
