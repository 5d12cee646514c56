"""SessionStart and UserPromptSubmit are answered with context, from the steward or without one, within 300 ms or not."""

import fcntl
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import pytest

from hooks.processes import (
    PYTHON,
    Left,
    Ran,
    complaints,
    prompt,
    run_hook,
    running_steward,
    spooled,
    taken_in,
    tool_call,
    wait_until,
)
from reverie.daemon.steward import Steward
from reverie.env.real import RealEnv
from reverie.foundation.workspace import Workspace
from reverie.memory import Memory
from reverie.settings import Settings
from reverie.shells.install.entries import LAUNCHER
from support.hooks import NO_STEWARD, spool_event

PROJECT = "/projects/shop"
PREFERENCE = "I prefer tabs over spaces in this project."
# The launcher with other deadlines: what is answered does not depend on how busy the machine is.
_TIMED = (
    "import sys, posix; path, answer, then, *rest = sys.argv[1:]; space = {'__name__': 'run', '__file__': path}; "
    "exec(compile(open(path).read(), path, 'exec'), space); load = space['Modules']().load; load('reverie.hook.locate'); "
    "part = load('reverie.hook.context_reply'); "
    "part.ANSWER_SECONDS = float(answer); part.WORK_SECONDS = max(0.001, float(answer)); "
    "then == 'end' and setattr(part, 'hand_over', lambda *_: None); "
    "space['main']([path, *rest]); posix._exit(0)"
)
ENOUGH_SECONDS = 50.0


@pytest.fixture
def home() -> Iterator[Path]:
    """A workspace with a short path: a socket's address holds a hundred bytes."""
    folder = Path(tempfile.mkdtemp(prefix="rv-"))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def left(home: Path) -> Iterator[Left]:
    """Whom hooks leave their work to. They have ended before the workspace goes."""
    left = Left()
    yield left
    left.close()


def ask(
    home: Path,
    event: str,
    payload: Mapping[str, object],
    answer_seconds: float = ENOUGH_SECONDS,
    then: Literal["hand over", "end"] = "hand over",
    left: Left | None = None,
) -> str:
    """What an agent is told at an event; "" if nothing. The output has exactly the documented shape."""
    done = subprocess.run(
        [*PYTHON, "-c", _TIMED, str(LAUNCHER.with_name("run.py")), str(answer_seconds), then, event, str(home)],
        input=json.dumps(payload).encode(), capture_output=True, env=NO_STEWARD, timeout=120, check=True,
        pass_fds=left.held if left else (),
    )  # fmt: skip
    assert done.stderr == b""
    assert complaints(home) == []
    if not done.stdout:
        return ""
    answer = json.loads(done.stdout)
    assert list(answer) == ["hookSpecificOutput"]
    assert list(answer["hookSpecificOutput"]) == ["hookEventName", "additionalContext"]
    assert answer["hookSpecificOutput"]["hookEventName"] == event
    return answer["hookSpecificOutput"]["additionalContext"]


def start(session: str = "s1", source: str = "startup") -> dict[str, object]:
    return {"session_id": session, "cwd": PROJECT, "hook_event_name": "SessionStart", "source": source}


def say(home: Path, text: str, session: str, number: int = 1) -> None:
    """One turn of a session, up to its end, distilled by whoever gets hold of it first."""
    ids = {"prompt_id": f"{session}-{number}"}
    run_hook("PostToolUse", tool_call(number, session_id=session, **ids), home)
    with Memory.open(home, catch_up=False) as memory:
        memory.observe({"text": text, "session": session, "project": PROJECT, "speaker": "user"})
        memory.engine.log.close_turn(session)
        memory.parts.background.distil()
        wait_until(lambda: set(memory.engine.inbox.counts()) <= {"done"})


@contextmanager
def steward_in_a_thread(home: Path, report: Callable[[str], None] = lambda _: None) -> Iterator[None]:
    """A steward that takes in all that waits before it answers, however long that takes."""
    steward = Steward(Workspace(home), RealEnv(), Settings(), report)
    steward.begin()
    thread = threading.Thread(target=steward.run)
    thread.start()
    steward.is_ready.wait(60)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("reverie.daemon.hook_worker._ABSORB_SECONDS", ENOUGH_SECONDS)
            yield
    finally:
        steward.stop()
        thread.join(60)


@pytest.fixture(params=["steward", "no steward"])
def answered(request: pytest.FixtureRequest, home: Path) -> Iterator[Path]:
    """A workspace whose hooks are answered by a steward, and one whose hooks read for themselves."""
    Memory.open(home).close()
    if request.param == "no steward":
        yield home
        return
    with steward_in_a_thread(home):
        yield home


# ---- what is said


