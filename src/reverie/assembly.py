"""Assembly: puts the parts of one user's memory together, for `Memory` and for the daemon.

Each part is made when it is first used, and its module is loaded then: a hook that asks for the context has no time for
the rest.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

from reverie.errors import ReverieError, StoreFull
from reverie.pipeline.background import Background
from reverie.pipeline.distil_turns import Distiller
from reverie.pipeline.ingest import Ingest
from reverie.pipeline.open_store import OpenStore
from reverie.pipeline.profile import Profile
from reverie.pipeline.session_context import SessionContext
from reverie.ports import SCRUB, Embedder, MemoryType, Model

if TYPE_CHECKING:
    from reverie.compose.composer import ComposerConfig
    from reverie.continuum.dependencies import UserParts
    from reverie.continuum.factory import Continuums
    from reverie.continuum.toolset import Toolset
    from reverie.maintenance.upkeep import Maintenance
    from reverie.pipeline.agent_turn import AgentTurns
    from reverie.pipeline.erase import Eraser
    from reverie.pipeline.item_writer import ItemWriter
    from reverie.pipeline.items import Items
    from reverie.pipeline.learnings import KnownLearnings, KnownSkills
    from reverie.pipeline.live_index import LiveIndex
    from reverie.pipeline.lookup import Lookup
    from reverie.pipeline.prompt_context import PromptContext
    from reverie.pipeline.searcher import Searcher
    from reverie.pipeline.turn_trace import TurnTrace
    from reverie.pipeline.users import Users
    from reverie.records.prompt_inputs import SearchResult
    from reverie.tasks.actions import Actions
    from reverie.tasks.goals import Goals

# Above this many memories a search beside a conversation goes by words alone: it would load a second index.
_INDEXED_AT_MOST = 20_000


@dataclass(frozen=True)
class OwnParts:
    """The parts that a program brings instead of those that the settings name; None: as the settings say."""

    composer: "ComposerConfig | None" = None  # how the sections of prompts are put together
    embedder: Embedder | None = None
    model: Model | None = None  # asked within the budget of the settings
    tokenizer: Callable[[str], int] | None = None  # counts tokens for the budgets of what an agent is given
    follows_spool: bool = False  # whether a search takes in first what hooks have spooled; the steward does by itself


class MemoryParts:
    """The parts of one user's memory. Those of other users in the same store are made by `of`, once each."""

    def __init__(self, store: OpenStore, opener: "MemoryParts | None" = None, own: OwnParts | None = None) -> None:
        self.store = store
        self._own = own or OwnParts()
        self._opener = opener or self
        self._users: dict[str, MemoryParts] = opener._users if opener else {}
        self._users[store.user] = self
        self._memory_types: list[MemoryType] = opener._memory_types if opener else []

    def of(self, user: str) -> "MemoryParts":
        """Return the parts of another user of the same store."""
        if user not in self._users:
            here = self.store
            store = OpenStore(here.workspace, here.env, here.settings, here.engine.scoped(user))
            MemoryParts(store, self._opener, self._own)
        return self._users[user]

    # ---- the way in

    @cached_property
    def ingest(self) -> Ingest:
        return Ingest(self.store)

    @cached_property
    def profile(self) -> Profile:
        return Profile(self.store, self.ingest.note_from_file)

    @cached_property
    def distiller(self) -> Distiller:
        store = self.store
        return Distiller(
            store.engine, store.env, store.settings, self.profile.permitted, store.publish_learned, self._own.model
        )

    @cached_property
    def background(self) -> Background:
        return Background(
            self.store,
            self.ingest,
            self.distiller,
            self.profile,
            lambda: self.of(self.store.settings.user).background,
            self._finish_erasures,
        )

    @cached_property
    def item_writer(self) -> "ItemWriter":
        from reverie.pipeline.item_writer import ItemWriter

        store = self.store
        item_writer = ItemWriter(store.engine, store.env, store.settings, self.profile.own_soul, self.index.candidates)
        for memory_type in self._memory_types:
            item_writer.registry.register(memory_type)
        return item_writer

    def register(self, memory_type: MemoryType) -> None:
        """Add a memory type, for every user of the store: it is asked for every context from now on."""
        self.item_writer.registry.register(memory_type)
        for parts in self._users.values():
            if parts is not self and "item_writer" in vars(parts):
                parts.item_writer.registry.register(memory_type)
        self._memory_types.append(memory_type)

    # ---- the way out

    @cached_property
    def session_context(self) -> SessionContext:
        return SessionContext(self.store, self.profile)

    @cached_property
    def prompt_context(self) -> "PromptContext":
        from reverie.pipeline.prompt_context import PromptContext

        return PromptContext(self.store, self.lookup, self.traces)

    @cached_property
    def prompt_context_by_words(self) -> "PromptContext":
        """The same without vectors, for a process that is there for one prompt."""
        from reverie.pipeline.prompt_context import PromptContext

        return PromptContext(self.store, self.word_lookup, self.traces)

    @cached_property
    def index(self) -> "LiveIndex":
        from reverie.pipeline.live_index import LiveIndex

        return LiveIndex(self.store.engine, self.store.env, self.store.settings, self._opener._load_embedder)

    def _load_embedder(self) -> Embedder | None:
        """Load the embedder, once for all users of the store."""
        if "_embedder" not in vars(self):
            from reverie.embed import embedder_of

            self._embedder = self._own.embedder or embedder_of(self.store.settings.embed, self.store.env)
        return self._embedder

    @cached_property
    def searcher(self) -> "Searcher":
        from reverie.pipeline.searcher import Searcher

        recall = self.traces.tuned().recall
        return Searcher(self.store.engine, self.index, self.item_writer, recall, self._own.tokenizer)

    @cached_property
    def lookup(self) -> "Lookup":
        from reverie.pipeline.lookup import Lookup

        return Lookup(self.store, self.searcher, self._refresh)

    def _refresh(self) -> None:
        """Take in what callbacks of this process have spooled, and make everything that came in searchable."""
        if self._own.follows_spool and self.background.has_waiting():
            with suppress(StoreFull, OSError):  # it waits; a search can go on without it
                self.background.drain_spool()
        self.maintenance.refresh_index()

    @cached_property
    def word_lookup(self) -> "Lookup":
        """The same search without vectors; it reads only what one question needs: quick for a single search."""
        from reverie.pipeline.lookup import Lookup
        from reverie.pipeline.searcher import Searcher
        from reverie.pipeline.word_index import WordIndex

        index = WordIndex(self.store.engine, self.item_writer, self.store.settings.retention)
        recall = self.traces.tuned().recall
        return Lookup(self.store, Searcher(self.store.engine, index, self.item_writer, recall, self._own.tokenizer))

    @cached_property
    def traces(self) -> "TurnTrace":
        from reverie.pipeline.turn_trace import TurnTrace

        return TurnTrace(self.store.engine, self.store.env, self.store.settings)

    @cached_property
    def turns(self) -> "AgentTurns":
        from reverie.pipeline.agent_turn import AgentTurns

        return AgentTurns(
            self.store, self.ingest, self.item_writer, self.lookup, self.goals, self.maintenance, self.traces
        )

    # ---- what a person looks at and works on

    @cached_property
    def items(self) -> "Items":
        from reverie.pipeline.items import Items

        return Items(self.store, self.item_writer, self.lookup, self.eraser)

    @cached_property
    def learnings(self) -> "KnownLearnings":
        from reverie.pipeline.learnings import KnownLearnings

        return KnownLearnings(self.store, self.item_writer)

    @cached_property
    def skills(self) -> "KnownSkills":
        from reverie.pipeline.learnings import KnownSkills

        return KnownSkills(self.store)

    @cached_property
    def users(self) -> "Users":
        from reverie.pipeline.users import Users

        return Users(self.store, lambda user: self.of(user).eraser.finish())

    @cached_property
    def goals(self) -> "Goals":
        from reverie.tasks.goals import Goals

        return Goals(self.store)

    @cached_property
    def actions(self) -> "Actions":
        from reverie.tasks.actions import Actions

        return Actions(self.store)

    @cached_property
    def maintenance(self) -> "Maintenance":
        from reverie.maintenance.upkeep import Maintenance

        return Maintenance(self.store, self.item_writer, self.index, self.searcher, self.traces, self.distiller)

    # ---- conversations

    @cached_property
    def toolset(self) -> "Toolset":
        from reverie.continuum.toolset import Toolset

        return Toolset(self.store, self.lookup, self.items, self.turns, self._search_beside)

    def _search_beside(self, query: str, limit: int) -> "list[SearchResult]":
        """Search with a connection of its own, for another thread."""
        from reverie.records.prompt_inputs import SearchResult

        here = self.store
        engine = here.engine.reopened()
        try:
            other = MemoryParts(OpenStore(here.workspace, here.env, here.settings, engine))
            small = sum(engine.items.counts().values()) <= _INDEXED_AT_MOST
            find = other.lookup.search if small else other.word_lookup.search
            return [SearchResult(hit.id, hit.text, hit.why) for hit in find(query, limit=limit)]
        finally:
            engine.close()

    @cached_property
    def for_conversations(self) -> "UserParts":
        from reverie.continuum.dependencies import UserParts

        return UserParts(self.store, self.ingest, self.turns, self.maintenance, self.profile, self.background)

    @property
    def continuums(self) -> "Continuums":
        """The conversations of all users of the store."""
        return self._opener._all_conversations

    @cached_property
    def _all_conversations(self) -> "Continuums":
        from reverie.continuum.factory import Continuums

        return Continuums(self, self.of, self._own.composer)

    # ---- forgetting

    @cached_property
    def eraser(self) -> "Eraser":
        from reverie.continuum.erase_sections import owe_clearing
        from reverie.pipeline.erase import Eraser

        return Eraser(
            self.store,
            self.item_writer,
            self.maintenance,
            self.distiller,
            partial(owe_clearing, self.store),
            self._clear_files,
            self._clear_elsewhere,
        )

    def _clear_files(self) -> tuple[str, ...]:
        """Erase what is forgotten from user.md and from the summaries of conversations; return what cannot be done."""
        from reverie.continuum.collapse import tell_again

        if "_all_conversations" in vars(self._opener):
            self.continuums.forget(self.store.user)
        problems = []
        for duty in (self.profile.sync, partial(tell_again, self.for_conversations)):
            try:  # one that fails does not keep the other from being done
                duty()
            except (ReverieError, OSError) as error:
                problems.append(f"{error}; it is tried again when the memory is opened next")
        leftover = self.profile.user_file.leftover() if self.profile.is_owner else ""
        return (*problems, leftover) if leftover else tuple(problems)

    def _clear_elsewhere(self) -> tuple[str, ...]:
        """Erase what is forgotten outside of the workspace, in Valkey; return what cannot be done."""
        from reverie.continuum.erase_sections import clear_elsewhere

        problem = clear_elsewhere(self.store)
        return (problem,) if problem else ()

    def _finish_erasures(self) -> None:
        """Do what is owed for what users of this store have forgotten for good, as far as that can be done now."""
        for user in self.store.engine.debtors(SCRUB):
            self.of(user).eraser.finish()
