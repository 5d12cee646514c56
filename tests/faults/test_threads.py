"""Threads that share one memory take turns: what was acknowledged is there, and no write spoils another."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path

import apsw

from reverie.errors import ReverieError
from reverie.memory import Memory

THREADS, NOTES = 8, 20


def notes_of_threads(home: Path, takes_turns: bool = True) -> tuple[list[str], list[str]]:
    """Threads write to one memory, others search in it: which notes were acknowledged, and what is in the log."""

    def take_part(number: int) -> list[str]:
        said = [f"thread {number} says {n}" for n in range(NOTES)]
        for text in said:
            memory.note(text)
            memory.search("thread says")
        return said

    with Memory.open(home) as memory:
        if not takes_turns:
            memory.engine.database.turn = nullcontext()
        with ThreadPoolExecutor(THREADS) as threads:
            running = [threads.submit(take_part, number) for number in range(THREADS)]
        said = [text for part in running for text in part.result()]
        return said, [observation.text for observation in memory.engine.log.read(limit=1000)]


def test_threads_that_share_a_memory_lose_nothing(scratch):
    said, kept = notes_of_threads(scratch)

    assert sorted(kept) == sorted(said)


def test_negative_control_without_turns_threads_spoil_each_others_writes(scratch):
    def is_spoilt(home: Path) -> bool:
        try:
            said, kept = notes_of_threads(home, takes_turns=False)
        except (AssertionError, apsw.Error, ReverieError):
            return True
        return sorted(kept) != sorted(said)

    assert any(is_spoilt(scratch / str(attempt)) for attempt in range(5))
