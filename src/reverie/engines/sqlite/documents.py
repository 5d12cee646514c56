"""Domain documents, their sections, and every version of them."""

import json
from dataclasses import asdict
from typing import Any

from reverie.desk import Document, DocumentSection, DocumentVersion
from reverie.engines.sqlite import rows
from reverie.engines.sqlite.database import Database
from reverie.errors import StaleVersion

_DOCUMENT = "name, title, description, enabled, created_ms, changed_ms, version"
_SECTION = "id, header, content, summary, parent_id, place, collapsed, expanded_by_default, pinned"
_EDIT = "name, version, at_ms, by, operation, header, diff"


class SqliteDocuments:
    def __init__(self, database: Database, user: str) -> None:
        self._db = database
        self._user = user

    def put(self, document: Document, edit: DocumentVersion, version: int | None = None) -> None:
        """Write a document whole, and note the edit that led there; with `version` only if it is still that."""
        with self._db.write():
            sql = "SELECT version FROM domaindocs WHERE user_id = ? AND name = ?"
            now = self._db.value(sql, (self._user, document.name))
            if version is not None and (now or 0) != version:
                raise StaleVersion(f"{document.name} is at version {now}, not {version}: read it again")
            head = asdict(document)
            self._db.execute(
                f"INSERT OR REPLACE INTO domaindocs (user_id, {_DOCUMENT}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (self._user, *(_stored(head[column]) for column in _DOCUMENT.split(", "))),
            )
            self._db.execute(
                "DELETE FROM domaindoc_sections WHERE user_id = ? AND name = ?", (self._user, document.name)
            )
            self._db.execute_many(
                f"INSERT INTO domaindoc_sections (user_id, name, {_SECTION}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (self._user, document.name, *(_stored(getattr(section, column)) for column in _SECTION.split(", ")))
                    for section in document.sections
                ],
            )
            self._db.execute(
                f"INSERT OR REPLACE INTO domaindoc_versions (user_id, {_EDIT}, data) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    self._user,
                    *(_stored(getattr(edit, column)) for column in _EDIT.split(", ")),
                    rows.storable(json.dumps(head, ensure_ascii=False)),
                ),
            )

    def get(self, name: str) -> Document | None:
        return next((one for one in self.all() if one.name == name), None)

    def all(self) -> list[Document]:
        """By name."""
        sections: dict[str, list[DocumentSection]] = {}
        sql = f"SELECT name, {_SECTION} FROM domaindoc_sections WHERE user_id = ? ORDER BY name, parent_id, place, id"
        for row in self._db.rows(sql, (self._user,)):
            values = dict(zip(_SECTION.split(", "), row[1:], strict=True))
            sections.setdefault(row[0], []).append(_section(values))
        sql = f"SELECT {_DOCUMENT} FROM domaindocs WHERE user_id = ? ORDER BY name"
        found = [dict(zip(_DOCUMENT.split(", "), row, strict=True)) for row in self._db.rows(sql, (self._user,))]
        return [_document(values, sections.get(values["name"], [])) for values in found]

    def versions(self, name: str) -> list[DocumentVersion]:
        """Newest first."""
        sql = f"SELECT {_EDIT} FROM domaindoc_versions WHERE user_id = ? AND name = ? ORDER BY version DESC"
        return [
            DocumentVersion(**dict(zip(_EDIT.split(", "), row, strict=True)))
            for row in self._db.rows(sql, (self._user, name))
        ]

    def at_version(self, name: str, version: int) -> Document | None:
        """The document as it was."""
        sql = "SELECT data FROM domaindoc_versions WHERE user_id = ? AND name = ? AND version = ?"
        told = self._db.value(sql, (self._user, name, version))
        if told is None:
            return None
        values = json.loads(told)
        return _document(values, [_section(one) for one in values.pop("sections")])

    def remove(self, name: str) -> bool:
        """With its versions: a document that a person removes is gone."""
        with self._db.write():
            for table in ("domaindoc_sections", "domaindoc_versions", "domaindocs"):
                self._db.execute(f"DELETE FROM {table} WHERE user_id = ? AND name = ?", (self._user, name))
            return bool(self._db.connection.changes())


def _document(values: dict[str, Any], sections: list[DocumentSection]) -> Document:
    return Document(**{**values, "enabled": bool(values["enabled"]), "sections": tuple(sections)})


def _section(values: dict[str, Any]) -> DocumentSection:
    flags = {name: bool(values[name]) for name in ("collapsed", "expanded_by_default", "pinned")}
    return DocumentSection(**{**values, **flags})


def _stored(value: object) -> object:
    return rows.storable(value) if isinstance(value, str) else value
