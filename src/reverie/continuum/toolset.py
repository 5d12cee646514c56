"""One user's tools, made from their memory: for Python, the command line, and the models that they talk with."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from reverie.capture.secrets import redact
from reverie.continuum.beside import in_background
from reverie.conversing import MAIN, Tool
from reverie.errors import BadInput
from reverie.prompt_inputs import Found
from reverie.tools.context_search import ContextSearchTool
from reverie.tools.domaindocs import DomaindocTool
from reverie.tools.memory_tool import MemoryTool
from reverie.tools.punchclock import PunchclockTool
from reverie.tools.registry import ToolBox
from reverie.tools.reminders import ReminderTool
from reverie.zones import person_zone

if TYPE_CHECKING:
    from reverie.memory import Memory

_ESSENTIAL = frozenset({"tool_repo", "memory"})
# Above this many memories a search beside the conversation goes by words alone: it would load a second index.
_INDEXED_AT_MOST = 20_000


class Toolset:
    """The tools of one user. `by` is who uses them: the person, or an agent."""

    def __init__(self, memory: "Memory", run_beside: Callable[[Callable[[], None]], None] = in_background) -> None:
        engine, env, settings = memory.engine, memory.env, memory.settings
        self._memory = memory
        self._run_beside = run_beside
        self._searches: dict[str, ContextSearchTool] = {}  # by conversation
        self.zone = person_zone(settings.person.time_zone, env)
        self.reminders = ReminderTool(engine.reminders, self.new_id, env.now_ms, self.zone, redact)
        self.punchclock = PunchclockTool(engine.punches, self.new_id, env.now_ms, self.zone, redact)
        self.memory_tool = MemoryTool(memory.search, memory.show, self._note, memory.timeline)

    def documents(self, by: str) -> DomaindocTool:
        compose, memory = self._memory.settings.compose, self._memory
        return DomaindocTool(
            memory.engine.documents, self.new_id, memory.env.now_ms, redact, compose.document_depth,
            compose.large_section_chars, by=by,
        )  # fmt: skip

    def searches(self, continuum_id: str = MAIN) -> ContextSearchTool:
        """The searches that run beside one conversation; whoever opens it again finds those that were begun."""
        if continuum_id not in self._searches:
            here = self._memory
            self._searches[continuum_id] = ContextSearchTool(
                here.engine.searches, self._find, self.new_id, here.env.now_ms, self._run_beside, redact,
            )  # fmt: skip
        return self._searches[continuum_id]

    def box(self, extra: Sequence[Tool] = (), continuum_id: str = MAIN) -> ToolBox:
        """What a model may load and call. In the ambient profile it has no tools for memory: it is told."""
        tools: list[Tool] = [self.reminders, self.punchclock, self.documents("agent")]
        if self._memory.settings.compose.profile == "active":
            tools = [self.memory_tool, self.searches(continuum_id), *tools]
        return ToolBox([*tools, *extra], self._memory.engine.loaded_tools, _ESSENTIAL)

    def new_id(self, at_ms: int) -> str:
        """An id of its own for something that a person or an agent makes."""
        chance = self._memory.env.random_bytes(10).hex()
        return self._memory.engine.derived_id(at_ms, "made", chance)

    def _note(self, text: str, *, session: str) -> str:
        """With an agent's trust: only a person's own word is a person's word. It is forgotten with its session."""
        done = self._memory.memorize(text, type="fact", session=session)
        if not done.ok:
            raise BadInput(f"it was not kept ({done.verdict}): {'; '.join(done.reasons)}")
        return done.item_id

    def _find(self, query: str, limit: int) -> list[Found]:
        """Search with a connection of its own: it runs on another thread."""
        from reverie.memory import Memory

        here = self._memory
        with Memory.open(
            here.workspace.home, user=here.engine.user, env=here.env, settings=here.settings, catch_up=False
        ) as other:
            small = sum(other.engine.items.counts().values()) <= _INDEXED_AT_MOST
            hits = (other.search if small else other.search_by_words)(query, limit=limit)
        return [Found(hit.id, hit.text, hit.why) for hit in hits]
