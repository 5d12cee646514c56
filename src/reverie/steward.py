"""The steward: the one process that takes in, distils and tidies in the background. One at a time, by lock.

Its main thread drains the spool and works by rules, so that capture never waits for a model; a second thread asks
models; a third answers hooks over a socket. While a chunk is committed, the rules already look at its turns
(docs/decisions/016-the-rules-look-ahead.md). It starts no process. Everything it holds is a lease, so that stopping it
at any instruction loses nothing.
"""

import json
import os
import socket
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from reverie.attendant import QUESTIONS, Attendant
from reverie.capture.drain import has_waiting
from reverie.errors import ReverieError, StewardRunning
from reverie.inbox.worker import Outcome, describe
from reverie.memory import Memory
from reverie.ports import Env, Lock
from reverie.records import Stage
from reverie.settings import Settings
from reverie.workspace import Workspace

# The spool is looked at this often: a hook's event is in the log well within a second.
_POLL_SECONDS = 0.25
_STEP_SECONDS = 0.5  # for turns that wait; then the spool is looked at again, and whether to stop
_MODEL_POLL_SECONDS = 0.5
# A longer write-ahead log makes every read slower; a shorter one would be checkpointed for nothing.
_CHECKPOINT_BYTES = 12_000_000
_STOP_SECONDS = 1.2  # what its threads are given to finish when the steward stops
_REQUEST_BYTES = 65_536

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


