"""`reverie chat` at the command line: what is said is kept, the ids that it shows are taken, each line has its answer."""

import json
import re
from pathlib import Path

import pytest

from reverie.memory import Memory
from reverie.shells.prompt import composed_lines, explain_line, lines_of
from reverie.testing import FakeEnv
from shells.conftest import Reverie

FACT = "The staging database is Postgres 14"


def shown_id(text: str) -> str:
    return re.findall(r"\[(mem_\w+)\]", text)[0]


# ---- a model that cannot be asked


@pytest.fixture
def keyless(reverie: Reverie, tmp_path: Path) -> Reverie:
    reverie("note", FACT)
    settings = tmp_path / "person" / ".reverie" / "reverie.toml"
    settings.write_text('[model]\nprovider = "anthropic"\ndaily_dollars = 1.0\n')
    return reverie


def test_what_is_said_without_a_key_is_kept_and_the_key_is_named(keyless: Reverie) -> None:
    ended = keyless("chat", "hello world")

    assert "environment variable ANTHROPIC_API_KEY" in ended.out + ended.err
    assert ended.code == 1
    assert [one["text"] for one in json.loads(keyless("log", "--json").out)] == [FACT, "hello world"]
    assert json.loads(keyless("status", "--json").out)["observations"] == 2


def test_a_program_is_told_the_same_of_each_line(keyless: Reverie) -> None:
    told = [json.loads(line) for line in keyless("chat", "--json", stdin="one\ntwo\n").out.splitlines()]

    assert [one["end"] for one in told] == ["failed", "failed"]
    assert all("ANTHROPIC_API_KEY" in one["problem"] for one in told)
    assert [one["text"] for one in json.loads(keyless("log", "--json").out)] == [FACT, "one", "two"]


def test_the_prompt_can_be_looked_at_without_a_key(keyless: Reverie) -> None:
    assert keyless("admin", "prompt").code == 0
    assert keyless("chat", "/memory staging").code == 0


# ---- the ids that it shows


def test_an_id_that_chat_shows_is_taken_by_every_command(reverie: Reverie) -> None:
    reverie("note", FACT)
    short = shown_id(reverie("chat", "which database is staging?").out)

    for typed in (short, short.removeprefix("mem_")):
        assert [one["text"] for one in json.loads(reverie("memories", "show", typed, "--json").out)] == [FACT]
    assert FACT in reverie("chat", f"/show {short}").out
    assert any(
        line.startswith("> ") and FACT in line
        for line in reverie("memories", "show", "--around", short).out.splitlines()
    )
    whole = json.loads(reverie("memories", "show", short, "--json").out)[0]["id"]
    would = reverie("forget", f"id:{short}", "--dry-run", "--json").out
    assert whole in json.loads(would)["ids"]
    assert would == reverie("forget", f"id:{whole}", "--dry-run", "--json").out
    assert reverie("forget", f"id:{short}").code == 0
    assert reverie("search", "Postgres").code == 1
    assert reverie("forget", "--undo", short).code == 0
    assert FACT in reverie("search", "Postgres").out
    assert reverie("forget", f"id:{short}", "--hard", "--yes").code == 0
    assert "`search` shows ids" in reverie("memories", "show", short).err


@pytest.mark.parametrize("name", ["mem_00000000", "00000000", "mem_", "nope"])
def test_a_short_id_that_names_nothing_is_no_id(reverie: Reverie, name: str) -> None:
    reverie("note", FACT)

    ended = reverie("memories", "show", name)
    assert (ended.code, f"no memory has the id {name};" in ended.err) == (2, True)
    assert reverie("forget", f"id:{name}").code == 1


# ---- a line for each line


def test_an_empty_line_of_a_pipe_is_answered_too(reverie: Reverie) -> None:
    ended = reverie("chat", "--json", stdin="a\n\nb\n \n")
    told = [json.loads(line) for line in ended.out.splitlines()]

    assert [one.get("kind") for one in told] == [None, "BadInput", None, "BadInput"]
    assert told[1]["error"] == "a message needs some text"
    assert (told[0]["turn_number"], told[2]["turn_number"], ended.code) == (1, 2, 1)


# ---- why a line is there


def test_an_empty_line_is_explained_as_what_the_prompt_shows_it_to_be(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "home", env=FakeEnv()) as memory:
        running = memory.continuum()
        composed = running.preview()
        numbered = {line.split()[0] for line in composed_lines(composed)[-len(lines_of(composed)) :]}
        empty = [line.number for line in lines_of(composed) if not line.text]
        told = [explain_line(running, composed, number).lines()[0] for number in empty]

    assert empty
    assert {str(number) for number in empty} <= numbered
    assert told == [f"line {number} of {len(numbered)}: (an empty line)" for number in empty]


# ---- a first question after much came in


@pytest.mark.parametrize("command", ["chat", "recall", "admin prompt"])
def test_a_person_is_told_why_the_first_answer_takes_long(reverie: Reverie, tmp_path: Path, command: str) -> None:
    with Memory.open(tmp_path / "person" / ".reverie") as memory:
        memory.observe(
            [{"kind": "user_message", "text": f"parcel P{number:04}X left hall 3"} for number in range(2100)]
        )

    first = reverie(*command.split(), "which hall did parcel P0007X leave?")
    again = reverie(*command.split(), "which hall did parcel P0008X leave?")

    assert "made searchable first, just this once" in first.err
    assert first.code == 0
    assert "made searchable" not in again.err
