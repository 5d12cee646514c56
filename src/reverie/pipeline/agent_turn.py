"""An agent's turn: what it asks memory, is told, does and writes, from its first call to its commit.

`AgentTurns` has the calls; each works on the turn of its context. `with memory.turn() as turn:` opens one and gives an
`AgentTurn`; without that, a turn begins with the first call and ends with `commit`. Turns of several threads, tasks and
conversations run side by side.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from reverie.capture.observation_input import a_text, captured
from reverie.errors import BadInput
from reverie.foundation.as_json import plain_json
from reverie.pipeline.ingest import Ingest
from reverie.pipeline.item_drafts import draft_of
from reverie.pipeline.item_writer import ItemWriter, Judged
from reverie.pipeline.lookup import FilterInput, Lookup
from reverie.pipeline.open_store import OpenStore
from reverie.pipeline.turn_trace import Running, TurnTrace
from reverie.recall.question import CANDIDATES
from reverie.records import AUTO, EPISODIC, JSON, SEMANTIC, STORE_ALIASES, Keep, Kind, MemoryItem, ToolUse
from reverie.records.results import Assembled, BudgetStatus, Cited, Committed, Memorized, Tracked
from reverie.redact.secrets import redact, redact_json
from reverie.tasks.goals import Goals

if TYPE_CHECKING:
    from reverie.maintenance.upkeep import Maintenance
    from reverie.pipeline.searcher import Packed

_OF_TURNS = "turn"  # the session of what a turn does when its caller names none


class AgentTurns:
    """The calls around an agent's turn, for one user."""

    def __init__(
        self,
        store: OpenStore,
        ingest: Ingest,
        item_writer: ItemWriter,
        lookup: Lookup,
        goals: Goals,
        maintenance: "Maintenance",
        turns: TurnTrace,
    ) -> None:
        self._store = store
        self._ingest = ingest
        self._item_writer = item_writer
        self._lookup = lookup
        self._goals = goals
        self._maintenance = maintenance
        self._turns = turns

    @contextmanager
    def turn(
        self, *, session: str = "", agent: str = "", task: str = "", budget_seconds: float | None = None
    ) -> "Iterator[AgentTurn]":
        """Open a turn for what is called within. Its end commits; an exception marks it as failed."""
        running = self._turns.begin(session=session, agent=agent, task=task, budget_seconds=budget_seconds)
        turn = AgentTurn(self, self._turns, running)

        def mark_as_failed(_: object, error: BaseException | None, __: object) -> None:
            if error is not None and not running.is_over:
                self._turns.fail(running, f"{type(error).__name__}: {error}")

        with self._turns.entered(running):
            with ExitStack() as failed:
                failed.push(mark_as_failed)
                yield turn
            if not running.is_over:
                turn.commit()

    @contextmanager
    def in_new_turn(self) -> Iterator[None]:
        """Open a turn for what is called within, and leave it to that to commit."""
        with self._turns.entered(self._turns.begin()):
            yield

    def assemble_context(
        self,
        prompt: str,
        budget: int = 2000,
        filters: FilterInput = None,
        *,
        session: str = "",
        task: str = "",
        agent: str = "",
        plan: str = "",
        at: object = None,
        include: Sequence[str] = (),
        everything: bool = False,
        leave_out: Callable[[MemoryItem], bool] | None = None,
        most: int | None = None,
    ) -> Assembled:
        """Return what memory has to say to a prompt within a budget of tokens, and why each line is there."""
        if isinstance(budget, bool) or not isinstance(budget, int) or budget < 1:
            raise BadInput(f"a budget of {budget!r} tokens has no room for anything; it is a whole number")
        running = self._turns.with_room_for(budget)
        context = replace(
            self._lookup.question(prompt, filters, at, top_k=CANDIDATES),
            session=self._store.clean_name(session or running.session),
            task=task or running.task,
            agent=agent or running.agent,
            last_plan=redact(a_text(plan, "a plan")),
            budget_tokens=budget,
            include=tuple(include),
            everything=everything,
        )
        context = replace(context, goal=self._goals.as_query(context.filters.project))
        answer = self._lookup.assemble(context, leave_out, most)
        self._turns.recalled(answer)
        return _assembled(answer, running.id)

    def memorize(
        self, item: str | MemoryItem, metadata: Mapping[str, Any] | None = None, *, store: str = AUTO, **fields: Any
    ) -> Memorized:
        """Remember this, as far as the gate allows; return where it went, why, and what had to go for it."""
        running = self._turns.running
        for name in ("session", "task", "agent"):
            if isinstance(item, str) and getattr(running, name):
                fields.setdefault(name, getattr(running, name))
        draft = draft_of(item, metadata or {}, fields, self._store.engine, self._store.env)
        store = STORE_ALIASES.get(a_text(store, "the name of a memory type"), store)
        if store != AUTO:
            self._item_writer.registry.get(store)
        judged = self._item_writer.memorize(draft, store)
        self._maintenance.embed_now()
        if judged.item_id:
            self._turns.wrote(judged.verdict.item.store, [judged.item_id])
        reasons: list[JSON] = list(judged.verdict.reasons)
        self._turns.event("policy", {"verdict": judged.name, "item": judged.item_id, "reasons": reasons})
        return _memorized(judged)

    def track_tool_invocation(
        self,
        tool_name: str,
        parameters: Mapping[str, Any] | None = None,
        result: object = None,
        error: object = None,
        *,
        session: str = "",
        project: str = "",
        task: str = "",
    ) -> Tracked:
        """Log a tool call and its result: for recall, and for the skills that repeated calls make."""
        if not self._store.settings.enable_tool_tracking:
            return Tracked(ok=True)
        if parameters is not None and not isinstance(parameters, Mapping):
            raise BadInput(f'parameters are named, such as {{"command": "ls"}}, not {parameters!r}')
        running, env = self._turns.running, self._store.env
        task = task or running.task
        fields: dict[str, Any] = {"text": _as_text(result if error is None else error), "kind": Kind.TOOL_CALL}
        fields |= {"session": session or running.session or _OF_TURNS, "project": project}
        fields |= {"metadata": {"task": task} if task else {}}
        told = captured(fields, env.now_ms(), self._store.engine.mark)
        tool = ToolUse(
            redact(a_text(tool_name, "a tool's name")),
            redact_json(plain_json(dict(parameters or {}))),
            failed=error is not None,
        )
        stored = self._ingest.keep(replace(told, tool=tool, event_id=f"tool:{env.random_bytes(8).hex()}"))
        self._item_writer.track(stored)
        self._maintenance.embed_now()
        self._turns.wrote(EPISODIC, [stored.id])
        self._turns.event("tool_invocation", {"tool": tool.name, "item": stored.id, "failed": error is not None})
        return Tracked(ok=True, item_id=stored.id)

    def commit(self, progress: Mapping[str, float] | None = None) -> Committed:
        """End the turn: count what was shown, write goal progress (0 to 1, by id), and hand on what was written."""
        if progress is not None and not isinstance(progress, Mapping):
            raise BadInput(f"progress is given by goal, such as {{ID: 0.5}}, not {progress!r}")
        running = self._turns.to_commit()
        with self._turns.entered(running), self._store.engine.write():
            changed = tuple(self._goals.update(goal, progress=value) for goal, value in (progress or {}).items())
            if running.shown:
                self._item_writer.used(list(running.shown), running.id)
            summary = {store: len(ids) for store, ids in running.written.items()}
            self._turns.event("summary", {"written": dict(summary), "shown": list(running.shown)})
        self._turns.end(running)
        self._ingest.close_turns()
        return Committed(
            turn=running.id,
            written=summary,
            used=tuple(running.shown),
            episodic=tuple(running.written.get(EPISODIC, ())),
            semantic=tuple(running.written.get(SEMANTIC, ())),
            goals=changed,
        )

    def budget_status(self) -> BudgetStatus:
        """Return how much of the open turn's budget is used, and how full the memory types are."""
        running = self._turns.running
        budget = self._store.settings.recall.turn_tokens
        stores = {}
        for memory_type in self._item_writer.registry:
            capacity = memory_type.capacity(self._item_writer.view(memory_type.name))
            stores[memory_type.name] = (capacity.items, capacity.tokens)
        seconds = round(self._store.env.monotonic() - running.began, 3)
        left = None if running.budget_seconds is None else max(0.0, round(running.budget_seconds - seconds, 3))
        return BudgetStatus(
            turn=running.id,
            budget_tokens=budget,
            used_tokens=running.used_tokens,
            remaining_tokens=budget - running.used_tokens,
            events=running.events,
            seconds=seconds,
            budget_seconds=running.budget_seconds,
            remaining_seconds=left,
            stores=stores,
        )


