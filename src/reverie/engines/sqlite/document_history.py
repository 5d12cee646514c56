"""Two versions of a document -> the way back from the later to the earlier; and one step back along it.

Only what an edit replaced is kept, as plain text: of a content the lines, of the rest the former values. So a line that
is appended costs a line, and any version is made again from the newest one, step by step. A content that does not come
back exactly as it was is no version of anything: then the way ends there.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any
from zlib import crc32

from reverie.records.prompt_inputs import Document, DocumentSection

_HEAD = ("title", "description", "enabled", "created_ms", "changed_ms")


def way_back(before: Document, after: Document) -> dict[str, Any]:
    """Compute the change from `after` to `before`: for each section that differs its old content, or None."""
    head = {name: getattr(before, name) for name in _HEAD if getattr(before, name) != getattr(after, name)}
    now = {one.id: one for one in after.sections}
    sections: dict[str, Any] = {}
    for was in before.sections:
        became = now.pop(was.id, None)
        if became != was:
            sections[was.id] = _all_of(was) if became is None else _replaced(was, became)
    sections |= dict.fromkeys(now)
    return {"head": {**head, "version": before.version}, "sections": sections}


def one_back(document: Document, told: Mapping[str, Any]) -> Document | None:
    """The version before this one; None if that cannot be told exactly any more.

    A section that is gone without an edit was forgotten for good, and does not come back.
    """
    sections = {one.id: one for one in document.sections}
    for section_id, was in told.get("sections", {}).items():
        there = sections.pop(section_id, None)
        if was is not None and isinstance(was.get("content"), str):
            sections[section_id] = DocumentSection(id=section_id, **was)
        elif was is not None and there is not None:
            content = _content_before(there.content, was["content"]) if "content" in was else there.content
            if content is None:
                return None
            sections[section_id] = replace(there, **{**was, "content": content})
    return replace(document, **told.get("head", {}), sections=_as_listed(sections.values()))


def _as_listed(sections: Iterable[DocumentSection]) -> tuple[DocumentSection, ...]:
    """In the order in which a document lists its sections: by parent, then by place."""
    return tuple(sorted(sections, key=lambda one: (one.parent_id, one.place, one.id)))


def _all_of(section: DocumentSection) -> dict[str, Any]:
    return {name: value for name, value in asdict(section).items() if name != "id"}


def _replaced(was: DocumentSection, became: DocumentSection) -> dict[str, Any]:
    old, new = _all_of(was), _all_of(became)
    told = {name: value for name, value in old.items() if value != new[name]}
    return {**told, "content": _lines_before(was.content, became.content)} if "content" in told else told


def _lines_before(was: str, became: str) -> dict[str, Any]:
    """The lines that were replaced, how many stayed before and behind them, and what proves the whole."""
    old, new = was.split("\n"), became.split("\n")
    shorter = min(len(old), len(new))
    above = _alike(old, new, shorter)
    below = _alike(old[::-1], new[::-1], shorter - above)
    return {"above": above, "lines": old[above : len(old) - below], "below": below, "check": crc32(was.encode())}


def _alike(one: Sequence[str], other: Sequence[str], most: int) -> int:
    return next((number for number in range(most) if one[number] != other[number]), most)


def _content_before(content: str, told: Mapping[str, Any]) -> str | None:
    lines = content.split("\n")
    kept_below = lines[len(lines) - told["below"] :] if told["below"] else []
    was = "\n".join([*lines[: told["above"]], *told["lines"], *kept_below])
    return was if crc32(was.encode()) == told["check"] else None
