"""Values that travel: what their comparisons mean."""

from itertools import product

from reverie.records import Trust

LEAST_FIRST = [
    Trust.OUTSIDE_TOOL,
    Trust.LOCAL_TOOL,
    Trust.OTHER_PEOPLE,
    Trust.ASSISTANT,
    Trust.PERSON_FILE,
    Trust.PERSON,
]


def test_trust_is_ordered_by_trust_in_every_comparison_and_never_by_the_alphabet() -> None:
    assert sorted(Trust) == LEAST_FIRST
    assert (min(Trust), max(Trust)) == (Trust.OUTSIDE_TOOL, Trust.PERSON)
    for (one_place, one), (other_place, other) in product(enumerate(LEAST_FIRST), repeat=2):
        assert (one < other, one <= other) == (one_place < other_place, one_place <= other_place)
        assert (one > other, one >= other) == (one_place > other_place, one_place >= other_place)


def test_trust_in_the_order_of_the_design() -> None:
    """Person > file of the person > assistant > other people > local tool > web or MCP tool."""
    names = ["person", "person_file", "assistant", "other_people", "local_tool", "outside_tool"]

    assert sorted(map(Trust, names[::-1]), reverse=True) == names
    assert [one.value for one in Trust if one.has_a_say] == ["person", "person_file", "assistant"]
