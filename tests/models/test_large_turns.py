"""A turn that costs much to show is shown in part, the whole way: asked about, learned from, and the same in a rebuild."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from reverie.memory import Memory
from reverie.models.prices import nanodollars
from reverie.ports import HttpRequest, HttpResponse
from reverie.records import Stage
from reverie.settings import ModelSettings, Settings
from reverie.testing import FakeEnv

LESSON = "Staging runs behind a proxy of the hosting company"
CHINESE = "我们在预发布环境里先通过代理访问服务器，然后再检查日志。" * 511
CODE = "if (a < b && c > d) { return '<&>'; }\n" * 2000


class ServedEnv(FakeEnv):
    """A fake environment with a model that bills a token for every byte, and keeps what it was asked."""

    def __init__(self) -> None:
        super().__init__(seed=7, variables={"KEY": "-".join(["sk", "test", "0123456789abcdef"])})
        self.questions: list[str] = []

    def http(self, request: HttpRequest) -> HttpResponse:
        asked = json.loads(request.body)
        self.questions.append(asked["messages"][0]["content"])
        usage = {"input_tokens": len((asked["system"] + self.questions[-1]).encode()), "output_tokens": 40}
        content = [{"type": "text", "text": f"FACT [o1] (0.9): {LESSON}"}]
        reply = {"model": "m", "content": content, "stop_reason": "end_turn", "usage": usage}
        return HttpResponse(200, {}, json.dumps(reply).encode())


@pytest.fixture
def env() -> ServedEnv:
    return ServedEnv()


def asked_about(texts: list[str], home: Path, env: FakeEnv, model: ModelSettings) -> Memory:
    memory = Memory.open(home, env=env, settings=Settings(model=model))
    for place, text in enumerate(texts):
        memory.observe(text, session="s1", kind="assistant_message" if place else "user_message")
    memory.engine.log.close_turn("s1")
    memory.parts.background.distil()
    memory.parts.background.ask_model()
    return memory


def learned(memory: Memory) -> list[str]:
    return [it.text for it in memory.engine.learnings.all() if it.origin == "m"]


MODEL = ModelSettings(provider="anthropic", key_variable="KEY", daily_dollars=5.0)


@pytest.mark.parametrize("texts", [[CHINESE], [CODE, CODE], ["🙂" * 16_000, "🙂" * 16_000], ["&" * 16_000] * 3])
def test_with_the_default_ceilings_the_largest_turns_are_shown_to_a_model(
    texts: list[str], tmp_path: Path, env: ServedEnv
) -> None:
    with asked_about(texts, tmp_path, env, MODEL) as memory:
        assert learned(memory) == [LESSON]
        assert memory.engine.spend.in_session("s1") <= nanodollars(MODEL.session_dollars)

        env.questions.clear()
        memory.rebuild()
        assert learned(memory) == [LESSON]
        assert env.questions == []


def test_a_turn_that_fits_is_shown_whole(tmp_path: Path, env: ServedEnv) -> None:
    with asked_about([CHINESE[:14_000]], tmp_path, env, MODEL):
        assert CHINESE[:14_000] in env.questions[0]


def test_a_turn_is_shown_alike_whatever_was_spent_before(tmp_path: Path, env: ServedEnv) -> None:
    with asked_about([CODE], tmp_path / "fresh", env, MODEL):
        pass
    with Memory.open(tmp_path / "used", env=env, settings=Settings(model=MODEL)) as memory:
        assert memory.engine.spend.reserve("r", "2026-11-16", "s0", nanodollars(4.9), 10**12, 10**12)
    with asked_about([CODE], tmp_path / "used", env, MODEL):
        first, second = env.questions
        assert first == second


def test_a_turn_that_fits_at_no_level_is_skipped_with_the_setting_to_raise(tmp_path: Path, env: ServedEnv) -> None:
    with asked_about([CODE], tmp_path, env, replace(MODEL, session_dollars=0.004)) as memory:
        (skipped,) = memory.engine.inbox.listing(["skipped"])
        assert skipped.stage is Stage.MODEL
        assert skipped.reason.startswith("over budget: a call that may cost")
        assert skipped.reason.endswith("; raise session_dollars in [model]")
        assert "tomorrow" not in skipped.reason
        assert env.questions == []
