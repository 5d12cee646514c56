"""Something else in the place of a file of ours: a pipe, a device, a link. Nobody waits for it, follows it or reads it."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hooks.processes import Ran, complaints, run_hook, taken_in, tool_call
from reverie.capture.drain import has_waiting, waiting_bytes
from reverie.env.real import RealEnv
from reverie.hook.locate import NotAFile
from reverie.hook.spool import frame
from reverie.memory import Memory
from reverie.testing import FakeEnv

HANGS_SECONDS = 120  # whoever waits for the other end of a pipe waits for ever


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_link(path: Path) -> None:
    """To a file of somebody else's, which is not empty."""
    target = path.parent.parent / "elsewhere"
    target.write_bytes(frame(b'{"event": "UserPromptSubmit", "at": 1, "mono": 1, "payload": {"prompt": "mine"}}'))
    path.symlink_to(target)


def make_dangling_link(path: Path) -> None:
    path.symlink_to(path.parent.parent / "elsewhere")


def make_device(path: Path) -> None:
    """A link to one: to make another needs root."""
    path.symlink_to("/dev/zero")


KINDS = [make_pipe, make_link, make_dangling_link, make_device]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home" / "spool").mkdir(parents=True)
    (tmp_path / "home").chmod(0o700)
    return tmp_path / "home"


def state_of(path: Path) -> tuple[int, str, bytes | None]:
    """What stands there, and what a link leads to."""
    beyond = path.parent.parent / "elsewhere"
    data = beyond.read_bytes() if beyond.exists() else None
    return path.lstat().st_mode, os.readlink(path) if path.is_symlink() else "", data


def command(home: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    environment = {"HOME": str(home.parent), "PATH": os.environ["PATH"], "REVERIE_EMBED_PROVIDER": "none"}
    environment |= {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
    return subprocess.run(
        [sys.executable, "-m", "reverie", "--home", str(home), *words],
        capture_output=True, text=True, check=False, timeout=HANGS_SECONDS, env=environment, cwd=home.parent,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip


# ---- in the place of the records


@pytest.mark.parametrize("make", KINDS)
def test_hooks_write_beside_what_has_the_name_of_their_file(home: Path, make: Callable[[Path], None]) -> None:
    path = home / "spool" / "current"
    make(path)
    before = state_of(path)

    ran = [run_hook("PostToolUse", tool_call(number), home) for number in (1, 2, 3)]

    assert all(one.was_silent for one in ran)
    assert complaints(home) == []
    assert [o.event_id for o in taken_in(home)] == ["tool:call-1", "tool:call-2", "tool:call-3"]
    assert state_of(path) == before


@pytest.mark.parametrize("name", ["current", "drain-00000001", "drain-00000002-0a1b2c3d4e5f", "own-7-0a1b2c3d4e5f"])
@pytest.mark.parametrize("make", KINDS)
def test_whoever_takes_in_leaves_it_alone(home: Path, name: str, make: Callable[[Path], None]) -> None:
    path = home / "spool" / name
    make(path)
    before = state_of(path)
    with Memory.open(home, env=FakeEnv()) as memory:
        assert not has_waiting(home / "spool", RealEnv())
        assert waiting_bytes(home / "spool", RealEnv()) == 0

        assert memory.parts.background.drain_spool().records == 0

        assert memory.engine.log.read() == []
        assert state_of(path) == before


@pytest.mark.parametrize("make", KINDS)
def test_every_command_works_and_doctor_says_what_is_in_the_way(home: Path, make: Callable[[Path], None]) -> None:
    path = home / "spool" / "current"
    make(path)
    before = state_of(path)
    run_hook("PostToolUse", tool_call(text="the harbour opens at nine"), home)

    assert "the harbour opens at nine" in command(home, "admin", "export").stdout
    assert f"{path} is not a regular file" in command(home, "status").stdout
    assert f"{path} is not a regular file" in command(home, "doctor").stdout
    assert state_of(path) == before

    assert "set aside as current.aside-" in command(home, "doctor", "--repair").stdout
    assert not os.path.lexists(path)
    assert "is not a regular file" not in command(home, "doctor").stdout


# ---- in the place of others


@pytest.mark.parametrize("name", ["spool/lock", "hook-errors.log"])
@pytest.mark.parametrize("make", KINDS)
def test_a_hook_does_not_wait_and_follows_nothing(home: Path, name: str, make: Callable[[Path], None]) -> None:
    path = home / name
    make(path)
    before = state_of(path)
    if name == "hook-errors.log":  # there must be something to complain of
        (home / "spool").rmdir()
        (home / "spool").write_text("mine")

    ran = run_hook("PostToolUse", tool_call(), home)

    assert ran.was_silent
    assert state_of(path) == before
    if name == "spool/lock":
        assert "not a regular file" in complaints(home)[0]


@pytest.mark.parametrize("name", ["steward.lock", "next.lock"])
def test_an_answering_hook_does_not_wait_for_a_pipe(home: Path, name: str) -> None:
    os.mkfifo(home / name)

    ran: Ran = run_hook("SessionEnd", {"session_id": "s1", "cwd": "/", "reason": "other"}, home)

    assert ran.was_silent


READERS = ["status", "doctor", "admin export", "context"]
FILES = [
    "hook-errors.log", "hook-errors.log.1", "user.md", "soul.md", "reverie.toml", "steward.lock", "spool/lock", "spool/drain.lock",
    "write.lock", "write.turn", "user.lock", "steward.pulse", "daemon.log", "reverie.db",
]  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_no_command_hangs_at_a_pipe_in_the_place_of_a_file_of_the_workspace(home: Path, name: str) -> None:
    os.mkfifo(home / name)

    for words in READERS:
        ended = command(home, *words.split())

        assert "Traceback" not in ended.stderr, words
        assert ended.returncode == 0 or str(home / name) in ended.stderr + ended.stdout, words


# ---- files, as the rest of the program sees them


@pytest.mark.parametrize("make", [make_pipe, make_device])
def test_what_is_no_file_is_refused_by_every_way_to_open_one(home: Path, make: Callable[[Path], None]) -> None:
    path, files = home / "spool" / "it", RealEnv().files
    make(path)

    for way in (lambda: files.append(path, b"x"), lambda: files.truncate(path), lambda: files.lock(path).acquire(0)):
        with pytest.raises(NotAFile, match="not a regular file"):
            way()
    with pytest.raises(NotAFile):
        files.read(path)


def test_a_persons_own_file_may_be_a_link_and_ours_may_not(home: Path) -> None:
    path, files = home / "soul.md", RealEnv().files
    (home / "dotfiles").write_text("be brief")
    path.symlink_to(home / "dotfiles")

    assert files.read(path) == b"be brief"
    with pytest.raises(NotAFile):
        files.read(path, follow=False)
