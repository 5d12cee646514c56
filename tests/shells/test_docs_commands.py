"""`reverie docs` and `reverie admin tools`: what a person does with documents and with the tools of a conversation."""

import json
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from reverie.errors import BadInput
from reverie.memory import Memory
from reverie.shells.cli.main import cli

Run = Callable[..., Result]
GARDEN = "# The garden\n\n## Roses\n\nPrune them in March.\n\n### Pests\n\nAphids.\n\n## Lawn\n\nMow it.\n"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "person"))
    monkeypatch.delenv("REVERIE_HOME", raising=False)
    Memory.open(tmp_path / "home").close()

    def run_it(*words: str, stdin: str = "") -> Result:
        return CliRunner().invoke(cli, ["--home", str(tmp_path / "home"), *words], input=stdin)

    return run_it


@pytest.fixture
def garden(run: Run) -> Run:
    assert "with 3 sections" in run("docs", "add", "garden", "--file", "-", stdin=GARDEN).output
    return run


def refused(result: Result) -> str:
    """What an error says; it must be one of ours, which `main` shows as one line with exit code 2."""
    assert isinstance(result.exception, BadInput), result
    return str(result.exception)


def test_a_document_from_its_first_line_to_its_end(run: Run) -> None:
    assert "no documents; `reverie docs add NAME`" in run("docs", "list").output
    assert "made garden" in run("docs", "add", "garden", "--title", "The garden").output
    run("docs", "add", "garden", "Roses", "--content", "Prune them in March.", "--summary", "when to prune")
    run("docs", "edit", "garden", "Roses", "--append", "-", stdin="Water them at dawn.\n")
    assert "version 4: Roses" in run("docs", "edit", "garden", "Roses", "--replace", "March", "February").output
    assert "garden  version 4: Roses" in run("docs", "list").output
    shown = run("docs", "show", "garden").output
    assert "<!-- reverie: when to prune -->\n\nPrune them in February.\nWater them at dawn." in shown
    assert "removed garden" in run("docs", "remove", "garden", "--yes").output
    assert "no documents" in run("docs", "list").output


def test_what_is_exported_is_what_was_imported(garden: Run, tmp_path: Path) -> None:
    garden("docs", "show", "garden", "--out", str(tmp_path / "out.md"))

    assert (tmp_path / "out.md").read_text() == GARDEN
    assert garden("docs", "show", "garden").output == GARDEN
    assert "version 2" in garden("docs", "edit", "garden", "--file", str(tmp_path / "out.md")).output


def test_an_edit_is_listed_and_undone(garden: Run) -> None:
    garden("docs", "edit", "garden", "lawn", "--content", "Gravel.")

    assert "user   replace_section Lawn" in garden("docs", "show", "garden", "--history").output
    assert "-Mow it.\n+Gravel." in garden("docs", "show", "garden", "--diff").output
    assert "version 4, as it was before" in garden("docs", "edit", "garden", "--undo").output
    assert "Mow it." in garden("docs", "show", "garden").output
    assert "no edit 9 of garden" in refused(garden("docs", "edit", "garden", "--undo", "--version", "9"))


def test_sections_are_hidden_pinned_and_put_in_order(garden: Run) -> None:
    assert "collapsed" in garden("docs", "edit", "garden", "Roses > Pests", "--collapse").output
    assert "expand" in refused(garden("docs", "remove", "garden", "Roses"))
    assert "Aphids." in garden("docs", "edit", "garden", "Pests", "--expand").output
    garden("docs", "edit", "garden", "Lawn", "--pin")
    assert "pinned" in refused(garden("docs", "edit", "garden", "Lawn", "--collapse"))
    garden("docs", "edit", "garden", "Lawn", "--unpin")
    garden("docs", "edit", "garden", "--order", "Lawn", "--order", "Roses")
    told = json.loads(garden("docs", "show", "garden", "--json").output)
    assert [one["section"] for one in told["sections"]] == ["Lawn", "Roses", "Roses > Pests"]
    assert "is missing" in refused(garden("docs", "edit", "garden", "--order", "Lawn"))
    assert "Pests: Aphids." in garden("docs", "list", "aphids").output


def test_a_section_is_collapsed_by_default_from_the_command_line(garden: Run) -> None:
    garden("docs", "edit", "garden", "Lawn", "--collapse", "--by-default")
    assert "## Lawn\n<!-- reverie closed -->" in garden("docs", "show", "garden").output
    garden("docs", "edit", "garden", "Lawn", "--expand", "--by-default")
    assert "reverie" not in garden("docs", "show", "garden").output


def test_a_disabled_document_is_listed_as_such(garden: Run) -> None:
    garden("docs", "edit", "garden", "--disable")
    assert "disabled" in garden("docs", "list").output
    garden("docs", "edit", "garden", "--enable")
    assert "disabled" not in garden("docs", "list").output


def test_what_an_editor_wrote_is_never_lost(garden: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def edited(text: str | None) -> None:
        monkeypatch.setattr(click, "edit", lambda *_, **__: text)

    edited(None)
    assert "nothing was changed" in garden("docs", "edit", "garden").output
    edited(GARDEN.replace("Mow it.", "Mow it weekly."))
    assert "version 3" in garden("docs", "edit", "garden").output
    edited(GARDEN + "## lawn\n\nAn hour of work.\n")
    problem = refused(garden("docs", "edit", "garden"))
    assert "already" in problem
    kept = Path(problem.split(" is in ")[1])
    assert "An hour of work." in kept.read_text()
    kept.unlink()


def test_what_cannot_be_undone_asks_first(garden: Run) -> None:
    assert "add --yes" in refused(garden("docs", "remove", "garden"))
    assert "garden" in garden("docs", "list").output


def test_a_file_that_is_no_text_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "picture.md").write_bytes(b"\x89PNG\xff")

    assert "not UTF-8" in refused(run("docs", "add", "picture", "--file", str(tmp_path / "picture.md")))


def test_tools_are_listed_loaded_and_unloaded(run: Run) -> None:
    assert "tool_repo    essential" in run("admin", "tools", "list").output
    assert "loaded domaindoc" in run("admin", "tools", "load", "domaindoc").output
    assert "domaindoc    loaded in turn 0" in run("admin", "tools", "list").output
    assert "domaindoc    loaded" not in run("admin", "tools", "list", "--conversation", "other").output
    assert "unloaded domaindoc" in run("admin", "tools", "unload", "domaindoc").output
    assert "domaindoc was not loaded" in run("admin", "tools", "unload", "domaindoc").output
    assert "did you mean domaindoc" in refused(run("admin", "tools", "load", "domaindocs"))
    assert "essential" in refused(run("admin", "tools", "unload", "tool_repo"))
    told = json.loads(run("admin", "tools", "list", "--json").output)
    assert {"tool_repo", "domaindoc"} <= {one["name"] for one in told["available"]}


def test_the_definition_of_a_tool_is_shown(run: Run) -> None:
    assert "expand one before" in run("admin", "tools", "show", "domaindoc").output
    schema = json.loads(run("admin", "tools", "show", "domaindoc", "--json").output)["input_schema"]
    assert schema["type"] == "object"
    assert "create_section" in schema["properties"]["operation"]["enum"]
