"""The steward as a process: in the foreground or detached; and how it is stopped."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress

from reverie.daemon.heartbeat import WAITING, Pulse, read_pulse
from reverie.daemon.steward import Steward
from reverie.daemon.steward_lock import holder
from reverie.env.real import RealEnv
from reverie.errors import ReverieError, StewardRunning
from reverie.foundation.workspace import LOG_BYTES, Workspace, shorten
from reverie.hook.locate import open_file

_START_SECONDS = 90.0  # it takes one; on a busy machine, or behind a command that works in its place, longer
_MOMENT_SECONDS = 0.5  # an opener holds the steward's lock for a few milliseconds
_STOP_SECONDS = 10.0
_BUSY_SECONDS = 60.0  # for one that is at work: to commit what it has begun, on a slow disk behind another writer
_LONGEST_STOP_SECONDS = 5.0  # after which a steward that was asked to stop does so wherever it is
_QUIET_SECONDS = 2.0  # then a person is told what it waits for
_ROOM_BYTES = 1_000_000  # a steward that starts writes its database's log and a few small files


def stop_on_signals(steward: Steward) -> None:
    """From now on SIGTERM and SIGINT end the steward cleanly; before its first step, too.

    That takes a second or two, unless it waits for another writer: a long rebuild, or one that somebody suspended.
    """

    def stop(*_: object) -> None:
        last_resort = threading.Timer(_LONGEST_STOP_SECONDS, _end_at_once)
        last_resort.daemon = True
        last_resort.start()
        steward.stop()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)


def _end_at_once() -> None:
    """As a kill would, which loses nothing: whatever it holds is a lease."""
    with suppress(OSError, RuntimeError):  # RuntimeError: the main thread was just printing
        print("stopped in the middle of its work; nothing is lost, and the next start goes on with it", flush=True)
    os._exit(0)


def leave(steward: Steward) -> None:
    """After its steward has ended, end this process, too, if one of its threads is still busy.

    It may be inside an extension in C++ (the patterns, the embedder), and an interpreter that ends under it aborts the
    process: to a service manager that is a failure, after which it would start a steward that was asked to stop.
    """
    if steward.is_still_busy:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError):  # whoever read along may have gone
                stream.flush()
        os._exit(0)


def start_detached(workspace: Workspace, env: RealEnv, overrides: Mapping[str, str] | None = None) -> int:
    """Start a steward that outlives this terminal; returns its process id once it holds the lock."""
    if running := _running(workspace, env, overrides):
        return running
    log = workspace.daemon_log
    shorten(log, env)
    env.files.make_folder(workspace.home)
    with open(open_file(str(log), os.O_WRONLY | os.O_APPEND | os.O_CREAT), "ab") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "reverie", *options_of(workspace, overrides), "up", "--plain"],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            cwd="/",
        )
    if not _wait(env, _START_SECONDS, lambda: _is_held_by(workspace, env, process.pid) or process.poll() is not None):
        raise ReverieError(f"the steward did not start within {_START_SECONDS:.0f} s; {_reason(workspace)}")
    if process.poll() is None:
        return process.pid
    if faster := _running(workspace, env, overrides):  # it ended because another was started at the same moment
        return faster
    raise ReverieError(f"the steward exited at once; {_reason(workspace)}")


def _running(workspace: Workspace, env: RealEnv, overrides: Mapping[str, str] | None) -> int:
    """The process id of the steward; 0 if there is none. If other settings are wanted, it is refused.

    Whoever opens the memory holds the lock for a moment, and so does a steward that has not yet said who it is.
    """
    _wait(env, _MOMENT_SECONDS, lambda: not _is_held_by(workspace, env, 0))
    found = holder(workspace, env)
    if not found or not found.pid:
        return 0
    if overrides:
        raise StewardRunning(f"process {found.pid} is the steward, with its own settings; run `reverie down` first")
    return found.pid


def options_of(workspace: Workspace, overrides: Mapping[str, str] | None) -> list[str]:
    """Return the options that make another process use the same workspace and settings."""
    given = [word for path, text in (overrides or {}).items() for word in ("--set", f"{path}={text}")]
    return ["--home", str(workspace.home), *given]


def shorten_own_log(workspace: Workspace, env: RealEnv) -> None:
    """If what this process says goes into the steward's log, by us or by launchd, begin a new one when it is long."""
    log = workspace.daemon_log
    said = os.fstat(1)
    if said.st_size <= LOG_BYTES or not log.exists() or not os.path.samestat(said, log.stat()):
        return
    sys.stdout.flush()
    if shorten(log, env):
        fresh = open_file(str(log), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        for number in (1, 2):
            if os.path.samestat(said, os.fstat(number)):
                os.dup2(fresh, number)
        os.close(fresh)


def _reason(workspace: Workspace) -> str:
    """Why a steward does not start, as far as that can be seen from here. A full disk leaves nothing in its log."""
    space = os.statvfs(workspace.home)
    if (left := space.f_bavail * space.f_frsize) < _ROOM_BYTES:
        return f"only {left:,} bytes are left on the disk of {workspace.home}: free some space"
    with open(open_file(str(workspace.daemon_log), os.O_RDONLY), encoding="utf-8", errors="replace") as file:
        said = file.read().strip()
    return f"{said.splitlines()[-1]} (in {workspace.daemon_log})" if said else f"see {workspace.daemon_log}"


def stop_running(workspace: Workspace, env: RealEnv, tell: Callable[[str], None] = lambda _: None) -> int | None:
    """Stop the steward; returns the process id it had, None if there was none.

    One that is at work is given longer than one that is not. `tell` hears what it is doing, if one has to wait.
    """
    running = holder(workspace, env)
    if not running or not running.pid:
        return None
    env.sleep(0.05)
    if holder(workspace, env) != running:  # somebody opened the memory just then
        return stop_running(workspace, env, tell)
    os.kill(running.pid, signal.SIGTERM)
    os.kill(running.pid, signal.SIGCONT)  # one that was suspended would hear of it only when it wakes up
    began, has_told = env.monotonic(), False
    while not _wait(env, _QUIET_SECONDS, lambda: not _is_held_by(workspace, env, running.pid)):
        now, pulse = env.monotonic(), read_pulse(workspace.pulse, env, running.pid)
        waited, at_work = now - began, _at_work(pulse, now) if pulse else ""
        doing = at_work or "finishing its work"
        if waited >= (_BUSY_SECONDS if at_work else _STOP_SECONDS):
            raise ReverieError(
                f"process {running.pid}, {doing}, has not stopped within {waited:.0f} s; "
                f"`kill -9 {running.pid}` is safe, nothing is lost"
            )
        if not has_told:
            has_told = True
            tell(f"the steward is {doing}; it ends as soon as that is done")
    return running.pid


def _at_work(pulse: Pulse, now: float) -> str:
    """Say what a steward does that may take as long as it has taken; "" if that is nothing."""
    busy = [sign for sign in pulse.threads.values() if sign.doing not in ("", WAITING)]
    signs = [sign for sign in busy if now - sign.at <= sign.patience_seconds]
    return " and ".join(dict.fromkeys(sign.doing for sign in signs))


def _is_held_by(workspace: Workspace, env: RealEnv, pid: int) -> bool:
    running = holder(workspace, env)
    return running is not None and running.pid == pid


def _wait(env: RealEnv, seconds: float, condition: Callable[[], bool]) -> bool:
    deadline = env.monotonic() + seconds
    while not condition():
        if env.monotonic() > deadline:
            return False
        env.sleep(0.05)
    return True
