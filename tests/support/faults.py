"""Faults on purpose, and what a workspace must look like after them.

A `Fuse` counts write-class calls and kills the process at the k-th. It is put into a forked child, where every file that
SQLite or Python writes goes through it; the parent then opens what is left, finishes the work and compares.
"""

import contextlib
import os
import shutil
import signal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import apsw

from reverie.daemon.steward import Steward
from reverie.foundation.workspace import Workspace
from reverie.hook import capture_event as hook
from reverie.hook import spool
from reverie.memory import Memory
from reverie.settings import Settings
from reverie.testing import START_MS, FakeEnv

PROJECT = "/work/shop"
RENAME = os.rename  # before a fuse is put in front of it
LATER_SECONDS = 5.0  # more than the grace that a turn is given after its Stop

# ---- what hooks left behind


def event(name: str, session: str, **fields: object) -> tuple[str, dict[str, object]]:
    return name, {"session_id": session, "cwd": PROJECT, "hook_event_name": name, **fields}


def turn_events(number: int, session: str, prompt: str) -> list[tuple[str, dict[str, object]]]:
    """A prompt, what the agent did about it, and its reply, with the ids that a coding agent gives."""
    call = {"tool_name": "Bash", "tool_input": {"command": f"make test-{number}"}, "tool_use_id": f"call-{number}"}
    answer: dict[str, object] = {"tool_response": {"stdout": f"{number} passed", "stderr": ""}}
    if number % 5 == 0:
        answer = {"error": f"exit status {number}"}
    return [
        event("UserPromptSubmit", session, prompt=prompt, prompt_id=f"prompt-{number}"),
        event("PostToolUse" if "tool_response" in answer else "PostToolUseFailure", session, **call, **answer),
        event("Stop", session, last_assistant_message=f"Done with step {number}.", prompt_id=f"prompt-{number}"),
    ]


def batch_of_events(turns: int) -> list[tuple[str, dict[str, object]]]:
    """Two sessions side by side, one of which ends. Every third prompt says something worth knowing."""
    events = [event("SessionStart", name, source="startup") for name in ("one", "two")]
    for number in range(turns):
        session = ("one", "two")[number % 2]
        said = f"Please run step {number}."
        if number % 3 == 0:
            said = f"I prefer {('tabs', 'spaces', 'short names')[number % 9 // 3]} in module {number}. {said}"
        events += turn_events(number, session, said)
    return [*events, event("SessionEnd", "one", reason="exit")]


def spool_events(home: Path, events: Sequence[tuple[str, dict[str, object]]], start_ms: int = START_MS) -> None:
    """Append records to the spool, as the hook writes them."""
    os.makedirs(home / "spool", exist_ok=True)
    for number, (name, payload) in enumerate(events):
        record = {"event": name, "at": start_ms + number, "mono": 1000 + number, "project": PROJECT, "payload": payload}
        spool.append(str(home / "spool"), hook.encode(record))


def workspace_with_spool(home: Path, turns: int = 50) -> list[tuple[str, dict[str, object]]]:
    """A new workspace whose spool holds a batch; returns what was acknowledged, in order."""
    Memory.open(home, env=FakeEnv()).close()
    events = batch_of_events(turns)
    spool_events(home, events)
    return events


# ---- a steward that works a batch off


def clock_of_the_run(seed: int) -> FakeEnv:
    """A minute after the batch was spooled. Everybody who works on it has the same time, so that runs can be compared."""
    return FakeEnv(seed, START_MS + 60_000)


def steward_on(home: Path, seed: int = 0) -> Steward:
    return Steward(Workspace(home), clock_of_the_run(seed), Settings())


def work_off(steward: Steward, after_a_while: bool = False) -> None:
    """Everything that a running steward does about a batch, from the spool to the last extraction.

    One that has been up for a while looks at turns while they are written; one that has just started does not.
    """
    steward.begin()
    if after_a_while:
        RENAME(steward.workspace.spool, aside(steward.workspace.home))
        steward.step()
        put_spool_back(steward.workspace.home)
    steward.step()
    steward.env.sleep(LATER_SECONDS)  # the grace of the last turns
    steward.step()
    steward.end()


def aside(home: Path) -> Path:
    return home / "spool.aside"


def put_spool_back(home: Path) -> None:
    """Undo what a steward that was killed while its spool lay aside could not undo."""
    if aside(home).exists():
        RENAME(aside(home), home / "spool")


# ---- killing


class Fuse:
    """Kills this process at the `at`-th write-class call; 0 never does, and only counts."""

    def __init__(self, at: int = 0) -> None:
        self.at = at
        self.burnt = 0

    def burn(self) -> None:
        self.burnt += 1
        if self.burnt == self.at:
            os.kill(os.getpid(), signal.SIGKILL)


class FusedVFS(apsw.VFS):
    """SQLite's own file system, with a fuse before each write, sync, truncation and deletion."""

    def __init__(self, fuse: Fuse) -> None:
        self.fuse = fuse
        super().__init__("fused", "", makedefault=True)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> "FusedFile":
        return FusedFile(self.fuse, name, flags)

    def xDelete(self, name: str, sync_folder: bool) -> None:
        self.fuse.burn()
        super().xDelete(name, sync_folder)


