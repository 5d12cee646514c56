"""The formula holds literally, repeats go, and an old exact answer stays on top."""

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from reverie.language.questions import asked
from reverie.ports import Grounds, Matches
from reverie.recall import Beside, answer_question, composite, formula, why
from reverie.recall.question import CANDIDATES
from reverie.records import EPISODIC, SEMANTIC, WORKING, Candidate, ItemType, MemoryItem, ReadContext, Recalled
from reverie.settings import RecallSettings

DAY_MS = 86_400_000
AT = 1_684_000_000_000
SETTINGS = RecallSettings()


def item(item_id: str, text: str = "", **more) -> MemoryItem:
    more = {"type": ItemType.USER_MESSAGE, "created_ms": AT, "store": EPISODIC, **more}
    return MemoryItem(id=item_id, text=text or f"text of {item_id}", **more)


def candidate(item_id: str, score: float, **more) -> Candidate:
    return Candidate(item=item(item_id, **more), score=score, parts={"own": score})


def ask(text: str = "pears?") -> ReadContext:
    return ReadContext(query_text=text, at_ms=AT)


class Listed:
    """An index that finds these, in the order of their scores."""

    def __init__(self, candidates: Sequence[Candidate]) -> None:
        self.found = sorted(candidates, key=lambda one: (-one.score, one.item.id))

    def match(self, _: ReadContext, limit: int, at_hand: Sequence[str] = ()) -> Matches:
        found = self.found[:limit]
        items = [one.item for one in found]
        return Matches(
            ids=[one.id for one in items],
            scores=[one.score for one in found],
            created_ms=[one.created_ms for one in items],
            importances=[one.importance for one in items],
            sources=[one.sources[0] if len(one.sources) == 1 else one.id for one in items],
            parts=lambda places: [dict(found[place].parts) for place in places],
            by_score=len(found),
        )

    def grounds(self, context: ReadContext, ids: Sequence[str]) -> Grounds:
        """It knows no rare word, so nothing is judged by them."""
        return Grounds(
            dict.fromkeys(asked(context).terms, 1.0), frozenset(), [frozenset()] * len(ids), [1.0] * len(ids)
        )


def rank(
    candidates: Sequence[Candidate], context: ReadContext, working: Sequence[MemoryItem] = (), most: int = 1000
) -> tuple[list[Recalled], list[tuple[str, str]]]:
    items = {one.item.id: one.item for one in candidates}
    known = Beside(working=working)
    found = answer_question(context, Listed(candidates), lambda ids: [items[one] for one in ids], SETTINGS, most, known)
    return list(found.found), list(found.left_out)


def order(candidates: list[Candidate], text: str = "pears?", working: tuple[MemoryItem, ...] = ()) -> list[str]:
    return [found.item.id for found in rank(candidates, ask(text), working)[0]]


@given(st.lists(st.tuples(st.floats(-2, 3), st.integers(0, 1000), st.floats(0, 1)), min_size=1, max_size=20))
def test_the_formula_holds_literally(given_: list) -> None:
    candidates = [
        candidate(f"i{number:02}", score, created_ms=AT - age * DAY_MS, importance=importance)
        for number, (score, age, importance) in enumerate(given_)
    ]

    ranked, left_out = rank(candidates, ask())

    assert not left_out
    assert len(ranked) == len(candidates)
    for found in ranked:
        terms = 0.40 * found.similarity + 0.25 * found.recency + 0.25 * found.importance - 0.10 * found.duplication
        assert abs(found.score - terms) < 1e-3
        assert 0 <= found.similarity <= 1
        assert 0.9 <= found.recency <= 1
        assert 0.9 <= found.importance <= 1
    assert [(-found.score, found.item.id) for found in ranked] == sorted(
        (-found.score, found.item.id) for found in ranked
    )


def test_an_old_exact_answer_stays_above_news() -> None:
    old = candidate("old", 1.5, created_ms=AT - 2000 * DAY_MS, importance=0.0)
    news = [candidate(f"new{number}", 0.5 - number / 100, importance=1.0) for number in range(9)]

    assert order([*news, old])[0] == "old"


def test_of_two_equals_the_newer_when_asked_for_what_is_current() -> None:
    pair = [
        candidate("a", 1.02, created_ms=AT - 90 * DAY_MS),
        candidate("b", 1.0),
        candidate("c", 0.0),
        candidate("d", 0.1),
        candidate("e", 0.0),
    ]

    assert order(pair, "What do I eat now?")[0] == "b"


