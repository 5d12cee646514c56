"""A hook never hurts the agent: it imports almost nothing, says nothing and exits 0, whatever it meets."""

import fcntl
import json
import os
import pwd
import random
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from hooks.processes import (
    IN_TIME_SECONDS,
    PYTHON,
    complaints,
    files_under,
    prompt,
    run_hook,
    spooled,
    taken_in,
    tool_call,
    without_root_powers,
)
from reverie.env.real import RealEnv
from reverie.errors import ReverieError
from reverie.foundation.workspace import Workspace
from reverie.hook import capture_event as hook
from reverie.hook.spool import count_loss, losses
from reverie.memory import Memory
from reverie.shells.daemon.process import start_detached
from reverie.shells.health import status_of
from reverie.shells.install.entries import LAUNCHER, hook_command
from support.hooks import NO_STEWARD

# Importing any of these costs more than all of a hook's own work.
HEAVY = {
    "apsw", "argparse", "ast", "asyncio", "base64", "collections", "contextlib", "copy", "ctypes", "dataclasses",
    "datetime", "enum", "functools", "hashlib", "importlib", "inspect", "json", "logging", "msgspec", "operator", "os",
    "pathlib", "random", "re", "re2", "reprlib", "reverie", "shutil", "signal", "site", "socket", "sqlite3", "string",
    "struct", "subprocess", "tempfile", "threading", "tomllib", "traceback", "types", "typing", "urllib", "warnings",
    "weakref", "zlib",
}  # fmt: skip
# Everything that a capture event may load on top of a bare interpreter.
ALLOWED = {
    "reverie.hook.capture_event", "reverie.hook.opt_out", "reverie.redact.secret_patterns", "reverie.redact.secret_shapes", "reverie.redact.secret_values",
    "reverie.redact.secret_rare", "reverie.redact.secret_search",
    "reverie.redact.secret_names", "reverie.redact.secret_commands", "reverie.redact.secrets", "reverie.hook.spool", "reverie.hook.locate",
    "_json", "binascii", "fcntl", "gc", "re2._re2",
}  # fmt: skip

_LIST_MODULES = "; import posix; posix.write(1, ' '.join(sys.modules).encode())"
RUN = LAUNCHER.with_name("run.py")
_BARE = "import sys" + _LIST_MODULES
_HOOK = (
    "import sys; path, *rest = sys.argv[1:]; space = {'__name__': 'run', '__file__': path}; "
    "exec(compile(open(path).read(), path, 'exec'), space); space['main']([path, *rest])" + _LIST_MODULES
)


def modules(code: str, *arguments: str, stdin: bytes = b"") -> set[str]:
    done = subprocess.run([*PYTHON, "-c", code, *arguments], input=stdin, capture_output=True, check=True, env={})
    return set(done.stdout.decode().split())


# ---- cheap


def test_a_capture_event_imports_almost_nothing(tmp_path: Path) -> None:
    call = json.dumps(tool_call(text="export GITHUB_TOKEN=ghp_" + "a1B2c3D4e5" * 4)).encode()

    loaded = modules(_HOOK, str(RUN), "PostToolUse", str(tmp_path / "home"), stdin=call)

    assert loaded & HEAVY == set()
    # `open` in this test's own code brings a decoder along.
    assert loaded - modules(_BARE) - {"codecs", "encodings.ascii"} <= ALLOWED
    assert len(spooled(tmp_path / "home")) == 1, "it has done its work"


def test_its_modules_are_compiled_once(tmp_path: Path) -> None:
    """In a package of its own: other tests compile the modules of the checkout at the same time."""
    package = tmp_path / "lib" / "reverie"
    copy_package(package)
    launcher = package / "hook" / "launch.py"
    run_hook("Stop", b"{}", tmp_path / "home", launcher=launcher)
    caches = [package / name for name in ("hook/__pycache__", "redact/__pycache__")]
    before = {path: path.stat().st_mtime_ns for cache in caches for path in cache.glob("*.pyc")}

    run_hook("Stop", b"{}", tmp_path / "home", launcher=launcher)

    assert {path.stem.split(".")[0] for path in before} >= {
        "capture_event",
        "opt_out",
        "spool",
        "secrets",
        "secret_values",
        "secret_patterns",
        "secret_rare",
        "secret_search",
        "secret_shapes",
        "secret_names",
        "secret_commands",
    }
    assert {path: path.stat().st_mtime_ns for path in before} == before


