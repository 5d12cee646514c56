"""Commands that ask memory and say why: recall, explain."""

import sys
from typing import Any

import click

from reverie.errors import BadInput
from reverie.shells.asking_steward import ask_steward
from reverie.shells.cli.exit_codes import NOTHING
from reverie.shells.cli.grammar import example
from reverie.shells.cli.opened_memory import (
    chosen_project,
    everything_option,
    filter_option,
    json_option,
    nothing_fits,
    open_by_words,
    open_memory,
    overrides_of,
    project_option,
    some_text,
    workspace_of,
)
from reverie.shells.cli.progress import working
from reverie.shells.cli.show import as_json, jsonable, say, short


@click.command("recall", epilog=example("recall 'how do we deploy?' --budget 1000 --why"))
@click.argument("prompt", nargs=-1, required=True)
@click.option("--budget", default=2000, show_default=True, type=click.IntRange(1, 1_000_000), help="In tokens.")
@click.option("--why", is_flag=True, help="Say for each memory why it is there.")
@everything_option
@filter_option
@project_option
@json_option
@click.pass_context
def recall_command(
    context: click.Context,
    prompt: tuple[str, ...],
    budget: int,
    why: bool,
    everything: bool,
    filters: tuple[str, ...],
    project: str | None,
    everywhere: bool,
    json_output: bool,
) -> None:
    """Show what memory would tell an agent given PROMPT, within a budget of tokens."""
    words, where = some_text(" ".join(prompt), "a prompt"), chosen_project(project, everywhere)
    workspace, env, settings = workspace_of(context)
    question: dict[str, Any] = {"ask": "recall", "prompt": words, "budget": budget, "project": where}
    question["user"] = settings.user
    question |= {"filters": filters, "everything": everything}
    told = None
    if not overrides_of(context):
        told = ask_steward(workspace, env, question, "by words alone; `reverie up --detach` searches by meaning too")
    if told is None:
        from reverie.daemon.index_worker import answer_command

        with open_by_words(context) as memory, working("looking"):
            told = jsonable(answer_command(memory, question))
    if "error" in told:
        raise BadInput(told["error"])
    if json_output:
        as_json(told)
    else:
        say(told["text"] or nothing_fits(everywhere=everywhere, everything=everything))
        for line in told["explanation"] if why else ():
            say(line)
        say(f"{told['tokens']} of {told['budget_tokens']} tokens; `reverie explain {short(told['turn'])}`")
    if not told["text"]:
        sys.exit(NOTHING)


@click.command("explain", epilog=example("explain K76MKDWB"))
@click.argument("turn", default="")
@click.option("--told", is_flag=True, help="What agents were told at prompts and files; TURN is a session then.")
@json_option
@click.pass_context
def explain_command(context: click.Context, turn: str, told: bool, json_output: bool) -> None:
    """Show what was asked, found and packed in a TURN, and why; by default the latest."""
    if told:
        _explain_told(context, turn, json_output)
        return
    with open_memory(context) as memory:
        explained = memory.explain(turn)
    if json_output:
        as_json(explained)
        return
    for line in explained.lines():
        say(line)


def _explain_told(context: click.Context, session: str, json_output: bool) -> None:
    with open_memory(context) as memory:
        found = memory.parts.traces.told_to(session)
    if json_output:
        as_json(found)
    elif not found:
        where = f"in a session {session}" if session else "at a prompt yet"
        say(f"nothing was told {where}; the context of a session's start is shown by `reverie context`")
    for one in reversed(found) if not json_output else ():
        for line in one.lines()[1:]:
            say(line)
    if not found:
        sys.exit(NOTHING)
