"""Stretches of a conversation: when they end, what they become, what the next one begins with, and what may fail."""

from pathlib import Path

import pytest

from reverie.continuum.collapse import collapse, collapse_silent
from reverie.continuum.segment_opening import MOST_COMPLEXITY, chosen
from reverie.events import ManifestUpdatedEvent, SegmentCollapsedEvent, SegmentTimeoutEvent
from reverie.memory import Memory
from reverie.records.conversation_values import Role, Segment, SegmentState
from reverie.testing import FakeEnv, ScriptedConverser

HOUR = 3600


def states(memory: Memory) -> list[SegmentState]:
    return [one.state for one in memory.engine.conversations.segments("main")]


def test_a_long_silence_collapses_a_segment_into_a_summary_with_a_title(memory: Memory, env: FakeEnv) -> None:
    conversation = memory.continuum(converser=ScriptedConverser("It needs the new certificate first."))
    conversation.send("Why does the staging deploy fail at the last step of the pipeline?")
    env.pass_time(2 * HOUR)

    conversation.send("hello again")

    over, now = memory.engine.conversations.segments("main")
    assert (over.state, now.state) == (SegmentState.COLLAPSED, SegmentState.ACTIVE)
    assert over.title == "Why does the staging deploy fail at the…"
    assert "certificate" in over.summary
    assert 1 <= over.complexity <= 3


def test_a_short_silence_collapses_nothing(memory: Memory, env: FakeEnv) -> None:
    conversation = memory.continuum(converser=ScriptedConverser("ok"))
    conversation.send("one")
    env.pass_time(HOUR - 1)
    conversation.send("two")

    assert states(memory) == [SegmentState.ACTIVE]


def test_a_clock_that_is_set_back_collapses_nothing(memory: Memory, env: FakeEnv) -> None:
    conversation = memory.continuum(converser=ScriptedConverser("ok"))
    conversation.send("one")
    env.jump_clock(-30 * 24 * HOUR)
    conversation.send("two")

    assert states(memory) == [SegmentState.ACTIVE]


def test_a_paused_segment_waits_and_goes_on(memory: Memory, env: FakeEnv) -> None:
    conversation = memory.continuum(converser=ScriptedConverser("ok"))
    conversation.send("one")
    conversation.pause()
    env.pass_time(10 * HOUR)
    assert states(memory) == [SegmentState.PAUSED]

    conversation.send("two")

    assert states(memory) == [SegmentState.ACTIVE]


def test_collapsing_by_hand_and_twice(memory: Memory) -> None:
    conversation = memory.continuum(converser=ScriptedConverser("ok"))
    assert conversation.collapse() is None
    conversation.send("one")

    first = conversation.collapse()

    assert first is not None
    assert first.state is SegmentState.COLLAPSED
    assert collapse(memory.parts.for_conversations, first) == first
    assert conversation.collapse() is None
    assert len(memory.engine.conversations.segments("main")) == 1


def test_the_next_segment_begins_with_the_summary_the_last_turns_and_the_gap(memory: Memory, env: FakeEnv) -> None:
    model = ScriptedConverser("ok")
    conversation = memory.continuum(converser=model)
    for number in range(5):
        conversation.send(f"message {number}")
    env.pass_time(3 * HOUR + 20 * 60)

    conversation.send("hello again")

    texts = [message.text for message in model.requests[-1].messages]
    assert texts[0].startswith("<earlier_conversation")
    assert texts[1:-2] == ["message 2", "ok", "message 3", "ok", "message 4", "ok"]
    assert texts[-2].startswith(f'<session_boundary gap="3 h 20 min" key="{conversation.key}">')
    assert texts[-1] == "hello again"
    assert model.requests[-1].messages[0].role is Role.USER


def test_what_a_segment_begins_with_stays_the_same_while_it_runs(memory: Memory, env: FakeEnv) -> None:
    model = ScriptedConverser("ok")
    conversation = memory.continuum(converser=model)
    conversation.send("one")
    env.pass_time(2 * HOUR)
    conversation.send("two")
    env.pass_time(60)
    conversation.send("three")

    before, after = model.requests[1:]
    assert after.messages[: len(before.messages)] == before.messages


def segment(number: int, complexity: int) -> Segment:
    return Segment(id=f"s{number}", continuum_id="main", state=SegmentState.COLLAPSED, began_ms=number, last_ms=number,
                   complexity=complexity)  # fmt: skip


@pytest.mark.parametrize(
    ("complexities", "told"),
    [([1] * 9, 5), ([3] * 9, 2), ([2] * 9, 4), ([3], 1), ([2, 1, 3, 3], 3)],
)
def test_summaries_are_told_newest_first_while_they_are_few_and_light(complexities: list[int], told: int) -> None:
    segments = [segment(number, complexity) for number, complexity in enumerate(complexities)]

    picked = chosen(segments)

    assert picked == segments[::-1][:told]


def test_at_least_one_summary_is_told_however_heavy() -> None:
    assert len(chosen([segment(1, MOST_COMPLEXITY + 1)])) == 1


