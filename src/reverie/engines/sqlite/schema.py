"""A SQLite file -> the version that it says it has, and the one whose tables it really holds."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import apsw

from reverie.engines.sqlite.damage import open_for_looking, open_for_reading
from reverie.engines.sqlite.database import Row
from reverie.engines.sqlite.upgrade import read_migrations, teach

# Each table with its columns (name, type, not null, default, place in the key), and everything else by its name.
Shape = Mapping[str, tuple[Row, ...]]

_PLAUSIBLE = 1000  # versions more than we know; a higher number is damage, which no upgrade repairs


@dataclass(frozen=True, slots=True)
class Versions:
    """`said` stands in the file's header, where anybody can change it; `true` is None if its tables are of no version.

    `known` is the newest version that this Reverie can read.
    """

    said: int
    true: int | None
    known: int

    @property
    def is_foreign(self) -> bool:
        """Whether it is a newer Reverie's file, with tables that we do not know."""
        return self.known < self.said <= self.known + _PLAUSIBLE and self.true != self.known

    @property
    def is_behind(self) -> bool:
        """Whether only the number is wrong: migrations that are done already would be done again."""
        return self.said <= self.known and self.true is not None and self.said < self.true


def read_versions(path: Path, *, writable: bool = True) -> Versions:
    connection = open_for_looking(path) if writable else open_for_reading(path)
    try:
        ((said,),) = connection.execute("PRAGMA user_version")
        return Versions(said, _true_version(connection), len(read_migrations()))
    finally:
        connection.close()


def write_version(path: Path, version: int) -> None:
    """Set the number in the header, and nothing else."""
    connection = open_for_looking(path)
    try:
        connection.set_busy_timeout(5000)
        connection.execute(f"PRAGMA user_version = {version}")
    finally:
        connection.close()


def _true_version(connection: apsw.Connection) -> int | None:
    """The version whose tables, indexes and triggers these are. What somebody added beside them does not count."""
    shapes = _shapes()
    known = {name for shape in shapes for name in shape}
    found = {name: columns for name, columns in _shape(connection).items() if name in known}
    matching = [version for version, shape in enumerate(shapes) if shape == found]
    return matching[0] if len(matching) == 1 else None  # two versions that look alike cannot be told apart


@cache
def _shapes() -> tuple[Shape, ...]:
    """Return the schema of a file before the first migration, and after each."""
    connection = apsw.Connection(":memory:")
    teach(connection)
    shapes = [_shape(connection)]
    for script in read_migrations():
        connection.execute(script)
        shapes.append(_shape(connection))
    connection.close()
    return tuple(shapes)


def _shape(connection: apsw.Connection) -> Shape:
    columns = 'SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_xinfo(?)'
    things = connection.execute("SELECT type, name FROM sqlite_schema WHERE name NOT LIKE 'sqlite@_%' ESCAPE '@'")
    return {
        f"{kind} {name}": tuple(connection.execute(columns, (name,))) if kind == "table" else ()
        for kind, name in things.fetchall()
    }
