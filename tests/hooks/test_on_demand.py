"""The steward starts with the first hook and ends by itself: nobody has to run `reverie up`."""

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

import pytest

from hooks.processes import PYTHON, complaints, prompt, run_hook, wait_until
from reverie.daemon.steward import ON_DEMAND, Steward
from reverie.daemon.steward_lock import Holder, holder
from reverie.env.real import RealEnv
from reverie.foundation.workspace import Workspace
from reverie.memory import Memory
from reverie.settings import Settings
from reverie.shells.install.entries import LAUNCHER
from reverie.testing import FakeEnv
from support.hooks import PROJECT

ALLOWED = {"REVERIE_STEWARD_ON_DEMAND": "true"}
START = {"session_id": "s1", "cwd": PROJECT, "source": "startup"}


@pytest.fixture
def home() -> Iterator[Path]:
    """A workspace with a short path, whose steward has ended before it goes."""
    folder = Path(mkdtemp(prefix="rv-"))
    yield folder
    if running := steward_of(folder):
        os.kill(running.pid, signal.SIGTERM)
        wait_until(lambda: steward_of(folder) is None)
    rmtree(folder, ignore_errors=True)


def steward_of(home: Path) -> Holder | None:
    """The steward of a workspace; whoever holds its lock for a moment is none."""
    found = holder(Workspace(home), RealEnv())
    return found if found and found.pid else None


def ask(home: Path, payload: dict[str, object]) -> str:
    said = run_hook("UserPromptSubmit", payload, home, variables=ALLOWED).out
    return json.loads(said)["hookSpecificOutput"]["additionalContext"] if said else ""


def test_the_first_hook_starts_a_steward_and_no_hook_starts_a_second_one(home: Path) -> None:
    hooks = [
        subprocess.Popen(
            [*PYTHON, str(LAUNCHER), "SessionStart", str(home)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ALLOWED,
        )
        for _ in range(5)
    ]  # fmt: skip
    for hook in hooks:
        hook.communicate(json.dumps(START).encode(), timeout=60)
    wait_until(lambda: steward_of(home) is not None)

    first = steward_of(home)
    assert first
    assert first.why == ON_DEMAND
    assert os.getpriority(os.PRIO_PROCESS, first.pid) > 0, "an agent at work comes first"
    assert os.getsid(first.pid) == first.pid, "it outlives the terminal"
    run_hook("UserPromptSubmit", prompt("hello"), home, variables=ALLOWED)
    assert steward_of(home) == first
    assert complaints(home) == []


def test_killed_it_comes_back_with_the_next_hook(home: Path) -> None:
    run_hook("SessionStart", START, home, variables=ALLOWED)
    wait_until(lambda: steward_of(home) is not None)
    first = steward_of(home)
    assert first
    os.kill(first.pid, signal.SIGKILL)
    wait_until(lambda: steward_of(home) is None)

    run_hook("UserPromptSubmit", prompt("hello"), home, variables=ALLOWED)

    wait_until(lambda: steward_of(home) is not None)
    assert steward_of(home) != first


@pytest.mark.parametrize("how", ["variable", "file"])
def test_a_person_can_switch_it_off(home: Path, how: str) -> None:
    if how == "file":
        (home / "reverie.toml").write_text("[steward]\non_demand = false\n")
    run_hook("SessionStart", START, home, variables={"REVERIE_STEWARD_ON_DEMAND": "no"} if how == "variable" else {})

    assert not (home / "start.lock").exists()
    assert not (home / "steward.log").exists()


def test_it_ends_when_nothing_has_happened_for_a_while(tmp_path: Path) -> None:
    env = FakeEnv()
    steward = Steward(Workspace(tmp_path / "home"), env, Settings(), on_demand=True)
    steward.begin()
    thread = threading.Thread(target=steward.run)
    thread.start()
    steward.is_ready.wait(60)
    for _ in range(14):
        env.pass_time(60)
        time.sleep(0.02)
    assert thread.is_alive()

    deadline = time.monotonic() + 60
    while thread.is_alive() and time.monotonic() < deadline:  # it looks once in a second of its clock
        env.pass_time(60)
        time.sleep(0.05)

    assert not thread.is_alive()
    assert "nothing has happened for 15 minutes" in steward.ended_because


def test_one_that_a_person_started_stays(tmp_path: Path) -> None:
    env = FakeEnv()
    steward = Steward(Workspace(tmp_path / "home"), env, Settings())
    steward.begin()
    env.pass_time(86_400)
    steward._index_worker._done_at = (0, 0)
    steward._ends_if_idle()
    assert not steward.ended_because
    steward.end()


def test_a_prompt_is_answered_by_the_steward_that_the_session_started(home: Path) -> None:
    with Memory.open(home) as memory:
        said = {"session": "old", "project": PROJECT, "speaker": "user", "time": "2026-03-01T10:00:00Z"}
        memory.observe({"text": "The staging server is at staging.example.org.", **said})
        memory.commit()
    run_hook("SessionStart", START, home, variables=ALLOWED)
    wait_until(lambda: (home / "steward.sock").exists())

    def is_told() -> bool:
        """On a busy machine the first hooks are not answered in time; what they were not told, a later one is."""
        return "staging.example.org" in ask(home, prompt("Where is the staging server?", prompt_id=os.urandom(4).hex()))

    wait_until(is_told)