class FusedFile(apsw.VFSFile):
    def __init__(self, fuse: Fuse, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        self.fuse = fuse
        super().__init__("unix", name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:
        self.fuse.burn()
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:
        self.fuse.burn()
        super().xSync(flags)

    def xTruncate(self, size: int) -> None:
        self.fuse.burn()
        super().xTruncate(size)


def fuse_everything(fuse: Fuse) -> FusedVFS:
    """Put the fuse before every write of this process: SQLite's and our own files'. Only for a forked child."""

    def fused(call: Callable[..., object]) -> Callable[..., object]:
        def burning(*arguments: object, **named: object) -> object:
            fuse.burn()
            return call(*arguments, **named)

        return burning

    for name in ("write", "fsync", "truncate", "ftruncate", "replace", "rename", "unlink"):
        setattr(os, name, fused(getattr(os, name)))
    return FusedVFS(fuse)


@dataclass(frozen=True, slots=True)
class Death:
    """How a child ended: by the signal, or by itself after so many write-class calls."""

    was_killed: bool
    calls: int


def run_with_fuse(run: Callable[[], None], at: int) -> Death:
    """Run something in a forked child that is killed at its `at`-th write-class call."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            fuse = Fuse(at)
            vfs = fuse_everything(fuse)
            run()
            fuse.at = 0
            os.close(reading)
            os.write(writing, str(fuse.burnt).encode())
            status = 0
            del vfs
        except BaseException as error:
            os.write(2, f"the child failed: {error!r}\n".encode())
        finally:
            os._exit(status)
    os.close(writing)
    with open(reading, "rb") as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return Death(True, at)
    assert status == 0, "the child failed by itself; its error is on stderr"
    return Death(False, int(said))


def in_children(count: int, run: Callable[[int], str]) -> list[str]:
    """Fork many children, let them all begin at the same moment, and collect what each of them says."""
    gate, opening = os.pipe()
    children: list[tuple[int, int]] = []
    for number in range(count):
        reading, writing = os.pipe()
        if (child := os.fork()) == 0:
            try:
                os.close(opening)
                os.read(gate, 1)  # ends when the parent closes the other side
                said = run(number)
            except BaseException as error:
                said = f"failed: {error!r}"
            os.write(writing, said.encode())
            os._exit(0)
        os.close(writing)
        children.append((child, reading))
    os.close(gate)
    os.close(opening)
    told = []
    for child, reading in children:
        with open(reading, "rb") as pipe:
            told.append(pipe.read().decode())
        os.waitpid(child, 0)
    return told


def copy_of(home: Path, to: Path) -> Path:
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(home, to)
    return to


@contextlib.contextmanager
def opened(home: Path, seed: int = 99) -> Iterator[Memory]:
    memory = Memory.open(home, env=FakeEnv(seed, START_MS + 3_600_000), catch_up=False)
    try:
        yield memory
    finally:
        memory.close()


# ---- what must be true afterwards


@dataclass(frozen=True, slots=True)
class Story:
    """Everything that a batch leads to, in a form that two runs can be compared by."""

    said: tuple[tuple[object, ...], ...]  # every observation, in the order of the log
    extractions: tuple[tuple[object, ...], ...]  # every closed turn, and how often it was extracted
    derived: tuple[str, ...]
    actions: tuple[object, ...]
    states: dict[str, int]  # of work
    edits: tuple[object, ...]  # what a person is said to have done
    user_file: bytes
    spooled: tuple[str, ...]


_SAID = "session_id, sequence_num, turn, kind, event, speaker, project, title, text, data, occurred_ms"
_EXTRACTIONS = """
SELECT session_id, turn, first_position, last_position,
       (SELECT count(*) FROM ticks t WHERE t.kind = 'rules done' AND t.session_id = i.session_id
           AND t.first_position = i.first_position AND t.last_position = i.last_position)
FROM inbox i WHERE stage = 'rules' ORDER BY session_id, first_position
"""


def story_of(home: Path) -> Story:
    """Open a workspace, check that the file is sound, and tell what is in it."""
    with opened(home) as memory:
        database = memory.engine.database
        assert database.value("PRAGMA integrity_check") == "ok"
        assert database.value("PRAGMA journal_mode") == "wal"
        return Story(
            said=tuple(database.rows(f"SELECT {_SAID} FROM observations ORDER BY position")),
            extractions=tuple(database.rows(_EXTRACTIONS)),
            derived=tuple(memory.engine.dump_derived()),
            actions=tuple(memory.engine.actions.all()),
            states=memory.engine.inbox.counts(),
            edits=tuple(database.rows("SELECT kind, target, data FROM acts ORDER BY position")),
            user_file=(home / "user.md").read_bytes(),
            spooled=tuple(name for name in os.listdir(home / "spool") if name not in ("lock", "drain.lock", "damaged")),
        )


def expect_everything_once(story: Story, undisturbed: Story) -> None:
    """The promises, one by one, so that a failure says which of them broke."""
    assert story.said == undisturbed.said, "every acknowledged observation is there once, in order"
    assert story.spooled == (), "nothing is left in the spool"
    assert set(story.states) == {"done"}, "no work is left undecided"
    assert {row[-1] for row in story.extractions} == {1}, "each turn was extracted exactly once"
    assert story.extractions == undisturbed.extractions, "the turns are the same ones"
    assert story.derived == undisturbed.derived, "the learnings are those of an undisturbed run"
    assert story.actions == undisturbed.actions
    assert story.edits == (), "a kill is not taken for a person's edit"
    assert story.user_file.decode() == undisturbed.user_file.decode()
