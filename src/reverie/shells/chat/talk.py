"""The loop of `reverie chat`: a line in, a reply out as it comes, until the person leaves.

A reply is interrupted with Ctrl-C: what came so far is kept, and the conversation goes on. Everything that is said is
in the log before a model is asked.
"""

import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import Event, current_thread, main_thread

from reverie.continuum.orchestrator import ContinuumOrchestrator, TurnResult
from reverie.errors import ReverieError
from reverie.memory import Memory
from reverie.shells.chat.commands import run_command
from reverie.shells.chat.view import ChatView
from reverie.shells.cli.show import json_text, shortened

OFFLINE = (
    "No model is set, so this is offline: what you say is kept, and I answer only by quoting what I remember.\n"
    "To talk with a model, set [model] provider and daily_dollars in reverie.toml, and its key in the environment."
)


def talk(memory: Memory, conversation: ContinuumOrchestrator, view: ChatView, lines: Iterator[str]) -> bool:
    """Converse until the lines end, or until somebody says /quit. Says whether all went well."""
    is_fine = True
    if conversation.is_offline:
        view.note(OFFLINE)
    view.note("/help lists commands; Ctrl-C interrupts a reply, Ctrl-D leaves.")
    for line in lines:
        if not line.strip():
            continue
        try:
            if line.startswith("/"):
                if not run_command(memory, conversation, view, line[1:]):
                    break
            elif say(conversation, view, line).problem:
                is_fine = False
        except ReverieError as error:
            is_fine = False
            view.problem(shortened(str(error)))
    return is_fine


_TOLD = ("text", "end", "turn_number", "segment_id", "mentioned", "tools_used", "problem", "surfaced")


def answer_in_json(memory: Memory, conversation: ContinuumOrchestrator, line: str) -> dict[str, object] | None:
    """Run one line for a program: return a reply, or what a command shows; None if it says to leave."""
    if not line.startswith("/"):
        result = conversation.send(line)
        return {name: getattr(result, name) for name in _TOLD}
    shown: list[str] = []
    if run_command(memory, conversation, ChatView(shown.append), line[1:]):
        return {"command": line.strip(), "shown": "".join(shown)}
    return None


def talk_in_json(
    memory: Memory, conversation: ContinuumOrchestrator, lines: Iterable[str], write: Callable[[str], None]
) -> bool:
    """Converse with a program: a line of JSON for each line, also for an empty one. Says whether all went well."""
    is_fine = True
    for line in lines:
        try:
            told = answer_in_json(memory, conversation, line)
        except ReverieError as error:
            told = {"error": shortened(str(error)), "kind": type(error).__name__}
        if told is None:
            break
        is_fine = is_fine and not (told.get("error") or told.get("problem"))
        write(json_text(told))
    return is_fine


def say(conversation: ContinuumOrchestrator, view: ChatView, text: str) -> TurnResult:
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
