"""import, export: memories that come and go as files."""

import sys
from pathlib import Path

import click

from reverie.errors import BadInput
from reverie.shells.cli.opening import json_option, open_memory
from reverie.shells.cli.show import as_json, json_text, jsonable, say


@click.group("import")
def import_command() -> None:
    """Take in transcripts of earlier sessions."""


@import_command.command("transcript")
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=True, path_type=Path))
@json_option
@click.pass_context
def import_transcript(context: click.Context, files: tuple[Path, ...], json_output: bool) -> None:
    """Import coding-agent transcripts (JSONL files, or folders of them). What is known already is not added again."""
    from reverie.shells.imports import import_transcripts

    paths = [found for path in files for found in (sorted(path.rglob("*.jsonl")) if path.is_dir() else [path])]
    if not paths:
        raise BadInput(f"there is no .jsonl file in {', '.join(map(str, files))}")
    total = sum(path.stat().st_size for path in paths)
    with (
        open_memory(context) as memory,
        click.progressbar(length=total, label="importing", file=sys.stderr, hidden=not sys.stderr.isatty()) as bar,
    ):
        result = import_transcripts(memory, paths, bar.update)
    if json_output:
        as_json(result)
    else:
        say(f"{result.new:,} new observations of {result.seen:,} in {result.files} files")
        if result.broken_lines:
            say(f"{result.broken_lines} lines could not be read and were left out")
        if result.not_transcripts:
            say(f"{result.not_transcripts} files are no transcripts and were left out")
    if result.broken_lines and not result.seen:
        raise BadInput(f"{paths[0]} is no transcript: not a line of it could be read")


@click.command("export")
@click.option("--out", type=click.Path(path_type=Path), help="Write to this file instead of standard output.")
@click.option("--json", "json_output", is_flag=True, help="With --out, say as JSON what was written.")
@click.pass_context
def export_command(context: click.Context, out: Path | None, json_output: bool) -> None:
    """Write everything out as JSON lines: observations, acts, learnings, actions, sessions."""
    count = 0
    with (
        open_memory(context, reads=True) as memory,
        click.open_file(str(out) if out else "-", "w", encoding="utf-8") as file,
    ):
        for table, value in memory.export():
            file.write(json_text({"table": table, **jsonable(value)}) + "\n")
            count += 1
    if out and json_output:
        as_json({"records": count, "file": str(out)})
    elif out:
        say(f"wrote {count:,} records to {out}")
