"""The tool `domaindoc`: what a person and their agents know about one domain, written down in sections.

Every edit makes a version with a difference, and can be undone. A model edits sections; only a person makes, removes,
enables or disables a whole document.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import ClassVar

from reverie.documents.document_sections import signed
from reverie.documents.document_text import PATH, Placed, above, outline, under
from reverie.documents.whole_documents import MOST_NAMED, DocumentEditor, check_version, key_of, listed, plain
from reverie.errors import BadInput
from reverie.foundation.text import title_line
from reverie.records import JSON
from reverie.records.prompt_inputs import Document, DocumentSection
from reverie.tools.operations import OperationTool, operation

Answer = dict[str, JSON]
_MOST_FOUND = 20


class DomaindocTool(DocumentEditor, OperationTool):
    """Edits one user's documents. The operations are a model's; whole documents, by DocumentEditor, are not."""

    name: ClassVar[str] = "domaindoc"
    description: ClassVar[str] = (
        "Read and edit the domain documents: lasting knowledge about one domain each, in sections. "
        'A section is named by its header, or by "Section > Subsection" where a header occurs twice.'
    )
    hints: ClassVar[str] = (
        "Collapsed sections show only their summary: expand one before you rely on it or edit it. "
        "Write what stays true; keep sections short, with a one-line summary."
    )

    # ---- looking

    @operation
    def overview(self, name: str | None = None) -> JSON:
        """The documents with their sections; of one document also sizes, states and summaries."""
        if name is not None:
            document = self.document(name)
            return {**_head(document), "sections": [self._line(one) for one in outline(document.sections)]}
        return [{**_head(one), "sections": [two.path for two in outline(one.sections)]} for one in self._visible()]

    @operation
    def search(self, text: str) -> list[JSON]:
        """Sections that have every word of a text, in their header, summary or content."""
        words = text.casefold().split()
        if not words:
            raise BadInput("a search needs some words")
        found: list[JSON] = []
        for document in self._visible():
            for placed in outline(document.sections):
                section = placed.section
                whole = "\n".join((section.header, section.summary, section.content))
                if all(word in whole.casefold() for word in words):
                    line = max(whole.split("\n"), key=lambda one: sum(word in one.casefold() for word in words))
                    found.append({"document": document.name, "section": placed.path, "line": title_line(line, 160)})
        more: list[JSON] = [{"more": len(found) - _MOST_FOUND}] if len(found) > _MOST_FOUND else []
        return found[:_MOST_FOUND] + more

    # ---- showing and hiding

    @operation
    def expand(self, name: str, header: str, by_default: bool = False) -> Answer:
        """Show a section whole until the talk is over, with by_default in every talk; answers with its content."""
        document, placed = self.section(name, header)
        chosen = replace(placed.section, expanded_by_default=by_default or placed.section.expanded_by_default)
        shown = {placed.section.id, *(one.id for one in above(placed.section, document.sections))}
        sections = [
            replace(one, collapsed=False) if one.id in shown else one for one in _with(document.sections, chosen)
        ]
        done = self._edited(document, "expand", placed, sections)
        return {**done, "content": placed.section.content}

    @operation
    def collapse(self, name: str, header: str, by_default: bool = False) -> Answer:
        """Show only a section's header and summary; with by_default it is no longer expanded by default."""
        document, placed = self.section(name, header)
        if placed.section.pinned:
            raise BadInput(f'"{placed.path}" is pinned and cannot be collapsed; unpin it first: pin with pinned=false')
        pinned = [one.header for one in under(placed.section, document.sections) if one.pinned]
        if pinned:
            raise BadInput(f'"{placed.path}" holds "{pinned[0]}", which is pinned; unpin that first')
        stays = placed.section.expanded_by_default and not by_default
        return self._changed(document, "collapse", placed, collapsed=True, expanded_by_default=stays)

    @operation
    def pin(self, name: str, header: str, pinned: bool = True) -> Answer:
        """Keep a section from being collapsed; with pinned=false, no longer."""
        document, placed = self.section(name, header)
        sections = _with(document.sections, replace(placed.section, pinned=pinned))
        return self._edited(document, "pin" if pinned else "unpin", placed, sections)

    # ---- editing

    @operation
    def create_section(self, name: str, header: str, content: str = "", summary: str = "", parent: str = "") -> Answer:
        """Add a section at the end of a document, or below the section `parent`."""
        document = self.document(name)
        above_it = self._find(document, parent) if parent.strip() else None
        if above_it and above_it.level >= self._depth:
            levels = "no subsections" if not self._depth else f"subsections {self._depth} deep"
            raise BadInput(f'"{above_it.path}" can hold no section: documents have {levels}; leave `parent` out')
        parent_id = above_it.section.id if above_it else ""
        section = DocumentSection(
            id=self._new_id(self._now_ms()),
            header=self._free_header(document.name, header, _headers(document, parent_id)),
            content=self._content(content),
            summary=self._summary(summary),
            parent_id=parent_id,
            place=len(document.sections),
        )
        path = above_it.path + PATH + section.header if above_it else section.header
        return self._edited(document, "create_section", Placed(section, 0, path), [*document.sections, section])

    @operation
    def rename(self, name: str, header: str, new_header: str) -> Answer:
        """Give a section another header."""
        document, placed = self.section(name, header)
        taken = _headers(document, placed.section.parent_id)
        taken.pop(key_of(placed.section.header))
        free = self._free_header(document.name, new_header, taken)
        return self._changed(document, "rename", placed, header=free)

    @operation
    def delete(self, name: str, header: str) -> Answer:
        """Delete a section and those below it. They must be expanded: one deletes only what one has seen."""
        document, placed = self.section(name, header)
        doomed = [placed.section, *under(placed.section, document.sections)]
        hidden = [one for one in (*doomed, *above(placed.section, document.sections)) if one.collapsed]
        if hidden:
            paths = {one.section.id: one.path for one in outline(document.sections)}
            named = ", ".join(f'"{paths[one.id]}"' for one in hidden[:MOST_NAMED])
            raise BadInput(f'"{placed.path}" is not all in sight; expand {named} first, and read what would go')
        gone = {one.id for one in doomed}
        kept = [one for one in document.sections if one.id not in gone]
        return {**self._edited(document, "delete", placed, kept), "deleted": len(doomed)}

    @operation
    def reorder(self, name: str, headers: Sequence[str], parent: str = "") -> Answer:
        """Put the sections of a document, or those below `parent`, in this order. Name every one of them."""
        document = self.document(name)
        above_it = self._find(document, parent) if parent.strip() else None
        parent_id = above_it.section.id if above_it else ""
        present = {key_of(one.header): one for one in document.sections if one.parent_id == parent_id}
        asked = [key_of(self._line_of(header).rsplit(PATH, 1)[-1]) for header in headers]
        wrong = [header for header, key in zip(headers, asked, strict=True) if key not in present]
        missing = [one.header for key, one in present.items() if key not in asked]
        if wrong or missing or len(set(asked)) != len(asked):
            problems = [f"there is no {listed(wrong)}"] if wrong else []
            problems += [f"{listed(missing)} is missing"] if missing else []
            raise BadInput(f"name every header once: {'; '.join(problems) or 'one stands there twice'}")
        places = {present[key].id: place for place, key in enumerate(asked)}
        sections = [replace(one, place=places.get(one.id, one.place)) for one in document.sections]
        return self._edited(document, "reorder", above_it, sections)

    @operation
    def append(self, name: str, header: str, text: str) -> Answer:
        """Add text at the end of a section, on a line of its own."""
        document, placed = self.section(name, header)
        if not text.strip():
            raise BadInput("there is nothing to append")
        content = f"{placed.section.content}\n{text}" if placed.section.content else text
        return self._changed(document, "append", placed, content=self._content(content))

    @operation
    def replace_text(self, name: str, header: str, old: str, new: str) -> Answer:
        """Replace a piece of a section's text; `old` must occur in it exactly once."""
        document, placed = self.section(name, header)
        old = plain(old)
        count = placed.section.content.count(old) if old else 0
        if count != 1:
            way_out = "quote more of the text around it" if count else "quote it exactly as it stands there"
            raise BadInput(f'{old[:80]!r} occurs {count} times in "{placed.path}", not once; {way_out}')
        content = placed.section.content.replace(old, plain(new))
        return self._changed(document, "replace_text", placed, content=self._content(content))

    @operation
    def replace_section(self, name: str, header: str, content: str, version: int | None = None) -> Answer:
        """Replace all of a section's text; with `version` only if the document is still at it."""
        document, placed = self.section(name, header)
        check_version(document, version)
        return self._changed(document, "replace_section", placed, content=self._content(content))

    @operation
    def set_summary(self, name: str, header: str, summary: str) -> Answer:
        """Say in one line what a section holds: that is shown while it is collapsed."""
        document, placed = self.section(name, header)
        return self._changed(document, "set_summary", placed, summary=self._summary(summary))

    # ---- parts

    def section(self, name: str, header: str) -> tuple[Document, Placed]:
        """Return a document and one of its sections, or say which there are."""
        document = self.document(name)
        return document, self._find(document, header)

    def _changed(self, document: Document, operation: str, placed: Placed, **changes: object) -> Answer:
        section = replace(placed.section, **changes)  # type: ignore[arg-type]
        return self._edited(document, operation, placed, _with(document.sections, section))

    def _edited(
        self, document: Document, operation: str, placed: Placed | None, sections: Iterable[DocumentSection]
    ) -> Answer:
        after = replace(document, sections=signed(document.sections, sections, self._by))
        done = self._put(document, after, operation, placed.path if placed else "")
        answer: Answer = {"document": done.name, "version": done.version}
        now = next((one for one in outline(done.sections) if placed and one.section.id == placed.section.id), None)
        return answer if now is None else {**answer, **self._line(now)}

    def _line(self, placed: Placed) -> Answer:
        """A section in an answer: short, and with what one should know about it."""
        section, size = placed.section, len(placed.section.content)
        line: Answer = {"section": placed.path, "characters": size}
        line |= {"summary": section.summary} if section.summary else {}
        line |= {"by": "agent"} if section.by == "agent" else {}
        line |= {"state": "pinned" if section.pinned else "collapsed" if section.collapsed else "expanded"}
        if size > self._large_chars:
            line["large"] = f"over {self._large_chars} characters: shorten it, or split it"
        return line


def _head(document: Document) -> Answer:
    head: Answer = {"name": document.name, "title": document.title, "version": document.version}
    head |= {"description": document.description} if document.description else {}
    return head if document.enabled else {**head, "enabled": False}


def _with(sections: Iterable[DocumentSection], changed: DocumentSection) -> list[DocumentSection]:
    return [changed if one.id == changed.id else one for one in sections]


def _headers(document: Document, parent_id: str) -> dict[str, str]:
    """The headers that stand beside each other there, by what a person would call the same."""
    return {key_of(one.header): one.header for one in document.sections if one.parent_id == parent_id}