def test_a_collapse_that_fails_leaves_the_segment_active_and_is_tried_again(memory: Memory, env: FakeEnv) -> None:
    conversation = memory.continuum(converser=ScriptedConverser("ok"))
    attempts: list[object] = []
    conversation.events.subscribe(SegmentTimeoutEvent, attempts.append)
    conversation.send("Why does the deploy fail?")
    broken(memory, "ticks", "NEW.kind = 'compact'")
    env.pass_time(2 * HOUR)
    conversation.send("hello?")

    [open_still] = memory.engine.conversations.segments("main")
    assert open_still.state is SegmentState.ACTIVE
    assert "the disk is full" in open_still.problem
    conversation.send("and now?")
    assert len(attempts) == 1, "not at every message"
    mended(memory)
    env.pass_time(2 * HOUR)
    conversation.send("once more")

    over, now = memory.engine.conversations.segments("main")
    assert (over.state, over.problem, now.state) == (SegmentState.COLLAPSED, "", SegmentState.ACTIVE)
    assert over.last_turn == 3


def test_a_collapse_that_was_cut_off_goes_on_where_it_stopped(memory: Memory) -> None:
    conversation = memory.continuum(converser=ScriptedConverser("ok"))
    conversation.send("Why does the deploy fail?")
    broken(memory, "segments", "NEW.state = 'collapsed'")
    first = conversation.collapse()
    assert first is not None
    assert first.state is SegmentState.ACTIVE
    ticks = memory.engine.history.last("compact")

    mended(memory)
    second = conversation.collapse()

    assert second is not None
    assert second.state is SegmentState.COLLAPSED
    assert memory.engine.history.last("compact") == ticks, "it was not summarised a second time"


def broken(memory: Memory, table: str, when: str) -> None:
    """From now on the record refuses this."""
    for event in ("INSERT", "UPDATE"):
        memory.engine.database.execute(
            f"CREATE TEMP TRIGGER broken_{event} BEFORE {event} ON main.{table} WHEN {when} "
            "BEGIN SELECT RAISE(ABORT, 'the disk is full'); END"
        )


def mended(memory: Memory) -> None:
    for event in ("INSERT", "UPDATE"):
        memory.engine.database.execute(f"DROP TRIGGER broken_{event}")


def test_everybody_is_told_of_a_collapse(memory: Memory, env: FakeEnv) -> None:
    conversation = memory.continuum(converser=ScriptedConverser("ok"))
    told: list[object] = []
    for kind in (SegmentTimeoutEvent, SegmentCollapsedEvent, ManifestUpdatedEvent):
        conversation.events.subscribe(kind, told.append)
    conversation.send("Why does the deploy fail?")
    env.pass_time(2 * HOUR)
    conversation.send("hello")

    kinds = [type(event) for event in told]
    assert kinds == [SegmentTimeoutEvent, SegmentCollapsedEvent, ManifestUpdatedEvent]
    assert isinstance(told[1], SegmentCollapsedEvent)
    assert told[1].summary
    assert isinstance(told[2], ManifestUpdatedEvent)
    assert told[2].segment_count == 2


def test_a_segment_that_another_process_collapsed_is_noticed(tmp_path: Path, env: FakeEnv) -> None:
    with Memory.open(tmp_path, env=env) as memory, Memory.open(tmp_path, env=env) as other:
        conversation = memory.continuum(converser=ScriptedConverser("ok"))
        told: list[object] = []
        conversation.events.subscribe(SegmentCollapsedEvent, told.append)
        conversation.send("Why does the deploy fail?")
        env.pass_time(2 * HOUR)
        assert collapse_silent(other.parts.for_conversations) == 1

        conversation.send("hello")

        assert len(told) == 1
        assert states(memory) == [SegmentState.COLLAPSED, SegmentState.ACTIVE]


def test_the_manifest_lists_what_was_and_what_is(memory: Memory, env: FakeEnv) -> None:
    model = ScriptedConverser("ok")
    conversation = memory.continuum(converser=model)
    conversation.send("Why does the staging deploy fail?")
    env.pass_time(2 * HOUR)
    conversation.send("hello again")

    manifest = model.requests[-1].cached
    assert "Why does the staging deploy fail?" in manifest
    assert 'state="ACTIVE"' in manifest


def test_what_is_forgotten_for_good_is_gone_from_the_conversation_and_its_prompts(memory: Memory, env: FakeEnv) -> None:
    model = ScriptedConverser("ok")
    conversation = memory.continuum(converser=model)
    memory.documents.create("pets", "Pets")
    conversation.send("my canary is called xylophonix the third")
    conversation.send("tell me of my canary")
    env.pass_time(2 * HOUR)
    conversation.send("what is my canary called?")

    memory.forget('text:"xylophonix"', hard=True)
    conversation.send("and now?")

    assert "xylophonix" not in repr(model.requests[-1]).lower()
    for path in memory.workspace.home.rglob("*"):
        if path.is_file():
            assert b"xylophonix" not in path.read_bytes().lower(), path
