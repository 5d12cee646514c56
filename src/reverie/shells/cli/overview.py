"""`reverie` alone: how things stand here, and what one can do next. It opens no memory: it answers at once."""

from pathlib import Path

import click

from reverie.engines import record_files
from reverie.errors import BadInput
from reverie.foundation.workspace import find_project
from reverie.shells.cli.opened_memory import place_of
from reverie.shells.cli.show import say


def say_overview(context: click.Context) -> None:
    from reverie.daemon.steward_lock import holder
    from reverie.shells.install import installed

    workspace, env = place_of(context)
    try:
        steward = holder(workspace, env)
    except (OSError, BadInput):  # `status` says why
        steward = None
    has_record = any(path.exists() for path in record_files(workspace.home))
    hooks = installed(env, find_project(Path.cwd()))
    say(f"workspace  {workspace.home}" + ("" if has_record else "; nothing has been kept there yet"))
    say(f"steward    process {steward.pid}" if steward else "steward    not running")
    say("hooks      " + (f"{hooks[0].state.value} in {hooks[0].path}" if hooks else "not installed"))
    say()
    for command, what in next_steps(bool(hooks), steward is not None, has_record):
        say(f"  {command:<28} {what}")


def next_steps(has_hooks: bool, has_steward: bool, has_record: bool) -> list[tuple[str, str]]:
    """Say what to do next: first what is still missing, then what one asks every day.

    >>> [command for command, _ in next_steps(has_hooks=False, has_steward=False, has_record=False)][:2]
    ['reverie install claude-code', 'reverie up']
    """
    steps = [] if has_hooks else [("reverie install claude-code", "connect Claude Code; --dry-run only looks")]
    steps += [] if has_steward else [("reverie up", "start, with a live view; --detach runs it in the background")]
    if has_record:
        steps.append(("reverie search WORDS", "find what was learned, said, noted or done"))
        steps.append(("reverie status", "are events arriving? what is waiting? what did it cost?"))
    else:
        steps.append(("reverie admin demo", "a short invented session, in a throw-away workspace"))
        steps.append(("reverie note TEXT", "remember something"))
    return [*steps, ("reverie --help", "all commands")]
