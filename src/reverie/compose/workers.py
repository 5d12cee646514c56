"""Calls functions that may hang, each until a deadline: what a function returns or raises comes back in time, or Late.

A call runs on a worker thread while the caller waits, so that one that hangs can be left behind; the next call gets
another worker. Workers are used again. A call that holds the interpreter's lock cannot be left behind.
"""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Lock, Thread, current_thread
from typing import Any, TypeVar
from weakref import finalize

T = TypeVar("T")

# Calls of one name that may hang at once, for different users; more would let threads pile up.
_HANGING_AT_ONCE = 3
_THREAD_NAME = "reverie-compose"


class Late(Exception):
    """A call did not come back in time, or was not made because there was none. Says which."""


@dataclass(eq=False, slots=True)
class _Call:
    function: Callable[[], Any]
    name: str
    user_id: str
    answer: Any = None
    error: Exception | None = None
    is_over: bool = False
    is_abandoned: bool = False
    done: Lock = field(default_factory=Lock)  # held until the call is over


_Inbox = SimpleQueue[_Call | None]


class Workers:
    """Threads that make calls, and the calls that hang."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._lock = Lock()
        self._hanging: list[_Call] = []
        self._idle: list[_Inbox] = []
        finalize(self, _dismiss, self._idle)

    def call(self, function: Callable[[], T], name: str, user_id: str, ends: float) -> T:
        """Call a function and wait for it until `ends`. While a call of this name and user hangs, there is no other."""
        self._refuse_if_hanging(name, user_id)
        began = self._monotonic()
        if began >= ends:
            raise Late("no time was left to ask it")
        call = _Call(function, name, user_id)
        call.done.acquire()
        self._worker().put(call)
        with ExitStack() as interrupted:
            interrupted.callback(self._abandon, call)  # the caller may be interrupted, and waits no longer
            while not call.done.acquire(timeout=max(ends - self._monotonic(), 0)):
                now = self._monotonic()
                if now >= ends and self._abandon(call):
                    raise Late(f"it did not answer within {(now - began) * 1000:.0f} ms")
            interrupted.pop_all()
        if call.error is not None:
            raise call.error
        answer: T = call.answer
        return answer

    def _refuse_if_hanging(self, name: str, user_id: str) -> None:
        with self._lock:
            users = [one.user_id for one in self._hanging if one.name == name]
        if user_id in users or len(users) >= _HANGING_AT_ONCE:
            raise Late("an earlier call to it has not come back yet")

    def _abandon(self, call: _Call) -> bool:
        """Wait no longer for a call; False if it has just come back."""
        with self._lock:
            if not call.is_over and not call.is_abandoned:
                call.is_abandoned = True
                self._hanging.append(call)
            return call.is_abandoned

    def _worker(self) -> _Inbox:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        inbox: _Inbox = SimpleQueue()
        inside = (inbox, self._idle, self._hanging, self._lock)
        Thread(target=_work, args=inside, name=_THREAD_NAME, daemon=True).start()
        return inbox


def is_worker() -> bool:
    """Tell whether this runs in a call that may be left behind: it must not hold the record's lock."""
    return current_thread().name == _THREAD_NAME


def _work(inbox: _Inbox, idle: list[_Inbox], hanging: list[_Call], lock: Lock) -> None:
    """Make one call after the other, until dismissed or left behind. It holds no `Workers`, whose end dismisses it."""
    while (call := inbox.get()) is not None:
        try:
            call.answer = call.function()
        except BaseException as error:  # a function that is asked for a text cannot end the program
            ended = RuntimeError(f"it ended with {type(error).__name__}")
            call.error = error if isinstance(error, Exception) else ended
        with lock:
            call.is_over = True
            if call.is_abandoned:
                hanging.remove(call)
                return
            idle.append(inbox)
        call.done.release()
        del call  # an idle worker holds on to nobody's data


def _dismiss(idle: list[_Inbox]) -> None:
    for inbox in idle:
        inbox.put(None)
