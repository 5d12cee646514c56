"""For tests, ours and yours: an environment whose clock and chance you set, a model that you script, a store in memory.

env = FakeEnv(seed=7)
memory = Memory.open(tmp_path, env=env)
env.pass_time(seconds=5)
"""

import random
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace

from reverie.env.real import RealFiles
from reverie.errors import ModelUnavailable
from reverie.ports import HttpRequest, HttpResponse, HttpStream, Prompt, Reply
from reverie.records import JSON, Candidate, Capacity, Filters, MemoryItem, ReadContext
from reverie.records.conversation_values import Request, Said, ToolCall

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

    def variable_names(self) -> Iterable[str]:
        return list(self.variables)

    def http(self, request: HttpRequest) -> HttpResponse:
        raise ModelUnavailable(f"no network in a test: {request.url}", unbilled=True)

    def http_stream(
        self,
        request: HttpRequest,
        is_cancelled: Callable[[], bool] = lambda: False,  # noqa: ARG002
    ) -> AbstractContextManager[HttpStream]:
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


class ScriptedConverser:
    """Converses by a script: texts, tool calls (name, input), what was `Said`, or an exception, in turn; the last one
    is repeated. A function is asked with the request. What it was sent is in `requests`."""

    def __init__(self, *answers: "Script", name: str = "scripted") -> None:
        self.name = name
        self.requests: list[Request] = []
        self._answers = answers or ("yes",)

    def converse(
        self,
        request: Request,
        on_text: Callable[[str], None] = lambda _: None,
        is_cancelled: Callable[[], bool] = lambda: False,
    ) -> Said:
        self.requests.append(request)
        answer = self._answers[min(len(self.requests), len(self._answers)) - 1]
        if callable(answer):
            answer = answer(request)
        if isinstance(answer, Exception):
            raise answer
        said = self._said(answer)
        spoken = ""
        for word in said.text.splitlines(keepends=True):
            if is_cancelled():
                return replace(said, text=spoken, tool_calls=(), end="cancelled")
            on_text(word)
            spoken += word
        return said

    def _said(self, answer: "str | Said | tuple[str, JSON]") -> Said:
        if isinstance(answer, Said):
            return answer
        if isinstance(answer, str):
            return Said(text=answer, model=self.name)
        call = ToolCall(f"call-{len(self.requests)}", *answer)
        return Said(text="", model=self.name, tool_calls=(call,), end="tools")


Answer = str | Said | tuple[str, JSON] | Exception
Script = Answer | Callable[[Request], Answer]


class MemoryStoreView:
    """A memory type's place in the record, in a dictionary: for tests of memory types, ours and yours."""

    def __init__(self, name: str = "test") -> None:
        self.name = name
        self._items: dict[str, MemoryItem] = {}
        self._versions: dict[str, list[MemoryItem]] = {}

    def put(self, item: MemoryItem) -> None:
        """Add an item, or replace the one with its id, which is kept if the new one has a higher version."""
        before = self._items.get(item.id)
        if before is not None and before.version < item.version:
            self._versions.setdefault(item.id, []).append(before)
        self._items[item.id] = item

    def get(self, item_id: str) -> MemoryItem | None:
        return self._items.get(item_id)

    def versions(self, item_id: str) -> list[MemoryItem]:
        """An item as it was before each change of its version, oldest first."""
        return list(self._versions.get(item_id, ()))

    def items(
        self, filters: Filters | None = None, *, limit: int | None = None, newest_first: bool = False
    ) -> list[MemoryItem]:
        wanted = filters or Filters()
        found = sorted((item for item in self._items.values() if wanted.admits(item)), key=_in_the_log)
        return (found[::-1] if newest_first else found)[:limit]

    def made_of(self, ids: Sequence[str]) -> list[MemoryItem]:
        found = [item for item in self._items.values() if not {item.id, item.parent_id, *item.sources}.isdisjoint(ids)]
        return sorted(found, key=_in_the_log)

    def capacity(self) -> Capacity:
        current = self.items()
        return Capacity(len(current), sum(item.tokens_estimate for item in current))

    def remove(self, ids: Sequence[str], at_ms: int, *, hard: bool = False) -> int:
        found = [item for one in dict.fromkeys(ids) if (item := self._items.get(one)) is not None]
        if not hard:
            found = [item for item in found if item.deleted_ms is None]
        for item in found:
            if hard:
                del self._items[item.id]
                self._versions.pop(item.id, None)
            else:
                self._items[item.id] = replace(item, deleted_ms=at_ms)
        return len(found)

    def search(self, context: ReadContext, limit: int) -> list[Candidate]:
        """By the share of the question's words that an item has."""
        asked = set(context.query_text.casefold().split())
        found = []
        for item in self.items(context.filters):
            shared = len(asked & set(item.text.casefold().split())) / max(1, len(asked))
            if shared:
                found.append(Candidate(item=item, score=shared, parts={"words": shared}))
        return sorted(found, key=lambda candidate: (-candidate.score, candidate.item.id))[:limit]


def _in_the_log(item: MemoryItem) -> tuple[int, int, str]:
    return (item.position, item.chunk_index, item.id)
