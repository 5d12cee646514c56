"""What lies on a person's desk: reminders, punchclock, context searches, loaded tools, and the state of sections."""

import json
from collections.abc import Mapping
from dataclasses import asdict

from reverie.engines.sqlite import rows
from reverie.engines.sqlite.checks import are_intervals
from reverie.engines.sqlite.database import Database
from reverie.engines.sqlite.keeping import Table, columns_of
from reverie.prompt_inputs import (
    ContextSearch,
    Found,
    LoadedToolInfo,
    Punch,
    PunchState,
    Reminder,
    SearchState,
    SectionState,
)


class SqliteReminders:
    def __init__(self, database: Database, user: str) -> None:
        self._table = Table(database, user, "reminders", Reminder, columns_of(Reminder))

    def put(self, reminder: Reminder, version: int | None = None) -> Reminder:
        return self._table.put(reminder, version)

    def get(self, reminder_id: str) -> Reminder | None:
        return self._table.get(reminder_id)

    def all(self, status: str | None = "active") -> list[Reminder]:
        """By the time they are due."""
        return self._table.select("(?2 IS NULL OR status = ?2)", (status,), "ORDER BY due_ms, id")

    def remove(self, reminder_id: str) -> bool:
        return self._table.remove(reminder_id)


class SqlitePunches:
    def __init__(self, database: Database, user: str) -> None:
        reads = {"state": PunchState, "intervals": _intervals}
        self._table = Table(database, user, "punchclock", Punch, columns_of(Punch), reads=reads)

    def put(self, punch: Punch, version: int | None = None) -> Punch:
        return self._table.put(punch, version)

    def get(self, punch_id: str) -> Punch | None:
        return self._table.get(punch_id)

    def all(self) -> list[Punch]:
        """In the order they began."""
        return self._table.select(order="ORDER BY created_ms, id")

    def remove(self, punch_id: str) -> bool:
        return self._table.remove(punch_id)


def _intervals(told: str) -> tuple[tuple[int, int | None], ...]:
    if not are_intervals(read := json.loads(told)):
        raise ValueError(f"intervals are {told[:40]!r}")
    return tuple((one[0], one[1]) for one in read)


_SEARCH = "id, query, state, segment_id, asked_turn, asked_ms, finished_turn, found, problem"


class SqliteSearches:
    def __init__(self, database: Database, user: str) -> None:
        self._db = database
        self._user = user

    def put(self, search: ContextSearch) -> None:
        with self._db.write():
            self._db.execute(
                f"INSERT OR REPLACE INTO context_searches (user_id, {_SEARCH}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    self._user,
                    search.id,
                    rows.storable(search.query),
                    search.state.value,
                    search.segment_id,
                    search.asked_turn,
                    search.asked_ms,
                    search.finished_turn,
                    json.dumps([asdict(one) for one in search.found]),
                    rows.storable(search.problem),
                ),
            )

    def get(self, search_id: str) -> ContextSearch | None:
        return next((one for one in self.all() if one.id == search_id), None)

    def all(self, segment_id: str | None = None) -> list[ContextSearch]:
        """In the order they were asked."""
        sql = (
            f"SELECT {_SEARCH} FROM context_searches WHERE user_id = ?1 AND (?2 IS NULL OR segment_id = ?2) "
            "ORDER BY asked_ms, id"
        )
        return self._db.records("context_searches", _SEARCH, _search, sql, (self._user, segment_id))

    def clear(self, segment_id: str) -> int:
        """Drop those of a segment; says how many there were."""
        with self._db.write():
            self._db.execute(
                "DELETE FROM context_searches WHERE user_id = ? AND segment_id = ?", (self._user, segment_id)
            )
            return self._db.connection.changes()


def _search(row: tuple[object, ...]) -> ContextSearch:
    values = dict(zip(_SEARCH.split(", "), row, strict=True))
    values["state"] = SearchState(str(values["state"]))
    values["found"] = tuple(Found(**one) for one in json.loads(str(values["found"])))
    return ContextSearch(**values)  # type: ignore[arg-type]


_TOOL = "name, loaded_turn, last_used_turn, is_fallback, is_essential"


class SqliteLoadedTools:
    def __init__(self, database: Database, user: str) -> None:
        self._db = database
        self._user = user

    def put(self, continuum_id: str, tool: LoadedToolInfo) -> None:
        """Add at the end, or change the one of this name where it stands."""
        with self._db.write():
            self._db.execute(
                f"INSERT INTO loaded_tools (user_id, continuum_id, place, {_TOOL}) "
                "SELECT ?1, ?2, coalesce(max(place), 0) + 1, ?3, ?4, ?5, ?6, ?7 FROM loaded_tools "
                "WHERE user_id = ?1 AND continuum_id = ?2 "
                "ON CONFLICT DO UPDATE SET loaded_turn = ?4, last_used_turn = ?5, is_fallback = ?6, is_essential = ?7",
                (
                    self._user,
                    continuum_id,
                    tool.name,
                    tool.loaded_turn,
                    tool.last_used_turn,
                    tool.is_fallback,
                    tool.is_essential,
                ),
            )

    def all(self, continuum_id: str) -> list[LoadedToolInfo]:
        """In the order they were loaded."""
        sql = f"SELECT {_TOOL} FROM loaded_tools WHERE user_id = ? AND continuum_id = ? ORDER BY place"
        return self._db.records(
            "loaded_tools",
            _TOOL,
            lambda row: LoadedToolInfo(row[0], row[1], row[2], bool(row[3]), bool(row[4])),
            sql,
            (self._user, continuum_id),
        )

    def remove(self, continuum_id: str, name: str) -> bool:
        with self._db.write():
            self._db.execute(
                "DELETE FROM loaded_tools WHERE user_id = ? AND continuum_id = ? AND name = ?",
                (self._user, continuum_id, name),
            )
            return bool(self._db.connection.changes())


class SqliteSections:
    def __init__(self, database: Database, user: str) -> None:
        self._db = database
        self._user = user

    def save(self, changed: Mapping[str, SectionState | None]) -> None:
        """Write these in one go; None clears one."""
        if not changed:
            return
        kept = [
            (self._user, name, rows.storable(state.content), state.cache_policy, state.updated_at)
            for name, state in changed.items()
            if state is not None
        ]
        cleared = [(self._user, name) for name, state in changed.items() if state is None]
        with self._db.write():
            self._db.execute_many("INSERT OR REPLACE INTO sections VALUES (?, ?, ?, ?, ?)", kept)
            self._db.execute_many("DELETE FROM sections WHERE user_id = ? AND name = ?", cleared)

    def get(self, name: str) -> SectionState | None:
        return self.all().get(name)

    def all(self) -> dict[str, SectionState]:
        sql = "SELECT name, content, cache_policy, updated_at FROM sections WHERE user_id = ? ORDER BY name"
        return dict(
            self._db.records(
                "sections",
                "name, content, cache_policy, updated_at",
                lambda row: (row[0], SectionState(row[1], bool(row[2]), row[3])),
                sql,
                (self._user,),
            )
        )
