"""The spool folder -> captured events in order; files go only after the caller has committed what was in them."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from reverie.capture.events import read_record
from reverie.capture.spool import CURRENT, DRAIN_PREFIX, OWN_PREFIX, frames, next_drain_name
from reverie.ports import Env
from reverie.records import Captured

CHUNK = 1000  # records per transaction: what one commit, and one wait of another writer, is shared by


@dataclass
class Drained:
    """What one drain did."""

    records: int = 0
    damaged_bytes: int = 0
    unreadable: int = 0


def has_waiting(folder: Path, env: Env) -> bool:
    return any(_is_record_file(name) for name in env.files.names(folder))


def drain(folder: Path, env: Env, store: Callable[[Sequence[Captured]], object], locked: bool = True) -> Drained:
    """Take everything that waits in the spool and hand it to `store`, a chunk at a time.

    The current file is renamed under the writers' lock, so that none of them still writes to it. A file is removed
    after its last chunk is stored; a crash before that reads it again, and repeats are no-ops. What cannot be read is
    set aside, never deleted. (`locked` is there for the negative control of the test.)
    """
    done = Drained()
    if not has_waiting(folder, env):
        return done
    _rename_current(folder, env, locked)
    names = env.files.names(folder)
    drained = [name for name in names if name.startswith(DRAIN_PREFIX)]
    own = [name for name in names if name.startswith(OWN_PREFIX)]
    for group in [[name] for name in drained[:-1]] + [drained[-1:] + own]:
        _drain_files(folder, group, env, store, done)
    return done


def _drain_files(
    folder: Path, names: list[str], env: Env, store: Callable[[Sequence[Captured]], object], done: Drained
) -> None:
    payloads: list[bytes] = []
    for name in names:
        found, damaged = frames(env.files.read(folder / name) or b"")
        payloads += found
        if damaged:
            done.damaged_bytes += damaged
            _set_aside(folder, name, env)
    for chunk in _chunks(_in_order(payloads, several_files=len(names) > 1)):
        captures = []
        for payload in chunk:
            try:
                captures.append(read_record(payload))
            except (ValueError, KeyError, TypeError):
                done.unreadable += 1
                env.files.make_folder(folder / "damaged")
                env.files.append(folder / "damaged" / "records", payload + b"\n")
        store(captures)
        done.records += len(captures)
    for name in names:
        env.files.remove(folder / name)


def _is_record_file(name: str) -> bool:
    return name == CURRENT or name.startswith((DRAIN_PREFIX, OWN_PREFIX))


def _rename_current(folder: Path, env: Env, locked: bool) -> None:
    lock = env.files.lock(folder / "lock")
    if locked:
        lock.acquire()
    try:
        if CURRENT in env.files.names(folder):
            env.files.rename(folder / CURRENT, folder / next_drain_name(env.files.names(folder)))
    finally:
        if locked:
            lock.release()


def _in_order(payloads: list[bytes], several_files: bool) -> list[bytes]:
    """Records from several files, merged by the monotonic clock that they share while the machine is up."""
    if not several_files:
        return payloads

    def stamp(payload: bytes) -> int:
        try:
            return int(json.loads(payload.decode("utf-8", "surrogatepass"))["mono"])
        except (ValueError, KeyError, TypeError):
            return 0

    return sorted(payloads, key=stamp)


def _chunks(payloads: list[bytes]) -> Iterator[list[bytes]]:
    for start in range(0, len(payloads), CHUNK):
        yield payloads[start : start + CHUNK]


def _set_aside(folder: Path, name: str, env: Env) -> None:
    env.files.make_folder(folder / "damaged")
    env.files.replace(folder / "damaged" / name, env.files.read(folder / name) or b"")
