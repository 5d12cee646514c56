"""The steward: one at a time, in the background, and stopping it loses nothing."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from reverie.capture.drain import has_waiting
from reverie.daemon.heartbeat import WAITING, Heartbeat, read_pulse
from reverie.daemon.index_worker import IndexWorker
from reverie.daemon.start import start_steward
from reverie.daemon.steward import TAKING_IN, Steward
from reverie.daemon.steward_lock import holder
from reverie.env.real import RealEnv, RealFiles
from reverie.errors import StewardRunning
from reverie.events import ObservationStored
from reverie.foundation.bulk import BULK
from reverie.foundation.workspace import Workspace
from reverie.hook.spool import CURRENT, frame
from reverie.memory import Memory
from reverie.ports import HttpRequest, HttpResponse
from reverie.records import Stage
from reverie.settings import InboxSettings, ModelSettings, Settings
from reverie.testing import FakeEnv
from support.faults_histories import message
from support.hooks import PROJECT, spool_event

ENOUGH_SECONDS = 60.0


@contextmanager
def running(
    home: Path,
    env: RealEnv | None = None,
    report: Callable[[str], None] = lambda _: None,
    settings: Settings | None = None,
) -> Iterator[Steward]:
    """A steward in a thread, on the real clock."""
    steward = Steward(Workspace(home), env or RealEnv(), settings or Settings(), report)
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


def test_a_command_that_works_in_its_place_is_waited_for_and_named(tmp_path: Path) -> None:
    said: list[str] = []
    steward = Steward(Workspace(tmp_path), RealEnv(), Settings(), said.append)
    command = RealEnv().files.lock(Workspace(tmp_path).steward_lock)
    assert command.acquire(0)

    waiting = threading.Thread(target=steward.begin)
    waiting.start()
    wait_until(lambda: said)
    assert waiting.is_alive()
    command.release()
    waiting.join(ENOUGH_SECONDS)

    found = holder(Workspace(tmp_path), RealEnv())
    assert found
    assert found.pid == os.getpid()
    who = (
        f"process {os.getpid()}, a hook or a command, works" if sys.platform == "linux" else "a hook or a command works"
    )
    assert said == [f"{who} in place of a steward: waiting for it to end"]
    steward.end()


def test_leases_of_a_steward_that_died_are_given_back(tmp_path: Path, env: FakeEnv) -> None:
    with Memory.open(tmp_path, env=env) as memory:
        spool_event(memory, "UserPromptSubmit", prompt="hello")
        spool_event(memory, "SessionEnd", reason="other")
        memory.parts.background.drain_spool()
        memory.engine.inbox.claim(Stage.RULES, 5, env.now_ms(), 3_600_000, "a steward that was killed")

    steward = Steward(Workspace(tmp_path), env, Settings())
    steward.begin()
    assert steward.step().done == 1
    steward.end()


def test_an_agents_session_that_falls_silent_is_a_warning_and_not_an_exit(tmp_path: Path) -> None:
    said: list[str] = []
    warned = threading.Event()

    def report(text: str) -> None:
        said.append(text)
        warned.set()

    settings = Settings(inbox=InboxSettings(idle_turn_seconds=2.0))
    with running(tmp_path, report=report, settings=settings) as steward:
        steward.memory.note("A note has no end that could be missed.")
        spool_event(steward.memory, "UserPromptSubmit", prompt="hello")
        spool_event(steward.memory, "Stop", last_assistant_message="Hello.")

        assert warned.wait(ENOUGH_SECONDS)
        assert holder(Workspace(tmp_path), RealEnv()) is not None

    assert said == ["session s1: nothing for 0 minutes, and it has not ended"]


def test_what_another_user_says_is_learned_without_anybody_waking_it(tmp_path: Path) -> None:
    with running(tmp_path), Memory.open(tmp_path, env=RealEnv(), user="ana", catch_up=False) as ana:
        ana.note("I prefer tea.")

        wait_until(lambda: bool(ana.engine.learnings.preferences()))


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
        assert "pnpm" not in owner.parts.profile.read(owner.workspace.user)


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
    texts = [f"line {n}" for n in range(BULK * 2 + 10)]
    steward = Steward(Workspace(tmp_path), env, Settings())
    steward.memory.events.subscribe(ObservationStored, lambda _: steward.stop())
    spool_at_once(steward.workspace, texts)
    steward.begin()
    steward.step()
    steward.end()

    with Memory.open(tmp_path, env=env, catch_up=False) as memory:
        assert [o.text for o in memory.engine.log.read(limit=5000)] == texts[:BULK]
        memory.parts.background.drain_spool()
        assert [o.text for o in memory.engine.log.read(limit=5000)] == texts
        assert not has_waiting(memory.workspace.spool, env)


# ---- stopped at work, as a process


@contextmanager
def steward_process(home: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "reverie", "--home", str(home), "up", "--plain"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def doing(home: Path, pid: int, thread: str) -> str:
    pulse = read_pulse(Workspace(home).pulse, RealEnv(), pid)
    return pulse.threads[thread].doing if pulse and thread in pulse.threads else ""


def stop(process: subprocess.Popen[str], number: int) -> None:
    """A signal ends it in time, with a word and without a failure: a service manager starts a failed one again."""
    began = time.monotonic()
    process.send_signal(number)
    said, _ = process.communicate(timeout=60)
    assert (process.returncode, said.splitlines()[-1][:24]) == (0, "stopped; nothing is lost"), said
    assert time.monotonic() - began < ENOUGH_SECONDS


def keep_memory_busy(home: Path, texts: int = 100) -> None:
    """Leave work to its thread, in long texts that are not cut: it is hardly anywhere else than inside the patterns."""
    (home / "reverie.toml").write_text("[stores]\nchunk_tokens = 1000000\n")
    text = "word after word in a long line of a log " * 5000 + "1 2 3 4"
    with Memory.open(home, catch_up=False) as memory:
        memory.observe({"text": f"{n}: {text}", "session": "s", "kind": "assistant_message"} for n in range(texts))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_steward_whose_memory_is_busy_inside_an_extension_ends_without_an_abort(tmp_path: Path, number: int) -> None:
    """The patterns are C++. A thread that is in there when the interpreter ends takes the process down with SIGABRT."""
    keep_memory_busy(tmp_path)

    def begin_and_stop() -> None:
        with steward_process(tmp_path) as process:
            wait_until(lambda: doing(tmp_path, process.pid, "memory").startswith("making"))
            stop(process, number)

    begin_and_stop()
    begin_and_stop()

    with Memory.open(tmp_path, catch_up=False) as memory:
        assert len(memory.engine.log.read(limit=1000)) == 100
        assert memory.engine.items.admitted() < 100, "it was at work"


def test_a_program_that_ends_with_a_busy_steward_inside_is_not_aborted(tmp_path: Path) -> None:
    keep_memory_busy(tmp_path, texts=50)
    program = f"""if True:
        from reverie.env.real import RealEnv
        from reverie.memory import Memory
        from reverie import start_steward
        from reverie.daemon.heartbeat import read_pulse
        memory = Memory.open({str(tmp_path)!r})
        assert start_steward(memory)
        sign = None
        while not (sign and sign.doing):
            pulse = read_pulse(memory.workspace.pulse, RealEnv())
            sign = pulse and pulse.threads.get("memory")
    """
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)

    assert (ran.returncode, ran.stderr) == (0, "")
    with Memory.open(tmp_path, catch_up=False) as memory:
        assert memory.engine.items.admitted() > 0, "its thread was waited for, to the end of what it had begun"


def test_a_steward_stopped_again_and_again_among_thousands_of_turns_does_each_of_them_once(tmp_path: Path) -> None:
    texts = [f"Please do step {n}, and remember that build {n} runs on port {8000 + n}." for n in range(2000)]
    with Memory.open(tmp_path, catch_up=False) as memory:
        memory.observe({"text": text, "session": f"s{n % 5}"} for n, text in enumerate(texts[:1500]))
        for n, text in enumerate(texts[1500:]):
            spool_event(memory, "UserPromptSubmit", session=f"t{n % 5}", prompt=text)

    def begin_and_stop(number: int) -> None:
        with steward_process(tmp_path) as process, Memory.open(tmp_path, catch_up=False) as memory:
            before = memory.engine.inbox.counts().get("done", 0)
            wait_until(lambda: memory.engine.inbox.counts().get("done", 0) > before)
            stop(process, number)
            assert memory.engine.inbox.counts().keys() == {"done", "pending"}, "every lease was given back"

    begin_and_stop(signal.SIGTERM)
    begin_and_stop(signal.SIGINT)
    begin_and_stop(signal.SIGTERM)
    with Memory.open(tmp_path, catch_up=False) as memory:
        memory.parts.background.drain_spool()
        memory.parts.background.distil()
        assert sorted(o.text for o in memory.engine.log.read(limit=5000)) == sorted(texts)
        assert memory.engine.inbox.counts() == {"done": len(texts) - 10}, "the last turn of each session is open"
        assert {work.attempts for work in memory.engine.inbox.listing(["done"], limit=5000)} == {1}


def test_a_long_spool_keeps_nobody_waiting_for_its_steward_to_start_or_to_stop(tmp_path: Path) -> None:
    """It is the steward first, and takes in what waits then: who looks sees it, and who stops it is heard."""
    workspace, env = Workspace(tmp_path), RealEnv()
    spool_at_once(workspace, [f"line {n}" for n in range(20 * BULK)])
    with steward_process(tmp_path) as process:
        wait_until(lambda: (it := holder(workspace, env)) and it.pid == process.pid)
        assert has_waiting(workspace.spool, env)
        stop(process, signal.SIGTERM)
    assert has_waiting(workspace.spool, env)


def test_a_writer_that_never_ends_does_not_keep_a_steward_from_stopping(tmp_path: Path) -> None:
    with steward_process(tmp_path) as process, Memory.open(tmp_path, catch_up=False) as memory:
        wait_until(lambda: doing(tmp_path, process.pid, "work") is not None)
        with memory.engine.write():
            spool_event(memory, "UserPromptSubmit", prompt="while somebody writes")
            wait_until(lambda: doing(tmp_path, process.pid, "work") == TAKING_IN)
            process.send_signal(signal.SIGTERM)
            assert process.wait(ENOUGH_SECONDS) == 0
        memory.parts.background.drain_spool()
        assert [it.text for it in memory.engine.log.read()] == ["while somebody writes"]


class StoppedAtWork(Heartbeat):
    """Who is stopped the moment it begins to make things searchable."""

    def __init__(self, home: Path, env: FakeEnv) -> None:
        super().__init__(home / "pulse", env, 1)
        self.stop_it = threading.Event()

    def beat(self, thread: str, doing: str = "", patience_seconds: float = 60.0) -> None:
        super().beat(thread, doing, patience_seconds)
        if doing:
            self.stop_it.set()


def test_who_makes_a_long_log_searchable_looks_up_after_each_chunk(tmp_path: Path, env: FakeEnv) -> None:
    heart = StoppedAtWork(tmp_path, env)
    with Memory.open(tmp_path, env=env) as memory:
        memory.observe({"text": f"line {n}", "session": "s", "kind": "assistant_message"} for n in range(2500))

        IndexWorker(heart.stop_it, threading.Event(), heart, print).run(memory)

        assert memory.engine.items.admitted() == memory.engine.log.read(limit=1000)[-1].position


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
        assert start_steward(memory)
        assert start_steward(memory)
        assert not start_steward(other)
        assert holder(memory.workspace, memory.env) is not None
    assert holder(Workspace(tmp_path), RealEnv()) is None


def test_threads_that_show_preferences_at_once_take_nothing_for_a_persons_edit(tmp_path: Path) -> None:
    with Memory.open(tmp_path, catch_up=False) as first:
        for n in range(30):
            first.note(f"I prefer the colour {n} for badge number {n}, always.")

        def work() -> None:
            with Memory.open(tmp_path, catch_up=False) as memory:
                for _ in range(15):
                    memory.parts.background.distil(lambda: True, at_once=10)
                    memory.parts.profile.user_file.sync()

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

    def read(self, path: Path, *, follow: bool = True) -> bytes | None:
        if path.name == "soul.md":
            self._fail()
        return super().read(path, follow=follow)

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
    pulse = read_pulse(steward.workspace.pulse, RealEnv())
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


# ---- asking a model


class BusyModelEnv(RealEnv):
    """A machine whose model asks for a minute of patience about teapots, and finds nothing in anything else."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[bytes] = []

    def variable(self, name: str) -> str | None:
        return "canned" if name == "ANTHROPIC_API_KEY" else super().variable(name)

    def http(self, request: HttpRequest) -> HttpResponse:
        self.asked.append(request.body)
        is_busy = b"teapot" in request.body
        return HttpResponse(429, {"retry-after": "60"}, b"{}") if is_busy else HttpResponse(200, {}, message("NONE"))


