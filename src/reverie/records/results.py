"""The return values of the calls of `Memory`."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from reverie.foundation.text import title_line
from reverie.records import Goal, Hit, ItemType, MemoryItem, Recalled


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembled:
    """Context for a prompt: the text to inject, its tokens, and where each part of it comes from."""

    text: str
    tokens: int
    budget_tokens: int
    sources: tuple["Cited", ...]  # what the text was taken from, in the order of the text; nothing twice
    tokens_by_type: Mapping[str, int]  # of the text, for each memory type
    items: tuple[Recalled, ...]
    left_out: tuple[tuple[str, str], ...] = ()  # (item id, why)
    turn: str = ""  # what `explain` is asked for
    founded: float = 0.0  # how well what was found is founded, 0 to 1; below the floor nothing of it is told
    reason: str = ""  # for that, in words
    degraded: str = ""  # what was missing, in words; empty when nothing was


@dataclass(frozen=True, slots=True, kw_only=True)
class Cited:
    """The source of a memory: a message, a note or a tool call, in its session, with its date."""

    id: str  # of the observation in the log, or of the memory where it was not made of one
    type: str  # of the memory: user_message, tool_result, fact, …
    speaker: str
    session: str
    project: str
    when_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Tracked:
    """A tool invocation was logged; empty id: tracking is switched off."""

    ok: bool
    item_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memorized:
    """The result of `memorize`."""

    verdict: str  # keep, merge, drop or quarantine
    item_id: str = ""
    store: str = ""
    reasons: tuple[str, ...] = ()
    evicted: tuple[str, ...] = ()
    superseded: str = ""

    @property
    def ok(self) -> bool:
        return self.verdict in ("keep", "merge")


@dataclass(frozen=True, slots=True, kw_only=True)
class Committed:
    """A turn is over: what was written in it, what was used, and what is handed on."""

    turn: str
    written: Mapping[str, int]  # items by memory type
    used: tuple[str, ...]  # the items that were shown
    episodic: tuple[str, ...] = ()
    semantic: tuple[str, ...] = ()
    goals: tuple[Goal, ...] = ()  # those whose progress changed


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetStatus:
    """The tokens and time of the turn's budget that are used and left."""

    turn: str
    budget_tokens: int
    used_tokens: int
    remaining_tokens: int
    events: int
    seconds: float
    budget_seconds: float | None = None  # None: the turn has no time budget
    remaining_seconds: float | None = None
    stores: Mapping[str, tuple[int, int]] = field(default_factory=dict)  # items and tokens of each memory type


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """The items that a forget took away, or would take away."""

    items: int
    observations: int  # of the log, also such as are no memories
    hard: bool
    ids: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()  # what else went, a line each: learned of the same words, reminders, documents, goals
    warnings: tuple[str, ...] = ()  # what could not be done yet, and the way out
    owed_bytes: int = 0  # of the record's files that may still say what was forgotten for good, now or before
    waits_for: tuple[int, ...] = ()  # the processes that read, and so keep it from being emptied; where they are known


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """The counts of what a rebuild derived anew."""

    turns: int
    learnings: int


# What a search calls things: an observation by its kind, as the log does.
_WHAT = {ItemType.TOOL_RESULT: "tool_call", ItemType.ERROR: "tool_call", ItemType.OBSERVATION: "note"}


def hit_of(item: MemoryItem, score: float = 0.0, given_ids: tuple[str, ...] = (), why: str = "") -> Hit:
    """Render an item in one line."""
    return Hit(
        id=item.id,
        what=_WHAT.get(item.type, item.type.value),
        text=item.text,
        when_ms=item.created_ms,
        session=item.session,
        project=item.project,
        speaker=item.speaker,
        score=score,
        title=title_line(item.text),
        tokens=item.tokens_estimate,
        store=item.store,
        sources=item.sources,
        given_ids=given_ids,
        why=why,
    )
