"""What is packed never exceeds its budget, and everything left out has its reason."""

from hypothesis import given
from hypothesis import strategies as st

from reverie.language.tokens import count_tokens
from reverie.recall import pack
from reverie.recall.clip import clip
from reverie.records import EPISODIC, SEMANTIC, ItemType, MemoryItem, Recalled
from reverie.settings import RecallSettings

SETTINGS = RecallSettings()


def recalled(item_id: str, text: str, score: float = 0.5, store: str = EPISODIC) -> Recalled:
    item = MemoryItem(id=item_id, type=ItemType.USER_MESSAGE, text=text, created_ms=0, store=store)
    return Recalled(item=item, score=score, similarity=0.5, recency=1, importance=1, duplication=0)


def headed(found: Recalled, packed) -> int:
    """A heading for each memory type, and a date before each line."""
    heading = 0 if any(each.item.store == found.item.store for each in packed) else 4
    return heading + 5 + count_tokens(found.shown)


texts = st.text(st.sampled_from("ab .!?\n猫é1_/"), max_size=900)


@given(
    st.lists(st.tuples(texts, st.floats(0, 1), st.sampled_from([EPISODIC, SEMANTIC])), max_size=15), st.integers(0, 400)
)
def test_the_budget_holds_and_nothing_goes_missing(given_: list, budget: int) -> None:
    ranked = [recalled(f"i{number:02}", *each) for number, each in enumerate(given_)]
    ranked.sort(key=lambda found: (-found.score, found.item.id))

    bundle = pack(ranked, budget, terms=["ab", "猫"], cost=headed)

    stores = {found.item.store for found in bundle.items}
    assert sum(5 + count_tokens(found.shown) for found in bundle.items) + 4 * len(stores) == bundle.tokens <= budget
    assert bundle.budget_tokens == budget
    told = [found.item.id for found in bundle.items] + [item_id for item_id, _ in bundle.left_out]
    assert sorted(told) == sorted(found.item.id for found in ranked)
    assert all(reason for _, reason in bundle.left_out)
    assert bundle == pack(ranked, budget, terms=["ab", "猫"], cost=headed)
    assert [found.score for found in bundle.items] == sorted((found.score for found in bundle.items), reverse=True)


def test_each_memory_type_gets_its_first_in() -> None:
    many = [recalled(f"e{number}", f"{number} " + "ten words " * 5, 0.9) for number in range(9)]
    fact = recalled("f", "a fact", 0.1, SEMANTIC)

    bundle = pack([*many, fact], 40)

    assert "f" in [found.item.id for found in bundle.items]


def test_what_says_nothing_new_gets_no_room() -> None:
    answer, again = (
        recalled("a", "On Fridays, with make ship.", 0.9),
        recalled("b", "On Fridays,\nwith make ship.", 0.8),
    )
    question = recalled("q", "how do we deploy?", 0.7)

    bundle = pack([answer, again, question], 1000, question="how do we deploy")

    assert [found.item.id for found in bundle.items] == ["a"]
    assert bundle.left_out == (("b", "the same words as a"), ("q", "the question itself"))


def test_no_more_than_was_asked_for() -> None:
    bundle = pack([recalled(f"i{number}", f"pear {number}") for number in range(5)], 1000, most=2)

    assert len(bundle.items) == 2
    assert len(bundle.left_out) == 3


@given(texts, st.integers(4, 200))
def test_a_clipped_text_keeps_within_its_limit(text: str, limit: int) -> None:
    assert count_tokens(clip(text, ["ab"], limit)) <= limit


def test_a_long_item_is_shown_around_its_match() -> None:
    text = "It was a long day. " * 60 + "The key is under the blue pot. " + "Then we slept. " * 60

    shown = clip(text, ["key", "pot"], 60)

    assert "The key is under the blue pot." in shown
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert clip("short", ["key"], 60) == "short"
