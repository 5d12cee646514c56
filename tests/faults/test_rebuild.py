"""Everything derived is derived again from the log, to the same bytes, and no model is asked."""

from dataclasses import replace

import pytest

from reverie.memory import Memory
from reverie.pipeline.distil_turns import by_rules
from reverie.records import Work
from support.faults_histories import Life, what_is_derived

HISTORIES = 200
SHARES = 10
STEPS = 60


@pytest.mark.parametrize("share", [0, 1, *(pytest.param(n, marks=pytest.mark.torture) for n in range(2, SHARES))])
def test_a_rebuild_after_any_history_is_byte_identical_and_asks_no_model(scratch, share):
    learned = by_model = 0
    for seed in range(share, HISTORIES, SHARES):
        life = Life(scratch / str(seed), seed)
        life.live(STEPS)
        before = what_is_derived(life.memory.engine, life.home)
        by_model += sum(it.origin != "rules" for it in life.memory.engine.learnings.all())
        life.memory.close()
        life.env.is_silent = True

        # Another process, with another clock, does it.
        life.env.pass_time(1e6)
        with Memory.open(life.home, env=life.env, settings=life.settings, catch_up=False) as memory:
            memory.rebuild()
            after = what_is_derived(memory.engine, life.home)
            assert memory.engine.database.value("PRAGMA integrity_check") == "ok"

        assert after == before, f"history {seed}"
        learned += len(before[0])
    assert learned > 5 * HISTORIES / SHARES, "the histories taught something"
    assert by_model > HISTORIES / SHARES, "and so did the model"


def test_a_rebuild_by_turn_number_alone_would_differ(scratch):
    """The negative control: what came after a turn was closed is put into that turn, as if it had been in time."""
    different = 0
    for seed in range(40):
        life = Life(scratch / str(seed), seed, with_model=False)
        life.live(STEPS)
        before = what_is_derived(life.memory.engine, life.home)
        rebuild_by_turn_number(life.memory)
        different += what_is_derived(life.memory.engine, life.home) != before
        life.memory.close()

    assert different > 0


def rebuild_by_turn_number(memory: Memory) -> None:
    engine = memory.engine
    turns: dict[tuple[str, int], Work] = {}
    for work in engine.extractions():
        so_far = turns.get((work.session, work.turn), work)
        turns[work.session, work.turn] = replace(
            so_far,
            first_position=min(so_far.first_position, work.first_position),
            last_position=max(so_far.last_position, work.last_position),
        )
    with engine.write():
        engine.learnings.clear()
        for work in turns.values():
            turn = engine.log.turn(work)
            engine.learnings.add(turn, by_rules(turn))