def test_a_session_is_told_who_it_is_and_what_is_known(answered: Path) -> None:
    say(answered, PREFERENCE, "earlier")

    context = ask(answered, "SessionStart", start())

    assert context.startswith("<reverie-context>\n")
    assert context.endswith("\n</reverie-context>")
    assert "Autonomy Rules" in context
    assert "tabs over spaces" in context
    assert complaints(answered) == []


def test_a_later_prompt_is_told_only_what_is_new(answered: Path) -> None:
    ask(answered, "SessionStart", start())
    assert ask(answered, "UserPromptSubmit", prompt("hello", prompt_id="p1")) == ""

    say(answered, PREFERENCE, "another")
    news = ask(answered, "UserPromptSubmit", prompt("go on", prompt_id="p2"))

    assert "tabs over spaces" in news
    assert "Autonomy Rules" not in news
    assert ask(answered, "UserPromptSubmit", prompt("and on", prompt_id="p3")) == ""


def test_a_first_prompt_without_a_session_start_is_told_everything(answered: Path) -> None:
    assert "Autonomy Rules" in ask(answered, "UserPromptSubmit", prompt("hello"))


def test_after_a_compaction_everything_is_told_again(answered: Path) -> None:
    say(answered, PREFERENCE, "another")
    ask(answered, "SessionStart", start())
    assert ask(answered, "UserPromptSubmit", prompt("hello", prompt_id="p1")) == ""

    run_hook("PreCompact", {"session_id": "s1", "cwd": PROJECT, "trigger": "auto"}, answered)

    again = ask(answered, "UserPromptSubmit", prompt("go on", prompt_id="p2"))
    assert "tabs over spaces" in again


def test_where_there_is_nothing_to_say_nothing_is_said(answered: Path) -> None:
    for name in ("soul.md", "user.md"):
        (answered / name).write_text("# A heading\n\n<!-- and a comment -->\n")

    assert ask(answered, "SessionStart", start()) == ""
    assert ask(answered, "UserPromptSubmit", prompt("hello")) == ""
    assert len(taken_in(answered)) == 2


def test_an_event_without_a_session_is_kept_and_not_answered(answered: Path) -> None:
    assert ask(answered, "UserPromptSubmit", {"prompt": "hello"}) == ""
    assert [o.text for o in taken_in(answered)] == ["hello"]


@pytest.mark.parametrize(
    "line",
    ["plain words", "😀" * 30, "😀" * 9_000, '"quoted" \\ and\ttabbed'],
    ids=["words", "emoji", "one line", "quotes"],
)
def test_an_answer_fits_into_what_an_agent_shows(home: Path, line: str) -> None:
    Memory.open(home).close()
    (home / "soul.md").write_text("# Soul\n\n" + f"{line}\n" * 2_000, encoding="utf-8")

    context = ask(home, "SessionStart", start())

    assert context.startswith("<reverie-context>\n# Soul")
    assert context.endswith("</reverie-context>")
    assert len(context.encode("utf-16-le")) // 2 <= 10_000


@pytest.mark.parametrize("has_steward", [True, False])
def test_the_end_of_a_session_leaves_the_work_to_a_steward_without_a_word_to_it(
    home: Path, left: Left, has_steward: bool
) -> None:
    Memory.open(home).close()
    run_hook("UserPromptSubmit", prompt(PREFERENCE), home)
    ended = {"session_id": "s1", "cwd": PROJECT, "reason": "other"}
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening, open(home / "steward.lock", "wb") as lock:
        listening.bind(str(home / "steward.sock"))
        listening.listen()
        listening.setblocking(False)
        if has_steward:
            fcntl.flock(lock, fcntl.LOCK_EX)
            os.write(lock.fileno(), b'{"pid": 7, "since_ms": 0}')

        assert run_hook("SessionEnd", ended, home, left=left).was_silent

        left.wait()
        with pytest.raises(BlockingIOError):
            listening.accept()
        assert (len(spooled(home)) > 0) == has_steward, "what waits is taken in by the hook, or left"


def test_a_steward_has_nothing_to_report_of_a_session_that_ends(home: Path) -> None:
    reports: list[str] = []
    Memory.open(home).close()
    with steward_in_a_thread(home, reports.append):
        run_hook("SessionEnd", {"session_id": "s1", "cwd": PROJECT, "reason": "other"}, home)
        assert "Autonomy Rules" in ask(home, "SessionStart", start("next")), "it has come to what was asked later"

    assert reports == []


