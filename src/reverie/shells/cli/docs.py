"""The command `docs`: domain documents, whole and by section.

Operations on sections become commands by their signatures: what is required is an argument, the rest are options.
"""

import inspect
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from reverie.errors import BadInput
from reverie.shells.cli.exit_codes import NOTHING
from reverie.shells.cli.opened_memory import json_option, open_memory
from reverie.shells.cli.outfile import written
from reverie.shells.cli.show import as_json, ask, counted, is_terminal, one_line, plain, say, when
from reverie.tools.domaindocs import DomaindocTool

if TYPE_CHECKING:
    from reverie.records.prompt_inputs import Document

# command: (operation of the tool, arguments that are given already)
_OPERATIONS: Mapping[str, tuple[str, Mapping[str, object]]] = {
    "search": ("search", {}),
    "expand": ("expand", {}),
    "collapse": ("collapse", {}),
    "pin": ("pin", {"pinned": True}),
    "unpin": ("pin", {"pinned": False}),
    "add": ("create_section", {}),
    "append": ("append", {}),
    "replace": ("replace_text", {}),
    "rewrite": ("replace_section", {}),
    "rename": ("rename", {}),
    "summary": ("set_summary", {}),
    "reorder": ("reorder", {}),
    "delete": ("delete", {}),
}
_HELP = {
    "pin": "Keep a section from being collapsed.",
    "unpin": "Let a section be collapsed again.",
    "search": "List sections that have every word of TEXT in their header, summary or content.",
}
_FROM_STDIN = ("text", "content", "new")  # arguments that may be "-"


@click.group("docs")
def docs_command() -> None:
    """Domain documents: lasting knowledge in sections, written by you and your agents. Every edit can be undone."""


# ---- whole documents


@docs_command.command("list")
@json_option
@click.pass_context
def docs_list(context: click.Context, json_output: bool) -> None:
    """List the documents with their sections."""
    with open_memory(context, reads=True) as memory:
        documents: Any = memory.documents.overview()
    if json_output:
        as_json(documents)
        return
    for document in documents:
        state = "" if document.get("enabled", True) else ", disabled"
        sections = ", ".join(document["sections"]) or "no sections yet"
        say(f"{document['name']}  version {document['version']}{state}: {one_line(sections, 80)}")
    if not documents:
        say("no documents; `reverie docs create NAME` makes one")


@docs_command.command("show")
@click.argument("name")
@json_option
@click.pass_context
def docs_show(context: click.Context, name: str, json_output: bool) -> None:
    """Show a whole document; with --json, its sections with their sizes and states."""
    with open_memory(context, reads=True) as memory:
        text, overview = memory.documents.export_markdown(name), memory.documents.overview(name)
    if json_output:
        as_json(overview)
    else:
        say(text.rstrip("\n"))


@docs_command.command("create")
@click.argument("name")
@click.option("--title", default="", help="The heading (default: its name).")
@click.option("--description", default="", help="What it is about.")
@json_option
@click.pass_context
def docs_create(context: click.Context, name: str, title: str, description: str, json_output: bool) -> None:
    """Make an empty document. Agents cannot: they only edit what you have made."""
    with open_memory(context, makes=True) as memory:
        document = memory.documents.create(name, title, description)
    _tell_whole(
        document, f"made {document.name}; `reverie docs add {document.name} HEADER` adds a section", json_output
    )


@docs_command.command("import")
@click.argument("name")
@click.argument("file", type=click.File("rb"))
@json_option
@click.pass_context
def docs_import(context: click.Context, name: str, file: BinaryIO, json_output: bool) -> None:
    """Write a document from a Markdown file: # title, ## section, ### subsection. An existing one is replaced."""
    try:
        text = file.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{file.name} is not UTF-8 text (byte {error.start})") from None
    with open_memory(context, makes=True) as memory:
        document = memory.documents.import_markdown(name, text)
    sections = counted(len(document.sections), "section")
    _tell_whole(document, f"{document.name} is at version {document.version}, with {sections}", json_output)


@docs_command.command("export")
@click.argument("name")
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.pass_context
def docs_export(context: click.Context, name: str, file: Path | None) -> None:
    """Write a document to a file as Markdown, or to standard output."""
    with open_memory(context, reads=True) as memory:
        text = memory.documents.export_markdown(name)
    if file is None:
        # To a terminal without what could control it; into a pipe as it is.
        click.echo(plain(text) if sys.stdout.isatty() else text, nl=False)
    else:
        with written(file, memory.workspace, memory.env, named="FILE") as opened:
            opened.write(text)


@docs_command.command("edit")
@click.argument("name")
@click.pass_context
def docs_edit(context: click.Context, name: str) -> None:
    """Edit a document in your editor, as Markdown."""
    with open_memory(context) as memory:
        before = memory.documents.document(name)
        text = click.edit(memory.documents.export_markdown(name), extension=".md")
        if text is None:
            say("nothing was changed")
            return
        try:
            after = memory.documents.import_markdown(before.name, text, version=before.version)
        except BadInput as error:
            raise BadInput(f"{error}; what you wrote is in {_set_aside(text)}") from None
    say(f"{after.name} is at version {after.version}")


