"""A power cut: what was not synced may be there, or half there, or not. Acknowledged rows survive it.

The file system remembers, beside the real files, what a disk would surely have: the state at each file's last sync. At the
cut every later write is kept, torn or dropped by chance, and the database is opened from what is left.
The negative control is `synchronous = NORMAL`, which acknowledges before it syncs.
"""

import random
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import apsw
import pytest

from reverie.engines.sqlite import SqliteEngine
from reverie.records import Captured, Kind
from reverie.testing import FakeEnv

SECTOR = 512  # what a disk writes whole


@dataclass
class OnDisk:
    """One file as the disk has it: what is sure, and what is on its way."""

    synced: bytearray = field(default_factory=bytearray)
    is_named: bool = False  # a file that was never synced may be missing altogether
    waiting: list[tuple[int, bytes]] = field(default_factory=list)  # offset and data; a cut of the length has no data

    def sync(self) -> None:
        for offset, data in self.waiting:
            self._apply(offset, data)
        self.waiting.clear()
        self.is_named = True

    def after_a_cut(self, chance: random.Random) -> bytes | None:
        """What a disk may show: any of the waiting writes may be there, whole or only some of its sectors."""
        if not self.is_named and chance.random() < 0.5:
            return None
        for offset, data in self.waiting:
            fate = chance.random()
            if fate < 0.4:
                self._apply(offset, data)
            elif fate < 0.6 and data:
                for start in range(0, len(data), SECTOR):
                    if chance.random() < 0.5:
                        self._apply(offset + start, data[start : start + SECTOR])
        return bytes(self.synced)

    def _apply(self, offset: int, data: bytes) -> None:
        if not data:
            del self.synced[offset:]
            return
        if len(self.synced) < offset:
            self.synced.extend(bytes(offset - len(self.synced)))
        self.synced[offset : offset + len(data)] = data


class Power(Exception):
    """It went off."""


class FragileVFS(apsw.VFS):
    """Counts writes and syncs, remembers what is sure, and stops everything at the chosen one."""

    def __init__(self, name: str, cut_at: int) -> None:
        self.cut_at = cut_at
        self.calls = 0
        self.disk: dict[str, OnDisk] = {}
        super().__init__(name, "")

    def tick(self) -> None:
        self.calls += 1
        if self.calls >= self.cut_at:
            raise Power

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> "FragileFile":
        path = name.filename() if isinstance(name, apsw.URIFilename) else str(name)
        return FragileFile(self, path, name, flags)

    def xDelete(self, name: str, sync_folder: bool) -> None:
        self.tick()
        super().xDelete(name, sync_folder)
        self.disk.pop(name, None)


class FragileFile(apsw.VFSFile):
    def __init__(self, vfs: FragileVFS, path: str, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        self.vfs = vfs
        super().__init__("unix", name, flags)
        old = Path(path).read_bytes() if Path(path).exists() else b""
        self.file = vfs.disk.setdefault(path, OnDisk(bytearray(old), is_named=bool(old)))

    def xWrite(self, data: bytes, offset: int) -> None:
        self.vfs.tick()
        super().xWrite(data, offset)
        self.file.waiting.append((offset, bytes(data)))

    def xTruncate(self, size: int) -> None:
        self.vfs.tick()
        super().xTruncate(size)
        self.file.waiting.append((size, b""))

    def xSync(self, flags: int) -> None:
        self.vfs.tick()
        super().xSync(flags)
        self.file.sync()


def said(number: int) -> Captured:
    return Captured(kind=Kind.NOTE, text=f"row {number} " + "x" * (number % 700), session="s", occurred_ms=number)


def write_until_the_cut(folder: Path, seed: int, synchronous: str) -> tuple[int, list[str] | None]:
    """How many rows were acknowledged before the power went, and which are there when it is back."""
    chance = random.Random(seed)
    database = folder / "reverie.db"
    SqliteEngine.open(database, FakeEnv(seed)).close()
    vfs = FragileVFS(f"fragile-{seed}", cut_at=chance.randint(1, 1500))
    acknowledged, engine, why = 0, None, None
    try:
        engine = SqliteEngine.open(database, FakeEnv(seed), vfs=f"fragile-{seed}")
        engine.database.execute(f"PRAGMA synchronous = {synchronous}")
        assert engine.database.value("PRAGMA journal_mode") == "wal", "the test is about the write-ahead log"
        while True:
            engine.log.append([said(acknowledged)])
            acknowledged += 1
            if chance.random() < 0.1:
                engine.checkpoint()
    except Exception as error:
        why = error
    assert chain_has(why, Power), why
    with suppress(apsw.Error, Power):
        if engine:
            engine.close()

    after = folder / "after"
    after.mkdir()
    for path, file in vfs.disk.items():
        if (data := file.after_a_cut(chance)) is not None and not path.endswith("-shm"):
            (after / Path(path).name).write_bytes(data)
    engine = SqliteEngine.open(after / "reverie.db", FakeEnv(seed))
    assert engine.database.value("PRAGMA integrity_check") == "ok"
    kept = [observation.text for observation in engine.log.read(limit=10_000)]
    assert [hit for text in kept[-1:] for hit in engine.log.search(text[:8], 5)] or not kept, (
        "the text index came along"
    )
    engine.close()
    return acknowledged, kept


def chain_has(error: BaseException | None, kind: type[BaseException]) -> bool:
    while error is not None:
        if isinstance(error, kind):
            return True
        error = error.__cause__ or error.__context__
    return False


def cut_the_power(scratch: Path, seeds: range, synchronous: str) -> tuple[int, int]:
    """Rows that were acknowledged, and rows of them that were lost, over many cuts."""
    acknowledged = lost = 0
    for seed in seeds:
        folder = scratch / str(seed)
        folder.mkdir()
        promised, kept = write_until_the_cut(folder, seed, synchronous)
        whole = [said(number).text for number in range(len(kept))]
        assert kept == whole, "what is there is whole, in order, and has no gaps"
        acknowledged += promised
        lost += max(0, promised - len(kept))
    return acknowledged, lost


def test_acknowledged_rows_survive_a_power_cut(scratch):
    acknowledged, lost = cut_the_power(scratch, range(200), "FULL")

    assert lost == 0
    assert acknowledged > 1000


@pytest.mark.torture
@pytest.mark.parametrize("share", range(20))
def test_acknowledged_rows_survive_two_thousand_power_cuts(scratch, share):
    assert cut_the_power(scratch, range(1000 + share, 3000, 20), "FULL")[1] == 0


def test_with_synchronous_normal_some_of_them_would_be_lost(scratch):
    assert cut_the_power(scratch, range(20), "NORMAL")[1] > 0
