"""A model that cannot be reached: its work waits, ever longer, for as long as it is fresh, and is done when it is back."""

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from reverie.errors import ModelUnavailable
from reverie.inbox.worker import Commit, Outcome, Worker
from reverie.memory import Memory
from reverie.records import Stage, Work, WorkState
from reverie.settings import InboxSettings, ModelSettings, Settings
from reverie.testing import FakeEnv
from support.hooks import say

HOUR = 3600.0


def refuse(_work: Work) -> Commit:
    raise ModelUnavailable("connection refused", unbilled=True)


def accept(_work: Work) -> Commit:
    return lambda: None


def ask_through_an_outage(
    memory: Memory, env: FakeEnv, seconds: float, settings: InboxSettings, restart_every: int = 3
) -> list[float]:
    """Ask whenever something is ready, by a worker that is often started anew; returns the waits in between."""
    worker, waits, until = None, [], env.monotonic() + seconds
    while env.monotonic() < until:
        if worker is None or len(waits) % restart_every == 0:
            worker = Worker(memory.engine.inbox, memory.engine.write, env, settings)
        outcome = worker.run(Stage.RULES, refuse)
        ready = memory.engine.inbox.next_ready_ms(Stage.RULES)
        if ready is None:
            break
        assert outcome.failed == 1
        waits.append((ready - env.now_ms()) / 1000)
        env.pass_time(waits[-1])
    return waits


def queue_one(memory: Memory, env: FakeEnv) -> None:
    memory.observe("Deploys want a green build.", session="s1")
    memory.engine.log.close_turn("s1")


def test_an_outage_of_hours_kills_nothing_and_asks_ever_later(memory: Memory, env: FakeEnv) -> None:
    queue_one(memory, env)
    settings = memory.settings.inbox

    waits = ask_through_an_outage(memory, env, HOUR, settings, restart_every=100)

    assert waits[:6] == [1, 2, 4, 8, 16, 32]
    assert set(waits[6:]) == {60}
    assert memory.engine.inbox.counts() == {"pending": 1}
    assert Worker(memory.engine.inbox, memory.engine.write, env, settings).run(Stage.RULES, accept) == Outcome(done=1)


def test_a_restart_goes_on_where_the_last_one_was(memory: Memory, env: FakeEnv) -> None:
    queue_one(memory, env)

    waits = ask_through_an_outage(memory, env, 20, memory.settings.inbox, restart_every=1)

    assert waits[:5] == [1, 2, 4, 8, 16]
    assert memory.engine.inbox.counts() == {"pending": 1}


def test_what_is_no_longer_fresh_is_dead_with_its_reason(memory: Memory, env: FakeEnv) -> None:
    queue_one(memory, env)
    stale = memory.settings.inbox.stale_hours * HOUR

    ask_through_an_outage(memory, env, stale + HOUR, memory.settings.inbox)

    (dead,) = memory.engine.inbox.listing(["dead"])
    assert re.fullmatch(r"model unavailable \d{3} times: connection refused", dead.reason)
    assert stale <= (env.now_ms() - dead.closed_ms) / 1000 < stale + 10 * 60


def test_calls_that_may_have_been_charged_for_are_made_ever_more_rarely(memory: Memory, env: FakeEnv) -> None:
    queue_one(memory, env)
    settings = memory.settings.inbox
    asked: list[float] = []

    def hang_up(_work: Work) -> Commit:
        asked.append(env.monotonic())
        raise ModelUnavailable("the connection broke off")

    worker = Worker(memory.engine.inbox, memory.engine.write, env, settings)
    while (env.monotonic() - 1000) < settings.stale_hours * HOUR - HOUR:
        worker.run(Stage.RULES, hang_up)
        env.pass_time(1)

    waits = [round(later - earlier) for earlier, later in pairwise(asked)]
    assert waits[:13] == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3600]
    assert len(asked) < 20
    assert memory.engine.inbox.counts() == {"pending": 1}


def test_after_that_it_is_dead_after_two_more(memory: Memory, env: FakeEnv) -> None:
    queue_one(memory, env)
    env.pass_time(memory.settings.inbox.stale_hours * HOUR)
    calls = 0

    def hang_up(_work: Work) -> Commit:
        nonlocal calls
        calls += 1
        raise ModelUnavailable("the connection broke off")

    for _ in range(20):
        Worker(memory.engine.inbox, memory.engine.write, env, memory.settings.inbox).run(Stage.RULES, hang_up)
        env.pass_time(61)

    assert calls == 2
    assert memory.engine.inbox.counts() == {"dead": 1}


def test_a_clock_that_was_set_back_does_not_make_it_wait_for_weeks(
    memory: Memory, env: FakeEnv, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reverie.inbox.worker._MOST_WAITS", 100)
    queue_one(memory, env)
    env.jump_clock(-30 * 24 * HOUR)

    waits = ask_through_an_outage(memory, env, 20 * HOUR, memory.settings.inbox)

    assert memory.engine.inbox.counts() == {"dead": 1}
    assert 100 <= len(waits) < 110


def test_negative_control_counted_like_other_failures_it_would_be_dead_in_seconds(memory: Memory, env: FakeEnv) -> None:
    queue_one(memory, env)
    started = env.monotonic()

    ask_through_an_outage(memory, env, HOUR, replace(memory.settings.inbox, stale_hours=0))

    assert memory.engine.inbox.counts() == {"dead": 1}
    assert env.monotonic() - started < 60


def test_a_turn_outlives_an_outage_and_many_restarts(tmp_path: Path, env: FakeEnv) -> None:
    """The whole way: the network refuses, as a FakeEnv's always does, and the memory is opened again and again."""
    model = ModelSettings(provider="anthropic", daily_dollars=1.0, key_variable="KEY")
    env.variables = {"KEY": "a-key"}
    for visit in range(8):
        with Memory.open(tmp_path, env=env, settings=Settings(model=model)) as memory:
            if not visit:
                say(memory, "From now on always use pnpm instead of npm.")
            memory.parts.background.ask_model()
            env.pass_time(61)

    with Memory.open(tmp_path, env=env) as memory:
        (waits,) = [it for it in memory.engine.inbox.listing(["pending", "dead"]) if it.stage is Stage.MODEL]
        assert waits.state is WorkState.PENDING
        assert waits.reason.startswith("model unavailable")
