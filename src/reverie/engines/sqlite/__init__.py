"""The record in one SQLite file: the parts of the Engine port, sharing one connection."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from reverie.engines.sqlite import rows
from reverie.engines.sqlite.checks import SEALED
from reverie.engines.sqlite.conversations import SqliteConversations, SqliteLedger
from reverie.engines.sqlite.damage import sign_of_damage
from reverie.engines.sqlite.database import Database, Row
from reverie.engines.sqlite.documents import SqliteDocuments
from reverie.engines.sqlite.erase import count_erasure, erase_observations, erase_traces, erase_user, erasures
from reverie.engines.sqlite.find_mentions import beside, erase_mentions, observations_saying, results_quoting
from reverie.engines.sqlite.goals import SqliteGoals
from reverie.engines.sqlite.health import health_of
from reverie.engines.sqlite.history import SqliteHistory
from reverie.engines.sqlite.inbox import SqliteInbox
from reverie.engines.sqlite.items import SqliteItems
from reverie.engines.sqlite.learnings import SqliteLearnings
from reverie.engines.sqlite.log import SqliteLog
from reverie.engines.sqlite.personal_tables import (
    SqliteLoadedTools,
    SqlitePunches,
    SqliteReminders,
    SqliteSearches,
    SqliteSections,
)
from reverie.engines.sqlite.read_only import ReadOnlyDatabase
from reverie.engines.sqlite.side_tables import SqliteActions, SqliteMirrors, SqliteReplies, SqliteSpend
from reverie.engines.sqlite.trace import SqliteTrace
from reverie.engines.sqlite.turns import works_that_saw
from reverie.engines.sqlite.upgrade import remove_backups
from reverie.engines.sqlite.wal import STEWARD_WAL_BYTES, readers_of
from reverie.errors import DamagedRow
from reverie.foundation.ids import fingerprint, ulid
from reverie.ports import SCRUB, Env
from reverie.records import LOCAL_USER, Health, LogFile, Observation, Work
from reverie.settings import InboxSettings

_MARK_CHARS = 12  # 48 bits: enough to tell names apart, too few to be taken for a secret

_COUNTER = "SELECT value FROM meta WHERE user_id = ? AND name = ?"
_SET_COUNTER = "INSERT OR REPLACE INTO meta VALUES (?, ?, ?)"
_SETTLE = "DELETE FROM meta WHERE user_id = ? AND name = ? AND value = ?"
_DEBTORS = "SELECT user_id FROM meta WHERE name = ? ORDER BY user_id"
# Of the whole store, whoever uses it.
_OF_STORE = "SELECT value FROM meta WHERE user_id = '' AND name = ?"
_ADD_OF_STORE = "INSERT OR IGNORE INTO meta VALUES ('', ?, ?)"
_DROP_OF_STORE = "DELETE FROM meta WHERE user_id = '' AND name = ?"
_KEY, _OWNER, _OWNER_UNTOLD = "store_key", "owner", "owner untold"

_USERS = "SELECT DISTINCT user_id FROM sessions ORDER BY user_id"
_META = "SELECT value FROM meta WHERE user_id = ? AND name = ?"
_SET_META = "INSERT INTO meta VALUES (?1, ?2, ?3) ON CONFLICT (user_id, name) DO UPDATE SET value = ?3"
_ASIDE = "source, key, reason, data, at_ms"
_SET_ASIDE = f"SELECT {_ASIDE} FROM set_aside WHERE user_id IN (?, '') ORDER BY at_ms, source, key"
_EXTRACTIONS = f"SELECT {rows.WORK} FROM inbox WHERE user_id = ? AND state = 'done' ORDER BY id, stage DESC"
_DERIVED = (
    "SELECT id, type, text, subject, confidence, observation_id, position, ordinal, trust, priority, owner, origin, "
    "project, session_id, turn, last_position, learned_ms, superseded_by, verdict, item_id FROM learnings "
    "WHERE user_id = ? ORDER BY position, ordinal, id"
)


def _set_aside(row: Row) -> dict[str, object]:
    source, key, reason, data, at_ms = row
    return {"source": source, "key": json.loads(key), "reason": reason, "row": rows.told(data), "at_ms": at_ms}


class SqliteEngine:
    """The system of record for one user."""

    def __init__(
        self, database: Database, env: Env, user: str = LOCAL_USER, inbox: InboxSettings | None = None
    ) -> None:
        self.database = database
        self.user = user
        self._env = env
        self._settings = inbox or InboxSettings()
        self._key = key = self._store_key()
        self.log = SqliteLog(database, user, key, env, self._settings)
        self.inbox = SqliteInbox(database, user)
        self.learnings = SqliteLearnings(database, user, key)
        self.actions = SqliteActions(database, user)
        self.replies = SqliteReplies(database, user)
        self.spend = SqliteSpend(database, user)
        self.mirrors = SqliteMirrors(database, user)
        self.items = SqliteItems(database, user)
        self.goals = SqliteGoals(database, user)
        self.history = SqliteHistory(database, user)
        self.trace = SqliteTrace(database, user)
        self.reminders = SqliteReminders(database, user)
        self.punches = SqlitePunches(database, user)
        self.documents = SqliteDocuments(database, user)
        self.searches = SqliteSearches(database, user)
        self.loaded_tools = SqliteLoadedTools(database, user)
        self.conversations = SqliteConversations(database, user)
        self.ledger = SqliteLedger(database, user)
        self.sections = SqliteSections(database, user)

    @classmethod
    def open(
        cls,
        path: Path,
        env: Env,
        user: str = LOCAL_USER,
        inbox: InboxSettings | None = None,
        vfs: str | None = None,
        locked_writes: bool = True,
    ) -> "SqliteEngine":
        return cls(Database(path, env, vfs, locked_writes), env, user, inbox)

    def _store_key(self) -> bytes:
        """The secret behind every id, made once for the file."""
        if (key := self.database.value(_OF_STORE, (_KEY,))) is None:
            with self.database.write():
                self.database.execute(_ADD_OF_STORE, (_KEY, self._env.random_bytes(32)))
                key = self.database.value(_OF_STORE, (_KEY,))
        if not isinstance(key, bytes):
            raise DamagedRow("meta", _KEY, "it is not what was made")
        return key

    def reopened(self) -> "SqliteEngine":
        """Open the same store once more, for another thread."""
        return SqliteEngine.open(self.database.path, self._env, self.user, self._settings)

    def write(self) -> AbstractContextManager[None]:
        return self.database.write()

    def scoped(self, user: str) -> "SqliteEngine":
        return self if user == self.user else SqliteEngine(self.database, self._env, user, self._settings)

    def users(self) -> list[str]:
        return self.database.records("sessions", "user_id", lambda row: str(row[0]), _USERS)

    def delete_user(self, user: str, at_ms: int) -> int:
        self.refuse_damaged_log()
        with self.write():
            remove_backups(self.database.path, self._env)
            count = erase_user(self.database, user)
            self.log.act("delete user", user, {"rows": count}, at_ms)
            self.owe(SCRUB)
        return count

    def refuse_damaged_log(self) -> None:
        for (table, key), why in self.database.left_out.items():
            if table in SEALED:
                raise DamagedRow(table, key, why)

    def set_aside(self) -> list[dict[str, object]]:
        return self.database.records("set_aside", _ASIDE, _set_aside, _SET_ASIDE, (self.user,))

    def owner(self) -> str | None:
        found: str | None = self.database.value(_OF_STORE, (_OWNER,))
        return found

    def claim(self, owner: str) -> None:
        if self.owner() is None:
            with self.write():
                self.database.execute(_ADD_OF_STORE, (_OWNER, owner))

    def owner_is_news(self) -> bool:
        return self.database.value(_OF_STORE, (_OWNER_UNTOLD,)) is not None

    def owner_was_told(self) -> None:
        with self.write():
            self.database.execute(_DROP_OF_STORE, (_OWNER_UNTOLD,))

    def health(self) -> Health:
        return health_of(self.database, self.user, self.items.admitted())

    def extractions(self) -> Iterator[Work]:
        yield from self.database.records("inbox", rows.WORK, rows.work, _EXTRACTIONS, (self.user,))

    def extractions_that_saw(self, observation_ids: Sequence[str]) -> list[Work]:
        return works_that_saw(self.database, self.user, observation_ids)

    def dump_derived(self) -> Iterator[str]:
        for row in self.database.rows(_DERIVED, (self.user,)):
            yield repr(row)
        yield from self.items.dump()

    def derived_id(self, time_ms: int, kind: str, *parts: str) -> str:
        return ulid(time_ms, fingerprint(self._key, self.user, kind, *parts))

    def mark(self, text: str) -> str:
        return fingerprint(self._key, self.user, "mark", text).hex()[:_MARK_CHARS]

    def erase(
        self,
        observation_ids: Sequence[str],
        item_ids: Sequence[str],
        at_ms: int,
        mentions: Sequence[str] | None = None,
    ) -> int:
        """Forget for good. Says how many observations and items went; hashes remain, and nothing else.

        A row of the log that could not be read may say what is to be forgotten: it must be set aside first.
        """
        self.refuse_damaged_log()
        with self.write():
            count_erasure(self.database, self.user)
            remove_backups(self.database.path, self._env)
            if mentions is not None:
                erase_mentions(self.database, self.user, " ".join(mentions), at_ms)
            count = erase_observations(self.database, self.items, self.user, observation_ids, at_ms)
            count += self.items.erase(item_ids, at_ms)
            erase_traces(self.database, self.user, [*observation_ids, *item_ids])
            self.owe(SCRUB)
        return count

    def erasures(self) -> int:
        return erasures(self.database, self.user)

    def mentioning(self, words: str) -> Iterator[Observation]:
        return observations_saying(self.database, self.user, words)

    def quoting(self, ids: Collection[str], texts: Sequence[str]) -> list[str]:
        return results_quoting(self.database, self.user, ids, texts)

    def beside(self, words: str) -> list[str]:
        return beside(self.database, self.user, words)

    def last_run_ms(self, job: str) -> int | None:
        found: int | None = self.database.value(_META, (self.user, f"last run: {job}"))
        return found

    def set_last_run(self, job: str, at_ms: int) -> None:
        with self.write():
            self.database.execute(_SET_META, (self.user, f"last run: {job}", at_ms))

    def owe(self, debt: str) -> None:
        with self.write():
            owed = (*self._debt(debt), self.database.next_position())
            self.database.execute(_SET_COUNTER, owed)

    def owes(self, debt: str) -> int:
        return self.database.number(_COUNTER, self._debt(debt))

    def settle(self, debt: str, owed: int) -> None:
        with self.write():
            self.database.execute(_SETTLE, (*self._debt(debt), owed))

    def debtors(self, debt: str) -> list[str]:
        return [user for (user,) in self.database.rows(_DEBTORS, self._debt(debt)[1:])]

    def _debt(self, debt: str) -> tuple[str, str]:
        return self.user, f"owes:{debt}"

    def checkpoint(self) -> None:
        self.database.checkpoint()

    def version(self) -> tuple[int, int]:
        self.database.value("SELECT 1 FROM meta LIMIT 1")  # what others wrote shows with the next read
        return self.database.version()

    def scrub(self, patience_seconds: float = 0.0) -> bool:
        return self.database.empty_log(patience_seconds)

    def log_file(self) -> LogFile:
        mode = str(self.database.value("PRAGMA journal_mode"))
        return LogFile(
            bytes=self.database.wal_bytes(),
            readers=readers_of(self.database.path, self._env),
            holds_forgotten=bool(self.debtors(SCRUB)),
            name="write-ahead log",
            mode=mode,
            is_kept=mode == "wal",
        )

    def shorten_log(self, *, as_steward: bool) -> None:
        if not as_steward:
            self.database.shorten_log()
        elif self.database.wal_bytes() > STEWARD_WAL_BYTES:
            self.checkpoint()

    @property
    def is_read_only(self) -> bool:
        return isinstance(self.database, ReadOnlyDatabase)

    def is_in_place(self) -> bool:
        return self._env.files.size(self.database.path) > 0

    def rows_left_out(self) -> Mapping[tuple[str, str], str]:
        return self.database.left_out

    def sign_of_damage(self) -> str:
        return sign_of_damage(self.database)

    def close(self) -> None:
        self.database.close()