@dataclass(frozen=True)
class AgentTurn:
    """One open turn. Its calls belong to it from whatever thread they are made."""

    _calls: AgentTurns
    _turns: TurnTrace
    _running: Running

    @property
    def id(self) -> str:
        return self._running.id

    def assemble_context(self, prompt: str, budget: int = 2000, **options: Any) -> Assembled:
        """As `Memory.assemble_context`, in this turn."""
        with self._turns.entered(self._running):
            return self._calls.assemble_context(prompt, budget, **options)

    def track_tool_invocation(self, tool_name: str, *told: Any, **options: Any) -> Tracked:
        """As `Memory.track_tool_invocation`, in this turn."""
        with self._turns.entered(self._running):
            return self._calls.track_tool_invocation(tool_name, *told, **options)

    def memorize(self, item: str | MemoryItem, **options: Any) -> Memorized:
        """As `Memory.memorize`, in this turn."""
        with self._turns.entered(self._running):
            return self._calls.memorize(item, **options)

    def budget_status(self) -> BudgetStatus:
        with self._turns.entered(self._running):
            return self._calls.budget_status()

    def commit(self, progress: Mapping[str, float] | None = None) -> Committed:
        """End the turn before its block does."""
        with self._turns.entered(self._running):
            return self._calls.commit(progress)


def _assembled(answer: "Packed", turn: str) -> Assembled:
    tokens: dict[str, int] = {}
    sources: dict[str, Cited] = {}
    for found in answer.bundle.items:
        item = found.item
        tokens[item.store] = tokens.get(item.store, 0) + found.tokens
        for source in item.sources or (item.id,):
            cited = Cited(
                id=source, type=item.type.value, speaker=item.speaker, session=item.session, project=item.project,
                when_ms=item.created_ms,
            )  # fmt: skip
            sources.setdefault(source, cited)
    return Assembled(
        text=answer.text,
        tokens=answer.tokens,
        budget_tokens=answer.bundle.budget_tokens,
        sources=tuple(sources.values()),
        tokens_by_type=tokens,
        items=answer.bundle.items,
        left_out=answer.bundle.left_out,
        turn=turn,
        founded=answer.founded,
        reason=answer.reason,
        degraded=answer.degraded,
    )


def _memorized(judged: Judged) -> Memorized:
    verdict = judged.verdict
    return Memorized(
        verdict=judged.name,
        item_id=judged.item_id,
        store=verdict.item.store,
        reasons=verdict.reasons,
        evicted=(*judged.stored.evicted, *judged.stored.summarised),
        superseded=verdict.supersedes if isinstance(verdict, Keep) else "",
    )


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)
