"""Spend is capped: reserved before each call, settled after, whatever happens to the call or to the clock."""

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reverie import errors
from reverie.models.budget import Budget, Today, budget_of, metered
from reverie.models.prices import Price, Rates
from reverie.ports import Prompt, Reply
from reverie.settings import ModelSettings
from support.model_world import NOON_MS, ModelEnv, SpendInMemory

PRICE = Price(Rates(input=1000, output=5000, cache_write=1250, cache_read=100))
PROMPT = Prompt("s" * 100, "u" * 800, max_output_tokens=100)
WORST = PRICE.at_most(PROMPT)
DAY = 86_400


class Model:
    """A model that does what it is told, once for each call."""

    name = "m"

    def __init__(self, *answers: Reply | BaseException) -> None:
        self.answers = list(answers)
        self.calls = 0

    def ask(self, prompt: Prompt) -> Reply:
        self.calls += 1
        answer = self.answers.pop(0) if self.answers else Reply("NONE", "m", 300, 10)
        if isinstance(answer, BaseException):
            raise answer
        return answer


def budget(spend: SpendInMemory, env: ModelEnv | None = None, daily: int = 10 * WORST, session: int = 10**12) -> Budget:
    return Budget(spend, env or ModelEnv(), daily, session)


def test_a_call_costs_what_it_really_used():
    spend = SpendInMemory()
    metered(Model(), PRICE, budget(spend), "s1")(PROMPT)
    assert spend.total() == 300 * 1000 + 10 * 5000


@pytest.mark.parametrize(("tokens", "cost"), [(300, 300 * 1000 + 10 * 5000), (0, WORST)], ids=["told", "not told"])
def test_a_refusal_costs_what_it_says_or_all_that_was_set_aside(tokens: int, cost: int):
    spend = SpendInMemory()
    refusal = errors.ModelRefused("no", counted=Reply("", "m", tokens, 10 if tokens else 0))
    with pytest.raises(errors.ModelRefused):
        metered(Model(refusal), PRICE, budget(spend), "s1")(PROMPT)
    assert spend.total() == cost


def test_nothing_is_asked_when_the_ceilings_are_at_their_default():
    spend, model = SpendInMemory(), Model()
    with pytest.raises(errors.OverBudget, match="daily_dollars"):
        metered(model, PRICE, budget_of(ModelSettings(), spend, ModelEnv()), "s1")(PROMPT)
    assert model.calls == 0
    assert spend.rows == {}


def test_even_a_free_model_is_not_asked_under_a_ceiling_of_nothing():
    free, model = Price(Rates(0, 0, 0, 0)), Model()
    with pytest.raises(errors.OverBudget):
        metered(model, free, budget(SpendInMemory(), daily=0), "s1")(PROMPT)
    assert model.calls == 0


@pytest.mark.parametrize(("daily", "session"), [(WORST - 1, 10**12), (10**12, WORST - 1)])
def test_a_call_that_might_exceed_a_ceiling_is_not_made(daily: int, session: int):
    spend, model = SpendInMemory(), Model()
    with pytest.raises(errors.OverBudget, match=r"0\.00\d+ dollars"):
        metered(model, PRICE, budget(spend, daily=daily, session=session), "s1")(PROMPT)
    assert model.calls == 0
    assert spend.total() == 0


def refused(daily: int, session: int, calls: int = 1) -> str:
    """What the last of so many calls of unknown outcome is told."""
    model = Model(*[errors.ModelUnavailable("timeout") for _ in range(calls)])
    ask = metered(model, PRICE, budget(SpendInMemory(), daily=daily, session=session), "s1")
    for _ in range(calls - 1):
        with pytest.raises(errors.ModelUnavailable):
            ask(PROMPT)
    with pytest.raises(errors.OverBudget) as raised:
        ask(PROMPT)
    return str(raised.value)


def test_a_refusal_names_the_ceiling_that_is_in_the_way_and_promises_nothing_of_waiting():
    by_itself = refused(daily=10 * WORST, session=WORST - 1)
    assert by_itself.endswith("; raise session_dollars in [model]")
    assert "daily_dollars" not in by_itself
    assert refused(daily=10 * WORST, session=WORST, calls=2).endswith("; raise session_dollars in [model]")
    assert refused(daily=WORST - 1, session=10 * WORST).endswith("; raise daily_dollars in [model]")
    both = refused(daily=WORST - 1, session=WORST - 1)
    assert both.endswith("; raise session_dollars in [model] and daily_dollars in [model]")


def test_only_a_day_that_is_used_up_is_worth_waiting_for():
    told = refused(daily=2 * WORST, session=10 * WORST, calls=3)
    spent = f"{2 * WORST / 10**9:.4f} dollars, of which {2 * WORST / 10**9:.4f} dollars are spent"
    assert f"daily_dollars in [model] allows {spent}" in told
    assert told.endswith("; raise daily_dollars in [model], or try again tomorrow (UTC)")
    assert "session_dollars" not in told


