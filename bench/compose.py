"""What composing a prompt costs: all sections with full inputs, beside 10,000 memories, against one recall."""

import random
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from bench.recall_speed import turns
from bench.table import Figure, figures, progress
from bench.words import words
from reverie.memory import Memory
from reverie.testing import ScriptedConverser

MEMORIES = 10_000
TIMES = 60
SECTIONS = 16


def run() -> dict[str, Any]:
    chance = random.Random(5)
    questions = [" ".join(words(chance, 8)) for _ in range(TIMES)]
    with tempfile.TemporaryDirectory() as folder, Memory.open(Path(folder) / "home") as memory:
        progress(f"{MEMORIES} memories")
        memory.observe(turns(0, MEMORIES))
        memory.maintenance.refresh_index()
        _furnish(memory)
        conversation = memory.continuum(converser=ScriptedConverser("Fine."))
        conversation.send(questions[0])
        recalls, composes, sections = [], [], 0
        for number, question in enumerate(questions):
            began = time.perf_counter()
            memory.search(question, limit=10)
            middle = time.perf_counter()
            composed = conversation.working_memory.compose(
                memory.engine.user, conversation.base_prompt, continuum_id="main", turn_number=number
            )
            recalls.append(middle - began)
            composes.append(time.perf_counter() - middle)
            sections = len(composed.sections)
            assert not composed.missing, composed.missing
    return figures(
        Figure(f"composing {sections} sections, times one recall", median(composes) / median(recalls), "x", at_most=3),
        Figure("sections in the prompt", sections, at_least=SECTIONS),
        Figure("composing a prompt", median(composes) * 1000, "ms"),
        Figure(f"one recall among {MEMORIES:,}", median(recalls) * 1000, "ms"),
    )


def _furnish(memory: Memory) -> None:
    """Something for every section to say."""
    memory.env.files.replace(memory.workspace.home / "MEMORY.md", b"# State\n\nThe shop is being rebuilt.\n")
    memory.env.files.make_folder(memory.workspace.home / "memory")
    memory.env.files.replace(memory.workspace.home / "memory" / "scratch.md", b"- look at the export\n")
    memory.env.files.make_folder(memory.workspace.home / "notes" / "journal")
    memory.env.files.replace(
        memory.workspace.home / "notes" / "journal" / "daily_summary.md", b"Yesterday: the export.\n"
    )
    for number in range(20):
        memory.reminders.add(f"Reminder {number}", f"in {number + 1} hours")
        memory.observe(f"I prefer colour {number} for theme {number}.", session="wishes", speaker="user")
        memory.observe(f"Remind me to check case {number} tomorrow.", session="todo", speaker="user")
    memory.punchclock.start("review")
    memory.goals.add("Ship the export this month")
    memory.documents.create("shop", "The shop")
    for number in range(10):
        memory.documents.create_section("shop", f"Part {number}", "Deploys go out on Tuesday. " * 20)
    for session in ("wishes", "todo"):
        memory.engine.log.close_turn(session)
    memory.parts.background.distil()
    toolset = memory.parts.toolset
    from reverie.records.conversation_values import Moment

    toolset.searches().run({"operation": "search", "query": "export"}, Moment(memory.env.now_ms(), "main", "", 1))


if __name__ == "__main__":
    from bench.table import show

    sys.exit(0 if show("compose", run()) else 1)
