"""The write-ahead log: how it is moved into the file, how it shrinks, and which processes keep it from shrinking.

Whatever is written stands in the log first, and so does what a later write erases: it is gone from the disk only when
the log is moved and cut. SQLite cannot do that while anybody still reads what the file was before. A log that nobody
cuts keeps the length that it once had (docs/decisions/024-what-a-reader-holds-up.md).
"""

import os
from pathlib import Path

import apsw

from reverie.ports import Env

BUSY_TIMEOUT_MS = 5000
# From which length on the log is moved into the file, by whom. A longer one makes every read slower; a shorter one would
# be moved for nothing. Any other writer makes a person wait for it, so it leaves the log to the steward, until it is
# longer than a steward that runs would let it become.
STEWARD_WAL_BYTES = 12_000_000
OPENER_WAL_BYTES = 16_000_000

# The bytes of the `-shm` file that readers lock for as long as they read: https://sqlite.org/walformat.html
_READ_LOCKS = range(123, 128)
# What may keep a log from being moved and is no fault of whoever wrote: others who read or move it, a full disk.
_HELD_UP = (apsw.BusyError, apsw.LockedError, apsw.FullError, apsw.IOError)


def move_log(connection: apsw.Connection) -> bool:
    """Move as much of the log into the file as readers allow, while nobody waits; says whether that was all of it."""
    try:
        in_log, moved = connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
    except _HELD_UP:
        return False
    return in_log == moved


def empty_log(connection: apsw.Connection, wait_ms: int) -> bool:
    """Move all of the log and cut it to nothing. Whoever wants to write waits for that, but only so long for readers."""
    connection.set_busy_timeout(wait_ms)
    try:
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    except _HELD_UP:
        return False
    finally:
        connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    return True


def readers_of(database: Path, env: Env) -> tuple[int, ...]:
    """The processes that read a file right now, as far as this machine tells: Linux does, for those we can see."""
    try:
        inode = os.stat(f"{database}-shm").st_ino
        told = (env.files.read(Path("/proc/locks")) or b"").decode("ascii", "replace")
    except OSError:
        return ()
    found = set()
    for line in told.splitlines():  # 13: POSIX  ADVISORY  READ 15221 fe:00:2172008 124 124
        kind, _, _, process, place, first, last = [*line.split(), *[""] * 8][1:8]
        is_here = kind == "POSIX" and place.rpartition(":")[2] == str(inode)
        if is_here and first.isdecimal() and last.isdecimal() and process.isdecimal():
            if int(first) < _READ_LOCKS.stop and int(last) >= _READ_LOCKS.start and _has_open(int(process), database):
                found.add(int(process))
    return tuple(sorted(found))


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
