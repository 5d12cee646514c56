"""Tuning: coefficients change only by a proposal that held-out turns agree with."""

import random
from dataclasses import astuple

import pytest

from reverie.stores.coefficients import Case, Coefficients, Weighed, propose, quality

CURRENT = Coefficients()


def cases(count: int, decides: str, seed: int = 1) -> list[Case]:
    """Questions whose useful candidate is the one that is best in one of the terms."""
    chance = random.Random(seed)
    made = []
    for number in range(count):
        terms = [
            {name: chance.random() for name in ("similarity", "recency", "importance", "duplication")}
            for _ in range(15)
        ]
        best = max(range(15), key=lambda place: terms[place].get(decides, chance.random()))
        made.append(
            Case(f"turn {number}", tuple(Weighed(**one, useful=place == best) for place, one in enumerate(terms)))
        )
    return made


@pytest.mark.parametrize("decides", ["similarity", "recency", "importance"])
def test_what_was_useful_gets_more_weight(decides: str) -> None:
    proposal = propose(cases(60, decides), CURRENT, seed=3)

    assert proposal.coefficients is not None
    assert getattr(proposal.coefficients, decides) > getattr(CURRENT, decides)
    assert proposal.after > proposal.before
    assert "held out" in proposal.evidence


def test_the_scale_stays() -> None:
    found = propose(cases(60, "similarity"), CURRENT, seed=3).coefficients

    assert found is not None
    assert found.similarity + found.recency + found.importance == pytest.approx(0.9)
    assert found.duplication == 0.1
    assert min(astuple(found)) >= 0


def test_chance_is_no_reason_to_change() -> None:
    proposals = [propose(cases(60, "nothing", seed=seed), CURRENT, seed=3) for seed in range(20)]

    none = [one for one in proposals if one.coefficients is None]
    assert len(none) >= 19
    assert all(one.before == one.after for one in none)
    assert none[0].evidence.startswith("none: not surely better on held-out cases")


def test_what_is_best_already_stays() -> None:
    best = Coefficients(0.9, 0.0, 0.0, 0.1)

    assert propose(cases(60, "similarity"), best, seed=3).coefficients is None


def test_too_few_cases_are_an_anecdote() -> None:
    proposal = propose(cases(9, "recency"), CURRENT, seed=3)

    assert proposal.coefficients is None
    assert "9 cases" in proposal.evidence


def test_cases_that_cannot_tell_good_from_bad_do_not_count() -> None:
    silent = [Case(f"t{number}", (Weighed(1, 1, 1, 0, True), Weighed(0, 0, 0, 0, True))) for number in range(50)]

    assert propose(silent, CURRENT, seed=3).coefficients is None
    assert propose([], CURRENT, seed=3).coefficients is None


def test_the_same_cases_and_seed_give_the_same_proposal_in_any_order() -> None:
    told = cases(40, "recency")

    assert propose(told, CURRENT, seed=5) == propose(told[::-1], CURRENT, seed=5)


def test_a_tie_does_not_look_like_a_success() -> None:
    tie = Case("t", tuple(Weighed(0.5, 0.5, 0.5, 0, useful) for useful in (True, *[False] * 10)))

    assert quality([tie], CURRENT) == 0
