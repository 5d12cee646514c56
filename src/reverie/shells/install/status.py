"""Find our installed hooks and their state: what `reverie status` shows, and `reverie doctor` repairs."""

import json
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from reverie.errors import BadSettings
from reverie.foundation.workspace import personal_home
from reverie.ports import Env
from reverie.records import JSON
from reverie.shells.install.claude_code import (
    InstallScope,
    client_folder,
    fault_in,
    find_outdated,
    our_commands,
    plan_refresh,
    settings_paths,
)
from reverie.shells.install.entries import home_in, missing_files
from reverie.shells.install.files import Plan, apply
from reverie.shells.install.plugin import HOOKS, MARKETPLACE, PLUGIN, plan_plugin


class State(StrEnum):
    CURRENT = "current"
    OUTDATED = "outdated"  # works, but is not what this Reverie would install
    BROKEN = "broken"  # its interpreter or launcher has gone: nothing is captured
    OFF = "off"  # the settings switch all hooks off


@dataclass(frozen=True, slots=True)
class Installation:
    """A place where hooks are installed, and their state; `reasons` in words."""

    scope: InstallScope
    path: Path
    state: State
    reasons: tuple[str, ...] = ()
    home: str = ""  # the workspace they name, if they name one


def installed(env: Env, project: Path) -> list[Installation]:
    """Return where our hooks are installed for sessions in a project."""
    places = {
        path: scope
        for scope in (InstallScope.PROJECT, InstallScope.USER)
        for path in settings_paths(scope, env, project)
    }
    off = switched_off(env, project)
    found = []
    for path, scope in places.items():
        if commands := our_commands(path, env):
            found.append(_judged(scope, path, commands, find_outdated(path, env), off))
    plugin = _find_plugin(env, off)
    return [*found, plugin] if plugin else found


def faulty(env: Env, project: Path) -> list[str]:
    """List what is wrong with settings files that the client reads in a project, and the way out.

    Whether hooks are in such a file cannot be seen, and `install` and `uninstall` refuse it.
    """
    paths = [
        path for scope in (InstallScope.PROJECT, InstallScope.USER) for path in settings_paths(scope, env, project)
    ]
    return [fault for path in dict.fromkeys(paths) if (fault := fault_in(path, env))]


def switched_off(env: Env, project: Path) -> Path | None:
    """The file that switches all hooks off for sessions in a project; None if none does.

    Of several files that say something about it, the client believes the nearest: a project's local one, then that
    which its repository carries, then the person's.
    """
    near = reversed(settings_paths(InstallScope.PROJECT, env, project))
    for path in (*near, *settings_paths(InstallScope.USER, env, project)):
        said = _read_object(path, env).get("disableAllHooks")
        if isinstance(said, bool):
            return path if said else None
    return None


def refresh(env: Env, project: Path) -> list[Path]:
    """Renew what is outdated or broken; returns the files that were changed, of a plug-in its folder.

    What cannot be written stays as it is.
    """
    renewed = []
    for it in installed(env, project):
        if it.state not in (State.OUTDATED, State.BROKEN):
            continue
        plans = _plans_for_plugin(it, env) if it.scope is InstallScope.PLUGIN else (plan_refresh(it.path, env),)
        try:
            for plan in plans:
                apply(plan, env)
        except BadSettings:
            continue
        renewed += [it.path] if plans else []
    return renewed


def _judged(
    scope: InstallScope, path: Path, commands: list[str], outdated: list[str], off: Path | None
) -> Installation:
    home = home_in(commands[0])
    if off:
        return Installation(scope, path, State.OFF, (f"disableAllHooks is set in {off}",), home)
    if gone := sorted({name for command in commands for name in missing_files(command)}):
        return Installation(scope, path, State.BROKEN, tuple(f"{name} does not exist" for name in gone), home)
    if outdated:
        return Installation(scope, path, State.OUTDATED, tuple(outdated), home)
    return Installation(scope, path, State.CURRENT, home=home)


def _read_object(path: Path, env: Env) -> dict[str, JSON]:
    """A JSON file's object; an empty one where there is none."""
    try:
        value = json.loads((env.files.read(path) or b"").decode("utf-8-sig"))
    except (ValueError, RecursionError, OSError):
        return {}
    return value if isinstance(value, dict) else {}


# ---- the plug-in


def _find_plugin(env: Env, off: Path | None) -> Installation | None:
    """The plug-in as the client knows it; None if it is not installed there."""
    path = client_folder(env) / "settings.json"
    settings = _read_object(path, env)
    if _inside(settings, "enabledPlugins", PLUGIN) is not True:
        return None
    source = _inside(settings, "extraKnownMarketplaces", MARKETPLACE, "source", "path")
    folder = Path(source) if isinstance(source, str) else None
    if folder is None:
        return Installation(InstallScope.PLUGIN, path, State.BROKEN, ("the client does not know where the plug-in is",))
    commands = _plugin_commands(folder, env)
    if not commands:
        return Installation(InstallScope.PLUGIN, folder, State.BROKEN, (f"{folder / HOOKS} does not exist",))
    plan = plan_plugin(folder, env, home_in(commands[0]))
    outdated = [change for file in plan.files for change in file.changes]
    return _judged(InstallScope.PLUGIN, folder, commands, outdated, off)


def _plugin_commands(folder: Path, env: Env) -> list[str]:
    groups = _read_object(folder / HOOKS, env).get("hooks")
    found = [_inside(group, 0, "hooks", 0, "command") for group in groups.values()] if isinstance(groups, dict) else []
    return [command for command in found if isinstance(command, str)]


def _plans_for_plugin(it: Installation, env: Env) -> tuple[Plan, ...]:
    """The client reads a plug-in from the folder that it was added from, so new files there are all that it takes.

    Without a hook in it, nobody knows which workspace it reported to, unless it lies in the person's own.
    """
    if not _plugin_commands(it.path, env) and it.path.parent != personal_home(env):
        return ()
    return plan_plugin(it.path, env, it.home).files


def _inside(value: JSON, *path: str | int) -> JSON:
    for step in path:
        if isinstance(value, dict) and isinstance(step, str):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and len(value) > step:
            value = value[step]
        else:
            return None
    return value
