"""Agent SDK callbacks keep every event durably and never disturb the agent."""

import asyncio
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.capture.callbacks import EVENTS, create_hook_callbacks
from reverie.capture.drain import drain
from reverie.capture.hook_events import UNKNOWN_SESSION, read_record, restore
from reverie.daemon.steward import Steward
from reverie.env.real import RealEnv
from reverie.foundation.workspace import Workspace
from reverie.hook import spool
from reverie.memory import Memory
from reverie.records import Captured, Kind
from reverie.testing import FakeEnv

KEY = "AKIA" + "Q3EGRZ7LDPWX5T2M"


@dataclass
class Host:
    workspace: Workspace
    env: RealEnv

    def captured(self) -> list[Captured]:
        found: list[Captured] = []
        drain(self.workspace.spool, self.env, lambda captures, _: found.extend(captures), dict)
        return found

    def context(self, project: str = "", session: str | None = None, *, prompt: str = "", path: str = "") -> str:
        """Nothing is known here."""
        return ""

    def call(self, event: str, hook_input: Any) -> dict[str, Any]:
        return asyncio.run(create_hook_callbacks(self)[event](hook_input, "random", {"signal": None}))


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(Workspace(tmp_path / "home"), RealEnv())


def tool(response: Any, cwd: object = "/", **more: Any) -> dict[str, Any]:
    fields = {"session_id": "s1", "cwd": str(cwd), "hook_event_name": "PostToolUse", "prompt_id": "p1"}
    return (
        fields
        | {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t1", "tool_response": response}
        | more
    )


def test_every_event_is_kept_as_its_hook_would_keep_it(host, tmp_path):
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    (tmp_path / "shop" / "src").mkdir()
    common = {"session_id": "s1", "cwd": str(tmp_path / "shop" / "src"), "prompt_id": "p1"}

    assert host.call("UserPromptSubmit", common | {"prompt": "I prefer tabs"}) == {}
    assert host.call("PostToolUse", tool({"stdout": "a.py", "stderr": ""}, tmp_path / "shop")) == {}
    assert host.call("PostToolUseFailure", common | {"tool_name": "Bash", "tool_use_id": "t2", "error": "no"}) == {}
    assert host.call("PreCompact", common | {"trigger": "auto"}) == {}
    assert host.call("Stop", common | {"last_assistant_message": "Done."}) == {}

    kept = host.captured()
    assert [(c.kind, c.event, c.text) for c in kept] == [
        (Kind.USER_MESSAGE, "UserPromptSubmit", "I prefer tabs"),
        (Kind.TOOL_CALL, "PostToolUse", "a.py"),
        (Kind.TOOL_CALL, "PostToolUseFailure", "no"),
        (Kind.SYSTEM, "PreCompact", "compaction (auto)"),
        (Kind.ASSISTANT_MESSAGE, "Stop", "Done."),
    ]
    assert {c.project for c in kept} == {str(tmp_path / "shop")}
    assert kept[1].event_id == "tool:t1"


def test_there_is_a_callback_for_each_event_that_the_sdk_fires(host):
    assert tuple(create_hook_callbacks(host, tells=False)) == EVENTS
    assert tuple(create_hook_callbacks(host)) == (*EVENTS, "PreToolUse")
    assert all(asyncio.iscoroutinefunction(callback) for callback in create_hook_callbacks(host).values())


def test_a_prompt_and_a_file_are_answered_with_what_is_known(tmp_path, monkeypatch):
    monkeypatch.setattr("reverie.capture.callbacks._ANSWER_SECONDS", 60.0)  # however busy the machine is
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    project = str(tmp_path / "shop")
    common = {"session_id": "s2", "cwd": project}
    with Memory.open(tmp_path / "home", env=FakeEnv()) as memory:
        for text in ("The staging server is at staging.example.org.", "Never edit schema.gen.ts by hand."):
            memory.observe(text, session="s1", project=project, speaker="user")
        memory.commit()
        callbacks = create_hook_callbacks(memory)

        def told(event: str, **fields: Any) -> str:
            answer = asyncio.run(callbacks[event]({**common, **fields}, None, {}))
            assert not answer or answer["hookSpecificOutput"]["hookEventName"] == event
            return answer["hookSpecificOutput"]["additionalContext"] if answer else ""

        assert "staging.example.org" in told("UserPromptSubmit", prompt="Where is the staging server?")
        assert told("UserPromptSubmit", prompt="ok, go on") == ""
        opened = {"tool_name": "Read", "tool_input": {"file_path": f"{project}/db/schema.gen.ts"}}
        assert "Never edit schema.gen.ts" in told("PreToolUse", **opened)
        assert told("PreToolUse", tool_name="Bash", tool_input={"command": "ls"}) == ""
        assert told("PreToolUse", tool_input=None) == ""


def test_secrets_are_out_before_anything_is_written(host):
    host.call("PostToolUse", tool({"stdout": f"key {KEY}", "deep": [{"password": Path("/hunter2-hunter2")}]}))

    written = b"".join(path.read_bytes() for path in host.workspace.home.rglob("*") if path.is_file())
    assert KEY.encode() not in written
    assert b"[secret:" in written


def test_an_opted_out_project_is_left_alone(host, tmp_path):
    (tmp_path / ".reverie.toml").write_text("[project]\nenabled = false\n")

    assert host.call("PostToolUse", tool("x", tmp_path)) == {}
    assert host.captured() == []


# ---- what is not JSON


class Hostile:
    """Fails at everything that one may ask of it."""

    def __str__(self) -> str:
        raise SystemExit("no")

    __repr__ = __str__

    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError(name)


class Polite:
    def __str__(self) -> str:
        return "forty-two files"


class LyingList(list[Any]):
    def __iter__(self) -> Any:
        raise OSError("no")


def circle() -> list[Any]:
    ring: list[Any] = ["round"]
    ring.append({"again": ring})
    return ring


def doubling() -> list[Any]:
    value: list[Any] = []
    for _ in range(60):
        value = [value, value]
    return value


# By name, because pytest cannot print these values either.
RESPONSES: dict[str, tuple[Any, Any]] = {
    "an object": (Polite(), "forty-two files"),
    "an object inside": ({"a": [Polite()]}, {"a": ["forty-two files"]}),
    "keys and bytes": ({1: {Polite(): b"caf\xc3\xa9\xff"}}, {"1": {"forty-two files": "café\ufffd"}}),
    "sets and tuples": (({1}, (2, None)), [[1], [2, None]]),
    "hostile": (Hostile(), "<Hostile>"),
    "hostile inside": ({"x": Hostile(), "y": 1.5}, {"x": "<Hostile>", "y": 1.5}),
    "a circle": (circle(), ["round", {"again": "[circular]"}]),
    "a list that lies": (LyingList(["a"]), ["a"]),
    "not finite": ([float("nan"), float("-inf")], ["nan", "-inf"]),
    "an enum": (Kind.NOTE, "note"),
    "a lone surrogate": ("half a pair \ud83d", "half a pair \ud83d"),
    "a huge number": ([1 << 20_000], [hex(1 << 20_000)]),
}


@pytest.mark.parametrize("name", RESPONSES)
def test_a_response_that_is_not_json_is_kept_as_text(host, name):
    response, kept = RESPONSES[name]

    assert host.call("PostToolUse", tool(response)) == {}

    (found,) = host.captured()
    assert restore(found.text, found.metadata.get("response")) == kept


def test_a_response_without_end_is_kept_as_far_as_it_goes(host):
    assert host.call("PostToolUse", tool({"stdout": "the beginning", "rest": doubling()})) == {}

    (found,) = host.captured()
    assert found.event_id == "tool:t1"
    assert "the beginning" in found.text


def test_a_very_deep_response_does_not_take_the_event_with_it(host):
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]

    assert host.call("PostToolUse", tool(deep)) == {}
    (found,) = host.captured()
    assert found.tool is not None
    assert found.tool.input == {"command": "ls"}
    while deep:
        deep = deep.pop()  # an interpreter may not survive freeing it in one go


