"""A shortened or quoted id, as people and models write it -> the memory's id.

Conversations show the end of an id only, such as `mem_K76MKDWB`. A learning has an id of its own, which `learnings`
tells, and `search` where nothing else is searchable yet: it means the memory that the learning became, or what it was
learned from if it became none.
"""

from collections.abc import Sequence

from reverie.compose.trinkets.proactive_memory import short_id
from reverie.errors import BadInput
from reverie.foundation.text import title_line
from reverie.ports import Engine
from reverie.records import MemoryItem

_MARK, _END_CHARS = "mem_", 8  # as `short_id` makes them


def whole_ids(names: Sequence[str], engine: Engine) -> list[str]:
    """The ids that are meant, in order: short ones made whole, also without `mem_`. What names nothing stays as it is.

    Two memories may share a short id; then BadInput lists them.
    """
    kept_as = engine.learnings.kept_as(names)
    names = [kept_as.get(name, name) for name in names]
    short = {name: _shortened(name) for name in names if name.startswith(_MARK) or len(name) == _END_CHARS}
    for known in engine.items.get(list(short)):
        del short[known.id]
    if not short:
        return list(names)
    meant: dict[str, list[MemoryItem]] = {called: [] for called in short.values()}
    for item in engine.items.ending([called.removeprefix(_MARK) for called in meant]):
        if (called := short_id(item.id)) in meant:  # and not only its last few characters
            meant[called].append(item)
    return [_only(name, meant[short[name]]) if name in short else name for name in names]


def _shortened(name: str) -> str:
    return name if name.startswith(_MARK) else short_id(name)


def _only(name: str, items: Sequence[MemoryItem]) -> str:
    if len(items) > 1:
        told = "; ".join(f'{item.id} "{title_line(item.text)}"' for item in items)
        raise BadInput(f"{name} may mean {len(items)} memories, so say the whole id of one: {told}")
    return items[0].id if items else name
