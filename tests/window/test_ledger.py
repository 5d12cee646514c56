"""The ledger says what a provider's cache kept, what was billed again, and why; and agrees with the cache itself."""

from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.foundation.ids import content_address
from reverie.models.prices import Rates
from reverie.records.conversation_values import LedgerEntry, Message, Request, Role, ToolCall, ToolDefinition
from reverie.window.blocks import blocks_of, blocks_with_text
from reverie.window.ledger import CacheRules, billed, compare, totals, unavoidable
from reverie.window.render import messages_request
from support.provider_cache import ProviderCache

RATES = Rates(input=1000, output=5000, cache_write=1250, cache_read=100)
ANY_LENGTH = CacheRules(minimum_tokens=0)


@dataclass
class Talk:
    """A conversation that writes its own ledger, and asks a provider's cache with the same requests."""

    volatile_in_system: bool = False
    rules: CacheRules = ANY_LENGTH
    sections: dict[str, str] = field(default_factory=lambda: {"base_prompt": "<base/>", "domaindoc": "<doc>1</doc>"})
    tools: list[str] = field(default_factory=lambda: ["memory"])
    history: list[Message] = field(default_factory=list)
    entries: list[LedgerEntry] = field(default_factory=list)
    read: list[int] = field(default_factory=list)
    cache: ProviderCache = field(default_factory=ProviderCache)
    segment: str = "s1"
    model: str = "m"
    turn: int = 0
    now_ms: int = 0
    numbers: Any = field(default_factory=lambda: count(1))

    def say(self, text: str = "", rounds: tuple[int, ...] = ()) -> LedgerEntry:
        """One turn: a message, rounds of tool calls, an answer. Returns the entry of its last request."""
        self.turn += 1
        self.now_ms += 1000
        self.history.append(Message(role=Role.USER, text=text or f"question {next(self.numbers)}"))
        volatile = f"<now>{next(self.numbers)}</now>"
        self._ask(volatile, 0)
        for number, calls in enumerate(rounds, 1):
            made = tuple(ToolCall(f"c{next(self.numbers)}", "memory", {"q": "x"}) for _ in range(calls))
            self.history.append(Message(role=Role.ASSISTANT, text="let me see", tool_calls=made))
            self.history += [Message(role=Role.TOOL, text=f"found {call.id}", call_id=call.id) for call in made]
            self._ask(volatile, number)
        self.history.append(Message(role=Role.ASSISTANT, text=f"answer {next(self.numbers)}"))
        return self.entries[-1]

    def change(self, section: str) -> None:
        self.sections[section] = f"<doc>{next(self.numbers)}</doc>"

    def load(self) -> str:
        self.tools.append(f"tool_{next(self.numbers)}")
        return self.tools[-1]

    def collapse(self) -> None:
        self.segment = f"s{next(self.numbers)}"
        summary = Message(role=Role.USER, text=f"summary {next(self.numbers)}")
        self.history = [summary, *self.history[-2:]]

    def _ask(self, volatile: str, number: int) -> None:
        request = Request(
            cached="\n\n---\n\n".join(self.sections.values()),
            system=volatile if self.volatile_in_system else "",
            tail="" if self.volatile_in_system else volatile,
            tools=tuple(ToolDefinition(name, f"Does {name}.", {"type": "object"}) for name in self.tools),
            messages=tuple(self.history),
        )
        self.read.append(self.cache.ask(messages_request(request, self.model)))
        entry = LedgerEntry(
            continuum_id="c",
            segment_id=self.segment,
            turn=self.turn,
            request=number,
            at_ms=self.now_ms,
            model=self.model,
            blocks=blocks_of(request, [*self.sections.items(), ("datetime_section", volatile)]),
        )
        self.entries.append(compare(self.entries[-1] if self.entries else None, entry, RATES, self.rules))


def names(entry: LedgerEntry) -> list[str]:
    return [block.name for block in entry.blocks]


# ---- blocks


def test_blocks_stand_in_the_order_in_which_a_provider_reads():
    talk = Talk()
    talk.say(rounds=(1,))
    entry = talk.entries[-1]
    assert names(entry) == [
        "tools/memory", "base_prompt", "domaindoc", "history/user", "tail/datetime_section", "history/assistant",
        "history/assistant", "history/tool",
    ]  # fmt: skip
    assert [block.name for block in entry.blocks if not block.cached] == names(entry)[4:]


