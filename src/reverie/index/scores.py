"""A question -> a score for every row: the recipe, in one place.

A turn is found by its own words, by those of its neighbours and of its whole session, by the meaning of its text, and
by who said it and when. Each weight was found on four public families of conversations and then left alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reverie.index.chains import Chains
from reverie.index.columns import ASSISTANT, USER, Columns, Mask
from reverie.index.cues import closeness, named_speakers, roles
from reverie.index.postings import Postings
from reverie.language.questions import Asked

Values = NDArray[np.float64]
Rows = NDArray[np.int64]

# What each part weighs in the sum. Own words and neighbours carry most of it; the cues for who come next.
WEIGHTS = {
    "own": 0.6, "ctx": 0.6, "ses": 0.2, "cos": 0.08, "speaker": 0.4, "there": 0.2, "self": 0.25, "asst": 0.10,
    "user": 0.10, "month": 0.3, "onlyq": -0.05, "short": -0.05, "aside": 0.6,
}  # fmt: skip
_K1, _B = 1.2, 0.75
_FLOOR = 40  # words: below this, being short is no merit
_GATE = 80  # words: neighbours explain a short turn; a long one speaks for itself
_SHORT = 8  # words
_EXPLAINED = 60  # words: a longer turn is not explained by its neighbours, nor explains them
_SMALL = 500  # rows
_STEPS = 10_000  # of a cosine: the sum of ten million squares is still exact
# A row with none of the words, nor neighbours with them, must at least be this close in meaning to be found at all.
LEAST_COSINE = 0.1
_OFTEN = 20  # a word that more than one in so many rows has is spread over all cells at once, which is then quicker

# A row's kind: who speaks (0, the person, the assistant), whether it only asks, and whether it is short.
_KINDS = np.arange(12)
_BY_KIND = {
    "user": _KINDS % 3 == USER, "self": _KINDS % 3 == USER, "asst": _KINDS % 3 == ASSISTANT,
    "onlyq": _KINDS // 3 % 2 == 1, "short": _KINDS // 6 == 1,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class RowStatistics:
    """Statistics of the rows that scoring needs: computed once after each change of the rows."""

    count: int
    row: Rows  # the row in each cell, 0 for none
    cell: Rows  # where each row stands among its neighbours; 0 for one that has none
    session: Rows
    spoken: Rows  # the session again, but 0 for a row that is no turn of it
    sessions: int  # that have turns
    norm: Values  # k1·(1 − b + b·L/avgL) of a row,
    context_norm: Values  # of a cell's neighbours as one text,
    session_norm: Values  # and of a session
    gate: Values
    kind: Rows


def shape_of(columns: Columns, chains: Chains, count: int) -> RowStatistics:
    cells = chains.cells()
    cell = np.zeros(columns.rows, dtype=np.int64)
    cell[cells] = np.arange(len(cells))
    role = roles(columns)
    # What the person only asked lifts nothing around it. What others ask of them explains the reply, and does.
    only_asked = ~columns["tells"] & (role == USER)
    cell[only_asked] = 0
    cell[0] = 0
    length = columns["length"].astype(np.float64)
    average = max(1.0, float(length.sum()) / max(1, count))
    session = columns["session"].astype(np.int64)
    spoken = np.where(cell > 0, session, 0)
    lengths = np.bincount(spoken, weights=length, minlength=int(session.max(initial=0)) + 1)
    lengths[0] = 0.0
    sessions = int(np.count_nonzero(lengths))
    kind = role + 3 * columns["only_asks"].astype(np.int64) + 6 * (columns["length"] < _SHORT)
    return RowStatistics(
        count=count,
        row=cells,
        cell=cell,
        session=session,
        spoken=spoken,
        sessions=sessions,
        norm=_norm(np.maximum(length, _FLOOR) / average),
        context_norm=_norm(np.maximum(_beside(np.where(only_asked, 0.0, length)[cells]), _FLOOR) / average),
        session_norm=_norm(lengths / max(1.0, float(lengths.sum()) / max(1, sessions))),
        gate=_GATE / (_GATE + length),
        kind=kind,
    )


def _norm(relative: Values) -> Values:
    return _K1 * (1 - _B + _B * relative)


def _beside(values: NDArray[np.float64]) -> Values:
    """For each cell, what the two before it and the one after it have together."""
    sums = np.zeros(len(values))
    np.add(values[1:-2], values[:-3], out=sums[2:-1])
    sums[2:-1] += values[3:]
    return sums


def _idf(total: int, having: int) -> float:
    return float(np.log(1 + (total - having + 0.5) / (having + 0.5)))


def by_words(terms: Sequence[str], postings: Postings, shape: RowStatistics) -> dict[str, Values]:
    """own, ctx and ses of every row, each 0 to about 2 whatever the question's length."""
    own, context = np.zeros(len(shape.norm)), np.zeros(len(shape.context_norm))
    found, scratch = np.zeros(len(shape.session_norm)), np.zeros(len(context))
    total = total_sessions = 0.0
    for term in terms:
        at, often = postings.of(term)
        idf = _idf(shape.count, len(at))
        total += idf
        own[at] += idf * (_K1 + 1) * often / (often + shape.norm[at])
        _spread(shape.cell[at], often, idf, shape, context, scratch)
        sums = np.bincount(shape.spoken[at], weights=often, minlength=len(found))
        sums[0] = 0.0
        session_idf = _idf(shape.sessions, int(np.count_nonzero(sums)))
        total_sessions += session_idf
        found += session_idf * (_K1 + 1) * sums / (sums + shape.session_norm)
    own /= max(total, 1e-9)
    beside = context.take(shape.cell)
    beside /= max(total, 1e-9)
    beside *= shape.gate
    found /= max(total_sessions, 1e-9)
    return {"own": own, "ctx": beside, "ses": found.take(shape.session)}


