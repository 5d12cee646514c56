"""Reminders from Python and as a model calls them: times of the person's zone, clear refusals, nothing lost."""

import json
import re
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from reverie.errors import BadInput, StaleVersion
from reverie.foundation.ids import ulid
from reverie.memory import Memory
from reverie.records.conversation_values import Moment
from reverie.redact.secrets import redact
from reverie.testing import FakeEnv
from reverie.tools.reminders import ReminderTool

BERLIN = ZoneInfo("Europe/Berlin")
NOW = int(datetime(2026, 11, 16, 14, 20, tzinfo=BERLIN).timestamp() * 1000)  # a Monday


@pytest.fixture
def env() -> FakeEnv:
    return FakeEnv(now_ms=NOW)


@pytest.fixture
def tool(memory: Memory, env: FakeEnv) -> ReminderTool:
    return tool_of(memory, env)


def tool_of(memory: Memory, env: FakeEnv) -> ReminderTool:
    return ReminderTool(memory.engine.reminders, lambda at: ulid(at, env.random_bytes(10)), env.now_ms, BERLIN, redact)


def titles(found) -> list[str]:
    return [one.title for one in found]


def test_a_reminder_is_kept_in_utc_and_told_in_the_person_s_zone(tool: ReminderTool) -> None:
    made = tool.add("Call  Ana\n", "tomorrow at 9", note="about the flat")

    assert made.title == "Call Ana"
    assert made.due_ms == int(datetime(2026, 11, 17, 9, tzinfo=BERLIN).timestamp() * 1000)
    assert tool.get(made.id) == made
    told = tool.told(made)
    assert told["due"] == "2026-11-17T09:00+01:00"
    assert told["due_in_words"] == "Tue 17 Nov 2026, 09:00"
    assert told["overdue"] is False


def test_lists(tool: ReminderTool, env: FakeEnv) -> None:
    tool.add("soon", "in 20 minutes")
    tool.add("tonight", "tonight")
    tool.add("at midnight", "midnight")
    tool.add("tomorrow", "tomorrow at 23:59")
    tool.add("later", "next friday")
    done = tool.complete(tool.add("done", "in 10 minutes").id)
    env.pass_time(3600)

    assert done.status == "done"
    assert titles(tool.list("overdue")) == ["soon"]
    assert titles(tool.list()) == ["tonight", "at midnight", "tomorrow", "later"]
    assert titles(tool.list("today")) == ["soon", "tonight"]
    assert titles(tool.list("tomorrow")) == ["at midnight", "tomorrow"]
    assert titles(tool.list("done")) == ["done"]
    assert len(tool.list("all")) == 6
    with pytest.raises(BadInput, match="there are today, tomorrow"):
        tool.list("yesterday")


def test_a_range_takes_days_and_times_past_and_ahead(tool: ReminderTool, env: FakeEnv) -> None:
    tool.add("a", "in 20 minutes")
    tool.complete(tool.add("b", "tomorrow at 23:30").id)
    tool.add("c", "2026-11-19 08:00")
    env.pass_time(86_400)

    assert titles(tool.range("yesterday", "today")) == ["a", "b"]
    assert titles(tool.range("2026-11-16 14:41", "2026-11-19")) == ["b", "c"]
    assert titles(tool.range("2026-11-19", "2026-11-19")) == ["c"]
    with pytest.raises(BadInput, match="give the earlier one first"):
        tool.range("tomorrow", "today")
    with pytest.raises(BadInput, match="cannot be read"):
        tool.range("whenever", "today")


def test_a_reminder_can_be_changed_done_reopened_and_deleted(tool: ReminderTool) -> None:
    made = tool.add("Call Ana", "tomorrow at 9", note="home")

    changed = tool.update(made.id, title="Call Ana Ruiz", when="friday")
    assert (changed.title, changed.note, changed.version) == ("Call Ana Ruiz", "home", 2)
    assert tool.told(changed)["due"] == "2026-11-20T09:00+01:00"
    assert tool.update(made.id, note="").note == ""
    tool.complete(made.id)
    assert tool.reopen(made.id).status == "active"
    assert tool.delete(made.id).title == "Call Ana Ruiz"
    assert tool.list("all") == []


def test_what_makes_no_sense_is_refused_and_changes_nothing(tool: ReminderTool) -> None:
    made = tool.add("Call Ana", "tomorrow at 9")

    for refused, says in [
        (lambda: tool.add(" \n", "tomorrow"), "title of a reminder is empty"),
        (lambda: tool.add("x" * 501, "tomorrow"), "501 characters; at most 500"),
        (lambda: tool.add("x", "tomorrow", note="n" * 5001), "at most 5,000"),
        (lambda: tool.add("x", "tomorrow", kind="other"), "user .* or internal"),
        (lambda: tool.add("x", "30 February"), "no 30 February"),
        (lambda: tool.add("x", "yesterday"), "has passed"),
        (lambda: tool.add("x", "whenever"), 'write it like "tomorrow at 9"'),
        (lambda: tool.update(made.id), "say what to change"),
        (lambda: tool.update(made.id, title=""), "is empty"),
        (lambda: tool.update(made.id, title="new", when="soon"), "cannot be read"),
        (lambda: tool.reopen(made.id), "is active"),
        (lambda: tool.get("nope"), "no reminder 'nope'"),
        (lambda: tool.delete(""), "say which reminder"),
    ]:
        with pytest.raises(BadInput, match=says):
            refused()
    assert tool.list("all") == [made]


