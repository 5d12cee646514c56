"""A database in a folder that we may not write to: what is in it can be read, and every write says why it cannot be."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock

import apsw

from reverie.engines.sqlite.damage import open_for_reading
from reverie.engines.sqlite.database import Database, check_library
from reverie.engines.sqlite.upgrade import read_migrations
from reverie.engines.sqlite.wal import BUSY_TIMEOUT_MS
from reverie.errors import DamagedStore, NewerStore, StoreError
from reverie.ports import Env


class ReadOnlyDatabase(Database):
    """No lock is taken, nothing is migrated, and the write-ahead log stays as it is."""

    def __init__(self, path: Path, env: Env) -> None:
        check_library()
        self.path = path
        self._env = env
        self.turn = RLock()
        self._depth = self._writes = self.rollbacks = self._logged = 0
        self.left_out, self._shapes = {}, {}
        self._last_position = None
        self._turnstile = self._write_lock = None
        try:
            self.connection = open_for_reading(path)
            self.connection.set_busy_timeout(BUSY_TIMEOUT_MS)
            version, known = self.value("PRAGMA user_version"), len(read_migrations())
        except (apsw.NotADBError, apsw.CorruptError) as error:
            raise DamagedStore(
                f"{path} is damaged ({error}), and can only be read here: copy it, and repair the copy"
            ) from error
        except apsw.Error as error:
            raise StoreError(f"cannot read {path}: {error}; check who owns it") from error
        if version > known:
            raise NewerStore(f"{path} has schema {version}, this Reverie knows {known}: upgrade Reverie")
        if version < known:
            raise StoreError(
                f"{path} has schema {version}, and can only be read here: whoever owns it must open it once"
            )

    @contextmanager
    def write(self) -> Iterator[None]:
        raise StoreError(f"{self.path} can only be read here: nothing can be written")
        yield

    def checkpoint(self) -> None:
        return None

    def empty_log(self, patience_seconds: float) -> bool:  # noqa: ARG002
        return False
