"""note, search, log, context: what a person asks a memory directly."""

import sys

import click

from reverie.errors import BadInput
from reverie.hook.opt_out import VARIABLE
from reverie.records import Hit, Observation, argument_of
from reverie.shells.asking_steward import ask_steward
from reverie.shells.cli.exit_codes import NOTHING
from reverie.shells.cli.grammar import example
from reverie.shells.cli.hits import say_hits
from reverie.shells.cli.opened_memory import (
    chosen_folder,
    chosen_project,
    everything_option,
    filter_option,
    if_missing,
    json_option,
    nothing_fits,
    open_memory,
    opted_out,
    overrides_of,
    place_of,
    project_option,
    some_text,
    workspace_of,
)
from reverie.shells.cli.progress import working
from reverie.shells.cli.sessions import session_of
from reverie.shells.cli.show import as_json, is_shown, one_line, say, short, when


@click.command("note", epilog=example("note 'Staging is Postgres 14 on db-stage'"))
@click.argument("text", nargs=-1)
@click.option("--personal", is_flag=True, help="About you, not about this project.")
@json_option
@click.pass_context
def note_command(context: click.Context, text: tuple[str, ...], personal: bool, json_output: bool) -> None:
    """Remember TEXT, or standard input if TEXT is missing or is -."""
    words = _standard_input() if text in ((), ("-",)) else " ".join(text)
    project = "" if personal else chosen_project(None, False) or ""
    with open_memory(context, makes=True) as memory:
        identifier = memory.note(some_text(words, "a note"), project=project)
        # So that the session that begins next is told it, also without a steward.
        memory.parts.background.try_to_catch_up()
    out = opted_out(chosen_folder(None, personal), *place_of(context))
    if json_output:
        as_json({"id": identifier, "opted_out_by": out})
        return
    say(f"noted {short(identifier)}")
    if out:
        say(f"{_has_opted_out(project, out)}; `reverie search` finds the note, and --personal would tell it elsewhere")


def _standard_input() -> str:
    try:
        return sys.stdin.buffer.read().decode()
    except AttributeError:  # a program has put something else in its place
        return sys.stdin.read()
    except UnicodeDecodeError as error:
        raise BadInput(f"standard input is not UTF-8 text (byte {error.start}); `iconv` converts it") from None


def _find(
    context: click.Context, words: str, limit: int, project: str | None, filters: tuple[str, ...], everything: bool
) -> tuple[list[Hit], bool]:
    """By the steward, which has the index and the vectors loaded; without one, by words alone, which is said."""
    workspace, env, settings = workspace_of(context)
    question = {"ask": "search", "query": words, "limit": limit, "project": project, "filters": filters}
    question |= {"user": settings.user, "everything": everything}
    told = None if overrides_of(context) else ask_steward(workspace, env, question)
    if isinstance(told, dict):
        raise BadInput(told["error"])
    if told is not None:
        hits = [Hit(**{**hit, "sources": tuple(hit["sources"]), "given_ids": tuple(hit["given_ids"])}) for hit in told]
        return hits, False
    from reverie.stores.filters import chosen_filters

    with open_memory(context, reads=True) as memory, working("looking"):
        wanted = chosen_filters(filters, project and memory.parts.store.clean_name(project), memory.settings.stores)
        return memory.parts.word_lookup.search(words, limit=limit, filters=wanted, everything=everything), True


@click.command("search", epilog=example("search login test --why"))
@click.argument("query", nargs=-1, required=True)
@click.option("--limit", default=10, show_default=True, type=click.IntRange(1, 1000))
@click.option("--why", is_flag=True, help="Say for each hit why it was found.")
@everything_option
@filter_option
@project_option
@json_option
@click.pass_context
def search_command(
    context: click.Context,
    query: tuple[str, ...],
    limit: int,
    why: bool,
    everything: bool,
    filters: tuple[str, ...],
    project: str | None,
    everywhere: bool,
    json_output: bool,
) -> None:
    """Find what was learned, said, noted or done about QUERY."""
    words, wanted = " ".join(query), chosen_project(project, everywhere)
    some_text(words, "a search")
    hits, by_words = _find(context, words, limit, wanted, filters, everything)
    if json_output:
        as_json(hits)
    elif not hits:
        missing = if_missing(chosen_folder(project, everywhere))
        meaning = "; `reverie up --detach` searches by meaning, too" if by_words and not everything else ""
        say(nothing_fits(missing, everywhere=everywhere, everything=everything) + meaning)
    else:
        say_hits(hits, is_terminal=is_shown(), why=why)
    if not hits:
        sys.exit(NOTHING)


@click.command("log", epilog=example("log --limit 10"))
@click.option("--limit", default=30, show_default=True, type=click.IntRange(1, 100_000))
@click.option("--session", metavar="ID", help="Only this session; the end of its id will do.")
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
        session = session and session_of(memory, session)
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
        say("nothing has come in yet; `reverie install claude-code` connects an agent, `reverie admin demo` shows one")
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


@click.command("context", epilog=example("context --project ~/shop"))
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
        named = session and session_of(memory, session)
        text = "" if out else memory.parts.session_context.preview(where, named, only_news=named is not None)
    if json_output:
        as_json({"context": text, "opted_out_by": out})
    elif out:
        say(f"{_has_opted_out(where, out)}; {_way_in(out)}")
    else:
        say(text or "nothing to tell yet")


def _has_opted_out(project: str, out: str) -> str:
    return f"{project or 'everything'} has opted out by {out}: nothing is captured, and agents are told nothing there"


def _way_in(out: str) -> str:
    """Say how to opt in again."""
    return f"unset {out} to opt in" if out == VARIABLE else f"remove `enabled = false` from {out} to opt in"
