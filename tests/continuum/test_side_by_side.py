"""Two conversations of one person on two threads: nothing of the one's turn ever appears in the other's.

A barrier holds both turns after each has said which memories came up for it and before either is composed, so that
whatever is kept by user alone is that of the later one, each time.
"""

import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier, BrokenBarrierError
from typing import Any

import pytest

from reverie.compose.trinkets.proactive_memory import ProactiveMemoryTrinket, short_id
from reverie.continuum.orchestrator import ContinuumOrchestrator, TurnResult
from reverie.errors import BadInput
from reverie.events import SegmentCollapsedEvent, SystemPromptComposedEvent, UpdateTrinketEvent
from reverie.memory import Memory
from reverie.records import Filters
from reverie.records.conversation_values import Moment, Request
from reverie.records.prompt_inputs import SearchState
from reverie.testing import FakeEnv, ScriptedConverser
from support.composing import Room
from support.prompt_inputs import surfaced

PROMPTS = 30
ANIMALS = ["heron", "otter", "badger", "lynx", "stoat", "marten", "falcon", "grebe", "newt", "adder"]
METALS = ["copper", "nickel", "cobalt", "silver", "tin", "zinc", "lead", "iron", "chrome", "tungsten"]
TALKS = {"garden": ANIMALS, "forge": METALS}
_SHORT_ID = re.compile(r"mem_\w{8}")


class ByUser(dict[Any, Any]):
    """The mistake that this test is there to find: what belongs to a conversation is kept by user."""

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key[0], value)

    def __getitem__(self, key: Any) -> Any:
        return super().__getitem__(key[0])

    def get(self, key: Any, default: Any = None) -> Any:
        return super().get(key[0], default)

    def __contains__(self, key: Any) -> bool:
        return super().__contains__(key[0])


def scripted(name: str) -> ScriptedConverser:
    """Notes something in each turn, and then answers."""
    answers: list[Any] = []
    for number in range(PROMPTS):
        answers += [("memory", {"operation": "note", "text": f"The {name} ledger has entry {number} today"}), "Noted."]
    return ScriptedConverser(*answers)


class Talks:
    """Both conversations, their models, and what came of each prompt."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        for name, words in TALKS.items():
            for word in words:
                memory.note(f"The {word} of the {name} weighs {len(word)} grams")
        self.models = {name: scripted(name) for name in TALKS}
        self.talks: dict[str, ContinuumOrchestrator] = {
            name: memory.continuum(name, converser=model) for name, model in self.models.items()
        }
        self.barrier = Barrier(len(TALKS))
        memory.events.subscribe(UpdateTrinketEvent, self._wait)

    def _wait(self, event: UpdateTrinketEvent) -> None:
        if "memories" in event.context:
            self.barrier.wait()

    def run(self) -> dict[str, list[TurnResult]]:
        with ThreadPoolExecutor(len(TALKS)) as threads:
            running = {name: threads.submit(self._talk, name) for name in TALKS}
        return {name: one.result() for name, one in running.items()}

    def _talk(self, name: str) -> list[TurnResult]:
        try:
            words = TALKS[name]
            return [
                self.talks[name].send(f"How much does the {words[n % len(words)]} of the {name} weigh?")
                for n in range(PROMPTS)
            ]
        except BaseException:
            self.barrier.abort()
            raise

    def mixed(self, name: str, turn: TurnResult, requests: Sequence[Request]) -> list[str]:
        """What of a turn is the other conversation's."""
        (other,) = TALKS.keys() - {name}
        told = "\n".join(f"{one.cached}\n{one.system}\n{one.tail}" for one in requests)
        found = []
        if self.talks[other].key in told or self.talks[name].key not in told:
            found.append("key")
        if set(_SHORT_ID.findall(turn.composed.tail)) != {short_id(one.id) for one in turn.surfaced}:
            found.append("memories")
        asked = [line for line in self.memory.explain(turn.trace).lines() if line.startswith("  asked: ")]
        if len(asked) != 1 or name not in asked[0]:
            found.append("trace")
        if turn.end != "done":
            found.append(turn.problem)
        return found

    def all_mixed(self, results: dict[str, list[TurnResult]]) -> list[str]:
        found = []
        for name, turns in results.items():
            requests = self.models[name].requests
            assert len(requests) == 2 * PROMPTS
            for number, turn in enumerate(turns):
                found += self.mixed(name, turn, requests[2 * number : 2 * number + 2])
        return found + self._notes_elsewhere(results)

    def _notes_elsewhere(self, results: dict[str, list[TurnResult]]) -> list[str]:
        """An agent's notes are forgotten with the segment in which it made them: so they must be that one's."""
        found = []
        for name, turns in results.items():
            noted = self.memory.engine.items.select(Filters(session=turns[0].segment_id))
            found += ["note" for one in noted if "ledger" in one.text and name not in one.text]
        return found


@pytest.fixture
def talks(memory: Memory) -> Talks:
    return Talks(memory)


def test_two_conversations_on_two_threads_share_nothing_of_their_turns(talks: Talks) -> None:
    results = talks.run()

    assert talks.all_mixed(results) == []
    for first, second in zip(*results.values(), strict=True):
        assert first.surfaced != second.surfaced
        assert first.surfaced
        assert first.trace != second.trace
    noted = [one.text for one in talks.memory.engine.items.select(Filters()) if "ledger" in one.text]
    assert {name: sum(name in text for text in noted) for name in TALKS} == dict.fromkeys(TALKS, PROMPTS)


