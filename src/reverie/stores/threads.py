"""Items -> threads: activity with no gap longer than the timeout, in whatever order the items come.

Where somebody chose the thread (a coding session, a chat with an id) that choice is the thread, however long it pauses.
Everything else (text messages, mail) is one stream across its channels, cut where it is silent for *more* than the
timeout. The cut is made by the times in the records; within a thread the order is the log's. So a clock that goes back
a little changes nothing, and an old mail that is imported today falls into the thread of its own day.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from reverie.foundation.chunks import tokens_of
from reverie.records import ItemType, MemoryItem, Thread

THREAD_MS = 30 * 60_000  # a longer silence begins a new thread, where nobody chose the thread
_IMPLICIT_CHANNELS = ("sms", "mail", "email", "whatsapp", "signal")  # nobody chooses a thread there


def threads_of(items: Iterable[MemoryItem]) -> list[Thread]:
    """Every item in exactly one thread, oldest thread first."""
    streams: dict[tuple[str, str, bool], list[MemoryItem]] = defaultdict(list)
    for item in {item.id: item for item in items}.values():
        streams[_stream(item)].append(item)
    threads = [
        _thread(part, explicit)
        for (_, _, explicit), stream in streams.items()
        for part in ([stream] if explicit else _cut(stream))
    ]
    return sorted(threads, key=lambda thread: (thread.started_ms, thread.id))


def is_explicit(item: MemoryItem) -> bool:
    """Whether somebody chose the thread: a session or chat, unless its channel is one where people just write."""
    medium = str(item.metadata.get("channel") or "").partition(":")[0].lower()
    return bool(item.session) and medium not in _IMPLICIT_CHANNELS


def channel_of(item: MemoryItem) -> str:
    """The name of the thread that was chosen, or the medium that was used."""
    if is_explicit(item):
        return item.session
    return str(item.metadata.get("channel") or item.session)


def in_order(items: Iterable[MemoryItem]) -> list[MemoryItem]:
    """By place in the log; what has none, by its time."""
    return sorted(items, key=lambda item: (item.position, item.created_ms, item.chunk_index, item.id))


def _stream(item: MemoryItem) -> tuple[str, str, bool]:
    explicit = is_explicit(item)
    return item.user, item.session if explicit else "", explicit


def _cut(stream: Sequence[MemoryItem]) -> Iterator[list[MemoryItem]]:
    part: list[MemoryItem] = []
    for item in sorted(stream, key=lambda item: (item.created_ms, item.id)):
        if part and item.created_ms - part[-1].created_ms > THREAD_MS:
            yield part
            part = []
        part.append(item)
    yield part


def _thread(part: Sequence[MemoryItem], explicit: bool) -> Thread:
    ordered = in_order(part)
    times = [item.created_ms for item in part]
    return Thread(
        id=ordered[0].id,
        user=ordered[0].user,
        explicit=explicit,
        channels=tuple(sorted({channel_of(item) for item in part})),
        items=tuple(item.id for item in ordered),
        started_ms=min(times),
        ended_ms=max(times),
        turns=sum(map(_is_turn, part)),
        tokens=sum(map(tokens_of, part)),
    )


def _is_turn(item: MemoryItem) -> bool:
    return item.type is ItemType.USER_MESSAGE and item.chunk_index == 0