def test_a_done_reminder_is_done_once_and_gets_no_new_time(tool: ReminderTool) -> None:
    made = tool.complete(tool.add("Call Ana", "tomorrow at 9").id)

    with pytest.raises(BadInput, match="is done already; `reopen`"):
        tool.complete(made.id)
    with pytest.raises(BadInput, match="`reopen` it before"):
        tool.update(made.id, when="friday")
    assert tool.update(made.id, note="she was out").status == "done"


def test_an_id_may_be_shortened_as_long_as_one_is_meant(tool: ReminderTool) -> None:
    first, second = tool.add("one", "tomorrow"), tool.add("two", "tomorrow")
    shared = first.id[:8]

    assert tool.get(first.id[-6:]) == first
    assert tool.get(first.id[:20].lower()) == first
    assert tool.get("Two") == second
    with pytest.raises(BadInput, match=rf"any of 2 reminders: {first.id} \(one\), {second.id} \(two\); give more"):
        tool.complete(shared)


def test_secrets_are_not_kept(tool: ReminderTool, memory: Memory) -> None:
    made = tool.add("rotate password: hunter2abc", "tomorrow", note="curl -u bob:hunter2abc https://example.com")
    tool.update(made.id, note="api_key = sk-ant-api03-AAAABBBBCCCCDDDDEEEEFFFFGGGG")

    kept = repr(memory.engine.reminders.all(None))
    assert "hunter2abc" not in kept
    assert "AAAABBBB" not in kept
    assert "[secret:" in kept


def test_who_was_overtaken_is_told_and_nothing_is_lost(tool: ReminderTool, memory: Memory) -> None:
    made = tool.add("Call Ana", "tomorrow")
    memory.engine.reminders.put(made)  # somebody else changes it between a read and a write

    with pytest.raises(StaleVersion, match="read it again"):
        tool._put(made)
    assert tool.complete(made.id).status == "done"


def test_two_people_have_reminders_of_their_own(memory: Memory, env: FakeEnv) -> None:
    mine, theirs = tool_of(memory, env), tool_of(memory.of("ben"), env)
    made = mine.add("mine", "tomorrow")

    assert theirs.list("all") == []
    with pytest.raises(BadInput, match="no reminder"):
        theirs.delete(made.id)


# ---- as a model calls it


AT = Moment(at_ms=NOW)


def test_a_model_does_everything_through_one_door(tool: ReminderTool) -> None:
    made = tool.run({"operation": "add", "title": "Call Ana", "when": "tomorrow at 9", "kind": "internal"}, AT)

    assert made["due"] == "2026-11-17T09:00+01:00"
    assert tool.run({"operation": "list", "when": "tomorrow"}, AT) == [made]
    assert tool.run({"operation": "range", "start": "today", "end": "end of month"}, AT) == [made]
    for operation, status in (("complete", "done"), ("reopen", "active"), ("get", "active"), ("delete", "active")):
        answer = tool.run({"operation": operation, "id": made["id"]}, AT)
        assert answer["status"] == status
        json.dumps(answer)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({}, "it has add, list, range"),
        ({"operation": "finish", "id": "x"}, "no operation 'finish'"),
        ({"operation": "add", "title": "x"}, "needs 'when'"),
        ({"operation": "add", "title": "x", "when": 5}, "'when' of reminders add"),
        ({"operation": "add", "title": "x", "when": "tomorrow", "kind": "both"}, "'kind' of reminders add"),
        ({"operation": "list", "when": "sometime"}, "'when' of reminders list"),
        ({"operation": "get", "id": "x", "title": "y"}, "takes no 'title'"),
        ({"operation": "add", "title": "x", "when": "30 February"}, "no 30 February"),
    ],
)
def test_a_model_that_asks_wrongly_is_told_what_would_be_right(tool: ReminderTool, arguments, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        tool.run(arguments, AT)
    assert tool.list("all") == []


def test_the_definition_is_one_that_providers_take(tool: ReminderTool) -> None:
    definition = tool.definition()
    schema = definition.input_schema

    assert re.fullmatch("[a-z_]{1,64}", definition.name)
    assert schema["type"] == "object"
    assert {"oneOf", "anyOf", "allOf", "not", "enum", "$ref", "$defs"} & set(schema) == set()
    assert schema["properties"]["operation"]["enum"] == list(tool.operations())
    assert schema["properties"]["when"] == {"type": "string"}
    assert '"tomorrow at 9"' in definition.description
    json.dumps(schema)
