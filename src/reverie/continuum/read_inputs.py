"""Read everything that a prompt may show, once, on the caller's thread.

A part that cannot be read is named in `unread`, and the rest is read all the same: no section waits for another.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from reverie.errors import ReverieError
from reverie.mirrors import bullet, uncommented
from reverie.prompt_inputs import PromptInputs, ToolRepo

if TYPE_CHECKING:
    from reverie.memory import Memory

# What a read may fail by: the record, its file, or what stands in a file for people.
_UNREADABLE = (ReverieError, OSError, ValueError)


def read_prompt_inputs(
    memory: "Memory", continuum_id: str, segment_id: str, tools: ToolRepo, key: str = ""
) -> PromptInputs:
    """Read what the prompt of this conversation may show now. `key` is the mark of the conversation."""
    engine = memory.engine
    parts: Mapping[str, Callable[[], Any]] = {
        "soul": lambda: uncommented(memory.told_of_soul()).strip(),
        "user": lambda: uncommented(memory.told_of_person()).strip(),
        "memory_state": lambda: _own_file(memory, "MEMORY.md"),
        "scratch": lambda: _own_file(memory, "memory/scratch.md"),
        "journal_digest": lambda: _own_file(memory, "notes/journal/daily_summary.md"),
        "reminders": engine.reminders.all,
        "punches": engine.punches.all,
        "documents": engine.documents.all,
        "segments": lambda: engine.conversations.segments(continuum_id, memory.settings.compose.manifest_segments),
        "searches": lambda: engine.searches.all(segment_id),
        "tools": lambda: tools.state(continuum_id),
        "learnings": lambda: _learnings(memory),
        "actions": engine.actions.pending,
        "goals": engine.goals.goals,
    }
    found: dict[str, Any] = {}
    unread: dict[str, str] = {}
    for name, read in parts.items():
        try:
            found[name] = read()
        except _UNREADABLE as error:
            unread[name] = f"{type(error).__name__}: {error}"
    first_name = memory.settings.person.first_name if memory.is_owner else ""  # the settings are the owner's
    return PromptInputs(user_id=engine.user, first_name=first_name, key=key, unread=unread, **found)


def _own_file(memory: "Memory", name: str) -> str:
    """A file of the workspace, where it is there and the workspace is this user's."""
    return memory.read_file(memory.workspace.home / name).strip() if memory.is_owner else ""


def _learnings(memory: "Memory") -> list[Any]:
    """What was learned lately and does not stand in user.md already."""
    since = memory.env.now_ms() - int(memory.settings.context.learning_hours * 3_600_000)
    told = set(memory.told_of_person().splitlines())
    return [one for one in memory.engine.learnings.recent(since) if bullet(one.text) not in told]