def test_a_rule_is_told_when_its_file_is_opened_and_the_event_is_not_kept(home: Path) -> None:
    Memory.open(home).close()
    opened = {"session_id": "s1", "cwd": PROJECT, "tool_name": "Read", "tool_input": {"file_path": "db/schema.gen.ts"}}
    with steward_in_a_thread(home):
        say(home, "Never edit schema.gen.ts by hand.", "another")
        ask(home, "SessionStart", start())
        kept = len(taken_in(home))
        wait_until(lambda: "Never edit schema.gen.ts" in ask(home, "PreToolUse", opened))

        assert ask(home, "PreToolUse", opened) == "", "once a session"
        assert ask(home, "PreToolUse", {**opened, "tool_input": {"file_path": "/projects/shop/a.py"}}) == ""
        assert ask(home, "PreToolUse", {**opened, "tool_input": "odd"}) == ""
        assert len(taken_in(home)) == kept


def test_without_a_steward_nothing_is_told_at_a_file(home: Path) -> None:
    Memory.open(home).close()
    say(home, "Never edit schema.gen.ts by hand.", "another")

    assert (
        ask(home, "PreToolUse", {"session_id": "s1", "cwd": PROJECT, "tool_input": {"file_path": "schema.gen.ts"}})
        == ""
    )


def test_events_that_only_capture_are_not_answered(answered: Path) -> None:
    for event in (
        "PostToolUse",
        "PostToolUseFailure",
        "Stop",
        "SubagentStop",
        "PreCompact",
        "PostCompact",
        "SessionEnd",
    ):
        assert ask(answered, event, tool_call()) == ""


# ---- without a steward, what earlier sessions taught


def leave_a_lesson(home: Path, *, is_over: bool = True, number: int = 1) -> None:
    """A session that says what it prefers, and never ends: its terminal was closed. Nobody has looked at it yet."""
    session = f"earlier-{number}"
    home.joinpath("reverie.toml").write_text("[inbox]\nturn_grace_seconds = 0.05\n")
    with Memory.open(home, catch_up=False) as memory:
        spool_event(memory, "UserPromptSubmit", session, prompt=PREFERENCE, prompt_id="p1")
        if is_over:
            spool_event(memory, "Stop", session, last_assistant_message="I will.", prompt_id="p1")
        else:
            spool_event(memory, "UserPromptSubmit", session, prompt="Go on.", prompt_id="p2")
    time.sleep(0.1)  # the grace after a Stop


def learned(home: Path) -> list[str]:
    """What has been learned, without learning anything now."""
    with Memory.open(home, catch_up=False) as memory:
        return [it.text for it in memory.engine.learnings.all()]


def lessons(home: Path) -> int:
    """How often it has been learned what `leave_a_lesson` leaves."""
    return sum("tabs over spaces" in text for text in learned(home))


def test_the_next_session_is_told_what_the_last_one_taught(home: Path) -> None:
    leave_a_lesson(home)

    assert "tabs over spaces" in ask(home, "SessionStart", start("next"))


def test_a_turn_that_another_prompt_ended_is_told_as_well(home: Path) -> None:
    leave_a_lesson(home, is_over=False)

    assert "tabs over spaces" in ask(home, "SessionStart", start("next"))


def test_a_start_that_runs_out_of_time_leaves_the_lesson_to_another_process_and_the_prompt_is_told(
    home: Path, left: Left
) -> None:
    leave_a_lesson(home, is_over=False)

    assert ask(home, "SessionStart", start("next"), answer_seconds=0.0, left=left) == ""

    left.wait()
    assert lessons(home) == 1
    assert "tabs over spaces" in ask(home, "UserPromptSubmit", prompt("hello", "next"))


def test_negative_control_who_hands_nothing_over_would_have_learned_nothing(home: Path) -> None:
    leave_a_lesson(home, is_over=False)

    assert ask(home, "SessionStart", start("next"), answer_seconds=0.0, then="end") == ""

    assert learned(home) == []


