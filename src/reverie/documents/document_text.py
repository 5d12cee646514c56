"""Domain documents as text: their sections as a tree, Markdown in and out, and what differs between two versions.

`# title`, `## section`, `### subsection`. What a heading cannot say (pinned, collapsed by default, an agent's, the
summary) stands in a comment on the line below it; what is collapsed at the moment, only a difference tells. A line of a
section that looks like a heading is written with a backslash before it, as Markdown has it, so that what is written out
and read again is the same document.
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import unified_diff

from reverie.records.prompt_inputs import Document, DocumentSection

PATH = " > "  # between a section's header and those above it: "Roses > Pruning"

_HEADING = re.compile(r"(#{1,6})[ \t]+(.*\S)\s*")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})(.*)")
_ESCAPED = re.compile(r"([ \t]*)\\(\\*(?:#{1,6}[ \t]|`{3}|~{3}))")
_HUNK = re.compile(r"@@ -(\d+)(,\d+|) \+(\d+)(,\d+|) @@")
_AROUND = 2  # lines that a difference shows around a change
# Comparing takes old lines times new lines, and hours where many are alike; beyond this, all old ones went and all new
# ones came.
_COMPARABLE = 4_000_000
_STATE = re.compile(r"<!-- reverie((?: (?:pinned|collapsed|closed|agent))*)(?:: (.*))? -->")


@dataclass(frozen=True, slots=True)
class Placed:
    """A section with where it stands: its level (0 at the top), and its path."""

    section: DocumentSection
    level: int
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A section as Markdown told it."""

    header: str
    level: int
    content: str = ""
    summary: str = ""
    flags: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ReadMarkdown:
    """A document as read from Markdown; the title is "" if there was none."""

    title: str
    description: str
    sections: tuple[Told, ...]


def outline(sections: Iterable[DocumentSection]) -> list[Placed]:
    """All sections as a reader meets them: each followed by those below it. One whose parent is gone is at the top."""
    known = list(sections)
    ids = {one.id for one in known}
    below: dict[str, list[DocumentSection]] = {}
    for section in sorted(known, key=lambda one: one.place):
        below.setdefault(section.parent_id if section.parent_id in ids else "", []).append(section)
    found: list[Placed] = []
    waiting = [Placed(section, 0, section.header) for section in reversed(below.pop("", []))]
    while waiting:
        placed = waiting.pop()
        found.append(placed)
        for child in reversed(below.pop(placed.section.id, [])):
            waiting.append(Placed(child, placed.level + 1, placed.path + PATH + child.header))
    return found


def in_order(sections: Iterable[DocumentSection]) -> tuple[DocumentSection, ...]:
    """The same sections in reading order, their places counted anew."""
    counted: dict[str, int] = {}
    ordered = []
    for placed in outline(sections):
        parent_id = placed.section.parent_id if placed.level else ""
        place = counted.get(parent_id, 0)
        counted[parent_id] = place + 1
        ordered.append(replace(placed.section, place=place, parent_id=parent_id))
    return tuple(ordered)


def above(section: DocumentSection, sections: Iterable[DocumentSection]) -> list[DocumentSection]:
    """The sections that this one stands in, nearest first."""
    by_id = {one.id: one for one in sections}
    found = []
    while section.parent_id in by_id:
        section = by_id.pop(section.parent_id)
        found.append(section)
    return found


def under(section: DocumentSection, sections: Iterable[DocumentSection]) -> list[DocumentSection]:
    """Every section that stands in this one, at any depth."""
    inside = {section.id}
    found = []
    for placed in outline(sections):
        if placed.section.parent_id in inside:
            inside.add(placed.section.id)
            found.append(placed.section)
    return found


# ---- Markdown


def to_markdown(document: Document, depth: int, *, view: bool = False) -> str:
    """A document as Markdown that `read_markdown` reads back; with `view` also what is collapsed at the moment."""
    parts = [f"# {document.title}", _escaped(document.description, depth)]
    for placed in outline(document.sections):
        parts.append("#" * (placed.level + 2) + f" {placed.section.header}{_state_line(placed.section, view)}")
        parts.append(_escaped(placed.section.content, depth))
    return "\n\n".join(part for part in parts if part) + "\n"


