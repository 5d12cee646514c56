"""Errors of SQLite -> errors of ours that say the same. No error of apsw leaves this folder."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from reverie.engines.sqlite.wal import BUSY_TIMEOUT_MS
from reverie.errors import DamagedStore, StoreBusy, StoreError, StoreFull

# What only a damaged record makes SQLite say: every statement here is our own, and what we bind to it has its type.
# A trusted row that breaks a rule, JSON that is none, a sum of numbers that were never that large.
DAMAGE = (apsw.CorruptError, apsw.NotADBError, apsw.SQLError, apsw.MismatchError, UnicodeDecodeError)
FAILURES = (apsw.Error, UnicodeDecodeError)  # all that it may say


def translated(error: Exception, path: Path, *, is_writing: bool = False) -> StoreError:
    """Return the error of ours for one of SQLite's, about the file at `path`."""
    # A constraint: what is written is new, so something that is there is not what it should be.
    if isinstance(error, (*DAMAGE, apsw.ConstraintError)):
        return damaged(error)
    if isinstance(error, apsw.BusyError | apsw.LockedError):
        return StoreBusy(f"{path} stayed locked for {BUSY_TIMEOUT_MS / 1000:.0f} s")
    if isinstance(error, apsw.FullError | apsw.IOError):
        way_out = "free some space" if isinstance(error, apsw.FullError) else "look at the disk"
        if is_writing:
            return StoreFull(f"cannot write to {path} ({error}): {way_out}; nothing of this write was kept")
        return StoreError(f"cannot read {path} ({error}): {way_out}")
    return StoreError(f"cannot use {path} ({error})")


@contextmanager
def translating(path: Path) -> Iterator[None]:
    """Do something with a file, and raise errors of ours."""
    try:
        yield
    except FAILURES as error:
        raise translated(error, path) from error


def damaged(why: object) -> DamagedStore:
    return DamagedStore(f"the record is damaged ({why}); `reverie doctor --repair` saves what can be read")
