"""Keep the last values that were added, within so many characters."""

from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Recent(Generic[K, V]):
    """When half of the room is full, the older half goes: at least the last half of it is always here.

    >>> few = Recent[int, str](room=4)
    >>> for number, text in enumerate(["ab", "cd", "ef"]):
    ...     few.add(number, text, len(text))
    >>> few.get(0), few.get(1), few.get(2)
    (None, 'cd', 'ef')
    """

    def __init__(self, room: int) -> None:
        self._half = room // 2
        self._newer: dict[K, V] = {}
        self._older: dict[K, V] = {}
        self._chars = 0  # of the newer ones

    def add(self, key: K, value: V, chars: int) -> None:
        """Keep this; what was kept by the same key goes."""
        if self._chars >= self._half:
            self._older, self._newer, self._chars = self._newer, {}, 0
        self._newer[key] = value
        self._chars += chars

    def get(self, key: K) -> V | None:
        """What was added last by this key, if it is still here."""
        found = self._newer.get(key)
        return self._older.get(key) if found is None else found

    def clear(self) -> None:
        self._newer, self._older, self._chars = {}, {}, 0
