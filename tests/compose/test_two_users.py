"""Several users in one process: nothing of one ever appears for another, whatever happens in which order.

Every text of a user carries that user's token. The first life goes through inputs in which every text field of every
record is filled (found by reflection, so that a new field cannot be forgotten); the second through the real store, the
tools and conversations.
"""

import dataclasses
import tempfile
from collections.abc import Iterable, Mapping
from enum import Enum
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from reverie.compose.markup import tag
from reverie.compose.trinket import EventAwareTrinket, TrinketContext
from reverie.compose.trinkets.proactive_memory import ProactiveMemoryTrinket
from reverie.errors import BadInput
from reverie.events import SegmentCollapsedEvent, TurnCompletedEvent
from reverie.memory import Memory
from reverie.records.conversation_values import Moment
from reverie.records.prompt_inputs import PromptInputs, Surfaced
from reverie.settings import ComposeSettings, PersonSettings, Settings
from reverie.testing import FakeEnv, ScriptedConverser
from support.composing import Room
from support.prompt_inputs import Repo, every_trinket, full_inputs, surfaced

# Short, so that whatever is cut from a text still holds one of them; in letters that no other text here has.
TOKENS = {"ana": "QXA", "bo": "QXB", "cy": "QXC"}
USERS = st.sampled_from(sorted(TOKENS))
PARTS = [field.name for field in dataclasses.fields(PromptInputs) if field.name not in ("user_id", "unread")]
_NUMBERS = count(1)


def marked(value: Any, token: str, name: str = "") -> Any:
    """The same value with the token at both ends of every text; what code decides by (states, kinds) stays."""
    if isinstance(value, Enum) or name in ("kind", "status", "segment_id", "parent_id"):
        return value
    if isinstance(value, str):
        return f"{token} {value} {next(_NUMBERS)} {token}" if value else value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        told = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return dataclasses.replace(value, **{name: marked(one, token, name) for name, one in told.items()})
    if isinstance(value, Mapping):
        return {key: marked(one, token) for key, one in value.items()}
    if isinstance(value, tuple | list):
        return tuple(marked(one, token) for one in value)
    return value


def assert_private(user_id: str, texts: Iterable[object]) -> None:
    told = "\n".join(map(str, texts))
    for other, token in TOKENS.items():
        assert other == user_id or token not in told, f"{user_id} is shown what is {other}'s: {told[:2000]}"


class Gossip(EventAwareTrinket):
    """The mistake that this test is there to find: state that is not kept by user."""

    last = ""

    def _get_variable_name(self) -> str:
        return "gossip"

    def generate_content(self, context: TrinketContext) -> str:
        heard, self.last = self.last, context.inputs.soul
        return tag("gossip", heard) if heard else ""


