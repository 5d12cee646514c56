"""The steward: one at a time, in the background, and stopping it loses nothing."""

import json
import os
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from reverie.capture.drain import CHUNK, has_waiting
from reverie.capture.spool import CURRENT, frame
from reverie.env import RealEnv, RealFiles
from reverie.errors import StewardRunning
from reverie.events import ObservationStored
from reverie.memory import Memory
from reverie.pulse import read_pulse
from reverie.settings import Settings
from reverie.steward import Steward, holder, pulse_file
from reverie.testing import FakeEnv
from reverie.workspace import Workspace
from support.hooks import PROJECT, spool_event

ENOUGH_SECONDS = 10.0


@contextmanager
def running(
    home: Path, env: RealEnv | None = None, report: Callable[[str], None] = lambda _: None
) -> Iterator[Steward]:
    """A steward in a thread, on the real clock."""
    steward = Steward(Workspace(home), env or RealEnv(), Settings(), report)
    steward.begin()
    thread = threading.Thread(target=steward.run, name="reverie work")
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
        untouched = steward.memory.engine.inbox.listing(["pending"], limit=1000)
        assert {work.attempts for work in untouched} == {0}, "what nobody has looked at was not tried"
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


# ---- nothing ends a thread


class FaultyFiles(RealFiles):
    """A disk that fails, in the threads that are named, with an error that nobody expects."""

    def __init__(self) -> None:
        self.failing: set[str] = set()

    def names(self, folder: Path) -> list[str]:
        self._fail()
        return super().names(folder)

    def is_link(self, path: Path) -> bool:
        self._fail()
        return super().is_link(path)

    def read(self, path: Path) -> bytes | None:
        if path.name == "soul.md":
            self._fail()
        return super().read(path)

    def _fail(self) -> None:
        if threading.current_thread().name in self.failing:
            raise RuntimeError("this is not expected")


class FaultyEnv(RealEnv):
    def __init__(self) -> None:
        super().__init__()
        self.files: FaultyFiles = FaultyFiles()


CONTEXT: dict[str, object] = {
    "ask": "context",
    "event": "SessionStart",
    "session": "s1",
    "project": PROJECT,
    "source": "startup",
}
QUESTION: dict[str, object] = {"ask": "search", "query": "teapot", "limit": 5, "project": None, "filters": ()}


def wait_until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + ENOUGH_SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def troubles(steward: Steward) -> list[str]:
    pulse = read_pulse(pulse_file(steward.workspace), RealEnv())
    return list(pulse.troubles(steward.env.monotonic())) if pulse else []


@pytest.mark.parametrize("thread", ["work", "memory", "hooks"])
def test_a_thread_that_meets_an_error_says_so_and_goes_on(tmp_path: Path, thread: str) -> None:
    env, said = FaultyEnv(), list[str]()
    env.files.failing.add(f"reverie {thread}")
    with running(tmp_path, env, said.append) as steward:
        address = steward.workspace.socket
        assert address
        spool_event(steward.memory, "UserPromptSubmit", prompt="The teapot is blue.")

        wait_until(lambda: asked(address, CONTEXT) is not None and troubles(steward))

        assert "RuntimeError: this is not expected" in troubles(steward)[0]
        assert any("RuntimeError: this is not expected" in line for line in said)
        if thread == "hooks":
            assert asked(address, CONTEXT) == "", "who asks is not kept waiting, and looks for itself"
        env.files.failing.clear()
        wait_until(lambda: "Your Daemon" in asked(address, CONTEXT) and not troubles(steward))
        wait_until(lambda: "teapot is blue" in asked(address, QUESTION))


def asked(address: Path, request: dict[str, object]) -> str:
    try:
        return ask(address, json.dumps(request).encode())
    except (FileNotFoundError, ConnectionError):
        return ""


def test_a_report_that_fails_ends_nothing(tmp_path: Path) -> None:
    def report(text: str) -> None:
        raise OSError(28, f"no room for {text}")

    env = FaultyEnv()
    env.files.failing.add("reverie work")
    with running(tmp_path, env, report) as steward:
        wait_until(lambda: troubles(steward))
        env.files.failing.clear()
        wait_until(lambda: not troubles(steward))


def test_an_address_that_is_taken_is_tried_again(tmp_path: Path) -> None:
    (tmp_path / "steward.sock").mkdir()
    with running(tmp_path) as steward:
        wait_until(lambda: any("cannot answer hooks" in said for said in troubles(steward)))
        (tmp_path / "steward.sock").rmdir()
        wait_until(lambda: not troubles(steward))
        assert "Your Daemon" in ask(tmp_path / "steward.sock", json.dumps(CONTEXT).encode())


# ---- whatever is sent to its socket


@pytest.mark.parametrize(
    "request_bytes",
    [b"[" * 50_000, b"[" * 65_000 + b"]" * 536, b'{"ask":' * 5_000, b"\xff\x00", b"7", b"null", b'"ask"', b"{}",
     b'{"ask": ["search"]}', b'{"ask": "context"}', b'{"ask": "search"}', b'{"ask": "search", "query": "x", "limit": []}',
     b'{"ask": "search", "query": "x", "limit": 1, "project": 7, "filters": 7}', b"x" * 2_000_000],
    ids=range(14),
)  # fmt: skip
def test_no_request_keeps_the_next_from_being_answered(tmp_path: Path, request_bytes: bytes) -> None:
    with running(tmp_path) as steward:
        address = steward.workspace.socket
        assert address
        try:
            assert "Your Daemon" not in ask(address, request_bytes)
        except (BrokenPipeError, ConnectionResetError):
            assert len(request_bytes) > 65_536, "only what is too long is not heard to its end"

        assert "Your Daemon" in ask(address, json.dumps(CONTEXT).encode())
        assert '"answer": []' in ask(address, json.dumps(QUESTION).encode())
        assert troubles(steward) == []


def test_who_connects_and_says_nothing_or_little_holds_nobody_up_and_is_no_news(tmp_path: Path) -> None:
    said: list[str] = []
    with running(tmp_path, report=said.append) as steward, ExitStack() as open_connections:
        address = steward.workspace.socket
        assert address
        ask(address, json.dumps(CONTEXT).encode())
        assert ask(address, b"") == "", "as a hook does that only looks whether somebody listens"
        began = time.monotonic()
        for count in range(100):
            connection = open_connections.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
            connection.connect(str(address))
            if count % 2:
                connection.send(b"{")
            assert "Your Daemon" in ask(address, json.dumps(CONTEXT).encode())
        # One after the other, each of the hundred would have been waited for, for a second.
        assert time.monotonic() - began < 50.0

        connection.settimeout(ENOUGH_SECONDS)
        assert connection.recv(1) == b"", "it is not waited for longer than a second"
    assert said == []
