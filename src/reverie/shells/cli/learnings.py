"""The thing `learnings`: what was learned lately."""

from math import ceil
from typing import TYPE_CHECKING

import click

from reverie.errors import BadInput
from reverie.shells.cli.grammar import Noun, example
from reverie.shells.cli.opened_memory import (
    chosen_folder,
    chosen_project,
    if_missing,
    json_option,
    open_memory,
    project_option,
)
from reverie.shells.cli.show import as_json, one_line, say, short, when
from reverie.tools.check_input import the_one

if TYPE_CHECKING:
    from reverie.memory import Memory

_MOST_HOURS = 1_000_000  # a century and more


@click.group("learnings", cls=Noun, epilog=example("learnings list --hours 168"))
def learnings_command() -> None:
    """Show recent learnings. ID may be the end of one; `forget id:ID` takes a learning back."""


@learnings_command.command("list", epilog=example("learnings list --hours 168 --everywhere"))
@click.option("--hours", default=48.0, show_default=True, help="How far back.")
@project_option
@json_option
@click.pass_context
def learnings_list(
    context: click.Context, hours: float, project: str | None, everywhere: bool, json_output: bool
) -> None:
    """List what was learned lately, newest first."""
    if not 0 <= hours <= _MOST_HOURS:
        raise BadInput(f"--hours {hours} is not a length of time; it takes a number from 0 to {_MOST_HOURS:,}")
    wanted = chosen_project(project, everywhere)
    with open_memory(context, reads=True) as memory:
        since = memory.env.now_ms() - int(hours * 3_600_000)
        wanted = wanted and memory.parts.store.clean_name(wanted)
        found = memory.engine.learnings.recent(since, wanted)
        wider = "" if found or json_output else _wider(memory, wanted)
    if json_output:
        as_json(found)
        return
    for it in found:
        said = f"{it.type.value:<10} {it.confidence:.2f}  {one_line(it.text, 90)}"
        say(f"{short(it.id)}  {when(it.learned_ms)}  {said}")
    if not found:
        say(f"nothing learned in the last {hours:g} h" + wider + if_missing(chosen_folder(project, everywhere)))


@learnings_command.command("show", epilog=example("learnings show K76MKDWB"))
@click.argument("learning_id", metavar="ID")
@json_option
@click.pass_context
def learnings_show(context: click.Context, learning_id: str, json_output: bool) -> None:
    """Show a learning in full, and what it was learned from."""
    with open_memory(context, reads=True) as memory:
        everything = memory.engine.learnings.all()
        learning = the_one(learning_id, everything, "learning", lambda one: one_line(one.text, 60))
        source = memory.engine.log.get(learning.observation_id)
    if json_output:
        as_json(learning)
        return
    trust = f"confidence {learning.confidence:.2f}, trust {learning.trust.value}, by {learning.origin}"
    say(f"{learning.id}  {when(learning.learned_ms)}  {learning.type.value}, {trust}")
    say(learning.text)
    if source:
        say(f"  from {source.speaker or source.kind.value}: {one_line(source.text, 300)}")
    if learning.superseded_by:
        say(f"  superseded by {short(learning.superseded_by)}")


@learnings_command.command("edit", epilog=example("learnings edit K76MKDWB --personal"))
@click.argument("learning_id", metavar="ID")
@click.option("--personal/--project", "personal", default=None, help="Whose it is: yours everywhere, or the project's.")
@json_option
@click.pass_context
def learnings_edit(context: click.Context, learning_id: str, personal: bool | None, json_output: bool) -> None:
    """Move a learning to you in every project, or to the project in which it was said."""
    if personal is None:
        raise BadInput("say whose it is: --personal or --project")
    with open_memory(context) as memory:
        everything = memory.engine.learnings.all()
        learning = the_one(learning_id, everything, "learning", lambda one: one_line(one.text, 60))
        moved = memory.learnings.move(learning.id, personal=personal)
    if json_output:
        as_json(moved)
        return
    say(f"{short(moved.id)} is {f'of the project {moved.project}' if moved.project else 'yours in every project'}")


def _wider(memory: "Memory", project: str | None) -> str:
    """With which options something would be listed; "" if with none."""
    for where, option, what in ((project, "", "came before"), (None, " --everywhere", "comes from other projects")):
        if older := memory.engine.learnings.recent(0, where):
            hours = ceil((memory.env.now_ms() - min(it.learned_ms for it in older)) / 3_600_000)
            return f"; `--hours {min(hours + 1, _MOST_HOURS)}{option}` lists what {what}"
    return ""
