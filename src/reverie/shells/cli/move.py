"""import, export: memories that come and go as files."""

import sys
from pathlib import Path
from typing import IO

import click

from reverie.errors import BadInput
from reverie.shells.cli.opening import json_option, open_memory
from reverie.shells.cli.show import as_json, counted, json_text, jsonable, say


@click.group("import")
def import_command() -> None:
    """Take in transcripts of earlier sessions."""


@import_command.command("transcript")
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
        click.progressbar(
            length=found.bytes, label="importing", file=sys.stderr, hidden=not sys.stderr.isatty()
        ) as bar,
    ):
        result = import_transcripts(memory, found.paths, bar.update)
    result.unreadable = (*found.unreadable, *result.unreadable)
    if result.broken_lines and not result.seen:
        raise BadInput(f"{found.paths[0]} is no transcript: not a line of it could be read")
    if not result.files:
        raise BadInput(f"nothing could be read: {result.unreadable[0]}")
    if json_output:
        as_json(result)
        return
    say(f"{counted(result.new, 'new observation')} of {result.seen:,} in {counted(result.files, 'file')}")
    if result.broken_lines:
        say(f"left out: {counted(result.broken_lines, 'line')} that could not be read")
    if result.not_transcripts:
        say(f"left out as no transcript: {counted(result.not_transcripts, 'file')}")
    if result.unreadable:
        say(f"left out: {counted(len(result.unreadable), 'place')} that could not be opened: {result.unreadable[0]}")


@click.command("export")
@click.option("--out", type=click.Path(path_type=Path), help="Write to this file instead of standard output.")
@click.option("--json", "json_output", is_flag=True, help="With --out, say as JSON what was written.")
@click.pass_context
def export_command(context: click.Context, out: Path | None, json_output: bool) -> None:
    """Write everything out as JSON lines: observations, acts, learnings, actions, sessions."""
    count = 0
    with (
        open_memory(context, reads=True) as memory,
        _opened(out) as file,
    ):
        for table, value in memory.export():
            file.write(json_text({"table": table, **jsonable(value)}) + "\n")
            count += 1
    if out and json_output:
        as_json({"records": count, "file": str(out)})
    elif out:
        say(f"wrote {counted(count, 'record')} to {out}")


def _opened(out: Path | None) -> IO[str]:
    """The file to write to, or standard output."""
    try:
        return click.open_file(str(out) if out else "-", "w", encoding="utf-8")
    except (FileNotFoundError, IsADirectoryError) as error:
        is_folder = isinstance(error, IsADirectoryError)
        way_out = "--out takes a file" if is_folder else f"make the folder {Path(error.filename).parent} first"
        raise OSError(error.errno, f"{error.strerror}; {way_out}", error.filename) from error
