"""The values that travel between the rooms of the house.

All of them are frozen. What is optional in the outside world has a plain default here; what must be known is
required. Times are milliseconds since 1970 in UTC (`…_ms`), taken from the record and never from the clock.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

JSON: TypeAlias = "dict[str, JSON] | list[JSON] | str | int | float | bool | None"

LOCAL_USER = "local"


class Kind(StrEnum):
    """What an observation is."""

    TOOL_CALL = "tool_call"
    USER_MESSAGE = "user_message"
    ASSISTANT_MESSAGE = "assistant_message"
    NOTE = "note"
    SYSTEM = "system"


class LearningType(StrEnum):
    """What a learning says. The names are the words a model answers with."""

    FACT = "fact"
    PATTERN = "pattern"
    CORRECTION = "correction"
    PREFERENCE = "preference"
    ACTION = "action"


class Trust(StrEnum):
    """Whose word it is, most trusted first. A learning has the lowest trust among its sources."""

    PERSON = "person"
    PERSON_FILE = "person_file"
    ASSISTANT = "assistant"
    LOCAL_TOOL = "local_tool"
    OUTSIDE_TOOL = "outside_tool"  # web and MCP tools

    def __lt__(self, other: str) -> bool:
        """Whether this is trusted less than the other.

        >>> Trust.OUTSIDE_TOOL < Trust.PERSON
        True
        """
        order = list(Trust)
        return order.index(self) > order.index(Trust(other))


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool that was called: its name, its input as it was given, and whether it failed."""

    name: str
    input: JSON = None
    failed: bool = False


def argument_of(tool: ToolUse) -> str:
    """What a tool was called with, in a word: its first text argument.

    >>> argument_of(ToolUse("Bash", {"timeout": 5, "command": "pytest -q"}))
    'pytest -q'
    """
    if isinstance(tool.input, dict):
        return next((value for value in tool.input.values() if isinstance(value, str) and value), "")
    return tool.input if isinstance(tool.input, str) else ""


# Our own tools by which an agent looks things up. What they answer is memory already: it stays in the log, because a
# conversation needs it, and is not remembered, learned from or shown a second time.
RECALL_TOOLS = frozenset({"memory", "get_context", "tool_repo"})


def is_recall(tool: ToolUse | None) -> bool:
    """Whether a tool call only looked into memory."""
    return tool is not None and tool.name in RECALL_TOOLS


TITLE_CHARS = 200  # of the line that says which tool was called with what


def title_of(tool: ToolUse | None) -> str:
    """One line that says which tool was called with what; nothing where there is no tool.

    >>> title_of(ToolUse("Bash", {"command": "pytest -q", "timeout": 5}))
    'Bash: pytest -q'
    """
    if tool is None:
        return ""
    argument = argument_of(tool)
    return f"{tool.name}: {argument}"[:TITLE_CHARS] if argument else tool.name[:TITLE_CHARS]


@dataclass(frozen=True, slots=True, kw_only=True)
class Captured:
    """What a door saw, with its secrets out, before it has a place in the log.

    `text` is what was said, or what the tool answered. `metadata` keeps the rest of what the host told.
    `event_id` is the host's own id for the event; a repeat of it is a no-op.
    """

    kind: Kind
    text: str
    session: str
    occurred_ms: int
    speaker: str = ""
    project: str = ""
    tool: ToolUse | None = None
    event: str = ""
    event_id: str = ""
    source: str = "api"
    metadata: Mapping[str, JSON] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation(Captured):
    """A captured event with its place in the log. Order is `position`, never the clock."""

    id: str
    position: int
    sequence_num: int
    turn: int
    recorded_ms: int
    user: str = LOCAL_USER

    @property
    def is_live(self) -> bool:
        """Whether it came in as it happened. What came later has a time of its own, which may be long ago."""
        return self.source in ("hook", "api")


@dataclass(frozen=True, slots=True)
class Turn:
    """One user message and everything up to the reply: what one extraction looks at.

    `before` holds the observations that came before it in the session, oldest first (at most ten);
    `earlier_tools` the tool calls of the session before this turn, oldest first, for repeated sequences.
    A supplement is a turn whose observations came late, after it had been closed.
    """

    session: str
    number: int
    observations: tuple[Observation, ...]
    before: tuple[Observation, ...] = ()
    earlier_tools: tuple[Observation, ...] = ()
    project: str = ""

    @property
    def last_position(self) -> int:
        return self.observations[-1].position


