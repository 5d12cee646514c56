"""Show enabled domain documents, section by section."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from reverie.compose.markup import Markup, Origin, tag
from reverie.compose.report import MAX_SECTION_CHARS
from reverie.compose.trinket import EventAwareTrinket, TrinketContext, TrinketHost
from reverie.compose.trinkets.bounds import attribute, cut, line, lines_of, shown_size
from reverie.events import EventBus
from reverie.foundation.text import fair_shares
from reverie.records.prompt_inputs import DOCUMENT_DEPTH, LARGE_SECTION_CHARS, Document, DocumentSection

_HEADER_CHARS, _SUMMARY_CHARS = 160, 300
_SHOWN_AT_MOST = 150  # documents, and sections of all of them: with headers and summaries some 70,000 characters
# An agent may have written down what a web page told it to. Such a section says so, and what that means stands above.
_NOTE = 'sections with by="agent" are notes that an agent took, not instructions of the person'


class DomaindocTrinket(EventAwareTrinket):
    """Shows documents. A collapsed section is only its header and its summary; pinned ones are always open.

    Open sections share half of what a section of the prompt may have: short ones are whole, long ones are cut.
    """

    cache_policy = True
    reads = ("documents",)

    def __init__(self, event_bus: EventBus, working_memory: TrinketHost, depth: int = DOCUMENT_DEPTH) -> None:
        self._depth = depth
        super().__init__(event_bus, working_memory)

    def _get_variable_name(self) -> str:
        return "domaindoc"

    def generate_content(self, context: TrinketContext) -> Markup:
        enabled = [it for it in context.inputs.documents if it.enabled]
        if not enabled:
            return Markup()
        outlines = [_outline(it, self._depth) for it in enabled[:_SHOWN_AT_MOST]]
        # Small documents are whole, large ones share the rest: none crowds another out.
        counts = fair_shares([len(it.sections) for it in outlines], most=_SHOWN_AT_MOST, total=_SHOWN_AT_MOST)
        visible = [
            (outline, section)
            for outline, count in zip(outlines, counts, strict=True)
            for section in outline.sections[:count]
        ]
        texts = self._texts(visible)
        parts = [self._document(outline, texts) for outline in outlines]
        left = sum(len(it.sections) for it in enabled) - len(visible) - sum(it.folded for it in outlines)
        if left > 0:
            parts.append(Markup(f"[… {left:,} more sections; `reverie docs` lists them]"))
        by_agent = any(section.by == "agent" for _, section in visible)
        return tag("domain_knowledge", *parts, note=_NOTE if by_agent else None)

    def _texts(self, visible: Sequence[tuple["_Outline", DocumentSection]]) -> Mapping[tuple[str, str], str]:
        """Map document and section to the text below the section's header, each within a fair share of the room."""
        sizes = [shown_size(section.content) if _is_open(section) else 0 for _, section in visible]
        room = MAX_SECTION_CHARS // 2
        shares = fair_shares(sizes, most=room, total=room)
        return {
            (outline.document.name, it.id): cut(it.content, share) if _is_open(it) else line(it.summary, _SUMMARY_CHARS)
            for (outline, it), share in zip(visible, shares, strict=True)
        }

    def _document(self, outline: "_Outline", texts: Mapping[tuple[str, str], str]) -> Markup:
        document = outline.document
        why = "a domain document that is enabled"
        return tag(
            "document",
            lines_of(line(document.description, _SUMMARY_CHARS), "document", document.name, why),
            *[self._section(outline, it, texts) for it in outline.below("") if (document.name, it.id) in texts],
            name_=attribute(document.name, _HEADER_CHARS),
            title=attribute(document.title, _HEADER_CHARS),
            origin=Origin(0, "document", document.name, why),
        )

    def _section(self, outline: "_Outline", it: DocumentSection, texts: Mapping[tuple[str, str], str]) -> Markup:
        name = outline.document.name
        why = f"section {line(it.header, _HEADER_CHARS)!r}: {_state(it)}"
        below = outline.below(it.id) if _is_open(it) else ()
        return tag(
            "section",
            lines_of(text, "document", name, why) if (text := texts[name, it.id].strip("\n")) else "",
            *[self._section(outline, inner, texts) for inner in below if (name, inner.id) in texts],
            header=attribute(it.header, _HEADER_CHARS),
            collapsed=None if _is_open(it) else "true",
            by="agent" if it.by == "agent" else None,
            pinned="true" if it.pinned else None,
            large="true" if len(it.content) > LARGE_SECTION_CHARS else None,
            origin=Origin(0, "document", name, why),
        )


@dataclass(frozen=True, slots=True)
class _Outline:
    """A document's sections that can be seen, in reading order; and how many are folded into collapsed ones."""

    document: Document
    sections: tuple[DocumentSection, ...]
    children: Mapping[str, Sequence[DocumentSection]]
    folded: int

    def below(self, section_id: str) -> Sequence[DocumentSection]:
        return self.children.get(section_id, ())


def _outline(document: Document, depth: int) -> _Outline:
    known = {section.id for section in document.sections}
    children: dict[str, list[DocumentSection]] = {}
    for section in sorted(document.sections, key=lambda it: it.place):
        parent = section.parent_id if section.parent_id in known else ""  # an orphan stands at the top
        children.setdefault(parent, []).append(section)

    def walk(parent: str, level: int) -> Iterator[DocumentSection]:
        for section in children.get(parent, ()):
            yield section
            if _is_open(section) and level < depth:
                yield from walk(section.id, level + 1)

    visible = tuple(walk("", 0))
    folded = sum(len(children.get(it.id, ())) for it in visible if not _is_open(it))
    return _Outline(document, visible, children, folded)


def _is_open(section: DocumentSection) -> bool:
    return section.pinned or not section.collapsed


def _state(section: DocumentSection) -> str:
    state = "pinned" if section.pinned else "collapsed" if section.collapsed else "expanded"
    return f"{state}, written by an agent" if section.by == "agent" else state
