"""`reverie reminders` and `reverie punchclock`: what a person types, sees, and is told when it makes no sense."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from reverie.errors import ReverieError
from reverie.memory import Memory
from reverie.shells.cli.main import cli

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    monkeypatch.setenv("HOME", str(tmp_path / "person"))
    Memory.open(tmp_path / "home").close()

    def run_it(*words: str) -> Result:
        return CliRunner().invoke(cli, ["--home", str(tmp_path / "home"), *words])

    return run_it


def refused(result: Result) -> str:
    assert isinstance(result.exception, ReverieError), result
    return str(result.exception)


def told(result: Result):
    assert result.exit_code == 0, result.output
    return json.loads(result.output)


def test_a_reminder_from_setting_it_to_deleting_it(run: Run) -> None:
    assert "no reminders" in run("reminders", "list").output
    added = run("reminders", "add", "Call", "Ana", "--when", "tomorrow at 9", "--note", "about the flat").output
    assert "09:00  Call Ana" in added

    (one,) = told(run("reminders", "list", "--json"))
    assert one["title"] == "Call Ana"
    assert one["due"].endswith(("T09:00+01:00", "T09:00+02:00"))
    assert "about the flat" in run("reminders", "show", one["id"]).output
    assert "Call Ana" in run("reminders", "list", "tomorrow").output
    assert "Call Ana" in run("reminders", "list", "--from", "today", "--to", "in 3 days").output
    assert "Call Ben" in run("reminders", "edit", one["id"][-6:], "--title", "Call Ben").output
    assert "done  Call Ben" in run("reminders", "done", one["id"]).output
    assert "no reminders" in run("reminders", "list").output
    assert "Call Ben" in run("reminders", "list", "done").output
    assert told(run("reminders", "edit", one["id"], "--reopen", "--json"))["status"] == "active"
    assert run("reminders", "remove", one["id"]).output.startswith("removed: ")
    assert told(run("reminders", "list", "all", "--json")) == []


def test_a_reminder_that_makes_no_sense_is_refused(run: Run) -> None:
    assert "cannot be read as a time" in refused(run("reminders", "add", "x", "--when", "whenever"))
    assert "has passed" in refused(run("reminders", "add", "x", "--when", "yesterday"))
    assert "no 30 February" in refused(run("reminders", "add", "x", "--when", "30 February"))
    assert "no reminder 'nope'" in refused(run("reminders", "done", "nope"))
    assert "use --from and --to together" in refused(run("reminders", "list", "--from", "today"))
    assert run("reminders", "add", "x").exit_code == 2
    assert told(run("reminders", "list", "all", "--json")) == []


def test_what_is_overdue_is_listed_first_and_says_so(run: Run, tmp_path: Path) -> None:
    from reverie.env.real import RealEnv
    from reverie.memory import Memory
    from reverie.records.prompt_inputs import Reminder

    run("reminders", "add", "later", "--when", "tomorrow")
    with Memory.open(tmp_path / "home", env=RealEnv()) as memory:
        memory.engine.reminders.put(Reminder(id="OLD", title="long ago \x1b[31m", due_ms=1_700_000_000_000))

    first, second = run("reminders", "list").output.splitlines()
    assert " overdue  long ago" in first
    assert "\x1b" not in first
    assert "later" in second


def test_the_punchclock_from_start_to_stop(run: Run) -> None:
    assert "nothing was counted" in run("punchclock", "list").output
    started = run("punchclock", "add", "the", "report", "--offset", "-10m").output
    assert "running" in started
    assert "10m" in started

    assert "paused" in run("punchclock", "edit", "--pause", "the report", "--offset", "-4m").output
    assert "cannot pause" in refused(run("punchclock", "edit", "--pause", "the report"))
    assert "running" in run("punchclock", "edit", "--resume", "the report").output
    assert "lies ahead" in refused(run("punchclock", "done", "the report", "--offset", "+5m"))
    assert told(run("punchclock", "show", "--json"))["running"][0]["label"] == "the report"
    assert "today: " in run("punchclock", "show").output
    done = told(run("punchclock", "done", "the report", "--note", "sent", "--json"))
    assert (done["state"], done["spent"], done["note"]) == ("completed", "6m", "sent")
    assert "a report" in run("punchclock", "edit", done["id"], "--label", "a report").output
    assert "a report" in run("punchclock", "list", "--state", "completed").output
    assert run("punchclock", "remove", done["id"]).output.startswith("removed: ")
    assert told(run("punchclock", "list", "--json")) == []


def test_the_time_zone_of_the_settings_is_used(run: Run, tmp_path: Path) -> None:
    run("reminders", "list")
    (tmp_path / "home" / "reverie.toml").write_text('[person]\ntime_zone = "Asia/Tokyo"\n')
    assert told(run("reminders", "add", "x", "--when", "noon", "--json"))["due"].endswith("T12:00+09:00")

    (tmp_path / "home" / "reverie.toml").write_text('[person]\ntime_zone = "Asia/Tokio"\n')
    assert "did you mean Asia/Tokyo?" in refused(run("reminders", "list"))


TOKEN = "ghp_" + "x7KdP2mQ9rT4vW8yB3nF6hJ1sL5gD0cZaE2u"[:36]


@pytest.mark.parametrize(
    "words",
    [
        ["admin", "tools", "run", "get_context", "search", f"query={TOKEN}"],
        ["admin", "tools", "load", "reminders", "--conversation", TOKEN],
        ["chat", "hi", "--conversation", f"my {TOKEN}"],
        ["admin", "prompt", "--conversation", TOKEN],
    ],
)
def test_no_door_of_a_conversation_keeps_a_secret(tmp_path: Path, words: list[str]) -> None:
    variables = {"HOME": str(tmp_path), "REVERIE_HOME": str(tmp_path / "memory"), "PATH": os.environ["PATH"]}
    for command in (["note", "hello"], words):
        subprocess.run([sys.executable, "-m", "reverie", *command], env=variables, cwd=tmp_path, check=True)

    files = [path for path in (tmp_path / "memory").rglob("*") if path.is_file()]
    assert files
    assert [path for path in files if TOKEN.encode() in path.read_bytes()] == []


@pytest.mark.parametrize(
    "words", [("punchclock", "edit", "--pause"), ("punchclock", "done"), ("reminders", "show"), ("reminders", "remove")]
)
def test_an_id_that_is_no_text_is_refused_in_a_sentence(run: Run, words: tuple[str, ...]) -> None:
    run("punchclock", "add", "work")

    assert "there is no" in refused(run(*words, "a\udcffb"))
