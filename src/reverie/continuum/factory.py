"""The parts of a conversation, put together: bus, working memory with its trinkets, tools, ledger, model.

One explicit list says which trinkets there are and in which order they are made. One working memory serves every user
of a store; a user's tools and segments are their own. Nothing about a conversation that runs is kept by user alone: a
person may have several at once, on several threads.
"""

import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, tzinfo
from functools import lru_cache, partial
from importlib.metadata import entry_points
from typing import Protocol

from reverie.compose.composer import ComposerConfig, Missing
from reverie.compose.trinkets.actions import ActionsTrinket
from reverie.compose.trinkets.boundary import BoundaryTrinket
from reverie.compose.trinkets.domaindoc import DomaindocTrinket
from reverie.compose.trinkets.files import (
    JournalTrinket,
    MemoryStateTrinket,
    ScratchTrinket,
    SoulTrinket,
    UserTrinket,
)
from reverie.compose.trinkets.getcontext import GetContextTrinket
from reverie.compose.trinkets.goals import GoalsTrinket
from reverie.compose.trinkets.learnings import LearningsTrinket
from reverie.compose.trinkets.manifest import ManifestTrinket
from reverie.compose.trinkets.proactive_memory import ProactiveMemoryTrinket
from reverie.compose.trinkets.punchclock import PunchclockTrinket
from reverie.compose.trinkets.reminder_manager import ReminderManager
from reverie.compose.trinkets.time_manager import TimeManager
from reverie.compose.trinkets.tool_guidance import ToolGuidanceTrinket
from reverie.compose.trinkets.tool_loader import ToolLoaderTrinket
from reverie.compose.working_memory import WorkingMemory
from reverie.continuum.cache_ledger import CacheLedger
from reverie.continuum.dependencies import UserParts
from reverie.continuum.erase_sections import SectionsSince, clear_elsewhere, is_owed
from reverie.continuum.model import cache_rules, converser_of, rates_of
from reverie.continuum.orchestrator import ContinuumOrchestrator, ConversationParts
from reverie.continuum.read_inputs import read_prompt_inputs
from reverie.continuum.toolset import Toolset
from reverie.engines.valkey import ValkeySections
from reverie.errors import BadInput, StoreError
from reverie.pipeline.open_store import OpenStore
from reverie.records.conversation_values import MAIN, Converser, Tool
from reverie.records.prompt_inputs import PromptInputs, SectionStates, ToolRepo
from reverie.redact.secrets import redact
from reverie.settings import Settings

_LOG = logging.getLogger(__name__)
# What goes wrong is in the report of each prompt. Who wants the log as well configures logging; nobody is shown
# tracebacks who did not ask for them.
logging.getLogger("reverie").addHandler(logging.NullHandler())
TRINKETS = "reverie.trinkets"  # the group of entry points by which other packages add sections


class User(Protocol):
    """One user as conversations see them: the parts of their memory, and the tools."""

    @property
    def for_conversations(self) -> UserParts: ...

    @property
    def toolset(self) -> Toolset: ...


