"""A file and the lines it should show -> the file with our lines up to date, every other byte as it was; and the
edits that a person made since we wrote it.

Which lines are ours is not marked in the file: whoever calls keeps them beside it (mirror.py), each with the id of the
value that it shows. A line that a person wrote in the same words is theirs, and stays.
"""

import codecs
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reverie.mirrors.file_text import line_end, lines_of, said


@dataclass(frozen=True, slots=True)
class MirrorLine:
    """A line of a mirrored file, and the id of the value that it shows; "" where a person wrote it."""

    text: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class MirrorSection:
    """The lines that stand below a heading such as `## Preferences`; in a file without it, it is added at the end."""

    heading: str
    lines: tuple[MirrorLine, ...] = ()


@dataclass(frozen=True, slots=True)
class Edits:
    """The changes that a person made to a mirrored file since we wrote it. Lines that only moved are no edit."""

    added: tuple[str, ...] = ()
    removed: tuple[MirrorLine, ...] = ()  # also lines of the person's own
    edited: tuple[tuple[MirrorLine, str], ...] = ()  # a line of ours, and what stands in its place now

    def __len__(self) -> int:
        return len(self.added) + len(self.removed) + 2 * len(self.edited)


def find_edits(current: str, last_written: str, ours: Iterable[MirrorLine] = ()) -> Edits:
    """Compare a file with what we wrote there. An unknown line where one of ours stood is an edit of that one.

    >>> find_edits("- a\\n- c\\n", "- a\\n- b\\n")
    Edits(added=('- c',), removed=(MirrorLine(text='- b', id=''),), edited=())
    >>> find_edits("- a\\n- c\\n", "- a\\n- b\\n", [MirrorLine("- b", "7")])
    Edits(added=(), removed=(), edited=((MirrorLine(text='- b', id='7'), '- c'),))
    """
    now, before = lines_of(current), lines_of(last_written)
    new, gone = _without(now, before), _without(before, now)
    by_text = {line.text: line for line in ours}
    added, removed, edited = list[str](), list[MirrorLine](), list[tuple[MirrorLine, str]]()
    for place, texts in gone.items():
        instead = new.get(place, [])
        for line in (by_text.get(text, MirrorLine(text)) for text in texts):
            if line.id and instead:
                edited.append((line, instead.pop(0)))
            else:
                removed.append(line)
    for texts in new.values():
        added += texts
    return Edits(tuple(dict.fromkeys(added)), tuple(dict.fromkeys(removed)), tuple(edited))


def _without(lines: Sequence[str], others: Sequence[str]) -> dict[str, list[str]]:
    """Group the lines that the others do not have by the last line before them that they have, too."""
    known, found, place = set(others), dict[str, list[str]](), ""
    for line in lines:
        if line in known:
            place = line if line.strip() else place
        elif line.strip():
            found.setdefault(place, []).append(line)
    return found


def merge_sections(
    current: bytes, ours: Iterable[MirrorLine], sections: Sequence[MirrorSection]
) -> tuple[bytes, list[MirrorLine]]:
    """Return the file with our lines brought up to date, and the lines that stand there because we wrote them.

    >>> section = MirrorSection("## Preferences", (MirrorLine("- spaces", "8"),))
    >>> before = b"I am Sam.\\n\\n## Preferences\\n\\n- tabs\\n"
    >>> data, ours = merge_sections(before, [MirrorLine("- tabs", "7")], [section])
    >>> data
    b'I am Sam.\\n\\n## Preferences\\n\\n- spaces\\n'
    >>> ours
    [MirrorLine(text='- spaces', id='8')]
    """
    body = current.removeprefix(codecs.BOM_UTF8)
    end = line_end(body)
    is_open = bool(body) and not body.endswith((b"\n", b"\r"))  # the last line has no end; whichever is last has none
    lines = (body + end if is_open else body).splitlines(keepends=True)
    written = {line.text for line in ours}
    wanted = {line.text for section in sections for line in section.lines}
    for text in sorted(written - wanted):
        _remove_last(lines, text)
    present = {said(line) for line in lines}
    for section in sections:
        if missing := [text for text in dict.fromkeys(line.text for line in section.lines) if text not in present]:
            _insert(lines, section.heading, [text.encode() + end for text in missing], end)
    if is_open and lines:
        lines[-1] = lines[-1].rstrip(b"\r\n")
    start = current[: len(current) - len(body)]
    by_us = (wanted - present) | written
    return start + b"".join(lines), [line for section in sections for line in section.lines if line.text in by_us]


def _remove_last(lines: list[bytes], text: str) -> None:
    """Take out one line that says this. Where a person says the same elsewhere, ours is the one that came later."""
    for at in range(len(lines) - 1, -1, -1):
        if said(lines[at]) == text:
            del lines[at]
            return


def _insert(lines: list[bytes], heading: str, missing: Sequence[bytes], end: bytes) -> None:
    """Put lines at the end of the section with this heading, which is made at the end of the file if it is absent."""
    texts = [said(line) for line in lines]
    at = next((i for i, text in enumerate(texts) if text.strip() == heading), None)
    if at is None:
        at = len(lines) + 1
        lines += [end, heading.encode() + end, end]
        texts += ["", heading, ""]
    place = _end_of_section(texts, at)
    lines[place:place] = missing


def _end_of_section(texts: Sequence[str], heading: int) -> int:
    """Find where the next line goes: after the section's last line that says something, or after a blank line."""
    end = next((i for i in range(heading + 1, len(texts)) if texts[i].startswith("#")), len(texts))
    last = next(i for i in range(end - 1, heading - 1, -1) if texts[i].strip())
    return last + 2 if last == heading and end > last + 1 else last + 1
