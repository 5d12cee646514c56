"""install, uninstall, hook: the coding agent's side."""

import os
import sys
from pathlib import Path

import click

from reverie.foundation.workspace import find_project
from reverie.settings import knobs
from reverie.shells import install
from reverie.shells.cli.exit_codes import NOTHING
from reverie.shells.cli.grammar import example
from reverie.shells.cli.opened_memory import json_option, open_memory, overrides_of, workspace_of
from reverie.shells.cli.show import as_json, say

_AGENTS = click.Choice(["claude-code"])


def _scope(user: bool, project: bool) -> install.InstallScope:
    if user and project:
        raise click.UsageError("--user and --project exclude each other; run the command twice for both")
    return install.InstallScope("project" if project else "user")


@click.command("install", epilog=example("install claude-code --dry-run"))
@click.argument("agent", type=_AGENTS)
@click.option("--user", is_flag=True, help="For all your projects (default).")
@click.option("--project", is_flag=True, help="For this project only.")
@click.option("--plugin", is_flag=True, help="As a plug-in, instead of in the settings file.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@json_option
@click.pass_context
def install_command(
    context: click.Context, agent: str, user: bool, project: bool, plugin: bool, dry_run: bool, json_output: bool
) -> None:
    """Connect AGENT: its hooks report to Reverie from then on."""
    workspace, env, _ = workspace_of(context)
    here = find_project(Path.cwd())
    # A hook finds a project's own workspace by itself, so only one that was named is written into its command.
    is_named = context.find_root().obj or env.variable("REVERIE_HOME")
    home = install.home_argument(workspace, env) if is_named else ""
    if plugin:
        plugin_plan = install.plan_plugin(workspace.home / "plugin", env, home)
        plans, commands = plugin_plan.files, plugin_plan.commands
    else:
        path = install.settings_path(_scope(user, project), env, here)
        plans, commands = (install.plan_install(path, env, home),), ()
    if not dry_run:
        open_memory(context, makes=True).close()
        install.precompile()
        install.check_hook()
        for plan in plans:
            install.note_missing(plan.path.parent, workspace, env)
            install.apply(plan, env)
    if json_output:
        as_json(_told(plans, commands, dry_run))
        return
    # A plug-in is installed by the client: until a person has it do so, nothing is reported.
    is_known = not plugin or any(it.path == workspace.home / "plugin" for it in install.installed(env, here))
    _tell(plans, () if is_known else commands, dry_run)
    if not dry_run and (off := install.switched_off(env, here)):
        say(f"\nbut {off} switches all hooks off: nothing is reported until disableAllHooks is removed from it.")
    elif not dry_run:
        since = "from now on" if is_known else "after that"
        say(f"\n{agent} reports to {workspace.home} in every session that starts {since}.")
        say("`reverie status` says whether events arrive; `reverie up` shows them as they come in.")


@click.command("uninstall", epilog=example("uninstall claude-code"))
@click.argument("agent", type=_AGENTS)
@click.option("--user", is_flag=True, help="From your user settings (default).")
@click.option("--project", is_flag=True, help="From this project.")
@click.option("--plugin", is_flag=True, help="The plug-in.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@json_option
@click.pass_context
def uninstall_command(
    context: click.Context,
    agent: str,
    user: bool,
    project: bool,
    plugin: bool,
    dry_run: bool,
    json_output: bool,
) -> None:
    """Disconnect AGENT. What was captured stays."""
    workspace, env, _ = workspace_of(context)
    commands: tuple[str, ...] = ()
    scope = install.InstallScope.PLUGIN if plugin else _scope(user, project)
    if plugin:
        removal = install.plan_plugin_removal(workspace.home / "plugin", env)
        plans, commands = removal.files, removal.commands
        if not dry_run:
            install.remove_plugin(workspace.home / "plugin", env)
    else:
        paths = install.settings_paths(scope, env, find_project(Path.cwd()))
        plans = tuple(plan for path in paths if (plan := install.plan_uninstall(path, env)).is_needed)
        for plan in plans if not dry_run else ():
            install.apply(plan, env)
            install.remove_made(plan.path.parent, workspace, env)
    elsewhere = [it for it in install.installed(env, find_project(Path.cwd())) if it.scope is not scope]
    if json_output:
        left = [{"path": str(it.path), "flag": _FLAGS[it.scope]} for it in elsewhere]
        as_json({**_told(plans, commands, dry_run), "elsewhere": left})
    elif plans or commands or not elsewhere:
        _tell(plans, commands, dry_run)
    else:
        say(f"nothing to change: there are no Reverie hooks in {' or '.join(map(str, paths))}")
    for it in elsewhere if not json_output else ():
        say(f"hooks are still in {it.path}; `reverie uninstall {agent} {_FLAGS[it.scope]}` removes them")
    if elsewhere and not plans:
        sys.exit(NOTHING)


_FLAGS = {
    install.InstallScope.USER: "--user",
    install.InstallScope.PROJECT: "--project",
    install.InstallScope.PLUGIN: "--plugin",
}


def _told(plans: tuple[install.Plan, ...], commands: tuple[str, ...], dry_run: bool) -> dict[str, object]:
    changes = [{"path": str(plan.path), "changes": plan.changes} for plan in plans if plan.is_needed]
    return {"changed": bool(changes) and not dry_run, "files": changes, "commands": commands}


def _tell(plans: tuple[install.Plan, ...], commands: tuple[str, ...], dry_run: bool) -> None:
    for plan in plans:
        if plan.is_needed:
            say(f"{'would change' if dry_run else 'changed'} {plan.path}")
            for change in plan.changes:
                say(f"  {change}")
    if not any(plan.is_needed for plan in plans):
        say("nothing to change: already up to date")
    if commands:
        say("then run:" if dry_run else "now run:")
        for command in commands:
            say(f"  {command}")


# An agent takes 2, with which click answers what it does not understand, for a wish to block what it was about to do.
@click.command(
    "hook",
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    epilog=example("hook SessionStart < event.json"),
)
@click.argument("event", default="")
@click.pass_context
def hook_command(context: click.Context, event: str) -> None:
    """Take one EVENT from a coding agent on standard input; without EVENT, the one that its hook_event_name says.

    Agents run the lean form that `reverie install` writes into their settings; this one is for trying it by hand.
    """
    launch = Path(__file__).parents[2] / "hook" / "launch.py"
    home = context.find_root().obj
    command = [sys.executable, "-I", "-S", str(launch), event] + ([str(Path(home).absolute())] if home else [])
    variables = {knobs()[path].variable: text for path, text in overrides_of(context).items()}
    os.execve(sys.executable, command, {**os.environ, **variables})  # noqa: S606
