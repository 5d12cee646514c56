"""The values of memory items, of questions for them, and of the gate's verdicts."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from reverie.language.mentions import says
from reverie.records.observations import (
    JSON,
    LOCAL_USER,
    Trust,
)
from reverie.redact.redaction import Redaction


class ItemType(StrEnum):
    """The kind of a memory item."""

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
    """The origin of an item."""

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


STORE_ALIASES = {"WM": "working", "EM": "episodic", "SM": "semantic"}  # what papers call them
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
    created_ms: int  # when it happened or was learned
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

    @property
    def labels(self) -> frozenset[str]:
        """Its tags and plain metadata as texts that a filter can be compared with."""
        return labels_of(self.tags, self.metadata)


_OF_THE_LOG = ("event_id", "turn")  # metadata of one item each: nobody filters by it


def labels_of(tags: Iterable[str], metadata: Mapping[str, JSON]) -> frozenset[str]:
    """Return tags, and metadata with plain values, as one set of texts.

    >>> sorted(labels_of(["urgent"], {"channel": "mail", "rows": [1]}))
    ['channel\\x00"mail"', 'urgent']
    """
    plain = [
        f"{name}\0{json.dumps(value)}"
        for name, value in metadata.items()
        if name not in _OF_THE_LOG and isinstance(value, str | int | float)
    ]
    return frozenset([*tags, *plain])


def repeats(item_id: str, source: str, owner: dict[str, str]) -> bool:
    """Whether its message, or for a message what was made of it alone, was kept before; if none was, it is noted.

    `owner` is what was kept, by message. What was made of several messages, or of none, is its own source.

    >>> kept: dict[str, str] = {}
    >>> repeats("fact", "message", kept), repeats("other fact", "message", kept), repeats("message", "message", kept)
    (False, False, True)
    """
    if source in owner:
        return source == item_id or owner[source] == source
    owner[source] = item_id
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """A choice of the items that may be found. An empty field asks for nothing.

    `project` means that project and what is personal (items of no project); None means every project. `valid_at_ms`
    means what held at that moment, whatever has replaced it since, and nothing that came later. `ids` and `text` say
    what a memory type is to forget: these items and what was made of them, what has all of these words. A view honours
    them; recall does not ask by them.
    """

    ids: tuple[str, ...] = ()
    text: str = ""
    project: str | None = None
    session: str = ""
    speaker: str = ""
    agent: str = ""
    task: str = ""
    stores: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()  # all of them
    metadata: tuple[tuple[str, JSON], ...] = ()  # pairs of a name and a plain value, all of them
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

    @property
    def labels(self) -> frozenset[str]:
        """The tags and metadata that an item must have, as it would have them among its `labels`."""
        return labels_of(self.tags, dict(self.metadata))

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
            and self.labels <= item.labels
            and (self.after_ms is None or item.created_ms >= self.after_ms)
            and (self.before_ms is None or item.created_ms < self.before_ms)
            and item.importance >= self.min_importance
            and item.trust >= self.min_trust
            and (not self.ids or not {item.id, item.parent_id, *item.sources}.isdisjoint(self.ids))
            and (not self.text or says(item.text, self.text))
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
    is_search: bool = False  # somebody looks for these very words; otherwise it is a prompt, which may need no memory
    everything: bool = False  # also what tells nothing, such as questions, and what lies below the floor


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
    """The memories that recall found and those that fit: ranked, packed, with the reason for all that was left out."""

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
