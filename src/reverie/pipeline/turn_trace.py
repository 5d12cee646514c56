"""Trace the turns of agents: what was asked, found, shown and written, so that it can be explained later.

The open turn belongs to the context of a call (`contextvars`): each thread and each asyncio task has its own, and
`asyncio.to_thread` carries it. The trace is write-only while the turn runs.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from itertools import count
from typing import Any

from reverie.errors import BadInput
from reverie.foundation.as_json import listed
from reverie.pipeline.searcher import Packed
from reverie.ports import Engine, Env
from reverie.recall import formula, why
from reverie.records import JSON, ReadContext, Recalled, Span
from reverie.settings import RecallSettings, Settings
from reverie.stores.coefficients import Case, Coefficients, Proposal, Weighed, propose

_KEPT_DAYS = 90
_TRACED = 50  # found items that a trace tells of; those that were packed always
_MOST_OPEN = 1_000  # turns that were begun by a call and never committed
_NUMBERS = count()
# The open turns of a context, by the number of the `Turns` that they belong to: a program may have several memories.
_OPEN: ContextVar[Mapping[int, "Running"]] = ContextVar("open turns", default={})  # noqa: B039
_CUT = 2000  # characters of a prompt or a payload that a trace keeps


@dataclass(slots=True)
class Running:
    """The turn that is open now."""

    id: str
    began: float  # by the monotonic clock
    session: str = ""
    agent: str = ""
    task: str = ""
    budget_seconds: float | None = None
    is_implicit: bool = False  # begun by a call, not by `memory.turn()`
    is_over: bool = False
    used_tokens: int = 0
    events: int = 0
    shown: dict[str, None] = field(default_factory=dict)
    written: dict[str, list[str]] = field(default_factory=dict)  # ids by memory type


@dataclass(frozen=True, slots=True)
class Explanation:
    """A past turn as the log tells it: its spans, and the texts that were handed out, byte for byte."""

    turn: str
    spans: tuple[Span, ...]
    texts: Mapping[str, str]

    def lines(self) -> list[str]:
        """For a person to read."""
        told = [f"turn {self.turn}"]
        for span in self.spans:
            told += _told(span, self.texts)
        return told

    def why(self) -> list[str]:
        """Say in a line for each packed memory why it is there, and in one line what was left out."""
        told = []
        for span in self.spans:
            if span.kind == "recall":
                told += _why_packed(span.data)
        return told


class TurnTrace:
    def __init__(self, engine: Engine, env: Env, settings: Settings) -> None:
        self._engine = engine
        self._env = env
        self._settings = settings
        self._number = next(_NUMBERS)
        self._implicit: dict[str, Running] = {}  # turns that were begun by a call and are still open

    def begin(
        self,
        *,
        session: str = "",
        agent: str = "",
        task: str = "",
        budget_seconds: float | None = None,
        is_implicit: bool = False,
    ) -> Running:
        chance = self._env.random_bytes(8).hex()
        turn_id = self._engine.derived_id(self._env.now_ms(), "agent turn", chance)
        running = Running(turn_id, self._env.monotonic(), session, agent, task, budget_seconds, is_implicit)
        if is_implicit:
            self._implicit[turn_id] = running
            if len(self._implicit) > _MOST_OPEN:
                self._implicit.pop(next(iter(self._implicit)))
        return running

    @contextmanager
    def entered(self, running: Running) -> Iterator[None]:
        """Make this the open turn of what is called within, here and in threads that take this context along."""
        before = _OPEN.set({**_OPEN.get(), self._number: running})
        try:
            yield
        finally:
            _OPEN.reset(before)

    @property
    def running(self) -> Running:
        """The open turn of this context; a new one if there is none."""
        running = _OPEN.get().get(self._number)
        if running is None or running.is_over:
            running = self.begin(is_implicit=True)
            _OPEN.set({**_OPEN.get(), self._number: running})
        return running

    def to_commit(self) -> Running:
        """The turn that a commit means: that of its context, else the only one that calls have begun and left open.

        A call in `asyncio.to_thread` without `memory.turn()` leaves its turn behind: its context is a copy.
        """
        running = _OPEN.get().get(self._number)
        if (running is None or running.is_over) and len(self._implicit) == 1:
            return next(iter(self._implicit.values()))
        return self.running

    def end(self, running: Running) -> None:
        running.is_over = True
        self._implicit.pop(running.id, None)
        if _OPEN.get().get(self._number) is running and running.is_implicit:
            _OPEN.set({number: one for number, one in _OPEN.get().items() if number != self._number})

    def fail(self, running: Running, reason: str) -> None:
        """End a turn that was not completed: its trace says why, and nothing counts as used."""
        with self.entered(running):
            self.event("failed", {"reason": reason[:_CUT]})
        self.end(running)

    def with_room_for(self, budget_tokens: int) -> Running:
        """Return the open turn, or refuse a budget that it does not have any more, in numbers.

        A turn that a call has begun and nobody committed gives way to a new one instead.
        """
        whole, running = self._settings.recall.turn_tokens, self.running
        left = whole - running.used_tokens
        if running.is_implicit and left < budget_tokens <= whole:
            self.end(running)
            return self.running
        if budget_tokens > left:
            raise BadInput(
                f"asked for {budget_tokens} tokens, and {left} of this turn's {whole} are left: ask for less, commit "
                "the turn, or raise recall.turn_tokens"
            )
        return running

    def event(self, kind: str, data: Mapping[str, JSON]) -> None:
        """Trace something that happened in the open turn."""
        self.running.events += 1
        self._engine.trace.add(self.running.id, kind, data, self._env.now_ms())

    def wrote(self, store: str, ids: Sequence[str]) -> None:
        self.running.written.setdefault(store, []).extend(ids)

    def recalled(self, answer: Packed) -> None:
        """Trace what a question found and what was shown of it."""
        running = self.running
        running.used_tokens += answer.tokens
        running.shown.update(dict.fromkeys(found.item.id for found in answer.bundle.items))
        packed = {found.item.id for found in answer.bundle.items}
        found = [one for number, one in enumerate(answer.found) if number < _TRACED or one.item.id in packed]
        context = answer.context
        with self._engine.write():
            self.event(
                "recall",
                {
                    "asked": self._as_logged(context.query_text)[:_CUT],
                    "at_ms": context.at_ms,
                    "session": context.session,
                    "goal": self._as_logged(context.goal)[:_CUT],
                    "plan": self._as_logged(context.last_plan)[:_CUT],
                    "filters": _plain(asdict(context.filters)),
                    "budget": context.budget_tokens,
                    "tokens": answer.tokens,
                    "coefficients": _coefficients(self._settings.recall),
                    "found": [_ranked(one, self._settings.recall) for one in found],
                    "packed": [one.item.id for one in answer.bundle.items],
                    "left_out": [list(pair) for pair in answer.bundle.left_out[:_TRACED]],
                    "founded": answer.founded,
                    "reason": answer.reason,
                    "degraded": answer.degraded,
                    "text": self._engine.trace.keep_text(answer.text),
                },
            )

    def told(self, about: str, context: ReadContext, session: str, lines: Sequence[tuple[str, str]], text: str) -> None:
        """Trace what the agent of a session was told about a prompt or a file, each line with its reason."""
        with self._engine.write():
            data: dict[str, JSON] = {
                "about": about,
                "asked": self._as_logged(context.query_text)[:_CUT],
                "session": session,
                "lines": [list(line) for line in lines],
                "text": self._engine.trace.keep_text(text),
            }
            self._engine.trace.add(self.begin(session=session).id, "told", data, self._env.now_ms())

    def late(self, session: str) -> None:
        """Trace that an answer came too late for the hook that asked; it is told with the next prompt."""
        self._engine.trace.add(self.begin(session=session).id, "late", {"session": session}, self._env.now_ms())

    def told_to(self, session: str, limit: int = 50) -> list[Explanation]:
        """Return what hooks told the agent of a session, or of any, newest first."""
        found = []
        for turn, _ in self._engine.trace.turns(1_000, "told"):
            one = self._explanation(turn)
            if not session or any(str(span.data.get("session", "")).endswith(session) for span in one.spans):
                found.append(one)
            if len(found) == limit:
                break
        return found

    def _as_logged(self, text: str) -> str:
        """Mask the question as a strict log does: it often repeats what somebody said."""
        if self._settings.privacy.log == "keep":
            return text
        from reverie.redact.personal import masked

        return masked(text, self._settings.privacy).text

    def expire(self) -> int:
        """Drop what is older than a trace is kept."""
        before = self._env.now_ms() - _KEPT_DAYS * 86_400_000
        return self._engine.trace.expire(before) + self._engine.ledger.expire(before)

    # ---- tuning

    def tuned(self) -> Settings:
        """The settings with the coefficients that were last accepted, if any were."""
        accepted = self._engine.log.acts(kind="coefficients")
        if not accepted:
            return self._settings
        after = accepted[-1][3]
        assert isinstance(after, dict)
        told = after["after"]
        assert isinstance(told, dict)
        values: dict[str, Any] = dict(told)
        return replace(self._settings, recall=replace(self._settings.recall, **values))

    def propose(self, seed: int) -> Proposal:
        """Better coefficients for the turns whose useful memories are known, or none."""
        recall = self.tuned().recall
        now = Coefficients(recall.similarity, recall.recency, recall.importance, recall.duplication)
        return propose(self._cases(), now, seed)

    def accept(self, proposal: Proposal) -> None:
        """Put a proposal into force, and record it with its evidence."""
        assert proposal.coefficients
        before = self.tuned().recall
        data: dict[str, JSON] = {
            "before": _coefficients(before),
            "after": asdict(proposal.coefficients),
            "evidence": proposal.evidence,
        }
        self._engine.log.act("coefficients", "recall", data, self._env.now_ms())

    def _cases(self) -> list[Case]:
        useful: dict[str, set[str]] = {}
        for _, _, turn, data in self._engine.log.acts(kind="useful"):
            assert isinstance(data, dict)
            useful.setdefault(turn, set()).update(map(str, listed(data["ids"])))
        return [
            Case(f"{turn} {span.position}", tuple(_weighed(one, ids) for one in listed(span.data["found"])))
            for turn, ids in useful.items()
            for span in self._engine.trace.of_turn(turn)
            if span.kind == "recall"
        ]

    def explain(self, turn: str = "") -> Explanation:
        """Explain a turn, by its id, its beginning or its end; without one, the latest in which something was asked."""
        trace = self._engine.trace
        if turn:
            wanted = [name for name, _ in trace.turns(limit=1_000) if name.startswith(turn) or name.endswith(turn)]
        else:
            wanted = [name for name, _ in trace.turns(1, "recall") or trace.turns(1)]
        if not wanted:
            raise BadInput(f'no turn "{turn}" is in the trace' if turn else "no turn has been traced yet")
        if len(wanted) > 1:
            raise BadInput(f'"{turn}" could be {", ".join(wanted[:5])}; give more of it')
        return self._explanation(wanted[0])

    def _explanation(self, turn: str) -> Explanation:
        spans = self._engine.trace.of_turn(turn)
        addresses = [str(span.data["text"]) for span in spans if "text" in span.data]
        texts = {address: text for address in addresses if (text := self._engine.trace.text(address)) is not None}
        return Explanation(turn, tuple(spans), texts)


def _ranked(found: Recalled, settings: RecallSettings) -> JSON:
    terms: dict[str, JSON] = {
        name: getattr(found, name) for name in ("score", "similarity", "recency", "importance", "duplication", "tokens")
    }
    return {"id": found.item.id, **terms, "why": why(found), "formula": formula(found, settings)}


def _weighed(found: JSON, useful: set[str]) -> Weighed:
    assert isinstance(found, dict)
    similarity, recency, importance, duplication = (
        float(str(found[name])) for name in ("similarity", "recency", "importance", "duplication")
    )
    return Weighed(similarity, recency, importance, duplication, found["id"] in useful)


def _coefficients(settings: RecallSettings) -> dict[str, JSON]:
    return {name: getattr(settings, name) for name in ("similarity", "recency", "importance", "duplication")}


def _plain(values: Mapping[str, JSON]) -> dict[str, JSON]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items() if value}


# ---- a turn in words. The kinds are those of the trace, which keeps them for months: they are not what is printed.

_VERDICTS = {
    "keep": "kept {}",
    "merge": "merged into {}",
    "drop": "dropped",
    "quarantine": "in quarantine until a person has looked at it: {}",
}


def _told(span: Span, texts: Mapping[str, str]) -> list[str]:
    match span.kind:
        case "recall":
            return _told_recall(span.data, texts)
        case "told":
            return _told_by_a_hook(span, texts)
        case "policy":
            return _told_verdict(span.data)
        case "tool_invocation":
            return [f"  tool {span.data['tool']} {'failed' if span.data['failed'] else 'called'}: {span.data['item']}"]
        case "summary" if "episode" in span.data:
            data = span.data
            return [f"  summarised {data['items']} memories of the episode {data['episode']}: {data['reason']}"]
        case "summary":
            return _told_commit(span.data)
        case "failed":
            return [f"  failed: {span.data['reason']}"]
        case other:
            said = "; ".join(f"{name} {_in_words(value)}" for name, value in span.data.items() if _in_words(value))
            return [f"  {other}: {said}"]


def _told_recall(data: Mapping[str, JSON], texts: Mapping[str, str]) -> list[str]:
    told = [
        f"  asked: {data['asked']}",
        f"  packed {len(listed(data['packed']))} of {len(listed(data['found']))} found,"
        f" {data['tokens']} of {data['budget']} tokens",
    ]
    told += [f"  {line}" for line in _how_founded(data)]
    packed = set(map(str, listed(data["packed"])))
    for one in listed(data["found"]):
        assert isinstance(one, dict)
        told.append(f"    {'*' if one['id'] in packed else ' '} {one['id']}  {one['why']}")
        told += [f"        {one['formula']}"] if one.get("formula") else []
    told += [f"      {pair[0]}: {pair[1]}" for pair in listed(data["left_out"]) if isinstance(pair, list)]
    text = texts.get(str(data["text"]))
    return [*told, "  shown:", *(text.splitlines() if text is not None else ["  (forgotten since)"])]


def _how_founded(data: Mapping[str, JSON]) -> list[str]:
    """One line; traces of earlier versions have none."""
    return [f"founded {data['founded']}: {data['reason']}"] if data.get("reason") else []


def _told_by_a_hook(span: Span, texts: Mapping[str, str]) -> list[str]:
    data = span.data
    when = datetime.fromtimestamp(span.at_ms / 1000, UTC).isoformat(" ")[:16]
    told = [f"  {when} session {data['session'] or 'unknown'}, {data['about']}: {data['asked']}"]
    lines = [pair for pair in listed(data["lines"]) if isinstance(pair, list)]
    if not lines:
        return [*told, "  nothing that is known fits: nothing was told"]
    text = texts.get(str(data["text"]))
    told += [f"    {str(pair[0])[-8:]}  {pair[1]}" for pair in lines]
    return [*told, "  told:", *(text.splitlines() if text is not None else ["  (forgotten since)"])]


def _why_packed(data: Mapping[str, JSON]) -> list[str]:
    packed = set(map(str, listed(data["packed"])))
    found = [one for one in listed(data["found"]) if isinstance(one, dict)]
    told = [f"{one['id']}  {one['why']}" for one in found if one["id"] in packed]
    left = len(found) - len(told)
    told += _how_founded(data)
    return [*told, f"{left} more found and left out; `reverie explain` lists them"] if left else told


def _told_verdict(data: Mapping[str, JSON]) -> list[str]:
    verdict = _VERDICTS[str(data["verdict"])].format(data["item"])
    return [f"  {verdict}", *(f"    - {reason}" for reason in listed(data["reasons"]))]


def _told_commit(data: Mapping[str, JSON]) -> list[str]:
    written = data["written"] if isinstance(data["written"], dict) else {}
    shown = [str(one) for one in listed(data["shown"])]
    counts = ", ".join(f"{count} to {store} memory" for store, count in sorted(written.items()))
    told = [f"  committed: {f'wrote {counts}' if counts else 'wrote nothing'}"]
    return [*told, f"    shown: {', '.join(shown)}"] if shown else told


def _in_words(value: JSON) -> str:
    match value:
        case dict():
            return ", ".join(f"{name} {_in_words(one)}" for name, one in value.items())
        case list():
            return ", ".join(map(_in_words, value))
        case bool():
            return str(value).lower()
    return "" if value is None else str(value)
