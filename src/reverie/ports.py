"""The protocols one may implement, and the small values that cross them.

What we ship goes through the same doors as what others write. Time, randomness, files and network come in
through `Env`, so that a seed number reproduces a whole life of the system in a test.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from reverie.conversing import Conversations, Ledger
from reverie.desk import ContextSearches, Documents, LoadedTools, Punches, Reminders, SectionStates
from reverie.records import (
    JSON,
    Action,
    ActionStatus,
    Candidate,
    Capacity,
    Captured,
    Event,
    Filters,
    Goal,
    Health,
    Hit,
    Learned,
    Learning,
    LoggedReply,
    MemoryItem,
    Observation,
    Question,
    ReadContext,
    Session,
    Span,
    Stage,
    Stored,
    Turn,
    Work,
)

if TYPE_CHECKING:  # numpy takes a while to load, and most processes embed nothing
    from numpy import float32
    from numpy.typing import NDArray

# ---- the outside world


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One request. `timeout_seconds` bounds the whole exchange, `max_bytes` the answer."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes
    timeout_seconds: float
    max_bytes: int = 8_000_000


@dataclass(frozen=True, slots=True)
class HttpResponse:
    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class HttpStream:
    """An answer as it comes. `pieces` ends with the answer, or raises what `http` would have raised."""

    status: int
    headers: Mapping[str, str]
    pieces: Iterator[bytes]


class Lock(Protocol):
    """An advisory lock on a file, shared by threads and processes."""

    def acquire(self, wait_seconds: float | None = None) -> bool:
        """Take it; wait for ever by default, not at all with 0. Says whether it was got."""
        ...

    def release(self) -> None: ...


class Files(Protocol):
    """The file operations that the package needs, durable where they say so."""

    def read(self, path: Path) -> bytes | None:
        """The bytes of a file; None if there is none."""
        ...

    def replace(self, path: Path, data: bytes, mode: int = 0o600) -> None:
        """Write a whole file: temp file, sync, rename, sync of the folder; never through a symlink."""
        ...

    def append(self, path: Path, data: bytes) -> None:
        """Append and sync."""
        ...

    def truncate(self, path: Path) -> None:
        """Empty a file in place."""
        ...

    def make_folder(self, path: Path) -> None: ...

    def names(self, folder: Path) -> list[str]: ...

    def is_link(self, path: Path) -> bool: ...

    def link_target(self, path: Path) -> str | None:
        """Where a symbolic link leads, as it is written there; None if it is none."""
        ...

    def size(self, path: Path) -> int:
        """Bytes in the file, 0 if there is none."""
        ...

    def rename(self, old: Path, new: Path) -> None:
        """Rename and sync the folder."""
        ...

    def remove(self, path: Path) -> None: ...

    def lock(self, path: Path) -> Lock: ...


class Env(Protocol):
    """Clocks, randomness, files and network. Nothing else in the package touches those."""

    @property
    def files(self) -> Files: ...

    def now_ms(self) -> int: ...

    def monotonic(self) -> float: ...

    def random_bytes(self, count: int) -> bytes: ...

    def sleep(self, seconds: float) -> None: ...

    def variable(self, name: str) -> str | None:
        """An environment variable."""
        ...

    def http(self, request: HttpRequest) -> HttpResponse: ...

    def http_stream(
        self, request: HttpRequest, is_cancelled: Callable[[], bool] = lambda: False
    ) -> AbstractContextManager[HttpStream]:
        """The same, read as it comes. The connection is closed on leaving; once cancelled, ExchangeCancelled."""
        ...


# ---- language models


@dataclass(frozen=True, slots=True)
class Prompt:
    system: str
    user: str
    max_output_tokens: int


@dataclass(frozen=True, slots=True)
class Reply:
    text: str
    model: str
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    end: Literal["done", "limit"] = "done"


class Model(Protocol):
    """A language model. Raises a ModelError for everything that is not a usable answer."""

    @property
    def name(self) -> str: ...

    def ask(self, prompt: Prompt) -> Reply: ...


# ---- memory types and what they stand on


class Embedder(Protocol):
    """Texts -> vectors. Same text, same vector; `name` changes whenever the vectors would."""

    @property
    def name(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> "NDArray[float32]":
        """One row of length 1 for each text; a row of zeros for a text without any known word."""
        ...


class Index(Protocol):
    """A derived search index over one user's items, in step with the record."""

    def put(self, items: Sequence[MemoryItem], vectors: Sequence[bytes | None]) -> None:
        """Add items, or replace those with the same id. A vector is float16, or None where there is none yet."""
        ...

    def remove(self, ids: Iterable[str]) -> None: ...

    def search(self, context: ReadContext, limit: int) -> "list[Scored]":
        """The best items for a question within its filters, best first; ties in the order of ids."""
        ...