def test_the_sections_of_a_text_are_all_of_it_with_what_stands_between_them():
    cached = "--- a rule\n\n---\n\n<doc>\n- x\n</doc>\n\n---\n\nlast"
    request = Request(cached=cached, messages=(Message(role=Role.USER, text="hi"),))
    sections = [("base_prompt", "--- a rule"), ("gone", "<gone/>"), ("doc", "<doc>\n- x\n</doc>"), ("end", "last")]
    told = blocks_with_text(request, sections)
    assert [block.name for block, _ in told] == ["base_prompt", "doc", "end", "history/user"]
    assert "".join(text for _, text in told[:3]) == cached
    assert all(block.address == content_address(text) and block.size == len(text.encode()) for block, text in told)


def test_a_prompt_whose_sections_are_not_known_is_one_block():
    request = Request(cached="<base/>", tail="<t/>", messages=(Message(role=Role.USER, text="hi"),))
    assert [block.name for block in blocks_of(request)] == ["system_prompt", "history/user", "tail"]


# ---- what was kept, and why not


def test_the_first_request_is_all_new():
    entry = Talk().say()
    assert (entry.kept_tokens, entry.rebilled_tokens, entry.broken_by) == (0, 0, "")
    assert entry.cause == "first request"
    assert entry.new_tokens + entry.tail_tokens == sum(block.tokens for block in entry.blocks)


def test_an_unbroken_prefix_bills_the_new_messages_and_the_tail():
    talk = Talk()
    talk.say()
    before = talk.entries[-1]
    entry = talk.say()
    assert entry.kept_bytes == sum(block.size for block in before.blocks if block.cached)
    assert entry.new_tokens == sum(block.tokens for block in entry.blocks[-3:-1])  # the answer and the next question
    assert entry.tail_tokens == entry.blocks[-1].tokens
    assert (entry.rebilled_tokens, entry.broken_by, entry.cause) == (0, "", "")
    assert entry.saved_nanodollars == entry.kept_tokens * 900


def test_what_stood_behind_the_tail_is_new_to_the_next_turn():
    talk = Talk()
    talk.say(rounds=(2, 1))
    loop = talk.entries[-1]
    entry = talk.say()
    behind = [block for block in loop.blocks if not block.cached and not block.name.startswith("tail")]
    assert entry.new_tokens == sum(block.tokens for block in (*behind, *entry.blocks[-3:-1]))
    assert (entry.rebilled_tokens, entry.broken_by) == (0, "")


def test_in_a_loop_the_tail_is_billed_until_it_is_written():
    talk = Talk()
    talk.say(rounds=(1, 1))
    assert [entry.tail_tokens > 0 for entry in talk.entries] == [True, True, False]
    assert [entry.rebilled_tokens for entry in talk.entries] == [0, 0, 0]


@pytest.mark.parametrize(
    ("change", "broken_by", "cause"),
    [
        (lambda talk: talk.change("domaindoc"), "domaindoc", "section domaindoc changed"),
        (lambda talk: talk.change("journal_digest"), "journal_digest", "section journal_digest appeared"),
        (
            lambda talk: talk.sections.pop("base_prompt"),
            "base_prompt",
            "section base_prompt is gone, section domaindoc changed",
        ),
        (lambda talk: talk.sections.pop("domaindoc"), "domaindoc", "section domaindoc is gone"),
        (lambda talk: talk.tools.append("weather_tool"), "tools", "tool weather_tool loaded"),
        (lambda talk: talk.tools.remove("memory"), "tools", "tool memory unloaded"),
        (lambda talk: talk.collapse(), "history", "segment collapsed: history is new"),
        (lambda talk: talk.history.pop(0), "history", "history changed"),
    ],
)
def test_a_break_names_its_cause(change: Any, broken_by: str, cause: str):
    talk = Talk()
    talk.say()
    talk.say()
    change(talk)
    entry = talk.say()
    assert (entry.broken_by, entry.cause) == (broken_by, cause)
    assert entry.rebilled_tokens > 0
    assert entry.rebilled_nanodollars == entry.rebilled_tokens * 1250
    assert unavoidable(entry) == billed(entry)
    assert talk.say().broken_by == ""


