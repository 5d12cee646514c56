"""`reverie forget`: much is asked about, what is hidden comes back by the same words, and programs see one shape."""

import json
import os
from pathlib import Path

import pytest

from shells.conftest import Reverie
from support.terminal import Terminal, python


@pytest.fixture
def noted(reverie: Reverie) -> Reverie:
    for animal in ("zebra", "okapi"):
        assert reverie("note", f"The {animal} lives in the third house.").code == 0
    return reverie


def hidden(reverie: Reverie) -> int:
    return len(json.loads(reverie("forget", "--undo", "all", "--dry-run", "--json").out)["ids"])


def test_what_goes_with_a_message_is_named_before_and_after(reverie: Reverie) -> None:
    reverie("note", "Always use pnpm instead of npm. My pin is 9911. Remind me to rotate the staging keys.")

    before = json.loads(reverie("forget", 'text:"my pin"', "--hard", "--dry-run", "--json").out)
    after = json.loads(reverie("forget", 'text:"my pin"', "--hard", "--yes", "--json").out)

    for told in (before, after):
        assert any("pnpm" in line for line in told["beside"])
        assert any("rotate the staging keys" in line for line in told["beside"])
    assert json.loads(reverie("actions", "--json").out) == []


def test_to_forget_all_needs_a_yes_where_nobody_can_be_asked(noted: Reverie) -> None:
    ended = noted("forget", "all")

    assert (ended.code, ended.out) == (2, "")
    assert "--yes" in ended.err
    assert "--dry-run" in ended.err
    assert hidden(noted) == 0
    assert noted("forget", "all", "--yes").code == 0
    assert hidden(noted) > 0


def test_much_is_asked_about_whatever_the_scope(reverie: Reverie) -> None:
    for number in range(21):
        reverie(
            "admin", "memorize", f"House number {number} has a door of its own colour {number}", "--store", "episodic"
        )

    ended = reverie("forget", "text:house")

    assert ended.code == 2
    assert "21 memories" in ended.err
    assert hidden(reverie) == 0
    assert reverie("forget", 'text:"number 7"').code == 0, "little is not"
    listed = reverie("forget", "--yes", "text:house").out.splitlines()
    assert len(listed) <= 22, "and a long list is cut"


def test_whoever_says_no_keeps_everything(noted: Reverie, tmp_path: Path) -> None:
    variables = {"HOME": str(tmp_path / "person"), "PATH": os.environ["PATH"], "TERM": "xterm"}
    with Terminal(python("-m", "reverie", "forget", "all"), variables, str(tmp_path / "shop")) as terminal:
        assert "zebra" in terminal.until("? [y/N]")
        terminal.say("n")
        assert terminal.ends() == 1

    assert hidden(noted) == 0


@pytest.mark.parametrize(
    "scope", [["all"], ["text:zebra"], ["type:fact"], ["text:third", "house"], ["after:2020-01-01"]]
)
def test_what_a_scope_hides_the_same_scope_brings_back(noted: Reverie, scope: list[str]) -> None:
    before = noted("search", "house", "--json").out

    assert noted("forget", "--yes", *scope).code == 0
    assert hidden(noted) > 0
    back = noted("forget", "--undo", *scope)
    assert (back.code, "brought back" in back.out) == (0, True)
    assert noted("search", "house", "--json").out == before


def test_ids_may_stand_alone(noted: Reverie) -> None:
    note = json.loads(noted("note", "The gnu has moved out.", "--json").out)["id"]
    assert noted("forget", f"id:{note}").code == 0

    assert noted("forget", "--undo", note).code == 0
    assert hidden(noted) == 0


def test_nothing_that_comes_back_is_a_one(noted: Reverie) -> None:
    for scope in ("all", "text:zebra", "nosuchid"):
        ended = noted("forget", "--undo", scope)
        assert (ended.code, ended.err) == (1, "")
        assert "--dry-run" in ended.out
    assert noted("forget", "--undo", "--hard", "all").code == 2


def test_programs_see_one_shape_with_and_without_a_hit(noted: Reverie) -> None:
    runs = [
        ("text:nothing",),
        ("--dry-run", "text:zebra"),
        ("text:zebra",),
        ("text:zebra",),
        ("--hard", "--yes", "all"),
    ]
    told = [noted("forget", *words, "--json") for words in runs]
    values = [json.loads(one.out) for one in told]

    assert [one.code for one in told] == [1, 0, 0, 1, 0], "what is hidden cannot be hidden again"
    assert [one["done"] for one in values] == [False, False, True, False, True]
    assert len({tuple(sorted(value)) for value in values}) == 1
    assert values[1]["memories"][0]["text"].startswith("The zebra")
    assert values[4]["memories"] == [], "what is gone for good is not repeated"


def test_undo_has_one_shape_too(noted: Reverie) -> None:
    noted("forget", "text:zebra")
    told = [noted("forget", "--undo", "text:zebra", "--json") for _ in range(2)]
    first, second = (json.loads(one.out) for one in told)

    assert [one.code for one in told] == [0, 1]
    assert (first["recovered"], second["recovered"]) == (len(first["ids"]), 0)
    assert set(first) == set(second)


def test_a_talk_does_not_hide_everything_in_passing(noted: Reverie) -> None:
    ended = noted("chat", "/forget all")

    assert ended.code == 2
    assert "`reverie forget all` asks" in ended.err
    assert hidden(noted) == 0
    assert noted("chat", "/forget text:zebra").code == 0
    assert hidden(noted) > 0


def test_the_ids_that_other_commands_tell_are_taken(reverie: Reverie) -> None:
    reverie("note", "From now on always use pnpm instead of npm.")
    hit, *_ = json.loads(reverie("search", "pnpm", "--json").out)
    (learned,) = json.loads(reverie("learnings", "--json").out)

    for told in (hit["id"], learned["id"]):
        assert "pnpm" in reverie("memories", "show", told).out
        assert reverie("forget", f"id:{told}").code == 0
        assert "pnpm" not in reverie("learnings").out
        assert reverie("forget", "--undo", f"id:{told}").code == 0
        assert "pnpm" in reverie("learnings").out
