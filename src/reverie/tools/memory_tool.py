"""The tool `memory`: an agent of the active profile looks things up and notes things down.

Cheap first: a search answers with one line per memory, `timeline` with what was around one, `show` with one whole.
Where memories come from is not known here: the functions of a Memory are handed in, or others of their shape.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import ClassVar, Protocol

from reverie.errors import BadInput
from reverie.foundation.text import clip, inert, title_line
from reverie.records import JSON, Hit, MemoryItem
from reverie.records.conversation_values import Moment
from reverie.tools.operations import OperationTool, operation

_LINE_CHARS = 160
_WHY_CHARS = 60
_WHOLE_CHARS = 8_000  # a whole tool result may be megabytes
_MOST = 20


class Search(Protocol):
    def __call__(self, query: str, *, limit: int) -> Sequence[Hit]:
        """Search memory, best first."""
        ...


class Note(Protocol):
    def __call__(self, text: str, *, session: str) -> str:
        """Keep a text as said in a session; returns its id."""
        ...


class MemoryTool(OperationTool):
    name: ClassVar[str] = "memory"
    description: ClassVar[str] = "What is remembered of earlier conversations: search it, look closer, and note things."
    hints: ClassVar[str] = (
        "Search first, then show what matters. Note what the person wants kept, in one sentence that stands alone."
    )

    def __init__(
        self,
        search: Search,
        show: Callable[[Sequence[str]], Sequence[MemoryItem]],
        note: Note,
        timeline: Callable[[str], Sequence[Hit]],
    ) -> None:
        self._search = search
        self._show = show
        self._note = note
        self._timeline = timeline

    @operation
    def search(self, query: str, limit: int = 5) -> list[str]:
        """Memories that answer a question, one line each: its id, when, what it says, and why it was found."""
        if not query.strip():
            raise BadInput("a search needs some words")
        if not 1 <= limit <= _MOST:
            raise BadInput(f"a search gives 1 to {_MOST} results, not {limit}")
        return [_line(hit) for hit in self._search(query, limit=limit)]

    @operation
    def show(self, id: str) -> dict[str, JSON]:
        """One memory whole."""
        item = self._show([id])[0]
        told: dict[str, JSON] = {"id": item.id, "when": _day(item.created_ms), "type": item.type.value}
        return {**told, "trust": item.trust.value, "text": inert(clip(item.text, _WHOLE_CHARS))}

    @operation
    def note(self, text: str, moment: Moment | None = None) -> dict[str, JSON]:
        """Remember a sentence."""
        if not text.strip():
            raise BadInput("there is nothing to note")
        return {"noted": self._note(text, session=moment.segment_id if moment else "")}

    @operation
    def timeline(self, id: str) -> list[str]:
        """Show what happened around a memory, oldest first, one line each."""
        return [_line(hit) for hit in self._timeline(id)]


def _line(hit: Hit) -> str:
    why = f" ({title_line(hit.why, _WHY_CHARS)})" if hit.why else ""
    return inert(f"{hit.id} {_day(hit.when_ms)} {hit.what}: {title_line(hit.text, _LINE_CHARS)}{why}")


def _day(ms: int) -> str:
    try:
        return datetime.fromtimestamp(ms / 1000, UTC).date().isoformat()
    except (OverflowError, ValueError, OSError):
        return "?"
