"""Events to which the host gave no id: none is lost, however alike they are and however close they come."""

import pytest

from reverie.capture.hook_events import from_event
from reverie.ports import Engine
from reverie.records import JSON, Captured

SECOND = 1000


def event(name: str, at: int, **fields: JSON) -> Captured:
    return from_event(name, {"session_id": "s1", **fields}, occurred_ms=at, project="/shop")


def start(at: int) -> Captured:
    return event("SessionStart", at, source="resume")


def end(at: int) -> Captured:
    return event("SessionEnd", at, reason="other")


def put(engine: Engine, events: list[Captured], at_once: bool) -> list[str]:
    for part in [events] if at_once else [[one] for one in events]:
        engine.log.append(part)
    return [o.event for o in engine.log.read()]


@pytest.mark.parametrize("at_once", [True, False], ids=["one batch", "one by one"])
def test_a_session_that_is_resumed_and_ended_again_without_a_prompt(engine: Engine, at_once: bool) -> None:
    events = [start(0), end(1 * SECOND), start(2 * SECOND), end(3 * SECOND), start(60 * SECOND), end(61 * SECOND)]

    assert put(engine, events, at_once) == ["SessionStart", "SessionEnd"] * 3


@pytest.mark.parametrize("at_once", [True, False], ids=["one batch", "one by one"])
@pytest.mark.parametrize("apart_ms", [0, 40, 30 * SECOND])
def test_the_same_again_is_another_event(engine: Engine, at_once: bool, apart_ms: int) -> None:
    """An agent that polls; one that was ended by force and reports no end; a prompt that was interrupted at once."""
    call = {"tool_name": "Bash", "tool_input": {"command": "git status"}, "tool_response": "clean"}
    events = [
        event(name, number * apart_ms, **fields)
        for name, fields in (
            ("SessionStart", {"source": "resume"}),
            ("UserPromptSubmit", {"prompt": "go on"}),
            ("PostToolUse", call),
            ("PreCompact", {"trigger": "auto"}),
            ("Stop", {"last_assistant_message": "Done."}),
        )
        for number in range(3)
    ]

    assert put(engine, events, at_once) == [one.event for one in events]


def test_negative_control_with_an_id_the_same_again_is_the_same(engine: Engine) -> None:
    calls = [event("PostToolUse", 0, tool_name="Bash", tool_response="ok", tool_use_id="t1") for _ in range(3)]

    assert put(engine, calls, at_once=True) == ["PostToolUse"]


def test_a_prompt_that_was_interrupted_at_once_and_given_again(engine: Engine) -> None:
    prompts = [event("UserPromptSubmit", at * SECOND, prompt="go on") for at in (0, 20)]

    engine.log.append(prompts)

    assert [(o.text, o.turn) for o in engine.log.read()] == [("go on", 1), ("go on", 2)]


def test_a_tool_that_answers_the_same_twice_in_a_turn(engine: Engine) -> None:
    def call(at: int, command: str) -> Captured:
        return event("PostToolUse", at, tool_name="Bash", tool_input={"command": command}, tool_response="ok")

    calls = [call(0, "make"), call(SECOND, "git status"), call(2 * SECOND, "make")]

    assert len(put(engine, calls, at_once=True)) == 3


def test_the_same_words_said_often(engine: Engine) -> None:
    events = [
        said
        for turn in range(100)
        for said in (
            event("UserPromptSubmit", turn * 60 * SECOND, prompt="yes"),
            event("Stop", turn * 60 * SECOND + SECOND, last_assistant_message="Done."),
        )
    ]

    put(engine, events[:50], at_once=True)
    put(engine, events[50:], at_once=False)

    assert len(engine.log.read(limit=1000)) == len({o.id for o in engine.log.read(limit=1000)}) == 200


# ---- compactions


def test_each_compaction_of_a_long_turn_is_kept(engine: Engine) -> None:
    summaries = [
        event("PostCompact", number * SECOND, prompt_id="p1", compact_summary=f"summary number {number}")
        for number in (1, 2)
    ]

    engine.log.append([*summaries, summaries[0]])

    assert [o.text for o in engine.log.read()] == ["summary number 1", "summary number 2"]
