"""The tables of a person's tools: reminders, punchclock, context searches, loaded tools, and the state of sections."""

import json
from collections.abc import Mapping
from dataclasses import asdict

from reverie.engines.sqlite import rows
from reverie.engines.sqlite.checks import are_intervals
from reverie.engines.sqlite.database import Database, Row
from reverie.engines.sqlite.versioned_table import Table, columns_of
from reverie.records.prompt_inputs import (
    ContextSearch,
    LoadedToolInfo,
    Punch,
    PunchState,
    Reminder,
    SearchResult,
    SearchState,
    SectionState,
)

_SEARCH = "id, query, state, segment_id, asked_turn, asked_ms, finished_turn, found, problem"
_PUT_SEARCH = f"INSERT OR REPLACE INTO context_searches (user_id, {_SEARCH}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_SEARCHES = (
    f"SELECT {_SEARCH} FROM context_searches WHERE user_id = ?1 AND (?2 IS NULL OR segment_id = ?2) "
    "ORDER BY asked_ms, id"
)
_CLEAR_SEARCHES = "DELETE FROM context_searches WHERE user_id = ? AND segment_id = ?"

_TOOL = "name, loaded_turn, last_used_turn, is_fallback, is_essential"
_PUT_TOOL = (
    f"INSERT INTO loaded_tools (user_id, continuum_id, place, {_TOOL}) "
    "SELECT ?1, ?2, coalesce(max(place), 0) + 1, ?3, ?4, ?5, ?6, ?7 FROM loaded_tools "
    "WHERE user_id = ?1 AND continuum_id = ?2 "
    "ON CONFLICT DO UPDATE SET loaded_turn = ?4, last_used_turn = ?5, is_fallback = ?6, is_essential = ?7"
)
_TOOLS = f"SELECT {_TOOL} FROM loaded_tools WHERE user_id = ? AND continuum_id = ? ORDER BY place"
_REMOVE_TOOL = "DELETE FROM loaded_tools WHERE user_id = ? AND continuum_id = ? AND name = ?"

_SECTION = "name, content, cache_policy, updated_at"
_SECTIONS = f"SELECT {_SECTION} FROM sections WHERE user_id = ? ORDER BY name"
_PUT_SECTION = f"INSERT OR REPLACE INTO sections (user_id, {_SECTION}) VALUES (?, ?, ?, ?, ?)"
_CLEAR_SECTION = "DELETE FROM sections WHERE user_id = ? AND name = ?"


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


class SqliteSearches:
    def __init__(self, database: Database, user: str) -> None:
        self._db = database
        self._user = user

    def put(self, search: ContextSearch) -> None:
        with self._db.write():
            self._db.execute(
                _PUT_SEARCH,
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
        return self._db.records("context_searches", _SEARCH, _search, _SEARCHES, (self._user, segment_id))

    def clear(self, segment_id: str) -> int:
        """Drop those of a segment; says how many there were."""
        with self._db.write():
            self._db.execute(_CLEAR_SEARCHES, (self._user, segment_id))
            return self._db.connection.changes()


def _search(row: tuple[object, ...]) -> ContextSearch:
    values = dict(zip(_SEARCH.split(", "), row, strict=True))
    values["state"] = SearchState(str(values["state"]))
    values["found"] = tuple(SearchResult(**one) for one in json.loads(str(values["found"])))
    return ContextSearch(**values)  # type: ignore[arg-type]


class SqliteLoadedTools:
    def __init__(self, database: Database, user: str) -> None:
        self._db = database
        self._user = user

    def put(self, continuum_id: str, tool: LoadedToolInfo) -> None:
        """Add at the end, or change the one of this name where it stands."""
        with self._db.write():
            self._db.execute(
                _PUT_TOOL,
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
        return self._db.records("loaded_tools", _TOOL, _loaded_tool, _TOOLS, (self._user, continuum_id))

    def remove(self, continuum_id: str, name: str) -> bool:
        with self._db.write():
            self._db.execute(_REMOVE_TOOL, (self._user, continuum_id, name))
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
            self._db.execute_many(_PUT_SECTION, kept)
            self._db.execute_many(_CLEAR_SECTION, cleared)

    def get(self, name: str) -> SectionState | None:
        return self.all().get(name)

    def all(self) -> dict[str, SectionState]:
        return dict(self._db.records("sections", _SECTION, _section, _SECTIONS, (self._user,)))


def _loaded_tool(row: Row) -> LoadedToolInfo:
    name, loaded_turn, last_used_turn, is_fallback, is_essential = row
    return LoadedToolInfo(name, loaded_turn, last_used_turn, bool(is_fallback), bool(is_essential))


def _section(row: Row) -> tuple[str, SectionState]:
    name, content, cache_policy, updated_at = row
    return name, SectionState(content, bool(cache_policy), updated_at)
