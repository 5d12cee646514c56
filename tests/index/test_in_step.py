"""Any history of puts, replacements and removals gives the same answers as a fresh index of what is left."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from index.make import AT, DAY_MS, Letters, item, vector
from reverie.index import ItemIndex
from reverie.language import words
from reverie.records import Lifecycle, MemoryItem, ReadContext

WORDS = ["pear", "plum", "fig", "lime", "kiwi", "what", "Ann", "green", "tart"]
QUESTIONS = ["What did Ann say of the pear tart?", "green lime", "my kiwi yesterday", "fig plum in May"]

items = st.builds(
    item,
    st.sampled_from("abcdefgh"),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join),
    session=st.sampled_from(["s1", "s2", ""]),
    position=st.integers(0, 5),
    speaker=st.sampled_from(["Ann", "Ben", "user", "assistant"]),
    created_ms=st.integers(0, 40).map(lambda days: AT - days * DAY_MS),
    lifecycle=st.sampled_from([Lifecycle.GENERATED, Lifecycle.QUARANTINED]),
)
steps = st.lists(
    st.one_of(st.lists(items, min_size=1, max_size=4), st.sets(st.sampled_from("abcdefgh"), max_size=4)), max_size=12
)


def put(index: ItemIndex, batch: list[MemoryItem]) -> None:
    index.put(batch, [vector(each.text) if each.position else None for each in batch])


def answers(index: ItemIndex) -> list[list[tuple[str, float]]]:
    found = [index.search(ReadContext(query_text=question, at_ms=AT), 10) for question in QUESTIONS]
    return [[(each.id, each.score) for each in rows] for rows in found]


@settings(max_examples=150, deadline=None)
@given(steps, st.randoms(use_true_random=False))
def test_every_history_ends_like_a_fresh_build(history: list, chance: random.Random) -> None:
    index, left = ItemIndex(Letters()), {}
    for step in history:
        if isinstance(step, set):
            index.remove(step)
            left = {key: each for key, each in left.items() if key not in step}
        else:
            put(index, step)
            left.update((each.id, each) for each in step)
        if chance.random() < 0.3:
            answers(index)  # reading changes nothing
    fresh = ItemIndex(Letters())
    rest = list(left.values())
    chance.shuffle(rest)
    for each in rest:
        put(fresh, [each])

    assert answers(index) == answers(fresh)
    assert len(index) == len(left)


def everything(thing: object, seen: set[int]) -> str:
    """All that an object holds, as text: what someone who looks through memory would find."""
    if id(thing) in seen or isinstance(thing, type) or callable(thing):
        return ""
    seen.add(id(thing))
    if isinstance(thing, dict):
        return " ".join(everything(part, seen) for pair in thing.items() for part in pair)
    if isinstance(thing, list | tuple | set | frozenset):
        return " ".join(everything(part, seen) for part in thing)
    if hasattr(thing, "__dict__"):
        return everything(vars(thing), seen)
    return repr(thing)


def test_what_is_forgotten_leaves_no_trace() -> None:
    index = ItemIndex(Letters())
    put(index, [item("a", "an ordinary pear", position=1)])
    before, dimensions = answers(index), index._vectors._sum.tolist()
    secret = item(
        "hush-1", "the Xanadu_plan of Kublai", session="Xanadu", speaker="Kublai", tags=("Xanadu",), position=2
    )
    put(index, [secret])
    assert [each.id for each in index.search(ReadContext(query_text="Xanadu plan", at_ms=AT), 1)] == ["hush-1"]

    index.remove(["hush-1", "never-there"])

    left = everything(index, set()).lower() + repr(words._STEMS).lower() + repr(words._PARTS).lower()
    assert not any(word in left for word in ("xanadu", "kublai", "hush-1"))
    assert answers(index) == before
    assert index._vectors._sum.tolist() == dimensions
    assert [float(abs(block[2:]).sum()) for block in index._vectors._blocks] == [0.0]
