"""note, search, log, context, actions, learnings: what a person asks a memory directly."""

import sys

import click

from reverie.errors import BadInput
from reverie.records import ActionStatus, Observation
from reverie.shells.cli.opening import chosen_project, json_option, open_memory, project_option
from reverie.shells.cli.show import as_json, one_line, say, when


@click.command("note")
@click.argument("text", nargs=-1)
@click.option("--personal", is_flag=True, help="About you, not about this project.")
@json_option
@click.pass_context
def note_command(context: click.Context, text: tuple[str, ...], personal: bool, json_output: bool) -> None:
    """Remember TEXT (or standard input, if there is none)."""
    words = " ".join(text) if text else sys.stdin.read()
    with open_memory(context) as memory:
        identifier = memory.note(words, project="" if personal else chosen_project(None, False) or "")
    if json_output:
        as_json({"id": identifier})
    else:
        say(f"noted {identifier}")


@click.command("search")
@click.argument("query", nargs=-1, required=True)
@click.option("--limit", default=10, show_default=True, type=click.IntRange(1, 1000))
@project_option
@json_option
@click.pass_context
def search_command(
    context: click.Context,
    query: tuple[str, ...],
    limit: int,
    project: str | None,
    everywhere: bool,
    json_output: bool,
) -> None:
    """Find what was learned, said, noted or done about QUERY."""
    with open_memory(context) as memory:
        hits = memory.search(" ".join(query), limit=limit, project=chosen_project(project, everywhere))
    if json_output:
        as_json(hits)
        return
    for hit in hits:
        say(f"{when(hit.when_ms)}  {hit.what:<17} {one_line(hit.text)}")
    if not hits:
        say("nothing found" + ("" if everywhere else "; --everywhere looks in all projects"))
        sys.exit(1)


@click.command("log")
@click.option("--limit", default=30, show_default=True, type=click.IntRange(1, 100_000))
@click.option("--session", help="Only this session.")
@project_option
@json_option
@click.pass_context
def log_command(
    context: click.Context, limit: int, session: str | None, project: str | None, everywhere: bool, json_output: bool
) -> None:
    """Show what came in, newest last."""
    wanted = chosen_project(project, everywhere) if project else None
    with open_memory(context) as memory:
        found = memory.engine.log.read(session=session, project=wanted, limit=limit, newest_first=True)[::-1]
    if json_output:
        as_json(found)
        return
    for observation in found:
        say(log_line(observation))
    if not found:
        say("nothing has come in yet; `reverie install claude-code` connects an agent, `reverie demo` shows one")


def log_line(observation: Observation) -> str:
    tool = observation.tool
    what = f"{tool.name}{' failed' if tool.failed else ''}" if tool else observation.speaker or observation.kind.value
    return f"{when(observation.occurred_ms)}  {observation.kind.value:<17} {what:<14} {one_line(observation.text, 90)}"


@click.command("context")
@click.option("--session", help="As this session's agent would be told.")
@project_option
@json_option
@click.pass_context
def context_command(
    context: click.Context, session: str | None, project: str | None, everywhere: bool, json_output: bool
) -> None:
    """Show what an agent in this project would be told now."""
    with open_memory(context) as memory:
        text = memory.preview_context(chosen_project(project, everywhere) or "", session, only_news=session is not None)
    if json_output:
        as_json({"context": text})
    else:
        say(text or "nothing to tell yet")


@click.command("actions")
@click.option("--done", metavar="ID", help="Mark an action as done.")
@click.option("--dismiss", metavar="ID", help="Take an action off the list.")
@click.option("--all", "show_all", is_flag=True, help="Closed ones too.")
@json_option
@click.pass_context
def actions_command(
    context: click.Context, done: str | None, dismiss: str | None, show_all: bool, json_output: bool
) -> None:
    """List pending actions; mark one done or dismiss it. ID may be its last characters."""
    with open_memory(context) as memory:
        for given, status in ((done, ActionStatus.DONE), (dismiss, ActionStatus.DISMISSED)):
            if given:
                matching = [it.id for it in memory.engine.actions.all() if it.id.endswith(given.upper())]
                if len(matching) != 1:
                    raise BadInput(f'"{given}" names {len(matching)} actions; `reverie actions --all` lists them')
                memory.close_action(matching[0], status)
        actions = memory.engine.actions.all() if show_all else memory.actions()
    if json_output:
        as_json(actions)
        return
    for it in actions:
        say(f"{it.id[-6:]}  {it.status.value:<9} {it.priority.value:<6} {it.owner.value:<5} {one_line(it.text, 80)}")
    if not actions:
        say("no actions" if show_all else "no pending actions")


@click.command("learnings")
@click.option("--hours", default=48.0, show_default=True, help="How far back.")
@project_option
@json_option
@click.pass_context
def learnings_command(
    context: click.Context, hours: float, project: str | None, everywhere: bool, json_output: bool
) -> None:
    """List what was learned lately, newest first."""
    with open_memory(context) as memory:
        since = memory.env.now_ms() - int(hours * 3_600_000)
        found = memory.engine.learnings.recent(since, chosen_project(project, everywhere))
    if json_output:
        as_json(found)
        return
    for it in found:
        say(f"{when(it.learned_ms)}  {it.type.value:<10} {it.confidence:.2f}  {one_line(it.text, 90)}")
    if not found:
        say("nothing learned in that time")
