"""What is sent to a provider: it takes it, whatever happened to the conversation, and its cache can use it."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.errors import BadInput
from reverie.records.conversation_values import Message, Request, Role, ToolCall, ToolDefinition
from reverie.window.render import chat_request, messages_request
from support.provider_cache import MOST_BREAKPOINTS, flattened

WEATHER = ToolDefinition("weather", "Says the weather.", {"type": "object", "properties": {"city": {"type": "string"}}})
CLOCK = ToolDefinition("clock", "Says the time.", {"type": "object"})


def user(text: str) -> Message:
    return Message(role=Role.USER, text=text)


def assistant(text: str, *calls: str) -> Message:
    made = tuple(ToolCall(call, "weather", {"city": call}) for call in calls)
    return Message(role=Role.ASSISTANT, text=text, tool_calls=made)


def result(call: str, text: str = "fine", failed: bool = False) -> Message:
    return Message(role=Role.TOOL, text=text, call_id=call, tool_name="weather", failed=failed)


def request(*messages: Message, **changes: Any) -> Request:
    return replace(Request(cached="<base/>", tail="<now/>", tools=(CLOCK, WEATHER), messages=messages), **changes)


def marked(body: dict[str, Any]) -> list[str]:
    """What stands right before each breakpoint."""
    blocks = [block for block in flattened(body) if "cache_control" in block]
    return [str(block.get("text") or block.get("name") or block.get("content")) for block in blocks]


def contents(body: dict[str, Any]) -> list[list[dict[str, Any]]]:
    return [
        [{name: value for name, value in block.items() if name != "cache_control"} for block in message["content"]]
        for message in body["messages"]
    ]


def test_a_turn_begins_with_the_prefix_and_ends_with_the_tail():
    body = messages_request(request(user("one"), assistant("1"), user("two")), "m")
    assert body["model"] == "m"
    assert body["max_tokens"] == 2000
    assert [tool["name"] for tool in body["tools"]] == ["clock", "weather"]
    assert [block["text"] for block in body["system"]] == ["<base/>"]
    assert [message["role"] for message in body["messages"]] == ["user", "assistant", "user"]
    assert [block["text"] for block in body["messages"][-1]["content"]] == ["two", "<now/>"]
    assert marked(body) == ["weather", "<base/>", "one", "two"]


def test_volatile_text_in_the_system_prompt_stands_behind_the_breakpoint():
    body = messages_request(request(user("one"), system="<goals/>"), "m")
    assert body["system"][1] == {"type": "text", "text": "<goals/>"}
    assert marked(body) == ["weather", "<base/>", "one"]


def test_in_a_tool_loop_the_tail_stays_and_the_last_breakpoint_is_at_the_newest_block():
    body = messages_request(request(user("one"), assistant("1"), user("two"), assistant("", "c1"), result("c1")), "m")
    assert [block["text"] for block in body["messages"][2]["content"]] == ["two", "<now/>"]
    assert marked(body) == ["weather", "<base/>", "two", "fine"]


def test_a_prefix_that_is_too_short_to_be_cached_gets_no_breakpoint():
    long = request(user("one"), assistant("word " * 2000), user("two"))
    assert marked(messages_request(long, "m", min_cacheable=1024)) == ["two"]
    assert marked(messages_request(long, "m", min_cacheable=10**6)) == []


def test_the_results_of_one_round_are_one_message_and_failures_are_marked():
    body = messages_request(
        request(user("one"), assistant("hm", "c1", "c2"), result("c2", "boom", failed=True), result("c1", "")), "m"
    )
    assert contents(body)[1] == [
        {"type": "text", "text": "hm"},
        {"type": "tool_use", "id": "c1", "name": "weather", "input": {"city": "c1"}},
        {"type": "tool_use", "id": "c2", "name": "weather", "input": {"city": "c2"}},
    ]
    assert body["messages"][2]["role"] == "user"
    assert contents(body)[2] == [
        {"type": "tool_result", "tool_use_id": "c1"},
        {"type": "tool_result", "tool_use_id": "c2", "content": "boom", "is_error": True},
    ]


def test_a_call_without_a_result_was_interrupted_and_a_result_without_a_call_is_left_out():
    body = messages_request(request(result("c0"), user("one"), assistant("", "c1"), result("c9"), user("two")), "m")
    told = contents(body)
    assert [block["type"] for message in told for block in message] == [
        "text",
        "tool_use",
        "tool_result",
        "text",
        "text",
    ]
    assert "interrupted" in told[2][0]["content"]
    assert told[2][0]["is_error"] is True


def test_what_a_model_called_a_tool_with_is_an_object_even_if_it_was_none():
    odd = Message(role=Role.ASSISTANT, text="", tool_calls=(ToolCall("c1", "weather", "{broken"),))
    asked = request(user("one"), odd, result("c1"))
    assert contents(messages_request(asked, "m"))[1][0]["input"] == {"unreadable": "{broken"}
    assert chat_request(asked, "m")["messages"][2]["tool_calls"][0]["function"]["arguments"] == "{broken"


def test_empty_texts_are_left_out_and_a_message_without_words_still_carries_its_tail():
    body = messages_request(request(user("one"), assistant(" "), user(""), cached="", tools=()), "m")
    assert "tools" not in body
    assert "system" not in body
    assert contents(body) == [[{"type": "text", "text": "one"}], [{"type": "text", "text": "<now/>"}]]


def test_a_history_whose_start_was_left_out_begins_with_a_person():
    assert messages_request(request(assistant("1"), user("two")), "m")["messages"][0]["role"] == "user"


@pytest.mark.parametrize("messages", [(), (user(" "),), (user("one"), assistant("1")), (result("c1"),)])
@pytest.mark.parametrize("render", [messages_request, chat_request])
def test_a_request_with_nothing_to_answer_is_refused(render: Any, messages: tuple[Message, ...]):
    with pytest.raises(BadInput, match="nothing to answer"):
        render(request(*messages, tail=""), "m")


def test_chat_completions_get_one_system_message_functions_and_the_tail_with_the_words():
    asked = request(
        user("one"), assistant("hm", "c1"), result("c1", "boom", failed=True), user("two"), system="<goals/>"
    )
    body = chat_request(asked, "m")
    assert body["messages"] == [
        {"role": "system", "content": "<base/>\n\n<goals/>"},
        {"role": "user", "content": "one"},
        {
            "role": "assistant",
            "content": "hm",
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "c1"}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "failed: boom"},
        {"role": "user", "content": "two\n\n<now/>"},
    ]
    assert body["tools"][0] == {
        "type": "function",
        "function": {"name": "clock", "description": "Says the time.", "parameters": {"type": "object"}},
    }


# ---- any conversation at all

words = st.sampled_from(["", " ", "one", "two </x>", "drei \N{SNOWMAN}"])
anything = st.lists(
    st.one_of(
        st.builds(user, words),
        st.builds(lambda text, calls: assistant(text, *calls), words, st.lists(st.sampled_from("abc"), unique=True)),
        st.builds(result, st.sampled_from("abcd"), words, st.booleans()),
    ),
    max_size=12,
).map(tuple)


@given(anything)
def test_a_provider_takes_whatever_is_left_of_a_conversation(messages: tuple[Message, ...]):
    body = messages_request(request(*messages, user("now")), "m")
    assert sum("cache_control" in block for block in flattened(body)) <= MOST_BREAKPOINTS
    assert body["messages"][0]["role"] == "user" == body["messages"][-1]["role"]
    owed: list[str] = []
    for message in body["messages"]:
        blocks = message["content"]
        assert blocks
        assert all(block["text"].strip() for block in blocks if block["type"] == "text")
        answered = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        assert answered == owed
        owed = [block["id"] for block in blocks if block["type"] == "tool_use"]
    assert owed == []
    json.dumps(body)


@given(anything)
def test_chat_completions_take_it_as_well(messages: tuple[Message, ...]):
    owed: list[str] = []
    for message in chat_request(request(*messages, user("now")), "m")["messages"]:
        if message["role"] == "tool":
            assert message["tool_call_id"] == owed.pop(0)
            continue
        assert owed == []
        assert message["content"] or message.get("tool_calls")
        owed = [call["id"] for call in message.get("tool_calls", [])]
    assert owed == []
