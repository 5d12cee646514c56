"""A damaged SQLite file -> every record that still stands in it, page by page, without trusting any tree.

SQLite finds rows from a root downwards, so one damaged page hides everything below it. Here each page is read for
itself: a leaf says where its cells are, a cell where its payload goes on. Only the layout that Reverie writes is
known: pages of 4,096 bytes with nothing reserved, UTF-8. The file format: https://sqlite.org/fileformat2.html
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from struct import iter_unpack, unpack, unpack_from

import apsw

from reverie.engines.sqlite.database import Row

PAGE = 4096  # SQLite's default, which we never change

# Pages that hold records, with the bytes before a cell's length: an index has records in its inner pages too.
_TABLE_LEAF, _INDEX_INNER, _INDEX_LEAF = 0x0D, 0x02, 0x0A
_CELL_STARTS = {_TABLE_LEAF: 0, _INDEX_INNER: 4, _INDEX_LEAF: 0}
_HEADER_BYTES = {_TABLE_LEAF: 8, _INDEX_INNER: 12, _INDEX_LEAF: 8}
# What of a payload stands in its own page; the rest is in a chain of overflow pages.
_LEAST_LOCAL = (PAGE - 12) * 32 // 255 - 23
_MOST_LOCAL = {_TABLE_LEAF: PAGE - 35, _INDEX_INNER: (PAGE - 12) * 64 // 255 - 23}
_MOST_LOCAL[_INDEX_LEAF] = _MOST_LOCAL[_INDEX_INNER]
_OVERFLOW = PAGE - 4

_WHOLE_NUMBERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}  # serial type: bytes
_WAL_HEADER, _FRAME_HEADER = 32, 24


class Unreadable(Exception):
    """Not a record after all, or one that is broken off."""


@dataclass(frozen=True, slots=True)
class FoundRecord:
    """A record, the kind of tree it is from, and the pages that it stands on."""

    is_row: bool  # of a table with row ids; else of an index, or of a table that is one
    values: Row
    pages: tuple[int, ...]


class PageFile:
    """The pages of a database as its last committed transaction left them: the file, and the log over it."""

    def __init__(self, path: Path) -> None:
        self._file = _open(path)
        self._log = _open(path.with_name(path.name + "-wal"))
        self._newer = _committed(self._log) if self._log else {}
        in_file = -(-self._file.xFileSize() // PAGE) if self._file else 0
        self.count = max(in_file, *self._newer, 0)

    def read(self, number: int) -> bytes:
        if not 1 <= number <= self.count:
            raise Unreadable(f"there is no page {number}")
        at = self._newer.get(number)
        if at is not None and self._log:
            return self._log.xRead(PAGE, at).ljust(PAGE, b"\0")
        return self._file.xRead(PAGE, (number - 1) * PAGE).ljust(PAGE, b"\0") if self._file else bytes(PAGE)

    def close(self) -> None:
        for file in (self._file, self._log):
            if file:
                file.xClose()


def _open(path: Path) -> apsw.VFSFile | None:
    try:
        return apsw.VFSFile("", str(path), [apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_MAIN_DB, 0])
    except apsw.CantOpenError:
        return None


def _committed(log: apsw.VFSFile) -> dict[int, int]:
    """Map each page to its newest committed image in the log. The first unsound frame ends the log."""
    head = log.xRead(_WAL_HEADER, 0).ljust(_WAL_HEADER, b"\0")
    magic, _, size = unpack(">3I", head[:12])
    if magic not in (0x377F0682, 0x377F0683) or size != PAGE:
        return {}
    words = ">II" if magic & 1 else "<II"
    sums = _checksum(head[:24], (0, 0), words)
    if sums != unpack(">II", head[24:]):
        return {}
    committed: dict[int, int] = {}
    begun: dict[int, int] = {}
    for at in range(_WAL_HEADER, log.xFileSize(), _FRAME_HEADER + PAGE):
        frame = log.xRead(_FRAME_HEADER + PAGE, at).ljust(_FRAME_HEADER + PAGE, b"\0")
        sums = _checksum(frame[_FRAME_HEADER:], _checksum(frame[:8], sums, words), words)
        if frame[8:16] != head[16:24] or sums != unpack(">II", frame[16:24]):
            break
        number, pages_after_commit = unpack(">II", frame[:8])
        begun[number] = at + _FRAME_HEADER
        if pages_after_commit:
            committed |= begun
            begun = {}
    return committed


def _checksum(data: bytes, sums: tuple[int, int], words: str) -> tuple[int, int]:
    one, two = sums
    for first, second in iter_unpack(words, data):
        one = (one + first + two) & 0xFFFFFFFF
        two = (two + second + one) & 0xFFFFFFFF
    return one, two


def records(file: PageFile, is_wanted: Callable[[bool, int], bool]) -> Iterator[FoundRecord]:
    """Every record that can be decoded and, by its kind and number of columns, is wanted."""
    for number in range(2, file.count + 1):  # the first page holds the schema
        page = file.read(number)
        kind = page[0]
        if kind not in _CELL_STARTS:
            continue
        cells = min(unpack_from(">H", page, 3)[0], (PAGE - 8) // 2)
        for index in range(cells):
            try:
                at = unpack_from(">H", page, _HEADER_BYTES[kind] + 2 * index)[0]
                found = _cell(file, number, page, kind, at, is_wanted)
            except (Unreadable, IndexError, ValueError, OverflowError):
                continue
            except apsw.Error:  # the disk itself cannot be read there
                continue
            if found:
                yield found


def _cell(
    file: PageFile, number: int, page: bytes, kind: int, at: int, is_wanted: Callable[[bool, int], bool]
) -> FoundRecord | None:
    length, at = _varint(page, at + _CELL_STARTS[kind])
    if kind == _TABLE_LEAF:
        _, at = _varint(page, at)  # the row id, which none of our tables gives a meaning
    local = length
    if length > _MOST_LOCAL[kind]:
        local = _LEAST_LOCAL + (length - _LEAST_LOCAL) % _OVERFLOW
        local = local if local <= _MOST_LOCAL[kind] else _LEAST_LOCAL
    if at + local > PAGE:
        raise Unreadable("a cell does not end in its page")
    types = _types(page[at : at + local], length)
    if types is not None and not is_wanted(kind == _TABLE_LEAF, len(types)):
        return None
    payload, pages = page[at : at + local], [number]
    if local < length:
        rest, chain = _overflow(file, unpack_from(">I", page, at + local)[0], length - local)
        payload, pages = payload + rest, pages + chain
    types = types or _types(payload, length)
    if types is None:
        raise Unreadable("a record's header does not end")
    return FoundRecord(kind == _TABLE_LEAF, _values(payload, types), tuple(pages))


def _overflow(file: PageFile, number: int, length: int) -> tuple[bytes, list[int]]:
    pieces: list[bytes] = []
    pages: list[int] = []
    while length > 0:
        if len(pages) > file.count:
            raise Unreadable("a chain of pages that goes in a circle")
        page = file.read(number)
        pages.append(number)
        pieces.append(page[4 : 4 + min(length, _OVERFLOW)])
        length -= _OVERFLOW
        number = unpack_from(">I", page)[0]
    return b"".join(pieces), pages


def _types(start: bytes, length: int) -> list[int] | None:
    """The serial types in a record's header; None if the header goes on elsewhere."""
    header, at = _varint(start, 0)
    if not 0 < header <= length:
        raise Unreadable("a header longer than its record")
    if header > len(start):
        return None
    types = []
    while at < header:
        kind, at = _varint(start, at)
        types.append(kind)
    return types


def _values(payload: bytes, types: list[int]) -> Row:
    at, _ = _varint(payload, 0)
    values: list[object] = []
    for kind in types:
        size = _WHOLE_NUMBERS.get(kind, 0) if kind < 12 else (kind - 12) // 2
        size = 8 if kind == 7 else size
        piece = payload[at : at + size]
        if len(piece) != size or kind in (10, 11):
            raise Unreadable("a value is broken off")
        at += size
        if kind == 0:
            values.append(None)
        elif kind < 7:
            values.append(int.from_bytes(piece, "big", signed=True))
        elif kind == 7:
            values.append(unpack(">d", piece)[0])
        elif kind < 10:
            values.append(kind - 8)  # the numbers 0 and 1 are types of their own
        else:
            values.append(piece.decode() if kind % 2 else piece)
    if at != len(payload):
        raise Unreadable("a record is longer than its values")
    return tuple(values)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for index in range(8):
        byte = data[at + index]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + index + 1
    return value << 8 | data[at + 8], at + 9
