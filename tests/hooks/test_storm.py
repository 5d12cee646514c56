"""Sixteen agents at once while the steward drains: no event is lost, none is mixed, nobody is left behind."""

import json
import os
import random
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import pytest

from hooks.processes import PYTHON, complaints, running_steward, taken_in, tool_call, wait_until
from reverie.capture.drain import drain, has_waiting
from reverie.env.real import RealEnv
from reverie.hook import capture_event as hook
from reverie.hook import spool
from reverie.records import Captured
from reverie.shells.install.entries import LAUNCHER

AT_ONCE = 16


def numbered(number: int) -> dict[str, object]:
    """An event that says which one it is, and by a checksum whether it is whole."""
    filler = "x" * random.Random(number).choice((0, 10, 1_000, 20_000))
    body = f"{number}:{filler}"
    return tool_call(
        number, text=f"{body}:{sha256(body.encode()).hexdigest()[:16]}", session_id=f"agent-{number % AT_ONCE}"
    )


def number_in(text: str) -> int:
    """The number of a whole event; -1 for one that is torn or mixed."""
    body, _, checksum = text.rpartition(":")
    return int(body.partition(":")[0]) if sha256(body.encode()).hexdigest()[:16] == checksum else -1


# ---- real processes


def run_hooks(home: Path, count: int) -> list[int]:
    """That many hook processes, sixteen at a time; their exit codes. What they say goes to one file."""
    inputs = home.with_name("inputs")
    inputs.mkdir()
    said = os.open(home.with_name("said"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    command = [*PYTHON, str(LAUNCHER), "PostToolUse", str(home)]

    def run(number: int) -> int:
        path = inputs / str(number)
        path.write_text(json.dumps(numbered(number)))
        opened = (os.POSIX_SPAWN_OPEN, 0, str(path), os.O_RDONLY, 0)
        quiet = [(os.POSIX_SPAWN_DUP2, said, 1), (os.POSIX_SPAWN_DUP2, said, 2)]
        pid = os.posix_spawn(command[0], command, {}, file_actions=[opened, *quiet])
        path.unlink()
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    with ThreadPoolExecutor(AT_ONCE) as agents:
        codes = list(agents.map(run, range(count)))
    os.close(said)
    return codes


def processes_naming(path: Path) -> list[int]:
    """The processes that have this path on their command line."""
    found = []
    for name in os.listdir("/proc") if os.path.isdir("/proc") else []:
        try:
            if name.isdigit() and str(path).encode() in Path(f"/proc/{name}/cmdline").read_bytes():
                found.append(int(name))
        except OSError:
            continue
    return found


@pytest.mark.parametrize("count", [400, pytest.param(2_000, marks=pytest.mark.torture)])
def test_a_storm_of_hooks(tmp_path: Path, count: int) -> None:
    home = tmp_path / "home"
    home.mkdir()
    with running_steward(home) as steward:
        codes = run_hooks(home, count)
        assert processes_naming(home) == ([steward] if os.path.isdir("/proc") else [])
        wait_until(lambda: not has_waiting(home / "spool", RealEnv()))
    assert processes_naming(home) == []

    observed = taken_in(home)

    assert codes == [0] * count
    assert (tmp_path / "said").read_bytes() == b""
    assert complaints(home) == []
    assert sorted(number_in(o.text) for o in observed) == list(range(count)), "each one once, each one whole"
    assert all(o.session == f"agent-{number_in(o.text) % AT_ONCE}" for o in observed)


# ---- the same race in one process, so that it can be widened


class SlowPosix:
    """The system calls of a writer that is interrupted for a moment between looking where to write, and writing."""

    def __getattr__(self, name: str) -> object:
        return getattr(os, name)

    def pwrite(self, file: int, data: bytes, offset: int) -> int:
        time.sleep(0.002)
        return os.pwrite(file, data, offset)


def race(folder: Path, monkeypatch: pytest.MonkeyPatch, *, locked: bool, count: int = 300) -> list[int]:
    """Writers against a drain; the numbers that arrived."""
    folder.mkdir()
    monkeypatch.setattr(spool, "posix", SlowPosix())
    arrived: list[int] = []
    env = RealEnv()

    def store(captures: Sequence[Captured], _progress: Mapping[str, int]) -> None:
        arrived.extend(number_in(captured.text) for captured in captures)

    def write(number: int) -> None:
        record = {"event": "PostToolUse", "at": 1, "mono": time.monotonic_ns(), "payload": numbered(number)}
        spool.append(str(folder), hook.encode(record))

    done = threading.Event()

    def drain_on() -> None:
        while not done.is_set():
            drain(folder, env, store, dict, locked=locked)
        drain(folder, env, store, dict, locked=locked)

    draining = threading.Thread(target=drain_on)
    draining.start()
    with ThreadPoolExecutor(AT_ONCE) as writers:
        list(writers.map(write, range(count)))
    done.set()
    draining.join()
    return arrived


def test_writers_and_a_drain_that_share_a_lock(quick_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert sorted(race(quick_folder / "spool", monkeypatch, locked=True)) == list(range(300))


def test_negative_control_a_drain_without_the_lock_loses(quick_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arrived = race(quick_folder / "spool", monkeypatch, locked=False)

    assert len(set(arrived) - {-1}) < 300
