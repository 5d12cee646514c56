"""What people and models call a memory -> its id. Conversations show the end of an id only, such as `mem_K76MKDWB`."""

from collections.abc import Iterator, Sequence

from reverie.compose.trinkets.proactive_memory import short_id
from reverie.errors import BadInput
from reverie.ports import Engine
from reverie.records import MemoryItem
from reverie.text import title_line

_MARK, _END_CHARS = "mem_", 8  # as `short_id` makes them
_AT_ONCE = 2000  # items read at a time


def whole_ids(names: Sequence[str], engine: Engine) -> list[str]:
    """The ids that are meant, in order: short ones made whole, also without `mem_`. What names nothing stays as it is.

    Two memories may share a short id; then BadInput lists them. The record is not sorted by the ends of ids, so all
    of it is read; whole ids cost nothing.
    """
    short = {name: _shortened(name) for name in names if name.startswith(_MARK) or len(name) == _END_CHARS}
    for known in engine.items.get(list(short)):
        del short[known.id]
    if not short:
        return list(names)
    wanted = set(short.values())
    meant: dict[str, dict[str, MemoryItem]] = {one: {} for one in wanted}
    for item in _all_items(engine):
        if (called := short_id(item.id)) in wanted:
            meant[called][item.id] = item
    return [_only(name, list(meant[short[name]].values())) if name in short else name for name in names]


def _shortened(name: str) -> str:
    return name if name.startswith(_MARK) else short_id(name)


def _all_items(engine: Engine) -> Iterator[MemoryItem]:
    """Also what is old, hidden or doubtful. What changes meanwhile may come twice."""
    change = 0
    while page := engine.items.changes(change, "", _AT_ONCE):
        yield from (item for _, item, _ in page)
        change = page[-1][0]


def _only(name: str, items: Sequence[MemoryItem]) -> str:
    if len(items) > 1:
        told = "; ".join(f'{item.id} "{title_line(item.text)}"' for item in items)
        raise BadInput(f"{name} may mean {len(items)} memories, so say the whole id of one: {told}")
    return items[0].id if items else name
