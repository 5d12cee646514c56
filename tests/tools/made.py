"""What the tests of the tools share: an engine in a temporary folder, ids, a moment in a conversation."""

from itertools import count
from pathlib import Path

from reverie.engines.sqlite import SqliteEngine
from reverie.records.conversation_values import Moment
from reverie.settings import Settings
from reverie.testing import START_MS, FakeEnv


def an_engine(folder: Path, user: str = "ana") -> SqliteEngine:
    return SqliteEngine.open(folder / "reverie.db", FakeEnv(), user, Settings().inbox)


_numbers = count(1)


def an_id(_at_ms: int) -> str:
    """An id that no other thing has."""
    return f"{next(_numbers):06}"


def at(turn: int = 1, seconds: float = 0, segment: str = "s1", continuum: str = "c1") -> Moment:
    return Moment(START_MS + int(seconds * 1000), continuum, segment, turn)
