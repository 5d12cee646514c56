"""Forget what documents say of some words: in every version, the sections that mention them; the rest stays as it was.

The history is written again without them, so that undoing an edit brings back all but what is forgotten. A version is
added at the end: who edits the document as it was before is told that it has changed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count

from reverie.engines.sqlite.database import Database
from reverie.engines.sqlite.documents import SqliteDocuments
from reverie.language.mentions import says, spoken
from reverie.records.prompt_inputs import Document, DocumentSection, DocumentVersion

_FORGOTTEN = "(what changed here was forgotten for good)"
_Version = tuple[DocumentVersion, Document]


def mentioned_in_documents(db: Database, user: str, words: str) -> list[str]:
    """List, a line each, where documents mention all of these words."""
    told: list[str] = []
    documents = SqliteDocuments(db, user)
    for document in documents.all():
        if not words:
            told.append(f'document "{document.name}"')
        elif _may_mention(db, user, document, words):
            parts = [f'section "{one.header}"' for one in document.sections if _mentions(one, words)]
            parts += ["title or description"] if _without_head(document, words) != document else []
            if not parts and _is_concerned(documents, document, _history(documents, document), words):
                parts = ["name or older versions"]
            told += [f'{part} of document "{document.name}"' for part in parts]
    return told


def erase_from_documents(db: Database, user: str, words: str, at_ms: int) -> None:
    """Write every document again without the sections that mention all of these words; without words, remove it."""
    documents = SqliteDocuments(db, user)
    for document in documents.all():
        if not words:
            documents.remove(document.name)
        elif _may_mention(db, user, document, words):
            _rewrite(documents, document, words, at_ms)


def _rewrite(documents: SqliteDocuments, document: Document, words: str, at_ms: int) -> None:
    kept = _history(documents, document)
    if not _is_concerned(documents, document, kept, words):
        return
    name = document.name if not says(document.name, words) else _free_name(documents)
    version = document.version + 1
    note = DocumentVersion(
        name=name, version=version, at_ms=at_ms, by="user", operation="forget", header="", diff=_FORGOTTEN
    )
    now = replace(_without(document, words), version=version, changed_ms=at_ms)
    documents.remove(document.name)
    for edit, then in [*_cleaned(kept, words), (note, now)]:
        documents.put(replace(then, name=name, title=then.title or name), replace(edit, name=name))


def _history(documents: SqliteDocuments, document: Document) -> list[_Version]:
    """Every version that can still be told, oldest first."""
    edits = documents.versions(document.name)[::-1]
    return [(edit, then) for edit in edits if (then := documents.at_version(document.name, edit.version)) is not None]


def _cleaned(history: Sequence[_Version], words: str) -> Iterator[_Version]:
    """The same versions without what mentions the words. A difference that shows a line of it goes whole."""
    doomed = [one for _, then in history for one in then.sections if _mentions(one, words)]
    lines = {line.strip() for one in doomed for line in _told(one).split("\n")} - {""}
    for edit, then in history:
        shows = says(edit.diff, words) or any(line in edit.diff for line in lines)
        header = "" if says(edit.header, words) else edit.header
        yield replace(edit, header=header, diff=_FORGOTTEN if shows else edit.diff), _without(then, words)


def _without(document: Document, words: str) -> Document:
    """A document without the sections that mention the words. What stood below one moves up to where it stood."""
    present = {one.id for one in document.sections}
    below: dict[str, list[DocumentSection]] = {}
    for one in sorted(document.sections, key=lambda section: section.place):
        below.setdefault(one.parent_id if one.parent_id in present else "", []).append(one)

    def kept(parent_id: str) -> Iterator[DocumentSection]:
        for one in below.get(parent_id, ()):
            yield from kept(one.id) if _mentions(one, words) else [one]

    def placed(parent_id: str) -> Iterator[DocumentSection]:
        taken: set[str] = set()
        for place, one in enumerate(kept(parent_id)):
            header = next(name for name in _names(one.header) if name.casefold() not in taken)
            taken.add(header.casefold())
            yield replace(one, parent_id=parent_id, place=place, header=header)
            yield from placed(one.id)

    if not any(_mentions(one, words) for one in document.sections):
        return _without_head(document, words)
    by_place = sorted(placed(""), key=lambda one: (one.parent_id, one.place, one.id))
    return replace(_without_head(document, words), sections=tuple(by_place))


def _without_head(document: Document, words: str) -> Document:
    title = document.title if not says(document.title, words) else ""
    return replace(document, title=title, description="" if says(document.description, words) else document.description)


def _names(header: str) -> Iterator[str]:
    """A header, and what it may be called where there is one of its name already."""
    yield header
    yield from (f"{header} ({number})" for number in count(2))


def _free_name(documents: SqliteDocuments) -> str:
    taken = {one.name for one in documents.all()}
    return next(name for number in count(1) if (name := f"untitled{number}") not in taken)


def _mentions(section: DocumentSection, words: str) -> bool:
    return says(_told(section), words)


def _told(section: DocumentSection) -> str:
    return "\n".join((section.header, section.summary, section.content))


def _is_concerned(documents: SqliteDocuments, document: Document, kept: Sequence[_Version], words: str) -> bool:
    """Whether a document, or any version of it, has to be written again: also if one cannot be told any more."""
    return (
        says(document.name, words)
        or _without(document, words) != document
        or len(kept) < len(documents.versions(document.name))
        or list(_cleaned(kept, words)) != list(kept)
    )


def _may_mention(db: Database, user: str, document: Document, words: str) -> bool:
    """Whether all of the words are somewhere in a document or its history. Cheaper than to tell every version."""
    sql = "SELECT header || char(10) || diff, data FROM domaindoc_versions WHERE user_id = ? AND name = ?"
    older = [f"{edit}\n{spoken(data)}" for edit, data in db.rows(sql, (user, document.name))]
    head = (document.name, document.title, document.description)
    return says("\n".join((*head, *map(_told, document.sections), *older)), words)
