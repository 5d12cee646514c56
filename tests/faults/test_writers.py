"""Any process may write: sixty-four at once without an error, and nobody waits long behind a bulk import.

The disk is made slow on purpose, because that is when writers queue: every sync takes 20 ms. Without `write.lock` the same
run fails, since SQLite's own waiting is a poll that starves some of the writers past their five seconds.
"""

import itertools
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from mmap import mmap
from pathlib import Path

import apsw
import pytest

from reverie.engines.sqlite import SqliteEngine
from reverie.env.real import RealFiles
from reverie.errors import StoreBusy
from reverie.foundation.bulk import BULK_CHARS, chars_of, chunks
from reverie.memory import Memory
from reverie.ports import Lock
from reverie.records import Captured, Kind, ToolUse
from reverie.testing import FakeEnv
from support.faults import event, in_children, spool_events, turn_events

WRITERS = 64
SYNC_SECONDS = 0.02
WRITES = 6  # 64 x 6 x 20 ms is nearly 8 s of syncs: longer than SQLite's busy timeout of 5 s


class SlowVFS(apsw.VFS):
    """A disk that takes 20 ms for a sync."""

    def __init__(self) -> None:
        super().__init__("slow", "")

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> "SlowFile":
        return SlowFile("unix", name, flags)


class SlowFile(apsw.VFSFile):
    def xSync(self, flags: int) -> None:
        time.sleep(SYNC_SECONDS)
        super().xSync(flags)


def said_by(writer: int, number: int) -> Captured:
    text = f"writer {writer} says {number}"
    return Captured(kind=Kind.ASSISTANT_MESSAGE, text=text, session=f"w{writer}", occurred_ms=number, event_id=text)


def write_from_everywhere(home, locked_writes: bool) -> Counter[str]:
    """How many writes were acknowledged, and how many refused, by all writers together."""
    SqliteEngine.open(home / "reverie.db", FakeEnv()).close()

    def write(writer: int) -> str:
        vfs = SlowVFS()  # held, or it would be unregistered
        engine = SqliteEngine.open(home / "reverie.db", FakeEnv(writer), vfs="slow", locked_writes=locked_writes)
        stored = refused = 0
        for number in range(WRITES):
            try:
                engine.log.append([said_by(writer, number)])
                stored += 1
            except StoreBusy:
                refused += 1
        engine.close()
        del vfs
        return f"{stored} {refused}"

    told = [line.split() for line in in_children(WRITERS, write)]
    return Counter(stored=sum(int(one) for one, _ in told), refused=sum(int(two) for _, two in told))


def test_sixty_four_writers_at_once_are_all_served(scratch):
    counted = write_from_everywhere(scratch, locked_writes=True)

    assert counted == Counter(stored=WRITERS * WRITES, refused=0)
    engine = SqliteEngine.open(scratch / "reverie.db", FakeEnv())
    kept = [observation.text for observation in engine.log.read(limit=10_000)]
    assert sorted(kept) == sorted(said_by(w, n).text for w in range(WRITERS) for n in range(WRITES))
    assert engine.database.value("PRAGMA journal_mode") == "wal"
    engine.close()


def test_without_the_write_lock_some_of_them_would_be_refused(scratch):
    counted = write_from_everywhere(scratch, locked_writes=False)

    assert counted["refused"] > 0


# ---- a note during a bulk import


PASTED = " ".join(f"w{place * place % 5003}" for place in range(20_000))  # words enough to keep a text index busy


def old_message(number: int, pasted_chars: int = 0) -> Captured:
    told, session = f"message {number} of an old chat", f"old-{number // 500}"
    begin = number * 61 % (len(PASTED) - pasted_chars)
    text = f"{told} {PASTED[begin : begin + pasted_chars]}"
    return Captured(kind=Kind.USER_MESSAGE, text=text, session=session, occurred_ms=number, event_id=told)


class NoTurnstile:
    """Everybody goes straight to the lock, and whoever has just had it is the first to be there again."""

    def acquire(self, wait_seconds: float | None = None) -> bool:
        return True

    def release(self) -> None:
        pass


class LateToWake:
    """A lock as it is on a busy machine: who waits for it looks again only after a while, when it may be gone again.

    Counts how many chunks the import has written while somebody waited here.
    """

    def __init__(self, lock: Lock, written: mmap) -> None:
        self._lock = lock
        self._written = written
        self.waits: list[int] = []

    def acquire(self, wait_seconds: float | None = None) -> bool:
        before = count_in(self._written)
        while not self._lock.acquire(0):
            time.sleep(0.005)
        self.waits.append(count_in(self._written) - before)
        return True

    def release(self) -> None:
        self._lock.release()


def count_in(shared: mmap) -> int:
    return int.from_bytes(shared[:8], "little")