@dataclass(frozen=True, slots=True)
class Scored:
    """What an index found: an item's id, its raw score, and what that is made of."""

    id: str
    score: float
    parts: Mapping[str, float]


class Shelf(Protocol):
    """One memory type's own place in the record, and the search over it."""

    @property
    def name(self) -> str: ...

    def put(self, item: MemoryItem) -> None:
        """Add an item, or replace the one with its id."""
        ...

    def get(self, item_id: str) -> MemoryItem | None: ...

    def items(
        self, filters: Filters | None = None, *, limit: int | None = None, newest_first: bool = False
    ) -> list[MemoryItem]:
        """In the order of the log. Without filters: everything that is current."""
        ...

    def made_of(self, ids: Sequence[str]) -> list[MemoryItem]:
        """Those with these ids, and what was made of them: chunks, copies, what was learned. Hidden ones as well."""
        ...

    def capacity(self) -> Capacity:
        """Items and tokens of what is current; no limits, which are the memory type's."""
        ...

    def remove(self, ids: Sequence[str], at_ms: int, *, hard: bool = False) -> int:
        """Hide items (soft), or erase them and every trace of them (hard); says how many there were."""
        ...

    def search(self, context: ReadContext, limit: int) -> list[Candidate]: ...


class MemoryType(Protocol):
    """One kind of memory. What we ship goes through the same door as what others write."""

    @property
    def name(self) -> str: ...

    def accepts(self, item: MemoryItem) -> bool:
        """Whether an item that names no memory type belongs here."""
        ...

    def memorize(self, item: MemoryItem, shelf: Shelf) -> Stored:
        """Write an item, and make room for it."""
        ...

    def remember(self, context: ReadContext, shelf: Shelf) -> list[Candidate]:
        """What this memory offers for a question."""
        ...

    def forget(self, filters: Filters, shelf: Shelf, at_ms: int, *, hard: bool = False) -> int: ...

    def summarize(self, shelf: Shelf, limit_tokens: int) -> str: ...

    def capacity(self, shelf: Shelf) -> Capacity: ...


# ---- the system of record


class Log(Protocol):
    """What came in, append-only, in order."""

    def append(
        self, captures: Sequence[Captured], drained: Mapping[str, int] | None = None
    ) -> list[Observation | None]:
        """Store what is new, all or nothing; None stands for a repeat.

        `drained` says how many records of each spool file are in the log with this; it commits with them.
        """
        ...

    def drained(self) -> dict[str, int]:
        """What the last append of spooled records said."""
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

    def sessions(self, limit: int = 100) -> list[Session]: ...

    def session(self, session_id: str) -> Session | None: ...

    def close_turn(self, session_id: str) -> None:
        """Close a session's open turn now."""
        ...

    def note_injection(self, session_id: str, shown: frozenset[str]) -> None:
        """Remember what the agent of this session has been shown."""
        ...

    def close_due_turns(self, now_ms: int) -> int:
        """Close each turn whose end has come, queue it, and say how many were closed."""
        ...

    def turn(self, work: Work) -> Turn:
        """What one extraction looks at."""
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
        """Give it back, or declare it dead after too many attempts; says whether it is dead."""
        ...

    def release(self, token: str) -> int:
        """Give back what this token holds, attempts kept."""
        ...

    def release_all(self) -> int:
        """Give back everything that is leased: only for who has just become steward."""
        ...

    def enqueue(self, work: Work, stage: Stage, now_ms: int, skip_reason: str = "") -> None:
        """Queue a turn for a further stage, or record why it is skipped there."""
        ...

    def retry(self, ids: Iterable[int] | None, now_ms: int) -> int:
        """Queue dead work again, or all of it; says how many."""
        ...

    def revive(self, reason_prefix: str, since_ms: int, now_ms: int) -> int:
        """Queue again what died of a cause that has gone."""
        ...

    def listing(self, states: Sequence[str], limit: int = 100) -> list[Work]: ...

    def counts(self) -> dict[str, int]: ...

    def next_ready_ms(self, stage: Stage) -> int | None: ...