def test_one_session_cannot_use_up_the_day():
    spend, model = SpendInMemory(), Model(*[errors.ModelUnavailable("timeout") for _ in range(10)])
    shared = budget(spend, daily=10 * WORST, session=2 * WORST)
    ask = metered(model, PRICE, shared, "runaway")
    for _ in range(2):
        with pytest.raises(errors.ModelUnavailable):
            ask(PROMPT)
    with pytest.raises(errors.OverBudget):
        ask(PROMPT)
    model.answers.clear()
    assert metered(model, PRICE, shared, "other")(PROMPT).text == "NONE"


@pytest.mark.parametrize(
    "error",
    [
        errors.ModelUnavailable("it took too long"),
        errors.UnreadableReply("half of it"),
        errors.ModelRefused("by stop reason, after it had read everything"),
        KeyboardInterrupt(),
        MemoryError(),
    ],
)
def test_a_call_whose_outcome_is_unknown_stays_reserved_in_full(error: BaseException):
    spend = SpendInMemory()
    with pytest.raises(type(error)):
        metered(Model(error), PRICE, budget(spend), "s1")(PROMPT)
    assert spend.total() == WORST


@pytest.mark.parametrize(
    "error",
    [errors.ModelUnavailable("429", 7.0, unbilled=True), errors.ModelRefused("401", unbilled=True)],
)
def test_a_call_that_was_surely_free_costs_nothing(error: errors.ModelError):
    spend = SpendInMemory()
    with pytest.raises(type(error)):
        metered(Model(error), PRICE, budget(spend), "s1")(PROMPT)
    assert spend.total() == 0
    assert [row[3] for row in spend.rows.values()] == [True]


def test_a_server_that_ignores_the_limit_is_recorded_as_it_is_and_stops_the_day():
    spend, model = SpendInMemory(), Model(Reply("long", "m", 900, 100_000))
    ask = metered(model, PRICE, budget(spend, daily=2 * WORST), "s1")
    ask(PROMPT)
    assert spend.total() == 900 * 1000 + 100_000 * 5000
    with pytest.raises(errors.OverBudget):
        ask(PROMPT)
    assert model.calls == 1


@pytest.mark.parametrize("dollars", [-1.0, float("nan"), float("inf"), 1e9])
def test_a_ceiling_that_is_no_sum_is_refused(dollars: float):
    with pytest.raises(errors.BadSettings, match="daily_dollars"):
        budget_of(ModelSettings(daily_dollars=dollars), SpendInMemory(), ModelEnv())


# ---- the day


def spend_all(today: Budget) -> int:
    """Make calls of unknown outcome until the budget says no; says how many it allowed."""
    model = Model(*[errors.ModelUnavailable("timeout") for _ in range(100)])
    ask = metered(model, PRICE, today, "s1")
    while True:
        try:
            ask(PROMPT)
        except errors.OverBudget:
            return model.calls
        except errors.ModelUnavailable:
            pass


def test_the_next_day_has_its_own_budget():
    env, spend = ModelEnv(), SpendInMemory()
    today = budget(spend, env, daily=3 * WORST)
    assert spend_all(today) == 3
    env.pass_time(11 * 3600)
    assert spend_all(today) == 0
    env.pass_time(2 * 3600)
    assert spend_all(today) == 3


@pytest.mark.parametrize("jump_days", [-30, -1, -0.6, 365 * 10, 30, 8])
def test_a_clock_that_is_set_opens_nothing_and_the_next_day_still_comes(jump_days: float):
    env, spend = ModelEnv(), SpendInMemory()
    today = budget(spend, env, daily=3 * WORST)
    assert spend_all(today) == 3
    env.wall_ms += int(jump_days * DAY * 1000)
    assert spend_all(today) == 0
    env.wall_ms = NOON_MS
    assert spend_all(today) == 0
    env.wall_ms += int(jump_days * DAY * 1000)
    env.pass_time(DAY)
    assert spend_all(today) == 3


def test_negative_control_a_day_by_the_wall_clock_alone_is_opened_again(monkeypatch: pytest.MonkeyPatch):
    def wall_date(today: Budget) -> str:
        return datetime.fromtimestamp(today._env.now_ms() / 1000, UTC).date().isoformat()

    monkeypatch.setattr(Budget, "today", wall_date)
    env, spend = ModelEnv(), SpendInMemory()
    today = budget(spend, env, daily=3 * WORST)
    assert spend_all(today) == 3
    env.wall_ms -= 30 * DAY * 1000
    assert spend_all(today) == 3


