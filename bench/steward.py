"""From spool to done: what hooks left behind is stored, indexed, closed into turns and distilled by the shipped rules.

Turns of six observations with about 1 KB of text each, full durability, by a steward that is up: its first portion,
with which it loads the rules, is not counted. The run is timed once, and made a second time with every sync counted,
because counting in SQLite's file layer slows it down.
"""

import os
import random
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw

import reverie.pipeline.distil_turns
from bench.hook import output
from bench.table import Figure, figures, progress
from reverie.daemon.steward import Steward
from reverie.env.real import RealEnv
from reverie.foundation.workspace import Workspace
from reverie.hook import capture_event as hook
from reverie.hook import spool
from reverie.records import Learning, Turn
from reverie.settings import Settings

PORTIONS = 18
TURNS_PER_PORTION = 300
_SESSIONS = 6
_TEXT_CHARS = 1000


class LaterEnv(RealEnv):
    """This machine, with a clock that can be put forward: the grace of the last turns is not waited for."""

    later_ms = 0

    def now_ms(self) -> int:
        return super().now_ms() + self.later_ms


@dataclass
class Worked:
    """What a run took: seconds on the clock, of CPU, and of CPU in the rules; and the memory after each portion."""

    wall: float = 0.0
    cpu: float = 0.0
    rules: float = 0.0
    memory_mb: list[float] = field(default_factory=list)

    def step(self, steward: Steward) -> None:
        wall, cpu = time.perf_counter(), time.process_time()
        steward.step()
        self.wall += time.perf_counter() - wall
        self.cpu += time.process_time() - cpu
        self.memory_mb.append(resident_mb())


def run(portions: int = PORTIONS, turns: int = TURNS_PER_PORTION) -> dict[str, Any]:
    count = portions * turns
    progress(f"{count} turns, timed")
    worked = work_off(portions, turns)
    progress(f"{count} turns, syncs counted")
    with counted_syncs() as syncs:
        work_off(portions, turns)
    third = portions // 3
    before, after = sum(worked.memory_mb[:third]) / third, sum(worked.memory_mb[-third:]) / third
    return figures(
        Figure("turns from spool to done", count / worked.wall, "turns/s", at_least=700),
        Figure("a turn", 1000 * worked.wall / count, "ms"),
        Figure("a turn, CPU", 1000 * worked.cpu / count, "ms"),
        Figure("a turn, CPU of the rules", 1000 * worked.rules / count, "ms"),
        Figure("syncs a turn", syncs[0] / count, "", at_most=0.2),
        Figure("memory, last third against the first", after / before, "x", at_most=1.1),
        Figure("memory at the end", worked.memory_mb[-1], "MB"),
    )


def work_off(portions: int, turns: int) -> Worked:
    """Spool portion after portion, and have a steward work each off."""
    worked = Worked()
    with tempfile.TemporaryDirectory(prefix="reverie-bench-") as folder, timed_rules(worked):
        env = LaterEnv()
        steward = Steward(Workspace(Path(folder)), env, Settings())
        steward.begin()
        for portion in range(portions + 1):
            spool_turns(Path(folder) / "spool", portion, turns)
            if portion == 0:
                steward.step()
                worked.rules = 0.0
            else:
                worked.step(steward)
        env.later_ms = 60_000
        worked.step(steward)
        while "pending" in steward.memory.engine.inbox.counts():  # a step does no more than it has time for
            worked.step(steward)
        assert steward.memory.engine.health().observations == (portions + 1) * turns * 6
        assert steward.memory.engine.inbox.counts() == {"done": (portions + 1) * turns}
        steward.end()
    return worked


@contextmanager
def timed_rules(worked: Worked) -> Iterator[None]:
    rules = reverie.pipeline.distil_turns.by_rules

    def timed(turn: Turn) -> list[Learning]:
        started = time.thread_time()
        learnings = rules(turn)
        worked.rules += time.thread_time() - started
        return learnings

    reverie.pipeline.distil_turns.by_rules = timed
    try:
        yield
    finally:
        reverie.pipeline.distil_turns.by_rules = rules


def spool_turns(folder: Path, portion: int, turns: int) -> None:
    """What hooks leave behind: prompts, tool calls and replies of several sessions, in one file."""
    os.makedirs(folder, exist_ok=True)
    chance = random.Random(portion)
    now = time.time_ns() // 1_000_000
    with open(folder / spool.CURRENT, "wb") as file:
        for turn in range(portion * turns, (portion + 1) * turns):
            for event, fields in turn_events(turn, chance):
                record = {"event": event, "at": now, "mono": time.monotonic_ns(), "project": "/work/shop"}
                file.write(spool.frame(hook.encode({**record, "payload": fields})))


def turn_events(turn: int, chance: random.Random) -> Iterator[tuple[str, dict[str, object]]]:
    base = {"session_id": f"session-{turn % _SESSIONS}", "cwd": "/work/shop", "prompt_id": f"prompt-{turn}"}
    text = output(_TEXT_CHARS, secrets=False, seed=turn)
    wish = "I prefer pathlib over os.path. " if turn % 5 == 0 else ""
    yield "UserPromptSubmit", {**base, "prompt": f"{wish}Please look into this: {text}"}
    for call in range(4):
        command = {"command": f"pytest tests/part_{chance.randint(1, 99)}.py", "description": "Run tests"}
        answer = {
            "stdout": output(_TEXT_CHARS, secrets=False, seed=turn * 7 + call),
            "stderr": "",
            "interrupted": False,
        }
        tool = {"tool_name": "Bash", "tool_input": command, "tool_response": answer}
        yield "PostToolUse", {**base, **tool, "tool_use_id": f"toolu-{turn}-{call}"}
    yield "Stop", {**base, "last_assistant_message": f"Done. {text}", "stop_hook_active": False}


# ---- counting


@contextmanager
def counted_syncs() -> Iterator[list[int]]:
    """Count every sync of this process while it lasts: SQLite's and our own files'."""
    count = [0]

    class CountedFile(apsw.VFSFile):
        def __init__(self, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
            super().__init__("unix", name, flags)

        def xSync(self, flags: int) -> None:
            count[0] += 1
            super().xSync(flags)

    class CountingVFS(apsw.VFS):
        def __init__(self) -> None:
            super().__init__("counting", "", makedefault=True)

        def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> CountedFile:
            return CountedFile(name, flags)

    def counted_fsync(descriptor: int) -> None:
        count[0] += 1
        fsync(descriptor)

    fsync, vfs = os.fsync, CountingVFS()
    os.fsync = counted_fsync
    try:
        yield count
    finally:
        os.fsync = fsync
        vfs.unregister()


def resident_mb() -> float:
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except FileNotFoundError:  # macOS: the peak has to do
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return pages * resource.getpagesize() / 1e6


if __name__ == "__main__":
    from bench.table import show

    show("steward", run(*(int(argument) for argument in sys.argv[1:])))
