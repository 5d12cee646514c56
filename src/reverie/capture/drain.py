"""The spool folder -> captured events in order; files go only after the caller has committed what was in them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from reverie.capture.hook_events import Parse, fast_parse, parse, read_record
from reverie.capture.order import OwnFiles, SpoolRecord, Stamp, in_sessions, merged, stamp_of
from reverie.foundation.bulk import BULK, chunks
from reverie.hook.spool import (
    CURRENT,
    LOSSES,
    boot_id,
    drain_number,
    frames,
    is_own,
    is_record_file,
    next_drain_name,
)
from reverie.ports import Env, Lock
from reverie.records import Captured

DRAIN_WAIT_SECONDS = 1.0  # for another one who drains; what it leaves is found at the next look
_DEEPEST = 500  # levels of a record; the interpreter stops at 1000, and there are callers
# How far ahead a file is numbered that is renamed without the lock: writers may set long files apart between our look
# and our renaming, and what is in those came before.
_AHEAD = 1_000
_TRIES = 5  # to find no current file, when a writer holds the lock and goes on just then
CHUNK_BYTES = 1_500_000  # of records in one transaction: a thousand of the usual length, fewer of long ones


# Stores what was captured, together with how many records of each file are in with it.
Store = Callable[[Sequence[Captured], Mapping[str, int]], object]
Enough = Callable[[], bool]  # asked before each file and chunk: whether the rest may wait


@dataclass
class Drained:
    """The counts of one drain."""

    records: int = 0
    damaged_bytes: int = 0
    unreadable: int = 0


def make_spool(folder: Path, env: Env) -> None:
    """Make the folder while there is room, so that even a first event that is not kept can be counted there."""
    with suppress(OSError):  # then there is none, and a hook says so in the log
        if not env.files.size(folder / "lock"):
            env.files.make_folder(folder)
            env.files.append(folder / "lock", LOSSES % (0, 0))


def has_waiting(folder: Path, env: Env) -> bool:
    return bool(_record_files(folder, env))


def waiting_bytes(folder: Path, env: Env) -> int:
    """The size of what has not been taken in yet."""
    return sum(env.files.size(folder / name) for name in _record_files(folder, env))


def drain(
    folder: Path,
    env: Env,
    store: Store,
    drained: Callable[[], dict[str, int]],
    enough: Enough = lambda: False,
    *,
    wait_seconds: float = DRAIN_WAIT_SECONDS,
    locked: bool = True,
) -> Drained:
    """Take everything that waits in the spool and hand it to `store`, a chunk at a time, until that is `enough`.

    Each session's events come in the order in which its hooks stamped them, whichever file they are in. With each chunk
    the store is told how many records of each file are in, and keeps that with them; so after a crash the rest is read,
    and nothing twice. A file is removed when all of it is stored. What cannot be read is set aside, never deleted. What
    is not ours stays where it is. Who else drains, or writes, is waited for as long as `wait_seconds` says.
    (`locked` is there for the negative control of the test.)
    """
    if not has_waiting(folder, env):
        return Drained()
    draining = env.files.lock(folder / "drain.lock")
    if locked and not draining.acquire(wait_seconds):
        return Drained()  # somebody else is at it
    try:
        waiting = _set_apart(folder, env, wait_seconds, locked)
        return _Drain(folder, env, store, drained(), enough).take(waiting)
    finally:
        if locked:
            draining.release()


class _Waiting(NamedTuple):
    """The files that wait in the spool: shared ones in their order, own ones, and which may still be written to."""

    shared: list[str]
    own: list[str]
    unfinished: str


def _set_apart(folder: Path, env: Env, wait_seconds: float, locked: bool) -> _Waiting:
    """Rename the current file and list what waits, together, so that no event is seen without the one before it.

    Under the writers' lock nobody writes to that file any more. A writer that was suspended may hold the lock for days;
    the file is renamed all the same, because what others write meanwhile, into files of their own, comes after it. That
    one writer may go on with it, and with no other: it was the current file when the writer came, so no later one has
    been renamed. It is read as far as it goes, and stays until the lock was free.
    """
    writing = env.files.lock(folder / "lock")
    is_ours = not locked or _is_free(writing, wait_seconds)
    try:
        for _ in range(_TRIES):
            names = _record_files(folder, env)
            if CURRENT not in names:
                break
            number = next_drain_name(names, 1 if is_ours else _AHEAD)
            env.files.rename(folder / CURRENT, folder / f"{number}-{env.random_bytes(6).hex()}")
    finally:
        if locked and is_ours:
            writing.release()
    shared = sorted([name for name in names if drain_number(name)], key=drain_number)
    own = [name for name in names if is_own(name) and CURRENT not in names]
    return _Waiting(shared, own, "" if is_ours or not shared else shared[-1])


def _is_free(lock: Lock, wait_seconds: float) -> bool:
    """Take the writers' lock, if it can be had; where something else has its name, no writer can have it either."""
    try:
        return lock.acquire(wait_seconds)
    except OSError:
        return False


