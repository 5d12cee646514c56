"""`python -m bench [PART …]`: run the parts, print what they cost against their bars, write bench/results/*.json.

Each part has a process of its own: what one leaves in memory is not counted as another's.
"""

import importlib.util
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from bench import measured
from bench.table import NotMeasured, machine, save, show

PARTS = (
    "hook",
    "steward",
    "observe",
    "imports",
    "redaction",
    "rules",
    "retrieval",
    "floor",
    "agreement",
    "recall_speed",
    "compaction",
    "personal",
    "conversation",
    "compose",
)


def main(names: list[str]) -> int:
    wanted = names or [name for name in PARTS if importlib.util.find_spec(f"bench.{name}")]
    if unknown := [name for name in wanted if name not in PARTS]:
        print(f'no part "{unknown[0]}"; there are {", ".join(PARTS)}', file=sys.stderr)
        return 2
    facts = machine()
    print(", ".join(f"{name} {value}" for name, value in facts.items()))
    missed, left_out = [], []
    apart = ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1)
    for name in wanted:
        try:
            result = apart.submit(measured, name).result()
        except NotMeasured as why:
            print(f"\n{name}\n  not measured: {why}")
            left_out.append(name)
            continue
        if not isinstance(result, dict):  # a part that prints its own table
            continue
        save(name, result, facts)
        if not show(name, result):
            missed.append(name)
    if left_out:
        print(f"\nnot measured: {', '.join(left_out)}")
    if missed or len(left_out) < len(wanted):
        print(f"\nmissed a bar: {', '.join(missed)}" if missed else "\nevery bar that was measured holds")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
