"""How fast recall is in a long-lived process, and what it holds: against one bare FTS5 query with the same words.

Recall is the whole way of `Memory.search`: the question is read and embedded, every item is scored, the best are
fetched from the record, ranked and explained. FTS5 only names a hundred rows, in the same file.
"""

import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

from bench.conversations import corpus
from bench.table import Figure, figures, progress
from bench.words import words
from reverie.language.words import question_terms
from reverie.memory import Memory

SIZES = ((10_000, 1.5), (100_000, 0.8))
QUESTIONS = 60
_WORDS = 51
_PER_SESSION = 40
_START_MS = 1_700_000_000_000


def turns(first: int, last: int) -> Iterator[dict[str, Any]]:
    chance = random.Random(first)
    for number in range(first, last):
        yield {
            "text": " ".join(words(chance, _WORDS)),
            "kind": ("user_message", "assistant_message")[number % 2],
            "speaker": ("user", "assistant")[number % 2],
            "session": f"s{number // _PER_SESSION}",
            "time": _START_MS + number * 30_000,
        }


def _median_ms(ask: Callable[[str], object], questions: list[str]) -> float:
    spent = []
    for question in questions:
        began = time.perf_counter()
        ask(question)
        spent.append((time.perf_counter() - began) * 1000)
    return median(spent)


def _bare(memory: Memory, words_of: Callable[[str], list[str]]) -> Callable[[str], object]:
    def ask(question: str) -> object:
        match = " OR ".join(f'"{word}"' for word in words_of(question))
        sql = "SELECT rowid FROM observations_fts WHERE observations_fts MATCH ? ORDER BY rank LIMIT 100"
        return memory.engine.database.rows(sql, (match,))

    return ask


def rss_mb() -> float:
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmRSS"))


def run() -> dict[str, Any]:
    chance = random.Random(7)
    questions = [" ".join(words(chance, 8)) for _ in range(QUESTIONS)]
    found: list[Figure] = [*_ingest()]
    with tempfile.TemporaryDirectory() as folder, Memory.open(Path(folder) / "home") as memory:
        have = 0
        for size, most in SIZES:
            progress(f"{size} items")
            memory.observe(turns(have, size))
            memory.maintenance.refresh_index()
            have = size
            memory.search(questions[0])
            bare = _median_ms(_bare(memory, question_terms), questions)
            every = _median_ms(_bare(memory, str.split), questions)
            ours = _median_ms(lambda question: memory.search(question, limit=10), questions)
            found += [
                Figure(f"a search among {size:,}, times a bare FTS5 query", ours / bare, "x", at_most=most),
                Figure(f"a search among {size:,}", ours, "ms"),
                Figure(f"a bare FTS5 query among {size:,}, by the words that recall asks by", bare, "ms"),
                Figure(f"a bare FTS5 query among {size:,}, by every word of the question", every, "ms"),
            ]
        found.append(Figure(f"memory of the process at {have:,} items", rss_mb(), "MB", at_most=400))
        began = time.perf_counter()
        memory.parts.index._index = None
        memory.parts.index.follow()
        found.append(Figure(f"loading the index of {have:,} items", time.perf_counter() - began, "s"))
    return figures(*found)


def _ingest() -> list[Figure]:
    """Bulk: observed, made items, embedded, indexed; searchable when it ends."""
    data = corpus("locomo-dev")
    if data is None:
        return []
    told = [
        {"id": item.id, "text": item.text, "speaker": item.speaker, "session": item.session, "time": item.created_ms}
        for items in data.turns.values()
        for item in items
    ]
    with tempfile.TemporaryDirectory() as folder, Memory.open(Path(folder) / "home") as memory:
        memory.search("load the embedder first: it is loaded once in a process's life")
        began = time.perf_counter()
        memory.observe(told)
        memory.maintenance.refresh_index()
        memory.search(told[0]["text"])
        spent = time.perf_counter() - began
    return [Figure("LoCoMo turns taken in with vectors and index", len(told) / spent, "turns/s", at_least=1500)]


if __name__ == "__main__":
    from bench.table import show

    sys.exit(0 if show("recall_speed", run()) else 1)
