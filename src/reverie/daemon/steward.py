"""The steward: the one process that takes in, distils and tidies in the background. One at a time, by lock.

Its main thread drains the spool and works by rules, so that capture never waits for a model; a second thread asks
models (model_worker.py); a third answers hooks over a socket (hook_worker.py); a fourth keeps memory searchable
(index_worker.py). While a chunk is committed, the rules already look at its turns
(docs/decisions/016-the-rules-look-ahead.md). It starts no process. Everything it holds is a lease, so that stopping it
at any instruction loses nothing.

No error ends a thread: it is told, and after a pause of 1 s to 60 s the thread goes on, with a new connection. What its
threads do and fail at stands in its heartbeat (daemon/heartbeat.py), so that others can tell a steward that works
from one that only holds the lock.
"""

import math
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial

from reverie.capture.drain import has_waiting
from reverie.daemon.heartbeat import HOOKS, MEMORY, MODELS, WORK, Heartbeat
from reverie.daemon.hook_worker import HookWorker
from reverie.daemon.index_worker import IndexWorker, everybody
from reverie.daemon.model_worker import ModelWorker
from reverie.daemon.steward_lock import StewardLock
from reverie.errors import DamagedStore, ReverieError
from reverie.foundation.workspace import Workspace, shorten
from reverie.inbox.worker import Outcome, describe
from reverie.memory import Memory
from reverie.ports import Env
from reverie.records import Stage
from reverie.settings import Settings

# The spool is looked at this often: a hook's event is in the log well within a second.
_POLL_SECONDS = 0.25
_OPENER_SECONDS = 60.0  # for a process that takes in what waits, before it can become the steward
_DISTIL_SECONDS = 0.3  # for turns that wait; then the spool is looked at again, and whether to stop
_STOP_SECONDS = 1.2  # what its threads are given to finish when the steward stops
_SHORTEST_PAUSE, _LONGEST_PAUSE = 1.0, 60.0  # after an error
_LOOK_SECONDS = 1.0  # how often it looks for what comes neither through the spool nor from its own user

ON_DEMAND = "a hook started it"
TAKING_IN = "taking in the spool"

Report = Callable[[str], None]


