"""Context for the agent, at SessionStart, UserPromptSubmit and PreToolUse: from the steward, else read directly.

Runs in the hook process: within the deadline it prints an answer, or it prints nothing. The event itself is already
durable when this begins, so giving up loses nothing.
"""

import posix
import sys
import time
from _signal import ITIMER_REAL, SIGALRM, setitimer, signal

from reverie.hook.locate import open_file, read_text

TYPE_CHECKING = False  # `import typing` costs as much as the hook itself
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Callable

    from reverie.hook.capture_event import Seen
    from reverie.hook.compiled import Kept

WORK_OFF = "work-off"  # as run.py calls it
WORK_SECONDS = 0.8  # at the end of a session: a client may cancel a hook after 1.5 s, and tells the person so
HANDED_SECONDS = 60.0  # for a process that was handed the work: nobody waits for it, and it may have to wait for others
ANSWER_SECONDS = 0.28  # of the 300 ms that an agent may wait, less what ending the process takes
_TELL_SECONDS = 0.015  # more, while it is noting what the agent is told: noted and not said would be lost
_START = (
    "import sys; sys.path.insert(0, sys.argv[1]); from reverie.shells.daemon.on_demand import main; main(sys.argv[2])"
)
_MOST_UNITS = 10_000  # of UTF-16, as an agent counts; it hides what is longer behind a file


class ContextReply:
    """The reply to the agent, sent once: when it is complete, or when the time is over."""

    def __init__(
        self,
        event: str,
        encode: "Callable[[dict[str, object]], bytes]",
        hand_over: "Callable[[], None]",
        wake_steward: "Callable[[], bool]" = lambda: False,
    ) -> None:
        self.event = event
        self.best = ""  # what is said when the time is over
        self.is_said = False
        self.is_telling = False  # the record is being told that the agent was told
        self.leaves_work = False  # turns may wait that nobody looks at
        self.wakes_steward = False
        self._encode = encode
        self._hand_over = hand_over
        self._wake_steward = wake_steward

    def say(self) -> None:
        if not self.is_said:
            self.is_said = True
            if self.best:
                said = {"hookEventName": self.event, "additionalContext": fitted(self.best)}
                posix.write(1, self._encode({"hookSpecificOutput": said}))

    def time_is_up(self, *_: object) -> None:
        if self.is_telling:
            self.is_telling = False
            setitimer(ITIMER_REAL, _TELL_SECONDS)
        else:
            self.end()
            posix._exit(0)

    def end(self) -> None:
        self.say()
        if not (self.wakes_steward and self._wake_steward()) and self.leaves_work:
            self._hand_over()


def reply_with_context(
    event: str, seen: "Seen", root: str, started: float, encode: "Callable[[dict[str, object]], bytes]"
) -> None:
    if not seen.session:
        return
    reply = ContextReply(event, encode, lambda: hand_over(seen.home, root), lambda: wake_steward(seen.home, root))
    reply.leaves_work = event == "SessionStart" and seen.is_not_alone
    reply.wakes_steward = event != "PreToolUse"  # which would come too late for it
    signal(SIGALRM, reply.time_is_up)
    setitimer(ITIMER_REAL, max(0.001, started + ANSWER_SECONDS - time.monotonic()))
    request: dict[str, object] = {
        "ask": "context",
        "event": event,
        "session": seen.session,
        "project": seen.project,
        "prompt": seen.prompt,
        "path": seen.path,
    }
    context = ask_steward(seen.home, encode(request), reply)
    if context is not None:
        reply.best = context
    elif not seen.path:  # to open the record for each file that is read would slow the agent down
        read_directly(seen, root, reply)
    setitimer(ITIMER_REAL, 0)
    reply.end()


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


def has_steward(home: str) -> bool:
    """Whether a steward holds its lock. It is not asked: who has no question should not knock.

    Whoever else holds it does so for a moment, leaves its file empty, and may be past what came in last.
    """
    from fcntl import LOCK_NB, LOCK_SH, flock

    try:
        lock = open_file(home + "/steward.lock", posix.O_RDONLY)
    except OSError:
        return False
    try:
        flock(lock, LOCK_SH | LOCK_NB)
        return False
    except BlockingIOError:
        return posix.fstat(lock).st_size > 0
    finally:
        posix.close(lock)


def connect(home: str) -> "socket | None":
    """A connection to the steward; None if there is none."""
    from _socket import AF_UNIX, SOCK_STREAM, socket

    connection = socket(AF_UNIX, SOCK_STREAM)
    try:
        connection.connect(home + "/steward.sock")
    except OSError:
        return None
    return connection


