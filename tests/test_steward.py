"""The steward: one at a time, in the background, and stopping it loses nothing."""

import json
import os
import shutil
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from reverie.capture.drain import CHUNK, has_waiting
from reverie.capture.spool import CURRENT, frame
from reverie.env import RealEnv
from reverie.errors import StewardRunning
from reverie.events import ObservationStored
from reverie.memory import Memory
from reverie.settings import Settings
from reverie.steward import Steward, holder
from reverie.testing import FakeEnv
from reverie.workspace import Workspace
from support.hooks import PROJECT, spool_event

ENOUGH_SECONDS = 10.0


@contextmanager
def running(home: Path) -> Iterator[Steward]:
    """A steward in a thread, on the real clock."""
    steward = Steward(Workspace(home), RealEnv(), Settings())
    steward.begin()
    thread = threading.Thread(target=steward.run)
    thread.start()
    steward.is_ready.wait(ENOUGH_SECONDS)
    try:
        yield steward
    finally:
        steward.stop()
        thread.join(ENOUGH_SECONDS)
        assert not thread.is_alive()


def test_it_takes_in_what_hooks_spool_without_being_told(tmp_path: Path) -> None:
    with Memory.open(tmp_path, env=RealEnv(), catch_up=False) as memory, running(tmp_path) as steward:
        arrived = threading.Event()
        steward.memory.events.subscribe(ObservationStored, lambda event: arrived.set())
        spool_event(memory, "UserPromptSubmit", prompt="hello")

        assert arrived.wait(ENOUGH_SECONDS)
        assert [o.text for o in memory.engine.log.read()] == ["hello"]


def test_a_second_steward_is_told_who_the_first_is(tmp_path: Path, env: FakeEnv) -> None:
    first = Steward(Workspace(tmp_path), env, Settings())
    first.begin()

    second = Steward(Workspace(tmp_path), env, Settings())
    with pytest.raises(StewardRunning, match=f"process {os.getpid()} is the steward"):
        second.begin(wait_seconds=0)

    first.end()
    second.begin()
    second.end()
    assert holder(Workspace(tmp_path), env) is None


def test_leases_of_a_steward_that_died_are_given_back(tmp_path: Path, env: FakeEnv) -> None:
    from reverie.records import Stage

    with Memory.open(tmp_path, env=env) as memory:
        spool_event(memory, "UserPromptSubmit", prompt="hello")
        spool_event(memory, "SessionEnd", reason="other")
        memory.absorb()
        memory.engine.inbox.claim(Stage.RULES, 5, env.now_ms(), 3_600_000, "a steward that was killed")

    steward = Steward(Workspace(tmp_path), env, Settings())
    steward.begin()
    assert steward.step().done == 1
    steward.end()


def test_an_idle_open_session_is_a_warning_and_not_an_exit(tmp_path: Path, env: FakeEnv) -> None:
    said: list[str] = []
    steward = Steward(Workspace(tmp_path), env, Settings(), said.append)
    steward.begin()
    spool_event(steward.memory, "UserPromptSubmit", prompt="hello")
    steward.step()
    env.pass_time(601)
    steward.step()
    steward.step()
    steward.end()

    assert said == ["session s1: nothing for 10 minutes, and it has not ended"]


def test_it_answers_hooks_over_a_socket_that_only_its_owner_can_reach(tmp_path: Path) -> None:
    with running(tmp_path) as steward:
        address = steward.workspace.socket
        assert address is not None
        assert address.stat().st_mode & 0o777 == 0o600
        spool_event(steward.memory, "SessionStart", source="startup")
        request = {"ask": "context", "event": "SessionStart", "session": "s1", "project": PROJECT, "source": "startup"}

        assert "Your Daemon" in ask(address, json.dumps(request).encode())
        assert ask(address, b"not json") == ""
        assert "Your Daemon" in ask(address, json.dumps({**request, "session": "s2"}).encode())


def ask(address: Path, request: bytes) -> str:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(ENOUGH_SECONDS)
        connection.connect(str(address))
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        pieces = b""
        while piece := connection.recv(65536):
            pieces += piece
    return pieces.decode()


@pytest.mark.parametrize("way", ["deleted", "moved", "made anew", "database deleted"])
def test_a_workspace_that_goes_away_ends_its_steward_with_a_word(tmp_path: Path, way: str) -> None:
    home, said = tmp_path / "home", list[str]()
    steward = Steward(Workspace(home), RealEnv(), Settings(), said.append)
    steward.begin()
    thread = threading.Thread(target=steward.run)
    thread.start()
    steward.is_ready.wait(ENOUGH_SECONDS)
    assert steward.workspace.socket is not None
    ask(steward.workspace.socket, b"{}")  # its threads have begun, too
    said.clear()

    if way == "database deleted":
        (home / "reverie.db").unlink()
    else:
        home.rename(tmp_path / "elsewhere")
    if way == "deleted":
        shutil.rmtree(tmp_path / "elsewhere")
    if way == "made anew":
        Memory.open(home, env=RealEnv()).close()
        (home / "steward.sock").write_text("of another steward")
    thread.join(ENOUGH_SECONDS)

    assert not thread.is_alive()
    assert steward.ended_because == f"{home} was removed or replaced; its steward ends"
    assert steward.ended_because in said
    if way == "made anew":
        with running(home) as another:
            assert holder(another.workspace, RealEnv()) is not None
    else:
        assert home.exists() == (way == "database deleted")


