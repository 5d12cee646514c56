"""One user's tools, made from their memory: for Python, the command line, and the models that they talk with."""

from collections.abc import Callable, Sequence

from reverie.continuum.background_threads import in_background
from reverie.errors import BadInput
from reverie.foundation.zones import person_zone
from reverie.pipeline.agent_turn import AgentTurns
from reverie.pipeline.items import Items
from reverie.pipeline.lookup import Lookup
from reverie.pipeline.open_store import OpenStore
from reverie.records.conversation_values import MAIN, Tool
from reverie.records.prompt_inputs import SearchResult
from reverie.redact.secrets import redact
from reverie.tools.context_search import ContextSearchTool
from reverie.tools.domaindocs import DomaindocTool
from reverie.tools.memory_tool import MemoryTool
from reverie.tools.punchclock import PunchclockTool
from reverie.tools.reminders import ReminderTool
from reverie.tools.toolbox import ToolBox

_ESSENTIAL = frozenset({"tool_repo", "memory"})


def documents_tool(store: OpenStore, by: str) -> DomaindocTool:
    """Make the tool for domain documents; `by` is who uses it: the person, or an agent."""
    return DomaindocTool(
        store.engine.documents, store.new_id, store.env.now_ms, redact, by=by,
    )  # fmt: skip


class Toolset:
    """The tools of one user. `search_beside` searches on another thread, with a connection of its own."""

    def __init__(
        self,
        store: OpenStore,
        lookup: Lookup,
        items: Items,
        turns: AgentTurns,
        search_beside: Callable[[str, int], list[SearchResult]],
        run_beside: Callable[[Callable[[], None]], None] = in_background,
    ) -> None:
        self._store = store
        self._turns = turns
        self._search_beside = search_beside
        self._run_beside = run_beside
        self._searches: dict[str, ContextSearchTool] = {}  # by conversation
        env, engine = store.env, store.engine
        self.zone = person_zone(store.settings.person.time_zone, env)
        self.reminders = ReminderTool(engine.reminders, store.new_id, env.now_ms, self.zone, redact)
        self.punchclock = PunchclockTool(engine.punches, store.new_id, env.now_ms, self.zone, redact)
        self.memory_tool = MemoryTool(lookup.search, items.get, self._note, items.timeline)

    def documents(self, by: str) -> DomaindocTool:
        return documents_tool(self._store, by)

    def searches(self, continuum_id: str = MAIN) -> ContextSearchTool:
        """The searches that run beside one conversation; whoever opens it again finds those that were begun."""
        if continuum_id not in self._searches:
            store = self._store
            self._searches[continuum_id] = ContextSearchTool(
                store.engine.searches, self._search_beside, store.new_id, store.env.now_ms, self._run_beside, redact,
            )  # fmt: skip
        return self._searches[continuum_id]

    def box(self, extra: Sequence[Tool] = (), continuum_id: str = MAIN) -> ToolBox:
        """Collect the tools that a model may load and call. In the ambient profile it has none for memory."""
        tools: list[Tool] = [self.reminders, self.punchclock, self.documents("agent")]
        if self._store.settings.compose.profile == "active":
            tools = [self.memory_tool, self.searches(continuum_id), *tools]
        return ToolBox([*tools, *extra], self._store.engine.loaded_tools, _ESSENTIAL)

    def _note(self, text: str, *, session: str) -> str:
        """With an agent's trust: only a person's own word is a person's word. It is forgotten with its session."""
        done = self._turns.memorize(text, type="fact", session=session)
        if not done.ok:
            raise BadInput(f"it was not kept ({done.verdict}): {'; '.join(done.reasons)}")
        return done.item_id
