"""One SQLite file: opening it safely, one writer at a time, migrations.

Any process may write. Each write takes `write.lock` for one short BEGIN IMMEDIATE transaction, behind a turnstile:
flock alone is not fair, and a chunked bulk write starved a note for 1.8 s; with the turnstile it waits 0.1 s.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import RLock, Thread
from typing import Any, NoReturn, TypeVar, cast

import apsw

from reverie.engines.sqlite.checks import RowShape, columns_of
from reverie.engines.sqlite.failures import DAMAGE, FAILURES, damaged, translated, translating
from reverie.engines.sqlite.upgrade import back_up, read_migrations, teach
from reverie.engines.sqlite.wal import (
    BUSY_TIMEOUT_MS,
    MUCH_LONGER_BYTES,
    OPENER_WAL_BYTES,
    STEWARD_WAL_BYTES,
    empty_log,
    files_of,
    move_log,
)
from reverie.errors import BadInput, DamagedRow, DamagedStore, NewerStore, StoreClosed, StoreError
from reverie.ports import Env

# Releases before this can lose committed writes when one process writes while another checkpoints.
OLDEST_LIBRARY = 3_051_003
_WAIT_MS = 50  # for readers that are about to end, while nobody can write
_LONG_WAIT_MS = 1000  # the same when the log has become much longer
_TRIES = 3  # to empty it, for whoever has patience
_OWN_BYTES = 4_000_000  # whoever has written so much looks whether the log is long; a single note need not wait for it
_BETWEEN_SECONDS = 0.02  # in which others may write, before the log is tried again
_BELIEVABLE_MS = 60 * 86_400_000  # a clock that is further ahead than this was never right

Row = tuple[Any, ...]
T = TypeVar("T")

# What a value makes of a row that holds something else than it should.
_UNREADABLE = (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, RecursionError)


class Database:
    """A connection with its locks. Threads that share it take turns: a statement each, or a whole write."""

    action_writes = 0  # how often this connection has written to the actions

    def __init__(self, path: Path, env: Env, vfs: str | None = None, locked_writes: bool = True) -> None:
        check_library()
        try:
            env.files.make_folder(path.parent)
        except (FileExistsError, NotADirectoryError) as error:
            raise BadInput(
                f"{error.filename} is not a folder; give one to keep memory in, such as ~/.reverie"
            ) from error
        self.path = path
        self._env = env
        self._vfs = vfs
        self.turn = RLock()  # whoever reads rows one by one holds it until the last
        self._depth = 0
        self._writes = 0
        self.rollbacks = 0
        self._held_up_at = 0  # the length at which readers last kept the log from being cut
        self._logged = 0  # bytes by which this connection made the log longer since it last looked at it
        self.left_out: dict[tuple[str, str], str] = {}  # damaged rows that a list was told without, and why
        self._shapes: dict[tuple[str, str], RowShape] = {}
        self._last_position: int | None = None  # known while a write transaction gives places out
        self._turnstile = env.files.lock(path.with_name("write.turn")) if locked_writes else None
        self._write_lock = env.files.lock(path.with_name("write.lock")) if locked_writes else None
        if not env.files.size(path):
            env.files.read(path)  # a pipe or a device is refused here; SQLite would try to use it
        if not env.files.size(path) and self.wal_bytes():  # SQLite would throw the log away, and all that is in it
            raise DamagedStore(f"{path} is gone, but the log beside it is there; run `reverie doctor --repair`")
        try:
            path.touch(mode=0o600)  # the journal beside it gets the same mode
            self.connection = apsw.Connection(str(path), vfs=vfs)
            self._prepare()
        except (apsw.NotADBError, apsw.CorruptError, apsw.SQLError) as error:
            raise DamagedStore(f"{path} is damaged ({error}); run `reverie doctor --repair`") from error
        except apsw.CantOpenError as error:
            raise StoreError(f"cannot open {path}: {error}; check that the folder exists and is yours") from error
        except apsw.Error as error:
            raise self._translated(error) from error

    def _prepare(self) -> None:
        connection = self.connection
        connection.set_busy_timeout(BUSY_TIMEOUT_MS)
        # Only the steward checkpoints: a checkpoint in a short-lived process would make its caller wait.
        connection.wal_autocheckpoint(0)
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        version = self.value("PRAGMA user_version")
        migrations = read_migrations()
        if version > len(migrations):
            connection.close()
            raise NewerStore(
                f"{self.path} has schema {version}, this Reverie knows {len(migrations)}: "
                "upgrade Reverie; the file was not touched"
            )
        if self.value("PRAGMA journal_mode") != "wal":
            with self._alone():  # the switch to WAL needs the file for itself, and the busy timeout does not cover it
                self.execute("PRAGMA journal_mode = WAL")
        self.execute("PRAGMA synchronous = FULL")  # NORMAL loses acknowledged rows in a power cut
        self.execute("PRAGMA foreign_keys = ON")
        self.execute("PRAGMA trusted_schema = OFF")
        self.execute("PRAGMA secure_delete = ON")
        # Whoever begins the log anew, when all of it is in the file, cuts what a reader has once let it grow to.
        self.execute(f"PRAGMA journal_size_limit = {STEWARD_WAL_BYTES}")
        if version < len(migrations):
            self._migrate(migrations)

    def _migrate(self, migrations: Sequence[str]) -> None:
        """Each migration is one transaction with its version number, so that a kill leaves the one before.

        A file that holds something is copied before the first of them.
        """
        teach(self.connection)
        is_copied = False
        for number, script in enumerate(migrations, start=1):
            with self.write():
                if (version := self.value("PRAGMA user_version")) < number:
                    try:
                        if version and not is_copied and self.last_position():
                            back_up(self.path, version, self._env, self._vfs)
                        is_copied = True
                        self.connection.execute(script)
                    except DAMAGE as error:
                        raise DamagedStore(
                            f"{self.path} says that it has schema {version}, but its tables do not match that "
                            f"({error}); run `reverie doctor --repair`"
                        ) from error
                    self.execute(f"PRAGMA user_version = {number}")

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> apsw.Cursor:
        try:
            with self.turn:
                return self.connection.execute(sql, tuple(parameters))
        except FAILURES as error:
            raise self._translated(error) from error

    def execute_many(self, sql: str, rows: Sequence[Row]) -> None:
        if rows:
            try:
                with self.turn:
                    self.connection.executemany(sql, rows)
            except FAILURES as error:
                raise self._translated(error) from error

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Row]:
        try:
            with self.turn:
                return list(self.connection.execute(sql, tuple(parameters)))
        except FAILURES as error:
            raise self._translated(error) from error

    def value(self, sql: str, parameters: Sequence[Any] = ()) -> Any:
        try:
            with self.turn:
                row = next(self.connection.execute(sql, tuple(parameters)), None)
        except FAILURES as error:
            raise self._translated(error) from error
        return row[0] if row else None

    def number(self, sql: str, parameters: Sequence[Any] = ()) -> int:
        """A count, sum or counter; 0 if there is none."""
        found = self.value(sql, parameters) or 0
        if not isinstance(found, int):
            raise damaged(f"a number is {str(found)[:40]!r}")
        return found

    def _translated(self, error: Exception) -> StoreError:
        return translated(error, self.path, is_writing=self._depth > 0)

    # ---- rows as values

    def records(
        self, table: str, columns: str, make: Callable[[Row], T], sql: str, parameters: Sequence[Any] = ()
    ) -> list[T]:
        """Read rows as values. A damaged one is left out, and noted: whoever wants to see the others shall see them.

        A row begins with these columns of the table, the first of which names it; `make` is given all of it.
        """
        found: list[T] = []
        for row, why in self._checked(table, columns, sql, parameters):
            if not why:
                try:
                    found.append(make(row))
                    continue
                except _UNREADABLE as error:
                    why = f"{type(error).__name__}: {error}"
            self.left_out[table, str(row[0])] = why
        return found

    def record(
        self, table: str, columns: str, make: Callable[[Row], T], sql: str, parameters: Sequence[Any] = ()
    ) -> T | None:
        """Read the one row that was asked for, if it is there; refuse it if it is damaged."""
        for row, why in self._checked(table, columns, sql, parameters):
            if why:
                raise DamagedRow(table, row[0], why)
            try:
                return make(row)
            except _UNREADABLE as error:
                raise DamagedRow(table, row[0], f"{type(error).__name__}: {error}") from error
        return None

    def _checked(self, table: str, columns: str, sql: str, parameters: Sequence[Any]) -> Iterable[tuple[Row, str]]:
        """Rows, each with what is wrong with it. Of one with text that is no text, only that is known."""
        shape, count = self._shape(table, columns)
        found: list[tuple[Row, str]] = []
        with self.turn:
            cursor = self.execute(sql, parameters)
            while True:
                try:
                    row = next(cursor)
                except StopIteration:
                    return found
                except UnicodeDecodeError as error:  # the cursor goes on with the next row
                    found.append((("a text",), f"{error.object[:20]!r} is no text"))
                except apsw.Error as error:
                    raise self._translated(error) from error
                else:
                    found.append((row, shape.problem(row if len(row) == count else row[:count])))

    def _shape(self, table: str, columns: str) -> tuple[RowShape, int]:
        names = [name.rpartition(".")[2] for name in columns.split(", ")]
        if not (shape := self._shapes.get((table, columns))):
            sql = 'SELECT name, type, "notnull" FROM pragma_table_info(?)'
            known = {column.name: column for column in columns_of(table, self.rows(sql, (table,)))}
            shape = self._shapes[table, columns] = RowShape(table, [known[name] for name in names])
        return shape, len(names)

    @contextmanager
    def write(self) -> Iterator[None]:
        """One write transaction, first come first served across processes; nested calls join it."""
        with self.turn:
            yield from self._write()
            if not self._depth and self._logged > _OWN_BYTES:
                self._logged = 0
                self.shorten_log()

    def _write(self) -> Iterator[None]:
        if self._depth:
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
            return
        with self._alone():
            self._depth = 1
            try:
                self.connection.execute("BEGIN IMMEDIATE")
                before = self.wal_bytes()
                with ExitStack() as failed:
                    failed.callback(self._roll_back)
                    yield
                    if self._depth:
                        self._save_position()
                        self.connection.execute("COMMIT")
                    self._logged += max(0, self.wal_bytes() - before)
                    failed.pop_all()
            except apsw.Error as error:
                raise self._translated(error) from error
            finally:
                self._depth = 0
                self._writes += 1
                self._last_position = None

    def _roll_back(self) -> None:
        self.rollbacks += 1
        if self.connection.in_transaction:
            self.connection.execute("ROLLBACK")

    @property
    def is_nested(self) -> bool:
        """Whether the write that is under way commits with another one."""
        return self._depth > 1

    def commit_while(
        self, meanwhile: Callable[[Callable[[], bool]], None], sql: str, parameters: Sequence[Any]
    ) -> None:
        """End the write under way with a last statement, while something is done here that needs no database.

        SQLite works outside of Python's lock, so a long statement, the commit and a checkpoint that is due take a
        second processor. `meanwhile` is told how to ask whether they still run. Only the steward may checkpoint.
        """
        assert self._depth == 1, "only the outermost write commits"
        self._save_position()
        failed: list[Exception] = []

        def commit() -> None:
            try:
                self.connection.execute(sql, parameters)
                self.connection.execute("COMMIT")
                if self._write_lock:
                    self._write_lock.release()  # whoever waits for it need not wait for `meanwhile`
                if self.wal_bytes() > STEWARD_WAL_BYTES:
                    self._checkpoint()
            except Exception as error:
                failed.append(error)

        committing = Thread(target=commit, name="reverie commit")
        try:
            committing.start()
        except RuntimeError:  # this machine has no thread for us
            commit()
        else:
            try:
                meanwhile(committing.is_alive)
            finally:
                committing.join()
        if failed:
            raise failed[0]
        self._depth = 0

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold `write.lock`. Who waits for it holds the turnstile, so that nobody overtakes."""
        if not self._turnstile or not self._write_lock:
            yield
            return
        self._turnstile.acquire()
        try:
            self._write_lock.acquire()
        finally:
            self._turnstile.release()
        try:
            yield
        finally:
            self._write_lock.release()

    def next_position(self, count: int = 1) -> int:
        """The first of `count` new places in the log. Places are never given twice, even after a deletion.

        Only inside a write transaction: the last place is read once, counted on here, and saved with the commit.
        """
        if self._last_position is None:
            assert self._depth, "places in the log are given out inside a write transaction"
            self._last_position = self.last_position()
        self._last_position += count
        return self._last_position - count + 1

    def _save_position(self) -> None:
        if self._last_position is not None:
            self.execute("UPDATE meta SET value = ? WHERE user_id = '' AND name = 'position'", (self._last_position,))

    def version(self) -> tuple[int, int]:
        """The same for as long as nobody has written: neither this connection nor, as of its last read, any other."""
        with self.turn, translating(self.path):
            return self._writes, self.connection.data_version()

    def recording_time(self, now_ms: int) -> int:
        """The time to write beside new rows: the clock's, unless it went back since the last ones were written.

        A clock that is set back a month must not make today's learnings a month old. If it was ahead by years before,
        it was wrong then, and is believed now.
        """
        latest = self.number("SELECT value FROM meta WHERE user_id = '' AND name = 'latest_ms'")
        if now_ms < latest <= now_ms + _BELIEVABLE_MS:
            return latest
        self.execute("INSERT OR REPLACE INTO meta VALUES ('', 'latest_ms', ?)", (now_ms,))
        return now_ms

    def last_position(self) -> int:
        """The end of the log."""
        return self.number("SELECT value FROM meta WHERE user_id = '' AND name = 'position'")

    def wal_bytes(self) -> int:
        return self._env.files.size(files_of(self.path)[1])

    def checkpoint(self) -> None:
        """Move the write-ahead log into the file, as far as readers allow, and cut it if it has become long.

        Readers that come and go can keep each other's place for ever, if others write meanwhile. So whenever the log
        has become much longer, whoever writes has to wait a moment, in which the last of them may end.
        """
        with self.turn, translating(self.path):
            self._checkpoint()
            length = self.wal_bytes()
            self._held_up_at = min(self._held_up_at, length)
            if length > self._held_up_at + MUCH_LONGER_BYTES and not self._depth:
                with self._alone():
                    self._held_up_at = 0 if empty_log(self.connection, _LONG_WAIT_MS) else length

    def _checkpoint(self) -> None:
        if move_log(self.connection) and self.wal_bytes() > OPENER_WAL_BYTES:
            empty_log(self.connection, _WAIT_MS)

    def shorten_log(self) -> None:
        """Checkpoint a log that a steward would not have let become so long, unless there is one."""
        if self.wal_bytes() <= OPENER_WAL_BYTES:
            return
        stewards = self._env.files.lock(self.path.with_name("steward.lock"))
        if stewards.acquire(0):
            try:
                self.checkpoint()
            finally:
                stewards.release()

    def empty_log(self, patience_seconds: float) -> bool:
        """Leave nothing in the log: what is gone from the file is then gone from the disk. False if somebody reads on.

        With patience it is tried more than once, and others may write in between.
        """
        tries = _TRIES if patience_seconds else 1
        wait_ms = max(_WAIT_MS, int(patience_seconds * 1000 / tries))
        for _ in range(tries if not self._depth else 0):
            with self.turn, translating(self.path):
                move_log(self.connection)  # most of it, while nobody waits
                with self._alone():  # whoever writes waits for the lock, where nobody is refused
                    if empty_log(self.connection, wait_ms):
                        return True
            self._env.sleep(_BETWEEN_SECONDS)
        return False

    def close(self) -> None:
        with translating(self.path):
            self.connection.close()
        self.connection = cast(apsw.Connection, _Closed(self.path.parent))


class _Closed:
    """Stands where the connection was. Whatever is asked of it, it says that there is none."""

    def __init__(self, home: Path) -> None:
        self._home = home

    def close(self) -> None:
        """Once more, which does no harm."""

    def __getattr__(self, name: str) -> NoReturn:
        raise StoreClosed(f"the memory in {self._home} is closed; open it again with Memory.open({str(self._home)!r})")


def check_library() -> None:
    if apsw.sqlite_lib_version() and _number(apsw.sqlite_lib_version()) < OLDEST_LIBRARY:
        raise StoreError(
            f"SQLite {apsw.sqlite_lib_version()} can lose committed writes; Reverie needs 3.51.3 or newer: "
            "pip install -U apsw"
        )


def _number(version: str) -> int:
    major, minor, patch = (int(part) for part in version.split(".")[:3])
    return major * 1_000_000 + minor * 1000 + patch
