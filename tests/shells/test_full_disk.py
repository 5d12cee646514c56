"""A disk without room: what is there can be read, what waits goes on waiting, and whatever must write says why not."""

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from reverie.memory import Memory
from reverie.records import Kind
from support.hooks import spool_event

REVERIE = Path(sys.executable).with_name("reverie")
READING = (
    "status", "search postgres --everywhere", "log", "learnings --everywhere", "actions", "context --everywhere",
    "admin inbox", "admin export",
)  # fmt: skip


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A workspace with a note, and with an event that nobody has taken in yet."""
    with Memory.open(tmp_path / "home") as memory:
        memory.note("Staging runs Postgres 14.")
        memory.parts.background.distil()
        spool_event(memory, "UserPromptSubmit", prompt="We deploy on Fridays.")
    return tmp_path / "home"


def run(home: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    longest = (home / "reverie.db-wal").stat().st_size

    def no_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (longest, longest))

    variables = {"HOME": str(home.parent), "PATH": os.environ["PATH"]}
    return subprocess.run(
        [str(REVERIE), "--home", str(home), *words],
        cwd=home.parent,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=no_room,
    )


@pytest.mark.parametrize("command", READING)
def test_what_reads_goes_on_and_says_once_that_something_waits(home: Path, command: str) -> None:
    ran = run(home, *command.split())

    assert ran.returncode == 0, ran
    assert ran.stderr.count("\n") == 1
    assert "what waits is not taken in yet: cannot write" in ran.stderr
    if command in ("log", "admin export", "search postgres --everywhere", "context --everywhere"):
        assert "Postgres 14" in ran.stdout


def test_what_must_write_says_why_not(home: Path) -> None:
    ran = run(home, "note", "x")

    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (1, "", 1)
    assert "nothing of this write was kept" in ran.stderr


def test_nothing_that_waits_is_lost(home: Path) -> None:
    for command in READING:
        run(home, *command.split())

    with Memory.open(home) as memory:
        prompts = [one.text for one in memory.engine.log.read() if one.kind is Kind.USER_MESSAGE]

    assert (prompts, memory.parts.background.hindrance) == (["We deploy on Fridays."], "")


def test_the_status_is_json_for_programs_then_too(home: Path) -> None:
    assert json.loads(run(home, "status", "--json").stdout)["observations"] == 1


@pytest.mark.parametrize("words", [["status"], ["status", "--json"], ["log", "--json"], ["search", "x", "--json"]])
def test_an_answer_that_cannot_be_written_ends_in_one_line(tmp_path: Path, words: list[str]) -> None:
    variables = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    reverie = [sys.executable, "-m", "reverie"]
    subprocess.run([*reverie, "note", "hello"], env=variables, check=True)
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*reverie, *words], env=variables, stdout=full, stderr=subprocess.PIPE, check=False)

    assert (done.returncode, done.stderr.decode()) == (1, "reverie: No space left on device; free some space\n")


def test_where_standard_output_is_closed_the_work_is_done_all_the_same(tmp_path: Path) -> None:
    variables = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    done = subprocess.run(
        ["/bin/sh", "-c", f"{sys.executable} -m reverie note hi >&-"],
        env=variables,
        stderr=subprocess.PIPE,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, b"")
    with Memory.open(tmp_path / ".reverie") as memory:
        assert [it.text for it in memory.engine.log.read()] == ["hi"]
