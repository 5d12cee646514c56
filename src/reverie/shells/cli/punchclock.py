"""The thing `punchclock`: time spent on things."""

from datetime import tzinfo
from typing import TYPE_CHECKING

import click

from reverie.language.durations import length
from reverie.language.moments import spelled
from reverie.shells.cli.grammar import Noun, example
from reverie.shells.cli.opened_memory import json_option, open_memory, some_text
from reverie.shells.cli.show import as_json, one_line, say, short

if TYPE_CHECKING:
    from reverie.memory import Memory
    from reverie.records.prompt_inputs import Punch
    from reverie.tools.punchclock import PunchclockTool

offset_option = click.option("--offset", default="", metavar="-10m", help="How long ago it happened: -10m, -1h30m.")


@click.group("punchclock", cls=Noun, epilog=example("punchclock add 'the report' --offset -10m"))
def punchclock_command() -> None:
    """Time spent on things; several may run at once. ID may be the end of one, or a label."""


@punchclock_command.command("add", epilog=example("punchclock add 'the report' --offset -10m"))
@click.argument("label", nargs=-1, required=True)
@click.option("--note", default="", help="More about it.")
@offset_option
@json_option
@click.pass_context
def punchclock_add(context: click.Context, label: tuple[str, ...], note: str, offset: str, json_output: bool) -> None:
    """Start counting time for LABEL."""
    some_text(" ".join(label), "a label")
    with open_memory(context, makes=True) as memory:
        tool = memory.punchclock
        _punched(memory, tool, tool.start(" ".join(label), note, offset), json_output)


@punchclock_command.command("done", epilog=example("punchclock done 'the report'"))
@click.argument("id", metavar="ID")
@click.option("--note", default="", help="Text to add to its note.")
@offset_option
@json_option
@click.pass_context
def punchclock_done(context: click.Context, id: str, note: str, offset: str, json_output: bool) -> None:
    """Stop counting for good."""
    with open_memory(context) as memory:
        tool = memory.punchclock
        _punched(memory, tool, tool.complete(id, note, offset), json_output)


@punchclock_command.command("edit", epilog=example("punchclock edit 'the report' --pause"))
@click.argument("id", metavar="ID")
@click.option("--label")
@click.option("--note", help="The new note; an empty one removes it.")
@click.option("--pause", is_flag=True, help="Stop counting for a while.")
@click.option("--resume", is_flag=True, help="Resume counting after a pause.")
@offset_option
@json_option
@click.pass_context
def punchclock_edit(
    context: click.Context,
    id: str,
    label: str | None,
    note: str | None,
    pause: bool,
    resume: bool,
    offset: str,
    json_output: bool,
) -> None:
    """Pause or resume counting; change the label or the note."""
    is_changed = label is not None or note is not None
    if pause and resume:
        raise click.UsageError("--pause and --resume exclude each other")
    if offset and not pause and not resume:
        raise click.UsageError("--offset says when it was paused or resumed: add --pause or --resume")
    if not (is_changed or pause or resume):
        raise click.UsageError("say what to change: --pause, --resume, --label or --note")
    with open_memory(context) as memory:
        tool = memory.punchclock
        if pause:
            punch = tool.pause(id, offset)
        elif resume:
            punch = tool.resume(id, offset)
        if is_changed:
            punch = tool.edit(punch.id if pause or resume else id, label, note)
        _punched(memory, tool, punch, json_output)


@punchclock_command.command("list", epilog=example("punchclock list --state running"))
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
        say("nothing was counted; `reverie punchclock add LABEL` starts" if state is None else f"nothing is {state}")


@punchclock_command.command("show", epilog=example("punchclock show"))
@click.argument("id", metavar="ID", required=False)
@json_option
@click.pass_context
def punchclock_show(context: click.Context, id: str | None, json_output: bool) -> None:
    """Show one entry with its note; without ID, say what is running and paused, and how much time was spent today."""
    with open_memory(context, reads=True) as memory:
        tool = memory.punchclock
        if id is not None:
            punch = tool.get(id)
            _punched(memory, tool, punch, json_output)
            if punch.note and not json_output:
                say(punch.note)
            return
        status = tool.status()
        if json_output:
            as_json(tool.told(status))
            return
        for one in (*status.running, *status.paused):
            say(punch_line(one, tool.zone, memory.env.now_ms()))
    say(f"today: {length(status.today_ms)}")


@punchclock_command.command("remove", epilog=example("punchclock remove K76MKDWB"))
@click.argument("id", metavar="ID")
@json_option
@click.pass_context
def punchclock_remove(context: click.Context, id: str, json_output: bool) -> None:
    """Remove an entry for good, with the time that was counted."""
    with open_memory(context) as memory:
        tool = memory.punchclock
        _punched(memory, tool, tool.delete(id), json_output, "removed: ")


def _punched(memory: "Memory", tool: "PunchclockTool", punch: "Punch", json_output: bool, before: str = "") -> None:
    if json_output:
        as_json(tool.told(punch))
    else:
        say(before + punch_line(punch, tool.zone, memory.env.now_ms()))


def punch_line(punch: "Punch", zone: tzinfo, now_ms: int) -> str:
    """One stretch of work as a person reads it."""
    began, spent = spelled(punch.intervals[0][0], zone), length(punch.spent_ms(now_ms))
    return f"{short(punch.id)}  {punch.state.value:<9} {spent:>8}  {began}  {one_line(punch.label, 60)}"
