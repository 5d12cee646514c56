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
from reverie.index.postings import MAX_ROWS, Postings
from reverie.index.scores import LEAST_COSINE, WEIGHTS, Shape, by_cues, by_words, own_words, shape_of, standard
from reverie.index.vectors import Vectors
from reverie.language.asking import Asked, asked
from reverie.language.periods import Period
from reverie.language.words import words
from reverie.ports import Embedder, Scored
from reverie.records import ItemType, MemoryItem, ReadContext

_TYPES = {kind.value: kind for kind in ItemType}
_BATCH = 4096  # items at a time, which bounds the memory of a bulk put
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")
_LONGER = 4  # words of a sentence that says something


def _never(_: MemoryItem) -> None:
    """What expires when nobody says so: nothing."""


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
        self._free: list[int] = []
        self._shape: Shape | None = None
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
        self._columns.set(rows, items, [len(text) for text in found], [_only_asks(item.text) for item in items])
        for row, item in zip(rows, items, strict=True):
            self._chains.add(row, item)
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
            self._postings.remove(rows)
            if self._vectors is not None:
                self._vectors.clear(rows)
            self._columns.clear(rows)
            for row in rows:
                self._chains.remove(row)
                self._ids[row] = ""
                self._free.append(row)
            self._shape = None

    # ---- the way out

    def search(self, context: ReadContext, limit: int) -> list[Scored]:
        """The best items for a question within its filters, best first; ties in the order of ids."""
        question = asked(context)
        meant = self._embedder.embed([question.text])[0] if self._embedder and question.text.strip() else None
        with self._turn:
            if self._shape is None:
                self._shape = shape_of(self._columns, self._chains, len(self._rows))
            scope = self._scope(context, question)
            parts, worth = self._parts(question, meant, scope, self._shape)
            rows = np.flatnonzero(worth)
            scores = np.zeros(len(rows))
            for name, values in parts.items():
                scores += WEIGHTS[name] * values[rows]
            best, best_scores = self._best(np.round(scores, 4), rows, limit)
            return self._scored(best, best_scores, parts)

    def outlines(self, ids: Sequence[str]) -> list[MemoryItem]:
        """As much of items as a ranking needs, without a look into the record. Each stands for itself alone."""
        with self._turn:
            rows = np.array([self._rows[item_id] for item_id in ids], dtype=np.int64)
            types, stores = self._columns.codes["type"], self._columns.codes["store"]
            values = (self._columns[name][rows].tolist() for name in ("type", "store", "created", "importance"))
            return [
                MemoryItem(
                    id=item_id,
                    type=_TYPES[types.name(kind)],
                    text="",
                    created_ms=created,
                    store=stores.name(store),
                    importance=importance,
                    sources=(item_id,),
                )
                for item_id, kind, store, created, importance in zip(ids, *values, strict=True)
            ]

    def _scope(self, context: ReadContext, question: Asked) -> Mask:
        past = [period for period in question.periods if _is_past(period, context.at_ms)]
        stores = context.filters.stores or context.include
        return self._columns.visible(context.filters, stores, context.at_ms, past, question.formerly)

    def _parts(
        self, question: Asked, meant: NDArray[np.float32] | None, scope: Mask, shape: Shape
    ) -> tuple[dict[str, NDArray[np.float64]], Mask]:
        """What each part gives to each row, and which rows are worth showing."""
        parts = by_words(question.terms, self._postings, shape)
        worth = (parts["own"] > 0) | (parts["ctx"] > 0)
        if question.aside:
            parts["aside"] = question.aside_weight * own_words(question.aside, self._postings, shape)
            worth |= parts["aside"] > 0
        if meant is not None and self._vectors is not None:
            cosines, has = self._vectors.cosines(meant, self._columns.rows)
            parts["cos"] = standard(cosines, scope & has)
            worth |= cosines >= LEAST_COSINE
        return parts | by_cues(question, self._columns, shape), worth & scope

    def _best(self, scores: NDArray[np.float64], rows: NDArray[np.int64], limit: int) -> tuple[list[int], list[float]]:
        """The best rows and their scores."""
        if limit <= 0 or not len(rows):
            return [], []
        if len(rows) > limit:
            least = np.partition(scores, len(rows) - limit)[len(rows) - limit]
            rows, scores = rows[scores >= least], scores[scores >= least]
        order = sorted(zip((-scores).tolist(), [self._ids[row] for row in rows.tolist()], rows.tolist(), strict=True))
        return [row for _, _, row in order[:limit]], [-score for score, _, _ in order[:limit]]

    def _scored(self, rows: list[int], scores: list[float], parts: dict[str, NDArray[np.float64]]) -> list[Scored]:
        names = list(parts)
        told = np.round(np.array([values[rows] for values in parts.values()]), 4).T.tolist()
        return [
            Scored(self._ids[row], score, {name: value for name, value in zip(names, values, strict=True) if value})
            for row, score, values in zip(rows, scores, told, strict=True)
        ]


def _is_past(period: Period, at_ms: int) -> bool:
    return (period.end.toordinal() - 719_163) * 86_400_000 <= at_ms


def _only_asks(text: str) -> bool:
    """Whether every longer sentence of a text is a question."""
    if "?" not in text:
        return False
    longer = [sentence for sentence in _SENTENCE.findall(text) if len(sentence.split()) >= _LONGER]
    return bool(longer) and all(sentence.rstrip().endswith("?") for sentence in longer)
