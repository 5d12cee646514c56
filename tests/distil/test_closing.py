"""Pending actions are closed by what happened, and only by that."""

import pytest

from distil.turns import observation, turn
from reverie.distil.closing import closes
from reverie.records import Action, ActionStatus, Kind, Owner, Priority


def action(text: str, owner: Owner = Owner.USER) -> Action:
    return Action(
        id="A", text=text, priority=Priority.NORMAL, owner=owner, status=ActionStatus.PENDING, project="", created_ms=1
    )


@pytest.mark.parametrize(
    "text", ["I've rotated the staging keys.", "done: rotated the staging keys", "The staging keys are rotated."]
)
def test_a_person_says_that_it_is_done(text: str) -> None:
    happened = turn(observation(Kind.USER_MESSAGE, text))

    assert closes(happened, [action("rotate the staging keys on Friday")]) == [("A", "o1", "user")]


@pytest.mark.parametrize(
    "text",
    [
        "I haven't rotated the staging keys yet.",
        "Have you rotated the staging keys?",
        "Please rotate the staging keys.",
        "If I had rotated the staging keys, it would work.",
        "I've rotated the logs.",
        "hello",
    ],
)
def test_anything_else_closes_nothing(text: str) -> None:
    assert closes(turn(observation(Kind.USER_MESSAGE, text)), [action("rotate the staging keys on Friday")]) == []


def test_an_agent_closes_its_own_actions_and_never_a_users() -> None:
    happened = turn(observation(Kind.ASSISTANT_MESSAGE, "I've bumped the changelog for the release."))

    assert closes(happened, [action("bump the changelog", Owner.AGENT)]) == [("A", "o1", "agent")]
    assert closes(happened, [action("bump the changelog", Owner.USER)]) == []