class Learnings(Protocol):
    """What was distilled: derived, rebuilt from the log at will."""

    def add(self, turn: Turn, learnings: Sequence[Learning], first_ordinal: int = 0) -> list[Learned]: ...

    def recent(self, since_ms: int, project: str | None = None, limit: int = 200) -> list[Learned]: ...

    def all(self) -> list[Learned]: ...

    def of_turn(self, turn: Turn) -> list[Learned]: ...

    def preferences(self, project: str = "") -> list[Learned]:
        """The preferences in force, oldest first: the person's own, or those of one project."""
        ...

    def retract(self, learning_id: str) -> None: ...

    def get(self, ids: Sequence[str]) -> list[Learned]:
        """By id, in the order asked for; unknown ids are left out."""
        ...

    def at_the_gate(self, limit: int) -> list[Learned]:
        """What was learned and has not been judged, in the order of the log."""
        ...

    def set_verdict(self, learning_id: str, verdict: str, item_id: str) -> None: ...

    def clear_verdicts(self) -> None:
        """Let the gate judge everything again."""
        ...

    def search(self, query: str, limit: int, project: str | None = None) -> list[Hit]: ...

    def clear(self) -> None:
        """Forget everything derived, for a rebuild."""
        ...


class Actions(Protocol):
    """What is to be done later, kept for the person and the agent."""

    def add(self, learned: Learned) -> None: ...

    def pending(self, project: str | None = None) -> list[Action]: ...

    def all(self) -> list[Action]: ...

    def set_status(self, action_id: str, status: ActionStatus, by: str, reason: str, at_ms: int) -> Action: ...


class Replies(Protocol):
    """What models answered, append-only, so that a rebuild asks nothing."""

    def add(self, work: Work, reply: LoggedReply, at_ms: int) -> None: ...

    def of_turn(self, session: str, turn: int, last_position: int) -> list[LoggedReply]: ...


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

    def settle(self, reservation_id: str, nanodollars: int) -> None: ...

    def on_day(self, day: str) -> int: ...

    def last_day(self) -> str | None: ...


class Mirrors(Protocol):
    """What we last wrote to each human-readable file."""

    def last_written(self, name: str) -> tuple[bytes, bytes, int]:
        """The bytes, what stood there before, and where the log ended then; nothing and 0 if we never wrote it."""
        ...

    def record(self, name: str, data: bytes, before: bytes) -> None:
        """Note what is about to be written and what stands there, so that a crash is not taken for an edit.

        Once it is written, note it with itself as `before`.
        """
        ...


