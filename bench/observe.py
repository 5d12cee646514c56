"""Bulk `memory.observe`: chat messages of other systems, redacted, stored durably and indexed, in one process."""

import random
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Any

from bench.table import Figure, figures, progress
from bench.words import sentence
from reverie.memory import Memory

MESSAGES = 50_000
_PER_SESSION = 400
_START_MS = 1_760_000_000_000


def run(count: int = MESSAGES) -> dict[str, Any]:
    progress(f"{count} messages")
    messages = list(conversation(count))
    with tempfile.TemporaryDirectory(prefix="reverie-bench-") as folder, Memory.open(folder) as memory:
        started, cpu = time.perf_counter(), time.process_time()
        stored = memory.observe(iter(messages))
        seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
        assert stored == count
        started = time.perf_counter()
        hits = memory.parts.word_lookup.search("harbour meeting", limit=10)
        found_ms = 1000 * (time.perf_counter() - started)
        assert hits
    length = sum(len(message["text"]) for message in messages) / count
    return figures(
        Figure("messages a second", count / seconds, "/s", at_least=8000),
        Figure("messages a second of CPU", count / cpu, "/s"),
        Figure("characters a message", length, ""),
        Figure("a search in them by words", found_ms, "ms"),
    )


def conversation(count: int) -> Iterator[dict[str, Any]]:
    chance = random.Random(11)
    for number in range(count):
        text = sentence(chance, chance.randint(150, 200))
        if number % 500 == 0:
            text = f"About the harbour meeting: {text}"
        speaker = ("Ana", "Ben")[number % 2]
        kind = ("user_message", "assistant_message")[number % 2]
        session = f"chat-{number // _PER_SESSION}"
        time_ms = _START_MS + number * 30_000
        yield {"text": text, "kind": kind, "speaker": speaker, "session": session, "time": time_ms}


if __name__ == "__main__":
    from bench.table import show

    show("observe", run(*(int(argument) for argument in sys.argv[1:])))
