"""Put our hooks into a coding agent, take them out again, and say how they are."""

from reverie.shells.install.claude_code import (
    InstallScope,
    find_outdated,
    plan_install,
    plan_refresh,
    plan_uninstall,
    settings_path,
    settings_paths,
)
from reverie.shells.install.entries import check_hook, home_argument, precompile
from reverie.shells.install.files import Plan, apply
from reverie.shells.install.folders import note_missing, remove_made
from reverie.shells.install.plugin import PluginPlan, plan_plugin, plan_plugin_removal, remove_plugin, write_plugin
from reverie.shells.install.status import Installation, State, faulty, installed, refresh, switched_off

__all__ = [
    "InstallScope",
    "Installation",
    "Plan",
    "PluginPlan",
    "State",
    "apply",
    "check_hook",
    "faulty",
    "find_outdated",
    "home_argument",
    "installed",
    "note_missing",
    "plan_install",
    "plan_plugin",
    "plan_plugin_removal",
    "plan_refresh",
    "plan_uninstall",
    "precompile",
    "refresh",
    "remove_made",
    "remove_plugin",
    "settings_path",
    "settings_paths",
    "switched_off",
    "write_plugin",
]