@pytest.mark.parametrize("words", [[], ["Stop", "extra"], ["Stop", "--no-such-option"]])
def test_the_form_for_trying_by_hand_blocks_no_agent_either(tmp_path: Path, words: list[str]) -> None:
    command = [sys.executable, "-m", "reverie", "--home", str(tmp_path), "hook", *words]

    ended = subprocess.run(command, input=b"{}", capture_output=True, check=False, timeout=60)

    assert (ended.returncode, ended.stdout) == (0, b"")
    assert len(spooled(tmp_path)) == 1


def test_tried_by_hand_it_takes_the_event_that_its_input_names(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "reverie", "--home", str(tmp_path), "hook"]
    said = json.dumps(prompt("Always use tabs.")).encode()

    ended = subprocess.run(command, input=said, capture_output=True, check=False, timeout=IN_TIME_SECONDS)

    assert (ended.returncode, ended.stderr) == (0, b"")
    assert [(o.event, o.text) for o in taken_in(tmp_path)] == [("UserPromptSubmit", "Always use tabs.")]


# ---- quiet, where nothing can be written


def test_a_workspace_that_is_read_only(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o500)

    ran = run_hook("PostToolUse", tool_call(), home, before=without_root_powers)

    assert ran.was_silent
    assert files_under(home) == []


def test_a_spool_that_is_read_only_is_complained_of(tmp_path: Path) -> None:
    (tmp_path / "spool").mkdir(mode=0o500)

    ran = run_hook("PostToolUse", tool_call(text="not for the log"), tmp_path, before=without_root_powers)

    assert ran.was_silent
    assert len(complaints(tmp_path)) == 1
    assert "PermissionError" in complaints(tmp_path)[0]
    assert "not for the log" not in complaints(tmp_path)[0]