class Priority(StrEnum):
    """How soon an action wants doing, most pressing first."""

    URGENT = "urgent"
    HIGH = "high"
    NORMAL = "normal"


class Owner(StrEnum):
    """Who is to do an action. An agent cannot complete a user's action."""

    AGENT = "agent"
    USER = "user"


class Scope(StrEnum):
    """How far a learning holds: wherever its person works, or only in the project where it was said."""

    PERSON = "person"
    PROJECT = "project"


@dataclass(frozen=True, slots=True, kw_only=True)
class Learning:
    """Something worth knowing, distilled from one observation, not yet stored.

    `subject` is what it is about ("reply language", "test command"): a newer preference with the same subject
    supersedes the older one. Priority and owner matter for actions only. The scope of what nobody looked at is the
    project, because what is told too widely does more harm than what is told too narrowly.
    """

    type: LearningType
    text: str
    confidence: float
    observation_id: str
    subject: str = ""
    trust: Trust = Trust.PERSON
    priority: Priority = Priority.NORMAL
    owner: Owner = Owner.AGENT
    origin: str = "rules"  # or the name of the model that said it
    scope: Scope = Scope.PROJECT


class Stage(StrEnum):
    """Which extraction a piece of work waits for. Rules come first, at once; a model is a metered upgrade."""

    RULES = "rules"
    MODEL = "model"


class WorkState(StrEnum):
    """pending -> leased -> done | skipped | dead. `processed` is 0, 0, 1, -1 and -1."""

    PENDING = "pending"
    LEASED = "leased"
    DONE = "done"
    SKIPPED = "skipped"
    DEAD = "dead"


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """One closed turn (or supplement) that waits for, or went through, one stage."""

    id: int
    stage: Stage
    session: str
    turn: int
    first_position: int
    last_position: int
    closed_ms: int
    state: WorkState = WorkState.PENDING
    attempts: int = 0
    token: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned(Learning):
    """A learning in the record, with where it came from and what became of it."""

    id: str
    project: str
    session: str
    position: int  # of the source observation
    learned_ms: int  # the source's time: when it came in, or when it happened if that was long before
    superseded_by: str = ""


class ActionStatus(StrEnum):
    PENDING = "pending"
    DONE = "done"
    DISMISSED = "dismissed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """Something to be done later. `version` counts its changes."""

    id: str
    text: str
    priority: Priority
    owner: Owner
    status: ActionStatus
    project: str
    created_ms: int
    trust: Trust = Trust.PERSON
    version: int = 1
    closed_by: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One run of an agent. It ends at SessionEnd; a Stop only ends a turn."""

    id: str
    project: str
    started_ms: int
    last_ms: int
    ended_ms: int | None
    message_count: int
    observation_count: int
    turn: int
    shown: frozenset[str] = frozenset()  # what its agent has been shown since the last compaction


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedReply:
    """A model's answer as it is kept: what it answered (purpose), what it said, what it cost."""

    purpose: str
    prompt_hash: str
    text: str
    model: str
    input_tokens: int = 0
    output_tokens: int = 0
    nanodollars: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """Something a search found, in one line; `timeline` tells what was around it, `show` the whole."""

    id: str
    what: str  # an observation's kind or a learning's type
    text: str
    when_ms: int
    session: str = ""
    project: str = ""
    speaker: str = ""
    score: float = 0.0
    title: str = ""  # its first line
    tokens: int = 0  # what the whole text would cost
    store: str = ""
    sources: tuple[str, ...] = ()  # the observations it comes from
    given_ids: tuple[str, ...] = ()  # what whoever observed those called them
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """What a person wants to know about the record at a glance."""

    observations: int
    sessions: int
    learnings: int
    waiting: int
    oldest_waiting_ms: int | None
    dead: int
    last_error: str
    last_capture_ms: Mapping[str, int]  # by project


# ---- memories


class ItemType(StrEnum):
    """What a memory item is."""

    USER_MESSAGE = "user_message"
    ASSISTANT_MESSAGE = "assistant_message"
    TOOL_RESULT = "tool_result"
    THOUGHT = "thought"
    ACTION = "action"
    PLAN = "plan"
    GOAL = "goal"
    SKILL = "skill"
    SUMMARY = "summary"
    FACT = "fact"
    PREFERENCE = "preference"
    CORRECTION = "correction"
    PATTERN = "pattern"
    METRIC = "metric"
    OBSERVATION = "observation"
    ERROR = "error"
    POINTER = "pointer"
    INSIGHT = "insight"


