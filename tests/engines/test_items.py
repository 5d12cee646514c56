"""What every engine promises of memory items: kept whole, found by filters, followed by an index, and forgotten."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from reverie.errors import StaleVersion
from reverie.ports import Engine
from reverie.records import (
    Captured,
    Filters,
    Goal,
    GoalStatus,
    ItemType,
    Kind,
    Lifecycle,
    MemoryItem,
    Observation,
    Question,
    Redaction,
    Source,
    ToolUse,
    Trust,
)


def item(name: str, text: str = "the staging port is 8080", **fields: object) -> MemoryItem:
    given = {"store": "semantic", "type": ItemType.FACT, "created_ms": 1000, "checksum": "c"} | fields
    return MemoryItem(id=name, text=text, **given)  # type: ignore[arg-type]


def observed(engine: Engine, text: str, tool: ToolUse | None = None, session: str = "s1") -> Observation:
    kind = Kind.TOOL_CALL if tool else Kind.USER_MESSAGE
    stored = engine.log.append([Captured(kind=kind, text=text, session=session, occurred_ms=1000, tool=tool)])[0]
    assert stored
    return stored


def test_an_item_comes_back_with_every_field(engine: Engine) -> None:
    whole = MemoryItem(
        id="i1", user="local", type=ItemType.SKILL, text="Deploy: build, then push", created_ms=7, store="semantic",
        project="/p", session="s", speaker="Ana", agent="a", task="t", episode="e", tokens_estimate=6, importance=0.7,
        novelty=0.2, confidence=0.9, source=Source.MODEL, trust=Trust.ASSISTANT, lifecycle=Lifecycle.FROZEN,
        tags=("x", "y"), metadata={"n": [1, None]}, retention="user", ttl_ms=5, redaction_status=Redaction.PARTIAL,
        checksum="abc", accessed_ms=8, access_count=2, modified_ms=9, position=3, step_index=1, parent_id="p",
        chunk_index=2, version=4, lineage_ids=("i0",), subject="skill:deploy", valid_from_ms=1, valid_to_ms=2,
        superseded_by="i2", sources=("o1", "o2"),
    )  # fmt: skip
    engine.items.put([whole])

    assert engine.items.get(["i1", "nothing"]) == [whole]


def test_a_message_keeps_its_text_in_the_log_alone(engine: Engine) -> None:
    said = observed(engine, "I moved to Lisbon")
    run = observed(engine, "3 passed", ToolUse("Bash", {"command": "pytest"}))
    engine.items.put(
        [
            item(said.id, "", position=said.position, store="episodic"),
            item(run.id, "", position=run.position, store="episodic"),
            item("part", "", position=said.position, store="episodic"),
        ],
        {said.id: None, run.id: None, "part": (8, 17)},
    )

    assert [one.text for one in engine.items.get([said.id, run.id, "part"])] == [
        "I moved to Lisbon",
        "Bash: pytest\n3 passed",
        "to Lisbon",
    ]


def test_filters(engine: Engine) -> None:
    engine.items.put(
        [
            item("a", position=1, project="/p", tags=("x",), importance=0.9, session="s1", task="t"),
            item("b", position=2, project="", trust=Trust.OUTSIDE_TOOL, type=ItemType.ERROR, created_ms=5000),
            item("c", position=3, project="/other", store="episodic", speaker="Ana"),
            item("old", position=4, superseded_by="a"),
            item("poison", position=5, lifecycle=Lifecycle.QUARANTINED),
        ]
    )

    def found(**fields: object) -> str:
        return "".join(one.id[0] for one in engine.items.select(Filters(**fields)))  # type: ignore[arg-type]

    assert found() == "abc"
    assert found(project="/p") == "ab"
    assert found(superseded=True) == "abco"
    assert found(quarantined=True) == "abcp"
    assert found(stores=("episodic",)) == "c"
    assert found(types=("error", "skill")) == "b"
    assert found(tags=("x",)) == "a"
    assert found(min_importance=0.8) == "a"
    assert found(min_trust=Trust.PERSON) == "ac"
    assert found(after_ms=5000) == "b"
    assert found(before_ms=5000) == "ac"
    assert found(speaker="Ana") == "c"
    assert found(session="s1", task="t") == "a"
    assert [one.id for one in engine.items.select(Filters(), newest_first=True, limit=2)] == ["c", "b"]


def test_what_held_at_a_moment(engine: Engine) -> None:
    items = [
        item("first", position=1, created_ms=100, valid_from_ms=100, valid_to_ms=200, superseded_by="second"),
        item("second", position=2, created_ms=200, valid_from_ms=200),
        item("told late", position=3, created_ms=300, valid_from_ms=50),
        item("always", position=4, created_ms=10),
    ]
    engine.items.put(items)

    for moment in (9, 99, 100, 199, 200, 300):
        for superseded in (False, True):
            filters = Filters(valid_at_ms=moment, superseded=superseded)
            assert engine.items.select(filters) == [one for one in engine.items.get(_ids(items)) if filters.admits(one)]
    assert _ids(engine.items.select(Filters(valid_at_ms=150))) == ["first", "always"]
    assert _ids(engine.items.select(Filters(valid_at_ms=250))) == ["second", "always"]


def _ids(items: Iterable[MemoryItem]) -> list[str]:
    return [one.id for one in items]


def test_the_validity_of_a_message_changes_without_its_text(engine: Engine) -> None:
    said = observed(engine, "I live in Lisbon")
    message = item(said.id, "", position=said.position, store="episodic")
    engine.items.put([message], {said.id: None})
    (known,) = engine.items.get([said.id])
    before = engine.items.changes(0, "", 10)[-1][0]

    ended = replace(known, subject="home", valid_from_ms=1, valid_to_ms=2, superseded_by="x")
    engine.items.set_validity(ended)

    assert engine.items.get([said.id]) == [ended]
    assert [one.id for _, one, _ in engine.items.changes(before, "", 10)] == [said.id]
    engine.items.clear(captured=False)
    assert engine.items.get([said.id])[0].superseded_by == ""


def test_it_knows_which_memory_types_have_items(engine: Engine) -> None:
    assert engine.items.stores() == []
    engine.items.put([item("a", store="semantic"), item("b", store="glossary"), item("c", store="semantic")])
    assert engine.items.stores() == ["glossary", "semantic"]


def test_words_find_items_with_a_text_of_their_own(engine: Engine) -> None:
    engine.items.put([item("a", "deploying with helm"), item("b", "tabs, not spaces")])
    engine.items.put([item("a", "deploying with nomad")])

    assert [one.id for one in engine.items.select(Filters(), words="deploy!")] == ["a"]
    assert engine.items.select(Filters(), words="helm") == []
    assert engine.items.select(Filters(), words='"*(') == []


def test_a_follower_sees_every_change_once(engine: Engine) -> None:
    engine.items.put([item("a"), item("b")])
    engine.items.put_vectors("static", [("a", b"\0\0")], announce=False)
    first = engine.items.changes(0, "static", 10)
    last = first[-1][0]
    assert [(one.id, vector) for _, one, vector in first] == [("a", b"\0\0"), ("b", None)]

    engine.items.put_vectors("static", [("b", b"\1\1")])
    engine.items.hide(["a"], at_ms=9)
    assert [(one.id, one.deleted_ms, vector) for _, one, vector in engine.items.changes(last, "static", 10)] == [
        ("b", None, b"\1\1"),
        ("a", 9, b"\0\0"),
    ]
    engine.items.erase(["a"], at_ms=10)
    assert [gone for _, gone in engine.items.removals(last)] == ["a"]


def test_vectors_that_are_missing_are_listed_for_each_embedder(engine: Engine) -> None:
    engine.items.put([item("a"), item("b")])
    engine.items.put_vectors("one", [("a", b"1"), ("nobody", b"2")])

    assert [it.id for it in engine.items.without_vector("one", 10)] == ["b"]
    assert {it.id for it in engine.items.without_vector("two", 10)} == {"a", "b"}
    assert engine.items.count_vectors("one") == (1, 2)
    engine.items.put_vectors("two", [("a", b"3"), ("b", b"3")])
    engine.items.drop_vectors_except("two")
    assert engine.items.count_vectors("one") == (0, 2)


def test_a_soft_forget_can_be_taken_back(engine: Engine) -> None:
    engine.items.put([item("a")])

    assert engine.items.hide(["a", "nothing"], at_ms=5) == 1
    assert engine.items.select(Filters()) == []
    assert engine.items.unhide(["a"]) == 1
    assert [one.id for one in engine.items.select(Filters())] == ["a"]


def test_a_hard_forget_leaves_nothing_but_a_hash(engine: Engine) -> None:
    said = observed(engine, "my canary is xylophonequartz")
    other = observed(engine, "something else entirely")
    engine.items.put([item(said.id, "", position=said.position, sources=(said.id,))], {said.id: None})
    engine.items.put([item("fact", "canary: xylophonequartz", sources=(said.id,)), item("stays", sources=(other.id,))])
    engine.items.keep_version(engine.items.get(["fact"])[0])
    engine.items.link([("stays", "derived", "fact")])
    engine.items.put_vectors("static", [("fact", b"1"), (said.id, b"1")])
    engine.trace.add("t1", "recall", {"found": ["fact"], "text": engine.trace.keep_text("xylophonequartz")}, 5)

    assert engine.erase([said.id], [], at_ms=9) == 1

    assert engine.log.get(said.id) is None
    assert engine.log.search("xylophonequartz", 5) == []
    assert engine.items.select(Filters(), words="xylophonequartz") == []
    assert engine.items.get(["fact", said.id]) == []
    assert engine.items.versions("fact") == []
    assert engine.items.links("stays") == []
    assert engine.items.count_vectors("static") == (0, 1)
    assert {gone for _, gone in engine.items.removals(0)} == {"fact", said.id}
    assert [one.id for one in engine.items.select(Filters())] == ["stays"]


def test_what_was_forgotten_does_not_come_back_by_a_second_import(engine: Engine) -> None:
    told = Captured(kind=Kind.USER_MESSAGE, text="my pin", session="s1", occurred_ms=1, event_id="e1", source="past")
    said = engine.log.append([told])[0]
    assert said
    engine.erase([said.id], [], at_ms=9)

    assert engine.log.append([told]) == [None]


def test_versions_are_kept(engine: Engine) -> None:
    first = item("a", tags=("x",), sources=("o1",), metadata={"k": 1})
    engine.items.put([first])
    engine.items.keep_version(engine.items.get(["a"])[0])
    engine.items.put([replace(first, text="now 9090", version=2)])

    assert engine.items.versions("a") == [first]


def test_counts_and_capacity(engine: Engine) -> None:
    engine.items.put([item("a", tokens_estimate=5), item("b", tokens_estimate=7), item("c", store="working")])

    capacity = engine.items.capacity("semantic")
    assert (capacity.items, capacity.tokens) == (2, 12)
    assert engine.items.counts() == {"semantic": 2, "working": 1}


def test_users_do_not_see_each_others_items(engine: Engine) -> None:
    engine.items.put([item("a")])
    other = engine.scoped("other")
    other.items.put([item("a", "another text")])

    other.items.erase(["a"], at_ms=1)

    assert [one.text for one in engine.items.select(Filters())] == ["the staging port is 8080"]
    assert engine.items.removals(0) == []
    assert other.items.select(Filters(), words="staging") == []


def test_a_goal_changes_only_from_the_version_that_was_read(engine: Engine) -> None:
    engine.goals.add_goal(Goal(id="g", text="ship it"))
    done = engine.goals.change_goal("g", 1, lambda goal: replace(goal, progress=1.0, status=GoalStatus.DONE))

    assert (done.version, done.progress) == (2, 1.0)
    assert engine.goals.goals() == []
    assert engine.goals.goals(everything=True) == [done]
    with pytest.raises(StaleVersion, match="read it again"):
        engine.goals.change_goal("g", 1, lambda goal: goal)


def test_a_question_is_open_until_it_has_an_answer(engine: Engine) -> None:
    engine.goals.add_question(Question(id="q", text="which port?"))
    assert [one.text for one in engine.goals.questions()] == ["which port?"]

    engine.goals.change_question("q", None, "8080", 5)
    assert engine.goals.questions() == []
    assert engine.goals.questions(everything=True)[0].answer == "8080"


def test_history_is_told_in_order(engine: Engine) -> None:
    engine.history.tick("gate", {"turn": 1}, 5)
    engine.log.act("memorize", "i1", {"text": "x"}, 6)
    engine.history.tick("used", {"ids": ["a"]}, 7)
    engine.history.tick("other", {}, 8)

    told = list(engine.history.events(["gate", "memorize", "used"]))
    assert [(event.kind, event.target, event.at_ms) for event in told] == [
        ("gate", "", 5),
        ("memorize", "i1", 6),
        ("used", "", 7),
    ]
    assert engine.history.last("gate") == told[0]


def test_a_trace_is_read_back_as_it_was_written(engine: Engine) -> None:
    address = engine.trace.keep_text("the prompt")
    engine.trace.add("t1", "recall", {"text": address}, 5)
    engine.trace.add("t2", "recall", {}, 6)

    assert [(span.kind, span.data, span.at_ms) for span in engine.trace.of_turn("t1")] == [
        ("recall", {"text": address}, 5)
    ]
    assert engine.trace.text(address) == "the prompt"
    assert [turn for turn, _ in engine.trace.turns()] == ["t2", "t1"]
    assert engine.trace.expire(6) == 1


def test_an_index_that_has_followed_is_told_whether_there_is_news(engine: Engine) -> None:
    items = engine.items
    items.put([item("a"), item("b")])
    last = items.changes(0, "", 10)[-1][0]
    assert items.has_news(items.generation(), 0, 0)
    assert not items.has_news(items.generation(), last, 0)

    items.erase(["a"], 5)
    assert items.has_news(items.generation(), last, 0)
    gone = items.removals(0)[-1][0]
    assert not items.has_news(items.generation(), last, gone)

    before = items.generation()
    items.clear(captured=False)
    assert items.has_news(before, last, gone)


def test_items_are_found_by_the_ends_of_their_ids_even_when_hidden(engine: Engine) -> None:
    engine.items.put([item("one-AB_1"), item("two-AB_1", deleted_ms=9), item("three-ABx1"), item("AB")])

    assert [one.id for one in engine.items.ending(["AB_1"])] == ["one-AB_1", "two-AB_1"]
    assert [one.id for one in engine.items.ending(["AB", "", "nobody", "e-ABx1"])] == ["AB", "three-ABx1"]
    assert engine.items.ending([]) == []


def test_what_was_made_of_an_id_is_its_chunks_and_all_that_names_it_as_a_source(engine: Engine) -> None:
    engine.items.put(
        [
            item("whole", position=1),
            item("chunk", parent_id="whole", position=2),
            item("learned", sources=("whole", "else"), position=3, deleted_ms=9),
            item("stranger", sources=("else",), position=4),
            item("elsewhere", store="working", sources=("whole",), position=5),
        ]
    )

    assert [one.id for one in engine.items.made_of(["whole", "unknown"], "semantic")] == ["whole", "chunk", "learned"]
    assert [one.id for one in engine.items.made_of(["whole"], "working")] == ["elsewhere"]
    assert engine.items.made_of([], "semantic") == []
