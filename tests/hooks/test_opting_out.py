"""Who opts out is out, in whatever way they write it; and hook, status and doctor say the same."""

import asyncio
import json
from pathlib import Path

import pytest

from hooks.processes import run_hook, spooled, tool_call
from hooks.test_lean import _HOOK, RUN, modules
from reverie.capture.callbacks import create_hook_callbacks
from reverie.hook.opt_out import VARIABLE, opted_out_by, wants_out
from reverie.memory import Memory
from reverie.settings import knobs
from reverie.shells.health import project_finding
from reverie.testing import FakeEnv

OUT = {
    "plain": "# quiet here\n[project]\nenabled = false  # please\n",
    "one line": "project = {enabled = false}\n",
    "dotted": "project.enabled=false",
    "quoted": '["project"]\n"enabled" = false\n',
    "quoted in one line": "'project' = { 'enabled' = false }",
    "spaces in the brackets": "[ project ]\nenabled\t=\tfalse",
    "escapes": '["\\u0070roject"]\n"en\\u0061bled" = false\n',
    "a BOM": "\ufeff[project]\nenabled = false\n",
    "a BOM, and in one line": "\ufeffproject = {enabled = false}\n",
    "carriage returns": "[project]\r\nenabled = false\r\n",
    "after a text of many lines": 'about = """\n[other]\n"""\n[project]\nenabled = false\n',
}
# No settings that we know, or no TOML at all: whoever wrote them wants out all the same.
MEANT = {
    "misspelt": "[project]\nenable = false\n",
    "capitals": "[Project]\nEnabled = False\n",
    "a word": '[project]\nenabled = "no"\n',
    "a number": "[project]\nenabled = 0\n",
    "without its section": "enabled = false\n",
    "a list of tables": "[[project]]\nenabled = false\n",
    "another language": "project:\n  enabled: false\n",
    "a conflict": "[project]\n<<<<<<< ours\nenabled = false\n=======\nenabled = true\n>>>>>>> theirs\n",
    "said twice": "[project]\nenabled = false\nenabled = true\n",
    "UTF-16": "[project]\nenabled = false\n",
}
IN = {
    "nothing": "",
    "a comment": "# [project]\n# enabled = false\n",
    "plain": "[project]\nenabled = true  # not false\n",
    "one line": "project = {enabled = true}\n",
    "a word in a text": "[project]\nenabled = true\n#\nname = 'false'\n",
    "another section": "[recall]\npacked = 3\n",
}


def project_with(folder: Path, text: str, encoding: str = "utf-8") -> Path:
    (folder / ".git").mkdir(parents=True)
    (folder / ".reverie.toml").write_bytes(text.encode(encoding))
    return folder


def is_captured(folder: Path, home: Path) -> bool:
    assert run_hook("UserPromptSubmit", tool_call(cwd=str(folder)), home).was_silent or home.exists()
    return bool(spooled(home)) or (home / "reverie.db").exists()


@pytest.mark.parametrize("how", OUT)
def test_every_way_to_write_it_is_heard(tmp_path: Path, how: str) -> None:
    project = project_with(tmp_path / "shop", OUT[how])

    assert not is_captured(project, tmp_path / "home")
    assert opted_out_by(str(project)) == str(project / ".reverie.toml")
    if "other" not in OUT[how] and "BOM" not in how:  # those files are wrong in another way, which is said as well
        assert project_finding(project) == (True, f"{project} has opted out: nothing is captured or told there")


@pytest.mark.parametrize("how", MEANT)
def test_what_was_meant_is_heard_and_said_to_be_wrong(tmp_path: Path, how: str) -> None:
    encoding = "utf-16" if how == "UTF-16" else "utf-8"
    project = project_with(tmp_path / "shop", MEANT[how], encoding)

    assert not is_captured(project, tmp_path / "home")
    is_fine, said = project_finding(project)
    assert not is_fine
    assert said.endswith("nothing is captured there")


@pytest.mark.parametrize("how", IN)
def test_nobody_is_out_who_did_not_say_so(tmp_path: Path, how: str) -> None:
    project = project_with(tmp_path / "shop", IN[how])

    assert is_captured(project, tmp_path / "home")
    assert opted_out_by(str(project)) == ""
    assert "nothing is captured" not in project_finding(project)[1]


