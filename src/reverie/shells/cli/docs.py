"""The thing `docs`: domain documents, whole and by section."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from reverie.errors import BadInput
from reverie.shells.cli.docs_edit import docs_edit, given_text, markdown_of, tell_section, tell_whole
from reverie.shells.cli.exit_codes import NOTHING
from reverie.shells.cli.grammar import Noun, example
from reverie.shells.cli.opened_memory import json_option, open_memory
from reverie.shells.cli.outfile import is_stdout, written
from reverie.shells.cli.show import as_json, ask, counted, is_shown, is_terminal, one_line, plain, say, when

if TYPE_CHECKING:
    from reverie.tools.domaindocs import DomaindocTool


@click.group("docs", cls=Noun, epilog=example("docs add shop Deploy --content 'Deploys go out on Tuesday.'"))
def docs_command() -> None:
    """Domain documents: lasting knowledge in sections, written by you and your agents. Every edit can be undone.

    SECTION is a header, or "Section > Subsection" where a header occurs twice.
    """


docs_command.add_command(docs_edit)

# ---- looking


@docs_command.command("list", epilog=example("docs list deploy tuesday"))
@click.argument("words", nargs=-1)
@json_option
@click.pass_context
def docs_list(context: click.Context, words: tuple[str, ...], json_output: bool) -> None:
    """List the documents; with WORDS, the sections that have all of them in their header, summary or content."""
    with open_memory(context, reads=True) as memory:
        found: Any = memory.documents.search(" ".join(words)) if words else memory.documents.overview()
    if json_output:
        as_json(found)
    elif words:
        for one in found:
            say(f"{one['document']}: {one['section']}: {one['line']}" if "line" in one else f"{one['more']} more")
        if not found:
            say("nothing found; `reverie docs list` lists the documents")
    else:
        for document in found:
            state = "" if document.get("enabled", True) else ", disabled"
            sections = ", ".join(document["sections"]) or "no sections yet"
            say(f"{document['name']}  version {document['version']}{state}: {one_line(sections, 80)}")
        if not found:
            say("no documents; `reverie docs add NAME` makes one")
    if words and not found:
        sys.exit(NOTHING)


@docs_command.command("show", epilog=example("docs show shop --out shop.md"))
@click.argument("name")
@click.argument("section", required=False)
@click.option("--history", is_flag=True, help="List every edit, newest first, instead.")
@click.option("--diff", is_flag=True, help="List every edit with what it changed.")
@click.option(
    "--out", type=click.Path(path_type=Path), help="Write the document to this file as Markdown (- is standard output)."
)
@json_option
@click.pass_context
def docs_show(
    context: click.Context,
    name: str,
    section: str | None,
    history: bool,
    diff: bool,
    out: Path | None,
    json_output: bool,
) -> None:
    """Show a document as Markdown, or one section; with --json, the sections with their sizes and states."""
    if sum((section is not None, history or diff, out is not None)) > 1:
        raise BadInput("use only one of SECTION, --history and --out")
    with open_memory(context, reads=True) as memory:
        documents = memory.documents
        if history or diff:
            _tell_history(documents, name, diff, json_output)
        elif section is not None:
            content = documents.section(name, section)[1].section.content
            if json_output:
                as_json({"document": documents.document(name).name, "section": section, "content": content})
            else:
                say(content)
        elif json_output:
            as_json(documents.overview(name))
        elif out is None:
            say(documents.export_markdown(name).rstrip("\n"))
        elif is_stdout(out):  # to a terminal without what could control it; into a pipe as it is
            text = documents.export_markdown(name)
            click.echo(plain(text) if is_shown() else text, nl=False)
        else:
            with written(out, memory.workspace, memory.env) as opened:
                opened.write(documents.export_markdown(name))


def _tell_history(documents: "DomaindocTool", name: str, diff: bool, json_output: bool) -> None:
    edits = documents.history(name)
    if json_output:
        as_json(edits)
        return
    for edit in edits:
        say(f"{edit.version:>4}  {when(edit.at_ms)}  {edit.by:<6} {edit.operation} {edit.header}".rstrip())
        if diff:
            say(edit.diff + "\n")


# ---- adding and removing


@docs_command.command("add", epilog=example("docs add shop Deploy --content 'Deploys go out on Tuesday.'"))
@click.argument("name")
@click.argument("section", required=False)
@click.option("--title", default="", help="The document's heading (default: its name).")
@click.option("--description", default="", help="What the document is about.")
@click.option("--file", type=click.File("rb"), help="Make the document from this Markdown file (- is standard input).")
@click.option("--content", default="", help="The section's text (- is standard input).")
@click.option("--summary", default="", help="The section in one line: shown while it is collapsed.")
@click.option("--parent", default="", metavar="SECTION", help="The section to add it below.")
@json_option
@click.pass_context
def docs_add(
    context: click.Context,
    name: str,
    section: str | None,
    title: str,
    description: str,
    file: BinaryIO | None,
    content: str,
    summary: str,
    parent: str,
    json_output: bool,
) -> None:
    """Make a document, or add SECTION to one. Agents make no documents: they edit what you have made."""
    of_document, of_section = title or description or file, content or summary or parent
    if of_document if section is not None else of_section:
        wrong = "--title, --description and --file are for a document" if section is not None else "name the SECTION"
        raise click.UsageError(f"{wrong}: `reverie docs add NAME [SECTION]`")
    text = markdown_of(file) if file else ""
    with open_memory(context, makes=True) as memory:
        documents = memory.documents
        if section is not None:
            tell_section(documents.create_section(name, section, given_text(content), summary, parent), json_output)
            return
        known: Any = documents.overview()
        if file and any(one["name"].casefold() == name.casefold() for one in known):
            raise BadInput(f"there is a document {name} already; `reverie docs edit {name} --file FILE` replaces it")
        document = documents.import_markdown(name, text) if file else documents.create(name, title, description)
    sections = counted(len(document.sections), "section")
    next_step = f", with {sections}" if file else f"; `reverie docs add {document.name} SECTION` adds a section"
    tell_whole(document, f"made {document.name}{next_step}", json_output)


@docs_command.command("remove", epilog=example("docs remove shop Deploy"))
@click.argument("name")
@click.argument("section", required=False)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@json_option
@click.pass_context
def docs_remove(context: click.Context, name: str, section: str | None, yes: bool, json_output: bool) -> None:
    """Remove a document with all its versions, for good; or one SECTION, which can be undone."""
    with open_memory(context) as memory:
        if section is not None:
            tell_section(memory.documents.delete(name, section), json_output)
            return
        document = memory.documents.document(name)
        if not yes:
            if json_output or not is_terminal():
                way_out = f"or only `reverie docs edit {document.name} --disable`"
                raise BadInput(f"this cannot be undone: add --yes, {way_out}")
            sections = counted(len(document.sections), "section")
            if not ask(f"Remove {document.name} with its {sections} for good?"):
                raise click.Abort
        memory.documents.remove(name)
    tell_whole(document, f"removed {document.name}", json_output)
