"""What a hook costs: the wall time of its process, as a ratio to a bare interpreter started in the same run.

Baseline and subject take turns, so that a busy machine slows both. Events come through a pipe, as an agent sends them.

The bars are on ratios to the *median* of the bare interpreter, also for p95: a noisy baseline must not help. Beside it
stands the ratio of p95 to p95, which says how much of the spread is the machine's own. The command as it is installed,
through `sh … || :`, is measured in the same way, without a bar: the shell is the agent's choice. So is a SessionStart
that is answered, by a steward and without one.
"""

import json
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import reverie
from bench.table import Figure, figures, progress
from bench.words import words
from reverie.env.real import RealEnv
from reverie.foundation.workspace import Workspace
from reverie.memory import Memory
from reverie.shells.daemon.process import start_detached, stop_running
from reverie.shells.install.entries import hook_command

LAUNCH = Path(reverie.__file__).parent / "hook" / "launch.py"
ROUNDS = 160
SIZES = {"small": 0, "10 KB": 10_000, "100 KB": 100_000, "2 MB": 2_000_000}
BARE = [sys.executable, "-I", "-S", "-c", "pass"]
_EVENT = "PostToolUse"
_ONE_SECRET_PER = 4_000  # characters of tool output; a log full of credentials


def run(rounds: int = ROUNDS) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="reverie-bench-") as folder:
        home = Path(folder) / "home"
        hook = [sys.executable, "-I", "-S", str(LAUNCH), _EVENT, str(home)]
        found: list[Figure] = []
        for name, size in SIZES.items():
            for secrets in (False, True):
                label = f"{name}, with secrets" if secrets else name
                progress(label)
                runs = rounds if size <= 100_000 else rounds // 4
                found += figures_of(label, measure(hook, event(folder, size, secrets), runs, home), *_bars(size))
        installed = ["/bin/sh", "-c", hook_command(_EVENT, str(home))]
        for name in ("small", "100 KB"):
            label = f"{name}, as installed (sh)"
            progress(label)
            found += figures_of(label, measure(installed, event(folder, SIZES[name], False), rounds, home))
        found += answered(Path(folder) / "answering", max(20, rounds // 4))
        found.append(Figure("sync of one record", 1000 * sync_seconds(home), "ms"))
        found.append(Figure("bare interpreter", 1000 * statistics.median(wall(BARE, b"") for _ in range(20)), "ms"))
    return figures(*found)


def _bars(size: int) -> tuple[float, float | None]:
    """For p50 and p95."""
    return (2.5, 3.0) if size <= 100_000 else (12.0, None)


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds of each run, of the subject and of the bare interpreter beside it."""

    subject: Sequence[float]
    bare: Sequence[float]

    def ratio(self, percent: int, of_bare: int = 50) -> float:
        return percentile(self.subject, percent) / percentile(self.bare, of_bare)


def figures_of(label: str, times: Times, p50: float | None = None, p95: float | None = None) -> list[Figure]:
    return [
        Figure(f"{label}, p50", times.ratio(50), "x", at_most=p50),
        Figure(f"{label}, p95 to bare p50", times.ratio(95), "x", at_most=p95),
        Figure(f"{label}, p95 to bare p95", times.ratio(95, of_bare=95), "x"),
    ]


def measure(command: Sequence[str], stdin: bytes, rounds: int, home: Path) -> Times:
    """The command and the bare interpreter, by turns."""
    wall(command, stdin)  # the first run compiles modules and makes folders
    bare, subject = [], []
    for _ in range(rounds):
        bare.append(wall(BARE, b""))
        subject.append(wall(command, stdin))
        empty(home / "spool")
    return Times(subject, bare)


def answered(home: Path, rounds: int) -> list[Figure]:
    """A SessionStart that is told what was learned: by the record alone, then by a steward that runs."""
    with Memory.open(home) as memory:
        memory.note("From now on always use pnpm instead of npm.")
    start = {"session_id": "s1", "cwd": str(home), "hook_event_name": "SessionStart", "source": "startup"}
    command = [sys.executable, "-I", "-S", str(LAUNCH), "SessionStart", str(home)]
    stdin = json.dumps(start).encode()
    progress("SessionStart, without a steward")
    found = figures_of("SessionStart without a steward", measure(command, stdin, rounds, home))
    workspace, env = Workspace(home), RealEnv()
    start_detached(workspace, env)
    try:
        progress("SessionStart, with a steward")
        found += figures_of("SessionStart with a steward", measure(command, stdin, rounds, home))
    finally:
        stop_running(workspace, env)
    return found


def empty(folder: Path) -> None:
    """What a steward would have done meanwhile."""
    for name in os.listdir(folder):
        if not name.endswith("lock"):
            with suppress(FileNotFoundError):  # a steward has done it
                os.unlink(folder / name)


def percentile(values: Sequence[float], percent: int) -> float:
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]


def wall(command: Sequence[str], stdin: bytes) -> float:
    """Seconds from the start of a process to its end, its stdin through a pipe."""
    reading, writing = os.pipe()
    silent = [(os.POSIX_SPAWN_OPEN, fd, "/dev/null", os.O_WRONLY, 0) for fd in (1, 2)]
    actions = [(os.POSIX_SPAWN_DUP2, reading, 0), *silent]
    os.set_inheritable(writing, False)
    started = time.perf_counter()
    pid = os.posix_spawn(command[0], list(command), os.environ, file_actions=actions)
    os.close(reading)
    try:
        sent = 0
        while sent < len(stdin):
            sent += os.write(writing, stdin[sent : sent + 65536])
    except BrokenPipeError:
        pass
    os.close(writing)
    os.waitpid(pid, 0)
    return time.perf_counter() - started


def event(cwd: str, size: int, secrets: bool) -> bytes:
    """A tool call whose answer has this many characters, as a coding agent reports it."""
    fields = {
        "session_id": "0d3c2a9e-6b1f-4c58-9a71-2f6f5a1f7c11",
        "transcript_path": f"{cwd}/transcript.jsonl",
        "cwd": cwd,
        "hook_event_name": _EVENT,
        "prompt_id": "6f1de2c4-51b7-4f0e-8d0a-9d6a7f3f9a22",
        "permission_mode": "default",
        "tool_name": "Bash",
        "tool_input": {"command": "pytest -q tests/unit", "description": "Run the unit tests"},
        "tool_response": {"stdout": output(size or 200, secrets), "stderr": "", "interrupted": False},
        "tool_use_id": "toolu_01A09q90qw90lq917835lq9",
        "duration_ms": 1312,
    }
    return json.dumps(fields).encode()


_TECHNICAL = (  # noqa: SIM905
    "error warning info debug retry timeout connection closed session user account order price total config value "
    "src/app/main.py tests/unit/test_orders.py lib/http/client.ts node_modules/.cache def return import class if "
    "else for while const let function async await => {} [] () == != 200 404 500 1312ms 0x7f3a 12:04:31 2026-11-16"
).split()


def output(size: int, secrets: bool, seed: int = 7) -> str:
    """Words, paths and numbers like those in a terminal, and now and then a line that gives a secret away."""
    chance = random.Random(seed)
    lines: list[str] = []
    written = since_secret = 0
    while written < size:
        line = " ".join(chance.choices(_TECHNICAL, k=chance.randint(2, 6)) + words(chance, chance.randint(2, 9)))
        since_secret += len(line)
        if secrets and (since_secret > _ONE_SECRET_PER or not lines):
            line, since_secret = secret_line(chance), 0
        lines.append(line)
        written += len(line) + 1
    return "\n".join(lines)[: max(size, 120)]


def secret_line(chance: random.Random) -> str:
    letters = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
    value = "".join(chance.choices(letters, k=36))
    return chance.choice(
        [
            f"export GITHUB_TOKEN=ghp_{value}",
            f"DATABASE_URL=postgres://app:{value[:16]}@db.internal:5432/app",
            f"Authorization: Bearer {value}",
            f'  "password": "{value[:14]}",',
        ]
    )


def sync_seconds(folder: Path) -> float:
    """The median time of one fsync after a small append, in the folder of the spool."""
    times = []
    with open(folder / "sync-probe", "wb", buffering=0) as file:
        for _ in range(30):
            file.write(b"x" * 1000)
            started = time.perf_counter()
            os.fsync(file.fileno())
            times.append(time.perf_counter() - started)
    return statistics.median(times)


if __name__ == "__main__":
    from bench.table import show

    show("hook", run(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS))
