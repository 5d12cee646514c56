"""What it costs to distil a session of 20 tool calls with a model, at the listed prices of Claude Haiku 4.5."""

import math
import random
import re
from importlib.resources import files

import pytest

from reverie.distil.ask import TurnView, affordable_prompt, extraction_prompt
from reverie.models.prices import nanodollars, price_of
from reverie.ports import Prompt, Reply
from reverie.records import Observation, Turn
from reverie.settings import ModelSettings
from support.model_world import assistant, tool_call, turn_of, user

CENT = 10**7  # nanodollars
LINES_PER_SESSION = 8  # two for each of four turns; more than most sessions teach
PRICE = price_of(ModelSettings(name="claude-haiku-4-5"))

PRICES = files("reverie.models").joinpath("prices.toml").read_text(encoding="utf-8")

PIECES = re.compile(r"[A-Za-z]+|\d+|[^\sA-Za-z\d]")


# On these very prompts the count by pieces was 0.86 to 0.90 of that of a tokenizer with a small vocabulary (32,000), and
# newer tokenizers are not worse than that one.
PESSIMISM = 1 / 0.86


def tokens(text: str) -> int:
    """How many tokens a text has at most, by pieces (DESIGN.md, section 8)."""
    total = 0
    for piece in PIECES.findall(text):
        total += math.ceil(len(piece) / (8 if piece.isalpha() else 3)) if piece.isascii() and piece.isalnum() else 1
    return round(total * PESSIMISM)


def result(chance: random.Random, place: int) -> str:
    """2 to 4 KB of what tools answer: code, a test run, a listing, JSON."""
    kinds = [
        lambda n: (
            f"    def handle_{n}(self, request: Request) -> Response:\n        return self.store.get(request.key_{n}, {n})\n"
        ),
        lambda n: f"tests/test_login.py::test_case_{n} PASSED                                   [{n % 100:3d}%]\n",
        lambda n: f"-rw-r--r-- 1 dev dev {n * 37:6d} Nov 16 12:{n % 60:02d} src/app/components/widget_{n}.tsx\n",
        lambda n: f'{{"id": {n}, "name": "customer-{n}", "active": true, "score": 0.{n:03d}}},\n',
    ]
    size, make = chance.randint(2000, 4000), kinds[place % len(kinds)]
    text = ""
    while len(text) < size:
        text += make(chance.randint(1, 999))
    return text


def session(turns: int) -> list[Turn]:
    """20 tool calls over so many turns, each with a person's message and a reply."""
    chance = random.Random(20)
    seen: list[Observation] = []
    found: list[Turn] = []
    for number in range(turns):
        items = [
            user("Please make the login lock the account after three failed tries, and keep the tests green. " * 2)
        ]
        for _ in range(20 // turns):
            given = {"command": f"cd /srv/app && pnpm test --filter login-{chance.randint(1, 99)}", "timeout": 120_000}
            items.append(tool_call("Bash", given, result(chance, len(seen) + len(items)), len(items)))
        items.append(assistant("The lock now starts at the third failed try; all 42 tests pass. I also moved " * 6))
        found.append(turn_of(*items, before=tuple(seen[-10:]), number=number))
        seen += items
    return found


def cost(prompt: Prompt, lines: float) -> int:
    line = (
        "PREFERENCE [o12] (0.85) {subject=commit messages}: Write commit messages in the imperative and name the ticket"
    )
    return PRICE.of(Reply("", "m", tokens(prompt.system) + tokens(prompt.user), round(lines * tokens(line))))


@pytest.mark.parametrize("turns", [1, 2, 4])
def test_a_session_of_twenty_tool_calls_costs_at_most_a_cent(turns: int, capsys: pytest.CaptureFixture[str]):
    prompts = [extraction_prompt(turn, TurnView(), 700) for turn in session(turns)]
    total = sum(cost(prompt, LINES_PER_SESSION / turns) for prompt in prompts if prompt)
    with capsys.disabled():
        print(f"\n20 tool calls in {turns} turns, Claude Haiku 4.5: {total / 10**9:.4f} dollars")
    assert total <= CENT


@pytest.mark.parametrize("name", re.findall(r'(?m)^name = "(.+)"', PRICES))
def test_every_listed_model_can_be_asked_about_the_largest_turn_under_the_default_ceilings(name: str):
    settings = ModelSettings(provider="openai" if name.startswith("gpt") else "anthropic", name=name, daily_dollars=1.0)
    price, most = price_of(settings), nanodollars(settings.session_dollars)
    calls = [tool_call("Bash", {"command": "make " * 2000}, "All is well. " * 2000, place) for place in range(3, 500)]
    longest = turn_of(user("So be it. " * 5000), *calls, assistant("It is so. " * 5000), before=tuple(calls[:10]))
    prompt = affordable_prompt(longest, TurnView(), 700, lambda question: price.at_most(question) <= most)
    assert prompt is not None
    assert price.at_most(prompt) <= most


def test_even_with_one_repair_it_stays_within_two_cents():
    (prompt,) = (extraction_prompt(turn, TurnView(), 700) for turn in session(1))
    assert prompt is not None
    assert 2 * cost(prompt, LINES_PER_SESSION) <= 2 * CENT
