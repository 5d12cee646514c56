"""The thing `actions`: what is left to do."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from reverie.errors import BadInput
from reverie.records import Action, ActionStatus, Priority
from reverie.shells.cli.grammar import Noun, example
from reverie.shells.cli.opened_memory import chosen_project, json_option, open_memory, some_text
from reverie.shells.cli.show import as_json, counted, one_line, say, short, when
from reverie.tools.check_input import the_one

if TYPE_CHECKING:
    from reverie.memory import Memory


@click.group("actions", cls=Noun, epilog=example("actions done K76MKDWB"))
def actions_command() -> None:
    """Manage pending actions, as they were said or learned. ID may be the end of one."""


@actions_command.command("list", epilog=example("actions list --all"))
@click.option("--all", "show_all", is_flag=True, help="Include closed actions.")
@json_option
@click.pass_context
def actions_list(context: click.Context, show_all: bool, json_output: bool) -> None:
    """List pending actions."""
    with open_memory(context, reads=True) as memory:
        actions = memory.engine.actions.all() if show_all else memory.actions.list()
    if json_output:
        as_json(actions)
        return
    names_project = len({it.project for it in actions}) > 1
    for it in actions:
        where = f"  in {one_line(it.project) or 'no project'}" if names_project else ""
        what = f"{it.status.value:<9} {it.priority.value:<6} {it.owner.value:<5} {one_line(it.text, 80)}"
        say(f"{short(it.id)}  {what}{where}")
    if not actions:
        which = "actions" if show_all else "pending actions"
        say(f"no {which}; `reverie actions add TEXT` adds one, and so does telling an agent")


@actions_command.command("show", epilog=example("actions show K76MKDWB"))
@click.argument("action_id", metavar="ID")
@json_option
@click.pass_context
def actions_show(context: click.Context, action_id: str, json_output: bool) -> None:
    """Show an action in full."""
    with open_memory(context, reads=True) as memory:
        action = _action(memory, action_id)
    if json_output:
        as_json(action)
        return
    said = f"{when(action.created_ms)}, {action.priority.value} priority, for the {action.owner.value}"
    say(f"{action.id}  {action.status.value}, {said}, in {one_line(action.project) or 'no project'}")
    say(action.text)
    if action.reason:
        say(f"closed by {action.closed_by}: {one_line(action.reason, 200)}")


@actions_command.command("add", epilog=example("actions add 'Rotate the staging key' --priority high"))
@click.argument("text", nargs=-1, required=True)
@click.option("--priority", type=click.Choice([one.value for one in Priority]), default="normal", show_default=True)
@click.option("--personal", is_flag=True, help="About you, not about this project.")
@json_option
@click.pass_context
def actions_add(
    context: click.Context, text: tuple[str, ...], priority: str, personal: bool, json_output: bool
) -> None:
    """Put TEXT on the list; agents are told it until it is done. With a time it is a reminder: `reminders add`."""
    project = "" if personal else chosen_project(None, False) or ""
    with open_memory(context, makes=True) as memory:
        action = memory.actions.add(
            some_text(" ".join(text), "an action"), project=project, priority=Priority(priority)
        )
    if json_output:
        as_json(action)
    else:
        say(f"{short(action.id)}  {one_line(action.text, 80)}")


@actions_command.command("done", epilog=example("actions done K76MKDWB"))
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@json_option
@click.pass_context
def actions_done(context: click.Context, ids: tuple[str, ...], json_output: bool) -> None:
    """Mark actions as done."""
    _close(context, ids, ActionStatus.DONE, json_output)


@actions_command.command("remove", epilog=example("actions remove K76MKDWB"))
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@json_option
@click.pass_context
def actions_remove(context: click.Context, ids: tuple[str, ...], json_output: bool) -> None:
    """Take actions off the list: they need not be done. `actions list --all` still lists them."""
    _close(context, ids, ActionStatus.DISMISSED, json_output)


def _close(context: click.Context, ids: Sequence[str], status: ActionStatus, json_output: bool) -> None:
    with open_memory(context) as memory:
        named = dict.fromkeys(_pending(memory, given).id for given in ids)  # all or none
        closed = [memory.actions.close(one, status, by="user") for one in named]
        left = len(memory.actions.list())
    if json_output:
        as_json(closed)
        return
    for it in closed:
        say(f"{it.status.value}: {one_line(it.text, 80)}")
    say(f"{counted(left, 'pending action')} left" if left else "no pending actions")


def _action(memory: "Memory", given: str) -> Action:
    return the_one(given, memory.engine.actions.all(), "action", lambda action: one_line(action.text, 60))


def _pending(memory: "Memory", given: str) -> Action:
    """Return the action that is meant, if it can still be closed."""
    action = _action(memory, given)
    if action.status is not ActionStatus.PENDING:
        raise BadInput(f'"{one_line(action.text, 60)}" is {action.status.value} already')
    return action
