"""The tools of a conversation: all that there are, and those whose definitions the model has been given.

Definitions stand first in what a provider caches, so their order never changes while a segment lasts: essential tools,
then the others in the order in which they were loaded, new ones at the end. What is not used goes only when the prefix
is broken anyway. Which tools are loaded is kept, so that a restart changes nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, ClassVar

from reverie.errors import BadInput
from reverie.records import JSON
from reverie.records.conversation_values import Moment, Tool, ToolDefinition
from reverie.records.prompt_inputs import IDLE_TURNS, LoadedToolInfo, LoadedTools, ToolNote, ToolState
from reverie.tools.operations import OperationTool, operation


class ToolBox:
    """One user's tools. It brings its own tool `tool_repo`, by which a model loads the others."""

    def __init__(self, tools: Sequence[Tool], loaded: LoadedTools, essential: frozenset[str]) -> None:
        self._tools: dict[str, Tool] = {}
        own: Tool = ToolRepoTool(self)
        for tool in (own, *tools):
            if tool.name in self._tools:
                raise BadInput(f'two tools are called "{tool.name}"; give one of them another name')
            self._tools[tool.name] = tool
        self._loaded = loaded
        self._essential = frozenset((own.name, *essential))  # those that there are; a profile may leave some out

    def state(self, continuum_id: str) -> ToolState:
        """Return all tools, and those that are loaded, in the order of the definitions."""
        loaded = self._all_loaded(continuum_id)
        notes = tuple(ToolNote(tool.name, tool.description, tool.hints) for tool in self._tools.values())
        return ToolState(notes, tuple(loaded.values()), any(tool.is_fallback for tool in loaded.values()))

    def definitions(self, continuum_id: str) -> tuple[ToolDefinition, ...]:
        """Return the definitions of the loaded tools, for the model."""
        return tuple(self.definition(name) for name in self._all_loaded(continuum_id))

    def definition(self, name: str) -> ToolDefinition:
        """Return the definition of a tool, loaded or not."""
        tool = self._known(name)
        return ToolDefinition(tool.name, tool.description, tool.input_schema)

    def load(self, continuum_id: str, name: str, turn: int, *, fallback: bool = False) -> LoadedToolInfo:
        """Give the model a tool. One that it has stays where it is, and counts as asked for again."""
        self._known(name)
        there = self._all_loaded(continuum_id).get(name)
        if there is None:
            info = LoadedToolInfo(name, turn, turn, is_fallback=fallback)
        elif there.is_essential or fallback:
            return there
        else:
            info = replace(there, last_used_turn=max(turn, there.last_used_turn), is_fallback=False)
        self._loaded.put(continuum_id, info)
        return info

    def unload(self, continuum_id: str, name: str) -> bool:
        """Take a tool away now, which breaks the prefix; False if it was not loaded."""
        self._known(name)
        self._refuse_essential(name)
        return self._loaded.remove(continuum_id, name)

    def used(self, continuum_id: str, name: str, turn: int) -> None:
        """Note that a tool was used. A fallback tool that is used has proved itself, and stays like any other."""
        there = self._all_loaded(continuum_id).get(name)
        if there is not None and (there.is_fallback or there.last_used_turn < turn):
            used = replace(there, last_used_turn=max(turn, there.last_used_turn), is_fallback=False)
            self._loaded.put(continuum_id, used)

    def called(self, continuum_id: str, name: str, moment: Moment) -> Tool:
        """The loaded tool of this name, to be run; it counts as used."""
        tool = self._known(name)
        if name not in self._all_loaded(continuum_id):
            raise BadInput(f'the tool "{name}" is not loaded; load it first: tool_repo with load and names ["{name}"]')
        self.used(continuum_id, name, moment.turn)
        return tool

    def run(self, continuum_id: str, name: str, arguments: Mapping[str, JSON], moment: Moment) -> JSON:
        """Call a loaded tool."""
        return self.called(continuum_id, name, moment).run(arguments, moment)

    def fallback(self, continuum_id: str, turn: int) -> tuple[str, ...]:
        """Nothing that is loaded fits: lend everything else for a turn. Says what came."""
        there = self._all_loaded(continuum_id)
        lent = tuple(name for name in self._tools if name not in there)
        for name in lent:
            self.load(continuum_id, name, turn, fallback=True)
        return lent

    def due(self, continuum_id: str, turn: int) -> tuple[str, ...]:
        """The tools that may go in the turn that begins: idle for too long, or lent for long enough."""
        loaded = self._all_loaded(continuum_id).values()
        return tuple(tool.name for tool in loaded if tool.is_due(turn))

    def clean_up(self, continuum_id: str, turn: int, *, may_break: bool) -> tuple[str, ...]:
        """Unload what is due, if the prefix may break; else nothing. Says what went."""
        gone = self.due(continuum_id, turn) if may_break else ()
        for name in gone:
            self._loaded.remove(continuum_id, name)
        return gone

    def let_go(self, continuum_id: str, name: str, turn: int) -> bool:
        """Not needed any more: due from now on, so that it goes with the next break. False if it was not loaded."""
        self._known(name)
        self._refuse_essential(name)
        there = self._all_loaded(continuum_id).get(name)
        if there is not None:
            long_ago = turn - IDLE_TURNS - 1
            self._loaded.put(continuum_id, LoadedToolInfo(name, loaded_turn=long_ago, last_used_turn=long_ago))
        return there is not None

    def tool(self, name: str) -> Tool:
        """A tool by its name, loaded or not: for a person, who needs no loading."""
        return self._known(name)

    def hints(self, name: str) -> str:
        """Return the hints of a tool's maker."""
        return self._known(name).hints

    def _all_loaded(self, continuum_id: str) -> dict[str, LoadedToolInfo]:
        """By name, in order. A tool that was loaded once and is no longer there is left out."""
        kept = {tool.name: tool for tool in self._loaded.all(continuum_id) if tool.name in self._tools}
        essential = {
            name: replace(kept.pop(name, LoadedToolInfo(name, 0, 0)), is_fallback=False, is_essential=True)
            for name in self._tools
            if name in self._essential
        }
        return essential | {name: replace(tool, is_essential=False) for name, tool in kept.items()}

    def _known(self, name: str) -> Tool:
        if name not in self._tools:
            near = get_close_matches(name, self._tools, n=3)
            hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(self._tools)}"
            raise BadInput(f'there is no tool "{name}"; {hint}')
        return self._tools[name]

    def _refuse_essential(self, name: str) -> None:
        if name in self._essential:
            raise BadInput(f'the tool "{name}" is essential and stays loaded')


