"""Memory types and what they are built on: embedders, search hits, and a view of the record for each type."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from reverie.records import (
    Candidate,
    Capacity,
    Filters,
    MemoryItem,
    ReadContext,
    Stored,
)

if TYPE_CHECKING:  # numpy takes a while to load, and most processes embed nothing
    from numpy import float32
    from numpy.typing import NDArray


class Embedder(Protocol):
    """Texts -> vectors. Same text, same vector; `name` changes whenever the vectors would."""

    @property
    def name(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> "NDArray[float32]":
        """One row of length 1 for each text; a row of zeros for a text without any known word."""
        ...


@dataclass(frozen=True, slots=True)
class Scored:
    """A hit of an index: an item's id, its raw score, and the parts of that."""

    id: str
    score: float
    parts: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Matches:
    """The best items for a question, in columns: most of them are shown to nobody.

    A message stands for itself; what was made of one message alone names that as its source.
    """

    ids: list[str]
    scores: list[float]
    created_ms: list[int]
    importances: list[float]
    sources: list[str]
    parts: Callable[[Sequence[int]], list[dict[str, float]]]  # what the scores at some places are made of
    by_score: int  # how many were found by their score; the rest was asked for by id


@dataclass(frozen=True, slots=True)
class Grounds:
    """The words and the meaning that some items share with a question."""

    rarity: Mapping[str, float]  # of each word of the question: 1 if one item has it, less if more have it
    people: frozenset[str]  # words of the question that are first names of people who take part
    beside: list[frozenset[str]]  # for each item, words of the question that its neighbours have
    cosines: list[float | None]  # of each item's static vector and the question's; None where there is none


class SearchIndex(Protocol):
    """One user's items, searched by words, meaning and cues in one pass."""

    def match(self, context: ReadContext, limit: int, at_hand: Sequence[str] = ()) -> Matches:
        """The best items within the question's filters, best first, equals by their ids; then those at hand."""
        ...

    def grounds(self, context: ReadContext, ids: Sequence[str]) -> Grounds:
        """Say what these items share with a question."""
        ...


class StoreView(Protocol):
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
    """One kind of memory. The types that we ship implement the same protocol as those that others write."""

    @property
    def name(self) -> str: ...

    def accepts(self, item: MemoryItem) -> bool:
        """Whether an item that names no memory type belongs here."""
        ...

    def memorize(self, item: MemoryItem, view: StoreView) -> Stored:
        """Write an item, and make room for it."""
        ...

    def remember(self, context: ReadContext, view: StoreView) -> list[Candidate]:
        """Return the candidates of this memory for a question."""
        ...

    def forget(self, filters: Filters, view: StoreView, at_ms: int, *, hard: bool = False) -> int:
        """Forget what the filters admit, and say how many items that were. Without any filter that is everything.

        What stands on the view has been hidden or erased before; this is for what is kept elsewhere.
        """
        ...

    def summarize(self, view: StoreView, limit_tokens: int) -> str:
        """Summarise this memory in so many tokens."""
        ...

    def capacity(self, view: StoreView) -> Capacity: ...


# The id of something derived: its newest source's time, its kind, its sources, and its place among its like.
DeriveId = Callable[[int, str, Sequence[str], int], str]