class Steward:
    """Holds the lock from `begin` to `end`; `step` does whatever is due."""

    def __init__(
        self,
        workspace: Workspace,
        env: Env,
        settings: Settings,
        report: Report = lambda _: None,
        *,
        on_demand: bool = False,
    ) -> None:
        """With `on_demand` it ends by itself when nothing has happened for as long as the settings say."""
        self._idle_seconds = settings.steward.idle_minutes * 60 if on_demand else math.inf
        self._needed_at = env.monotonic()  # when something last came in or was asked
        self._why = ON_DEMAND if on_demand else ""
        self.workspace = workspace
        self.env = env
        self.settings = settings
        self._report = partial(_tell, report)
        self._lock = StewardLock(workspace, env)
        self.ended_because = ""  # something else than `stop`
        self._stop = threading.Event()
        self._is_busy = threading.Event()
        self._has_worked = False
        self._heartbeat = Heartbeat(workspace.pulse, env, os.getpid())
        self._index_worker = IndexWorker(self._stop, self._is_busy, self._heartbeat, self._report)
        self._hook_worker = HookWorker(
            workspace, env, self._stop, self._heartbeat, self._index_worker, self._report, self._fail, self._is_needed
        )
        self.is_ready = threading.Event()
        self._threads: list[threading.Thread] = []
        self._warned: set[str] = set()
        self._looked_around = env.monotonic()
        self.memory = Memory.open(workspace.home, env=env, settings=settings, catch_up=False)

    def begin(self, wait_seconds: float = _OPENER_SECONDS) -> None:
        """Become the steward, or say who is. Leases of an earlier one are given back, attempts kept."""
        self._lock.take(wait_seconds, self._stop.is_set, self._report, self._why)
        self._heartbeat.beat(WORK)
        for user in {*self.memory.engine.users(), self.memory.engine.user}:
            self.memory.engine.scoped(user).inbox.release_all()

    def step(self) -> Outcome:
        """Everything that is due now, except asking a model. Of many turns, as many as there is time for."""
        outcome = Outcome()

        def is_stopping() -> bool:
            self._heartbeat.beat(WORK, TAKING_IN)
            return self._stop.is_set()

        def distil(memory: Memory) -> None:
            nonlocal outcome
            until = self.env.monotonic() + _DISTIL_SECONDS

            def enough() -> bool:
                self._heartbeat.beat(WORK)
                return self._stop.is_set() or self.env.monotonic() >= until

            outcome += memory.parts.background.distil(enough)

        # What ended the steward before us may wait in the spool: it is claimed first, so that attempts are counted.
        drained = self.memory.parts.background.drain_spool(
            is_stopping, prefetch=self._has_worked, after_each=lambda: distil(self.memory)
        )
        if drained.records:
            self._is_needed()
        if drained.damaged_bytes or drained.unreadable:
            self._report(
                f"spool: {drained.damaged_bytes} damaged bytes and {drained.unreadable} unreadable records set aside"
            )
        distil(self.memory)
        for other in self._others():
            other.engine.log.end_silent_sessions(self.env.now_ms())
            other.engine.log.close_due_turns(self.env.now_ms())
            distil(other)
        for error in outcome.errors:
            self._report(f"distil: {error}")
        if not self._has_worked:  # whoever was steward before may have been ended between learning and showing it
            self.memory.parts.profile.sync()
            self._has_worked = True
        self._warn_of_damaged_rows()
        self._tend_log()
        return outcome

    def look_around(self) -> None:
        """Do what is due now and then, also while nothing comes in."""
        shorten(self.workspace.hook_errors, self.env)
        self._warn_of_idle_sessions()
        self.memory.engine.log.end_silent_sessions(self.env.now_ms())
        self._tend_log()

    def _tend_log(self) -> None:
        """Remove what is forgotten from the record's files, and shorten them, as soon as whoever read has let go."""
        self.memory.parts.background.finish_erasures()
        self.memory.engine.shorten_log(as_steward=True)

    def _warn_of_damaged_rows(self) -> None:
        """Once of each: whoever is told something by the steward does not see what it could not read."""
        for (table, key), why in self.memory.engine.rows_left_out().items():
            if (name := f"{table} {key}") not in self._warned:
                self._warned.add(name)
                self._report(f"damaged: {name}: {why}; `reverie doctor --repair` sets it aside")

    def _others(self) -> Iterator[Memory]:
        """The memories of the other users of this store."""
        yield from (one for one in everybody(self.memory) if one.engine.user != self.memory.engine.user)

    def _warn_of_idle_sessions(self) -> None:
        """Of an agent that may have gone without a word. Notes and imports have no end that could be missed."""
        now, idle_ms, log = self.env.now_ms(), self.settings.inbox.idle_turn_seconds * 1000, self.memory.engine.log
        for session in log.sessions(limit=20):
            is_idle = session.ended_ms is None and now - 2 * idle_ms < session.last_ms <= now - idle_ms
            if is_idle and session.id not in self._warned:
                self._warned.add(session.id)
                if any(last.source == "hook" for last in log.read(session=session.id, limit=1, newest_first=True)):
                    minutes = f"{idle_ms / 60_000:.0f} minutes"
                    self._report(f"session {session.id}: nothing for {minutes}, and it has not ended")

    def run(self) -> None:
        """Work until `stop`. An error is reported and the loop goes on: the spool and the inbox keep what failed."""
        failures = 0
        try:
            self._start_threads()
        except (ReverieError, OSError, RuntimeError) as error:  # no thread can be had
            self._fail(WORK, error)
        self.is_ready.set()
        while not self._stop.is_set():
            try:
                if not self._is_in_place():
                    self.ended_because = f"{self.workspace.home} was removed or replaced; its steward ends"
                    self._report(self.ended_because)
                    break
                self._is_busy.set()
                self.step()
                self._is_busy.clear()
                failures = 0
                self._heartbeat.works(WORK)
                self._wait_for_work()
            except Exception as error:  # the loop's edge: what it was is told, and nothing ends
                self._is_busy.clear()
                failures += 1
                self._fail(WORK, error)
                self._pause(WORK, failures)
        self.end()

    def _is_needed(self) -> None:
        self._needed_at = self.env.monotonic()

    def _ends_if_idle(self) -> None:
        """End a steward that hooks have started, when nobody has needed it for long and nothing is left to do."""
        if self.env.monotonic() - self._needed_at < self._idle_seconds or not self._index_worker.is_done:
            return
        self.ended_because = (
            f"nothing has happened for {self._idle_seconds / 60:g} minutes; the next hook starts it again"
        )
        self._report(self.ended_because)
        self.stop()

    def _wait_for_work(self) -> None:
        """Sleep until something waits in the spool, or a turn does."""
        while not self._stop.is_set() and not _turns_wait(self.memory, self.env.now_ms()):
            if self._stop.wait(_POLL_SECONDS):
                return
            self._heartbeat.beat(WORK)
            if self.env.monotonic() - self._looked_around > _LOOK_SECONDS:
                self._looked_around = self.env.monotonic()
                self.look_around()
                self._ends_if_idle()
                if any(_has_turns(other, self.env.now_ms()) for other in self._others()):
                    return
            if has_waiting(self.workspace.spool, self.env) or not self._is_in_place():
                return
            if self.memory.engine.log.close_due_turns(self.env.now_ms()):
                return

    def _fail(self, thread: str, error: Exception) -> None:
        """Tell what went wrong, where people look: in the log, and in what `status` and `doctor` say."""
        said = describe(error)
        self._heartbeat.fail(thread, said, is_final=isinstance(error, DamagedStore))
        self._report(f"{'steward' if thread == WORK else thread}: {said}")

    def _pause(self, thread: str, failures: int) -> None:
        """Longer after each failure, and showing all the time that the thread is alive."""
        until = self.env.monotonic() + min(_LONGEST_PAUSE, _SHORTEST_PAUSE * 2.0 ** min(failures - 1, 10))
        while not self._stop.wait(min(_SHORTEST_PAUSE, max(0.0, until - self.env.monotonic()))):
            self._heartbeat.beat(thread)
            if self.env.monotonic() >= until:
                return

    def _is_in_place(self) -> bool:
        """Whether the files are still those that we hold. Who deletes a folder under us does not ask for its lock."""
        return self._lock.is_in_place() and self.memory.engine.is_in_place()

    def stop(self) -> None:
        """Ask it to end; safe in a signal handler."""
        self._stop.set()

    def end(self) -> None:
        """Give back what is held, and the lock last. A model call under way is abandoned with its lease.

        What lies in the place of a workspace that has gone is not ours to touch.
        """
        self._stop.set()
        try:
            self._end_work(self._is_in_place())
        except (ReverieError, OSError) as error:  # a damaged record, a full disk: the next steward releases the leases
            self._report(f"steward: {describe(error)}")
        finally:
            self._lock.release()

    @property
    def is_still_busy(self) -> bool:
        """Whether a thread goes on after `end`: a model answers, or a long text is looked through. It holds nothing."""
        return any(thread.is_alive() for thread in self._threads)

    def wait(self, seconds: float) -> None:
        """For the threads that `end` has left busy, except one that waits for a model's server."""
        until = self.env.monotonic() + seconds
        for thread in self._threads:
            if thread.name != f"reverie {MODELS}":
                thread.join(max(0.0, until - self.env.monotonic()))

    def _end_work(self, is_in_place: bool) -> None:
        try:
            if is_in_place:
                self._hook_worker.remove_address()
            until = self.env.monotonic() + _STOP_SECONDS
            for thread in self._threads:
                thread.join(max(0.0, until - self.env.monotonic()))
            self._hook_worker.stop_listening(is_in_place)
            if is_in_place:
                self.memory.engine.inbox.put_back_all()
                self.memory.engine.checkpoint()
        finally:
            self.memory.close()
            if is_in_place:
                self._heartbeat.stop()
                self._lock.clear()

    # ---- threads

    def _start_threads(self) -> None:
        self._start(MEMORY, self._index_worker.run)
        if self.memory.settings.model.may_be_asked:
            self._start(MODELS, ModelWorker(self._stop, self._heartbeat, self._report, self._fail).run)
        if self.workspace.socket:
            try:
                self._hook_worker.listen()
            except OSError as error:  # its thread tries again
                self._fail(HOOKS, error)
            self._start(HOOKS, self._hook_worker.run)

    def _start(self, name: str, work: Callable[[Memory], None]) -> None:
        thread = threading.Thread(target=self._keep_at, args=(name, work), name=f"reverie {name}", daemon=True)
        thread.start()
        self._threads.append(thread)

    def _keep_at(self, name: str, work: Callable[[Memory], None]) -> None:
        """A thread's edge: whatever ends its work is told, and after a pause it begins again with a new connection."""
        failures = 0
        while not self._stop.is_set():
            began = self.env.monotonic()
            try:
                if not self._is_in_place():  # to open it would make it anew; the main thread notices too
                    return
                with self._own_memory() as memory:
                    work(memory)
            except Exception as error:
                if self._stop.is_set():
                    return
                failures = 1 if self.env.monotonic() - began > 2 * _LONGEST_PAUSE else failures + 1
                self._fail(name, error)
                if name == HOOKS:
                    with suppress(OSError):
                        self._hook_worker.stop_listening(self._is_in_place())
                self._pause(name, failures)

    def _own_memory(self) -> Memory:
        """A connection for this thread. What happens through it is told to the same subscribers."""
        events = self.memory.events
        return Memory.open(self.workspace.home, env=self.env, settings=self.settings, catch_up=False, events=events)


def _turns_wait(memory: Memory, now_ms: int) -> bool:
    ready = memory.engine.inbox.next_ready_ms(Stage.RULES)
    return ready is not None and ready <= now_ms


def _has_turns(memory: Memory, now_ms: int) -> bool:
    """Whether some wait, or have just been closed by silence."""
    return bool(memory.engine.log.close_due_turns(now_ms)) or _turns_wait(memory, now_ms)


def _tell(report: Report, text: str) -> None:
    """Report a text. A reader that has gone, or a full disk, must not end the thread that reports."""
    try:
        report(text)
    except (OSError, ValueError):
        return
