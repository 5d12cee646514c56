"""With a model and a budget: turns are distilled by it in the background, within the budget, and nothing depends on it."""

import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from reverie.records import Learned, LearningType, Stage, Work
from support.client import REVERIE, Place, fresh_place, steward, wait_until
from support.scripted_model import ScriptedModel

MODEL = "claude-haiku-4-5"
CENT = 10**7  # nanodollars
PROMPT = "From now on always use pnpm. By the way, deploys want a green build, and Ana waits for the port of the mock."


def lines_about(turn: str) -> str:
    """What a model might find in PROMPT, beyond what the rules do. It names the observation that says it."""
    said = re.search(r'<user ref="(o\d+)"', turn)
    if said is None or "deploys want a green build" not in turn.partition("<now>")[2]:
        return "NONE"
    return (
        f"PREFERENCE [{said[1]}] (0.9) {{subject=deploys}}: Deploys want a green build\n"
        f"FACT [{said[1]}] (0.8): Ana waits for the port of the mock\n"
        f"ACTION [{said[1]}] (0.8) {{priority=high, owner=agent}}: Tell Ana the port of the mock"
    )


@contextmanager
def place_with(model: ScriptedModel, daily_dollars: float = 1.0) -> Iterator[Place]:
    """A home whose memory may ask the model; its address comes from the environment, as it does for an agent."""
    with fresh_place(ANTHROPIC_BASE_URL=model.url, ANTHROPIC_API_KEY="a-key") as place:
        place.workspace.mkdir()
        (place.workspace / "reverie.toml").write_text(allowing(daily_dollars))
        yield place


def allowing(daily_dollars: float) -> str:
    return f'[model]\nprovider = "anthropic"\nname = "{MODEL}"\ndaily_dollars = {daily_dollars}\n'


def work(place: Place, prompt: str = PROMPT, session: str = "s1") -> None:
    """A session with one turn."""
    place.hook("SessionStart", session, source="startup")
    place.hook("UserPromptSubmit", session, prompt_id=f"p-{session}", prompt=prompt)
    place.hook("Stop", session, prompt_id=f"p-{session}", last_assistant_message="I will see to it.")
    place.hook("SessionEnd", session, reason="other")


def by_model(place: Place) -> list[Learned]:
    return [it for it in place.learnings() if it.origin != "rules"]


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel(lines_about) as found:
        yield found


def test_a_session_is_distilled_by_the_model_and_told_to_the_next(model):
    with place_with(model) as place:
        with steward(place):
            work(place)
            wait_until(lambda: by_model(place), "the model's lines become learnings")
            status = place.reverie_json("status")
            told = place.hook("SessionStart", "s2", source="startup")

        learned = by_model(place)
        assert {(it.type, it.text, it.origin) for it in learned} == {
            (LearningType.PREFERENCE, "Deploys want a green build", MODEL),
            (LearningType.FACT, "Ana waits for the port of the mock", MODEL),
            (LearningType.ACTION, "Tell Ana the port of the mock", MODEL),
        }
        (prompt,) = [o for o in place.observations("s1") if o.speaker == "user"]
        assert {it.observation_id for it in learned} == {prompt.id}
        assert len([it for it in place.learnings() if "pnpm" in it.text]) == 1, "the rules have found this already"
        assert "Deploys want a green build" in told, "it is the project's, not the person's"
        assert "Deploys want a green build" not in (place.workspace / "user.md").read_text()
        assert "[HIGH] Tell Ana the port of the mock" in told
        assert 0 < status["spent_today_nanodollars"] <= status["daily_budget_nanodollars"] == 100 * CENT
        (asked,) = model.asked_by_reverie
        assert (asked.body["model"], asked.headers["x-api-key"]) == (MODEL, "a-key")

        # Derived anew it is the same, with nobody to ask.
        model.stop()
        before, actions = place.learnings(), place.reverie_json("actions")
        assert place.run(REVERIE, "admin", "rebuild").code == 0
        assert place.learnings() == before
        assert place.reverie_json("actions") == actions


def test_without_a_budget_nobody_is_asked(model):
    with place_with(model, daily_dollars=0.0) as place:
        with steward(place):
            work(place)
            wait_until(place.learnings, "the rules learn something")
            time.sleep(1.0)  # twice as often as the steward looks for something to ask

        assert model.requests == []
        assert [it.origin for it in place.learnings()] == ["rules"]
        assert place.reverie_json("status")["spent_today_nanodollars"] == 0