class ManyInputs(RuleBasedStateMachine):
    """All trinkets that ship, over inputs that change."""

    gossips = False

    def __init__(self) -> None:
        super().__init__()
        self.room = Room(ComposeSettings(deadline_ms=2_000, trinket_ms=1_000))
        self.repos = {user: Repo(marked(full_inputs().tools, token)) for user, token in TOKENS.items()}
        made = every_trinket(self.room.bus, self.room.memory, lambda user, _: self.repos[user])
        (self.memories,) = [it for it in made if isinstance(it, ProactiveMemoryTrinket)]
        self.turn = 1
        if self.gossips:
            Gossip(self.room.bus, self.room.memory)

    @rule(user=USERS, parts=st.sets(st.sampled_from(PARTS), max_size=4))
    def read(self, user: str, parts: set[str]) -> None:
        """Full inputs, but for a few parts that are empty or cannot be read."""
        inputs = dataclasses.replace(marked(full_inputs(), TOKENS[user]), user_id=user, unread={})
        empty = PromptInputs(user_id=user)
        blank = {part: getattr(empty, part) for part in parts}
        unread = dict.fromkeys(sorted(parts)[:2], f"{TOKENS[user]} broke")
        self.room.inputs[user] = dataclasses.replace(inputs, **blank, unread=unread)

    @rule(user=USERS, segment=st.sampled_from(["", "segment-now", "s2"]))
    def compose(self, user: str, segment: str) -> None:
        self.turn += 1
        composed = self.room.compose(user, continuum_id="talk", segment_id=segment, turn_number=self.turn)
        assert_private(user, [composed])
        assert user not in self.room.inputs or TOKENS[user] in str(composed), "it does show what is one's own"

    @rule(user=USERS)
    def surface(self, user: str) -> None:
        memories: tuple[Surfaced, ...] = marked(surfaced(), TOKENS[user])
        self.room.memory.publish_trinket_update(
            "ProactiveMemoryTrinket", {"memories": memories}, user_id=user, continuum_id="talk"
        )

    @rule(
        user=USERS,
        action=st.sampled_from(
            ["initialize", "tool_loaded", "tool_unloaded", "tool_used", "fallback_mode", "cleanup_completed"]
        ),
    )
    def tend_tools(self, user: str, action: str) -> None:
        name = self.repos[user].kept.available[1].name
        self.room.memory.publish_trinket_update(
            "ToolLoaderTrinket", {"action": action, "tool_name": name}, user_id=user, continuum_id="talk"
        )

    @rule(user=USERS)
    def end_turn(self, user: str) -> None:
        self.room.bus.publish(TurnCompletedEvent(user_id=user, continuum_id="talk", turn_number=self.turn))

    @rule(user=USERS)
    def collapse(self, user: str) -> None:
        self.room.bus.publish(
            SegmentCollapsedEvent(user_id=user, continuum_id="talk", segment_id="segment-now", summary=TOKENS[user])
        )
        assert self.memories.get_cached_memories(user) == ()

    @rule(user=USERS)
    def forget(self, user: str) -> None:
        self.room.memory.forget(user)
        assert self.room.memory.get_all_trinket_states(user) == {}

    @invariant()
    def everything_is_private(self) -> None:
        memory = self.room.memory
        assert self.room.problems == []
        for user in TOKENS:
            states = self.room.states[user].all() if user in self.room.states else {}
            assert_private(user, [memory.last_composed(user), states, self.memories.get_cached_memories(user)])