@pytest.mark.parametrize("answer_seconds", [0.0, ENOUGH_SECONDS], ids=["out of time", "in time"])
def test_where_another_process_is_at_it_the_lesson_is_left_to_one_that_waits_for_it(
    home: Path, left: Left, answer_seconds: float
) -> None:
    leave_a_lesson(home, is_over=False)

    with open(home / "steward.lock", "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "over spaces" not in ask(home, "SessionStart", start("next"), answer_seconds, left=left)
        assert not left.are_gone(within_seconds=1.0), "whoever has the lock may be past what was said last"

    left.wait()
    assert lessons(home) == 1


def test_one_process_waits_at_most_however_many_hooks_leave_their_work(home: Path, left: Left) -> None:
    leave_a_lesson(home, is_over=False)
    rest = Left()

    with open(home / "steward.lock", "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        ask(home, "SessionStart", start("first"), left=left)
        wait_until(lambda: is_locked(home / "next.lock"))
        for number in range(3):
            ask(home, "SessionStart", start(f"more {number}"), left=rest)
        assert rest.are_gone(within_seconds=55.0), "they end at once, and not when their minute is over"
        assert not left.are_gone(within_seconds=0.0)
    rest.close()

    left.wait()
    assert lessons(home) == 1
    assert spooled(home) == []


def is_locked(path: Path) -> bool:
    if not path.exists():
        return False
    with open(path, "rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def test_a_start_that_waits_for_a_writer_until_its_time_is_over_leaves_the_lesson_to_another(
    home: Path, left: Left
) -> None:
    leave_a_lesson(home, is_over=False)

    with Memory.open(home, catch_up=False) as memory, memory.engine.write():
        assert ask(home, "SessionStart", start("next"), answer_seconds=2.0, left=left) == ""

    left.wait()
    assert lessons(home) == 1


def test_the_end_of_a_session_that_runs_out_of_time_leaves_the_lesson_to_another(home: Path, left: Left) -> None:
    leave_a_lesson(home, is_over=False)

    assert ask(home, "SessionEnd", {"session_id": "next", "cwd": PROJECT}, answer_seconds=0.0, left=left) == ""

    left.wait()
    assert lessons(home) == 1


def test_who_was_left_the_work_has_more_time_than_a_hook(home: Path) -> None:
    leave_a_lesson(home, is_over=False)

    assert ask(home, "work-off", {}, answer_seconds=0.0) == ""

    assert lessons(home) == 1


def test_nothing_is_handed_over_where_nothing_waits(home: Path, left: Left) -> None:
    Memory.open(home).close()

    assert ask(home, "SessionStart", start("first"), answer_seconds=0.0, left=left) == ""
    assert ask(home, "UserPromptSubmit", prompt("hello", "first"), answer_seconds=0.0, left=left) == ""

    left.wait()
    assert len(spooled(home)) == 2, "what they captured was not taken in"


# ---- waiting for nobody (`make bench` measures in how much time)


def expect_an_end(
    home: Path,
    event: str,
    payloads: list[dict[str, object]],
    before: Callable[[int], None] = lambda _: None,
    left: Left | None = None,
) -> list[Ran]:
    """Each of some hooks ends well, though what it would wait for does not come."""
    runs = []
    for number, payload in enumerate(payloads):
        before(number)
        runs.append(run_hook(event, payload, home, left=left))
    assert [(ran.code, ran.err) for ran in runs] == [(0, b"")] * len(runs)
    return runs


def test_a_steward_that_hangs_is_not_waited_for(home: Path) -> None:
    Memory.open(home).close()
    prompts = [prompt(f"hello {number}", prompt_id=f"p{number}") for number in range(5)]
    with running_steward(home) as steward:
        wait_for_answers(home)
        os.kill(steward, signal.SIGSTOP)
        try:
            runs = expect_an_end(home, "UserPromptSubmit", prompts)
        finally:
            os.kill(steward, signal.SIGCONT)

    assert [ran.out for ran in runs] == [b""] * 5
    assert {f"hello {number}" for number in range(5)} <= {o.text for o in taken_in(home)}, "captured all the same"


def wait_for_answers(home: Path) -> None:
    wait_until((home / "steward.sock").exists)
    assert ask(home, "SessionStart", start("warm"))


def test_a_workspace_that_someone_writes_to_is_not_waited_for(home: Path, left: Left) -> None:
    with Memory.open(home) as memory, memory.engine.write():
        expect_an_end(home, "SessionStart", [start(f"s{number}") for number in range(5)], left=left)

    left.wait()
    assert len(taken_in(home)) == 5


def test_a_running_steward_answers_each_of_them(home: Path) -> None:
    Memory.open(home).close()
    with running_steward(home):
        wait_for_answers(home)

        assert all(ask(home, "SessionStart", start(f"s{number}")) for number in range(5))


def test_without_a_steward_what_was_captured_is_there_whether_or_not_there_was_time_to_answer(
    home: Path, left: Left
) -> None:
    Memory.open(home).close()

    expect_an_end(home, "SessionStart", [start(f"s{number}") for number in range(5)], left=left)

    left.wait()
    assert len(taken_in(home)) == 5


def test_nor_does_one_where_turns_wait_and_what_they_teach_is_learned_all_the_same(home: Path, left: Left) -> None:
    starts = [start(f"s{number}") for number in range(5)]

    expect_an_end(home, "SessionStart", starts, lambda number: leave_a_lesson(home, is_over=False, number=number), left)

    left.wait()
    assert lessons(home) == 5


def test_a_socket_that_nobody_listens_to_is_no_obstacle(home: Path) -> None:
    Memory.open(home).close()
    (home / "steward.sock").write_text("left behind")

    assert "Autonomy Rules" in ask(home, "SessionStart", start())
