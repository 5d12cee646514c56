"""Figures -> a table that a person reads, and a JSON file that a later run is compared with."""

import json
import os
import platform
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"


class NotMeasured(Exception):
    """A part, or some of it, cannot be measured here; it says why. What an earlier run has measured stays."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured number, and the bar that it is held against, if there is one."""

    what: str
    value: float
    unit: str = ""
    at_most: float | None = None
    at_least: float | None = None

    @property
    def passes(self) -> bool | None:
        if self.at_most is not None:
            return self.value <= self.at_most
        return self.value >= self.at_least if self.at_least is not None else None

    def as_json(self) -> dict[str, Any]:
        told: dict[str, Any] = {"what": self.what, "value": round(self.value, 4), "unit": self.unit}
        if self.passes is None:
            return told
        bar = {"at_most": self.at_most} if self.at_most is not None else {"at_least": self.at_least}
        return told | bar | {"passes": self.passes}


def figures(*found: Figure) -> dict[str, Any]:
    """What a part's `run` returns."""
    return {"figures": [figure.as_json() for figure in found]}


def machine() -> dict[str, Any]:
    """What the figures depend on; nothing that names the machine."""
    import apsw

    return {
        "cpus": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        "python": platform.python_version(),
        "sqlite": apsw.sqlite_lib_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }


def show(part: str, result: dict[str, Any]) -> bool:
    """Print one part; false if a bar was missed."""
    rows = [_cells(figure) for figure in result.get("figures", [])]
    print(f"\n{part}")
    if rows:
        widths = [max(len(row[column]) for row in rows) for column in range(3)]
        for what, value, bar, verdict in rows:
            print(f"  {what:<{widths[0]}}  {value:>{widths[1]}}  {bar:<{widths[2]}}  {verdict}".rstrip())
    return all(figure.get("passes", True) for figure in result.get("figures", []))


def _cells(figure: dict[str, Any]) -> Sequence[str]:
    value = figure["value"]
    number = f"{value:,.0f}" if abs(value) >= 100 else f"{value:.2f}" if abs(value) >= 0.1 else f"{value:.3f}"
    bar = ""
    if "at_most" in figure:
        bar = f"<= {figure['at_most']:g}"
    elif "at_least" in figure:
        bar = f">= {figure['at_least']:,g}"
    verdict = {True: "ok", False: "MISSED", None: ""}[figure.get("passes")]
    return figure["what"], f"{number} {figure['unit']}".strip(), bar, verdict


def save(part: str, result: dict[str, Any], facts: dict[str, Any]) -> None:
    RESULTS.mkdir(exist_ok=True)
    text = json.dumps({"machine": facts, **result}, indent=2, ensure_ascii=False)
    (RESULTS / f"{part}.json").write_text(text + "\n", encoding="utf-8")


def progress(text: str) -> None:
    print(f"  … {text}", file=sys.stderr, flush=True)
