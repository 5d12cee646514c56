"""Rows that hold what cannot stand there: found in a file, named, and set aside with what can be read of them.

What is set aside stands in a table of the same file, so that a copy of the file has it, `reverie admin export` tells
it, and forgetting for good reaches it.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import apsw

from reverie.engines.sqlite.checks import MOST, SEALED, RowShape, columns_of, problem_of
from reverie.engines.sqlite.database import Database, Row
from reverie.engines.sqlite.upgrade import read_migrations

TEXT_INDEXES = ("observations_fts", "learnings_fts")  # that have an entry for every row
_LOG_END = "SELECT value FROM meta WHERE user_id = '' AND name = 'position'"
# What names something in another table: table, column, the other table, its column.
_REFERENCES = (
    ("learnings", "position", "observations", "position"),
    ("item_sources", "item_id", "items", "id"),
    ("item_versions", "id", "items", "id"),
    ("item_links", "from_id", "items", "id"),
    ("item_uses", "item_id", "items", "id"),
    ("vectors", "item_id", "items", "id"),
    ("domaindoc_sections", "name", "domaindocs", "name"),
    ("domaindoc_versions", "name", "domaindocs", "name"),
    ("observations", "session_id", "sessions", "session_id"),
)
_MENDED = ("observations",)  # where a missing other row is made anew, and the row itself stays


@dataclass(frozen=True, slots=True)
class Damaged:
    """A row, how it is found again, and what is wrong with it. Without a `where`, nothing is to be moved."""

    table: str
    key: str  # as JSON
    why: str
    where: str = ""
    arguments: tuple[Any, ...] = ()

    @property
    def said(self) -> str:
        return f"{self.table} {self.key}: {self.why}"


@dataclass(frozen=True, slots=True)
class _Table:
    """A table as the file declares it. A row is found by its row id, or else by its key."""

    name: str
    columns: tuple[str, ...]
    keys: tuple[str, ...]
    shape: RowShape
    has_rowid: bool

    def raw(self) -> str:
        """Every value with its type, text as the bytes it is made of: what can be read of any row."""
        bare = "typeof({0}), CASE typeof({0}) WHEN 'text' THEN CAST({0} AS BLOB) ELSE {0} END"
        return ", ".join(bare.format(name) for name in (*self.columns, *(("rowid",) if self.has_rowid else ())))

    def damaged(self, raw: Row, why: str) -> Damaged:
        """The row with these raw values."""
        values = dict(zip((*self.columns, "rowid"), zip(raw[::2], raw[1::2], strict=True), strict=False))
        names = ("rowid",) if self.has_rowid else self.keys
        where = " AND ".join(f"{it} IS {'CAST(? AS TEXT)' if values[it][0] == 'text' else '?'}" for it in names)
        key = json.dumps([_readable(*values[name]) for name in self.keys if name != "user_id"], ensure_ascii=False)
        return Damaged(self.name, key, why, where, tuple(values[it][1] for it in names))


def _readable(kind: str, value: Any) -> Any:
    """A raw value for JSON: text as far as it is text, bytes in hexadecimal."""
    if kind == "text":
        return bytes(value).decode("utf-8", "backslashreplace").replace("\0", "\N{SYMBOL FOR NULL}")
    return {"bytes": bytes(value).hex()} if kind == "blob" else value


# ---- finding


def find_damaged(connection: apsw.Connection, *, writable: bool = True) -> Iterator[Damaged]:
    """Every damaged row of a file whose trees are whole."""
    tables = _tables(connection)
    for table in tables.values():
        yield from _in_table(connection, table)
    for source, column, target, named in _REFERENCES:
        if source in tables and target in tables:
            yield from _dangling(connection, tables[source], column, target, named)
    yield from _counters(connection, tables)
    for index in TEXT_INDEXES if writable else ():
        try:
            connection.execute(f"INSERT INTO {index} ({index}, rank) VALUES ('integrity-check', 1)")
        except apsw.CorruptError:
            yield Damaged(index, "[]", "the text index does not say what the rows say")


def _tables(connection: apsw.Connection) -> dict[str, _Table]:
    names = (
        "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' "
        "AND name NOT LIKE 'sqlite@_%' ESCAPE '@' ORDER BY name"
    )
    found = {}
    listed: list[Row] = connection.execute(names).fetchall()
    ours = {
        name for script in read_migrations() for name in re.findall(r"CREATE TABLE (\w+)", script)
    }  # what somebody added beside them is theirs
    for name, is_without_rowid in listed:
        if name not in ours:
            continue
        sql = 'SELECT name, type, "notnull", pk FROM pragma_table_info(?)'
        declared: list[Row] = connection.execute(sql, (name,)).fetchall()
        shape = RowShape(name, columns_of(name, [(row[0], row[1], row[2]) for row in declared]))
        keys = tuple(row[0] for row in sorted(declared, key=lambda row: row[3]) if row[3])
        found[name] = _Table(name, tuple(row[0] for row in declared), keys, shape, not is_without_rowid)
    return found


def _in_table(connection: apsw.Connection, table: _Table) -> Iterator[Damaged]:
    """By a look at the values; where one is wrong, or cannot even be read, by their bytes."""
    is_sealed = table.name not in SEALED or table.columns[-1] == "checksum"  # an older schema has no checksums there
    cursor: Iterator[Row] = iter(connection.execute(f"SELECT * FROM {table.name} NOT INDEXED"))
    while True:
        try:
            row = next(cursor)
        except StopIteration:
            return
        except UnicodeDecodeError:
            break
        if table.shape.problem(row) or (is_sealed and problem_of(table.name, row)):
            break
    for raw in connection.execute(f"SELECT {table.raw()} FROM {table.name} NOT INDEXED"):
        try:
            row = tuple(
                bytes(value).decode() if kind == "text" else value
                for kind, value in zip(raw[::2], raw[1::2], strict=True)
            )[: len(table.columns)]
        except UnicodeDecodeError as error:
            yield table.damaged(raw, f"{error.object[:20]!r} is no text")
            continue
        if why := table.shape.problem(row) or (problem_of(table.name, row) if is_sealed else ""):
            yield table.damaged(raw, why)


def _dangling(connection: apsw.Connection, table: _Table, column: str, target: str, named: str) -> Iterator[Damaged]:
    sql = (
        f"SELECT {table.raw()} FROM {table.name} AS mine WHERE NOT EXISTS (SELECT 1 FROM {target} AS other "
        f"WHERE other.user_id = mine.user_id AND other.{named} = mine.{column})"
    )
    for raw in connection.execute(sql):
        found = table.damaged(raw, f"there is no such row in {target}")
        yield found if table.name not in _MENDED else Damaged(found.table, found.key, found.why)


def _counters(connection: apsw.Connection, tables: Iterable[str]) -> Iterator[Damaged]:
    """The end of the log must not lie before its last row: the next one would be put in its place."""
    numbered = [it for it in (*SEALED, "trace", "tombstones") if it in tables]
    highest = "SELECT max(position) FROM {} WHERE typeof(position) = 'integer' AND position <= ?"
    ends: list[int] = [connection.execute(highest.format(it), (MOST,)).get or 0 for it in numbered]
    last = max(ends, default=0)
    end = connection.execute(_LOG_END).get if "meta" in tables else last
    if not isinstance(end, int) or end < last:
        yield Damaged("meta", '["position"]', f"it is {end}, and the log goes on to {last}")


# ---- setting aside


def set_aside(database: Database, damaged: Damaged, at_ms: int) -> None:
    """Move a row to where it does no harm, with what can be read of it."""
    if not damaged.where:
        return
    table = _tables(database.connection)[damaged.table]
    sql = f"SELECT {table.raw()} FROM {table.name} WHERE {damaged.where}"
    for raw in database.rows(sql, damaged.arguments):
        values = [_readable(kind, value) for kind, value in zip(raw[::2], raw[1::2], strict=True)]
        _keep(database, damaged, dict(zip(table.columns, values, strict=False)), at_ms)
    database.execute(f"DELETE FROM {table.name} WHERE {damaged.where}", damaged.arguments)


def set_aside_of_log(database: Database, found: Sequence[tuple[str, Row]], at_ms: int) -> None:
    """Keep rows of the log that were read from a damaged file and do not fit, where no whole one has their place."""
    tables = _tables(database.connection)
    for table, row in found:
        if database.value(f"SELECT 1 FROM {table} WHERE position = ?", (row[1],)) is None:
            told = [{"bytes": value.hex()} if isinstance(value, bytes) else value for value in row]
            damaged = Damaged(table, json.dumps([row[1]]), tables[table].shape.problem(row) or problem_of(table, row))
            _keep(database, damaged, dict(zip(tables[table].columns, told, strict=True)), at_ms)


def _keep(database: Database, damaged: Damaged, told: dict[str, Any], at_ms: int) -> None:
    user = told.get("user_id")
    database.execute(
        "INSERT OR IGNORE INTO set_aside VALUES (?, ?, ?, ?, ?, ?)",
        (
            user if isinstance(user, str) else "",
            damaged.table,
            damaged.key,
            damaged.why,
            json.dumps(told, ensure_ascii=False),
            at_ms,
        ),
    )
