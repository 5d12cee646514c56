"""A shortened or quoted id, as people and models write it -> the memory's id.

Lists show the end of an id, such as `K76MKDWB`, and conversations `mem_K76MKDWB`; any end that only one memory has will
do. A learning has an id of its own, which `learnings` tells, and `search` where nothing else is searchable yet: it
means the memory that the learning became, or what it was learned from if it became none.
"""

from collections.abc import Sequence

from reverie.errors import BadInput
from reverie.foundation.text import title_line
from reverie.ports import Engine
from reverie.records import MemoryItem

_MARK = "mem_"  # as `short_id` makes them


def whole_ids(names: Sequence[str], engine: Engine) -> list[str]:
    """The ids that are meant, in order: ends made whole, with or without `mem_`. What names nothing stays as it is.

    Several memories may have the same end; then BadInput lists them.
    """
    known = {item.id for item in engine.items.get(names)}
    ends = {name: end for name in names if name not in known and (end := name.removeprefix(_MARK))}
    if not ends:
        return list(names)
    kept_as = engine.learnings.kept_as(list(ends))
    of_end = engine.items.ending([end for name, end in ends.items() if name not in kept_as])
    meant: dict[str, list[MemoryItem]] = {
        name: [item for item in of_end if item.id.endswith(end)] for name, end in ends.items() if name not in kept_as
    }
    if unknown := [name for name, items in meant.items() if not items]:
        kept_as |= _by_end_of_learning(unknown, engine)
    return [kept_as.get(name) or _only(name, meant.get(name, ())) for name in names]


def _by_end_of_learning(names: Sequence[str], engine: Engine) -> dict[str, str]:
    """Map the ends of learnings' ids, each of one learning, to what these were kept as."""
    ids = [learning.id for learning in engine.learnings.all()]
    learnings = {name: [one for one in ids if one.endswith(name)] for name in names}
    kept_as = engine.learnings.kept_as([found[0] for found in learnings.values() if len(found) == 1])
    return {name: kept_as[found[0]] for name, found in learnings.items() if len(found) == 1 and found[0] in kept_as}


def _only(name: str, items: Sequence[MemoryItem]) -> str:
    if len(items) > 1:
        told = "; ".join(f'{item.id} "{title_line(item.text)}"' for item in items)
        raise BadInput(f"{name} may mean {len(items)} memories, so say the whole id of one: {told}")
    return items[0].id if items else name