def test_a_clock_that_flaps_for_hours_gives_one_budget():
    env, spend = ModelEnv(), SpendInMemory()
    today = budget(spend, env, daily=3 * WORST)
    allowed = 0
    for minute in range(600):
        env.wall_ms = NOON_MS + minute * 60_000 + (3650 * DAY * 1000 if minute % 2 else -30 * DAY * 1000)
        env.monotonic_seconds += 60
        allowed += spend_all(today)
    assert allowed == 3


def test_a_machine_that_slept_for_days_wakes_to_a_new_budget():
    env, spend = ModelEnv(), SpendInMemory()
    today = budget(spend, env, daily=3 * WORST)
    assert spend_all(today) == 3
    env.wall_ms += 3 * DAY * 1000  # the monotonic clock stands still while a machine sleeps
    assert spend_all(today) == 3


def test_a_process_that_starts_after_the_clock_was_set_back_goes_on_with_the_record():
    env, spend = ModelEnv(), SpendInMemory()
    assert spend_all(budget(spend, env, daily=3 * WORST)) == 3
    env.wall_ms -= 2 * DAY * 1000
    again = budget(spend, env, daily=3 * WORST)
    assert spend_all(again) == 0
    env.pass_time(DAY)
    assert spend_all(again) == 3


@pytest.mark.parametrize("days_back", [1, 6, 8, 30, 3650])
def test_a_clock_that_goes_back_opens_no_new_day_however_often_a_process_starts(days_back: int):
    env, spend = ModelEnv(wall_ms=NOON_MS + days_back * DAY * 1000), SpendInMemory()
    assert spend_all(budget(spend, env, daily=3 * WORST)) == 3
    for _ in range(3):
        env.wall_ms = NOON_MS
        again = budget(spend, env, daily=3 * WORST)
        assert spend_all(again) == 0
    env.pass_time(DAY)
    assert spend_all(again) == 3, "a process that runs on sees the next day"
    assert spend_all(budget(spend, env, daily=3 * WORST)) == 0


def test_a_process_that_has_started_before_goes_on_with_the_newest_day_of_the_record():
    env, ahead, spend = ModelEnv(), ModelEnv(wall_ms=NOON_MS + 20 * DAY * 1000), SpendInMemory()
    running = budget(spend, env, daily=3 * WORST)
    assert running.today() == "2026-11-16"
    assert spend_all(budget(spend, ahead, daily=3 * WORST)) == 3
    assert spend_all(running) == 0
    assert running.today() == "2026-12-06"


def test_a_refusal_says_that_the_clock_was_set_back():
    env, spend = ModelEnv(wall_ms=NOON_MS + 20 * DAY * 1000), SpendInMemory()
    assert spend_all(budget(spend, env, daily=3 * WORST)) == 3
    env.wall_ms = NOON_MS
    with pytest.raises(errors.OverBudget, match="set back, and spending counts for 2026-12-06") as raised:
        metered(Model(), PRICE, budget(spend, env, daily=3 * WORST), "s1")(PROMPT)
    assert "tomorrow" not in str(raised.value)


@given(st.lists(st.tuples(st.integers(-4000 * DAY, 4000 * DAY), st.integers(0, 2 * DAY)), max_size=20))
def test_days_never_go_back(moves: list[tuple[int, int]]):
    env = ModelEnv()
    today = Today(env, None)
    dates = [today.date()]
    for wall, monotonic in moves:
        env.wall_ms = max(0, env.wall_ms + wall * 1000)
        env.monotonic_seconds += monotonic
        dates.append(today.date())
    assert dates == sorted(dates)


outcomes = st.one_of(
    st.tuples(st.integers(0, 900), st.integers(0, 100)).map(lambda used: Reply("x", "m", *used)),
    st.sampled_from(
        [
            lambda: errors.ModelUnavailable("timeout"),
            lambda: errors.ModelUnavailable("429", unbilled=True),
            lambda: errors.UnreadableReply("html"),
            lambda: errors.ModelRefused("400", unbilled=True),
        ]
    ),
)


@settings(max_examples=200)
@given(st.lists(outcomes, max_size=30), st.integers(0, 8), st.integers(0, 8))
def test_whatever_happens_spending_stays_under_both_ceilings(
    answers: list[Reply | Callable[[], errors.ModelError]], daily: int, session: int
):
    spend = SpendInMemory()
    model = Model(*[answer if isinstance(answer, Reply) else answer() for answer in answers])
    shared = budget(spend, daily=daily * WORST, session=session * WORST)
    for number in range(len(answers)):
        with suppress(errors.ModelError):
            metered(model, PRICE, shared, f"s{number % 2}")(PROMPT)
        assert spend.total() <= daily * WORST
        for name in ("s0", "s1"):
            assert sum(row[2] for row in spend.rows.values() if row[1] == name) <= session * WORST
