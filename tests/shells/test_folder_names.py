"""A folder whose name is no UTF-8 is a project like any other, but no workspace can be in it; and what `init` refuses."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from reverie.env.real import RealEnv
from reverie.memory import Memory
from shells.conftest import Reverie
from support.client import REVERIE, Place, fresh_place


@pytest.fixture
def place() -> Iterator[Place]:
    with fresh_place() as found:
        yield found


@pytest.fixture
def cafe(place: Place) -> Path:
    """A project by the name of "café" in Latin-1."""
    folder = Path(os.fsdecode(os.fsencode(place.project.parent) + b"/caf\xe9"))
    (folder / ".git").mkdir(parents=True)
    return folder


FINDS = [
    "search pnpm",
    "search pnpm --filter types=observation",
    "context",
    "recall is it pnpm or npm in this project?",
    "learnings",
    "log --project .",
    "forget project:{} --dry-run",
]


def test_what_was_noted_there_is_found_there(place: Place, cafe: Path) -> None:
    place.reverie("note", "We always use pnpm here.", cwd=cafe)
    place.reverie("status", cwd=cafe)  # an opener distils it

    for typed in FINDS:
        words = [word.format(cafe) for word in typed.split()]
        for more in ([], ["--json"]):
            ran = place.run(REVERIE, *words, *more, cwd=cafe)
            assert (ran.code, "always use pnpm" in ran.out) == (0, True), (typed, ran)
            assert "Traceback" not in ran.err
            assert "always use pnpm" not in place.run(REVERIE, *typed.format("/elsewhere").split(), *more).out, typed
    assert json.loads(place.reverie("log", "--json"))[0]["project"] == str(place.project.parent / "caf\ufffd")


@pytest.mark.parametrize("with_steward", [False, True], ids=["alone", "steward"])
def test_goals_and_memories_there_are_of_that_project(place: Place, cafe: Path, with_steward: bool) -> None:
    if with_steward:
        place.reverie("up", "--detach")
    place.run(REVERIE, "goals", "add", "ship the till", cwd=cafe)
    place.run(REVERIE, "questions", "add", "which till?", cwd=cafe)
    place.run(REVERIE, "admin", "memorize", "The till of the shop listens on port 8080.", cwd=cafe)

    assert "ship the till" in place.reverie("goals", cwd=cafe)
    assert "which till?" in place.reverie("questions", cwd=cafe)
    assert "8080" in place.run(REVERIE, "recall", "which port has the till?", cwd=cafe).out
    assert place.reverie("goals", "--project", place.project).startswith("no goals;")
    assert "8080" not in place.run(REVERIE, "recall", "which port has the till?").out


def test_its_own_file_opts_it_out_all_the_same(place: Place, cafe: Path) -> None:
    (cafe / ".reverie.toml").write_text("[project]\nenabled = false\n")

    assert place.reverie_json("note", "hello", cwd=cafe)["opted_out_by"].endswith("/.reverie.toml")
    assert "has opted out by" in place.reverie("context", cwd=cafe)


def test_a_folder_that_is_there_is_not_called_missing(place: Place, cafe: Path) -> None:
    place.reverie("note", "hello")

    for typed in ("search nothing", "learnings", "log"):
        assert "there is no folder" not in place.run(REVERIE, *typed.split(), "--project", cafe).out
        assert "there is no folder" in place.run(REVERIE, *typed.split(), "--project", cafe / "x").out


def test_a_program_may_ask_by_either_name(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "home", env=RealEnv()) as memory:
        memory.note("We always use pnpm here.", project="/work/caf\udce9")

        for name in ("/work/caf\udce9", "/work/caf\ufffd"):
            assert memory.search("pnpm", project=name)
            assert memory.parts.word_lookup.search("pnpm", project=name)
            assert "pnpm" in memory.context(name)


@pytest.mark.parametrize("typed", ["admin init", "--home . note hello", "--home . status", "--home . up --detach"])
def test_no_workspace_is_made_there_and_the_way_out_is_named(place: Place, cafe: Path, typed: str) -> None:
    ran = place.run(REVERIE, *typed.split(), cwd=cafe)

    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "is not UTF-8" in ran.err
    assert "rename it, or name another with --home or REVERIE_HOME" in ran.err
    assert json.loads(place.run(REVERIE, *typed.split(), "--json", cwd=cafe).out)["kind"] == "BadInput"
    assert [path.name for path in cafe.iterdir()] == [".git"]


# ---- init


def test_init_makes_no_workspace_but_the_one_that_is_used(
    reverie: Reverie, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = reverie("--home", tmp_path / "x", "admin", "init")
    assert (named.code, named.err.count("\n")) == (2, 1)
    assert f"init makes {shop / '.reverie'}, not {tmp_path / 'x'}; leave --home out" in named.err

    monkeypatch.setenv("REVERIE_HOME", str(tmp_path / "x"))
    ended = reverie("admin", "init", "--json")
    assert (ended.code, json.loads(ended.out)["kind"]) == (2, "BadInput")
    assert "unset REVERIE_HOME" in json.loads(ended.out)["error"]

    assert not (shop / ".reverie").exists()
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("how", ["option", "variable"])
def test_init_may_be_told_what_it_does_anyway(
    reverie: Reverie, shop: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    if how == "variable":
        monkeypatch.setenv("REVERIE_HOME", str(shop / ".reverie"))
    options = ["--home", ".reverie"] if how == "option" else []

    assert reverie(*options, "admin", "init").out == f"made: {shop / '.reverie'} (kept out of git)\n"
