"""The grammar of the command line (docs/decisions/034): what the whole tree of commands has in common."""

import io
import json
import os
import re
import shlex
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from reverie.memory import Memory
from reverie.shells.cli.admin import admin_command
from reverie.shells.cli.grammar import VERBS, Lazy, Noun
from reverie.shells.cli.main import EVERYDAY, MACHINERY, THINGS, cli
from reverie.shells.cli.old_names import OLD
from reverie.shells.cli.progress import working
from shells.conftest import Reverie

# Verbs of the machinery that no thing has, and what they do.
OF_THE_MACHINERY = {
    "approve": "a person vouches for what the gate set aside",
    "explain": "says why, as the command `explain` does",
    "retry": "queues work again",
    "load": "gives a model a tool",
    "unload": "takes a tool away from a model",
    "run": "calls a tool as a model would",
}


def tree(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command that the help names, with its words."""
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None, (*path, name)
            yield from tree(inner, (*path, name))


WHOLE = dict(tree(cli))
NOUNS = {path: command for path, command in WHOLE.items() if isinstance(command, Noun)}


def test_the_top_level_has_few_everyday_commands_and_things_beside_them(reverie: Reverie) -> None:
    everyday = [name for table in (*EVERYDAY.values(), MACHINERY) for name in table]
    shown = reverie("--help").out

    assert len(everyday) <= 16
    assert re.findall(r"^  ([a-z]+)  +[A-Z]", shown, re.MULTILINE) == everyday
    assert set(cli.names) == {*everyday, *THINGS}
    assert all(name in shown for name in THINGS)
    assert "hook" not in cli.names


def test_every_thing_has_only_the_verbs_of_all_things() -> None:
    assert {path[0] for path in NOUNS if len(path) == 1} == set(THINGS)
    for path, noun in NOUNS.items():
        agreed = {*VERBS, *(OF_THE_MACHINERY if path[0] == "admin" else ())}
        assert set(noun.commands) <= agreed, path
        assert "list" in noun.commands, path
    assert set(OF_THE_MACHINERY) <= {path[-1] for path in WHOLE if path}, "no exception that nothing needs"


@pytest.mark.parametrize("path", WHOLE, ids=" ".join)
def test_every_command_says_what_it_does_and_shows_a_line_that_reverie_takes(path: tuple[str, ...]) -> None:
    command = WHOLE[path]
    if not path:
        return
    assert command.help

    found = re.match(r"Example: reverie (.+)", command.epilog or "")
    assert found, "an epilog with an example"
    words = shlex.split(found[1])
    words = words[: words.index("<")] if "<" in words else words
    context = cli.make_context("reverie", list(words))
    used: list[str] = []
    while isinstance(group := context.command, click.Group):
        name, inner, rest = group.resolve_command(context, [*context._protected_args, *context.args])
        assert inner is not None
        used.append(str(name))
        context = inner.make_context(name, rest, parent=context)
    assert tuple(used)[: len(path)] == path or path == ("admin", "hook")


def test_a_table_of_help_says_what_the_command_says() -> None:
    for group in (cli, admin_command):
        assert isinstance(group, Lazy)
        for name, (_, text) in group.names.items():
            assert len(text) <= 75, f"{name}: one line of the help"


@pytest.mark.parametrize("thing", THINGS)
def test_a_thing_alone_is_listed(reverie: Reverie, thing: str) -> None:
    reverie("note", "Remind me to rotate the staging keys on Friday.")

    assert reverie(thing).out == reverie(thing, "list").out != ""
    assert reverie(thing, "--json").out == reverie(thing, "list", "--json").out


def test_a_verb_that_is_none_is_told_those_that_are(reverie: Reverie) -> None:
    ended = reverie("goals", "plan")
    assert (ended.code, ended.out) == (2, "")
    assert "goals takes list, show, add, edit, done, remove" in ended.err
    assert 'did you mean "remove"?' in reverie("reminders", "remov", "x").err


@pytest.mark.parametrize("old", OLD)
def test_an_old_name_says_the_new_one(reverie: Reverie, old: str) -> None:
    new = OLD[old]
    path = tuple(word for word in new.split() if word.islower() and not word.startswith("-"))
    assert path in WHOLE

    ended = reverie(*old.split(), "--help")
    assert f"`reverie {old}` is now `reverie {new}`" in ended.err
    if new == new.lower():
        assert (ended.code, " ".join(path) in ended.out.split("\n")[0]) == (0, True)
    else:
        assert (ended.code, ended.out) == (2, "")


def test_old_names_still_do_what_they_did(reverie: Reverie) -> None:
    assert reverie("goals", "--add", "ship").code == 0
    assert "ship" in reverie("goals").out
    assert reverie("docs", "create", "garden").code == 0
    assert reverie("punchclock", "start", "work").code == 0
    assert "paused" in reverie("punchclock", "pause", "work").out
    assert "today: " in reverie("punchclock", "status").out
    assert "done" in reverie("inbox").out or "nothing is waiting" in reverie("inbox").out
    assert reverie("export").code == 0


def test_a_hook_is_called_where_it_was_installed_without_a_word(reverie: Reverie) -> None:
    ended = reverie("hook", "--help")

    assert (ended.code, ended.err) == (0, "")


# ---- `reverie` alone


def test_alone_it_says_how_things_stand_and_what_to_do_next(reverie: Reverie, tmp_path: Path) -> None:
    ended = reverie()

    assert (ended.code, ended.err) == (0, "")
    assert f"workspace  {tmp_path / 'person' / '.reverie'}; nothing has been kept there yet" in ended.out
    for told in ("steward    not running", "hooks      not installed", "reverie install claude-code", "reverie up  "):
        assert told in ended.out
    assert not (tmp_path / "person" / ".reverie").exists(), "looking makes no workspace"

    reverie("note", "hello")
    assert "reverie search WORDS" in reverie().out


def test_alone_it_loads_little(tmp_path: Path) -> None:
    code = (
        "import sys; from reverie.shells.cli.main import cli; cli.main([], standalone_mode=False); print(*sys.modules)"
    )
    variables = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    ran = subprocess.run([sys.executable, "-c", code], env=variables, cwd=tmp_path, capture_output=True, check=True)

    loaded = set(ran.stdout.decode().split())
    assert loaded & {"reverie.memory", "reverie.daemon.steward", "reverie.shells.health", "numpy", "rich"} == set()


def test_what_takes_long_says_so_at_a_terminal_and_into_no_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = Terminal()
    monkeypatch.setattr("sys.stderr", shown)
    monkeypatch.setattr("reverie.shells.cli.progress._FIRST_SECONDS", 0.001)
    with working("checking"):
        assert shown.is_told.wait(60)
    assert shown.getvalue().startswith("\rchecking… 1 s")
    assert shown.getvalue().endswith("\r\x1b[K"), "it is wiped out"

    piped = io.StringIO()
    monkeypatch.setattr("sys.stderr", piped)
    with working("checking"):
        pass
    assert piped.getvalue() == ""


class Terminal(io.StringIO):
    """A terminal that says when something was written to it."""

    def __init__(self) -> None:
        super().__init__()
        self.is_told = threading.Event()

    def isatty(self) -> bool:
        return True

    def flush(self) -> None:
        self.is_told.set()


# ---- ids


def test_any_end_of_an_id_will_do_and_one_that_several_have_lists_them(reverie: Reverie) -> None:
    for text in ("ship the till", "ship the shop"):
        reverie("goals", "add", text)
    first, second = (goal["id"] for goal in json.loads(reverie("goals", "--json").out))
    common = next(n for n in range(27) if first[-n - 1 :] != second[-n - 1 :])

    assert json.loads(reverie("goals", "show", first[-common - 1 :], "--json").out)["id"] == first
    assert f"{first[-8:]}  " in reverie("goals").out
    both = reverie("goals", "done", first[:4])
    assert both.code == 2
    assert "ship the till" in both.err
    assert "ship the shop" in both.err
    assert "give more of the id" in both.err


def test_the_end_of_a_memorys_id_or_of_a_learnings_will_do(reverie: Reverie) -> None:
    reverie("note", "From now on always use pnpm instead of npm.")
    (hit,) = json.loads(reverie("search", "pnpm", "--limit", "1", "--json").out)
    (learning,) = json.loads(reverie("learnings", "--json").out)

    for end in (hit["id"][-5:], f"mem_{hit['id'][-8:]}", learning["id"][-6:]):
        assert "pnpm" in reverie("memories", "show", end).out
    assert "from now on always use pnpm" in reverie("learnings", "show", learning["id"][-6:]).out.lower()
    assert "no memory has the id" in reverie("memories", "show", "?").err


def test_the_end_of_a_sessions_id_will_do(reverie: Reverie, tmp_path: Path) -> None:
    with Memory.open(tmp_path / "person" / ".reverie") as memory:
        memory.observe("I like tea.", session="abc-123")
        memory.observe("I like milk.", session="xyz-123")

    assert "tea" in reverie("log", "--session", "c-123").out
    assert json.loads(reverie("sessions", "show", "c-123", "--json").out)["session"] == "abc-123"
    both = reverie("sessions", "show", "123")
    assert both.code == 2
    assert "abc-123" in both.err
    assert "xyz-123" in both.err


def test_what_lists_print_is_accepted(reverie: Reverie) -> None:
    noted = reverie("note", "The release captain is Ana").out.split()[-1]

    assert "would" not in reverie("forget", noted).out
    assert "release captain" not in reverie("search", "release captain", "--all").out
    assert reverie("forget", "--undo", noted).code == 0


def test_an_action_is_added_listed_and_done(reverie: Reverie) -> None:
    added = reverie("actions", "add", "Rotate the staging key", "--priority", "high").out.split()[0]

    assert "Rotate the staging key" in reverie("actions").out
    assert reverie("actions", "done", added).code == 0
    assert "Rotate" not in reverie("actions").out
