"""What a person saw in an answer and found wrong, each seen through the command or the call that showed it."""

import re
from pathlib import Path

import pytest

from reverie.capture.hook_events import from_event
from reverie.memory import Memory
from reverie.shells.demo import play
from reverie.testing import FakeEnv
from shells.conftest import Reverie
from support.hooks import say

DAY_MS = 86_400_000
PICTURE = Path(__file__).parents[2] / "docs" / "images" / "demo.svg"


def test_learnings_are_newest_first_after_an_import_of_older_ones(memory: Memory) -> None:
    say(memory, "From now on always use pnpm instead of npm.")
    now_ms = memory.env.now_ms()
    old = {"session": "old", "kind": "user_message", "speaker": "user", "time": now_ms - DAY_MS}
    memory.observe([{**old, "text": "Never push to main without a review.", "id": "o1"}])
    memory.env.sleep(3600)
    memory.parts.background.drain_spool()
    memory.parts.background.distil()

    found = memory.engine.learnings.recent(0)

    assert len(found) > 1
    assert [it.learned_ms for it in found] == sorted((it.learned_ms for it in found), reverse=True)


def test_explain_alone_tells_of_the_last_question_not_of_upkeep_since(memory: Memory) -> None:
    memory.note("The staging port is 8080.")
    asked = memory.assemble_context("Which port has staging?", 300)
    memory.commit()
    for number in range(30):
        memory.observe(f"Line {number} says that the tea is green and the cup is blue.", session="talk")
    assert memory.maintenance.compact("talk")
    memory.commit()

    assert memory.explain().turn == asked.turn


def test_why_is_a_line_for_each_memory_that_is_shown_and_one_for_the_rest(reverie: Reverie) -> None:
    with Memory.open() as memory:
        for number in range(60):
            memory.note(f"Port 80{number:02} belongs to service number {number}.")

    told = reverie(
        "recall", "which port belongs to which service?", "--budget", "60", "--why", "--everywhere"
    ).out.splitlines()

    shown = [line for line in told if line.startswith("- ")]
    assert shown
    assert len(told) <= 3 * len(shown) + 8
    assert re.search(r"^\d+ more found and left out; `reverie explain` lists them$", "\n".join(told), re.MULTILINE)


def test_the_sources_of_a_context_are_the_messages_that_it_was_taken_from(memory: Memory) -> None:
    memory.observe("The staging port is 8080.", session="chat-1", speaker="Ana", time="2026-03-01T10:00:00Z")

    found = memory.assemble_context("Which port has staging?", 300)

    (source,) = found.sources
    (observation,) = memory.engine.log.read(session="chat-1")
    assert (source.id, source.type, source.session, source.speaker) == (observation.id, "user_message", "chat-1", "Ana")
    assert source.when_ms == observation.occurred_ms


def test_a_context_has_no_heading_twice(memory: Memory) -> None:
    say(memory, "From now on always use pnpm instead of npm.")
    memory.parts.profile.write_starters()
    path = memory.workspace.home / "user.md"
    path.write_text("# About you\n\n## Preferences\n\n- I like tea\n")
    say(memory, "In this project, always run the linter before you commit.")

    headings = re.findall(r"^#+ .*$", memory.context("/projects/shop"), re.MULTILINE)

    assert any("references" in heading for heading in headings)
    assert len(set(headings)) == len(headings)


@pytest.mark.usefixtures("shop")
def test_an_inbox_with_nothing_to_do_says_so(reverie: Reverie) -> None:
    assert reverie("admin", "inbox", "show").out.strip() == "nothing is waiting, and nothing has failed"
    with Memory.open() as memory:
        memory.observe("From now on always use pnpm instead of npm.", session="s1")
        memory.commit()
        memory.parts.background.distil()

    assert reverie("admin", "inbox", "show").out.strip() == "nothing is waiting, and nothing has failed; 1 turn is done"


def test_what_a_write_wrote_stands_once_in_its_record(env: FakeEnv) -> None:
    content = "def main() -> None:\n    print('hello')\n" * 20
    fields = {
        "session_id": "s", "tool_name": "Write", "tool_use_id": "t1",
        "tool_input": {"file_path": "/shop/main.py", "content": content},
        "tool_response": {"type": "create", "filePath": "/shop/main.py", "content": content, "structuredPatch": []},
    }  # fmt: skip

    kept = from_event("PostToolUse", fields, occurred_ms=env.now_ms(), project="")

    assert kept.tool
    assert kept.text == content
    assert kept.tool.input == {"file_path": "/shop/main.py", "content": "[the text of the answer]"}
    assert "hello" not in str(kept.metadata)


def test_the_demo_has_no_frame_that_a_font_can_break() -> None:
    from io import StringIO

    from rich.console import Console

    out = StringIO()
    play(Console(file=out, width=100))

    assert "## Preferences" in out.getvalue()
    assert not set("│╭╮╰╯") & set(out.getvalue())
    picture = PICTURE.read_text(encoding="utf-8")
    assert not set("│╭╮╰╯") & set(picture)
    assert picture.count("textLength=") == picture.count("lengthAdjust=")
