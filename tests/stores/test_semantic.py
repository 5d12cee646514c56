"""What is known of a subject has a current version and a history; a merge makes surer and can be undone."""

from dataclasses import replace
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from reverie.records import SEMANTIC, Filters, Lifecycle, MemoryItem, ReadContext, Redaction, Stored, Trust
from reverie.settings import StoreSettings
from reverie.stores.semantic import Semantic, chained, history, restore, strengthen
from reverie.testing import MemoryStoreView
from stores.made import NOW_MS, item

memory = Semantic(StoreSettings())


def learn(*items: MemoryItem) -> MemoryStoreView:
    view = MemoryStoreView(SEMANTIC)
    for one in items:
        memory.memorize(one, view)
    return view


def fact(number: int, text: str = "", **fields) -> MemoryItem:
    return item(number, text, **{"subject": "database", "project": "/shop", **fields})


def test_a_newer_fact_closes_the_older_one_and_history_stays() -> None:
    view = learn(fact(1, "The database is Postgres 14."), fact(2, "The database is Postgres 16."))

    [current] = view.items()
    older, newer = history("database", "/shop", view)
    assert current == newer
    assert (older.superseded_by, older.valid_to_ms) == (newer.id, newer.created_ms)
    assert (newer.version, newer.lineage_ids, newer.valid_from_ms) == (older.version + 1, (older.id,), newer.created_ms)


def test_asked_about_the_past_it_knows_what_was_valid_then() -> None:
    view = learn(fact(1), fact(5), fact(9))

    def at(minute: int) -> list[str]:
        return [one.id for one in view.items(Filters(valid_at_ms=NOW_MS + minute * 60_000))]

    assert [at(minute) for minute in (0, 1, 4, 5, 8, 99)] == [[], ["i0001"], ["i0001"], ["i0005"], ["i0005"], ["i0009"]]


def test_a_late_arrival_is_history_at_once() -> None:
    view = learn(fact(1), fact(9), fact(5))

    assert [one.id for one in view.items()] == ["i0009"]
    late = view.get("i0005")
    assert (late.valid_to_ms, late.superseded_by) == (view.get("i0009").created_ms, "i0009")
    assert view.get("i0001").superseded_by == "i0005"


def test_other_projects_and_facts_without_a_subject_are_left_alone() -> None:
    view = learn(fact(1), fact(2, project="/other"), fact(3, subject=""), fact(4, subject=""))

    assert len(view.items()) == 4


def test_an_item_may_name_what_it_replaces() -> None:
    view = learn(fact(1, subject="db"), fact(2, subject="database", lineage_ids=("i0001",)))

    assert [one.id for one in view.items()] == ["i0002"]
    assert view.get("i0001").superseded_by == "i0002"


def test_what_is_in_quarantine_replaces_nothing_until_it_is_approved() -> None:
    doubtful = fact(2, lifecycle=Lifecycle.QUARANTINED)
    view = learn(fact(1), doubtful)
    assert [one.id for one in view.items()] == ["i0001"]

    memory.memorize(replace(doubtful, lifecycle=Lifecycle.ACTIVATED), view)
    assert [one.id for one in view.items()] == ["i0002"]


def test_nothing_replaces_what_is_trusted_more() -> None:
    view = learn(fact(1), fact(2, trust=Trust.OUTSIDE_TOOL), fact(3, trust=Trust.LOCAL_TOOL))
    assert [one.id for one in view.items()] == ["i0001", "i0003"]

    memory.memorize(fact(4), view)
    assert [one.superseded_by for one in history("database", "/shop", view)] == ["i0004", "i0003", "i0004", ""]


def test_what_a_hidden_fact_had_replaced_holds_again_until_it_is_shown_again() -> None:
    view = learn(fact(1), fact(5), fact(9))
    first, second, third = history("database", "/shop", view)

    reopened = chained([first, second, replace(third, deleted_ms=NOW_MS)])
    assert [(one.superseded_by, one.valid_to_ms) for one in reopened[:2]] == [
        ("i0005", second.valid_from_ms),
        ("", None),
    ]
    assert chained([*reopened[:2], third]) == [first, second, third]


def test_a_repeat_does_not_undo_what_was_merged_since() -> None:
    view = learn(fact(1))
    view.put(strengthen(view.get("i0001"), fact(2)))
    before = view.get("i0001")

    assert memory.memorize(fact(1), view) == Stored(("i0001",))
    assert view.get("i0001") == before


