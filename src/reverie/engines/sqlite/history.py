"""The changes by time and the requests of people, in order, which a rebuild replays."""

import json
from collections.abc import Iterator, Mapping, Sequence

from reverie.engines.sqlite import rows
from reverie.engines.sqlite.database import Database, Row
from reverie.records import JSON, Event, Tick

# A closed turn is a tick too, but it is the inbox that remembers whether it was worked off.
_NOT_REPLAYED = "turn"

_TICK = "position, kind, session_id, turn, first_position, last_position, reason, at_ms"
_ADD_TICK = "INSERT INTO ticks VALUES (?,?,?,?,?,?,?,?,?,?)"
_TICKS = f"SELECT {_TICK} FROM ticks WHERE user_id = ? ORDER BY position"
_LAST_TICK = (
    "SELECT position, kind, reason, at_ms FROM ticks WHERE user_id = ? AND kind = ? ORDER BY position DESC LIMIT 1"
)
_EVENTS = (
    "SELECT position, kind, '', reason, at_ms FROM ticks "
    "WHERE user_id = ?1 AND position > ?3 AND kind != ?4 AND kind IN (SELECT value FROM json_each(?2)) "
    "UNION ALL SELECT position, kind, target, data, at_ms FROM acts "
    "WHERE user_id = ?1 AND position > ?3 AND kind IN (SELECT value FROM json_each(?2)) ORDER BY 1"
)


class SqliteHistory:
    def __init__(self, database: Database, user: str) -> None:
        self._db = database
        self._user = user

    def tick(self, kind: str, data: Mapping[str, JSON], at_ms: int) -> int:
        """Log what time did; returns its place in the log."""
        with self._db.write():
            position = self._db.next_position()
            self._db.execute(
                _ADD_TICK,
                rows.sealed((self._user, position, kind, "", 0, 0, 0, json.dumps(dict(data), sort_keys=True), at_ms)),
            )
        return position

    def events(self, kinds: Sequence[str], after: int = 0) -> Iterator[Event]:
        """Ticks and acts of these kinds, in order."""
        yield from self._db.records(
            "acts",
            "position, kind, target, data, at_ms",
            _event,
            _EVENTS,
            (self._user, json.dumps(list(kinds)), after, _NOT_REPLAYED),
        )

    def ticks(self) -> Iterator[Tick]:
        """Every tick, in order. What a turn's says in `reason` are words; every other's is its data."""
        yield from self._db.records("ticks", _TICK, _tick, _TICKS, (self._user,))

    def last(self, kind: str) -> Event | None:
        return self._db.record("ticks", "position, kind, reason, at_ms", _data_tick, _LAST_TICK, (self._user, kind))


def _event(row: Row) -> Event:
    position, kind, target, data, at_ms = row
    return Event(position=position, kind=kind, target=target, data=rows.told(data), at_ms=at_ms)


def _data_tick(row: Row) -> Event:
    position, kind, data, at_ms = row
    return Event(position=position, kind=kind, data=rows.told(data), at_ms=at_ms)


def _tick(row: Row) -> Tick:
    position, kind, session, turn, first, last, reason, at_ms = row
    if not last:
        return Tick(position=position, kind=kind, at_ms=at_ms, data=rows.told(reason))
    return Tick(
        position=position,
        kind=kind,
        at_ms=at_ms,
        session=session,
        turn=turn,
        first_position=first,
        last_position=last,
        reason=reason,
    )
