"""Work beside a conversation: tool calls that may hang, and searches that need not be waited for.

A call that is not back in time is abandoned: its thread goes on, and whatever it brings is dropped. Python cannot end
a thread, so what hangs for ever holds one; the process may still end, because these threads do not keep it alive.
"""

import queue
import threading
from collections.abc import Callable
from contextvars import copy_context
from typing import TypeVar

T = TypeVar("T")
_LOOK_SECONDS = 0.1  # between two looks whether the person has had enough


class Abandoned(Exception):
    """A call did not come back in time."""


def within(seconds: float, work: Callable[[], T], is_cancelled: Callable[[], bool] = lambda: False) -> T:
    """Do it in a thread of its own and wait; Abandoned if it takes longer, or if nobody waits any more."""
    answer: queue.SimpleQueue[tuple[T | None, BaseException | None]] = queue.SimpleQueue()

    def run() -> None:
        try:
            answer.put((work(), None))
        except BaseException as error:
            answer.put((None, error))

    # In the caller's context: what a tool asks of memory belongs to the turn that called it.
    threading.Thread(target=copy_context().run, args=(run,), name="reverie-tool", daemon=True).start()
    left = seconds
    while left > 0 and not is_cancelled():
        try:
            value, error = answer.get(timeout=min(left, _LOOK_SECONDS))
        except queue.Empty:
            left -= _LOOK_SECONDS
            continue
        if error is not None:
            raise error
        return value  # type: ignore[return-value]
    raise Abandoned("it was interrupted" if left > 0 else f"it did not answer within {seconds:g} s")


def in_background(work: Callable[[], None]) -> None:
    """Do it when there is time; nobody waits."""
    threading.Thread(target=work, name="reverie-beside", daemon=True).start()