@pytest.mark.parametrize("make", [lambda: None, lambda: 7, lambda: "words", lambda: ["a"], Hostile, dict])
def test_an_input_that_is_no_event_is_kept_or_noted_and_never_raises(host, make):
    assert host.call("Stop", make()) == {}
    assert len(host.captured()) == 1


def test_above_8_mb_head_and_tail_are_kept_and_marked_as_cut(host):
    host.call("PostToolUse", tool({"stdout": "start " + "x" * 9_000_000 + f" {KEY} end"}))

    (found,) = host.captured()
    assert found.metadata["cut"] is True
    assert 5_000_000 < len(found.text) < 5_100_000
    assert found.event_id == "tool:t1"
    assert "start" in found.text
    assert " end" in found.text
    assert KEY not in found.text


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.binary()
    | st.builds(Polite)
    | st.builds(Hostile),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text() | st.integers() | st.booleans() | st.none(), inner, max_size=4)
    ),
)


@given(VALUES)
@settings(deadline=None, max_examples=60)
def test_whatever_a_tool_answers_the_event_arrives(tmp_path_factory, response):
    host = Host(Workspace(tmp_path_factory.mktemp("home")), RealEnv())

    assert host.call("PostToolUse", tool(response)) == {}
    assert [c.event_id for c in host.captured()] == ["tool:t1"]
    assert not host.workspace.hook_errors.exists()


