"""What commands promise to programs (docs/json.md): the shape, the exit code, and errors in one way for all of them."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from reverie.shells.cli.main import cli
from shells.conftest import Reverie

PAGE = (Path(__file__).parents[2] / "docs" / "json.md").read_text(encoding="utf-8")
WITHOUT = {"admin demo", "admin hook"}


def names(text: str) -> set[str]:
    return set(re.findall(r"`(\w+)`", text))


RECORDS = {name: names(rest) for name, rest in re.findall(r"^- \*\*(\w+)\*\*: (.+)$", PAGE, re.MULTILINE)}
PRINTS = {
    command: prints
    for command, prints in re.findall(r"^\| `([^`]+)` \| (.+) \|$", PAGE, re.MULTILINE)
    if not command[0].isdigit()
}


def commands(group: click.Command, path: str = "") -> Iterator[tuple[str, click.Command]]:
    """Every command that does something by itself."""
    if isinstance(group, click.Group):
        context = click.Context(group)
        for name in group.list_commands(context):
            found = group.get_command(context, name)
            assert found is not None
            yield from commands(found, f"{path} {name}".strip())
    if not isinstance(group, click.Group) or (path and group.invoke_without_command):
        yield path, group


def test_every_command_has_json_and_is_on_the_page() -> None:
    found = dict(commands(cli))
    with_json = {path for path, command in found.items() if any("--json" in it.opts for it in command.params)}

    assert set(found) - with_json == WITHOUT
    assert with_json - set(PRINTS) == set()
    assert {re.sub(r" (--|/|[A-Z]).*", "", command) for command in PRINTS} == with_json


def expected(command: str) -> tuple[bool, set[str]]:
    """Whether the page says that it is a list, and of what."""
    prints = PRINTS[command]
    fields = names(prints)
    for record in re.findall(r"\*\*(\w+)\*\*", prints):
        fields |= RECORDS[record]
    return prints.startswith("list of"), fields


# What is typed, and the row of the page that it must be like.
TYPED = {
    "status": "status",
    "doctor": "doctor",
    "note The okapi is shy": "note",
    "search staging": "search",
    "log": "log",
    "context": "context",
    "actions list": "actions list",
    "learnings list": "learnings list",
    "memories list": "memories list",
    "recall staging keys": "recall",
    "explain": "explain",
    "admin prompt": "admin prompt",
    "admin prompt --explain 1": "admin prompt --explain",
    "admin prompt --ledger": "admin prompt --ledger",
    "chat hello": "chat",
    "chat /help": "chat /command",
    "admin memorize The port is 8080": "admin memorize",
    "admin gate explain Never deploy on Fridays": "admin gate explain",
    "forget text:nothing": "forget",
    "forget --dry-run all": "forget",
    "forget --undo all": "forget --undo",
    "goals add ship": "goals add",
    "goals list": "goals list",
    "questions add why": "questions add",
    "questions list": "questions list",
    "reminders add call --when tomorrow": "reminders add",
    "reminders list": "reminders list",
    "punchclock add work": "punchclock add",
    "punchclock list": "punchclock list",
    "punchclock show": "punchclock show",
    "punchclock show work": "punchclock show ID",
    "punchclock edit work --pause": "punchclock edit",
    "punchclock done work": "punchclock done",
    "docs add garden": "docs add",
    "docs add garden Roses --content thorns": "docs add SECTION",
    "docs edit garden Roses --append more": "docs edit SECTION",
    "docs edit garden Roses --expand": "docs edit --expand",
    "docs list": "docs list",
    "docs list thorns": "docs list WORDS",
    "docs show garden": "docs show",
    "docs show garden Roses": "docs show SECTION",
    "docs show garden --history": "docs show --history",
    "docs edit garden --order Roses": "docs edit --order",
    "docs remove garden Roses": "docs remove SECTION",
    "docs edit garden --disable": "docs edit",
    "docs remove garden --yes": "docs remove",
    "admin tools list": "admin tools list",
    "admin tools load get_context": "admin tools load",
    "admin tools unload get_context": "admin tools unload",
    "admin tools show get_context": "admin tools show",
    "sessions list": "sessions list",
    "sessions show nope": "sessions show",
    "admin tune": "admin tune",
    "admin inbox list --all": "admin inbox list",
    "admin inbox retry": "admin inbox retry",
    "admin rebuild": "admin rebuild",
    "admin init": "admin init",
    "down": "down",
    "install claude-code --dry-run": "install",
    "uninstall claude-code --dry-run": "uninstall",
    "admin service install --dry-run": "admin service install",
    "admin service uninstall": "admin service uninstall",
}


def test_what_is_printed_is_what_the_page_says(reverie: Reverie) -> None:
    reverie("note", "Remind me to rotate the staging keys on Friday.")
    for typed, row in TYPED.items():
        is_list, fields = expected(row)
        ended = reverie(*typed.split(), "--json")
        value = json.loads(ended.out)
        assert "error" not in value, (typed, value)
        assert isinstance(value, list) == is_list, typed
        assert set(value[0] if is_list else value) == fields, typed


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("search zebra", 1),
        ("recall zebra", 1),
        ("log --session nope", 1),
        ("summary nope", 1),
        ("compact --session nope", 1),
        ("forget text:zebra", 1),
        ("forget --undo zebra", 1),
        ("docs search zebra", 1),
        ("tools unload get_context", 1),
        ("log", 0),
        ("actions", 0),
        ("goals", 0),
        ("skills", 0),
        ("down", 0),
        ("show nope", 2),
        ("goals done nope", 2),
        ("chat /nope", 2),
        ("memorize hm", 1),
    ],
)
def test_the_exit_code_is_the_same_for_people_and_programs(reverie: Reverie, typed: str, code: int) -> None:
    for_people, for_programs = reverie(*typed.split()), reverie(*typed.split(), "--json")

    assert (for_people.code, for_programs.code) == (code, code)
    assert for_people.out + for_people.err
    json.loads(for_programs.out)


@pytest.mark.parametrize("typed", ["summary nope", "compact --session nope"])
def test_an_unknown_session_is_told_from_one_with_nothing_in_it(reverie: Reverie, typed: str) -> None:
    reverie("chat", "hello")

    assert 'no session "nope"' in reverie(*typed.split()).out
    assert "the latest are main-" in reverie(*typed.split()).out


@pytest.mark.parametrize(
    ("typed", "kind", "says"),
    [
        (["search", " "], "BadInput", "needs some text"),
        (["recall", ""], "BadInput", "needs some text"),
        (["goals", "add", ""], "BadInput", "needs some text"),
        (["questions", "add", " "], "BadInput", "needs some text"),
        (["note", ""], "BadInput", "needs some text"),
        (["admin", "memorize", ""], "BadInput", "needs some text"),
        (["reminders", "add", "", "--when", "tomorrow"], "BadInput", "needs some text"),
        (["chat", " "], "BadInput", "needs some text"),
        (["forget", "zebra"], "BadInput", "has no key"),
        (["serch"], "Usage", 'did you mean "search"'),
        (["search"], "Usage", "Missing argument"),
        (["search", "x", "--limit", "nine"], "Usage", "not a valid integer"),
        (["up"], "Usage", "--detach"),
        (["--set", "foo.bar=1", "status"], "Usage", 'no setting "foo.bar"'),
        (["--set", "recall.budget", "status"], "Usage", "--set takes SECTION.KEY=VALUE"),
    ],
)
def test_an_error_is_one_object_for_programs_and_words_for_people(
    reverie: Reverie, typed: list[str], kind: str, says: str
) -> None:
    for_programs = reverie(*typed, "--json")
    value = json.loads(for_programs.out)

    assert (for_programs.code, value["kind"], value["exit_code"], for_programs.err) == (2, kind, 2, "")
    assert says in value["error"]
    if typed != ["up"]:
        for_people = reverie(*typed)
        assert (for_people.code, for_people.out) == (2, "")
        assert says in for_people.err


def test_what_fails_without_being_wrong_is_a_one(reverie: Reverie, tmp_path: Path) -> None:
    reverie("note", "hello")
    ended = reverie("admin", "export", "--out", tmp_path / "no" / "such", "--json")

    assert (ended.code, json.loads(ended.out)["kind"]) == (1, "OSError")


@pytest.mark.parametrize("typed", ["--json search foo", "--json", "docs --json list"])
def test_json_before_the_command_is_told_where_it_goes(reverie: Reverie, typed: str) -> None:
    ended = reverie(*typed.split())

    value = json.loads(ended.out)
    assert (ended.code, value["kind"], value["exit_code"]) == (2, "Usage", 2)
    assert "--json goes after the command: `" in value["error"]
    assert value["error"].endswith(f"{' docs' if 'docs' in typed else ''} COMMAND --json`")


def test_what_takes_no_json_is_not_told_where_it_goes(reverie: Reverie) -> None:
    assert "goes after" not in reverie("admin", "demo", "--json").out


def test_a_flag_that_is_a_word_is_no_flag(reverie: Reverie) -> None:
    ended = reverie("search", "--", "--json")

    assert (ended.code, ended.out[:26]) == (1, "nothing that is known fits")


@pytest.mark.parametrize("extra", [(), ("--json",)])
def test_a_very_long_name_is_shortened_and_the_way_out_is_not(reverie: Reverie, extra: tuple[str, ...]) -> None:
    name = "n" * 100_000
    for typed in (
        ["memories", "show", name],
        ["--home", f"/{name}", "status"],
        ["admin", "import", "transcript", name],
        [name],
    ):
        ended = reverie(*typed, *extra)
        assert ended.code
        assert len(ended.out + ended.err) < 2000, typed
        assert "left out" in ended.out + ended.err
    assert "`search` shows ids" in reverie("memories", "show", name).err


# ---- chat


def test_lines_of_a_pipe_are_answered_by_lines_of_json(reverie: Reverie) -> None:
    ended = reverie(
        "chat", "--json", stdin="The staging port is 8080.\n\n/memory staging\n/nope\nWhich port?\n/quit\nno\n"
    )
    lines = [json.loads(line) for line in ended.out.splitlines()]

    assert [sorted(line)[:2] for line in lines] == [
        ["end", "mentioned"], ["error", "kind"], ["command", "shown"], ["error", "kind"], ["end", "mentioned"],
    ]  # fmt: skip
    assert "8080" in lines[2]["shown"]
    assert "8080" in lines[4]["text"]
    assert (ended.code, ended.err) == (1, "")
    assert reverie("chat", stdin="/nope\n").code == 1, "as for people, where nobody reads along"
    assert reverie("chat", "--json", stdin="fine\n").code == 0


def test_a_command_as_an_argument_is_a_command(reverie: Reverie) -> None:
    ended = reverie("chat", "/help")

    assert (ended.code, ended.out.startswith("/help")) == (0, True)
    assert json.loads(reverie("log", "--json").out) == []
