"""The steps of memory in each turn, append-only; and the texts it composed, kept by content address."""

import json
from collections.abc import Mapping

from reverie.engines.sqlite import rows
from reverie.engines.sqlite.database import Database, Row
from reverie.foundation.ids import content_address
from reverie.records import JSON, Span

_SPAN = "position, turn_id, span, parent, kind, data, at_ms"
_ADD_SPAN = "INSERT INTO trace VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_SPANS_OF_TURN = f"SELECT {_SPAN} FROM trace WHERE user_id = ? AND turn_id = ? ORDER BY position"
_LATEST_TURNS = (
    "SELECT turn_id, min(at_ms) FROM trace WHERE user_id = ? AND turn_id != '' "
    "GROUP BY turn_id HAVING ? IN ('', max(CASE WHEN kind = ? THEN kind END)) "
    "ORDER BY max(position) DESC LIMIT ?"
)
_EXPIRE = "DELETE FROM trace WHERE user_id = ? AND at_ms < ?"
_ADD_TEXT = "INSERT OR IGNORE INTO texts VALUES (?, ?, ?)"
_TEXT = "SELECT text FROM texts WHERE user_id = ? AND hash = ?"


class SqliteTrace:
    def __init__(self, database: Database, user: str) -> None:
        self._db = database
        self._user = user

    def add(
        self, turn_id: str, kind: str, data: Mapping[str, JSON], at_ms: int, span: str = "", parent: str = ""
    ) -> int:
        """Log one span or event of a turn; returns its place in the log."""
        with self._db.write():
            position = self._db.next_position()
            self._db.execute(
                _ADD_SPAN,
                (
                    self._user,
                    position,
                    turn_id,
                    span or kind,
                    parent,
                    kind,
                    json.dumps(dict(data), sort_keys=True),
                    at_ms,
                ),
            )
        return position

    def of_turn(self, turn_id: str) -> list[Span]:
        return self._db.records("trace", _SPAN, _span, _SPANS_OF_TURN, (self._user, turn_id))

    def turns(self, limit: int = 20, kind: str = "") -> list[tuple[str, int]]:
        """Return the latest turns, newest first, as id and time; with a `kind`, those that have such a span."""
        asked = (self._user, kind, kind, limit)
        return self._db.records("trace", "turn_id, at_ms", _traced_turn, _LATEST_TURNS, asked)

    def expire(self, before_ms: int) -> int:
        """Drop what is older: a trace explains, it is not the record."""
        with self._db.write():
            self._db.execute(_EXPIRE, (self._user, before_ms))
            return self._db.connection.changes()

    def keep_text(self, text: str) -> str:
        """Keep a composed text; returns the address by which it is found."""
        address = content_address(text)
        with self._db.write():
            self._db.execute(_ADD_TEXT, (self._user, address, text))
        return address

    def text(self, address: str) -> str | None:
        found = self._db.value(_TEXT, (self._user, address))
        return None if found is None else str(found)


def _traced_turn(row: Row) -> tuple[str, int]:
    turn_id, at_ms = row
    return turn_id, at_ms


def _span(row: Row) -> Span:
    position, turn, name, parent, kind, data, at_ms = row
    told = rows.told(data)
    return Span(position=position, turn=turn, name=name, parent=parent, kind=kind, data=told, at_ms=at_ms)
