"""Both wire protocols: what is sent, and what each kind of answer means."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie import errors
from reverie.models import chat, messages
from reverie.ports import Prompt, Reply

PROMPT = Prompt(system="Be brief.", user="<turn/>", max_output_tokens=300)


def message(**changes: Any) -> bytes:
    whole = {
        "type": "message",
        "model": "claude-haiku-4-5-20251001",
        "content": [{"type": "thinking", "thinking": "hm", "signature": "x"}, {"type": "text", "text": "FACT: a"}],
        "stop_reason": "end_turn",
        "usage": {
            "input_tokens": 11,
            "output_tokens": 5,
            "cache_creation_input_tokens": 3,
            "cache_read_input_tokens": 2,
            "service_tier": "standard",
        },
    }
    return json.dumps({**whole, **changes}).encode()


def completion(said: dict[str, Any] | None = None, finish: str | None = "stop", **changes: Any) -> bytes:
    whole = {
        "object": "chat.completion",
        "model": "gpt-5-mini-2025-08-07",
        "choices": [{"index": 0, "message": said or {"content": "FACT: a", "refusal": None}, "finish_reason": finish}],
        "usage": {"prompt_tokens": 16, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 2}},
    }
    return json.dumps({**whole, **changes}).encode()


def test_a_message_is_asked_for_without_sampling_parameters():
    asked = json.loads(messages.request("claude-haiku-4-5", PROMPT, {"thinking": {"type": "disabled"}}))

    assert asked == {
        "model": "claude-haiku-4-5",
        "max_tokens": 300,
        "system": "Be brief.",
        "messages": [{"role": "user", "content": "<turn/>"}],
        "thinking": {"type": "disabled"},
    }
    assert messages.headers("k") == {
        "content-type": "application/json",
        "anthropic-version": "2023-06-01",
        "x-api-key": "k",
    }
    assert messages.url("https://api.anthropic.com/") == "https://api.anthropic.com/v1/messages"


@pytest.mark.parametrize(
    ("model", "limit"),
    [("gpt-5-mini", "max_completion_tokens"), ("o4-mini", "max_completion_tokens"), ("llama3.2:3b", "max_tokens")],
)
def test_a_completion_is_asked_for_with_the_limit_that_the_server_knows(model: str, limit: str):
    asked = json.loads(chat.request(model, PROMPT, {}))

    assert asked[limit] == 300
    assert asked["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "<turn/>"},
    ]
    assert chat.url("http://localhost:11434/v1/") == "http://localhost:11434/v1/chat/completions"


def test_keys_are_left_out_where_there_are_none():
    assert "authorization" not in chat.headers("")
    assert "x-api-key" not in messages.headers("")


def test_an_extra_cannot_replace_what_is_asked():
    assert json.loads(messages.request("m", PROMPT, {"max_tokens": 10**6}))["max_tokens"] == 300


def test_a_message_becomes_a_reply_with_its_text_blocks_and_usage():
    assert messages.read(message()) == Reply(
        text="FACT: a",
        model="claude-haiku-4-5-20251001",
        input_tokens=11,
        output_tokens=5,
        cache_read_tokens=2,
        cache_write_tokens=3,
        end="done",
    )


def test_a_completion_becomes_a_reply_whose_input_does_not_count_cached_tokens_twice():
    assert chat.read(completion()) == Reply(
        text="FACT: a", model="gpt-5-mini-2025-08-07", input_tokens=14, output_tokens=5, cache_read_tokens=2
    )


@pytest.mark.parametrize("reason", ["max_tokens", "model_context_window_exceeded"])
def test_a_message_cut_at_the_limit_says_so(reason: str):
    assert messages.read(message(stop_reason=reason)).end == "limit"


def test_a_completion_cut_at_the_limit_says_so_even_when_nothing_was_said():
    reply = chat.read(completion({"content": None}, "length"))
    assert (reply.text, reply.end) == ("", "limit")


def test_a_refusal_is_refused():
    with pytest.raises(errors.ModelRefused):
        messages.read(message(stop_reason="refusal"))
    with pytest.raises(errors.ModelRefused):
        chat.read(completion(finish="content_filter"))
    with pytest.raises(errors.ModelRefused):
        chat.read(completion({"content": None, "refusal": "I can't."}))


@pytest.mark.parametrize("reason", ["tool_use", "pause_turn", None, "", "x" * 500])
def test_an_end_that_we_do_not_know_is_unreadable(reason: str | None):
    with pytest.raises(errors.UnreadableReply):
        messages.read(message(stop_reason=reason))
    with pytest.raises(errors.UnreadableReply):
        chat.read(completion(finish=reason))


@pytest.mark.parametrize(
    "changes",
    [
        {"content": "FACT: a"},
        {"content": [{"type": "text", "text": 7}]},
        {"content": [{"text": "no type"}]},
        {"content": None},
        {"usage": None},
        {"usage": {"input_tokens": 1}},
        {"usage": {"input_tokens": -1, "output_tokens": 1}},
        {"usage": {"input_tokens": 1.5, "output_tokens": 1}},
        {"usage": {"input_tokens": "1", "output_tokens": 1}},
        {"model": None},
    ],
)
def test_a_message_of_another_shape_is_unreadable(changes: dict[str, Any]):
    with pytest.raises(errors.UnreadableReply):
        messages.read(message(**changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"choices": []},
        {"choices": [{"message": {"content": ["part"]}, "finish_reason": "stop"}]},
        {"choices": [{"message": {"content": "a"}, "finish_reason": "stop"}] * 2},
        {"usage": {"prompt_tokens": 1}},
        {"usage": {"prompt_tokens": 10**12, "completion_tokens": 1}},
    ],
)
def test_a_completion_of_another_shape_is_unreadable(changes: dict[str, Any]):
    with pytest.raises(errors.UnreadableReply):
        chat.read(completion(**changes))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(st.one_of(st.binary(), json_values.map(lambda value: json.dumps(value).encode())))
def test_whatever_comes_it_is_a_reply_or_one_of_two_errors(body: bytes):
    for wire in (messages, chat):
        with pytest.raises((errors.UnreadableReply, errors.ModelRefused)):
            wire.read(body)


@given(st.sampled_from(["model", "content", "stop_reason", "usage"]), json_values)
def test_one_wrong_field_never_becomes_another_error(name: str, value: Any):
    try:
        reply = messages.read(message(**{name: value}))
    except (errors.UnreadableReply, errors.ModelRefused):
        return
    assert reply.input_tokens >= 0
    assert reply.output_tokens >= 0
