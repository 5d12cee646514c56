"""note, search, log, context, actions, learnings: what a person asks a memory directly."""

import sys
from math import ceil
from typing import TYPE_CHECKING

import click

from reverie.errors import BadInput
from reverie.hook.opt_out import VARIABLE
from reverie.records import Action, ActionStatus, Hit, Observation, argument_of
from reverie.shells.asking_steward import ask_steward
from reverie.shells.cli.exit_codes import NOTHING
from reverie.shells.cli.hits import say_hits
from reverie.shells.cli.opened_memory import (
    chosen_folder,
    chosen_project,
    filter_option,
    if_missing,
    json_option,
    open_memory,
    opted_out,
    overrides_of,
    place_of,
    project_option,
    some_text,
    workspace_of,
)
from reverie.shells.cli.show import as_json, is_shown, one_line, say, when

if TYPE_CHECKING:
    from reverie.memory import Memory

_MOST_HOURS = 1_000_000  # a century and more


@click.command("note")
@click.argument("text", nargs=-1)
@click.option("--personal", is_flag=True, help="About you, not about this project.")
@json_option
@click.pass_context
def note_command(context: click.Context, text: tuple[str, ...], personal: bool, json_output: bool) -> None:
    """Remember TEXT, or standard input if TEXT is missing or is -."""
    words = sys.stdin.read() if text in ((), ("-",)) else " ".join(text)
    project = "" if personal else chosen_project(None, False) or ""
    with open_memory(context, makes=True) as memory:
        identifier = memory.note(some_text(words, "a note"), project=project)
        # So that the session that begins next is told it, also without a steward.
        memory.parts.background.try_to_catch_up()
    out = opted_out(chosen_folder(None, personal), *place_of(context))
    if json_output:
        as_json({"id": identifier, "opted_out_by": out})
        return
    say(f"noted {identifier}")
    if out:
        say(f"{_has_opted_out(project, out)}; `reverie search` finds the note, and --personal would tell it elsewhere")


def _find(context: click.Context, words: str, limit: int, project: str | None, filters: tuple[str, ...]) -> list[Hit]:
    """By the steward, which has the index and the vectors loaded; without one, by words alone."""
    workspace, env, settings = workspace_of(context)
    question = {"ask": "search", "query": words, "limit": limit, "project": project, "filters": filters}
    question["user"] = settings.user
    told = None if overrides_of(context) else ask_steward(workspace, env, question)
    if isinstance(told, dict):
        raise BadInput(told["error"])
    if told is not None:
        return [Hit(**{**hit, "sources": tuple(hit["sources"]), "given_ids": tuple(hit["given_ids"])}) for hit in told]
    from reverie.stores.filters import chosen_filters

    with open_memory(context, reads=True) as memory:
        wanted = chosen_filters(filters, project and memory.parts.store.clean_name(project), memory.settings.stores)
        return memory.parts.word_lookup.search(words, limit=limit, filters=wanted)


@click.command("search")
@click.argument("query", nargs=-1, required=True)
@click.option("--limit", default=10, show_default=True, type=click.IntRange(1, 1000))
@filter_option
@project_option
@json_option
@click.pass_context
def search_command(
    context: click.Context,
    query: tuple[str, ...],
    limit: int,
    filters: tuple[str, ...],
    project: str | None,
    everywhere: bool,
    json_output: bool,
) -> None:
    """Find what was learned, said, noted or done about QUERY."""
    words, wanted = " ".join(query), chosen_project(project, everywhere)
    some_text(words, "a search")
    hits = _find(context, words, limit, wanted, filters)
    if json_output:
        as_json(hits)
    elif not hits:
        hint = "" if everywhere else "; --everywhere looks in all projects"
        say("nothing found" + if_missing(chosen_folder(project, everywhere)) + hint)
    else:
        say_hits(hits, is_terminal=is_shown())
    if not hits:
        sys.exit(NOTHING)


@click.command("log")
@click.option("--limit", default=30, show_default=True, type=click.IntRange(1, 100_000))
@click.option("--session", help="Only this session.")
@click.option("--project", metavar="FOLDER", help="Only this project (default: all).")
@click.option("--everywhere", is_flag=True, help="All projects, as without --project.")
@json_option
@click.pass_context
def log_command(
    context: click.Context, limit: int, session: str | None, project: str | None, everywhere: bool, json_output: bool
) -> None:
    """Show what came in, newest last."""
    wanted = chosen_project(project, everywhere) if project is not None else None
    if session is not None:
        some_text(session, "--session")
    with open_memory(context, reads=True) as memory:
        of_session, of_project = (it and memory.parts.store.clean_name(it) for it in (session, wanted))
        found = memory.engine.log.read(session=of_session, project=of_project, limit=limit, newest_first=True)[::-1]
    is_named = bool(session or wanted)
    if json_output:
        as_json(found)
    elif found:
        for observation in found:
            say(log_line(observation))
    elif is_named:
        of = " in ".join(filter(None, [f'session "{one_line(session, 80)}"' if session else "", wanted or ""]))
        missing = if_missing(chosen_folder(project, everywhere)) if wanted else ""
        say(f"nothing has come in from {of}{missing}; `reverie log` shows everything")
    else:
        say("nothing has come in yet; `reverie install claude-code` connects an agent, `reverie demo` shows one")
    if is_named and not found:
        sys.exit(NOTHING)


