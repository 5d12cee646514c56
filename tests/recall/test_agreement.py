"""Every way to ask gives the same answer: `search`, `assemble_context` before packing, surfacing, and by words alone."""

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from reverie import Memory
from reverie.continuum.surfaced_memories import surface
from reverie.records.conversation_values import Message, Role
from reverie.settings import EmbedSettings, Settings
from reverie.testing import FakeEnv

PEOPLE = ("Ana", "Ben", "Cleo")
THINGS = ("harbour", "bakery", "violin", "garden", "invoice", "server", "ticket", "bicycle", "kitchen", "library")
DOINGS = ("painted", "sold", "repaired", "forgot", "found", "moved", "cleaned", "borrowed", "insured", "measured")
TIMES = ("yesterday", "in March", "last week", "on Friday", "for years", "twice", "with my sister", "in Lisbon")


def talk(count: int) -> Iterator[dict[str, object]]:
    chance = random.Random(5)
    for number in range(count):
        said = [f"I {chance.choice(DOINGS)} the {chance.choice(THINGS)} {chance.choice(TIMES)}." for _ in range(2)]
        if number % 9 == 0:
            said.append(f"From now on always label the {chance.choice(THINGS)}.")
        yield {
            "id": f"t{number}",
            "text": " ".join(said),
            "speaker": PEOPLE[number % 3],
            "session": f"s{number // 15}",
            "time": 1_770_000_000_000 + number * 3_600_000,
        }


QUESTIONS = [
    f"{start} {person} {doing} the {thing}?"
    for start, person, doing, thing in zip(
        ("When was it that", "Who said that", "Do you still know how", "Is it now true that") * 15,
        PEOPLE * 20,
        DOINGS * 6,
        (*THINGS, *reversed(THINGS)) * 3,
        strict=True,
    )
]


def opened(folder: Path, env: FakeEnv, settings: Settings) -> Memory:
    memory = Memory.open(folder, env=env, settings=settings)
    memory.observe(list(talk(400)))
    for number in range(30):
        memory.engine.log.close_turn(f"s{number}")
    memory.parts.background.distil()
    memory.maintenance.refresh_index()
    return memory


@pytest.fixture(scope="module", params=["static", "none"])
def memory(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    settings = replace(Settings(), embed=EmbedSettings(provider=request.param))
    with opened(tmp_path_factory.mktemp("home"), FakeEnv(), settings) as memory:
        yield memory


def searched(memory: Memory, question: str, **more: object) -> list[str]:
    return [hit.id for hit in memory.search(question, limit=10, **more)]  # type: ignore[arg-type]


def found_in(memory: Memory, turn: str) -> list[str]:
    """What was found in a turn, in its order, before it was packed."""
    (found,) = [span.data["found"] for span in memory.explain(turn).spans if span.kind == "recall"]
    return [one["id"] for one in found]  # type: ignore[index, union-attr]


def ranked(memory: Memory, question: str, **more: object) -> list[str]:
    """What `assemble_context` finds."""
    turn = memory.assemble_context(question, 1000, **more).turn  # type: ignore[arg-type]
    memory.commit()
    return found_in(memory, turn)[:10]


@pytest.mark.parametrize("filters", [None, ["speaker=Ana"], ["stores=semantic"], ["before=2026-02-05"]])
def test_a_search_and_a_context_find_the_same_in_the_same_order(memory: Memory, filters: list[str] | None) -> None:
    for question in QUESTIONS:
        assert searched(memory, question, filters=filters) == ranked(memory, question, filters=filters), question


def test_a_short_answer_is_the_beginning_of_a_long_one(memory: Memory) -> None:
    for question in QUESTIONS:
        long = [hit.id for hit in memory.search(question, limit=300)]
        assert len(set(long)) == len(long) > 200
        assert searched(memory, question) == long[:10], question


def test_reading_changes_no_ranking(memory: Memory) -> None:
    before = {question: searched(memory, question) for question in QUESTIONS}
    for question in QUESTIONS:
        memory.assemble_context(question, 400)
        memory.commit()

    assert {question: searched(memory, question) for question in QUESTIONS} == before


def test_what_comes_up_in_a_conversation_is_what_a_search_finds(memory: Memory) -> None:
    for question in QUESTIONS:
        asked = Message(role=Role.USER, text=question, id="not stored", segment_id="a new one")
        shown, assembled = surface(memory.parts.for_conversations, asked)
        memory.commit()

        found = found_in(memory, assembled.turn)
        order = [hit.id for hit in memory.search(question, limit=100)]
        assert found[:10] == order[:10], question
        assert {one.id for one in shown} <= set(order)


def test_by_words_alone_is_the_same_ranking_without_vectors(memory: Memory) -> None:
    is_without_vectors = memory.settings.embed.provider == "none"
    for question in QUESTIONS:
        hits = memory.parts.word_lookup.search(question, limit=10)
        assert all(hit.why.endswith("by words alone") for hit in hits)
        if is_without_vectors:
            assert [(hit.id, hit.score) for hit in hits] == [
                (hit.id, hit.score) for hit in memory.search(question, limit=10)
            ], question
