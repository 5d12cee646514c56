"""SIGKILL at every single write of a steward, a note and a rebuild: nothing acknowledged is lost, nothing is doubled.

Every write-class call of a forked child goes through a fuse: those of SQLite (write, sync, truncate, delete) by a file
system of its own, and those of our own files (write, sync, rename, unlink). The negative controls are in test_leases.py.
"""

import os
from collections import Counter
from itertools import count
from pathlib import Path

import pytest

from reverie.daemon.steward import Steward
from reverie.foundation.workspace import Workspace
from reverie.memory import Memory
from reverie.ports import HttpRequest, HttpResponse
from reverie.settings import ModelSettings, Settings
from reverie.testing import START_MS, FakeEnv
from support.faults import (
    PROJECT,
    batch_of_events,
    clock_of_the_run,
    copy_of,
    expect_everything_once,
    opened,
    put_spool_back,
    run_with_fuse,
    spool_events,
    steward_on,
    story_of,
    turn_events,
    work_off,
    workspace_with_spool,
)
from support.faults_histories import message

SHARES = 4  # the points are dealt to several tests, so that two cores can take them
WRITE = os.write  # before a fuse is put in front of it


@pytest.fixture(scope="module")
def batch(module_scratch):
    """A workspace whose spool holds fifty turns, and what becomes of it undisturbed."""
    folder = module_scratch
    workspace_with_spool(folder / "home", turns=50)
    work_off(steward_on(copy_of(folder / "home", folder / "undisturbed")))
    return folder / "home", story_of(folder / "undisturbed")


def test_the_batch_is_worth_killing_for(batch):
    _, undisturbed = batch

    assert len(undisturbed.said) == len(batch_of_events(50))
    assert len(undisturbed.extractions) >= 50
    assert undisturbed.derived
    expect_everything_once(undisturbed, undisturbed)


@pytest.mark.parametrize("after_a_while", [False, True], ids=["just started", "up for a while"])
@pytest.mark.parametrize("share", [0, *(pytest.param(share, marks=pytest.mark.torture) for share in range(1, SHARES))])
def test_a_steward_killed_at_any_write_loses_nothing_and_doubles_nothing(batch, scratch, share, after_a_while):
    home, undisturbed = batch
    for at in count(share + 1, SHARES):
        broken = copy_of(home, scratch / "home")
        if not run_with_fuse(lambda home=broken: work_off(steward_on(home, 1), after_a_while), at).was_killed:
            break
        put_spool_back(broken)
        work_off(steward_on(broken, seed=2))
        expect_everything_once(story_of(broken), undisturbed)
    assert at > 100, "there were points to kill at"


def test_a_steward_killed_again_and_again_still_gets_there(batch, scratch):
    home, undisturbed = batch
    broken = copy_of(home, scratch / "home")
    for seed, at in enumerate((40, 41, 43, 47, 53, 59, 61, 67, 71)):
        if not run_with_fuse(lambda seed=seed: work_off(steward_on(broken, seed)), at).was_killed:
            break
    work_off(steward_on(broken, seed=100))

    expect_everything_once(story_of(broken), undisturbed)


def test_a_hook_killed_while_it_answers_has_harmed_nothing(batch, scratch):
    """Without a steward, a hook that injects context takes in what waits and distils for a moment, in its own process."""
    home, undisturbed = batch
    for at in count(1, 5):
        broken = copy_of(home, scratch / "home")
        if not run_with_fuse(lambda home=broken: answer_a_hook(home), at).was_killed:
            break
        work_off(steward_on(broken, seed=2))
        expect_everything_once(story_of(broken), undisturbed)
    assert at > 50


def answer_a_hook(home: Path) -> None:
    with Memory.open(home, env=clock_of_the_run(1)) as memory:
        assert "reverie-context" in memory.context(PROJECT, "one")


def test_a_preference_said_again_after_a_kill_is_not_taken_for_one_that_a_person_removed(scratch):
    """A kill may come between user.md and the record of what we wrote there."""
    german, english = "Please always answer in German.", "Please always answer in English."
    Memory.open(scratch / "home", env=FakeEnv()).close()
    spool_events(scratch / "home", turn_events(1, "one", german))
    work_off(steward_on(scratch / "home"))
    spool_events(scratch / "home", turn_events(2, "one", english))
    for at in count(1):
        broken = copy_of(scratch / "home", scratch / "broken")
        was_killed = run_with_fuse(lambda home=broken: work_off(steward_on(home, seed=1)), at).was_killed
        spool_events(broken, turn_events(3, "one", german))
        work_off(steward_on(broken, seed=2))

        lines = (broken / "user.md").read_text().splitlines()
        assert [line.rpartition(" ")[2] for line in lines if "answer in" in line] == ["German"], f"killed at {at}"
        if not was_killed:
            break
    assert at > 40


