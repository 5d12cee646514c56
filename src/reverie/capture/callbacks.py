"""Agent SDK callbacks: the events of an agent in this process -> the spool, as if its hooks had written them.

Only the SDK's calling convention is used, so nothing of it is imported. What is not JSON is kept as text.
"""

import asyncio
import math
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from hashlib import blake2b
from importlib import import_module
from typing import Any, Protocol

from reverie.foundation.workspace import Workspace
from reverie.hook import capture_event, spool
from reverie.hook.locate import find_project
from reverie.hook.opt_out import VARIABLE, opted_out_by
from reverie.ports import Env
from reverie.records import JSON
from reverie.redact import secrets

EVENTS = ("PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "Stop", "PreCompact")

_ANSWER_SECONDS = 0.3  # that an agent waits; what comes later is told with the next prompt
_PATHS = ("file_path", "notebook_path", "path")
_MOST_SESSIONS = 1_000  # whose beginning is remembered

Callback = Callable[[Any, str | None, Any], Awaitable[dict[str, Any]]]


class Host(Protocol):
    """The parts of a Memory that a callback needs: where to write, and the clocks."""

    @property
    def workspace(self) -> Workspace: ...

    @property
    def env(self) -> Env: ...

    def context(self, project: str = "", session: str | None = None, *, prompt: str = "", path: str = "") -> str: ...


def create_hook_callbacks(memory: Host, *, tells: bool = True) -> dict[str, Callback]:
    """A callback per event name, for the hooks of the Agent SDK.

    They never raise: a failure is a line in the log that `status` counts. With `tells`, a prompt, and a tool that opens
    a file, are answered with what memory knows about it, once the event is durable; anything else with `{}`.

        hooks={event: [HookMatcher(hooks=[callback])] for event, callback in create_hook_callbacks(memory).items()}
    """
    # A thread of our own: the loop's may all be busy with the agent's work. One, so that events stay in their order.
    writer = ThreadPoolExecutor(1, "reverie capture")
    keep, stamps = partial(_keep, memory, {}), _Stamps(memory.env)
    callbacks = {event: _callback(stamps, partial(keep, event), writer) for event in EVENTS}
    if tells:
        teller = _Teller(memory)
        callbacks["UserPromptSubmit"] = teller.at_prompt(callbacks["UserPromptSubmit"])
        callbacks["PreToolUse"] = teller.at_file
    return callbacks


class _Teller:
    """Answers with what memory knows. An answer that takes too long is told with the session's next prompt."""

    def __init__(self, memory: Host) -> None:
        self._memory = memory
        self._asked = ThreadPoolExecutor(1, "reverie recall")
        self._late: dict[str, Future[str]] = {}

    def at_prompt(self, keep: Callback) -> Callback:
        async def callback(hook_input: Any, tool_use_id: str | None, context: Any) -> dict[str, Any]:
            answer = await keep(hook_input, tool_use_id, context)
            session, prompt = _text_in(hook_input, "session_id"), _text_in(hook_input, "prompt")
            late = self._late.pop(session, None)
            told = [late.result()] if late and late.done() and not late.exception() else []
            if prompt:
                told.append(await self._ask(hook_input, session, prompt=prompt))
            return _additional("UserPromptSubmit", "\n".join(filter(None, told))) or answer

        return callback

    async def at_file(self, hook_input: Any, tool_use_id: str | None, context: Any) -> dict[str, Any]:  # noqa: ARG002
        given = hook_input.get("tool_input") if isinstance(hook_input, dict) else None
        path = next((it for name in _PATHS if (it := _text_in(given, name))), "")
        told = await self._ask(hook_input, _text_in(hook_input, "session_id"), path=path) if path else ""
        return _additional("PreToolUse", told)

    async def _ask(self, hook_input: Any, session: str, *, prompt: str = "", path: str = "") -> str:
        try:
            project = find_project(capture_event.folder_of(_text_in(hook_input, "cwd")))
            home, variable = str(self._memory.workspace.home), self._memory.env.variable(VARIABLE) or ""
            if opted_out_by(project, home, variable):
                return ""
            question = partial(self._memory.context, secrets.redact(project), session or None, prompt=prompt, path=path)
            answer = self._asked.submit(question)
            done = asyncio.shield(asyncio.wrap_future(answer))
            try:
                return await asyncio.wait_for(done, _ANSWER_SECONDS)
            except TimeoutError:
                if prompt:
                    self._late[session] = answer
        except Exception as error:  # the agent must not notice, whatever it was
            capture_event.complain(str(self._memory.workspace.home), "UserPromptSubmit", error, import_module)
        return ""


def _additional(event: str, told: str) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": told}} if told else {}


def _text_in(value: Any, name: str) -> str:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, str) else ""


class _Stamps:
    """Stamp events by both clocks. No two are alike by the second, however coarse it is."""

    def __init__(self, env: Env) -> None:
        self._env, self._last_ns = env, 0

    def next(self) -> tuple[int, int]:
        self._last_ns = max(self._last_ns + 1, int(self._env.monotonic() * 1e9))
        return self._env.now_ms(), self._last_ns


