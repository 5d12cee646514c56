"""Mirror: a file for people that shows values of the record, line by line.

What a person wrote stays, byte for byte: only lines that we wrote are changed. What they changed since is taken in
first, and a file that is saved while we write is left as they saved it. What is no plain file, is read-only or cannot
be read is never written; `obstacle` says why.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from reverie.mirrors.file_text import UTF_16, text_of
from reverie.mirrors.merge_lines import Edits, MirrorLine, MirrorSection, find_edits, merge_sections
from reverie.ports import Engine, Env, Files

_TRIES = 5  # to write while somebody saves the file; if they save more often than that, the next sync tries again

# Takes in what a person changed: the edits, the file's text as it is now, and where the log ended when we last wrote.
TakeIn = Callable[[Edits, str, int], None]


class Mirror:
    """One file: `sections` gives what it should show, and `take_in` is told what a person changed.

    The record keeps what we wrote last, and our lines with the ids of their values, each under the file's name. Values
    are compared by their lines: a line must have no line end in it.
    """

    def __init__(
        self,
        path: Path,
        env: Env,
        engine: Engine,
        sections: Callable[[], Sequence[MirrorSection]],
        take_in: TakeIn,
        *,
        starter: str = "",
        shows: str = "what is known",
        clean: Callable[[str], str] = str,
    ) -> None:
        self._path = path
        self._fresh = path.with_name(f".{path.name}.new")  # what takes its place
        self._files = env.files
        self._engine = engine
        self._sections = sections
        self._take_in = take_in
        self._starter = starter.encode()  # how the file begins where there is none
        self._shows = shows  # in words, for the sentence that says why it cannot
        self._clean = clean  # takes secrets out: neither the record nor an agent is told them
        self._our_lines = f"{path.name}: our lines"

    def write_starter(self) -> None:
        """Begin the file, where there is none."""
        if is_absent(self._path, self._files):
            self._engine.mirrors.record(self._path.name, self._starter, b"")
            self._files.replace(self._path, self._starter)

    def text(self) -> str:
        """Return what the file says, or what it would say if it could be written; without secrets."""
        data = self._read() or b""
        if self.obstacle():
            data = merge_sections(text_of(data).encode(), self._ours(), self._sections())[0]
        return self._clean(text_of(data))

    def obstacle(self) -> str | None:
        """Say why the file cannot be written, as a sentence; None if it can."""
        why = ""
        if self._files.is_link(self._path):
            why = "it is a symbolic link, and Reverie does not write through links; put the file itself there"
        elif (data := self._read()) is None:
            why = "it cannot be read"
        elif data.startswith(UTF_16):
            why = "it is written in UTF-16; save it as UTF-8"
        elif (mode := self._files.mode(self._path)) is not None and not mode & 0o200:
            why = "it is read-only; make it writable"
        elif not data and mode is not None:
            why = "it is empty; remove it, and it is written anew"
        return f"{self._path} cannot show {self._shows}: {why}" if why else None

    def leftover(self) -> str:
        """Say why lines of ours that are no longer wanted may still stand in the file, as a sentence; '' if none do."""
        wanted = {line.text for section in self._sections() for line in section.lines}
        if {line.text for line in self._ours()} <= wanted:
            return ""
        why = self.obstacle() or f"{self._path} was saved too often to be written"
        return f"{why}; it may still say what no longer holds"

    def sync(self) -> None:
        """Take in what was changed in the file since we wrote it, then show what it should show.

        A file that is gone is written anew, and one that is empty is left alone: somebody may be about to save it. In
        neither has anybody crossed out a line.
        """
        if self._files.is_link(self._path):
            return
        lock = self._files.lock(self._path.with_suffix(".lock"))
        lock.acquire()  # a thread that reads between another's note and its writing would see an edit
        try:
            self.write_starter()
            self._files.remove(self._fresh)  # of a process that died before it was done
            since = self._engine.mirrors.last_written(self._path.name)[2]
            for _ in range(_TRIES):
                if self._files.is_link(self._path) or not (data := self._read()) or self._try_sync(data, since):
                    return
        finally:
            lock.release()

    def _try_sync(self, current: bytes, since: int) -> bool:
        """Do it for what the file held when it was read; false if somebody saved it meanwhile: then theirs stands."""
        edits = self._edits(current)
        if edits:
            self._take_in(edits, self._shown(current).decode(), since)
        rendered, ours = current, self._ours()
        ours_before = _as_bytes(ours)
        if not self.obstacle():
            rendered, ours = merge_sections(current, ours, self._sections())
        if rendered == current and not edits:
            return True
        with self._engine.write():
            self._engine.mirrors.record(self._path.name, self._shown(rendered), self._shown(current))
            self._engine.mirrors.record(self._our_lines, _as_bytes(ours), ours_before)
        if rendered != current and not self._try_replace(current, rendered):
            return False
        with self._engine.write():  # what stood there before is of no use any more, and may have been forgotten
            self._engine.mirrors.record(self._path.name, self._shown(rendered), self._shown(rendered))
            self._engine.mirrors.record(self._our_lines, _as_bytes(ours), _as_bytes(ours))
        return True

    def _try_replace(self, current: bytes, rendered: bytes) -> bool:
        """Write the file unless it is another by now. It is looked at last of all: a sync to disk can take long."""
        self._files.replace(self._fresh, rendered, self._files.mode(self._path) or 0o600)
        if self._files.is_link(self._path) or self._read() != current:
            self._files.remove(self._fresh)
            return False
        self._files.rename(self._fresh, self._path)
        return True

    def _read(self) -> bytes | None:
        """Return what the file holds; None if it cannot be read."""
        try:
            return self._files.read(self._path) or b""
        except OSError:
            return None

    def _ours(self) -> list[MirrorLine]:
        """Return the lines that stand in the file because we wrote them, before or after a crash."""
        now, before, _ = self._engine.mirrors.last_written(self._our_lines)
        return list(dict.fromkeys([*_as_lines(now), *_as_lines(before)]))

    def _shown(self, data: bytes) -> bytes:
        """Return what the record keeps of the file: enough to see an edit, and no secret."""
        return self._clean(text_of(data)).encode("utf-8", "replace")

    def _edits(self, current: bytes) -> Edits:
        """Find what somebody changed since we wrote. A crash may have come before our writing or after it."""
        data, before, _ = self._engine.mirrors.last_written(self._path.name)
        now, ours = self._shown(current).decode(), self._ours()
        candidates = [find_edits(now, self._shown(written).decode(), ours) for written in (data, before)]
        return min(candidates, key=len)


def is_absent(path: Path, files: Files) -> bool:
    """Say whether nothing stands there, not even something that cannot be read."""
    try:
        return files.read(path) is None and not files.is_link(path)
    except OSError:
        return False


def _as_bytes(lines: Sequence[MirrorLine]) -> bytes:
    return "\n".join(f"{line.id}\t{line.text}" for line in lines).encode()


def _as_lines(data: bytes) -> list[MirrorLine]:
    """Read what `_as_bytes` wrote. Stores of an earlier version have bullets without ids, and without their dash."""
    found = []
    for line in filter(None, data.decode().split("\n")):
        id, tab, text = line.partition("\t")
        found.append(MirrorLine(text, id) if tab else MirrorLine(f"- {line}"))
    return found
