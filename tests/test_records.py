"""Values that travel: what their comparisons mean."""

from itertools import product

from reverie.records import Trust

LEAST_FIRST = [Trust.OUTSIDE_TOOL, Trust.LOCAL_TOOL, Trust.ASSISTANT, Trust.PERSON_FILE, Trust.PERSON]


def test_trust_is_ordered_by_trust_in_every_comparison_and_never_by_the_alphabet() -> None:
    assert sorted(Trust) == LEAST_FIRST
    assert (min(Trust), max(Trust)) == (Trust.OUTSIDE_TOOL, Trust.PERSON)
    for (one_place, one), (other_place, other) in product(enumerate(LEAST_FIRST), repeat=2):
        assert (one < other, one <= other) == (one_place < other_place, one_place <= other_place)
        assert (one > other, one >= other) == (one_place > other_place, one_place >= other_place)
