"""The steward's sign of life: when each of its threads last moved, and what fails, in a small file for other processes.

A held lock says that a process is there, not that it works. The file's times are of the monotonic clock: all processes
of a machine share it, and it stands still while the machine sleeps, so that one that wakes up finds no hung steward. It
is written in place, once a second, and never synced. After a crash nobody believes it: the lock is free then.
"""

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from threading import Lock

from reverie.ports import Env

_WRITE_SECONDS = 1.0
# Some thread has a round every half second, and writes for all of them: after this, none of them moves.
HUNG_SECONDS = 10.0
# One thread's round: a commit of a thousand rows on a slow disk behind another writer's takes some seconds.
PATIENCE_SECONDS = 60.0
WAITING = "waiting"  # what a thread does that does nothing on purpose
_LONGEST_ERROR = 200
_PADDED = 8192  # always as long, so that what is written in place leaves no rest of what was there

# The steward's threads, and what each is there for, as it fails to do it.
WORK, MODELS, MEMORY, HOOKS = "work", "models", "memory", "hooks"
_DUTIES = {
    WORK: "take in and learn",
    MODELS: "ask the model",
    MEMORY: "keep memory searchable",
    HOOKS: "answer hooks",
}


@dataclass(frozen=True, slots=True)
class Sign:
    """The last progress of a thread by the monotonic clock; what it does that may take long; what it fails with."""

    at: float
    doing: str = ""
    patience_seconds: float = PATIENCE_SECONDS
    failing: str = ""
    since_ms: int = 0  # of the failing
    is_final: bool = False  # it will fail until the steward has been stopped and something repaired


@dataclass(frozen=True, slots=True)
class Pulse:
    """The content of a steward's heartbeat file."""

    pid: int
    threads: dict[str, Sign] = field(default_factory=dict)
    last_error: str = ""
    last_error_ms: int = 0

    def age_seconds(self, now: float) -> float:
        """Return the seconds since any of its threads last made progress."""
        return now - max((sign.at for sign in self.threads.values()), default=now)

    def is_hung(self, now: float) -> bool:
        return self.age_seconds(now) > HUNG_SECONDS

    def troubles(self, now: float) -> Iterator[str]:
        """Yield what a person should know about it, in words."""
        if self.is_hung(now):
            yield (
                f"process {self.pid} holds steward.lock but has made no progress for {self.age_seconds(now):.0f} s; "
                f"`reverie down` stops it, and nothing is lost (`kill -CONT {self.pid}` if somebody suspended it)"
            )
            return
        for name, sign in self.threads.items():
            duty = _DUTIES.get(name, name)
            if sign.failing:
                yield f"the steward (process {self.pid}) cannot {duty}: {sign.failing}"
            elif now - sign.at > sign.patience_seconds:
                doing = f" ({sign.doing})" if sign.doing else ""
                yield (
                    f"the steward (process {self.pid}) does not {duty}: that thread has made no progress for "
                    f"{now - sign.at:.0f} s{doing}; `reverie down`, then `reverie up --detach`, restarts it"
                )


def read_pulse(path: Path, env: Env, pid: int | None = None) -> Pulse | None:
    """A steward's sign of life; None where there is none, or it is another process's than the one asked about."""
    for _ in range(2):  # it may be read while it is written
        try:
            told = json.loads(env.files.read(path) or b"null")
            threads = {name: Sign(**sign) for name, sign in told.pop("threads").items()}
            pulse = Pulse(**told, threads=threads)
            return pulse if pid in (None, pulse.pid) else None
        except (ValueError, TypeError, AttributeError, KeyError, OSError):
            continue
    return None


class Heartbeat:
    """Writes the file; any thread may call, and no call ever fails: a full disk must not stop who still works."""

    def __init__(self, path: Path, env: Env, pid: int) -> None:
        self._path = path
        self._env = env
        self._lock = Lock()
        self._pulse = Pulse(pid)
        self._written = float("-inf")
        self._is_there = False
        self._is_over = False

    def beat(self, thread: str, doing: str = "", patience_seconds: float = PATIENCE_SECONDS) -> None:
        """The thread moves; it is going to do something that may take so long."""
        now = self._env.monotonic()
        with self._lock:
            before = self._pulse.threads.get(thread, Sign(now))
            self._set(thread, replace(before, at=now, doing=doing, patience_seconds=patience_seconds))
            if now - self._written >= _WRITE_SECONDS:
                self._write(now)

    def doing(self, thread: str) -> str:
        return self._pulse.threads[thread].doing if thread in self._pulse.threads else ""

    def is_failing(self, thread: str) -> bool:
        return thread in self._pulse.threads and bool(self._pulse.threads[thread].failing)

    def fail(self, thread: str, error: str, *, is_final: bool = False) -> None:
        """It does not get its work done."""
        now, now_ms = self._env.monotonic(), self._env.now_ms()
        error = error[:_LONGEST_ERROR]
        with self._lock:
            before = self._pulse.threads.get(thread, Sign(now))
            if not before.is_final:
                since_ms = before.since_ms or now_ms
                before = replace(before, failing=error, since_ms=since_ms, is_final=is_final)
            self._set(thread, replace(before, at=now))
            self._pulse = replace(self._pulse, last_error=error, last_error_ms=now_ms)
            self._write(now)

    def works(self, thread: str) -> None:
        """It got something done, or had nothing to do."""
        self.beat(thread)
        with self._lock:
            sign = self._pulse.threads[thread]
            if sign.failing and not sign.is_final:
                self._set(thread, replace(sign, failing="", since_ms=0))
                self._write(sign.at)

    def stop(self) -> None:
        """Nothing is written any more, whichever thread may still run."""
        with self._lock, suppress(OSError):
            self._is_over = True
            self._env.files.remove(self._path)

    def _set(self, thread: str, sign: Sign) -> None:
        self._pulse = replace(self._pulse, threads={**self._pulse.threads, thread: sign})

    def _write(self, now: float) -> None:
        if self._is_over:
            return
        data = json.dumps(asdict(self._pulse), ensure_ascii=False).encode("utf-8", "replace").ljust(_PADDED)
        try:
            if not self._is_there:
                self._env.files.replace(self._path, data)
                self._is_there = True
            else:
                with open(self._path, "r+b", buffering=0) as file:
                    file.write(data)
        except OSError:  # then nothing is known of it, which is no reason to stop
            self._is_there = False
        self._written = now
