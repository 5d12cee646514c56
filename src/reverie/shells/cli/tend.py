"""Commands for what memory does with what it has: compact, merge, tune, rebuild."""

import sys

import click

from reverie.foundation.text import whole_letters
from reverie.shells.cli.exit_codes import NOTHING
from reverie.shells.cli.grammar import example
from reverie.shells.cli.opened_memory import json_option, open_memory, some_text
from reverie.shells.cli.progress import progress_bar, working
from reverie.shells.cli.sessions import no_summary, session_of
from reverie.shells.cli.show import as_json, counted, one_line, say, short


@click.command("compact", epilog=example("admin compact --session 3f9c"))
@click.option("--session", help="This session, whether it is due or not.")
@json_option
@click.pass_context
def compact_command(context: click.Context, session: str | None, json_output: bool) -> None:
    """Summarise sessions that are over, long, or a day old. Nothing is removed."""
    if session is not None:
        some_text(session, "--session")
    with open_memory(context) as memory, working("summarising"):
        session = session if session is None else session_of(memory, session)
        done = memory.maintenance.compact(session)
        nothing = "nothing is due" if session is None else no_summary(memory, session)
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


@click.command("merge", epilog=example("admin merge --dry-run"))
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
        with working("comparing memories"):
            merged = memory.maintenance.merge_duplicates(dry_run=dry_run)
    if json_output:
        as_json([{"keep": one.keep, "absorbed": one.absorbed, "text": one.merged.text} for one in merged])
        return
    for one in merged:
        took = "would take in" if dry_run else "took in"
        say(f"{short(one.keep)}  {took} {', '.join(map(short, one.absorbed))}: {one_line(one.merged.text)}")
    if not merged:
        say("nothing is known twice")


@click.command("tune", epilog=example("admin tune"))
@click.option("--accept", is_flag=True, help="Apply the proposal; it is recorded with its evidence.")
@click.option("--seed", default=0, show_default=True, help="Which half of the turns is held out.")
@json_option
@click.pass_context
def tune_command(context: click.Context, accept: bool, seed: int, json_output: bool) -> None:
    """Propose better coefficients for recall from turns whose useful memories are known."""
    with open_memory(context) as memory, working("tuning"):
        proposal = memory.maintenance.tune(accept=accept, seed=seed)
    if json_output:
        as_json(proposal)
        return
    say(proposal.evidence)
    if proposal.coefficients:
        say(f"proposed: {proposal.coefficients}")
        say("in force from now on" if accept else "nothing was changed; --accept applies it")


@click.command("rebuild", epilog=example("admin rebuild"))
@json_option
@click.pass_context
def rebuild_command(context: click.Context, json_output: bool) -> None:
    """Derive all learnings again from the log, without asking a model.

    Whoever else writes to this memory waits until it is done. Hooks go on: what they capture is taken in afterwards.
    """
    with open_memory(context) as memory:
        total = memory.engine.inbox.counts().get("done", 0)
        with progress_bar("rebuilding", total) as bar:
            done = memory.rebuild(lambda count: bar.update(count - bar.pos))
    if json_output:
        as_json(done)
    else:
        say(f"{counted(done.learnings, 'learning')} from {counted(done.turns, 'turn')}")
