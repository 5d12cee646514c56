"""A model that fails and comes back, the whole way: no turn is lost, none is learned twice, and the money is right.

The steward's own loop is played on a clock that is set by hand: ask, wait as long as the backoff says, ask again.
"""

import json
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from reverie.errors import ModelUnavailable
from reverie.inbox.worker import Worker, describe
from reverie.memory import Memory
from reverie.models.prices import price_of
from reverie.ports import HttpRequest, HttpResponse, Reply
from reverie.records import Stage, Work
from reverie.settings import ModelSettings, Settings
from reverie.testing import FakeEnv

HOUR = 3600.0
LESSON = "Staging runs behind a proxy of the hosting company"  # the rules do not find it
GOOD = f"FACT [o1] (0.9): {LESSON}"
BAD = "Well, where to begin?"
MODEL = ModelSettings(provider="anthropic", daily_dollars=100.0, session_dollars=100.0, key_variable="KEY")
ONE_REPLY = price_of(MODEL).of(Reply("", "m", input_tokens=900, output_tokens=40))

Answer = HttpResponse | BaseException
Server = Callable[[HttpRequest], Answer]


def says(text: str, **changes: Any) -> HttpResponse:
    usage = {"input_tokens": 900, "output_tokens": 40}
    whole = {"model": "m", "content": [{"type": "text", "text": text}], "stop_reason": "end_turn", "usage": usage}
    return HttpResponse(200, {}, json.dumps({**whole, **changes}).encode())


def status(code: int, body: str = '{"error": {"message": "no"}}', **headers: str) -> HttpResponse:
    return HttpResponse(code, {name.replace("_", "-"): value for name, value in headers.items()}, body.encode())


class ServedEnv(FakeEnv):
    """A fake environment with a server at the other end, and a list of when it was asked."""

    def __init__(self, *answers: Answer) -> None:
        super().__init__(seed=7, variables={"KEY": "-".join(["sk", "test", "0123456789abcdef"])})
        self.asked: list[float] = []
        self.serve: Server = lambda _: answers[min(len(self.asked), len(answers)) - 1]

    def http(self, request: HttpRequest) -> HttpResponse:
        self.asked.append(self.monotonic())
        answer = self.serve(request)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    @property
    def waits(self) -> list[float]:
        return [later - earlier for earlier, later in pairwise(self.asked)]


def opened(home: Path, env: FakeEnv, model: ModelSettings = MODEL) -> Memory:
    return Memory.open(home, env=env, settings=Settings(model=model))


def take_in(memory: Memory, turns: Iterable[str] = ("s1",)) -> None:
    for session in turns:
        memory.observe(f"The staging port of {session} is 8443.", session=session, kind="user_message")
        memory.engine.log.close_turn(session)
    memory.parts.background.distil()


def run_steward(memory: Memory, env: FakeEnv, seconds: float) -> None:
    """As Steward._ask_models does it, without looking in vain in between."""
    until = env.monotonic() + seconds
    while (left := until - env.monotonic()) > 0:
        outcome = memory.parts.background.ask_model()
        if outcome.errors:
            env.pass_time(memory.parts.background.model_backoff_seconds)
        elif not outcome:
            ready = memory.engine.inbox.next_ready_ms(Stage.MODEL)
            env.pass_time(left if ready is None else min(left, max(0.5, (ready - env.now_ms()) / 1000)))


def model_work(memory: Memory) -> list[Work]:
    states = ["pending", "leased", "done", "skipped", "dead"]
    return [it for it in memory.engine.inbox.listing(states) if it.stage is Stage.MODEL]


def learned(memory: Memory) -> list[str]:
    return [it.text for it in memory.engine.learnings.all() if it.origin == "m"]


def spent(memory: Memory) -> int:
    return int(memory.engine.database.value("SELECT coalesce(sum(nanodollars), 0) FROM spend"))


FREE: dict[str, Answer] = {
    "wrong key": status(401),
    "forbidden": status(403),
    "no such model": status(404),
    "no money": status(402),
    "no money, in words": status(400, '{"error": {"message": "Your credit balance is too low"}}'),
    "wrong key, in words": status(400, '{"error": {"message": "API key not valid", "code": 400}}'),
    "wrong method": status(405, "<html>Method Not Allowed</html>"),
    "TLS port": status(400, "<html>The plain HTTP request was sent to HTTPS port</html>"),
    "redirect": status(302, "", location="http://login/"),
    "rate limit": status(429),
    "server error": status(500),
    "overloaded": status(529),
    "refused": ModelUnavailable("cannot reach host: Connection refused", unbilled=True),
    "certificate": ModelUnavailable("cannot reach host: its certificate is not valid", unbilled=True),
}
MAYBE_PAID: dict[str, Answer] = {
    "gateway": status(502, "<html>Bad Gateway</html>"),
    "time-out": ModelUnavailable("the connection to host failed: it took too long"),
    "login page": status(200, "<!doctype html><title>Sign in</title>"),
    "another protocol": status(200, '{"id": 1, "result": "pong"}'),
    "error in place of an answer": status(200, '{"error": {"code": 502, "message": "upstream"}}'),
}


