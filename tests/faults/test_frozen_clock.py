"""A clock that stands still, or ticks too coarsely to tell two events apart: equal events stay as many as they were.

Two single calls are two events. A repeat is what repeats the host's id, a list that is given again, a transcript that is
imported again, a spooled record that is read again.
"""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from reverie.capture.callbacks import create_hook_callbacks
from reverie.hook import capture_event as hook
from reverie.hook import spool
from reverie.memory import Memory
from reverie.shells.imports import import_transcripts
from reverie.testing import START_MS, FakeEnv

TOOL = {"session_id": "s1", "cwd": "/", "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": "ok"}
EVENTS: dict[str, dict[str, object]] = {
    "PostToolUse": TOOL,
    "PostToolUseFailure": {**TOOL, "error": "no"},
    "UserPromptSubmit": {"session_id": "s1", "prompt": "yes"},
    "Stop": {"session_id": "s1", "last_assistant_message": "Done."},
    "SubagentStop": {"session_id": "s1", "last_assistant_message": "Done.", "agent_type": "Explore"},
    "SessionStart": {"session_id": "s1", "source": "startup"},
    "SessionEnd": {"session_id": "s1", "reason": "other"},
    "PreCompact": {"session_id": "s1", "trigger": "auto"},
    "Notification": {"session_id": "s1", "message": "waiting"},
}


@pytest.fixture
def memory(tmp_path: Path):
    with Memory.open(tmp_path / "home", env=FakeEnv()) as memory:
        yield memory


def texts(memory: Memory) -> list[str]:
    return [one.text for one in memory.engine.log.read(limit=1000)]


def spooled(memory: Memory, event: str, payload: dict[str, object]) -> None:
    """A record as a hook writes it whose clocks stand still, both of them."""
    folder = memory.workspace.spool
    folder.mkdir(exist_ok=True)
    record = {"event": event, "at": START_MS, "mono": 1, "boot": spool.boot_id(), "payload": payload}
    spool.append(str(folder), hook.encode(record))


# ---- equal events that are several


CALLS: dict[str, Callable[[Memory], object]] = {
    "observe": lambda memory: memory.observe("yes"),
    "observe, with a speaker": lambda memory: memory.observe("yes", speaker="Ana", session="chat"),
    "observe, a mapping": lambda memory: memory.observe({"text": "yes"}),
    "observe, with a time": lambda memory: memory.observe("yes", time="2026-03-01T10:00:00Z"),
    "note": lambda memory: memory.note("yes"),
    "track_tool_invocation": lambda memory: memory.track_tool_invocation("ls", {"path": "/"}, "yes"),
}


@pytest.mark.parametrize("name", CALLS)
def test_five_equal_calls_are_five_events(memory: Memory, name: str) -> None:
    for _ in range(5):
        CALLS[name](memory)

    assert texts(memory) == ["yes"] * 5
    assert len({one.id for one in memory.engine.log.read()}) == 5


def test_five_equal_memories_have_five_ids(memory: Memory) -> None:
    assert len({memory.memorize("yes").item_id for _ in range(5)} - {""}) <= 5
    assert len({memory.goals.add("yes").id for _ in range(5)}) == 5
    assert len({memory.goals.ask("yes?").id for _ in range(5)}) == 5


def test_negative_control_by_time_and_words_alone_five_calls_would_be_one(memory: Memory) -> None:
    """As a list is known, given five times."""
    for _ in range(5):
        memory.observe([{"text": "yes"}])

    assert texts(memory) == ["yes"]


@pytest.mark.parametrize("at_once", [True, False], ids=["one drain", "a drain each"])
@pytest.mark.parametrize("event", EVENTS)
def test_three_equal_events_of_hooks_without_an_id_are_three(memory: Memory, event: str, at_once: bool) -> None:
    for _ in range(3):
        spooled(memory, event, EVENTS[event])
        if not at_once:
            memory.parts.background.drain_spool()
    memory.parts.background.drain_spool()

    assert len(texts(memory)) == 3


