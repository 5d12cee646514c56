"""Completion in a shell: bash as a person uses it, zsh and fish by what they ask the command."""

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from reverie.shells.cli.main import THINGS, cli
from support.client import REVERIE

PAGE = Path(__file__).parents[2] / "docs" / "commands.md"
_ASK = """import sys, atexit
atexit.register(lambda: print("reverie.memory" in sys.modules, file=sys.stderr))
sys.argv = ["reverie"]
from reverie.shells.cli.main import main
main()
"""


def answer(mode: str, words: str, last: str, command: list[str] | None = None) -> subprocess.CompletedProcess[str]:
    told = {"_REVERIE_COMPLETE": mode, "COMP_WORDS": words, "COMP_CWORD": last}
    path = f"{Path(REVERIE).parent}{os.pathsep}{os.environ['PATH']}"
    command = command or [str(REVERIE)]
    variables = {**os.environ, **told, "PATH": path}
    return subprocess.run(command, env=variables, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("reverie learn", "learnings"),
        ("reverie search --every", "--everywhere"),
        ("reverie goals a", "add"),
        ("reverie admin reb", "rebuild"),
        ("reverie admin inbox ret", "retry"),
        ("reverie goals add --prio", "--priority"),
        ("reverie goals --al", "--all"),
    ],
)
def test_bash_completes_commands_and_options(typed: str, found: str) -> None:
    words = typed.split()
    script = (
        f'eval "$(_REVERIE_COMPLETE=bash_source reverie)"; COMP_WORDS=({typed}); COMP_CWORD={len(words) - 1}; '
        f'_reverie_completion reverie "{words[-1]}" "{words[-2]}"; echo "${{COMPREPLY[@]}}"'
    )

    ran = answer("", "", "", ["bash", "-c", script])

    assert ran.stdout.split() == [found], ran


def test_zsh_and_fish_are_told_the_help_too() -> None:
    assert answer("zsh_complete", "reverie learn", "1").stdout.split("\n")[:3] == [
        "plain", "learnings", THINGS["learnings"][1],
    ]  # fmt: skip
    assert answer("fish_complete", "reverie learn", "learn").stdout.strip() == (
        f"plain,learnings\t{THINGS['learnings'][1]}"
    )


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_its_script_and_the_page_says_how_to_load_it(shell: str) -> None:
    ran = answer(f"{shell}_source", "", "")

    assert ran.returncode == 0
    assert "_REVERIE_COMPLETE" in ran.stdout
    assert f"_REVERIE_COMPLETE={shell}_source reverie" in PAGE.read_text(encoding="utf-8")


def test_to_complete_a_command_name_no_command_is_imported() -> None:
    ran = answer("bash_complete", "reverie ", "1", [sys.executable, "-c", _ASK])

    assert set(ran.stdout.split()) >= {f"plain,{name}" for name in cli.list_commands(click.Context(cli))}
    assert ran.stderr.strip() == "False"
