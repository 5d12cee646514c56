"""Items and observations for the tests of memory types, made with as few words as possible."""

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

from reverie.foundation.ids import ulid
from reverie.language.tokens import count_tokens
from reverie.records import ItemType, Kind, MemoryItem, Observation

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
NOW_MS = 1_790_000_000_000


def derive_id(time_ms: int, kind: str, sources: Sequence[str], ordinal: int) -> str:
    """As the engine does, without a key."""
    return ulid(time_ms, blake2b("\0".join((kind, *sources, str(ordinal))).encode(), digest_size=10).digest())


def item(number: int, text: str = "", **fields: Any) -> MemoryItem:
    """The item with this place in the log; a minute passes between two."""
    text = text or f"item number {number}"
    given = {
        "id": f"i{number:04}",
        "type": ItemType.FACT,
        "created_ms": NOW_MS + number * 60_000,
        "position": number,
        "tokens_estimate": count_tokens(text),
    }
    return MemoryItem(**{**given, "text": text, **fields})


def observation(kind: Kind = Kind.USER_MESSAGE, text: str = "hello", **fields: Any) -> Observation:
    given = {
        "id": ulid(NOW_MS, b"0123456789"),
        "position": 7,
        "sequence_num": 3,
        "turn": 2,
        "recorded_ms": NOW_MS + 5,
        "occurred_ms": NOW_MS,
        "session": "s1",
        "project": "/work/shop",
    }
    return Observation(kind=kind, text=text, **{**given, **fields})
