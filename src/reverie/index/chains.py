"""The messages of each session in the order of the log: who stands before and after whom.

Only messages of episodic memory that anyone may see have neighbours. A message that arrives late takes its place, so
the order of arrival makes no difference.
"""

from bisect import bisect_left, insort

import numpy as np
from numpy.typing import NDArray

from reverie.records import EPISODIC, ItemType, Lifecycle, MemoryItem

Place = tuple[int, int, str, int]  # position, chunk, id, row


def has_neighbours(item: MemoryItem) -> bool:
    """Whether an item is a turn of a conversation that others may be understood by."""
    return (
        bool(item.session)
        and item.store == EPISODIC
        and item.type in (ItemType.USER_MESSAGE, ItemType.ASSISTANT_MESSAGE)
        and item.deleted_ms is None
        and item.lifecycle is not Lifecycle.QUARANTINED
    )


class Chains:
    """For each row the row before and the row after it, 0 for none."""

    def __init__(self) -> None:
        self._sessions: dict[str, list[Place]] = {}
        self._places: dict[int, tuple[str, Place]] = {}
        self._before = np.zeros(1, dtype=np.int64)
        self._after = np.zeros(1, dtype=np.int64)
        self._member = np.zeros(1, dtype=bool)

    def before(self, rows: int) -> NDArray[np.int64]:
        self._grow(rows)
        return self._before[:rows]

    def after(self, rows: int) -> NDArray[np.int64]:
        self._grow(rows)
        return self._after[:rows]

    def members(self, rows: int) -> NDArray[np.bool_]:
        """Which rows stand in a chain."""
        self._grow(rows)
        return self._member[:rows]

    def add(self, row: int, item: MemoryItem) -> None:
        if not has_neighbours(item):
            return
        self._grow(row + 1)
        place = (item.position, item.chunk_index, item.id, row)
        chain = self._sessions.setdefault(item.session, [])
        insort(chain, place)
        self._places[row] = (item.session, place)
        self._member[row] = True
        at = len(chain) - 1 if chain[-1] is place else bisect_left(chain, place)
        before = chain[at - 1][3] if at else 0
        after = chain[at + 1][3] if at + 1 < len(chain) else 0
        self._link(before, row)
        self._link(row, after)

    def remove(self, row: int) -> None:
        found = self._places.pop(row, None)
        if found is None:
            return
        session, place = found
        chain = self._sessions[session]
        del chain[bisect_left(chain, place)]
        if not chain:
            del self._sessions[session]
        self._link(int(self._before[row]), int(self._after[row]))
        self._before[row] = self._after[row] = 0
        self._member[row] = False

    def _link(self, before: int, after: int) -> None:
        if before:
            self._after[before] = after
        if after:
            self._before[after] = before

    def _grow(self, rows: int) -> None:
        if len(self._before) < rows:
            more = max(rows, 2 * len(self._before)) - len(self._before)
            self._before = np.append(self._before, np.zeros(more, dtype=np.int64))
            self._after = np.append(self._after, np.zeros(more, dtype=np.int64))
            self._member = np.append(self._member, np.zeros(more, dtype=bool))
