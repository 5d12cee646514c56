"""The plug-in for Claude Code: a folder that the client can add as a marketplace, with our hooks in it."""

import os
import shlex
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from reverie.ports import Env
from reverie.records import JSON
from reverie.shells.install.entries import group_of, hook_entries
from reverie.shells.install.files import Plan, apply
from reverie.shells.install.jsontext import Style, render

MARKETPLACE = "reverie-local"
PLUGIN = f"reverie@{MARKETPLACE}"
HOOKS = "reverie/hooks/hooks.json"

_README = """\
# Reverie

Working memory for coding agents.
This plug-in tells Reverie what happens in your sessions: your prompts, the tools that run, and the replies.
Secrets are removed before anything is written, and nothing leaves this machine.
What is worth knowing is distilled in the background and handed to the agent when its next session starts.

`reverie status` shows whether events arrive, and `reverie search` finds what was said.
`reverie uninstall claude-code --plugin` removes the plug-in again.
"""
_LICENSE = """\
SPDX-License-Identifier: Apache-2.0

Licensed under the Apache License, Version 2.0 (the "License"); you may not use this plug-in except in compliance with
the License. You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software distributed under the License is distributed on an
"AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific
language governing permissions and limitations under the License.
"""
_DESCRIPTION = "Working memory for coding agents: captures sessions and hands back what is worth knowing."


@dataclass(frozen=True, slots=True)
class PluginPlan:
    """The files that change, and the commands that a person then runs to make the client see it."""

    files: tuple[Plan, ...]
    commands: tuple[str, ...]


def plan_plugin(folder: Path, env: Env, home: str = "") -> PluginPlan:
    """The marketplace folder as it should be."""
    plans = [
        Plan(folder / name, env.files.read(folder / name), data, (f"write {name}",))
        for name, data in _contents(home).items()
    ]
    commands = (f"claude plugin marketplace add {shlex.quote(str(folder))}", f"claude plugin install {PLUGIN}")
    return PluginPlan(tuple(plan for plan in plans if plan.is_needed), commands)


def plan_plugin_removal(folder: Path, env: Env) -> PluginPlan:
    """The folder without what we wrote into it."""
    there = [(name, env.files.read(folder / name)) for name in _contents("")]
    plans = [Plan(folder / name, data, None, (f"remove {name}",)) for name, data in there if data is not None]
    commands = (f"claude plugin uninstall {PLUGIN}", f"claude plugin marketplace remove {MARKETPLACE}")
    return PluginPlan(tuple(plans), commands)


def write_plugin(folder: Path, env: Env, home: str = "") -> tuple[str, ...]:
    """Write the plug-in; returns the commands to run."""
    plan = plan_plugin(folder, env, home)
    for file in plan.files:
        apply(file, env)
    return plan.commands


def remove_plugin(folder: Path, env: Env) -> tuple[str, ...]:
    """Remove the plug-in; returns the commands to run. A file that somebody else put there stays."""
    plan = plan_plugin_removal(folder, env)
    for file in plan.files:
        apply(file, env)
    for name in ("reverie/.claude-plugin", "reverie/hooks", "reverie", ".claude-plugin", "."):
        try:
            os.rmdir(folder / name)
        except OSError:
            continue  # not ours alone, or not there
    return plan.commands


def _contents(home: str) -> dict[str, bytes]:
    hooks: dict[str, JSON] = {event: [group_of(event, entry)] for event, entry in hook_entries(home).items()}
    listed: JSON = {"name": "reverie", "source": "./reverie", "description": _DESCRIPTION}
    files: dict[str, JSON] = {
        ".claude-plugin/marketplace.json": {
            "name": MARKETPLACE,
            "description": "Reverie, as it is installed on this machine.",
            "owner": {"name": "Reverie"},
            "plugins": [listed],
        },
        "reverie/.claude-plugin/plugin.json": {
            "name": "reverie",
            "version": version("reverie"),
            "description": _DESCRIPTION,
            "author": {"name": "Reverie"},
            "license": "Apache-2.0",
        },
        HOOKS: {"description": "Captures what happens, and hands back what is worth knowing.", "hooks": hooks},
    }
    texts = {"reverie/README.md": _README, "reverie/LICENSE": _LICENSE}
    rendered = {name: render(value, Style()) + "\n" for name, value in files.items()}
    return {name: text.encode() for name, text in (rendered | texts).items()}
