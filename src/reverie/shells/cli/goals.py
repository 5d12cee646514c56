"""The commands `goals` and `questions`: what is worked towards, and what is to be found out."""

import click

from reverie.errors import BadInput
from reverie.records import GoalStatus, Horizon, Priority
from reverie.shells.cli.opened_memory import chosen_project, json_option, open_memory, project_option, some_text
from reverie.shells.cli.show import as_json, one_line, say


@click.command("goals")
@click.option("--add", metavar="TEXT", help="Add this goal.")
@click.option("--priority", default="normal", type=click.Choice([one.value for one in Priority]))
@click.option("--horizon", default="open", type=click.Choice([one.value for one in Horizon]))
@click.option("--progress", nargs=2, metavar="ID SHARE", help="Say how far a goal has come, from 0 to 1.")
@click.option("--done", metavar="ID", help="Mark a goal as reached.")
@click.option("--drop", metavar="ID", help="Mark a goal as given up.")
@click.option("--all", "show_all", is_flag=True, help="Include goals that are over.")
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
    """List goals; add one, or say how far one has come."""
    where = chosen_project(project, everywhere)
    for given, what in ((add, "a goal"), (done, "--done"), (drop, "--drop")):
        if given is not None:
            some_text(given, what)
    with open_memory(context, makes=add is not None) as memory:
        if add:
            memory.goals.add(add, priority=Priority(priority), horizon=Horizon(horizon), project=where or "")
        if progress:
            memory.goals.update(progress[0], progress=_share(progress[1]))
        for goal_id, status in ((done, GoalStatus.DONE), (drop, GoalStatus.DROPPED)):
            if goal_id:
                memory.goals.update(goal_id, status=status)
        goals = memory.goals.list(where, everything=show_all)
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
        raise BadInput(f'"{text}" is not a share; give a number from 0 to 1') from None


@click.command("questions")
@click.option("--ask", metavar="TEXT", help="Something you want to know.")
@click.option("--answer", nargs=2, metavar="ID TEXT", help="Answer an open question.")
@click.option("--all", "show_all", is_flag=True, help="Include answered questions.")
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
            memory.goals.ask(ask, project=where or "")
        if answer:
            memory.goals.answer(answer[0], answer[1])
        questions = memory.goals.questions(where, everything=show_all)
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
