"""The steward's second thread: keeps memory searchable in the background, and answers questions about it.

It has its own thread and its own connection, works in short slices, and stands back while the steward takes in and
distils: capture comes first. Who asks gets lines: at once {"doing": what it may have to wait for}, then the answer.
"""

import json
import queue
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, is_dataclass
from typing import Any

from reverie import scheduler
from reverie.daemon.heartbeat import MEMORY, Heartbeat
from reverie.daemon.prompt_reply import PromptReplies
from reverie.errors import DamagedRow, DamagedStore, ReverieError
from reverie.inbox.worker import describe
from reverie.memory import Memory
from reverie.scheduler import Job, due

QUESTIONS = ("search", "recall")
_SLICE = 200  # items embedded at a time: a few ten milliseconds
_IDLE_SECONDS = 0.25
_LOOK_SECONDS = 30.0  # between two looks for due jobs
_SEND_SECONDS = 1.0  # an asker that does not read keeps the next one waiting no longer
# The longest of them: a first index of a million items; summaries, for which a model may be asked.
_PATIENCE_SECONDS = 600.0

Report = Callable[[str], None]


def everybody(memory: Memory) -> Iterator[Memory]:
    """Yield the memories of all users of a store, beginning with this one."""
    yield memory
    yield from (memory.of(user) for user in memory.engine.users() if user != memory.engine.user)


class _Stopped(Exception):
    """It was asked to end in the middle of its work."""


