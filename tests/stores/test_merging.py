"""Merging: what says the same becomes one, what only looks the same does not, and every merge can be undone."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.records import SEMANTIC, ItemType, Lifecycle, MemoryItem, Trust
from reverie.stores.duplicates import applied, propose, undo
from stores.said import START_MS


def fact(number: int, text: str, **more) -> MemoryItem:
    return MemoryItem(
        **{
            "id": f"f{number}", "type": ItemType.FACT, "text": text, "created_ms": START_MS + number, "store": SEMANTIC,
            "sources": (f"o{number}",), **more,
        }
    )  # fmt: skip


def test_the_same_thing_in_nearly_the_same_words_becomes_one() -> None:
    items = [
        fact(1, "The staging database runs on Postgres 14", access_count=2, importance=0.4, tags=("db",)),
        fact(2, "the staging databases are running on postgres 14.", access_count=1, importance=0.8, accessed_ms=7),
        fact(3, "Ana takes the tram to work"),
    ]

    (merging,) = propose(items)

    assert {merging.keep, *merging.absorbed} == {"f1", "f2"}
    merged = merging.merged
    assert (merged.version, merged.importance, merged.access_count, merged.accessed_ms) == (2, 0.8, 3, 7)
    assert set(merged.sources) == {"o1", "o2"}
    assert set(merged.lineage_ids) == set(merging.absorbed)
    assert merged.tags == ("db",)


def test_the_fuller_text_is_kept() -> None:
    short = "Deploys of the web shop run every weekday from the main branch"
    (merging,) = propose([fact(1, f"{short} automatically"), fact(2, short)])

    assert merging.keep == "f1"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The staging database runs on Postgres 14", "The staging database runs on Postgres 15"),
        ("The staging database runs on Postgres with nightly backups", "The production database runs on Postgres with nightly backups"),
        ("Tests of the shop module run in parallel on the server", "Tests of the shop module do not run in parallel on the server"),
        ("Tests should never touch the network of the shop", "Tests should touch the network of the shop"),
        ("Ana prefers tea over coffee", "Ana prefers coffee over tea"),
        ("The invoice was sent to Ana by Ben", "The invoice was sent to Ben by Ana"),
        ("Reviews for the shop go to Mira", "Reviews for the shop go to Jonas"),
        ("Uses tabs", "Uses tabs in Makefiles only and spaces elsewhere"),
        ("会议在周四下午三点", "会议在周五下午三点"),
        ("The tests of the shop run before each deploy", "The tests of the shop run after each deploy"),
        ("Nightly exports of the shop are switched on in staging", "Nightly exports of the shop are switched off in staging"),
        ("Niemand im Laden hat den Schlüssel der kleinen Kasse im hinteren Lager unter der Treppe", "Im Laden hat den Schlüssel der kleinen Kasse im hinteren Lager unter der Treppe"),
        ("Unless asked the shop sends invoices by mail to customers abroad every single month", "Asked the shop sends invoices by mail to customers abroad every single month"),
    ],
)  # fmt: skip
def test_what_differs_in_what_matters_stays_apart(one: str, other: str) -> None:
    assert propose([fact(1, one), fact(2, other)]) == []


@pytest.mark.parametrize(
    "difference",
    [{"user": "ben"}, {"project": "p"}, {"trust": Trust.ASSISTANT}, {"type": ItemType.PREFERENCE}, {"speaker": "Ben"}, {"subject": "x"}],
    ids=lambda difference: next(iter(difference)),
)  # fmt: skip
def test_the_same_words_of_another_scope_stay_apart(difference) -> None:
    text = "Likes short answers with examples"

    assert propose([fact(1, text), fact(2, text, **difference)]) == []


@pytest.mark.parametrize("gone", [{"deleted_ms": 1}, {"superseded_by": "f9"}, {"lifecycle": Lifecycle.QUARANTINED}])
def test_what_is_out_of_sight_is_left_there(gone) -> None:
    text = "Likes short answers with examples"

    assert propose([fact(1, text), fact(2, text, **gone)]) == []


def test_vectors_that_disagree_keep_items_apart() -> None:
    items = [fact(1, "Likes short answers with examples"), fact(2, "Likes short answers with examples")]

    assert propose(items, {"f1": (1.0, 0.0), "f2": (0.0, 1.0)}) == []
    assert len(propose(items, {"f1": (1.0, 0.0), "f2": (1.0, 0.0)})) == 1


def test_absorbed_items_go_behind_the_kept_one() -> None:
    text = "Likes short answers with examples"
    (merging,) = propose([fact(number, text) for number in range(3)])

    merged, *behind = applied(merging)

    assert merged.id == merging.keep
    assert {item.id for item in behind} == set(merging.absorbed)
    assert all(item.superseded_by == merging.keep and not item.is_current for item in behind)
    assert propose([merged, *behind]) == [], "merging once is enough"


def test_nothing_and_empty_texts_give_no_proposals() -> None:
    assert propose([]) == []
    assert propose([fact(1, ""), fact(2, ""), fact(3, "the of and"), fact(4, "the of and")]) == []


TEXTS = st.lists(
    st.sampled_from(
        [
            "Ana",
            "likes",
            "green",
            "tea",
            "with",
            "3",
            "lemons",
            "not",
            "never",
            "in",
            "Oslo",
            "server",
            "backup",
            "runs",
            "nightly",
        ]
    ),
    max_size=8,
)


@given(
    st.lists(st.tuples(TEXTS.map(" ".join), st.integers(0, 5), st.integers(1, 4)), max_size=12),
    st.randoms(use_true_random=False),
)
def test_merge_then_undo_is_as_before(told, chance) -> None:
    items = {
        f"f{number}": fact(number, text, access_count=count, version=version)
        for number, (text, count, version) in enumerate(told)
    }
    proposals = propose(list(items.values()))
    store = dict(items)
    for merging in proposals:
        store |= {item.id: item for item in applied(merging)}
    for merging in chance.sample(proposals, len(proposals)):
        store |= {item.id: item for item in undo(merging)}

    assert store == items
    touched = [name for merging in proposals for name in (merging.keep, *merging.absorbed)]
    assert len(touched) == len(set(touched)), "an item is in one proposal at most"
    assert propose(chance.sample(list(items.values()), len(items))) == proposals


def test_a_chain_of_small_differences_does_not_join_its_ends() -> None:
    words = ["one", "fine", "shop", "sells", "bread", "milk", "eggs", "rice", "corn", "salt"]
    items = [fact(number, " ".join(words[: 6 + number])) for number in range(5)]

    for merging in propose(items):
        lengths = [len(item.text.split()) for item in merging.before]
        assert max(lengths) - min(lengths) <= 2


def test_a_changed_item_is_restored_with_all_its_fields() -> None:
    first = replace(
        fact(1, "Likes short answers with examples"), lineage_ids=("x",), metadata={"a": [1]}, valid_from_ms=5
    )
    second = fact(2, "Likes short answers with examples", valid_from_ms=3)

    (merging,) = propose([first, second])

    assert merging.merged.valid_from_ms == 3
    assert undo(merging) == [first, second]