def test_a_model_is_asked_about_what_another_user_does_as_well(tmp_path: Path) -> None:
    env = ServedEnv(says(GOOD))
    with opened(tmp_path, env) as memory:
        bob = memory.of("bob")
        take_in(bob)
        run_steward(bob, env, HOUR)

        assert [work.state for work in model_work(bob)] == ["done"]
        assert learned(bob) == [LESSON]
        assert learned(memory) == []


@pytest.mark.parametrize("name", [*FREE, *MAYBE_PAID])
def test_what_is_not_the_turns_fault_uses_no_attempt_up_and_goes_on_by_itself(name: str, tmp_path: Path) -> None:
    env = ServedEnv(*[{**FREE, **MAYBE_PAID}[name]] * 7, says(GOOD))
    with opened(tmp_path, env) as memory:
        take_in(memory)
        run_steward(memory, env, 40)
        (work,) = model_work(memory)
        assert work.attempts == 0
        assert memory.engine.health().last_error == work.reason
        assert work.reason.startswith("model unavailable 6 times: ")

        run_steward(memory, env, 5 * 60)

        assert env.waits == pytest.approx([1, 2, 4, 8, 16, 32, 60 if name in FREE else 64], abs=0.6)
        assert learned(memory) == [LESSON]
        assert memory.engine.inbox.counts() == {"done": 2}
        assert memory.engine.health().last_error == ""
        assert (spent(memory) == ONE_REPLY) == (name in FREE)


def test_a_wrong_key_that_is_mended_after_hours_and_restarts(tmp_path: Path) -> None:
    env = ServedEnv(status(401))
    with opened(tmp_path, env) as memory:
        take_in(memory)
    for _ in range(3):
        with opened(tmp_path, env) as memory:
            run_steward(memory, env, HOUR)
            assert spent(memory) == 0
    assert max(env.waits) < 62
    assert len(env.asked) < 3 * 61 + 10

    env.serve = lambda _: says(GOOD)
    with opened(tmp_path, env) as memory:
        run_steward(memory, env, 61)
        assert learned(memory) == [LESSON]
        assert memory.engine.inbox.counts() == {"done": 2}
        assert spent(memory) == ONE_REPLY


def test_negative_control_if_it_counted_the_turn_would_be_dead_for_good(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Worker, "_postpone", lambda worker, work, error: worker._fail(work, describe(error)))
    env = ServedEnv(*[status(401)] * 7, says(GOOD))
    with opened(tmp_path, env) as memory:
        take_in(memory)
        run_steward(memory, env, HOUR)

        assert memory.engine.inbox.counts() == {"done": 1, "dead": 1}
        assert learned(memory) == []


def test_who_is_ended_while_waiting_for_a_model_that_is_away_loses_no_turn(tmp_path: Path) -> None:
    env = ServedEnv(*[status(401)] * 4, KeyboardInterrupt(), *[status(401)] * 4, KeyboardInterrupt(), says(GOOD))
    with opened(tmp_path, env) as memory:
        take_in(memory)
    ends = 0
    for _ in range(3):
        with opened(tmp_path, env) as memory:
            try:
                run_steward(memory, env, 10 * 60)
            except KeyboardInterrupt:
                ends += 1
                memory.engine.inbox.release_all()
    with opened(tmp_path, env) as memory:
        assert ends == 2
        assert learned(memory) == [LESSON]


# ---- what is about the turn


@pytest.mark.parametrize(
    ("bad", "calls"),
    [
        (says(BAD), 4),  # each try has a repair
        (says(GOOD, usage=None), 2),
        (says(GOOD, stop_reason="refusal"), 2),
        (says("I'm sorry, but I can't help with that."), 2),
    ],
    ids=["unreadable", "no usage", "refusal", "refusal in words"],
)
def test_a_reply_that_cannot_be_used_is_paid_for_twice_at_most_and_not_at_once(
    bad: HttpResponse, calls: int, tmp_path: Path
) -> None:
    env = ServedEnv(bad)
    with opened(tmp_path, env) as memory:
        take_in(memory)
        run_steward(memory, env, 7 * HOUR)

        assert len(env.asked) == calls
        assert sorted(env.waits)[-1] >= 60
        (work,) = model_work(memory)
        assert (work.state.value, work.attempts) == ("dead", 2)
        assert memory.engine.health().last_error == work.reason != ""
        assert learned(memory) == []