class IndexWorker:
    """Runs in its thread until `stop` is set. Questions may be asked before that, and wait."""

    def __init__(self, stop: threading.Event, is_busy: threading.Event, heart: Heartbeat, report: Report) -> None:
        self._stop = stop
        self._is_busy = is_busy
        self._heartbeat = heart
        self._report = report
        self._done_at: tuple[int, int] | None = None  # the version of the record with which nothing was left to do
        self._is_ready = False  # for prompts, which wait for a fraction of a second
        self.prompt_replies = PromptReplies()
        self._looks_again = 0.0  # when to look for due jobs though nobody has written
        self._asked: queue.Queue[tuple[socket.socket, Mapping[str, Any]]] = queue.Queue()

    def ask(self, connection: socket.socket, question: Mapping[str, Any]) -> None:
        """Take a question over; the connection is answered and closed here, at once if nobody could answer it."""
        if self._heartbeat.is_failing(MEMORY):
            connection.close()
            return
        try:
            connection.settimeout(_SEND_SECONDS)
            connection.sendall(_line({"doing": self._heartbeat.doing(MEMORY)}))
        except OSError:
            connection.close()  # it has hung up
            return
        self._asked.put((connection, question))

    @property
    def can_answer(self) -> bool:
        """Whether a prompt would be answered at once: the index is loaded, and no long job is under way."""
        return self._is_ready and not self._heartbeat.is_failing(MEMORY)

    @property
    def is_done(self) -> bool:
        """Whether nothing was left to do when it last looked."""
        return self._done_at is not None

    def ask_about_prompt(self, connection: socket.socket, asked: Mapping[str, Any]) -> None:
        """Take over a hook that waits for what is known about its prompt."""
        self._asked.put((connection, asked))

    def run(self, memory: Memory) -> None:
        """Run until stopped. An error is for the caller, who may run it again; open questions are released."""
        try:
            self._run(memory)
        finally:
            with suppress(queue.Empty):
                while True:
                    self._asked.get_nowait()[0].close()

    def _run(self, memory: Memory) -> None:
        rest, rests_until = 0.0, 0.0
        self._is_ready = False
        self._done_at = None
        while not self._stop.is_set():
            has_more = False
            self._heartbeat.beat(MEMORY)
            if not self._is_busy.is_set() and memory.env.monotonic() >= rests_until:
                try:
                    has_more = self._work(memory)
                    self._heartbeat.works(MEMORY)
                    rest = 0.0
                except _Stopped:
                    return
                except (ReverieError, OSError) as error:  # a full disk, a writer that keeps us out: it may pass
                    self._heartbeat.fail(MEMORY, describe(error))
                    self._report(f"memory: {describe(error)}")
                    rest = min(60.0, 2 * rest or 1.0)
                    rests_until = memory.env.monotonic() + rest
            try:
                connection, question = self._asked.get(timeout=0.01 if has_more else _IDLE_SECONDS)
            except queue.Empty:
                continue
            with connection:
                if "prompt" in question and "news" in question:
                    self._answer_prompt(memory, connection, question)
                else:
                    self._answer(memory, connection, question)

    def _work(self, memory: Memory) -> bool:
        """Do one slice of what waits, for every user; return whether there is more.

        A store may have thousands of users: as long as nobody writes, they are looked at only now and then, for the
        jobs that are due. What fails for one user is reported when the others have had their turn.
        """
        version, now = memory.engine.version(), memory.env.monotonic()
        if version == self._done_at and now < self._looks_again:
            return False
        self._done_at = None
        has_more, failure = False, None
        for one in everybody(memory):
            try:
                has_more |= self._work_for(one)
            except (ReverieError, OSError) as error:
                failure = failure or error
        if failure:
            raise failure
        if not has_more:
            self._warm_up(memory)
            self._done_at, self._looks_again = version, now + _LOOK_SECONDS
        return has_more

    def _work_for(self, memory: Memory) -> bool:
        parts = memory.parts
        self._heartbeat.beat(MEMORY, "making what came in searchable", _PATIENCE_SECONDS)
        parts.item_writer.admit(self._look_up)
        if parts.item_writer.judge_waiting(self._look_up):
            return True
        if not memory.engine.items.admitted():
            return False
        embedder = parts.index.embedder()
        if embedder and parts.item_writer.embed_waiting(embedder, _SLICE):
            return True
        if parts.index.is_changing:
            done, total = parts.index.re_embed(parts.item_writer, _SLICE)
            self._report(f"memory: {done} of {total} items have a vector of the new embedder")
            return True
        for job in due(memory.engine, memory.env.now_ms()):
            self._heartbeat.beat(MEMORY, job.doing, _PATIENCE_SECONDS)
            self._is_ready = False
            self._run_job(job, memory)
            memory.engine.set_last_run(job.name, memory.env.now_ms())
        return False

    def _warm_up(self, memory: Memory) -> None:
        """Load the index before the first prompt asks for it, when nothing else is left to do."""
        if not self._is_ready:
            memory.parts.lookup.search("", limit=1)
            self._is_ready = True

    def _run_job(self, job: Job, memory: Memory) -> None:
        match job:
            case scheduler.COLLAPSE:
                from reverie.continuum.collapse import collapse_silent

                if collapsed := collapse_silent(memory.parts.for_conversations):
                    self._report(f"memory: {collapsed} silent stretches of conversation were summarised")
            case scheduler.MAINTENANCE:
                self._maintain(memory)

    def _look_up(self, _: int) -> None:
        """After a long spool the work takes longer than whoever stops us will wait; what is committed of it stays."""
        if self._stop.is_set():
            raise _Stopped

    def _maintain(self, memory: Memory) -> None:
        for done in memory.maintenance.compact():
            self._report(f"memory: summarised {done.items} items ({done.reason})")
        for skill in memory.maintenance.extract_skills():
            self._report(f"memory: learned a skill: {skill.text.splitlines()[0]}")
        memory.maintenance.merge_duplicates()
        memory.maintenance.expire_traces()

    def _answer_prompt(self, memory: Memory, connection: socket.socket, asked: Mapping[str, Any]) -> None:
        self._heartbeat.beat(MEMORY, "answering", _PATIENCE_SECONDS)
        try:
            self.prompt_replies.reply(memory, memory.parts.prompt_context, connection, asked, str(asked["news"]))
        except (ReverieError, OSError) as error:
            self._report(f"memory: a prompt could not be answered: {describe(error)}")

    def _answer(self, memory: Memory, connection: socket.socket, question: Mapping[str, Any]) -> None:
        doing = "answering" if memory.parts.index.is_warm else "loading its index"
        self._heartbeat.beat(MEMORY, doing, _PATIENCE_SECONDS)
        try:
            connection.sendall(_line({"doing": doing}))
        except OSError:
            return  # it has hung up
        try:
            told = answer_command(memory, question)
        except DamagedRow as error:
            told = {"error": str(error)}
        except DamagedStore:
            raise  # it is the record that is at fault, not the question
        except ReverieError as error:
            told = {"error": str(error)}
        except Exception as error:  # who asked gets no answer, and looks for itself
            self._report(f"memory: a question could not be answered: {describe(error)}")
            return
        try:
            connection.sendall(_line({"answer": told}))
        except OSError as error:
            self._report(f"memory: nobody waited for an answer ({error})")


def answer_command(memory: Memory, question: Mapping[str, Any]) -> Any:
    """Answer a question of a one-shot command. Memories in a context count as used, whoever asked for it."""
    from reverie.stores.filters import chosen_filters

    # The setting `user` may have changed since the steward began: who asks says who they are.
    memory = memory.of(str(question.get("user") or memory.engine.user))
    filters = chosen_filters(question.get("filters", ()), question.get("project"), memory.settings.stores)
    everything = bool(question.get("everything"))
    if question["ask"] == "search":
        limit = int(question["limit"])
        return memory.search(str(question["query"]), limit=limit, filters=filters, everything=everything)
    found = memory.assemble_context(str(question["prompt"]), int(question["budget"]), filters, everything=everything)
    memory.commit()
    return {**asdict(found), "explanation": memory.explain(found.turn).why()}


def _line(told: object) -> bytes:
    return json.dumps(told, default=_plain).encode() + b"\n"


def _plain(value: object) -> object:
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else str(value)