@pytest.mark.parametrize("state", ["running", "cached"])
def test_negative_control_state_by_user_mixes_the_conversations(talks: Talks, state: str) -> None:
    if state == "running":
        talks.memory.parts.continuums._running = ByUser()
    else:
        working = talks.memory.parts.continuums.working_memory
        trinket = working.get_trinket("ProactiveMemoryTrinket")
        assert isinstance(trinket, ProactiveMemoryTrinket)
        trinket._cached = ByUser()

    try:
        mixed = talks.all_mixed(talks.run())
    except BrokenBarrierError:
        return
    assert mixed.count("key" if state == "running" else "memories") >= PROMPTS // 2


# ---- what else is a conversation's own


def room_with_memories() -> tuple[Room, ProactiveMemoryTrinket]:
    room = Room()
    trinket = ProactiveMemoryTrinket(room.bus, room.memory)
    for name in TALKS:
        memories = [replace(one, text=f"{name}: {one.text}") for one in surfaced()]
        room.memory.publish_trinket_update(
            "ProactiveMemoryTrinket", {"memories": memories}, user_id="sam", continuum_id=name
        )
        room.compose(continuum_id=name, segment_id=f"{name}-1")
    return room, trinket


def test_a_collapse_lets_go_of_its_own_conversation_alone() -> None:
    room, trinket = room_with_memories()

    room.bus.publish(SegmentCollapsedEvent(user_id="sam", continuum_id="garden", segment_id="garden-1", summary=""))

    assert room.problems == []
    assert trinket.get_cached_memories("sam", "garden") == ()
    assert trinket.get_cached_memories("sam", "forge")
    assert "surfaced_memories" not in room.compose(continuum_id="garden").tail
    assert "forge: " in room.compose(continuum_id="forge").tail


def test_the_states_of_two_conversations_stand_side_by_side_in_their_users_store() -> None:
    room, _ = room_with_memories()

    told = {name: room.memory.get_trinket_state("relevant_memories", "sam", name) for name in TALKS}

    assert all(state and f"{name}: " in state.content for name, state in told.items())
    assert set(room.states["sam"].kept) == {"garden/relevant_memories", "forge/relevant_memories"}
    assert set(room.memory.get_all_trinket_states("sam", "forge")) == {"relevant_memories"}
    room.memory.forget("sam", "forge")
    assert set(room.states["sam"].kept) == {"garden/relevant_memories"}
    room.memory.forget("sam")
    assert room.states["sam"].kept == {}


def test_among_several_conversations_one_has_to_be_named() -> None:
    room, trinket = room_with_memories()

    for ask in (
        lambda: room.memory.get_all_trinket_states("sam"),
        lambda: room.memory.publish_trinket_update("ProactiveMemoryTrinket", {}, user_id="sam"),
        lambda: trinket.get_cached_memories("sam"),
    ):
        with pytest.raises(BadInput, match=r"2 conversations.*continuum_id="):
            ask()
    assert room.memory.last_composed("sam") == room.memory.last_composed("sam", "forge")


def test_of_many_conversations_the_last_ones_are_known() -> None:
    room, trinket = room_with_memories()

    for number in range(300):
        room.compose(continuum_id=f"talk {number}")

    assert room.memory.last_composed("sam", "talk 299")
    assert room.memory.last_composed("sam", "garden") is None
    assert trinket.get_cached_memories() == ()


def test_a_search_ends_in_the_turn_of_its_own_conversation(memory: Memory) -> None:
    memory.parts.toolset._run_beside = lambda work: work()
    asked = Moment(memory.env.now_ms(), "garden", "garden-1", 3)
    memory.parts.toolset.searches("garden").search("heron", moment=asked)

    memory.parts.toolset.searches("forge").poll(Moment(asked.at_ms + 10_000_000, "forge", "forge-1", 70))
    memory.parts.toolset.searches("garden").poll(asked)

    [search] = memory.engine.searches.all("garden-1")
    assert (search.state, search.finished_turn) == (SearchState.SUCCESS, 3)


def test_what_was_forgotten_while_two_conversations_run_is_kept_by_neither(tmp_path: Path, env: FakeEnv) -> None:
    """The other conversation begins a turn after the erasure: that must not make this prompt one of after it."""
    with Memory.open(tmp_path, env=env) as memory:
        memory.note("The doctor of the garden is Quuxberry")
        talk = memory.continuum("garden", converser=ScriptedConverser("Noted."))
        other = memory.continuum("forge", converser=ScriptedConverser("Noted."))
        todo = ["once"]

        def forget_and_talk(event: SystemPromptComposedEvent) -> None:
            if event.continuum_id == "garden" and todo:
                todo.clear()
                with Memory.open(tmp_path, env=env) as elsewhere:
                    elsewhere.forget("text:Quuxberry", hard=True)
                other.preview()

        memory.events.subscribe(SystemPromptComposedEvent, forget_and_talk)
        assert "Quuxberry" in talk.send("Who is the doctor of the garden?").composed.tail

        kept = memory.engine.database.rows("SELECT text FROM section_texts UNION SELECT content FROM sections")
        assert "Quuxberry" not in str(kept)


def test_a_conversation_at_rest_keeps_no_states_but_for_the_main_one(memory: Memory) -> None:
    for name in ("main", "garden"):
        talk = memory.continuum(name, converser=ScriptedConverser("Noted."))
        talk.send("I have a heron.")
        assert memory.parts.continuums.working_memory.get_trinket_state("datetime_section", "local", name)
        talk.collapse()

    assert {"/" in name for name in memory.engine.sections.all()} == {False}
    talk.send("I have an otter.")
    assert memory.parts.continuums.working_memory.get_trinket_state("datetime_section", "local", "garden")