def log_line(observation: Observation) -> str:
    """One line; of an event without words its name."""
    tool = observation.tool
    what, text = observation.speaker or observation.event or observation.kind.value, observation.text
    if tool:
        what = tool.name
        text = f"{one_line(argument_of(tool), 60)} {'failed:' if tool.failed else '→'} {text}"
    line = (
        f"{when(observation.occurred_ms)}  {observation.kind.value:<17} {one_line(what, 40):<14} {one_line(text, 110)}"
    )
    return line.rstrip()


@click.command("context")
@click.option("--session", help="What this session's agent would be told.")
@project_option
@json_option
@click.pass_context
def context_command(
    context: click.Context, session: str | None, project: str | None, everywhere: bool, json_output: bool
) -> None:
    """Show what an agent in this project would be told now."""
    where = chosen_project(project, everywhere) or ""
    out = opted_out(chosen_folder(project, everywhere), *place_of(context))
    with open_memory(context, reads=True) as memory:
        text = "" if out else memory.parts.session_context.preview(where, session, only_news=session is not None)
    if json_output:
        as_json({"context": text, "opted_out_by": out})
    elif out:
        say(f"{_has_opted_out(where, out)}; {_way_in(out)}")
    else:
        say(text or "nothing to tell yet")


def _has_opted_out(project: str, out: str) -> str:
    return f"{project or 'everything'} has opted out by {out}: nothing is captured, and agents are told nothing there"


def _way_in(out: str) -> str:
    """How to opt in again."""
    return f"unset {out} to opt in" if out == VARIABLE else f"remove `enabled = false` from {out} to opt in"


@click.command("actions")
@click.option("--done", metavar="ID", multiple=True, help="Mark an action as done; repeatable.")
@click.option("--dismiss", metavar="ID", multiple=True, help="Take an action off the list; repeatable.")
@click.option("--all", "show_all", is_flag=True, help="Include closed actions.")
@json_option
@click.pass_context
def actions_command(
    context: click.Context, done: tuple[str, ...], dismiss: tuple[str, ...], show_all: bool, json_output: bool
) -> None:
    """List pending actions; mark some done or dismiss them. ID may be an id's last characters."""
    with open_memory(context, reads=not done and not dismiss) as memory:
        named = [(_pending(memory, given).id, ActionStatus.DONE) for given in done]
        named += [(_pending(memory, given).id, ActionStatus.DISMISSED) for given in dismiss]
        if len(dict(named)) < len(set(named)):
            raise BadInput("an action is either done or dismissed; one is named as both")
        closed = [memory.actions.close(one, status, by="user") for one, status in dict(named).items()]
        actions = memory.engine.actions.all() if show_all else memory.actions.list()
    if json_output:
        as_json(actions)
        return
    for it in closed:
        say(f"{it.status.value}: {one_line(it.text, 80)}")
    names_project = len({it.project for it in actions}) > 1
    for it in actions:
        where = f"  in {one_line(it.project) or 'no project'}" if names_project else ""
        what = f"{it.status.value:<9} {it.priority.value:<6} {it.owner.value:<5} {one_line(it.text, 80)}"
        say(f"{it.id[-6:]}  {what}{where}")
    if not actions:
        say("no actions" if show_all else "no pending actions")


def _pending(memory: "Memory", given: str) -> Action:
    """The one action whose id ends like this, if it can still be closed."""
    if not given.strip():
        raise BadInput("an action is named by its id, or by the id's last characters; `reverie actions` lists them")
    matching = [it for it in memory.engine.actions.all() if it.id.endswith(given.strip().upper())]
    if len(matching) != 1:
        raise BadInput(f'"{given}" names {len(matching)} actions; `reverie actions --all` lists them')
    if matching[0].status is not ActionStatus.PENDING:
        raise BadInput(f'"{one_line(matching[0].text, 60)}" is {matching[0].status.value} already')
    return matching[0]


@click.command("learnings")
@click.option("--hours", default=48.0, show_default=True, help="How far back.")
@project_option
@json_option
@click.pass_context
def learnings_command(
    context: click.Context, hours: float, project: str | None, everywhere: bool, json_output: bool
) -> None:
    """List what was learned lately, newest first."""
    if not 0 <= hours <= _MOST_HOURS:
        raise BadInput(f"--hours {hours} is not a length of time; it takes a number from 0 to {_MOST_HOURS:,}")
    wanted = chosen_project(project, everywhere)
    with open_memory(context, reads=True) as memory:
        since = memory.env.now_ms() - int(hours * 3_600_000)
        wanted = wanted and memory.parts.store.clean_name(wanted)
        found = memory.engine.learnings.recent(since, wanted)
        wider = "" if found or json_output else _wider(memory, wanted)
    if json_output:
        as_json(found)
        return
    for it in found:
        say(f"{when(it.learned_ms)}  {it.type.value:<10} {it.confidence:.2f}  {one_line(it.text, 90)}")
    if not found:
        say(f"nothing learned in the last {hours:g} h" + wider + if_missing(chosen_folder(project, everywhere)))


def _wider(memory: "Memory", project: str | None) -> str:
    """With which options something would be listed; "" if with none."""
    for where, option, what in ((project, "", "came before"), (None, " --everywhere", "comes from other projects")):
        if older := memory.engine.learnings.recent(0, where):
            hours = ceil((memory.env.now_ms() - min(it.learned_ms for it in older)) / 3_600_000)
            return f"; `--hours {min(hours + 1, _MOST_HOURS)}{option}` lists what {what}"
    return ""
