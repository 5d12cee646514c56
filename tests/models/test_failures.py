"""Every way a model can fail, in three places: nothing is lost, no junk is learned, and the budget holds.

The places are the first call about a turn, the repair call after a reply that could not be read, and the call about a
later turn. Each runs against a real server on loopback, in both wire protocols, through everything that a call goes
through: prompt, budget, HTTP, wire, parser.
"""

import re
import traceback
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from reverie import errors
from reverie.distil.ask import TurnView
from reverie.distil.extract import Extraction, extract_with_model, replay
from reverie.models.budget import Budget, metered
from reverie.models.prices import price_of
from reverie.models.remote import connect
from reverie.records import LearningType, Turn
from reverie.settings import ModelSettings
from support.model_server import BAD_TEXTS, FAULTS, ModelServer, Say
from support.model_world import ModelEnv, SpendInMemory, turn_of, user

KEY = "sk-test-0123456789abcdef"
TIMEOUT = 0.6  # for a first answer that never comes
LATER_TIMEOUT = 2.0  # for a later one: a busy machine needs some of it for the answer before
PATIENCE = 60.0  # for answers that come
CEILING = 10**9  # a dollar: only what the calls really need is counted against it
GOOD = "PREFERENCE [o1] (0.9) {subject=indentation}: Indent with tabs"
UNREADABLE = "Well, where to begin?"
TURN = turn_of(user("Please indent with tabs, always."))
EARLIER = turn_of(user("The staging port is 8443.", place=7), number=0)


@dataclass
class Run:
    """A server, and everything between it and an extraction."""

    server: ModelServer
    spend: SpendInMemory
    extract: Callable[[Turn], Extraction]

    def charged(self, input_price: int = 1000, output_price: int = 5000) -> int:
        return sum(into * input_price + out * output_price for into, out in self.server.charged_tokens)


def timeout_for(name: str = "", place: str = "", **_: object) -> float:
    if name in FAULTS and FAULTS[name].is_slow:
        return TIMEOUT if place == "first call" else LATER_TIMEOUT
    return PATIENCE


@pytest.fixture(params=["anthropic", "openai"])
def run(request: pytest.FixtureRequest):
    with ModelServer() as server:
        timeout = timeout_for(**request.node.callspec.params)
        chosen = ModelSettings(provider=request.param, base_url=server.url, timeout_seconds=timeout, key_variable="KEY")
        env, spend = ModelEnv({"KEY": KEY}), SpendInMemory()
        model, price = connect(chosen, env), price_of(chosen)
        assert model is not None
        ask = metered(model, price, Budget(spend, env, CEILING, CEILING), "s1")
        yield Run(server, spend, lambda turn: extract_with_model(turn, ask, price.of, TurnView(), 700))


def scripts(name: str) -> dict[str, list[str | Say]]:
    """What the server does, by place. Words that could be repaired are said again to the repair."""
    again = BAD_TEXTS.get(name, (None, None))[1]
    fault: list[str | Say] = [name] if again is None else [again]
    return {
        "first call": fault * (2 if again and not is_final(name) else 1),
        "repair call": [Say(UNREADABLE), *fault],
        "later turn": [
            Say("FACT [o1] (0.8): The staging port is 8443"),
            *fault * (2 if again and not is_final(name) else 1),
        ],
    }


def is_final(name: str) -> bool:
    """Whether the fault ends the extraction at once, without a repair."""
    return name in FAULTS or name == "apology"


# What has nothing to do with the question: in the background it is waited for, in a conversation a person mends it.
WAITED_FOR = {
    *("401", "403", "404", "307", "799"),
    *("half json", "random bytes", "gzip", "no body", "login page", "json error", "json list", "deep json"),
    "no content",
}


def expected(name: str) -> str:
    if name in WAITED_FOR:
        return "ModelUnavailable"
    return FAULTS[name].error if name in FAULTS else BAD_TEXTS[name][0]


def test_there_are_more_than_thirty_kinds():
    assert len(FAULTS) + len(BAD_TEXTS) >= 50


