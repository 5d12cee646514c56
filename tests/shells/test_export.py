"""What is written out: whole or not at all, and never over the memory that it comes from."""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pytest

from hooks.processes import without_root_powers
from reverie.env.real import RealEnv
from reverie.errors import BadInput
from reverie.foundation.workspace import Workspace
from reverie.memory import Memory
from reverie.records import LoggedReply, Stage, Work
from reverie.shells.cli.outfile import written
from shells.conftest import Reverie
from shells.test_json import RECORDS
from support.client import REVERIE, Place, fresh_place

Lines = list[dict[str, Any]]


@pytest.fixture
def home(reverie: Reverie, tmp_path: Path) -> Path:
    """A workspace with something in it."""
    assert reverie("note", "We deploy on Fridays.").code == 0
    home = tmp_path / "person" / ".reverie"
    (home / "soul.md").write_text("Be kind.\n")
    return home


def lines_of(text: str) -> Lines:
    return [json.loads(line) for line in text.splitlines()]


def kept(home: Path) -> dict[str, bytes]:
    return {name: (home / name).read_bytes() for name in ("reverie.db", "soul.md", "user.md") if (home / name).exists()}


def test_what_models_replied_and_what_time_did_is_in_it(reverie: Reverie, home: Path) -> None:
    work = Work(id=1, stage=Stage.MODEL, session="s", turn=1, first_position=1, last_position=1, closed_ms=1)
    reply = LoggedReply(purpose="extract", prompt_hash="h", text="FACT: tea is hot", model="m", nanodollars=7)
    with Memory.open(home) as memory:
        memory.engine.replies.add(work, reply, 5)
        memory.engine.history.tick("tuned", {"recency": 0.5}, 6)

    lines = lines_of(reverie("admin", "export").out)

    (replied,) = [line for line in lines if line["table"] == "replies"]
    assert (replied["text"], replied["session"], replied["nanodollars"]) == ("FACT: tea is hot", "s", 7)
    ticks = [line for line in lines if line["table"] == "ticks"]
    assert {tick["kind"] for tick in ticks} >= {"turn", "rules done", "tuned"}
    assert [tick["data"] for tick in ticks if tick["kind"] == "tuned"] == [{"recency": 0.5}]
    assert {tick["session"] for tick in ticks if tick["kind"] == "turn"} == {"notes"}
    assert set(replied) - {"table"} == RECORDS["reply"]
    assert set(ticks[0]) - {"table"} == RECORDS["tick"]


def test_the_help_names_every_table_that_is_written(reverie: Reverie, home: Path) -> None:
    for typed in (
        "note Remind me to rotate the staging keys on Friday.",
        "actions",
        "goals add ship",
        "questions add why",
        "reminders add call --when tomorrow",
        "punchclock add work",
        "docs add garden",
        "chat hello",
        "admin memorize The staging port is 8080",
    ):
        assert reverie(*typed.split()).code == 0, typed
    told = " ".join(reverie("admin", "export", "--help").out.split())
    (named,) = re.findall(r"The tables are (.*?)\.", told)

    written_out = {line["table"] for line in lines_of(reverie("admin", "export").out)}

    assert set(re.split(r", | and ", named)) == written_out | {"replies"}


@pytest.mark.parametrize(
    "name", ["reverie.db", "reverie.db-wal", "soul.md", "user.md", "new.jsonl", "spool/x", "mine/x"]
)
@pytest.mark.parametrize("more", [[], ["--json"]], ids=["", "json"])
def test_nothing_is_written_into_the_workspace(reverie: Reverie, home: Path, name: str, more: list[str]) -> None:
    (home / "mine").mkdir()
    before = kept(home)

    ended = reverie("admin", "export", "--out", home / name, *more)

    assert ended.code == 2
    assert f"{home} is a workspace" in (ended.out or ended.err)
    assert "give --out a file elsewhere" in (ended.out or ended.err)
    assert kept(home) == before
    assert not (home / "new.jsonl").exists()
    assert "Fridays" in reverie("log").out


@pytest.mark.parametrize("how", ["link", "hard link", "linked folder", "dots"])
def test_another_name_for_the_record_is_the_record(reverie: Reverie, home: Path, tmp_path: Path, how: str) -> None:
    record, out = home / "reverie.db", tmp_path / "out"
    if how == "link":
        out.symlink_to(record)
    elif how == "hard link":
        out.hardlink_to(record)
    elif how == "linked folder":
        out.symlink_to(home)
        out /= "reverie.db"
    else:
        out = home / ".." / ".reverie" / "reverie.db"

    ended = reverie("admin", "export", "--out", out)

    assert (ended.code, "is a workspace" in ended.err) == (2, True)
    assert "Fridays" in reverie("log").out


