"""What a turn did, in words for a person: no value as Python writes it."""

from reverie.memory import Memory
from reverie.pipeline.turn_trace import Explanation
from reverie.records import JSON, Span


def told(kind: str, data: dict[str, JSON]) -> list[str]:
    return Explanation("t1", (Span(position=1, turn="t1", name=kind, kind=kind, data=data, at_ms=0),), {}).lines()[1:]


def test_a_turn_is_told_in_words(memory: Memory) -> None:
    kept = memory.memorize("The staging port is 8080", type="fact")
    memory.memorize("ok", type="thought")
    called = memory.track_tool_invocation("Bash", {"command": "make"}, error="no rule")
    fine = memory.track_tool_invocation("Read", {"file_path": "Makefile"}, result="all:")
    shown = memory.assemble_context("Which port has staging?", 300)
    done = memory.commit()

    lines = memory.explain(done.turn).lines()

    assert f"  kept {kept.item_id}" in lines
    assert f"    - {kept.reasons[0]}" in lines
    assert f"  tool Bash failed: {called.item_id}" in lines
    assert f"  tool Read called: {fine.item_id}" in lines
    ids = ", ".join(one.item.id for one in shown.items)
    assert lines[-2:] == ["  committed: wrote 2 to episodic memory, 1 to semantic memory", f"    shown: {ids}"]
    assert not [line for line in lines if any(sign in line for sign in ("['", "{'", "{}", "[]"))]


def test_each_verdict_has_its_words() -> None:
    why: list[JSON] = ["importance 0.42"]

    assert told("policy", {"verdict": "merge", "item": "m1", "reasons": why}) == [
        "  merged into m1",
        "    - importance 0.42",
    ]
    assert told("policy", {"verdict": "drop", "item": "", "reasons": []}) == ["  dropped"]
    assert told("policy", {"verdict": "quarantine", "item": "m1", "reasons": []}) == [
        "  in quarantine until a person has looked at it: m1"
    ]


def test_a_turn_that_did_nothing_and_one_that_summarised_say_so() -> None:
    assert told("summary", {"written": {}, "shown": []}) == ["  committed: wrote nothing"]
    assert told("summary", {"episode": "e1", "reason": "session ended", "items": 7}) == [
        "  summarised 7 memories of the episode e1: session ended"
    ]


def test_a_kind_that_a_later_version_may_trace_is_told_without_brackets() -> None:
    assert told("other", {"ids": ["a", "b"], "by": {"x": 1}, "none": [], "ok": True}) == [
        "  other: ids a, b; by x 1; ok true"
    ]
