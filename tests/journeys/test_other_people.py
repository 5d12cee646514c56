"""What other people say is kept as theirs: found and told with a trust of its own, below the person's and the agent's.

By whatever door it comes (a named speaker, a note, a model's reply, `memorize`), it is never the person's wish, and
nothing that the person said gives way to it.
"""

from collections.abc import Callable

import pytest

from reverie.compose.trinkets.proactive_memory import short_id
from reverie.foundation.as_json import item_as_json, item_from_json
from reverie.memory import Memory
from reverie.records import Lifecycle, MemoryItem, Trust
from reverie.testing import FakeEnv


def learn(memory: Memory, session: str = "chat") -> None:
    memory.engine.log.close_turn(session)
    memory.parts.background.distil()


def items(memory: Memory, text: str, *filters: str) -> list[MemoryItem]:
    found = memory.search(text, filters=filters)
    return [it for it in memory.engine.items.get([hit.id for hit in found]) if text in it.text]


def by_speaker(memory: Memory) -> None:
    memory.observe("I prefer deploys on Fridays.", speaker="Mallory", session="chat")
    learn(memory)


def by_note(memory: Memory) -> None:
    memory.note("Mallory said: always use deploys on Fridays")
    learn(memory, "notes")


def by_memorizing(memory: Memory) -> None:
    memory.memorize("Mallory said: we have deploys on Fridays", type="fact", source="user")


def by_an_agent(memory: Memory) -> None:
    memory.memorize("Mallory said: we have deploys on Fridays", type="fact")


DOORS = (by_speaker, by_note, by_memorizing, by_an_agent)


@pytest.mark.parametrize("door", DOORS)
def test_the_word_of_another_is_told_with_a_trust_of_its_own(memory: Memory, door: Callable[[Memory], None]) -> None:
    door(memory)

    found = items(memory, "deploys on Fridays")
    assert found
    assert {it.trust for it in found} == {Trust.OTHER_PEOPLE}
    assert all("trust other_people" in hit.why for hit in memory.search("deploys on Fridays"))
    assert memory.search("deploys on Fridays", filters=["min_trust=assistant"]) == []
    assert {it.trust for it in memory.engine.learnings.all()} <= {Trust.OTHER_PEOPLE}


@pytest.mark.parametrize("door", DOORS)
def test_the_word_of_another_is_no_wish_of_the_persons(memory: Memory, door: Callable[[Memory], None]) -> None:
    door(memory)

    assert memory.engine.learnings.preferences() == []
    assert memory.actions.list() == []
    assert "Fridays" not in memory.parts.profile.read(memory.workspace.user)


@pytest.mark.parametrize("door", DOORS)
def test_in_a_prompt_it_says_whose_word_it_is(memory: Memory, door: Callable[[Memory], None]) -> None:
    door(memory)
    turn = memory.continuum().send("When do we have deploys, on Fridays?")

    surfaced = [one for one in turn.surfaced if "Fridays" in one.text]
    assert surfaced
    for one in surfaced:
        shown = next(line for line in turn.composed.tail.splitlines() if short_id(one.id) in line)
        assert 'trust="other_people"' in shown


def test_nothing_that_the_person_said_gives_way_to_another(memory: Memory, env: FakeEnv) -> None:
    memory.note("The staging port is 5433")
    learn(memory, "notes")
    env.pass_time(60)
    memory.observe("The staging port is 9999 now.", speaker="Mallory", session="chat")
    learn(memory)
    memory.memorize("The staging port is 7777", type="fact", source="user", speaker="Mallory")

    own = items(memory, "staging port is 5433", "types=fact", "superseded=true")
    assert [(it.trust, it.superseded_by) for it in own] == [(Trust.PERSON, "")]
    assert {it.trust for it in items(memory, "9999") + items(memory, "7777")} == {Trust.OTHER_PEOPLE}


def test_the_person_takes_the_place_of_what_another_said(memory: Memory, env: FakeEnv) -> None:
    memory.memorize("The staging port is 7777", type="fact", source="user", speaker="Mallory")
    env.pass_time(60)
    memory.note("The staging port is 5433")
    learn(memory, "notes")

    (theirs,) = items(memory, "staging port is 7777", "types=fact", "superseded=true")
    assert theirs.superseded_by


@pytest.mark.parametrize("kind", ["preference", "goal", "action", "plan"])
def test_a_wish_of_another_waits_for_the_person(memory: Memory, kind: str) -> None:
    done = memory.memorize("deploys happen on Fridays", type=kind, source="user", speaker="Mallory")

    assert done.verdict == "quarantine"
    assert "not the person's" in " ".join(done.reasons)


def test_what_the_person_approves_is_theirs(memory: Memory) -> None:
    done = memory.memorize("deploys happen on Fridays", type="preference", trust="other_people")
    memory.items.approve(done.item_id)

    (item,) = memory.engine.items.get([done.item_id])
    assert (item.trust, item.lifecycle) == (Trust.PERSON, Lifecycle.GENERATED)


@pytest.mark.parametrize("speaker", ["", "user", "human", "me", "Me", "local"])
def test_the_person_is_no_other(memory: Memory, speaker: str) -> None:
    memory.observe("I prefer deploys on Fridays.", speaker=speaker, session="chat")
    learn(memory)

    assert {it.trust for it in memory.engine.learnings.all()} == {Trust.PERSON}
    assert {it.trust for it in items(memory, "deploys on Fridays")} == {Trust.PERSON}


def test_a_rebuild_and_a_copy_keep_it(memory: Memory) -> None:
    for door in DOORS:
        door(memory)
    before = list(memory.engine.dump_derived())

    memory.rebuild()

    assert list(memory.engine.dump_derived()) == before
    for item in items(memory, "deploys on Fridays"):
        assert item_from_json(item_as_json(item)).trust is Trust.OTHER_PEOPLE
