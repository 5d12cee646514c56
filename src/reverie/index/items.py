"""One user's items -> the best ones for a question. In memory, in step with the record, and gone when removed.

Any order of puts, replacements and removals gives the same answers as a fresh index of what is left.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from threading import RLock

import numpy as np
from numpy.typing import NDArray

from reverie.errors import BadInput
from reverie.index.chains import Chains
from reverie.index.columns import Columns, Mask
from reverie.index.cues import people_named
from reverie.index.postings import MAX_ROWS, Postings
from reverie.index.scores import (
    LEAST_COSINE,
    RowStatistics,
    ScoreParts,
    Values,
    by_cues,
    by_words,
    own_words,
    rarity,
    shape_of,
    standard,
    words_beside,
)
from reverie.index.vectors import Vectors
from reverie.language.evidence import is_evidence
from reverie.language.periods import Period
from reverie.language.questions import Asked, asked
from reverie.language.words import words
from reverie.ports import Embedder, Grounds, Matches, Scored
from reverie.records import EPISODIC, MemoryItem, ReadContext

_BATCH = 4096  # items at a time, which bounds the memory of a bulk put
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")
_LONGER = 4  # words of a sentence that says something
_HEAPS = 8  # of rows for each place in an answer
_STATIC = "static-"  # how the name of a static embedder begins
_WORTHLESS = 1e9  # more than any score


def _never(_: MemoryItem) -> None:
    """The default for when an item expires: never."""


class ItemIndex:
    """The index of one user. Safe to use from several threads; they take turns.

    `expires` says until when an item may be found: its retention and time to live, which are the settings' business.
    """

    def __init__(self, embedder: Embedder | None = None, expires: Callable[[MemoryItem], int | None] = _never) -> None:
        self._embedder = embedder
        self._vectors = Vectors(embedder.dimensions) if embedder else None
        self._postings = Postings()
        self._columns = Columns(expires)
        self._chains = Chains()
        self._rows: dict[str, int] = {}  # id -> row
        self._ids: list[str] = [""]  # row -> id
        self._sources: dict[int, str] = {}  # row -> the one message that its item was made of
        self._free: list[int] = []
        self._shape: RowStatistics | None = None
        self._last: tuple[str, NDArray[np.float32]] | None = None  # a question and its vector
        self._turn = RLock()

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, item_id: str) -> bool:
        return item_id in self._rows

    # ---- the way in

    def put(self, items: Sequence[MemoryItem], vectors: Sequence[bytes | None]) -> None:
        """Add items, or replace those with the same id. A vector is float16, or None where there is none yet."""
        if len(items) != len(vectors):
            raise BadInput(f"{len(items)} items came with {len(vectors)} vectors; there must be one (or None) for each")
        if self._vectors is not None:
            self._vectors.check(vectors)
        newest = {item.id: (item, vector) for item, vector in zip(items, vectors, strict=True)}
        pairs = list(newest.values())
        for start in range(0, len(pairs), _BATCH):
            batch = pairs[start : start + _BATCH]
            found = [words(item.text) for item, _ in batch]
            with self._turn:
                self._put([item for item, _ in batch], [vector for _, vector in batch], found)

    def _put(self, items: list[MemoryItem], vectors: list[bytes | None], found: list[list[str]]) -> None:
        self.remove([item.id for item in items if item.id in self._rows])
        rows = [self._row(item.id) for item in items]
        if self._vectors is not None:
            self._vectors.set(rows, vectors)
        self._postings.add(rows, found)
        tells = [is_evidence(item.text, item.type) for item in items]
        self._columns.set(rows, items, [len(text) for text in found], [_only_asks(item.text) for item in items], tells)
        for row, item in zip(rows, items, strict=True):
            self._chains.add(row, item)
            if item.store != EPISODIC and len(item.sources) == 1:
                self._sources[row] = item.sources[0]
        self._shape = None

    def _row(self, item_id: str) -> int:
        if self._free:
            row = self._free.pop()
            self._ids[row] = item_id
        else:
            row = len(self._ids)
            if row >= MAX_ROWS:
                raise BadInput(f"an index in memory holds at most {MAX_ROWS} items")
            self._ids.append(item_id)
        self._rows[item_id] = row
        return row

    def remove(self, ids: Iterable[str]) -> None:
        """Take items out of every structure; ids that are not there are no error."""
        with self._turn:
            rows = [self._rows.pop(item_id) for item_id in dict.fromkeys(ids) if item_id in self._rows]
            if not rows:
                return
            self._last = None  # what was asked may name what is forgotten
            self._postings.remove(rows)
            if self._vectors is not None:
                self._vectors.clear(rows)
            self._columns.clear(rows)
            for row in rows:
                self._chains.remove(row)
                self._sources.pop(row, None)
                self._ids[row] = ""
                self._free.append(row)
            self._shape = None

    # ---- the way out

    def search(self, context: ReadContext, limit: int) -> list[Scored]:
        """The best items for a question within its filters, best first; ties in the order of ids."""
        found = self.match(context, limit)
        parts = found.parts(range(len(found.ids)))
        return [Scored(*one) for one in zip(found.ids, found.scores, parts, strict=True)]

    def match(self, context: ReadContext, limit: int, at_hand: Sequence[str] = ()) -> Matches:
        """The same as columns, with as much of each item as a ranking needs; then those that are `at_hand`.

        Items at hand are scored like all others, and given even if they have nothing to do with the question.
        """
        question = asked(context)
        meant = self._meaning(question.text)
        with self._turn:
            shape = self._current_shape()
            near = self._at_hand(at_hand, context)
            scope = self._scope(context, question)
            parts, worth = self._parts(question, meant, scope, near, shape)
            every = parts.scores()
            of_near = np.round(every[near], 4).tolist()
            rows, scores = self._best(every, worth, limit)
            by_score, known = len(rows), set(rows)
            added = {row: score for row, score in zip(near, of_near, strict=True) if row not in known}
            rows, scores = [*rows, *added], [*scores, *added.values()]
            ids = [self._ids[row] for row in rows]
            return Matches(
                ids=ids,
                scores=scores,
                created_ms=self._columns["created"][rows].tolist(),
                importances=self._columns["importance"][rows].tolist(),
                sources=[self._sources.get(row, item_id) for row, item_id in zip(rows, ids, strict=True)],
                parts=lambda places: parts.of([rows[place] for place in places]),
                by_score=by_score,
            )

    def grounds(self, context: ReadContext, ids: Sequence[str]) -> Grounds:
        """Say what these items share with a question; an item that is not here shares nothing."""
        question = asked(context)
        # Cosines of other embedders have other scales: what is near for one is far for another.
        is_static = self._embedder is not None and self._embedder.name.startswith(_STATIC)
        meant = self._meaning(question.text) if is_static else None
        with self._turn:
            rows = [self._rows.get(item_id, 0) for item_id in ids]
            named = people_named(self._columns, question.names)
            cosines = self._vectors.raw_cosines(meant, rows) if self._vectors and meant is not None else None
            return Grounds(
                rarity=rarity(question.terms, self._postings, len(self._rows)),
                people=frozenset(word for name in named for word in words(name)) & frozenset(question.terms),
                beside=words_beside(
                    question.terms, rows, self._postings, self._columns["length"], self._current_shape()
                ),
                cosines=cosines or [None] * len(rows),
            )

    def _meaning(self, text: str) -> NDArray[np.float32] | None:
        """The vector of a question. The last one is kept: an answer is searched for and then judged."""
        if self._embedder is None or not text.strip():
            return None
        last = self._last
        if last is None or last[0] != text:
            last = self._last = (text, self._embedder.embed([text])[0])
        return last[1]

    def _current_shape(self) -> RowStatistics:
        if self._shape is None:
            self._shape = shape_of(self._columns, self._chains, len(self._rows))
        return self._shape

    def _at_hand(self, ids: Sequence[str], context: ReadContext) -> list[int]:
        rows = [self._rows[item_id] for item_id in ids if item_id in self._rows]
        return [row for row in rows if context.everything or self._columns["tells"][row]]

    def _scope(self, context: ReadContext, question: Asked) -> Mask:
        past = [period for period in question.periods if _is_past(period, context.at_ms)]
        stores = context.filters.stores or context.include
        scope = self._columns.visible(context.filters, stores, context.at_ms, past, question.formerly)
        return scope if context.everything else scope & self._columns["tells"]

    def _parts(
        self, question: Asked, meant: NDArray[np.float32] | None, scope: Mask, near: Sequence[int], shape: RowStatistics
    ) -> tuple[ScoreParts, Mask]:
        """Compute each part of the score for each row, and which rows are worth showing."""
        parts = by_words(question.terms, self._postings, shape)
        worth = parts["own"] > 0
        worth |= parts["ctx"] > 0
        if question.aside:
            parts["aside"] = question.aside_weight * own_words(question.aside, self._postings, shape)
            worth |= parts["aside"] > 0
        if meant is not None and self._vectors is not None:
            cosines, has = self._vectors.cosines(meant, self._columns.rows)
            inside = scope & has
            inside[near] = has[near]
            parts["cos"] = standard(cosines, inside)
            worth |= cosines >= LEAST_COSINE
        worth &= scope
        by_row, by_kind = by_cues(question, self._columns, shape)
        return ScoreParts(parts | by_row, by_kind, shape.kind), worth

    def _best(self, scores: Values, worth: Mask, limit: int) -> tuple[list[int], list[float]]:
        """The best rows and their scores, which are told in ten thousandths."""
        if limit <= 0:
            return [], []
        scores -= (~worth).astype(np.float64) * _WORTHLESS  # a quarter of the time that a mask takes
        rows = np.flatnonzero(scores >= max(_at_least(scores, limit) - 1e-4, -_WORTHLESS / 2))
        rounded = np.round(scores[rows], 4)
        if len(rows) > limit:
            good = rounded >= np.partition(rounded, len(rows) - limit)[len(rows) - limit]
            rows, rounded = rows[good], rounded[good]
        ids = [self._ids[row] for row in rows.tolist()]
        order = sorted(zip((-rounded).tolist(), ids, rows.tolist(), strict=True))[:limit]
        return [row for _, _, row in order], [-score for score, _, _ in order]


def _at_least(scores: Values, limit: int) -> float:
    """Return a bound under the `limit`-th best score: split into heaps, so many heaps have one as good."""
    deep = len(scores) // (_HEAPS * limit)
    if deep < 2:
        return -np.inf
    tops = scores[: len(scores) // deep * deep].reshape(deep, -1).max(axis=0)
    return float(np.partition(tops, len(tops) - limit)[len(tops) - limit])


def _is_past(period: Period, at_ms: int) -> bool:
    return (period.end.toordinal() - 719_163) * 86_400_000 <= at_ms


def _only_asks(text: str) -> bool:
    """Whether every longer sentence of a text is a question."""
    if "?" not in text:
        return False
    longer = [sentence for sentence in _SENTENCE.findall(text) if len(sentence.split()) >= _LONGER]
    return bool(longer) and all(sentence.rstrip().endswith("?") for sentence in longer)
