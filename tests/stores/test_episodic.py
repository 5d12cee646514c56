"""Observations become episodic items, whole or in chunks, each with whose word it is."""

import pytest

from reverie.distil.source_trust import trust_of
from reverie.records import (
    EPISODIC,
    WORKING,
    ItemType,
    Kind,
    Lifecycle,
    MemoryItem,
    Observation,
    Source,
    Stored,
    ToolUse,
    Trust,
)
from reverie.settings import StoreSettings
from reverie.stores.episodic import Episodic, copy_of, items_of
from reverie.testing import MemoryStoreView
from stores.made import NOW_MS, derive_id, item, observation

BASH = ToolUse("Bash", {"command": "pytest -q"})
FAILED = ToolUse("Bash", {"command": "pytest -q"}, failed=True)


def remembered(seen: Observation) -> list[MemoryItem]:
    return items_of(seen, derive_id, trust_of)


@pytest.mark.parametrize(
    ("seen", "type_", "source", "trust", "importance", "retention"),
    [
        (observation(Kind.USER_MESSAGE), ItemType.USER_MESSAGE, Source.USER, Trust.PERSON, 0.5, "conversation"),
        (observation(Kind.ASSISTANT_MESSAGE), ItemType.ASSISTANT_MESSAGE, Source.MODEL, Trust.ASSISTANT, 0.4, "conversation"),
        (observation(Kind.NOTE), ItemType.OBSERVATION, Source.USER, Trust.PERSON, 0.8, "user"),
        (observation(Kind.TOOL_CALL, tool=BASH), ItemType.TOOL_RESULT, Source.TOOL, Trust.LOCAL_TOOL, 0.3, "tool_results"),
        (observation(Kind.TOOL_CALL, tool=FAILED), ItemType.ERROR, Source.TOOL, Trust.LOCAL_TOOL, 0.5, "errors"),
        (observation(Kind.TOOL_CALL, tool=ToolUse("WebFetch")), ItemType.TOOL_RESULT, Source.TOOL, Trust.OUTSIDE_TOOL, 0.3, "tool_results"),
    ],
)  # fmt: skip
def test_an_observation_is_remembered_by_its_kind(
    seen: Observation, type_: ItemType, source: Source, trust: Trust, importance: float, retention: str
) -> None:
    [one] = remembered(seen)

    assert (one.id, one.position, one.created_ms, one.sources) == (seen.id, seen.position, NOW_MS, (seen.id,))
    assert (one.type, one.source, one.trust, one.importance) == (type_, source, trust, importance)
    assert (one.session, one.project, one.store, one.retention) == ("s1", "/work/shop", EPISODIC, retention)
    assert one.tags == (("note",) if seen.kind is Kind.NOTE else ())


def test_a_tool_is_remembered_with_what_it_was_called_with() -> None:
    [one] = remembered(observation(Kind.TOOL_CALL, "3 passed", tool=BASH, event_id="tool:1"))

    assert one.text == "Bash: pytest -q\n3 passed"
    assert one.metadata == {"tool": "Bash", "event_id": "tool:1", "turn": 2}


@pytest.mark.parametrize("seen", [observation(Kind.SYSTEM, "session start"), observation(text=" \n")])
def test_what_says_nothing_is_not_remembered(seen: Observation) -> None:
    assert remembered(seen) == []


def test_what_was_printed_in_colour_is_remembered_without_it() -> None:
    [one] = remembered(
        observation(Kind.TOOL_CALL, text="\x1b[1;31mzanzibar\x1b[0m failed \x1b]0;title\x07here", tool=BASH)
    )

    assert one.text.endswith("\nzanzibar failed here")


def test_a_long_text_is_remembered_in_chunks() -> None:
    seen = observation(Kind.TOOL_CALL, "A line of some log file.\n" * 2000, tool=BASH)
    chunks = remembered(seen)

    assert len(chunks) > 4
    assert (
        "".join(chunk.text for chunk in sorted(chunks, key=lambda chunk: chunk.chunk_index))
        == f"Bash: pytest -q\n{seen.text}"
    )
    assert {chunk.parent_id for chunk in chunks} == {seen.id}
    assert max(chunk.tokens_estimate for chunk in chunks) <= 2000


def test_it_only_appends() -> None:
    memory, view = Episodic(StoreSettings(), derive_id), MemoryStoreView(EPISODIC)
    memory.memorize(item(1, "as it was"), view)
    memory.memorize(item(1, "as somebody wants it to have been"), view)

    assert [one.text for one in view.items()] == ["as it was"]
    assert memory.capacity(view).max_items is None


def test_what_was_held_back_can_be_released() -> None:
    memory, view = Episodic(StoreSettings(), derive_id), MemoryStoreView(EPISODIC)
    memory.memorize(item(1, lifecycle=Lifecycle.QUARANTINED), view)
    assert view.items() == []

    memory.memorize(item(1, lifecycle=Lifecycle.GENERATED), view)
    assert [one.id for one in view.items()] == ["i0001"]


def test_memorizing_a_long_item_or_its_chunks_comes_to_the_same() -> None:
    memory, whole = Episodic(StoreSettings(), derive_id), item(1, "Some words here. " * 4_000)
    direct, again = MemoryStoreView(), MemoryStoreView()
    stored = memory.memorize(whole, direct)
    for chunk in direct.items():
        assert memory.memorize(chunk, again) == Stored((chunk.id,))

    assert len(stored.kept) > 5
    assert stored.kept == tuple(one.id for one in direct.items())
    assert again.items() == direct.items()


# ---- copies at hand


def test_while_the_task_runs_a_message_is_also_at_hand() -> None:
    seen = observation(Kind.USER_MESSAGE, "please")
    copy = copy_of(seen, remembered(seen), derive_id)

    assert (copy.store, copy.retention) == (WORKING, "working")
    assert (copy.metadata["copy_of"], copy.sources) == (seen.id, (seen.id,))
    assert copy.id != seen.id


def test_of_a_long_tool_result_the_first_part_is_at_hand() -> None:
    seen = observation(Kind.TOOL_CALL, "words " * 5000, tool=BASH)
    copy = copy_of(seen, remembered(seen), derive_id)

    assert (copy.store, copy.parent_id, copy.metadata["copy_of"]) == (WORKING, "", seen.id)


def test_what_was_imported_belongs_to_no_running_task() -> None:
    seen = observation(source="transcript")

    assert copy_of(seen, remembered(seen), derive_id) is None
    assert copy_of(observation(Kind.SYSTEM), [], derive_id) is None