def test_the_usual_way_needs_no_parser(tmp_path: Path) -> None:
    """The parser takes as long to load as all the rest of a hook."""
    for how in ("nothing", "a comment", "plain"):
        project = project_with(tmp_path / how, IN[how])
        call = json.dumps(tool_call(cwd=str(project))).encode()

        loaded = modules(_HOOK, str(RUN), "PostToolUse", str(tmp_path / "home"), stdin=call)

        assert "reverie.hook.opt_out" in loaded
        assert "tomllib" not in loaded


# ---- inside


@pytest.mark.parametrize("how", ["plain", "one line"])
def test_a_worktree_inside_is_out_too(tmp_path: Path, how: str) -> None:
    project = project_with(tmp_path / "shop", OUT[how])
    worktree = project / ".claude" / "worktrees" / "w1"
    (worktree / "src").mkdir(parents=True)
    (worktree / ".git").write_text("gitdir: elsewhere\n")  # the file that opts out was never committed

    assert not is_captured(worktree / "src", tmp_path / "home")
    assert opted_out_by(str(worktree)) == str(project / ".reverie.toml")


def test_the_nearest_file_decides(tmp_path: Path) -> None:
    project = project_with(tmp_path / "shop", OUT["plain"])
    inner = project_with(project / "vendor" / "lib", IN["plain"])
    innermost = project_with(inner / "secret", OUT["one line"])

    assert is_captured(inner, tmp_path / "home 1")
    assert not is_captured(innermost, tmp_path / "home 2")
    assert not is_captured(project / "vendor", tmp_path / "home 3")


def test_a_nearer_file_that_does_not_say_leaves_it_as_it_is(tmp_path: Path) -> None:
    project = project_with(tmp_path / "shop", OUT["plain"])

    assert not is_captured(project_with(project / "lib", IN["a comment"]), tmp_path / "home")


# ---- the workspace


def test_a_workspace_is_switched_off_in_every_way_too_and_not_by_another_setting(tmp_path: Path) -> None:
    for how, text in OUT.items():
        home = tmp_path / how
        home.mkdir()
        (home / "reverie.toml").write_text(text)
        run_hook("PostToolUse", tool_call(), home)
        assert spooled(home) == [], how

    for text in ("[model]\nstream = false\n[project]\nenabled = true\n", "[model]\nx = false\n[project\n", "enabled=0"):
        assert not wants_out(text)


# ---- the variable


@pytest.mark.parametrize("value", ["false", "FALSE", "0", "no", "off", " false\n", "ture"])
def test_a_variable_switches_capture_off(tmp_path: Path, value: str) -> None:
    for event in ("PostToolUse", "SessionEnd"):
        ran = run_hook(event, tool_call(), tmp_path / "home", variables={VARIABLE: value})
        assert ran.was_silent
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize("value", ["true", "1", "Yes", ""])
def test_a_variable_that_does_not_say_no_leaves_capture_on(tmp_path: Path, value: str) -> None:
    run_hook("PostToolUse", tool_call(), tmp_path / "home", variables={VARIABLE: value})

    assert len(spooled(tmp_path / "home")) == 1


def test_the_variable_wins_over_the_workspace_and_not_over_a_project_that_wants_out(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "reverie.toml").write_text(OUT["plain"])
    out, indifferent = project_with(tmp_path / "shop", OUT["plain"]), project_with(tmp_path / "garden", "")

    for project in (out, indifferent):
        run_hook("PostToolUse", tool_call(cwd=str(project)), home, variables={VARIABLE: "true"})

    assert [record["project"] for record in spooled(home)] == [str(indifferent)]


def test_the_variable_is_the_one_that_the_documentation_names() -> None:
    assert knobs()["project.enabled"].variable == VARIABLE


def test_the_callbacks_of_a_program_hear_the_variable_too(tmp_path: Path) -> None:
    env = FakeEnv(variables={VARIABLE: "false"})
    with Memory.open(tmp_path / "home", env=env) as memory:

        async def report() -> None:
            await create_hook_callbacks(memory)["PostToolUse"](tool_call(cwd=str(tmp_path)), "call-1", None)

        asyncio.run(report())
        assert spooled(tmp_path / "home") == []
        env.variables[VARIABLE] = "true"
        asyncio.run(report())
        assert len(spooled(tmp_path / "home")) == 1
