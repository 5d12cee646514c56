"""Episodic memory: what happened, in order, never changed. Observations become its items.

An observation in, the items it is stored as out. Its text has one home: an item that is not cut has the observation's
id, chunks name it as their parent.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import assert_never

from reverie.foundation.chunks import chunked
from reverie.foundation.text import uncoloured
from reverie.ports import DeriveId, StoreView
from reverie.records import (
    EPISODIC,
    JSON,
    WORKING,
    ItemType,
    Kind,
    MemoryItem,
    Observation,
    Source,
    Stored,
    Trust,
    title_of,
)
from reverie.settings import StoreSettings
from reverie.stores.base_type import Searched
from reverie.stores.overflow_summary import Summarise, shorten_items
from reverie.stores.retention import policy_of

_ACCEPTED = (
    ItemType.USER_MESSAGE, ItemType.ASSISTANT_MESSAGE, ItemType.TOOL_RESULT, ItemType.OBSERVATION, ItemType.ERROR,
    ItemType.ACTION, ItemType.METRIC,
)  # fmt: skip
_CHUNK_TOKENS = 2_000  # longer texts are kept in linked chunks, so that a match points at a part
_OF_PROGRAMS = ("api", "past")  # sources whose metadata a program chose, and may filter by
# Before the gate has looked: what people say is worth more than what agents say, and that more than what tools print.
# What went wrong is what one looks for later, and somebody asked for a note to be remembered.
_IMPORTANCE = {
    ItemType.USER_MESSAGE: 0.5, ItemType.ASSISTANT_MESSAGE: 0.4, ItemType.TOOL_RESULT: 0.3, ItemType.ERROR: 0.5,
    ItemType.OBSERVATION: 0.8,
}  # fmt: skip
NOTE = "note"  # the tag of what somebody asked to remember


class Episodic(Searched):
    name = EPISODIC

    def __init__(self, settings: StoreSettings, derive_id: DeriveId, summarise: Summarise = shorten_items) -> None:
        super().__init__(settings, summarise)
        self._derive_id = derive_id

    def accepts(self, item: MemoryItem) -> bool:
        """Accept what was said, seen and done."""
        return item.type in _ACCEPTED

    def memorize(self, item: MemoryItem, view: StoreView) -> Stored:
        """Append it, in chunks if it is long. What is there stays, but may be held back or released."""
        rows = chunked(replace(item, store=EPISODIC), _CHUNK_TOKENS, self._derive_id)
        for row in rows:
            known = view.get(row.id)
            is_restaged = known is not None and known.text == row.text and known.lifecycle is not row.lifecycle
            if known is None or (is_restaged and known.deleted_ms is None):
                view.put(row)
        return Stored(tuple(row.id for row in rows))


# ---- observations


def items_of(
    observation: Observation, derive_id: DeriveId, trust_of: Callable[[Observation], Trust]
) -> list[MemoryItem]:
    """Turn an observation into one item, or the chunks of a long one; nothing if it says nothing."""
    title = title_of(observation.tool)
    said = uncoloured(observation.text)
    text = f"{title}\n{said}" if title else said  # as the log puts the two together
    sort = _sort(observation)
    if sort is None or not text.strip():
        return []
    type_, source = sort
    item = MemoryItem(
        id=observation.id,
        type=type_,
        text=text,
        created_ms=observation.occurred_ms,
        store=EPISODIC,
        user=observation.user,
        project=observation.project,
        session=observation.session,
        speaker=observation.speaker,
        agent=_given(observation, "agent"),
        task=_given(observation, "task"),
        importance=_IMPORTANCE[type_],
        source=source,
        trust=trust_of(observation),
        tags=(NOTE,) if observation.kind is Kind.NOTE else (),
        metadata=_metadata(observation),
        position=observation.position,
        sources=(observation.id,),
    )
    return chunked(replace(item, retention=policy_of(item)), _CHUNK_TOKENS, derive_id)


def _sort(observation: Observation) -> tuple[ItemType, Source] | None:
    """Return the type and the source of the item that an observation becomes.

    None for `system`: a session that starts, a context that is compacted, is the host's book-keeping. What such a line
    tells was said in the session itself; remembered once more, it would crowd out the words it stands for.
    """
    match observation.kind:
        case Kind.USER_MESSAGE:
            return ItemType.USER_MESSAGE, Source.USER
        case Kind.ASSISTANT_MESSAGE:
            return ItemType.ASSISTANT_MESSAGE, Source.MODEL
        case Kind.NOTE:
            return ItemType.OBSERVATION, Source.USER
        case Kind.TOOL_CALL if observation.tool and observation.tool.failed:
            return ItemType.ERROR, Source.TOOL
        case Kind.TOOL_CALL:
            return ItemType.TOOL_RESULT, Source.TOOL
        case Kind.SYSTEM:
            return None
        case _:
            assert_never(observation.kind)


def _given(observation: Observation, name: str) -> str:
    """The agent or the task that a program named."""
    value = observation.metadata.get(name) if observation.source in _OF_PROGRAMS else ""
    return value if isinstance(value, str) else ""


def _metadata(observation: Observation) -> dict[str, JSON]:
    known: dict[str, JSON] = {
        "tool": observation.tool.name if observation.tool else "",
        "event_id": observation.event_id,
        "turn": observation.turn,
        "channel": observation.metadata.get("channel"),  # mail and messengers run on where nobody chose the thread
    }
    given = observation.metadata if observation.source in _OF_PROGRAMS else {}
    plain = {name: value for name, value in given.items() if isinstance(value, str | int | float)}
    return {name: value for name, value in {**plain, **known}.items() if value}


def copy_of(observation: Observation, items: Sequence[MemoryItem], derive_id: DeriveId) -> MemoryItem | None:
    """Copy the part of an observation that working memory keeps while the task runs.

    What was imported belongs to no running task, and of a long text the first chunk is enough: the copy says what it
    is a copy of.
    """
    if not observation.is_live or not items:
        return None
    first = items[0]
    copy = replace(
        first,
        id=derive_id(first.created_ms, f"{WORKING} copy", [first.id], 0),
        store=WORKING,
        parent_id="",
        chunk_index=0,
        metadata={**first.metadata, "copy_of": first.parent_id or first.id},
        retention="",
    )
    return replace(copy, retention=policy_of(copy))
