"""Commands in a conversation: a line that begins with a slash asks about memory, reminders, the prompt, or why."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

from reverie.continuum.orchestrator import ContinuumOrchestrator
from reverie.errors import BadInput
from reverie.language.moments import spelled
from reverie.memory import Memory
from reverie.records.prompt_inputs import Reminder
from reverie.shells.cli.forget import is_much, look
from reverie.shells.cli.show import counted, one_line, when
from reverie.shells.prompt import composed_lines, diff_lines, explained, ledger_lines
from reverie.tools.reminders import When

if TYPE_CHECKING:
    from reverie.shells.chat.view import ChatView

Command = Callable[[Memory, ContinuumOrchestrator, "ChatView", str], None]


def run_command(memory: Memory, conversation: ContinuumOrchestrator, view: "ChatView", text: str) -> bool:
    """Do what a command says; False if the person leaves."""
    name, _, rest = text.strip().partition(" ")
    if name in ("quit", "exit", "q"):
        return False
    if name not in COMMANDS:
        from difflib import get_close_matches

        near = get_close_matches(name, COMMANDS, n=1)
        raise BadInput(f"no command /{name}; " + (f"did you mean /{near[0]}?" if near else "/help lists them"))
    COMMANDS[name][0](memory, conversation, view, rest.strip())
    return True


def _help(_of: Memory, _conversation: ContinuumOrchestrator, view: "ChatView", _rest: str) -> None:
    for name, (_, told) in COMMANDS.items():
        view.line(f"/{name:<10} {told}")
    view.line(f"/{'quit':<10} Leave. The conversation goes on where you left it.")


def _memory(memory: Memory, _conversation: ContinuumOrchestrator, view: "ChatView", query: str) -> None:
    hits = memory.search(query or "", limit=8) if query else []
    for hit in hits:
        view.line(f"{hit.id}  {when(hit.when_ms)}  {one_line(hit.text, 90)}")
    if not hits:
        view.line("nothing that is known fits" if query else "say what to look for: /memory staging database")


def _note(memory: Memory, _conversation: ContinuumOrchestrator, view: "ChatView", text: str) -> None:
    view.line(f"noted {memory.note(text)}")


def _show(memory: Memory, _conversation: ContinuumOrchestrator, view: "ChatView", item_id: str) -> None:
    for item in memory.items.get([item_id]):
        view.line(item.text)


def _forget(memory: Memory, _conversation: ContinuumOrchestrator, view: "ChatView", scope: str) -> None:
    """Hidden only: for good is for `reverie forget --hard`, which asks twice."""
    _, items = look(memory, scope)
    if is_much(scope, len(items)):
        raise BadInput(f"that would hide {counted(len(items), 'memory')}; `reverie forget {scope}` asks, then does it")
    memory.forget(scope)
    them = "it" if len(items) == 1 else "them"
    view.line(f"{counted(len(items), 'memory')} hidden; `reverie forget --undo {scope}` brings {them} back")


def _reminders(memory: Memory, _conversation: ContinuumOrchestrator, view: "ChatView", rest: str) -> None:
    """/reminders, /reminders add TITLE @ WHEN, /reminders done ID"""
    tool = memory.reminders
    word, _, rest = rest.partition(" ")
    if word == "add":
        title, at, time = rest.rpartition("@")
        if not at:
            raise BadInput("say when, after an @: /reminders add call Ana @ tomorrow at 9")
        found: Sequence[Reminder] = [tool.add(title.strip(), time.strip())]
    elif word == "done":
        found = [tool.complete(rest.strip())]
    else:
        found = tool.list(cast(When, word)) if word else [*tool.list("overdue"), *tool.list("upcoming")]
    for one in found:
        view.line(f"{one.id}  {spelled(one.due_ms, tool.zone)}  {one.title}")
    if not found:
        view.line("no reminders")


def _prompt(_of: Memory, conversation: ContinuumOrchestrator, view: "ChatView", rest: str) -> None:
    if rest in ("diff", "--diff"):
        lines = diff_lines(conversation)
    elif rest in ("ledger", "--ledger"):
        lines = ledger_lines(conversation)
    elif rest:
        raise BadInput("/prompt takes diff, ledger or nothing")
    else:
        lines = composed_lines(conversation.last_composed or conversation.preview())
    for line in lines:
        view.line(line)


def _explain(memory: Memory, conversation: ContinuumOrchestrator, view: "ChatView", rest: str) -> None:
    """/explain LINE of the last prompt, as /prompt numbers them; /explain alone: the last turn."""
    if rest.isdigit():
        lines = explained(conversation, conversation.last_composed or conversation.preview(), int(rest))
    else:
        lines = memory.explain(rest).lines()
    for line in lines:
        view.line(line)


def _segments(_of: Memory, conversation: ContinuumOrchestrator, view: "ChatView", _rest: str) -> None:
    for one in conversation.segments.recent(30):
        view.line(f"{when(one.began_ms)}  {one.state.value:<9}  {one.title or '(now)'}")


def _collapse(_of: Memory, conversation: ContinuumOrchestrator, view: "ChatView", _rest: str) -> None:
    segment = conversation.collapse()
    if segment is None:
        view.line("there is nothing to collapse")
    elif segment.problem:
        view.problem(f"it stays open: {segment.problem}")
    else:
        view.line(f"{segment.title}: {segment.summary}")


def _pause(_of: Memory, conversation: ContinuumOrchestrator, view: "ChatView", _rest: str) -> None:
    view.line("paused; say anything to go on" if conversation.pause() else "there is nothing to pause")


def _tools(_of: Memory, conversation: ContinuumOrchestrator, view: "ChatView", _rest: str) -> None:
    tools = conversation.tools.state(conversation.continuum_id)
    loaded = {tool.name for tool in tools.loaded}
    for tool in tools.available:
        view.line(f"{'*' if tool.name in loaded else ' '} {tool.name:<12} {one_line(tool.description, 80)}")


COMMANDS: dict[str, tuple[Command, str]] = {
    "help": (_help, "Show these commands."),
    "memory": (_memory, "Search what is remembered: /memory staging database"),
    "show": (_show, "Show one memory in full: /show ID"),
    "note": (_note, "Remember something: /note the staging port is 8080"),
    "forget": (_forget, 'Hide memories: /forget text:"old address"'),
    "reminders": (_reminders, "List reminders; /reminders add call Ana @ tomorrow at 9; /reminders done ID"),
    "prompt": (_prompt, "Show the prompt with its tokens; /prompt diff, /prompt ledger"),
    "explain": (_explain, "Explain a line of the prompt: /explain LINE; without LINE, the last turn."),
    "segments": (_segments, "List the stretches of this conversation."),
    "collapse": (_collapse, "Close this stretch now: it becomes a summary."),
    "pause": (_pause, "Keep this stretch open, however long you are away."),
    "tools": (_tools, "List tools; a star marks those that are loaded."),
}