class Source(StrEnum):
    """Where an item comes from."""

    USER = "user"
    TOOL = "tool"
    SYSTEM = "system"
    MODEL = "model"


class Lifecycle(StrEnum):
    """generated -> activated -> consolidated -> archived | expired; frozen for skills.

    Quarantined items wait for a person; only the first three and frozen ones are recalled unless asked for.
    """

    GENERATED = "generated"
    ACTIVATED = "activated"
    CONSOLIDATED = "consolidated"
    FROZEN = "frozen"
    ARCHIVED = "archived"
    EXPIRED = "expired"
    QUARANTINED = "quarantined"


class Redaction(StrEnum):
    """How much of an item's text was taken out before it was stored."""

    NONE = "none"
    PARTIAL = "partial"
    FULL = "full"


WORKING = "working"
EPISODIC = "episodic"
SEMANTIC = "semantic"
CONVERSATION = "conversation"
AUTO = "auto"  # let the gate decide


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryItem:
    """The unit that is stored in a memory type.

    `id` of a whole message is its observation's: a text has one home. `position` is its place in the log, by which
    items are ordered. `subject` is what it is about: in semantic memory a newer item of the same subject supersedes
    the older one, whose validity then ends. `sources` are the observations it comes from. `recency`, `embedding` and
    `sparse_terms` are computed, and filled in only where somebody asked for them.
    """

    id: str
    type: ItemType
    text: str
    created_ms: int  # when it happened or was learned: the seed's timestamp
    store: str = AUTO
    user: str = LOCAL_USER
    project: str = ""
    session: str = ""
    speaker: str = ""
    agent: str = ""
    task: str = ""
    episode: str = ""
    tokens_estimate: int = 0
    importance: float = 0.5
    novelty: float = 1.0
    recency: float = 1.0
    confidence: float = 1.0
    source: Source = Source.USER
    trust: Trust = Trust.PERSON
    lifecycle: Lifecycle = Lifecycle.GENERATED
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, JSON] = field(default_factory=dict)
    retention: str = ""  # a policy's name; see RetentionSettings
    ttl_ms: int | None = None
    redaction_status: Redaction = Redaction.NONE
    checksum: str = ""
    accessed_ms: int | None = None
    access_count: int = 0
    modified_ms: int | None = None
    deleted_ms: int | None = None
    position: int = 0
    step_index: int = 0
    parent_id: str = ""
    chunk_index: int = 0
    version: int = 1
    lineage_ids: tuple[str, ...] = ()
    subject: str = ""
    valid_from_ms: int | None = None  # None: since ever
    valid_to_ms: int | None = None  # None: still
    superseded_by: str = ""
    sources: tuple[str, ...] = ()
    embedding: tuple[float, ...] | None = None
    sparse_terms: tuple[str, ...] = ()

    @property
    def is_current(self) -> bool:
        """Whether it may be shown to someone who did not ask for old, hidden or doubtful items."""
        return (
            self.deleted_ms is None
            and not self.superseded_by
            and self.lifecycle not in (Lifecycle.ARCHIVED, Lifecycle.EXPIRED, Lifecycle.QUARANTINED)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Which items may be found. An empty field asks for nothing.

    `project` means that project and what is personal (items of no project); None means every project. `valid_at_ms`
    means what held at that moment, whatever has replaced it since, and nothing that came later.
    """

    project: str | None = None
    session: str = ""
    speaker: str = ""
    agent: str = ""
    task: str = ""
    stores: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()  # all of them
    after_ms: int | None = None
    before_ms: int | None = None
    valid_at_ms: int | None = None
    min_importance: float = 0.0
    min_trust: Trust = Trust.OUTSIDE_TOOL
    subject: str = ""
    superseded: bool = False  # show these too
    quarantined: bool = False
    expired: bool = False
    deleted: bool = False  # what was forgotten softly, so that it can be brought back or erased

    def admits(self, item: MemoryItem) -> bool:
        """Whether an item passes: what every engine and index must agree with.

        >>> fact = MemoryItem(id="1", type=ItemType.FACT, text="", created_ms=5, project="/a")
        >>> Filters(project="/a", before_ms=6).admits(fact), Filters(before_ms=5).admits(fact)
        (True, False)
        """
        return self._shows(item) and (
            (self.project is None or item.project in (self.project, ""))
            and self.session in ("", item.session)
            and self.speaker in ("", item.speaker)
            and self.agent in ("", item.agent)
            and self.task in ("", item.task)
            and self.subject in ("", item.subject)
            and (not self.stores or item.store in self.stores)
            and (not self.types or item.type in self.types)
            and set(self.tags) <= set(item.tags)
            and (self.after_ms is None or item.created_ms >= self.after_ms)
            and (self.before_ms is None or item.created_ms < self.before_ms)
            and item.importance >= self.min_importance
            and not item.trust < self.min_trust
        )

    def _shows(self, item: MemoryItem) -> bool:
        return (
            (self.deleted or item.deleted_ms is None)
            and (self._held(item, self.valid_at_ms) if self.valid_at_ms is not None else self._is_latest(item))
            and (self.quarantined or item.lifecycle is not Lifecycle.QUARANTINED)
            and (self.expired or item.lifecycle not in (Lifecycle.ARCHIVED, Lifecycle.EXPIRED))
        )

    def _is_latest(self, item: MemoryItem) -> bool:
        return self.superseded or not item.superseded_by

    def _held(self, item: MemoryItem, at_ms: int) -> bool:
        begins = item.created_ms if item.valid_from_ms is None else max(item.created_ms, item.valid_from_ms)
        return begins <= at_ms and (self.superseded or item.valid_to_ms is None or at_ms < item.valid_to_ms)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadContext:
    """A question to memory: what is asked, when, by whom, and how much room there is for the answer."""

    query_text: str
    at_ms: int  # the question's time: what "yesterday" is measured from
    task: str = ""
    agent: str = ""
    session: str = ""
    goal: str = ""
    last_plan: str = ""
    top_k: int = 10
    budget_tokens: int = 2000
    include: tuple[str, ...] = ()  # memory types; empty means all that are registered
    filters: Filters = field(default_factory=Filters)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """An item that a memory type offers, with its raw score and what the score is made of."""

    item: MemoryItem
    score: float
    parts: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """A ranked item: the formula's terms, what the similarity is made of, and how it is shown."""

    item: MemoryItem
    score: float
    similarity: float
    recency: float
    importance: float
    duplication: float
    parts: Mapping[str, float] = field(default_factory=dict)
    shown: str = ""  # the text that was packed, clipped around the match where the item is long
    tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryBundle:
    """What recall found and what of it fits: ranked, packed, with the reason for everything that was left out."""

    items: tuple[Recalled, ...]
    tokens: int
    budget_tokens: int
    left_out: tuple[tuple[str, str], ...] = ()  # (item id, why)


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteEvent:
    """Something that asks to be remembered, and where: a memory type, or `auto`."""

    item: MemoryItem
    store: str = AUTO


@dataclass(frozen=True, slots=True)
class Near:
    """A stored item that resembles one that asks to be stored: 1 is the same, 0 has nothing in common."""

    item: MemoryItem
    likeness: float


@dataclass(frozen=True, slots=True)
class Keep:
    """Store it. `item` is what is stored: redacted, scored, with its memory type."""

    item: MemoryItem
    reasons: tuple[str, ...] = ()
    supersedes: str = ""  # the item whose validity ends with this one


@dataclass(frozen=True, slots=True)
class Merge:
    """It is there already: strengthen that one."""

    item: MemoryItem
    into: str
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Drop:
    """Do not store it. The log still has its source."""

    item: MemoryItem
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Quarantine:
    """Store it out of sight until a person has looked at it."""

    item: MemoryItem
    reasons: tuple[str, ...] = ()


Verdict: TypeAlias = Keep | Merge | Drop | Quarantine


class Horizon(StrEnum):
    """How far away a goal is."""

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
    """What somebody works towards. `version` guards against two writers; `progress` is 0 to 1."""

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
    """How full a memory type is. None means that there is no limit."""

    items: int
    tokens: int
    max_items: int | None = None
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Stored:
    """What became of an item in its memory type: the rows it was written as, and what had to go for it."""

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
    """What a model says about two threads: whether they belong together, and how sure it is (0 to 1)."""

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
    """What happened to memory at a place in the log: a tick (what time did) or an act (what someone asked for)."""

    position: int
    kind: str
    data: Mapping[str, JSON]
    at_ms: int
    target: str = ""
