"""The machinery's `prompt`: what a model would be told now, section by section, and what it costs."""

import click

from reverie.compose.composer import Composed
from reverie.errors import BadInput
from reverie.records import JSON
from reverie.shells.cli.grammar import example
from reverie.shells.cli.opened_memory import json_option, open_by_words
from reverie.shells.cli.show import as_json, jsonable, plain, tame_log, wants_colour
from reverie.shells.prompt import changes, composed_lines, diff_lines, explain_line, ledger_lines
from reverie.window.ledger import totals

_COLOURS = {"cached": "cyan", "system": "yellow", "tail": "magenta", "added": "green", "removed": "red"}


@click.command("prompt", epilog=example("admin prompt 'which port?' --conversation work"))
@click.argument("words", nargs=-1)
@click.option("--diff", is_flag=True, help="What changed since the last turn.")
@click.option("--explain", "line", type=int, metavar="LINE", help="Why this line is there.")
@click.option("--ledger", is_flag=True, help="What the last requests did to the provider's cache.")
@click.option("--conversation", default="main", show_default=True, help="The conversation's name.")
@json_option
@click.pass_context
def prompt_command(
    context: click.Context,
    words: tuple[str, ...],
    diff: bool,
    line: int | None,
    ledger: bool,
    conversation: str,
    json_output: bool,
) -> None:
    """Show the prompt as it would be composed now, with tokens per section; with WORDS, as if you had said them.

    Cached lines are marked c, the tail t, and volatile lines of the system prompt s.
    """
    if sum((diff, line is not None, ledger)) > 1:
        raise BadInput("use only one of --diff, --explain and --ledger")
    tame_log()
    with open_by_words(context) as memory:
        running = memory.continuum(conversation)
        if ledger:
            entries = memory.engine.ledger.entries(conversation, 20)
            total = totals(entries)
            told: JSON = {"requests": jsonable(entries), "totals": {**jsonable(total), "ratio": total.ratio}}
            lines = ledger_lines(running, style=_style)
        elif diff:
            told = jsonable(changes(running)) if json_output else None
            lines = [] if json_output else diff_lines(running, _style)
        else:
            composed = running.preview(" ".join(words))
            if line is not None:
                explained = explain_line(running, composed, line)
                told, lines = jsonable(explained), explained.lines()
            else:
                told, lines = _as_values(composed), composed_lines(composed, _style)
    if json_output:
        as_json(told)
        return
    for text in lines:
        click.echo(text)


def _as_values(composed: Composed) -> JSON:
    sections = [{**jsonable(section), "tokens": section.tokens} for section in composed.sections]
    return {**jsonable(composed), "sections": sections, "degraded": composed.degraded}


def _style(text: str, kind: str) -> str:
    text = plain(text)
    if not wants_colour():
        return text
    return click.style(text, dim=True) if kind in ("quiet", "tools") else click.style(text, fg=_COLOURS[kind])
