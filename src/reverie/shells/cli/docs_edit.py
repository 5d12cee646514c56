"""The verb `docs edit`: what can be changed in a domain document, and what its verbs share."""

import os
import sys
import tempfile
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from reverie.errors import BadInput
from reverie.shells.cli.grammar import example
from reverie.shells.cli.opened_memory import json_option, open_memory
from reverie.shells.cli.show import as_json, counted, say

if TYPE_CHECKING:
    from reverie.records.prompt_inputs import Document
    from reverie.tools.domaindocs import DomaindocTool

_WHOLE = ("file", "enable", "disable", "undo")
_PARTS = ("order", "content", "append", "replace", "header", "summary", "expand", "collapse", "pin", "unpin")


@click.command("edit", epilog=example("docs edit shop Deploy --append 'Never on Fridays.'"))
@click.argument("name")
@click.argument("section", required=False)
@click.option("--file", type=click.File("rb"), help="Replace the document by this Markdown file.")
@click.option("--enable", is_flag=True, help="Show the document in the prompt.")
@click.option("--disable", is_flag=True, help="Keep the document out of the prompt, and away from agents.")
@click.option("--undo", is_flag=True, help="Undo the last edit; an undo can be undone, too.")
@click.option(
    "--version", type=int, help="With --undo: this edit and those after it. With --content: only if still so."
)
@click.option("--order", metavar="HEADER", multiple=True, help="The sections in this order, below SECTION if given.")
@click.option("--content", metavar="TEXT", help="Replace a section's text (- is standard input).")
@click.option("--append", metavar="TEXT", help="Add text at the end of a section (- is standard input).")
@click.option("--replace", nargs=2, metavar="OLD NEW", help="Replace a piece of a section's text.")
@click.option("--header", metavar="TEXT", help="Give a section another header.")
@click.option("--summary", metavar="TEXT", help="Say in one line what a section holds.")
@click.option("--expand", is_flag=True, help="Show a section whole until the talk is over.")
@click.option("--collapse", is_flag=True, help="Show only a section's header and summary.")
@click.option("--by-default", is_flag=True, help="With --expand or --collapse: in every talk.")
@click.option("--pin", is_flag=True, help="Keep a section from being collapsed.")
@click.option("--unpin", is_flag=True, help="Let a section be collapsed again.")
@json_option
@click.pass_context
def docs_edit(context: click.Context, /, name: str, section: str | None, json_output: bool, **options: Any) -> None:
    """Edit a document, in your editor if no option says how; with SECTION, change that section. One change a call."""
    chosen = [option for option in (*_WHOLE, *_PARTS) if options[option] not in (None, False, ())]
    if len(chosen) > 1:
        raise click.UsageError(f"one change a call: --{chosen[0]} or --{chosen[1]}")
    if chosen and chosen[0] in _PARTS:
        _edit_section(context, name, section, chosen[0], options, json_output)
        return
    if section is not None:
        raise click.UsageError("say what to change in the section: --content, --append, --replace, --header, …")
    _edit_document(context, name, chosen[0] if chosen else "editor", options, json_output)


def _edit_section(
    context: click.Context, name: str, section: str | None, option: str, options: Mapping[str, Any], json_output: bool
) -> None:
    if section is None and option != "order":
        raise click.UsageError(f"--{option} needs a SECTION; `reverie docs show {name}` shows them")
    value = options[option]
    with open_memory(context) as memory:
        documents = memory.documents
        if option == "order":
            done = documents.reorder(name, value, section or "")
        elif option == "replace":
            done = documents.replace_text(name, section or "", value[0], given_text(value[1]))
        elif option == "content":
            done = documents.replace_section(name, section or "", given_text(value), options["version"])
        elif option in ("pin", "unpin"):
            done = documents.pin(name, section or "", pinned=option == "pin")
        elif option in ("expand", "collapse"):
            change = documents.expand if option == "expand" else documents.collapse
            done = change(name, section or "", options["by_default"])
        else:
            write = {"append": documents.append, "header": documents.rename, "summary": documents.set_summary}[option]
            done = write(name, section or "", given_text(value))
    tell_section(done, json_output)


def _edit_document(
    context: click.Context, name: str, option: str, options: Mapping[str, Any], json_output: bool
) -> None:
    text = markdown_of(options["file"]) if option == "file" else ""
    with open_memory(context) as memory:
        documents = memory.documents
        before = documents.document(name)
        if option == "editor":
            document = _in_editor(documents, before)
        elif option == "file":
            document = documents.import_markdown(before.name, text)
        elif option == "undo":
            document = documents.undo(name, options["version"])
        else:
            document = documents.enable(name) if option == "enable" else documents.disable(name)
    told = {
        "undo": f"{document.name} is at version {document.version}, as it was before",
        "enable": f"{document.name} is enabled",
        "disable": f"{document.name} is disabled",
    }
    if option == "editor" and document.version == before.version:
        told["editor"] = "nothing was changed"
    sections = counted(len(document.sections), "section")
    at_version = f"{document.name} is at version {document.version}, with {sections}"
    tell_whole(document, told.get(option, at_version), json_output)


def _in_editor(documents: "DomaindocTool", before: "Document") -> "Document":
    text = click.edit(documents.export_markdown(before.name), extension=".md")
    if text is None:
        return before
    try:
        return documents.import_markdown(before.name, text, version=before.version)
    except BadInput as error:
        raise BadInput(f"{error}; what you wrote is in {_set_aside(text)}") from None


def _set_aside(text: str) -> str:
    handle, path = tempfile.mkstemp(prefix="reverie-", suffix=".md")
    with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
        file.write(text)
    return path


def markdown_of(file: BinaryIO) -> str:
    try:
        return file.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{file.name} is not UTF-8 text (byte {error.start})") from None


def given_text(text: str) -> str:
    return sys.stdin.read() if text == "-" else text


def tell_whole(document: "Document", text: str, json_output: bool) -> None:
    """Say what became of a document, as one line or as what names it now."""
    if json_output:
        as_json({"document": document.name, "version": document.version, "sections": len(document.sections)})
    else:
        say(text)


def tell_section(done: Any, json_output: bool) -> None:
    if json_output:
        as_json(done)
        return
    section = f": {done['section']}, {done['characters']} characters, {done['state']}" if "section" in done else ""
    say(f"{done['document']} is at version {done['version']}{section}")
    if "large" in done:
        say(f"large: {done['large']}")
    if "content" in done:
        say(f"\n{done['content']}")
