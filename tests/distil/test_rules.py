"""Learning without a model: what people say to agents is recognised, and what only looks like it is not.

The labelled turns were written before the rules. The rules were made by looking at the dev half alone.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from distil.score import load, score
from distil.turns import labelled_turn, observation, said, turn
from reverie.distil.rules import by_rules
from reverie.records import Kind, LearningType, Owner, Priority, ToolUse

LONGEST = 300


def extract(labelled: dict[str, object]) -> list[tuple[str, str]]:
    return [(learning.type.value, learning.text) for learning in by_rules(labelled_turn(labelled))]


@pytest.mark.parametrize("half", ["dev", "test", "all"])
def test_what_is_found_is_right_and_most_of_it_is_found(half: str) -> None:
    result = score(extract, half)

    assert result.precision >= 0.90, result.table()
    assert result.recall >= 0.60, result.table()


def test_what_is_found_is_a_sentence_and_not_the_whole_message() -> None:
    for labelled in load("all"):
        assert all(len(text) <= LONGEST for _, text in extract(labelled)), labelled["id"]


def test_there_are_enough_labelled_turns_and_enough_of_them_have_nothing_to_learn() -> None:
    turns = load("all")

    assert len(turns) >= 300
    assert sum(not labelled["learnings"] for labelled in turns) >= 100


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("I prefer tabs for indentation.", "I prefer spaces for indentation."),
        ("From now on use npm in this repo.", "From now on always use pnpm instead of npm."),
        ("Please call me Sam.", "Please call me Samuel from now on."),
        ("Always answer in German.", "Please always answer in English from now on."),
    ],
)
def test_a_newer_wish_about_the_same_thing_has_the_same_subject(older: str, newer: str) -> None:
    first, second = by_rules(said(older)), by_rules(said(newer))

    assert [it.type for it in first + second] == [LearningType.PREFERENCE] * 2
    assert first[0].subject == second[0].subject != ""


def test_wishes_about_different_things_never_share_a_subject() -> None:
    wishes = [
        "I prefer tabs for indentation.",
        "From now on always use pnpm instead of npm.",
        "Please call me Sam.",
        "Always answer in German.",
        "I prefer short answers.",
        "Never add comments to my code unless I ask.",
        "Always run the linter before you commit.",
    ]
    subjects = [learning.subject for wish in wishes for learning in by_rules(said(wish))]

    assert len(subjects) == len(wishes)
    assert len(set(subjects)) == len(subjects)


def test_a_note_in_which_nothing_else_is_found_is_a_fact() -> None:
    learnings = by_rules(turn(observation(Kind.NOTE, "db-stage has 64 GB")))

    assert [(it.type, it.text) for it in learnings] == [(LearningType.FACT, "db-stage has 64 GB")]


def test_actions_know_how_pressing_they_are_and_whose() -> None:
    mine = by_rules(said("URGENT: remind me to rotate the staging keys on Friday."))[0]
    agents = by_rules(said("Later we need to clean up the changelog."))[0]

    assert (mine.type, mine.priority, mine.owner) == (LearningType.ACTION, Priority.URGENT, Owner.USER)
    assert (agents.type, agents.priority, agents.owner) == (LearningType.ACTION, Priority.NORMAL, Owner.AGENT)


def test_a_repeated_way_of_working_is_reported_once_when_it_is_complete() -> None:
    steps = [
        observation(Kind.TOOL_CALL, "ok", place, ToolUse("Edit", {"file_path": "a.py"}) if place % 2 else ToolUse("Bash", {"command": "pytest -q"}))
        for place in range(1, 9)
    ]  # fmt: skip
    patterns = [
        [
            it.text
            for it in by_rules(turn(*steps[start : start + 2], before=steps[:start]))
            if it.type is LearningType.PATTERN
        ]
        for start in range(0, 8, 2)
    ]

    assert [len(found) for found in patterns] == [0, 0, 1, 0]


@given(st.text(max_size=400))
@settings(max_examples=200, deadline=None)
def test_any_text_is_taken_and_gives_the_same_twice(text: str) -> None:
    first = by_rules(said(text))

    assert first == by_rules(said(text))
    assert all(0 < len(it.text) <= LONGEST and 0 < it.confidence <= 1 for it in first)


@pytest.mark.parametrize(
    "text", ["a\ud800b always use \udfff", "\0" * 100, "always " * 50_000, "(" * 100_000, "> " * 100_000]
)
def test_hostile_text_is_harmless(text: str) -> None:
    by_rules(said(text))
