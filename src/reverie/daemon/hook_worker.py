"""The steward's thread that answers hooks over a socket, one at a time: an answer takes a few milliseconds.

Questions that take longer are handed to the index worker.
"""

import json
import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from reverie.daemon.heartbeat import HOOKS, Heartbeat
from reverie.daemon.index_worker import QUESTIONS, IndexWorker
from reverie.daemon.socket_server import SocketServer
from reverie.errors import ReverieError
from reverie.foundation.workspace import Workspace
from reverie.memory import Memory
from reverie.ports import Env

_HOOK_POLL_SECONDS = 0.5
_SEND_SECONDS = 1.0  # a hook that does not read keeps the next one waiting no longer
_DRAINER_SECONDS = 0.05  # for another thread that takes in the same: of a few events it is done by then
_ABSORB_SECONDS = 0.2  # for what waits, before a hook is answered: a hook itself waits for 0.28 s


class HookWorker:
    """Listens from `listen` to `stop_listening`, and answers while it runs."""

    def __init__(
        self,
        workspace: Workspace,
        env: Env,
        stop: threading.Event,
        heartbeat: Heartbeat,
        index_worker: IndexWorker,
        report: Callable[[str], None],
        fail: Callable[[str, Exception], None],
        is_needed: Callable[[], None] = lambda: None,
    ) -> None:
        self._workspace = workspace
        self._env = env
        self._stop = stop
        self._heartbeat = heartbeat
        self._index_worker = index_worker
        self._report = report
        self._fail = fail
        self._is_needed = is_needed
        self._socket_server: SocketServer | None = None

    def listen(self) -> None:
        self._socket_server = SocketServer(self._workspace.socket or Path(), self._env)

    def remove_address(self) -> None:
        """Send away whoever comes from now on: without an address, hooks and commands look for themselves."""
        if self._socket_server:
            self._socket_server.address.unlink(missing_ok=True)

    def stop_listening(self, is_in_place: bool) -> None:
        """Close the socket; its address goes too, unless the workspace is another's by now."""
        server, self._socket_server = self._socket_server, None
        if server:
            server.close()
            if is_in_place:
                server.address.unlink(missing_ok=True)

    def run(self, memory: Memory) -> None:
        """Give hooks the context that they ask for, until `stop`."""
        if self._socket_server is None:
            self.listen()
            self._heartbeat.works(HOOKS)
        while not self._stop.is_set() and self._socket_server:
            self._heartbeat.beat(HOOKS)
            for connection, request in self._socket_server.requests(_HOOK_POLL_SECONDS):
                is_handed_on = False
                self._is_needed()
                try:
                    is_handed_on = self._answer(memory, connection, request)
                finally:
                    if not is_handed_on:
                        connection.close()

    def _answer(self, memory: Memory, connection: socket.socket, request: bytes) -> bool:
        """Answer a request, or hand it on to the index worker, which closes the connection then."""
        try:
            asked = json.loads(request)
        except (ValueError, RecursionError):
            asked = None
        if isinstance(asked, dict) and asked.get("ask") in QUESTIONS:
            self._index_worker.ask(connection, asked)
            return True
        if isinstance(asked, dict) and {"project", "session", "event"} <= asked.keys():
            return self._tell_context(memory, connection, asked)
        self._report(f"hooks: a request of {len(request):,} bytes was left unanswered: it asks for nothing known")
        return False

    def _tell_context(self, memory: Memory, connection: socket.socket, asked: Mapping[str, object]) -> bool:
        """Tell a hook what it asks for; return whether the index worker does that, because it is about a prompt."""
        try:
            told = context_for(memory, asked)
            if asked.get("prompt") and self._index_worker.can_answer:
                self._index_worker.ask_about_prompt(connection, {**asked, "news": told})
                return True
            if asked.get("prompt"):
                by_words = memory.parts.prompt_context_by_words
                self._index_worker.prompt_replies.reply(memory, by_words, connection, asked, told)
                return False
            self._heartbeat.works(HOOKS)
        except (ReverieError, OSError) as error:  # a full disk, a writer that keeps us out: it may pass
            self._fail(HOOKS, error)
            return False
        with suppress(OSError):  # it did not wait for the answer
            connection.settimeout(_SEND_SECONDS)
            connection.sendall(told.encode("utf-8", "replace"))
        return False


def context_for(memory: Memory, asked: Mapping[str, object]) -> str:
    """Return the context for a hook's event. What it just spooled is taken in first, so that the session is known."""
    project, session = str(asked["project"]), str(asked["session"])
    if path := str(asked.get("path") or ""):  # nothing was spooled
        return memory.parts.prompt_context_by_words.for_file(path, project, session).confirmed()
    until = memory.env.monotonic() + _ABSORB_SECONDS
    memory.parts.background.drain_spool(lambda: memory.env.monotonic() >= until, wait_seconds=_DRAINER_SECONDS)
    return memory.context(project, session, only_news=asked["event"] == "UserPromptSubmit")
