"""Whether memory is silent where it knows nothing, and speaks where it does: `founded` against the floor.

Each conversation of LoCoMo-dev and LongMemEval-dev is asked its own questions and those of others; and a person's
memory of three projects (tests/data/floor) is asked everyday prompts and tasks that need a fact. Every answer has 400
tokens. The floor is applied afterwards, so that one pass tells both what is found without it and what stays.
"""

import json
import random
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from bench.conversations import DATA, Asking, Corpus, corpus
from bench.table import Figure, NotMeasured, figures, progress
from reverie.memory import Memory
from reverie.pipeline.lookup import given_ids
from reverie.records import MemoryItem
from reverie.settings import EmbedSettings, RecallSettings, Settings

OURS = Path(__file__).parents[1] / "tests" / "data" / "floor"
FLOOR = RecallSettings().floor
_BUDGET = 400
_LATER_MS = 21 * 86_400_000  # the tasks come three weeks after the facts
# Foreign questions for each conversation; the bars: silent on foreign questions, hits that stay.
_SETS = {"locomo-dev": (200, 88, 90), "longmemeval-dev": (20, 75, 87)}


@dataclass(frozen=True, slots=True)
class Told:
    """What one prompt gets without a floor: how well it is founded, and whether what it needs is packed."""

    founded: float
    is_hit: bool

    @property
    def is_silent(self) -> bool:
        return self.founded < FLOOR


def settings(provider: str) -> Settings:
    embed = EmbedSettings(provider="static" if provider == "static" else "none")
    return replace(Settings(), recall=RecallSettings(floor=0.0), embed=embed)


def ask(memory: Memory, prompt: str, at_ms: int, needs: Iterable[str] = (), project: str | None = None) -> Told:
    filters = {"project": project} if project else None
    found = memory.assemble_context(prompt, _BUDGET, filters, at=at_ms)
    memory.commit()
    given = given_ids(memory.parts.store, [one.item for one in found.items])
    return Told(found.founded, not set(needs).isdisjoint(turn for turns in given for turn in turns))


def _remember(memory: Memory, turns: Sequence[MemoryItem]) -> None:
    memory.observe(
        {"id": item.id, "text": item.text, "kind": item.type.value, "speaker": item.speaker,
         "session": item.session, "project": item.project, "time": item.created_ms}
        for item in turns
    )  # fmt: skip
    for session in {item.session for item in turns}:
        memory.engine.log.close_turn(session)
    memory.parts.background.distil()
    memory.maintenance.refresh_index()


def _asked(data: Corpus, foreign: int, provider: str) -> tuple[list[Told], list[Told]]:
    """What each conversation tells to its own questions, and to those of others."""
    chance = random.Random(1)
    questions: dict[str, list[Asking]] = defaultdict(list)
    for one in data.questions:
        questions[one.conversation].append(one)
    own: list[Told] = []
    others: list[Told] = []
    for name, turns in data.turns.items():
        strange = chance.sample([one for one in data.questions if one.conversation != name], foreign)
        with (
            tempfile.TemporaryDirectory() as folder,
            Memory.open(Path(folder) / "home", settings=settings(provider)) as memory,
        ):
            _remember(memory, turns)
            own += [ask(memory, one.text, one.at_ms, one.evidence) for one in questions[name]]
            at_ms = max(one.at_ms for one in questions[name])
            others += [ask(memory, one.text, at_ms) for one in strange]
    return own, others


# ---- our own set


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (OURS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def remember_projects(memory: Memory) -> int:
    """Tell a memory the facts of all projects as they were said; return when the last was."""
    told = rows("facts")
    memory.observe(
        {"id": row["id"], "text": row["text"], "kind": f"{row['speaker']}_message", "project": f"/{row['project']}",
         "session": f"{row['project']} {row['said_at'][:10]}", "time": row["said_at"]}
        for row in told
    )  # fmt: skip
    for session in {f"{row['project']} {row['said_at'][:10]}" for row in told}:
        memory.engine.log.close_turn(session)
    memory.parts.background.distil()
    memory.maintenance.refresh_index()
    return int(max(datetime.fromisoformat(row["said_at"]).timestamp() for row in told) * 1000)


def _ours(provider: str) -> list[Figure]:
    found = []
    with (
        tempfile.TemporaryDirectory() as folder,
        Memory.open(Path(folder) / "home", settings=settings(provider)) as memory,
    ):
        at_ms = remember_projects(memory) + _LATER_MS
        answers = {
            name: [(int(row["id"][1:]), ask(memory, row["prompt"], at_ms, [row.get("needs", "")], f"/{row['project']}"))
                   for row in rows(name)]
            for name in ("everyday", "tasks")
        }  # fmt: skip
    for half, remainder in (("unseen half", 0), ("half that was looked at", 1)):
        everyday = [told for number, told in answers["everyday"] if number % 2 == remainder]
        tasks = [told for number, told in answers["tasks"] if number % 2 == remainder]
        bars = (88.0, 50.0) if provider == "static" and remainder == 0 else (None, None)
        found += [
            Figure(f"everyday prompts, {half}, {_NAMES[provider]}: silent", _silent(everyday), "%", at_least=bars[0]),
            Figure(f"tasks, {half}, {_NAMES[provider]}: told", _told(tasks, len(tasks)), "%", at_least=bars[1]),
            Figure(f"tasks, {half}, {_NAMES[provider]}: found without a floor", _share(tasks), "%"),
        ]
    return found


_NAMES = {"static": "words and static vectors", "none": "words alone"}


def _silent(told: Sequence[Told]) -> float:
    return 100 * sum(one.is_silent for one in told) / len(told)


def _told(told: Sequence[Told], of: int) -> float:
    return 100 * sum(one.is_hit and not one.is_silent for one in told) / of


def _share(told: Sequence[Told]) -> float:
    return 100 * sum(one.is_hit for one in told) / len(told)


def run() -> dict[str, Any]:
    found = [*_ours("static"), *_ours("none")]
    for name, (foreign, silence, stay) in _SETS.items():
        data = corpus(name)
        if data is None:
            raise NotMeasured(f"no {name} in {DATA}; CONTRIBUTING.md says where it comes from")
        for provider, words in _NAMES.items():
            progress(f"{name}, {words}")
            own, others = _asked(data, foreign, provider)
            bars = (float(silence), float(stay)) if provider == "static" else (None, None)
            hits = sum(one.is_hit for one in own)
            found += [
                Figure(f"{name}, {words}: silent on {len(others):,} foreign questions", _silent(others), "%",
                       at_least=bars[0]),
                Figure(f"{name}, {words}: of {hits} hits stay", _told(own, hits), "%", at_least=bars[1]),
            ]  # fmt: skip
    return figures(*found)


if __name__ == "__main__":
    from bench.table import show

    sys.exit(0 if show("floor", run()) else 1)
