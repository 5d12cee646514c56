"""The calls around an agent's turn: assemble context, track tools, memorise, commit, search, forget, explain.

It joins the way in (`keeping`), the way out (`searcher`) and the turn's trace (`turns`). `Memory` is one of these, with
the doors and the background work around it. These rooms are loaded when they are first used: a hook that asks for the
context has no time for them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from reverie.as_json import plain_json
from reverie.capture.doors import a_text, captured, clean_name, moment_ms
from reverie.capture.secrets import redact, redact_json
from reverie.errors import BadInput
from reverie.events import EventBus, ObservationStored
from reverie.orchestrator.aims import Aims
from reverie.orchestrator.drafts import draft_of
from reverie.ports import SCRUB, Engine, Env, Meanwhile, MemoryType
from reverie.records import (
    AUTO,
    EPISODIC,
    JSON,
    SEMANTIC,
    Captured,
    Filters,
    Hit,
    ItemType,
    Keep,
    Kind,
    Lifecycle,
    MemoryItem,
    Observation,
    ReadContext,
    Recalled,
    Source,
    ToolUse,
    Trust,
    Work,
    WriteEvent,
)
from reverie.results import Assembled, BudgetStatus, Cited, Committed, Forgotten, Memorized, Tracked
from reverie.settings import Settings
from reverie.text import title_line

if TYPE_CHECKING:
    from reverie.orchestrator.doomed import Doomed
    from reverie.orchestrator.keeping import Judged, Keeping
    from reverie.orchestrator.live_index import LiveIndex
    from reverie.orchestrator.searcher import Packed, Searcher
    from reverie.orchestrator.tending import Compaction
    from reverie.orchestrator.turns import Explanation, Turns
    from reverie.stores.compaction import Write
    from reverie.stores.merging import Merging
    from reverie.stores.tuning import Proposal
    from reverie.stores.voting import Voter

_QUERY_CHARS = 40_000  # of a question that are looked at; a pasted file is a question too
_PATIENCE_SECONDS = 2.0  # with whoever still reads what is forgotten for good; after that it is owed
_OF_TURNS = "turn"  # the session of what a turn does when its caller names none


class Orchestrator(Aims):
    """One user's memory types, and a turn that uses them."""

    def __init__(self, engine: Engine, env: Env, settings: Settings, soul: Callable[[], str]) -> None:
        super().__init__(engine, env, settings)
        self.events = EventBus()
        self._registered: list[MemoryType] = []
        self._kept_up: tuple[int, int] | None = None  # the version of the record that memory has kept up with
        self._soul = soul

    @cached_property
    def index(self) -> "LiveIndex":
        from reverie.orchestrator.live_index import LiveIndex

        return LiveIndex(self.engine, self.env, self.settings)

    @cached_property
    def searcher(self) -> "Searcher":
        from reverie.orchestrator.searcher import Searcher

        return Searcher(self.engine, self.index, self.keeping, self.turns.tuned().recall)

    @cached_property
    def keeping(self) -> "Keeping":
        from reverie.orchestrator.keeping import Keeping

        return Keeping(self.engine, self.env, self.settings, self._soul, self.index.candidates)

    @cached_property
    def turns(self) -> "Turns":
        from reverie.orchestrator.turns import Turns

        return Turns(self.engine, self.env, self.settings)

    def register(self, memory_type: MemoryType) -> None:
        """Add a memory type of one's own: it is asked for every context from now on."""
        self.keeping.registry.register(memory_type)
        self._registered.append(memory_type)

    def keep_up(self, progress: Callable[[int], None] = lambda _: None) -> int:
        """Make everything that came in searchable memory: items, judged learnings, vectors. Says how many were new."""
        if self.engine.version() == self._kept_up:
            return 0
        count = self.keeping.admit(progress) + self.keeping.judge_waiting()
        embedder = self.index.embedder()
        done = 0
        while embedder and (embedded := self.keeping.embed_waiting(embedder)):
            done += embedded
            progress(done)
        self._kept_up = self.engine.version()
        return max(count, done)

    def re_embed(self, progress: Callable[[int, int], None] | None = None, limit: int = 1000) -> int:
        """After a change of embedder: give every item a new vector, while the old ones serve; says how many have one.

        `progress` is told how many have one, and how many there are.
        """
        done, total = self.index.re_embed(self.keeping, limit)
        while self.index.is_changing:
            if progress:
                progress(done, total)
            done, total = self.index.re_embed(self.keeping, limit)
        return done

    # ---- the way out

    def assemble_context(
        self,
        prompt: str,
        budget: int = 2000,
        filters: Filters | Iterable[str] | None = None,
        *,
        session: str = "",
        task: str = "",
        agent: str = "",
        plan: str = "",
        at: object = None,
        include: Sequence[str] = (),
        leave_out: Callable[[MemoryItem], bool] | None = None,
        most: int | None = None,
        floor: float | None = None,
    ) -> Assembled:
        """What memory has to say to a prompt within a budget of tokens: the text to inject, and why each line is there.

        Every memory type is asked. Goals, open questions and pending actions widen the question a little. `leave_out`
        says which memories the agent has before it already; with a `floor` (in standard deviations) what shares no
        word with the prompt must be that close to it in meaning.
        """
        if isinstance(budget, bool) or not isinstance(budget, int) or budget < 1:
            raise BadInput(f"a budget of {budget!r} tokens has no room for anything; it is a whole number")
        self.turns.check(budget)
        context = replace(
            self._question(prompt, filters, at, top_k=self.settings.recall.candidates),
            session=self.kept_name(session),
            task=task,
            agent=agent,
            last_plan=redact(a_text(plan, "a plan")),
            budget_tokens=budget,
            include=tuple(include),
        )
        context = replace(context, goal=self.aims(context.filters.project))
        self.keep_up()
        answer = self.searcher.assemble(context, leave_out, most, floor)
        self.turns.recalled(answer)
        return self._assembled(answer)

    def kept_name(self, name: str) -> str:
        """A session or project as the record calls it: `observe` takes secrets out of names, too."""
        return clean_name(str(name or ""), self.engine.mark)

    def _question(self, text: str, filters: Filters | Iterable[str] | None, at: object, top_k: int) -> ReadContext:
        a_text(text, "a question")
        from reverie.stores.filters import default_filters, parse_filters

        if filters is None:
            filters = default_filters(self.settings.stores)
        elif isinstance(filters, str):
            filters = parse_filters([filters])
        elif not isinstance(filters, Filters):
            if isinstance(filters, Mapping | bytes) or not isinstance(filters, Iterable):
                raise BadInput(f'filters are texts such as "project=/shop", or a Filters value, not {filters!r}')
            filters = parse_filters([a_text(one, "a filter") for one in filters])
        at_ms = self.env.now_ms() if at is None else moment_ms(at)
        text = text[:_QUERY_CHARS].encode("utf-8", "replace").decode()  # half a surrogate pair is no text
        # A question is traced, and an embedder elsewhere may be asked about it.
        return ReadContext(query_text=redact(text), at_ms=at_ms, filters=filters, top_k=top_k)

    def _assembled(self, answer: "Packed") -> Assembled:
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
            turn=self.turns.running.id,
            degraded=answer.degraded,
        )

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        project: str | None = None,
        filters: Filters | Iterable[str] | None = None,
        at: object = None,
    ) -> list[Hit]:
        """What is remembered about this, best first: one cheap line for each. `timeline` and `show` tell more.

        `at` is the question's time, from which "yesterday" is measured; now, unless it is given.
        """
        context = self._search_for(query, limit, project, filters, at)
        self.keep_up()
        found = self.searcher.search(context)
        return self._hits(found.found, found.degraded)

    def search_by_words(
        self,
        query: str,
        *,
        limit: int = 10,
        project: str | None = None,
        filters: Filters | Iterable[str] | None = None,
    ) -> list[Hit]:
        """What `search` finds without vectors; reads only what one question needs: quick for a single search."""
        from reverie.orchestrator.searcher import Searcher
        from reverie.orchestrator.word_index import WordIndex

        context = self._search_for(query, limit, project, filters, None)
        index = WordIndex(self.engine, self.keeping, self.settings.retention)
        found = Searcher(self.engine, index, self.keeping, self.turns.tuned().recall).search(context)
        return self._hits(found.found, found.degraded)

    def _search_for(
        self, query: str, limit: int, project: str | None, filters: Filters | Iterable[str] | None, at: object
    ) -> ReadContext:
        context = self._question(query, filters, at, top_k=a_limit(limit))
        if project is None:
            return context
        return replace(context, filters=replace(context.filters, project=self.kept_name(project)))

    def _hits(self, found: Sequence[Recalled], degraded: str = "") -> list[Hit]:
        from reverie.recall import why

        given = self.given_ids([one.item for one in found])
        reasons = [why(one, self.settings.recall) + (f"; {degraded}" if degraded else "") for one in found]
        return [
            hit_of(one.item, one.score, ids, reason) for one, ids, reason in zip(found, given, reasons, strict=True)
        ]

    def given_ids(self, items: Sequence[MemoryItem]) -> list[tuple[str, ...]]:
        """For each item, the ids that whoever observed its sources gave to them."""
        told = []
        for item in items:
            events = [str(item.metadata["event_id"])] if "event_id" in item.metadata else []
            if not events:
                events = [source.event_id for one in item.sources if (source := self.engine.log.get(one))]
            told.append(tuple(one.removeprefix("id:") for one in events if one.startswith("id:")))
        return told

    def timeline(self, item_id: str, before: int = 3, after: int = 3) -> list[Hit]:
        """What happened around a memory, in order, one line each."""
        item = self.show([item_id])[0]
        here = self.engine.items.select(Filters(session=item.session, stores=(EPISODIC,), superseded=True))
        earlier = [one for one in here if (one.position, one.chunk_index) < (item.position, item.chunk_index)]
        later = [one for one in here if (one.position, one.chunk_index) > (item.position, item.chunk_index)]
        shown = [*earlier[len(earlier) - min(before, len(earlier)) :], item, *later[:after]]
        return self._hits([_unranked(one) for one in shown])

    def show(self, ids: Sequence[str]) -> list[MemoryItem]:
        """Memories whole, by id; the short ids of conversations will do."""
        self.keeping.admit()
        ids = self._whole_ids(ids)
        found = self.engine.items.get(ids)
        missing = set(ids) - {item.id for item in found}
        if missing:
            raise BadInput(f"no memory has the id {', '.join(sorted(missing))}; `search` shows ids")
        return found

    def _whole_ids(self, ids: Sequence[str]) -> list[str]:
        from reverie.orchestrator.naming import whole_ids

        ids = _ids(ids)
        if self.engine.learnings.kept_as(ids):  # it may still wait to become a memory
            self.keeping.judge_waiting()
        return whole_ids(ids, self.engine)

    # ---- the way in

    def _append(
        self,
        captures: Sequence[Captured],
        drained: Mapping[str, int] | None = None,
        meanwhile: Meanwhile | None = None,
    ) -> list[Observation | None]:
        """Put captured events into the log, all or none, and tell who listens; None stands for a repeat.

        Everything that is observed, noted, said or tracked comes in by this.
        """
        stored = self.engine.log.append(captures, drained, meanwhile, self._as_logged(captures))
        if self.events.has_subscribers(ObservationStored):
            for observation in stored:
                if observation is not None:
                    self.events.publish(ObservationStored(observation))
        return stored

    def _as_logged(self, captures: Sequence[Captured]) -> Sequence[Captured] | None:
        """What of captured events the log may have; None, and at no cost, where that is all."""
        policy = self.settings.privacy
        if policy.log == "keep":
            return None
        from reverie.gate.logged import as_logged

        return [as_logged(one, policy, self.engine.mark) for one in captures]

    def keep(self, one: Captured) -> Observation:
        """Put one captured event into the log. A repeat is an error here: who calls says that it is new."""
        stored = self._append([one])[0]
        if stored is None:
            raise BadInput("this was stored a moment ago")
        return stored

    def memorize(
        self, item: str | MemoryItem, metadata: Mapping[str, Any] | None = None, *, store: str = AUTO, **fields: Any
    ) -> Memorized:
        """Remember this, as far as the gate allows: says where it went, why, and what had to go for it.

        memory.memorize("The staging port is 8080")
        memory.memorize("try the cache first", type="thought", task="fix-build")
        """
        draft = draft_of(item, metadata or {}, fields, self.engine, self.env)
        a_text(store, "the name of a memory type")
        if store != AUTO:
            self.keeping.registry.get(store)
        judged = self.keeping.memorize(draft, store)
        self._embed_now()
        self._trace_verdict(judged)
        return _memorized(judged)

    def _trace_verdict(self, judged: "Judged") -> None:
        if judged.item_id:
            self.turns.wrote(judged.verdict.item.store, [judged.item_id])
        reasons: list[JSON] = list(judged.verdict.reasons)
        self.turns.event("policy", {"verdict": judged.name, "item": judged.item_id, "reasons": reasons})

    def explain_gate(self, text: str, **fields: Any) -> list[str]:
        """What would become of a text at the gate, and why; nothing is stored."""
        if fields.get("trust") in (Trust.PERSON, Trust.PERSON_FILE):
            fields.setdefault("source", Source.USER)  # as `memorize` has it when a person asks
        return self.keeping.explain(WriteEvent(item=draft_of(text, {}, fields, self.engine, self.env)))

    def track_tool_invocation(
        self,
        tool_name: str,
        parameters: Mapping[str, Any] | None = None,
        result: object = None,
        error: object = None,
        *,
        session: str = _OF_TURNS,
        project: str = "",
        task: str = "",
    ) -> Tracked:
        """Log a tool call and what came of it: for recall, and for the skills that repeated calls make."""
        if not self.settings.enable_tool_tracking:
            return Tracked(ok=True)
        if parameters is not None and not isinstance(parameters, Mapping):
            raise BadInput(f'parameters are named, such as {{"command": "ls"}}, not {parameters!r}')
        fields: dict[str, Any] = {"text": _as_text(result if error is None else error), "kind": Kind.TOOL_CALL}
        fields |= {"session": session, "project": project, "metadata": {"task": task} if task else {}}
        told = captured(fields, self.env.now_ms(), self.engine.mark)
        tool = ToolUse(
            redact(a_text(tool_name, "a tool's name")),
            redact_json(plain_json(dict(parameters or {}))),
            failed=error is not None,
        )
        mark = self.env.random_bytes(8).hex()
        stored = self.keep(replace(told, tool=tool, event_id=f"tool:{mark}"))
        self.keeping.track(stored)
        self._embed_now()
        self.turns.wrote(EPISODIC, [stored.id])
        self.turns.event("tool_invocation", {"tool": tool.name, "item": stored.id, "failed": error is not None})
        return Tracked(ok=True, item_id=stored.id)

    def _embed_now(self) -> None:
        """Whoever memorises finds at once; a process that has no embedder loaded leaves the vector to the steward."""
        if self.index.is_warm and (embedder := self.index.embedder()):
            self.keeping.embed_waiting(embedder)

    def commit(self, progress: Mapping[str, float] | None = None) -> Committed:
        """The turn is over: count what was shown, write goal progress, and hand on what was written.

        `progress` gives how far goals have come (0 to 1), by id.
        """
        if progress is not None and not isinstance(progress, Mapping):
            raise BadInput(f"progress is given by goal, such as {{ID: 0.5}}, not {progress!r}")
        running = self.turns.running
        with self.engine.write():
            changed = tuple(self.set_goal(goal, progress=value) for goal, value in (progress or {}).items())
            if running.shown:
                self.keeping.used(list(running.shown), running.id)
            summary = {store: len(ids) for store, ids in running.written.items()}
            self.turns.event("summary", {"written": dict(summary), "shown": list(running.shown)})
        self.turns.end()
        return Committed(
            turn=running.id,
            written=summary,
            used=tuple(running.shown),
            episodic=tuple(running.written.get(EPISODIC, ())),
            semantic=tuple(running.written.get(SEMANTIC, ())),
            goals=changed,
        )

    def mark(self, ids: Sequence[str], goal_id: str) -> None:
        """Say that memories matter for a goal: they count for more, and are found by the tag `goal:ID`."""
        if goal_id not in {goal.id for goal in self.goals(everything=True)}:
            raise BadInput(f'no goal "{goal_id}"; `reverie goals` lists them')
        self.keeping.mark([item.id for item in self.show(ids)], goal_id)

    def get_budget_status(self) -> BudgetStatus:
        """How much of the open turn's budget is used, and how full the memory types are."""
        running = self.turns.running
        budget = self.settings.recall.turn_tokens
        stores = {}
        for memory_type in self.keeping.registry:
            capacity = memory_type.capacity(self.keeping.shelf(memory_type.name))
            stores[memory_type.name] = (capacity.items, capacity.tokens)
        return BudgetStatus(
            turn=running.id,
            budget_tokens=budget,
            used_tokens=running.used_tokens,
            remaining_tokens=budget - running.used_tokens,
            events=running.events,
            seconds=round(self.env.monotonic() - running.began, 3),
            stores=stores,
        )

    def explain(self, turn: str = "") -> "Explanation":
        """What was asked, found, packed and why in a turn, from the log; the latest one, unless it is named."""
        return self.turns.explain(a_text(turn or "", "a turn's id"))

    # ---- what memory does with what it has

    def compact(self, session: str | None = None) -> "list[Compaction]":
        """Summarise the threads that are due (ended, long, or a day old); with a session, that one in any case."""
        self.keep_up()
        session = None if session is None else self.kept_name(session)
        done = self.keeping.tending.compact(session, self._summary_writer(), self._link_voter())
        for one in done:
            self.turns.event("summary", {"episode": one.episode, "reason": one.reason, "items": one.items})
        return done

    def _summary_writer(self) -> "Write | None":
        """A model that writes summaries, where there is a budget for one; rules do otherwise."""
        return None

    def _link_voter(self) -> "Voter | None":
        """A model that says whether two threads are one matter, where there is a budget for one."""
        return None

    def summary(self, session: str, level: str = "medium") -> str:
        """What happened in a session that was compacted, at one of three lengths: short, medium, long."""
        return self.keeping.tending.summary(self.kept_name(session), level)

    def summarize(self, store: str, limit_tokens: int = 400) -> str:
        """What a memory type holds, in so many tokens, as it tells it itself."""
        return self.keeping.summarize(store, limit_tokens)

    def extract_skills(self) -> list[MemoryItem]:
        """Learn skills from tool sequences that were repeated and worked; says which are new or surer."""
        self.keeping.admit()
        return self.keeping.tending.extract_skills()

    def merge_duplicates(self, *, dry_run: bool = False) -> "list[Merging]":
        """Merge what is known twice; `undo_merge` takes one apart again."""
        self.keep_up()
        return self.keeping.tending.merge(dry_run=dry_run)

    def undo_merge(self, item_id: str) -> list[MemoryItem]:
        return self.keeping.tending.undo_merge(self._whole_ids([item_id])[0])

    def mark_useful(self, turn: str, ids: Sequence[str]) -> None:
        """Say which memories of a turn were of use: what `tune` learns from."""
        told = self.explain(turn)
        useful: list[JSON] = [*self._whole_ids(ids)]
        self.engine.log.act("useful", told.turn, {"ids": useful}, self.env.now_ms())

    def tune(self, *, accept: bool = False, seed: int = 0) -> "Proposal":
        """Replay turns whose useful memories are known, and propose better coefficients; applied only if accepted."""
        proposal = self.turns.propose(seed)
        if accept and proposal.coefficients:
            self.turns.accept(proposal)
            self.searcher.settings = self.turns.tuned().recall
        return proposal

    # ---- forgetting, and what waits for a person

    def forget(self, scope: str, *, hard: bool = False, dry_run: bool = False) -> Forgotten:
        """Forget what a scope names: hidden and to be brought back (soft), or gone for good with every trace (hard).

        memory.forget("session:abc"), memory.forget("id:01H…", hard=True), memory.forget('text:"my pin"')

        What is gone for good by its words also goes from reminders, documents and the like: `beside` names it. With
        `dry_run` it is only said what would go.
        """
        a_text(scope, "what to forget")
        self.keep_up()
        if hard:
            return self._forget_for_good(scope, dry_run)
        found = (*(item.id for item in self.keeping.in_scope(scope)), *self.keeping.kept_elsewhere(scope))
        ids = tuple(dict.fromkeys(found))
        if dry_run:
            return Forgotten(items=len(ids), observations=0, hard=False, ids=ids)
        hidden = self.keeping.hide(ids) if ids else 0
        more, problems = self.keeping.forget_in_types(scope, hard=False)
        warnings = (*self._after_forgetting(), *problems)
        return Forgotten(items=hidden + more, observations=0, hard=False, ids=ids, warnings=warnings)

    def _forget_for_good(self, scope: str, dry_run: bool) -> Forgotten:
        if dry_run:
            told = self._receipt(self.keeping.doomed(scope))
            return replace(told, items=told.items + len(self.keeping.kept_elsewhere(scope)))
        with self.engine.write():  # with which it is noted what is owed for it, so that a crash does not forget that
            doomed = self.keeping.doomed(scope)
            self._before_erasing()
            items = [*(item.id for item in doomed.items), *self.keeping.kept_elsewhere(scope)]
            touched = self.engine.extractions_that_saw(doomed.observations)
            self.engine.erase(doomed.observations, items, self.env.now_ms(), doomed.words)
            self._learn_again(touched)
            self.keeping.derive_again(captured=False)
        more, problems = self.keeping.forget_in_types(scope, hard=True)
        warnings = (*self._clear_elsewhere(), *self.finish_forgetting(_PATIENCE_SECONDS), *problems)
        self.index.follow()
        told = self._receipt(doomed)
        return replace(told, items=told.items + more, warnings=warnings)

    def finish_forgetting(self, patience_seconds: float = 0.0) -> tuple[str, ...]:
        """Do what is owed for what was forgotten for good: leave no byte of it in any file of the workspace.

        Says what cannot be done now. That is still owed, and done by whoever comes next: steward, opener or forget.
        """
        owed = self.engine.owes(SCRUB)
        if not owed:
            return ()
        problems = self._clear_files()
        if not self.engine.scrub(patience_seconds):
            return (*problems, *self.engine.log_file().troubles())
        if not problems:
            self.engine.settle(SCRUB, owed)
        return problems

    def _receipt(self, doomed: "Doomed") -> Forgotten:
        told = _forgotten(doomed)
        if not self.engine.owes(SCRUB):
            return told
        log = self.engine.log_file()
        return replace(told, owed_bytes=log.bytes, waits_for=log.readers)

    def hidden(self, scope: str) -> list[MemoryItem]:
        """What of a scope was forgotten softly: `recover` brings it back by its ids."""
        self.keep_up()
        found = self.keeping.in_scope(a_text(scope, "what to bring back"))
        return list({item.id: item for item in found if item.deleted_ms is not None}.values())

    def recover(self, ids: Sequence[str]) -> int:
        """Bring back what was forgotten softly."""
        count = self.keeping.unhide(self._whole_ids(ids))
        self._after_forgetting()
        return count

    def _learn_again(self, works: Sequence[Work]) -> None:
        """Derive anew what was learned while something was looked at that is erased now."""

    def _before_erasing(self) -> None:
        """Note what has to be cleared elsewhere, in the same transaction: a crash does not make it forgotten."""

    def _after_forgetting(self) -> tuple[str, ...]:
        return (*self._clear_files(), *self._clear_elsewhere())

    def _clear_files(self) -> tuple[str, ...]:
        """Let go of it in what is shown to people, in files for one. Says what could not be done yet."""
        return ()

    def _clear_elsewhere(self) -> tuple[str, ...]:
        """Let go of it outside of the workspace. Says what could not be done yet."""
        return ()

    def quarantined(self) -> list[MemoryItem]:
        """What the gate has set aside for a person to look at."""
        self.keeping.judge_waiting()
        found = self.engine.items.select(Filters(quarantined=True))
        return [item for item in found if item.lifecycle is Lifecycle.QUARANTINED]

    def approve(self, item_id: str) -> MemoryItem:
        """A person vouches for a quarantined item."""
        whole = self._whole_ids([item_id])[0]
        if whole not in {item.id for item in self.quarantined()}:
            raise BadInput(f'"{item_id}" is not in quarantine; `reverie gate list` shows what is')
        return self.keeping.approve(whole)


