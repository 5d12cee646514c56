"""The same with real processes: strace kills a steward or a hook at its k-th call of one system call.

What a process acknowledged is there; what it was doing when it died is there whole or not at all, and nothing is mixed.
A part of the points is in `make test`, all of them in `make torture`.
"""

import fcntl
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from reverie.shells.hook import launch
from support.faults import (
    copy_of,
    event,
    expect_everything_once,
    opened,
    steward_on,
    story_of,
    work_off,
    workspace_with_spool,
)

pytestmark = [
    pytest.mark.strace,
    pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed: no kills at system calls"),
]

CALLS = ("pwrite64", "write", "fsync", "fdatasync", "rename", "unlink", "ftruncate")
TESTS = Path(__file__).parents[1]
SHARES = 2
STEWARD = (
    "import sys; sys.path.insert(0, sys.argv[1]); from pathlib import Path; "
    "from support.faults import steward_on, work_off; work_off(steward_on(Path(sys.argv[2]), 1))"
)

Point = tuple[str, int]  # a system call, and which one of them


def count_calls(command: list[str], scratch: Path, stdin: bytes = b"") -> list[Point]:
    """Every point at which a run can be killed, by an undisturbed one."""
    trace = scratch / "trace"
    strace = ["strace", "-f", "-qq", "-e", f"trace={','.join(CALLS)}", "-e", "signal=none", "-o", str(trace)]
    subprocess.run([*strace, *command], input=stdin, capture_output=True, check=True, timeout=60)
    names = [line.partition(" ")[2].lstrip().partition("(")[0] for line in trace.read_text().splitlines()]
    totals = Counter(name for name in names if name in CALLS)
    return [(name, number) for name in CALLS for number in range(1, totals[name] + 1)]


def kill_at(point: Point, command: list[str], stdin: bytes = b"") -> bool:
    """Run a command to its death at a point; says whether it came to that."""
    name, number = point
    inject = f"inject={name}:signal=SIGKILL:when={number}"
    strace = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={name}", "-e", inject]
    ended = subprocess.run([*strace, *command], input=stdin, capture_output=True, timeout=60)
    assert ended.returncode in (0, -9), ended.stderr.decode()
    return ended.returncode == -9


