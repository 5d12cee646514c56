"""Commands for what memory does with what it has: compact, summary, skills, merge, tune."""

import sys
from typing import TYPE_CHECKING

import click

from reverie.foundation.text import whole_letters
from reverie.shells.cli.exit_codes import NOTHING
from reverie.shells.cli.opened_memory import json_option, open_memory, some_text
from reverie.shells.cli.show import as_json, counted, one_line, say

if TYPE_CHECKING:
    from reverie.memory import Memory


@click.command("compact")
@click.option("--session", help="This session, whether it is due or not.")
@json_option
@click.pass_context
def compact_command(context: click.Context, session: str | None, json_output: bool) -> None:
    """Summarise sessions that are over, long, or a day old. Nothing is removed."""
    if session is not None:
        some_text(session, "--session")
    with open_memory(context) as memory:
        done = memory.maintenance.compact(session)
        nothing = "nothing is due" if session is None else _nothing_in(memory, session)
    if json_output:
        as_json(done)
    else:
        for one in done:
            sizes = f"{one.tokens_before} -> {one.tokens_after} tokens"
            say(f"{one.episode}  {counted(one.items, 'item')}, {sizes} ({one.reason})")
        if not done:
            say(nothing)
    if session is not None and not done:
        sys.exit(NOTHING)


def _nothing_in(memory: "Memory", session: str) -> str:
    """Why there is no summary of a session, and where to look."""
    if memory.engine.log.session(memory.parts.store.clean_name(session)):
        return (
            f"there is nothing to summarise in that session; `reverie log --session {one_line(session, 80)}` shows it"
        )
    latest = ", ".join(one_line(one.id, 80) for one in memory.engine.log.sessions(limit=3))
    known = f"the latest are {latest}" if latest else "none has come in yet"
    return f'no session "{one_line(session, 80)}" has come in; {known}'


@click.command("summary")
@click.argument("session")
@click.option("--length", default="medium", show_default=True, type=click.Choice(["short", "medium", "long"]))
@json_option
@click.pass_context
def summary_command(context: click.Context, session: str, length: str, json_output: bool) -> None:
    """Show what happened in SESSION, in about 100, 500 or 1,000 tokens."""
    some_text(session, "a session")
    with open_memory(context) as memory:
        text = memory.maintenance.summary(session, length)
        if not text:
            memory.maintenance.compact(session)
            text = memory.maintenance.summary(session, length)
        nothing = "" if text else _nothing_in(memory, session)
    if json_output:
        as_json({"session": session, "length": length, "text": text})
    else:
        say(text or nothing)
    if not text:
        sys.exit(NOTHING)


@click.command("skills")
@json_option
@click.pass_context
def skills_command(context: click.Context, json_output: bool) -> None:
    """List ways of working that were repeated and worked."""
    with open_memory(context) as memory:
        memory.maintenance.extract_skills()
        skills = memory.skills.list()
    if json_output:
        as_json(skills)
        return
    for skill in skills:
        say(f"{skill.id}  {skill.confidence:.2f}  {one_line(skill.text)}")
    if not skills:
        say("no skills yet: three repetitions that worked make one")


@click.command("merge")
@click.option("--dry-run", is_flag=True, help="Only say what would be merged.")
@click.option("--undo", metavar="ID", help="Undo the merge into this memory.")
@json_option
@click.pass_context
def merge_command(context: click.Context, dry_run: bool, undo: str | None, json_output: bool) -> None:
    """Merge what is known twice; every merge can be undone."""
    with open_memory(context) as memory:
        if undo is not None:
            restored = memory.maintenance.undo_merge(whole_letters(undo))
            if json_output:
                as_json(restored)
            else:
                say(f"restored: {counted(len(restored), 'memory')}")
            return
        merged = memory.maintenance.merge_duplicates(dry_run=dry_run)
    if json_output:
        as_json([{"keep": one.keep, "absorbed": one.absorbed, "text": one.merged.text} for one in merged])
        return
    for one in merged:
        took = "would take in" if dry_run else "took in"
        say(f"{one.keep}  {took} {', '.join(one.absorbed)}: {one_line(one.merged.text)}")
    if not merged:
        say("nothing is known twice")


@click.command("tune")
@click.option("--accept", is_flag=True, help="Apply the proposal; it is recorded with its evidence.")
@click.option("--seed", default=0, show_default=True, help="Which half of the turns is held out.")
@json_option
@click.pass_context
def tune_command(context: click.Context, accept: bool, seed: int, json_output: bool) -> None:
    """Propose better coefficients for recall from turns whose useful memories are known."""
    with open_memory(context) as memory:
        proposal = memory.maintenance.tune(accept=accept, seed=seed)
    if json_output:
        as_json(proposal)
        return
    say(proposal.evidence)
    if proposal.coefficients:
        say(f"proposed: {proposal.coefficients}")
        say("in force from now on" if accept else "nothing was changed; --accept applies it")
