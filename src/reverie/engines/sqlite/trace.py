"""What memory did in each turn, append-only; and the texts it composed, kept by content address."""

import json
from collections.abc import Mapping

from reverie.engines.sqlite import rows
from reverie.engines.sqlite.database import Database, Row
from reverie.ids import content_address
from reverie.records import JSON, Span


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
                "INSERT INTO trace VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
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
        sql = f"SELECT {_SPAN} FROM trace WHERE user_id = ? AND turn_id = ? ORDER BY position"
        return self._db.records("trace", _SPAN, _span, sql, (self._user, turn_id))

    def turns(self, limit: int = 20, kind: str = "") -> list[tuple[str, int]]:
        """Return the latest turns, newest first, as id and time; with a `kind`, those that have such a span."""
        sql = (
            "SELECT turn_id, min(at_ms) FROM trace WHERE user_id = ? AND turn_id != '' "
            "GROUP BY turn_id HAVING ? IN ('', max(CASE WHEN kind = ? THEN kind END)) "
            "ORDER BY max(position) DESC LIMIT ?"
        )
        return self._db.records(
            "trace", "turn_id, at_ms", lambda row: (row[0], row[1]), sql, (self._user, kind, kind, limit)
        )

    def expire(self, before_ms: int) -> int:
        """Drop what is older: a trace explains, it is not the record."""
        with self._db.write():
            self._db.execute("DELETE FROM trace WHERE user_id = ? AND at_ms < ?", (self._user, before_ms))
            return self._db.connection.changes()

    def keep_text(self, text: str) -> str:
        """Keep a composed text; returns the address by which it is found."""
        address = content_address(text)
        with self._db.write():
            self._db.execute("INSERT OR IGNORE INTO texts VALUES (?, ?, ?)", (self._user, address, text))
        return address

    def text(self, address: str) -> str | None:
        found = self._db.value("SELECT text FROM texts WHERE user_id = ? AND hash = ?", (self._user, address))
        return None if found is None else str(found)


_SPAN = "position, turn_id, span, parent, kind, data, at_ms"


def _span(row: Row) -> Span:
    data = rows.told(row[5])
    return Span(position=row[0], turn=row[1], name=row[2], parent=row[3], kind=row[4], data=data, at_ms=row[6])
