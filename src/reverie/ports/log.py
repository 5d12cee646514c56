"""The way in as an engine keeps it: log, inbox, learnings, actions, replies, spending, mirrors."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol, TypeAlias

from reverie.records import (
    JSON,
    Action,
    ActionStatus,
    Captured,
    Hit,
    KeptReply,
    Learned,
    Learning,
    LoggedReply,
    Observation,
    Session,
    Stage,
    Turn,
    Work,
)

# Is given turns that have just closed, by the id of their work, and how to ask whether there is still time.
Meanwhile: TypeAlias = Callable[[Mapping[int, Turn], Callable[[], bool]], None]


class Log(Protocol):
    """The observations, append-only, in order."""

    def append(
        self,
        captures: Sequence[Captured],
        drained: Mapping[str, int] | None = None,
        meanwhile: Meanwhile | None = None,
        kept: Sequence[Captured] | None = None,
    ) -> list[Observation | None]:
        """Store what is new, all or nothing; None stands for a repeat.

        `kept` says what is written of each, if that is not all of it. What makes it itself is all of it in any case, so
        that it has the same id, and is the same event, however much is kept.
        `drained` says how many records of each spool file are in the log with this; it commits with them. `meanwhile`
        may be called with the turns that close with this, while it is written; it must not ask the engine for anything.
        """
        ...

    def drained(self) -> dict[str, int]:
        """Return what the last append of spooled records said."""
        ...

    def read(
        self,
        *,
        session: str | None = None,
        project: str | None = None,
        after: int = 0,
        limit: int = 100,
        newest_first: bool = False,
    ) -> list[Observation]: ...

    def get(self, observation_id: str) -> Observation | None: ...

    def known(self, session_id: str, event_ids: Sequence[str]) -> set[str]:
        """Return those of these events that are in the log, or were before they were forgotten for good."""
        ...

    def sessions(self, limit: int = 100) -> list[Session]: ...

    def session(self, session_id: str) -> Session | None: ...

    def close_turn(self, session_id: str) -> None:
        """Close a session's open turn now: whoever runs the conversation knows that it is over."""
        ...

    def close_turns(self, session_ids: Sequence[str]) -> None:
        """Close the open turns of imported sessions now, all in one transaction."""
        ...

    def note_injection(self, session_id: str, shown: frozenset[str]) -> None:
        """Remember what the agent of this session has been shown."""
        ...

    def end_silent_sessions(self, now_ms: int) -> int:
        """End each session of an agent that has been silent for too long, and say how many were ended."""
        ...

    def close_due_turns(self, now_ms: int) -> int:
        """Close each turn whose end has come, queue it, and say how many were closed."""
        ...

    def turn(self, work: Work) -> Turn:
        """Return the turn that one extraction looks at."""
        ...

    def has_tool_call_naming(self, word: str, after: int) -> bool:
        """Whether a tool was called with this word somewhere in its input, after a place in the log."""
        ...

    def act(self, kind: str, target: str, data: Mapping[str, JSON], at_ms: int) -> int:
        """Log what someone asked for; returns its position."""
        ...

    def acts(self, kind: str | None = None, target: str | None = None) -> list[tuple[int, str, str, JSON]]: ...

    def search(self, query: str, limit: int, project: str | None = None) -> list[Hit]: ...


class Inbox(Protocol):
    """Work that waits: pending -> leased -> done | skipped | dead."""

    def claim(self, stage: Stage, limit: int, now_ms: int, lease_ms: int, token: str) -> list[Work]:
        """Lease up to `limit` pieces. Attempts count here, so that a crash is an attempt too."""
        ...

    def done(self, work: Work) -> None:
        """Finish it, or raise LeaseLost: then nothing of the surrounding transaction may stay."""
        ...

    def skip(self, work: Work, reason: str) -> None: ...

    def fail(self, work: Work, reason: str, retry_at_ms: int, max_attempts: int) -> bool:
        """Give it back with the attempts and waits of the work, or declare it dead after too many; says which."""
        ...

    def put_back(self, works: Sequence[Work]) -> None:
        """Give back what was claimed and not looked at: that is no attempt."""
        ...

    def put_back_all(self) -> int:
        """Give back everything that is leased, as no attempt: for a steward that stops because it was asked to."""
        ...

    def release_all(self) -> int:
        """Give back everything that is leased: only for a process that has just become steward."""
        ...

    def enqueue(self, work: Work, stage: Stage, now_ms: int, skip_reason: str = "") -> None:
        """Queue a turn for a further stage, or record why it is skipped there."""
        ...

    def retry(self, ids: Iterable[int] | None, now_ms: int) -> int:
        """Queue dead or skipped work again by its ids, or all that is dead; says how many."""
        ...

    def ask_again(self, work: Work, now_ms: int) -> None:
        """Let a model look once more at a turn that it has answered about."""
        ...

    def retry_over_budget(self, now_ms: int) -> int:
        """Queue again what was skipped because a model costs too much. What came in old, or is damaged, stays."""
        ...

    def revive(self, since_ms: int, now_ms: int) -> int:
        """Queue again what died because no model was there."""
        ...

    def listing(self, states: Sequence[str], limit: int = 100) -> list[Work]:
        """The work in these states: the first state first, and the oldest of each."""
        ...

    def counts(self) -> dict[str, int]: ...

    def next_ready_ms(self, stage: Stage) -> int | None: ...


