"""The steward's second pair of hands: keeps memory searchable in the background, and answers questions about it.

It has its own thread and its own connection, works in short slices, and stands back while the steward takes in and
distils: capture comes first.
"""

import json
import queue
import socket
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict, is_dataclass
from typing import Any

from reverie.errors import ReverieError
from reverie.memory import Memory

QUESTIONS = ("search", "recall")
_SLICE = 200  # items embedded at a time: a few ten milliseconds
_IDLE_SECONDS = 0.25
_TENDING_SECONDS = 600.0  # threads, skills and twins do not change faster than this
_SEGMENT_SECONDS = 300.0  # between two looks for conversations that fell silent

Report = Callable[[str], None]


class Attendant:
    """Runs in its thread until `stop` is set."""

    def __init__(self, memory: Memory, stop: threading.Event, is_busy: threading.Event, report: Report) -> None:
        self._memory = memory
        self._stop = stop
        self._is_busy = is_busy
        self._report = report
        self._asked: queue.Queue[tuple[socket.socket, Mapping[str, Any]]] = queue.Queue()
        self._tended = self._looked = memory.env.monotonic()

    def ask(self, connection: socket.socket, question: Mapping[str, Any]) -> None:
        """Take a question over; the connection is answered and closed here."""
        self._asked.put((connection, question))

    def run(self) -> None:
        while not self._stop.is_set():
            try:
                has_more = not self._is_busy.is_set() and self._work()
            except (ReverieError, OSError) as error:
                has_more = False
                self._report(f"memory: {error}")
            try:
                connection, question = self._asked.get(timeout=0.01 if has_more else _IDLE_SECONDS)
            except queue.Empty:
                continue
            with connection:
                self._answer(connection, question)

    def _work(self) -> bool:
        """One slice of what waits; says whether there is more."""
        memory = self._memory
        memory.keeping.admit()
        if memory.keeping.judge_waiting():
            return True
        if not memory.engine.items.admitted():
            return False
        embedder = memory.finding.embedder()
        if embedder and memory.keeping.embed_waiting(embedder, _SLICE):
            return True
        if memory.finding.is_changing:
            done, total = memory.finding.re_embed(memory.keeping, _SLICE)
            self._report(f"memory: {done} of {total} items have a vector of the new embedder")
            return True
        if memory.env.monotonic() - self._looked > _SEGMENT_SECONDS:
            self._looked = memory.env.monotonic()
            if collapsed := memory.collapse_silent_segments():
                self._report(f"memory: {collapsed} silent stretches of conversation were summarised")
        if memory.env.monotonic() - self._tended > _TENDING_SECONDS:
            self._tended = memory.env.monotonic()
            self._tend()
        return False

    def _tend(self) -> None:
        for done in self._memory.compact():
            self._report(f"memory: summarised {done.items} items ({done.reason})")
        for skill in self._memory.extract_skills():
            self._report(f"memory: learned a skill: {skill.text.splitlines()[0]}")
        self._memory.merge_duplicates()
        self._memory.turns.expire()

    def _answer(self, connection: socket.socket, question: Mapping[str, Any]) -> None:
        try:
            told = answer(self._memory, question)
        except (ReverieError, ValueError, KeyError, TypeError) as error:
            told = {"error": str(error)}
        try:
            connection.settimeout(5.0)
            connection.sendall(json.dumps(told, default=_plain).encode())
        except OSError as error:
            self._report(f"memory: nobody waited for an answer ({error})")


def answer(memory: Memory, question: Mapping[str, Any]) -> Any:
    """What a one-shot command wants to know, as plain values."""
    from reverie.stores.filters import chosen_filters

    filters = chosen_filters(question.get("filters", ()), question.get("project"), memory.settings.stores)
    if question["ask"] == "search":
        return memory.search(str(question["query"]), limit=int(question["limit"]), filters=filters)
    found = memory.assemble_context(str(question["prompt"]), int(question["budget"]), filters)
    memory.commit()
    return {**asdict(found), "explanation": memory.explain(found.turn).lines()}


def _plain(value: object) -> object:
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else str(value)