# What a search calls things: an observation by its kind, as the log does.
_WHAT = {ItemType.TOOL_RESULT: "tool_call", ItemType.ERROR: "tool_call", ItemType.OBSERVATION: "note"}


def a_limit(limit: object) -> int:
    if isinstance(limit, bool) or not isinstance(limit, int):
        raise BadInput(f"a limit is a whole number, not {limit!r}")
    return limit


def _ids(ids: Sequence[str]) -> list[str]:
    """The ids of memories; one may stand alone."""
    if not isinstance(ids, str | Iterable):
        raise BadInput(f"ids of memories are texts, not {type(ids).__name__}")
    return [a_text(one, "a memory's id") for one in ([ids] if isinstance(ids, str) else ids)]


def hit_of(item: MemoryItem, score: float = 0.0, given_ids: tuple[str, ...] = (), why: str = "") -> Hit:
    """An item in one line."""
    return Hit(
        id=item.id,
        what=_WHAT.get(item.type, item.type.value),
        text=item.text,
        when_ms=item.created_ms,
        session=item.session,
        project=item.project,
        speaker=item.speaker,
        score=score,
        title=title_line(item.text),
        tokens=item.tokens_estimate,
        store=item.store,
        sources=item.sources,
        given_ids=given_ids,
        why=why,
    )


def _unranked(item: MemoryItem) -> Recalled:
    return Recalled(item=item, score=0.0, similarity=0.0, recency=0.0, importance=item.importance, duplication=0.0)


def _memorized(judged: "Judged") -> Memorized:
    verdict = judged.verdict
    return Memorized(
        verdict=judged.name,
        item_id=judged.item_id,
        store=verdict.item.store,
        reasons=verdict.reasons,
        evicted=(*judged.stored.evicted, *judged.stored.summarised),
        superseded=verdict.supersedes if isinstance(verdict, Keep) else "",
    )


def _forgotten(doomed: "Doomed") -> Forgotten:
    ids = tuple(dict.fromkeys(item.id for item in doomed.items))
    return Forgotten(items=len(ids), observations=len(doomed.observations), hard=True, ids=ids, beside=doomed.beside)


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)
