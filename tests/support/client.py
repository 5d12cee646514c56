"""The real coding-agent client in a home of its own, with a scripted model for its mind.

Nothing of the developer's environment reaches it: no keys, no settings, no memory.
"""

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pytest

from reverie.daemon.steward_lock import holder
from reverie.env.real import RealEnv
from reverie.foundation.workspace import Workspace
from reverie.memory import Memory
from reverie.records import Learned, Observation
from support.forked import run_forked
from support.hooks import NO_STEWARD, patient_launcher
from support.scripted_model import ScriptedModel

T = TypeVar("T")

REVERIE = Path(sys.executable).with_name("reverie")
_AS_PROGRAMS = frozenset(("hook", "up", "chat", "service", "demo"))  # what they start, or answer how soon, is looked at
_RUN_SECONDS = 300.0  # a run takes one; a loaded machine may need many more


def client_path() -> Path:
    """The client that the Agent SDK carries. Where it must be there, its absence is a failure, not a skipped test."""
    found = importlib.util.find_spec("claude_agent_sdk")
    folders = list(found.submodule_search_locations or []) if found else []
    path = Path(folders[0]) / "_bundled" / "claude" if folders else None
    if path and path.is_file():
        return path
    message = "the coding-agent client is not installed: pip install claude-agent-sdk"
    if os.environ.get("CI", "").lower() in ("1", "true"):
        pytest.fail(message)
    pytest.skip(message)


@dataclass(frozen=True)
class Ran:
    """What a process left behind."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Place:
    """A person's home, the project they work in, and the environment that every process of theirs gets."""

    home: Path
    project: Path
    variables: dict[str, str]
    started: list["subprocess.Popen[str]"] = field(default_factory=list)

    @property
    def workspace(self) -> Path:
        return self.home / ".reverie"

    @property
    def settings(self) -> Path:
        return self.home / ".claude" / "settings.json"

    def start(self, *command: str | Path, cwd: Path | None = None, **streams: Any) -> "subprocess.Popen[str]":
        given = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
        words = [str(word) for word in command]
        process = subprocess.Popen(words, cwd=cwd or self.project, env=self.variables, text=True, **given)
        self.started.append(process)
        return process

    def run(self, *command: str | Path, cwd: Path | None = None, stdin: str | None = None) -> Ran:
        if command[0] == REVERIE and _AS_PROGRAMS.isdisjoint(command):
            words = [str(word) for word in command]
            return Ran(*run_forked(words, cwd or self.project, self.variables, stdin, _RUN_SECONDS))
        process = self.start(*command, cwd=cwd, stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE)
        out, err = process.communicate(stdin, timeout=_RUN_SECONDS)
        return Ran(process.returncode, out, err)

    def reverie(self, *arguments: str | Path, cwd: Path | None = None, stdin: str | None = None) -> str:
        """What a command printed; it must succeed, without a word on stderr."""
        ran = self.run(REVERIE, *arguments, cwd=cwd, stdin=stdin)
        assert (ran.code, ran.err) == (0, ""), f"reverie {' '.join(map(str, arguments))}: {ran}"
        return ran.out

    def reverie_json(self, *arguments: str | Path, cwd: Path | None = None) -> Any:
        return json.loads(self.reverie(*arguments, "--json", cwd=cwd))

    def hook(self, event: str, session: str = "s1", **fields: object) -> str:
        """One event through the command that an agent runs; returns what it answered."""
        payload = {"session_id": session, "cwd": str(self.project), "hook_event_name": event, **fields}
        ran = self.run(sys.executable, "-I", "-S", self.patient_launcher(), event, stdin=json.dumps(payload))
        assert (ran.code, ran.err) == (0, "")
        return ran.out

    def patient_launcher(self) -> Path:
        return patient_launcher(self.home.parent)

    def files(self) -> Iterator[tuple[Path, bytes]]:
        """Every file that Reverie keeps."""
        for path in self.workspace.rglob("*"):
            if path.is_file():
                yield path, path.read_bytes()

    def end_processes(self) -> None:
        """Whatever a test left behind must not outlive it."""
        for process in self.started:
            if process.poll() is None:
                process.kill()
                process.communicate()
        left = holder(Workspace(self.workspace), RealEnv())
        if left and left.pid:
            os.kill(left.pid, signal.SIGKILL)

    # ---- what is in the memory, without taking anything in

    @contextmanager
    def memory(self) -> Iterator[Memory]:
        with Memory.open(self.workspace, catch_up=False) as memory:
            yield memory

    def observations(self, session: str | None = None) -> list[Observation]:
        with self.memory() as memory:
            return memory.engine.log.read(session=session, limit=1000)

    def learnings(self) -> list[Learned]:
        with self.memory() as memory:
            return memory.engine.learnings.all()


@dataclass(frozen=True)
class Agent:
    """The client at work in a place."""

    place: Place
    model: ScriptedModel
    path: Path

    def run(self, prompt: str, *flags: str, place: Place | None = None) -> Ran:
        """One run in print mode, from start to end."""
        return (place or self.place).run(self.path, "-p", prompt, "--dangerously-skip-permissions", *flags)

    def command(self, line: str) -> Ran:
        """A command line that begins with `claude`, as a person would type it."""
        assert line.startswith("claude ")
        return self.place.run("/bin/sh", "-c", f"'{self.path}'{line.removeprefix('claude')}")

    def transcript(self, session: str) -> Path:
        (found,) = self.place.home.glob(f".claude/projects/*/{session}.jsonl")
        return found


@contextmanager
def fresh_place(**variables: str) -> Iterator[Place]:
    """An empty home and an empty project. Its path is short, because a socket's address must be."""
    folder = Path(tempfile.mkdtemp(prefix="rv"))
    try:
        home, project = folder / "home", folder / "shop"
        home.mkdir()
        (project / ".git").mkdir(parents=True)
        path = f"{REVERIE.parent}:/usr/local/bin:/usr/bin:/bin"
        place = Place(home, project, {"PATH": path, "HOME": str(home), "LANG": "C.UTF-8", **NO_STEWARD, **variables})
        try:
            yield place
        finally:
            place.end_processes()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def fresh_agent(**variables: str) -> Iterator[Agent]:
    path = client_path()
    with (
        ScriptedModel() as model,
        fresh_place(
            ANTHROPIC_BASE_URL=model.url,
            ANTHROPIC_API_KEY="dummy",
            IS_SANDBOX="1",  # without it the client refuses to skip permissions for root
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
            DISABLE_AUTOUPDATER="1",
            CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS="60000",  # or it says on a busy machine that it cancelled one
            **variables,
        ) as place,
    ):
        yield Agent(place, model, path)


@contextmanager
def steward(place: Place) -> Iterator[int]:
    """A steward in the background; yields its process id."""
    yield place.reverie_json("up", "--detach")["pid"]
    place.reverie("down")


def wait_until(condition: Callable[[], T], what: str, seconds: float = 120.0) -> T:
    """What the condition says as soon as it says something."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, f"not within {seconds:.0f} s: {what}"
        time.sleep(0.05)
    return found
