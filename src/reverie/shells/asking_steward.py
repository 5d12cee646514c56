"""Questions of one-shot commands to the steward, which has the index and the vectors loaded.

It answers in lines: at once what it is doing, then the answer. One that gives no sign is not waited for.
"""

import json
import socket
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from reverie.daemon.heartbeat import read_pulse
from reverie.foundation.workspace import Workspace
from reverie.ports import Env
from reverie.shells.cli.show import warn

_SIGN_SECONDS = 2.0  # for the first sign, which a steward gives within milliseconds, behind a hook's context at most
# A first question waits until the steward has loaded its index: some seconds for 100,000 items. One that still sorts
# what came in may need minutes, and to look by words takes a second.
_ANSWER_SECONDS = 8.0
_QUIET_SECONDS = 1.0  # then a person is told what it waits for
_ANSWER_BYTES = 16_000_000


class _Silent(Exception):
    """There is a steward, and it does not answer; says why."""


def ask_steward(workspace: Workspace, env: Env, question: Mapping[str, object], if_none: str = "") -> Any | None:
    """The steward's answer. None if none runs, or if it has none; which of the two is said on standard error."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            if workspace.socket and _connects(connection, str(workspace.socket)):
                return _exchange(connection, workspace, env, question)
    except _Silent as silent:
        if_none = f"{silent}; searched without it, by words alone"
    if if_none:
        warn(if_none)
    return None


def _connects(connection: socket.socket, address: str) -> bool:
    connection.settimeout(_SIGN_SECONDS)
    try:
        connection.connect(address)
    except (BlockingIOError, TimeoutError):  # nobody takes up those who wait in front of us
        raise _Silent("the steward does not answer (`reverie status` shows its state)") from None
    except OSError:
        return False
    return True


def _exchange(connection: socket.socket, workspace: Workspace, env: Env, question: Mapping[str, object]) -> Any:
    if hung := _hung(workspace, env):
        raise _Silent(hung)
    try:
        connection.sendall(json.dumps(question).encode())
        connection.shutdown(socket.SHUT_WR)
        for line in _lines(connection, env, lambda: _hung(workspace, env)):
            told = json.loads(line)
            if "answer" in told:
                return told["answer"]
    except (OSError, ValueError):
        raise _Silent("the steward closed the connection") from None
    raise _Silent("the steward could not answer (`reverie status` shows its state)")


def _hung(workspace: Workspace, env: Env) -> str:
    """Words for a steward that does not move; '' if it does, as far as one can know."""
    pulse = read_pulse(workspace.pulse, env)
    if pulse is None or not pulse.is_hung(env.monotonic()):
        return ""
    age = pulse.age_seconds(env.monotonic())
    return f"the steward (process {pulse.pid}) has made no progress for {age:.0f} s; `reverie down` stops it"


def _lines(connection: socket.socket, env: Env, hung: Callable[[], str]) -> Iterator[bytes]:
    """Yield the lines that the steward sends. `_Silent` says why nobody waits any longer."""
    began = env.monotonic()
    pieces, size, doing, has_told = list[bytes](), 0, "", False
    connection.settimeout(_QUIET_SECONDS)
    while size < _ANSWER_BYTES:
        try:
            piece = connection.recv(65_536)
        except TimeoutError:
            waited = env.monotonic() - began
            if not size and waited >= _SIGN_SECONDS:
                raise _Silent(hung() or f"the steward has not responded for {waited:.0f} s") from None
            if why := hung():
                raise _Silent(why) from None
            if waited >= _ANSWER_SECONDS:
                raise _Silent(f"the steward has been {doing or 'busy'} for {waited:.0f} s") from None
            if size and not has_told and sys.stderr.isatty():
                has_told = True
                warn(f"the steward is {doing or 'busy'}…")
            continue
        if not piece:
            return
        size += len(piece)
        pieces.append(piece)
        if b"\n" not in piece:
            continue
        *whole, rest = b"".join(pieces).split(b"\n")
        pieces = [rest]
        for line in whole:
            if line.startswith(b'{"doing"'):
                doing = json.loads(line)["doing"]
            yield line
