"""An embeddings server: batches, order, deadlines, and answers that are none."""

import json
from collections.abc import Callable

import numpy as np
import pytest

from reverie.embed import embedder_of
from reverie.env.real import RealEnv
from reverie.errors import BadSettings, ModelRefused, ModelUnavailable, UnreadableReply
from reverie.ports import HttpRequest, HttpResponse
from reverie.settings import EmbedSettings

SETTINGS = EmbedSettings(provider="http", model="m", base_url="http://localhost:1/v1/", key_variable="KEY")


class Server(RealEnv):
    """Answers by a function from the texts that it is sent."""

    def __init__(self, answer: Callable[[list[str]], object], status: int = 200) -> None:
        super().__init__()
        self.answer, self.status, self.requests = answer, status, list[HttpRequest]()

    def variable(self, name: str) -> str | None:
        return {"KEY": "k-1"}.get(name)

    def http(self, request: HttpRequest) -> HttpResponse:
        self.requests.append(request)
        return HttpResponse(self.status, {}, json.dumps(self.answer(json.loads(request.body)["input"])).encode())


def lengths(texts: list[str]) -> object:
    rows = [{"index": place, "embedding": [len(text), 1.0, 0.0]} for place, text in enumerate(texts)]
    return {"data": rows[::-1]}  # a server may answer in any order


def test_batches_in_order_at_length_one() -> None:
    server = Server(lengths)
    embedder = embedder_of(SETTINGS, server)
    assert embedder is not None

    found = embedder.embed(["a", "bb", "", "dddd", *["more"] * 62])

    assert embedder.dimensions == 3
    assert embedder.name == "http-m"
    assert np.allclose(found[3], np.array([4, 1, 0]) / np.sqrt(17))
    assert not found[2].any()
    assert [len(json.loads(request.body)["input"]) for request in server.requests] == [1, 64, 1]
    assert server.requests[0].url == "http://localhost:1/v1/embeddings"
    assert server.requests[0].headers["Authorization"] == "Bearer k-1"
    assert server.requests[0].timeout_seconds == 30


@pytest.mark.parametrize(
    ("status", "error"), [(429, ModelUnavailable), (503, ModelUnavailable), (401, ModelRefused), (404, ModelRefused)]
)
def test_a_refusal_is_an_error_without_the_text(status: int, error: type[Exception]) -> None:
    embedder = embedder_of(SETTINGS, Server(lengths, status))

    with pytest.raises(error, match=str(status)) as raised:
        embedder.embed(["my secret text"])

    assert "secret" not in str(raised.value)
    assert "k-1" not in str(raised.value)


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"data": 3},
        {"data": []},
        {"data": [{"index": 0, "embedding": "x"}]},
        {"data": [{"index": 0, "embedding": [1.0, None]}]},
    ],
)
def test_an_answer_that_is_none(answer: object) -> None:
    with pytest.raises(UnreadableReply):
        embedder_of(SETTINGS, Server(lambda texts: answer)).embed(["a", "b"])


def test_settings_that_are_missing_are_named() -> None:
    with pytest.raises(BadSettings, match="base_url"):
        embedder_of(EmbedSettings(provider="http", model="m"), Server(lengths))
    with pytest.raises(BadSettings, match="OTHER"):
        embedder_of(
            EmbedSettings(provider="http", model="m", base_url="http://x/v1", key_variable="OTHER"), Server(lengths)
        ).embed(["a"])
