"""Leases and tokens: no extraction is lost or doubled, a poison pill dies alone, and nothing is left undecided.

The two protections are switched off in turn, and then the same runs do lose and double.
"""

import os
import signal
import threading
from contextlib import suppress

import pytest

from reverie.daemon.steward import Steward
from reverie.engines.sqlite.inbox import SqliteInbox
from reverie.errors import StewardRunning
from reverie.inbox.worker import LEASE_SECONDS, Outcome
from reverie.memory import Memory
from reverie.ports import HttpRequest, HttpResponse
from reverie.records import MAX_ATTEMPTS, Stage, Turn, Work
from reverie.settings import ModelSettings, Settings
from reverie.testing import FakeEnv
from support.faults import (
    LATER_SECONDS,
    copy_of,
    opened,
    run_with_fuse,
    spool_events,
    steward_on,
    story_of,
    turn_events,
    work_off,
    workspace_with_spool,
)
from support.faults_histories import TalkingEnv, message

TURNS = 12


@pytest.fixture
def home(scratch):
    workspace_with_spool(scratch / "home", TURNS)
    return scratch / "home"


def extraction_counts(home) -> list[int]:
    return [row[-1] for row in story_of(home).extractions]


# ---- a lease: what was claimed by who died is claimed again


class ClaimIsDone(SqliteInbox):
    """The lease protection off: who claims a turn has finished it."""

    def claim(self, stage: Stage, limit: int, now_ms: int, lease_ms: int, token: str) -> list[Work]:
        claimed = super().claim(stage, limit, now_ms, lease_ms, token)
        with self._db.write():
            self._db.execute("UPDATE inbox SET state = 'done' WHERE token = ?", (token,))
        return claimed

    def done(self, work: Work) -> None:
        with self._db.write():
            self._db.execute("UPDATE inbox SET state = 'leased', token = ? WHERE id = ?", (work.token, work.id))
            super().done(work)


def kill_everywhere(home, scratch) -> list[list[int]]:
    """How often each turn was extracted, for a kill at every fifth write of the steward."""
    counts = []
    for at in range(1, 1000, 5):
        broken = copy_of(home, scratch / "broken")
        if not run_with_fuse(lambda home=broken: work_off(steward_on(home, seed=1)), at).was_killed:
            break
        work_off(steward_on(broken, seed=2))
        counts.append(extraction_counts(broken))
    assert len(counts) > 20
    return counts


def test_with_leases_a_kill_anywhere_loses_no_extraction(home, scratch):
    assert all(set(counts) == {1} for counts in kill_everywhere(home, scratch))


def test_if_a_claim_counted_as_done_a_kill_would_lose_extractions(home, scratch, monkeypatch):
    monkeypatch.setattr("reverie.engines.sqlite.SqliteInbox", ClaimIsDone)

    lost = [counts for counts in kill_everywhere(home, scratch) if 0 in counts]

    assert len(lost) > 3


# ---- a token: who was away too long cannot finish


class AnyTokenWillDo(SqliteInbox):
    """The token off: whoever says that a turn is done is believed."""

    def done(self, work: Work) -> None:
        with self._db.write():
            self._db.execute("UPDATE inbox SET state = 'leased', token = ? WHERE id = ?", (work.token, work.id))
            super().done(work)


def pause_past_the_lease(home, monkeypatch) -> tuple[Outcome, Outcome]:
    """Two workers: A prepares a batch and is stopped; its lease runs out; B does the work; A goes on."""
    env = FakeEnv(1)
    with Memory.open(home, env=env, catch_up=False) as a, Memory.open(home, env=env, catch_up=False) as b:
        a.parts.background.drain_spool()
        env.sleep(LATER_SECONDS)
        a.parts.background.drain_spool()
        from reverie.pipeline import distil_turns as distiller

        rules = distiller.by_rules
        of_b: list[Outcome] = []

        def paused(turn: Turn):
            if not of_b:
                of_b.append(Outcome())
                env.sleep(LEASE_SECONDS + 1)
                of_b[0] = b.parts.background.distil()
            return rules(turn)

        monkeypatch.setattr("reverie.pipeline.distil_turns.by_rules", paused)
        return a.parts.background.distil(), of_b[0]