class Learnings(Protocol):
    """The learnings: derived, rebuilt from the log at will."""

    def add(
        self,
        turn: Turn,
        found: Sequence[Learning],
        kept: Sequence[Learning | None] | None = None,
        first_ordinal: int = 0,
    ) -> list[Learned]:
        """Store a turn's learnings, each under the number of its place.

        `kept` has each of what was `found` as the policies allow it, and None where one must not be kept. An id follows
        from the source and the words that were found there, and from nothing that erasing moves.
        """
        ...

    def recent(self, since_ms: int, project: str | None = None, limit: int = 200) -> list[Learned]: ...

    def all(self) -> list[Learned]: ...

    def preferences(self, project: str = "") -> list[Learned]:
        """The preferences in force, oldest first: the person's own, or those of one project."""
        ...

    def retract(self, learning_id: str) -> None: ...

    def move(self, learning_id: str, project: str) -> None:
        """Make a learning a project's, or with "" the person's own."""
        ...

    def get(self, ids: Sequence[str]) -> list[Learned]:
        """By id, in the order asked for; unknown ids are left out."""
        ...

    def at_the_gate(self, limit: int) -> list[Learned]:
        """Return the learnings that have not been judged, in the order of the log."""
        ...

    def set_verdict(self, learning_id: str, verdict: str, item_id: str) -> None: ...

    def kept_as(self, ids: Sequence[str]) -> dict[str, str]:
        """For each id that is a learning's: the memory that it became, or else what it was learned from."""
        ...

    def clear_verdicts(self) -> None:
        """Let the gate judge everything again."""
        ...

    def search(self, query: str, limit: int, project: str | None = None) -> list[Hit]: ...

    def clear(self, work: Work | None = None) -> None:
        """Delete what was learned, or only what one turn taught, so that it can be learned again."""
        ...


class StoredActions(Protocol):
    """The pending actions, kept for the person and the agent."""

    def version(self) -> tuple[int, ...]:
        """The same for as long as no action can have changed, but for what is told to nobody."""
        ...

    def add(self, learned: Learned) -> Action | None:
        """The action, unless there is one with this id already."""
        ...

    def pending(self, project: str | None = None) -> list[Action]: ...

    def unfinished(self) -> list[Action]:
        """Return the actions that are pending, and those that would be, were they not hidden."""
        ...

    def pending_among(self, action_ids: Sequence[str]) -> list[Action]: ...

    def all(self) -> list[Action]: ...

    def set_status(self, action_id: str, status: ActionStatus, by: str, reason: str, at_ms: int) -> Action: ...


class Replies(Protocol):
    """The replies of models, append-only, so that a rebuild asks nothing."""

    def add(self, work: Work, reply: LoggedReply, at_ms: int) -> None: ...

    def of_turn(self, session: str, turn: int, last_position: int) -> list[LoggedReply]: ...

    def erase(self, work: Work) -> None:
        """Erase what a model answered about a turn."""
        ...

    def all(self) -> list[KeptReply]: ...


class Spend(Protocol):
    """Money, in nanodollars: reserved before each call, settled after."""

    def reserve(
        self,
        reservation_id: str,
        day: str,
        session: str,
        nanodollars: int,
        daily_ceiling: int,
        session_ceiling: int,
    ) -> bool:
        """Set the sum aside if both ceilings allow it, else say no."""
        ...

    def settle(self, reservation_id: str, nanodollars: int, *, by_own_count: bool = False) -> None:
        """Say what a call cost, once; `by_own_count` if its server reported far less than we counted."""
        ...

    def on_day(self, day: str) -> int: ...

    def own_counts_on_day(self, day: str) -> int:
        """Count the calls that were settled by our own count."""
        ...

    def in_session(self, session: str) -> int: ...

    def last_day(self) -> str | None: ...


class Mirrors(Protocol):
    """The content that we last wrote to each human-readable file."""

    def last_written(self, name: str) -> tuple[bytes, bytes, int]:
        """The bytes, what stood there before, and where the log ended then; nothing and 0 if we never wrote it."""
        ...

    def record(self, name: str, data: bytes, before: bytes) -> None:
        """Note what is about to be written and what stands there, so that a crash is not taken for an edit.

        Once it is written, note it with itself as `before`.
        """
        ...
