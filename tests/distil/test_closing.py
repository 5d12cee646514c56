"""What finishes a pending action, and what does not."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from distil.turns import observation, said, turn
from reverie.distil.finished_actions import OpenActions, closes
from reverie.records import Action, ActionStatus, Kind, Owner, Priority, ToolUse


def action(text: str, owner: Owner = Owner.AGENT, id_: str = "a1") -> Action:
    return Action(
        id=id_,
        text=text,
        priority=Priority.NORMAL,
        owner=owner,
        status=ActionStatus.PENDING,
        project="",
        created_ms=1,
    )


@pytest.mark.parametrize(
    ("pending", "text"),
    [
        ("rotate the keys", "done: rotated the keys"),
        ("tell Ana about the endpoint", "I've told Ana about the endpoint"),
        ("rotate the API keys tomorrow", "the API keys are rotated"),
        ("rebase the old `tiles` branch", "I rebased the old tiles branch this morning, all good"),
        ("the cert has to be renewed next week", "I renewed the cert"),
        ("order two more of the BME280 boards", "ordered two more BME280 boards"),
        ("get rid of jQuery in the admin", "we got rid of jQuery in the admin"),
        ("bump the changelog after the release", "Thanks! The changelog is bumped."),
    ],
)
def test_a_person_who_says_that_it_is_done_closes_it(pending: str, text: str):
    assert closes(said(text), OpenActions([action(pending, Owner.USER)])) == [("a1", "o1", "user")]


@pytest.mark.parametrize(
    "text",
    [
        "haven't rotated the keys yet",
        "I have not rotated the keys",
        "did you rotate the keys?",
        "could you say when the keys are rotated?",
        "if I rotated the keys, would anything break?",
        "I will rotate the keys tomorrow",
        "we should have rotated the keys",
        "I tried to rotate the keys, it failed",
        "rotate the keys",
        "the keys are in the vault",
        "```\nkeys rotated\n```",
        "> I rotated the keys",
        "Tom said the keys are rotated",
    ],
)
def test_plans_questions_suppositions_and_not_yet_close_nothing(text: str):
    assert closes(said(text), OpenActions([action("rotate the keys")])) == []


MIGRATION = "write the migration for the orders table"


@pytest.mark.parametrize(
    ("pending", "text"),
    [
        (MIGRATION, "I looked at the migration for the orders table."),
        (MIGRATION, "I started on the migration for the orders table."),
        (MIGRATION, "I noticed the migration for the orders table is missing."),
        (MIGRATION, "I skipped the migration for the orders table."),
        (MIGRATION, "I added a note about the migration for the orders table."),
        (MIGRATION, "The migration for the orders table is blocked."),
        (MIGRATION, "The migration for the orders table was postponed."),
        (MIGRATION, "I looked at the live migration for the orders table."),
        (MIGRATION, "I listed the completed migrations for the orders table."),
        ("rotate the Stripe key", "I mentioned the Stripe key rotation to Bob."),
        ("add pagination to the admin list", "I removed pagination from the admin list."),
        ("add pagination to the admin list", "I checked whether the admin list has pagination."),
        ("fix the flaky checkout test", "I disabled the flaky checkout test."),
        ("fix the flaky checkout test", "I reproduced the flaky checkout test."),
        ("the TLS cert must be renewed before Sunday", "I checked when the TLS cert was renewed last."),
        ("upgrade Django to 5.2", "I downgraded Django to 5.2."),
    ],
)
def test_something_else_done_about_it_does_not_close_it(pending: str, text: str):
    assert closes(turn(observation(Kind.ASSISTANT_MESSAGE, text)), OpenActions([action(pending)])) == []


@pytest.mark.parametrize(
    ("pending", "text"),
    [
        (MIGRATION, "I wrote the migration for the orders table."),
        (MIGRATION, "The migration for the orders table is in place."),
        (MIGRATION, "We've just shipped the migration for the orders table."),
        ("add pagination to the admin list", "I added pagination to the admin list."),
        ("fix the flaky checkout test", "Fixed the flaky checkout test."),
        ("upgrade Django to 5.2", "I upgraded Django to 5.2."),
    ],
)
def test_an_agent_that_did_just_that_closes_it(pending: str, text: str):
    assert closes(turn(observation(Kind.ASSISTANT_MESSAGE, text)), OpenActions([action(pending)]))


def test_the_assistant_closes_only_what_is_the_agents():
    reply = turn(observation(Kind.ASSISTANT_MESSAGE, "I've bumped the changelog and renewed the cert."))
    pending = [action("bump the changelog", Owner.AGENT, "a1"), action("renew the cert", Owner.USER, "a2")]

    assert closes(reply, OpenActions(pending)) == [("a1", "o1", "agent")]


def test_a_tool_closes_nothing():
    result = observation(Kind.TOOL_CALL, "done: rotated the keys", 1, ToolUse("Bash", {"command": "rotate"}))

    assert closes(turn(result), OpenActions([action("rotate the keys")])) == []


def test_another_thing_done_closes_nothing():
    assert closes(said("I've updated the code"), OpenActions([action("update the docs")])) == []
    assert (
        closes(said("done: sent the mail to Bob"), OpenActions([action("send the agenda to Henrik on Thursday")])) == []
    )


def test_an_action_is_closed_once_by_who_said_it_first():
    now = turn(
        observation(Kind.USER_MESSAGE, "I rotated the keys"),
        observation(Kind.ASSISTANT_MESSAGE, "The keys are rotated.", 2),
    )

    assert closes(now, OpenActions([action("rotate the keys")])) == [("a1", "o1", "user")]


@given(st.text(max_size=300), st.text(max_size=80))
@settings(max_examples=100, deadline=None)
def test_no_text_breaks_it(text: str, pending: str):
    assert closes(said(text), OpenActions([action(pending)])) == closes(said(text), OpenActions([action(pending)]))