# ---- manners


def test_a_failure_is_a_line_in_the_log_and_nothing_else(host):
    host.workspace.home.mkdir()
    host.workspace.spool.write_text("a file where the folder should be")

    assert host.call("Stop", {"session_id": "s1", "last_assistant_message": f"not for the log: {KEY}"}) == {}

    log = host.workspace.hook_errors.read_text()
    assert log.count("\n") == 1
    assert "'Stop'" in log
    assert "not for the log" not in log


def test_it_is_durable_when_it_returns(host):
    host.call("Stop", {"session_id": "s1", "last_assistant_message": "Done."})

    payloads, damaged = spool.frames((host.workspace.spool / spool.CURRENT).read_bytes())
    assert damaged == 0
    assert read_record(payloads[0]).text == "Done."


def test_the_loop_runs_on_while_the_disk_is_slow(host, monkeypatch):
    writers: list[str] = []
    has_turned = threading.Event()

    def slow_append(folder: str, payload: bytes) -> None:
        writers.append(threading.current_thread().name)
        assert has_turned.wait(60), "the loop waits for the disk"

    monkeypatch.setattr(spool, "append", slow_append)

    async def run() -> None:
        callback = create_hook_callbacks(host)["Stop"]
        work = asyncio.gather(*(callback({"session_id": f"s{n}"}, None, {}) for n in range(3)))
        while not writers:
            await asyncio.sleep(0.005)
        for _ in range(10):
            await asyncio.sleep(0)
        assert not work.done()
        has_turned.set()
        assert await work == [{}, {}, {}]

    asyncio.run(run())
    assert threading.main_thread().name not in writers


def test_many_at_once_lose_and_mix_nothing(host):
    async def run() -> None:
        callbacks = create_hook_callbacks(host)
        await asyncio.gather(
            *(callbacks["PostToolUse"](tool(f"answer {n}", tool_use_id=f"t{n}"), None, {}) for n in range(200))
        )

    asyncio.run(run())

    assert {(c.event_id, c.text) for c in host.captured()} == {(f"tool:t{n}", f"answer {n}") for n in range(200)}


def test_an_event_that_comes_while_the_loop_shuts_down_is_kept(host):
    async def run() -> dict[str, Any]:
        await asyncio.get_running_loop().shutdown_default_executor()
        return await create_hook_callbacks(host)["Stop"]({"session_id": "s1"}, None, {})

    assert asyncio.run(run()) == {}
    assert len(host.captured()) == 1


def test_a_loop_whose_threads_are_all_busy_keeps_no_event_waiting(host):
    async def run() -> dict[str, Any]:
        loop, done = asyncio.get_running_loop(), threading.Event()
        loop.set_default_executor(ThreadPoolExecutor(1))
        busy = loop.run_in_executor(None, done.wait)
        try:
            return await asyncio.wait_for(create_hook_callbacks(host)["Stop"]({"session_id": "s1"}, None, {}), 30)
        finally:
            done.set()
            await busy

    assert asyncio.run(run()) == {}
    assert len(host.captured()) == 1


def test_an_agent_that_gives_up_waiting_does_not_take_the_event_back(host):
    async def run() -> None:
        callbacks = create_hook_callbacks(host)
        waiting = [asyncio.ensure_future(callbacks["Stop"]({"session_id": f"s{n}"}, None, {})) for n in range(50)]
        await asyncio.sleep(0)
        for one in waiting:
            one.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        await callbacks["Stop"]({"session_id": "last"}, None, {})

    asyncio.run(run())

    assert len(host.captured()) == 51


