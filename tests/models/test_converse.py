"""Conversing: words come as they are said, tools are called, and who hangs up has hung up; in both protocols."""

import json
import threading
from typing import Any

import pytest

from reverie import errors
from reverie.models.budget import Budget, MeteredConverser
from reverie.models.converse import RemoteConverser, connect_converser
from reverie.models.prices import Price, Rates
from reverie.models.server_events import events
from reverie.records.conversation_values import Message, Request, Role, ToolCall, ToolDefinition
from reverie.settings import ModelSettings
from reverie.testing import FakeEnv
from reverie.window.render import RENDERERS
from support.model_server import ModelServer, Say
from support.model_world import ModelEnv, SpendInMemory
from support.scripted_model import ScriptedModel
from support.stream_server import HOLD, StreamServer, event, head

KEY = "sk-test-0123456789abcdef"
PROVIDERS = ["anthropic", "openai"]
TOOL = ToolDefinition("weather", "Says the weather.", {"type": "object"})
REQUEST = Request(cached="<base/>", tail="<now/>", messages=(Message(role=Role.USER, text="hello"),), tools=(TOOL,))
PRICE = Price(Rates(input=1000, output=5000, cache_write=1250, cache_read=100))


def converser(provider: str, url: str, **changes: Any) -> RemoteConverser:
    given = {"provider": provider, "base_url": url, "timeout_seconds": 5.0, "key_variable": "KEY", **changes}
    made = connect_converser(ModelSettings(**given), ModelEnv({"KEY": KEY}), RENDERERS)
    assert made is not None
    return made


# ---- what a server streams


