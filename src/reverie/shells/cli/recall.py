"""Commands that ask memory and say why: recall, show, timeline, explain."""

import sys
from typing import Any

import click

from reverie.errors import BadInput
from reverie.shells.asking_steward import ask_steward
from reverie.shells.cli.exit_codes import NOTHING
from reverie.shells.cli.opened_memory import (
    chosen_project,
    filter_option,
    json_option,
    open_by_words,
    open_memory,
    overrides_of,
    project_option,
    some_text,
    workspace_of,
)
from reverie.shells.cli.show import as_json, jsonable, one_line, say, when


@click.command("recall")
@click.argument("prompt", nargs=-1, required=True)
@click.option("--budget", default=2000, show_default=True, type=click.IntRange(1, 1_000_000), help="In tokens.")
@click.option("--why", is_flag=True, help="Say for each memory why it is there.")
@filter_option
@project_option
@json_option
@click.pass_context
def recall_command(
    context: click.Context,
    prompt: tuple[str, ...],
    budget: int,
    why: bool,
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
    question["filters"] = filters
    told = None
    if not overrides_of(context):
        told = ask_steward(workspace, env, question, "by words alone; `reverie up --detach` searches by meaning too")
    if told is None:
        from reverie.daemon.index_worker import answer_command

        with open_by_words(context) as memory:
            told = jsonable(answer_command(memory, question))
    if "error" in told:
        raise BadInput(told["error"])
    if json_output:
        as_json(told)
    else:
        hint = "" if everywhere else "; --everywhere looks in all projects"
        say(told["text"] or f"nothing is remembered about that{hint}")
        for line in told["explanation"] if why else ():
            say(line)
        say(f"{told['tokens']} of {told['budget_tokens']} tokens; turn {told['turn']}")
    if not told["text"]:
        sys.exit(NOTHING)


@click.command("show")
@click.argument("ids", nargs=-1, required=True)
@json_option
@click.pass_context
def show_command(context: click.Context, ids: tuple[str, ...], json_output: bool) -> None:
    """Show memories in full, by the ids that `search` shows."""
    with open_memory(context) as memory:
        items = memory.items.get(ids)
    if json_output:
        as_json(items)
        return
    for item in items:
        say(f"{item.id}  {when(item.created_ms)}  {item.type.value} in {item.store} memory, trust {item.trust.value}")
        if item.sources and item.sources != (item.id,):
            say(f"  from {', '.join(item.sources)}")
        say(item.text)


@click.command("timeline")
@click.argument("item_id", metavar="ID")
@click.option("--before", default=3, show_default=True, type=click.IntRange(0, 1000))
@click.option("--after", default=3, show_default=True, type=click.IntRange(0, 1000))
@json_option
@click.pass_context
def timeline_command(context: click.Context, item_id: str, before: int, after: int, json_output: bool) -> None:
    """Show what happened around a memory."""
    with open_memory(context) as memory:
        item_id = memory.items.get([item_id])[0].id  # it may be a short one
        hits = memory.items.timeline(item_id, before, after)
    if json_output:
        as_json(hits)
        return
    for hit in hits:
        mark = ">" if hit.id == item_id else " "
        say(
            f"{mark} {when(hit.when_ms)}  {hit.speaker or hit.what:<12} {one_line(hit.text, 80)}  ({hit.tokens} tokens)"
        )


@click.command("explain")
@click.argument("turn", default="")
@json_option
@click.pass_context
def explain_command(context: click.Context, turn: str, json_output: bool) -> None:
    """Show what was asked, found and packed in a TURN, and why; by default the latest."""
    with open_memory(context) as memory:
        told = memory.explain(turn)
    if json_output:
        as_json(told)
        return
    for line in told.lines():
        say(line)
