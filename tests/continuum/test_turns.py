"""One message after the other: what the model is told, what is kept, and what happens when something goes wrong."""

import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from reverie.errors import BadInput, ModelUnavailable
from reverie.events import TurnCompletedEvent
from reverie.memory import Memory
from reverie.records import JSON, Kind
from reverie.records.conversation_values import Moment, Request, Role, Said, ToolCall
from reverie.settings import ContinuumSettings
from reverie.testing import FakeEnv, ScriptedConverser


def said_in(request: Request) -> list[tuple[Role, str]]:
    return [(message.role, message.text) for message in request.messages]


def test_a_message_gets_a_reply_and_both_are_kept(memory: Memory) -> None:
    model = ScriptedConverser("Hello Ana.\nHow are you?")
    heard: list[str] = []

    result = memory.continuum(converser=model).send("hi there", heard.append)

    assert (result.text, result.end, result.turn_number) == ("Hello Ana.\nHow are you?", "done", 1)
    assert "".join(heard) == result.text
    kept = [(one.kind, one.text) for one in memory.engine.log.read(session=result.segment_id)]
    assert kept == [(Kind.USER_MESSAGE, "hi there"), (Kind.ASSISTANT_MESSAGE, "Hello Ana.\nHow are you?")]


def test_the_model_is_told_what_was_said_before(memory: Memory) -> None:
    model = ScriptedConverser("one", "two")
    conversation = memory.continuum(converser=model)

    conversation.send("first")
    conversation.send("second")

    assert said_in(model.requests[1]) == [(Role.USER, "first"), (Role.ASSISTANT, "one"), (Role.USER, "second")]


def test_the_conversation_and_its_turn_numbers_survive_a_restart(tmp_path: Path) -> None:
    for number, text in enumerate(["first", "second"], start=1):
        with Memory.open(tmp_path, env=FakeEnv(seed=number)) as memory:
            model = ScriptedConverser("ok")
            result = memory.continuum(converser=model).send(text)
            assert result.turn_number == number

    assert said_in(model.requests[0]) == [(Role.USER, "first"), (Role.ASSISTANT, "ok"), (Role.USER, "second")]


def test_what_is_remembered_surfaces_behind_the_history(memory: Memory) -> None:
    memory.note("The staging database is Postgres 14")
    model = ScriptedConverser("It is Postgres 14.", "You are welcome.")
    conversation = memory.continuum(converser=model)

    result = conversation.send("What is the staging database?")

    assert [one.text for one in result.surfaced] == ["The staging database is Postgres 14"]
    assert "Postgres 14" in model.requests[0].tail
    assert "Postgres 14" not in model.requests[0].cached
    conversation.send("thanks")
    assert "Postgres 14" not in "".join(text for _, text in said_in(model.requests[1])[:1])


def test_what_the_reply_speaks_of_is_counted_apart_from_what_only_surfaced(memory: Memory) -> None:
    memory.note("The staging database is Postgres 14")
    memory.note("The staging cluster has three nodes in Frankfurt")
    result = memory.continuum(converser=ScriptedConverser("It runs Postgres, version 14.")).send(
        "Which staging database?"
    )

    assert len(result.surfaced) == 2
    assert [memory.items.get([one])[0].text for one in result.mentioned] == ["The staging database is Postgres 14"]
    used = memory.engine.log.acts(kind="useful")
    assert len(used) == 1
    assert used[0][3] == {"ids": list(result.mentioned)}


def test_a_secret_reaches_neither_the_log_nor_the_model(memory: Memory) -> None:
    model = ScriptedConverser("ok")

    memory.continuum(converser=model).send("the key is AKIA" + "IOSFODNN7EXAMPLE for aws")

    assert "IOSFODNN7" not in repr(model.requests)
    assert "[secret:" in model.requests[0].messages[-1].text


def test_a_tool_is_run_and_its_result_goes_back(memory: Memory) -> None:
    model = ScriptedConverser(("memory", {"operation": "note", "text": "Ana's cat is called Miso"}), "Noted.")
    conversation = memory.continuum(converser=model)

    result = conversation.send("remember that my cat is called Miso")

    assert (result.text, result.tools_used) == ("Noted.", ("memory",))
    second = model.requests[1].messages
    assert [message.role for message in second] == [Role.USER, Role.ASSISTANT, Role.TOOL]
    assert second[1].tool_calls[0].name == "memory"
    assert second[2].call_id == second[1].tool_calls[0].id
    assert any("Miso" in hit.text for hit in memory.search("what is the cat called"))


