"""The machinery's `tools`: what a model may load and call in a conversation, and the same called by a person."""

import sys

import click

from reverie.errors import BadInput
from reverie.records import JSON
from reverie.records.conversation_values import Moment
from reverie.shells.cli.exit_codes import NOTHING
from reverie.shells.cli.grammar import Noun, example
from reverie.shells.cli.opened_memory import json_option, open_memory
from reverie.shells.cli.show import as_json, one_line, say
from reverie.tools.context_search import SEARCH_SECONDS


@click.group("tools", cls=Noun, epilog=example("admin tools load domaindoc --conversation work"))
def tools_command() -> None:
    """The tools of a conversation: which exist, and which the model has been given."""


conversation_option = click.option(
    "--conversation", default="main", show_default=True, help="The conversation whose tools these are."
)


@tools_command.command("list", epilog=example("admin tools list --conversation work"))
@conversation_option
@json_option
@click.pass_context
def tools_list(context: click.Context, conversation: str, json_output: bool) -> None:
    """List the tools, loaded ones first."""
    with open_memory(context, reads=True) as memory:
        tools = memory.parts.toolset.box().state(memory.parts.store.clean_name(conversation))
    if json_output:
        as_json(tools)
        return
    loaded = {tool.name: tool for tool in tools.loaded}
    for note in sorted(tools.available, key=lambda note: note.name not in loaded):
        tool = loaded.get(note.name)
        state = "" if tool is None else "essential" if tool.is_essential else f"loaded in turn {tool.loaded_turn}"
        say(f"{note.name:<12} {state:<18} {one_line(note.description, 80)}".rstrip())


@tools_command.command("load", epilog=example("admin tools load domaindoc"))
@click.argument("names", nargs=-1, required=True)
@conversation_option
@json_option
@click.pass_context
def tools_load(context: click.Context, names: tuple[str, ...], conversation: str, json_output: bool) -> None:
    """Give the model tools, from its next request on."""
    with open_memory(context) as memory:
        continuum = memory.parts.store.clean_name(conversation)
        box, turn = memory.parts.toolset.box(), memory.engine.conversations.last_turn(continuum)
        for name in names:  # all or none
            box.definition(name)
        for name in names:
            box.load(continuum, name, turn)
    if json_output:
        as_json({"loaded": names})
    else:
        say(f"loaded {', '.join(names)}")


@tools_command.command("unload", epilog=example("admin tools unload domaindoc"))
@click.argument("name")
@conversation_option
@json_option
@click.pass_context
def tools_unload(context: click.Context, name: str, conversation: str, json_output: bool) -> None:
    """Take a tool away from the model, from its next request on. The provider's cache then starts over."""
    with open_memory(context) as memory:
        was_loaded = memory.parts.toolset.box().unload(memory.parts.store.clean_name(conversation), name)
    if json_output:
        as_json({"unloaded": [name] if was_loaded else []})
    else:
        say(f"unloaded {name}" if was_loaded else f"{name} was not loaded")
    if not was_loaded:
        sys.exit(NOTHING)


@tools_command.command("show", epilog=example("admin tools show domaindoc"))
@click.argument("name")
@json_option
@click.pass_context
def tools_show(context: click.Context, name: str, json_output: bool) -> None:
    """Show what a model is told about a tool; with --json, its whole definition."""
    with open_memory(context, reads=True) as memory:
        box = memory.parts.toolset.box()
        definition, hints = box.definition(name), box.hints(name)
    if json_output:
        as_json({"name": definition.name, "hints": hints, "input_schema": definition.input_schema})
    else:
        say(definition.description)
        say(hints or f"{name} gives no hints")


@tools_command.command("run", epilog=example("admin tools run get_context search query='staging port'"))
@click.argument("name")
@click.argument("operation")
@click.argument("arguments", nargs=-1, metavar="[KEY=VALUE]…")
@conversation_option
@json_option
@click.pass_context
def tools_run(
    context: click.Context,
    name: str,
    operation: str,
    arguments: tuple[str, ...],
    conversation: str,
    json_output: bool,  # noqa: ARG001 — the answer is JSON in any case; errors are with it
) -> None:
    """Call a tool as a model would, and print its answer as JSON."""
    given: dict[str, JSON] = {"operation": operation}
    for one in arguments:
        key, found, value = one.partition("=")
        if not found:
            raise BadInput(f"{one!r} is not an argument; write it as key=value")
        given[key] = value
    with open_memory(context) as memory:
        continuum = memory.parts.store.clean_name(conversation)
        conversations = memory.engine.conversations
        segments, turn = conversations.segments(continuum, 1), conversations.last_turn(continuum)
        moment = Moment(memory.env.now_ms(), continuum, segments[-1].id if segments else "", turn)
        answer = memory.parts.toolset.box((), continuum).tool(name).run(given, moment)
        searches = memory.parts.toolset.searches(continuum)
        searches.wait(SEARCH_SECONDS, moment)
        if isinstance(answer, dict) and name == "get_context" and "task_id" in answer:
            answer = searches.run({"operation": "result", "task_id": answer["task_id"]}, moment)
    as_json(answer)