class _Drain:
    """One drain while it runs."""

    def __init__(self, folder: Path, env: Env, store: Store, known: Mapping[str, int], enough: Enough) -> None:
        self._folder, self._env, self._store, self._known, self._enough = folder, env, store, known, enough
        self._progress: dict[str, int] = {}
        self._left: dict[str, int] = {}  # of own files, by name: how many records are not stored yet
        self._done = Drained()

    def take(self, waiting: _Waiting) -> Drained:
        self._progress = {name: self._known.get(name, 0) for name in waiting.shared + waiting.own}
        own = OwnFiles(self._records, boot_id())
        for name in waiting.own:
            if self._enough():
                return self._done
            records = self._records(name)
            if records:
                own.add(records[0])
                self._left[name] = len(records)
            else:  # they are all in the log, or damaged
                self._env.files.remove(self._folder / name)
        own.sort()
        for name in waiting.shared:
            if self._enough():
                return self._done
            shared = self._records(name, is_whole=name != waiting.unfinished)
            if not self._take_in(merged(shared, own), len(shared) + len(self._left)):
                return self._done
            if name != waiting.unfinished:
                self._env.files.remove(self._folder / name)
        if not self._enough():
            self._take_in(own.rest(), len(self._left))
        return self._done

    def _records(self, name: str, is_whole: bool = True) -> list[SpoolRecord]:
        """Return the records of a file that are not in the log. Damaged ones are set aside once the file is whole."""
        data = self._env.files.read(self._folder / name, follow=False) or b""
        payloads, damaged = frames(data)
        if damaged and is_whole and name not in self._left:
            self._done.damaged_bytes += damaged
            self._env.files.make_folder(self._folder / "damaged")
            self._env.files.replace(self._folder / "damaged" / name, data)
        known = self._progress[name]
        return [
            SpoolRecord(payload, name, number, stamp_of(payload))
            for number, payload in enumerate(payloads, start=1)
            if number > known
        ]

    def _take_in(self, records: Iterable[SpoolRecord], most: int) -> bool:
        """Store records, a chunk at a time; false if it was enough before the end."""
        parse_one = fast_parse() if most > BULK else parse
        for chunk in chunks(records, lambda record: len(record.payload), CHUNK_BYTES):
            if self._enough():
                return False
            events: list[tuple[Captured, Stamp]] = []
            for record in chunk:
                self._progress[record.file] = record.number
                try:
                    events.append((_read(record.payload, parse_one), record.stamp))
                except (ValueError, KeyError, TypeError, RecursionError):
                    self._done.unreadable += 1
                    self._env.files.make_folder(self._folder / "damaged")
                    self._env.files.append(self._folder / "damaged" / "records", record.payload + b"\n")
            self._store(in_sessions(events), self._progress)
            self._done.records += len(events)
            self._remove_own(chunk)
        return True

    def _remove_own(self, stored: Sequence[SpoolRecord]) -> None:
        """Remove each own file whose last record is in the log."""
        for record in stored:
            if record.file in self._left:
                self._left[record.file] -= 1
                if not self._left[record.file]:
                    self._env.files.remove(self._folder / record.file)


def _read(payload: bytes, parse: Parse) -> Captured:
    """One record, unless it is nested so deeply that whoever writes or reads it later would stop at it."""
    captured = read_record(payload, parse)
    if payload.count(b"{") + payload.count(b"[") <= _DEEPEST:
        return captured
    level: list[object] = [captured.metadata, captured.tool.input if captured.tool else None]
    for _ in range(_DEEPEST):
        level = [inner for outer in level for inner in _inside(outer)]
        if not level:
            return captured
    raise ValueError(f"nested more than {_DEEPEST} levels deep")


def _inside(value: object) -> Iterable[object]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def _record_files(folder: Path, env: Env) -> list[str]:
    """Return our files in this folder. Any other file there is left alone."""
    return [name for name in env.files.names(folder) if is_record_file(str(folder), name)]
