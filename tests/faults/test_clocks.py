"""Clocks are not trusted: set back a month, put forward ten years, or standing still, at any moment of any history.

Nothing is lost, nothing changes its place in its session, every turn is closed and distilled, no lease and no waiting time
holds work up, and what was learned a minute ago is told to the next agent.
"""

import json

import pytest

from reverie.capture.hook_events import read_record
from reverie.inbox.worker import LEASE_SECONDS
from reverie.memory import Memory
from reverie.records import Captured, Stage
from reverie.testing import FakeEnv
from support.faults import LATER_SECONDS, PROJECT, spool_events, turn_events
from support.faults_histories import DAY, Life

HISTORIES = 60
JUMPS = {
    "a month back": -30 * DAY,
    "ten years ahead": 3650 * DAY,
    "ten years back": -3650 * DAY,
    "a minute back": -60.0,
}


def key(captured: Captured) -> tuple[object, ...]:
    return captured.session, captured.event, captured.event_id, captured.text, captured.occurred_ms


def test_random_histories_under_wrong_clocks_lose_nothing_and_keep_their_order(scratch):
    said_in_all = 0
    for seed in range(1000, 1000 + HISTORIES):
        life = Life(scratch / str(seed), seed, with_ids=True)
        life.live(steps=80)
        engine = life.memory.engine

        said = list(dict.fromkeys(key(read_record(record)) for record in life.acknowledged))
        kept = [key(observation) for observation in engine.log.read(limit=10_000) if observation.source == "hook"]
        for session in life.sessions:
            assert [one for one in kept if one[0] == session] == [one for one in said if one[0] == session], (
                f"history {seed}"
            )
        assert len(engine.log.read(session="notes", limit=10_000)) == life.notes

        open_turns = engine.database.value("SELECT count(*) FROM sessions WHERE last_position > closed_position")
        undistilled = engine.database.value("SELECT count(*) FROM processed WHERE processed != 1")
        assert (open_turns, undistilled) == (0, 0), f"history {seed}"
        for session in life.sessions:
            numbers = [observation.sequence_num for observation in engine.log.read(session=session, limit=10_000)]
            assert numbers == list(range(1, len(numbers) + 1))
        life.memory.close()
        said_in_all += len(said)
    assert said_in_all > 20 * HISTORIES


def test_negative_control_by_the_clock_the_same_histories_would_be_out_of_order(scratch):
    """The places in the log are what keeps the order: sorted by their times, what was said is jumbled."""
    jumbled = 0
    for seed in range(1000, 1010):
        life = Life(scratch / str(seed), seed, with_ids=True)
        life.live(steps=80)
        for session in life.sessions:
            kept = life.memory.engine.log.read(session=session, limit=10_000)
            jumbled += [one.id for one in sorted(kept, key=lambda one: one.occurred_ms)] != [one.id for one in kept]
        life.memory.close()
    assert jumbled


@pytest.fixture
def env():
    return FakeEnv()


@pytest.fixture
def memory(scratch, env):
    with Memory.open(scratch / "home", env=env) as memory:
        yield memory


def learn(memory: Memory, number: int, prompt: str) -> None:
    """A turn from the hook to the learnings, by the clock as it is."""
    spool_events(memory.workspace.home, turn_events(number, f"s{number}", prompt), memory.env.now_ms())
    memory.parts.background.drain_spool()
    memory.env.sleep(LATER_SECONDS)
    memory.parts.background.drain_spool()
    memory.parts.background.distil()


@pytest.mark.parametrize("jump", JUMPS.values(), ids=JUMPS)
def test_an_open_turn_is_closed_soon_after_the_clock_jumped(memory, env, jump):
    spool_events(memory.workspace.home, turn_events(1, "one", "Hello."), env.now_ms())
    spool_events(memory.workspace.home, turn_events(2, "two", "Hello.")[:2], env.now_ms())  # this one has no Stop
    memory.parts.background.drain_spool()
    env.jump_clock(jump)

    for _ in range(2 * 11):
        env.sleep(60)
        memory.parts.background.drain_spool()

    assert memory.engine.database.value("SELECT count(*) FROM sessions WHERE last_position > closed_position") == 0
    assert memory.parts.background.distil().done == 2


@pytest.mark.parametrize("jump", JUMPS.values(), ids=JUMPS)
def test_a_lease_from_before_the_jump_is_not_for_ever(memory, env, jump):
    learn_without_distilling(memory)
    lease_ms = int(LEASE_SECONDS * 1000)
    assert memory.engine.inbox.claim(Stage.RULES, 50, env.now_ms(), lease_ms, "somebody who is gone")
    env.jump_clock(jump)

    env.sleep(2 * LEASE_SECONDS + 60)

    assert memory.parts.background.distil().done == 1


@pytest.mark.parametrize("jump", JUMPS.values(), ids=JUMPS)
def test_a_waiting_time_from_before_the_jump_is_not_for_ever(memory, env, jump, monkeypatch):
    learn_without_distilling(memory)
    with monkeypatch.context() as patch:
        patch.setattr("reverie.pipeline.distil_turns.by_rules", fail)
        assert memory.parts.background.distil().failed == 1
    env.jump_clock(jump)

    env.sleep(11 * 60)

    assert memory.parts.background.distil().done == 1


def fail(turn) -> None:
    raise RuntimeError("not this time")


def learn_without_distilling(memory: Memory) -> None:
    spool_events(memory.workspace.home, turn_events(1, "one", "Hello."), memory.env.now_ms())
    memory.parts.background.drain_spool()
    memory.env.sleep(LATER_SECONDS)
    memory.parts.background.drain_spool()


@pytest.mark.parametrize("jump", JUMPS.values(), ids=JUMPS)
def test_a_preference_outlives_every_jump(memory, env, jump):
    learn(memory, 1, "Please always answer in German.")

    env.jump_clock(jump)

    assert "answer in German" in memory.context(PROJECT)


def test_a_clock_set_back_hides_nothing_that_was_learned_before(memory, env):
    learn(memory, 1, "We use PostgreSQL 16 in production.")

    env.jump_clock(-30 * DAY)

    assert "PostgreSQL 16" in memory.context(PROJECT)


def test_what_was_learned_under_a_wrong_clock_is_still_news_when_it_is_put_right(memory, env):
    learn(memory, 1, "Hello.")
    env.jump_clock(-30 * DAY)
    learn(memory, 2, "We use PostgreSQL 16 in production.")

    env.jump_clock(30 * DAY)

    assert "PostgreSQL 16" in memory.context(PROJECT)


def test_a_clock_that_leapt_ten_years_and_came_back_has_hidden_nothing(memory, env):
    learn(memory, 1, "We use PostgreSQL 16 in production.")
    env.jump_clock(3650 * DAY)
    learn(memory, 2, "The API of this project listens on port 8017.")
    assert "port 8017" in memory.context(PROJECT)

    env.jump_clock(-3650 * DAY)

    told = memory.context(PROJECT)
    assert "PostgreSQL 16" in told
    assert "port 8017" in told


def test_a_clock_that_stands_still_keeps_the_order_of_what_was_said(memory, env):
    events = [one for number in range(30) for one in turn_events(number, "one", f"Step {number}, please.")]
    for name, payload in events:
        spool_events(memory.workspace.home, [(name, payload)], env.now_ms())
        memory.parts.background.drain_spool()

    kept = [json.dumps([observation.event, observation.text]) for observation in memory.engine.log.read(limit=1000)]
    assert len(kept) == len(events)
    assert [json.loads(one)[0] for one in kept] == [name for name, _ in events]
