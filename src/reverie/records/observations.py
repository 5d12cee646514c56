"""The values of observations, turns, learnings, work and sessions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

JSON: TypeAlias = "dict[str, JSON] | list[JSON] | str | int | float | bool | None"

LOCAL_USER = "local"


class Kind(StrEnum):
    """The kind of an observation."""

    TOOL_CALL = "tool_call"
    USER_MESSAGE = "user_message"
    ASSISTANT_MESSAGE = "assistant_message"
    NOTE = "note"
    SYSTEM = "system"


class LearningType(StrEnum):
    """The kind of a learning. The names are the words a model answers with."""

    FACT = "fact"
    PATTERN = "pattern"
    CORRECTION = "correction"
    PREFERENCE = "preference"
    ACTION = "action"


class Trust(StrEnum):
    """The source of a statement, most trusted first. A learning has the lowest trust among its sources."""

    PERSON = "person"
    PERSON_FILE = "person_file"
    ASSISTANT = "assistant"
    OTHER_PEOPLE = "other_people"  # whoever is named as a speaker, or said what the person reports
    LOCAL_TOOL = "local_tool"
    OUTSIDE_TOOL = "outside_tool"  # web and MCP tools

    # By trust, not by the alphabet: a text would bring the other three along.

    def __lt__(self, other: str) -> bool:
        """Whether this is trusted less than the other.

        >>> Trust.OUTSIDE_TOOL < Trust.PERSON, min(Trust.ASSISTANT, Trust.LOCAL_TOOL)
        (True, <Trust.LOCAL_TOOL: 'local_tool'>)
        """
        order = list(Trust)
        return order.index(self) > order.index(Trust(other))

    def __gt__(self, other: str) -> bool:
        return Trust(other) < self

    def __le__(self, other: str) -> bool:
        return not self > other

    def __ge__(self, other: str) -> bool:
        return not self < other

    @property
    def has_a_say(self) -> bool:
        """Whether wishes and orders count: those of the person, and what their assistant takes on for them."""
        return self >= Trust.ASSISTANT


def is_the_person(speaker: str, user: str) -> bool:
    """Whether a speaker is the person whose memory it is: without a name, by a word for it, or by the user's name.

    >>> is_the_person("", "ana"), is_the_person("Ana", "ana"), is_the_person("Mallory", "ana")
    (True, True, False)
    """
    return " ".join(speaker.split()).casefold() in ("", "user", "human", "me", user.casefold())


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool that was called: its name, its input as it was given, and whether it failed."""

    name: str
    input: JSON = None
    failed: bool = False


def argument_of(tool: ToolUse) -> str:
    """Return the first text argument of a tool call, as its short form.

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
    """An event that was captured, without its secrets, before it has a place in the log.

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


UNDATED = ("hook", "api", "file")  # sources of what came in as it happened, or when we first saw it


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
        """Whether it was said or done while we listened; a line in a file was written at some time before."""
        return self.source in ("hook", "api")

    @property
    def is_dated(self) -> bool:
        """Whether it came in with a time of its own, which may be long ago: from a transcript, or another system."""
        return self.source not in UNDATED


@dataclass(frozen=True, slots=True)
class Turn:
    """One user message and everything up to the reply: what one extraction looks at.

    `before` holds the observations that came before it in the session, oldest first (at most ten);
    `earlier_tools` the tool calls of the session before this turn, oldest first, for repeated sequences.
    A supplement is a turn whose observations came late, after it had been closed. `last_position` is the place in the
    log at which it was closed: it stays when the observation there is erased.
    """

    session: str
    number: int
    observations: tuple[Observation, ...]
    before: tuple[Observation, ...] = ()
    earlier_tools: tuple[Observation, ...] = ()
    project: str = ""
    last_position: int = 0


class Priority(StrEnum):
    """The urgency of an action, most pressing first."""

    URGENT = "urgent"
    HIGH = "high"
    NORMAL = "normal"


class Owner(StrEnum):
    """The one who is to do an action. An agent cannot complete a user's action."""

    AGENT = "agent"
    USER = "user"


class Scope(StrEnum):
    """The reach of a learning: wherever its person works, or only in the project where it was said."""

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

    @property
    def is_held_back(self) -> bool:
        """Whether no agent is told it as knowledge.

        Tools have no wishes, those of other people are not the person's, and from outside it is only what they say.
        """
        is_wish = self.type not in (LearningType.FACT, LearningType.PATTERN)
        return self.trust is Trust.OUTSIDE_TOOL or (is_wish and not self.trust.has_a_say)


class Stage(StrEnum):
    """The extraction that a piece of work waits for. Rules come first, at once; a model is a metered upgrade."""

    RULES = "rules"
    MODEL = "model"


class WorkState(StrEnum):
    """pending -> leased -> done | skipped | dead. `processed` is 0, 0, 1, -1 and -1."""

    PENDING = "pending"
    LEASED = "leased"
    DONE = "done"
    SKIPPED = "skipped"
    DEAD = "dead"


MAX_ATTEMPTS = 5  # of a piece of work; then it is dead, listed, and can be retried
OVER_BUDGET = "over budget"  # so begins the reason of work that was skipped because a model costs too much


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
    waits: int = 0  # for a model that was away; none, if the last attempt failed for another reason


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
    """One run of an agent. It ends at SessionEnd, or after a long silence; a Stop only ends a turn."""

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
class KeptReply(LoggedReply):
    """A reply in the record. Session, turn and the turn's last position say what it answers."""

    position: int
    session: str
    turn: int
    last_position: int
    at_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """A step of time: a turn was closed or worked off, from its first position to its last; or what `data` says."""

    position: int
    kind: str
    at_ms: int
    session: str = ""
    turn: int = 0
    first_position: int = 0
    last_position: int = 0
    reason: str = ""
    data: Mapping[str, JSON] = field(default_factory=dict)


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
    embedding: tuple[float, ...] | None = None  # these two only where a search was asked to include them
    sparse_terms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """Figures about the record that a person wants to know at a glance."""

    observations: int
    sessions: int
    learnings: int
    unsorted_observations: int  # no items yet
    unsorted_learnings: int  # the gate has not looked at them
    waiting: int
    oldest_waiting_ms: int | None
    dead: int
    over_budget: int  # turns that no model was asked about, because that might have cost too much
    last_error: str
    last_capture_ms: Mapping[str, int]  # by project, of sessions that an agent reported
    latest_event_ms: int | None  # when the latest of their events happened: it may have waited in the spool since