def messages_stream(text: str = "", calls: tuple[tuple[str, str, str], ...] = (), end: str = "end_turn") -> list[bytes]:
    usage = {"input_tokens": 7, "output_tokens": 1, "cache_read_input_tokens": 40, "cache_creation_input_tokens": 3}
    told: list[dict[str, Any]] = [{"type": "message_start", "message": {"model": "m", "usage": usage, "content": []}}]
    told.append({"type": "ping"})
    told.append({"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}})
    told.append({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "hm"}})
    told.append({"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}})
    for word in text.split():
        told.append({"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": f"{word} "}})
    for index, (call, name, arguments) in enumerate(calls, 2):
        block = {"type": "tool_use", "id": call, "name": name, "input": {}}
        told.append({"type": "content_block_start", "index": index, "content_block": block})
        for piece in (arguments[:5], arguments[5:]):
            delta = {"type": "input_json_delta", "partial_json": piece}
            told.append({"type": "content_block_delta", "index": index, "delta": delta})
        told.append({"type": "content_block_stop", "index": index})
    told.append({"type": "message_delta", "delta": {"stop_reason": end}, "usage": {"output_tokens": 12}})
    told.append({"type": "message_stop"})
    return [event(it, it["type"]) for it in told]


def chat_stream(text: str = "", calls: tuple[tuple[str, str, str], ...] = (), end: str = "stop") -> list[bytes]:
    def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        return {"model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    told = [chunk({"role": "assistant", "content": ""}), *(chunk({"content": f"{word} "}) for word in text.split())]
    for index, (call, name, arguments) in enumerate(calls):
        begun = {"index": index, "id": call, "type": "function", "function": {"name": name, "arguments": arguments[:5]}}
        told.append(chunk({"tool_calls": [begun]}))
        told.append(chunk({"tool_calls": [{"index": index, "function": {"arguments": arguments[5:]}}]}))
    told.append(chunk({}, end))
    usage = {"prompt_tokens": 50, "completion_tokens": 12, "prompt_tokens_details": {"cached_tokens": 40}}
    told.append({"model": "m", "choices": [], "usage": usage})
    return [*(event(it) for it in told), event("[DONE]")]


def stream(provider: str, *args: Any, **options: Any) -> list[bytes]:
    if provider == "anthropic":
        return messages_stream(*args, **options)
    ends = {"max_tokens": "length", "tool_use": "tool_calls", "refusal": "content_filter", "end_turn": "stop"}
    return chat_stream(*args, **{**options, "end": ends.get(options.get("end", "end_turn"), options.get("end"))})


@pytest.mark.parametrize("provider", PROVIDERS)
def test_words_are_handed_on_as_they_come_and_counted(provider: str):
    with StreamServer([head(), *stream(provider, "good morning to you")]) as server:
        heard: list[str] = []
        said = converser(provider, server.url).converse(REQUEST, heard.append)
    assert heard == ["good ", "morning ", "to ", "you "]
    assert (said.text, said.end, said.model) == ("good morning to you ", "done", "m")
    assert (said.output_tokens, said.cache_read_tokens) == (12, 40)
    assert (said.input_tokens, said.cache_write_tokens) == ((7, 3) if provider == "anthropic" else (10, 0))
    asked = server.received[0]
    assert asked.body["stream"] is True
    assert asked.headers["x-api-key" if provider == "anthropic" else "authorization"].endswith(KEY)
    if provider == "openai":
        assert asked.body["stream_options"] == {"include_usage": True}


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("size", [1, 7])
def test_it_does_not_matter_where_the_pieces_are_cut(provider: str, size: int):
    whole = b"".join(stream(provider, "gr\N{LATIN SMALL LETTER U WITH DIAERESIS}n \N{SNOWMAN}")).replace(b"\n", b"\r\n")
    pieces = [whole[start : start + size] for start in range(0, len(whole), size)]
    with StreamServer([head(), *pieces]) as server:
        said = converser(provider, server.url).converse(REQUEST)
    assert said.text == "gr\N{LATIN SMALL LETTER U WITH DIAERESIS}n \N{SNOWMAN} "


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_events_end_with_any_kind_of_line(ending: str):
    whole = ending.join(
        ["\ufeffevent: a", "data: 1", "", ": hm", "data:2", "data: 3", "", "", "data: cut off"]
    ).encode()
    for size in range(1, len(whole)):
        pieces = [whole[start : start + size] for start in range(0, len(whole), size)]
        assert [(it.name, it.data) for it in events(pieces)] == [("a", "1"), ("", "2\n3")]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_tools_are_called_with_what_came_in_pieces(provider: str):
    calls = (("c1", "weather", '{"city": "Ulm"}'), ("c2", "weather", ""), ("c3", "weather", "{broken"))
    with StreamServer([head(), *stream(provider, "let me see", calls, end="tool_use")]) as server:
        said = converser(provider, server.url).converse(REQUEST)
    assert said.end == "tools"
    assert said.tool_calls == (
        ToolCall("c1", "weather", {"city": "Ulm"}),
        ToolCall("c2", "weather", {}),
        ToolCall("c3", "weather", "{broken"),
    )


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_call_that_the_limit_cut_is_not_made(provider: str):
    calls = (("c1", "weather", '{"city": "Ulm"}'), ("c2", "weather", '{"city": "B'))
    with StreamServer([head(), *stream(provider, "", calls, end="max_tokens")]) as server:
        said = converser(provider, server.url).converse(REQUEST)
    assert said.end == "limit"
    assert [call.id for call in said.tool_calls] == ["c1"]


def test_calls_without_ids_or_numbers_get_ids_that_no_other_has():
    whole = {"index": 0, "finish_reason": "tool_calls"}
    calls = [{"function": {"name": "weather", "arguments": "{}"}, "id": ""}]
    chunk = {"model": "m", "choices": [{**whole, "delta": {"tool_calls": calls}}]}
    with StreamServer([head(), event(chunk)], [head(), event(chunk)]) as server:
        first = converser("openai", server.url).converse(REQUEST)
        later = Request(cached="", messages=(*REQUEST.messages * 3,))
        second = converser("openai", server.url).converse(later)
    assert first.tool_calls[0].name == "weather"
    assert "" != first.tool_calls[0].id != second.tool_calls[0].id != ""


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_server_that_does_not_stream_is_heard_too(provider: str):
    with ModelServer() as server:
        server.script(Say("good morning"))
        heard: list[str] = []
        said = converser(provider, server.url).converse(REQUEST, heard.append)
    assert heard == ["good morning"] == [said.text]
    assert said.input_tokens > 0


def test_a_stream_that_calls_itself_something_else_is_heard_as_one():
    with StreamServer([head("application/json"), *messages_stream("good morning")]) as server:
        assert converser("anthropic", server.url).converse(REQUEST).text == "good morning "


def test_a_whole_answer_may_call_tools():
    content = [{"type": "text", "text": "hm"}, {"type": "tool_use", "id": "c1", "name": "weather", "input": {"a": [1]}}]
    usage = {"input_tokens": 7, "output_tokens": 2}
    body = {"model": "m", "content": content, "stop_reason": "tool_use", "usage": usage}
    with StreamServer([head("application/json"), json.dumps(body).encode()]) as server:
        said = converser("anthropic", server.url).converse(REQUEST)
    assert (said.text, said.end, said.tool_calls) == ("hm", "tools", (ToolCall("c1", "weather", {"a": [1]}),))


def test_a_loop_with_a_tool_runs_against_a_server_that_follows_a_script():
    asked = Message(role=Role.USER, text='TELL one moment\nCALL weather {"city": "Ulm"}\nSAY it is sunny')
    with ScriptedModel() as server:
        model = converser("anthropic", server.url)
        first = model.converse(Request(cached="<base/>", tail="<now/>", messages=(asked,), tools=(TOOL,)))
        answer = Message(role=Role.ASSISTANT, text=first.text, tool_calls=first.tool_calls)
        result = Message(role=Role.TOOL, text="sunny", call_id=first.tool_calls[0].id)
        second = model.converse(Request(cached="<base/>", messages=(asked, answer, result), tools=(TOOL,)))
    assert (first.text, first.end, first.tool_calls[0].input) == ("one moment", "tools", {"city": "Ulm"})
    assert (second.text, second.end) == ("it is sunny", "done")


# ---- hanging up


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("silent", ["before the first byte", "in the middle"])
def test_who_cancels_gets_what_came_so_far_and_the_connection_is_closed(provider: str, silent: str):
    begun = stream(provider, "good morning")[: 7 if provider == "anthropic" else 3]
    sent = [head(), *begun] if silent == "in the middle" else []
    cancelled = threading.Event()
    with StreamServer([*sent, HOLD]) as server:
        model = converser(provider, server.url, timeout_seconds=30.0)
        if not sent:
            threading.Timer(0.2, cancelled.set).start()
        said = model.converse(REQUEST, lambda words: cancelled.set() if "morning" in words else None, cancelled.is_set)
        assert server.hung_up.wait(60)
    assert said.end == "cancelled"
    assert said.text == ("good morning " if sent else "")
    assert said.tool_calls == ()


def test_what_was_broken_off_stays_reserved_and_what_was_never_asked_costs_nothing():
    spend = SpendInMemory()
    budget = Budget(spend, ModelEnv(), 10**12, 10**12)
    with StreamServer([head(), *messages_stream("good morning")[:7], HOLD]) as server:
        model = MeteredConverser(converser("anthropic", server.url), PRICE, budget, "s1")
        heard: list[str] = []
        assert model.converse(REQUEST, heard.append, lambda: bool(heard)).end == "cancelled"
        assert spend.total() == PRICE.at_most_for(REQUEST)
        assert model.converse(REQUEST, is_cancelled=lambda: True).end == "cancelled"
        assert model.name == "claude-haiku-4-5"
    assert len(spend.rows) == 1 == len(server.received)


def test_an_answer_costs_what_it_used_and_one_without_counts_its_worst_case():
    spend = SpendInMemory()
    budget = Budget(spend, ModelEnv(), 10**12, 10**12)
    uncounted = [piece for piece in chat_stream("good morning") if b"usage" not in piece]
    with StreamServer([head(), *chat_stream("good morning")], [head(), *uncounted]) as server:
        model = MeteredConverser(converser("openai", server.url), PRICE, budget, "s1")
        model.converse(REQUEST)
        assert spend.total() == 10 * 1000 + 40 * 100 + 12 * 5000
        assert model.converse(REQUEST).text == "good morning "
    assert spend.total() == 10 * 1000 + 40 * 100 + 12 * 5000 + PRICE.at_most_for(REQUEST)


def test_nothing_is_asked_over_a_ceiling_or_of_a_request_that_cannot_be_sent():
    spend = SpendInMemory()
    with StreamServer() as server:
        tight = Budget(spend, ModelEnv(), PRICE.at_most_for(REQUEST) - 1, 10**12)
        with pytest.raises(errors.OverBudget):
            MeteredConverser(converser("anthropic", server.url), PRICE, tight, "s1").converse(REQUEST)
        wide = Budget(spend, ModelEnv(), 10**12, 10**12)
        with pytest.raises(errors.BadInput):
            MeteredConverser(converser("anthropic", server.url), PRICE, wide, "s1").converse(
                Request(cached="", messages=())
            )
    assert spend.total() == 0
    assert server.received == []


# ---- what goes wrong in the middle of a stream


def broken(provider: str, **how: Any) -> tuple[type[errors.ModelError], str]:
    with StreamServer([head(), *how["pieces"]]) as server:
        heard: list[str] = []
        with pytest.raises(errors.ModelError) as raised:
            converser(provider, server.url, timeout_seconds=how.get("timeout", 60.0)).converse(REQUEST, heard.append)
    assert KEY not in str(raised.value)
    assert not raised.value.unbilled
    return type(raised.value), str(raised.value)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_stream_that_goes_wrong_is_named(provider: str):
    pieces = stream(provider, "one two three four five six seven")
    assert broken(provider, pieces=pieces[:6]) == (errors.ModelUnavailable, "the answer was cut off")
    kind, said = broken(provider, pieces=[*pieces[:6], HOLD], timeout=3.0)
    assert kind is errors.ModelUnavailable
    assert "too long" in said
    assert broken(provider, pieces=[*pieces[:6], b"data: {oops\n\n"])[0] is errors.UnreadableReply
    assert broken(provider, pieces=stream(provider, "no", end="refusal"))[0] is errors.ModelRefused
    assert broken(provider, pieces=stream(provider, "no", end="odd"))[0] is errors.UnreadableReply
    kind, said = broken(provider, pieces=[*pieces[:6], *[pieces[6]] * 40_000])
    assert kind is errors.UnreadableReply
    assert "longer than" in said


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        ("overloaded_error", errors.ModelUnavailable),
        ("server_error", errors.ModelUnavailable),
        ("invalid_request_error", errors.ModelRefused),
    ],
)
@pytest.mark.parametrize("provider", PROVIDERS)
def test_an_error_in_a_stream_says_whether_asking_again_may_help(provider: str, kind: str, error: type):
    told = {"type": "error", "error": {"type": kind, "message": f"you sent {KEY}"}}
    found, said = broken(provider, pieces=[*stream(provider, "one two three four five six")[:6], event(told, "error")])
    assert found is error
    assert kind in said


def test_no_provider_is_nobody_to_talk_to_and_a_test_has_no_network():
    assert connect_converser(ModelSettings(), ModelEnv(), RENDERERS) is None
    made = connect_converser(ModelSettings(provider="openai", base_url="http://localhost:9"), FakeEnv(), RENDERERS)
    assert made is not None
    with pytest.raises(errors.ModelUnavailable, match="no network") as raised:
        made.converse(REQUEST)
    assert raised.value.unbilled


def test_the_key_is_in_no_repr():
    assert KEY not in repr(converser("anthropic", "http://localhost:9"))


@pytest.mark.parametrize("provider", PROVIDERS)
def test_text_that_no_wire_can_carry_is_sent_all_the_same(provider: str):
    odd = Request(cached="a\ud800b", messages=(Message(role=Role.USER, text="c\udfff"),))
    with StreamServer([head(), *stream(provider, "fine")]) as server:
        assert converser(provider, server.url).converse(odd).text == "fine "
    assert "a?b" in json.dumps(server.received[0].body)