class Items(Protocol):
    """Memory items with their vectors, versions and links."""

    def put(self, items: Sequence[MemoryItem], home: Mapping[str, tuple[int, int] | None] | None = None) -> None:
        """Add items, or replace those with the same id.

        With `home` they are observations as they are: it names those whose text the log keeps, all of it (None), or
        from one character to another.
        """
        ...

    def get(self, ids: Sequence[str]) -> list[MemoryItem]:
        """Items by id, in the order asked for; unknown ids are left out."""
        ...

    def select(
        self,
        filters: Filters,
        *,
        limit: int | None = None,
        newest_first: bool = False,
        words: str = "",
        up_to: int | None = None,
    ) -> list[MemoryItem]:
        """Items that pass the filters, in the order of the log; with words, the best matches first."""
        ...

    def recent_with(self, words: str, filters: Filters, limit: int) -> list[MemoryItem]:
        """The newest items that have any of these words, whatever others have stored."""
        ...

    def of_sources(self, observation_ids: Sequence[str]) -> list[MemoryItem]:
        """Everything that was made of these observations."""
        ...

    def made_of(self, ids: Sequence[str], store: str) -> list[MemoryItem]:
        """The items of a memory type with these ids, and those that were made of them, whatever has become of them."""
        ...

    def capacity(self, store: str) -> Capacity: ...

    def counts(self) -> dict[str, int]:
        """How many current items each memory type has."""
        ...

    def stores(self) -> list[str]:
        """The names of the memory types that have items."""
        ...

    def mark(self, ids: Sequence[str], tag: str, importance: float) -> None:
        """Tag these, and let them matter at least so much."""
        ...

    def count_quarantined(self) -> int:
        """How many wait for a person to look at them."""
        ...

    def touch(self, ids: Sequence[str], at_ms: int) -> None:
        """Count that these were used."""
        ...

    def keep_version(self, item: MemoryItem) -> None:
        """Keep an item as it is now, before it is changed."""
        ...

    def versions(self, item_id: str) -> list[MemoryItem]: ...

    def link(self, links: Iterable[tuple[str, str, str]]) -> None:
        """Note (from, kind, to)."""
        ...

    def links(self, item_id: str) -> list[tuple[str, str, str]]: ...

    def changes(self, after: int, embedder: str, limit: int) -> list[tuple[int, MemoryItem, bytes | None]]:
        """What was written since, oldest first: the number of the change, the item, its vector."""
        ...

    def removals(self, after: int) -> list[tuple[int, str]]:
        """What was erased since."""
        ...

    def has_news(self, generation: int, change: int, removal: int) -> bool:
        """Whether anything was written, erased or derived anew since an index followed so far: one look tells."""
        ...

    def generation(self) -> int:
        """Changes when everything was thrown away and derived anew."""
        ...

    def admitted(self) -> int:
        """The place in the log up to which observations have become items."""
        ...

    def set_admitted(self, position: int) -> None: ...

    def without_vector(self, embedder: str, limit: int) -> list[MemoryItem]: ...

    def count_vectors(self, embedder: str) -> tuple[int, int]:
        """How many items have a vector of this embedder, and how many there are."""
        ...

    def embedders(self) -> dict[str, int]:
        """How many vectors there are of each embedder."""
        ...

    def put_vectors(self, embedder: str, vectors: Sequence[tuple[str, bytes]], announce: bool = True) -> None: ...

    def drop_vectors_except(self, embedder: str) -> None: ...

    def hide(self, ids: Sequence[str], at_ms: int) -> int:
        """Soft: nobody is shown them any more, and they can be brought back."""
        ...

    def unhide(self, ids: Sequence[str]) -> int: ...

    def erase(self, ids: Sequence[str], at_ms: int) -> int:
        """Hard: gone, with their index entries, vectors, versions and links."""
        ...

    def clear(self, *, captured: bool = True) -> None:
        """Throw everything away, for a rebuild; or only what memory made, and what it noted on captured items."""
        ...

    def set_episode(self, ids: Sequence[str], episode: str, *, archived: bool = False) -> None:
        """Note which episode these belong to; archived, they are no longer recalled, only pointed at."""
        ...

    def set_validity(self, item: MemoryItem) -> None:
        """Note an item's subject, validity and what superseded it, and nothing else of it."""
        ...

    def has_summaries(self, episode: str) -> bool: ...

    def sessions_without_episode(self) -> list[str]:
        """Sessions with captured items that no episode has yet."""
        ...

    def unlink(self, links: Iterable[tuple[str, str, str]]) -> None: ...


class Goals(Protocol):
    """Goals and questions, kept for the person and the agent."""

    def add_goal(self, goal: Goal) -> None: ...

    def add_question(self, question: Question) -> None: ...

    def goals(self, project: str | None = None, *, everything: bool = False) -> list[Goal]:
        """What is worked towards, most pressing first; with `everything` also what is over."""
        ...

    def questions(self, project: str | None = None, *, everything: bool = False) -> list[Question]: ...

    def change_goal(self, goal_id: str, version: int | None, change: Callable[[Goal], Goal]) -> Goal:
        """Change a goal that is still at this version, else say that somebody else was first."""
        ...

    def change_question(self, question_id: str, version: int | None, answer: str, at_ms: int) -> Question: ...


