"""A table of frozen values with an id and a version: rows <-> one dataclass, for what is kept for the user."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from typing import Any, Generic, TypeVar

from reverie.engines.sqlite import rows
from reverie.engines.sqlite.database import Database
from reverie.errors import StaleVersion

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Table(Generic[T]):
    """One user's rows of one table. Columns are the fields of the dataclass; `reads` turns stored values back."""

    db: Database
    user: str
    name: str
    kind: Callable[..., T]
    columns: tuple[str, ...]
    key: str = "id"
    reads: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)

    def put(self, value: T, version: int | None = None) -> T:
        """Add or replace; the version rises by one whenever a row is replaced."""
        with self.db.write():
            now = self._version(getattr(value, self.key))
            if version is not None and now != version:
                found = "is not there" if now is None else f"is at version {now}, not {version}"
                raise StaleVersion(f"{getattr(value, self.key)} {found}: read it again")
            stored: T = replace(value, version=(now or 0) + 1)  # type: ignore[type-var]
            names = ", ".join(("user_id", *self.columns))
            marks = ", ".join("?" * (len(self.columns) + 1))
            values = [_stored(getattr(stored, column)) for column in self.columns]
            self.db.execute(f"INSERT OR REPLACE INTO {self.name} ({names}) VALUES ({marks})", (self.user, *values))
        return stored

    def _version(self, key: str) -> int | None:
        sql = f"SELECT version FROM {self.name} WHERE user_id = ? AND {self.key} = ?"
        found: int | None = self.db.value(sql, (self.user, rows.storable(key)))
        return found

    def get(self, key: str) -> T | None:
        return self.db.record(*self._question(f"{self.key} = ?", ""), (self.user, rows.storable(key)))

    def select(self, where: str = "1", parameters: Sequence[Any] = (), order: str = "") -> list[T]:
        return self.db.records(*self._question(where, order), (self.user, *parameters))

    def _question(self, where: str, order: str) -> tuple[str, str, Callable[[Sequence[Any]], T], str]:
        columns = ", ".join(self.columns)
        sql = f"SELECT {columns} FROM {self.name} WHERE user_id = ?1 AND {where} {order}"
        return self.name, columns, self._read, sql

    def _read(self, row: Sequence[Any]) -> T:
        values = dict(zip(self.columns, row, strict=True))
        for column, read in self.reads.items():
            values[column] = read(values[column])
        return self.kind(**values)

    def remove(self, key: str) -> bool:
        with self.db.write():
            self.db.execute(
                f"DELETE FROM {self.name} WHERE user_id = ? AND {self.key} = ?", (self.user, rows.storable(key))
            )
            return bool(self.db.connection.changes())


def columns_of(kind: Any) -> tuple[str, ...]:
    return tuple(one.name for one in fields(kind))


def _stored(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, str):
        return rows.storable(value)
    if isinstance(value, frozenset):
        return json.dumps(sorted(value))
    if isinstance(value, tuple | list | dict):
        return json.dumps(value)
    return value
