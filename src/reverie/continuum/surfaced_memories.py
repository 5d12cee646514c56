"""The last message -> the memories that recall finds for it, as `Surfaced`, with what they are linked to."""

from collections.abc import Sequence

from reverie.compose.trinkets.proactive_memory import LINK_DEPTH
from reverie.continuum.dependencies import UserParts
from reverie.foundation.text import clip
from reverie.recall import why
from reverie.records import Lifecycle, MemoryItem, Recalled
from reverie.records.conversation_values import Message
from reverie.records.prompt_inputs import Surfaced
from reverie.records.results import Assembled

_SURFACED = 8  # memories that surface in a turn; more are found by search
_RECALL_TOKENS = 1_200  # of them, in all
_LINKS = 3  # of each kind of memory that are shown under one
_CHARS = 600  # of a memory; the whole is one `show` away


def surface(parts: UserParts, asked: Message, *, has_history: bool = True) -> tuple[list[Surfaced], Assembled]:
    """Ask memory about a message. What was said in its segment stands in the history already, where there is one."""

    def is_no_use(item: MemoryItem) -> bool:
        is_asked = item.id == asked.id or asked.id in item.sources
        return is_asked or (has_history and item.session == asked.segment_id)

    assembled = parts.turns.assemble_context(
        asked.text,
        _RECALL_TOKENS,
        session=asked.segment_id,
        leave_out=is_no_use,
        most=_SURFACED,
    )
    known = {one.item.id for one in assembled.items}
    return [_surfaced(parts, one, LINK_DEPTH, known) for one in assembled.items], assembled


def _surfaced(parts: UserParts, found: Recalled, depth: int, known: set[str]) -> Surfaced:
    item = found.item
    return _of(item, clip(found.shown or item.text, _CHARS), why(found), found.score,
               _linked(parts, item, depth, known | {item.id}))  # fmt: skip


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


def _linked(parts: UserParts, item: MemoryItem, depth: int, known: set[str]) -> list[Surfaced]:
    """Return the memories that an item is linked to and that are not shown already, to a depth."""
    if depth <= 0:
        return []
    ends = [(kind, end if end != item.id else begin) for begin, kind, end in parts.store.engine.items.links(item.id)]
    kinds = {other: kind for kind, other in [link for link in ends if link[1] not in known][:_LINKS]}
    return [
        _of(one, clip(one.text, _CHARS), kinds[one.id], 0.0, _linked(parts, one, depth - 1, known | set(kinds)))
        for one in parts.store.engine.items.get(list(kinds))
        if one.deleted_ms is None and one.lifecycle is not Lifecycle.QUARANTINED
    ]