def spread(points: list[Point], count: int) -> list[Point]:
    """About so many of them, evenly, and some of each system call."""
    chosen = points[:: max(1, len(points) // count)]
    rare = [point for point in points if Counter(name for name, _ in points)[point[0]] <= 3]
    return list(dict.fromkeys([*chosen, *rare]))


# ---- the steward


@pytest.fixture(scope="module")
def batch(module_scratch):
    workspace_with_spool(module_scratch / "home", turns=50)
    work_off(steward_on(copy_of(module_scratch / "home", module_scratch / "undisturbed")))
    points = count_calls(steward_command(copy_of(module_scratch / "home", module_scratch / "counted")), module_scratch)
    return module_scratch / "home", story_of(module_scratch / "undisturbed"), points


def steward_command(home: Path) -> list[str]:
    return [sys.executable, "-c", STEWARD, str(TESTS), str(home)]


def kill_stewards(batch, scratch: Path, points: list[Point]) -> None:
    home, undisturbed, _ = batch
    for point in points:
        broken = copy_of(home, scratch / "home")
        assert kill_at(point, steward_command(broken)), f"{point} was not reached"
        work_off(steward_on(broken, seed=2))
        expect_everything_once(story_of(broken), undisturbed)


@pytest.mark.parametrize("share", range(SHARES))
def test_a_steward_killed_at_a_system_call_loses_nothing_and_doubles_nothing(batch, scratch, share):
    points = spread(batch[2], 36)

    assert len(points) >= 36
    kill_stewards(batch, scratch, points[share::SHARES])


@pytest.mark.torture
@pytest.mark.parametrize("share", range(8))
def test_a_steward_killed_at_every_system_call_loses_nothing_and_doubles_nothing(batch, scratch, share):
    kill_stewards(batch, scratch, batch[2][share::8])


# ---- hooks


def tool_event(number: int) -> tuple[str, dict[str, object]]:
    call = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": f"call-{number}"}
    return event("PostToolUse", "one", **call, tool_response={"stdout": f"answer {number} " + "x" * 3000})


def prompt_event(number: int) -> tuple[str, dict[str, object]]:
    """One that is answered: after it is durable, the record is opened and read in the same process."""
    return event("UserPromptSubmit", "one", prompt=f"answer {number} " + "x" * 3000, prompt_id=f"prompt-{number}")


MakeEvent = Callable[[int], tuple[str, dict[str, object]]]
KINDS = {"a tool call": tool_event, "a prompt": prompt_event}


def hook_command(home: Path, name: str) -> list[str]:
    return [sys.executable, "-I", "-S", launch.__file__, name, str(home)]


def run_hook(home: Path, name: str, payload: dict[str, object]) -> None:
    """A hook that lives: it has acknowledged, or it says so in its log."""
    ended = subprocess.run(
        hook_command(home, name), input=json.dumps(payload).encode(), capture_output=True, timeout=60
    )
    assert ended.returncode == 0
    assert not (home / "hook-errors.log").exists()


@contextmanager
def busy_spool(home: Path, is_busy: bool) -> Iterator[None]:
    """Somebody holds the spool's lock, so that a hook writes a file of its own."""
    (home / "spool").mkdir(parents=True, exist_ok=True)
    with open(home / "spool" / "lock", "wb") as lock:
        if is_busy:
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def points_of_a_hook(scratch: Path, make: MakeEvent, is_busy: bool) -> list[Point]:
    home = scratch / "counted"
    name, payload = make(1)
    with busy_spool(home, is_busy):
        return count_calls(hook_command(home, name), scratch, json.dumps(payload).encode())


def kill_hooks(scratch: Path, make: MakeEvent, is_busy: bool, points: list[Point]) -> int:
    """Three hooks in a row, the middle one killed; says how often it came to that."""
    kills = 0
    for number, point in enumerate(points):
        home = scratch / f"home-{number}"
        run_hook(home, *make(1))
        name, payload = make(2)
        with busy_spool(home, is_busy):
            kills += kill_at(point, hook_command(home, name), json.dumps(payload).encode())
        run_hook(home, *make(3))

        with opened(home) as memory:
            drained = memory.absorb()
            kept = [observation.text for observation in memory.engine.log.read(session="one")]
        assert (drained.damaged_bytes, drained.unreadable) == (0, 0), f"torn at {point}"
        first, second, third = (f"answer {which} " + "x" * 3000 for which in (1, 2, 3))
        assert kept in ([first, third], [first, second, third]), f"killed at {point}"
        shutil.rmtree(home)
    return kills


@pytest.mark.parametrize("is_busy", [False, True], ids=["shared file", "own file"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_hook_killed_at_a_system_call_harms_no_other_and_is_never_torn(scratch, kind, is_busy):
    points = spread(points_of_a_hook(scratch, KINDS[kind], is_busy), 6)

    # A hook that answers has a deadline, which may come before a late point does.
    assert kill_hooks(scratch, KINDS[kind], is_busy, points) >= min(2, len(points))


@pytest.mark.torture
@pytest.mark.parametrize("is_busy", [False, True], ids=["shared file", "own file"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_hook_killed_at_every_system_call_harms_no_other_and_is_never_torn(scratch, kind, is_busy):
    assert kill_hooks(scratch, KINDS[kind], is_busy, points_of_a_hook(scratch, KINDS[kind], is_busy)) >= 2


def test_a_hook_that_could_not_make_its_record_durable_says_so(scratch):
    """The other half of "acknowledged": a sync that fails is no acknowledgement, and leaves a line in the log."""
    name, payload = tool_event(1)
    strace = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fsync", "-e", "inject=fsync:error=EIO:when=1"]
    (scratch / "spool").mkdir()
    ended = subprocess.run(
        [*strace, *hook_command(scratch, name)], input=json.dumps(payload).encode(), capture_output=True, timeout=60
    )

    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")
    assert len((scratch / "hook-errors.log").read_text().splitlines()) == 1
    assert os.listdir(scratch / "spool")
