"""A newcomer's first minutes: the demo, the commands on an empty and on a used workspace, starting and stopping."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reverie.records import Action, CheckResult, Hit, Learned, Observation, Work
from reverie.shells.cli.main import cli
from reverie.shells.health import Status
from support.client import REVERIE, Place, fresh_place, steward, wait_until

STOP_SECONDS = 60.0  # it takes one; a busy machine may need many more


@pytest.fixture
def place() -> Iterator[Place]:
    with fresh_place() as found:
        yield found


@pytest.fixture(scope="module")
def empty() -> Iterator[Place]:
    """A home where nothing has happened yet."""
    with fresh_place() as found:
        yield found


@pytest.fixture(scope="module")
def used() -> Iterator[Place]:
    """A home with some notes in it."""
    with fresh_place() as found:
        found.reverie("note", "Staging runs Postgres 14.")
        found.reverie("note", "Remind me to rotate the staging keys on Friday.")
        found.reverie("note", "--personal", "From now on always answer in German.")
        yield found


def fields(kind: type) -> set[str]:
    return set(kind.__dataclass_fields__)


# ---- the demo


def expect_a_demo(output: str) -> None:
    """What a newcomer must have seen, in this order."""
    at = 0
    for piece in (
        "A short invented session",
        "From now on always use pnpm",
        "[secret:github-token]",
        "learned preference",
        "files that contain the token: 0",
        "What the next session's agent will be told",
        "<reverie-context>",
        "always use pnpm instead of npm",
        "Pending actions",
        "A later session",
        "Which header did the token need?",
        "wrong header",
        "run the tests again",
        "nothing is said",
        "install claude-code",
    ):
        found = output.find(piece, at)
        assert found >= 0, f"{piece!r} is missing, or too early, in:\n{output}"
        at = found


def test_the_demo_shows_everything_and_leaves_nothing_behind(place):
    variables = {**place.variables, "TMPDIR": str(place.project)}
    ran = Place(place.home, place.project, variables).run(REVERIE, "admin", "demo")

    assert (ran.code, ran.err) == (0, "")
    expect_a_demo(ran.out)
    assert "ghp_x7Kd93" not in ran.out
    assert os.listdir(place.home) == []
    assert os.listdir(place.project) == [".git"]


def test_up_in_a_pipe_plays_the_demo_once_and_keeps_it_out_of_the_persons_memory(place):
    process = place.start(REVERIE, "up", "--demo")
    shown = read_until(process, "Ctrl-C stops")
    rest, errors = stopped(process, signal.SIGINT)

    expect_a_demo(shown)
    assert (process.returncode, errors) == (0, "")
    assert "nothing is lost" in rest
    assert place.reverie_json("log") == []
    assert place.reverie_json("learnings") == []
    assert "pnpm" not in (place.workspace / "user.md").read_text()

    place.reverie("note", "Now it is in use.")
    process = place.start(REVERIE, "up", "--demo")
    assert "invented session" not in read_until(process, "Ctrl-C stops")
    stopped(process, signal.SIGINT)


def read_until(process: "subprocess.Popen[str]", words: str) -> str:
    shown = ""
    for line in process.stdout or ():
        shown += line
        if words in line:
            return shown
    raise AssertionError(f"{words!r} did not come; it said {shown!r} and {process.communicate()}")


def stopped(process: "subprocess.Popen[str]", number: signal.Signals) -> tuple[str, str]:
    process.send_signal(number)
    return process.communicate(timeout=STOP_SECONDS)


class Terminal:
    """A process in a terminal of its own, and what a person sees and types there."""

    def __init__(self, place: Place, *command: str | Path, has_keyboard: bool = True) -> None:
        self._master, slave = pty.openpty()
        keyboard = slave if has_keyboard else subprocess.DEVNULL
        self.process = place.start(*command, stdin=keyboard, stdout=slave, stderr=slave, start_new_session=True)
        os.close(slave)
        self.shown = ""

    def wait_for(self, words: str, seconds: float = 15.0) -> None:
        deadline = time.monotonic() + seconds
        while words not in self.shown:
            assert time.monotonic() < deadline, f"{words!r} did not come; the terminal shows:\n{self.shown}"
            if select.select([self._master], [], [], 0.1)[0]:
                self.shown += os.read(self._master, 65536).decode()

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def end(self) -> int:
        self.process.send_signal(signal.SIGINT)
        self.wait_for("nothing is lost")
        code = self.process.wait(timeout=STOP_SECONDS)
        os.close(self._master)
        return code


def test_up_in_a_terminal_offers_the_demo(place):
    terminal = Terminal(place, REVERIE, "up")
    terminal.wait_for("Play a ten-second demo")
    assert "invented session" not in terminal.shown
    terminal.type("\n")
    terminal.wait_for("Ctrl-C stops")
    assert terminal.end() == 0

    expect_a_demo(re.sub(r"\x1b\[[\d;]*m", "", terminal.shown))
    assert place.reverie_json("log") == []


def test_who_declines_the_demo_gets_the_live_view(place):
    terminal = Terminal(place, REVERIE, "up")
    terminal.wait_for("Play a ten-second demo")
    terminal.type("n\n")
    terminal.wait_for("Ctrl-C stops")
    place.run(REVERIE, "hook", "UserPromptSubmit", stdin=prompt_event("Good \x1b[31mmorning", place))
    terminal.wait_for("morning", 5.0)
    assert terminal.end() == 0

    assert "invented session" not in terminal.shown
    assert "\x1b[31mmorning" not in terminal.shown


def test_nobody_is_asked_who_cannot_answer(place):
    terminal = Terminal(place, REVERIE, "up", has_keyboard=False)
    terminal.wait_for("Ctrl-C stops")
    assert terminal.end() == 0

    assert "Play a ten-second demo" not in terminal.shown


def prompt_event(text: str, place: Place) -> str:
    return json.dumps({"session_id": "s1", "prompt_id": "p1", "cwd": str(place.project), "prompt": text})


# ---- finding one's way


def test_help_names_every_command(place):
    shown = place.reverie("--help")

    assert [name for name in cli.names if f"{name}" not in shown] == []
    assert not place.workspace.exists(), "looking at the help must not make a workspace"


@pytest.mark.parametrize(
    ("typed", "hint"), [("serch", 'did you mean "search"?'), ("xyzzy", "`reverie --help` lists them")]
)
def test_an_unknown_command_gets_a_hint(empty, typed, hint):
    ran = empty.run(REVERIE, typed)

    assert ran.code == 2
    assert hint in ran.err
    assert "Traceback" not in ran.err


# What each command prints for programs: on an empty workspace, and the fields of what it lists on a used one.
SAYS: dict[str, tuple[str, str, set[str]]] = {
    "search staging": ("nothing that is known fits", "rotate the staging keys", fields(Hit)),
    "log": ("nothing has come in yet", "Staging runs Postgres 14.", fields(Observation)),
    "status": ("captured   nothing yet", "3 observations in 1 session", fields(Status) | {"hooks"}),
    "doctor": ("ok   library", "ok   record", fields(CheckResult)),
    "actions": ("no pending actions", "rotate the staging keys", fields(Action)),
    "admin inbox show": ("nothing is waiting, and nothing has failed", "3 turns are done", {"done"}),
    "admin inbox list --all": ("nothing is waiting, and nothing has failed", "done", fields(Work)),
    "admin inbox retry": ("0 queued again", "0 queued again", {"queued"}),
    "admin rebuild": ("0 learnings from 0 turns", "3 learnings from 3 turns", {"turns", "learnings"}),
    "context": ("# Soul", "always answer in German", {"context", "opted_out_by"}),
    "learnings": ("nothing learned", "Staging runs Postgres 14", fields(Learned)),
    "down": ("no steward was running", "no steward was running", {"stopped"}),
}


@pytest.mark.parametrize("command", SAYS)
def test_every_command_works_on_an_empty_workspace(empty, command):
    words = command.split()
    shown, for_programs = empty.run(REVERIE, *words), empty.run(REVERIE, *words, "--json")

    assert SAYS[command][0] in shown.out
    assert "Traceback" not in shown.err + for_programs.err
    value = json.loads(for_programs.out)
    assert value in ([], {}) or set(first(value)) == SAYS[command][2]
    code = 1 if command.startswith("search") else 0
    assert (shown.code, for_programs.code) == (code, code), "like grep, a search without a hit says so"


@pytest.mark.parametrize("command", SAYS)
def test_every_command_works_on_a_used_workspace(used, command):
    words = command.split()
    shown, for_programs = used.run(REVERIE, *words), used.run(REVERIE, *words, "--json")

    assert SAYS[command][1] in shown.out
    assert (shown.code, for_programs.code) == (0, 0)
    assert set(first(json.loads(for_programs.out))) == SAYS[command][2]


def first(value: Any) -> Any:
    return value[0] if isinstance(value, list) else value


def test_export_writes_a_json_object_per_line(empty, used, tmp_path):
    assert empty.reverie("admin", "export") == ""

    used.reverie("admin", "export", "--out", tmp_path / "all.jsonl")
    lines = (tmp_path / "all.jsonl").read_text().splitlines()

    assert used.reverie("admin", "export").splitlines() == lines
    tables = [json.loads(line)["table"] for line in lines]
    assert [tables.count(it) for it in ("observations", "learnings", "pending_actions", "sessions")] == [3, 3, 1, 1]


def test_a_note_is_found_at_once_and_an_action_can_be_closed(place):
    assert place.reverie("note", "The release manager is Ana.").startswith("noted ")
    (hit, *_) = place.reverie_json("search", "release manager")
    assert "The release manager is Ana" in hit["text"]

    identifier = place.reverie_json("note", "Remind me to water the plants tomorrow.")["id"]
    assert identifier in {it["id"] for it in place.reverie_json("log")}
    (action,) = place.reverie_json("actions")
    assert place.reverie("actions", "done", action["id"][-6:]) == f"done: {action['text']}\nno pending actions\n"
    assert place.reverie_json("actions", "--all")[0]["status"] == "done"
    assert "plants" not in place.reverie_json("context")["context"].partition("## Pending actions")[2]
    assert place.reverie("note", stdin="From standard input.").startswith("noted ")


def test_of_many_actions_an_agent_is_told_the_first_and_several_are_closed_at_once(place):
    notes = "\n".join(f"Remind me to call customer {number} tomorrow." for number in range(30))
    place.reverie("note", stdin=notes)

    assert "[… 10 more; `reverie actions` lists them]" in place.reverie_json("context")["context"]
    first, second, *_ = (it["id"] for it in place.reverie_json("actions"))
    assert len(place.reverie_json("actions", "remove", first, second[-6:])) == 2
    assert len(place.reverie_json("actions")) == 28


def test_what_a_person_notes_is_told_to_the_session_that_begins_next(place):
    place.reverie("note", "--personal", "From now on always use pnpm instead of npm.")

    assert "pnpm" in place.hook("SessionStart", source="startup")


def test_init_makes_a_workspace_for_this_folder_alone(place):
    place.reverie("note", "This is at home.")

    assert "made:" in place.reverie("admin", "init")
    assert place.reverie_json("admin", "init") == {"home": str(place.project / ".reverie"), "created": False}

    assert (place.project / ".reverie" / ".gitignore").read_text() == "*\n"
    assert place.reverie_json("log") == []
    (place.project / "src").mkdir()
    assert place.reverie_json("status", cwd=place.project / "src")["home"] == str(place.project / ".reverie")
    assert place.reverie_json("log", cwd=place.home)[0]["text"] == "This is at home."


# ---- when something is wrong


@pytest.mark.parametrize(
    ("command", "says", "code"),
    [
        (["note", " "], "a note needs some text", 2),
        (["actions", "done", "zzz"], "there is no action 'zzz'", 2),
        (["--home", "/dev/null", "status"], "/dev/null", 2),
        (["admin", "export", "--out", "/no/such/folder/file"], "/no/such/folder/file", 1),
        (["--home", "postgresql://db/memory", "log"], "postgresql", 2),
    ],
)
def test_an_error_is_one_line_and_a_wrong_question_a_two(empty, command, says, code):
    expect_one_line(empty, command, says, code)


def expect_one_line(place: Place, command: list[str], says: str, code: int = 1) -> None:
    ran = place.run(REVERIE, *command)

    assert (ran.code, ran.out, ran.err.count("\n")) == (code, "", 1), ran
    assert ran.err.startswith("reverie: ")
    assert says in ran.err


def test_a_misspelt_setting_is_named_with_the_nearest_one(place):
    place.workspace.mkdir()
    (place.workspace / "reverie.toml").write_text("[model]\ndaily_dolars = 1.0\n")

    for command in (["status"], ["note", "x"], ["up"], ["up", "--detach"]):
        expect_one_line(place, command, 'did you mean "model.daily_dollars"?')
    ran = place.run(REVERIE, "doctor")
    assert ran.code == 1
    assert 'did you mean "model.daily_dollars"?' in ran.out, "the doctor looks on, and shows it among the rest"


def test_a_damaged_record_is_named_and_repaired(place):
    place.reverie("note", "This will be lost.")
    for path in place.workspace.glob("reverie.db*"):
        path.unlink()
    (place.workspace / "reverie.db").write_bytes(b"not a database " * 1000)

    expect_one_line(place, ["status"], "doctor --repair")
    assert place.run(REVERIE, "doctor").code == 1
    assert "repaired" in place.reverie("doctor", "--repair")
    # Whose files these are was lost as well: it is written down anew, and the person is told so once.
    assert "belong to the user 'local'" in place.run(REVERIE, "status").err
    assert place.reverie_json("status")["observations"] == 0


# ---- text that wants to control the terminal


def test_stored_text_never_controls_the_terminal(place):
    hostile = "evil\x1b]0;title\x07 \x1b[2J \x9b31m \x7f \x08 words"
    place.run(REVERIE, "hook", "UserPromptSubmit", stdin=prompt_event(hostile, place))
    place.run(REVERIE, "note", f"Note the {hostile}")

    for command in (
        "log",
        "search evil",
        "context",
        "learnings",
        "status",
        "admin export",
        "log --json",
        "search evil --json",
    ):
        shown = place.run(REVERIE, *command.split()).out
        assert [c for c in shown if (ord(c) < 32 and c != "\n") or 127 <= ord(c) < 160] == [], command
    assert place.reverie_json("log")[0]["text"] == hostile, "programs get what was said"


# ---- starting and stopping


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_steward(place, number):
    process = place.start(REVERIE, "up", "--plain")
    read_until(process, "Ctrl-C stops")
    place.run(REVERIE, "hook", "UserPromptSubmit", stdin=prompt_event("Always use tabs.", place))
    wait_until(place.observations, "the steward takes it in")

    rest, errors = stopped(process, number)

    assert (process.returncode, errors) == (0, "")
    assert "nothing is lost" in rest
    assert place.reverie_json("status")["steward_pid"] is None
    assert not (place.workspace / "steward.sock").exists()


def test_a_second_steward_names_the_first(place):
    with steward(place) as pid:
        expect_one_line(place, ["up"], f"process {pid} is the steward")
        assert place.reverie_json("status")["steward_pid"] == pid


def test_detach_and_down_can_be_said_twice(place):
    first_pid, second_pid = (place.reverie_json("up", "--detach")["pid"] for _ in range(2))
    told = [place.reverie_json("down")["stopped"] for _ in range(2)]

    assert first_pid == second_pid
    assert told == [first_pid, None]
    assert place.reverie_json("status")["steward_pid"] is None


def test_a_service_can_be_looked_at_before_it_is_installed(place):
    shown = place.reverie("admin", "service", "install", "--dry-run")

    assert f'--home "{place.workspace}" up --plain' in shown
    assert not (place.home / ".config").exists()
