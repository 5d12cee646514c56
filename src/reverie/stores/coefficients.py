"""Past turns -> a proposal for the coefficients of the recall formula, or none.

Each case is a question with the candidates that recall saw and which of them turned out useful. Coefficients are chosen
on one half of the cases and judged on the other; what is not surely better there is no proposal. The positive ones
add up to .9 and the penalty stays .1, so that scores keep their scale. Nothing is applied here.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from math import log2, sqrt

_STEP = 0.05
_POSITIVE = 18  # steps: .40 + .25 + .25, as they were set first
_SIMILARITY_AT_LEAST = 4  # steps: below .2, recall would show what is new and important, not what was asked for
_LEAST_CASES = 10  # with fewer, the held-out half is an anecdote
_LEAST_GAIN = 0.005  # of nDCG@10, held out: less is noise
_SURE = 2.0  # standard errors that the gain must be away from nothing: one grid point in sixty wins by luck otherwise
_FIRST = 10


@dataclass(frozen=True, slots=True)
class Coefficients:
    """Alpha, beta, gamma and delta of the ranking (`recall.rank`)."""

    similarity: float = 0.40
    recency: float = 0.25
    importance: float = 0.25
    duplication: float = 0.10


@dataclass(frozen=True, slots=True)
class Weighed:
    """A candidate as recall saw it: the terms of the formula, and whether it was of use."""

    similarity: float
    recency: float
    importance: float
    duplication: float
    useful: bool


@dataclass(frozen=True, slots=True)
class Case:
    """One past question: labelled, or judged by what was used of the answer."""

    name: str
    candidates: tuple[Weighed, ...]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposed change. `coefficients` is None if nothing better was found; figures are nDCG@10 on held-out cases."""

    before: float
    after: float
    coefficients: Coefficients | None
    evidence: str


def propose(cases: Sequence[Case], current: Coefficients, seed: int) -> Proposal:
    """The best coefficients for one half of the cases, if the other half agrees."""
    telling = [case for case in cases if 0 < sum(one.useful for one in case.candidates) < len(case.candidates)]
    if len(telling) < _LEAST_CASES:
        return Proposal(0.0, 0.0, None, f"{len(telling)} cases tell good from bad; {_LEAST_CASES} are needed")
    mixed = sorted(telling, key=lambda case: (_draw(case.name, seed), case.name))
    learned, held_out = mixed[: len(mixed) // 2], mixed[len(mixed) // 2 :]
    best = max(
        [current, *_grid(current.duplication)], key=lambda one: (quality(learned, one), -_distance(one, current))
    )
    before, after = quality(held_out, current), quality(held_out, best)
    evidence = (
        f"{len(learned)} cases to choose on: nDCG@10 {quality(learned, current):.4f} -> {quality(learned, best):.4f}; "
        f"{len(held_out)} held out: {before:.4f} -> {after:.4f}; seed {seed}"
    )
    gains = [_gain(case, best) - _gain(case, current) for case in held_out]
    if after < before + _LEAST_GAIN or not _is_sure(gains):
        return Proposal(before, before, None, f"none: not surely better on held-out cases; {evidence}")
    return Proposal(before, after, best, evidence)


def quality(cases: Sequence[Case], coefficients: Coefficients) -> float:
    """nDCG@10, averaged over the cases."""
    return round(sum(_gain(case, coefficients) for case in cases) / len(cases), 6) if cases else 0.0


def _grid(duplication: float) -> Iterator[Coefficients]:
    for similarity in range(_SIMILARITY_AT_LEAST, _POSITIVE + 1):
        for recency in range(_POSITIVE - similarity + 1):
            alpha, beta = round(similarity * _STEP, 2), round(recency * _STEP, 2)
            gamma = round((_POSITIVE - similarity - recency) * _STEP, 2)
            yield Coefficients(alpha, beta, gamma, duplication)


def _gain(case: Case, weights: Coefficients) -> float:
    def score(one: Weighed) -> float:
        return (
            weights.similarity * one.similarity
            + weights.recency * one.recency
            + weights.importance * one.importance
            - weights.duplication * one.duplication
        )

    # Of equals, the useless first: a tie must not look like a success.
    ranked = sorted(case.candidates, key=lambda one: (-round(score(one), 9), one.useful))[:_FIRST]
    useful = min(sum(one.useful for one in case.candidates), _FIRST)
    ideal = sum(1 / log2(place + 2) for place in range(useful))
    return sum(1 / log2(place + 2) for place, one in enumerate(ranked) if one.useful) / ideal if ideal else 0.0


def _is_sure(gains: Sequence[float]) -> bool:
    """Whether the mean gain is more than chance would give: a paired test."""
    mean = sum(gains) / len(gains)
    spread = sqrt(sum((gain - mean) ** 2 for gain in gains) / max(len(gains) - 1, 1))
    return mean >= _SURE * spread / sqrt(len(gains))


def _distance(one: Coefficients, other: Coefficients) -> float:
    return (
        abs(one.similarity - other.similarity)
        + abs(one.recency - other.recency)
        + abs(one.importance - other.importance)
    )


def _draw(name: str, seed: int) -> bytes:
    """A number that only the name and the seed decide."""
    return blake2b(f"{seed}:{name}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
