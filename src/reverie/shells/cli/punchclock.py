"""The command `punchclock`: what an agent may call, from a terminal."""

from datetime import tzinfo
from typing import TYPE_CHECKING

import click

from reverie.language.durations import length
from reverie.language.moments import spelled
from reverie.shells.cli.opened_memory import json_option, open_memory, some_text
from reverie.shells.cli.show import as_json, one_line, say

if TYPE_CHECKING:
    from reverie.memory import Memory
    from reverie.records.prompt_inputs import Punch
    from reverie.tools.punchclock import PunchclockTool

offset_option = click.option("--offset", default="", metavar="-10m", help="How long ago it happened: -10m, -1h30m.")


@click.group("punchclock")
def punchclock_command() -> None:
    """Track the time spent on things. ID may be an id's first or last characters, or a label."""


@punchclock_command.command("start")
@click.argument("label", nargs=-1, required=True)
@click.option("--note", default="", help="More about it.")
@offset_option
@json_option
@click.pass_context
def punchclock_start(context: click.Context, label: tuple[str, ...], note: str, offset: str, json_output: bool) -> None:
    """Start counting time for LABEL."""
    some_text(" ".join(label), "a label")
    with open_memory(context, makes=True) as memory:
        tool = memory.punchclock
        _punched(memory, tool, tool.start(" ".join(label), note, offset), json_output)


@punchclock_command.command("pause")
@click.argument("id")
@offset_option
@json_option
@click.pass_context
def punchclock_pause(context: click.Context, id: str, offset: str, json_output: bool) -> None:
    """Stop counting for a while."""
    with open_memory(context) as memory:
        tool = memory.punchclock
        _punched(memory, tool, tool.pause(id, offset), json_output)


@punchclock_command.command("resume")
@click.argument("id")
@offset_option
@json_option
@click.pass_context
def punchclock_resume(context: click.Context, id: str, offset: str, json_output: bool) -> None:
    """Resume counting after a pause."""
    with open_memory(context) as memory:
        tool = memory.punchclock
        _punched(memory, tool, tool.resume(id, offset), json_output)


@punchclock_command.command("stop")
@click.argument("id")
@click.option("--note", default="", help="Text to add to its note.")
@offset_option
@json_option
@click.pass_context
def punchclock_stop(context: click.Context, id: str, note: str, offset: str, json_output: bool) -> None:
    """Stop counting for good."""
    with open_memory(context) as memory:
        tool = memory.punchclock
        _punched(memory, tool, tool.complete(id, note, offset), json_output)


@punchclock_command.command("edit")
@click.argument("id")
@click.option("--label")
@click.option("--note", help="The new note; an empty one removes it.")
@json_option
@click.pass_context
def punchclock_edit(context: click.Context, id: str, label: str | None, note: str | None, json_output: bool) -> None:
    """Change the label or the note."""
    with open_memory(context) as memory:
        tool = memory.punchclock
        _punched(memory, tool, tool.edit(id, label, note), json_output)


@punchclock_command.command("list")
@click.option("--state", type=click.Choice(["running", "paused", "completed"]), help="Only entries in this state.")
@json_option
@click.pass_context
def punchclock_list(context: click.Context, state: str | None, json_output: bool) -> None:
    """List everything in the order it began."""
    with open_memory(context, reads=True) as memory:
        tool = memory.punchclock
        found = tool.list(state)  # type: ignore[arg-type]
        if json_output:
            as_json(tool.told(found))
            return
        for one in found:
            say(punch_line(one, tool.zone, memory.env.now_ms()))
    if not found:
        say("nothing was counted" if state is None else f"nothing is {state}")


@punchclock_command.command("status")
@json_option
@click.pass_context
def punchclock_status(context: click.Context, json_output: bool) -> None:
    """Say what is running and paused, and how much time was spent today."""
    with open_memory(context, reads=True) as memory:
        tool = memory.punchclock
        status = tool.status()
        if json_output:
            as_json(tool.told(status))
            return
        for one in (*status.running, *status.paused):
            say(punch_line(one, tool.zone, memory.env.now_ms()))
    say(f"today: {length(status.today_ms)}")


@punchclock_command.command("delete")
@click.argument("id")
@json_option
@click.pass_context
def punchclock_delete(context: click.Context, id: str, json_output: bool) -> None:
    """Delete an entry for good, with the time that was counted."""
    with open_memory(context) as memory:
        tool = memory.punchclock
        _punched(memory, tool, tool.delete(id), json_output, "deleted: ")


def _punched(memory: "Memory", tool: "PunchclockTool", punch: "Punch", json_output: bool, before: str = "") -> None:
    if json_output:
        as_json(tool.told(punch))
    else:
        say(before + punch_line(punch, tool.zone, memory.env.now_ms()))


def punch_line(punch: "Punch", zone: tzinfo, now_ms: int) -> str:
    """One stretch of work as a person reads it."""
    began = spelled(punch.intervals[0][0], zone)
    return (
        f"{punch.id}  {punch.state.value:<9} {length(punch.spent_ms(now_ms)):>8}  {began}  {one_line(punch.label, 60)}"
    )
