"""Importance: a number that can be foretold; learnings pass, chatter does not."""

import json
from pathlib import Path

import pytest

from gate.given import item, judged, stored
from reverie.gate.decide import Policy
from reverie.gate.score import WEIGHTS, goal_part, importance, score
from reverie.records import Drop, Goal, GoalStatus, ItemType, Keep, Merge, Near, Priority, Trust

LABELLED = Path(__file__).parents[1] / "distil" / "labelled_turns.jsonl"
CHATTER = [
    "ok thanks", "Great, sounds good!", "yes please go ahead", "let me look at that", "hmm", "lol nice", "hello there",
    "I'll check the tests now", "Looks good to me", "thank you so much", "one moment", "Sure, no problem.", "got it",
    "Let me run the tests and see", "Now I will read the file src/app.py", "Good morning!", "👍", "...", "done",
    "what do you think?", "Hi! How are you?", "no worries, take your time",
]  # fmt: skip


def test_the_weights_are_those_of_the_notes() -> None:
    assert WEIGHTS == {"goal": 0.30, "user": 0.20, "confidence": 0.20, "novelty": 0.15, "actionability": 0.15}


@pytest.mark.parametrize("trust", [Trust.PERSON, Trust.ASSISTANT, Trust.LOCAL_TOOL])
def test_a_new_learning_is_kept_whoever_said_it(trust: Trust) -> None:
    for line in LABELLED.read_text(encoding="utf-8").splitlines():
        for learning in json.loads(line)["learnings"]:
            new = item(learning["text"], ItemType(learning["type"]), trust, confidence=0.7)
            assert importance(score(new, [], [], trust)) > 0.3, learning["text"]


@pytest.mark.parametrize("text", CHATTER)
@pytest.mark.parametrize("trust", [Trust.PERSON, Trust.ASSISTANT, Trust.LOCAL_TOOL])
def test_chatter_is_dropped_whoever_said_it(text: str, trust: Trust) -> None:
    assert isinstance(judged(item(text, ItemType.OBSERVATION, trust, confidence=1.0)), Drop)


def test_whole_messages_are_episodes_whatever_they_are_worth() -> None:
    verdict = judged(item("ok thanks", ItemType.USER_MESSAGE))

    assert isinstance(verdict, Keep)
    assert verdict.item.store == "episodic"


def test_what_a_tool_repeats_is_not_worth_keeping() -> None:
    known = stored("the orders service talks to billing", trust=Trust.LOCAL_TOOL)
    again = item("The orders service talks to billing", trust=Trust.LOCAL_TOOL)

    assert isinstance(judged(again, known), Merge)
    assert isinstance(judged(item("the orders service talks", trust=Trust.LOCAL_TOOL), known), Drop)


def test_a_changed_value_is_news_however_alike_the_rest_is() -> None:
    known = stored("the default branch of the tools repository is master", trust=Trust.LOCAL_TOOL)
    new = item("the default branch of the tools repository is main", trust=Trust.LOCAL_TOOL)

    assert isinstance(judged(new, known), Keep)


def test_a_goal_lifts_what_is_about_it() -> None:
    goals = [Goal(id="g", text="migrate the billing service to Postgres", priority=Priority.HIGH)]
    about, other = item("billing still writes to MySQL; Postgres migration is half done"), item("the tea is green")

    assert goal_part(about, goals).value > 0.7
    assert goal_part(other, goals).value == 0
    assert "billing" in goal_part(about, goals).why


def test_goals_that_are_done_or_of_another_project_do_not_count() -> None:
    done = Goal(id="g", text="migrate the billing service", status=GoalStatus.DONE)
    elsewhere = Goal(id="h", text="migrate the billing service", project="/other")

    assert goal_part(item("migrate the billing service", project="/here"), [done, elsewhere]).value == 0


def test_novelty_falls_with_the_nearest_that_is_stored() -> None:
    new = item("the staging port is 8080")
    assert {part.name: part.value for part in score(new, [Near(stored("x"), 0.6)], [], new.trust)}["novelty"] == 0.8
    parts = {
        part.name: part.value
        for part in score(new, [Near(stored("x"), 0.25), Near(stored("staging port: 8080"), 0.75)], [], new.trust)
    }

    assert parts["novelty"] == 0.25


def test_an_assigned_importance_stands_unless_a_tool_assigned_it() -> None:
    assert judged(item("the tea is green", importance=0.95)).item.importance == 0.95
    assert isinstance(judged(item("the tea is green", importance=0.1)), Drop)
    assert judged(item("the tea is green today", trust=Trust.LOCAL_TOOL, importance=0.95)).item.importance < 0.5


def test_the_floor_is_a_setting() -> None:
    from reverie.settings import GateSettings

    assert isinstance(judged(item("the tea is green"), policy=Policy(settings=GateSettings(floor=0.9))), Drop)
