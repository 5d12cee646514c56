"""A prompt can be composed before any conversation was opened: it says what it would say in the first one."""

import pytest

from reverie.compose.composer import Composed
from reverie.events import SegmentCollapsedEvent
from reverie.memory import Memory

BASE = "You help {first_name}."


def prepare(memory: Memory, name: str) -> None:
    memory.reminders.add(f"Call {name}", "tomorrow at 10:00")
    memory.note(f"The staging port of {name} is 5433")
    memory.engine.log.close_turn("notes")
    memory.parts.background.distil()


def names(composed: Composed) -> list[str]:
    return [one.name for one in composed.sections]


def test_every_part_is_there(memory: Memory) -> None:
    memory.workspace.soul.write_text("# Soul\n\nBe kind.\n")
    prepare(memory, "Ben")

    composed = memory.parts.continuums.working_memory.compose("local", BASE)

    assert composed.missing == ()
    assert {"soul", "active_reminders", "learnings", "tool_hints", "datetime_section"} <= {*names(composed)}
    assert "Call Ben" in composed.tail
    assert composed.cached_content.startswith("You help Ana.")
    assert names(memory.continuum().preview()) == names(composed)


def test_each_user_has_a_prompt_of_their_own(memory: Memory) -> None:
    prepare(memory, "Ben")
    prepare(memory.of("bob"), "Cleo")

    theirs = memory.parts.continuums.working_memory.compose("bob", BASE)
    own = memory.parts.continuums.working_memory.compose("local", BASE)

    assert theirs.missing == own.missing == ()
    assert "Cleo" in theirs.tail
    assert "Ben" not in theirs.tail
    assert "Ben" in own.tail
    assert "Cleo" not in own.tail


def test_whatever_is_asked_first_is_answered(memory: Memory, caplog: pytest.LogCaptureFixture) -> None:
    working = memory.parts.continuums.working_memory
    prepare(memory, "Ben")

    assert working.get_all_trinket_states("local") == {}
    assert working.get_trinket_state("goals", "local") is None
    working.forget("local")
    working.publish_trinket_update("ReminderManager", user_id="local")
    working.publish_trinket_update(
        "ToolLoaderTrinket", {"action": "tool_loaded", "tool_name": "reminders"}, user_id="local"
    )
    memory.events.publish(
        SegmentCollapsedEvent(
            user_id="local", continuum_id="main", event_id="1", occurred_at=0, segment_id="s", summary=""
        )
    )

    assert [one for one in caplog.records if one.levelname == "ERROR"] == []
    state = working.get_trinket_state("active_reminders", "local")
    assert state is not None
    assert "Call Ben" in state.content


@pytest.mark.parametrize("nobody", ["", " "])
def test_a_prompt_for_nobody_says_what_is_missing(memory: Memory, nobody: str) -> None:
    composed = memory.parts.continuums.working_memory.compose(nobody, BASE)

    assert composed.missing
    assert all("KeyError" not in one.why for one in composed.missing)
    assert any("user" in one.why for one in composed.missing)
