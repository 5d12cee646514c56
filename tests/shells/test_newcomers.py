"""Where newcomers stumbled: a misspelt home, a project that opted out, hooks left behind, a key that is missing."""

import json
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from hooks.processes import without_root_powers
from reverie.env.real import RealEnv
from reverie.memory import Memory
from reverie.records import Captured, Kind
from reverie.shells.cli.show import counted, shortened
from shells.conftest import Reverie
from support.client import REVERIE, Place, fresh_place

OPT_OUT = "[project]\nenabled = false\n"

# ---- a home that is none


@pytest.mark.parametrize(
    "typed",
    ["status", "doctor", "log", "search x", "recall x", "context", "goals", "admin gate list", "admin prompt", "admin export", "forget all",
     "reminders list", "docs list", "admin compact", "admin rebuild", "admin inbox retry", "actions done x", "admin tools list",
     "sessions", "memories"],
)  # fmt: skip
def test_looking_into_a_misspelt_home_makes_none(reverie: Reverie, tmp_path: Path, typed: str) -> None:
    ended = reverie("--home", tmp_path / "typo", *typed.split())

    assert (ended.code, ended.out) == (2, "")
    assert f"there is no workspace in {tmp_path / 'typo'}" in ended.err
    assert "`reverie admin init` makes one" in ended.err
    assert not (tmp_path / "typo").exists()


