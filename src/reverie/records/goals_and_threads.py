"""The values of goals, questions, capacity, traces, threads and episodes."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from reverie.records.observations import (
    JSON,
    Priority,
)


class Horizon(StrEnum):
    """The time until a goal is due."""

    NOW = "now"
    DAYS = "days"
    WEEKS = "weeks"
    OPEN = "open"


class GoalStatus(StrEnum):
    ACTIVE = "active"
    PAUSED = "paused"
    DONE = "done"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """A goal that somebody works towards. `version` guards against two writers; `progress` is 0 to 1."""

    id: str
    text: str
    priority: Priority = Priority.NORMAL
    horizon: Horizon = Horizon.OPEN
    status: GoalStatus = GoalStatus.ACTIVE
    progress: float = 0.0
    project: str = ""
    created_ms: int = 0
    changed_ms: int = 0
    version: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Something somebody wants to know. It is open until it has an answer."""

    id: str
    text: str
    answer: str = ""
    project: str = ""
    created_ms: int = 0
    changed_ms: int = 0
    version: int = 1


@dataclass(frozen=True, slots=True)
class Capacity:
    """The number of items and tokens in a memory type, and its limits. None means that there is no limit."""

    items: int
    tokens: int
    max_items: int | None = None
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Stored:
    """The result of storing an item in its memory type: the rows it was written as, and what had to go for it."""

    kept: tuple[str, ...]
    evicted: tuple[str, ...] = ()
    summarised: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """One step of a turn as it was traced."""

    position: int
    turn: str
    name: str
    kind: str
    data: Mapping[str, JSON]
    at_ms: int
    parent: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """Activity with no gap longer than the timeout. Its id is that of its first item.

    `explicit` says that somebody chose the thread (a coding session, a chat): it has no timeout and takes in nothing
    of other threads. Other threads run across all channels that nobody chose.
    """

    id: str
    user: str
    explicit: bool
    channels: tuple[str, ...]
    items: tuple[str, ...]  # in the order of the log
    started_ms: int
    ended_ms: int
    turns: int  # messages of the person
    tokens: int


@dataclass(frozen=True, slots=True)
class Vote:
    """A model's opinion on two threads: whether they belong together, and how sure it is (0 to 1)."""

    linked: bool
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """Whether two threads are about one matter: what the rules say, what a model says, and who had the last word."""

    older: str
    newer: str
    score: float
    parts: Mapping[str, float]  # keyword, entity, topic, recency, elliptical
    vote: Vote | None
    linked: bool
    decided_by: str  # rules or model


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """One matter: a thread, or several that are linked with each other. A thread may be in several episodes."""

    id: str
    threads: tuple[str, ...]  # oldest first
    items: tuple[str, ...]
    started_ms: int
    ended_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A change of memory at a place in the log: a tick (by time) or an act (that someone asked for)."""

    position: int
    kind: str
    data: Mapping[str, JSON]
    at_ms: int
    target: str = ""
