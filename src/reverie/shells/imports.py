"""Transcript files -> the log. A session that hooks captured is completed, not doubled."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from reverie.capture.hook import is_off
from reverie.capture.transcript import Tally, read_transcript
from reverie.memory import BULK, Memory
from reverie.records import Captured
from reverie.workspace import find_project


@dataclass
class Imported:
    """What an import did."""

    files: int = 0
    seen: int = 0
    new: int = 0
    broken_lines: int = 0


def import_transcripts(memory: Memory, paths: Sequence[Path], progress: Callable[[int], None]) -> Imported:
    """Take in transcripts, a thousand observations at a time, and distil them by rules."""
    result = Imported()
    for path in paths:
        tally = Tally()
        sessions: set[str] = set()
        chunk: list[Captured] = []
        for captured in read_transcript(_lines(path, progress), _project, tally):
            chunk.append(captured)
            sessions.add(captured.session)
            if len(chunk) == BULK:
                result.new += memory.store(chunk)
                result.seen += len(chunk)
                chunk = []
        result.new += memory.store(chunk)
        result.seen += len(chunk)
        result.files += 1
        result.broken_lines += tally.unreadable
        for session in sessions:
            memory.engine.log.close_turn(session)
    memory.distil()
    return result


def _lines(path: Path, progress: Callable[[int], None]) -> Iterator[bytes]:
    with path.open("rb") as file:
        for line in file:
            progress(len(line))
            yield line


@cache
def _project(folder: str) -> str | None:
    """A line's project; None where it has opted out."""
    if not folder:
        return ""
    project = str(find_project(Path(folder)))
    return None if is_off(project, "") else project
