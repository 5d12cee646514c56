"""The things `goals` and `questions`: what is worked towards, and what is to be found out."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from reverie.records import Goal, GoalStatus, Horizon, Priority, Question
from reverie.shells.cli.grammar import Noun, example
from reverie.shells.cli.opened_memory import chosen_project, json_option, open_memory, project_option, some_text
from reverie.shells.cli.show import as_json, one_line, say, short
from reverie.tools.check_input import the_one

if TYPE_CHECKING:
    from reverie.memory import Memory


@click.group("goals", cls=Noun, epilog=example("goals add 'Ship 2.0' --priority high"))
def goals_command() -> None:
    """Manage goals: each widens every question a little. ID may be the end of one."""


@goals_command.command("list", epilog=example("goals list --all"))
@click.option("--all", "show_all", is_flag=True, help="Include goals that are over.")
@project_option
@json_option
@click.pass_context
def goals_list(
    context: click.Context, show_all: bool, project: str | None, everywhere: bool, json_output: bool
) -> None:
    """List goals."""
    where = chosen_project(project, everywhere)
    with open_memory(context, reads=True) as memory:
        goals = memory.goals.list(where, everything=show_all)
    if json_output:
        as_json(goals)
        return
    for goal in goals:
        say(_goal_line(goal))
    if not goals:
        say("no goals; `reverie goals add TEXT` adds one")


@goals_command.command("show", epilog=example("goals show K76MKDWB"))
@click.argument("goal_id", metavar="ID")
@json_option
@click.pass_context
def goals_show(context: click.Context, goal_id: str, json_output: bool) -> None:
    """Show a goal in full."""
    with open_memory(context, reads=True) as memory:
        goal = _goal(memory, goal_id)
    if json_output:
        as_json(goal)
        return
    horizon = f", {goal.horizon.value} horizon, in {one_line(goal.project) or 'no project'}"
    say(f"{goal.id}  {goal.status.value} {goal.progress:.0%}, {goal.priority.value} priority{horizon}")
    say(goal.text)


@goals_command.command("add", epilog=example("goals add 'Ship 2.0' --priority high --horizon weeks"))
@click.argument("text", nargs=-1, required=True)
@click.option("--priority", default="normal", type=click.Choice([one.value for one in Priority]))
@click.option("--horizon", default="open", type=click.Choice([one.value for one in Horizon]))
@project_option
@json_option
@click.pass_context
def goals_add(
    context: click.Context,
    text: tuple[str, ...],
    priority: str,
    horizon: str,
    project: str | None,
    everywhere: bool,
    json_output: bool,
) -> None:
    """Add a goal."""
    where = chosen_project(project, everywhere) or ""
    words = some_text(" ".join(text), "a goal")
    with open_memory(context, makes=True) as memory:
        goal = memory.goals.add(words, priority=Priority(priority), horizon=Horizon(horizon), project=where)
    _tell_goal(goal, json_output)


@goals_command.command("edit", epilog=example("goals edit K76MKDWB --progress 0.5"))
@click.argument("goal_id", metavar="ID")
@click.option("--progress", type=float, metavar="SHARE", help="How far it has come, from 0 to 1.")
@click.option("--reopen", is_flag=True, help="It is not over after all.")
@json_option
@click.pass_context
def goals_edit(context: click.Context, goal_id: str, progress: float | None, reopen: bool, json_output: bool) -> None:
    """Say how far a goal has come, or reopen it."""
    if progress is None and not reopen:
        raise click.UsageError("say what to change: --progress SHARE, or --reopen")
    with open_memory(context) as memory:
        status = GoalStatus.ACTIVE if reopen else None
        goal = memory.goals.update(_goal(memory, goal_id).id, progress=progress, status=status)
    _tell_goal(goal, json_output)


@goals_command.command("done", epilog=example("goals done K76MKDWB"))
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@json_option
@click.pass_context
def goals_done(context: click.Context, ids: tuple[str, ...], json_output: bool) -> None:
    """Mark goals as reached."""
    _close(context, ids, GoalStatus.DONE, json_output)


@goals_command.command("remove", epilog=example("goals remove K76MKDWB"))
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@json_option
@click.pass_context
def goals_remove(context: click.Context, ids: tuple[str, ...], json_output: bool) -> None:
    """Mark goals as given up. `goals list --all` still lists them."""
    _close(context, ids, GoalStatus.DROPPED, json_output)


def _close(context: click.Context, ids: Sequence[str], status: GoalStatus, json_output: bool) -> None:
    with open_memory(context) as memory:
        goals = [_goal(memory, one) for one in ids]  # all or none
        closed = [memory.goals.update(goal.id, status=status) for goal in goals]
    if json_output:
        as_json(closed)
        return
    for goal in closed:
        say(_goal_line(goal))


def _goal(memory: "Memory", given: str) -> Goal:
    return the_one(given, memory.goals.list(everything=True), "goal", lambda goal: one_line(goal.text, 60))


def _tell_goal(goal: Goal, json_output: bool) -> None:
    if json_output:
        as_json(goal)
    else:
        say(_goal_line(goal))


def _goal_line(goal: Goal) -> str:
    state = f"{goal.status.value:<7} {goal.progress:4.0%}  {goal.priority.value:<6}"
    return f"{short(goal.id)}  {state} {one_line(goal.text, 70)}"


@click.group("questions", cls=Noun, epilog=example("questions add 'Who owns the staging keys?'"))
def questions_command() -> None:
    """Manage open questions. ID may be the end of one."""


@questions_command.command("list", epilog=example("questions list --all"))
@click.option("--all", "show_all", is_flag=True, help="Include answered questions.")
@project_option
@json_option
@click.pass_context
def questions_list(
    context: click.Context, show_all: bool, project: str | None, everywhere: bool, json_output: bool
) -> None:
    """List open questions."""
    where = chosen_project(project, everywhere)
    with open_memory(context, reads=True) as memory:
        questions = memory.goals.questions(where, everything=show_all)
    if json_output:
        as_json(questions)
        return
    for question in questions:
        say(_question_line(question))
    if not questions:
        say(f"no {'' if show_all else 'open '}questions; `reverie questions add TEXT` adds one")


@questions_command.command("add", epilog=example("questions add 'Who owns the staging keys?'"))
@click.argument("text", nargs=-1, required=True)
@project_option
@json_option
@click.pass_context
def questions_add(
    context: click.Context, text: tuple[str, ...], project: str | None, everywhere: bool, json_output: bool
) -> None:
    """Add something you want to know."""
    where = chosen_project(project, everywhere) or ""
    words = some_text(" ".join(text), "a question")
    with open_memory(context, makes=True) as memory:
        question = memory.goals.ask(words, project=where)
    _tell_question(question, json_output)


@questions_command.command("done", epilog=example("questions done K76MKDWB 'Ana does'"))
@click.argument("question_id", metavar="ID")
@click.argument("answer", nargs=-1, required=True)
@json_option
@click.pass_context
def questions_done(context: click.Context, question_id: str, answer: tuple[str, ...], json_output: bool) -> None:
    """Answer a question."""
    words = some_text(" ".join(answer), "an answer")
    with open_memory(context) as memory:
        kept = memory.goals.questions(everything=True)
        found = the_one(question_id, kept, "question", lambda question: one_line(question.text, 60))
        question = memory.goals.answer(found.id, words)
    _tell_question(question, json_output)


def _tell_question(question: Question, json_output: bool) -> None:
    if json_output:
        as_json(question)
    else:
        say(_question_line(question))


def _question_line(question: Question) -> str:
    answer = f" -> {one_line(question.answer, 60)}" if question.answer else ""
    return f"{short(question.id)}  {one_line(question.text, 60)}{answer}"
