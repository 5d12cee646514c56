"""Memories that came up for this turn, with what they are linked to.

Whoever recalls hands them over ({"memories": Sequence[Surfaced]}); they stay until the next hand-over, or until the
segment collapses. Each carries a short id, so that a reply can mention it.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import cast

from reverie.compose.markup import Markup, Origin, tag
from reverie.compose.trinket import EventAwareTrinket, Registry, TrinketContext
from reverie.compose.trinkets.bounds import attribute, cut, group, lines_of, listed
from reverie.desk import Surfaced
from reverie.errors import BadInput
from reverie.events import EventBus
from reverie.records import Trust
from reverie.settings import ComposeSettings

_TEXT_CHARS = 2_000  # of one memory; `show` tells the rest
_LINKS_AT_MOST = 5  # of one memory
_OWN_WORD = ("", Trust.PERSON, Trust.PERSON_FILE)  # what needs no remark about whose word it is
_DEFAULTS = ComposeSettings()


def short_id(memory_id: str) -> str:
    """How a memory is called in the prompt. The end of an id is what tells two of one moment apart.

    >>> short_id("01HZXK3V9QW8R7T6Y5U4")
    'mem_R7T6Y5U4'
    """
    return f"mem_{memory_id[-8:]}"


class ProactiveMemoryTrinket(EventAwareTrinket):
    """Shows surfaced memories, and keeps them by user between updates."""

    def __init__(self, event_bus: EventBus, working_memory: Registry, settings: ComposeSettings = _DEFAULTS) -> None:
        self._depth = settings.link_depth
        self._cached: dict[str, tuple[Surfaced, ...]] = {}
        super().__init__(event_bus, working_memory)

    def _get_variable_name(self) -> str:
        return "relevant_memories"

    def get_cached_memories(self, user_id: str | None = None) -> tuple[Surfaced, ...]:
        """What surfaced last for a user, who need not be named as long as there is only one."""
        if user_id is None:
            if len(self._cached) > 1:
                raise BadInput(f"memories of {len(self._cached)} users are kept here; say whose with user_id=")
            user_id = next(iter(self._cached), "")
        return self._cached.get(user_id, ())

    def forget_segment(self, user_id: str) -> None:
        self._cached.pop(user_id, None)

    def generate_content(self, context: TrinketContext) -> Markup:
        if "memories" in context:
            self._cached[context.user_id] = tuple(cast(Sequence[Surfaced], context["memories"]))
        memories = self.get_cached_memories(context.user_id)
        seen = {memory.id for memory in memories}  # what surfaced itself is not repeated below another
        return group(
            "surfaced_memories",
            listed(memories, lambda it: _memory(it, context.now, seen, self._depth), "search finds them"),
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