def test_three_equal_events_of_callbacks_without_an_id_are_three(memory: Memory) -> None:
    callbacks = create_hook_callbacks(memory)
    for event in ("UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "PreCompact", "Stop"):
        for _ in range(3):
            assert asyncio.run(callbacks[event](EVENTS[event], None, {})) == {}
    memory.parts.background.drain_spool()

    assert [one.event for one in memory.engine.log.read()] == [
        event
        for event in ("UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "PreCompact", "Stop")
        for _ in range(3)
    ]


def test_events_of_callbacks_keep_their_order_behind_a_stopped_lock_holder(memory: Memory) -> None:
    """Each of them has a file of its own, and not even the monotonic clock tells them apart."""
    stopped = memory.env.files.lock(memory.workspace.spool / "lock")
    assert stopped.acquire(0)
    callback = create_hook_callbacks(memory, tells=False)["UserPromptSubmit"]
    for number in range(8):
        asyncio.run(callback({"session_id": "s1", "prompt": f"E{number}"}, None, {}))
    memory.parts.background.drain_spool(wait_seconds=0.0)

    assert texts(memory) == [f"E{number}" for number in range(8)]


# ---- the same event again


def test_a_repeated_id_is_one_event(memory: Memory) -> None:
    for _ in range(3):
        memory.observe("yes", id="mail-17")
        spooled(memory, "PostToolUse", {**TOOL, "tool_use_id": "t1"})
        spooled(memory, "UserPromptSubmit", {"session_id": "s1", "prompt": "yes", "prompt_id": "p1"})
        memory.parts.background.drain_spool()

    assert len(texts(memory)) == 3


@pytest.mark.parametrize("time", [{}, {"time": "2026-03-01T10:00:00Z"}], ids=["now", "then"])
def test_a_list_that_is_given_again_is_the_same_list(memory: Memory, time: dict[str, str]) -> None:
    told = [{"text": "yes", **time}, {"text": "no", **time}, {"text": "yes", **time}]

    assert memory.observe(told) == 3
    assert memory.observe(iter(told)) == 0
    memory.observe("yes", **time)
    assert memory.observe([*told, {"text": "yes", **time}]) == 1

    assert sorted(texts(memory)) == ["no", "yes", "yes", "yes", "yes"]


@pytest.mark.parametrize("ids", [True, False], ids=["ids", "no ids"])
def test_a_transcript_that_is_imported_again_adds_nothing(memory: Memory, tmp_path: Path, ids: bool) -> None:
    lines = []
    for number in range(6):
        role = "assistant" if number % 2 else "user"
        said = "Done." if number % 2 else "yes"
        line = {"type": role, "sessionId": "s1", "cwd": "/", "timestamp": "2026-03-01T10:00:00.000Z"}
        line |= {"uuid": f"u{number}", "message": {"role": role, "content": said}}
        lines.append(json.dumps(line | ({"promptId": f"p{number // 2}"} if ids else {})))
    file = tmp_path / "s1.jsonl"
    file.write_text("\n".join(lines) + "\n")

    assert import_transcripts(memory, [file], lambda _: None).new == 6
    assert import_transcripts(memory, [file], lambda _: None).new == 0
    assert texts(memory) == ["yes", "Done."] * 3


def test_a_spooled_record_that_is_read_again_is_itself(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever drained it ended between the commit and the removal of its file."""
    for _ in range(3):
        spooled(memory, "PostToolUse", TOOL)
    with monkeypatch.context() as patched:
        patched.setattr(memory.env.files, "remove", lambda _path: None)
        memory.parts.background.drain_spool()
        memory.parts.background.drain_spool()
    memory.parts.background.drain_spool()

    assert texts(memory) == ["ok"] * 3


def test_negative_control_without_what_the_drain_notes_they_would_be_doubled(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    spooled(memory, "PostToolUse", TOOL)
    with monkeypatch.context() as patched:
        patched.setattr(memory.env.files, "remove", lambda _path: None)
        memory.parts.background.drain_spool()
        memory.engine.database.execute("DELETE FROM drains")
        memory.parts.background.drain_spool()

    assert texts(memory) == ["ok"] * 2
