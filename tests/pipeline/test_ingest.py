"""What programs hand to `observe`: texts, chat messages, and the names that other memory systems have."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from reverie.errors import BadInput
from reverie.memory import Memory
from reverie.records import Kind
from reverie.testing import FakeEnv


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path, env=FakeEnv()) as memory:
        yield memory


def test_chat_messages_are_taken_as_they_are(memory: Memory) -> None:
    blocks = [{"type": "text", "text": "8080"}, {"type": "image", "source": {}}, {"type": "text", "text": "since May"}]
    memory.observe(
        [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": "Which port?"},
            {"role": "assistant", "content": blocks},
        ],
        session="s1",
    )

    said = [(one.kind, one.speaker, one.text) for one in memory.engine.log.read()]
    assert said == [
        (Kind.SYSTEM, "", "Be kind."),
        (Kind.USER_MESSAGE, "user", "Which port?"),
        (Kind.ASSISTANT_MESSAGE, "assistant", "8080\nsince May"),
    ]


def test_a_list_of_texts_is_observed(memory: Memory) -> None:
    assert memory.observe(["The port is 8080", "The host is yellow"], session="s1") == 2


def test_the_names_of_other_systems_are_known(memory: Memory) -> None:
    memory.observe(
        {"content": "Deploy failed", "timestamp": "2026-03-01T10:00:00Z", "agent_id": "ops", "task_id": "t1"}
    )

    [item] = memory.items.list({"agent": "ops"})
    assert (item.agent, item.task, item.created_ms) == ("ops", "t1", 1_772_359_200_000)


def test_a_wrong_role_or_a_field_given_twice_is_named(memory: Memory) -> None:
    with pytest.raises(BadInput, match='no role "robot"'):
        memory.observe({"role": "robot", "content": "hello"})
    with pytest.raises(BadInput, match='one "text"'):
        memory.observe({"text": "hello", "content": "hello"})


def test_memorize_knows_them_too(memory: Memory) -> None:
    done = memory.memorize("Try the cache first", store="WM", agent_id="ops", task_id="t1", episode_id="e1", ttl=60)

    [item] = memory.items.list({"store": "WM"})
    assert (item.id, item.store, item.agent, item.task, item.episode, item.ttl_ms) == (
        done.item_id, "working", "ops", "t1", "e1", 60_000,
    )  # fmt: skip


def test_what_a_callback_captured_is_found_by_the_next_search_of_the_same_process(memory: Memory) -> None:
    from reverie import create_hook_callbacks

    said = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "prompt": "The harbour office opens at nine"}
    callback = create_hook_callbacks(memory)["UserPromptSubmit"]
    asyncio.run(callback({**said, "cwd": "/projects/shop"}, None, None))  # type: ignore[arg-type]

    assert [hit.text for hit in memory.search("harbour office")] == ["The harbour office opens at nine"]