def test_all_that_changed_at_once_is_named():
    talk = Talk()
    talk.say()
    talk.tools.append("clock")
    talk.change("domaindoc")
    talk.collapse()
    entry = talk.say()
    assert entry.broken_by == "tools"
    assert entry.cause == "segment collapsed: tool clock loaded, section domaindoc changed, history is new"


def test_silence_and_another_model_lose_the_cache_without_breaking_the_prefix():
    talk = Talk()
    talk.say()
    talk.now_ms += 12 * 60_000
    entry = talk.say()
    assert (entry.kept_tokens, entry.broken_by) == (0, "")
    assert entry.cause == "expired: 12 minutes since the last request"
    talk.model = "n"
    assert talk.say().cause == "model changed from m to n"
    assert unavoidable(talk.entries[-1]) == billed(talk.entries[-1])


def test_a_prefix_may_be_too_short_or_too_far_back():
    talk = Talk(rules=CacheRules(minimum_tokens=1024))
    talk.say()
    entry = talk.say()
    assert entry.kept_tokens == 0
    assert entry.cause.startswith("too short: a prefix of ")
    talk = Talk()
    talk.say(rounds=(1, 15))
    entry = talk.entries[-1]
    assert entry.cause == "out of reach: more than 20 blocks since the last breakpoint"
    assert unavoidable(entry) == billed(entry) - entry.rebilled_tokens


def test_servers_without_breakpoints_keep_whatever_is_repeated():
    talk = Talk(rules=CacheRules(minimum_tokens=0, is_marked=False))
    talk.say()
    talk.change("domaindoc")
    entry = talk.say()
    assert entry.kept_tokens == sum(block.tokens for block in entry.blocks[:2])


# ---- many requests


def long_talk(**options: Any) -> Talk:
    talk = Talk(**options)
    for turn in range(60):
        if turn == 20:
            talk.change("domaindoc")
        if turn == 30:
            talk.load()
        if turn == 45:
            talk.collapse()
        talk.say("words " * 40, rounds=(1,) if turn % 3 == 0 else ())
    return talk


def test_a_long_conversation_is_billed_what_it_must_and_with_what_changes_before_it_much_more():
    ours, before = totals(long_talk().entries), totals(long_talk(volatile_in_system=True).entries)
    assert ours.ratio == 1.0
    assert sum(ours.breaks.values()) == 3
    assert sum(before.breaks.values()) == 59
    assert before.ratio > 5
    assert before.rebilled > 10 * ours.rebilled


steps = st.lists(
    st.one_of(
        st.tuples(st.just("say"), st.lists(st.sampled_from([1, 2, 9, 15]), max_size=3).map(tuple)),
        st.tuples(st.sampled_from(["change", "appear", "load", "collapse"]), st.just(())),
    ),
    min_size=2,
    max_size=14,
)


@settings(deadline=None)
@given(steps, st.booleans())
def test_the_ledger_agrees_with_the_cache_of_a_provider(script: list[tuple[str, tuple[int, ...]]], in_system: bool):
    talk = Talk(volatile_in_system=in_system)
    for what, rounds in script:
        match what:
            case "say":
                talk.say(rounds=rounds)
            case "change":
                talk.change("domaindoc")
            case "appear":
                talk.change(f"section_{next(talk.numbers)}")
            case "load":
                talk.load()
            case "collapse":
                talk.collapse()
    assert [entry.kept_bytes for entry in talk.entries] == talk.read
    for entry in talk.entries:
        total = sum(block.tokens for block in entry.blocks)
        assert entry.kept_tokens + billed(entry) == total
        assert min(entry.new_tokens, entry.tail_tokens, entry.rebilled_tokens) >= 0
        assert (entry.rebilled_tokens == 0) or entry.cause


def test_negative_control_a_ledger_that_forgets_the_look_back_would_disagree():
    talk = Talk(rules=replace(ANY_LENGTH, look_back=1000))
    talk.say(rounds=(1, 15))
    assert [entry.kept_bytes for entry in talk.entries] != talk.read
