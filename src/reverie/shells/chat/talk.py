"""The loop of `reverie chat`: a line in, a reply out as it comes, until the person leaves.

A reply is interrupted with Ctrl-C: what came so far is kept, and the conversation goes on. Everything that is said is
in the log before a model is asked.
"""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, current_thread, main_thread

from reverie.continuum.orchestrator import ContinuumOrchestrator, TurnResult
from reverie.errors import ReverieError
from reverie.shells.chat.commands import run_command
from reverie.shells.chat.view import View

OFFLINE = (
    "No model is set, so this is offline: what you say is kept, and I answer only by quoting what I remember.\n"
    "To talk with a model: [model] provider and daily_dollars in reverie.toml, and its key in the environment."
)


def talk(conversation: ContinuumOrchestrator, view: View, lines: Iterator[str]) -> None:
    """Converse until the lines end, or until somebody says /quit."""
    if conversation.is_offline:
        view.note(OFFLINE)
    view.note("/help lists commands; Ctrl-C interrupts a reply, Ctrl-D leaves.")
    for line in lines:
        if not line.strip():
            continue
        try:
            if line.startswith("/"):
                if not run_command(conversation, view, line[1:]):
                    return
            else:
                say(conversation, view, line)
        except ReverieError as error:
            view.problem(str(error))


def say(conversation: ContinuumOrchestrator, view: View, text: str) -> TurnResult:
    """One turn, shown as it happens."""
    with interruptible() as is_cancelled:
        result = conversation.send(text, view.words, is_cancelled)
    view.end_of_reply(result)
    return result


@contextmanager
def interruptible() -> Iterator[Callable[[], bool]]:
    """Within this, Ctrl-C cancels the reply instead of ending the program; a second one ends it."""
    asked = Event()
    if current_thread() is not main_thread():
        yield asked.is_set
        return

    def ask(_number: int, _frame: object) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()

    before = signal.signal(signal.SIGINT, ask)
    try:
        yield asked.is_set
    finally:
        signal.signal(signal.SIGINT, before)
