"""Working memory is small, keeps what matters, and says what had to go."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.records import WORKING, Filters, ItemType, Lifecycle, MemoryItem, ReadContext, Stored, Trust
from reverie.settings import StoreSettings
from reverie.stores import working as working_memory
from reverie.stores.working import Working
from reverie.testing import MemoryStoreView
from stores.made import HOUR_MS, NOW_MS, derive_id, item


def working(max_items: int = 8, max_tokens: int = 1000) -> Working:
    return Working(StoreSettings(working_max_items=max_items, working_max_tokens=max_tokens), derive_id)


def fill(memory: Working, items: list[MemoryItem]) -> tuple[MemoryStoreView, list[Stored]]:
    view = MemoryStoreView(WORKING)
    return view, [memory.memorize(one, view) for one in items]


def summaries(view: MemoryStoreView) -> list[MemoryItem]:
    return [one for one in view.items() if one.type is ItemType.SUMMARY]


def test_unimportant_items_go_first_oldest_first_and_no_more_than_needed() -> None:
    view, stored = fill(working(4), [item(n, importance=0.2 if n in (1, 2) else 0.5) for n in range(5)])

    assert stored[-1] == Stored(kept=("i0004",), evicted=("i0001",))
    assert [one.id for one in view.items()] == ["i0000", "i0002", "i0003", "i0004"]


def test_the_tail_becomes_one_summary_and_protected_items_stay() -> None:
    view, stored = fill(working(8), [item(n, f"Fact {n} is so.", importance=0.8 if n == 0 else 0.5) for n in range(9)])

    assert stored[-1].summarised == ("i0001", "i0002", "i0003")
    assert view.get("i0000").is_current
    [summary] = summaries(view)
    assert "Fact 1 is so." in summary.text
    assert summary.metadata["covers"] == 3
    assert summary.sources == ("i0001", "i0002", "i0003")


def test_the_summary_rolls_on_under_one_id() -> None:
    view, _ = fill(working(8), [item(n) for n in range(40)])

    [summary] = summaries(view)
    assert summary.metadata["covers"] == 40 - (len(view.items()) - 1)


def test_full_of_protected_items_the_oldest_are_summarised_and_it_is_logged() -> None:
    view, stored = fill(working(8), [item(n, importance=0.9) for n in range(9)])

    assert stored[-1].summarised == ("i0000", "i0001", "i0002")
    assert len(summaries(view)) == 1


def test_what_is_pinned_stays_and_a_pinned_newcomer_that_does_not_fit_is_turned_away() -> None:
    view, stored = fill(working(2), [item(n, tags=("pinned",)) for n in range(3)])

    assert stored[-1] == Stored(kept=(), evicted=("i0002",))
    assert [one.id for one in view.items()] == ["i0000", "i0001"]


def test_a_summary_is_trusted_no_more_than_the_least_of_what_it_says() -> None:
    view, _ = fill(working(8), [item(n, trust=Trust.OUTSIDE_TOOL if n == 1 else Trust.PERSON) for n in range(9)])

    assert summaries(view)[0].trust is Trust.OUTSIDE_TOOL


def test_what_two_projects_did_is_not_told_in_one_summary() -> None:
    view, _ = fill(working(8), [item(n, f"Seen by {n % 2}.", project=f"/{n % 2}") for n in range(20)])

    assert {one.project for one in summaries(view)} == {"/0", "/1"}
    for one in summaries(view):
        assert f"Seen by {1 - int(one.project[1])}" not in one.text


def test_steps_are_counted_by_task_and_go_on_after_a_summary() -> None:
    view, _ = fill(working(8), [item(n, task="ab"[n % 2]) for n in range(30)])

    assert view.get("i0029").step_index == 15
    assert view.get("i0028").step_index == 15


def test_a_huge_item_is_kept_shortened() -> None:
    view, stored = fill(working(8, max_tokens=100), [item(1, "The beginning. " + "And so on and on. " * 500)])

    [kept] = view.items()
    assert stored == [Stored(("i0001",))]
    assert kept.text.startswith("The beginning.")
    assert kept.tokens_estimate <= 50
    assert kept.metadata["shortened_from_tokens"] > 2000


def test_a_summariser_that_talks_too_much_is_held_to_the_limit() -> None:
    memory = Working(StoreSettings(working_max_items=4), derive_id, lambda items, limit: "word " * 100_000)
    view, _ = fill(memory, [item(n) for n in range(9)])

    assert all(one.tokens_estimate <= 300 for one in summaries(view))


def test_a_repeat_neither_doubles_an_item_nor_brings_it_back() -> None:
    memory = working(4)
    view, _ = fill(memory, [item(n) for n in range(9)])
    before = view.items()

    assert memory.memorize(item(0), view) == Stored(())
    assert memory.memorize(item(8), view) == Stored(("i0008",))
    assert view.items() == before


def test_what_is_in_quarantine_takes_no_room() -> None:
    view, _ = fill(working(2), [item(n, lifecycle=Lifecycle.QUARANTINED) for n in range(5)])

    assert view.items() == []
    assert len(view.items(Filters(quarantined=True))) == 5


def test_it_offers_the_newest_of_the_session_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(working_memory, "RECENT", 3)
    memory = working(50)
    view, _ = fill(memory, [item(n, session="ab"[n % 2]) for n in range(10)])

    found = memory.remember(ReadContext(query_text="?", at_ms=NOW_MS + HOUR_MS, session="a"), view)

    assert [one.item.id for one in found] == ["i0008", "i0006", "i0004"]
    assert 1 >= found[0].score > found[1].score > found[2].score > 0.4


def test_its_capacity_has_the_limits() -> None:
    memory = working(5, 77)

    assert memory.capacity(MemoryStoreView()).max_items == 5
    assert memory.capacity(MemoryStoreView()).max_tokens == 77


@given(
    st.integers(1, 10),
    st.integers(1, 120),
    st.lists(
        st.tuples(
            st.floats(0, 1),
            st.integers(1, 60),
            st.sampled_from([(), (), (), ("pinned",)]),
            st.sampled_from("ab"),
            st.sampled_from([ItemType.THOUGHT, ItemType.THOUGHT, ItemType.GOAL, ItemType.SUMMARY]),
        ),
        max_size=40,
    ),
)
@settings(max_examples=150)
def test_it_never_exceeds_its_capacity_whatever_comes(
    max_items: int, max_tokens: int, rows: list[tuple[float, int, tuple[str, ...], str, ItemType]]
) -> None:
    memory = working(max_items, max_tokens)
    view = MemoryStoreView(WORKING)
    for number, (importance, words, tags, session, type_) in enumerate(rows):
        before = {one.id: one for one in view.items()}
        one = item(number, "word " * words, importance=importance, tags=tags, session=session, type=type_)
        stored = memory.memorize(one, view)

        now = memory.capacity(view)
        assert now.items <= max_items
        assert now.tokens <= max_tokens
        held = [i for i in before.values() if "pinned" in i.tags or i.type is ItemType.GOAL]
        assert all(view.get(i.id).is_current for i in held)
        here = {i.id for i in view.items()}
        assert set(before) - here <= {*stored.evicted, *stored.summarised}  # nothing goes unsaid
        assert (one.id in here) == (one.id in stored.kept)


@pytest.mark.parametrize("type_", [ItemType.THOUGHT, ItemType.PLAN])
def test_transient_reasoning_belongs_here(type_: ItemType) -> None:
    assert working().accepts(item(1, type=type_))
    assert not working().accepts(item(1, type=ItemType.FACT))