def test_the_end_of_a_workspace_that_was_made_anew_leaves_the_new_one_alone(tmp_path: Path, env: FakeEnv) -> None:
    home = tmp_path / "home"
    old = Steward(Workspace(home), env, Settings())
    old.begin()
    home.rename(tmp_path / "elsewhere")
    env.pass_time(1)
    new = Steward(Workspace(home), env, Settings())
    new.begin()

    old.end()

    assert holder(Workspace(home), env) is not None, "it still says who holds it"
    new.end()


def test_damage_in_the_spool_is_reported_and_set_aside(tmp_path: Path, env: FakeEnv) -> None:
    said: list[str] = []
    steward = Steward(Workspace(tmp_path), env, Settings(), said.append)
    steward.begin()
    spool_event(steward.memory, "UserPromptSubmit", prompt="whole")
    current = steward.workspace.spool / "current"
    current.write_bytes(b"torn by a kill" + current.read_bytes())

    steward.step()

    assert [o.text for o in steward.memory.engine.log.read()] == ["whole"]
    assert said == ["spool: 14 damaged bytes and 0 unreadable records set aside"]
    assert len(list((steward.workspace.spool / "damaged").iterdir())) == 1
    steward.end()


def test_another_users_turns_are_distilled_too(tmp_path: Path, env: FakeEnv) -> None:
    with Memory.open(tmp_path, env=env, user="ana") as ana:
        ana.observe("From now on always use pnpm instead of npm.", session="a")
    steward = Steward(Workspace(tmp_path), env, Settings())
    steward.begin()
    env.pass_time(601)
    steward.step()
    steward.end()

    with Memory.open(tmp_path, env=env, user="ana") as ana, Memory.open(tmp_path, env=env) as owner:
        assert "pnpm" in ana.context()
        assert "pnpm" not in owner.context()
        assert "pnpm" not in owner.read_file(owner.workspace.user)


class SlowEnv(FakeEnv):
    """A machine on which every look at the clock takes half a second."""

    def monotonic(self) -> float:
        self.pass_time(0.5)
        return super().monotonic()


def test_a_long_queue_does_not_keep_hooks_waiting(tmp_path: Path) -> None:
    env = SlowEnv()
    steward = Steward(Workspace(tmp_path), env, Settings())
    with Memory.open(tmp_path, env=env, catch_up=False) as memory:
        memory.observe([{"text": f"Please do step {n}.", "session": f"s{n}"} for n in range(1000)])
        env.pass_time(3600)
        steward.begin()
        steward.step()
        waiting = steward.memory.engine.inbox.counts()["pending"]
        assert 0 < waiting < 1000

        spool_event(memory, "UserPromptSubmit", prompt="And now?")
        steward.step()

        assert [o.text for o in memory.engine.log.read(newest_first=True, limit=1)] == ["And now?"]
        assert 0 < steward.memory.engine.inbox.counts()["pending"] < waiting
    steward.end()


def test_a_steward_that_is_stopped_in_a_long_spool_leaves_the_rest_to_the_next(tmp_path: Path, env: FakeEnv) -> None:
    texts = [f"line {n}" for n in range(CHUNK * 2 + 10)]
    steward = Steward(Workspace(tmp_path), env, Settings())
    steward.memory.events.subscribe(ObservationStored, lambda _: steward.stop())
    spool_at_once(steward.workspace, texts)
    steward.begin()
    steward.step()
    steward.end()

    with Memory.open(tmp_path, env=env, catch_up=False) as memory:
        assert [o.text for o in memory.engine.log.read(limit=5000)] == texts[:CHUNK]
        memory.absorb()
        assert [o.text for o in memory.engine.log.read(limit=5000)] == texts
        assert not has_waiting(memory.workspace.spool, env)


def spool_at_once(workspace: Workspace, texts: list[str]) -> None:
    workspace.spool.mkdir(parents=True, exist_ok=True)
    framed = [
        frame(json.dumps({"event": "PostToolUse", "at": n, "mono": n, "project": PROJECT, "payload": fields}).encode())
        for n, text in enumerate(texts)
        for fields in [{"session_id": "s1", "tool_name": "Bash", "tool_use_id": str(n), "tool_response": text}]
    ]
    (workspace.spool / CURRENT).write_bytes(b"".join(framed))


def test_a_program_that_opens_a_memory_can_be_the_steward(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory, Memory.open(tmp_path) as other:
        assert memory.start_steward()
        assert memory.start_steward()
        assert not other.start_steward()
        assert holder(memory.workspace, memory.env) is not None
    assert holder(Workspace(tmp_path), RealEnv()) is None


def test_threads_that_show_preferences_at_once_take_nothing_for_a_persons_edit(tmp_path: Path) -> None:
    with Memory.open(tmp_path, catch_up=False) as first:
        for n in range(30):
            first.note(f"I prefer the colour {n} for badge number {n}, always.")

        def work() -> None:
            with Memory.open(tmp_path, catch_up=False) as memory:
                for _ in range(15):
                    memory.distil(lambda: True, at_once=10)
                    memory.user_file.sync()

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert first.engine.log.acts() == []
        assert len(first.engine.learnings.preferences()) > 0
