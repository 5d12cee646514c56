"""Whether every way to ask agrees: the first ten of `search`, `assemble_context`, surfacing and by words alone.

Each of them is asked each question of LoCoMo-dev, of the same memory; by words alone is compared with a search without
vectors. The times of a search and of a context alternate, question by question.
"""

import shutil
import sys
import tempfile
import time
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from bench.conversations import DATA, Asking, corpus
from bench.table import Figure, NotMeasured, figures, progress
from reverie.continuum.surfaced_memories import surface
from reverie.memory import Memory
from reverie.records import MemoryItem
from reverie.records.conversation_values import Message, Role
from reverie.settings import EmbedSettings, Settings

_FIRST = 10
_BUDGET = 2000


def run() -> dict[str, Any]:
    data = corpus("locomo-dev")
    if data is None:
        raise NotMeasured(f"no locomo-dev in {DATA}; CONTRIBUTING.md says where it comes from")
    asked: dict[str, list[Asking]] = defaultdict(list)
    for question in data.questions:
        asked[question.conversation].append(question)
    agreed: Counter[str] = Counter()
    times: dict[str, list[float]] = defaultdict(list)
    for name, questions in asked.items():
        progress(f"{name}: {len(data.turns[name])} turns, {len(questions)} questions")
        with tempfile.TemporaryDirectory() as folder:
            _ask_one_memory(data.turns[name], questions, Path(folder), agreed, times)
    count = len(data.questions)
    search, assemble = median(times["search"]), median(times["assemble_context"])
    return figures(
        *(Figure(f"first ten of search and {name} agree", agreed[name], f"of {count}", at_least=count)
          for name in ("assemble_context", "surfacing", "words alone")),
        Figure("assemble_context, times a search", assemble / search, "x", at_most=3),
        Figure("a search", 1000 * search, "ms"),
        Figure("assemble_context", 1000 * assemble, "ms"),
        Figure("commit", 1000 * median(times["commit"]), "ms"),
    )  # fmt: skip


def _ask_one_memory(
    turns: list[MemoryItem],
    questions: list[Asking],
    folder: Path,
    agreed: Counter[str],
    times: dict[str, list[float]],
) -> None:
    with Memory.open(folder / "home") as memory:
        memory.observe(
            {"id": item.id, "text": item.text, "kind": item.type.value, "speaker": item.speaker,
             "session": item.session, "time": item.created_ms}
            for item in turns
        )  # fmt: skip
        for session in {item.session for item in turns}:
            memory.engine.log.close_turn(session)
        memory.parts.background.distil()
        memory.maintenance.refresh_index()
        memory.search("load the index")
        shutil.copytree(folder / "home", folder / "by words")
        for question in questions:
            _compare(memory, question, agreed, times)
    without = replace(Settings(), embed=EmbedSettings(provider="none"))
    with Memory.open(folder / "by words", settings=without) as memory:
        for question in questions:
            found = [hit.id for hit in memory.search(question.text, limit=_FIRST)]
            by_words = [hit.id for hit in memory.parts.word_lookup.search(question.text, limit=_FIRST)]
            agreed["words alone"] += found == by_words


def _compare(memory: Memory, question: Asking, agreed: Counter[str], times: dict[str, list[float]]) -> None:
    began = time.perf_counter()
    hits = memory.search(question.text, limit=_FIRST, at=question.at_ms)
    searched = time.perf_counter()
    assembled = memory.assemble_context(question.text, _BUDGET, at=question.at_ms)
    packed = time.perf_counter()
    memory.commit()
    times["search"].append(searched - began)
    times["assemble_context"].append(packed - searched)
    times["commit"].append(time.perf_counter() - packed)
    agreed["assemble_context"] += _found(memory, assembled.turn) == [hit.id for hit in hits]
    asked = Message(role=Role.USER, text=question.text, id="not stored", segment_id="a new one")
    _, surfaced = surface(memory.parts.for_conversations, asked)
    memory.commit()
    came_up = _found(memory, surfaced.turn)
    # A conversation leaves out what has nothing to do with the question; the rest has the order of the search.
    order = [hit.id for hit in memory.search(question.text, limit=100)]
    agreed["surfacing"] += came_up == [one for one in order if one in came_up]


def _found(memory: Memory, turn: str) -> list[str]:
    """What was found in a turn, in its order, before it was packed."""
    (found,) = [span.data["found"] for span in memory.explain(turn).spans if span.kind == "recall"]
    assert isinstance(found, list)
    return [str(one["id"]) for one in found if isinstance(one, dict)][:_FIRST]


if __name__ == "__main__":
    from bench.table import show

    sys.exit(0 if show("agreement", run()) else 1)