def _set_aside(text: str) -> str:
    handle, path = tempfile.mkstemp(prefix="reverie-", suffix=".md")
    with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
        file.write(text)
    return path


@docs_command.command("enable")
@click.argument("name")
@json_option
@click.pass_context
def docs_enable(context: click.Context, name: str, json_output: bool) -> None:
    """Show a document in the prompt."""
    with open_memory(context) as memory:
        document = memory.documents.enable(name)
    _tell_whole(document, f"{document.name} is enabled", json_output)


@docs_command.command("disable")
@click.argument("name")
@json_option
@click.pass_context
def docs_disable(context: click.Context, name: str, json_output: bool) -> None:
    """Keep a document out of the prompt, and away from agents."""
    with open_memory(context) as memory:
        document = memory.documents.disable(name)
    _tell_whole(document, f"{document.name} is disabled", json_output)


@docs_command.command("remove")
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@json_option
@click.pass_context
def docs_remove(context: click.Context, name: str, yes: bool, json_output: bool) -> None:
    """Delete a document with all its versions, for good."""
    with open_memory(context) as memory:
        document = memory.documents.document(name)
        if not yes:
            if json_output or not is_terminal():
                raise BadInput(f"this cannot be undone: add --yes, or only `reverie docs disable {document.name}`")
            sections = counted(len(document.sections), "section")
            if not ask(f"Delete {document.name} with its {sections} for good?"):
                raise click.Abort
        memory.documents.remove(name)
    _tell_whole(document, f"removed {document.name}", json_output)


@docs_command.command("history")
@click.argument("name")
@click.option("--diff", is_flag=True, help="Show what changed, too.")
@json_option
@click.pass_context
def docs_history(context: click.Context, name: str, diff: bool, json_output: bool) -> None:
    """List every edit of a document, newest first."""
    with open_memory(context, reads=True) as memory:
        edits = memory.documents.history(name)
    if json_output:
        as_json(edits)
        return
    for edit in edits:
        say(f"{edit.version:>4}  {when(edit.at_ms)}  {edit.by:<6} {edit.operation} {edit.header}".rstrip())
        if diff:
            say(edit.diff + "\n")


@docs_command.command("undo")
@click.argument("name")
@click.argument("version", type=int, required=False)
@json_option
@click.pass_context
def docs_undo(context: click.Context, name: str, version: int | None, json_output: bool) -> None:
    """Undo the edit that made VERSION and those after it; by default the last edit. An undo can be undone, too."""
    with open_memory(context) as memory:
        document = memory.documents.undo(name, version)
    _tell_whole(document, f"{document.name} is at version {document.version}, as it was before", json_output)


def _tell_whole(document: "Document", text: str, json_output: bool) -> None:
    """What became of a document, as one line or as what names it now."""
    if json_output:
        as_json({"document": document.name, "version": document.version, "sections": len(document.sections)})
    else:
        say(text)


# ---- sections


def _section_command(command: str, operation: str, given: Mapping[str, object]) -> click.Command:
    method = DomaindocTool.operations()[operation]
    parameters: list[click.Parameter] = []
    for name, parameter in list(inspect.signature(method).parameters.items())[1:]:
        if name in given:
            continue
        if parameter.default is not inspect.Parameter.empty:
            flag = isinstance(parameter.default, bool)
            kind = None if flag else int if name == "version" else str
            option = f"--{name.replace('_', '-')}"
            parameters.append(click.Option([option], type=kind, is_flag=flag, default=parameter.default))
        else:
            parameters.append(click.Argument([name], nargs=-1 if name == "headers" else 1, required=True))
    parameters.append(click.Option(["--json", "json_output"], is_flag=True, help="Print JSON for programs."))

    @click.pass_context
    def run(context: click.Context, /, json_output: bool, **arguments: Any) -> None:
        for name in _FROM_STDIN:
            if arguments.get(name) == "-":
                arguments[name] = sys.stdin.read()
        with open_memory(context) as memory:
            done = getattr(memory.documents, operation)(**arguments, **given)
        if json_output:
            as_json(done)
        else:
            _tell(done)
        if isinstance(done, list) and not done:
            sys.exit(NOTHING)

    return click.Command(command, params=parameters, callback=run, help=_HELP.get(command, method.__doc__))


def _tell(done: Any) -> None:
    if isinstance(done, list):
        for found in done:
            say(
                f"{found['document']}: {found['section']}: {found['line']}"
                if "line" in found
                else f"{found['more']} more"
            )
        if not done:
            say("nothing found")
        return
    section = f": {done['section']}, {done['characters']} characters, {done['state']}" if "section" in done else ""
    say(f"{done['document']} is at version {done['version']}{section}")
    if "large" in done:
        say(f"large: {done['large']}")
    if "content" in done:
        say(f"\n{done['content']}")


for _command, (_operation, _given) in _OPERATIONS.items():
    docs_command.add_command(_section_command(_command, _operation, _given))
