"""Read everything that a prompt may show, once, on the caller's thread.

A part that cannot be read is named in `unread`, and the rest is read all the same: no section waits for another.
"""

from collections.abc import Callable, Mapping
from typing import Any

from reverie.compose.context import LEARNING_HOURS
from reverie.compose.trinkets.manifest import MANIFEST_SEGMENTS
from reverie.continuum.dependencies import UserParts
from reverie.errors import ReverieError
from reverie.mirrors import bullet, uncommented
from reverie.records.prompt_inputs import PromptInputs, ToolRepo

# What a read may fail by: the record, its file, or what stands in a file for people.
_UNREADABLE = (ReverieError, OSError, ValueError)


def read_prompt_inputs(
    parts: UserParts, continuum_id: str, segment_id: str, tools: ToolRepo, key: str = ""
) -> PromptInputs:
    """Read what the prompt of this conversation may show now. `key` is the mark of the conversation."""
    engine = parts.store.engine
    readers: Mapping[str, Callable[[], Any]] = {
        "soul": lambda: uncommented(parts.profile.soul()).strip(),
        "user": lambda: uncommented(parts.profile.person()).strip(),
        "memory_state": lambda: parts.profile.own_file("MEMORY.md"),
        "scratch": lambda: parts.profile.own_file("memory/scratch.md"),
        "journal_digest": lambda: parts.profile.own_file("notes/journal/daily_summary.md"),
        "reminders": engine.reminders.all,
        "punches": engine.punches.all,
        "documents": engine.documents.all,
        "segments": lambda: engine.conversations.segments(continuum_id, MANIFEST_SEGMENTS),
        "searches": lambda: engine.searches.all(segment_id),
        "tools": lambda: tools.state(continuum_id),
        "learnings": lambda: _learnings(parts),
        "actions": engine.actions.pending,
        "goals": engine.goals.goals,
    }
    found: dict[str, Any] = {}
    unread: dict[str, str] = {}
    for name, read in readers.items():
        try:
            found[name] = read()
        except _UNREADABLE as error:
            unread[name] = f"{type(error).__name__}: {error}"
    # The settings are the owner's.
    first_name = parts.store.settings.person.first_name if parts.profile.is_owner else ""
    return PromptInputs(user_id=engine.user, first_name=first_name, key=key, unread=unread, **found)


def _learnings(parts: UserParts) -> list[Any]:
    """Return recent learnings that do not stand in user.md already."""
    since = parts.store.env.now_ms() - LEARNING_HOURS * 3_600_000
    told = set(parts.profile.person().splitlines())
    return [one for one in parts.store.engine.learnings.recent(since) if bullet(one.text) not in told]
