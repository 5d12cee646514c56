"""A server that reports less than it did: what we count ourselves is booked, the ceiling holds, and it is said."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie import errors
from reverie.memory import Memory
from reverie.models import budget as budgets
from reverie.models.budget import Budget, MeteredConverser, metered
from reverie.models.converse import connect_converser
from reverie.models.prices import price_of
from reverie.models.remote import connect
from reverie.models.usage import counted_reply, counted_said
from reverie.ports import HttpRequest, HttpResponse, Prompt, Reply
from reverie.records.conversation_values import Message, Request, Role, Said, ToolCall, ToolDefinition
from reverie.settings import ModelSettings, Settings
from reverie.shells.cli.care import status_lines
from reverie.shells.health import status_of
from reverie.testing import FakeEnv
from reverie.window.render import RENDERERS
from support.model_server import ModelServer, Say
from support.model_world import ModelEnv, SpendInMemory
from support.stream_server import StreamServer, event, head

PROVIDERS = ["anthropic", "openai"]
CAP = 10_000_000  # a cent
SENT = "Staging runs behind a proxy of the hosting company, and Ana waits for its port. " * 15
ANSWER = "The port of the proxy is 8443; Ana was told about it on Monday morning. " * 12
PROMPT = Prompt("You read a conversation.", SENT, max_output_tokens=700)
REQUEST = Request(cached="You help.", messages=(Message(role=Role.USER, text=SENT),), max_output_tokens=700)
NAMES = {"anthropic": ("input_tokens", "output_tokens"), "openai": ("prompt_tokens", "completion_tokens")}


def usage(provider: str, into: object, out: object) -> dict[str, object]:
    return dict(zip(NAMES[provider], (into, out), strict=True))


# What a server may report. None: no usage at all.
REPORTS: dict[str, Callable[[str], Any]] = {
    "0/0": lambda provider: usage(provider, 0, 0),
    "1/1": lambda provider: usage(provider, 1, 1),
    "right/0": lambda provider: usage(provider, 320, 0),
    "0/right": lambda provider: usage(provider, 0, 220),
    "a third": lambda provider: usage(provider, 100, 70),
    "missing": lambda _: None,
    "negative": lambda provider: usage(provider, -300, -200),
    "absurd": lambda provider: usage(provider, 10**30, 10**30),
    "strings": lambda provider: usage(provider, "1", "1"),
    "fractions": lambda provider: usage(provider, 0.1, 0.1),
    "cached": lambda provider: {
        **usage(provider, 0, 1),
        "cache_read_input_tokens": 1,
        "prompt_tokens_details": {"cached_tokens": 1},
    },
}


def streamed(provider: str, told: Any, is_whole: bool = True) -> list[bytes]:
    """An answer as a stream, with this usage; without its end if it is not whole."""
    if provider == "openai":
        chunks: list[dict[str, Any]] = [{"model": "m", "choices": [{"index": 0, "delta": {"content": ANSWER}}]}]
        if is_whole:
            chunks.append({"model": "m", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
            chunks.append({"model": "m", "choices": [], **({"usage": told} if told else {})})
        return [head(), *(event(chunk) for chunk in chunks), *([b"data: [DONE]\n\n"] if is_whole else [])]
    message = {"model": "m", "content": [], **({"usage": told} if told else {})}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": ANSWER}},
    ]
    if is_whole:
        end = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, **({"usage": told} if told else {})}
        events += [end, {"type": "message_stop"}]
    return [head(), *(event(it, it["type"]) for it in events)]


@dataclass
class Run:
    """A model that reports what it likes, asked until a ceiling of a cent says no."""

    provider: str
    price: Any = field(init=False)
    spend: SpendInMemory = field(default_factory=SpendInMemory)
    calls: int = 0

    def __post_init__(self) -> None:
        self.price = price_of(self.settings(""))

    def settings(self, url: str) -> ModelSettings:
        return ModelSettings(provider=self.provider, base_url=url, timeout_seconds=5.0, key_variable="KEY")

    def until_refused(self, call: Callable[[Budget], object], most: int = 200) -> None:
        allowed = Budget(self.spend, ModelEnv(), CAP, CAP)
        for _ in range(most):
            try:
                call(allowed)
            except errors.OverBudget:
                return
            except errors.ModelError:
                pass
            self.calls += 1

    def true_cost(self) -> int:
        """What an honest provider would have billed at four characters a token."""
        one = Reply("", "m", len(SENT) // 4, len(ANSWER) // 4)
        return self.calls * int(self.price.of(one))


@pytest.fixture(params=PROVIDERS)
def run(request: pytest.FixtureRequest) -> Run:
    return Run(request.param)


def ask_until_refused(run: Run, report: str) -> None:
    told = REPORTS[report](run.provider)
    with ModelServer() as server:
        env = ModelEnv({"KEY": "sk-test-0123456789abcdef"})
        model = connect(run.settings(server.url), env)
        assert model is not None
        answer = Say(ANSWER, change=lambda whole: {**whole, "usage": told})
        server.script(*[answer] * 200)
        run.until_refused(lambda allowed: metered(model, run.price, allowed, "s1")(PROMPT))


@pytest.mark.parametrize("report", REPORTS)
def test_the_ceiling_holds_whatever_a_server_reports_of_a_question(run: Run, report: str) -> None:
    ask_until_refused(run, report)
    assert 0 < run.calls < 200
    assert run.true_cost() <= run.spend.total() <= CAP


def test_negative_control_a_report_that_is_believed_breaks_the_ceiling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budgets, "counted_reply", lambda reply, _: reply)
    run = Run("anthropic")
    ask_until_refused(run, "1/1")
    assert run.true_cost() > CAP


@pytest.mark.parametrize("is_whole", [True, False], ids=["whole", "cut off"])
@pytest.mark.parametrize("report", REPORTS)
def test_the_ceiling_holds_whatever_a_server_reports_of_an_answer(run: Run, report: str, is_whole: bool) -> None:
    told, heard = REPORTS[report](run.provider), list[str]()
    pieces = streamed(run.provider, told, is_whole)
    with StreamServer(*[pieces] * 60) as server:
        model = connect_converser(run.settings(server.url), ModelEnv({"KEY": "sk-test-0123456789abcdef"}), RENDERERS)
        assert model is not None
        run.until_refused(
            lambda allowed: MeteredConverser(model, run.price, allowed, "s1").converse(REQUEST, heard.append), 60
        )
    assert 0 < run.calls < 60
    assert run.true_cost() <= run.spend.total() <= CAP


def test_a_refusal_that_reports_too_little_is_booked_by_our_count(run: Run) -> None:
    with ModelServer() as server:
        model = connect(run.settings(server.url), ModelEnv({"KEY": "sk-test-0123456789abcdef"}))
        assert model is not None
        told = usage(run.provider, 1, 1)
        server.script(*[Say("", end="refused", change=lambda whole: {**whole, "usage": told})] * 200)
        run.until_refused(lambda allowed: metered(model, run.price, allowed, "s1")(PROMPT))
    assert run.calls * run.price.of(Reply("", "m", len(SENT) // 4, 0)) <= run.spend.total() <= CAP
    assert run.spend.own_counts_on_day("2026-11-16") == run.calls


def test_words_that_were_heard_are_paid_for_whatever_the_listener_does_then(run: Run) -> None:
    def refuse(_: str) -> None:
        raise errors.BadInput("no room for these words")

    with StreamServer(streamed(run.provider, usage(run.provider, 300, 200))) as server:
        model = connect_converser(run.settings(server.url), ModelEnv({"KEY": "sk-test-0123456789abcdef"}), RENDERERS)
        assert model is not None
        allowed = Budget(run.spend, ModelEnv(), CAP, CAP)
        with pytest.raises(errors.BadInput):
            MeteredConverser(model, run.price, allowed, "s1").converse(REQUEST, refuse)
    assert run.spend.total() == run.price.at_most_for(REQUEST)


def test_an_honest_report_is_believed_and_nothing_is_said() -> None:
    spend = SpendInMemory()

    class Honest:
        name = "m"

        def ask(self, prompt: Prompt) -> Reply:
            return Reply(ANSWER, "m", input_tokens=290, output_tokens=190, cache_read_tokens=10)

    price = price_of(ModelSettings(provider="anthropic"))
    reply = metered(Honest(), price, Budget(spend, ModelEnv(), CAP, CAP), "s1")(PROMPT)
    assert (reply.input_tokens, reply.output_tokens) == (290, 190)
    assert spend.total() == price.of(reply)
    assert spend.own_counts_on_day("2026-11-16") == 0


def test_calls_and_tools_are_counted_too() -> None:
    call = ToolCall("c1", "note", {"text": SENT, "more": [SENT, {"deep": SENT}]})
    tool = ToolDefinition("note", SENT, {"type": "object", "properties": {"text": {"description": SENT}}})
    asked = Request(cached="", messages=(Message(role=Role.ASSISTANT, text="", tool_calls=(call,)),), tools=(tool,))
    said = counted_said(Said(text="", model="m", tool_calls=(call,), input_tokens=1, output_tokens=1), asked)
    one = len(SENT) // 4
    assert said.input_tokens >= 5 * one
    assert said.output_tokens >= 3 * one


@given(st.text(max_size=300), st.text(max_size=300), st.integers(0, 400), st.integers(0, 400))
def test_what_is_booked_is_at_least_what_was_told_and_at_least_half_of_our_count(
    sent: str, text: str, into: int, out: int
) -> None:
    told = Reply(text, "m", into, out)
    booked = counted_reply(told, Prompt("", sent, 100))
    own = counted_reply(Reply(text, "m", 0, 0), Prompt("", sent, 100))
    assert booked.input_tokens >= max(into, own.input_tokens / 2)
    assert booked.output_tokens >= max(out, own.output_tokens / 2)
    assert own.input_tokens <= len(sent.encode("utf-8", "replace")), "so it was set aside"


def test_status_says_that_our_own_count_is_booked(tmp_path: Path) -> None:
    class ServedEnv(FakeEnv):
        def http(self, request: HttpRequest) -> HttpResponse:
            content = [{"type": "text", "text": "NONE"}]
            whole = {"model": "m", "content": content, "stop_reason": "end_turn"}
            told = {**whole, "usage": {"input_tokens": 1, "output_tokens": 1}}
            return HttpResponse(200, {}, json.dumps(told).encode())

    env = ServedEnv(seed=7, variables={"KEY": "sk-test-0123456789abcdef"})
    model = ModelSettings(provider="anthropic", daily_dollars=1.0, key_variable="KEY")
    with Memory.open(tmp_path, env=env, settings=Settings(model=model)) as memory:
        memory.observe(SENT, session="s1", kind="user_message")
        memory.engine.log.close_turn("s1")
        memory.parts.background.distil()
        assert "our own count" not in "\n".join(status_lines(status_of(memory)))
        memory.parts.background.ask_model()
        status = status_of(memory)
        (kept,) = memory.engine.replies.all()
    assert status.own_counts_today == 1
    assert status.spent_today_nanodollars >= price_of(model).of(Reply("", "m", len(SENT) // 4, 0))
    assert kept.nanodollars == status.spent_today_nanodollars
    (line,) = [line for line in status_lines(status) if line.startswith("budget")]
    assert "for 1 call our own count is booked: the model's server reported under half" in line
