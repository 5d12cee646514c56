"""Observations as they are, and learnings and memorised items through the gate -> memory items.

Everything here is derived. The log says what came in; ticks and acts say in which order the gate saw it, with which
policy; pipeline/replay.py replays them. Observations become items before anything later is judged, so that the order
of the log is the order of their effects.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from reverie.capture.observation_input import a_text
from reverie.distil.source_trust import trust_of
from reverie.errors import BadInput, StaleVersion
from reverie.foundation.as_json import item_as_json, item_from_json
from reverie.foundation.bulk import BULK, chunks
from reverie.foundation.text import uncoloured
from reverie.gate.decide import Policy, explain, gate
from reverie.gate.mandates import Mandates, read_mandates
from reverie.gate.redact import redact
from reverie.gate.same_text import likeness
from reverie.maintenance.consolidation import Consolidation
from reverie.pipeline.learned_item import item_of_learning
from reverie.pipeline.policy_record import policy_as_json
from reverie.pipeline.scoped_items import ScopedItems
from reverie.pipeline.store_views import ConversationStoreView, EngineStoreView, Search
from reverie.pipeline.validity import chain_again, settle
from reverie.ports import Embedder, Engine, Env, MemoryType
from reverie.records import (
    AUTO,
    CONVERSATION,
    EPISODIC,
    JSON,
    SEMANTIC,
    WORKING,
    Drop,
    Filters,
    Keep,
    Learned,
    Lifecycle,
    MemoryItem,
    Merge,
    Near,
    Observation,
    Quarantine,
    Stored,
    Trust,
    Verdict,
    WriteEvent,
    is_recall,
)
from reverie.redact.personal import masked
from reverie.settings import Settings
from reverie.stores.episodic import copy_of, items_of
from reverie.stores.message_validity import has_history
from reverie.stores.semantic import strengthen
from reverie.stores.summaries import summary
from reverie.stores.type_registry import TypeRegistry, shipped

_JUDGED = 50  # learnings in one transaction: another writer waits for at most this many
_INDEXED_CHARS = 1_000_000  # of an observation that becomes items; the log keeps all of it
_LOOKED_AT = 400  # stored items that a newcomer is compared with, newest first
_TELLING_WORDS = 6  # of a newcomer: a twin shares at least one of its longest words
_NEIGHBOURS = 6  # that the gate is told of: the nearest, among them a twin if there is one
_MARKED = 0.8  # how much a memory matters at least that was marked for a goal
_OURS = (WORKING, EPISODIC, SEMANTIC, CONVERSATION)


@dataclass(frozen=True, slots=True)
class Judged:
    """The verdict of the gate on an item, and whether and where the item was stored."""

    verdict: Verdict
    stored: Stored

    @property
    def name(self) -> str:
        """keep, merge, drop or quarantine."""
        return type(self.verdict).__name__.lower()

    @property
    def item_id(self) -> str:
        """The id under which it is found now; empty if it was dropped."""
        match self.verdict:
            case Merge(into=twin):
                return twin
            case Drop():
                return ""
            case Keep(item=item) | Quarantine(item=item):
                return item.id


class ItemWriter:
    """One user's way in, from the log to the memory types.

    What a person or a program asks for is logged first, then done by a method `apply_…`; a rebuild (pipeline/replay.py)
    calls only those.
    """

    def __init__(
        self,
        engine: Engine,
        env: Env,
        settings: Settings,
        soul: Callable[[], str],
        search: Search,
    ) -> None:
        self.engine = engine
        self._env = env
        self._settings = settings
        self._soul = soul
        self._search = search
        types = TypeRegistry(shipped(settings.stores, self.derive_id, summary))
        self.consolidation = Consolidation(engine, env, settings, self.derive_id)
        self.registry = types.chosen(settings.memory_types) if settings.memory_types else types
        self.homes: dict[str, str] = {}  # item -> memory type, for what foreign types have taken
        self.scoped = ScopedItems(engine, self.registry, search, self.view, self.derive_id)
        self.adopt(engine.items.stores())

    def derive_id(self, time_ms: int, kind: str, sources: Sequence[str], ordinal: int) -> str:
        return self.engine.derived_id(time_ms, kind, *sources, str(ordinal))

    def view(self, name: str) -> EngineStoreView:
        if name == "conversation":
            return ConversationStoreView(self.engine, self._search, self._settings.stores.conversation_max_messages)
        return EngineStoreView(name, self.engine, self._search)

    def adopt(self, stores: Iterable[str]) -> None:
        """Items of memory types that this process has not registered are asked and forgotten like others."""
        for name in stores:
            if name not in self.registry and name not in _OURS:
                self.registry.adopt(name, self._settings.stores, summary)

    # ---- observations

    def admit(self, progress: Callable[[int], None] = lambda _: None, up_to: int | None = None) -> int:
        """Make items of the observations that are none yet, to the end of the log; says how many were looked at."""
        count = 0
        self.adopt(self.engine.items.stores())
        while True:
            after = self.engine.items.admitted()
            chunk = self.engine.log.read(after=after, limit=BULK)
            if up_to is not None:
                chunk = [observation for observation in chunk if observation.position <= up_to]
            if not chunk:
                return count
            chunk = next(chunks(chunk, lambda observation: len(observation.text)))
            items, home = self.items_and_spans(chunk)
            with self.engine.write():
                if self.engine.items.admitted() == after:  # else another process was first
                    self.engine.items.put(items, home)
                    self.engine.items.set_admitted(chunk[-1].position)
            count += len(chunk)
            progress(count)

    def items_and_spans(
        self, observations: Sequence[Observation]
    ) -> tuple[list[MemoryItem], dict[str, tuple[int, int] | None]]:
        """Items, and for each whose text is the log's own, where it begins and ends there."""
        made: list[MemoryItem] = []
        home: dict[str, tuple[int, int] | None] = {}
        for observation in observations:
            if is_recall(observation.tool) or (observation.tool and not self._settings.enable_tool_tracking):
                continue
            cut = replace(observation, text=observation.text[:_INDEXED_CHARS])
            is_as_logged = uncoloured(cut.text) == cut.text
            at = 0
            for item in items_of(cut, self.derive_id, trust_of):
                is_whole = item.id == observation.id and len(observation.text) <= _INDEXED_CHARS
                span = None if is_whole else (at, at + len(item.text))
                at += len(item.text)
                clean = masked(item.text, self._settings.privacy)
                if clean.text != item.text:
                    item = replace(item, text=clean.text, redaction_status=clean.status, tokens_estimate=0)
                elif is_as_logged:
                    home[item.id] = span
                made.append(item)
        return made, home

    def items_of(self, observations: Sequence[Observation]) -> list[MemoryItem]:
        """Build the items of observations that have none yet; nothing is stored."""
        return self.items_and_spans(observations)[0]

    # ---- the gate

    def learned_items(self, limit: int) -> list[MemoryItem]:
        """Build the items that the gate would keep of waiting learnings, with the learnings' ids; nothing is stored."""
        policy = self.policy()
        found = []
        for learned in self.engine.learnings.at_the_gate(limit):
            item = item_of_learning(learned, self.engine)
            verdict = gate(WriteEvent(item=item), self.near(item), policy)
            if isinstance(verdict, Keep):
                found.append(replace(verdict.item, id=learned.id))
        return found

    def judge_waiting(self, progress: Callable[[int], None] = lambda _: None) -> int:
        """Let the gate look at what was learned since; says how many learnings it saw."""
        count = 0
        while self.engine.learnings.at_the_gate(1):
            self.admit()
            with self.engine.write():
                waiting = self.engine.learnings.at_the_gate(_JUDGED)
                now = self._env.now_ms()
                policy = self._current_policy(now)
                self.engine.history.tick("gate", {"ids": [learned.id for learned in waiting]}, now)
                for learned in waiting:
                    self._note_home(self.judge_learned(learned, policy), now)
            count += len(waiting)
            progress(count)
        return count

    def judge_learned(self, learned: Learned, policy: Policy) -> Judged:
        item = item_of_learning(learned, self.engine)
        judged = self.judge(WriteEvent(item=item, store=self.homes.get(item.id, AUTO)), policy)
        self.engine.learnings.set_verdict(learned.id, judged.name, judged.item_id)
        return judged

    def judge(self, event: WriteEvent, policy: Policy) -> Judged:
        verdict = gate(event, self.near(event.item), policy)
        return Judged(verdict, self._apply(verdict))

    def _note_home(self, judged: Judged, now_ms: int) -> None:
        """Log which foreign memory type took an item: a process without the type rebuilds it there, too."""
        item = judged.verdict.item
        if judged.item_id and item.store not in _OURS:
            self.engine.history.tick("home", {"id": item.id, "store": item.store}, now_ms)

    def explain(self, event: WriteEvent) -> list[str]:
        """Explain the verdict of the gate on an item, without any effect."""
        return explain(gate(event, self.near(event.item), self.policy()))

    def near(self, item: MemoryItem) -> list[Near]:
        """Find stored items that resemble an item: of its subject, or with its words.

        Independent of what other users store and of any embedder, so that a rebuild decides alike.
        """
        words = sorted(
            {word for word in item.text.lower().split() if word.isalnum()}, key=lambda word: (-len(word), word)
        )
        filters = Filters(stores=(SEMANTIC,), quarantined=True)
        by_words = self.engine.items.recent_with(" ".join(words[:_TELLING_WORDS]), filters, _LOOKED_AT)
        by_subject = self.engine.items.select(replace(filters, subject=item.subject)) if item.subject else []
        found = {one.id: one for one in [*by_words, *by_subject] if one.id != item.id}
        near = [Near(one, likeness(item.text, one.text)) for one in found.values()]
        return sorted(near, key=lambda one: (-one.likeness, one.item.id))[:_NEIGHBOURS]

    def _apply(self, verdict: Verdict) -> Stored:
        match verdict:
            case Keep(item=item, supersedes=older):
                item = replace(item, lineage_ids=(older,)) if older and older not in item.lineage_ids else item
                stored = self.registry.get(item.store).memorize(item, self.view(item.store))
                if item.subject:
                    settle([one for one in self.engine.items.get([item.id]) if has_history(one)], self.engine)
                return stored
            case Merge(item=item, into=twin):
                view = self.view(SEMANTIC)
                existing = view.get(twin)
                if existing is not None:
                    view.put(strengthen(existing, item))
                return Stored((twin,))
            case Quarantine(item=item):
                hidden = replace(item, lifecycle=Lifecycle.QUARANTINED)
                return self.registry.get(hidden.store).memorize(hidden, self.view(hidden.store))
            case Drop():
                return Stored(())

    # ---- the policy, as it was when something was judged

    def policy(self) -> Policy:
        return Policy(
            settings=self._settings.gate,
            privacy=self._settings.privacy,
            mandates=self.mandates(),
            goals=tuple(self.engine.goals.goals()),
            memory_types=tuple(self.registry.names),
            foreign_types=self.foreign_types,
        )

    @property
    def foreign_types(self) -> tuple[MemoryType, ...]:
        return tuple(one for one in self.registry if one.name not in _OURS)

    def _current_policy(self, now_ms: int) -> Policy:
        """The policy of this moment, noted in the log whenever it has changed: a rebuild judges by the same."""
        policy = self.policy()
        noted = policy_as_json(policy)
        last = self.engine.history.last("policy")
        if last is None or last.data != noted:
            self.engine.history.tick("policy", noted, now_ms)
        return policy

    # ---- what somebody asks for

    def memorize(self, item: MemoryItem, store: str = AUTO) -> Judged:
        """Take in what somebody wants remembered, as far as the gate allows it. The log has it masked, too."""
        self.admit()
        cleaned = redact(item, self._settings.privacy)
        if cleaned.forbidden:
            return self.judge(WriteEvent(item=item, store=store), self.policy())
        item = cleaned.item
        with self.engine.write():
            now = self._env.now_ms()
            policy = self._current_policy(now)
            position = self.engine.log.act("memorize", item.id, {"item": item_as_json(item), "store": store}, now)
            judged = self.judge(WriteEvent(item=replace(item, position=position), store=store), policy)
            self._note_home(judged, now)
            return judged

    def track(self, observation: Observation) -> None:
        """Keep a copy of an observation at hand while its task runs."""
        self.admit()
        with self.engine.write():
            self.engine.history.tick("track", {"id": observation.id}, self._env.now_ms())
            self.apply_track(observation)

    def apply_track(self, observation: Observation) -> None:
        items = [item for item in self.engine.items.of_sources([observation.id]) if item.store == EPISODIC]
        copy = copy_of(observation, items, self.derive_id)
        if copy and WORKING in self.registry:
            self.registry.get(WORKING).memorize(copy, self.view(WORKING))

    def summarize(self, name: str, limit_tokens: int) -> str:
        """Summarise a memory type in so many tokens, as the type does it itself."""
        return self.registry.get(name).summarize(self.view(name), limit_tokens)

    def whole_ids(self, ids: Sequence[str]) -> list[str]:
        """Return the whole ids of memories that are named by theirs, by a short one or by that of a learning."""
        from reverie.pipeline.short_ids import whole_ids

        if not isinstance(ids, str | Iterable):
            raise BadInput(f"ids of memories are texts, not {type(ids).__name__}")
        ids = [a_text(one, "a memory's id") for one in ([ids] if isinstance(ids, str) else ids)]
        if self.engine.learnings.kept_as(ids):  # it may still wait to become a memory
            self.judge_waiting()
        return whole_ids(ids, self.engine)

    def quarantined(self) -> list[MemoryItem]:
        """Return what the gate has set aside for a person to look at."""
        self.judge_waiting()
        found = self.engine.items.select(Filters(quarantined=True))
        return [item for item in found if item.lifecycle is Lifecycle.QUARANTINED]

    def mandates(self) -> Mandates:
        return read_mandates(self._soul())

    def hide(self, ids: Sequence[str]) -> int:
        with self.engine.write():
            now = self._env.now_ms()
            self.engine.log.act("hide", "", {"ids": list(ids)}, now)
            return self.apply_hide(ids, now)

    def apply_hide(self, ids: Sequence[str], at_ms: int) -> int:
        count = self.engine.items.hide(ids, at_ms)
        count += self.scoped.forget_elsewhere(Filters(ids=tuple(ids)), at_ms)[0] if ids else 0
        chain_again(ids, self.engine, self.view(SEMANTIC))
        return count

    def unhide(self, ids: Sequence[str]) -> int:
        with self.engine.write():
            self.engine.log.act("unhide", "", {"ids": list(ids)}, self._env.now_ms())
            return self.apply_unhide(ids)

    def apply_unhide(self, ids: Sequence[str]) -> int:
        count = self.engine.items.unhide(ids)
        chain_again(ids, self.engine, self.view(SEMANTIC))
        return count

    def approve(self, item_id: str) -> MemoryItem:
        """A person has looked at a quarantined item, and vouches for it."""
        with self.engine.write():
            self.engine.log.act("approve", item_id, {}, self._env.now_ms())
            return self.apply_approval(item_id)

    def apply_approval(self, item_id: str) -> MemoryItem:
        item = self.engine.items.get([item_id])[0]
        approved = replace(item, lifecycle=Lifecycle.GENERATED, trust=Trust.PERSON, version=item.version + 1)
        self.engine.items.keep_version(item)
        self.registry.get(item.store).memorize(approved, self.view(item.store))
        settle(self.engine.items.get([item_id]), self.engine)
        return approved

    def edit(self, item_id: str, changes: Mapping[str, JSON], version: int | None) -> MemoryItem:
        """Change an item, if it is still at this version: its text, type, importance, tags, subject or metadata."""
        with self.engine.write():
            item = self.engine.items.get([item_id])[0]
            if version is not None and item.version != version:
                raise StaleVersion(f"{item_id} is at version {item.version}, not {version}; look at it again")
            if item.id in item.sources or item.parent_id:
                raise BadInput(f"{item_id} is what was said, which stays; memorize what is right, or forget it")
            now = self._env.now_ms()
            self.engine.log.act("edit", item_id, dict(changes), now)
            return self.apply_edit(item_id, changes, now)

    def apply_edit(self, item_id: str, changes: Mapping[str, JSON], at_ms: int) -> MemoryItem:
        item = self.engine.items.get([item_id])[0]
        fields = {**item_as_json(item), **changes, "tokens_estimate": 0}
        edited = replace(item_from_json(fields), version=item.version + 1, modified_ms=at_ms, position=item.position)
        self.engine.items.keep_version(item)
        self.view(item.store).put(edited)
        return edited

    def mark(self, ids: Sequence[str], goal: str) -> None:
        """These memories matter for a goal."""
        with self.engine.write():
            self.engine.log.act("mark", goal, {"ids": list(ids)}, self._env.now_ms())
            self.apply_mark(ids, goal)

    def apply_mark(self, ids: Sequence[str], goal: str) -> None:
        self.engine.items.mark(ids, f"goal:{goal}", _MARKED)

    def used(self, ids: Sequence[str], turn: str) -> None:
        """Count that these were shown in a turn."""
        with self.engine.write():
            now = self._env.now_ms()
            self.engine.history.tick("used", {"ids": list(ids), "turn": turn}, now)
            self.engine.items.touch(ids, now)

    # ---- vectors

    def embed_waiting(self, embedder: Embedder, limit: int = BULK) -> int:
        """Give a vector to items that this embedder has not seen; says how many got one. Embeds outside the lock."""
        waiting = self.engine.items.without_vector(embedder.name, limit)
        if not waiting:
            return 0
        rows = embedder.embed([item.text for item in waiting]).astype("<f2")
        vectors = [(item.id, row.tobytes()) for item, row in zip(waiting, rows, strict=True)]
        self.engine.items.put_vectors(embedder.name, vectors)
        return len(waiting)
