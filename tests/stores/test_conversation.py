"""The last messages of a session are at hand, and a summary tells what came before."""

from hypothesis import given
from hypothesis import strategies as st

from reverie.records import CONVERSATION, ItemType, MemoryItem, ReadContext, Stored
from reverie.settings import StoreSettings
from reverie.stores.conversation import Conversation
from reverie.testing import MemoryStoreView
from stores.made import NOW_MS, derive_id, item


def conversation(messages: int = 4, tokens: int = 1000) -> Conversation:
    return Conversation(StoreSettings(conversation_max_messages=messages, conversation_max_tokens=tokens), derive_id)


def say(
    memory: Conversation, view: MemoryStoreView, number: int, text: str = "", session: str = "s1", **fields
) -> Stored:
    message = item(number, text or f"Message {number}.", type=ItemType.USER_MESSAGE, session=session, **fields)
    return memory.memorize(message, view)


def buffer(memory: Conversation, view: MemoryStoreView, session: str = "s1") -> list[MemoryItem]:
    found = memory.remember(ReadContext(query_text="", at_ms=NOW_MS, session=session), view)
    return [candidate.item for candidate in found]


def test_the_last_messages_and_one_summary_of_those_before() -> None:
    memory, view = conversation(3), MemoryStoreView(CONVERSATION)
    stored = [say(memory, view, number) for number in range(6)]

    *messages, summary = buffer(memory, view)
    assert [one.id for one in messages] == ["i0005", "i0004", "i0003"]
    assert summary.type is ItemType.SUMMARY
    assert summary.text.splitlines() == ["Message 0.", "Message 1.", "Message 2."]
    assert stored[3] == Stored(("i0003",), summarised=("i0000",))


def test_each_session_has_a_buffer_of_its_own() -> None:
    memory, view = conversation(3), MemoryStoreView(CONVERSATION)
    for number in range(8):
        say(memory, view, number, session="ab"[number % 2])

    assert [one.id for one in buffer(memory, view, "a") if one.type is ItemType.USER_MESSAGE] == [
        "i0006",
        "i0004",
        "i0002",
    ]
    assert buffer(memory, view, "") == []


def test_a_summary_never_mixes_projects() -> None:
    memory, view = conversation(2), MemoryStoreView(CONVERSATION)
    for number in range(8):
        say(memory, view, number, f"Said in {number % 2}.", project=f"/{number % 2}")

    for one in buffer(memory, view):
        assert f"in {1 - int(one.project[1])}" not in one.text


@given(st.integers(1, 9), st.integers(8, 200), st.lists(st.integers(1, 120), max_size=30))
def test_the_buffer_keeps_its_limits_and_the_newest_message(messages: int, tokens: int, lengths: list[int]) -> None:
    memory, view = conversation(messages, tokens), MemoryStoreView(CONVERSATION)
    for number, length in enumerate(lengths):
        say(memory, view, number, "word " * length)

        here = [one for one in buffer(memory, view) if one.type is ItemType.USER_MESSAGE]
        assert len(here) <= messages
        assert sum(one.tokens_estimate for one in here) <= tokens
        assert here[0].id == f"i{number:04}"


def test_a_repeat_changes_nothing() -> None:
    memory, view = conversation(3), MemoryStoreView(CONVERSATION)
    for number in range(6):
        say(memory, view, number)
    before = buffer(memory, view)

    assert say(memory, view, 0) == Stored(())
    say(memory, view, 5)
    assert buffer(memory, view) == before
