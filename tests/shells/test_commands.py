"""What the commands say when something is odd: an error that names the way out, never a traceback, never a lie."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from reverie.env.real import RealEnv
from reverie.errors import ReverieError
from reverie.memory import Memory
from reverie.records import Captured, Kind, ToolUse
from reverie.shells.cli import exit_codes as ending
from reverie.shells.cli.main import cli

Run = Callable[..., Result]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    Memory.open(tmp_path / "home", env=RealEnv()).close()
    return tmp_path / "home"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "shop"
    (folder / ".git").mkdir(parents=True)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(tmp_path / "person"))
    monkeypatch.delenv("REVERIE_HOME", raising=False)
    return folder


@pytest.fixture
def run(home: Path, project: Path) -> Run:
    def run_it(*words: str, stdin: str = "") -> Result:
        return CliRunner().invoke(cli, ["--home", str(home), *words], input=stdin)

    return run_it


def refused(result: Result) -> str:
    """What an error says; it must be one of ours, which `main` shows as one line."""
    assert isinstance(result.exception, ReverieError), result
    return str(result.exception)


@pytest.mark.parametrize("hours", ["nan", "1e308", "-1", "inf"])
def test_a_length_of_time_that_is_none_is_refused(run: Run, hours: str) -> None:
    assert "not a length of time" in refused(run("learnings", "--hours", hours))


@pytest.mark.parametrize("extra", [(), ("--json",)])
def test_a_search_for_nothing_is_refused_in_both_forms(run: Run, extra: tuple[str, ...]) -> None:
    assert "needs some text" in refused(run("search", " ", *extra))


def test_a_folder_that_is_not_there_is_named(run: Run) -> None:
    for command in (["search", "x"], ["log"], ["learnings"]):
        assert "there is no folder /no/such/shop" in run(*command, "--project", "/no/such/shop").output


def test_a_filter_narrows_search_and_recall_also_to_a_time(run: Run, home: Path, project: Path) -> None:
    with Memory.open(home, env=RealEnv()) as memory:
        for month, port in (("01", 8080), ("06", 9090)):
            memory.memorize(f"The staging port is {port}", created_ms=f"2026-{month}-10", project=str(project))

    for command in ("search", "recall"):
        now = run(command, "staging", "port").output
        then = run(command, "staging", "port", "--filter", "valid_at=2026-03-01").output
        assert ("9090" in now, "8080" in now) == (True, False)
        assert ("9090" in then, "8080" in then) == (False, True)
        assert 'did you mean "valid_at"?' in refused(run(command, "port", "--filter", "valid=2026-03-01"))


def test_the_log_of_an_unknown_session_is_not_an_empty_log(run: Run) -> None:
    run("note", "The CI runs on Buildkite")

    shown = run("log", "--session", "nope").output

    assert 'nothing has come in from session "nope"' in shown
    assert "Buildkite" in run("log").output
    assert "nothing has come in" not in run("log").output


def test_the_log_shows_what_a_tool_was_called_with(run: Run, home: Path) -> None:
    tool = ToolUse("Bash", {"command": "pytest -q tests/login"}, failed=True)
    with Memory.open(home, env=RealEnv()) as memory:
        memory.parts.ingest.store(
            [Captured(kind=Kind.TOOL_CALL, text="2 failed", session="s", occurred_ms=1, tool=tool)]
        )

    assert "pytest -q tests/login failed: 2 failed" in run("log").output


def test_a_dash_means_standard_input(run: Run) -> None:
    run("note", "-", stdin="From a pipe.")

    assert [it["text"] for it in json.loads(run("log", "--json").output)] == ["From a pipe."]


def test_an_action_is_closed_once_and_says_so(run: Run) -> None:
    run("note", "Remind me to rotate the staging keys on Friday.")
    run("status")  # an opener distils it
    (action,) = json.loads(run("actions", "--json").output)

    assert "say which action" in refused(run("actions", "done", ""))
    assert run("actions", "done", action["id"][-6:]).output.startswith("done: ")
    assert "is done already" in refused(run("actions", "remove", action["id"]))
    assert json.loads(run("actions", "--all", "--json").output)[0]["status"] == "done"


def test_work_that_is_not_there_cannot_be_tried_again(run: Run) -> None:
    assert "has the id 99" in refused(run("admin", "inbox", "retry", "99"))


def test_what_is_no_transcript_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "users").write_text("root:x:0:0\ndaemon:x:1:1\n")

    assert "no .jsonl file" in refused(run("admin", "import", "transcript", str(tmp_path / "empty")))
    assert "is not a transcript" in refused(run("admin", "import", "transcript", str(tmp_path / "users")))


def test_an_export_says_what_it_wrote(run: Run, tmp_path: Path) -> None:
    run("note", "The CI runs on Buildkite")
    run("status")
    out = tmp_path / "all.jsonl"

    assert (
        run("admin", "export", "--out", str(out)).output
        == f"wrote {len(out.read_text().splitlines())} records to {out}\n"
    )
    assert json.loads(run("admin", "export", "--out", str(out), "--json").output)["file"] == str(out)


def test_two_scopes_at_once_and_json_without_an_end_are_wrong_usage(run: Run) -> None:
    assert run("install", "claude-code", "--user", "--project", "--dry-run").exit_code == 2
    assert run("uninstall", "claude-code", "--user", "--project", "--dry-run").exit_code == 2
    assert run("up", "--json").exit_code == 2


def test_a_service_that_was_never_there_is_not_removed(run: Run) -> None:
    assert "nothing to remove" in run("admin", "service", "uninstall").output
    assert json.loads(run("admin", "service", "install", "--json").output)["written"] is True
    assert json.loads(run("admin", "service", "uninstall", "--json").output)["removed"] is True
    assert json.loads(run("admin", "service", "uninstall", "--json").output)["removed"] is False


@pytest.mark.parametrize("given", ["", " "])
def test_an_empty_home_is_refused(project: Path, given: str) -> None:
    assert "takes a folder" in refused(CliRunner().invoke(cli, ["--home", given, "status"]))
    assert list(project.iterdir()) == [project / ".git"]


def test_somebody_without_a_home_folder_is_told_what_to_set(
    project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def unknown(_home: str | None) -> str:
        raise KeyError("no such user")

    monkeypatch.setattr("reverie.hook.locate.user_home", unknown)

    assert "set REVERIE_HOME" in refused(CliRunner().invoke(cli, ["status"]))
    with pytest.raises(ReverieError, match="set REVERIE_HOME"):
        Memory.open("~/memory")
    assert list(project.iterdir()) == [project / ".git"]


# ---- status


def test_a_note_is_no_sign_that_hooks_arrive(run: Run, home: Path) -> None:
    run("note", "The CI runs on Buildkite")
    assert "captured   nothing yet" in run("status").output

    with Memory.open(home, env=RealEnv()) as memory:
        memory.parts.ingest.store(
            [Captured(kind=Kind.USER_MESSAGE, text="hi", session="s", occurred_ms=1, source="hook", project="/shop")]
        )
    assert "ago in /shop" in run("status").output


def test_status_says_that_a_project_has_opted_out(run: Run, project: Path) -> None:
    run("note", "x y z")
    assert "opted out" not in run("status").output
    (project / ".reverie.toml").write_text("[project]\nenabled = false\n")

    assert f"{project} has opted out" in run("status").output
    assert any("opted out" in it for it in json.loads(run("status", "--json").output)["warnings"])


def test_a_misspelt_opt_out_is_named_by_status_and_doctor(run: Run, project: Path) -> None:
    run("note", "x y z")
    (project / ".reverie.toml").write_text("[project]\nenabeld = false\n")

    for command in ("status", "doctor"):
        shown = run(command).output
        assert 'did you mean "project.enabled"' in shown
        assert "nothing is captured there" in shown
    assert run("doctor").exit_code == 1


# ---- doctor


def test_the_doctor_names_broken_settings_and_looks_on(run: Run, home: Path) -> None:
    run("note", "x y z")
    (home / "reverie.toml").write_text("[model]\ndaily_dolars = 1\n")

    result = run("doctor")

    assert result.exit_code == 1
    assert 'did you mean "model.daily_dollars"' in result.output
    assert "ok   queue" in result.output


def test_the_doctor_repairs_a_damaged_root_and_keeps_every_observation(
    run: Run, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Memory.open(home, env=RealEnv()) as memory:
        memory.observe({"text": f"message {n} of an old chat", "session": "old"} for n in range(1200))
        memory.note("I prefer tabs for indentation.")
        memory.parts.background.distil()
        memory.engine.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for name in ("reverie.db-wal", "reverie.db-shm"):
        (home / name).unlink(missing_ok=True)
    data = bytearray((home / "reverie.db").read_bytes())
    data[8192 : 8192 + 4096] = b"\x5a" * 4096  # the root of the observations
    (home / "reverie.db").write_bytes(data)

    assert ending.run(cli, ["--home", str(home), "status"]) == ending.NOTHING
    assert "reverie: the record is damaged" in capsys.readouterr().err, "status does not pass over it"
    assert run("doctor").exit_code == 1
    assert "repaired: 1,201 observations kept" in run("doctor", "--repair").output
    status = json.loads(run("status", "--json").output)
    assert (status["observations"], status["dead"], status["warnings"]) == (1201, 0, [])
    assert "tabs" in (home / "user.md").read_text()


def test_a_hooks_failure_has_a_date(run: Run, home: Path) -> None:
    run("note", "x y z")
    (home / "hook-errors.log").write_text("1794798605599 'SessionStart' BadSettings\n")

    for command in ("doctor", "status"):
        assert "last: 2026-11-1" in run(command).output


def test_damaged_spool_files_are_no_good_news(run: Run, home: Path) -> None:
    run("note", "x y z")
    (home / "spool" / "damaged").mkdir(parents=True)
    (home / "spool" / "damaged" / "drain-00000001").write_bytes(b"torn")

    result = run("doctor")

    assert result.exit_code == 1
    assert "BAD  spool" in result.output


def test_what_is_not_kept_says_so(reverie):
    ended = reverie("admin", "memorize", "ok")

    assert ended.code == 1
    assert ended.out.splitlines()[:2] == ["drop: it was not kept", "- importance 0.00 is not above 0.30"]


def test_a_summary_goes_to_semantic_memory_in_plain_words(reverie):
    assert (
        "summaries go to semantic memory"
        in reverie("admin", "gate", "explain", "The week in short", "--type", "summary").out
    )


def test_a_learning_is_moved_to_the_person_and_back_to_its_project(run: Run, home: Path, project: Path):
    run("note", "The staging port is 8080.")
    with Memory.open(home, env=RealEnv()) as memory:
        memory.parts.background.distil()
        (learned,) = memory.learnings.list("fact")

    assert "say whose it is: --personal or --project" in refused(run("learnings", "edit", learned.id))
    assert "is yours in every project" in run("learnings", "edit", learned.id, "--personal").output
    assert "is of the project" in run("learnings", "edit", learned.id, "--project").output