def test_a_session_that_began_in_a_project_that_opted_out_is_out_wherever_its_agent_goes(host, tmp_path):
    (tmp_path / "quiet").mkdir()
    (tmp_path / "quiet" / ".reverie.toml").write_text("[project]\nenabled = false\n")
    callbacks = create_hook_callbacks(host)
    for session, cwd in (("s1", tmp_path / "quiet"), ("s1", tmp_path), ("s2", tmp_path)):
        asyncio.run(callbacks["Stop"]({"session_id": session, "cwd": str(cwd)}, None, {}))
    for cwd in (tmp_path / "quiet", tmp_path):  # without a name these are no session
        asyncio.run(callbacks["Stop"]({"cwd": str(cwd)}, None, {}))

    assert [it.session for it in host.captured()] == ["s2", UNKNOWN_SESSION]


def test_the_sdk_is_not_imported():
    code = "import sys, reverie.capture.callbacks; sys.exit('claude_agent_sdk' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# ---- the end of a session, which the SDK does not tell


MINUTE = 60.0


@pytest.fixture
def memory(tmp_path: Path):
    with Memory.open(tmp_path / "home", env=FakeEnv()) as memory:
        yield memory


def said_in(memory: Memory, session: str = "s1", text: str = "I prefer tabs") -> None:
    asyncio.run(create_hook_callbacks(memory)["UserPromptSubmit"]({"session_id": session, "prompt": text}, None, {}))


def ended_ms(memory: Memory, session: str = "s1") -> int | None:
    found = memory.engine.log.session(session)
    assert found
    return found.ended_ms


def opener(memory: Memory) -> None:
    memory.parts.background.catch_up()


def steward(memory: Memory) -> None:
    one = Steward(memory.workspace, memory.env, memory.settings)
    one.begin()
    one.step()
    one.end()


@pytest.mark.parametrize("whoever", [opener, steward])
def test_a_session_ends_when_its_agent_has_been_silent_for_half_an_hour(memory: Memory, whoever: Any) -> None:
    said_in(memory)
    memory.parts.background.drain_spool()
    said_ms = memory.env.now_ms()
    memory.env.pass_time(29 * MINUTE)
    whoever(memory)
    assert ended_ms(memory) is None

    memory.env.pass_time(2 * MINUTE)
    whoever(memory)

    assert ended_ms(memory) == said_ms
    assert memory.engine.database.value("SELECT count(*) FROM sessions WHERE last_position > closed_position") == 0


def test_an_agent_that_speaks_again_goes_on_in_its_session(memory: Memory) -> None:
    said_in(memory)
    memory.parts.background.drain_spool()
    memory.env.pass_time(31 * MINUTE)
    memory.parts.background.drain_spool()
    said_in(memory, text="and spaces in Python")
    memory.parts.background.drain_spool()
    assert ended_ms(memory) is None

    memory.env.pass_time(31 * MINUTE)
    memory.parts.background.drain_spool()
    assert ended_ms(memory) is not None


def test_a_session_that_has_ended_is_summarised(memory: Memory) -> None:
    for number in range(12):
        said_in(memory, text=f"Step {number}: the harbour office answers mails of the pilots about tide {number}. " * 4)
    memory.parts.background.drain_spool()
    memory.maintenance.refresh_index()
    memory.env.pass_time(29 * MINUTE)
    memory.parts.background.drain_spool()
    assert memory.maintenance.compact() == []

    memory.env.pass_time(2 * MINUTE)
    memory.parts.background.drain_spool()
    assert [done.reason for done in memory.maintenance.compact()] == ["thread ended"]


def test_a_clock_that_went_back_does_not_keep_a_session_open(memory: Memory) -> None:
    said_in(memory)
    memory.parts.background.drain_spool()
    memory.env.jump_clock(-30 * 86_400)
    memory.parts.background.drain_spool()

    assert ended_ms(memory) is not None


def test_what_is_no_run_of_an_agent_has_no_such_end(memory: Memory) -> None:
    memory.observe("I prefer tabs", session="chat")
    memory.note("Staging runs Postgres 14.")
    memory.env.pass_time(31 * MINUTE)
    memory.parts.background.drain_spool()

    assert ended_ms(memory, "chat") is None
    assert ended_ms(memory, "notes") is None
