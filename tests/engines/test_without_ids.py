"""Events to which the host gave no id: none is lost, and a hook that is installed twice still gives one."""

from dataclasses import replace

import pytest

from reverie.capture.events import from_event
from reverie.ports import Engine
from reverie.records import JSON, Captured

SECOND = 1000


def event(name: str, at: int, **fields: JSON) -> Captured:
    return from_event(name, {"session_id": "s1", **fields}, occurred_ms=at, project="/shop")


def start(at: int) -> Captured:
    return event("SessionStart", at, source="resume")


def end(at: int) -> Captured:
    return event("SessionEnd", at, reason="other")


def twice(*events: Captured) -> list[Captured]:
    """As a hook that is installed twice reports them: the second process starts a little later."""
    return [report for one in events for report in (one, replace(one, occurred_ms=one.occurred_ms + 40))]


def put(engine: Engine, events: list[Captured], at_once: bool) -> list[str]:
    for part in [events] if at_once else [[one] for one in events]:
        engine.log.append(part)
    return [o.event for o in engine.log.read()]


@pytest.mark.parametrize("at_once", [True, False], ids=["one batch", "one by one"])
def test_a_session_that_is_resumed_and_ended_again_without_a_prompt(engine: Engine, at_once: bool) -> None:
    events = [start(0), end(1 * SECOND), start(2 * SECOND), end(3 * SECOND), start(60 * SECOND), end(61 * SECOND)]

    assert put(engine, events, at_once) == ["SessionStart", "SessionEnd"] * 3


@pytest.mark.parametrize("at_once", [True, False], ids=["one batch", "one by one"])
def test_a_hook_that_is_installed_twice_gives_each_once(engine: Engine, at_once: bool) -> None:
    events = twice(
        start(0),
        event("UserPromptSubmit", 1 * SECOND, prompt="yes"),
        event("PreCompact", 2 * SECOND, trigger="auto"),
        event("Stop", 3 * SECOND, last_assistant_message="Done."),
        event("UserPromptSubmit", 4 * SECOND, prompt="yes"),
        event("Stop", 5 * SECOND, last_assistant_message="Done."),
        end(6 * SECOND),
        start(7 * SECOND),
        end(8 * SECOND),
    )

    assert put(engine, events, at_once) == [one.event for one in events[::2]]


def test_the_same_again_after_a_while_is_another_event(engine: Engine) -> None:
    """An agent that was ended by force reports no end."""
    assert put(engine, [start(0), start(30 * SECOND)], at_once=True) == ["SessionStart"] * 2


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
