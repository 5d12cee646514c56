"""Open what every command needs first: the workspace, its settings, and the memory in it."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from reverie.engines import record_files
from reverie.env.real import RealEnv
from reverie.errors import BadInput, StoreError
from reverie.foundation.text import whole_letters
from reverie.foundation.workspace import Workspace, check_name, expanded, find_home, find_project, shorten
from reverie.hook.opt_out import VARIABLE, opted_out_by
from reverie.settings import Settings, load_settings, read_overrides
from reverie.shells.access import WAY_OUT, write_obstacle
from reverie.shells.cli import exit_codes as ending
from reverie.shells.cli.show import counted, one_line, warn

if TYPE_CHECKING:
    from reverie.memory import Memory

F = TypeVar("F", bound=Callable[..., Any])
_MANY = 2000  # places in the log; they take a second


def workspace_of(context: click.Context) -> tuple[Workspace, RealEnv, Settings]:
    workspace, env = place_of(context)
    return workspace, env, load_settings(workspace, env, overrides_of(context))


def overrides_of(context: click.Context) -> dict[str, str]:
    """The settings of this command alone, by their dotted names. A steward that runs has its own."""
    return read_overrides(context.find_root().params.get("overrides") or ())


def place_of(context: click.Context) -> tuple[Workspace, RealEnv]:
    """The workspace alone: for commands that must work even if its settings are broken."""
    env = RealEnv()
    home = context.find_root().obj
    if home is not None and (not home.strip() or "://" in home):
        raise BadInput(f"--home takes a folder, such as ~/.reverie, not {home!r}")
    found = expanded(home, env) if home else find_home(env, Path.cwd())
    nearest = next(path for path in (found, *found.parents) if os.path.exists(path))
    if not os.path.isdir(nearest):
        raise BadInput(f"{nearest} is not a folder, so no workspace can be there; --home takes one, such as ~/.reverie")
    check_name(found)
    return Workspace(found), env


def must_be_there(context: click.Context, workspace: Workspace, env: RealEnv) -> None:
    """Refuse to look into a workspace that somebody named and nobody made: most likely its name is misspelt.

    The one in a person's home folder cannot be, so it is made by the first command, whatever that is.
    """
    is_named = context.find_root().obj or env.variable("REVERIE_HOME")
    may_look = not os.path.exists(workspace.home) or os.access(workspace.home, os.R_OK | os.X_OK)
    signs = (*record_files(workspace.home), workspace.settings, workspace.spool, workspace.user)
    if is_named and may_look and not any(os.path.exists(path) for path in signs):
        makes = "`reverie admin init` makes one in the current folder, `note` or `up` makes this one"
        raise BadInput(f"there is no workspace in {workspace.home}; {makes}")


def open_memory(context: click.Context, catch_up: bool = True, *, reads: bool = False, makes: bool = False) -> "Memory":
    """The memory to work with; a command that keeps something new also `makes` a workspace that was named.

    A command that only `reads` also works where nothing can be written, and says so.
    """
    from reverie.memory import Memory  # most of what a command loads; one that a steward answers does without

    workspace, env, settings = workspace_of(context)
    if not makes:
        must_be_there(context, workspace, env)
    ending.opened.append(workspace.home)
    if obstacle := write_obstacle(workspace):
        if not reads or not os.path.exists(workspace.home):
            raise StoreError(f"{obstacle}: nothing can be written there; {WAY_OUT}")
        warn(f"{obstacle}: nothing new is taken in, and nothing can be written")
        return _telling(context, Memory.open(workspace.home, env=env, settings=settings, read_only=True))
    shorten(workspace.hook_errors, env)
    memory = Memory.open(workspace.home, env=env, settings=settings, catch_up=catch_up)
    if memory.parts.background.hindrance and not makes:
        warn(memory.parts.background.hindrance)
    if news := memory.parts.profile.owner_news:
        warn(news)
        memory.engine.owner_was_told()
    return _telling(context, memory)


def _telling(context: click.Context, memory: "Memory") -> "Memory":
    """The same memory; when the command is over, it is said what could not be read of it."""
    left_out = memory.engine.rows_left_out()

    def tell() -> None:
        for (table, key), why in list(left_out.items())[:1]:
            told = f"{counted(len(left_out), 'damaged row')} left out ({table} {one_line(key, 40)}: {one_line(why)})"
            warn(f"{told}; `reverie doctor --repair` sets aside what is damaged")

    context.call_on_close(tell)
    return memory


def open_by_words(context: click.Context) -> "Memory":
    """The same without vectors: loading them takes longer than a person waits for one answer."""
    memory = open_memory(context)
    memory.settings = replace(memory.settings, embed=replace(memory.settings.embed, provider="none"))
    say_if_long(memory)
    return memory


def say_if_long(memory: "Memory") -> None:
    """Before a question: that its answer must wait until everything that came in is searchable memory."""
    last = memory.engine.log.read(limit=1, newest_first=True)
    waiting = last[0].position - memory.engine.items.admitted() if last else 0
    if waiting >= _MANY:
        told = (
            "what came in is made searchable first, just this once; `reverie up --detach` does that in the background"
        )
        warn(told)


def project_option(command: F) -> F:
    """--project FOLDER and --everywhere, for commands that look at one project unless asked wider."""
    command = click.option("--everywhere", is_flag=True, help="All projects, not only this one.")(command)
    return click.option("--project", metavar="FOLDER", help="The project (default: the git root here).")(command)


def everything_option(command: F) -> F:
    """--all."""
    said = "Also what hardly fits, and what only asks or agrees."
    return click.option("--all", "everything", is_flag=True, help=said)(command)


def nothing_fits(missing: str = "", *, everywhere: bool, everything: bool) -> str:
    """Say that nothing was found, and the way to find more."""
    wider = "" if everything else "; --all shows what comes nearest"
    wider += "" if everywhere else "; --everywhere looks in all projects"
    return ("nothing found" if everything else "nothing that is known fits") + missing + wider


def filter_option(command: F) -> F:
    """--filter KEY=VALUE, repeatable."""
    said = "Only what matches: types=fact, or valid_at=2026-03-01 for what held on that day; repeatable."
    return click.option("--filter", "filters", multiple=True, metavar="KEY=VALUE", help=said)(command)


def chosen_project(project: str | None, everywhere: bool) -> str | None:
    """Return the project's name in memory: its folder, with � for every byte that is no letter."""
    folder = chosen_folder(project, everywhere)
    return None if folder is None else whole_letters(str(folder))


def chosen_folder(project: str | None, everywhere: bool) -> Path | None:
    """Return the folder where the project is, or was."""
    if everywhere:
        return None
    if project is not None and not project.strip():
        raise BadInput("--project takes a folder")
    named = Path(project).absolute() if project else Path.cwd()
    # What was a project may be gone from the disk while its memory is still here.
    return find_project(named) if named.exists() else named


def some_text(text: str, what: str) -> str:
    """A text that says something: what is empty was a mistake, often a variable that is not set.

    >>> some_text("ship it", "a goal")
    'ship it'
    """
    if not text.strip():
        raise BadInput(f"{what} needs some text")
    return text


def opted_out(folder: Path | None, workspace: Workspace, env: RealEnv) -> str:
    """Return what opts a project out: a file, or a variable; "" if nothing does."""
    return opted_out_by(str(folder or ""), str(workspace.home), env.variable(VARIABLE) or "")


def if_missing(folder: Path | None) -> str:
    """Return what to add to "nothing found" when the folder that was asked for is not there."""
    return f"; there is no folder {folder}" if folder and not folder.exists() else ""


json_option = click.option("--json", "json_output", is_flag=True, help="Print JSON for programs.")
