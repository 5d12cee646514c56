"""The thing `sessions`: which there were, and what happened in them."""

import sys
from typing import TYPE_CHECKING

import click

from reverie.errors import BadInput
from reverie.shells.cli.exit_codes import NOTHING
from reverie.shells.cli.grammar import Noun, example
from reverie.shells.cli.opened_memory import chosen_project, json_option, open_memory, project_option, some_text
from reverie.shells.cli.show import as_json, counted, one_line, say, when

if TYPE_CHECKING:
    from reverie.memory import Memory

_ALL = 100_000  # sessions; more than anybody has


@click.group("sessions", cls=Noun, epilog=example("sessions show 3f9c"))
def sessions_command() -> None:
    """Sessions of your agents, and what happened in them. SESSION may be the end of an id."""


@sessions_command.command("list", epilog=example("sessions list --everywhere"))
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1, _ALL))
@project_option
@json_option
@click.pass_context
def sessions_list(context: click.Context, limit: int, project: str | None, everywhere: bool, json_output: bool) -> None:
    """List sessions, the latest first."""
    wanted = chosen_project(project, everywhere)
    with open_memory(context, reads=True) as memory:
        where = wanted and memory.parts.store.clean_name(wanted)
        sessions = memory.engine.log.sessions(limit=limit if where is None else _ALL)
    found = [one for one in sessions if where is None or one.project == where][:limit]
    if json_output:
        as_json(found)
        return
    for one in found:
        size = f"{counted(one.turn, 'turn')}, {counted(one.message_count, 'message')}"
        say(f"{one_line(one.id, 40)}  {when(one.last_ms)}  {size}  {one_line(one.project, 60)}".rstrip())
    if not found:
        hint = "" if everywhere else "; --everywhere lists those of all projects"
        say(f"no session has come in from here yet{hint}")


@sessions_command.command("show", epilog=example("sessions show 3f9c --length short"))
@click.argument("session")
@click.option("--length", default="medium", show_default=True, type=click.Choice(["short", "medium", "long"]))
@json_option
@click.pass_context
def sessions_show(context: click.Context, session: str, length: str, json_output: bool) -> None:
    """Show what happened in SESSION, in about 100, 500 or 1,000 tokens."""
    some_text(session, "a session")
    with open_memory(context) as memory:
        session = session_of(memory, session)
        text = memory.maintenance.summary(session, length)
        if not text:
            memory.maintenance.compact(session)
            text = memory.maintenance.summary(session, length)
        nothing = "" if text else no_summary(memory, session)
    if json_output:
        as_json({"session": session, "length": length, "text": text})
    else:
        say(text or nothing)
    if not text:
        sys.exit(NOTHING)


def session_of(memory: "Memory", given: str) -> str:
    """Return the id of the session that is meant, by the end of it; what names none stays as it is."""
    name = memory.parts.store.clean_name(given)
    if memory.engine.log.session(name):
        return given
    meant = [one.id for one in memory.engine.log.sessions(limit=_ALL) if one.id.endswith(name)]
    if len(meant) > 1:
        shown = ", ".join(one_line(one, 80) for one in meant[:5])
        raise BadInput(f'"{one_line(given, 80)}" may be any of {len(meant)} sessions: {shown}; give more of the id')
    return meant[0] if meant else given


def no_summary(memory: "Memory", session: str) -> str:
    """Why there is no summary of a session, and where to look."""
    if memory.engine.log.session(memory.parts.store.clean_name(session)):
        return (
            f"there is nothing to summarise in that session; `reverie log --session {one_line(session, 80)}` shows it"
        )
    latest = ", ".join(one_line(one.id, 80) for one in memory.engine.log.sessions(limit=3))
    known = f"the latest are {latest}" if latest else "none has come in yet"
    return f'no session "{one_line(session, 80)}" has come in; {known}'