def read_markdown(text: str, depth: int) -> ReadMarkdown:
    """Title, description and sections of a text. Headings below the deepest level are content."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    fenced = _in_fences(lines)
    title, told, body = "", [Told(header="", level=-1)], [""]
    bodies = [body]
    for number, line in enumerate(lines):
        heading = None if number in fenced else _HEADING.fullmatch(line)
        if heading and len(heading[1]) <= depth + 2:
            if len(heading[1]) == 1 and not title and len(told) == 1 and not "".join(body).strip():
                title = heading[2]
                continue
            # A heading that skips a level belongs to the one above it all the same.
            level = min(max(len(heading[1]) - 2, 0), told[-1].level + 1)
            told.append(Told(header=heading[2], level=level))
            bodies.append(body := [])
        elif not body and len(told) > 1 and (state := _STATE.fullmatch(line)):
            told[-1] = replace(told[-1], flags=frozenset(state[1].split()), summary=state[2] or "")
            body.append("")
        else:
            body.append(line if number in fenced else _ESCAPED.sub(r"\1\2", line, count=1))
    contents = ["\n".join(lines).strip("\n") for lines in bodies]
    sections = (replace(one, content=content) for one, content in zip(told[1:], contents[1:], strict=True))
    return ReadMarkdown(title, contents[0], tuple(sections))


def _state_line(section: DocumentSection, view: bool) -> str:
    flags = {
        "pinned": section.pinned,
        "collapsed": section.collapsed and view,
        "closed": not section.expanded_by_default,
        "agent": section.by == "agent",
    }
    told = "".join(f" {name}" for name, is_set in flags.items() if is_set)
    told += f": {section.summary}" if section.summary else ""
    return f"\n<!-- reverie{told} -->" if told else ""


def _escaped(content: str, depth: int) -> str:
    """Content with a backslash before each line that would be read as a heading, or as one half of a code block."""
    lines = content.split("\n")
    fenced = _in_fences(lines)
    for number, line in enumerate(lines):
        if number in fenced:
            continue
        heading = _HEADING.fullmatch(line)
        if (heading and len(heading[1]) <= depth + 2) or _FENCE.fullmatch(line) or _ESCAPED.match(line):
            indent = len(line) - len(line.lstrip(" \t"))
            lines[number] = f"{line[:indent]}\\{line[indent:]}"
    return "\n".join(lines)


def _in_fences(lines: Sequence[str]) -> set[int]:
    """The numbers of the lines in code blocks, with their fences. A fence that nothing closes opens none."""
    found: set[int] = set()
    hopeless = {"`": math.inf, "~": math.inf}  # from this length on, no fence is closed any more
    number = 0
    while number < len(lines):
        fence = _FENCE.fullmatch(lines[number])
        if fence and len(fence[1]) < hopeless[fence[1][0]] and not (fence[1][0] == "`" and "`" in fence[2]):
            end = _closing(lines, number + 1, fence[1])
            if end is None:
                hopeless[fence[1][0]] = len(fence[1])
            else:
                found.update(range(number, end + 1))
                number = end
        number += 1
    return found


def _closing(lines: Sequence[str], start: int, fence: str) -> int | None:
    for number in range(start, len(lines)):
        line = lines[number].strip(" \t")
        if len(line) >= len(fence) and not line.strip(fence[0]):
            return number
    return None


# ---- differences


def difference(before: Document, after: Document, depth: int) -> str:
    """A unified diff of two versions of a document, as Markdown."""
    old, new = (to_markdown(one, depth, view=True).split("\n") for one in (before, after))
    same, same_end = _alike(old, new)
    start, end = max(0, same - _AROUND), max(0, same_end - _AROUND)
    old, new = old[start : len(old) - end], new[start : len(new) - end]
    names = (f"{before.name} version {before.version}", f"{after.name} version {after.version}")
    if len(old) * len(new) <= _COMPARABLE:
        lines = list(unified_diff(old, new, *names, n=_AROUND, lineterm=""))
    else:
        head = [f"--- {names[0]}", f"+++ {names[1]}", f"@@ -1,{len(old)} +1,{len(new)} @@"]
        lines = [*head, *(f"-{line}" for line in old), *(f"+{line}" for line in new)]
    return "\n".join(_counted_from(start, line) for line in lines)


def _alike(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """Count the equal lines at the beginning, and of the others those at the end."""
    shorter = min(len(old), len(new))
    same = next((number for number in range(shorter) if old[number] != new[number]), shorter)
    left = shorter - same
    return same, next((number for number in range(left) if old[-1 - number] != new[-1 - number]), left)


def _counted_from(start: int, line: str) -> str:
    hunk = _HUNK.fullmatch(line)
    return f"@@ -{int(hunk[1]) + start}{hunk[2]} +{int(hunk[3]) + start}{hunk[4]} @@" if hunk else line