def test_what_somebody_wants_tried_again_is_not_kept_waiting_by_a_backoff(tmp_path: Path) -> None:
    env = BusyModelEnv()
    settings = Settings(model=ModelSettings(provider="anthropic", daily_dollars=1.0))
    with Memory.open(tmp_path, env=env, settings=settings, catch_up=False) as memory:

        def say(text: str, **fields: str) -> None:
            memory.observe(text, session=text, kind="user_message", **fields)
            memory.engine.log.close_turn(text)

        def of_model(state: str) -> list[int]:
            return [work.id for work in memory.engine.inbox.listing([state]) if work.stage is Stage.MODEL]

        def looked_at() -> float:
            pulse = read_pulse(memory.workspace.pulse, env)
            return pulse.threads["models"].at if pulse and doing(tmp_path, pulse.pid, "models") == WAITING else 0.0

        say("The lamp is red.", time="2020-03-01T10:00:00Z")
        say("The teapot is blue.")
        memory.parts.background.distil()
        stale = of_model("skipped")
        assert len(stale) == 1, "it was old when it came in"
        with running(tmp_path, env, settings=settings):
            wait_until(lambda: env.asked and looked_at())
            say("The kettle is green.")
            wait_until(lambda: len(of_model("pending")) == 2)
            began = looked_at()
            wait_until(lambda: looked_at() > began + 2.0)
            assert len(env.asked) == 1, "what is new waits for the end of the backoff"

            assert memory.engine.inbox.retry(stale, env.now_ms()) == 1
            wait_until(lambda: len(of_model("done")) == 2)
            assert sorted(b"teapot" in body for body in env.asked) == [False, False, True]


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
        assert time.monotonic() - began < 95.0

        connection.settimeout(ENOUGH_SECONDS)
        assert connection.recv(1) == b"", "it is not waited for longer than a second"
    assert said == []