def test_a_workspace_that_is_a_file(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.write_text("mine")

    assert run_hook("PostToolUse", tool_call(), home).was_silent
    assert home.read_text() == "mine"


def test_a_full_disk_is_complained_of_and_leaves_no_half_record(tmp_path: Path) -> None:
    run_hook("PostToolUse", tool_call(1), tmp_path)
    size = (tmp_path / "spool" / "current").stat().st_size

    def almost_full() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 50, size + 50))

    ran = run_hook("PostToolUse", tool_call(2), tmp_path, before=almost_full)

    assert ran.was_silent
    assert (tmp_path / "spool" / "current").stat().st_size == size
    assert len(complaints(tmp_path)) == 1
    assert [o.event_id for o in taken_in(tmp_path)] == ["tool:call-1"]


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "reverie-test", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("mounting needs root")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(disk: Path) -> Path:
    """A file that leaves no room."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(b"x" * 512)
    return filler


def test_a_file_system_without_space(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "64k") as disk:
        ran = run_hook("PostToolUse", tool_call(text="x" * 200_000), disk)
        assert ran.was_silent
        assert len(complaints(disk)) == 1
        assert "free some space" in complaints(disk)[0]
        assert spooled(disk) == []

        assert run_hook("PostToolUse", tool_call(text="small"), disk).was_silent
        assert len(spooled(disk)) == 1, "as soon as there is room it goes on"


def test_what_a_full_disk_cost_is_counted_and_status_says_so(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "4m") as disk:
        run_hook("PostToolUse", tool_call(1), disk)
        filler = fill(disk)
        for number in (2, 3):
            # More than the rest of the spool's last page.
            assert run_hook("PostToolUse", tool_call(number, text="x" * 8_000), disk).was_silent
        assert "".join(complaints(disk)) == "", "there was no room for a line in the log either"
        filler.unlink()
        with Memory.open(disk) as memory:
            at_first = status_of(memory)
        run_hook("PostToolUse", tool_call(4), disk)

        with Memory.open(disk) as memory:
            later = status_of(memory)
            kept = [o.event_id for o in memory.engine.log.read()]

    assert kept == ["tool:call-1", "tool:call-4"]
    assert (at_first.lost_events, at_first.failures_are_over) == (2, False)
    assert "2 events could not be kept" in at_first.warnings[0]
    assert "free some space" in at_first.warnings[0]
    # An event has come in: whatever was the cause has gone, and nobody need do anything. The number stays.
    assert (later.lost_events, later.failures_are_over, later.warnings) == (2, True, ())
    assert "2 events could not be kept until" in later.past[0]


def test_the_first_event_of_all_is_counted_too_if_the_disk_is_full(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "4m") as disk:
        Memory.open(disk).close()
        filler = fill(disk)
        assert run_hook("UserPromptSubmit", {"prompt": "x" * 8_000, "session_id": "s1"}, disk).was_silent
        assert "".join(complaints(disk)) == ""
        filler.unlink()

        with Memory.open(disk) as memory:
            assert status_of(memory).lost_events == 1


def test_opening_keeps_what_was_counted(tmp_path: Path) -> None:
    for _ in range(2):
        Memory.open(tmp_path).close()
        count_loss(str(tmp_path / "spool"), 1)

    assert losses((tmp_path / "spool" / "lock").read_bytes())[0] == 2


def test_negative_control_without_the_reserved_bytes_a_full_disk_would_leave_no_trace(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "4m") as disk:
        run_hook("PostToolUse", tool_call(1), disk)
        os.truncate(disk / "spool" / "lock", 0)
        filler = fill(disk)
        run_hook("PostToolUse", tool_call(2, text="x" * 8_000), disk)
        filler.unlink()

        with Memory.open(disk) as memory:
            assert status_of(memory).lost_events == 0


def test_a_steward_that_finds_no_room_says_what_to_do(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "1m") as disk:
        (disk / "home").mkdir()
        fill(disk)

        with pytest.raises(ReverieError, match="free some space"):
            start_detached(Workspace(disk / "home"), RealEnv())


def test_damage_in_the_spool_shows_in_the_status_until_a_person_has_looked(tmp_path: Path) -> None:
    for number in (1, 2, 3):
        run_hook("PostToolUse", tool_call(number), tmp_path)
    current = tmp_path / "spool" / "current"
    data = bytearray(current.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 20] = b"#" * 20
    current.write_bytes(data)

    with Memory.open(tmp_path) as memory:
        status = status_of(memory)

    assert status.observations == 2
    assert (status.spool_bytes, status.damaged_spool_files) == (0, 1)
    assert "1 damaged spool files are set aside" in status.warnings[0]


def test_no_home_variable(tmp_path: Path) -> None:
    (tmp_path / ".reverie.toml").write_text("[project]\nenabled = false\n")  # so that the real home stays as it is

    assert run_hook("PostToolUse", tool_call(cwd=str(tmp_path)), variables={}).was_silent


def test_without_a_home_variable_the_home_is_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hook.posix, "environ", {b"HOME": b"/home/ana"})
    assert hook.default_home() == "/home/ana/.reverie"

    monkeypatch.setattr(hook.posix, "environ", {})
    assert hook.default_home() == pwd.getpwuid(os.getuid()).pw_dir + "/.reverie"

    monkeypatch.setattr(hook.posix, "environ", {b"HOME": b""})
    assert hook.default_home() == pwd.getpwuid(os.getuid()).pw_dir + "/.reverie"


# ---- quiet, where something of its own is missing


def copy_package(package: Path) -> None:
    """What a hook loads, somewhere else."""
    for name in ("hook", "redact"):
        shutil.copytree(LAUNCHER.parents[1] / name, package / name, ignore=shutil.ignore_patterns("__pycache__"))


@pytest.mark.parametrize(
    "missing",
    [
        "hook/capture_event.py",
        "hook/run.py",
        "redact",
        "redact/secret_search.py",
        "redact/secrets.py",
        "hook/spool.py",
        "hook/context_reply.py",
    ],
)
def test_a_part_of_the_package_is_gone(tmp_path: Path, missing: str) -> None:
    package = tmp_path / "lib" / "reverie"
    copy_package(package)
    gone = package / missing
    shutil.rmtree(gone) if gone.is_dir() else gone.unlink()

    ran = run_hook("SessionStart", tool_call(), tmp_path / "home", launcher=package / "hook" / "launch.py")

    assert ran.was_silent
    assert missing in ("hook/capture_event.py", "hook/run.py") or len(complaints(tmp_path / "home")) == 1


def test_code_kept_for_the_next_hook_is_renewed_when_a_module_changes(tmp_path: Path) -> None:
    package, home = tmp_path / "lib" / "reverie", tmp_path / "home"
    copy_package(package)
    launcher = package / "hook" / "launch.py"

    def kept() -> list[tuple[str, int]]:
        return [(path.name, path.stat().st_ino) for path in (package / "hook/__pycache__").glob("hook.*")]

    run_hook("Stop", b"{}", home, launcher=launcher)
    first = kept()
    run_hook("Stop", b"{}", home, launcher=launcher)
    assert len(first) == 1
    assert kept() == first, "it was used as it is"

    ours = package / "hook" / "capture_event.py"
    ours.write_text(ours.read_text().replace('{"event": event,', '{"event": "another " + event,'))
    run_hook("Stop", b"{}", home, launcher=launcher)
    assert spooled(home)[-1]["event"] == "another Stop"
    assert kept() != first, "the next hook finds the new code"

    seen, text = ours.stat(), ours.read_text()  # as when an installer replaces it by one of the same age and size
    ours.unlink()
    ours.write_text(text.replace('{"event": "another " + event,', '{"event": "a newer " + event,'))
    os.utime(ours, ns=(seen.st_atime_ns, seen.st_mtime_ns))
    assert (ours.stat().st_mtime_ns, ours.stat().st_size) == (seen.st_mtime_ns, seen.st_size)
    for compiled in (ours.parent / "__pycache__").glob("capture_event.*.pyc"):
        compiled.unlink()
    run_hook("Stop", b"{}", home, launcher=launcher)
    assert spooled(home)[-1]["event"] == "a newer Stop"

    shutil.copytree(package.parent, tmp_path / "moved")  # as when a virtual environment is copied
    shutil.rmtree(package.parent)
    moved = tmp_path / "moved" / "reverie" / "hook" / "launch.py"
    coloured = tool_call(text="\x1b[31mexport TOKEN=ghp_" + "a1B2c3D4e5" * 4)  # what colours need is loaded by its path
    assert run_hook("PostToolUse", coloured, home, launcher=moved).was_silent
    assert complaints(home) == []


def flip_bits(path: Path, count: int = 3) -> None:
    data, chance = bytearray(path.read_bytes()), random.Random(3)
    for _ in range(count):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    path.write_bytes(data)


def in_its_place(make: Callable[[Path], object]) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        path.unlink()
        make(path)

    return damage


DAMAGES: dict[str, Callable[[Path], object]] = {
    "empty": lambda path: path.write_bytes(b""),
    "zeros": lambda path: path.write_bytes(bytes(4096)),
    "torn": lambda path: path.write_bytes(path.read_bytes()[:50_000]),
    "huge": lambda path: os.truncate(path, 20_000_000_000),
    "bits flipped": flip_bits,
    "asks for much memory": lambda path: path.write_bytes(b"[\xff\xff\xff\x7f"),
    "a fifo": in_its_place(os.mkfifo),
    "a folder": in_its_place(Path.mkdir),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_damaged_code_of_an_earlier_hook_loses_nothing(tmp_path: Path, damage: Callable[[Path], object]) -> None:
    package, home = tmp_path / "lib" / "reverie", tmp_path / "home"
    copy_package(package)
    launcher = package / "hook" / "launch.py"
    run_hook("Stop", b"{}", home, launcher=launcher)
    (kept,) = (package / "hook/__pycache__").glob("hook.*")
    damage(kept)

    assert run_hook("Stop", b"{}", home, launcher=launcher).was_silent

    assert len(spooled(home)) == 2
    assert complaints(home) == []
    assert kept.is_dir() or 100_000 < kept.stat().st_size < 1_000_000, "it is written anew"
    assert list(kept.parent.glob("hook.*")) == [kept], "and nothing is left beside it"


@pytest.mark.parametrize("size", [0, 10, 4096])
def test_byte_code_that_was_written_to_a_full_disk_loses_nothing(tmp_path: Path, size: int) -> None:
    package, home = tmp_path / "lib" / "reverie", tmp_path / "home"
    copy_package(package)
    launcher = package / "hook" / "launch.py"
    run_hook("Stop", b"{}", home, launcher=launcher)
    for path in package.rglob("__pycache__/*"):
        path.write_bytes(path.read_bytes()[:size])

    assert run_hook("Stop", b"{}", home, launcher=launcher).was_silent

    assert len(spooled(home)) == 2
    assert complaints(home) == []


def test_without_the_redactor_nothing_is_stored(tmp_path: Path) -> None:
    package = tmp_path / "venv" / "lib" / "reverie"
    copy_package(package)
    elsewhere = tmp_path / "venv" / "bin" / "python"
    elsewhere.parent.mkdir()
    elsewhere.symlink_to(os.path.realpath(sys.executable))
    launcher = package / "hook" / "launch.py"

    done = subprocess.run(
        [str(elsewhere), "-I", "-S", str(launcher), "PostToolUse", str(tmp_path / "home")],
        input=json.dumps(tool_call()).encode(), capture_output=True, env={}, check=False,
    )  # fmt: skip

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert spooled(tmp_path / "home") == []
    assert "RedactorMissing" in complaints(tmp_path / "home")[0]


def test_work_that_does_not_end_is_given_up_and_complained_of(tmp_path: Path) -> None:
    package = tmp_path / "lib" / "reverie"
    copy_package(package)
    ours = package / "hook" / "capture_event.py"
    ours.write_text(ours.read_text().replace("_ALL_SECONDS = 9.0", "_ALL_SECONDS = 0.5"))
    (package / "redact" / "secrets.py").write_text("def redact_json(value):\n    while True:\n        pass\n")

    ran = run_hook("PostToolUse", tool_call(), tmp_path / "home", launcher=package / "hook" / "launch.py")

    assert ran.was_silent
    assert "TimeoutError" in complaints(tmp_path / "home")[0]


@pytest.mark.parametrize("gone", ["interpreter", "launcher", "nothing"])
def test_the_installed_command_where_the_environment_has_moved(tmp_path: Path, gone: str) -> None:
    command = hook_command("PostToolUse", str(tmp_path / "home"))
    if gone == "interpreter":
        command = command.replace(os.path.abspath(sys.executable), str(tmp_path / "venv" / "bin" / "python"))
    elif gone == "launcher":
        command = command.replace(str(LAUNCHER), str(tmp_path / "venv" / "launch.py"))

    done = subprocess.run(["/bin/sh", "-c", command], input=b"{}", capture_output=True, env={}, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert len(spooled(tmp_path / "home")) == (gone == "nothing")


# ---- quiet, where the agent has closed something


@pytest.mark.parametrize("closed", [(1,), (2,), (1, 2), (0, 1, 2)])
@pytest.mark.parametrize("event", ["PostToolUse", "SessionStart"])
def test_closed_streams(tmp_path: Path, event: str, closed: tuple[int, ...]) -> None:
    def close() -> None:
        for number in closed:
            os.close(number)

    taken_in(tmp_path)  # there is a soul to be told at SessionStart
    before = {path: path.read_bytes() for path in files_under(tmp_path) if path.suffix in (".md", ".lock")}

    ran = run_hook(event, tool_call(), tmp_path, before=close)

    assert ran.code == 0
    assert ran.err == b""
    assert {path: path.read_bytes() for path in before} == before, "no file got what was meant for the agent"
    assert len(taken_in(tmp_path)) == 1


def test_an_agent_that_does_not_read_the_answer(tmp_path: Path) -> None:
    taken_in(tmp_path)
    reading, writing = os.pipe()
    os.close(reading)
    process = subprocess.Popen(
        [*PYTHON, str(LAUNCHER), "SessionStart", str(tmp_path)],
        stdin=subprocess.PIPE, stdout=writing, stderr=subprocess.PIPE, env=NO_STEWARD,
    )  # fmt: skip
    os.close(writing)

    _, err = process.communicate(json.dumps({"session_id": "s1", "source": "startup"}).encode(), timeout=30)

    assert (process.returncode, err) == (0, b"")
    assert [o.event for o in taken_in(tmp_path)] == ["SessionStart"]


# ---- in order, where another holds the spool


@contextmanager
def held(path: Path) -> Iterator[None]:
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def test_a_spool_that_someone_holds_is_not_waited_for(tmp_path: Path) -> None:
    run_hook("PostToolUse", tool_call(1), tmp_path)
    with held(tmp_path / "spool" / "lock"):
        for number in (2, 3):
            assert run_hook("PostToolUse", tool_call(number), tmp_path).was_silent
        assert len([name for name in os.listdir(tmp_path / "spool") if name.startswith("own-")]) == 2
    run_hook("PostToolUse", tool_call(4), tmp_path)

    assert [o.event_id for o in taken_in(tmp_path)] == [f"tool:call-{number}" for number in (1, 2, 3, 4)]
    assert set(os.listdir(tmp_path / "spool")) == {"lock", "drain.lock"}


# ---- where it writes


def test_a_project_that_opted_out_leaves_no_trace(tmp_path: Path) -> None:
    project, home = tmp_path / "project", tmp_path / "home"
    (project / "deep" / "inside").mkdir(parents=True)
    (project / ".reverie.toml").write_text("# quiet here\n[project]\nenabled = false  # please\n")

    for event in ("PostToolUse", "SessionStart", "UserPromptSubmit"):
        assert run_hook(event, tool_call(cwd=str(project / "deep" / "inside")), home).was_silent

    assert not home.exists()


@pytest.mark.parametrize("is_out", [True, False])
def test_a_session_that_began_in_a_project_that_opted_out_is_out_wherever_its_agent_goes(
    tmp_path: Path, is_out: bool
) -> None:
    project, elsewhere, home = tmp_path / "project", tmp_path / "elsewhere", tmp_path / "home"
    project.mkdir()
    elsewhere.mkdir()
    (project / ".reverie.toml").write_text(f"[project]\nenabled = {'false' if is_out else 'true'}\n")

    run_hook("PostToolUse", tool_call(cwd=str(elsewhere)), home, variables={"CLAUDE_PROJECT_DIR": str(project)})

    assert home.exists() is not is_out


def test_a_session_stays_in_the_workspace_of_the_project_that_it_began_in(tmp_path: Path) -> None:
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    elsewhere.mkdir()
    (project / ".git").mkdir(parents=True)
    variables = {"HOME": str(tmp_path / "home"), "CLAUDE_PROJECT_DIR": str(project)}
    subprocess.run([sys.executable, "-m", "reverie", "admin", "init"], cwd=project, env=variables, check=True)

    for folder in (project, elsewhere):
        run_hook("PostToolUse", tool_call(cwd=str(folder)), variables=variables)

    assert len(spooled(project / ".reverie")) == 2


def test_a_secret_in_the_name_of_an_event_is_not_kept(tmp_path: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5" * 4

    run_hook("Stop", b'{"session_id": "s"}{"hook_event_name": "%s"}' % token.encode(), tmp_path)

    assert len(spooled(tmp_path)) == 2
    assert not [path for path in files_under(tmp_path) if token.encode() in path.read_bytes()]


def test_a_workspace_that_is_switched_off_takes_nothing_in(tmp_path: Path) -> None:
    (tmp_path / "reverie.toml").write_text("[project]\nenabled = false\n")

    assert run_hook("PostToolUse", tool_call(), tmp_path).was_silent
    assert [path.name for path in files_under(tmp_path)] == ["reverie.toml"]


def test_a_workspace_named_by_variable(tmp_path: Path) -> None:
    variables = {"REVERIE_HOME": str(tmp_path / "named"), "HOME": str(tmp_path / "home")}

    run_hook("PostToolUse", tool_call(), variables=variables)

    assert len(spooled(tmp_path / "named")) == 1
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize("named", ["~/notes", "notes"])
def test_a_variable_is_read_as_a_shell_would(tmp_path: Path, named: str) -> None:
    run_hook("PostToolUse", tool_call(), variables={"REVERIE_HOME": named, "HOME": str(tmp_path)}, cwd=tmp_path)

    assert len(spooled(tmp_path / "notes")) == 1


def test_the_project_is_the_folder_with_the_repository(tmp_path: Path) -> None:
    below = tmp_path / "project" / "src" / "app"
    below.mkdir(parents=True)
    (tmp_path / "project" / ".git").mkdir()

    run_hook("PostToolUse", tool_call(cwd=str(below)), tmp_path / "home")

    assert spooled(tmp_path / "home")[0]["project"] == str(tmp_path / "project")


def test_a_folder_that_has_been_deleted(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()

    ran = run_hook("PostToolUse", {"session_id": "s1"}, tmp_path / "home", cwd=gone, before=lambda: os.rmdir(gone))

    assert ran.was_silent
    assert len(spooled(tmp_path / "home")) == 1
