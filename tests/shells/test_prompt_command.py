"""`reverie admin prompt`: the prompt as it is sent, why each line is there, what changed, and what the cache made of it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from reverie.compose.composer import Composed, Missing, SystemPromptComposer
from reverie.compose.markup import Origin, data, tag
from reverie.errors import BadInput
from reverie.memory import Memory
from reverie.records.conversation_values import Request, Said
from reverie.settings import Settings
from reverie.shells.cli.main import cli
from reverie.shells.prompt import composed_lines, explain_line, lines_of
from reverie.testing import FakeEnv

Run = Callable[..., Result]


class Agreeing:
    """A model that says yes."""

    name = "claude-haiku-4-5"

    def converse(self, request: Request, *_: Any) -> Said:
        return Said(text="Yes.", model=self.name, input_tokens=1, output_tokens=1)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "shop"
    (folder / ".git").mkdir(parents=True)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(tmp_path / "person"))
    monkeypatch.setenv("REVERIE_EMBED_PROVIDER", "none")
    monkeypatch.delenv("REVERIE_HOME", raising=False)
    Memory.open(tmp_path / "home").close()
    return tmp_path / "home"


@pytest.fixture
def run(home: Path) -> Run:
    def run_it(*words: str) -> Result:
        return CliRunner().invoke(cli, ["--home", str(home), *words])

    return run_it


def numbered(text: str) -> dict[str, int]:
    """The lines of a printed prompt, with their numbers."""
    shown = text.split("\n\n", 1)[1].splitlines()
    return {rest[2:].strip(): int(number) for number, _, rest in (line.strip().partition(" ") for line in shown)}


def prompt(**placements: str) -> Composed:
    composer = SystemPromptComposer()
    composer.set_base_prompt("Be kind.\n\n\n\nAnd brief.")
    goals = tag("goals", tag("goal", "ship it", origin=Origin(0, "goal", "g1", "an active goal")))
    composer.add_section("goals", goals, trinket="GoalsTrinket")
    composer.add_section("scratch", data("one\ntwo"), placement=placements.get("scratch"), trinket="ScratchTrinket")
    return composer.composed()


# ---- values


def test_every_line_is_numbered_and_knows_its_section():
    composed = prompt(scratch="system")
    lines = lines_of(composed)
    assert "\n".join(line.text for line in lines) == "\n".join(
        [composed.cached_content, composed.system_content, composed.tail]
    )
    assert [line.number for line in lines] == list(range(1, len(lines) + 1))
    told = [(line.placement, line.section.name if line.section else "", line.within) for line in lines]
    assert told == [
        *(("cached", "base_prompt", number) for number in range(5)),
        *(("system", "scratch", number) for number in range(2)),
        *(("tail", "goals", number) for number in range(3)),
    ]


def test_the_table_says_where_a_section_stands_and_what_it_takes():
    told = composed_lines(prompt())
    assert told[0].split() == ["section", "where", "tokens", "lines"]
    assert told[1].split() == ["base_prompt", "cached", "6", "1-5"]
    assert told[2].split()[:2] == ["goals", "tail"]
    assert " 8 t </goals>" in told


def test_what_is_missing_is_said_and_stored_text_cannot_move_the_cursor():
    composed = Composed(
        cached_content="a\x1b[2Jb",
        non_cached_content="",
        system_content="",
        tail="",
        sections=(),
        missing=(Missing("goals", "GoalsTrinket", "late", "it took \x1b[1mtoo long"),),
    )
    told = "\n".join(composed_lines(composed))
    assert "goals is missing (late): it took" in told
    assert "\x1b" not in told


def test_colours_are_handed_every_kind_of_line():
    kinds: list[str] = []
    composed_lines(prompt(scratch="system"), lambda text, kind: kinds.append(kind) or text)
    assert {"cached", "system", "tail", "quiet"} == set(kinds)


# ---- the command


@pytest.fixture
def memory(home: Path):
    with Memory.open(home, env=FakeEnv(), settings=Settings()) as opened:
        yield opened


def test_a_line_is_explained_by_its_record(memory: Memory):
    noted = memory.note("The staging database is Postgres 14")
    running = memory.continuum()
    composed = running.preview("which database is staging?")
    found = next(line for line in lines_of(composed) if "Postgres 14" in line.text and line.section)
    told = explain_line(running, composed, found.number)
    assert (told.section, told.placement) == (found.section.name, "tail")
    assert told.records[0].trust == "person"
    assert noted in told.records[0].sources
    assert told.tokens > 0
    assert told.nanodollars
    frame = next(line for line in lines_of(composed) if line.section is found.section and line.within == 0)
    assert explain_line(running, composed, frame.number).records == ()


@pytest.mark.parametrize("number", [0, -1, 10_000])
def test_a_line_that_is_not_there_is_named_with_how_many_there_are(memory: Memory, number: int):
    running = memory.continuum()
    with pytest.raises(BadInput, match=f"no line {number}; the prompt has "):
        explain_line(running, running.preview(), number)


def test_the_prompt_is_printed_and_explained(run: Run, home: Path):
    run("note", "The staging database is Postgres 14")
    shown = run("admin", "prompt", "which", "database?").output
    assert shown.split()[:4] == ["section", "where", "tokens", "lines"]
    line = next(number for text, number in numbered(shown).items() if "Postgres 14" in text)
    told = run("admin", "prompt", "which", "database?", "--explain", str(line)).output
    assert "trust person" in told
    assert "in the tail" in told
    values = json.loads(run("admin", "prompt", "--json").output)
    assert values["sections"][0]["name"] == "base_prompt"
    assert values["sections"][0]["tokens"] > 0
    assert values["degraded"] is False


def test_the_difference_to_the_last_turn_and_the_ledger(run: Run, home: Path):
    assert isinstance(run("admin", "prompt", "--diff").exception, BadInput)
    assert "no request was made" in run("admin", "prompt", "--ledger").output
    with Memory.open(home) as memory:
        for text in ("hello", "and again"):
            memory.continuum(converser=Agreeing()).send(text)
    same = run("admin", "prompt", "--diff").output
    assert "the cached prefix is the same, byte for byte" in same

    (home / "soul.md").write_text("# Soul\n\nSpeak plainly.\n")
    told = run("admin", "prompt", "--diff").output
    assert "soul (cached) changed" in told
    assert "+Speak plainly." in told
    assert "the cached prefix breaks at soul" in told
    assert [change["name"] for change in json.loads(run("admin", "prompt", "--diff", "--json").output)][:1] == ["soul"]

    with Memory.open(home) as memory:
        memory.continuum(converser=Agreeing()).send("a third time")
    ledger = run("admin", "prompt", "--ledger").output
    assert "first request" in ledger
    assert "section soul changed" in ledger
    assert "3 requests" in ledger
    assert "the prefix broke 1 times" in ledger
    values = json.loads(run("admin", "prompt", "--ledger", "--json").output)
    assert [entry["broken_by"] for entry in values["requests"]] == ["", "", "soul"]
    assert values["totals"]["ratio"] == 1.0


def test_one_question_at_a_time(run: Run):
    assert isinstance(run("admin", "prompt", "--diff", "--ledger").exception, BadInput)