class History(Protocol):
    """What time did and what people asked for, in order: what a rebuild replays."""

    def tick(self, kind: str, data: Mapping[str, JSON], at_ms: int) -> int: ...

    def events(self, kinds: Sequence[str], after: int = 0) -> Iterator[Event]: ...

    def last(self, kind: str) -> Event | None: ...


class Trace(Protocol):
    """What memory did in each turn, append-only; and the texts it composed, by content address."""

    def add(
        self, turn_id: str, kind: str, data: Mapping[str, JSON], at_ms: int, span: str = "", parent: str = ""
    ) -> int: ...

    def of_turn(self, turn_id: str) -> list[Span]: ...

    def turns(self, limit: int = 20) -> list[tuple[str, int]]: ...

    def expire(self, before_ms: int) -> int: ...

    def keep_text(self, text: str) -> str: ...

    def text(self, address: str) -> str | None: ...


class Engine(Protocol):
    """The system of record for one user. Its parts share one connection and one transaction."""

    @property
    def user(self) -> str: ...

    @property
    def log(self) -> Log: ...

    @property
    def inbox(self) -> Inbox: ...

    @property
    def learnings(self) -> Learnings: ...

    @property
    def actions(self) -> Actions: ...

    @property
    def replies(self) -> Replies: ...

    @property
    def spend(self) -> Spend: ...

    @property
    def mirrors(self) -> Mirrors: ...

    @property
    def items(self) -> Items: ...

    @property
    def goals(self) -> Goals: ...

    @property
    def history(self) -> History: ...

    @property
    def trace(self) -> Trace: ...

    @property
    def reminders(self) -> Reminders: ...

    @property
    def punches(self) -> Punches: ...

    @property
    def documents(self) -> Documents: ...

    @property
    def searches(self) -> ContextSearches: ...

    @property
    def loaded_tools(self) -> LoadedTools: ...

    @property
    def conversations(self) -> Conversations: ...

    @property
    def ledger(self) -> Ledger: ...

    @property
    def sections(self) -> SectionStates: ...

    def derived_id(self, time_ms: int, kind: str, *parts: str) -> str:
        """An id that is the same whenever the same thing is derived again."""
        ...

    def erase(
        self,
        observation_ids: Sequence[str],
        item_ids: Sequence[str],
        at_ms: int,
        mentions: Sequence[str] | None = None,
    ) -> int:
        """Forget for good. Says how many observations and items went; hashes remain, and nothing else.

        With `mentions`, what speaks of all these words elsewhere goes as well; with none in the list, all of it.
        """
        ...

    def erasures(self) -> int:
        """How often something was forgotten for good. What was composed before the last time is not to be kept."""
        ...

    def mentioning(self, words: str) -> Iterator[Observation]:
        """What of the log has all of these words: in its text, in what a tool was given, in what was learned of it.
        Without words, all of it."""
        ...

    def quoting(self, ids: Collection[str], texts: Sequence[str]) -> list[str]:
        """The ids of tool results that quote what has these ids or texts."""
        ...

    def beside(self, words: str) -> list[str]:
        """What is kept for the person beside memories and has all of these words, a line each; without words, all."""
        ...

    def owe(self, debt: str, *, still: bool = True) -> None:
        """Note that something is to be done as soon as it can be, or that it is done."""
        ...

    def owes(self, debt: str) -> bool: ...

    def write(self) -> AbstractContextManager[None]:
        """One short write transaction; nested calls join it."""
        ...

    def scoped(self, user: str) -> "Engine": ...

    def users(self) -> list[str]: ...

    def health(self) -> Health: ...

    def extractions(self) -> Iterator[Work]:
        """Every extraction that was done, in the order in which turns were closed: what a rebuild replays."""
        ...

    def dump_derived(self) -> Iterator[str]:
        """The derived tables as ordered lines, to compare a rebuild by."""
        ...

    def checkpoint(self) -> None: ...

    def version(self) -> tuple[int, int]:
        """The same for as long as nobody has written."""
        ...

    def scrub(self) -> None:
        """After something was forgotten for good: leave nothing of it in files that are written to later."""
        ...

    def close(self) -> None: ...


Ask = Callable[[Prompt], Reply]

# The id of something derived: its newest source's time, its kind, its sources, and its place among its like.
DeriveId = Callable[[int, str, Sequence[str], int], str]
