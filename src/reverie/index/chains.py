"""The messages of each session in the order of the log: who stands before and after whom.

Only messages of episodic memory that anyone may see have neighbours. A message that arrives late takes its place, so
the order of arrival makes no difference.
"""

from array import array
from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray

from reverie.records import EPISODIC, ItemType, Lifecycle, MemoryItem

GAP = 2  # empty cells after each session: neighbours are told from strangers by counting cells alone

Place = tuple[int, int, str]  # position, chunk, id


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
    """One line of cells in which the rows of each session stand side by side, and sessions apart."""

    def __init__(self) -> None:
        self._places: dict[str, list[Place]] = {}  # session -> where its turns stand in the log, in order
        self._rows: dict[str, array[int]] = {}  # session -> their rows in the same order, and the gap
        self._known: dict[int, tuple[str, Place]] = {}

    def cells(self) -> NDArray[np.int64]:
        """The row in each cell, 0 for none. It begins and ends with a gap."""
        gap = array("q", [0] * GAP)
        return np.frombuffer(b"".join((gap, *self._rows.values(), gap)), dtype=np.int64)

    def add(self, row: int, item: MemoryItem) -> None:
        if not has_neighbours(item):
            return
        place = (item.position, item.chunk_index, item.id)
        chain = self._places.setdefault(item.session, [])
        at = len(chain) if not chain or chain[-1] < place else bisect_left(chain, place)
        chain.insert(at, place)
        self._rows.setdefault(item.session, array("q", [0] * GAP)).insert(at, row)
        self._known[row] = (item.session, place)

    def remove(self, row: int) -> None:
        found = self._known.pop(row, None)
        if found is None:
            return
        session, place = found
        at = bisect_left(self._places[session], place)
        del self._places[session][at], self._rows[session][at]
        if not self._places[session]:
            del self._places[session], self._rows[session]