def _spread(cells: Rows, often: Values, idf: float, shape: RowStatistics, context: Values, scratch: Values) -> None:
    """Neighbours: what one word has in some cells is read by the cells beside them, as one text."""
    scratch[cells] = often
    scratch[0] = 0.0  # all who have no neighbours
    if len(cells) * _OFTEN > len(context):
        sums = _beside(scratch)
        total = sums + shape.context_norm
        sums *= idf * (_K1 + 1)
        sums /= total
        context += sums
    else:
        # A cell between two that have the word comes twice, with the same value, and is set to it twice.
        near = np.concatenate((cells - 1, cells + 1, cells + 2))
        sums = scratch[near - 1] + scratch[near - 2] + scratch[near + 1]
        context[near] += idf * (_K1 + 1) * sums / (sums + shape.context_norm[near])
    scratch[cells] = 0.0


def own_words(terms: Sequence[str], postings: Postings, shape: RowStatistics) -> Values:
    """The first of these alone: for the words of the goal and the plan."""
    own, total = np.zeros(len(shape.norm)), 0.0
    for term in terms:
        at, often = postings.of(term)
        idf = _idf(shape.count, len(at))
        total += idf
        own[at] += idf * (_K1 + 1) * often / (often + shape.norm[at])
    return own / max(total, 1e-9)


def rarity(terms: Sequence[str], postings: Postings, count: int) -> dict[str, float]:
    """Rate how rare each word is: 1 if one row has it, less the more have it, a little more than 1 if none has.

    The scale is the same for stores of any size; in a small one every word would be common.
    """
    count = max(count, _SMALL)
    return {term: _idf(count, postings.count(term)) / _idf(count, 1) for term in terms}


def words_beside(
    terms: Sequence[str], rows: Sequence[int], postings: Postings, lengths: NDArray[np.int32], shape: RowStatistics
) -> list[frozenset[str]]:
    """For each row, the words that its neighbours have. Only short turns are understood by short ones around them."""
    cells = shape.cell[list(rows)]
    near = shape.row[np.maximum(cells, 2)[:, None] + np.array([-2, -1, 1])]
    near[(cells == 0) | (lengths[list(rows)] > _EXPLAINED)] = 0
    near[(shape.cell[near] == 0) | (lengths[near] > _EXPLAINED)] = 0
    having = [np.isin(near, postings.of(term)[0]) for term in terms]
    return [
        frozenset(term for term, has in zip(terms, having, strict=True) if has[place].any())
        for place in range(len(rows))
    ]


@dataclass(frozen=True, slots=True)
class ScoreParts:
    """The parts of a score: some with a value for each row, some that a row's kind tells."""

    by_row: dict[str, Values]
    by_kind: dict[str, Values]
    kind: Rows

    def scores(self) -> Values:
        """The weighted sum, for every row."""
        told = sum((WEIGHTS[name] * values for name, values in self.by_kind.items()), np.zeros(len(_KINDS)))
        scores: Values = told.take(self.kind)
        part = np.empty(len(scores))
        for name, values in self.by_row.items():
            scores += np.multiply(values, WEIGHTS[name], out=part)
        return scores

    def of(self, rows: Sequence[int]) -> list[dict[str, float]]:
        """The parts of some rows by name, without those that are nothing."""
        kinds = self.kind[list(rows)]
        columns = {name: values[list(rows)] for name, values in self.by_row.items()}
        columns |= {name: values[kinds] for name, values in self.by_kind.items()}
        told = np.round(np.array(list(columns.values())), 4).T.tolist()
        return [{name: value for name, value in zip(columns, values, strict=True) if value} for values in told]


def by_cues(asked: Asked, columns: Columns, shape: RowStatistics) -> tuple[dict[str, Values], dict[str, Values]]:
    """Score rows and kinds of rows by who said it, when, and how it is said."""
    parts: dict[str, Values] = {}
    kinds = ["onlyq", "short"]
    speakers = named_speakers(columns, asked.names)
    if speakers:
        said = np.isin(columns["speaker"], speakers)
        parts["speaker"] = said.astype(np.float64)
        # Of many conversations, those are meant that the person takes part in. Within one of them this changes nothing.
        there = np.zeros(len(shape.session_norm))
        there[shape.session[said]] = 1.0
        there[0] = 0.0
        parts["there"] = there[shape.session]
    else:
        kinds.append("user")
    if asked.you_said or asked.first_person:
        kinds.append("asst" if asked.you_said else "self")
    if asked.periods:
        parts["month"] = closeness(asked.periods, columns["created"].astype(np.int64))
    return parts, {name: _BY_KIND[name].astype(np.float64) for name in kinds}


def standard(cosines: Values, inside: Mask) -> Values:
    """Standardise cosines by those inside, in whole steps so that sums are exact; 0 outside."""
    apart = cosines * _STEPS
    whole = np.rint(apart)
    outside = np.flatnonzero(~inside)
    count = len(inside) - len(outside)
    whole[outside] = 0.0
    mean = float(whole.sum()) / max(1, count)
    spread = max(0.0, float(np.einsum("i,i", whole, whole)) / max(1, count) - mean * mean) ** 0.5
    if spread <= 1:
        return np.zeros(len(cosines))
    apart -= mean
    apart *= 1 / spread
    apart[outside] = 0.0
    return apart
