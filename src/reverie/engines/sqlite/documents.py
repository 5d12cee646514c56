"""Domain documents, their sections, and the way back through every version of them (document_history.py)."""

import json
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from reverie.engines.sqlite import rows
from reverie.engines.sqlite.database import Database
from reverie.engines.sqlite.document_history import one_back, way_back
from reverie.errors import StaleVersion
from reverie.records.prompt_inputs import Document, DocumentSection, DocumentVersion

_DOCUMENT = "name, title, description, enabled, created_ms, changed_ms, version"
_SECTION = "id, header, content, summary, parent_id, place, collapsed, expanded_by_default, pinned, by"
_EDIT = "name, version, at_ms, by, operation, header, diff"
_STEP = "version, data"  # the way back to the version before
_NAMED = "user_id = ?1 AND (?2 IS NULL OR name = ?2)"

_DOCUMENTS = f"SELECT {_DOCUMENT} FROM domaindocs WHERE {_NAMED} ORDER BY name"
_SECTIONS = f"SELECT name, {_SECTION} FROM domaindoc_sections WHERE {_NAMED} ORDER BY name, parent_id, place, id"
_EDITS = f"SELECT {_EDIT} FROM domaindoc_versions WHERE user_id = ? AND name = ? ORDER BY version DESC"
_STEPS_BACK = (
    f"SELECT {_STEP} FROM domaindoc_versions WHERE user_id = ? AND name = ? AND version > ? "
    "AND version <= ? ORDER BY version DESC"
)
_DELETE_SECTION = "DELETE FROM domaindoc_sections WHERE user_id = ? AND name = ? AND id = ?"
_REMOVE = tuple(
    f"DELETE FROM {table} WHERE user_id = ? AND name = ?"
    for table in ("domaindoc_sections", "domaindoc_versions", "domaindocs")
)


class SqliteDocuments:
    def __init__(self, database: Database, user: str) -> None:
        self._db = database
        self._user = user

    def put(self, document: Document, edit: DocumentVersion, version: int | None = None) -> None:
        """Write what differs from the document as it is, and note the edit; with `version` only if it is still that."""
        document = _storable(document)
        with self._db.write():
            before = self.get(document.name)
            now = before.version if before else 0
            if version is not None and now != version:
                raise StaleVersion(f"{document.name} is at version {now}, not {version}: read it again")
            self._insert("domaindocs", _DOCUMENT, [_values(document, _DOCUMENT)])
            self._write_sections(document, before.sections if before else ())
            data = json.dumps(way_back(before, document) if before else {}, ensure_ascii=False)
            self._insert("domaindoc_versions", f"{_EDIT}, data", [(*_values(_storable(edit), _EDIT), data)])

    def _write_sections(self, document: Document, before: Sequence[DocumentSection]) -> None:
        known = {one.id: one for one in before}
        changed = [one for one in document.sections if known.pop(one.id, None) != one]
        self._db.execute_many(_DELETE_SECTION, [(self._user, document.name, gone) for gone in known])
        self._insert(
            "domaindoc_sections", f"name, {_SECTION}", [(document.name, *_values(one, _SECTION)) for one in changed]
        )

    def _insert(self, table: str, columns: str, values: Sequence[tuple[Any, ...]]) -> None:
        marks = ", ".join("?" * (columns.count(",") + 2))
        sql = f"INSERT OR REPLACE INTO {table} (user_id, {columns}) VALUES ({marks})"
        self._db.execute_many(sql, [(self._user, *row) for row in values])

    def get(self, name: str) -> Document | None:
        return next(iter(self._select(rows.storable(name))), None)

    def all(self) -> list[Document]:
        """By name."""
        return self._select(None)

    def _select(self, name: str | None) -> list[Document]:
        mine = (self._user, name)
        sections: dict[str, list[DocumentSection]] = {}
        for of, section in self._db.records("domaindoc_sections", f"name, {_SECTION}", _of_document, _SECTIONS, mine):
            sections.setdefault(of, []).append(section)
        found = self._db.records("domaindocs", _DOCUMENT, lambda row: _named(_DOCUMENT, row), _DOCUMENTS, mine)
        return [_document(values, sections.get(values["name"], [])) for values in found]

    def versions(self, name: str) -> list[DocumentVersion]:
        """Newest first."""
        asked = (self._user, rows.storable(name))
        return self._db.records("domaindoc_versions", _EDIT, _edit, _EDITS, asked)

    def at_version(self, name: str, version: int) -> Document | None:
        """The document as it was; None if the way there is not kept whole."""
        document = self.get(name)
        if document is None:
            return None
        way = (self._user, document.name, version, document.version)
        for made, told in self._db.records("domaindoc_versions", _STEP, _step, _STEPS_BACK, way):
            if document is None or document.version != made:
                return None
            document = one_back(document, told)
        return document if document is not None and document.version == version else None

    def remove(self, name: str) -> bool:
        """With its versions: a document that a person removes is gone."""
        with self._db.write():
            for sql in _REMOVE:
                self._db.execute(sql, (self._user, name))
            return bool(self._db.connection.changes())


def _document(values: dict[str, Any], sections: list[DocumentSection]) -> Document:
    return Document(**{**values, "enabled": bool(values["enabled"]), "sections": tuple(sections)})


def _section(values: dict[str, Any]) -> DocumentSection:
    flags = {name: bool(values[name]) for name in ("collapsed", "expanded_by_default", "pinned")}
    return DocumentSection(**{**values, **flags})


def _edit(row: Sequence[Any]) -> DocumentVersion:
    return DocumentVersion(**_named(_EDIT, row))


def _of_document(row: Sequence[Any]) -> tuple[str, DocumentSection]:
    document, *section = row
    return document, _section(_named(_SECTION, section))


def _step(row: Sequence[Any]) -> tuple[int, dict[str, Any]]:
    version, back = row
    return version, rows.told(back)


def _named(columns: str, row: Sequence[Any]) -> dict[str, Any]:
    return dict(zip(columns.split(", "), row, strict=True))


def _values(record: object, columns: str) -> tuple[Any, ...]:
    return tuple(getattr(record, column) for column in columns.split(", "))


def _storable(record: Any) -> Any:
    """The same record with texts that come back as they are."""
    values = {one.name: getattr(record, one.name) for one in fields(record)}
    changed: dict[str, Any] = {name: rows.storable(value) for name, value in values.items() if isinstance(value, str)}
    if isinstance(record, Document):
        changed["sections"] = tuple(_storable(one) for one in record.sections)
    return replace(record, **changed)
