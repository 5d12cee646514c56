"""The command `forget`: hide memories or erase them, and bring back what is hidden. Much is asked about first."""

import re
import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from reverie.errors import BadInput
from reverie.foundation.text import whole_letters
from reverie.shells.cli.exit_codes import NOTHING, OWED
from reverie.shells.cli.grammar import example
from reverie.shells.cli.opened_memory import json_option, open_memory
from reverie.shells.cli.show import as_json, ask, counted, is_terminal, jsonable, one_line, say, short, warn

if TYPE_CHECKING:
    from reverie.memory import Memory
    from reverie.records import MemoryItem
    from reverie.records.results import Forgotten

_ID = re.compile(r"(?=\w*\d)[0-9A-HJKMNP-TV-Z]{6,26}")  # the end of an id, or all of it
MANY = 20  # more than a person overlooks: so many are asked about before they are hidden, and listed at most


@click.command("forget", epilog=example("forget 'text:\"my pin\"' --hard"))
@click.argument("scope", nargs=-1, required=True)
@click.option("--hard", is_flag=True, help="Delete for good: rows, indexes, vectors, and what was learned from it.")
@click.option("--undo", is_flag=True, help="Bring back what was hidden; SCOPE may also be just ids.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@click.option("--dry-run", is_flag=True, help="Only say what would be forgotten, or brought back.")
@json_option
@click.pass_context
def forget_command(
    context: click.Context, scope: tuple[str, ...], hard: bool, undo: bool, yes: bool, dry_run: bool, json_output: bool
) -> None:
    """Forget what SCOPE names: id:… session:… project:… speaker:… type:… tag:… before:… after:… text:"…", or all.

    It is hidden, and `--undo` brings it back. Forgetting for good, all, or more than 20 memories asks first.
    """
    if undo and hard:
        raise BadInput("--undo cannot be combined with --hard: what was forgotten for good is gone")
    scope = tuple(map(whole_letters, scope))  # names are kept so
    with open_memory(context) as memory:
        if undo:
            _bring_back(memory, scope, dry_run, json_output)
            return
        text = " ".join(_with_keys(scope))
        waits = memory.parts.eraser.finish() if hard and not dry_run else ()  # of what was forgotten before
        would, items = look(memory, text, hard=hard)
        is_meant = bool(items or would.observations or would.beside)
        is_done = is_meant and not dry_run
        if is_done and not yes and (hard or is_much(text, len(items))):
            _ask(items, would, json_output)
        if is_done:
            would = replace(memory.forget(text, hard=hard), ids=would.ids)
        elif waits:
            would = replace(would, warnings=waits)
    if json_output:
        shown = () if hard and is_done else items  # what is gone for good is not repeated
        as_json({**jsonable(would), "done": is_done, "memories": _named(shown)})
    elif not is_meant:
        say("nothing in the record matches that; something was forgotten before:" if waits else "nothing matches that")
        _warn(would)
    elif dry_run:
        _list(items, would)
    else:
        _tell_done(scope, items, would)
    if hard and would.warnings:
        sys.exit(OWED)
    if not is_meant:
        sys.exit(NOTHING)


def _with_keys(scope: tuple[str, ...]) -> tuple[str, ...]:
    """Let ids stand alone, as lists print them."""
    are_ids = all(_ID.fullmatch(word) for word in scope)
    return tuple(f"id:{word}" for word in scope) if are_ids else scope


def look(memory: "Memory", text: str, *, hard: bool = False) -> "tuple[Forgotten, list[MemoryItem]]":
    """Return what forgetting this would take away, and the memories in it. Hidden ones cannot be hidden again."""
    would = memory.forget(text, hard=hard, dry_run=True)
    items = [item for item in memory.engine.items.get(would.ids) if hard or item.deleted_ms is None]
    return replace(would, items=len(items), ids=tuple(item.id for item in items)), items


def is_much(text: str, count: int) -> bool:
    """Whether a slip would cost enough to ask first, even though it can be undone."""
    return count > MANY or text.split() == ["all"]


def _ask(items: "Sequence[MemoryItem]", would: "Forgotten", json_output: bool) -> None:
    how = "for good, which cannot be undone" if would.hard else "until `--undo`"
    if json_output or not is_terminal():
        raise BadInput(f"this would remove {counted(len(items), 'memory')} {how}: add --yes, or look with --dry-run")
    _list(items, would)
    what = f"Forget {counted(len(items), 'memory')} for good, and what is listed with them?"
    if not ask(what if would.hard else f"Hide {counted(len(items), 'memory')}?"):
        raise click.Abort


def _list(items: "Sequence[MemoryItem]", would: "Forgotten") -> None:
    _show(items)
    for line in would.beside:
        say(f"and with it: {line}")
    others = would.observations - len({source for item in items for source in item.sources})
    if others > 0:
        say(f"and with it: {others} more log entries, such as what a tool was called with")


def _show(items: "Sequence[MemoryItem]") -> None:
    for item in items[:MANY]:
        say(f"{short(item.id)}  {item.store:<12} {one_line(item.text, 80)}")
    if len(items) > MANY:
        say(f"and {len(items) - MANY:,} more; --json names all of them")


def _tell_done(scope: tuple[str, ...], items: "Sequence[MemoryItem]", done: "Forgotten") -> None:
    them = "it" if done.items == 1 else "them"
    how = f"hidden; `reverie forget --undo {shlex.join(scope)}` brings {them} back"
    if done.hard:
        how = "gone from the record, but not yet from everywhere" if done.warnings else "forgotten for good"
    say(f"{counted(done.items, 'memory')} {how}")
    if not done.hard:
        _show(items)
    for line in done.beside:
        say(f"forgotten with it: {line}")
    _warn(done)


def _warn(done: "Forgotten") -> None:
    for warning in done.warnings:
        warn(warning)


def _bring_back(memory: "Memory", scope: tuple[str, ...], dry_run: bool, json_output: bool) -> None:
    """By the words that hid it; ids may stand alone."""
    is_scope = scope == ("all",) or any(":" in word for word in scope)
    found = memory.hidden(" ".join(scope if is_scope else (f"id:{word}" for word in scope)))
    count = memory.recover([item.id for item in found]) if found and not dry_run else 0
    if json_output:
        as_json({"recovered": count, "ids": [item.id for item in found], "done": count > 0, "memories": _named(found)})
    elif not found:
        say("nothing hidden matches that; `reverie forget --undo all --dry-run` lists what is hidden")
    else:
        say(f"{counted(len(found), 'memory')} {'would be ' if dry_run else ''}brought back")
        _show(found)
    if not found:
        sys.exit(NOTHING)


def _named(items: "Sequence[MemoryItem]") -> list[dict[str, str]]:
    return [{"id": item.id, "text": item.text} for item in items]
