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
from reverie.language.asking import Asked

Values = NDArray[np.float64]

# What each part weighs in the sum. Own words and neighbours carry most of it; the cues for who come next.
WEIGHTS = {
    "own": 0.6, "ctx": 0.6, "ses": 0.2, "cos": 0.08, "speaker": 0.4, "there": 0.2, "self": 0.25, "asst": 0.10,
    "user": 0.10, "month": 0.3, "onlyq": -0.05, "short": -0.05, "aside": 0.6,
}  # fmt: skip
_K1, _B = 1.2, 0.75
_FLOOR = 40  # words: below this, being short is no merit
_GATE = 80  # words: neighbours explain a short turn; a long one speaks for itself
_SHORT = 8  # words
_STEPS = 10_000  # of a cosine: the sum of ten million squares is still exact
# A row with none of the words, nor neighbours with them, must at least be this close in meaning to be found at all.
LEAST_COSINE = 0.1


@dataclass(frozen=True, slots=True)
class Shape:
    """What scoring needs of the rows and what changes only when rows do: made once after each change."""

    count: int
    before: NDArray[np.int64]
    before2: NDArray[np.int64]
    after: NDArray[np.int64]
    after2: NDArray[np.int64]
    members: Mask
    session: NDArray[np.int64]
    sessions: int  # that have turns
    norm: Values  # k1·(1 − b + b·L/avgL) of a row,
    context_norm: Values  # of its neighbours as one text,
    session_norm: Values  # and of a session
    gate: Values
    role: NDArray[np.int8]


def shape_of(columns: Columns, chains: Chains, count: int) -> Shape:
    rows = columns.rows
    before, after, members = chains.before(rows), chains.after(rows), chains.members(rows)
    before2, after2 = before[before], after[after]
    length = columns["length"].astype(np.float64)
    average = max(1.0, float(length.sum()) / max(1, count))
    session = columns["session"].astype(np.int64)
    lengths = np.bincount(session[members], weights=length[members], minlength=int(session.max(initial=0)) + 1)
    sessions = int(np.count_nonzero(lengths))
    return Shape(
        count=count,
        before=before,
        before2=before2,
        after=after,
        after2=after2,
        members=members,
        session=session,
        sessions=sessions,
        norm=_norm(np.maximum(length, _FLOOR) / average),
        context_norm=_norm(np.maximum(length[before] + length[before2] + length[after], _FLOOR) / average),
        session_norm=_norm(lengths / max(1.0, float(lengths.sum()) / max(1, sessions))),
        gate=_GATE / (_GATE + length),
        role=roles(columns),
    )


def _norm(relative: Values) -> Values:
    return _K1 * (1 - _B + _B * relative)


def _idf(total: int, having: int) -> float:
    return float(np.log(1 + (total - having + 0.5) / (having + 0.5)))


def by_words(terms: Sequence[str], postings: Postings, shape: Shape) -> dict[str, Values]:
    """own, ctx and ses of every row, each 0 to about 2 whatever the question's length."""
    rows = len(shape.norm)
    own, context, found = np.zeros(rows), np.zeros(rows), np.zeros(len(shape.session_norm))
    scratch, mark = np.zeros(rows), np.zeros(rows, dtype=bool)
    total = total_sessions = 0.0
    for term in terms:
        at, often = postings.of(term)
        idf = _idf(shape.count, len(at))
        total += idf
        own[at] += idf * (_K1 + 1) * often / (often + shape.norm[at])
        # Neighbours: spread what this word has over the rows that stand beside it, then read it back as one text.
        scratch[at] = often
        for beside in (shape.after, shape.after2, shape.before):
            mark[beside[at]] = True
        mark[0] = False
        near = np.flatnonzero(mark)
        sum_ = scratch[shape.before[near]] + scratch[shape.before2[near]] + scratch[shape.after[near]]
        context[near] += idf * (_K1 + 1) * sum_ / (sum_ + shape.context_norm[near])
        scratch[at] = 0
        mark[near] = False
        inside = shape.members[at]
        sums = np.bincount(shape.session[at[inside]], weights=often[inside], minlength=len(found))
        session_idf = _idf(shape.sessions, int(np.count_nonzero(sums)))
        total_sessions += session_idf
        found += session_idf * (_K1 + 1) * sums / (sums + shape.session_norm)
    found[0] = 0.0
    session = found[shape.session] / max(total_sessions, 1e-9)
    return {"own": own / max(total, 1e-9), "ctx": context / max(total, 1e-9) * shape.gate, "ses": session}


def own_words(terms: Sequence[str], postings: Postings, shape: Shape) -> Values:
    """The first of these alone: for the words of the goal and the plan."""
    own, total = np.zeros(len(shape.norm)), 0.0
    for term in terms:
        at, often = postings.of(term)
        idf = _idf(shape.count, len(at))
        total += idf
        own[at] += idf * (_K1 + 1) * often / (often + shape.norm[at])
    return own / max(total, 1e-9)


def by_cues(asked: Asked, columns: Columns, shape: Shape) -> dict[str, Values]:
    """Who said it, when, and how it is said."""
    parts: dict[str, Values] = {}
    person = shape.role == USER
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
        parts["user"] = person.astype(np.float64)
    if asked.you_said:
        parts["asst"] = (shape.role == ASSISTANT).astype(np.float64)
    elif asked.first_person:
        parts["self"] = person.astype(np.float64)
    if asked.periods:
        parts["month"] = closeness(asked.periods, columns["created"].astype(np.int64))
    parts["onlyq"] = columns["only_asks"].astype(np.float64)
    parts["short"] = (columns["length"] < _SHORT).astype(np.float64)
    return parts


def standard(cosines: Values, scope: Mask) -> Values:
    """How far each cosine is from the usual one in the scope, counted in whole steps so that sums are exact."""
    inside = np.rint(cosines[scope] * _STEPS)
    if not len(inside):
        return np.zeros(len(cosines))
    mean = float(inside.sum()) / len(inside)
    spread = max(0.0, float(np.square(inside).sum()) / len(inside) - mean * mean) ** 0.5
    if spread <= 1:
        return np.zeros(len(cosines))
    apart: Values = (cosines * _STEPS - mean) * (scope / spread)
    return apart
