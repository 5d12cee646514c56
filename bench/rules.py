"""How often the rules are right, and how much they find: on turns that they were written with, and on turns that not.

The labels are in tests/distil; each file of the second kind was written before the rules had seen it.
"""

import sys
from pathlib import Path
from typing import Any

from bench.table import Figure, figures
from reverie.distil.rules import by_rules

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from distil import score
from distil.turns import labelled_turn


def run() -> dict[str, Any]:
    found = [*_figures("written with", (score.LABELLED,)), *_figures("never seen", score.UNSEEN)]
    for file in score.UNSEEN:
        found += _figures(f"of these, {file.stem.removesuffix('_turns')}", (file,), has_bar=False)
    return figures(*found)


def _figures(name: str, files: tuple[Path, ...], *, has_bar: bool = True) -> list[Figure]:
    turns = score.read(*files)
    judged = score.judge(_extract, turns)
    return [
        Figure(f"{name} ({len(turns)} turns): right", 100 * judged.precision, "%", at_least=90 if has_bar else None),
        Figure(f"{name}: found", 100 * judged.recall, "%", at_least=60 if has_bar else None),
    ]


def _extract(labelled: score.Turn) -> list[tuple[str, str]]:
    return [(learning.type.value, learning.text) for learning in by_rules(labelled_turn(labelled))]


if __name__ == "__main__":
    from bench.table import show

    show("rules", run())