def test_a_line_that_a_person_removes_from_user_md_stays_removed(scratch):
    """Also when the file is then as it was before we wrote to it, as after a kill between the file and its record."""
    home = scratch / "home"
    Memory.open(home, env=FakeEnv()).close()
    before = (home / "user.md").read_bytes()
    spool_events(home, turn_events(1, "one", "Please always answer in German."))
    work_off(steward_on(home))
    assert (home / "user.md").read_bytes() != before

    (home / "user.md").write_bytes(before)
    spool_events(home, turn_events(2, "one", "We use PostgreSQL 16 in production."))
    work_off(steward_on(home))

    assert (home / "user.md").read_bytes() == before
    with opened(home) as memory:
        memory.rebuild()
        assert memory.engine.learnings.preferences() == []
    assert (home / "user.md").read_bytes() == before


def test_a_note_that_was_acknowledged_survives_a_kill_at_any_write(scratch):
    Memory.open(scratch / "home", env=FakeEnv()).close()
    for at in count(1):
        home, told = copy_of(scratch / "home", scratch / "broken"), scratch / f"told-{at}"

        def take_notes(home: Path = home, told: Path = told) -> None:
            with Memory.open(home, env=FakeEnv(7)) as memory, open(told, "wb", buffering=0) as acknowledged:
                for number in range(3):
                    memory.note(f"note number {number}")
                    memory.env.sleep(1)
                    WRITE(acknowledged.fileno(), b"%d\n" % number)

        death = run_with_fuse(take_notes, at)
        promised = [int(line) for line in told.read_text().split()] if told.exists() else []
        with opened(home) as memory:
            kept = [observation.text for observation in memory.engine.log.read()]
            assert memory.engine.database.value("PRAGMA integrity_check") == "ok"
            found = [hit.text for hit in memory.search("note number", limit=20) if hit.what == "note"]
        assert kept in (
            [f"note number {n}" for n in range(len(promised))],
            [f"note number {n}" for n in range(len(promised) + 1)],
        )
        assert sorted(found) == kept, "whoever notes, finds"
        if not death.was_killed:
            break
    assert at > 40
    assert len(promised) == 3


def test_a_rebuild_killed_at_any_write_leaves_the_old_learnings_or_the_new(batch, scratch):
    home, undisturbed = batch
    work_off(steward_on(copy_of(home, scratch / "done")))
    for at in count(1):
        broken = copy_of(scratch / "done", scratch / "home")

        def rebuild(home: Path = broken) -> None:
            with opened(home) as memory:
                memory.rebuild()

        was_killed = run_with_fuse(rebuild, at).was_killed
        assert story_of(broken) == undisturbed
        if not was_killed:
            break
        with opened(broken) as memory:
            memory.rebuild()
        assert story_of(broken) == undisturbed
    assert at > 5


# ---- who asks a model

ANSWER = "FACT [o1] (0.8): The cache lives on host alpha"
UNREADABLE = "It lives somewhere, I suppose."
MODEL = Settings(model=ModelSettings(provider="anthropic", daily_dollars=100.0, session_dollars=100.0))


class AskedEnv(FakeEnv):
    """A model at the other end of the network, which says its first answer, and the second if it is asked to repair."""

    def __init__(self, answers: tuple[str, ...], seed: int = 1) -> None:
        super().__init__(seed, START_MS + 60_000, variables={"ANTHROPIC_API_KEY": "canned"})
        self.answers = answers
        self.asked = 0

    def http(self, request: HttpRequest) -> HttpResponse:
        self.asked += 1
        return HttpResponse(200, {}, message(self.answers[self.answers[0].encode() in request.body]))


def ask_model(home: Path, env: AskedEnv) -> None:
    """As a steward begins: what somebody who died has leased is given back."""
    with Memory.open(home, env=env, settings=MODEL, catch_up=False) as memory:
        memory.engine.inbox.release_all()
        assert memory.parts.background.ask_model().done == 1


@pytest.mark.parametrize("answers", [(ANSWER,), (UNREADABLE, ANSWER)], ids=["readable", "repaired"])
def test_a_reply_that_was_paid_for_before_a_kill_is_not_paid_for_again(scratch, answers):
    """The reply is logged before its learnings are committed. Who dies in between has bought it for the next one."""
    home = scratch / "home"
    Memory.open(home, env=FakeEnv()).close()
    spool_events(home, turn_events(1, "one", "Where does everything live?"))
    work_off(Steward(Workspace(home), AskedEnv(answers), MODEL))
    undisturbed = copy_of(home, scratch / "undisturbed")
    ask_model(undisturbed, AskedEnv(answers))
    learned = story_of(undisturbed).derived
    assert any("host alpha" in line for line in learned)

    bought: Counter[int] = Counter()
    for at in count(1, 2):
        broken = copy_of(home, scratch / "broken")
        if not run_with_fuse(lambda home=broken: ask_model(home, AskedEnv(answers)), at).was_killed:
            break
        with opened(broken) as memory:
            logged = memory.engine.database.value("SELECT count(*) FROM replies")
            is_done = memory.engine.inbox.counts() == {"done": 2}
        if not is_done:
            again = AskedEnv(answers, seed=2)
            ask_model(broken, again)
            assert again.asked == len(answers) - logged, f"killed at {at}, with {logged} replies logged"
            bought[logged] += 1
        assert story_of(broken).derived == learned
    assert bought.keys() == set(range(len(answers) + 1)), "it died before the question, and with each reply"
