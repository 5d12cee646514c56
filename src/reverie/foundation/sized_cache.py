"""Keep the last values that were added, within so many characters."""

from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")

_ENTRY = 500  # characters that an entry takes beside its text


class SizedCache(Generic[K, V]):
    """A cache in two halves. When a half is full, the older half goes, so at least the last half is always here.

    >>> few = SizedCache[int, str](room=4000)
    >>> for number, text in enumerate(["a" * 2000, "b" * 2000, "c" * 2000]):
    ...     few.add(number, text, len(text))
    >>> [few.get(number) is not None for number in range(3)]
    [False, True, True]
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
        self._chars += chars + _ENTRY

    def get(self, key: K) -> V | None:
        """Return the value that was added last by this key, if it is still here."""
        found = self._newer.get(key)
        return self._older.get(key) if found is None else found

    def pop(self, key: K) -> V | None:
        """The same, and keep it no longer."""
        older = self._older.pop(key, None)
        return self._newer.pop(key, older)

    def clear(self) -> None:
        self._newer, self._older, self._chars = {}, {}, 0
