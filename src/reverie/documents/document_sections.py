"""Sections of a document -> the same sections with what is in sight, and with who wrote each of them last."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from reverie.records.prompt_inputs import Document, DocumentSection


def as_by_default(sections: Iterable[DocumentSection]) -> tuple[DocumentSection, ...]:
    """Collapsed, but for those that are expanded by default or pinned, and what these stand in."""
    known = list(sections)
    shown = _with_those_above([one for one in known if one.pinned or one.expanded_by_default], known)
    return tuple(replace(one, collapsed=one.id not in shown) for one in known)


def shown_if_pinned(sections: Sequence[DocumentSection]) -> tuple[DocumentSection, ...]:
    """A pinned section is in sight: neither it nor what it stands in is collapsed."""
    shown = _with_those_above([one for one in sections if one.pinned], sections)
    return tuple(replace(one, collapsed=False) if one.id in shown else one for one in sections)


def _with_those_above(chosen: Iterable[DocumentSection], sections: Iterable[DocumentSection]) -> set[str]:
    parents = {one.id: one.parent_id for one in sections}
    found: set[str] = set()
    for section in chosen:
        section_id = section.id
        while section_id in parents and section_id not in found:
            found.add(section_id)
            section_id = parents[section_id]
    return found


def signed(before: Iterable[DocumentSection], after: Iterable[DocumentSection], by: str) -> tuple[DocumentSection, ...]:
    """The sections after an edit, each with who wrote it last.

    Whatever an agent writes can stand in a prompt, a header or a summary too: it makes the section the agent's. A
    person who writes the content has read it, and makes it theirs.
    """
    known = {one.id: one for one in before}
    return tuple(_signed(known.get(one.id), one, by) for one in after)


def _signed(before: DocumentSection | None, after: DocumentSection, by: str) -> DocumentSection:
    if by == "user":
        return replace(after, by="user") if before and before.content != after.content else after
    return replace(after, by="agent") if before is None or _said(before) != _said(after) else after


def _said(section: DocumentSection) -> tuple[str, str, str]:
    return section.header, section.summary, section.content


def characters(document: Document) -> int:
    """Count the characters of a document's own text."""
    return len(document.description) + sum(len(text) for one in document.sections for text in _said(one))
