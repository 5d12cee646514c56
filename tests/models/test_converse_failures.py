"""Every way a model can fail, in a conversation: the failure is named, leaks nothing, and costs what it may."""

import traceback
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from reverie import errors
from reverie.models.budget import Budget, MeteredConverser
from reverie.models.converse import connect_converser
from reverie.models.prices import price_of
from reverie.records.conversation_values import Converser, Message, Request, Role
from reverie.settings import ModelSettings
from reverie.window.render import RENDERERS
from support.model_server import FAULTS, ModelServer, Say
from support.model_world import ModelEnv, SpendInMemory

KEY = "sk-test-0123456789abcdef"
TIMEOUT = 2.0  # for an answer that never comes, and the one after it
PATIENCE = 60.0  # for answers that come
CEILING = 10**9
REQUEST = Request(cached="<base/>", tail="<now/>", messages=(Message(role=Role.USER, text="hello"),))


@dataclass
class Run:
    server: ModelServer
    spend: SpendInMemory
    model: Converser

    def charged(self) -> int:
        return sum(into * 1000 + out * 5000 for into, out in self.server.charged_tokens)


@pytest.fixture(params=["anthropic", "openai"])
def run(request: pytest.FixtureRequest) -> Iterator[Run]:
    with ModelServer() as server:
        fault = FAULTS.get(str(request.node.callspec.params.get("name")))
        timeout = TIMEOUT if fault and fault.is_slow else PATIENCE
        chosen = ModelSettings(provider=request.param, base_url=server.url, timeout_seconds=timeout, key_variable="KEY")
        env, spend = ModelEnv({"KEY": KEY}), SpendInMemory()
        model = connect_converser(chosen, env, RENDERERS)
        assert model is not None
        yield Run(server, spend, MeteredConverser(model, price_of(chosen), Budget(spend, env, CEILING, CEILING), "s1"))


@pytest.mark.parametrize("name", FAULTS)
def test_a_failure_is_named_leaks_nothing_and_costs_what_it_may(name: str, run: Run):
    run.server.script(name)
    heard: list[str] = []
    with pytest.raises(errors.ModelError) as raised:
        run.model.converse(REQUEST, heard.append)
    assert type(raised.value).__name__ == FAULTS[name].error
    assert ("too long" in str(raised.value)) == FAULTS[name].is_slow
    shown = "".join(traceback.format_exception(raised.value)) + repr(raised.value.__context__)
    assert KEY not in shown
    assert heard == []
    assert run.charged() <= run.spend.total() <= CEILING
    assert (run.spend.total() == 0) == FAULTS[name].is_free

    # The server is well again.
    run.server.script(Say("good morning"))
    assert run.model.converse(REQUEST).text == "good morning"


def test_a_wait_that_the_server_asks_for_is_passed_on(run: Run):
    run.server.script("429")
    with pytest.raises(errors.ModelUnavailable) as raised:
        run.model.converse(REQUEST)
    assert raised.value.retry_after_seconds == 7


def test_negative_control_settling_every_failure_at_nothing_would_lose_count(run: Run):
    run.server.script("hang up")
    with pytest.raises(errors.ModelUnavailable):
        run.model.converse(REQUEST)
    for reservation in run.spend.rows:
        run.spend.settle(reservation, 0)
    assert run.charged() > run.spend.total()
