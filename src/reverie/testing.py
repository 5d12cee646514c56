"""For tests, ours and yours: an environment whose clock and chance are in your hand, and a model that you script.

env = FakeEnv(seed=7)
memory = Memory.open(tmp_path, env=env)
env.pass_time(seconds=5)
"""

import random
from collections.abc import Iterable

from reverie.env import RealFiles
from reverie.errors import ModelUnavailable
from reverie.ports import HttpRequest, HttpResponse, Prompt, Reply

START_MS = 1_790_000_000_000  # an afternoon in September 2026


class FakeEnv:
    """Real files, invented time and chance, no network. Sleeping only moves the clock."""

    def __init__(self, seed: int = 0, now_ms: int = START_MS, variables: dict[str, str] | None = None) -> None:
        self.files = RealFiles()
        self.variables = variables or {}
        self._random = random.Random(seed)  # noqa: S311
        self._now_ms = float(now_ms)
        self._monotonic = 1000.0

    def now_ms(self) -> int:
        return int(self._now_ms)

    def monotonic(self) -> float:
        return self._monotonic

    def random_bytes(self, count: int) -> bytes:
        return self._random.randbytes(count)

    def sleep(self, seconds: float) -> None:
        self.pass_time(seconds)

    def variable(self, name: str) -> str | None:
        return self.variables.get(name)

    def http(self, request: HttpRequest) -> HttpResponse:
        raise ModelUnavailable(f"no network in a test: {request.url}", unbilled=True)

    def pass_time(self, seconds: float) -> None:
        self._now_ms += seconds * 1000
        self._monotonic += seconds

    def jump_clock(self, seconds: float) -> None:
        """Set the wall clock, forwards or back; the monotonic clock does not notice."""
        self._now_ms += seconds * 1000


class CannedModel:
    """Answers with the given texts, in turn; an exception among them is raised. The last one is repeated."""

    def __init__(self, answers: Iterable[str | Exception], name: str = "canned") -> None:
        self.name = name
        self.prompts: list[Prompt] = []
        self._answers = list(answers)

    def ask(self, prompt: Prompt) -> Reply:
        self.prompts.append(prompt)
        answer = self._answers[min(len(self.prompts), len(self._answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        tokens = len(prompt.system + prompt.user) // 4
        return Reply(answer, self.name, input_tokens=tokens, output_tokens=len(answer) // 4)
