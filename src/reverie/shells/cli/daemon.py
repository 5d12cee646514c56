"""up, down, service, demo: the steward as a person meets it."""

from pathlib import Path

import click
from rich.console import Console

from reverie.capture.drain import has_waiting
from reverie.daemon.steward import Steward
from reverie.errors import StewardRunning, StoreError
from reverie.foundation.workspace import find_project
from reverie.shells.access import WAY_OUT, write_obstacle
from reverie.shells.cli.grammar import example
from reverie.shells.cli.opened_memory import json_option, open_memory, overrides_of, place_of, workspace_of
from reverie.shells.cli.show import as_json, ask, is_terminal, own_command, say, warn, when
from reverie.shells.daemon.process import (
    leave,
    shorten_own_log,
    start_detached,
    stop_on_signals,
    stop_running,
)
from reverie.shells.daemon.service import service_of
from reverie.shells.daemon.view import LiveView
from reverie.shells.install import installed, refresh
from reverie.shells.model_health import variables_needed


@click.command("up", epilog=example("up --detach"))
@click.option("--detach", is_flag=True, help="Run in the background; `reverie down` stops it.")
@click.option("--demo", is_flag=True, help="Play the demo first if nothing was ever captured.")
@click.option("--plain", is_flag=True, help="Lines for a log file: no colours, no questions.")
@json_option
@click.pass_context
def up_command(context: click.Context, detach: bool, demo: bool, plain: bool, json_output: bool) -> None:
    """Start Reverie here, with a live view of what comes in and what is learned. Ctrl-C stops it."""
    if json_output and not detach:
        raise click.UsageError("--json needs --detach; `reverie log --json` shows a program what came in")
    workspace, env, settings = workspace_of(context)
    if obstacle := write_obstacle(workspace):
        raise StoreError(f"{obstacle}: the steward must be able to write; {WAY_OUT}")
    if detach:
        # Here, not in the steward: it runs in /, and the hooks may be those of the project that the person is in.
        refreshed = refresh(env, find_project(Path.cwd()))
        pid = start_detached(workspace, env, overrides_of(context))
        if json_output:
            as_json({"pid": pid, "home": str(workspace.home), "refreshed": refreshed})
        else:
            for path in refreshed:
                say(f"refreshed outdated hooks in {path}")
            say(f"the steward runs as process {pid}; `reverie status` shows it, `reverie down` stops it")
        return
    refreshed = refresh(env, find_project(Path.cwd()))
    if not plain and (demo or is_terminal()) and _is_empty(context) and (demo or _wants_demo()):
        from reverie.shells.demo import play

        play(Console())
    console = Console(no_color=plain, highlight=False)
    form = "%Y-%m-%d %H:%M:%S" if plain else "%H:%M:%S"
    view = LiveView(console, lambda: when(env.now_ms(), form), lambda: shorten_own_log(workspace, env))
    steward = Steward(workspace, env, settings, view.report)
    stop_on_signals(steward)
    try:
        steward.begin()
    except StewardRunning as error:
        raise StewardRunning(f"{error}. `reverie log` shows what came in") from None
    if not plain:  # a log file is no second home for what was said
        view.follow(steward.memory.events)
    for path in refreshed:
        say(f"refreshed outdated hooks in {path}")
    connect = f" Connect an agent with `{own_command(here=not plain)} install claude-code`."
    say(f"watching {workspace.home}; Ctrl-C stops.{'' if installed(env, find_project(Path.cwd())) else connect}")
    steward.run()
    kept = "stopped; nothing is lost: hooks go on capturing, and the next start takes in what they kept"
    say(steward.ended_because or kept)
    leave(steward)


def _is_empty(context: click.Context) -> bool:
    """Whether nothing was ever captured. What waits was; it is not taken in here, for that may take minutes."""
    with open_memory(context, catch_up=False, makes=True) as memory:
        return not memory.engine.log.sessions(limit=1) and not has_waiting(memory.workspace.spool, memory.env)


def _wants_demo() -> bool:
    return ask("Nothing has been captured yet. Play a ten-second demo in a throw-away workspace?", default=True)


@click.command("down", epilog=example("down"))
@json_option
@click.pass_context
def down_command(context: click.Context, json_output: bool) -> None:
    """Stop the steward that runs in the background."""
    workspace, env = place_of(context)  # settings that are broken are one more reason to stop it
    pid = stop_running(workspace, env, lambda text: warn(f"{text}…"))
    if json_output:
        as_json({"stopped": pid})
    else:
        say(f"stopped process {pid}" if pid else "no steward was running")


@click.group("service", epilog=example("admin service install --dry-run"))
def service_command() -> None:
    """Start Reverie at login (systemd, launchd)."""


@service_command.command("install", epilog=example("admin service install --dry-run"))
@click.option("--dry-run", is_flag=True, help="Show the file, and write nothing.")
@json_option
@click.pass_context
def service_install(context: click.Context, dry_run: bool, json_output: bool) -> None:
    """Write the service file, and say how to start it."""
    workspace, env, settings = workspace_of(context)
    service = service_of(workspace, env, overrides=overrides_of(context))
    needed = variables_needed(settings, env)
    if not dry_run:
        env.files.make_folder(service.path.parent)
        env.files.replace(service.path, service.text.encode(), mode=0o644)
    if json_output:
        told = {"path": str(service.path), "text": service.text, "command": service.start, "written": not dry_run}
        as_json({**told, "variables": needed})
        return
    say(f"{service.path}\n\n{service.text}" if dry_run else f"wrote {service.path}")
    if needed:
        say(f"a service does not see this shell's variables, and to ask {settings.model.name} it needs")
        say(f"{' and '.join(needed)}: {service.how_to_give}")
    if not dry_run:
        say(f"start it now and at every login with:  {service.start}")


@service_command.command("uninstall", epilog=example("admin service uninstall"))
@click.option("--dry-run", is_flag=True, help="Show what would be removed, and remove nothing.")
@json_option
@click.pass_context
def service_uninstall(context: click.Context, dry_run: bool, json_output: bool) -> None:
    """Remove the service file, and the link that starts it at login."""
    workspace, env = place_of(context)
    service = service_of(workspace, env)
    for path in service.files if not dry_run else ():
        env.files.remove(path)
    if json_output:
        is_removed = service.path in service.files and not dry_run
        told = {"path": str(service.path), "removed": is_removed, "files": [str(path) for path in service.files]}
        as_json({**told, "command": service.after_removal})
        return
    for path in service.files:
        say(f"{'would remove' if dry_run else 'removed'} {path}")
    if not service.files:
        say(f"nothing to remove: there is no {service.path}")
    elif not dry_run:
        say(f"now run:  {service.after_removal}\na running steward keeps going until `reverie down`")


@click.command("demo", epilog=example("admin demo"))
def demo_command() -> None:
    """Play a short invented session in a throw-away workspace, through the real hook command."""
    from reverie.shells.demo import play

    play(Console())
