"""Commands for what memory does with what it has: compact, summary, skills, merge, tune."""

import click

from reverie.shells.cli.opening import json_option, open_memory
from reverie.shells.cli.show import as_json, one_line, say


@click.command("compact")
@click.option("--session", help="This session, whether it is due or not.")
@json_option
@click.pass_context
def compact_command(context: click.Context, session: str | None, json_output: bool) -> None:
    """Summarise sessions that are over, long, or a day old. Nothing is removed."""
    with open_memory(context) as memory:
        done = memory.compact(session)
    if json_output:
        as_json(done)
        return
    for one in done:
        say(f"{one.episode}  {one.items} items, {one.tokens_before} -> {one.tokens_after} tokens ({one.reason})")
    if not done:
        say("nothing is due")


@click.command("summary")
@click.argument("session")
@click.option("--length", default="medium", show_default=True, type=click.Choice(["short", "medium", "long"]))
@json_option
@click.pass_context
def summary_command(context: click.Context, session: str, length: str, json_output: bool) -> None:
    """Show what happened in SESSION, in about 100, 500 or 1,000 tokens."""
    with open_memory(context) as memory:
        text = memory.summary(session, length)
        if not text:
            memory.compact(session)
            text = memory.summary(session, length)
    if json_output:
        as_json({"session": session, "length": length, "text": text})
    else:
        say(text or "there is nothing to summarise in that session; `reverie log --session` shows what it has")


@click.command("skills")
@json_option
@click.pass_context
def skills_command(context: click.Context, json_output: bool) -> None:
    """List ways of working that were repeated and worked."""
    from reverie.records import Filters, ItemType

    with open_memory(context) as memory:
        memory.extract_skills()
        skills = memory.engine.items.select(Filters(types=(ItemType.SKILL.value,)))
    if json_output:
        as_json(skills)
        return
    for skill in skills:
        say(f"{skill.id}  {skill.confidence:.2f}  {one_line(skill.text)}")
    if not skills:
        say("no skills yet: three repetitions that worked make one")


@click.command("merge")
@click.option("--dry-run", is_flag=True, help="Only say what would be merged.")
@click.option("--undo", metavar="ID", help="Take a merge apart again.")
@json_option
@click.pass_context
def merge_command(context: click.Context, dry_run: bool, undo: str | None, json_output: bool) -> None:
    """Merge what is known twice; every merge can be undone."""
    with open_memory(context) as memory:
        if undo:
            restored = memory.undo_merge(undo)
            as_json(restored) if json_output else say(f"{len(restored)} memories are as they were before")
            return
        merged = memory.merge_duplicates(dry_run=dry_run)
    if json_output:
        as_json([{"keep": one.keep, "absorbed": one.absorbed, "text": one.merged.text} for one in merged])
        return
    for one in merged:
        took = "would take in" if dry_run else "took in"
        say(f"{one.keep}  {took} {', '.join(one.absorbed)}: {one_line(one.merged.text)}")
    if not merged:
        say("nothing is known twice")


@click.command("tune")
@click.option("--accept", is_flag=True, help="Put the proposal into force; it is recorded with its evidence.")
@click.option("--seed", default=0, show_default=True, help="Which half of the turns is held out.")
@json_option
@click.pass_context
def tune_command(context: click.Context, accept: bool, seed: int, json_output: bool) -> None:
    """Propose better coefficients for recall from turns whose useful memories are known."""
    with open_memory(context) as memory:
        proposal = memory.tune(accept=accept, seed=seed)
    if json_output:
        as_json(proposal)
        return
    say(proposal.evidence)
    if proposal.coefficients:
        say(f"proposed: {proposal.coefficients}")
        say("in force from now on" if accept else "nothing is changed; --accept puts it into force")