@given(
    st.lists(
        st.tuples(st.integers(0, 30), st.sampled_from(["a", "b", ""]), st.sampled_from(["/x", ""]), st.booleans()),
        max_size=25,
    )
)
def test_one_item_of_a_subject_is_current_and_validities_never_overlap(rows: list[tuple[int, str, str, bool]]) -> None:
    view = MemoryStoreView(SEMANTIC)
    for number, (minute, subject, project, is_repeated) in enumerate(rows):
        one = item(number, subject=subject, project=project, created_ms=NOW_MS + minute * 60_000)
        memory.memorize(one, view)
        if is_repeated:
            memory.memorize(one, view)

    for subject in ("a", "b"):
        for project in ("/x", ""):
            chain = history(subject, project, view)
            assert sum(one.is_current for one in chain) == min(1, len(chain))
            assert all(one.valid_to_ms <= next_.valid_from_ms for one, next_ in pairwise(chain))
            assert [one.superseded_by for one in chain] == [*(one.id for one in chain[1:]), *([""] if chain else [])]


@given(st.permutations(range(6)))
def test_the_order_of_arrival_does_not_change_what_is_valid_when(order: list[int]) -> None:
    chain = history("database", "/shop", learn(*(fact(number) for number in order)))

    assert [(one.id, one.valid_to_ms) for one in chain] == [
        (f"i{n:04}", NOW_MS + (n + 1) * 60_000 if n < 5 else None) for n in range(6)
    ]


def test_eviction_takes_all_versions_of_a_subject() -> None:
    small = Semantic(StoreSettings(semantic_max_items=3))
    view = MemoryStoreView(SEMANTIC)
    for number in range(4):
        small.memorize(item(number, subject="old", importance=0.1), view)
    stored = [small.memorize(item(number, subject=f"s{number}"), view) for number in range(4, 7)]

    assert stored[-1].evicted[:4] == ("i0000", "i0001", "i0002", "i0003")
    assert stored[-1].kept == ("i0006",)
    assert history("old", "", view) == []


# ---- merging


def test_a_second_witness_makes_surer_but_never_more_trusted() -> None:
    existing = fact(1, confidence=0.6, importance=0.4, trust=Trust.ASSISTANT, tags=("a",), sources=("o1",))
    merged = strengthen(
        existing,
        fact(
            2,
            confidence=0.5,
            importance=0.7,
            trust=Trust.PERSON,
            tags=("b", "a"),
            sources=("o2",),
            redaction_status=Redaction.PARTIAL,
        ),
    )

    assert merged.id == existing.id
    assert merged.text == existing.text
    assert round(merged.confidence, 3) == 0.8
    assert (merged.importance, merged.trust, merged.tags, merged.sources) == (
        0.7,
        Trust.ASSISTANT,
        ("a", "b"),
        ("o1", "o2"),
    )
    assert (merged.version, merged.access_count) == (2, 1)
    assert merged.redaction_status is Redaction.PARTIAL
    assert strengthen(existing, fact(3, trust=Trust.OUTSIDE_TOOL)).trust is Trust.OUTSIDE_TOOL


def test_the_same_source_twice_is_no_second_witness() -> None:
    existing = fact(1, confidence=0.6, sources=("o1",))

    assert strengthen(existing, fact(2, confidence=0.9, sources=("o1",))).confidence == 0.6


def test_a_merge_can_be_undone_and_the_undo_too() -> None:
    view = learn(fact(1, confidence=0.5))
    view.put(strengthen(view.get("i0001"), fact(2, confidence=0.5)))
    [before] = view.versions("i0001")

    restored = restore(before, view)

    assert view.get("i0001") == restored
    assert (restored.confidence, restored.version) == (0.5, 3)
    assert [one.version for one in view.versions("i0001")] == [1, 2]


def test_undoing_a_merge_does_not_bring_back_what_was_superseded_since() -> None:
    view = learn(fact(1))
    view.put(strengthen(view.get("i0001"), fact(2)))
    memory.memorize(fact(3), view)

    restore(view.versions("i0001")[0], view)

    assert [one.id for one in view.items()] == ["i0003"]


def test_it_searches_what_is_current_and_on_demand_what_was() -> None:
    view = learn(fact(1, "uses postgres 14"), fact(2, "uses postgres 16"))
    question = ReadContext(query_text="postgres", at_ms=NOW_MS)

    assert [one.item.id for one in memory.remember(question, view)] == ["i0002"]
    with_history = replace(question, filters=Filters(superseded=True))
    assert [one.item.id for one in memory.remember(with_history, view)] == ["i0001", "i0002"]
