"""What the index finds, for whom, and what it hides."""

import pytest

from index.make import AT, DAY_MS, Letters, item, vector
from reverie.errors import BadInput
from reverie.index import ItemIndex
from reverie.records import (
    CONVERSATION,
    SEMANTIC,
    Filters,
    ItemType,
    Lifecycle,
    MemoryItem,
    ReadContext,
    Trust,
)


def index_of(*items: MemoryItem, **more) -> ItemIndex:
    index = ItemIndex(**more)
    index.put(items, [None] * len(items))
    return index


def ids(index: ItemIndex, text: str, *, limit: int = 10, at_ms: int = AT, **filters) -> list[str]:
    return [
        found.id for found in index.search(ReadContext(query_text=text, at_ms=at_ms, filters=Filters(**filters)), limit)
    ]


def test_the_turn_that_has_the_words_comes_first() -> None:
    texts = {"a": "I bought a green bicycle", "b": "The weather is fine", "c": "A bicycle is quick"}
    index = index_of(*[item(key, text, session=key) for key, text in texts.items()])

    assert ids(index, "Who has a green bicycle?")[0] == "a"


def test_an_answer_is_found_by_the_question_before_it() -> None:
    index = index_of(
        item("q", "Where did you grow up?", position=1, speaker="Ann"),
        item("a", "In Lyon, near the river.", position=2, speaker="Ben"),
        item("x", "Nothing of the kind.", position=3, session="s2", speaker="Ben"),
    )

    assert ids(index, "Where did Ben grow up?")[0] == "a"


def test_a_question_that_the_person_asked_lifts_nothing_and_is_found_on_request() -> None:
    index = index_of(
        item("q", "Where is the staging server?", position=1),
        item("a", "Let me look.", position=2, type=ItemType.ASSISTANT_MESSAGE),
        item("f", "The staging server is in Oslo.", position=9, session="s2"),
    )
    everything = ReadContext(query_text="Where is the staging server?", at_ms=AT, everything=True)

    assert ids(index, "Where is the staging server?") == ["f"]
    assert [one.id for one in index.search(everything, 5)] == ["f", "q"]


def test_neighbours_are_never_quarantined_removed_or_of_another_session() -> None:
    secret = item("q", "xylophone", position=1, lifecycle=Lifecycle.QUARANTINED)
    index = index_of(secret, item("a", "In Lyon.", position=2), item("z", "xylophone", position=3, session="s2"))

    assert ids(index, "xylophone") == ["z"]


def test_the_person_who_is_named_said_it() -> None:
    index = index_of(
        item("g", "I opened a shop for clothes", speaker="Gina", session="s1"),
        item("j", "You opened a shop for clothes", speaker="Jon", session="s2"),
    )

    found = index.search(ReadContext(query_text="What shop did Jon open?", at_ms=AT), 2)

    assert [each.id for each in found] == ["j", "g"]
    assert found[0].parts["speaker"] == 1


def test_of_many_conversations_the_one_that_the_person_takes_part_in() -> None:
    index = index_of(
        item("a1", "I come to the picnic.", speaker="Ann", session="s1", position=1),
        item("g1", "By the lake, bring the picnic basket.", speaker="Gina", session="s1", position=2),
        item("a2", "I come to the picnic.", speaker="Ann", session="s2", position=3),
        item("b2", "By the lake, bring the picnic basket.", speaker="Ben", session="s2", position=4),
    )

    assert set(ids(index, "Where is the picnic with Gina?")[:2]) == {"a1", "g1"}


def test_in_a_chat_what_i_said_and_what_you_said() -> None:
    me = item("me", "My favourite tea is oolong tea", speaker="user", session="s1")
    you = item(
        "you", "A good tea is oolong tea indeed", speaker="assistant", type=ItemType.ASSISTANT_MESSAGE, session="s2"
    )
    index = index_of(me, you)

    assert ids(index, "Which tea do I like?")[0] == "me"
    found = index.search(ReadContext(query_text="Which tea did you recommend indeed?", at_ms=AT), 2)
    assert found[0].id == "you"
    assert found[0].parts["asst"] == 1


