"""Commands by which a person decides what memory keeps: memorize, gate, goals, questions."""

import sys

import click

from reverie.errors import BadInput
from reverie.records import GoalStatus, Horizon, Priority
from reverie.shells.cli.ending import NOTHING
from reverie.shells.cli.opening import chosen_project, json_option, open_memory, project_option, some_text
from reverie.shells.cli.show import as_json, is_terminal, one_line, say, when


@click.command("memorize")
@click.argument("text", nargs=-1, required=True)
@click.option("--type", "item_type", default="observation", show_default=True, help="fact, skill, plan, thought, …")
@click.option("--store", default="auto", show_default=True, help="A memory type, or let the gate decide.")
@project_option
@json_option
@click.pass_context
def memorize_command(
    context: click.Context,
    text: tuple[str, ...],
    item_type: str,
    store: str,
    project: str | None,
    everywhere: bool,
    json_output: bool,
) -> None:
    """Ask memory to keep TEXT; it says where that went, and why."""
    where = chosen_project(project, everywhere) or ""
    words = some_text(" ".join(text), "what to keep")
    with open_memory(context, makes=True) as memory:
        done = memory.memorize(words, store=store, type=item_type, project=where, source="user")
    if json_output:
        as_json(done)
    else:
        say(f"{done.verdict} {done.item_id}" + (f" in {done.store} memory" if done.ok else ""))
        for reason in done.reasons:
            say(f"- {reason}")
    if not done.ok:
        sys.exit(NOTHING)


@click.group("gate")
def gate_command() -> None:
    """Say what the gate would do with a text; list and approve what it has set aside."""


@gate_command.command("explain")
@click.argument("text", nargs=-1, required=True)
@click.option("--type", "item_type", default="observation", show_default=True)
@click.option("--trust", default="person", show_default=True, help="Whose word it is.")
@json_option
@click.pass_context
def gate_explain(context: click.Context, text: tuple[str, ...], item_type: str, trust: str, json_output: bool) -> None:
    """Say what would become of TEXT, and why. Nothing is stored."""
    words = some_text(" ".join(text), "what to judge")
    with open_memory(context) as memory:
        lines = memory.explain_gate(words, type=item_type, trust=trust)
    if json_output:
        as_json({"verdict": lines[0].split()[0].rstrip(":"), "lines": lines})
        return
    for line in lines:
        say(line)


@gate_command.command("list")
@json_option
@click.pass_context
def gate_list(context: click.Context, json_output: bool) -> None:
    """List what waits for a person to look at it."""
    with open_memory(context) as memory:
        items = memory.quarantined()
    if json_output:
        as_json(items)
        return
    for item in items:
        say(f"{item.id}  {when(item.created_ms)}  {item.trust.value:<12} {one_line(item.text, 80)}")
    if not items:
        say("nothing is in quarantine")


@gate_command.command("approve")
@click.argument("item_id", metavar="ID")
@json_option
@click.pass_context
def gate_approve(context: click.Context, item_id: str, json_output: bool) -> None:
    """Vouch for an item in quarantine: it has your trust from now on. Only a person at a terminal can."""
    if not is_terminal():
        raise BadInput("approving needs a person at a terminal: an agent that could approve could be talked into it")
    with open_memory(context) as memory:
        item = memory.approve(item_id)
    if json_output:
        as_json(item)
    else:
        say(f"approved {item.id}")


@click.command("goals")
@click.option("--add", metavar="TEXT", help="Work towards this from now on.")
@click.option("--priority", default="normal", type=click.Choice([one.value for one in Priority]))
@click.option("--horizon", default="open", type=click.Choice([one.value for one in Horizon]))
@click.option("--progress", nargs=2, metavar="ID SHARE", help="Say how far one has come, from 0 to 1.")
@click.option("--done", metavar="ID", help="It is reached.")
@click.option("--drop", metavar="ID", help="It is given up.")
@click.option("--all", "show_all", is_flag=True, help="Those that are over too.")
@project_option
@json_option
@click.pass_context
def goals_command(
    context: click.Context,
    add: str | None,
    priority: str,
    horizon: str,
    progress: tuple[str, str] | None,
    done: str | None,
    drop: str | None,
    show_all: bool,
    project: str | None,
    everywhere: bool,
    json_output: bool,
) -> None:
    """List what is worked towards; add a goal, or say how far one has come."""
    where = chosen_project(project, everywhere)
    for given, what in ((add, "a goal"), (done, "--done"), (drop, "--drop")):
        if given is not None:
            some_text(given, what)
    with open_memory(context, makes=add is not None) as memory:
        if add:
            memory.add_goal(add, priority=Priority(priority), horizon=Horizon(horizon), project=where or "")
        if progress:
            memory.set_goal(progress[0], progress=_share(progress[1]))
        for goal_id, status in ((done, GoalStatus.DONE), (drop, GoalStatus.DROPPED)):
            if goal_id:
                memory.set_goal(goal_id, status=status)
        goals = memory.goals(where, everything=show_all)
    if json_output:
        as_json(goals)
        return
    for goal in goals:
        state = f"{goal.status.value:<7} {goal.progress:4.0%}  {goal.priority.value:<6}"
        say(f"{goal.id}  {state} {one_line(goal.text, 70)}")
    if not goals:
        say("no goals")


def _share(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise BadInput(f'"{text}" is no share; it goes from 0 to 1') from None


@click.command("questions")
@click.option("--ask", metavar="TEXT", help="Something you want to know.")
@click.option("--answer", nargs=2, metavar="ID TEXT", help="Answer an open question.")
@click.option("--all", "show_all", is_flag=True, help="Answered ones too.")
@project_option
@json_option
@click.pass_context
def questions_command(
    context: click.Context,
    ask: str | None,
    answer: tuple[str, str] | None,
    show_all: bool,
    project: str | None,
    everywhere: bool,
    json_output: bool,
) -> None:
    """List open questions; ask one, or answer one."""
    where = chosen_project(project, everywhere)
    for given, what in ((ask, "a question"), (answer and answer[1], "an answer")):
        if given is not None:
            some_text(given, what)
    with open_memory(context, makes=ask is not None) as memory:
        if ask:
            memory.ask(ask, project=where or "")
        if answer:
            memory.answer(answer[0], answer[1])
        questions = memory.questions(where, everything=show_all)
    if json_output:
        as_json(questions)
        return
    for question in questions:
        say(
            f"{question.id}  {one_line(question.text, 60)}"
            + (f" -> {one_line(question.answer, 60)}" if question.answer else "")
        )
    if not questions:
        say("no open questions" if not show_all else "no questions")