def test_a_worker_paused_past_its_lease_changes_nothing_and_says_so(home, monkeypatch):
    of_a, of_b = pause_past_the_lease(home, monkeypatch)

    assert (of_a.done, of_a.lost) == (0, of_b.done)
    assert of_b.done >= TURNS
    assert set(extraction_counts(home)) == {1}


def test_without_the_token_a_paused_worker_would_double(home, monkeypatch):
    monkeypatch.setattr("reverie.engines.sqlite.SqliteInbox", AnyTokenWillDo)

    pause_past_the_lease(home, monkeypatch)

    assert 2 in extraction_counts(home)


def test_two_workers_that_ask_about_the_same_turn_leave_one_answer_that_a_rebuild_repeats(scratch):
    """A asks and is paused past its lease; B asks too; A logs its reply first; B's is the one that counts."""
    home = scratch / "home"
    Memory.open(home, env=FakeEnv()).close()
    spool_events(home, turn_events(1, "one", "Where does everything live?"))
    a_is_asking, a_may_go_on = threading.Event(), threading.Event()

    class TwoAnswers(TalkingEnv):
        def http(self, request: HttpRequest) -> HttpResponse:
            assert not self.is_silent
            if not a_is_asking.is_set():
                a_is_asking.set()
                assert a_may_go_on.wait(60)
                return HttpResponse(200, {}, message("FACT [o1] (0.8): The cache lives on host alpha"))
            a_may_go_on.set()
            worker_a.join(60)
            return HttpResponse(200, {}, message("FACT [o1] (0.8): The database lives on host beta"))

    model = ModelSettings(provider="anthropic", daily_dollars=100.0, session_dollars=100.0)
    settings = Settings(model=model)
    env = TwoAnswers(5, variables={"ANTHROPIC_API_KEY": "canned"})

    def ask_as_a() -> None:
        with Memory.open(home, env=env, settings=settings, catch_up=False) as memory:
            outcomes.append(memory.parts.background.ask_model())

    outcomes: list[Outcome] = []
    worker_a = threading.Thread(target=ask_as_a)
    with Memory.open(home, env=env, settings=settings, catch_up=False) as b:
        b.parts.background.drain_spool()
        env.sleep(LATER_SECONDS)
        b.parts.background.drain_spool()
        b.parts.background.distil()
        worker_a.start()
        assert a_is_asking.wait(60)
        env.sleep(LEASE_SECONDS + 1)
        outcomes.append(b.parts.background.ask_model())
        assert [(one.done, one.lost) for one in outcomes] == [(0, 1), (1, 0)]

        before = list(b.engine.dump_derived())
        env.is_silent = True
        b.rebuild()
        assert list(b.engine.dump_derived()) == before


# ---- one steward


def test_a_second_steward_is_told_who_the_first_one_is(home):
    first, second = steward_on(home, 1), steward_on(home, 2)
    first.begin()

    with pytest.raises(StewardRunning, match=f"process {os.getpid()}"):
        second.begin(wait_seconds=0)

    first.end()
    second.begin(wait_seconds=0)
    second.end()


# ---- poison


def is_poison(turn: Turn) -> bool:
    return any("step 7." in observation.text for observation in turn.observations)


def patch_rules(monkeypatch, poison) -> None:
    from reverie.pipeline import distil_turns as distiller

    rules = distiller.by_rules

    def poisoned(turn: Turn):
        if is_poison(turn):
            poison()
        return rules(turn)

    monkeypatch.setattr("reverie.pipeline.distil_turns.by_rules", poisoned)


def raise_an_error() -> None:
    raise RuntimeError("these words\nare poison")