def test_the_tail_stays_as_it_is_while_tools_run(memory: Memory) -> None:
    model = ScriptedConverser(("memory", {"operation": "search", "query": "cat"}), "Nothing known.")

    memory.continuum(converser=model).send("what is my cat called?")

    first, second = model.requests
    assert first.tail == second.tail
    assert second.messages[: len(first.messages)] == first.messages


@pytest.mark.parametrize(
    ("arguments", "told"),
    [({"operation": "serch", "query": "x"}, "search"), ({"operation": "search"}, "query"), ([], "operation")],
)
def test_a_tool_that_is_called_wrongly_says_what_would_be_right(memory: Memory, arguments: JSON, told: str) -> None:
    model = ScriptedConverser(("memory", arguments), "I see.")

    result = memory.continuum(converser=model).send("hello")

    assert result.text == "I see."
    answer = model.requests[1].messages[-1]
    assert answer.failed
    assert told in answer.text


class Stuck:
    """A tool that never answers, until the test is over."""

    name, description, hints = "stuck", "It hangs.", ""
    input_schema: Mapping[str, JSON] = {"type": "object", "properties": {}}

    def __init__(self) -> None:
        self.release = threading.Event()

    def run(self, arguments: Mapping[str, JSON], moment: Moment) -> JSON:
        self.release.wait()
        return "too late"


class Broken(Stuck):
    name = "broken"

    def run(self, arguments: Mapping[str, JSON], moment: Moment) -> JSON:
        raise RuntimeError("the weather service is on fire")


def test_a_tool_that_hangs_is_abandoned_and_the_turn_goes_on(tmp_path: Path, env: FakeEnv) -> None:
    stuck = Stuck()
    with Memory.open(tmp_path, env=env) as memory:
        settings = replace(memory.settings, continuum=ContinuumSettings(tool_seconds=0.05))
        memory.settings = settings
        model = ScriptedConverser(
            ("tool_repo", {"operation": "load", "names": ["stuck"]}), ("stuck", {}), "Never mind."
        )
        result = memory.continuum(converser=model, tools=[stuck]).send("use it")
        assert result.text == "Never mind."
        assert "did not answer" in model.requests[2].messages[-1].text
        stuck.release.set()
        again = memory.continuum(converser=ScriptedConverser("fine")).send("and now?")
        assert again.text == "fine"
        assert "too late" not in repr(memory.engine.log.read(limit=100))


def test_a_tool_that_fails_is_told_to_the_model(memory: Memory) -> None:
    model = ScriptedConverser(("tool_repo", {"operation": "load", "names": ["broken"]}), ("broken", {}), "It failed.")

    result = memory.continuum(converser=model, tools=[Broken()]).send("use it")

    assert result.text == "It failed."
    assert "the weather service is on fire" in model.requests[2].messages[-1].text


def test_a_model_that_calls_tools_for_ever_is_stopped(memory: Memory) -> None:
    model = ScriptedConverser(("memory", {"operation": "search", "query": "more"}))

    result = memory.continuum(converser=model).send("go on")

    assert result.end == "stopped"
    assert len(model.requests) == memory.settings.continuum.tool_rounds


def test_when_the_model_is_away_the_message_is_kept_and_the_next_one_goes_through(memory: Memory) -> None:
    model = ScriptedConverser(ModelUnavailable("connection refused"), "here again")
    conversation = memory.continuum(converser=model)

    lost = conversation.send("are you there?")
    answered = conversation.send("and now?")

    assert (lost.end, lost.problem) == ("failed", "connection refused")
    assert answered.text == "here again"
    assert [text for _, text in said_in(model.requests[1])] == ["are you there?", "and now?"]


def test_an_interrupted_reply_keeps_what_came(memory: Memory) -> None:
    model = ScriptedConverser("first line\nsecond line\n", "go on")
    conversation = memory.continuum(converser=model)
    heard: list[str] = []

    result = conversation.send("tell me", heard.append, lambda: bool(heard))

    assert (result.end, result.text) == ("cancelled", "first line\n")
    conversation.send("again")
    assert said_in(model.requests[1])[1] == (Role.ASSISTANT, "first line\n")


