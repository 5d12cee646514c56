"""The steward's thread that asks models about turns, for every user, so that capture never waits for one."""

import threading
from collections.abc import Callable

from reverie.daemon.heartbeat import MODELS, WAITING, Heartbeat
from reverie.daemon.index_worker import everybody
from reverie.errors import ReverieError
from reverie.inbox.worker import Outcome
from reverie.memory import Memory
from reverie.records import Stage, WorkState

_POLL_SECONDS = 0.5
_RETRY_SECONDS = 1.0  # how soon it is noticed that somebody wants something tried again
_LONGEST_PAUSE = 60.0  # after an error that is no answer of a model
_PATIENCE_SECONDS = 600.0  # a call and its repeats


class ModelWorker:
    def __init__(
        self,
        stop: threading.Event,
        heartbeat: Heartbeat,
        report: Callable[[str], None],
        fail: Callable[[str, Exception], None],
    ) -> None:
        self._stop = stop
        self._heartbeat = heartbeat
        self._report = report
        self._fail = fail

    def run(self, memory: Memory) -> None:
        """Ask about one turn after another. After an error wait, longer each time, as the worker's backoff says."""
        while not self._stop.is_set():
            wait = _POLL_SECONDS
            self._heartbeat.beat(MODELS, "asking the model", _PATIENCE_SECONDS)
            try:
                outcome = sum((one.parts.background.ask_model() for one in everybody(memory)), Outcome())
                self._heartbeat.works(MODELS)
                if outcome.errors:
                    wait = memory.parts.background.model_backoff_seconds
                    self._report(f"model: {outcome.errors[-1]}")
                elif outcome:
                    continue
            except (ReverieError, OSError) as error:
                wait = _LONGEST_PAUSE
                self._fail(MODELS, error)
            self._wait(memory, wait)

    def _wait(self, memory: Memory, seconds: float) -> None:
        """Wait as long as a backoff says, or until a person has something tried again that was given up.

        Then one question is asked, which shows whether the model works again. What is new is no reason to ask.
        """
        until, is_long = memory.env.monotonic() + seconds, seconds > _RETRY_SECONDS
        given_up = _given_up(memory) if is_long else set()
        while (left := until - memory.env.monotonic()) > 0:
            self._heartbeat.beat(MODELS, WAITING, left + _PATIENCE_SECONDS)
            if self._stop.wait(min(left, _RETRY_SECONDS)):
                return
            if is_long:
                before, given_up = given_up, _given_up(memory)
                if before - given_up:
                    return


def _given_up(memory: Memory) -> set[int]:
    """Return what no model is asked about any more, until somebody says so."""
    listed = memory.engine.inbox.listing([WorkState.DEAD, WorkState.SKIPPED], limit=1_000_000)
    return {work.id for work in listed if work.stage is Stage.MODEL}
