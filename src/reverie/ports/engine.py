"""The system of record: memory items, goals, history and trace, and the Engine that has all the parts."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, Self

from reverie.ports.log import Inbox, Learnings, Log, Mirrors, Replies, Spend, StoredActions
from reverie.records import (
    JSON,
    Capacity,
    Event,
    Filters,
    Goal,
    Health,
    LogFile,
    MemoryItem,
    Observation,
    Question,
    Span,
    Tick,
    Work,
)
from reverie.records.conversation_values import Conversations, Ledger
from reverie.records.prompt_inputs import ContextSearches, Documents, LoadedTools, Punches, Reminders, SectionStates

SCRUB = "scrub"  # owed when something was forgotten for good, until no file has a byte of it


class StoredItems(Protocol):
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

    def ending(self, ends: Sequence[str]) -> list[MemoryItem]:
        """The items whose ids end with one of these, whatever has become of them."""
        ...

    def made_of(self, ids: Sequence[str], store: str) -> list[MemoryItem]:
        """The items of a memory type with these ids, and those that were made of them, whatever has become of them."""
        ...

    def capacity(self, store: str) -> Capacity: ...

    def counts(self) -> dict[str, int]:
        """Count the current items of each memory type."""
        ...

    def stores(self) -> list[str]:
        """The names of the memory types that have items."""
        ...

    def mark(self, ids: Sequence[str], tag: str, importance: float) -> None:
        """Tag these, and let them matter at least so much."""
        ...

    def count_quarantined(self) -> int:
        """Count the items that wait for a person to look at them."""
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

    def hidden(self, ids: Sequence[str]) -> set[str]:
        """Return those of these ids that were forgotten softly."""
        ...

    def links(self, item_id: str) -> list[tuple[str, str, str]]: ...

    def changes(self, after: int, embedder: str, limit: int) -> list[tuple[int, MemoryItem, bytes | None]]:
        """Return what was written since, oldest first: the number of the change, the item, its vector."""
        ...

    def removals(self, after: int) -> list[tuple[int, str]]:
        """Return what was erased since."""
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
        """Count the items that have a vector of this embedder, and all items."""
        ...

    def embedders(self) -> dict[str, int]:
        """Count the vectors of each embedder."""
        ...

    def vectors(self, embedder: str, ids: Sequence[str]) -> dict[str, bytes]:
        """The vectors that these items have of an embedder, as it was put."""
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

    def sessions_without_episode(self) -> list[str]:
        """Sessions with captured items that no episode has yet."""
        ...

    def unlink(self, links: Iterable[tuple[str, str, str]]) -> None: ...


class StoredGoals(Protocol):
    """Goals and questions, kept for the person and the agent."""

    def add_goal(self, goal: Goal) -> None: ...

    def add_question(self, question: Question) -> None: ...

    def goals(self, project: str | None = None, *, everything: bool = False) -> list[Goal]:
        """Return the active goals, most pressing first; with `everything` also those that are over."""
        ...

    def questions(self, project: str | None = None, *, everything: bool = False) -> list[Question]: ...

    def change_goal(self, goal_id: str, version: int | None, change: Callable[[Goal], Goal]) -> Goal:
        """Change a goal that is still at this version, else say that somebody else was first."""
        ...

    def change_question(self, question_id: str, version: int | None, answer: str, at_ms: int) -> Question: ...


class History(Protocol):
    """The changes by time and the requests of people, in order, which a rebuild replays."""

    def tick(self, kind: str, data: Mapping[str, JSON], at_ms: int) -> int: ...

    def events(self, kinds: Sequence[str], after: int = 0) -> Iterator[Event]: ...

    def ticks(self) -> Iterator[Tick]: ...

    def last(self, kind: str) -> Event | None: ...


class Trace(Protocol):
    """The steps of memory in each turn, append-only; and the texts it composed, by content address."""

    def add(
        self, turn_id: str, kind: str, data: Mapping[str, JSON], at_ms: int, span: str = "", parent: str = ""
    ) -> int: ...

    def of_turn(self, turn_id: str) -> list[Span]: ...

    def turns(self, limit: int = 20, kind: str = "") -> list[tuple[str, int]]: ...

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
    def actions(self) -> StoredActions: ...

    @property
    def replies(self) -> Replies: ...

    @property
    def spend(self) -> Spend: ...

    @property
    def mirrors(self) -> Mirrors: ...

    @property
    def items(self) -> StoredItems: ...

    @property
    def goals(self) -> StoredGoals: ...

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

    def mark(self, text: str) -> str:
        """A few characters that stand for a text which must not be kept: always the same, and only for this store."""
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
        """Count how often something was forgotten for good. A text composed before the last time is not to be kept."""
        ...

    def mentioning(self, words: str) -> Iterator[Observation]:
        """Find observations that have all of these words: in their text, in a tool's input, in what was learned from
        them. Without words, all.
        """
        ...

    def quoting(self, ids: Collection[str], texts: Sequence[str]) -> list[str]:
        """The ids of tool results that quote what has these ids or texts."""
        ...

    def beside(self, words: str) -> list[str]:
        """List what the person keeps beside memories and has all of these words, a line each; without words, all."""
        ...

    def owe(self, debt: str) -> None:
        """Note that something is to be done as soon as it can be, also if it was owed before."""
        ...

    def owes(self, debt: str) -> int:
        """Return where in the log a debt was noted last; 0 if nothing is owed."""
        ...

    def settle(self, debt: str, owed: int) -> None:
        """Note that it is done, unless it was noted again after `owed`: somebody may owe it anew meanwhile."""
        ...

    def debtors(self, debt: str) -> list[str]:
        """The users who owe something, of all in this store."""
        ...

    def write(self) -> AbstractContextManager[None]:
        """One short write transaction; nested calls join it."""
        ...

    def scoped(self, user: str) -> "Engine": ...

    def users(self) -> list[str]: ...

    def owner(self) -> str | None:
        """Return the user whose files for people lie beside this store; None if nobody has been written down yet."""
        ...

    def claim(self, owner: str) -> None:
        """Write down whose files they are, unless somebody has been already: that never changes."""
        ...

    def owner_is_news(self) -> bool:
        """Whether the person has not been told yet who was written down for a store of before."""
        ...

    def owner_was_told(self) -> None: ...

    def health(self) -> Health: ...

    def extractions(self) -> Iterator[Work]:
        """Every extraction that was done, in the order in which turns were closed: what a rebuild replays."""
        ...

    def extractions_that_saw(self, observation_ids: Sequence[str]) -> list[Work]:
        """Those whose turns hold one of these, or were distilled with one of them as context."""
        ...

    def dump_derived(self) -> Iterator[str]:
        """The derived tables as ordered lines, to compare a rebuild by."""
        ...

    @property
    def is_read_only(self) -> bool: ...

    def last_run_ms(self, job: str) -> int | None:
        """Return when a job of the scheduler last ran for this user."""
        ...

    def set_last_run(self, job: str, at_ms: int) -> None: ...

    def delete_user(self, user: str, at_ms: int) -> int:
        """Erase every row of a user for good; return how many there were. An act of this user says that it was done."""
        ...

    def reopened(self) -> Self:
        """Open the same record once more, for another thread."""
        ...

    def is_in_place(self) -> bool:
        """Whether the record is still where it was opened: somebody may have deleted it meanwhile."""
        ...

    def sign_of_damage(self) -> str:
        """The first sign of damage that is cheap to see; '' if there is none."""
        ...

    def rows_left_out(self) -> Mapping[tuple[str, str], str]:
        """The damaged rows that lists were told without so far: table and key, and what is wrong with each."""
        ...

    def refuse_damaged_log(self) -> None:
        """Raise if rows of the log were left out: what was read without them must not decide about all of it."""
        ...

    def set_aside(self) -> list[dict[str, object]]:
        """The rows that a repair took out of their tables, with what could be read of them."""
        ...

    def checkpoint(self) -> None: ...

    def shorten_log(self, *, as_steward: bool) -> None:
        """Shorten the file in which writes stand first, if it has become long.

        Whoever is not the steward, nor works in its place, leaves that to it for longer.
        """
        ...

    def version(self) -> tuple[int, int]:
        """The same for as long as nobody has written."""
        ...

    def scrub(self, patience_seconds: float = 0.0) -> bool:
        """After something was forgotten for good: leave nothing of it in files that are written to later.

        False if that cannot be done for so long, because somebody still reads what was there before.
        """
        ...

    def log_file(self) -> LogFile:
        """Describe the file in which writes stand first: its length, and who keeps it so long."""
        ...

    def close(self) -> None: ...