def test_negative_control_with_five_paid_tries_it_would_cost_five(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reverie.inbox.worker._PAID_TRIES", 5)
    env = ServedEnv(says(BAD))
    with opened(tmp_path, env) as memory:
        take_in(memory)
        run_steward(memory, env, HOUR)
        assert len(env.asked) == 10


def test_a_model_that_never_answers_readably_is_asked_ever_more_slowly_until_it_does(tmp_path: Path) -> None:
    env = ServedEnv(says(BAD))
    with opened(tmp_path, env) as memory:
        take_in(memory, [f"s{number}" for number in range(9)])
        run_steward(memory, env, 200)
        between_turns = [wait for wait in env.waits if wait]
        assert between_turns[:7] == [1, 2, 4, 8, 16, 32, 60]
        assert memory.parts.background.model_backoff_seconds == 60

        env.serve = lambda _: says(GOOD)
        memory.parts.background.ask_model()
        assert memory.parts.background.model_backoff_seconds == 1


def test_every_reply_that_was_paid_for_is_in_the_log_readable_or_not(tmp_path: Path) -> None:
    env = ServedEnv(says(BAD), says(BAD), says(BAD), says(GOOD))
    with opened(tmp_path, env) as memory:
        take_in(memory)
        run_steward(memory, env, 120)

        logged = memory.engine.database.rows("SELECT purpose, text, nanodollars FROM replies ORDER BY position")
        assert [(purpose, text) for purpose, text, _ in logged] == [
            ("extract", BAD),
            ("repair", BAD),
            ("extract", BAD),
            ("repair", GOOD),
        ]
        assert sum(cost for _, _, cost in logged) == spent(memory) == 4 * ONE_REPLY
        before = list(memory.engine.dump_derived())
        assert learned(memory) == [LESSON]
        memory.rebuild()
        assert list(memory.engine.dump_derived()) == before


@pytest.mark.parametrize("fault", [status(401), status(429), MAYBE_PAID["time-out"]], ids=["401", "429", "time-out"])
def test_an_outage_before_the_repair_does_not_make_the_question_paid_again(fault: Answer, tmp_path: Path) -> None:
    env = ServedEnv(says(BAD), fault, fault, fault, says(GOOD))
    with opened(tmp_path, env) as memory:
        take_in(memory)
        run_steward(memory, env, 120)

        assert len(env.asked) == 5
        assert learned(memory) == [LESSON]
        logged = memory.engine.database.rows("SELECT purpose FROM replies ORDER BY position")
        assert logged == [("extract",), ("repair",)]


@pytest.mark.parametrize(
    "refusal",
    [status(413, "<html>Too Large</html>"), status(400, '{"error": {"message": "prompt is too long: 9 tokens > 8"}}')],
    ids=["413", "400"],
)
def test_a_turn_that_is_too_long_costs_nothing_and_is_dead_after_five_tries(
    refusal: HttpResponse, tmp_path: Path
) -> None:
    env = ServedEnv(refusal)
    with opened(tmp_path, env) as memory:
        take_in(memory)
        run_steward(memory, env, HOUR)

        assert env.waits == pytest.approx([1, 2, 4, 8], abs=0.6)
        assert memory.engine.inbox.counts() == {"done": 1, "dead": 1}
        assert spent(memory) == 0


# ---- patience, fairness, money


def test_the_wait_that_a_server_asks_for_is_kept_for_all_turns_and_after_a_restart(tmp_path: Path) -> None:
    env = ServedEnv(status(429, retry_after="2000"), says(GOOD))
    with opened(tmp_path, env) as memory:
        take_in(memory, ["s1", "s2"])
        run_steward(memory, env, 2001)
        assert env.waits == [2000, 0]
        assert learned(memory) == [LESSON, LESSON]

    env = ServedEnv(status(429, retry_after="2000"), says(GOOD))
    with opened(tmp_path / "restarted", env) as memory:
        take_in(memory)
        memory.parts.background.ask_model()
    with opened(tmp_path / "restarted", env) as memory:
        env.pass_time(1990)
        assert not memory.parts.background.ask_model()
        env.pass_time(11)
        assert memory.parts.background.ask_model().done == 1


def test_negative_control_a_wait_that_looks_like_a_clock_set_back_would_not_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reverie.engines.sqlite.inbox._LONGEST_WAIT_MS", 600_000)
    env = ServedEnv(status(429, retry_after="2000"), says(GOOD))
    with opened(tmp_path, env) as memory:
        take_in(memory)
        memory.parts.background.ask_model()
        assert memory.parts.background.ask_model().done == 1


def refuse_the_first(request: HttpRequest) -> HttpResponse:
    """A firewall that does not like the words of one turn."""
    return status(403) if b"of s0 is" in request.body else says(GOOD)


def done_beside_one_that_is_refused(home: Path) -> int:
    env = ServedEnv(status(401))
    with opened(home, env) as memory:
        take_in(memory, [f"s{number}" for number in range(6)])
        run_steward(memory, env, 5 * 60)
        env.serve = refuse_the_first
        run_steward(memory, env, HOUR)
        return [it.state.value for it in model_work(memory)].count("done")


def test_a_turn_that_nobody_answers_does_not_keep_the_others_waiting(tmp_path: Path) -> None:
    assert done_beside_one_that_is_refused(tmp_path) == 5


def test_negative_control_in_the_order_of_the_log_it_would(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reverie.engines.sqlite.inbox.Stage", SimpleNamespace(MODEL=None))
    assert done_beside_one_that_is_refused(tmp_path) == 0


@pytest.mark.parametrize("name", MAYBE_PAID)
def test_the_ceiling_of_a_session_holds_however_often_a_call_is_made_again(name: str, tmp_path: Path) -> None:
    ceiling = 50_000_000
    env = ServedEnv(MAYBE_PAID[name])
    model = ModelSettings(provider="anthropic", daily_dollars=1.0, session_dollars=0.05, key_variable="KEY")
    with opened(tmp_path, env, model) as memory:
        take_in(memory, ["s1", "s2"])
        run_steward(memory, env, 7 * HOUR)

        in_sessions = memory.engine.database.rows("SELECT sum(nanodollars) FROM spend GROUP BY session_id")
        assert len(in_sessions) == 2
        assert all(0 < in_session <= ceiling for (in_session,) in in_sessions)
        assert {it.state.value for it in model_work(memory)} <= {"skipped", "dead"}
        assert all(it.reason for it in model_work(memory))


# ---- what an earlier version gave up


def test_what_died_for_want_of_a_model_is_taken_up_at_the_next_success(tmp_path: Path) -> None:
    env = ServedEnv(says(GOOD))
    with opened(tmp_path, env) as memory:
        take_in(memory, ["old"])
        env.pass_time(7 * HOUR)
        take_in(memory, ["key", "outage", "too long"])
        for session, waits in {"old": 9, "key": 1, "outage": 300, "too long": 0}.items():
            memory.engine.database.execute(
                "UPDATE inbox SET state = 'dead', attempts = 5, waits = ? WHERE stage = 'model' AND session_id = ?",
                (waits, session),
            )
        run_steward(memory, env, 60)
        assert env.asked == []

        take_in(memory, ["new"])
        run_steward(memory, env, 60)

        states = {it.session: it.state.value for it in model_work(memory)}
        assert states == {
            **dict.fromkeys(["key", "outage", "new"], "done"),
            "old": "dead",
            "too long": "dead",
        }


# ---- what is forgotten while a model has seen it


def test_a_reply_about_a_later_turn_does_not_bring_back_what_is_forgotten(tmp_path: Path) -> None:
    """The model sees what was said before a turn, and may repeat it in words of its own. So it is asked again."""
    env = ServedEnv()

    def serve(request: HttpRequest) -> Answer:
        asked = (request.body or b"").decode()
        is_of_both = "Zanzibar" in asked and "8443" in asked
        return says("FACT [o1] (0.9): Staging is for the launch on the Zanzibar island" if is_of_both else GOOD)

    env.serve = serve
    with opened(tmp_path, env) as memory:
        memory.observe("We launch in Zanzibar, on the island.", session="s", kind="user_message")
        memory.engine.log.close_turn("s")
        memory.observe("The staging port is 8443.", session="s", kind="user_message")
        memory.engine.log.close_turn("s")
        memory.parts.background.distil()
        run_steward(memory, env, HOUR)
        assert "Zanzibar island" in str(learned(memory))
        asked = len(env.asked)

        memory.forget(f"id:{next(iter(memory.engine.log.read())).id}", hard=True)

        assert "Zanzibar" not in str([*memory.export()])
        run_steward(memory, env, HOUR)
        assert len(env.asked) > asked
        assert LESSON in learned(memory)
        assert "Zanzibar" not in str([*memory.export()])
    assert not [file.name for file in tmp_path.rglob("*") if file.is_file() and b"Zanzibar" in file.read_bytes()]
