"""JSON text, edited in place: what is not touched stays as it is, byte for byte.

A settings file belongs to its owner. Reading it into values and writing it out again would lose the owner's layout,
escapes and doubled keys, so pieces are cut into the text instead, in the layout that it has.

An edit can be taken back without a note of it. What is put into an empty container stands directly behind its bracket,
and what we write has a gap behind every bracket. So when a container has lost its last piece, the gap tells whether it
was there before us.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from reverie.records import JSON


@dataclass(frozen=True, slots=True)
class Node:
    """The place of a value, and the members of an object or list."""

    start: int
    end: int
    members: tuple["Member", ...] = ()

    def last(self, key: str) -> int:
        """The index of the member with this key, the one that counts if there are several; -1 if there is none."""
        return max((index for index, member in enumerate(self.members) if member.key == key), default=-1)

    @property
    def is_snug(self) -> bool:
        return bool(self.members) and self.members[0].start == self.start + 1


@dataclass(frozen=True, slots=True)
class Member:
    start: int  # of its key, or of the item itself
    key: str | None
    node: Node


_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


def parse(text: str) -> Node:
    """Find the place of every value. ValueError if the text is not JSON."""
    json.loads(text, parse_constant=_refuse)
    return _scan(text, _skip(text, 0))


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _scan(text: str, at: int) -> Node:
    if text[at] not in "{[":
        return Node(at, _DECODER.raw_decode(text, at)[1])
    start, members = at, []
    at = _skip(text, at + 1)
    while text[at] not in "}]":
        first, key = at, None
        if text[start] == "{":
            key, at = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)  # over the colon
        node = _scan(text, at)
        members.append(Member(first, key, node))
        at = _skip(text, node.end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return Node(start, at + 1, tuple(members))


# ---- layout


@dataclass(frozen=True, slots=True)
class Style:
    """The layout of a file. Without a newline it is all on one line."""

    newline: str = "\n"
    unit: str = "  "

    def gap(self, depth: int) -> str:
        return self.newline + self.unit * depth if self.newline else " "


def style_of(text: str, root: Node) -> Style:
    """The layout of a file, from what stands before its first key.

    >>> text = '{\\n\\t"a": 1\\n}'
    >>> style_of(text, parse(text))
    Style(newline='\\n', unit='\\t')
    """
    if not root.members:
        return Style()
    gap = text[root.start + 1 : root.members[0].start]
    if "\n" not in gap:
        return Style("", "")
    return Style("\r\n" if "\r\n" in gap else "\n", gap.rpartition("\n")[2])


def render(value: JSON, style: Style, depth: int = 0) -> str:
    """A value as text, with a gap behind every bracket.

    >>> render({"a": [1, "é"], "b": {}}, Style("", ""))
    '{ "a": [ 1, "é" ], "b": {} }'
    """
    if isinstance(value, dict) and value:
        parts = [member(key, part, style, depth + 1) for key, part in value.items()]
        brackets = "{}"
    elif isinstance(value, list) and value:
        parts = [render(part, style, depth + 1) for part in value]
        brackets = "[]"
    else:
        return json.dumps(value, ensure_ascii=False)
    inside = ("," + style.gap(depth + 1)).join(parts)
    return f"{brackets[0]}{style.gap(depth + 1)}{inside}{style.gap(depth)}{brackets[1]}"


def member(key: str, value: JSON, style: Style, depth: int) -> str:
    return f"{json.dumps(key, ensure_ascii=False)}: {render(value, style, depth)}"


# ---- edits


def at(root: Node, path: Sequence[int]) -> Node:
    """The node at a path of member numbers."""
    for index in path:
        root = root.members[index].node
    return root


def inserted(text: str, container: Node, piece: str, style: Style, depth: int) -> str:
    """The text with a piece as the last member of a container whose members stand at this depth."""
    if container.members:
        place, piece = container.members[-1].node.end, "," + style.gap(depth) + piece
    else:
        place = container.start + 1
    return text[:place] + piece + text[place:]


def replaced(text: str, node: Node, piece: str) -> str:
    return text[: node.start] + piece + text[node.end :]


def removed(text: str, root: Node, path: Sequence[int]) -> str | None:
    """The text without the value at a path, and without the containers that were made for it; None if all of it was."""
    *above, index = path
    container = at(root, above)
    members = container.members
    if len(members) == 1 and not (container.is_snug and not members[0].node.is_snug):
        return removed(text, root, above) if above else None
    if index:
        start, end = members[index - 1].node.end, members[index].node.end
    elif len(members) > 1:
        start, end = members[0].start, members[1].start
    else:
        start, end = container.start + 1, members[0].node.end
    return text[:start] + text[end:]
