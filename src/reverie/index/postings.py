"""Words -> which rows have them, and how often; and back, so that a removed row leaves nothing behind.

A posting is one 32-bit number: the row in the upper 24 bits, how often (at most 255) in the lower 8. Appending is
O(words); a posting list has no order, so a freed row can be used again.
"""

from array import array
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from reverie.language import words

MAX_ROWS = 1 << 24
_MOST = 255


class Postings:
    """The inverted index of one user."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}  # word -> its number
        self._lists: list[array[int]] = []  # number -> postings
        self._free: list[int] = []  # numbers of words that nobody uses any more
        self._names: list[str] = []  # number -> word
        self._rows: dict[int, bytes] = {}  # row -> the numbers of its words, as uint32

    def __contains__(self, term: str) -> bool:
        return term in self._ids

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, rows: Sequence[int], texts: Sequence[list[str]]) -> None:
        """Add the words of rows that have none yet."""
        numbers: list[int] = []
        ids, new = self._ids, self._new
        for text in texts:
            try:
                numbers += [ids[word] for word in text]
            except KeyError:
                numbers += [ids[word] if word in ids else new(word) for word in text]
        lengths = [len(text) for text in texts]
        keys = np.repeat(np.arange(len(rows), dtype=np.uint64) << np.uint64(32), lengths)
        keys |= np.array(numbers, dtype=np.uint64)
        keys, counts = np.unique(keys, return_counts=True)
        place = (keys >> np.uint64(32)).astype(np.int64)
        terms = keys.astype(np.uint32)
        self._remember(rows, place, terms)
        row_of = np.array(rows, dtype=np.uint32)[place]
        self._append(terms, (row_of << np.uint32(8)) | np.minimum(counts, _MOST).astype(np.uint32))

    def _new(self, word: str) -> int:
        if self._free:
            number = self._free.pop()
            self._names[number] = word
        else:
            number = len(self._lists)
            self._lists.append(array("I"))
            self._names.append(word)
        self._ids[word] = number
        return number

    def _remember(self, rows: Sequence[int], place: NDArray[np.int64], terms: NDArray[np.uint32]) -> None:
        ends = np.searchsorted(place, np.arange(len(rows) + 1)).tolist()
        data = terms.tobytes()
        for at, row in enumerate(rows):
            self._rows[row] = data[4 * ends[at] : 4 * ends[at + 1]]

    def _append(self, terms: NDArray[np.uint32], postings: NDArray[np.uint32]) -> None:
        order = np.argsort(terms, kind="stable")
        terms = terms[order]
        data = postings[order].tobytes()
        starts = np.flatnonzero(np.concatenate(([True], terms[1:] != terms[:-1]))) if len(terms) else terms
        ends = [*(4 * starts[1:]).tolist(), len(data)]
        for number, start, end in zip(terms[starts].tolist(), (4 * starts).tolist(), ends, strict=True):
            self._lists[number].frombytes(data[start:end])

    def count(self, term: str) -> int:
        """Count the rows that have a word."""
        number = self._ids.get(term)
        return 0 if number is None else len(self._lists[number])

    def of(self, term: str) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The rows that have a word, and how often each has it."""
        number = self._ids.get(term)
        if number is None:
            return np.empty(0, dtype=np.int64), np.empty(0)
        both = np.frombuffer(self._lists[number], dtype=np.uint32)
        return (both >> np.uint32(8)).astype(np.int64), (both & np.uint32(_MOST)).astype(np.float64)

    def remove(self, rows: Sequence[int]) -> None:
        """Take rows out of every list, and words that nobody has any more out of everything."""
        gone: set[str] = set()
        for row in rows:
            for number in np.frombuffer(self._rows.pop(row, b""), dtype=np.uint32).tolist():
                postings = self._lists[number]
                at = int(np.flatnonzero(np.frombuffer(postings, dtype=np.uint32) >> np.uint32(8) == row)[0])
                last = postings.pop()
                if at < len(postings):
                    postings[at] = last
                if not postings:
                    gone.add(self._drop(number))
        if gone:
            words.forget(gone)

    def _drop(self, number: int) -> str:
        word = self._names[number]
        self._names[number] = ""
        self._lists[number] = array("I")
        del self._ids[word]
        self._free.append(number)
        return word
