"""A model's name -> its `Price`, from the table in `prices.toml` or from the settings.

Money is in whole nanodollars everywhere (a dollar is 10**9): a dollar per million tokens is 1,000 nanodollars a token,
so every listed price is a whole number and no sum is ever rounded.
"""

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from functools import cache
from importlib.resources import files
from typing import Any

from reverie.errors import BadSettings
from reverie.ports import Prompt, Reply
from reverie.records import JSON
from reverie.records.conversation_values import Request, Said
from reverie.settings import ModelSettings

# A listed name also covers its dated versions and nothing else. A plain longest prefix would price gpt-5-pro as gpt-5.
_SAME_MODEL = re.compile(r"(-\d{8}|-\d{4}-\d{2}-\d{2}|@\d{8}|-latest|:latest)?")

# What a provider's own frame around the two texts may add: role marks and separators.
_FRAME_TOKENS = 100

# What a provider tells a model about tools in general, once there are any; listed as up to 530 tokens.
_TOOL_TOKENS = 1000

_CACHED_FROM = 1024


@dataclass(frozen=True, slots=True)
class Rates:
    """Nanodollars per token."""

    input: int
    output: int
    cache_write: int
    cache_read: int


@dataclass(frozen=True, slots=True)
class Price:
    """The price of a model. Prompts over `above_input_tokens` are charged by other rates, where it has such.

    The Messages API writes to its cache where a request marks it, and bills that; others may do so unasked.
    """

    rates: Rates
    above_input_tokens: int = 0
    above: Rates | None = None
    caches_unasked: bool = True

    def of(self, reply: Reply | Said) -> int:
        """Compute the cost of a reply in nanodollars."""
        asked = reply.input_tokens + reply.cache_write_tokens + reply.cache_read_tokens
        rates = self._for(asked)
        return (
            reply.input_tokens * rates.input
            + reply.output_tokens * rates.output
            + reply.cache_write_tokens * rates.cache_write
            + reply.cache_read_tokens * rates.cache_read
        )

    def at_most(self, prompt: Prompt) -> int:
        """More than a prompt can cost, in nanodollars: what is set aside before the call.

        A token of any byte-level tokenizer stands for at least one byte, so the number of bytes is a bound that no
        text can break. Typical text has 3 to 4 bytes a token, hostile text (rare scripts, random punctuation) close to
        one: a guess of half the bytes would be wrong just when somebody wants it to be. The difference comes back when
        the call is settled, so all it needs is room under the ceiling for the length of one call. No prompt asks for a
        cache.
        """
        tokens = len(prompt.system.encode("utf-8", "replace")) + len(prompt.user.encode("utf-8", "replace"))
        return self._at_most(tokens + _FRAME_TOKENS, prompt.max_output_tokens, may_cache=self.caches_unasked)

    def at_most_for(self, request: Request) -> int:
        """The same for a request in a conversation, with its messages, calls and tools; it does ask for a cache."""
        words = [request.cached, request.system, request.tail, *(message.text for message in request.messages)]
        values: list[JSON] = [
            [call.id, call.name, call.input] for message in request.messages for call in message.tool_calls
        ]
        values += [[tool.name, tool.description, dict(tool.input_schema)] for tool in request.tools]
        words += [json.dumps(value, default=str) for value in values]
        tokens = sum(len(text.encode("utf-8", "replace")) + _FRAME_TOKENS for text in words)
        return self._at_most(tokens + (_TOOL_TOKENS if request.tools else 0), request.max_output_tokens, may_cache=True)

    def _at_most(self, input_tokens: int, output_tokens: int, *, may_cache: bool) -> int:
        rates = self._for(input_tokens)
        dearest = max(rates.input, rates.cache_write) if may_cache else rates.input
        return input_tokens * dearest + output_tokens * rates.output

    def _for(self, input_tokens: int) -> Rates:
        return self.above if self.above and input_tokens > self.above_input_tokens else self.rates


def price_of(settings: ModelSettings) -> Price:
    """The price of the model that the settings name: their own figures first, then the table."""
    given = settings.input_dollars_per_million, settings.output_dollars_per_million
    caches_unasked = settings.provider == "openai"
    if given != (-1.0, -1.0):
        if not all(0 <= dollars < 1_000_000 for dollars in given):
            raise BadSettings(f"input_ and output_dollars_per_million are {given}; set both, to 0 or more")
        into, out = (_per_token(Decimal(str(dollars))) for dollars in given)
        rates = Rates(input=into, output=out, cache_write=into + into // 4, cache_read=into)
        return Price(rates, caches_unasked=caches_unasked)
    row = _row(settings.name)
    if row is None:
        raise BadSettings(
            f'no price is known for the model "{settings.name}", so nothing would limit what it spends; set '
            "input_dollars_per_million and output_dollars_per_million in [model] (0 for a model of your own)"
        )
    above = _rates(row["above"]) if "above" in row else None
    return Price(_rates(row), int(row.get("above_input_tokens", 0)), above, caches_unasked)


def request_extras(model: str) -> Mapping[str, JSON]:
    """Return the fields that the table adds to a request to this model."""
    row = _row(model)
    extras: Mapping[str, JSON] = row.get("request", {}) if row else {}
    return extras


def cached_from(model: str) -> int:
    """Return the tokens that a prefix needs to be cached by this model's provider.

    >>> cached_from("claude-haiku-4-5-20251001"), cached_from("a-model-of-your-own")
    (4096, 1024)
    """
    row = _row(model)
    return int(row.get("cached_from", _CACHED_FROM)) if row else _CACHED_FROM


def nanodollars(dollars: float) -> int:
    """A sum from the settings.

    >>> nanodollars(0.05)
    50000000
    """
    return int(Decimal(str(dollars)) * 10**9)


def _row(model: str) -> Mapping[str, Any] | None:
    same = (row for row in _table() if model.startswith(row["name"]))
    return next((row for row in same if _SAME_MODEL.fullmatch(model.removeprefix(row["name"]))), None)


@cache
def _table() -> list[Mapping[str, Any]]:
    text = files("reverie.models").joinpath("prices.toml").read_text(encoding="utf-8")
    rows: list[Mapping[str, Any]] = tomllib.loads(text, parse_float=Decimal)["model"]
    return rows


def _rates(row: Mapping[str, Any]) -> Rates:
    return Rates(**{name: _per_token(row[name]) for name in ("input", "output", "cache_write", "cache_read")})


def _per_token(dollars_per_million: Decimal) -> int:
    """Nanodollars per token, rounded up: we may think a model dearer than it is, never cheaper."""
    return int((dollars_per_million * 1000).to_integral_value(ROUND_CEILING))
