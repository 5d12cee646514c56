"""The steward: the one process that takes in, distils and tidies in the background. One at a time, by lock.

Its main thread drains the spool and works by rules, so that capture never waits for a model; a second thread asks
models; a third answers hooks over a socket; a fourth keeps memory searchable. While a chunk is committed, the rules
already look at its turns (docs/decisions/016-the-rules-look-ahead.md). It starts no process. Everything it holds is a
lease, so that stopping it at any instruction loses nothing.

No error ends a thread: it is told, and after a pause of 1 s to 60 s the thread goes on, with a new connection. What its
threads do and fail at stands in its heartbeat (daemon/heartbeat.py), so that others can tell a steward that works
from one that only holds the lock.
"""

import atexit
import json
import os
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from reverie.capture.drain import has_waiting
from reverie.daemon.heartbeat import HOOKS, MEMORY, MODELS, WAITING, WORK, Heartbeat
from reverie.daemon.index_worker import QUESTIONS, IndexWorker, everybody
from reverie.daemon.socket_server import SocketServer
from reverie.errors import DamagedStore, ReverieError, StewardRunning
from reverie.foundation.workspace import Workspace, shorten
from reverie.inbox.worker import Outcome, describe
from reverie.memory import Memory
from reverie.ports import Env, Lock
from reverie.records import Stage, WorkState
from reverie.settings import Settings

# The spool is looked at this often: a hook's event is in the log well within a second.
_POLL_SECONDS = 0.25
_MOMENT_SECONDS = 0.5  # who opens the memory holds the lock for a few milliseconds,
_OPENER_SECONDS = 60.0  # unless much waits that it takes in; then a steward waits for it this long
_DISTIL_SECONDS = 0.3  # for turns that wait; then the spool is looked at again, and whether to stop
_MODEL_POLL_SECONDS = 0.5
_RETRY_SECONDS = 1.0  # how soon it is noticed that somebody wants something tried again
_STOP_SECONDS = 1.2  # what its threads are given to finish when the steward stops
_LEAVE_SECONDS = 30.0  # what a program with a steward inside gives them before it ends
_SHORTEST_PAUSE, _LONGEST_PAUSE = 1.0, 60.0  # after an error
_MODEL_PATIENCE_SECONDS = 600.0  # a call and its repeats
_HOOK_POLL_SECONDS = 0.5
_SEND_SECONDS = 1.0  # a hook that does not read keeps the next one waiting no longer
_DRAINER_SECONDS = 0.05  # for another thread that takes in the same: of a few events it is done by then
_ABSORB_SECONDS = 0.2  # for what waits, before a hook is answered: a hook itself waits for 0.28 s
_LOOK_SECONDS = 1.0  # how often it looks for what comes neither through the spool nor from its own user

TAKING_IN = "taking in the spool"

Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Holder:
    """Who is the steward now."""

    pid: int
    since_ms: int


def holder(workspace: Workspace, env: Env) -> Holder | None:
    """The running steward, if there is one."""
    lock = env.files.lock(workspace.steward_lock)
    if not workspace.steward_lock.exists():
        return None
    if lock.acquire(0):
        lock.release()
        return None
    try:
        told = json.loads(env.files.read(workspace.steward_lock) or b"{}")
        return Holder(int(told["pid"]), int(told["since_ms"]))
    except (ValueError, KeyError, TypeError):
        return Holder(0, 0)  # an opener that holds the lock for a moment


def _opener(lock: Path, env: Env) -> str:
    """Which process holds a lock, as far as this machine tells: Linux does."""
    try:
        inode = str(lock.stat().st_ino)
        told = (env.files.read(Path("/proc/locks")) or b"").decode("ascii", "replace")
    except OSError:
        return "a hook or a command"
    # 12: FLOCK  ADVISORY  WRITE 4711 fe:00:2172008 0 EOF
    held = [line.split() for line in told.splitlines() if "FLOCK" in line and "->" not in line]
    found = [words[4] for words in held if words[5].rpartition(":")[2] == inode]
    return f"process {found[0]}, a hook or a command," if found else "a hook or a command"