def test_the_record_of_another_workspace_is_none_to_write_over(reverie: Reverie, home: Path, tmp_path: Path) -> None:
    reverie("--home", tmp_path / "other", "note", "Elsewhere.")

    assert reverie("--home", tmp_path / "other", "admin", "export", "--out", home / "reverie.db").code == 2
    assert "Fridays" in reverie("log").out


def test_a_document_is_not_written_over_the_memory(reverie: Reverie, home: Path) -> None:
    reverie("docs", "add", "garden")
    before = kept(home)

    for name in before:
        ended = reverie("docs", "show", "garden", "--out", home / name)
        assert (ended.code, f"{home} is a workspace" in ended.err) == (2, True)
    assert kept(home) == before


def test_an_older_export_is_replaced_in_place_and_keeps_its_mode(reverie: Reverie, home: Path, tmp_path: Path) -> None:
    out, linked = tmp_path / "all.jsonl", tmp_path / "linked.jsonl"
    out.write_text("old\n" * 10_000)
    out.chmod(0o640)
    linked.symlink_to(out)

    assert reverie("admin", "export", "--out", linked).code == 0

    assert "Fridays" in lines_of(out.read_text())[0]["text"]
    assert (out.stat().st_mode & 0o777, linked.is_symlink()) == (0o640, True)
    assert sorted(path.name for path in tmp_path.glob("*")) == ["all.jsonl", "linked.jsonl", "person", "shop"]


def test_a_file_that_may_not_be_written_is_left_alone() -> None:
    with fresh_place() as place:
        place.reverie("note", "hello")
        out = place.project / "kept.jsonl"
        out.write_text("kept\n")
        out.chmod(0o444)
        process = place.start(REVERIE, "admin", "export", "--out", out, preexec_fn=without_root_powers)
        _, err = process.communicate(timeout=60)

        assert (process.returncode, err) == (1, f"reverie: {out}: Permission denied; check who owns it\n")
        assert out.read_text() == "kept\n"


@pytest.mark.parametrize("there", ["old\n", ""], ids=["an older one", "none"])
def test_what_breaks_off_leaves_what_was_there(tmp_path: Path, there: str) -> None:
    out = tmp_path / "all.jsonl"
    if there:
        out.write_text(there)

    def half(file: IO[str]) -> None:
        file.write("half")
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"), written(out, Workspace(tmp_path / "home"), RealEnv()) as file:
        half(file)

    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == ([("all.jsonl", there)] if there else [])


def test_a_workspace_that_is_not_made_yet_is_one(tmp_path: Path) -> None:
    out = tmp_path / "home" / "x"
    out.parent.mkdir()

    with pytest.raises(BadInput, match="is a workspace"), written(out, Workspace(out.parent), RealEnv()):
        pass


# ---- what is not a file to be replaced


@pytest.fixture
def place() -> Iterator[Place]:
    with fresh_place() as found:
        found.reverie("note", "We deploy on Fridays.")
        yield found


@pytest.mark.parametrize("out", ["-", "/dev/stdout", "/dev/fd/1"])
def test_standard_output_has_the_records_and_nothing_else(place: Place, tmp_path: Path, out: str) -> None:
    assert "Fridays" in lines_of(place.reverie("admin", "export", "--out", out))[0]["text"]

    file = tmp_path / "shown"  # a shell opens it, and goes on writing to it
    with file.open("w") as opened:
        opened.write("{}\n")
        opened.flush()
        assert place.start(REVERIE, "admin", "export", "--out", out, stdout=opened).wait(60) == 0
        opened.seek(0, os.SEEK_END)
        opened.write("{}\n")
    told = lines_of(file.read_text())
    assert (told[0], told[-1], "Fridays" in told[1]["text"]) == ({}, {}, True)


def test_a_pipe_is_written_to(place: Place, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True)

    assert place.reverie("admin", "export", "--out", pipe).endswith(f" records to {pipe}\n")

    assert "Fridays" in lines_of(reader.communicate(timeout=60)[0])[0]["text"]
    assert pipe.is_fifo()


def test_a_device_is_written_to(place: Place) -> None:
    assert place.reverie("admin", "export", "--out", "/dev/null").endswith(" records to /dev/null\n")
    assert Path("/dev/null").is_char_device()
