"""The worker: one bad piece of work costs nobody else, and nothing is left undecided."""

from pathlib import Path

from reverie.errors import ModelUnavailable, OverBudget
from reverie.inbox.worker import Commit, Worker
from reverie.memory import Memory
from reverie.records import Stage, Work
from reverie.testing import FakeEnv
from support.hooks import say, spool_event


def queue(memory: Memory, turns: int) -> None:
    for n in range(turns):
        spool_event(memory, "UserPromptSubmit", f"s{n}", prompt=f"turn {n}")
        spool_event(memory, "SessionEnd", f"s{n}", reason="other")
    memory.parts.background.drain_spool()


def worker(memory: Memory) -> Worker:
    return Worker(memory.engine.inbox, memory.engine.write, memory.env, memory.settings.inbox)


def nothing() -> None:
    pass


def test_a_piece_that_cannot_be_prepared_fails_alone(memory: Memory) -> None:
    queue(memory, 7)

    def prepare(work: Work) -> Commit:
        if work.session == "s3":
            raise ValueError("poison")
        return nothing

    outcome = worker(memory).run(Stage.RULES, prepare)

    assert (outcome.done, outcome.failed, outcome.errors) == (6, 1, ("ValueError: poison",))


def test_a_piece_that_cannot_be_written_is_found_by_halving(memory: Memory) -> None:
    queue(memory, 9)
    written: list[str] = []

    def prepare(work: Work) -> Commit:
        def commit() -> None:
            if work.session == "s5":
                raise ValueError("cannot be stored")
            written.append(work.session)

        return commit

    outcome = worker(memory).run(Stage.RULES, prepare)

    assert (outcome.done, outcome.failed) == (8, 1)
    assert memory.engine.inbox.counts() == {"done": 8, "pending": 1}


def test_poison_is_dead_in_bounded_time_and_can_be_replayed(memory: Memory, env: FakeEnv) -> None:
    queue(memory, 3)

    def prepare(work: Work) -> Commit:
        if work.session == "s1":
            raise ValueError("poison")
        return nothing

    for _ in range(20):
        worker(memory).run(Stage.RULES, prepare)
        env.pass_time(1)

    assert memory.engine.inbox.counts() == {"done": 2, "dead": 1}
    assert memory.engine.inbox.listing(["dead"])[0].reason == "ValueError: poison"
    memory.engine.inbox.retry(None, env.now_ms())
    memory.parts.background.distil()
    assert memory.engine.inbox.counts() == {"done": 3}


def test_a_model_that_is_away_is_asked_again_ever_later_and_the_count_starts_anew_at_success(
    memory: Memory, env: FakeEnv
) -> None:
    queue(memory, 1)
    asking = worker(memory)
    waits = []

    def away(work: Work) -> Commit:
        raise ModelUnavailable("connection refused")

    for _ in range(4):
        asking.run(Stage.RULES, away)
        ready = memory.engine.inbox.next_ready_ms(Stage.RULES)
        assert ready is not None
        waits.append((ready - env.now_ms()) / 1000)
        env.pass_time(waits[-1])

    assert waits == [1, 2, 4, 8]
    assert asking.backoff.consecutive_errors == 4
    asking.run(Stage.RULES, lambda work: nothing)
    assert asking.backoff.consecutive_errors == 0


def test_backoff_ends_at_a_minute(memory: Memory) -> None:
    asking = worker(memory)
    asking.backoff.consecutive_errors = 500

    assert asking.backoff.seconds() == 60


def test_what_the_budget_does_not_allow_is_a_recorded_skip(memory: Memory) -> None:
    queue(memory, 1)

    def too_dear(work: Work) -> Commit:
        raise OverBudget("0.05 dollars a session")

    assert worker(memory).run(Stage.RULES, too_dear).skipped == 1
    assert memory.engine.inbox.listing(["skipped"])[0].reason.startswith("over budget")


def test_a_whole_turn_is_extracted_once(memory: Memory) -> None:
    say(memory, "From now on always use pnpm instead of npm.")
    memory.parts.background.distil()
    memory.parts.background.distil()

    ticks = memory.engine.database.rows("SELECT kind FROM ticks ORDER BY position")
    assert ticks == [("turn",), ("rules done",)]


def test_the_folder_of_a_workspace_can_have_a_very_long_path(tmp_path: Path, env: FakeEnv) -> None:
    home = tmp_path / ("long" * 40) / ("longer" * 30)

    with Memory.open(home, env=env) as memory:
        assert memory.workspace.socket is None
        memory.note("still works")