class Steward:
    """Holds the lock from `begin` to `end`; `step` does whatever is due."""

    def __init__(self, workspace: Workspace, env: Env, settings: Settings, report: Report = lambda _: None) -> None:
        self.workspace = workspace
        self.env = env
        self.settings = settings
        self._report = report
        self._lock: Lock = env.files.lock(workspace.steward_lock)
        self._told = b""  # what we wrote into the lock's file
        self.ended_because = ""  # something else than `stop`
        self._stop = threading.Event()
        self._is_busy = threading.Event()
        self._has_worked = False
        self._attendant: Attendant | None = None
        self.is_ready = threading.Event()
        self._threads: list[threading.Thread] = []
        self._warned: set[str] = set()
        self._server: socket.socket | None = None
        self.memory = Memory.open(workspace.home, env=env, settings=settings, catch_up=False)

    def begin(self, wait_seconds: float = 0.5) -> None:
        """Become the steward, or say who is. Leases of an earlier one are given back, attempts kept."""
        if not self._lock.acquire(wait_seconds):  # an opener holds it for a few milliseconds
            other = holder(self.workspace, self.env)
            who = f"process {other.pid}" if other and other.pid else "another process"
            raise StewardRunning(f"{who} is the steward of {self.workspace.home}; `reverie down` stops it")
        self._told = json.dumps({"pid": os.getpid(), "since_ms": self.env.now_ms()}).encode()
        # In place, not by rename: the lock is on this very file.
        with open(self.workspace.steward_lock, "r+b") as file:
            file.truncate()
            file.write(self._told)
        for user in {*self.memory.engine.users(), self.memory.engine.user}:
            self.memory.engine.scoped(user).inbox.release_all()

    def step(self) -> Outcome:
        """Everything that is due now, except asking a model. Of many turns, as many as a step has time for."""
        until = self.env.monotonic() + _STEP_SECONDS

        def enough() -> bool:
            return self._stop.is_set() or self.env.monotonic() >= until

        # What ended the steward before us may wait in the spool: it is claimed first, so that attempts are counted.
        drained = self.memory.absorb(self._stop.is_set, foresee=self._has_worked)
        if drained.damaged_bytes or drained.unreadable:
            self._report(
                f"spool: {drained.damaged_bytes} damaged bytes and {drained.unreadable} unreadable records set aside"
            )
        outcome = self.memory.distil(enough)
        for user in self.memory.engine.users():
            if user != self.memory.engine.user:
                other = self.memory.of(user)
                other.engine.log.close_due_turns(self.env.now_ms())
                outcome += other.distil(enough)
        for error in outcome.errors:
            self._report(f"distil: {error}")
        if not self._has_worked:  # whoever was steward before may have been ended between learning and showing it
            self.memory.show_preferences()
            self._has_worked = True
        if self.memory.engine.database.wal_bytes() > _CHECKPOINT_BYTES:
            self.memory.engine.checkpoint()
        self._warn_of_idle_sessions()
        return outcome

    def _warn_of_idle_sessions(self) -> None:
        now, idle_ms = self.env.now_ms(), self.settings.inbox.idle_turn_seconds * 1000
        for session in self.memory.engine.log.sessions(limit=20):
            is_idle = session.ended_ms is None and 0 <= session.last_ms <= now - idle_ms
            if is_idle and session.last_ms > now - 2 * idle_ms and session.id not in self._warned:
                self._warned.add(session.id)
                self._report(f"session {session.id}: nothing for {idle_ms / 60_000:.0f} minutes, and it has not ended")

    def run(self) -> None:
        """Work until `stop`. An error is reported and the loop goes on: the inbox keeps what failed."""
        self._start_threads()
        self.is_ready.set()
        failures = 0
        while not self._stop.is_set():
            if not self._is_in_place():
                self.ended_because = f"{self.workspace.home} was removed or replaced; its steward ends"
                self._report(self.ended_because)
                break
            try:
                self._is_busy.set()
                self.step()
                failures = 0
            except (ReverieError, OSError) as error:
                failures += 1
                self._report(f"steward: {describe(error)}")
            self._is_busy.clear()
            if failures or not self._turns_wait():
                self._stop.wait(min(60.0, _POLL_SECONDS * 2**failures))
                self._wait_for_work()
        self.end()

    def _wait_for_work(self) -> None:
        """Sleep until something waits in the spool, or a turn does."""
        while not self._stop.is_set() and not has_waiting(self.workspace.spool, self.env) and self._is_in_place():
            if self._turns_wait() or self.memory.engine.log.close_due_turns(self.env.now_ms()):
                return
            if self._stop.wait(_POLL_SECONDS):
                return

    def _turns_wait(self) -> bool:
        ready = self.memory.engine.inbox.next_ready_ms(Stage.RULES)  # whoever talks here closes their own turns
        return ready is not None and ready <= self.env.now_ms()

    def _is_in_place(self) -> bool:
        """Whether the files are still those that we hold. Who deletes a folder under us does not ask for its lock."""
        files = self.env.files
        return files.read(self.workspace.steward_lock) == self._told and files.size(self.workspace.database) > 0

    def stop(self) -> None:
        """Ask it to end; safe in a signal handler."""
        self._stop.set()

    def end(self) -> None:
        """Give back what is held, and the lock last. A model call under way is abandoned with its lease.

        What lies in the place of a workspace that has gone is not ours to touch.
        """
        self._stop.set()
        is_in_place = self._is_in_place()
        if self._server:
            self._server.close()
            if is_in_place:
                Path(self.workspace.socket or "").unlink(missing_ok=True)
        until = self.env.monotonic() + _STOP_SECONDS
        for thread in self._threads:
            thread.join(max(0.0, until - self.env.monotonic()))
        if is_in_place:
            self.memory.engine.inbox.release_all()
            self.memory.engine.checkpoint()
        self.memory.close()
        if is_in_place:
            self.env.files.truncate(self.workspace.steward_lock)
        self._lock.release()

    # ---- threads

    def _start_threads(self) -> None:
        if self.memory.asks_models:
            self._start(self._ask_models, "models")
        self._start(self._keep_memory, "memory")
        if address := self.workspace.socket:
            self._server = _listen(address)
            self._start(self._answer_hooks, "hooks")

    def _start(self, work: Callable[[], None], name: str) -> None:
        thread = threading.Thread(target=work, name=f"reverie {name}", daemon=True)
        thread.start()
        self._threads.append(thread)

    def _own_memory(self) -> Memory:
        """A connection for this thread. What happens through it is told to the same subscribers."""
        memory = Memory.open(self.workspace.home, env=self.env, settings=self.settings, catch_up=False)
        memory.events = self.memory.events
        return memory

    def _ask_models(self) -> None:
        """Ask about one turn after another. After an error wait, longer each time, as the worker's backoff says."""
        with self._own_memory() as memory:
            while not self._stop.is_set():
                wait = _MODEL_POLL_SECONDS
                try:
                    outcome = memory.ask_model()
                    if outcome.errors:
                        wait = memory.model_backoff_seconds
                        self._report(f"model: {outcome.errors[-1]}")
                    elif outcome:
                        continue
                except (ReverieError, OSError) as error:
                    wait = 60.0
                    self._report(f"model: {describe(error)}")
                self._stop.wait(wait)

    def _keep_memory(self) -> None:
        """Make what came in searchable, and answer questions about it."""
        try:
            with self._own_memory() as memory:
                self._attendant = Attendant(memory, self._stop, self._is_busy, self._report)
                self._attendant.run()
        except (ReverieError, OSError) as error:  # the workspace has gone; the main thread notices too
            self._report(f"memory: {describe(error)}")

    def _answer_hooks(self) -> None:
        """Give hooks the context that they ask for. One at a time: an answer takes a few milliseconds.

        Questions that take longer are handed to the attendant.
        """
        assert self._server is not None
        with self._own_memory() as memory:
            while not self._stop.is_set():
                try:
                    connection, _ = self._server.accept()
                except OSError:
                    continue
                try:
                    connection.settimeout(1.0)
                    asked = json.loads(_receive(connection))
                    if asked.get("ask") in QUESTIONS and self._attendant:
                        self._attendant.ask(connection, asked)
                        continue
                    connection.sendall(answer(memory, asked).encode("utf-8", "replace"))
                except (ReverieError, OSError, ValueError, KeyError, AttributeError) as error:
                    self._report(f"hooks: {describe(error)}")
                connection.close()


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

    return end


def answer(memory: Memory, asked: Mapping[str, object]) -> str:
    """The context for a hook's event. What it just spooled is taken in first, so that the session is known."""
    memory.absorb()
    return memory.context(str(asked["project"]), str(asked["session"]), only_news=asked["event"] == "UserPromptSubmit")


def _listen(address: Path) -> socket.socket:
    address.unlink(missing_ok=True)
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        server.bind(str(address))
    finally:
        os.umask(before)
    server.listen(64)
    server.settimeout(0.5)
    return server


def _receive(connection: socket.socket) -> bytes:
    pieces = b""
    while len(pieces) < _REQUEST_BYTES and (piece := connection.recv(_REQUEST_BYTES)):
        pieces += piece
    return pieces
