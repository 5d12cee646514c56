"""Which memories come up for what was just said: recall -> `Surfaced`, with what they are linked to."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from reverie.conversing import Message
from reverie.desk import Surfaced
from reverie.recall import why
from reverie.records import Lifecycle, MemoryItem, Recalled
from reverie.text import clip

if TYPE_CHECKING:
    from reverie.memory import Memory
    from reverie.results import Assembled

_LINKS = 3  # of each kind of memory that are shown under one
_FLOOR = 1.0  # standard deviations: what comes up unasked should have to do with what was said
_CHARS = 600  # of a memory; the whole is one `show` away


def surface(memory: "Memory", asked: Message, *, has_history: bool = True) -> "tuple[list[Surfaced], Assembled]":
    """Ask memory about a message. What was said in its segment stands in the history already, where there is one."""
    settings = memory.settings

    def is_before_it(item: MemoryItem) -> bool:
        is_asked = item.id == asked.id or asked.id in item.sources
        return is_asked or (has_history and item.session == asked.segment_id)

    assembled = memory.assemble_context(
        asked.text,
        settings.continuum.recall_tokens,
        session=asked.segment_id,
        leave_out=is_before_it,
        most=settings.compose.surfaced,
        floor=_FLOOR,
    )
    depth = settings.compose.link_depth
    known = {one.item.id for one in assembled.items}
    return [_surfaced(memory, one, depth, known) for one in assembled.items], assembled


def _surfaced(memory: "Memory", found: Recalled, depth: int, known: set[str]) -> Surfaced:
    item = found.item
    return _of(item, clip(found.shown or item.text, _CHARS), why(found, memory.settings.recall), found.score,
               _linked(memory, item, depth, known | {item.id}))  # fmt: skip


def _of(item: MemoryItem, text: str, reason: str, score: float, linked: Sequence[Surfaced]) -> Surfaced:
    return Surfaced(
        id=item.id,
        text=text,
        when_ms=item.created_ms,
        who=item.speaker,
        type=item.type.value,
        why=reason,
        score=score,
        trust=item.trust.value,
        linked=tuple(linked),
    )


def _linked(memory: "Memory", item: MemoryItem, depth: int, known: set[str]) -> list[Surfaced]:
    """What a memory is linked to and is not shown already, to a depth."""
    if depth <= 0:
        return []
    ends = [(kind, end if end != item.id else begin) for begin, kind, end in memory.engine.items.links(item.id)]
    kinds = {other: kind for kind, other in [link for link in ends if link[1] not in known][:_LINKS]}
    return [
        _of(one, clip(one.text, _CHARS), kinds[one.id], 0.0, _linked(memory, one, depth - 1, known | set(kinds)))
        for one in memory.engine.items.get(list(kinds))
        if one.deleted_ms is None and one.lifecycle is not Lifecycle.QUARANTINED
    ]
