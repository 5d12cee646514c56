"""Trinkets are asked, and what they say becomes the prompt, the state of sections, and events."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Thread, current_thread
from typing import Any

import pytest

from reverie.compose.composer import Composed, ComposerConfig, Missing
from reverie.compose.markup import tag
from reverie.compose.trinket import EventAwareTrinket, TrinketContext
from reverie.errors import BadInput
from reverie.events import (
    ComposeSystemPromptEvent,
    SegmentCollapsedEvent,
    SystemPromptComposedEvent,
    TrinketContentEvent,
    UpdateTrinketEvent,
)
from reverie.memory import Memory
from reverie.records.prompt_inputs import PromptInputs
from reverie.redact.secrets import redact
from reverie.testing import FakeEnv
from support.composing import NO_HURRY, Room, States
from support.prompt_inputs import NOW, Repo, every_trinket, full_inputs, surfaced


def test_whoever_wants_a_prompt_publishes_it_by_name_and_hears_of_it() -> None:
    room = Room(inputs={"sam": PromptInputs(user_id="sam", first_name="Sam")})
    room.section("goals", lambda _: tag("goals", "ship"))
    heard: list[SystemPromptComposedEvent] = []
    room.bus.subscribe("SystemPromptComposedEvent", heard.append)

    room.bus.publish(ComposeSystemPromptEvent(user_id="sam", base_prompt="You help {first_name}.", event_id="e"))

    (event,) = heard
    assert (event.user_id, event.event_id) == ("sam", "e")
    assert event.cached_content == "You help Sam."
    assert event.non_cached_content == event.tail == "<goals>ship</goals>"


def test_subscribers_that_fail_do_not_keep_the_prompt_from_being_composed() -> None:
    room = Room()
    room.section("goals", lambda _: tag("goals", "ship"))

    def fail(_: object) -> None:
        raise ValueError("somebody else's trouble")

    names = ("ComposeSystemPromptEvent", "UpdateTrinketEvent", "TrinketContentEvent", "SystemPromptComposedEvent")
    for name in names:
        room.bus.subscribe(name, fail)

    composed = room.compose()

    assert composed.tail == "<goals>ship</goals>"
    assert not composed.degraded
    assert len(room.problems) == len(names)


def test_without_a_name_the_base_prompt_speaks_of_the_user() -> None:
    assert Room().compose().cached_content == "You help the user."


def test_an_unknown_section_of_ones_own_is_shown_and_warned_of_once(caplog: pytest.LogCaptureFixture) -> None:
    room = Room()
    room.section("weather", lambda _: tag("weather", "rain"))

    for _ in range(3):
        assert room.compose().warnings
    assert room.compose().tail == "<weather>rain</weather>"
    assert caplog.text.count('section "weather"') == 1


def test_all_that_ship_are_composed_in_their_order() -> None:
    room = Room(inputs={"sam": full_inputs()})
    every_trinket(room.bus, room.memory, lambda *_: Repo(full_inputs().tools))
    room.compose(continuum_id="talk", segment_id="segment-now", turn_number=12)
    room.memory.publish_trinket_update("ProactiveMemoryTrinket", {"memories": surfaced()})
    composed = room.compose(continuum_id="talk", segment_id="segment-now", turn_number=12)

    assert composed.missing == ()
    assert composed.warnings == ()
    assert [(one.name, one.placement) for one in composed.sections] == [
        ("base_prompt", "cached"), ("soul", "cached"), ("user", "cached"), ("memory_state", "cached"),
        ("conversation_manifest", "cached"), ("domaindoc", "cached"), ("journal_digest", "cached"),
        ("now", "tail"), ("datetime_section", "tail"), ("active_reminders", "tail"), ("punchclock_status", "tail"),
        ("learnings", "tail"), ("pending_actions", "tail"), ("goals", "tail"), ("scratch", "tail"),
        ("tool_guidance", "tail"), ("tool_hints", "tail"), ("relevant_memories", "tail"),
        ("context_search_results", "tail"),
    ]  # fmt: skip


def test_an_update_reaches_one_trinket_with_what_is_handed_over() -> None:
    room = Room()
    asked: list[str] = []

    def says(name: str) -> Callable[[TrinketContext], str]:
        def say(context: TrinketContext) -> str:
            asked.append(name)
            return tag(name, str(context.get("word", "nothing")))

        return say

    room.section("first", says("first"))
    room.section("second", says("second"))
    room.compose(continuum_id="talk", turn_number=7)
    asked.clear()

    room.memory.publish_trinket_update("SecondTrinket", {"word": "hello"})

    assert asked == ["second"]
    assert room.memory.get_trinket_state("second").content == "<second>hello</second>"  # type: ignore[union-attr]
    with pytest.raises(BadInput, match="did you mean SecondTrinket"):
        room.memory.publish_trinket_update("SecondTrinkt")


def test_an_update_knows_the_turn_that_was_composed_last() -> None:
    room = Room()
    seen: list[TrinketContext] = []
    room.section("goals", lambda context: (seen.append(context), "")[1])
    room.compose(continuum_id="talk", segment_id="s1", turn_number=7)
    room.memory.publish_trinket_update("GoalsTrinket")

    assert [(it.continuum_id, it.segment_id, it.turn_number, it.now) for it in seen] == [("talk", "s1", 7, NOW)] * 2


def test_the_state_of_sections_is_written_once_and_only_where_it_changed() -> None:
    room = Room()
    goals, time = ["ship"], ["noon"]
    room.section("goals", lambda _: tag("goals", *goals) if goals else "", cache_policy=True)
    room.section("datetime_section", lambda _: tag("t", *time))
    room.section("scratch", lambda _: "")

    room.compose()
    states = room.states["sam"]
    assert [set(write) for write in states.writes] == [{"goals", "datetime_section", "scratch"}]
    goal = states.kept["goals"]
    assert (goal.content, goal.cache_policy, goal.updated_at) == (
        "<goals>ship</goals>",
        True,
        "2026-11-16T13:30:00+00:00",
    )

    time[:] = ["one"]
    room.compose()
    assert set(states.writes[-1]) == {"datetime_section"}
    room.compose()
    assert len(states.writes) == 2

    goals.clear()
    room.compose()
    assert states.writes[-1] == {"goals": None}
    assert room.memory.get_trinket_state("goals") is None
    assert set(room.memory.get_all_trinket_states()) == {"datetime_section"}


def test_a_section_that_an_earlier_process_left_is_cleared() -> None:
    left = States()
    before = Room(states_of=lambda _: left)
    before.section("goals", lambda _: tag("goals", "old"))
    before.compose()
    after = Room(states_of=lambda _: left)
    after.section("goals", lambda _: "")
    after.compose()

    assert left.kept == {}


def test_two_trinkets_with_one_section_are_an_error_that_names_both() -> None:
    room = Room()
    room.section("goals", lambda _: "")

    with pytest.raises(BadInput, match=r"OtherGoals.*GoalsTrinket"):
        room.section("goals", lambda _: "", class_name="OtherGoals")
    with pytest.raises(BadInput, match="same class name"):
        room.section("other", lambda _: "", class_name="GoalsTrinket")
    with pytest.raises(BadInput, match="base_prompt"):
        room.section("base_prompt", lambda _: "", class_name="Forger")
    assert room.memory.get_trinket("GoalsTrinket").variable_name == "goals"  # type: ignore[union-attr]
    assert room.memory.get_trinket("OtherGoals") is None


def test_whose_it_is_need_not_be_said_while_there_is_one_user_only() -> None:
    room = Room()
    room.section("goals", lambda context: tag("goals", context.user_id))
    with pytest.raises(BadInput, match="user_id"):
        room.memory.publish_trinket_update("GoalsTrinket")
    room.compose("sam")
    room.memory.publish_trinket_update("GoalsTrinket")
    assert set(room.memory.get_all_trinket_states()) == {"goals"}
    room.compose("ana")

    with pytest.raises(BadInput, match="2 users"):
        room.memory.publish_trinket_update("GoalsTrinket")
    with pytest.raises(BadInput, match="user_id"):
        room.memory.get_trinket_state("goals")
    assert room.memory.get_trinket_state("goals", "ana").content == "<goals>ana</goals>"  # type: ignore[union-attr]
    assert room.memory.last_composed("sam").tail == "<goals>sam</goals>"  # type: ignore[union-attr]
    assert room.memory.last_composed("nobody") is None


def test_steady_sections_wait_with_news_until_the_prefix_breaks_anyhow() -> None:
    said = {"user": "tabs", "domaindoc": "one"}
    room = Room()
    room.section(
        "user", lambda _: tag("user_profile", said["user"]) if said["user"] else "", cache_policy=True, steady=True
    )
    room.section("domaindoc", lambda _: tag("d", said["domaindoc"]), cache_policy=True)

    def turn(number: int, segment: str = "s1") -> str:
        return room.compose(continuum_id="talk", segment_id=segment, turn_number=number).cached_content

    first = turn(1)
    said["user"] = "spaces"
    assert turn(2) == first, "a preference that was learned meanwhile does not break the prefix"
    said["user"] = ""
    assert turn(3) == first
    said.update(user="two spaces", domaindoc="two")
    assert "two spaces" in turn(4), "the prefix broke, so everything comes up to date"
    said["user"] = "four spaces"
    assert "four spaces" not in turn(5)
    assert "four spaces" in turn(6, "s2"), "another segment starts anew"
    assert "four spaces" in Room.compose(room).cached_content, "so does a prompt outside any segment"


def test_a_steady_section_that_failed_at_first_comes_when_it_can() -> None:
    unread = {"user": "the disk was away"}
    room = Room(inputs={"sam": PromptInputs(user_id="sam", unread=unread)})
    room.section("user", lambda _: tag("user_profile", "tabs"), cache_policy=True, steady=True, reads=("user",))
    assert room.compose(segment_id="s1").missing[0].kind == "unread"
    room.inputs["sam"] = PromptInputs(user_id="sam")
    assert "tabs" in room.compose(segment_id="s1").cached_content

    room.inputs["sam"] = PromptInputs(user_id="sam", unread=unread)
    again = room.compose(segment_id="s1")
    assert "tabs" in again.cached_content, "what the prefix holds stays, and the report says that it could not be read"
    assert again.degraded


def test_the_collapse_of_a_segment_reaches_every_trinket() -> None:
    room = Room()
    every_trinket(room.bus, room.memory, lambda *_: Repo(full_inputs().tools))
    broken = room.section("broken", lambda _: "")
    broken.forget_segment = lambda *_: 1 / 0  # type: ignore[method-assign, assignment, return-value]
    room.compose("sam")
    room.memory.publish_trinket_update("ProactiveMemoryTrinket", {"memories": surfaced()})
    assert "surfaced_memories" in room.compose("sam").tail

    room.bus.publish(SegmentCollapsedEvent(user_id="sam", segment_id="s", summary=""))

    assert "surfaced_memories" not in room.compose("sam").tail


def test_after_an_erasure_nothing_of_it_is_held() -> None:
    room = Room(inputs={"sam": full_inputs()})
    every_trinket(room.bus, room.memory, lambda *_: Repo(full_inputs().tools))
    room.compose("sam", segment_id="s")
    room.memory.publish_trinket_update("ProactiveMemoryTrinket", {"memories": surfaced()})
    room.compose("sam", segment_id="s")
    room.inputs["sam"] = replace(full_inputs(), user="", soul="")

    room.memory.forget("sam")

    assert room.states["sam"].kept == {}
    assert room.memory.last_composed("sam") is None
    composed = room.compose("sam", segment_id="s")
    assert "tabs, never spaces" not in composed.cached_content
    assert "Ana asked for the invoice" not in composed.tail


def test_content_that_nobody_asked_for_stands_in_the_prompt_that_is_being_composed() -> None:
    room = Room()
    room.section("goals", lambda _: tag("goals", "ship"))

    def guide(event: UpdateTrinketEvent) -> None:
        said = "step < 2"
        room.bus.publish(
            TrinketContentEvent(
                user_id=event.user_id, variable_name="workflow_guidance", content=said, trinket_name="Guide"
            )
        )

    room.bus.subscribe("UpdateTrinketEvent", guide)

    assert room.compose().tail.endswith("<workflow_guidance>step &lt; 2</workflow_guidance>")


def test_a_section_is_told_by_its_own_trinket_only() -> None:
    room = Room()
    room.section("soul", lambda _: tag("soul", "be kind"), cache_policy=True)

    def forge(context: TrinketContext) -> str:
        for name, user in (("soul", "sam"), ("base_prompt", "sam"), ("goals", "ana")):
            event = TrinketContentEvent(user_id=user, variable_name=name, content="obey", trinket_name="Forger")
            room.bus.publish(event)
        return ""

    room.section("weather", forge, class_name="Forger")
    composed = room.compose()

    assert "obey" not in composed.cached_content + composed.non_cached_content
    assert [(one.section, one.kind) for one in composed.missing] == [
        ("soul", "logic"), ("base_prompt", "logic"), ("goals", "logic"),
    ]  # fmt: skip
    assert "ana" not in room.states


def test_a_trinket_may_have_another_one_say_something() -> None:
    room = Room()
    room.section("goals", lambda context: tag("goals", str(context.get("word", "ship"))))

    def ask(_: TrinketContext) -> str:
        room.memory.publish_trinket_update("GoalsTrinket", {"word": "rest"}, user_id="sam")
        return ""

    room.section("weather", ask)
    composed = room.compose()
    assert composed.tail == "<goals>rest</goals>"
    assert not composed.degraded


def test_a_trinket_may_not_have_the_record_of_another_conversation_read() -> None:
    room = Room()
    room.section("goals", lambda _: tag("goals", "ship"), reads=("goals",))

    def ask(_: TrinketContext) -> str:
        room.memory.publish_trinket_update("GoalsTrinket", user_id="ana", continuum_id="talk")
        return ""

    room.section("weather", ask)
    composed = room.compose()

    assert composed.tail == "<goals>ship</goals>"
    assert [(one.section, one.kind) for one in composed.missing] == [("weather", "logic")]
    assert "ana" not in room.states


def test_prompts_of_several_users_may_be_composed_at_once() -> None:
    room = Room()
    for number in range(8):
        room.section(f"section_{number}", lambda context: tag("it", f"{context.user_id} {context.inputs.first_name}"))
    users = [f"user-{number}" for number in range(6)]
    room.inputs = {user: PromptInputs(user_id=user, first_name=user.upper()) for user in users}
    told: dict[str, list[str]] = {user: [] for user in users}

    def talk(user: str) -> None:
        for _ in range(30):
            told[user].append(room.compose(user).tail)

    threads = [Thread(target=talk, args=(user,)) for user in users]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    for user in users:
        assert set(told[user]) == {"\n\n---\n\n".join([f"<it>{user} {user.upper()}</it>"] * 8)}
        assert len(told[user]) == 30


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"placement": "nowhere"}, "cached, tail or system"),
        ({"steady": True}, "only a cached section"),
        ({"reads": ("nothere",)}, "is no input"),
    ],
)
def test_a_trinket_that_cannot_work_is_refused_when_it_is_made(fields: dict[str, object], told: str) -> None:
    class Mistaken(EventAwareTrinket):
        def _get_variable_name(self) -> str:
            return "mistaken"

        def generate_content(self, context: TrinketContext) -> str:
            return "x"

    for name, value in fields.items():
        setattr(Mistaken, name, value)
    room = Room()

    with pytest.raises(BadInput, match=told):
        Mistaken(room.bus, room.memory)


def test_what_could_not_even_be_made_is_named_in_every_report() -> None:
    room = Room()
    room.memory.report_always(Missing("weather", "weather:Weather", "logic", "it cannot be made: ImportError"))

    assert [one.section for one in room.compose().missing] == ["weather"]
    assert [one.section for one in room.compose().missing] == ["weather"]


# ---- events


def heard_by(room: Room, name: str) -> list[Any]:
    heard: list[Any] = []
    room.bus.subscribe(name, heard.append)
    return heard


def test_every_trinket_is_asked_once_and_each_step_is_published_once() -> None:
    room = Room()
    asked: list[str] = []
    for name in ("goals", "soul"):
        room.section(name, lambda _, name=name: (asked.append(name), tag(name, "x"))[1], cache_policy=name == "soul")
    names = ("ComposeSystemPromptEvent", "UpdateTrinketEvent", "TrinketContentEvent", "SystemPromptComposedEvent")
    heard = {name: heard_by(room, name) for name in names}

    composed = room.compose(continuum_id="talk")

    assert asked == ["soul", "goals"]
    assert [it.target_trinket for it in heard["UpdateTrinketEvent"]] == ["SoulTrinket", "GoalsTrinket"]
    said = [(it.variable_name, it.content, it.trinket_name, it.cache_policy) for it in heard["TrinketContentEvent"]]
    assert said == [
        ("soul", "<soul>x</soul>", "SoulTrinket", True),
        ("goals", "<goals>x</goals>", "GoalsTrinket", False),
    ]
    assert [it.base_prompt for it in heard["ComposeSystemPromptEvent"]] == ["You help {first_name}."]
    (event,) = heard["SystemPromptComposedEvent"]
    assert (event.cached_content, event.non_cached_content) == (composed.cached_content, composed.non_cached_content)
    assert event.event_id == heard["ComposeSystemPromptEvent"][0].event_id
    assert {it.continuum_id for events in heard.values() for it in events} == {"talk"}


def test_whoever_hears_a_section_hears_it_without_secrets_on_the_thread_that_composes() -> None:
    room = Room(clean=redact)
    room.section("goals", lambda _: "the password is hunter2xyz")
    threads: list[Thread] = []
    room.bus.subscribe(TrinketContentEvent, lambda _: threads.append(current_thread()))
    heard = heard_by(room, "TrinketContentEvent")

    composed = room.compose()

    assert [it.content for it in heard] == [composed.tail]
    assert "hunter2xyz" not in composed.tail
    assert threads == [current_thread()]


def test_an_update_that_somebody_publishes_refreshes_the_section() -> None:
    room = Room()
    told = {"word": "ship"}
    room.section("goals", lambda context: tag("goals", told["word"], str(context.get("more", ""))))
    room.compose()
    heard = heard_by(room, "TrinketContentEvent")
    told["word"] = "rest"

    context = {"more": "and sleep"}
    room.bus.publish(UpdateTrinketEvent(user_id="sam", target_trinket="GoalsTrinket", context=context))

    state = room.memory.get_trinket_state("goals", "sam")
    assert state is not None
    assert state.content == heard[0].content == "<goals>\nrest\nand sleep\n</goals>"
    room.bus.publish(UpdateTrinketEvent(user_id="sam", target_trinket="GoalsTrinkt"))
    assert len(heard) == 1
    assert room.problems == []


def test_an_update_while_a_prompt_is_composed_changes_that_prompt() -> None:
    room = Room()
    room.section("goals", lambda context: tag("goals", str(context.get("word", "ship"))), cache_policy=True)
    room.section("weather", lambda _: tag("weather", "rain"))

    def ask(event: UpdateTrinketEvent) -> None:
        if event.target_trinket == "WeatherTrinket":
            context = {"word": "rest"}
            room.bus.publish(UpdateTrinketEvent(user_id="sam", target_trinket="GoalsTrinket", context=context))

    room.bus.subscribe(UpdateTrinketEvent, ask)

    assert room.compose().cached_content.endswith("<goals>rest</goals>")
    assert len(room.states["sam"].writes) == 1


def test_a_trinket_that_is_asked_by_hand_publishes_its_section() -> None:
    room = Room(inputs={"sam": full_inputs()})
    every_trinket(room.bus, room.memory, lambda *_: Repo(full_inputs().tools))
    heard = heard_by(room, "TrinketContentEvent")
    trinket = room.memory.get_trinket("ToolLoaderTrinket")
    assert trinket is not None

    trinket.handle_update_request(UpdateTrinketEvent(user_id="sam", target_trinket="ToolLoaderTrinket"))

    assert [(it.variable_name, it.trinket_name, it.cache_policy) for it in heard] == [
        ("tool_hints", "ToolLoaderTrinket", False)
    ]
    context = TrinketContext("sam", NOW, full_inputs(), "main")
    assert heard[0].content == trinket.generate_content(context) != ""


# ---- in the place of another


def test_a_trinket_of_ones_own_takes_the_place_of_one_that_ships() -> None:
    room = Room(inputs={"sam": full_inputs()})
    every_trinket(room.bus, room.memory, lambda *_: Repo(full_inputs().tools))

    class Noon(EventAwareTrinket):
        replaces = "TimeManager"

        def _get_variable_name(self) -> str:
            return "datetime_section"

        def generate_content(self, context: TrinketContext) -> str:
            return tag("current_datetime", str(context.get("time", "noon")))

    Noon(room.bus, room.memory)
    composed = room.compose(segment_id="segment-now", turn_number=12)

    assert composed.missing == ()
    assert [one.content for one in composed.sections if one.name == "datetime_section"] == [
        "<current_datetime>noon</current_datetime>"
    ]
    for name, said in (("TimeManager", "one"), ("Noon", "two")):  # who asks for the old one reaches the new one
        room.memory.publish_trinket_update(name, {"time": said})
        state = room.memory.get_trinket_state("datetime_section")
        assert state is not None
        assert said in state.content


def test_a_trinket_cannot_take_the_place_of_one_that_is_not_there() -> None:
    room = Room()
    room.section("goals", lambda _: "")

    with pytest.raises(BadInput, match=r'Other replaces no trinket "GoalTrinket"; did you mean GoalsTrinket'):
        room.section("other", lambda _: "", class_name="Other", replaces="GoalTrinket")


# ---- the order


def names(composed: Composed) -> list[str]:
    return [one.name for one in composed.sections]


def test_the_settings_say_where_a_section_of_ones_own_stands() -> None:
    order = ("goals", "weather", "datetime_section")
    room = Room(replace(NO_HURRY, section_order=order))
    for name in ("weather", "scratch", "datetime_section", "goals", "learnings"):
        room.section(name, lambda _, name=name: tag(name, "x"))

    composed = room.compose()

    assert names(composed) == ["base_prompt", "learnings", "goals", "weather", "datetime_section", "scratch"]
    assert composed.tail.startswith("<learnings>x</learnings>\n\n---\n\n<goals>x</goals>\n\n---\n\n<weather>")
    assert composed.warnings == ()


def test_a_program_says_how_sections_are_put_together(tmp_path: Path) -> None:
    config = ComposerConfig(("datetime_section", "now"), section_separator="\n***\n", volatile="system")
    with Memory.open(tmp_path, env=FakeEnv(), composer=config) as memory:
        composed = memory.continuum().preview()
        theirs = memory.of("ben").continuum().preview()

    for prompt in (composed, theirs):
        assert [one.name for one in prompt.sections if not one.cache_policy][:2] == ["datetime_section", "now"]
    assert composed.tail == ""
    assert "</current_datetime>\n***\n<now" in composed.system_content
