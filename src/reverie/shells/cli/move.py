"""import, export: memories that come and go as files."""

from pathlib import Path

import click

from reverie.errors import BadInput
from reverie.shells.cli.grammar import example
from reverie.shells.cli.opened_memory import json_option, open_memory
from reverie.shells.cli.outfile import is_stdout, written
from reverie.shells.cli.progress import progress_bar, working
from reverie.shells.cli.show import as_json, counted, json_text, jsonable, say


@click.group("import", epilog=example("admin import transcript ."))
def import_command() -> None:
    """Take in transcripts of earlier sessions."""


@import_command.command("transcript", epilog=example("admin import transcript ."))
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=True, path_type=Path))
@json_option
@click.pass_context
def import_transcript(context: click.Context, files: tuple[Path, ...], json_output: bool) -> None:
    """Import coding-agent transcripts (JSONL files, or folders of them). What is known already is not added again."""
    from reverie.shells.imports import find_transcripts, import_transcripts

    found = find_transcripts(files)
    if not found.paths:
        raise BadInput("; ".join([f"there is no .jsonl file in {', '.join(map(str, files))}", *found.unreadable[:1]]))
    with (
        open_memory(context, makes=True) as memory,
        progress_bar("importing", found.bytes) as bar,
    ):
        result = import_transcripts(memory, found.paths, bar.update)
    result.unreadable = (*found.unreadable, *result.unreadable)
    if result.broken_lines and not result.seen:
        raise BadInput(f"{found.paths[0]} is not a transcript: none of its lines could be read")
    if not result.files:
        raise BadInput(f"nothing could be read: {result.unreadable[0]}")
    if json_output:
        as_json(result)
        return
    say(f"{counted(result.new, 'new observation')} of {result.seen:,} in {counted(result.files, 'file')}")
    if result.opted_out:
        by = ", ".join(result.opted_out_by)
        say(f"left out: {counted(result.opted_out, 'observation')} from places where {by} switched capture off")
    if result.broken_lines:
        say(f"left out: {counted(result.broken_lines, 'line')} that could not be read")
    if result.not_transcripts:
        say(f"left out: {counted(result.not_transcripts, 'file')} without a transcript")
    if result.unreadable:
        say(f"left out: {counted(len(result.unreadable), 'place')} that could not be opened: {result.unreadable[0]}")


@click.command("export", epilog=example("admin export --out memory.jsonl"))
@click.option("--out", type=click.Path(path_type=Path), help="Write to this file instead of standard output.")
@click.option("--json", "json_output", is_flag=True, help="With --out, report what was written as JSON.")
@click.pass_context
def export_command(context: click.Context, out: Path | None, json_output: bool) -> None:
    """Write out what is kept as JSON lines, each naming its table.

    The tables are observations, acts, replies, ticks, learnings, pending_actions, sessions, goals, questions,
    reminders, punchclock, domaindocs and segments. Damaged rows that a repair took out of them follow as set_aside.
    Left out are what can be derived from these (memories and their index), and what only records the past: traces,
    spending, earlier versions of documents.
    """
    count = 0
    with (
        open_memory(context, reads=True) as memory,
        written(out, memory.workspace, memory.env) as file,
        working("exporting"),
    ):
        for table, value in memory.export():
            file.write(json_text({"table": table, **jsonable(value)}) + "\n")
            count += 1
    if is_stdout(out):
        return  # there stand the records, and nothing else
    if json_output:
        as_json({"records": count, "file": str(out)})
    else:
        say(f"wrote {counted(count, 'record')} to {out}")