def test_a_call_that_was_never_answered_is_not_sent_again(memory: Memory) -> None:
    def dies(_: Request) -> Said:
        raise KeyboardInterrupt

    call = Said(
        text="Let me look.", model="m", tool_calls=(ToolCall("c1", "memory", {"operation": "search", "query": "x"}),)
    )
    conversation = memory.continuum(converser=ScriptedConverser(call, dies))
    with pytest.raises(KeyboardInterrupt):
        conversation.send("look it up")

    model = ScriptedConverser("hello")
    memory.continuum(converser=model).send("and?")

    messages = model.requests[0].messages
    called = {one.id for message in messages for one in message.tool_calls}
    assert called == {message.call_id for message in messages if message.role is Role.TOOL}


def test_an_empty_message_is_refused(memory: Memory) -> None:
    with pytest.raises(BadInput, match="needs some text"):
        memory.continuum(converser=ScriptedConverser()).send("  \n")


def test_everybody_is_told_that_a_turn_is_over(memory: Memory) -> None:
    conversation = memory.continuum(converser=ScriptedConverser("ok"))
    told: list[TurnCompletedEvent] = []
    conversation.events.subscribe("TurnCompletedEvent", told.append)

    conversation.send("hello")

    assert [(event.turn_number, event.user_id, event.continuum_id) for event in told] == [(1, "local", "main")]


def test_who_listens_to_a_memory_hears_of_its_conversations(memory: Memory) -> None:
    of_ben = memory.of("ben")
    told: list[str] = []
    of_ben_told: list[str] = []
    memory.events.subscribe(TurnCompletedEvent, lambda event: told.append(event.user_id))
    of_ben.events.subscribe(TurnCompletedEvent, lambda event: of_ben_told.append(event.user_id))

    memory.continuum(converser=ScriptedConverser("ok")).send("hello")
    of_ben.continuum(converser=ScriptedConverser("ok")).send("hello")

    assert told == ["local", "ben"], "one bus for all conversations of a store, and each event says whose it is"
    assert of_ben_told == ["ben"]


def test_without_a_model_it_quotes_what_it_remembers_and_does_not_remember_its_quotes(memory: Memory) -> None:
    memory.note("The staging database is Postgres 14")
    conversation = memory.continuum()

    result = conversation.send("What is the staging database?")

    assert result.end == "offline"
    assert '"The staging database is Postgres 14"' in result.text
    assert "No model is set" in result.text
    assert "No model is set" not in repr(memory.engine.log.read(limit=100))


def test_a_preference_in_a_conversation_is_learned(memory: Memory, env: FakeEnv) -> None:
    conversation = memory.continuum(converser=ScriptedConverser("Noted."))
    conversation.send("I prefer tabs over spaces.")
    env.pass_time(5)
    memory.parts.background.catch_up()

    conversation.send("and now?")

    assert "tabs over spaces" in memory.parts.profile.read(memory.workspace.home / "user.md")


def test_two_conversations_are_apart(memory: Memory) -> None:
    memory.continuum("work", converser=ScriptedConverser("ok")).send("about work")
    model = ScriptedConverser("ok")

    memory.continuum("home", converser=model).send("about home")

    assert said_in(model.requests[0]) == [(Role.USER, "about home")]


def test_a_model_that_calls_what_it_was_not_given_is_lent_every_tool(memory: Memory) -> None:
    model = ScriptedConverser(("reminder_maker", {}), "I see.", "Fine.")
    conversation = memory.continuum(converser=model)

    conversation.send("remind me of the milk")

    assert [tool.name for tool in model.requests[0].tools] == ["tool_repo", "memory"]
    assert {"reminders", "punchclock", "domaindoc", "get_context"} <= {tool.name for tool in model.requests[1].tools}
    answer = model.requests[1].messages[-1]
    assert answer.failed
    assert "All tools are lent to you" in answer.text
    assert conversation.tools.state("main").fallback
    conversation.collapse()
    for text in ("hello", "again", "and again"):
        conversation.send(text)
    conversation.collapse()
    assert not conversation.tools.state("main").fallback