class Store(RuleBasedStateMachine):
    """The real store with its tools and conversations; one user is the owner of the workspace, the others are not."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory(prefix="reverie-two-")
        person = PersonSettings(first_name=TOKENS["ana"], time_zone="Europe/Berlin")
        self.env = FakeEnv(seed=3)
        self.opened = Memory.open(
            Path(self.folder.name, "home"), env=self.env, settings=Settings(user="ana", person=person), catch_up=False
        )
        self.of = {user: self.opened.of(user) for user in TOKENS}
        for memory in self.of.values():  # searches are over when they return, so that a life can be replayed
            memory.parts.toolset._run_beside = lambda work: work()
        self.models = {user: ScriptedConverser(*[f"{token} noted"] * 60) for user, token in TOKENS.items()}
        self.talks = {user: memory.continuum("talk", converser=self.models[user]) for user, memory in self.of.items()}
        self.opened.workspace.soul.write_text(f"# Soul\n\n{TOKENS['ana']} is kind.\n", encoding="utf-8")

    def teardown(self) -> None:
        self.opened.close()
        self.folder.cleanup()

    def word(self, user: str) -> str:
        return f"{TOKENS[user]} word {next(_NUMBERS)} {TOKENS[user]}"

    def moment(self, user: str) -> Moment:
        return self.talks[user].moment()

    @rule(user=USERS, kind=st.sampled_from(["user", "internal"]), when=st.sampled_from(["in 5 minutes", "tomorrow"]))
    def remind(self, user: str, kind: Any, when: str) -> None:
        self.of[user].reminders.add(self.word(user), when, note=self.word(user), kind=kind)

    @rule(user=USERS)
    def punch(self, user: str) -> None:
        self.of[user].punchclock.start(self.word(user), note=self.word(user))

    @rule(user=USERS)
    def complete_all(self, user: str) -> None:
        for running in self.of[user].punchclock.list("running"):
            self.of[user].punchclock.complete(running.id, note=self.word(user))
        for reminder in self.of[user].reminders.list():
            self.of[user].reminders.complete(reminder.id)

    @rule(user=USERS)
    def write(self, user: str) -> None:
        documents = self.of[user].documents
        if not self.of[user].engine.documents.get("house"):
            documents.create("house", title=self.word(user))
        documents.create_section("house", self.word(user), self.word(user), self.word(user))

    @rule(user=USERS)
    def remember(self, user: str) -> None:
        self.of[user].note(f"the house of {self.word(user)} is red")

    @rule(user=USERS)
    def search(self, user: str) -> None:
        told = self.of[user].parts.toolset.searches("talk").search("house word", moment=self.moment(user))
        assert_private(user, [told])

    @rule(user=USERS, which=st.integers(0, 9))
    def load(self, user: str, which: int) -> None:
        talk = self.talks[user]
        known = [tool.name for tool in talk.tools.state("talk").available]
        talk.tools.load("talk", known[which % len(known)], self.moment(user).turn)

    @rule(user=USERS)
    def send(self, user: str) -> None:
        result = self.talks[user].send(f"what about the house word {self.word(user)}?")
        assert_private(user, [result, self.models[user].requests])

    @rule(user=USERS)
    def collapse(self, user: str) -> None:
        self.talks[user].collapse()

    @rule(minutes=st.sampled_from([1, 30, 2_000]))
    def time_passes(self, minutes: int) -> None:
        self.env.pass_time(60 * minutes)

    @rule(user=USERS)
    def look(self, user: str) -> None:
        memory, talk, moment = self.of[user], self.talks[user], self.moment(user)
        for tool, asked in (
            (memory.reminders, {"operation": "list"}),
            (memory.punchclock, {"operation": "list"}),
            (memory.documents, {"operation": "overview"}),
            (memory.documents, {"operation": "search", "text": "word"}),
            (memory.parts.toolset.memory_tool, {"operation": "search", "query": "house word"}),
        ):
            assert_private(user, [tool.run(asked, moment)])
        assert_private(user, [talk.tools.definitions("talk"), talk.preview("the house word")])

    @rule(user=USERS, other=USERS)
    def reach_over(self, user: str, other: str) -> None:
        """With another user's ids in hand there is still nothing to be had."""
        if user == other:
            return
        for reminder in self.of[other].engine.reminders.all(None):
            with pytest.raises(BadInput):
                self.of[user].reminders.get(reminder.id)
        for punch in self.of[other].engine.punches.all():
            with pytest.raises(BadInput):
                self.of[user].punchclock.delete(punch.id)

    @invariant()
    def everything_is_private(self) -> None:
        working_memory = self.opened.parts.continuums.working_memory
        for user in TOKENS:
            assert_private(user, [working_memory.last_composed(user), self.of[user].engine.sections.all()])


def live(machine: type[RuleBasedStateMachine], lives: int, steps: int, shrinks: bool = True) -> None:
    phases = [Phase.generate, Phase.shrink] if shrinks else [Phase.generate]
    quick = settings(
        max_examples=lives, stateful_step_count=steps, deadline=None, database=None, derandomize=True, phases=phases,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    run_state_machine_as_test(machine, settings=quick)  # type: ignore[no-untyped-call]


def test_nothing_of_one_user_appears_for_another_through_any_trinket() -> None:
    live(ManyInputs, 15, 25)


def test_state_that_is_not_kept_by_user_is_noticed() -> None:
    class Gossiping(ManyInputs):
        gossips = True

    with pytest.raises(AssertionError, match="is shown what is"):
        live(Gossiping, 30, 30, shrinks=False)


def test_nothing_of_one_user_appears_for_another_through_store_tools_and_conversations() -> None:
    live(Store, 6, 25)


@pytest.mark.torture
def test_nothing_of_one_user_appears_for_another_in_many_lives() -> None:
    live(ManyInputs, 300, 60)
    live(Store, 60, 60)
