"""Context for the agent, at SessionStart and UserPromptSubmit: from the steward if it runs, else read directly.

Runs in the hook process: within the deadline it prints an answer, or it prints nothing. The event itself is already
durable when this begins, so giving up loses nothing.
"""

import posix
import sys
import time
from _signal import ITIMER_REAL, SIGALRM, setitimer, signal

TYPE_CHECKING = False  # `import typing` costs as much as the hook itself
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Callable

    from reverie.capture.hook import Seen

WORK_SECONDS = 5.0  # the client gives a hook ten
ANSWER_SECONDS = 0.28  # of the 300 ms that an agent may wait, less what ending the process takes
_MOST_UNITS = 10_000  # of UTF-16, as an agent counts; it hides what is longer behind a file


def answer(event: str, seen: "Seen", root: str, started: float, encode: "Callable[[dict[str, object]], bytes]") -> None:
    left = started + ANSWER_SECONDS - time.monotonic()
    if left <= 0 or not seen.session:
        return
    best = [""]  # what is said when the time is over

    def end(*_: object) -> None:
        say(event, best[0], encode)
        posix._exit(0)

    signal(SIGALRM, end)
    setitimer(ITIMER_REAL, left)
    request: dict[str, object] = {
        "ask": "context",
        "event": event,
        "session": seen.session,
        "project": seen.project,
        "source": seen.source,
    }
    context = ask_steward(seen.home, encode(request))
    if context is None:
        context = read_directly(seen, event, root, best)
    setitimer(ITIMER_REAL, 0)
    say(event, context, encode)


def say(event: str, context: str, encode: "Callable[[dict[str, object]], bytes]") -> None:
    if context:
        said = {"hookEventName": event, "additionalContext": fitted(context)}
        posix.write(1, encode({"hookSpecificOutput": said}))


def fitted(context: str) -> str:
    """As much of the context as an agent shows: whole lines, and the closing marker."""
    if len(context) <= _MOST_UNITS // 2:
        return context
    body, _, closing = context.rpartition("\n")
    units = body.encode("utf-16-le", "surrogatepass")
    room = 2 * (_MOST_UNITS - len(closing) - 1)
    if len(units) <= room:
        return context
    kept = units[:room].decode("utf-16-le", "ignore")
    return f"{kept.rpartition(chr(10))[0] or kept}\n{closing}"


def steward_listens(home: str) -> bool:
    return connect(home) is not None


def connect(home: str) -> "socket | None":
    """A connection to the steward; None if there is none."""
    from _socket import AF_UNIX, SOCK_STREAM, socket

    connection = socket(AF_UNIX, SOCK_STREAM)
    try:
        connection.connect(home + "/steward.sock")
    except OSError:
        return None
    return connection


def ask_steward(home: str, request: bytes) -> str | None:
    """The steward's answer; None if no steward listens."""
    from _socket import SHUT_WR

    connection = connect(home)
    if connection is None:
        return None
    connection.sendall(request)
    connection.shutdown(SHUT_WR)
    pieces = []
    while piece := connection.recv(65536):
        pieces.append(piece)
    return b"".join(pieces).decode("utf-8", "replace")


def read_directly(seen: "Seen", event: str, root: str, best: list[str]) -> str:
    """Without a steward the record is opened here, and what waits is taken in."""
    use_package(root)
    from reverie.shells.context import context_for

    def offer(context: str) -> None:
        best[0] = context

    return context_for(seen.home, seen.project, seen.session, event, offer)


def work_off(seen: "Seen", root: str) -> None:
    """At the end of a session, when nobody waits any more: without a steward, distil what was said in it here."""
    if steward_listens(seen.home):
        return
    signal(SIGALRM, lambda *_: posix._exit(0))
    setitimer(ITIMER_REAL, WORK_SECONDS)
    use_package(root)
    from reverie.shells.context import work_off

    work_off(seen.home)


def use_package(root: str) -> None:
    """From here on the real package serves, instead of the files that were loaded without it."""
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    sys.path += [root, f"{sys.executable.rpartition('/bin/')[0]}/lib/{version}/site-packages"]
    for name in [name for name in sys.modules if name.startswith("reverie.")]:
        del sys.modules[name]