def test_so_does_a_misspelt_variable(reverie: Reverie, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REVERIE_HOME", str(tmp_path / "typo"))

    assert reverie("status").code == 2
    assert not (tmp_path / "typo").exists()


@pytest.mark.parametrize("typed", ["note x", "goals add x", "docs add x", "admin memorize x y z", "chat hello"])
def test_whatever_keeps_something_makes_the_home_that_was_named(reverie: Reverie, tmp_path: Path, typed: str) -> None:
    reverie("--home", tmp_path / "new", *typed.split())

    assert reverie("--home", tmp_path / "new", "status").code == 0


@pytest.mark.parametrize("inside", ["", "a/b"])
@pytest.mark.parametrize("typed", ["status", "note x", "up", "down", "doctor"])
def test_a_file_is_no_home(reverie: Reverie, tmp_path: Path, typed: str, inside: str) -> None:
    (tmp_path / "passwd").write_text("root:x:0:0\n")

    ended = reverie("--home", tmp_path / "passwd" / inside, *typed.split())

    assert ended.code == 2
    assert f"{tmp_path / 'passwd'} is not a folder" in ended.err


# ---- a project that opted out


def test_in_a_project_that_opted_out_the_context_is_that_it_has(reverie: Reverie, shop: Path) -> None:
    reverie("note", "The zebra is at home.")
    assert "zebra" in reverie("context").out
    (shop / ".reverie.toml").write_text(OPT_OUT)

    ended = reverie("context")

    assert (ended.code, ended.out.count("\n")) == (0, 1)
    assert f"{shop} has opted out by {shop / '.reverie.toml'}" in ended.out
    assert "to opt in" in ended.out
    told = json.loads(reverie("context", "--json").out)
    assert told == {"context": "", "opted_out_by": str(shop / ".reverie.toml")}


def test_a_note_is_kept_there_and_the_person_told_that_agents_are_not(reverie: Reverie, shop: Path) -> None:
    assert reverie("note", "The okapi is out.").out.count("\n") == 1
    (shop / ".reverie.toml").write_text(OPT_OUT)

    said = reverie("note", "The zebra is at home.").out

    assert said.count("\n") == 2
    assert "has opted out" in said
    assert "zebra" in reverie("search", "zebra").out
    (shop / ".reverie.toml").unlink()
    (shop / "inner" / ".git").mkdir(parents=True)
    assert "zebra" not in reverie("context", "--project", shop / "inner").out, "as is said: --personal would tell it"


# ---- hooks that are elsewhere


def test_uninstall_names_the_hooks_that_it_leaves(reverie: Reverie, shop: Path, tmp_path: Path) -> None:
    user, project = tmp_path / "person" / ".claude" / "settings.json", shop / ".claude" / "settings.local.json"
    for here, there, path in (("--project", "--user", project), ("--user", "--project", user)):
        reverie("install", "claude-code", here)

        ended = reverie("uninstall", "claude-code", there)
        assert ended.code == 1
        assert f"hooks are still in {path}; `reverie uninstall claude-code {here}` removes them" in ended.out
        assert json.loads(reverie("uninstall", "claude-code", there, "--json").out)["elsewhere"] == [
            {"path": str(path), "flag": here}
        ]
        ended = reverie("uninstall", "claude-code", here)
        assert (ended.code, "still" in ended.out) == (0, False)
    assert reverie("uninstall", "claude-code").code == 0


def test_uninstall_takes_away_the_folder_that_install_made(reverie: Reverie, shop: Path) -> None:
    reverie("install", "claude-code", "--project")
    assert (shop / ".claude").is_dir()

    reverie("uninstall", "claude-code", "--project")

    assert list(shop.iterdir()) == [shop / ".git"]


def test_uninstall_leaves_a_folder_that_is_not_empty_or_was_there(reverie: Reverie, shop: Path) -> None:
    reverie("install", "claude-code", "--project")
    (shop / ".claude" / "mine.md").touch()
    reverie("uninstall", "claude-code", "--project")
    assert list((shop / ".claude").iterdir()) == [shop / ".claude" / "mine.md"]

    shutil.rmtree(shop / ".claude")
    (shop / ".claude").mkdir()
    reverie("install", "claude-code", "--project")
    reverie("uninstall", "claude-code", "--project")
    assert list((shop / ".claude").iterdir()) == []


# ---- a model without a key


@pytest.mark.parametrize("command", ["status", "doctor"])
def test_a_budget_without_a_key_is_said(
    reverie: Reverie, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    reverie("note", "hello")
    settings = tmp_path / "person" / ".reverie" / "reverie.toml"
    settings.write_text('[model]\nprovider = "anthropic"\n')
    assert "ANTHROPIC_API_KEY" not in reverie(command).out, "no budget, no model"
    settings.write_text('[model]\nprovider = "anthropic"\ndaily_dollars = 1.0\n')

    assert "environment variable ANTHROPIC_API_KEY" in reverie(command).out
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    assert "ANTHROPIC_API_KEY" not in reverie(command).out


# ---- a place that is not theirs to write to


def as_anybody(place: Place, *words: Any) -> tuple[int, str]:
    """How a command ends that is refused, and what it says then, for a person without the powers of root."""
    process = place.start(REVERIE, *words, preexec_fn=without_root_powers)
    out, err = process.communicate(timeout=60)
    assert out == ""
    return process.returncode, err


def test_a_file_that_cannot_be_written_is_named_with_the_way_out(reverie: Reverie, tmp_path: Path) -> None:
    reverie("note", "hello")
    ended = reverie("admin", "export", "--out", tmp_path / "none" / "x.jsonl")
    assert (ended.code, ended.err.count("\n")) == (1, 1)
    assert f"{tmp_path / 'none' / 'x.jsonl'}: No such file or directory; make the folder" in ended.err
    assert f"{tmp_path}: Is a directory; --out takes a file" in reverie("admin", "export", "--out", tmp_path).err


def test_a_folder_that_is_not_theirs_is_named_with_the_way_out() -> None:
    with fresh_place() as place:
        place.reverie("note", "hello")
        closed = place.home / "closed"
        closed.mkdir(mode=0o500)

        code, said = as_anybody(place, "admin", "export", "--out", closed / "x.jsonl")
        assert (code, said) == (1, f"reverie: {closed / 'x.jsonl'}: Permission denied; check who owns it\n")
        for command in (["note", "x"], ["up", "--detach"], ["admin", "import", "transcript", closed]):
            (closed / "x.jsonl").touch()
            code, said = as_anybody(place, "--home", closed / "new", *command)
            assert (code, said.count("\n")) == (1, 1)
            assert f"you have no permission to make {closed / 'new'} in {closed}" in said
            assert "or name another folder with --home" in said


# ---- what is imported and shown


def test_what_was_learned_long_ago_is_not_passed_over(reverie: Reverie, shop: Path, tmp_path: Path) -> None:
    assert reverie("learnings").out == "nothing learned in the last 48 h\n"
    said = {"role": "user", "content": "In this project we always use pnpm."}
    old = {"type": "user", "sessionId": "s", "uuid": "u", "timestamp": "2025-03-01T10:00:00Z", "message": said}
    (tmp_path / "old.jsonl").write_text(json.dumps({**old, "cwd": str(shop)}) + "\n")
    reverie("admin", "import", "transcript", tmp_path / "old.jsonl")

    here = reverie("learnings").out
    there = reverie("learnings", "--project", tmp_path, "--hours", "0.5").out

    assert re.fullmatch(r"nothing learned in the last 48 h; `--hours \d+` lists what came before\n", here)
    assert re.fullmatch(
        r"nothing learned in the last 0.5 h; `--hours \d+ --everywhere` lists what comes from other projects\n", there
    )
    for told, extra in ((here, ()), (there, ("--project", tmp_path))):
        assert "pnpm" in reverie("learnings", *extra, *told.split("`")[1].split()).out


def message(text: str) -> str:
    return json.dumps({"type": "user", "sessionId": "s", "uuid": text, "message": {"role": "user", "content": text}})


def test_an_import_leaves_out_what_cannot_be_read_and_says_so(reverie: Reverie, tmp_path: Path) -> None:
    folder = tmp_path / "old"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "a.jsonl").write_text(message("The zebra is at home.") + "\n")
    (folder / "gone.jsonl").symlink_to(folder / "nowhere")
    (folder / "folder.jsonl").mkdir()
    os.mkfifo(folder / "pipe.jsonl")

    ended = reverie("admin", "import", "transcript", folder)

    assert (ended.code, ended.err) == (0, "")
    assert "1 new observation of 1 in 1 file\n" in ended.out
    assert f"1 place that could not be opened: {folder / 'gone.jsonl'}: No such file" in ended.out
    assert len(json.loads(reverie("admin", "import", "transcript", folder, "--json").out)["unreadable"]) == 1


def test_an_import_that_can_read_nothing_says_why(reverie: Reverie, tmp_path: Path) -> None:
    folder = tmp_path / "old"
    folder.mkdir()
    (folder / "gone.jsonl").symlink_to(folder / "nowhere")

    ended = reverie("admin", "import", "transcript", folder)

    assert ended.code == 2
    assert f"{folder / 'gone.jsonl'}: No such file" in ended.err


def test_an_event_without_words_is_shown_by_its_name(reverie: Reverie, tmp_path: Path) -> None:
    with Memory.open(tmp_path / "person" / ".reverie", env=RealEnv()) as memory:
        memory.parts.ingest.store(
            [Captured(kind=Kind.SYSTEM, text="", session="s", occurred_ms=1, event="Stop", source="hook")]
        )

    (line,) = reverie("log").out.splitlines()
    assert line.split()[2:] == ["system", "Stop"]


def test_one_is_one(reverie: Reverie) -> None:
    reverie("note", "hello there")

    assert "1 observation in 1 session," in reverie("status").out
    assert counted(2, "entry") == "2 entries"
    assert counted(0, "day") == "0 days"


def test_a_message_keeps_its_beginning_and_its_end() -> None:
    said = shortened(f"no memory {'x' * 5000}; {'and ' * 1000} `search` shows ids")

    assert len(said) <= 1500
    assert said.startswith("no memory xxx")
    assert said.endswith("`search` shows ids")


# ---- a line of the prompt


def test_a_line_says_how_many_there_are(reverie: Reverie) -> None:
    reverie("note", "hello")
    shown = reverie("admin", "prompt").out.split("\n\n", 1)[1].splitlines()

    beyond, first = reverie("admin", "prompt", "--explain", "9999"), reverie("admin", "prompt", "--explain", "1")
    assert (beyond.code, f"the prompt has {len(shown)}" in beyond.err) == (2, True)
    assert first.out.startswith(f"line 1 of {len(shown)}: ")
    (empty, *_) = (number for number, line in enumerate(shown, start=1) if not line.split(None, 2)[2:])
    told = reverie("admin", "prompt", "--explain", str(empty)).out
    assert told.startswith(f"line {empty} of {len(shown)}: (an empty line)\n")


# ---- a steward that another was faster to start


def test_of_two_that_start_it_at_once_both_have_it() -> None:
    with fresh_place() as place:
        starting = [place.start(REVERIE, "up", "--detach", "--json") for _ in range(3)]
        ended = [(*process.communicate(timeout=60), process.returncode) for process in starting]

        assert [(err, code) for _, err, code in ended] == [("", 0)] * 3
        assert len({json.loads(out)["pid"] for out, _, _ in ended}) == 1
        place.reverie("down")


def test_who_wants_other_settings_than_the_faster_one_is_told() -> None:
    with fresh_place() as place:
        starting = [
            place.start(REVERIE, "--set", f"continuum.tool_rounds={n}", "up", "--detach", "--json") for n in (3, 4)
        ]
        ended = sorted((process.communicate(timeout=60)[0], process.returncode) for process in starting)

        assert sorted(code for _, code in ended) == [0, 1]
        (refused,) = (json.loads(out) for out, code in ended if code)
        assert refused["kind"] == "StewardRunning"
        place.reverie("down")


# ---- a steward that is busy

BUSY = """
import sys, time
from pathlib import Path
from reverie.env.real import RealEnv
from reverie.settings import Settings
from reverie.shells.daemon.process import stop_on_signals
from reverie.daemon.steward import Steward
from reverie.foundation.workspace import Workspace

steward = Steward(Workspace(Path(sys.argv[1])), RealEnv(), Settings())
steward.begin()
stop_on_signals(steward)
steward._heartbeat.beat("work", "taking in the spool")
time.sleep(1.1)  # the pulse is written once a second
steward._heartbeat.beat("work", "taking in the spool")
print("ready", flush=True)
steward._stop.wait()
time.sleep(3)  # what it has begun is finished first
steward.end()
"""


def test_down_waits_for_a_busy_steward_and_says_for_what() -> None:
    with fresh_place() as place:
        place.reverie("note", "hello")
        busy = place.start(sys.executable, "-c", BUSY, place.workspace)
        assert busy.stdout is not None
        assert busy.stdout.readline() == "ready\n"

        ran = place.run(Path(sys.executable).with_name("reverie"), "down")

        assert (ran.code, ran.out) == (0, f"stopped process {busy.pid}\n")
        assert ran.err == "reverie: the steward is taking in the spool; it ends as soon as that is done…\n"
        assert busy.wait(60) == 0


# ---- a steward whose settings were broken meanwhile


@pytest.mark.parametrize("by", ["file", "variable"])
def test_down_stops_a_steward_whatever_the_settings_say_now(by: str) -> None:
    with fresh_place() as place:
        pid = place.reverie_json("up", "--detach")["pid"]
        if by == "file":
            (place.workspace / "reverie.toml").write_text("[modle]\n")
        else:
            place.variables["REVERIE_MODEL_FOO"] = "1"
        assert place.run(REVERIE, "status").code == 1, "they are broken"

        assert place.reverie("down") == f"stopped process {pid}\n"
        assert "there is no" in place.reverie("admin", "service", "uninstall")
