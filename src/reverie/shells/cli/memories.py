"""The things `memories` and `skills`: what is remembered, whole and by id, and the ways of working among it."""

from collections.abc import Sequence

import click

from reverie.records import MemoryItem
from reverie.shells.cli.grammar import Noun, example
from reverie.shells.cli.opened_memory import (
    chosen_project,
    filter_option,
    json_option,
    open_memory,
    project_option,
)
from reverie.shells.cli.show import as_json, one_line, say, short, when


@click.group("memories", cls=Noun, epilog=example("memories show K76MKDWB"))
def memories_command() -> None:
    """Show memories. ID may be the end of one, as `search` shows it; `forget` removes memories."""


@memories_command.command("list", epilog=example("memories list --filter types=fact"))
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1, 100_000))
@filter_option
@project_option
@json_option
@click.pass_context
def memories_list(
    context: click.Context,
    limit: int,
    filters: tuple[str, ...],
    project: str | None,
    everywhere: bool,
    json_output: bool,
) -> None:
    """List memories, newest first."""
    from reverie.stores.filters import chosen_filters

    wanted = chosen_project(project, everywhere)
    with open_memory(context) as memory:
        chosen = chosen_filters(filters, wanted and memory.parts.store.clean_name(wanted), memory.settings.stores)
        items = memory.items.list(chosen, limit=limit)
    if json_output:
        as_json(items)
        return
    for item in items:
        say(f"{short(item.id)}  {when(item.created_ms)}  {item.type.value:<12} {one_line(item.text, 80)}")
    if not items:
        hint = "" if everywhere else "; --everywhere looks in all projects"
        say(f"nothing is remembered here yet{hint}; `reverie note TEXT` keeps something")


@memories_command.command("show", epilog=example("memories show K76MKDWB --around"))
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@click.option("--around", is_flag=True, help="What happened around it, instead of the memory in full.")
@click.option("--before", default=3, show_default=True, type=click.IntRange(0, 1000), help="How many, with --around.")
@click.option("--after", default=3, show_default=True, type=click.IntRange(0, 1000), help="How many, with --around.")
@json_option
@click.pass_context
def memories_show(
    context: click.Context, ids: tuple[str, ...], around: bool, before: int, after: int, json_output: bool
) -> None:
    """Show memories in full, or what happened around one."""
    if not around:
        with open_memory(context) as memory:
            items = memory.items.get(ids)
        _tell(items, json_output)
        return
    if len(ids) > 1:
        raise click.UsageError("--around takes one ID")
    with open_memory(context) as memory:
        item_id = memory.items.get(ids)[0].id  # it may be a short one
        hits = memory.items.timeline(item_id, before, after)
    if json_output:
        as_json(hits)
        return
    for hit in hits:
        mark = ">" if hit.id == item_id else " "
        who = hit.speaker or hit.what
        say(f"{mark} {when(hit.when_ms)}  {who:<12} {one_line(hit.text, 80)}  ({hit.tokens} tokens)")


def _tell(items: Sequence[MemoryItem], json_output: bool) -> None:
    if json_output:
        as_json(items)
        return
    for item in items:
        say(f"{item.id}  {when(item.created_ms)}  {item.type.value} in {item.store} memory, trust {item.trust.value}")
        if item.sources and item.sources != (item.id,):
            say(f"  from {', '.join(item.sources)}")
        if item.superseded_by:
            until = f" since {when(item.valid_to_ms)}" if item.valid_to_ms else ""
            say(f"  no longer valid{until}: replaced by {short(item.superseded_by)}")
        say(item.text)


@click.group("skills", cls=Noun, epilog=example("skills show K76MKDWB"))
def skills_command() -> None:
    """Ways of working that were repeated and worked. ID may be the end of one."""


@skills_command.command("list", epilog=example("skills list"))
@json_option
@click.pass_context
def skills_list(context: click.Context, json_output: bool) -> None:
    """List ways of working that were repeated and worked."""
    with open_memory(context) as memory:
        memory.maintenance.extract_skills()
        skills = memory.skills.list()
    if json_output:
        as_json(skills)
        return
    for skill in skills:
        say(f"{short(skill.id)}  {skill.confidence:.2f}  {one_line(skill.text)}")
    if not skills:
        say("no skills yet: three repetitions that worked make one")


@skills_command.command("show", epilog=example("skills show K76MKDWB"))
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@json_option
@click.pass_context
def skills_show(context: click.Context, ids: tuple[str, ...], json_output: bool) -> None:
    """Show skills in full."""
    with open_memory(context) as memory:
        items = memory.items.get(ids)
    _tell(items, json_output)