def test_the_time_that_is_asked_about() -> None:
    index = index_of(
        item("old", "We went to the cinema", created_ms=AT - 400 * DAY_MS, session="s1"),
        item("new", "We went to the cinema", created_ms=AT - 9 * DAY_MS, session="s2"),
    )

    assert ids(index, "Which film did we see at the cinema last week?")[0] == "new"
    assert ids(index, "Which film did we see at the cinema in April 2022?")[0] == "old"


def test_filters_are_a_wall() -> None:
    index = index_of(
        item("p", "pear tart", project="kitchen", tags=("food", "sweet"), speaker="Ann", importance=0.9),
        item("q", "pear tree", project="garden", tags=("food",), trust=Trust.LOCAL_TOOL, agent="a1", task="t1"),
        item("r", "pear", type=ItemType.FACT, store=SEMANTIC, session="", created_ms=AT - 50 * DAY_MS, importance=0.1),
    )

    assert set(ids(index, "pear")) == {"p", "q", "r"}
    assert set(ids(index, "pear", project="kitchen")) == {"p", "r"}
    assert ids(index, "pear", project="") == ["r"]
    assert ids(index, "pear", stores=(SEMANTIC,)) == ["r"]
    assert ids(index, "pear", types=("fact",)) == ["r"]
    assert ids(index, "pear", tags=("sweet", "food")) == ["p"]
    assert set(ids(index, "pear", tags=("food",))) == {"p", "q"}
    assert ids(index, "pear", speaker="Ann") == ["p"]
    assert ids(index, "pear", speaker="Nobody") == []
    assert ids(index, "pear", agent="a1", task="t1") == ["q"]
    assert set(ids(index, "pear", session="s1")) == {"p", "q"}
    assert ids(index, "pear", before_ms=AT - 10 * DAY_MS) == ["r"]
    assert set(ids(index, "pear", after_ms=AT - 10 * DAY_MS)) == {"p", "q"}
    assert set(ids(index, "pear", min_importance=0.5)) == {"p", "q"}
    assert set(ids(index, "pear", min_trust=Trust.PERSON)) == {"p", "r"}


def test_what_is_old_hidden_or_doubtful_waits_to_be_asked_for() -> None:
    index = index_of(
        item("ok", "pear"),
        item("old", "pear", superseded_by="ok"),
        item("held", "pear", lifecycle=Lifecycle.QUARANTINED),
        item("shelved", "pear", lifecycle=Lifecycle.ARCHIVED),
        item("gone", "pear", deleted_ms=AT),
        item("late", "pear", ttl_ms=5),
        expires=lambda each: None if each.ttl_ms is None else each.created_ms + each.ttl_ms,
    )

    assert ids(index, "pear") == ["ok"]
    assert set(ids(index, "pear", superseded=True)) == {"ok", "old"}
    assert set(ids(index, "pear", quarantined=True)) == {"ok", "held"}
    assert set(ids(index, "pear", expired=True)) == {"ok", "late", "shelved"}


def fact(item_id: str, text: str, **more) -> MemoryItem:
    return item(item_id, text, type=ItemType.FACT, store=SEMANTIC, session="", subject="home", **more)


def test_asked_about_the_past_it_shows_what_held_then() -> None:
    moved = AT - 100 * DAY_MS  # early February 2023
    index = index_of(
        fact("then", "Home is in Lyon", valid_to_ms=moved, superseded_by="now"),
        fact("now", "Home is in Rome", valid_from_ms=moved),
    )

    assert ids(index, "Where is home?") == ["now"]
    assert ids(index, "Where was home in December 2022?") == ["then"]
    assert ids(index, "Where was home in April 2023?") == ["now"]
    assert set(ids(index, "Where was home previously?")) == {"then", "now"}


