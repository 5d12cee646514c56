"""The rows that one transaction adds to the log: sessions as they run, and rows that are written at its end."""

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from operator import attrgetter

from reverie.engines.sqlite.database import Row
from reverie.records import Observation, Work


@dataclass(slots=True)
class RunningSession:
    """A session while a batch is written: read once, changed in memory, written back once. Its fields are columns."""

    session_id: str
    project: str
    source: str
    started_ms: int
    last_ms: int
    stopped_ms: int | None = None
    ended_ms: int | None = None
    message_count: int = 0
    observation_count: int = 0
    turn: int = 0
    last_position: int = 0
    closed_position: int = 0
    shown: str = ""

    @property
    def has_open_turn(self) -> bool:
        return self.last_position > self.closed_position


RUNNING_COLUMNS = tuple(one.name for one in fields(RunningSession))
running_values: Callable[[RunningSession], Row] = attrgetter(*RUNNING_COLUMNS)


def running_session(row: Row) -> RunningSession:
    """Read a session from a row of RUNNING_COLUMNS."""
    return RunningSession(*row)


@dataclass(slots=True)
class LogBatch:
    """The rows of one transaction, written a table at a time."""

    now: int  # by the clock
    recorded_ms: int  # by the clock as far as it can be believed
    has_tombstones: bool  # whether this user has ever forgotten something for good
    from_spool: bool = False
    running: dict[str, RunningSession] = field(default_factory=dict)
    marking: dict[str, Callable[[str], bytes]] = field(default_factory=dict)  # by session
    positions: dict[bytes, int] = field(default_factory=dict)  # of observations by fingerprint, old and new
    observations: list[Row] = field(default_factory=list)
    # That are what a read would give, with the characters of their rows.
    readable: list[tuple[Observation, int]] = field(default_factory=list)
    ticks: list[Row] = field(default_factory=list)
    work: list[Work] = field(default_factory=list)

    @property
    def places(self) -> tuple[int, int]:
        """Of the first and the last observation."""
        return (self.observations[0][1], self.observations[-1][1]) if self.observations else (0, 0)
