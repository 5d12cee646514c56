"""What it costs to import Reverie, and to run the smallest command: ratios to a bare interpreter in the same run."""

import os
import statistics
import sys
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
    )


def _added(times: Sequence[float], bare: float) -> float:
    return statistics.median(times) - bare


if __name__ == "__main__":
    from bench.table import show

    show("imports", run(*(int(argument) for argument in sys.argv[1:])))