def ask_steward(home: str, request: bytes, reply: ContextReply) -> str | None:
    """The steward's answer; None if no steward listens."""
    from _socket import SHUT_WR

    connection = connect(home)
    if connection is None:
        return None
    reply.leaves_work = reply.wakes_steward = False  # it is the steward's
    connection.sendall(request)
    connection.shutdown(SHUT_WR)
    pieces = []
    while piece := connection.recv(65536):
        pieces.append(piece)
    return b"".join(pieces).decode("utf-8", "replace")


def read_directly(seen: "Seen", root: str, reply: ContextReply) -> None:
    """Without a steward the record is opened here, and what waits is taken in."""
    use_package(root)
    from reverie.shells.context import tell

    tell(seen.home, seen.project, seen.session, seen.prompt, reply)


def wake_steward(home: str, root: str) -> bool:
    """Start a steward that ends by itself, unless one runs or is being started, or the person does not want it.

    Whoever starts one holds `start.lock`; the steward inherits it, so that there is no second one on the way.
    """
    from fcntl import LOCK_EX, LOCK_NB, flock

    if not wants_steward(home):
        return False
    start = open_file(home + "/start.lock", posix.O_RDWR | posix.O_CREAT)
    try:
        flock(start, LOCK_EX | LOCK_NB)
        if has_steward(home):
            return True
        posix.set_inheritable(start, True)
        command = [sys.executable, "-I", "-c", _START, root, home]
        log = (home + "/steward.log").encode("utf-8", "surrogateescape")
        streams = [
            (posix.POSIX_SPAWN_OPEN, 0, "/dev/null", posix.O_RDONLY, 0),
            (posix.POSIX_SPAWN_OPEN, 1, log, posix.O_WRONLY | posix.O_CREAT | posix.O_APPEND | posix.O_NOFOLLOW, 0o600),
            (posix.POSIX_SPAWN_DUP2, 1, 2),
        ]
        posix.posix_spawn(command[0], command, posix.environ, file_actions=streams, setsid=True)
    except BlockingIOError:
        return True
    finally:
        posix.close(start)
    return True


def wants_steward(home: str) -> bool:
    """Whether the settings let a hook start a steward: they do, unless the variable or the file says otherwise."""
    said = posix.environ.get(b"REVERIE_STEWARD_ON_DEMAND", b"").decode("ascii", "replace").strip().lower()
    if said:
        return said in ("true", "1", "yes")
    text = read_text(home + "/reverie.toml")
    if "on_demand" not in text:
        return True
    from tomllib import loads

    try:
        return loads(text)["steward"]["on_demand"] is not False
    except (ValueError, KeyError, TypeError):
        return False  # whoever wrote it meant something


def hand_over(home: str, root: str) -> None:
    """Leave what waits to a process that nobody waits for: an agent does, until its hook has ended.

    Otherwise, on a machine so busy that each hook runs out of time before it has learned, none ever would.
    """
    if has_steward(home):
        return
    command = [sys.executable, "-I", "-S", f"{root}/reverie/hook/launch.py", WORK_OFF, home]
    nowhere = [(posix.POSIX_SPAWN_OPEN, stream, "/dev/null", posix.O_RDWR, 0) for stream in (0, 1, 2)]
    posix.posix_spawn(command[0], command, posix.environ, file_actions=nowhere, setpgroup=0)


def is_next(home: str) -> bool:
    """Wait until nobody is at it. False if another one waits already: it will see all that is there now."""
    from fcntl import LOCK_EX, LOCK_NB, LOCK_SH, flock

    turn = open_file(home + "/next.lock", posix.O_RDWR | posix.O_CREAT)
    try:
        flock(turn, LOCK_EX | LOCK_NB)
        lock = open_file(home + "/steward.lock", posix.O_RDWR | posix.O_CREAT)
        flock(lock, LOCK_SH)
        posix.close(lock)
        return True
    except BlockingIOError:
        return False
    finally:
        posix.close(turn)


def work_off(home: str, root: str, *, is_handed: bool = False) -> None:
    """Distil here what was said, without a steward, when nobody waits any more, as at the end of a session."""
    if has_steward(home):
        return

    def time_is_up(*_: object) -> None:
        if not is_handed:
            hand_over(home, root)
        posix._exit(0)

    signal(SIGALRM, time_is_up)
    setitimer(ITIMER_REAL, HANDED_SECONDS if is_handed else WORK_SECONDS)
    if is_handed and not is_next(home):
        return
    kept = use_package(root)
    from reverie.shells.context import work_off

    work_off(home)
    if "reverie.distil.by_rules" in sys.modules:  # so everything worth keeping has been used
        kept.save()


def use_package(root: str) -> "Kept":
    """From here on the real package serves, instead of the files that were loaded without it."""
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    sys.path += [root, f"{sys.executable.rpartition('/bin/')[0]}/lib/{version}/site-packages"]
    for name in [name for name in sys.modules if name.startswith("reverie.")]:
        del sys.modules[name]
    from reverie.hook.compiled import Kept

    kept = Kept()
    kept.use()
    return kept