@pytest.mark.parametrize("place", ["first call", "repair call", "later turn"])
@pytest.mark.parametrize("name", [*FAULTS, *BAD_TEXTS])
def test_a_failure_is_named_learns_nothing_leaks_nothing_and_costs_what_it_may(name: str, place: str, run: Run):
    run.server.script(*scripts(name)[place])
    learned = list(run.extract(EARLIER).learnings) if place == "later turn" else []

    with pytest.raises(errors.ModelError) as raised:
        run.extract(TURN)

    assert type(raised.value).__name__ == expected(name)
    assert [learning.text for learning in learned] == ["The staging port is 8443"] * (place == "later turn")
    assert ("too long" in str(raised.value)) == (name in FAULTS and FAULTS[name].is_slow)
    shown = "".join(traceback.format_exception(raised.value)) + repr(raised.value.__context__)
    assert KEY not in shown
    assert run.charged() <= run.spend.total() <= CEILING

    # The server is well again: the turn is still there, and teaches what it teaches.
    run.server.script(GOOD)
    extraction = run.extract(TURN)
    assert [(learning.type, learning.text) for learning in extraction.learnings] == [
        (LearningType.PREFERENCE, "Indent with tabs")
    ]
    assert replay(TURN, extraction.replies) == extraction.learnings
    assert run.charged() <= run.spend.total() <= CEILING


@pytest.mark.parametrize("name", [name for name, fault in FAULTS.items() if fault.is_free])
def test_what_no_provider_charges_for_costs_nothing(name: str, run: Run):
    run.server.script(name)
    with pytest.raises(errors.ModelError):
        run.extract(TURN)
    assert run.spend.total() == 0


def test_negative_control_settling_every_failure_at_nothing_would_lose_count(run: Run):
    run.server.script("hang up")
    with pytest.raises(errors.ModelUnavailable):
        run.extract(TURN)
    for reservation in run.spend.rows:
        run.spend.settle(reservation, 0)
    assert run.charged() > run.spend.total()


def test_negative_control_the_pattern_of_a_line_alone_would_store_an_apology():
    line = re.compile(r"^(FACT|PATTERN|CORRECTION|PREFERENCE|ACTION):\s*(.+)$", re.MULTILINE)
    assert [text for _, text in line.findall("FACT: I'm sorry, but I can't help.")] == ["I'm sorry, but I can't help."]


def test_a_wait_that_the_server_asks_for_is_passed_on(run: Run):
    run.server.script("429")
    with pytest.raises(errors.ModelUnavailable) as raised:
        run.extract(TURN)
    assert raised.value.retry_after_seconds == 7


def test_a_model_that_fails_for_ever_stops_at_the_ceiling(run: Run):
    run.server.script(*["hang up"] * 300)
    calls = 0
    with pytest.raises(errors.OverBudget):  # noqa: PT012
        while calls < 300:
            try:
                run.extract(TURN)
            except errors.ModelUnavailable:
                calls += 1
    assert 0 < calls == len(run.server.received)
    assert run.charged() <= run.spend.total() <= CEILING


def test_a_cut_reply_keeps_its_whole_lines(run: Run):
    run.server.script(Say(f"{GOOD}\nACTION [o1] (0.8): Delete all", end="limit"))
    extraction = run.extract(TURN)
    assert [learning.text for learning in extraction.learnings] == ["Indent with tabs"]
    assert replay(TURN, extraction.replies) == extraction.learnings


def test_a_repair_that_works_gives_the_learnings_and_logs_both_replies(run: Run):
    run.server.script(Say(UNREADABLE), GOOD)
    extraction = run.extract(TURN)
    assert [learning.text for learning in extraction.learnings] == ["Indent with tabs"]
    assert [reply.purpose for reply in extraction.replies] == ["extract", "repair"]
    assert sum(reply.nanodollars for reply in extraction.replies) == run.spend.total() == run.charged()
    assert replay(TURN, extraction.replies) == extraction.learnings
