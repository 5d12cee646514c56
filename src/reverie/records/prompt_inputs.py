"""The values behind the sections of a prompt, and the protocols of the places where they are kept.

A prompt is composed from one `PromptInputs`, read before anything is rendered. A part that could not be read is named
in `unread`; the rest of the prompt does not wait for it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, Protocol

from reverie.records import JSON, Action, Goal, Learned
from reverie.records.conversation_values import Segment

# ---- reminders


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminder:
    """Something to be told at a time. `internal` ones are for the agent itself."""

    id: str
    title: str
    due_ms: int
    note: str = ""
    kind: Literal["user", "internal"] = "user"
    status: Literal["active", "done"] = "active"
    created_ms: int = 0
    changed_ms: int = 0
    version: int = 1


class Reminders(Protocol):
    """Reminders, kept for the person."""

    def put(self, reminder: Reminder, version: int | None = None) -> Reminder:
        """Add one, or replace the one with its id; with `version` only if it is still that, else StaleVersion."""
        ...

    def get(self, reminder_id: str) -> Reminder | None: ...

    def all(self, status: str | None = "active") -> list[Reminder]:
        """By the time they are due."""
        ...

    def remove(self, reminder_id: str) -> bool: ...


# ---- punchclock


class PunchState(StrEnum):
    RUNNING = "running"
    PAUSED = "paused"
    COMPLETED = "completed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Punch:
    """Time spent on something. Each interval is (from, to); the last one is open (None) while it runs."""

    id: str
    label: str
    state: PunchState
    intervals: tuple[tuple[int, int | None], ...]
    note: str = ""
    created_ms: int = 0
    completed_ms: int | None = None
    version: int = 1

    def spent_ms(self, now_ms: int) -> int:
        """Return the milliseconds that it ran until now.

        >>> Punch(id="1", label="x", state=PunchState.RUNNING, intervals=((0, 10), (20, None))).spent_ms(25)
        15
        """
        return sum(max(0, (now_ms if end is None else end) - begin) for begin, end in self.intervals)


class Punches(Protocol):
    """Stretches of work, kept for the person."""

    def put(self, punch: Punch, version: int | None = None) -> Punch: ...

    def get(self, punch_id: str) -> Punch | None: ...

    def all(self) -> list[Punch]:
        """In the order they began."""
        ...

    def remove(self, punch_id: str) -> bool: ...


# ---- domain documents


LARGE_SECTION_CHARS = 5_000  # of a document's section, from which it is flagged as large
DOCUMENT_DEPTH = 1  # how deep sections of a document may be nested below the top level


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentSection:
    """One section of a document; `parent_id` is empty at the top level."""

    id: str
    header: str
    content: str = ""
    summary: str = ""  # one line, shown while it is collapsed
    parent_id: str = ""
    place: int = 0  # among its siblings
    collapsed: bool = False
    expanded_by_default: bool = True  # what it goes back to when a segment ends
    pinned: bool = False  # a pinned section is never collapsed
    by: Literal["user", "agent"] = "user"  # who wrote its text last


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """Knowledge about one domain, written by the person and their agents, in sections."""

    name: str
    title: str = ""
    description: str = ""
    enabled: bool = True  # a document that is not enabled is kept, and not shown in the prompt
    sections: tuple[DocumentSection, ...] = ()
    created_ms: int = 0
    changed_ms: int = 0
    version: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentVersion:
    """One edit: who did what to which section, and how the text changed."""

    name: str
    version: int
    at_ms: int
    by: str
    operation: str
    header: str
    diff: str


class Documents(Protocol):
    """Domain documents with every version of them."""

    def put(self, document: Document, edit: DocumentVersion, version: int | None = None) -> None:
        """Write a document whole, and note the edit that led there; with `version` only if it still is (0: new)."""
        ...

    def get(self, name: str) -> Document | None: ...

    def all(self) -> list[Document]:
        """By name."""
        ...

    def versions(self, name: str) -> list[DocumentVersion]:
        """Newest first."""
        ...

    def at_version(self, name: str, version: int) -> Document | None:
        """The document as it was."""
        ...

    def remove(self, name: str) -> bool: ...


# ---- context search


class SearchState(StrEnum):
    PENDING = "pending"
    SUCCESS = "success"
    FAILED = "failed"
    TIMED_OUT = "timed_out"


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One line of a search's result: whose memory, and why it was found."""

    id: str
    text: str
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextSearch:
    """A search that runs beside the conversation; its results stay until the segment collapses."""

    id: str
    query: str
    state: SearchState
    segment_id: str
    asked_turn: int
    asked_ms: int
    finished_turn: int = 0
    found: tuple[SearchResult, ...] = ()
    problem: str = ""