class Steward:
    """Holds the lock from `begin` to `end`; `step` does whatever is due."""

    def __init__(self, workspace: Workspace, env: Env, settings: Settings, report: Report = lambda _: None) -> None:
        self.workspace = workspace
        self.env = env
        self.settings = settings
        self._report = partial(_tell, report)
        self._lock: Lock = env.files.lock(workspace.steward_lock)
        self._told = b""  # what we wrote into the lock's file
        self.ended_because = ""  # something else than `stop`
        self._stop = threading.Event()
        self._is_busy = threading.Event()
        self._has_worked = False
        self._heartbeat = Heartbeat(workspace.pulse, env, os.getpid())
        self._index_worker = IndexWorker(self._stop, self._is_busy, self._heartbeat, self._report)
        self.is_ready = threading.Event()
        self._threads: list[threading.Thread] = []
        self._warned: set[str] = set()
        self._looked_around = env.monotonic()
        self._socket_server: SocketServer | None = None
        self.memory = Memory.open(workspace.home, env=env, settings=settings, catch_up=False)

    def begin(self, wait_seconds: float = _OPENER_SECONDS) -> None:
        """Become the steward, or say who is. Leases of an earlier one are given back, attempts kept."""
        self._take_lock(wait_seconds)
        self._told = json.dumps({"pid": os.getpid(), "since_ms": self.env.now_ms()}).encode()
        # In place, not by rename: the lock is on this very file.
        with open(self.workspace.steward_lock, "r+b") as file:
            file.truncate()
            file.write(self._told)
        self._heartbeat.beat(WORK)
        for user in {*self.memory.engine.users(), self.memory.engine.user}:
            self.memory.engine.scoped(user).inbox.release_all()

    def _take_lock(self, wait_seconds: float) -> None:
        """Wait for a hook or a command that works in place of a steward, and say so; but not for another steward."""
        until, has_told = self.env.monotonic() + wait_seconds, False
        while not self._lock.acquire(min(wait_seconds, _MOMENT_SECONDS)):
            other = holder(self.workspace, self.env)
            if other and other.pid:
                raise StewardRunning(
                    f"process {other.pid} is the steward of {self.workspace.home}; `reverie down` stops it"
                )
            who = f"{_opener(self.workspace.steward_lock, self.env)} works in place of a steward"
            if self._stop.is_set() or self.env.monotonic() >= until:
                raise StewardRunning(f"{who}; try again when it has ended")
            if not has_told:
                has_told = True
                self._report(f"{who}: waiting for it to end")

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
        """What is due now and then, also while nothing comes in."""
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
        except Exception as error:
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

    def _wait_for_work(self) -> None:
        """Sleep until something waits in the spool, or a turn does."""
        while not self._stop.is_set() and not _turns_wait(self.memory, self.env.now_ms()):
            if self._stop.wait(_POLL_SECONDS):
                return
            self._heartbeat.beat(WORK)
            if self.env.monotonic() - self._looked_around > _LOOK_SECONDS:
                self._looked_around = self.env.monotonic()
                self.look_around()
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
        return self.env.files.read(self.workspace.steward_lock) == self._told and self.memory.engine.is_in_place()

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
        except Exception as error:  # a damaged record, a full disk: the next steward releases the leases
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
            if self._socket_server and is_in_place:
                self._socket_server.address.unlink(missing_ok=True)
            until = self.env.monotonic() + _STOP_SECONDS
            for thread in self._threads:
                thread.join(max(0.0, until - self.env.monotonic()))
            self._stop_listening(is_in_place)
            if is_in_place:
                self.memory.engine.inbox.put_back_all()
                self.memory.engine.checkpoint()
        finally:
            self.memory.close()
            if is_in_place:
                self._heartbeat.stop()
                self.env.files.truncate(self.workspace.steward_lock)

    # ---- threads

    def _start_threads(self) -> None:
        self._start(MEMORY, self._index_worker.run)
        if self.memory.settings.model.may_be_asked:
            self._start(MODELS, self._ask_models)
        if self.workspace.socket:
            try:
                self._socket_server = SocketServer(self.workspace.socket, self.env)
            except OSError as error:  # its thread tries again
                self._fail(HOOKS, error)
            self._start(HOOKS, self._answer_hooks)

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
                        self._stop_listening(self._is_in_place())
                self._pause(name, failures)

    def _own_memory(self) -> Memory:
        """A connection for this thread. What happens through it is told to the same subscribers."""
        events = self.memory.events
        return Memory.open(self.workspace.home, env=self.env, settings=self.settings, catch_up=False, events=events)

    def _ask_models(self, memory: Memory) -> None:
        """Ask about one turn after another. After an error wait, longer each time, as the worker's backoff says."""
        while not self._stop.is_set():
            wait = _MODEL_POLL_SECONDS
            self._heartbeat.beat(MODELS, "asking the model", _MODEL_PATIENCE_SECONDS)
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
            self._wait_before_asking(memory, wait)

    def _wait_before_asking(self, memory: Memory, seconds: float) -> None:
        """As long as a backoff says. Whoever has something tried again that was given up thinks that it works now.

        Then one question is asked, which shows whether it does. What is new is no reason to ask.
        """
        until, is_long = self.env.monotonic() + seconds, seconds > _RETRY_SECONDS
        given_up = _given_up(memory) if is_long else set()
        while (left := until - self.env.monotonic()) > 0:
            self._heartbeat.beat(MODELS, WAITING, left + _MODEL_PATIENCE_SECONDS)
            if self._stop.wait(min(left, _RETRY_SECONDS)):
                return
            if is_long:
                before, given_up = given_up, _given_up(memory)
                if before - given_up:
                    return

    def _answer_hooks(self, memory: Memory) -> None:
        """Give hooks the context that they ask for. One at a time: an answer takes a few milliseconds.

        Questions that take longer are handed to the attendant.
        """
        if self._socket_server is None:
            self._socket_server = SocketServer(self.workspace.socket or Path(), self.env)
            self._heartbeat.works(HOOKS)
        while not self._stop.is_set() and self._socket_server:
            self._heartbeat.beat(HOOKS)
            for connection, request in self._socket_server.requests(_HOOK_POLL_SECONDS):
                try:
                    self._answer(memory, connection, request)
                except Exception:
                    connection.close()
                    raise

    def _answer(self, memory: Memory, connection: socket.socket, request: bytes) -> None:
        try:
            asked = json.loads(request)
        except (ValueError, RecursionError):
            asked = None
        if isinstance(asked, dict) and asked.get("ask") in QUESTIONS:
            self._index_worker.ask(connection, asked)
            return
        if isinstance(asked, dict) and {"project", "session", "event"} <= asked.keys():
            self._tell_context(memory, connection, asked)
        else:
            self._report(f"hooks: a request of {len(request):,} bytes was left unanswered: it asks for nothing known")
        connection.close()

    def _stop_listening(self, is_in_place: bool) -> None:
        """Where nobody listens, hooks and commands look for themselves, at once."""
        reception, self._socket_server = self._socket_server, None
        if reception:
            reception.close()
            if is_in_place:
                reception.address.unlink(missing_ok=True)

    def _tell_context(self, memory: Memory, connection: socket.socket, asked: Mapping[str, object]) -> None:
        try:
            told = answer(memory, asked)
            self._heartbeat.works(HOOKS)
        except (ReverieError, OSError) as error:  # a full disk, a writer that keeps us out: it may pass
            self._fail(HOOKS, error)
            return
        with suppress(OSError):  # it did not wait for the answer
            connection.settimeout(_SEND_SECONDS)
            connection.sendall(told.encode("utf-8", "replace"))


