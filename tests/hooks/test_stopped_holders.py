"""Processes that are stopped while they hold the spool's lock, sixteen agents at once, and somebody who drains.

Each agent waits for its hook before it goes on, so what was acknowledged to it came in that order, and is found in it.
"""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from hooks.processes import prompt, run_hook
from reverie.capture.drain import drain, has_waiting
from reverie.capture.hook_events import read_record
from reverie.env.real import RealEnv
from reverie.hook import capture_event as hook
from reverie.hook import spool
from reverie.records import Captured

AT_ONCE = 16

# A writer as a hook is one, which stops itself before or after it has written under the lock.
_WRITER = """
import os, signal, sys, time
from reverie.hook import capture_event as hook, spool

class Posix:
    def __getattr__(self, name):
        return getattr(os, name)

    def pwrite(self, file, data, offset):
        if len(data) < 100:
            return os.pwrite(file, data, offset)
        if sys.argv[3] == "before":
            stop()
        written = os.pwrite(file, data, offset)
        if sys.argv[3] == "after":
            stop()
        return written

def stop():
    print("stops", flush=True)
    os.kill(os.getpid(), signal.SIGSTOP)

spool.posix = Posix()
record = {"event": "UserPromptSubmit", "at": 1, "mono": time.monotonic_ns(), "boot": spool.boot_id()}
record["payload"] = {"session_id": sys.argv[2], "prompt": "0", "filler": "x" * 200}
spool._LOCK_WAIT_SECONDS = 60.0
spool.append(sys.argv[1], hook.encode(record))
"""


@contextmanager
def stopped_writer(folder: Path, session: str, where: str) -> Iterator[None]:
    """A process that holds the lock and is stopped, for as long as this lasts."""
    process = subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(folder), session, where], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    assert process.stdout.readline() == "stops\n"
    os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
    try:
        yield
    finally:
        process.send_signal(signal.SIGCONT)
        assert process.wait() == 0
        process.stdout.close()


Write = Callable[[Path, str, int], None]


def by_append(folder: Path, session: str, number: int) -> None:
    """What a hook does, in this process."""
    record = {"event": "UserPromptSubmit", "at": 1, "mono": time.monotonic_ns(), "boot": spool.boot_id()}
    filler = "x" * random.Random(number).choice((0, 100, 3_000))
    record["payload"] = {"session_id": session, "prompt": str(number), "filler": filler}
    spool.append(str(folder), hook.encode(record))


def by_hook(folder: Path, session: str, number: int) -> None:
    assert run_hook("PostToolUse", {**prompt("", session), "tool_response": str(number)}, folder.parent).was_silent


class Run:
    """Agents that write, holders that stop, and a drain between them if there is one."""

    def __init__(self, folder: Path, write: Write) -> None:
        self.folder, self.write, self.env = folder, write, RealEnv()
        self.taken: list[Captured] = []
        self.holders = 0
        self._progress: dict[str, int] = {}
        self._chance = random.Random(7)

    def agents(self, sessions: int, events: int) -> None:
        def agent(session: int) -> None:
            for number in range(events):
                self.write(self.folder, f"s{session}", number)

        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(agent, range(sessions)))

    def disturb(self, until: threading.Event, *, drains: bool) -> None:
        """Let one holder after the other stop and go on, and drain at every stage."""
        while not until.is_set() or not self.holders:
            self.holders += 1
            with stopped_writer(self.folder, f"holder-{self.holders}", self._chance.choice(("before", "after"))):
                time.sleep(self._chance.random() * 0.4)
                if drains:
                    self.drain()
            if drains and self._chance.random() < 0.5:
                self.drain()

    def drain(self) -> None:
        def store(captures: Sequence[Captured], progress: Mapping[str, int]) -> None:
            self.taken.extend(captures)
            self._progress = dict(progress)

        drain(self.folder, self.env, store, lambda: dict(self._progress), wait_seconds=0.05)

    def all(self, sessions: int, events: int, *, drains: bool = True) -> None:
        self.folder.mkdir(parents=True)
        done = threading.Event()
        disturber = threading.Thread(target=self.disturb, args=(done,), kwargs={"drains": drains})
        disturber.start()
        try:
            self.agents(sessions, events)
        finally:
            done.set()
            disturber.join()


def numbers(taken: Sequence[Captured], session: str) -> list[int]:
    return [int(one.text) for one in taken if one.session == session]


@pytest.mark.parametrize(
    ("write", "sessions", "events"),
    [
        pytest.param(by_append, 16, 12, id="sample"),
        pytest.param(by_append, 200, 50, id="10,000 events", marks=pytest.mark.torture),
        pytest.param(by_hook, 50, 40, id="2,000 hooks", marks=pytest.mark.torture),
    ],
)
def test_every_session_keeps_its_order_and_every_event_comes_once(
    quick_folder: Path, monkeypatch: pytest.MonkeyPatch, write: Write, sessions: int, events: int
) -> None:
    monkeypatch.setattr(spool, "_ROLL_BYTES", 5_000)  # so that files are set aside, too
    run = Run(quick_folder / "home" / "spool", write)

    run.all(sessions, events)
    run.drain()

    assert {session: numbers(run.taken, f"s{session}") for session in range(sessions)} == {
        session: list(range(events)) for session in range(sessions)
    }
    assert all(numbers(run.taken, f"holder-{number + 1}") == [0] for number in range(run.holders))
    assert not has_waiting(run.folder, run.env)
    assert not (run.folder / "damaged").exists()


def test_negative_control_file_by_file_the_same_events_are_out_of_order(
    quick_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spool, "_ROLL_BYTES", 5_000)
    run = Run(quick_folder / "home" / "spool", by_append)

    run.all(16, 12, drains=False)

    names = sorted(name for name in os.listdir(run.folder) if spool.is_record_file(str(run.folder), name))
    read = [read_record(one) for name in names for one in spool.frames((run.folder / name).read_bytes())[0]]
    assert any(numbers(read, f"s{session}") != list(range(12)) for session in range(16))
    run.drain()
    assert all(numbers(run.taken, f"s{session}") == list(range(12)) for session in range(16))


def test_the_record_says_what_the_order_goes_by(tmp_path: Path) -> None:
    """Of a real hook: in front of everything that its agent says."""
    assert run_hook("Stop", {"session_id": "s1", "last_assistant_message": '"mono":1'}, tmp_path).was_silent

    (payload,) = spool.frames((tmp_path / "spool" / "current").read_bytes())[0]
    record = json.loads(payload)

    assert list(record)[:4] == ["event", "at", "mono", "boot"]
    assert record["boot"] == spool.boot_id()
    assert 0 < record["mono"] <= time.monotonic_ns()