class ContextSearches(Protocol):
    def put(self, search: ContextSearch) -> None: ...

    def get(self, search_id: str) -> ContextSearch | None: ...

    def all(self, segment_id: str | None = None) -> list[ContextSearch]:
        """In the order they were asked."""
        ...

    def clear(self, segment_id: str) -> int:
        """Drop those of a segment; says how many there were."""
        ...


# ---- tools that are loaded

IDLE_TURNS = 5  # without use, then a tool is unloaded at the next break of the prefix
FALLBACK_TURNS = 1  # that a tool which was only tried stays


@dataclass(frozen=True, slots=True)
class LoadedToolInfo:
    """A tool whose definition the model has been given."""

    name: str
    loaded_turn: int
    last_used_turn: int
    is_fallback: bool = False  # loaded because nothing fitted; goes after one turn
    is_essential: bool = False  # never unloaded

    def is_due(self, turn: int) -> bool:
        """Whether it may go in the turn that begins. A fallback tool was only lent: what counts is when.

        >>> LoadedToolInfo("old", 1, 2).is_due(8), LoadedToolInfo("new", 6, 6).is_due(8)
        (True, False)
        """
        if self.is_fallback:
            return not self.is_essential and turn - self.loaded_turn > FALLBACK_TURNS
        return not self.is_essential and turn - max(self.loaded_turn, self.last_used_turn) > IDLE_TURNS


class LoadedTools(Protocol):
    """The tools that each conversation has loaded, so that a restart changes nothing of its prefix."""

    def put(self, continuum_id: str, tool: LoadedToolInfo) -> None: ...

    def all(self, continuum_id: str) -> list[LoadedToolInfo]:
        """In the order they were loaded: the order in which definitions stand in the prefix."""
        ...

    def remove(self, continuum_id: str, name: str) -> bool: ...


@dataclass(frozen=True, slots=True)
class ToolNote:
    """A tool as the prompt names it: what it is for, and what its maker wants said while it is loaded."""

    name: str
    description: str
    hints: str = ""


@dataclass(frozen=True, slots=True)
class ToolState:
    """Tools of a conversation: all that there are, and those that are loaded."""

    available: tuple[ToolNote, ...] = ()
    loaded: tuple[LoadedToolInfo, ...] = ()
    fallback: bool = False


class ToolRepo(Protocol):
    """Loads and unloads tools: what ToolLoaderTrinket cleans up through."""

    def state(self, continuum_id: str) -> ToolState: ...

    def load(self, continuum_id: str, name: str, turn: int, *, fallback: bool = False) -> LoadedToolInfo: ...

    def unload(self, continuum_id: str, name: str) -> bool: ...

    def used(self, continuum_id: str, name: str, turn: int) -> None: ...

    def clean_up(self, continuum_id: str, turn: int, *, may_break: bool) -> tuple[str, ...]:
        """Unload what is due, if the prefix may break; says what went."""
        ...


# ---- memories that surfaced


@dataclass(frozen=True, slots=True, kw_only=True)
class Surfaced:
    """A memory that came up for a turn, with what it is linked to."""

    id: str
    text: str
    when_ms: int
    who: str = ""
    type: str = ""
    why: str = ""
    score: float = 0.0
    trust: str = ""
    linked: tuple["Surfaced", ...] = ()


# ---- the state of sections


@dataclass(frozen=True, slots=True)
class SectionState:
    """The last text of a section. `updated_at` is ISO 8601 in UTC."""

    content: str
    cache_policy: bool
    updated_at: str


class SectionStates(Protocol):
    """The last texts of one user's sections. Raises StoreError (or a timeout) when it cannot answer in time."""

    def save(self, changed: Mapping[str, SectionState | None]) -> None:
        """Write these in one go; None clears one."""
        ...

    def get(self, name: str) -> SectionState | None: ...

    def all(self) -> dict[str, SectionState]: ...


# ---- all of them together


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptInputs:
    """Everything that one user's prompt may show, as it was at one moment."""

    user_id: str
    first_name: str = ""
    key: str = ""  # of the conversation: marks where the person's words end
    soul: str = ""
    user: str = ""
    memory_state: str = ""  # MEMORY.md
    scratch: str = ""
    journal_digest: str = ""
    reminders: Sequence[Reminder] = ()
    punches: Sequence[Punch] = ()
    documents: Sequence[Document] = ()
    segments: Sequence[Segment] = ()  # oldest first; the active one, if any, last
    searches: Sequence[ContextSearch] = ()
    tools: ToolState = ToolState()
    learnings: Sequence[Learned] = ()
    actions: Sequence[Action] = ()
    goals: Sequence[Goal] = ()
    extra: Mapping[str, JSON] = field(default_factory=dict)  # for trinkets of one's own
    unread: Mapping[str, str] = field(default_factory=dict)  # parts that could not be read, and why
