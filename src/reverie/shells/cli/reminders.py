"""The thing `reminders`: what to be reminded of, and when."""

from datetime import tzinfo
from typing import TYPE_CHECKING

import click

from reverie.errors import BadInput
from reverie.language.moments import spelled
from reverie.shells.cli.grammar import Noun, example
from reverie.shells.cli.opened_memory import json_option, open_memory, some_text
from reverie.shells.cli.show import as_json, one_line, say, short

if TYPE_CHECKING:
    from reverie.records.prompt_inputs import Reminder
    from reverie.tools.reminders import ReminderTool

_TIMES = 'As people say it: "tomorrow at 9", "in 20 minutes", "friday 14:00", "2026-12-01 10:00".'
_LISTS = ("today", "tomorrow", "upcoming", "overdue", "all", "done")


@click.group("reminders", cls=Noun, epilog=example("reminders add 'Call Ana' --when 'tomorrow at 9'"))
def reminders_command() -> None:
    """Manage reminders. ID may be the end of one."""


@reminders_command.command("add", epilog=example("reminders add 'Call Ana' --when 'tomorrow at 9'"))
@click.argument("title", nargs=-1, required=True)
@click.option("--when", required=True, metavar="TIME", help=_TIMES)
@click.option("--note", default="", help="More about it.")
@click.option("--internal", is_flag=True, help="For the agent, not for you.")
@json_option
@click.pass_context
def reminders_add(
    context: click.Context, title: tuple[str, ...], when: str, note: str, internal: bool, json_output: bool
) -> None:
    """Add a reminder of TITLE."""
    some_text(" ".join(title), "a reminder")
    with open_memory(context, makes=True) as memory:
        tool = memory.reminders
        _show(tool, tool.add(" ".join(title), when, note, "internal" if internal else "user"), json_output)


@reminders_command.command("list", epilog=example("reminders list tomorrow"))
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
        say("no reminders" + ("" if when or start else "; `reverie reminders add TITLE --when TIME` adds one"))


@reminders_command.command("show", epilog=example("reminders show K76MKDWB"))
@click.argument("id", metavar="ID")
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


@reminders_command.command("done", epilog=example("reminders done K76MKDWB"))
@click.argument("id", metavar="ID")
@json_option
@click.pass_context
def reminders_done(context: click.Context, id: str, json_output: bool) -> None:
    """Mark a reminder as done."""
    with open_memory(context) as memory:
        tool = memory.reminders
        _show(tool, tool.complete(id), json_output)


@reminders_command.command("edit", epilog=example("reminders edit K76MKDWB --when 'friday 14:00'"))
@click.argument("id", metavar="ID")
@click.option("--title")
@click.option("--when", metavar="TIME", help=_TIMES)
@click.option("--note", help="The new note; an empty one removes it.")
@click.option("--reopen", is_flag=True, help="It is not done after all.")
@json_option
@click.pass_context
def reminders_edit(
    context: click.Context,
    id: str,
    title: str | None,
    when: str | None,
    note: str | None,
    reopen: bool,
    json_output: bool,
) -> None:
    """Change the title, the time or the note; or reopen a reminder that is not done after all."""
    is_changed = (title, when, note) != (None, None, None)
    if not is_changed and not reopen:
        raise click.UsageError("say what to change: --title, --when, --note or --reopen")
    with open_memory(context) as memory:
        tool = memory.reminders
        reminder = tool.reopen(id) if reopen else tool.get(id)
        reminder = tool.update(reminder.id, title, when, note) if is_changed else reminder
        _show(tool, reminder, json_output)


@reminders_command.command("remove", epilog=example("reminders remove K76MKDWB"))
@click.argument("id", metavar="ID")
@json_option
@click.pass_context
def reminders_remove(context: click.Context, id: str, json_output: bool) -> None:
    """Remove a reminder for good."""
    with open_memory(context) as memory:
        tool = memory.reminders
        _show(tool, tool.delete(id), json_output, "removed: ")


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
    return f"{short(reminder.id)}  {spelled(reminder.due_ms, zone)}{state}  {one_line(reminder.title, 80)}{internal}"
