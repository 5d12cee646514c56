"""What replies cost, and that nothing can cost more than was set aside."""

import re
import tomllib
from dataclasses import replace
from datetime import date
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie import errors
from reverie.models.prices import Price, Rates, price_of, request_extras
from reverie.ports import Prompt, Reply
from reverie.records.conversation_values import Request
from reverie.settings import ModelSettings

HAIKU = price_of(ModelSettings(name="claude-haiku-4-5"))


def named(name: str) -> Price:
    return price_of(ModelSettings(name=name))


def test_a_reply_costs_each_kind_of_token_at_its_own_price():
    reply = Reply("", "claude-haiku-4-5", 1_000, 100, cache_read_tokens=10_000, cache_write_tokens=400)
    # 1,000 x 1.00 + 100 x 5.00 + 10,000 x 0.10 + 400 x 1.25 dollars per million
    assert HAIKU.of(reply) == 1_000_000 + 500_000 + 1_000_000 + 500_000


@pytest.mark.parametrize(
    ("name", "rates"),
    [
        ("claude-haiku-4-5", (1000, 5000, 1250, 100)),
        ("claude-haiku-4-5-20251001", (1000, 5000, 1250, 100)),
        ("claude-sonnet-4-5@20250929", (3000, 15000, 3750, 300)),
        ("claude-opus-4-5-20251101", (5000, 25000, 6250, 500)),
        ("claude-sonnet-5-5", (2000, 10000, 2500, 200)),
        ("gpt-5-nano-2025-08-07", (50, 400, 50, 5)),
        ("gpt-4o-mini", (150, 600, 150, 75)),
    ],
)
def test_a_listed_name_covers_its_dated_versions(name: str, rates: tuple[int, ...]):
    assert named(name).rates == Rates(*rates)


@pytest.mark.parametrize("name", ["gpt-5-mini-pro", "claude-opus-5-9", "claude-haiku-4-50", "gpt-5", "llama3.2", ""])
def test_a_model_without_a_price_is_refused_with_the_way_out(name: str):
    with pytest.raises(errors.BadSettings, match="input_dollars_per_million"):
        named(name)


def test_the_settings_can_price_any_model():
    mine = ModelSettings(name="llama3.2", input_dollars_per_million=0.0, output_dollars_per_million=0.0)
    assert price_of(mine).of(Reply("", "llama3.2", 5000, 5000)) == 0
    dear = ModelSettings(name="x", input_dollars_per_million=0.0001, output_dollars_per_million=2.5)
    assert price_of(dear).rates.input == 1  # rounded up, never down to nothing
    assert price_of(dear).rates.output == 2500


@pytest.mark.parametrize("given", [(1.0, -1.0), (-1.0, 2.0), (float("nan"), 1.0), (float("inf"), 1.0), (-3.0, -3.0)])
def test_half_a_price_is_none(given: tuple[float, float]):
    half = ModelSettings(input_dollars_per_million=given[0], output_dollars_per_million=given[1])
    with pytest.raises(errors.BadSettings, match="set both"):
        price_of(half)


def test_a_long_prompt_is_charged_by_the_long_prices_as_a_whole():
    price = named("claude-haiku-5-5")
    assert price.of(Reply("", "m", 100_000, 10)) == 100_000 * 100 + 10 * 500
    assert price.of(Reply("", "m", 100_001, 10)) == 100_001 * 500 + 10 * 2500


@given(system=st.text(), user=st.text(max_size=5000), output=st.integers(0, 4000), written=st.integers(0, 5000))
def test_no_tokenizer_can_make_a_prompt_dearer_than_what_is_set_aside(
    system: str, user: str, output: int, written: int
):
    prompt = Prompt(system, user, max_output_tokens=output)
    tokens = len((system + user).encode("utf-8", "replace"))  # the worst that a byte-level tokenizer can do
    for name in ("claude-haiku-4-5", "claude-haiku-5-5", "gpt-6-luna"):
        marked, unasked = (price_of(ModelSettings(provider=it, name=name)) for it in ("anthropic", "openai"))
        assert marked.of(Reply("", "m", tokens, output)) <= marked.at_most(prompt)
        cached = min(written, tokens)
        worst = Reply("", "m", tokens - cached, output, cache_write_tokens=cached)
        assert unasked.of(worst) <= unasked.at_most(prompt)


def test_a_cache_that_nobody_asked_for_is_not_set_aside():
    prompt = Prompt("", "", max_output_tokens=0)
    hundred_bytes_more = replace(prompt, user="x" * 100)
    price = price_of(ModelSettings(provider="anthropic"))
    assert price.at_most(hundred_bytes_more) - price.at_most(prompt) == 100 * price.rates.input


def test_a_conversation_whose_prefix_is_cached_is_set_aside_at_what_the_cache_costs():
    price = price_of(ModelSettings(provider="anthropic"))
    with_cache = Request(cached="x" * 1000, messages=(), max_output_tokens=0)
    assert price.at_most_for(with_cache) >= 1000 * price.rates.cache_write


def test_every_row_of_the_table_is_complete_exact_and_dated():
    rows = tomllib.loads(files("reverie.models").joinpath("prices.toml").read_text())["model"]
    assert len({row["name"] for row in rows}) == len(rows) >= 15
    for row in rows:
        assert isinstance(row["as_of"], date)
        rates = named(row["name"]).rates
        for kind in ("input", "output", "cache_write", "cache_read"):
            assert getattr(rates, kind) == pytest.approx(row[kind] * 1000)
        assert rates.cache_read <= rates.input <= rates.cache_write <= rates.output
        assert re.fullmatch(r"[a-z0-9.-]+", row["name"])


def test_models_that_would_think_at_length_are_told_not_to():
    assert request_extras("gpt-5-mini-2025-08-07") == {"reasoning_effort": "minimal"}
    assert request_extras("claude-haiku-4-5") == {}
    assert request_extras("unknown") == {}