def undecided(steward: Steward) -> int:
    counts = steward.memory.engine.inbox.counts()
    return counts.get("pending", 0) + counts.get("leased", 0)


def longest_decision_seconds() -> float:
    """Lease times attempts, and the longest backoff between them."""
    return MAX_ATTEMPTS * (LEASE_SECONDS + 60.0)


def test_a_turn_that_always_fails_is_dead_after_five_attempts_and_its_neighbours_are_done(home, monkeypatch):
    steward = steward_on(home)
    with monkeypatch.context() as patch:
        patch_rules(patch, raise_an_error)
        steward.begin()
        steward.step()
        started = steward.env.monotonic()
        while undecided(steward):
            steward.env.sleep(1.0)
            steward.step()
            assert steward.env.monotonic() - started < longest_decision_seconds()

    [dead] = steward.memory.engine.inbox.listing(["dead"])
    assert dead.attempts == 5
    assert dead.reason == "RuntimeError: these words are poison"
    assert steward.memory.engine.inbox.counts() == {"dead": 1, "done": len(extraction_counts(home)) - 1}

    assert steward.memory.engine.inbox.retry([dead.id], steward.env.now_ms()) == 1
    steward.step()
    steward.end()
    assert set(extraction_counts(home)) == {1}


def test_a_turn_that_kills_the_process_is_dead_after_five_attempts_and_its_neighbours_are_done(home, monkeypatch):
    with monkeypatch.context() as patch:
        patch_rules(patch, lambda: os.kill(os.getpid(), signal.SIGKILL))
        deaths = 0
        while run_with_fuse(lambda seed=deaths: work_off(steward_on(home, seed)), at=0).was_killed:
            deaths += 1
            assert deaths <= 5, "a turn that kills whoever looks at it is given up"

    with opened(home) as memory:
        [dead] = memory.engine.inbox.listing(["dead"])
        assert deaths == 5
        assert dead.reason
        assert memory.engine.inbox.counts() == {"dead": 1, "done": len(extraction_counts(home)) - 1}
        assert memory.engine.inbox.retry(None, memory.env.now_ms()) == 1
        assert memory.parts.background.distil().done == 1
    assert set(extraction_counts(home)) == {1}


def test_a_turn_that_kills_who_foresees_it_costs_at_most_one_death_more_and_no_capture(home, monkeypatch):
    """A steward that has been up for a while may run the rules before the turn is in the log and can be counted."""
    with monkeypatch.context() as patch:
        patch_rules(patch, lambda: os.kill(os.getpid(), signal.SIGKILL))
        deaths = 0
        while run_with_fuse(lambda seed=deaths: work_off(steward_on(home, seed), after_a_while=not seed), 0).was_killed:
            deaths += 1
            assert deaths <= 6, "a turn that kills whoever looks at it is given up"

    with opened(home) as memory:
        [dead] = memory.engine.inbox.listing(["dead"])
        assert memory.engine.inbox.retry([dead.id], memory.env.now_ms()) == 1
        assert memory.parts.background.distil().done == 1
    assert 5 <= deaths <= 6
    assert set(extraction_counts(home)) == {1}


def test_workers_that_vanish_without_a_word_leave_nothing_undecided(home, monkeypatch):
    """Nobody becomes steward in between, so only time gives the leases back."""
    env = FakeEnv(3)
    with Memory.open(home, env=env, catch_up=False) as memory:
        memory.parts.background.drain_spool()
        env.sleep(LATER_SECONDS)
        memory.parts.background.drain_spool()
        started = env.monotonic()
        with monkeypatch.context() as patch:
            patch_rules(patch, lambda: (_ for _ in ()).throw(KeyboardInterrupt))
            while memory.engine.health().waiting:
                with suppress(KeyboardInterrupt):  # nobody catches it: the leases stay as a killed process leaves them
                    memory.parts.background.distil()
                env.sleep(LEASE_SECONDS + 1)
                assert env.monotonic() - started < longest_decision_seconds()
        assert memory.engine.inbox.counts()["dead"] == 1
