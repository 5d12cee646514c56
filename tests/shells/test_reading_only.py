"""A workspace that may be read and not written: the commands that read work, and the others name the way out."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from reverie.env.real import RealEnv
from reverie.errors import StoreError
from reverie.memory import Memory

REVERIE = Path(sys.executable).with_name("reverie")
# Root may write everywhere, until it gives that up.
AS_ANYBODY = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search,-fowner"] if os.geteuid() == 0 else []

pytestmark = pytest.mark.skipif(bool(AS_ANYBODY) and not shutil.which("setpriv"), reason="root, and no setpriv")


@pytest.fixture
def home() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="reverie-reading-"))
    with Memory.open(folder / "home", env=RealEnv()) as memory:
        memory.note("Staging runs Postgres 14.")
        memory.parts.background.distil()
    (folder / "home" / "steward.lock").touch()  # there was a steward once
    folder.chmod(0o755)
    for path in (folder / "home", *(folder / "home").rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    yield folder / "home"
    (folder / "home").chmod(0o755)
    shutil.rmtree(folder)


def run(home: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    variables = {"HOME": str(home.parent), "PATH": os.environ["PATH"]}
    command = [*AS_ANYBODY, str(REVERIE), "--home", str(home), *words]
    return subprocess.run(command, cwd=home.parent, env=variables, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("log", ["with its index", "without its index"])
def test_everything_that_reads_works_and_says_that_nothing_can_be_written(home: Path, log: str) -> None:
    if log == "without its index":
        home.chmod(0o755)
        (home / "reverie.db-shm").unlink()
        home.chmod(0o555)
    before = sorted(path.name for path in home.iterdir())
    for command in (
        "search postgres --everywhere",
        "log",
        "context --everywhere",
        "admin export",
        "learnings --everywhere",
    ):
        ran = run(home, *command.split())
        assert (ran.returncode, "Postgres 14" in ran.stdout) == (0, True), (command, ran)
        assert "you can only read" in ran.stderr, command
    status = json.loads(run(home, "status", "--json").stdout)
    assert status["observations"] == 1
    assert "chmod" in status["warnings"][0]
    assert sorted(path.name for path in home.iterdir()) == before


def test_the_doctor_looks_at_everything_and_names_the_way_out(home: Path) -> None:
    ran = run(home, "doctor")

    assert ran.returncode == 1
    assert "BAD  writing" in ran.stdout
    assert "REVERIE_HOME" in ran.stdout
    assert "ok   record" in ran.stdout
    assert ran.stderr == ""


@pytest.mark.parametrize("command", ["note x", "up", "up --detach", "admin rebuild", "actions done x"])
def test_whatever_must_write_is_refused_with_the_way_out(home: Path, command: str) -> None:
    ran = run(home, *command.split())

    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (1, "", 1), ran
    assert "REVERIE_HOME" in ran.stderr


def test_a_memory_opened_for_reading_writes_nothing(home: Path) -> None:
    with Memory.open(home, env=RealEnv(), read_only=True) as memory:
        assert memory.engine.is_read_only
        assert memory.parts.word_lookup.search("postgres")
        assert "Postgres" in memory.parts.session_context.preview()
        with pytest.raises(StoreError, match="can only be read"):
            memory.note("x")


def test_a_terminal_that_knows_only_ascii_gets_question_marks(tmp_path: Path) -> None:
    variables = {
        "HOME": str(tmp_path), "PATH": os.environ["PATH"], "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0",
    }  # fmt: skip
    ran = subprocess.run([str(REVERIE), "admin", "demo"], cwd=tmp_path, env=variables, capture_output=True, check=False)

    assert (ran.returncode, ran.stderr) == (0, b"")
    assert b"install claude-code" in ran.stdout
