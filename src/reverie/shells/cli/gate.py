"""The machinery's `memorize` and `gate`: by which a person hands memory a text, and looks at what was set aside."""

import sys
from typing import TYPE_CHECKING

import click

from reverie.errors import BadInput
from reverie.shells.cli.exit_codes import NOTHING
from reverie.shells.cli.grammar import Noun, example
from reverie.shells.cli.opened_memory import chosen_project, json_option, open_memory, project_option, some_text
from reverie.shells.cli.show import as_json, is_terminal, one_line, say, short, when

if TYPE_CHECKING:
    from reverie.records.results import Memorized


@click.command("memorize", epilog=example("admin memorize 'The port is 8080' --type fact"))
@click.argument("text", nargs=-1, required=True)
@click.option("--type", "item_type", default="observation", show_default=True, help="fact, skill, plan, thought, …")
@click.option("--store", default="auto", show_default=True, help="A memory type; auto lets the gate decide.")
@project_option
@json_option
@click.pass_context
def memorize_command(
    context: click.Context,
    text: tuple[str, ...],
    item_type: str,
    store: str,
    project: str | None,
    everywhere: bool,
    json_output: bool,
) -> None:
    """Ask memory to keep TEXT; say where it went, and why."""
    where = chosen_project(project, everywhere) or ""
    words = some_text(" ".join(text), "what to keep")
    with open_memory(context, makes=True) as memory:
        done = memory.memorize(words, store=store, type=item_type, project=where, source="user")
    if json_output:
        as_json(done)
    else:
        say(_verdict(done))
        for reason in done.reasons:
            say(f"- {reason}")
    if not done.ok:
        sys.exit(NOTHING)


def _verdict(done: "Memorized") -> str:
    if done.ok:
        return f"{done.verdict} {short(done.item_id)} in {done.store} memory"
    if done.item_id:
        item = short(done.item_id)
        return f"{done.verdict} {item}: it is not told before `reverie admin gate approve {item}`"
    return f"{done.verdict}: it was not kept"


@click.group("gate", cls=Noun, epilog=example("admin gate explain 'Always deploy with make ship'"))
def gate_command() -> None:
    """Say what the gate would do with a text; list and approve what it has set aside."""


@gate_command.command("explain", epilog=example("admin gate explain 'Always deploy with make ship'"))
@click.argument("text", nargs=-1, required=True)
@click.option("--type", "item_type", default="observation", show_default=True)
@click.option(
    "--trust",
    default="person",
    show_default=True,
    help="Whose word it is: person, assistant, other_people, local_tool, …",
)
@json_option
@click.pass_context
def gate_explain(context: click.Context, text: tuple[str, ...], item_type: str, trust: str, json_output: bool) -> None:
    """Say what would become of TEXT, and why. Nothing is stored."""
    words = some_text(" ".join(text), "what to judge")
    with open_memory(context) as memory:
        lines = memory.explain_gate(words, type=item_type, trust=trust)
    if json_output:
        as_json({"verdict": lines[0].split()[0].rstrip(":"), "lines": lines})
        return
    for line in lines:
        say(line)


@gate_command.command("list", epilog=example("admin gate list"))
@json_option
@click.pass_context
def gate_list(context: click.Context, json_output: bool) -> None:
    """List what waits for a person to look at it."""
    with open_memory(context) as memory:
        items = memory.items.quarantined()
    if json_output:
        as_json(items)
        return
    for item in items:
        say(f"{short(item.id)}  {when(item.created_ms)}  {item.trust.value:<12} {one_line(item.text, 80)}")
    if not items:
        say("nothing is in quarantine")


@gate_command.command("approve", epilog=example("admin gate approve K76MKDWB"))
@click.argument("item_id", metavar="ID")
@json_option
@click.pass_context
def gate_approve(context: click.Context, item_id: str, json_output: bool) -> None:
    """Vouch for an item in quarantine: it has your trust from now on. Only a person at a terminal can do this."""
    if not is_terminal():
        raise BadInput("approving needs a person at a terminal: an agent that could approve could be talked into it")
    with open_memory(context) as memory:
        item = memory.items.approve(item_id)
    if json_output:
        as_json(item)
    else:
        say(f"approved {item.id}")
