"""Hooks as an agent starts them: real processes, what they said, and what they left behind."""

import ctypes
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from reverie.hook.spool import CURRENT, DRAIN_PREFIX, OWN_PREFIX, frames
from reverie.memory import Memory
from reverie.records import Observation
from reverie.shells.install.entries import LAUNCHER
from support.hooks import NO_STEWARD

PYTHON = [sys.executable, "-I", "-S"]
# A hook takes 30 ms on an idle machine; `make bench` measures it. Here only one that waits for something that does not
# come is late, however busy the machine is.
IN_TIME_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Ran:
    """How a hook process ended."""

    code: int
    out: bytes
    err: bytes

    @property
    def was_silent(self) -> bool:
        return (self.code, self.out, self.err) == (0, b"", b"")


def run_hook(
    event: str,
    payload: bytes | Mapping[str, object],
    home: Path | None = None,
    *,
    variables: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    launcher: Path = LAUNCHER,
    before: Callable[[], None] | None = None,
    left: "Left | None" = None,
) -> Ran:
    """Run one hook to its end, which must come in time. Its environment holds nothing but `variables`,
    and that no steward is to be started."""
    stdin = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    command = [*PYTHON, str(launcher), event, *([str(home)] if home else [])]
    done = subprocess.run(
        command, input=stdin, capture_output=True, env={**NO_STEWARD, **(variables or {})}, cwd=cwd, preexec_fn=before, timeout=IN_TIME_SECONDS,
        pass_fds=left.held if left else (),
    )  # fmt: skip
    return Ran(done.returncode, done.stdout, done.stderr)


def tool_call(
    number: int = 1, cwd: str = "/projects/shop", text: str = "3 passed", **fields: object
) -> dict[str, object]:
    return {
        "session_id": "s1",
        "cwd": cwd,
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": f"make step-{number}"},
        "tool_response": {"stdout": text, "stderr": ""},
        "tool_use_id": f"call-{number}",
        **fields,
    }


def prompt(text: str, session: str = "s1", cwd: str = "/projects/shop", **fields: object) -> dict[str, object]:
    return {"session_id": session, "cwd": cwd, "hook_event_name": "UserPromptSubmit", "prompt": text, **fields}


# ---- what they left behind


def spooled_payloads(home: Path) -> list[bytes]:
    """What waits in the spool, file by file."""
    folder = home / "spool"
    names = sorted(os.listdir(folder)) if folder.is_dir() else []
    files = [name for name in names if name == CURRENT or name.startswith((DRAIN_PREFIX, OWN_PREFIX))]
    return [payload for name in files for payload in frames((folder / name).read_bytes())[0]]


def spooled(home: Path) -> list[dict[str, object]]:
    return [json.loads(payload.decode("utf-8", "surrogatepass")) for payload in spooled_payloads(home)]


def taken_in(home: Path) -> list[Observation]:
    """What a steward makes of the spool."""
    with Memory.open(home, catch_up=False) as memory:
        memory.parts.background.drain_spool()
        return memory.engine.log.read(limit=100_000)


def complaints(home: Path) -> list[str]:
    log = home / "hook-errors.log"
    return log.read_text(encoding="utf-8").splitlines() if log.is_file() else []


def files_under(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


class Left:
    """The processes that hooks leave behind: a pipe that each of them holds for as long as it lives."""

    def __init__(self) -> None:
        self._end, held = os.pipe()
        self.held = (held,)

    def are_gone(self, within_seconds: float) -> bool:
        """Whether they all end in this time. No hook is to be run after this was asked."""
        for held in self.held:
            os.close(held)
        self.held = ()
        return bool(select.select([self._end], [], [], within_seconds)[0])

    def wait(self) -> None:
        assert self.are_gone(120.0), "a process that a hook leaves behind ends after a minute at the latest"

    def close(self) -> None:
        self.wait()
        os.close(self._end)


# ---- adversity


def without_root_powers() -> None:
    """In a child that is about to be root: a read-only folder is read-only for it, too."""
    for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP


# ---- company

_STEWARD = """
import signal, sys
from pathlib import Path
from reverie.env.real import RealEnv
from reverie.settings import Settings
from reverie.daemon.steward import Steward
from reverie.foundation.workspace import Workspace
steward = Steward(Workspace(Path(sys.argv[1])), RealEnv(), Settings())
signal.signal(signal.SIGTERM, lambda *_: steward.stop())
steward.begin()
print("ready", flush=True)
steward.run()
"""


@contextmanager
def running_steward(home: Path) -> Iterator[int]:
    """A steward as a process of its own."""
    process = subprocess.Popen([sys.executable, "-c", _STEWARD, str(home)], stdout=subprocess.PIPE)
    assert process.stdout
    assert process.stdout.readline() == b"ready\n"
    try:
        yield process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(IN_TIME_SECONDS) == 0
        process.stdout.close()


def wait_until(is_true: Callable[[], bool], seconds: float = IN_TIME_SECONDS) -> None:
    deadline = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < deadline
        time.sleep(0.05)