def longest_note_wait(home: Path, imported: int, chars: int = 0, with_turnstile: bool = True) -> int:
    """For how many chunks of an import, at most, one of some notes waited that another process took meanwhile.

    In chunks, not in seconds: a busy machine slows them all. One chunk is a quarter of a second at most where nobody
    else is at work (`make bench observe`).
    """
    Memory.open(home).close()
    made = itertools.count()

    def some_chunks() -> list[list[Captured]]:
        return list(chunks((old_message(next(made), chars) for _ in range(imported)), chars_of))

    waiting = some_chunks()
    written = mmap(-1, 16)  # shared with the children: the chunks that were written, and whether the notes are done

    def take_part(number: int) -> str:
        with Memory.open(home, catch_up=False) as memory:
            database = memory.engine.database
            if not with_turnstile:
                database._turnstile = NoTurnstile()
            if number == 0:
                count = 0
                while not written[8]:
                    for chunk in waiting:  # as fast as they can be written: the next one wants the lock at once
                        memory.engine.log.append(chunk)
                        count += 1
                        written[:8] = count.to_bytes(8, "little")
                    waiting[:] = some_chunks()
                return ""
            database._write_lock = slow = LateToWake(database._write_lock, written)
            while not count_in(written):
                time.sleep(0.005)
            for note in range(15):
                memory.note(f"note {note}")
            written[8] = 1
            return str(max(slow.waits))

    return int(in_children(2, take_part)[1])


@pytest.mark.parametrize(("imported", "chars"), [(20_000, 0), (1_000, 15_000)], ids=["short texts", "15 KB each"])
def test_a_note_during_a_bulk_import_waits_for_the_chunk_that_is_being_written(scratch, imported, chars):
    """Two at most are counted: the one before is counted a moment after it was written."""
    assert longest_note_wait(scratch, imported, chars) <= 2


def test_one_chunk_of_a_bulk_import_is_a_thousand_items_or_fewer_that_are_long():
    def at_a_time(*texts: str, tool: ToolUse | None = None) -> list[int]:
        said = (replace(old_message(0), text=text, tool=tool) for text in texts)
        return [len(chunk) for chunk in chunks(said, chars_of)]

    third = "x" * (BULK_CHARS // 3 - 100)
    assert at_a_time(*["short"] * 2500) == [1000, 1000, 500]
    assert at_a_time(*[third] * 7) == [3, 3, 1]
    assert at_a_time(*["short"] * 7, tool=ToolUse("Write", {"content": third})) == [3, 3, 1]
    assert at_a_time("short", 9 * third, "short", "short") == [1, 1, 2]
    assert at_a_time() == []


def test_negative_control_without_the_turnstile_a_note_waits_for_more(scratch):
    """The same runs, until one has waited for more. (A note can be lucky.)"""
    waits: list[int] = []
    while len(waits) < 20 and max(waits, default=0) <= 2:
        waits.append(longest_note_wait(scratch / str(len(waits)), 20_000, with_turnstile=False))

    assert max(waits) > 2, waits


# ---- two who drain


class Overtaken(RealFiles):
    """Files on which somebody else drains the whole spool just after we have read from it."""

    def __init__(self, overtake: Callable[[], object]) -> None:
        self.overtake = overtake

    def read(self, path: Path, *, follow: bool = True) -> bytes | None:
        data = super().read(path, follow=follow)
        if path.parent.name == "spool":
            self.overtake()
        return data


def test_two_who_drain_the_spool_at_the_same_moment_keep_each_record_once(scratch):
    """The steward's main thread and the one that answers hooks; events without an id of their own are the hard ones."""
    home = scratch / "home"
    events = [event("SessionStart", "one", source="startup")]
    for number in range(20):
        events.append(event("UserPromptSubmit", "one", prompt=f"go on {number % 3}"))
        events.append(event("Stop", "one", last_assistant_message=f"Step {number % 3} is done."))
    env = FakeEnv()
    with Memory.open(home, env=env) as one, Memory.open(home, env=FakeEnv(1)) as two:
        spool_events(home, events)
        env.files = Overtaken(two.parts.background.drain_spool)
        one.parts.background.drain_spool()

        kept = [observation.text for observation in two.engine.log.read(limit=1000)]
    said = [payload.get("prompt") or payload.get("last_assistant_message") for _, payload in events[1:]]
    assert kept == ["session start (startup)", *said]


def test_a_spool_that_had_to_be_set_aside_again_and_again_is_drained_whole(scratch, monkeypatch):
    """With nobody to drain it, the file is set aside at a certain size. What its successors are called must not matter."""
    monkeypatch.setattr("reverie.hook.spool._ROLL_BYTES", 2000)
    home, env, said = scratch / "home", FakeEnv(), []
    with Memory.open(home, env=env) as memory:
        for visit in range(5):
            events = [
                one for n in range(10) for one in turn_events(100 * visit + n, "one", f"Step {visit}.{n}, please.")
            ]
            spool_events(home, events, env.now_ms())
            assert len(list((home / "spool").glob("drain-*"))) > 1
            memory.parts.background.drain_spool()
            env.sleep(10)
            said += [name for name, _ in events]
        assert [observation.event for observation in memory.engine.log.read(limit=1000)] == said
