"""When there is too much, the least useful goes, and what is protected goes last."""

from hypothesis import given
from hypothesis import strategies as st

from reverie.records import ItemType, MemoryItem
from reverie.stores.eviction import evict, is_held, reservoir, utility
from stores.made import DAY_MS, NOW_MS, item

ITEMS = st.lists(
    st.builds(
        lambda importance, tokens, tags, uses, type_: (importance, tokens, tags, uses, type_),
        st.floats(0, 1),
        st.integers(1, 50),
        st.sampled_from([(), (), (), ("pinned",), ("other",)]),
        st.integers(0, 5),
        st.sampled_from([ItemType.FACT, ItemType.FACT, ItemType.GOAL]),
    ),
    max_size=30,
).map(
    lambda rows: [
        item(n, importance=i, tokens_estimate=t, tags=g, access_count=u, type=k)
        for n, (i, t, g, u, k) in enumerate(rows)
    ]
)


@given(ITEMS, st.integers(0, 20) | st.none(), st.integers(0, 300) | st.none(), st.floats(0, 1))
def test_the_budget_is_kept_and_the_protected_go_last(
    items: list[MemoryItem], max_items: int | None, max_tokens: int | None, bar: float
) -> None:
    gone = evict(
        items,
        now_ms=NOW_MS + DAY_MS,
        max_items=max_items,
        max_tokens=max_tokens,
        protect=lambda one: one.importance >= bar,
    )

    stay = [one for one in items if one.id not in gone]
    taken = [one for one in items if one.id in gone]
    assert not any(is_held(one) for one in taken)
    if not all(is_held(one) for one in stay):
        assert max_items is None or len(stay) <= max_items
        assert max_tokens is None or sum(one.tokens_estimate for one in stay) <= max_tokens
    if any(one.importance >= bar for one in taken):
        assert not [one for one in stay if one.importance < bar and not is_held(one)]


@given(ITEMS, st.integers(0, 300))
def test_the_order_in_which_items_come_does_not_matter(items: list[MemoryItem], max_tokens: int) -> None:
    once = evict(items, now_ms=NOW_MS, max_tokens=max_tokens)

    assert evict(items[::-1], now_ms=NOW_MS, max_tokens=max_tokens) == once


@given(ITEMS, st.integers(0, 20), st.integers(0, 300))
def test_nothing_goes_that_could_have_stayed(items: list[MemoryItem], max_items: int, max_tokens: int) -> None:
    gone = evict(items, now_ms=NOW_MS, max_items=max_items, max_tokens=max_tokens)

    count = len(items) - len(gone)
    tokens = sum(one.tokens_estimate for one in items if one.id not in gone)
    for one in items:
        if one.id in gone:
            assert count + 1 > max_items or tokens + one.tokens_estimate > max_tokens


def test_a_long_item_is_given_up_before_a_short_one_of_the_same_use() -> None:
    items = [item(1, tokens_estimate=10), item(2, tokens_estimate=100), item(3, tokens_estimate=10)]

    assert evict(items, now_ms=NOW_MS, max_tokens=25) == ["i0002"]


def test_when_items_are_counted_length_does_not_matter() -> None:
    items = [item(1, tokens_estimate=10, importance=0.2), item(2, tokens_estimate=100, importance=0.9)]

    assert evict(items, now_ms=NOW_MS, max_items=1) == ["i0001"]


def test_a_goal_that_is_over_may_go() -> None:
    done = item(1, type=ItemType.GOAL, metadata={"status": "done"})

    assert not is_held(done)
    assert is_held(item(2, type=ItemType.GOAL))


def test_use_and_freshness_make_an_item_worth_more() -> None:
    plain = item(0)

    assert utility(item(0, access_count=3), NOW_MS) > utility(plain, NOW_MS) > utility(plain, NOW_MS + 9 * DAY_MS)
    assert utility(item(0, accessed_ms=NOW_MS + 8 * DAY_MS), NOW_MS + 9 * DAY_MS) > utility(plain, NOW_MS + 9 * DAY_MS)


@given(ITEMS, st.integers(0, 12), st.integers())
def test_a_sample_is_the_same_whenever_it_is_drawn(items: list[MemoryItem], size: int, seed: int) -> None:
    drawn = reservoir(items, size, seed)

    assert drawn == reservoir(items, size, seed)
    assert {one.id for one in drawn} == {one.id for one in reservoir(items[::-1], size, seed)}
    assert len(drawn) == min(size, len(items))
    assert drawn == [one for one in items if one in drawn]


def test_important_items_are_likelier_in_a_sample() -> None:
    items = [item(n, importance=0.9 if n % 10 == 0 else 0.1) for n in range(200)]
    important = sum(one.importance > 0.5 for seed in range(50) for one in reservoir(items, 20, seed))

    # One in ten is important. Drawn evenly that were 100 of 1,000; nine times the weight makes it several times more.
    assert important > 300


def test_another_seed_draws_another_sample() -> None:
    items = [item(n) for n in range(100)]

    assert reservoir(items, 10, 1) != reservoir(items, 10, 2)
