"""`reverie admin inbox`: what failed for good is seen however much was skipped, and what was skipped can be brought back."""

import json

import pytest

from reverie.memory import Memory
from reverie.records import Stage, Work
from shells.conftest import Reverie


@pytest.fixture
def inbox(shop: object) -> None:
    """120 turns that were too dear, one that came in old, and after them one that is dead."""
    with Memory.open() as memory:
        inbox, now_ms = memory.engine.inbox, memory.env.now_ms()

        def queue(number: int, skip_reason: str = "") -> None:
            work = Work(
                id=number, stage=Stage.MODEL, session="s", turn=number, first_position=1, last_position=1, closed_ms=1
            )
            inbox.enqueue(work, Stage.MODEL, now_ms, skip_reason)

        for number in range(1, 121):
            queue(number, "over budget: 0.05 dollars a session")
        queue(121, "stale: 90 h old when it came in")
        queue(122)
        (work,) = inbox.claim(Stage.MODEL, 1, now_ms, 60_000, "token")
        inbox.fail(work, "it broke", now_ms, max_attempts=1)


pytestmark = pytest.mark.usefixtures("inbox")


def test_the_dead_come_first_and_it_is_said_how_many_more_there_are(reverie: Reverie) -> None:
    lines = reverie("admin", "inbox", "list").out.splitlines()

    assert "it broke" in lines[0]
    assert len(lines) == 101
    assert lines[-1].startswith("… 22 more")
    assert json.loads(reverie("admin", "inbox", "list", "--json").out)[0]["state"] == "dead"
    assert json.loads(reverie("admin", "inbox", "show", "--json").out) == {"dead": 1, "skipped": 121}


def test_one_state_is_listed_alone_as_far_as_one_likes(reverie: Reverie) -> None:
    dead = reverie("admin", "inbox", "list", "--state", "dead").out.splitlines()
    skipped = json.loads(reverie("admin", "inbox", "list", "--state", "skipped", "--limit", "1000", "--json").out)

    assert len(dead) == 1
    assert "it broke" in dead[0]
    assert [it["id"] for it in skipped] == list(range(1, 122))
    assert reverie("admin", "inbox", "list", "--state", "pending").out == "nothing is pending\n"


def test_all_that_was_too_dear_is_queued_again_and_nothing_else(reverie: Reverie) -> None:
    assert reverie("admin", "inbox", "retry", "--skipped").out == "120 queued again\n"
    assert json.loads(reverie("admin", "inbox", "show", "--json").out) == {"dead": 1, "pending": 120, "skipped": 1}


def test_without_a_word_only_the_dead_are_queued_again(reverie: Reverie) -> None:
    assert reverie("admin", "inbox", "retry").out == "1 queued again\n"
    assert json.loads(reverie("admin", "inbox", "show", "--json").out) == {"pending": 1, "skipped": 121}
