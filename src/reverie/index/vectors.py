"""float16 vectors -> cosines with a question, measured from the middle of all of them.

Word vectors share a large common part, which makes everything look alike; with their mean taken out they tell texts
apart. Vectors and mean are rounded to whole numbers of length about 2,000: their products are then exact in float32,
so neither the order of arrival nor the processor's way of adding changes a result. The vectors themselves are kept as
they are and the mean is taken out of the products, so an append never touches the others.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from reverie.errors import BadInput

_LENGTH = 2047  # |a·b| stays under 2**24, up to which float32 holds every whole number
_BLOCK = 4096  # rows: growing never copies what is there


class Vectors:
    """One row for each item; a row of zeros for one without a vector."""

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        self._blocks: list[NDArray[np.float32]] = []
        self._sum = np.zeros(dimensions, dtype=np.int64)
        self._count = 0
        self._has = np.zeros(0, dtype=bool)
        self._squares = np.zeros(0)  # each row's product with itself
        self._mean: NDArray[np.float32] | None = None  # that `_inverse` was made with
        self._inverse = np.zeros(0)  # 1 / each row's distance from the mean, 0 where there is no vector

    def check(self, vectors: Sequence[bytes | None]) -> None:
        """Refuse vectors that another embedder made, before anything is changed."""
        wanted = 2 * self._dimensions
        if wrong := [len(vector) for vector in vectors if vector and len(vector) != wanted]:
            raise BadInput(f"a vector has {wrong[0]} bytes; {self._dimensions} float16 numbers are {wanted}")

    def set(self, rows: Sequence[int], vectors: Sequence[bytes | None]) -> None:
        """Put vectors into rows, whatever was there before."""
        self.clear(rows)
        given = [(row, vector) for row, vector in zip(rows, vectors, strict=True) if vector]
        if not given:
            return
        self._grow(max(rows) + 1)
        whole = np.frombuffer(b"".join(vector for _, vector in given), dtype="<f2").astype(np.float32)
        whole = np.rint(whole.reshape(len(given), self._dimensions) * _LENGTH)
        squares = np.square(whole, dtype=np.float64).sum(axis=1)
        for (row, _), vector in zip(given, whole, strict=True):
            self._blocks[row // _BLOCK][row % _BLOCK] = vector
        at = np.array([row for row, _ in given])
        self._squares[at] = squares
        self._has[at] = squares > 0
        self._sum += whole.sum(axis=0, dtype=np.float64).astype(np.int64)
        self._count += int((squares > 0).sum())
        self._mean = None

    def clear(self, rows: Sequence[int]) -> None:
        for row in rows:
            if row < len(self._has) and self._has[row]:
                vector = self._blocks[row // _BLOCK][row % _BLOCK]
                self._sum -= vector.astype(np.int64)
                self._count -= 1
                vector[:] = 0
                self._has[row] = False
                self._squares[row] = 0
                self._mean = None

    def cosines(self, question: NDArray[np.float32], rows: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """The cosine of each of the first so many rows with a question, and which rows have one."""
        self._grow(rows)
        has = self._has[:rows]
        if not self._count:
            return np.zeros(rows), has
        mean = self._middle()
        centred = question.astype(np.float64) * _LENGTH - mean
        length = float(np.sqrt(np.square(centred).sum()))
        if not question.any() or length == 0:
            return np.zeros(rows), np.zeros(rows, dtype=bool)
        whole = np.rint(centred * (_LENGTH / length)).astype(np.float32)
        upper = self._products(whole, rows)
        upper -= float((mean.astype(np.float64) * whole).sum())
        upper *= self._inverse[:rows]
        upper /= float(np.sqrt(np.square(whole, dtype=np.float64).sum()))
        return upper, has

    def raw_cosines(self, question: NDArray[np.float32], rows: Sequence[int]) -> list[float | None]:
        """The cosine of each of these rows with a question as they are, without taking out the mean."""
        length = float(np.sqrt(np.square(question, dtype=np.float64).sum()))
        found: list[float | None] = []
        for row in rows:
            if row >= len(self._has) or not self._has[row] or not length:
                found.append(None)
                continue
            product = np.dot(self._blocks[row // _BLOCK][row % _BLOCK].astype(np.float64), question)
            found.append(round(float(product) / (length * float(self._squares[row]) ** 0.5), 4))
        return found

    def _middle(self) -> NDArray[np.float32]:
        """The mean, and with it how far each row is from it; made again after a change."""
        if self._mean is None:
            self._mean = np.rint(self._sum / self._count).astype(np.float32)
            apart = self._squares - 2 * self._products(self._mean, len(self._has))
            apart += float(np.square(self._mean, dtype=np.float64).sum())
            self._inverse = np.where(self._has, 1 / np.sqrt(np.maximum(apart, 1.0)), 0.0)
        return self._mean

    def _products(self, vector: NDArray[np.float32], rows: int) -> NDArray[np.float64]:
        found = np.empty(rows, dtype=np.float32)
        for number, block in enumerate(self._blocks[: -(-rows // _BLOCK)]):
            part = found[number * _BLOCK : (number + 1) * _BLOCK]
            # Row by row. The whole product at once would be shared among threads, which costs more than it saves:
            # with other work on the processors it took 68 ms instead of 1.
            np.vecdot(block[: len(part)], vector, out=part)
        return found.astype(np.float64)

    def _grow(self, rows: int) -> None:
        while len(self._blocks) * _BLOCK < rows:
            self._blocks.append(np.zeros((_BLOCK, self._dimensions), dtype=np.float32))
        size = len(self._blocks) * _BLOCK
        if len(self._has) < size:
            self._has = np.append(self._has, np.zeros(size - len(self._has), dtype=bool))
            self._squares = np.append(self._squares, np.zeros(size - len(self._squares)))
            self._mean = None
