"""Measure what it costs to import Reverie and to run small commands.

Imports are ratios of wall time to a bare interpreter in the same run. Commands are CPU time beyond a bare interpreter,
as a ratio to what importing click and apsw takes beyond it: no command can do with less.
"""

import os
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.hook import wall
from bench.table import Figure, figures, progress

ROUNDS = 25
_COMMAND = str(Path(sys.executable).with_name("reverie"))
SUBJECTS = {
    "import reverie": [sys.executable, "-c", "import reverie"],
    "from reverie import Memory": [sys.executable, "-c", "from reverie import Memory"],
    "reverie --version": [_COMMAND, "--version"],
}

COMMANDS = {
    "reverie status": ["status"],
    "reverie search": ["search", "staging", "--everywhere"],
    "reverie note": ["note", "The staging port is 8080."],
}


def run(rounds: int = ROUNDS) -> dict[str, Any]:
    progress(", ".join(SUBJECTS))
    times: dict[str, list[float]] = {name: [] for name in ("bare", *SUBJECTS)}
    for _ in range(rounds):
        times["bare"].append(wall([sys.executable, "-c", "pass"], b""))
        for name, command in SUBJECTS.items():
            if os.path.exists(command[0]):
                times[name].append(wall(command, b""))
    bare = statistics.median(times["bare"])
    return figures(
        *(Figure(name, statistics.median(times[name]) / bare, "x") for name in SUBJECTS if times[name]),
        *(Figure(f"{name}, alone", 1000 * _added(times[name], bare), "ms") for name in SUBJECTS if times[name]),
        Figure("bare interpreter", 1000 * bare, "ms"),
        *_commands(rounds),
    )


def _commands(rounds: int) -> list[Figure]:
    """Run each command by turns in a workspace with a note, without a steward."""
    progress(", ".join(COMMANDS))
    with tempfile.TemporaryDirectory(prefix="reverie-bench-") as home:
        subjects = {name: [_COMMAND, "--home", home, *words] for name, words in COMMANDS.items()}
        subjects |= {"bare": [sys.executable, "-c", "pass"], "least": [sys.executable, "-c", "import click, apsw"]}
        _cpu(subjects["reverie note"])
        times = {name: statistics.median(_cpu(command) for _ in range(rounds)) for name, command in subjects.items()}
    least = times["least"] - times["bare"]
    return [Figure(f"{name}, CPU to click and apsw", (times[name] - times["bare"]) / least, "x") for name in COMMANDS]


def _cpu(command: Sequence[str]) -> float:
    """Seconds of CPU that a process took, its own and the kernel's for it."""
    silent = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)]
    _, _, used = os.wait4(os.posix_spawn(command[0], list(command), os.environ, file_actions=silent), 0)
    return used.ru_utime + used.ru_stime


def _added(times: Sequence[float], bare: float) -> float:
    return statistics.median(times) - bare


if __name__ == "__main__":
    from bench.table import show

    show("imports", run(*(int(argument) for argument in sys.argv[1:])))