def test_what_only_repeats_working_memory_is_left_out() -> None:
    working = (item("w", "we ship the release on Friday at noon", store=WORKING),)
    same = candidate("same", 1.0, text="We ship the release on Friday at noon!")
    near = candidate("near", 1.0, text="we ship the release on Friday at ten")
    other = candidate("other", 1.0, text="pears are green")

    ranked, left_out = rank([same, near, other], ask(), working)

    assert [found.item.id for found in ranked] == ["other", "near"]
    assert left_out[0][0] == "same"
    assert "working memory" in left_out[0][1]
    assert ranked[1].duplication > 0
    assert ranked[0].duplication == 0


def test_an_item_that_two_memories_offer_counts_once() -> None:
    found = Beside(offered=[candidate("b", 0.4), candidate("a", 1.0), candidate("c", 0.1)])
    items = {one: item(one) for one in "abc"}
    index = Listed([candidate("a", 0.2), candidate("b", 0.5)])

    told = answer_question(ask(), index, lambda ids: [items[one] for one in ids], SETTINGS, 10, found).found

    assert [one.item.id for one in told] == ["a", "b", "c"]


def test_a_message_and_what_was_learned_from_it_are_one_result() -> None:
    message = candidate("m1", 0.5)
    learned = candidate("f1", 0.9, store=SEMANTIC, sources=("m1",))
    second = candidate("f2", 0.8, store=SEMANTIC, sources=("m1",))
    summary = candidate("s1", 0.7, store=SEMANTIC, sources=("m1", "m2"))

    ranked, left_out = rank([message, learned, second, summary], ask())

    assert [found.item.id for found in ranked] == ["f1", "f2", "s1"]
    assert left_out == [("m1", "the same source as f1")]
    better, gone = rank([candidate("m1", 1.0), learned, second], ask())
    assert [found.item.id for found in better] == ["m1"]
    assert len(gone) == 2
    assert rank([], ask()) == ([], [])


@given(st.lists(st.tuples(st.floats(-2, 3), st.integers(0, 1000), st.floats(0, 1), st.integers(0, 9)), max_size=20))
def test_a_short_answer_is_the_beginning_of_a_long_one(given_: list) -> None:
    candidates = [
        candidate(f"i{at:02}", score, created_ms=AT - age * DAY_MS, importance=importance, sources=(f"i{source:02}",))
        for at, (score, age, importance, source) in enumerate(given_)
    ]

    ranked, _ = rank(candidates, ask())
    first, _ = rank(candidates, ask(), most=5)

    assert first == ranked[:5]


def test_what_lies_beyond_the_candidates_that_are_compared_follows_them() -> None:
    many = [candidate(f"i{number:03}", 1 - number / 1000, created_ms=AT - 900 * DAY_MS) for number in range(400)]
    newest = [replace(one, item=replace(one.item, created_ms=AT)) for one in many[300:]]

    long, _ = rank([*many[:300], *newest], ask(), most=400)
    short, _ = rank([*many[:300], *newest], ask(), most=10)

    assert len(long) == 400
    assert long[:10] == short
    compared = CANDIDATES
    assert {one.item.id for one in long[:compared]} == {one.item.id for one in many[:compared]}


def test_why_says_it_in_one_line() -> None:
    ranked, _ = rank([candidate("f1", 0.9, sources=("m1",), speaker="Gina")], ask())

    line = why(ranked[0])

    assert "has words of the question" in line
    assert formula(ranked[0], SETTINGS).startswith("0.887 = 0.4·similarity 1.00")
    assert "own words 0.90" in formula(ranked[0], SETTINGS)
    assert "by Gina" in line
    assert "from m1" in line
    assert "\n" not in line


def test_the_opposite_of_working_memory_is_no_repeat_of_it() -> None:
    rule = "the backend team deploys the billing service and the audit service on Friday evening with the pipeline of the shop"
    working = (item("w", f"Nobody of {rule}", store=WORKING),)

    assert order([candidate("opposite", 1.0, text=f"Anybody of {rule}")], working=working) == ["opposite"]
    assert order([candidate("same", 1.0, text=f"nobody of {rule}!")], working=working) == []


def test_the_composite_query_has_the_plan_and_the_newest_working_memory_first() -> None:
    working = [item(f"w{number}", f"step {number}") for number in range(6)]

    widened = composite(ReadContext(query_text="go on", at_ms=AT, last_plan="bake"), working)

    assert widened.query_text == "go on"
    assert widened.last_plan.split("\n") == ["bake", "step 5", "step 4", "step 3"]
