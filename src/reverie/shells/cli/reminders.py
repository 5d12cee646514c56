"""The command `reminders`: what an agent may call, from a terminal."""

from datetime import tzinfo
from typing import TYPE_CHECKING

import click

from reverie.errors import BadInput
from reverie.language.moments import spelled
from reverie.shells.cli.opened_memory import json_option, open_memory, some_text
from reverie.shells.cli.show import as_json, one_line, say

if TYPE_CHECKING:
    from reverie.records.prompt_inputs import Reminder
    from reverie.tools.reminders import ReminderTool

_TIMES = 'As people say it: "tomorrow at 9", "in 20 minutes", "friday 14:00", "2026-12-01 10:00".'
_LISTS = ("today", "tomorrow", "upcoming", "overdue", "all", "done")


@click.group("reminders")
def reminders_command() -> None:
    """Set and list reminders. ID may be an id's first or last characters."""


@reminders_command.command("add")
@click.argument("title", nargs=-1, required=True)
@click.option("--when", required=True, metavar="TIME", help=_TIMES)
@click.option("--note", default="", help="More about it.")
@click.option("--internal", is_flag=True, help="For the agent, not for you.")
@json_option
@click.pass_context
def reminders_add(
    context: click.Context, title: tuple[str, ...], when: str, note: str, internal: bool, json_output: bool
) -> None:
    """Remind me of TITLE."""
    some_text(" ".join(title), "a reminder")
    with open_memory(context, makes=True) as memory:
        tool = memory.reminders
        _show(tool, tool.add(" ".join(title), when, note, "internal" if internal else "user"), json_output)


@reminders_command.command("list")
@click.argument("when", required=False, type=click.Choice(_LISTS))
@click.option("--from", "start", metavar="TIME", help="From this day or time on, including done ones; needs --to.")
@click.option("--to", "end", metavar="TIME", help="Up to and including this day or time.")
@json_option
@click.pass_context
def reminders_list(
    context: click.Context, when: str | None, start: str | None, end: str | None, json_output: bool
) -> None:
    """List reminders: all that are overdue or ahead, unless WHEN says otherwise."""
    if (start is None) != (end is None) or (when and start):
        raise BadInput("use --from and --to together, and without WHEN")
    with open_memory(context, reads=True) as memory:
        tool = memory.reminders
        if start is not None and end is not None:
            found = tool.range(start, end)
        elif when is None:
            found = [*tool.list("overdue"), *tool.list("upcoming")]
        else:
            found = tool.list(when)  # type: ignore[arg-type]
        now = memory.env.now_ms()
    if json_output:
        as_json(tool.told(found))
        return
    for one in found:
        say(reminder_line(one, tool.zone, now))
    if not found:
        say("no reminders")


@reminders_command.command("show")
@click.argument("id")
@json_option
@click.pass_context
def reminders_show(context: click.Context, id: str, json_output: bool) -> None:
    """Show a reminder with its note."""
    with open_memory(context, reads=True) as memory:
        tool = memory.reminders
        reminder = tool.get(id)
        _show(tool, reminder, json_output)
    if reminder.note and not json_output:
        say(reminder.note)


@reminders_command.command("done")
@click.argument("id")
@json_option
@click.pass_context
def reminders_done(context: click.Context, id: str, json_output: bool) -> None:
    """Mark a reminder as done."""
    with open_memory(context) as memory:
        tool = memory.reminders
        _show(tool, tool.complete(id), json_output)


@reminders_command.command("reopen")
@click.argument("id")
@json_option
@click.pass_context
def reminders_reopen(context: click.Context, id: str, json_output: bool) -> None:
    """Reopen a reminder that is not done after all."""
    with open_memory(context) as memory:
        tool = memory.reminders
        _show(tool, tool.reopen(id), json_output)


@reminders_command.command("change")
@click.argument("id")
@click.option("--title")
@click.option("--when", metavar="TIME", help=_TIMES)
@click.option("--note", help="The new note; an empty one removes it.")
@json_option
@click.pass_context
def reminders_change(
    context: click.Context, id: str, title: str | None, when: str | None, note: str | None, json_output: bool
) -> None:
    """Change the title, the time or the note."""
    with open_memory(context) as memory:
        tool = memory.reminders
        _show(tool, tool.update(id, title, when, note), json_output)


@reminders_command.command("delete")
@click.argument("id")
@json_option
@click.pass_context
def reminders_delete(context: click.Context, id: str, json_output: bool) -> None:
    """Delete a reminder for good."""
    with open_memory(context) as memory:
        tool = memory.reminders
        _show(tool, tool.delete(id), json_output, "deleted: ")


def _show(tool: "ReminderTool", reminder: "Reminder", json_output: bool, before: str = "") -> None:
    if json_output:
        as_json(tool.told(reminder))
    else:
        say(before + reminder_line(reminder, tool.zone))


def reminder_line(reminder: "Reminder", zone: tzinfo, now_ms: int | None = None) -> str:
    """One reminder as a person reads it; what is overdue says so where the time is known."""
    state = " done" if reminder.status == "done" else ""
    if not state and now_ms is not None and reminder.due_ms <= now_ms:
        state = " overdue"
    internal = " (internal)" if reminder.kind == "internal" else ""
    return f"{reminder.id}  {spelled(reminder.due_ms, zone)}{state}  {one_line(reminder.title, 80)}{internal}"
