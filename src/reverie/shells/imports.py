"""Transcript files -> the log. A session that hooks captured is completed, not doubled."""

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from reverie.capture.transcript import Tally, read_transcript
from reverie.errors import BadInput, BulkStopped, ReverieError
from reverie.foundation.bulk import BULK, chars_of, chunks
from reverie.foundation.ids import id_by_words
from reverie.foundation.workspace import find_project
from reverie.hook.opt_out import VARIABLE, opted_out_by
from reverie.memory import Memory
from reverie.records import Captured

_LOOKS = 'a line per message, such as {"type": "user", "sessionId": "…", "message": {"content": "…"}}'


@dataclass
class Imported:
    """The counts of an import."""

    files: int = 0
    seen: int = 0
    new: int = 0
    broken_lines: int = 0
    not_transcripts: int = 0  # files of JSON lines that no agent wrote as its transcript
    unreadable: tuple[str, ...] = ()  # files and folders that could not be opened, or vanished; a line each
    opted_out: int = 0  # what was said or done where nothing is captured, so that it was left out
    opted_out_by: tuple[str, ...] = ()  # the files that say so, or the variable


@dataclass(frozen=True, slots=True)
class TranscriptFiles:
    """Files that may be transcripts, how large they are together, and what could not be looked at, a line each."""

    paths: tuple[Path, ...]
    bytes: int
    unreadable: tuple[str, ...]


def find_transcripts(places: Sequence[Path]) -> TranscriptFiles:
    """The files among `places`, and the .jsonl files below its folders. What vanishes meanwhile is left out."""
    paths: list[Path] = []
    size, unreadable = 0, list[str]()

    def leave_out(error: OSError) -> None:
        unreadable.append(_why(error.filename, error))

    for place in places:
        for path in _below(place, leave_out) if place.is_dir() else [place]:
            try:
                status = path.stat()
            except OSError as error:
                leave_out(error)
                continue
            if path == place or stat.S_ISREG(status.st_mode):  # below a folder nobody waits for a pipe
                paths.append(path)
                size += status.st_size
    return TranscriptFiles(tuple(paths), size, tuple(unreadable))


def _below(folder: Path, leave_out: Callable[[OSError], None]) -> Iterator[Path]:
    for inner, folders, names in os.walk(folder, onerror=leave_out):
        folders.sort()
        yield from (Path(inner, name) for name in sorted(names) if name.endswith(".jsonl"))


def _why(path: Path | str, error: OSError) -> str:
    return f"{path}: {error.strerror or error}"


def import_transcripts(memory: Memory, paths: Sequence[Path], progress: Callable[[int], None]) -> Imported:
    """Take in transcripts, a thousand observations at a time, fewer if they are long, and distil them by rules.

    If that breaks off, BulkStopped says how many are in.
    """
    result = Imported()
    try:
        foreign = _take_in(memory, paths, progress, result)
        memory.parts.background.distil()
    except (ReverieError, OSError) as error:
        if not result.new:
            raise
        kept = f"What was stored before is safe ({result.new:,} new observations)"
        again = "importing again adds only what is missing"
        raise BulkStopped(f"the import stopped: {error}. {kept}; {again}", result.new) from error
    if foreign and result.not_transcripts == result.files:
        raise BadInput(foreign)
    return result


def _take_in(memory: Memory, paths: Sequence[Path], progress: Callable[[int], None], result: Imported) -> str:
    """Read files into the log, and count in `result`. Says of the first that is no transcript what it has."""
    foreign = ""
    sessions: dict[str, None] = {}
    projects = _Projects(memory)
    for path in paths:
        tally = Tally()
        recognise = _Recognise(memory)
        unreadable: list[str] = []
        for chunk in chunks(read_transcript(_lines(path, progress, unreadable), projects.of, tally), chars_of):
            sessions |= dict.fromkeys(captured.session for captured in chunk)
            result.new += memory.parts.ingest.store(recognise.what_is_missing(chunk))
            result.seen += len(chunk)
        result.unreadable += tuple(unreadable)
        result.files += not unreadable
        result.broken_lines += tally.unreadable
        result.opted_out += tally.opted_out
        if tally.found and not tally.recognised:
            result.not_transcripts += 1
            foreign = (
                foreign or f"{path} is not a transcript: it has JSON with {tally.found}; a transcript has {_LOOKS}"
            )
        if len(sessions) >= BULK:
            _close_turns(memory, sessions)
    _close_turns(memory, sessions)
    result.opted_out_by = tuple(sorted(projects.opted_out_by))
    return foreign


def _close_turns(memory: Memory, sessions: dict[str, None]) -> None:
    """A transaction for many. Whose turn is not closed because we are ended, its silence closes."""
    for chunk in chunks(sessions, len):
        memory.engine.log.close_turns(chunk)
    sessions.clear()


class _Projects:
    """The project of each folder that a transcript names, and what opts projects out."""

    def __init__(self, memory: Memory) -> None:
        self._home, self._variable = str(memory.workspace.home), memory.env.variable(VARIABLE) or ""
        self._known: dict[str, str | None] = {}
        self.opted_out_by: set[str] = set()

    def of(self, folder: str) -> str | None:
        """A line's project; None where it, or the whole workspace, has opted out."""
        if folder not in self._known:
            self._known[folder] = self._find(folder)
        return self._known[folder]

    def _find(self, folder: str) -> str | None:
        project = str(find_project(Path(folder))) if folder else ""
        by = opted_out_by(project, self._home, self._variable)
        self.opted_out_by |= {by} - {""}
        return None if by else project


class _Recognise:
    """Knows what hooks captured that were given no ids, by the words, where the transcript does have ids.

    One message of the hooks' stands for one line of the file, in order, so that whoever said the same twice is not
    taken for one who said it once.
    """

    def __init__(self, memory: Memory) -> None:
        self._log = memory.engine.log
        self._met: dict[tuple[str, str], int] = {}  # by session and words: how many of the hooks' have been met here

    def what_is_missing(self, chunk: Sequence[Captured]) -> list[Captured]:
        known = self._known(chunk)
        return [captured for captured in chunk if not self._is_met(captured, known)]

    def _known(self, chunk: Sequence[Captured]) -> set[tuple[str, str]]:
        """Of this chunk's ids, and of those by words that it may meet, the ones that are in the log."""
        asked: dict[str, set[str]] = {}
        counted: dict[tuple[str, str], int] = {}
        for captured in chunk:
            ids = asked.setdefault(captured.session, set())
            ids.add(captured.event_id)
            if words := id_by_words(captured, 0):
                place = captured.session, words
                counted[place] = counted.get(place, self._met.get(place, 0)) + 1
                ids.add(id_by_words(captured, counted[place]))
        return {(session, found) for session, ids in asked.items() for found in self._log.known(session, sorted(ids))}

    def _is_met(self, captured: Captured, known: set[tuple[str, str]]) -> bool:
        is_known = (captured.session, captured.event_id) in known
        place = captured.session, id_by_words(captured, 0)
        number = self._met.get(place, 0) + 1
        if captured.event_id == id_by_words(captured, number):  # it has no other id, so this one is spoken for
            self._met[place] = number
        elif not is_known and (captured.session, id_by_words(captured, number)) in known:
            self._met[place] = number
            return True
        return is_known


def _lines(path: Path, progress: Callable[[int], None], unreadable: list[str]) -> Iterator[bytes]:
    """The lines of a file, as far as it can be read."""
    try:
        with path.open("rb") as file:
            for line in file:
                progress(len(line))
                yield line
    except OSError as error:
        unreadable.append(_why(path, error))
