"""Many rows, a transaction's worth at a time: another writer waits for no more than one."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from reverie.records import Captured

BULK = 1000  # rows in one transaction,
BULK_CHARS = 1_000_000  # fewer if they are long: every word of them goes into the text index

Row = TypeVar("Row")


def chunks(rows: Iterable[Row], size_of: Callable[[Row], int], largest: int = BULK_CHARS) -> Iterator[list[Row]]:
    """Split rows into chunks, one for each transaction, with at least one row each.

    >>> [len(chunk) for chunk in chunks(["short"] * 2500, len)]
    [1000, 1000, 500]
    >>> list(chunks(["ab", "c", "defg", "h"], len, largest=3))
    [['ab', 'c'], ['defg'], ['h']]
    """
    chunk: list[Row] = []
    whole = 0
    for row in rows:
        size = size_of(row)
        if chunk and (len(chunk) == BULK or whole + size > largest):
            yield chunk
            chunk, whole = [], 0
        chunk.append(row)
        whole += size
    if chunk:
        yield chunk


def chars_of(one: Captured) -> int:
    """Estimate how many characters storing an event takes."""
    return len(one.text) + len(str(one.tool.input if one.tool else "")) + len(str(one.metadata))