class ToolRepoTool(OperationTool):
    """By this a model loads the tools that it needs."""

    name: ClassVar[str] = "tool_repo"
    description: ClassVar[str] = "List the tools there are, load those you need, and let go those you do not need."

    def __init__(self, box: ToolBox) -> None:
        self._box = box

    @classmethod
    def operations(cls) -> dict[str, Callable[..., Any]]:
        """A model asks for `hints`, a name that every tool has for its own."""
        return {"hints" if name == "hints_of" else name: method for name, method in super().operations().items()}

    @operation
    def list(self, moment: Moment) -> dict[str, JSON]:
        """All tools, and what each is for."""
        state = self._box.state(moment.continuum_id)
        loaded = {tool.name for tool in state.loaded}
        others: dict[str, JSON] = {note.name: note.description for note in state.available if note.name not in loaded}
        return {"loaded": [*sorted(loaded)], "available": others}

    @operation
    def load(self, names: Sequence[str], moment: Moment) -> dict[str, JSON]:
        """Load tools by name: they can be called from the next request on."""
        known = {note.name for note in self._box.state(moment.continuum_id).available}
        for name in names:  # all or none
            if name not in known:
                self._box.hints(name)
        hints: dict[str, JSON] = {}
        for name in dict.fromkeys(names):
            self._box.load(moment.continuum_id, name, moment.turn)
            hints[name] = self._box.hints(name)
        return {"loaded": hints}

    @operation
    def unload(self, name: str, moment: Moment) -> dict[str, JSON]:
        """Let go a tool: it goes as soon as that does not cost the prompt's cache."""
        if not self._box.let_go(moment.continuum_id, name, moment.turn):
            return {"unloaded": name, "when": "it was not loaded"}
        return {"unloaded": name, "when": "with the next change of the cached prompt"}

    @operation
    def hints_of(self, name: str) -> dict[str, JSON]:
        """Return what to know about a tool before using it."""
        return {"name": name, "hints": self._box.hints(name)}