def _turns_wait(memory: Memory, now_ms: int) -> bool:
    ready = memory.engine.inbox.next_ready_ms(Stage.RULES)
    return ready is not None and ready <= now_ms


def _has_turns(memory: Memory, now_ms: int) -> bool:
    """Whether some wait, or have just been closed by silence."""
    return bool(memory.engine.log.close_due_turns(now_ms)) or _turns_wait(memory, now_ms)


def _given_up(memory: Memory) -> set[int]:
    """What no model is asked about any more, until somebody says so."""
    listed = memory.engine.inbox.listing([WorkState.DEAD, WorkState.SKIPPED], limit=1_000_000)
    return {work.id for work in listed if work.stage is Stage.MODEL}


def _tell(report: Report, text: str) -> None:
    """Whoever reads along may have gone, or be a file on a full disk: that must not end who reports."""
    try:
        report(text)
    except Exception:
        return


def start_in_thread(workspace: Workspace, env: Env, settings: Settings) -> Callable[[], None] | None:
    """A steward for as long as this process lives; returns what ends it, None if there is a steward already."""
    steward = Steward(workspace, env, settings)
    try:
        steward.begin()
    except StewardRunning:
        steward.memory.close()
        return None
    thread = threading.Thread(target=steward.run, name="reverie steward", daemon=True)
    thread.start()
    steward.is_ready.wait()

    def end() -> None:
        steward.stop()
        thread.join()
        if not steward.is_still_busy:
            atexit.unregister(leave)

    def leave() -> None:
        """An interpreter that ends while a thread is inside an extension in C++ aborts the process."""
        end()
        steward.wait(_LEAVE_SECONDS)

    atexit.register(leave)
    return end


def answer(memory: Memory, asked: Mapping[str, object]) -> str:
    """The context for a hook's event. What it just spooled is taken in first, so that the session is known."""
    until = memory.env.monotonic() + _ABSORB_SECONDS
    memory.parts.background.drain_spool(lambda: memory.env.monotonic() >= until, wait_seconds=_DRAINER_SECONDS)
    return memory.context(str(asked["project"]), str(asked["session"]), only_news=asked["event"] == "UserPromptSubmit")
