"""Memories that came up for this turn, with what they are linked to.

Whoever recalls hands them over ({"memories": Sequence[Surfaced]}); they stay until the next hand-over, or until the
segment collapses. Each carries a short id, so that a reply can mention it.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import cast

from reverie.compose.markup import Markup, Origin, tag
from reverie.compose.trinket import EventAwareTrinket, TrinketContext, TrinketHost
from reverie.compose.trinkets.bounds import attribute, cut, group, lines_of, listed
from reverie.errors import BadInput
from reverie.events import EventBus
from reverie.records import Trust
from reverie.records.prompt_inputs import Surfaced

_TEXT_CHARS = 2_000  # of one memory; `show` tells the rest
_LINKS_AT_MOST = 5  # of one memory
_OWN_WORD = ("", Trust.PERSON, Trust.PERSON_FILE)  # what needs no remark about whose word it is
LINK_DEPTH = 2  # how deep linked memories are shown under a surfaced one


def short_id(memory_id: str) -> str:
    """Shorten a memory's id for the prompt. The end of an id is what tells two of one moment apart.

    >>> short_id("01HZXK3V9QW8R7T6Y5U4")
    'mem_R7T6Y5U4'
    """
    return f"mem_{memory_id[-8:]}"


class ProactiveMemoryTrinket(EventAwareTrinket):
    """Shows surfaced memories, and keeps them by user and conversation between updates."""

    def __init__(self, event_bus: EventBus, working_memory: TrinketHost) -> None:
        self._cached: dict[tuple[str, str], tuple[Surfaced, ...]] = {}
        super().__init__(event_bus, working_memory)

    def _get_variable_name(self) -> str:
        return "relevant_memories"

    def get_cached_memories(self, user_id: str | None = None, continuum_id: str = "") -> tuple[Surfaced, ...]:
        """Return the memories that surfaced last; name user and conversation where there are several."""
        kept = self._kept(user_id, continuum_id)
        if len(kept) > 1:
            told = f"memories of {len(kept)} conversations are kept here"
            raise BadInput(f"{told}; say whose with user_id= and continuum_id=")
        return self._cached.get(kept[0], ()) if kept else ()

    def _kept(self, user_id: str | None, continuum_id: str) -> list[tuple[str, str]]:
        """The conversations that are meant."""
        return [key for key in list(self._cached) if user_id in (None, key[0]) and continuum_id in ("", key[1])]

    def forget_segment(self, user_id: str, continuum_id: str) -> None:
        for key in self._kept(user_id, continuum_id):
            self._cached.pop(key, None)

    def generate_content(self, context: TrinketContext) -> Markup:
        key = context.user_id, context.continuum_id
        if "memories" in context:
            self._cached[key] = tuple(cast(Sequence[Surfaced], context["memories"]))
        memories = self._cached.get(key, ())
        seen = {memory.id for memory in memories}  # what surfaced itself is not repeated below another
        return group(
            "surfaced_memories",
            listed(memories, lambda it: _memory(it, context.now, seen, LINK_DEPTH), "search finds them"),
        )


def _memory(memory: Surfaced, now: datetime, seen: set[str], depth: int) -> Markup:
    """One memory; what it is linked to stands inside it, each memory once in the whole section."""
    linked = [it for it in memory.linked if it.id not in seen][:_LINKS_AT_MOST] if depth > 0 else []
    seen |= {it.id for it in linked}
    told = lines_of(cut(memory.text.strip(), _TEXT_CHARS), "memory", memory.id, memory.why)
    return tag(
        "memory",
        told,
        group("linked_memories", [_memory(it, now, seen, depth - 1) for it in linked]),
        id=short_id(memory.id),
        when=f"{datetime.fromtimestamp(memory.when_ms / 1000, now.tzinfo):%Y-%m-%d}",
        who=attribute(memory.who, 80),
        type_=attribute(memory.type, 40),
        trust=None if memory.trust in _OWN_WORD else attribute(memory.trust, 40),
        origin=Origin(0, "memory", memory.id, memory.why),
    )
