"""What time did and what people asked for, in the order in which it happened: what a rebuild replays."""

import json
from collections.abc import Iterator, Mapping, Sequence

from reverie.engines.sqlite import rows
from reverie.engines.sqlite.database import Database, Row
from reverie.records import JSON, Event, Tick

# A closed turn is a tick too, but it is the inbox that remembers whether it was worked off.
_NOT_REPLAYED = "turn"


class SqliteHistory:
    def __init__(self, database: Database, user: str) -> None:
        self._db = database
        self._user = user

    def tick(self, kind: str, data: Mapping[str, JSON], at_ms: int) -> int:
        """Log what time did; returns its place in the log."""
        with self._db.write():
            position = self._db.next_position()
            self._db.execute(
                "INSERT INTO ticks VALUES (?,?,?,?,?,?,?,?,?,?)",
                rows.sealed((self._user, position, kind, "", 0, 0, 0, json.dumps(dict(data), sort_keys=True), at_ms)),
            )
        return position

    def events(self, kinds: Sequence[str], after: int = 0) -> Iterator[Event]:
        """Ticks and acts of these kinds, in order."""
        sql = (
            "SELECT position, kind, '', reason, at_ms FROM ticks "
            "WHERE user_id = ?1 AND position > ?3 AND kind != ?4 AND kind IN (SELECT value FROM json_each(?2)) "
            "UNION ALL SELECT position, kind, target, data, at_ms FROM acts "
            "WHERE user_id = ?1 AND position > ?3 AND kind IN (SELECT value FROM json_each(?2)) ORDER BY 1"
        )
        yield from self._db.records(
            "acts",
            "position, kind, target, data, at_ms",
            lambda row: Event(position=row[0], kind=row[1], target=row[2], data=rows.told(row[3]), at_ms=row[4]),
            sql,
            (self._user, json.dumps(list(kinds)), after, _NOT_REPLAYED),
        )

    def ticks(self) -> Iterator[Tick]:
        """Every tick, in order. What a turn's says in `reason` are words; every other's is its data."""
        sql = f"SELECT {_TICK} FROM ticks WHERE user_id = ? ORDER BY position"
        yield from self._db.records("ticks", _TICK, _tick, sql, (self._user,))

    def last(self, kind: str) -> Event | None:
        sql = "SELECT position, reason, at_ms FROM ticks WHERE user_id = ? AND kind = ? ORDER BY position DESC LIMIT 1"
        return self._db.record(
            "ticks",
            "position, reason, at_ms",
            lambda row: Event(position=row[0], kind=kind, data=rows.told(row[1]), at_ms=row[2]),
            sql,
            (self._user, kind),
        )


_TICK = "position, kind, session_id, turn, first_position, last_position, reason, at_ms"


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
