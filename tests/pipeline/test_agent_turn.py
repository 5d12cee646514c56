"""Turns of several agents run side by side: each counts what it was shown, and nobody else's."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from reverie.errors import BadInput
from reverie.memory import Memory
from reverie.records.results import Committed
from reverie.testing import FakeEnv

TOPICS = [
    f"{name} harbour"
    for name in ["Amber", "Birch", "Cedar", "Delta", "Ember", "Fjord", "Grove", "Heron", "Indigo", "Jade"]
]
TURNS = 20


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path, env=FakeEnv()) as memory:
        for topic in TOPICS:
            memory.observe(f"The crane of {topic} is painted red.", session=topic)
        memory.commit()
        yield memory


def shown_and_counted(memory: Memory, number: int, gate: threading.Barrier | None = None) -> bool:
    """Whether one turn counts exactly what it was shown."""
    shown = memory.assemble_context(f"what colour is the crane of {TOPICS[number % len(TOPICS)]}?", 60)
    if gate:
        gate.wait(60)
    return set(memory.commit().used) == {found.item.id for found in shown.items}


def test_turns_of_several_threads_keep_apart(memory: Memory) -> None:
    gate, right = threading.Barrier(TURNS), []
    threads = [
        threading.Thread(target=lambda n=number: right.append(shown_and_counted(memory, n, gate)))
        for number in range(TURNS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert right == [True] * TURNS


async def in_a_task(memory: Memory, number: int) -> bool:
    with memory.turn(session=f"s{number}"):
        asked = f"what colour is the crane of {TOPICS[number % len(TOPICS)]}?"
        shown = await asyncio.to_thread(memory.assemble_context, asked, 60)
        await asyncio.sleep(0)
        committed: Committed = await asyncio.to_thread(memory.commit)
    return set(committed.used) == {found.item.id for found in shown.items}


def test_turns_of_several_tasks_keep_apart(memory: Memory) -> None:
    async def all_of_them() -> list[bool]:
        return await asyncio.gather(*(in_a_task(memory, number) for number in range(TURNS)))

    assert asyncio.run(all_of_them()) == [True] * TURNS


def test_tasks_that_call_memory_directly_keep_apart(memory: Memory) -> None:
    async def one(number: int) -> bool:
        shown = memory.assemble_context(f"what colour is the crane of {TOPICS[number % len(TOPICS)]}?", 60)
        await asyncio.sleep(0)
        return set(memory.commit().used) == {found.item.id for found in shown.items}

    async def all_of_them() -> list[bool]:
        return await asyncio.gather(*(one(number) for number in range(TURNS)))

    assert asyncio.run(all_of_them()) == [True] * TURNS


def test_a_turn_left_behind_by_another_thread_is_the_one_that_is_committed(memory: Memory) -> None:
    async def run() -> bool:
        shown = await asyncio.to_thread(memory.assemble_context, f"the crane of {TOPICS[0]}", 60)
        committed = await asyncio.to_thread(memory.commit)
        return bool(shown.items) and set(committed.used) == {found.item.id for found in shown.items}

    assert asyncio.run(run())


def test_a_block_commits_at_its_end(memory: Memory) -> None:
    with memory.turn(session="s1", agent="coder", task="paint") as turn:
        shown = turn.assemble_context(f"the crane of {TOPICS[0]}", 60)
        turn.track_tool_invocation("paint", {"colour": "red"}, "done")
        kept = turn.memorize("The crane of Amber harbour needs new paint")
    told = "\n".join(memory.explain(turn.id).lines())

    assert "committed" in told
    assert all(found.item.id in told for found in shown.items)
    [item] = memory.items.get([kept.item_id])
    assert (item.session, item.agent, item.task) == ("s1", "coder", "paint")
    assert memory.engine.items.get([shown.items[0].item.id])[0].access_count == 1


def test_an_exception_marks_the_turn_as_failed_and_counts_no_use(memory: Memory) -> None:
    with suppress(RuntimeError), memory.turn() as turn:
        shown = turn.assemble_context(f"the crane of {TOPICS[0]}", 60)
        kept = turn.memorize("The crane of Amber harbour squeaks")
        raise RuntimeError("the model went away")

    assert "failed: RuntimeError: the model went away" in "\n".join(memory.explain(turn.id).lines())
    assert memory.engine.items.get([shown.items[0].item.id])[0].access_count == 0
    assert memory.items.get([kept.item_id])


def test_asking_without_ever_committing_never_fails(memory: Memory) -> None:
    for _ in range(40):
        assert memory.assemble_context(f"the crane of {TOPICS[0]}", 2000).items


def test_a_block_has_one_budget_and_says_what_is_left_of_it(memory: Memory) -> None:
    whole = memory.settings.recall.turn_tokens
    with memory.turn() as turn:
        turn.assemble_context(f"the crane of {TOPICS[0]}", 60)
        used = turn.budget_status().used_tokens
        assert used > 0
        with pytest.raises(BadInput, match=f"{whole - used} of this turn's {whole} are left"):
            turn.assemble_context(f"the crane of {TOPICS[0]}", whole)


def test_a_turn_may_have_a_time_budget(memory: Memory) -> None:
    assert memory.get_budget_status().remaining_seconds is None
    with memory.turn(budget_seconds=30) as turn:
        memory.env.pass_time(10)  # type: ignore[attr-defined]
        assert (turn.budget_status().remaining_seconds, memory.get_budget_status().budget_seconds) == (20.0, 30)
        memory.env.pass_time(60)  # type: ignore[attr-defined]
        assert turn.budget_status().remaining_seconds == 0.0