class Continuums:
    """The conversations of one open store. `of` gives a user's parts; those of the user who opened it come first."""

    def __init__(self, opener: User, of: Callable[[str], User], composer: ComposerConfig | None = None) -> None:
        self._of = of
        store = opener.for_conversations.store
        # Both by user and conversation: the one that goes on, and how many erasures there were when its turn began.
        self._running: dict[tuple[str, str], ContinuumOrchestrator] = {}
        self._erasures: dict[tuple[str, str], int] = {}
        self._states: dict[str, ValkeySections] = {}
        self._clean = lru_cache(maxsize=4096)(redact)  # most inputs are what they were a turn ago
        self.zone: tzinfo = opener.toolset.zone
        self.bus = store.events
        settings = store.settings.compose
        self.working_memory = WorkingMemory(
            self.bus,
            self._inputs_of,
            self._states_of,
            settings,
            lambda: datetime.fromtimestamp(store.env.now_ms() / 1000, self.zone),
            lambda: store.env.random_bytes(8).hex(),
            composer,
            store.env.monotonic,
            self._clean,
        )
        self._make_trinkets(store.settings)

    def _make_trinkets(self, settings: Settings) -> None:
        bus, working = self.bus, self.working_memory
        BoundaryTrinket(bus, working)
        TimeManager(bus, working)
        ReminderManager(bus, working)
        ManifestTrinket(bus, working)
        ProactiveMemoryTrinket(bus, working)
        ToolGuidanceTrinket(bus, working)
        PunchclockTrinket(bus, working)
        DomaindocTrinket(bus, working)
        ToolLoaderTrinket(bus, working, self._tools_of)
        SoulTrinket(bus, working)
        UserTrinket(bus, working)
        JournalTrinket(bus, working)
        LearningsTrinket(bus, working)
        ActionsTrinket(bus, working)
        GoalsTrinket(bus, working)
        if settings.compose.profile == "active":
            GetContextTrinket(bus, working)
            MemoryStateTrinket(bus, working)
            ScratchTrinket(bus, working)
        for entry in entry_points(group=TRINKETS):
            try:
                entry.load()(bus, working)
            except Exception as error:  # somebody else's code: a section that cannot be made is missing, and named
                _LOG.exception("the trinket %s of another package cannot be made", entry.name)
                why = f"it cannot be made: {type(error).__name__}: {error}"[:300]
                working.report_always(Missing(entry.name, entry.value, "logic", why))

    def start(
        self, user_id: str, continuum_id: str, converser: Converser | None = None, tools: Sequence[Tool] = ()
    ) -> ContinuumOrchestrator:
        """Open a conversation of a user: with this converser, else the model that the settings name, else offline."""
        user = self._user(user_id)
        toolset, store = user.toolset, user.for_conversations.store
        settings = store.settings
        parts = ConversationParts(
            bus=self.bus,
            working_memory=self.working_memory,
            tools=toolset.box(tools, continuum_id),
            searches=toolset.searches(continuum_id),
            zone=self.zone,
            cache_ledger=CacheLedger(
                store,
                rates_of(settings.model),
                partial(cache_rules, settings.model),
                lambda: self._erasures[user_id, continuum_id],
            ),
            new_id=store.new_id,
            begin=self._begin,
        )
        model = (lambda _: converser) if converser else converser_of(store)
        orchestrator = ContinuumOrchestrator(user.for_conversations, parts, continuum_id, model)
        self._begin(orchestrator)
        return orchestrator

    def _begin(self, conversation: ContinuumOrchestrator) -> None:
        """A turn of this conversation begins: prompts of the user are composed for it.

        Whatever another process has forgotten for good meanwhile is let go here as well.
        """
        store = conversation.store
        key, erasures = (store.user, conversation.continuum_id), store.engine.erasures()
        self._running[key] = conversation
        before, self._erasures[key] = self._erasures.get(key, erasures), erasures
        if is_owed(store) and not clear_elsewhere(store, self._valkey_of(store)):
            before = -1
        if before != erasures:
            self.forget(*key)

    def forget(self, user_id: str, continuum_id: str = "") -> None:
        """Something was forgotten: what prompts said is let go, and said anew with the next.

        By default in every conversation of this user: in each of them it may have been told.
        """
        self._clean.cache_clear()
        known = [key for key in list(self._running) if key[0] == user_id and continuum_id in ("", key[1])]
        for key in known:
            self._running[key].surfaced = ()
        if known:
            with suppress(StoreError):  # then it is owed to the state store, and the person has been told
                self.working_memory.forget(user_id, continuum_id)

    def _conversation_of(self, user_id: str, continuum_id: str) -> ContinuumOrchestrator:
        """A conversation that goes on; one that was never opened is as good as open."""
        running = self._running.get((user_id, continuum_id or MAIN))
        return running or self.start(user_id, continuum_id or MAIN)

    def _user(self, user_id: str) -> User:
        if not user_id.strip():
            raise BadInput(f"a prompt is composed for a user, and {user_id!r} is none")
        return self._of(user_id)

    def _inputs_of(self, user_id: str, continuum_id: str) -> PromptInputs:
        running = self._conversation_of(user_id, continuum_id)
        segment = running.segments.open()
        segment_id = segment.id if segment else ""
        running.searches.poll(replace(running.moment(), segment_id=segment_id))
        return read_prompt_inputs(running.user_parts, running.continuum_id, segment_id, running.tools, running.key)

    def _tools_of(self, user_id: str, continuum_id: str) -> ToolRepo:
        return self._conversation_of(user_id, continuum_id).tools

    def _states_of(self, user_id: str, continuum_id: str) -> SectionStates:
        store = self._user(user_id).for_conversations.store
        is_here = store.settings.compose.state == "engine"
        states = store.engine.sections if is_here else self._valkey_of(store)
        return SectionsSince(states, store, self._erasures.get((user_id, continuum_id)))

    def _valkey_of(self, store: OpenStore) -> ValkeySections:
        user, settings = store.user, store.settings.compose
        if user not in self._states:
            self._states[user] = ValkeySections(settings.valkey_url, user, settings.valkey_ms, store.env.monotonic)
        return self._states[user]
