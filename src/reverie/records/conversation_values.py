"""The values of a running conversation: messages, segments, what is sent to a model, and what it says.

Roles and tool calls are the same for every provider; `window/` renders them for one.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, Protocol

from reverie.records import JSON

MAIN = "main"  # the conversation that is meant where none is named


class Role(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"  # the result of one tool call


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model asks for a tool."""

    id: str
    name: str
    input: JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a conversation. A tool's result names the call that it answers."""

    role: Role
    text: str
    at_ms: int = 0
    turn: int = 0
    id: str = ""  # of the observation that is its home; empty for what is only shown (markers, summaries)
    segment_id: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    call_id: str = ""
    tool_name: str = ""
    failed: bool = False
    of_host: tuple[tuple[int, str], ...] = ()  # what stood within a host's tags, each with its place in the text


class SegmentState(StrEnum):
    ACTIVE = "active"
    PAUSED = "paused"
    COLLAPSED = "collapsed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A stretch of one conversation. Its id is the session of its observations."""

    id: str
    continuum_id: str
    state: SegmentState
    began_ms: int
    last_ms: int
    first_turn: int = 0
    last_turn: int = 0
    title: str = ""
    summary: str = ""
    complexity: int = 1
    tools_used: tuple[str, ...] = ()
    collapsed_ms: int | None = None
    done: frozenset[str] = frozenset()  # steps of the collapse that are over, so that a retry does none twice
    problem: str = ""  # why the last attempt to collapse it failed
    version: int = 1


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool as a model is told of it."""

    name: str
    description: str
    input_schema: Mapping[str, JSON]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request to a model: the cached prefix (tools, `cached`, history), then what changes from turn to turn.

    `system` is what is volatile and stands in the system prompt all the same; `tail` stands after the history, as a
    trailing block of the user message of this turn (the last message with role user).
    """

    cached: str
    messages: tuple[Message, ...]
    system: str = ""
    tail: str = ""
    tools: tuple[ToolDefinition, ...] = ()
    max_output_tokens: int = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """The answer of a model: words, tool calls, or both."""

    text: str
    model: str
    tool_calls: tuple[ToolCall, ...] = ()
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    end: Literal["done", "tools", "limit", "cancelled"] = "done"


class Converser(Protocol):
    """A model that one can converse with. Raises a ModelError for everything that is not a usable answer."""

    @property
    def name(self) -> str: ...

    def converse(
        self,
        request: Request,
        on_text: Callable[[str], None] = lambda _: None,
        is_cancelled: Callable[[], bool] = lambda: False,
    ) -> Said:
        """One answer. Its words are handed to `on_text` as they come; once cancelled, what came so far is returned
        with end "cancelled", and the connection is closed."""
        ...


@dataclass(frozen=True, slots=True)
class Moment:
    """The time and place in a conversation at which a tool is called."""

    at_ms: int
    continuum_id: str = ""
    segment_id: str = ""
    turn: int = 0


class Tool(Protocol):
    """A tool that an agent may call. One instance serves one user."""

    @property
    def name(self) -> str: ...

    @property
    def description(self) -> str: ...

    @property
    def hints(self) -> str:
        """Tell the model what it should know while the tool is loaded; "" if nothing."""
        ...

    @property
    def input_schema(self) -> Mapping[str, JSON]: ...

    def run(self, arguments: Mapping[str, JSON], moment: Moment) -> JSON:
        """Do it, or raise BadInput with the way out."""
        ...


class Conversations(Protocol):
    """Messages and segments of every conversation of one user."""

    def add(self, continuum_id: str, message: Message) -> None:
        """Put a message at the end; one that the conversation has is a no-op. Its text has one home, in the log."""
        ...

    def messages(self, continuum_id: str, segment_id: str) -> list[Message]:
        """In order, with their texts from the log; what was forgotten is left out, with its pair."""
        ...

    def last_turn(self, continuum_id: str) -> int: ...

    def put_segment(self, segment: Segment, version: int | None = None) -> Segment:
        """Add or replace; with `version` only if it is still that, else StaleVersion."""
        ...

    def segments(self, continuum_id: str, limit: int = 30) -> list[Segment]:
        """The newest, oldest of them first."""
        ...

    def segment(self, segment_id: str) -> Segment | None: ...

    def all_segments(self) -> list[Segment]:
        """Of all conversations, oldest first."""
        ...

    def open_segments(self) -> list[Segment]:
        """Every segment that is not collapsed, of all conversations."""
        ...


# ---- the cache ledger


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a request in the order in which a provider reads it: `tools`, a section, a message, the tail."""

    name: str
    address: str  # of its bytes
    size: int
    tokens: int
    cached: bool  # whether it stands before the last breakpoint that outlives this turn


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEntry:
    """The cost of one request for the provider's cache: which bytes stayed, what broke it, what was billed again."""

    continuum_id: str
    segment_id: str
    turn: int
    request: int  # within the turn: a tool loop makes several
    at_ms: int
    model: str
    blocks: tuple[Block, ...]
    kept_bytes: int = 0
    kept_tokens: int = 0
    new_tokens: int = 0  # that no earlier request could have had: new messages
    tail_tokens: int = 0
    rebilled_tokens: int = 0  # that an unbroken prefix would have kept
    broken_by: str = ""  # the first block that differs; empty if the prefix is whole
    cause: str = ""  # why, in words
    rebilled_nanodollars: int = 0
    saved_nanodollars: int = 0
    usage: Mapping[str, int] = field(default_factory=dict)  # what the provider itself counted


class Ledger(Protocol):
    """Every composed request of one user, append-only."""

    def add(self, entry: LedgerEntry) -> None: ...

    def last(self, continuum_id: str) -> LedgerEntry | None: ...

    def entries(self, continuum_id: str, limit: int = 100) -> list[LedgerEntry]:
        """The newest, oldest of them first."""
        ...

    def expire(self, before_ms: int) -> int:
        """Drop what is older, with the texts that nothing names any more; says how many entries went."""
        ...

    def keep(self, text: str) -> str:
        """Keep the bytes of a block; returns their address."""
        ...

    def text(self, address: str) -> str | None: ...
