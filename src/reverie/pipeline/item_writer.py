"""Observations as they are, and learnings and memorised items through the gate -> memory items.

Everything here is derived. The log says what came in; ticks and acts say in which order the gate saw it, with which
policy; `derive_again` replays them. Observations become items before anything later is judged, so that the order of the
log is the order of their effects.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from reverie.capture.observation_input import a_text
from reverie.distil.source_trust import trust_of
from reverie.errors import BadInput, StaleVersion
from reverie.foundation.as_json import goal_as_json, goal_from_json, item_as_json, item_from_json, listed
from reverie.foundation.bulk import BULK, chunks
from reverie.foundation.text import uncoloured
from reverie.gate.decide import Policy, explain, gate
from reverie.gate.mandates import Mandates, read_mandates
from reverie.gate.redact import redact
from reverie.gate.same_text import likeness
from reverie.gate.subject import favourite_in, is_named, subject_in
from reverie.maintenance import consolidation
from reverie.maintenance.consolidation import Consolidation
from reverie.pipeline.erase_plan import ErasePlan, doomed
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
    Event,
    Filters,
    ItemType,
    Keep,
    Learned,
    LearningType,
    Lifecycle,
    MemoryItem,
    Merge,
    Near,
    Observation,
    Quarantine,
    Source,
    Stored,
    Trust,
    Verdict,
    WriteEvent,
    is_recall,
)
from reverie.redact.personal import masked
from reverie.settings import GateSettings, PrivacySettings, Settings
from reverie.stores.episodic import copy_of, items_of
from reverie.stores.forget_scopes import ForgetScope, everything_of, in_scope, parse_scope
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
_ABOUT_SOMETHING = (LearningType.FACT, LearningType.CORRECTION)
_OURS = (WORKING, EPISODIC, SEMANTIC, CONVERSATION)
_REPLAYED = (
    "policy",
    "gate",
    "memorize",
    "track",
    "hide",
    "unhide",
    "approve",
    "edit",
    "mark",
    "used",
    *consolidation.REPLAYED,
)


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
    """One user's way in, from the log to the memory types."""

    def __init__(
        self,
        engine: Engine,
        env: Env,
        settings: Settings,
        soul: Callable[[], str],
        search: Search,
    ) -> None:
        self._engine = engine
        self._env = env
        self._settings = settings
        self._soul = soul
        self._search = search
        types = TypeRegistry(shipped(settings.stores, self.derive_id, summary))
        self.consolidation = Consolidation(engine, env, settings, self.derive_id)
        self.registry = types.chosen(settings.memory_types) if settings.memory_types else types
        self._homes: dict[str, str] = {}  # item -> memory type, for what foreign types have taken
        self._adopt(engine.items.stores())

    def derive_id(self, time_ms: int, kind: str, sources: Sequence[str], ordinal: int) -> str:
        return self._engine.derived_id(time_ms, kind, *sources, str(ordinal))

    def view(self, name: str) -> EngineStoreView:
        if name == "conversation":
            return ConversationStoreView(self._engine, self._search, self._settings.stores.conversation_max_messages)
        return EngineStoreView(name, self._engine, self._search)

    def _adopt(self, stores: Iterable[str]) -> None:
        """Items of memory types that this process has not registered are asked and forgotten like others."""
        for name in stores:
            if name not in self.registry and name not in _OURS:
                self.registry.adopt(name, self._settings.stores, summary)

    # ---- observations

    def admit(self, progress: Callable[[int], None] = lambda _: None, up_to: int | None = None) -> int:
        """Make items of the observations that are none yet, to the end of the log; says how many were looked at."""
        count = 0
        self._adopt(self._engine.items.stores())
        while True:
            after = self._engine.items.admitted()
            chunk = self._engine.log.read(after=after, limit=BULK)
            if up_to is not None:
                chunk = [observation for observation in chunk if observation.position <= up_to]
            if not chunk:
                return count
            chunk = next(chunks(chunk, lambda observation: len(observation.text)))
            items, home = self._items_of(chunk)
            with self._engine.write():
                if self._engine.items.admitted() == after:  # else another process was first
                    self._engine.items.put(items, home)
                    self._engine.items.set_admitted(chunk[-1].position)
            count += len(chunk)
            progress(count)

    def _items_of(
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
        return self._items_of(observations)[0]

    # ---- the gate

    def learned_items(self, limit: int) -> list[MemoryItem]:
        """Build the items that the gate would keep of waiting learnings, with the learnings' ids; nothing is stored."""
        policy = self._policy()
        found = []
        for learned in self._engine.learnings.at_the_gate(limit):
            item = self._item_of(learned)
            verdict = gate(WriteEvent(item=item), self.near(item), policy)
            if isinstance(verdict, Keep):
                found.append(replace(verdict.item, id=learned.id))
        return found

    def judge_waiting(self, progress: Callable[[int], None] = lambda _: None) -> int:
        """Let the gate look at what was learned since; says how many learnings it saw."""
        count = 0
        while self._engine.learnings.at_the_gate(1):
            self.admit()
            with self._engine.write():
                waiting = self._engine.learnings.at_the_gate(_JUDGED)
                now = self._env.now_ms()
                policy = self._current_policy(now)
                self._engine.history.tick("gate", {"ids": [learned.id for learned in waiting]}, now)
                for learned in waiting:
                    self._note_home(self._judge_learned(learned, policy), now)
            count += len(waiting)
            progress(count)
        return count

    def _judge_learned(self, learned: Learned, policy: Policy) -> Judged:
        item = self._item_of(learned)
        judged = self._judge(WriteEvent(item=item, store=self._homes.get(item.id, AUTO)), policy)
        self._engine.learnings.set_verdict(learned.id, judged.name, judged.item_id)
        return judged

    def _item_of(self, learned: Learned) -> MemoryItem:
        """A learning as the gate sees it. What a person prefers goes with the person into every project."""
        return MemoryItem(
            id=self.derive_id(learned.learned_ms, "learning item", [learned.id], 0),
            type=ItemType(learned.type.value),
            text=learned.text,
            created_ms=learned.learned_ms,
            user=self._engine.user,
            project=learned.project,
            session=learned.session,
            confidence=learned.confidence,
            source=_SOURCES[learned.trust],
            trust=learned.trust,
            position=learned.position,
            subject=self._subject_of(learned),
            sources=(learned.observation_id,),
            metadata={"origin": learned.origin} if learned.origin != "rules" else {},
        )

    def _subject_of(self, learned: Learned) -> str:
        """Find the subject of a learning where it depends on the speaker: "I live in Lisbon" is about them."""
        observation = self._engine.log.get(learned.observation_id)
        speaker = observation.speaker if observation else ""
        if learned.type is LearningType.PREFERENCE:
            told = f"{learned.subject} of {speaker}" if learned.subject and is_named(speaker) else learned.subject
            return favourite_in(learned.text, speaker) or told
        return subject_in(learned.text, speaker) if learned.type in _ABOUT_SOMETHING else ""

    def _judge(self, event: WriteEvent, policy: Policy) -> Judged:
        verdict = gate(event, self.near(event.item), policy)
        return Judged(verdict, self._apply(verdict))

    def _note_home(self, judged: Judged, now_ms: int) -> None:
        """Log which foreign memory type took an item: a process without the type rebuilds it there, too."""
        item = judged.verdict.item
        if judged.item_id and item.store not in _OURS:
            self._engine.history.tick("home", {"id": item.id, "store": item.store}, now_ms)

    def explain(self, event: WriteEvent) -> list[str]:
        """Explain the verdict of the gate on an item, without any effect."""
        return explain(gate(event, self.near(event.item), self._policy()))

    def near(self, item: MemoryItem) -> list[Near]:
        """Find stored items that resemble an item: of its subject, or with its words.

        Independent of what other users store and of any embedder, so that a rebuild decides alike.
        """
        words = sorted(
            {word for word in item.text.lower().split() if word.isalnum()}, key=lambda word: (-len(word), word)
        )
        filters = Filters(stores=(SEMANTIC,), quarantined=True)
        by_words = self._engine.items.recent_with(" ".join(words[:_TELLING_WORDS]), filters, _LOOKED_AT)
        by_subject = self._engine.items.select(replace(filters, subject=item.subject)) if item.subject else []
        found = {one.id: one for one in [*by_words, *by_subject] if one.id != item.id}
        near = [Near(one, likeness(item.text, one.text)) for one in found.values()]
        return sorted(near, key=lambda one: (-one.likeness, one.item.id))[:_NEIGHBOURS]

    def _apply(self, verdict: Verdict) -> Stored:
        match verdict:
            case Keep(item=item, supersedes=older):
                item = replace(item, lineage_ids=(older,)) if older and older not in item.lineage_ids else item
                stored = self.registry.get(item.store).memorize(item, self.view(item.store))
                if item.subject:
                    settle([one for one in self._engine.items.get([item.id]) if has_history(one)], self._engine)
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

    def _policy(self) -> Policy:
        return Policy(
            settings=self._settings.gate,
            privacy=self._settings.privacy,
            mandates=self.mandates(),
            goals=tuple(self._engine.goals.goals()),
            memory_types=tuple(self.registry.names),
            foreign_types=self._foreign_types,
        )

    @property
    def _foreign_types(self) -> tuple[MemoryType, ...]:
        return tuple(one for one in self.registry if one.name not in _OURS)

    def _current_policy(self, now_ms: int) -> Policy:
        """The policy of this moment, noted in the log whenever it has changed: a rebuild judges by the same."""
        policy = self._policy()
        noted = _as_json(policy)
        last = self._engine.history.last("policy")
        if last is None or last.data != noted:
            self._engine.history.tick("policy", noted, now_ms)
        return policy

    # ---- what somebody asks for

    def memorize(self, item: MemoryItem, store: str = AUTO) -> Judged:
        """Take in what somebody wants remembered, as far as the gate allows it. The log has it masked, too."""
        self.admit()
        cleaned = redact(item, self._settings.privacy)
        if cleaned.forbidden:
            return self._judge(WriteEvent(item=item, store=store), self._policy())
        item = cleaned.item
        with self._engine.write():
            now = self._env.now_ms()
            policy = self._current_policy(now)
            position = self._engine.log.act("memorize", item.id, {"item": item_as_json(item), "store": store}, now)
            judged = self._judge(WriteEvent(item=replace(item, position=position), store=store), policy)
            self._note_home(judged, now)
            return judged

    def track(self, observation: Observation) -> None:
        """Keep a copy of an observation at hand while its task runs."""
        self.admit()
        with self._engine.write():
            self._engine.history.tick("track", {"id": observation.id}, self._env.now_ms())
            self._copy(observation)

    def _copy(self, observation: Observation) -> None:
        items = [item for item in self._engine.items.of_sources([observation.id]) if item.store == EPISODIC]
        copy = copy_of(observation, items, self.derive_id)
        if copy and WORKING in self.registry:
            self.registry.get(WORKING).memorize(copy, self.view(WORKING))

    def in_scope(self, scope: str) -> list[MemoryItem]:
        """Everything that a scope such as `session:abc` names, in all memory types."""
        return self._meant(self._scope(scope))

    def doomed(self, scope: str) -> ErasePlan:
        """Everything that has to go for good if a scope has."""

        def as_items(observation: Observation) -> list[MemoryItem]:
            return items_of(observation, self.derive_id, trust_of)

        wanted = self._scope(scope)
        return doomed(wanted, self._meant(wanted), self._engine, as_items)

    def _scope(self, scope: str) -> ForgetScope:
        from reverie.pipeline.short_ids import whole_ids

        wanted = parse_scope(scope, self._stores())
        return replace(wanted, ids=tuple(whole_ids(wanted.ids, self._engine)))

    def _meant(self, scope: ForgetScope) -> list[MemoryItem]:
        views = [EngineStoreView(name, self._engine, self._search) for name in self._stores()]
        return [item for view in views for item in in_scope(scope, view)]

    def _stores(self) -> list[str]:
        """Every memory type that may have items: also one that the settings have left out since."""
        return list(dict.fromkeys([*self.registry.names, *self._engine.items.stores()]))

    # ---- what other people's memory types keep elsewhere

    def kept_elsewhere(self, scope: str) -> list[str]:
        """The ids of what a scope names, was given to other people's memory types and is not in their views."""
        others, wanted = self.registry.others, self._scope(scope)
        if not others:
            return []
        filters = _for_types(wanted)
        homes = {str(event.data["id"]): str(event.data["store"]) for event in self._engine.history.events(["home"])}
        taken = [item_from_json(event.data["item"]) for event in self._engine.history.events(["memorize"])]
        given = [replace(item, store=homes[item.id]) for item in taken if homes.get(item.id) in others]
        meant = [item.id for item in given if filters.admits(item)]
        known = {item.id for item in self._engine.items.get(meant)}
        return [item_id for item_id in dict.fromkeys(meant) if item_id not in known]

    def forget_in_types(self, scope: str, *, hard: bool) -> tuple[int, tuple[str, ...]]:
        """Let other people's memory types forget what a scope names; says how much, and which of them could not."""
        return self.forget_elsewhere(_for_types(self._scope(scope)), self._env.now_ms(), hard=hard)

    def forget_elsewhere(self, filters: Filters, at_ms: int, *, hard: bool = False) -> tuple[int, tuple[str, ...]]:
        count = 0
        problems = []
        for name in self.registry.others:
            if filters.stores and name not in filters.stores:
                continue
            try:
                wanted = replace(filters, stores=())
                count += self.registry.get(name).forget(wanted, self.view(name), at_ms, hard=hard)
            except Exception as error:  # a stranger's code may raise anything
                problems.append(f"{name} memory has not forgotten it: {type(error).__name__}: {error}; forget it again")
        return count, tuple(problems)

    def summarize(self, name: str, limit_tokens: int) -> str:
        """Summarise a memory type in so many tokens, as the type does it itself."""
        return self.registry.get(name).summarize(self.view(name), limit_tokens)

    def whole_ids(self, ids: Sequence[str]) -> list[str]:
        """Return the whole ids of memories that are named by theirs, by a short one or by that of a learning."""
        from reverie.pipeline.short_ids import whole_ids

        if not isinstance(ids, str | Iterable):
            raise BadInput(f"ids of memories are texts, not {type(ids).__name__}")
        ids = [a_text(one, "a memory's id") for one in ([ids] if isinstance(ids, str) else ids)]
        if self._engine.learnings.kept_as(ids):  # it may still wait to become a memory
            self.judge_waiting()
        return whole_ids(ids, self._engine)

    def quarantined(self) -> list[MemoryItem]:
        """Return what the gate has set aside for a person to look at."""
        self.judge_waiting()
        found = self._engine.items.select(Filters(quarantined=True))
        return [item for item in found if item.lifecycle is Lifecycle.QUARANTINED]

    def mandates(self) -> Mandates:
        return read_mandates(self._soul())

    def hide(self, ids: Sequence[str]) -> int:
        with self._engine.write():
            now = self._env.now_ms()
            self._engine.log.act("hide", "", {"ids": list(ids)}, now)
            return self._hide(ids, now)

    def _hide(self, ids: Sequence[str], at_ms: int) -> int:
        count = self._engine.items.hide(ids, at_ms)
        count += self.forget_elsewhere(Filters(ids=tuple(ids)), at_ms)[0] if ids else 0
        chain_again(ids, self._engine, self.view(SEMANTIC))
        return count

    def unhide(self, ids: Sequence[str]) -> int:
        with self._engine.write():
            self._engine.log.act("unhide", "", {"ids": list(ids)}, self._env.now_ms())
            return self._unhide(ids)

    def _unhide(self, ids: Sequence[str]) -> int:
        count = self._engine.items.unhide(ids)
        chain_again(ids, self._engine, self.view(SEMANTIC))
        return count

    def approve(self, item_id: str) -> MemoryItem:
        """A person has looked at a quarantined item, and vouches for it."""
        with self._engine.write():
            self._engine.log.act("approve", item_id, {}, self._env.now_ms())
            return self._approve(item_id)

    def _approve(self, item_id: str) -> MemoryItem:
        item = self._engine.items.get([item_id])[0]
        approved = replace(item, lifecycle=Lifecycle.GENERATED, trust=Trust.PERSON, version=item.version + 1)
        self._engine.items.keep_version(item)
        self.registry.get(item.store).memorize(approved, self.view(item.store))
        settle(self._engine.items.get([item_id]), self._engine)
        return approved

    def edit(self, item_id: str, changes: Mapping[str, JSON], version: int | None) -> MemoryItem:
        """Change an item, if it is still at this version: its text, type, importance, tags, subject or metadata."""
        with self._engine.write():
            item = self._engine.items.get([item_id])[0]
            if version is not None and item.version != version:
                raise StaleVersion(f"{item_id} is at version {item.version}, not {version}; look at it again")
            if item.id in item.sources or item.parent_id:
                raise BadInput(f"{item_id} is what was said, which stays; memorize what is right, or forget it")
            now = self._env.now_ms()
            self._engine.log.act("edit", item_id, dict(changes), now)
            return self._edit(item_id, changes, now)

    def _edit(self, item_id: str, changes: Mapping[str, JSON], at_ms: int) -> MemoryItem:
        item = self._engine.items.get([item_id])[0]
        fields = {**item_as_json(item), **changes, "tokens_estimate": 0}
        edited = replace(item_from_json(fields), version=item.version + 1, modified_ms=at_ms, position=item.position)
        self._engine.items.keep_version(item)
        self.view(item.store).put(edited)
        return edited

    def mark(self, ids: Sequence[str], goal: str) -> None:
        """These memories matter for a goal."""
        with self._engine.write():
            self._engine.log.act("mark", goal, {"ids": list(ids)}, self._env.now_ms())
            self._engine.items.mark(ids, f"goal:{goal}", _MARKED)

    def used(self, ids: Sequence[str], turn: str) -> None:
        """Count that these were shown in a turn."""
        with self._engine.write():
            now = self._env.now_ms()
            self._engine.history.tick("used", {"ids": list(ids), "turn": turn}, now)
            self._engine.items.touch(ids, now)

    # ---- vectors

    def embed_waiting(self, embedder: Embedder, limit: int = BULK) -> int:
        """Give a vector to items that this embedder has not seen; says how many got one. Embeds outside the lock."""
        waiting = self._engine.items.without_vector(embedder.name, limit)
        if not waiting:
            return 0
        rows = embedder.embed([item.text for item in waiting]).astype("<f2")
        vectors = [(item.id, row.tobytes()) for item, row in zip(waiting, rows, strict=True)]
        self._engine.items.put_vectors(embedder.name, vectors)
        return len(waiting)

    # ---- derived anew

    def derive_again(self, *, captured: bool, progress: Callable[[int], None] = lambda _: None) -> int:
        """Throw items away and make them again from the log; with `captured`, those of observations too.

        What had not become an item yet does not become one now: a rebuild changes nothing.
        """
        if captured:
            return self._derive_again(captured, progress)
        with self.consolidation.knowing_summaries():
            return self._derive_again(captured, progress)

    def _derive_again(self, captured: bool, progress: Callable[[int], None]) -> int:
        count = 0
        with self._engine.write():
            admitted = self._engine.items.admitted()
            noted = [event.data for event in self._engine.history.events(["home"])]
            self._homes = {str(home["id"]): str(home["store"]) for home in noted}
            self._adopt(self._homes.values())
            self._engine.items.clear(captured=captured)
            self._unmark()
            self._engine.learnings.clear_verdicts()
            self.admit(progress, up_to=admitted)
            self._engine.items.set_admitted(admitted)
            policy = self._policy()
            for event in self._engine.history.events(_REPLAYED):
                policy = self._replay(event, policy)
                count += 1
                progress(count)
        return count

    def _unmark(self) -> None:
        """Make captured items that were marked for a goal what they were before: a mark may be later than a summary."""
        marked = {str(one) for event in self._engine.history.events(["mark"]) for one in listed(event.data.get("ids"))}
        left = [item.parent_id or item.id for item in self._engine.items.get(sorted(marked))]
        found = [one for item in dict.fromkeys(left) if (one := self._engine.log.get(item))]
        self._engine.items.put(*self._items_of(found))

    def _replay(self, event: Event, policy: Policy) -> Policy:
        data = event.data
        ids = [str(one) for one in listed(data.get("ids"))]
        match event.kind:
            case "policy":
                return replace(_from_json(data, tuple(self.registry.names)), foreign_types=self._foreign_types)
            case "gate":
                for learned in self._engine.learnings.get(ids):
                    self._judge_learned(learned, policy)
            case "memorize":
                item = replace(item_from_json(data["item"]), position=event.position)
                self._judge(WriteEvent(item=item, store=self._homes.get(item.id, str(data["store"]))), policy)
            case "track":
                if observation := self._engine.log.get(str(data["id"])):
                    self._copy(observation)
            case "hide":
                self._hide(ids, event.at_ms)
            case "unhide":
                self._unhide(ids)
            case "approve":
                if self._engine.items.get([event.target]):
                    self._approve(event.target)
            case "edit":
                if self._engine.items.get([event.target]):
                    self._edit(event.target, data, event.at_ms)
            case "mark":
                self._engine.items.mark(ids, f"goal:{event.target}", _MARKED)
            case "used":
                self._engine.items.touch(ids, event.at_ms)
            case _:
                self.consolidation.replay(event)
        return policy


_SOURCES = {
    Trust.PERSON: Source.USER,
    Trust.PERSON_FILE: Source.USER,
    Trust.ASSISTANT: Source.MODEL,
    Trust.OTHER_PEOPLE: Source.USER,
    Trust.LOCAL_TOOL: Source.TOOL,
    Trust.OUTSIDE_TOOL: Source.TOOL,
}


def _for_types(scope: ForgetScope) -> Filters:
    """A scope as filters for a memory type: old, hidden and doubtful items are meant as well."""
    return replace(everything_of(scope.filters), stores=scope.filters.stores, ids=scope.ids, text=scope.text)


def _as_json(policy: Policy) -> dict[str, JSON]:
    return {
        "gate": asdict(policy.settings),
        "privacy": asdict(policy.privacy),
        "mandates": {name: list(lines) for name, lines in asdict(policy.mandates).items()},
        "goals": [goal_as_json(goal) for goal in policy.goals],
    }


def _from_json(data: Mapping[str, JSON], memory_types: tuple[str, ...]) -> Policy:
    gate_settings, privacy, mandates = (_dict(data[name]) for name in ("gate", "privacy", "mandates"))
    return Policy(
        settings=GateSettings(**gate_settings),
        privacy=PrivacySettings(**privacy),
        mandates=Mandates(**{name: tuple(lines) for name, lines in mandates.items()}),
        goals=tuple(goal_from_json(goal) for goal in listed(data["goals"])),
        memory_types=memory_types,
    )


def _dict(value: JSON) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
