"""A program in a pseudo-terminal: type to it, and wait for what it shows."""

import contextlib
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence

_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
PATIENCE_SECONDS = 60.0


class Terminal:
    """Runs a command with a terminal for its input and output, until it ends or the test is over."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str], cwd: str) -> None:
        self._master, slave = pty.openpty()
        self._process = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=dict(env),
            cwd=cwd,
            start_new_session=True,
            close_fds=True,
        )
        os.close(slave)
        self.shown = ""  # everything so far, without colours
        self._read = 0

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        os.close(self._master)

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def say(self, line: str) -> None:
        self.type(line + "\n")

    def until(self, text: str) -> str:
        """Wait until this is shown; returns what came since the last wait, up to the end of it."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (at := self.shown.find(text, self._read)) < 0:
            left = deadline - time.monotonic()
            if left <= 0 or not self._take(left):
                raise AssertionError(f"{text!r} was not shown, but:\n{self.shown[self._read :]}")
        came = self.shown[self._read : at + len(text)]
        self._read = at + len(text)
        return came

    def ends(self) -> int:
        """Wait until the program ends; returns its exit code."""
        while self._take(PATIENCE_SECONDS):
            pass
        return self._process.wait(PATIENCE_SECONDS)

    def interrupt(self) -> int:
        """Press Ctrl-C until the program ends: a signal that comes just before it begins to wait is not seen."""
        for _ in range(int(PATIENCE_SECONDS)):
            self._process.send_signal(signal.SIGINT)
            self._take(0.5)
            with contextlib.suppress(subprocess.TimeoutExpired):
                return self._process.wait(0.5)
        raise AssertionError("it does not end")

    def _take(self, seconds: float) -> bool:
        ready, _, _ = select.select([self._master], [], [], seconds)
        try:
            data = os.read(self._master, 65536) if ready else b""
        except OSError:  # the other end is closed
            data = b""
        self.shown += _COLOURS.sub("", data.decode("utf-8", "replace")).replace("\r\n", "\n")
        return bool(data)


def python(*arguments: str) -> list[str]:
    return [sys.executable, *arguments]