def test_what_the_budget_did_not_allow_is_told_with_the_way_out(model):
    with place_with(model, daily_dollars=0.0001) as place:
        assert "skipped" not in place.reverie("status")
        with steward(place):
            work(place)
            wait_until(lambda: place.reverie_json("status")["over_budget"], "the turn is skipped")

        assert model.requests == []
        (said,) = [line for line in place.reverie("status").splitlines() if line.startswith("skipped")]
        assert said.startswith("skipped    1 turn over budget")
        assert "`reverie admin inbox list --state skipped`" in said
        assert "`reverie admin inbox retry --skipped`" in said
        (skipped,) = place.reverie_json("admin", "inbox", "list", "--state", "skipped")
        assert skipped["reason"].startswith("over budget")

        (place.workspace / "reverie.toml").write_text(allowing(1.0))
        assert place.reverie("admin", "inbox", "retry", "--skipped") == "1 queued again\n"
        with steward(place):
            wait_until(lambda: by_model(place), "now it can be paid for")
        assert place.reverie_json("status")["over_budget"] == 0
        assert "skipped" not in place.reverie("status")


def test_a_model_that_is_down_stops_nothing_and_its_work_is_done_later(model):
    model.stop()
    with place_with(model) as place:
        with steward(place):
            work(place)
            wait_until(place.learnings, "the rules learn something all the same")
            (waits,) = wait_until(lambda: [it for it in waiting(place) if " 2 times" in it.reason], "it is tried again")
            listed = place.reverie("admin", "inbox", "list")
            status = place.reverie_json("status")

            work(place, "What time is it?", "s2")
            wait_until(lambda: place.observations("s2"), "capture goes on")
            model.start()
            wait_until(lambda: by_model(place), "the work is done when the model is back")

        assert waits.stage is Stage.MODEL
        assert waits.attempts <= 1, "an outage is not the turn's fault"
        assert "model unavailable" in waits.reason
        assert "model unavailable" in listed
        assert "model unavailable" in status["last_error"]
        assert status["spent_today_nanodollars"] == 0, "nobody charges for a refused connection"
        assert len(by_model(place)) == 3
        assert place.reverie_json("status")["dead"] == 0


def waiting(place: Place) -> list[Work]:
    """What failed and will be tried again."""
    with place.memory() as memory:
        return [it for it in memory.engine.inbox.listing(["pending"]) if it.reason]


def test_a_steward_stops_though_a_model_is_thinking(model):
    asked, done = threading.Event(), threading.Event()

    def think(turn: str) -> str:
        asked.set()
        done.wait(120)
        return "NONE"

    model.learn = think
    with place_with(model) as place:
        with steward(place):
            work(place)
            assert asked.wait(60)
            place.reverie("down")
            assert not done.is_set(), "it did not wait for the model"
        done.set()

        model.learn = lines_about
        with steward(place):
            wait_until(lambda: by_model(place), "the next steward asks again")
        assert len(model.asked_by_reverie) == 2


def test_a_session_of_twenty_tool_calls_costs_at_most_a_cent(model, capsys):
    with place_with(model) as place:
        place.hook("SessionStart", source="startup")
        place.hook("UserPromptSubmit", prompt_id="p1", prompt=f"{PROMPT} Then look through the whole project.")
        for number in range(20):
            call = {"tool_name": "Bash", "tool_use_id": f"t{number}", "prompt_id": "p1"}
            answer = {"stdout": tool_output(number), "stderr": "", "interrupted": False}
            place.hook("PostToolUse", tool_input={"command": f"cat src/part_{number}.py"}, tool_response=answer, **call)
        place.hook("Stop", prompt_id="p1", last_assistant_message="I have read all twenty parts. " * 20)
        place.hook("SessionEnd", reason="other")
        with steward(place):
            wait_until(lambda: by_model(place), "the model answers")
            spent = place.reverie_json("status")["spent_today_nanodollars"]

    with capsys.disabled():
        print(f"\n20 tool calls through the steward, {MODEL}: {spent / 10**9:.4f} dollars")
    assert len(model.asked_by_reverie) == 1
    assert 0 < spent <= CENT


def tool_output(number: int) -> str:
    """Three kilobytes of code."""
    line = "    def handle_{n}(self, request: Request) -> Response:  # part {p}\n        return self.store.get(request.key_{n})\n"
    return "".join(line.format(n=n, p=number) for n in range(30))
