"""The world around a model, for tests: clocks that can be set, a record of spending in memory, turns to ask about."""

import os
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from reverie.env.http_client import send, stream
from reverie.ports import Files, HttpRequest, HttpResponse, HttpStream
from reverie.records import JSON, Kind, Observation, ToolUse, Turn

NOON_MS = 1_794_830_400_000  # 2026-11-16 12:00 UTC


@dataclass
class ModelEnv:
    """An Env whose clocks stand still unless they are moved, with real HTTP."""

    variables: Mapping[str, str] = field(default_factory=dict)
    wall_ms: int = NOON_MS
    monotonic_seconds: float = 1000.0
    clock: Callable[[], float] = time.monotonic

    @property
    def files(self) -> Files:
        raise NotImplementedError

    def now_ms(self) -> int:
        return self.wall_ms

    def monotonic(self) -> float:
        return self.monotonic_seconds

    def random_bytes(self, count: int) -> bytes:
        return os.urandom(count)

    def sleep(self, seconds: float) -> None:
        raise AssertionError("nothing in models waits")

    def variable(self, name: str) -> str | None:
        return self.variables.get(name)

    def http(self, request: HttpRequest) -> HttpResponse:
        return send(request, self.clock)

    def http_stream(
        self, request: HttpRequest, is_cancelled: Callable[[], bool] = lambda: False
    ) -> AbstractContextManager[HttpStream]:
        return stream(request, self.clock, is_cancelled)

    def pass_time(self, seconds: float) -> None:
        self.wall_ms += int(seconds * 1000)
        self.monotonic_seconds += seconds


@dataclass
class SpendInMemory:
    """What the engine does in SQL, as short as possible."""

    rows: dict[str, list[Any]] = field(default_factory=dict)  # id -> [day, session, nanodollars, is_settled]
    by_own_count: set[str] = field(default_factory=set)

    def reserve(
        self, reservation_id: str, day: str, session: str, nanodollars: int, daily_ceiling: int, session_ceiling: int
    ) -> bool:
        assert reservation_id not in self.rows
        in_session = self.in_session(session)
        if self.on_day(day) + nanodollars > daily_ceiling or in_session + nanodollars > session_ceiling:
            return False
        self.rows[reservation_id] = [day, session, nanodollars, False]
        return True

    def settle(self, reservation_id: str, nanodollars: int, *, by_own_count: bool = False) -> None:
        self.rows[reservation_id][2:] = [nanodollars, True]
        if by_own_count:
            self.by_own_count.add(reservation_id)

    def on_day(self, day: str) -> int:
        return sum(row[2] for row in self.rows.values() if row[0] == day)

    def own_counts_on_day(self, day: str) -> int:
        return sum(self.rows[it][0] == day for it in self.by_own_count)

    def in_session(self, session: str) -> int:
        return sum(row[2] for row in self.rows.values() if row[1] == session)

    def last_day(self) -> str | None:
        return max((row[0] for row in self.rows.values()), default=None)

    def total(self) -> int:
        return sum(row[2] for row in self.rows.values())


def observation(
    kind: Kind, text: str, place: int = 1, tool: str = "", given: JSON = None, failed: bool = False, speaker: str = ""
) -> Observation:
    return Observation(
        kind=kind,
        text=text,
        session="s1",
        occurred_ms=NOON_MS,
        speaker=speaker,
        tool=ToolUse(tool, given, failed) if tool else None,
        id=f"id{place}",
        position=place,
        sequence_num=place,
        turn=1,
        recorded_ms=NOON_MS,
    )


def user(text: str, place: int = 1) -> Observation:
    return observation(Kind.USER_MESSAGE, text, place)


def assistant(text: str, place: int = 1) -> Observation:
    return observation(Kind.ASSISTANT_MESSAGE, text, place)


def tool_call(tool: str, given: JSON, text: str, place: int = 1, failed: bool = False) -> Observation:
    return observation(Kind.TOOL_CALL, text, place, tool, given, failed)


def turn_of(*observations: Observation, before: tuple[Observation, ...] = (), number: int = 1) -> Turn:
    return Turn(session="s1", number=number, observations=observations, before=before)
