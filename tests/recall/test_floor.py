"""How well an answer is founded, and the floor below which every way to ask says that nothing is known."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from reverie import Memory
from reverie.continuum.surfaced_memories import surface
from reverie.records.conversation_values import Message, Role
from reverie.settings import EmbedSettings, RecallSettings, Settings
from reverie.testing import FakeEnv

KNOWN = (
    "The staging database is Postgres 14 on port 5433.",
    "We deploy on Tuesdays and Thursdays, never on Fridays.",
    "Coupons expire at midnight Berlin time.",
    "Ana owns the billing worker, ask her before you touch it.",
    "订单数据库的端口是5433。",
)
FOUNDED = (
    "Which port is the staging database on?",
    "When do coupons expire?",
    "Who owns the billing worker?",
    "Deploy the billing worker today",
    "订单数据库的端口是多少？",
)
UNFOUNDED = (
    "Which violin did my sister sell in Lisbon?",
    "run the tests again",
    "ok, go on",
    "rename it to useBasket",
    "Write a haiku about the sea in winter",
    "mach bitte weiter",
    "天气怎么样？",
)


@pytest.fixture(scope="module", params=["static", "none"])
def memory(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    settings = replace(Settings(), embed=EmbedSettings(provider=request.param))
    with Memory.open(tmp_path_factory.mktemp("floor") / "home", env=FakeEnv(), settings=settings) as memory:
        memory.observe({"text": text, "session": f"s{number}"} for number, text in enumerate(KNOWN))
        memory.maintenance.refresh_index()
        yield memory


@pytest.mark.parametrize("prompt", FOUNDED)
def test_what_is_known_is_told(memory: Memory, prompt: str) -> None:
    found = memory.assemble_context(prompt, 400)
    memory.commit()

    assert found.founded >= memory.settings.recall.floor
    assert "telling words stand in one memory of" in found.reason
    assert found.items
    assert memory.search(prompt)


@pytest.mark.parametrize("prompt", UNFOUNDED)
def test_where_nothing_is_known_every_way_to_ask_is_silent(memory: Memory, prompt: str) -> None:
    found = memory.assemble_context(prompt, 400)
    surfaced, _ = surface(memory.parts.for_conversations, Message(role=Role.USER, text=prompt, id="m", segment_id="s"))
    memory.commit()

    assert (found.text, found.items, surfaced) == ("", (), [])
    assert found.founded < memory.settings.recall.floor
    assert found.reason
    assert memory.search(prompt) == []


def test_everything_shows_what_comes_nearest(memory: Memory) -> None:
    prompt = "Which port is the violin on?"

    assert memory.search(prompt) == []
    assert memory.search(prompt, everything=True)
    assert memory.assemble_context(prompt, 400, everything=True).items
    memory.commit()


def test_whoever_searches_for_a_word_means_it(memory: Memory) -> None:
    assert memory.search("coupons")[0].text == KNOWN[2]
    assert memory.search("time")[0].text == KNOWN[2], 'as common a word as "time"'
    assert memory.assemble_context("time", 400).items == ()
    memory.commit()


def test_explain_says_how_well_an_answer_was_founded(memory: Memory) -> None:
    turn = memory.assemble_context("Which port is the staging database on?", 400).turn
    memory.commit()

    assert any(line.startswith("founded ") for line in memory.explain(turn).why())
    assert any("has words of the question" in line for line in memory.explain(turn).why())


def test_a_floor_of_zero_tells_the_nearest(tmp_path_factory: pytest.TempPathFactory) -> None:
    settings = replace(Settings(), recall=RecallSettings(floor=0.0))
    with Memory.open(tmp_path_factory.mktemp("zero") / "home", env=FakeEnv(), settings=settings) as memory:
        memory.observe(KNOWN)

        assert memory.assemble_context("Which port is the violin on?", 400).items