def test_only_the_memory_types_that_are_asked_for() -> None:
    index = index_of(item("e", "pear"), item("c", "pear", store=CONVERSATION))

    found = index.search(ReadContext(query_text="pear", at_ms=AT, include=(CONVERSATION,)), 5)

    assert [each.id for each in found] == ["c"]


def test_meaning_finds_what_words_do_not() -> None:
    index = ItemIndex(Letters())
    texts = {"a": "listen", "b": "quiz my fox", "c": "jump"}
    index.put([item(key, text, session=key) for key, text in texts.items()], [vector(text) for text in texts.values()])

    assert ids(index, "silent")[0] == "a"


def test_nothing_alike_is_nothing_found() -> None:
    assert ids(index_of(item("a", "pear")), "zeppelin") == []
    assert ids(ItemIndex(), "zeppelin") == []
    assert ids(index_of(item("a", "pear")), "pear", limit=0) == []
    assert ids(index_of(item("a", "pear")), "") == []


@pytest.mark.parametrize("text", ['"', "NEAR(", "a AND OR *", "\x00", "%_';--", "word " * 200_000, "🙂", "\ud800"])
def test_hostile_questions_are_questions(text: str) -> None:
    index = ItemIndex(Letters())
    index.put([item("a", "pear")], [vector("pear")])

    assert isinstance(ids(index, text), list)


def test_equal_scores_come_in_the_order_of_ids() -> None:
    names = [f"i{number}" for number in range(30)]
    index = index_of(*[item(name, "pear", session=name) for name in reversed(names)])

    assert ids(index, "pear", limit=5) == sorted(names)[:5]


@pytest.mark.parametrize("word", ["pear", "plum", "pear plum quince nowhere"])
def test_a_short_answer_is_the_beginning_of_a_long_one(word: str) -> None:
    """A word of many rows is spread over all of them at once, a rare one is not; both find the same neighbours."""
    texts = [f"pear {number % 7 * 'ripe '}" if number % 3 else f"quince {number}" for number in range(2000)]
    texts[777] = "plum"
    index = index_of(
        *[item(f"i{at:04}", text, position=at, session=f"s{at // 50}") for at, text in enumerate(texts)],
        item("alone", "plum", position=5000, session="", store=SEMANTIC, type=ItemType.FACT),
    )

    everything = ids(index, word, limit=3000)

    assert ids(index, word, limit=5) == everything[:5]
    assert ids(index, word, limit=40) == everything[:40]
    if word == "plum":
        assert set(everything) == {"i0776", "i0777", "i0778", "i0779", "alone"}


def test_what_held_at_a_moment_and_nothing_that_came_later() -> None:
    then = {"store": SEMANTIC, "type": ItemType.FACT, "subject": "home"}
    index = index_of(
        item("old", "I live in Lisbon", created_ms=AT - 9, valid_to_ms=AT - 5, superseded_by="new", **then),
        item("new", "I live in Berlin", created_ms=AT - 5, valid_from_ms=AT - 5, **then),
    )

    assert ids(index, "live") == ["new"]
    assert ids(index, "live", valid_at_ms=AT - 7) == ["old"]
    assert ids(index, "live", valid_at_ms=AT - 5) == ["new"]
    assert ids(index, "live", valid_at_ms=AT - 10) == []
    assert ids(index, "live", subject="home") == ["new"]
    assert ids(index, "live", subject="work") == []


def test_a_wrong_vector_is_refused_and_nothing_is_lost() -> None:
    index = ItemIndex(Letters())
    index.put([item("a", "pear")], [vector("pear")])

    with pytest.raises(BadInput, match="float16"):
        index.put([item("a", "plum"), item("b", "plum")], [vector("plum"), b"123"])
    with pytest.raises(BadInput, match="vectors"):
        index.put([item("b", "plum")], [])
    assert ids(index, "pear") == ["a"]
    assert len(index) == 1
