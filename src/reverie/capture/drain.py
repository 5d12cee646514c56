"""The spool folder -> captured events in order; files go only after the caller has committed what was in them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from reverie.bulk import BULK, chunks
from reverie.capture.events import Parse, fast_parse, parse, read_record
from reverie.capture.spool import CURRENT, LOSSES, drain_number, frames, is_own, is_record_file, next_drain_name
from reverie.ports import Env
from reverie.records import Captured

DRAIN_WAIT_SECONDS = 1.0  # for another one who drains; what it leaves is found at the next look
_DEEPEST = 500  # levels of a record; the interpreter stops at 1000, and there are callers
CHUNK_BYTES = 1_500_000  # of records in one transaction: a thousand of the usual length, fewer of long ones


# Stores what was captured, together with how many records of each file are in with it.
Store = Callable[[Sequence[Captured], Mapping[str, int]], object]
Enough = Callable[[], bool]  # asked before each file and chunk: whether the rest may wait


@dataclass
class Drained:
    """What one drain did."""

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

    The current file is renamed under the writers' lock, so that none of them still writes to it. With each chunk the
    store is told how many records of each file are in, and keeps that with them; so after a crash the rest is read, and
    nothing twice. A file is removed when all of it is stored. What cannot be read is set aside, never deleted. Files
    that are not ours stay where they are. Who else drains, or writes, is waited for as long as `wait_seconds` says.
    (`locked` is there for the negative control of the test.)
    """
    done = Drained()
    if not has_waiting(folder, env):
        return done
    draining = env.files.lock(folder / "drain.lock")
    if locked and not draining.acquire(wait_seconds):
        return done  # somebody else is at it
    try:
        _rename_current(folder, env, wait_seconds, locked)
        names = _record_files(folder, env)
        waiting = sorted([name for name in names if drain_number(name)], key=drain_number)
        own = [name for name in names if is_own(name)]
        known = drained()
        progress = {name: known.get(name, 0) for name in waiting + own}
        for group in [[name] for name in waiting[:-1]] + [waiting[-1:] + own]:
            if enough():
                break
            _drain_files(folder, group, env, store, progress, done, enough)
    finally:
        if locked:
            draining.release()
    return done


def _rename_current(folder: Path, env: Env, wait_seconds: float, locked: bool) -> None:
    """Set the current file apart, unless a writer keeps us out: one that was suspended may do so for days."""
    writing = env.files.lock(folder / "lock")
    if locked and not writing.acquire(wait_seconds):
        return
    try:
        names = _record_files(folder, env)
        if CURRENT in names:
            new_name = f"{next_drain_name(names)}-{env.random_bytes(6).hex()}"
            env.files.rename(folder / CURRENT, folder / new_name)
    finally:
        if locked:
            writing.release()


def _drain_files(
    folder: Path, names: list[str], env: Env, store: Store, progress: dict[str, int], done: Drained, enough: Enough
) -> None:
    records: list[_Record] = []
    for name in names:
        payloads, damaged = frames(env.files.read(folder / name) or b"")
        records += [_Record(payload, name, number) for number, payload in enumerate(payloads, start=1)]
        if damaged:
            done.damaged_bytes += damaged
            _set_aside(folder, name, env)
    if len(names) > 1:
        records = _in_order(records)
    records = [record for record in records if record.number > progress[record.file]]
    parse_one = fast_parse() if len(records) > BULK else parse
    for chunk in chunks(records, lambda record: len(record.payload), CHUNK_BYTES):
        if enough():
            return
        captures = []
        for record in chunk:
            progress[record.file] = record.number
            try:
                captures.append(_read(record.payload, parse_one))
            except (ValueError, KeyError, TypeError, RecursionError):
                done.unreadable += 1
                env.files.make_folder(folder / "damaged")
                env.files.append(folder / "damaged" / "records", record.payload + b"\n")
        store(captures, progress)
        done.records += len(captures)
    for name in names:
        env.files.remove(folder / name)


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


class _Record(NamedTuple):
    payload: bytes
    file: str
    number: int


def _record_files(folder: Path, env: Env) -> list[str]:
    """What is ours here. Whatever else lies in the folder is left alone."""
    return [name for name in env.files.names(folder) if is_record_file(str(folder), name)]


def _in_order(records: list[_Record]) -> list[_Record]:
    """Records of several files, merged by the monotonic clock that they share while the machine is up.

    Within a file they stay in their order, so that what is stored of it is always its beginning.
    """
    stamps: dict[str, int] = {}
    keyed: list[tuple[int, _Record]] = []
    for record in records:
        stamps[record.file] = max(stamps.get(record.file, 0), _stamp(record.payload))
        keyed.append((stamps[record.file], record))
    return [record for _, record in sorted(keyed, key=lambda pair: pair[0])]


def _stamp(payload: bytes) -> int:
    try:
        return int(parse(payload)["mono"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return 0


def _set_aside(folder: Path, name: str, env: Env) -> None:
    env.files.make_folder(folder / "damaged")
    env.files.replace(folder / "damaged" / name, env.files.read(folder / name) or b"")
