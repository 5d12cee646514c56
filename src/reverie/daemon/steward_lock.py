"""The lock that makes a process the steward of a workspace, and who holds it."""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from reverie.errors import StewardRunning
from reverie.foundation.workspace import Workspace
from reverie.ports import Env, Lock

_MOMENT_SECONDS = 0.5  # a process that opens the memory holds the lock for a few milliseconds, unless much waits


@dataclass(frozen=True, slots=True)
class Holder:
    """The process that is the steward now."""

    pid: int
    since_ms: int
    why: str = ""  # it runs, if a person did not start it


def holder(workspace: Workspace, env: Env) -> Holder | None:
    """Return the running steward, if there is one."""
    lock = env.files.lock(workspace.steward_lock)
    if not workspace.steward_lock.exists():
        return None
    if lock.acquire(0):
        lock.release()
        return None
    try:
        told = json.loads(env.files.read(workspace.steward_lock) or b"{}")
        return Holder(int(told["pid"]), int(told["since_ms"]), str(told.get("why", "")))
    except (ValueError, KeyError, TypeError):
        return Holder(0, 0)  # an opener that holds the lock for a moment


class StewardLock:
    """Held from `take` to `release`; its file says who holds it."""

    def __init__(self, workspace: Workspace, env: Env) -> None:
        self._workspace = workspace
        self._env = env
        self._lock: Lock = env.files.lock(workspace.steward_lock)
        self._told = b""  # what we wrote into the lock's file

    def take(
        self, wait_seconds: float, is_stopping: Callable[[], bool], report: Callable[[str], None], why: str = ""
    ) -> None:
        """Wait for a hook or a command that works in place of a steward, and say so; but not for another steward."""
        until, has_told = self._env.monotonic() + wait_seconds, False
        while not self._lock.acquire(min(wait_seconds, _MOMENT_SECONDS)):
            other = holder(self._workspace, self._env)
            if other and other.pid:
                raise StewardRunning(
                    f"process {other.pid} is the steward of {self._workspace.home}; `reverie down` stops it"
                )
            who = f"{_opener(self._workspace.steward_lock, self._env)} works in place of a steward"
            if is_stopping() or self._env.monotonic() >= until:
                raise StewardRunning(f"{who}; try again when it has ended")
            if not has_told:
                has_told = True
                report(f"{who}: waiting for it to end")
        about = {"pid": os.getpid(), "since_ms": self._env.now_ms()} | ({"why": why} if why else {})
        self._told = json.dumps(about).encode()
        # In place, not by rename: the lock is on this very file.
        with open(self._workspace.steward_lock, "r+b") as file:
            file.truncate()
            file.write(self._told)

    def is_in_place(self) -> bool:
        """Say whether the file is still ours. A person who deletes the folder does not ask for its lock."""
        return self._env.files.read(self._workspace.steward_lock) == self._told

    def clear(self) -> None:
        """Remove our name from the file."""
        self._env.files.truncate(self._workspace.steward_lock)

    def release(self) -> None:
        self._lock.release()


def _opener(lock: Path, env: Env) -> str:
    """Say which process holds a lock, as far as this machine tells: Linux does."""
    try:
        inode = str(lock.stat().st_ino)
        told = (env.files.read(Path("/proc/locks")) or b"").decode("ascii", "replace")
    except OSError:
        return "a hook or a command"
    # 12: FLOCK  ADVISORY  WRITE 4711 fe:00:2172008 0 EOF
    held = [line.split() for line in told.splitlines() if "FLOCK" in line and "->" not in line]
    found = [words[4] for words in held if words[5].rpartition(":")[2] == inode]
    return f"process {found[0]}, a hook or a command," if found else "a hook or a command"
