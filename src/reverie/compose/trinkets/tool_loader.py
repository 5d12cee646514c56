"""List the tools, which of them are loaded and how long they have been idle; and unload idle ones.

Definitions of tools stand at the very beginning of what a provider caches, so a tool that goes bills everything behind
it anew. Therefore nothing is unloaded merely because it is idle: a tool without use for `idle_turns`, and a fallback
tool after `fallback_turns`, is *due*, stays loaded, and goes when the segment collapses or when another load breaks the
prefix anyhow. Essential tools never go.
"""

from collections.abc import Callable

from reverie.compose.markup import Markup, Origin, tag
from reverie.compose.trinket import EventAwareTrinket, TrinketContext, TrinketHost
from reverie.compose.trinkets.bounds import attribute, group, line, listed
from reverie.errors import BadInput
from reverie.events import ContinuumEvent, EventBus, SegmentCollapsedEvent, TurnCompletedEvent, UpdateTrinketEvent
from reverie.records.prompt_inputs import LoadedToolInfo, ToolNote, ToolRepo, ToolState

# What an update may report as {"action": …, "tool_name": …}, and whether the prefix is broken by it.
ACTIONS = {
    "initialize": False,
    "tool_loaded": True,
    "tool_unloaded": True,
    "tool_used": False,
    "fallback_mode": True,
    "cleanup_completed": False,
}
_REST = "`reverie admin tools` lists them"


class ToolLoaderTrinket(EventAwareTrinket):
    """Shows the tools of a conversation, and unloads what is due when it costs nothing more.

    The section is rendered from the prompt's inputs. Tools are unloaded through the ToolRepo of the user and the
    conversation, on the thread that published the event: a trinket that renders never touches a database.
    """

    reads = ("tools",)

    def __init__(
        self,
        event_bus: EventBus,
        working_memory: TrinketHost,
        tool_repo_of: Callable[[str, str], ToolRepo],
    ) -> None:
        self._repo_of = tool_repo_of
        self._turns: dict[tuple[str, str], int] = {}  # the last completed turn, by user and conversation
        super().__init__(event_bus, working_memory)
        event_bus.subscribe(UpdateTrinketEvent, self._on_update)
        event_bus.subscribe(TurnCompletedEvent, self._on_turn)
        event_bus.subscribe(SegmentCollapsedEvent, self._on_collapse)

    def _get_variable_name(self) -> str:
        return "tool_hints"

    def generate_content(self, context: TrinketContext) -> Markup:
        tools = context.inputs.tools
        names = {tool.name for tool in tools.loaded}
        going = due(tools, context.turn_number)
        others = [tool for tool in tools.available if tool.name not in names]

        def loaded(tool: LoadedToolInfo) -> Markup:
            return _loaded(tool, context.turn_number, tool.name in going)

        parts = [
            group("loaded", listed(tools.loaded, loaded, _REST)),
            group("available", listed(others, _available, _REST)),
        ]
        parts = [part for part in parts if part]
        return tag("tool_loader", *parts, fallback_mode="true" if tools.fallback else None) if parts else Markup()

    def _on_update(self, event: UpdateTrinketEvent) -> None:
        if event.target_trinket != type(self).__name__ or "action" not in event.context:
            return
        action = event.context["action"]
        if action not in ACTIONS:
            raise BadInput(f"ToolLoaderTrinket knows no action {action!r}; it knows {', '.join(ACTIONS)}")
        name = str(event.context.get("tool_name", ""))
        if action in ("tool_used", "tool_loaded"):  # who loads a tool wants it, however long it was idle
            self._note_use(event, name)
        if ACTIONS[str(action)]:
            self._clean_up(event)
        elif action == "initialize":
            self._turns.pop(_key(event), None)

    def _on_turn(self, event: TurnCompletedEvent) -> None:
        self._turns[_key(event)] = event.turn_number

    def _on_collapse(self, event: SegmentCollapsedEvent) -> None:
        self._clean_up(event)

    def _clean_up(self, event: ContinuumEvent) -> None:
        """The prefix is broken: what is due goes with it. After a restart nothing is due until a turn is over."""
        repo = self._repo_of(event.user_id, event.continuum_id)
        repo.clean_up(event.continuum_id, self._running_turn(event), may_break=True)

    def _note_use(self, event: UpdateTrinketEvent, name: str) -> None:
        """A tool was used in the turn that is running; never earlier than what is known of it."""
        repo = self._repo_of(event.user_id, event.continuum_id)
        for tool in repo.state(event.continuum_id).loaded:
            if tool.name == name:
                repo.used(event.continuum_id, name, max(self._running_turn(event), tool.last_used_turn))

    def _running_turn(self, event: ContinuumEvent) -> int:
        return self._turns.get(_key(event), 0) + 1


def due(tools: ToolState, turn: int) -> tuple[str, ...]:
    """The loaded tools that may go in the turn that runs.

    >>> tools = LoadedToolInfo("old", 1, 2), LoadedToolInfo("new", 6, 6), LoadedToolInfo("try", 6, 6, is_fallback=True)
    >>> due(ToolState(loaded=tools), 8)
    ('old', 'try')
    """
    return tuple(tool.name for tool in tools.loaded if tool.is_due(turn))


def _key(event: ContinuumEvent) -> tuple[str, str]:
    return (event.user_id, event.continuum_id)


def _loaded(tool: LoadedToolInfo, turn: int, is_due: bool) -> Markup:
    state = "essential" if tool.is_essential else "due" if is_due else "fallback" if tool.is_fallback else "loaded"
    idle = max(0, turn - max(tool.loaded_turn, tool.last_used_turn))
    why = f"loaded in turn {tool.loaded_turn}, last used in turn {tool.last_used_turn}"
    return tag(
        "tool",
        name_=attribute(tool.name, 80),
        state=state,
        idle_turns=None if tool.is_essential else idle,
        origin=Origin(0, "tool", tool.name, why),
    )


def _available(tool: ToolNote) -> Markup:
    origin = Origin(0, "tool", tool.name, "there is such a tool, and it is not loaded")
    return tag("tool", line(tool.description, 200), name_=attribute(tool.name, 80), origin=origin)
