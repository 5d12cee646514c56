"""Whole documents: a person makes, imports, enables, disables and removes them, and every edit can be undone.

What agents edit in them is in domaindocs.py. Both write through `_put`, which notes the version, the difference and by
whom. What a section shows, and who wrote it last, is in document_sections.py.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches

from reverie.documents.document_sections import as_by_default, characters, shown_if_pinned, signed
from reverie.documents.document_text import PATH, Placed, difference, in_order, outline, read_markdown, to_markdown
from reverie.errors import BadInput, StaleVersion
from reverie.records.prompt_inputs import (
    DOCUMENT_DEPTH,
    LARGE_SECTION_CHARS,
    Document,
    Documents,
    DocumentSection,
    DocumentVersion,
)

_NAME = re.compile(r"\w[\w.-]{0,63}")
_LONGEST_HEADER = 200
_LONGEST_SUMMARY = 300  # it is one line of the prompt
MOST_NAMED = 12  # headers in an error: enough to choose from
_LONGEST_SECTION = 200_000  # characters: forty times what is called large, and more than any prompt shows of it
_LONGEST_DOCUMENT = 2_000_000
_NOBODY = "reverie"  # in whose name a document goes back to what it shows by default


class DocumentEditor:
    """One user's documents, read and written in the name of `by`: "agent" or "user"."""

    def __init__(
        self,
        documents: Documents,
        new_id: Callable[[int], str],
        now_ms: Callable[[], int],
        clean: Callable[[str], str],
        depth: int = DOCUMENT_DEPTH,
        large_chars: int = LARGE_SECTION_CHARS,
        by: str = "agent",
    ) -> None:
        self._documents = documents
        self._new_id = new_id
        self._now_ms = now_ms
        self._clean = clean
        self._depth = depth
        self._large_chars = large_chars
        self._by = by

    # ---- whole documents: a person's, so that these are no operations

    def create(self, name: str, title: str = "", description: str = "") -> Document:
        """Make an empty document."""
        if not _NAME.fullmatch(name) or self._clean(name) != name:
            raise BadInput(f"{name!r} is not a name for a document; use letters, digits, - _ . (at most 64)")
        if any(key_of(one.name) == key_of(name) for one in self._documents.all()):
            raise BadInput(f'there is a document "{name}" already; choose another name, or edit that one')
        now = self._now_ms()
        title, description = self._line_of(title) or name, self._content(description)
        document = Document(name=name, title=title, description=description, created_ms=now, changed_ms=now)
        nothing = replace(document, version=0, title="", description="")
        self._documents.put(document, self._note(nothing, document, "create"), version=0)
        return document

    def remove(self, name: str) -> Document:
        """Delete a document with all its versions. This cannot be undone."""
        document = self.document(name)
        self._documents.remove(document.name)
        return document

    def enable(self, name: str) -> Document:
        """Show a document in the prompt, with what it shows by default."""
        document = self.document(name)
        if document.enabled:
            return document
        return self._put(document, replace(document, enabled=True, sections=as_by_default(document.sections)), "enable")

    def disable(self, name: str) -> Document:
        """Keep a document out of the prompt, and away from agents."""
        document = self.document(name)
        return self._put(document, replace(document, enabled=False), "disable")

    def to_defaults(self) -> list[str]:
        """Show of every enabled document what it shows by default again; says which changed. For the end of a segment.

        A document that somebody edits at this moment is in use, and stays as it is.
        """
        changed = []
        for document in self._documents.all():
            after = replace(document, sections=as_by_default(document.sections))
            try:
                if document.enabled and self._put(document, after, "to_defaults", by=_NOBODY) is not document:
                    changed.append(document.name)
            except StaleVersion:
                continue
        return changed

    def history(self, name: str) -> list[DocumentVersion]:
        """Every edit, newest first."""
        return self._documents.versions(self.document(name).name)

    def undo(self, name: str, version: int | None = None) -> Document:
        """Undo the edit that made `version`, and those after it; by default the last that somebody made."""
        document = self.document(name)
        edits = self._documents.versions(document.name) if version is None else []
        last = next((one.version for one in edits if one.by != _NOBODY), document.version)
        undone = last if version is None else version
        if not 1 < undone <= document.version:
            way_out = f"`reverie docs show {document.name} --history` lists them; the first one made it, and stays"
            raise BadInput(f"there is no edit {undone} of {document.name} to undo; {way_out}")
        before = self._documents.at_version(document.name, undone - 1)
        if before is None:
            raise BadInput(f"version {undone - 1} of {document.name} is not kept any more: part of the way is gone")
        done = self._put(document, before, f"undo {undone}")
        since = [one for one in self._documents.versions(document.name) if one.version >= undone]
        if done.version == document.version and any(one.operation == "forget" for one in since):
            way_out = f"`reverie docs show {document.name} --history` lists other edits"
            raise BadInput(f"undoing edit {undone} changes nothing: what it changed was forgotten for good; {way_out}")
        return done

    def import_markdown(self, name: str, text: str, version: int | None = None) -> Document:
        """Write a document from Markdown: # title, ## section, ### subsection. One that exists is replaced whole."""
        told = read_markdown(text, self._depth)
        _refuse_too_long(name, sum(len(one.content) for one in told.sections))
        known = next((one for one in self._documents.all() if key_of(one.name) == key_of(name)), None)
        known_ids = {key_of(one.path): one.section.id for one in outline(known.sections)} if known else {}
        check_version(known or Document(name=name, version=0), version)
        sections: list[DocumentSection] = []
        parents = [Placed(DocumentSection(id="", header=""), -1, "")]
        taken: dict[str, dict[str, str]] = {}
        for place, one in enumerate(told.sections):
            parent = parents[one.level]
            beside = taken.setdefault(parent.section.id, {})
            header = self._free_header(name, one.header, beside)
            beside[key_of(header)] = header
            path = parent.path + PATH + header if parent.path else header
            section = DocumentSection(
                id=known_ids.get(key_of(path)) or self._new_id(self._now_ms()),
                header=header,
                content=self._content(one.content, f'section "{header}"'),
                summary=self._summary(one.summary),
                parent_id=parent.section.id,
                place=place,
                expanded_by_default="closed" not in one.flags,
                pinned="pinned" in one.flags,
                by="agent" if "agent" in one.flags else "user",
            )
            sections.append(section)
            parents[one.level + 1 :] = [Placed(section, one.level, path)]
        written = as_by_default(signed(known.sections if known else (), sections, self._by))
        changed = Document(name=name, description=self._content(told.description, "a description"), sections=written)
        _refuse_too_long(name, characters(changed))  # before anything is made
        known = known or self.create(name, told.title)
        title = self._line_of(told.title) or known.title
        changed = replace(known, title=title, description=changed.description, sections=written)
        return self._put(known, changed, "import_markdown")

    def export_markdown(self, name: str) -> str:
        """A document as Markdown that `import_markdown` reads back."""
        return to_markdown(self.document(name), self._depth)

    def document(self, name: str) -> Document:
        """The document of this name, or an error that says which there are."""
        found = next((one for one in self._documents.all() if key_of(one.name) == key_of(name)), None)
        if found is None:
            names = [one.name for one in self._visible()]
            raise BadInput(f'there is no document "{name}"; {_nearest(name, names, "there are none yet")}')
        if self._by != "user" and not found.enabled:
            raise BadInput(f'the document "{found.name}" is disabled; only the person can enable it')
        return found

    # ---- parts

    def _visible(self) -> list[Document]:
        """A document that is not enabled is the person's alone."""
        return [one for one in self._documents.all() if one.enabled or self._by == "user"]

    def _find(self, document: Document, header: str) -> Placed:
        present = outline(document.sections)
        wanted = key_of(self._line_of(header))  # as it was cleaned when it was written
        found = [one for one in present if key_of(one.section.header) == wanted]
        found = found or [one for one in present if key_of(one.path) == wanted]
        if len(found) > 1:
            raise BadInput(f'{document.name} has "{header}" {len(found)} times; say {listed([o.path for o in found])}')
        if not found:
            hint = _nearest(header, [one.path for one in present], "it has no sections yet")
            raise BadInput(f'{document.name} has no section "{header}"; {hint}')
        return found[0]

    def _free_header(self, name: str, header: str, taken: Mapping[str, str]) -> str:
        """A header that none of `taken`, its siblings by their keys, has."""
        header = self._line_of(header)
        if not 0 < len(header) <= _LONGEST_HEADER:
            raise BadInput(f"a header has 1 to {_LONGEST_HEADER} characters, not {len(header)}")
        if PATH in header:
            raise BadInput(f'"{header}": a header cannot contain "{PATH}", which stands between headers')
        if key_of(header) in taken:
            way_out = "append to it, replace_section it, or choose another header"
            raise BadInput(f'{name} has "{header}" already; {way_out}; taken are {listed(list(taken.values()))}')
        return header

    def _put(self, before: Document, after: Document, operation: str, header: str = "", by: str = "") -> Document:
        """Write a document and the edit that led there, if anything changed at all."""
        sections = shown_if_pinned(in_order(after.sections))
        after = replace(after, sections=sections, version=before.version, changed_ms=before.changed_ms)
        if after == replace(before, sections=in_order(before.sections)):
            return before
        if characters(after) > characters(before):
            _refuse_too_long(after.name, characters(after))
        after = replace(after, version=before.version + 1, changed_ms=self._now_ms())
        self._documents.put(after, self._note(before, after, operation, header, by), before.version)
        return after

    def _note(
        self, before: Document, after: Document, operation: str, header: str = "", by: str = ""
    ) -> DocumentVersion:
        return DocumentVersion(
            name=after.name,
            version=after.version,
            at_ms=after.changed_ms,
            by=by or self._by,
            operation=operation,
            header=header,
            diff=difference(before, after, self._depth),
        )

    def _content(self, text: str, what: str = "a section") -> str:
        if len(text) > _LONGEST_SECTION:
            way_out = "split it into several sections, or keep the rest in a file"
            raise BadInput(f"{what} has at most {_LONGEST_SECTION:,} characters, not {len(text):,}; {way_out}")
        return self._clean(plain(text)).strip("\n")

    def _line_of(self, text: str) -> str:
        return " ".join(self._clean(plain(text)).split())

    def _summary(self, text: str) -> str:
        line = self._line_of(text)
        if len(line) > _LONGEST_SUMMARY:
            raise BadInput(f"a summary is one line of at most {_LONGEST_SUMMARY} characters, not {len(line)}")
        return line


