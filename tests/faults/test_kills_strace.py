"""Kills of real processes: strace ends a steward or a hook at its k-th call of one system call.

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

from hooks.processes import Left
from reverie.shells.install.entries import LAUNCHER
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
# In `make test`. A hook has few system calls, and one that answers has a deadline, which may come before a late point.
STEWARD_KILLS, HOOK_KILLS = 52, 2
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
    """So many of them, if there are: each of the rare system calls, and of the others evenly."""
    totals = Counter(name for name, _ in points)
    rare = [point for point in points if totals[point[0]] <= 3]
    others = [point for point in points if totals[point[0]] > 3]
    wanted = min(len(others), max(0, count - len(rare)))
    return [*rare, *(others[number * len(others) // wanted] for number in range(wanted))]


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
    points = spread(batch[2], STEWARD_KILLS)

    assert len(points) >= STEWARD_KILLS
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
FILES = {"shared file": False, "own file": True}  # where a hook writes, by whether the spool is busy


def hook_command(home: Path, name: str, launcher: str = str(LAUNCHER)) -> list[str]:
    return [sys.executable, "-I", "-S", launcher, name, str(home)]


def run_hook(home: Path, name: str, payload: dict[str, object]) -> None:
    """A hook that lives: it has acknowledged, or it says so in its log. Whom it left its work to has ended, too."""
    left = Left()
    ended = subprocess.run(
        hook_command(home, name), input=json.dumps(payload).encode(), capture_output=True, timeout=60,
        pass_fds=left.held,
    )  # fmt: skip
    left.close()
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


def trace_of_a_hook(scratch: Path, make: MakeEvent, is_busy: bool, launcher: str) -> list[tuple[Point, str]]:
    """The calls of a hook that nobody disturbs, in order, each with what it was called with (files by their names)."""
    home, trace = scratch / "counted", scratch / "trace"
    run_hook(home, *make(1))  # the one that will be killed is not the first, either
    name, payload = make(2)
    strace = ["strace", "-f", "-y", "-qq", "-e", f"trace={','.join(CALLS)}", "-e", "signal=none", "-o", str(trace)]
    with busy_spool(home, is_busy):
        subprocess.run(
            [*strace, *hook_command(home, name, launcher)],
            input=json.dumps(payload).encode(), capture_output=True, check=True, timeout=60,
        )  # fmt: skip
    shutil.rmtree(home)
    totals: Counter[str] = Counter()
    found = []
    for line in trace.read_text().splitlines():
        call, _, arguments = line.partition(" ")[2].lstrip().partition("(")
        if call in CALLS:
            totals[call] += 1
            found.append(((call, totals[call]), arguments))
    return found


def acknowledged_after(trace: list[tuple[Point, str]], is_busy: bool) -> int:
    """The place in a trace at which the record is acknowledged: its sync has returned, and it has its name."""
    last = "rename" if is_busy else "fsync"
    (place,) = [
        n
        for n, ((call, _), arguments) in enumerate(trace)
        if call == last and ("spool/own-" in arguments or "spool/current>" in arguments)
    ]
    return place


def kill_hooks(
    scratch: Path, make: MakeEvent, is_busy: bool, count: int | None = None, launcher: str = str(LAUNCHER)
) -> int:
    """Three hooks in a row, the middle one killed; says how often that happened after it had acknowledged."""
    trace = trace_of_a_hook(scratch, make, is_busy, launcher)
    acknowledged, points = acknowledged_after(trace, is_busy), [point for point, _ in trace]
    kills = after = 0
    for number, point in enumerate(spread(points, count) if count else points):
        home = scratch / f"home-{number}"
        run_hook(home, *make(1))
        name, payload = make(2)
        with busy_spool(home, is_busy):
            killed = kill_at(point, hook_command(home, name, launcher), json.dumps(payload).encode())
        run_hook(home, *make(3))

        with opened(home) as memory:
            drained = memory.parts.background.drain_spool()
            kept = [observation.text for observation in memory.engine.log.read(session="one")]
        assert (drained.damaged_bytes, drained.unreadable) == (0, 0), f"torn at {point}"
        first, second, third = (f"answer {which} " + "x" * 3000 for which in (1, 2, 3))
        if not killed or points.index(point) > acknowledged:
            after += killed
            assert kept == [first, second, third], f"killed at {point}: acknowledged, and lost"
        else:
            assert kept in ([first, third], [first, second, third]), f"killed at {point}"
        kills += killed
        shutil.rmtree(home)
    assert kills >= HOOK_KILLS
    return after


@pytest.mark.parametrize("is_busy", FILES.values(), ids=FILES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_hook_killed_at_a_system_call_harms_no_other_is_never_torn_and_keeps_its_word(scratch, kind, is_busy):
    after = kill_hooks(scratch, KINDS[kind], is_busy, count=6)

    # Who wrote a file of its own has a folder to sync after that; who answers may be ended by its deadline first.
    assert after >= is_busy


@pytest.mark.torture
@pytest.mark.parametrize("is_busy", FILES.values(), ids=FILES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_hook_killed_at_every_system_call_harms_no_other_is_never_torn_and_keeps_its_word(scratch, kind, is_busy):
    kill_hooks(scratch, KINDS[kind], is_busy)


def changed_hook(scratch: Path, change: tuple[str, str]) -> str:
    """A launcher of a hook whose spool.py was changed."""
    package = scratch / "changed" / "reverie"
    ours = LAUNCHER.parents[1]
    for name in ("hook", "redact"):
        shutil.copytree(ours / name, package / name, ignore=shutil.ignore_patterns("__pycache__"))
    spool = package / "hook" / "spool.py"
    assert change[0] in spool.read_text()
    spool.write_text(spool.read_text().replace(*change))
    return str(package / "hook" / "launch.py")


# What a hook does, with the protection taken out: it acknowledges before it has written; it writes in two pieces.
SYNCS_FIRST = (
    "            if posix.pwrite(file, data, end) < len(data):",
    "            sync(file)\n            if posix.pwrite(file, data, end) < len(data):",
)
SYNCS_LAST = ("            flock(lock, LOCK_UN)\n        sync(file)\n", "            flock(lock, LOCK_UN)\n")
WRITES_TWICE = (
    "            if posix.pwrite(file, data, end) < len(data):",
    "            if posix.pwrite(file, data[:99], end) + posix.pwrite(file, data[99:], end + 99) < len(data):",
)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [((SYNCS_FIRST, SYNCS_LAST), "acknowledged, and lost"), ((WRITES_TWICE,), "torn")],
    ids=["acknowledges first", "writes twice"],
)
def test_negative_control_a_hook_without_the_protection_fails_the_same_test(scratch, changes, complaint):
    launcher = changed_hook(scratch, changes[0])
    for old, new in changes[1:]:
        spool = Path(launcher).with_name("spool.py")
        assert old in spool.read_text()
        spool.write_text(spool.read_text().replace(old, new))

    with pytest.raises(AssertionError, match=complaint):
        kill_hooks(scratch, tool_event, is_busy=False, launcher=launcher)


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
