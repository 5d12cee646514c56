"""What every command needs first: the workspace, its settings, and the memory in it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from reverie.env import RealEnv
from reverie.errors import BadInput
from reverie.memory import Memory
from reverie.settings import Settings, load_settings
from reverie.workspace import Workspace, find_home, find_project

F = TypeVar("F", bound=Callable[..., Any])


def workspace_of(context: click.Context) -> tuple[Workspace, RealEnv, Settings]:
    env = RealEnv()
    home = context.find_root().obj
    if home and "://" in home:
        raise BadInput(f"--home takes a folder, such as ~/.reverie, not {home!r}")
    workspace = Workspace(Path(home).expanduser().absolute() if home else find_home(env, Path.cwd()))
    return workspace, env, load_settings(workspace, env)


def open_memory(context: click.Context, catch_up: bool = True) -> Memory:
    workspace, env, settings = workspace_of(context)
    return Memory.open(workspace.home, env=env, settings=settings, catch_up=catch_up)


def project_option(command: F) -> F:
    """--project FOLDER and --everywhere, for commands that look at one project unless asked wider."""
    command = click.option("--everywhere", is_flag=True, help="All projects, not only this one.")(command)
    return click.option("--project", metavar="FOLDER", help="The project (default: the git root here).")(command)


def chosen_project(project: str | None, everywhere: bool) -> str | None:
    if everywhere:
        return None
    return str(find_project(Path(project).absolute() if project else Path.cwd()))


json_option = click.option("--json", "json_output", is_flag=True, help="Print JSON for programs.")