def _refuse_too_long(name: str, size: int) -> None:
    if size > _LONGEST_DOCUMENT:
        way_out = "split it into several documents, or shorten it"
        raise BadInput(f"{name} would have {size:,} characters, and at most {_LONGEST_DOCUMENT:,} fit; {way_out}")


def check_version(document: Document, version: int | None) -> None:
    if version is not None and document.version != version:
        raise StaleVersion(f"{document.name} is at version {document.version}, not {version}: read it again")


def plain(text: str) -> str:
    """Text that every store keeps as it is, with one kind of line end."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\N{SYMBOL FOR NULL}")
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def key_of(text: str) -> str:
    """Normalise a name, so that names that a person would call the same are equal."""
    return " ".join(text.casefold().split())


def listed(names: Sequence[str]) -> str:
    shown = ", ".join(f'"{name}"' for name in names[:MOST_NAMED])
    return shown + (f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else "")


def _nearest(asked: str, names: Sequence[str], none: str) -> str:
    by_key = {key_of(name.rsplit(PATH, 1)[-1]): name for name in names} | {key_of(name): name for name in names}
    near = get_close_matches(key_of(asked), by_key, n=1)
    if near:
        return f'did you mean "{by_key[near[0]]}"?'
    return f"known are {listed(names)}" if names else none