def _callback(stamps: _Stamps, keep_event: Callable[[Any, int, int], None], writer: ThreadPoolExecutor) -> Callback:
    # The SDK's tool_use_id is random for all events but those of tools, where the input has it, too.
    async def callback(hook_input: Any, tool_use_id: str | None, context: Any) -> dict[str, Any]:  # noqa: ARG001
        keep = partial(keep_event, hook_input, *stamps.next())
        try:
            kept = writer.submit(keep)
        except RuntimeError:
            keep()  # the program is ending and takes no more work; better late than lost
        else:
            await asyncio.shield(asyncio.wrap_future(kept))  # who is tired of waiting does not take it back
        return {}

    return callback


def _keep(memory: Host, begun_in: dict[str, str], event: str, hook_input: Any, at_ms: int, mono_ns: int) -> None:
    """Make one event durable, as `capture_event.capture` does; a failure is noted, whatever it was.

    `begun_in` has the project in which each session began: its agent works for that one, wherever it goes.
    """
    home = str(memory.workspace.home)
    try:
        value = _Plain().json(hook_input)
        cwd, session = (value.get("cwd"), value.get("session_id")) if isinstance(value, dict) else (None, None)
        project = find_project(capture_event.folder_of(cwd))
        first = begun_in.setdefault(session, project) if isinstance(session, str) and session else project
        if len(begun_in) > _MOST_SESSIONS:
            del begun_in[next(iter(begun_in))]
        variable = memory.env.variable(VARIABLE) or ""
        if opted_out_by(project, home, variable) or opted_out_by(first, home, variable):
            return
        record: dict[str, object] = {"event": event, "at": at_ms, "mono": mono_ns, "boot": spool.boot_id()}
        record.update({"project": secrets.redact(project), **_contents(value)})
        capture_event.keep(home, record, spool)
    except BaseException as error:  # the agent must not notice, whatever it was
        capture_event.complain(home, event, error, import_module)


def _contents(value: JSON) -> dict[str, object]:
    if not isinstance(value, dict):
        raw = capture_event.encode({"input": value})
        return capture_event.contents(None, {}, raw, len(raw), "", secrets)
    raw = capture_event.encode(dict(value))
    if len(raw) <= capture_event.CUT_ABOVE:
        return capture_event.contents(value, {}, b"", len(raw), "", secrets)
    return capture_event.contents(
        None, capture_event.scrape(raw), raw, len(raw), blake2b(raw, digest_size=16).hexdigest(), secrets
    )


# ---- any object -> JSON

_DEEPEST = 200  # levels; nothing that a tool answers is nested so far, and the encoder has an end, too
_MOST = 500_000  # values; a list of lists that hold each other twice has no end otherwise
_LONGEST_INT = 4096  # bits; Python refuses to write much longer ones in decimal


_LISTS: tuple[Any, ...] = (list, tuple, set, frozenset)


class _Plain:
    """Any object as JSON. Looks only at an object's real type, because a hostile one may lie about the rest."""

    def __init__(self) -> None:
        self._above: list[int] = []  # the containers around the current value, to notice a circle
        self._left = _MOST

    def json(self, value: Any) -> JSON:
        kind = type(value)
        if value is None or kind is bool:
            return value  # type: ignore[no-any-return]
        if issubclass(kind, str):
            return str.__str__(value)
        if issubclass(kind, int):
            number = int.__int__(value)
            return number if number.bit_length() <= _LONGEST_INT else hex(number)
        if issubclass(kind, float):
            decimal = float.__float__(value)
            return decimal if math.isfinite(decimal) else float.__repr__(decimal)
        if issubclass(kind, bytes | bytearray):
            return bytes(value).decode("utf-8", "replace")
        if issubclass(kind, dict | list | tuple | set | frozenset):
            return self._container(value)
        return text_of(value)

    def _container(self, value: Any) -> JSON:
        if id(value) in self._above:
            return "[circular]"
        if len(self._above) >= _DEEPEST or self._left <= 0:
            return "[too deep]" if self._left > 0 else "[too large]"
        self._above.append(id(value))
        try:
            if issubclass(type(value), dict):
                pairs = list(dict.items(value))
                self._left -= len(pairs) + 1
                return {self._key(key): self.json(part) for key, part in pairs}
            parts = next(list(base.__iter__(value)) for base in _LISTS if issubclass(type(value), base))
            self._left -= len(parts) + 1
            return [self.json(part) for part in parts]
        finally:
            self._above.pop()

    def _key(self, key: Any) -> str:
        return str.__str__(key) if issubclass(type(key), str) else text_of(key)


def text_of(value: Any) -> str:
    """Return an object as text, or, where even that fails, its type.

    >>> text_of(range(3))
    'range(0, 3)'
    """
    for say in (str, repr, lambda _: f"<{type(value).__name__}>"):
        try:
            return str.__str__(say(value))
        except BaseException:  # noqa: S112 — whatever it raises, the event around it is worth keeping
            continue
    return "<unprintable>"
