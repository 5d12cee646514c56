"""A `Request` -> its blocks, in the order in which a provider reads them: tools, sections, messages, the tail.

Names say what a block is: `tools/weather`, `domaindoc` for a section of the cached prompt, `system/goals` for a
volatile one that stands in the system prompt, `history/user`, `tail/goals`. A provider sees the sections of one text as
a single block; we keep them apart to be able to say which one changed.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from reverie.foundation.ids import content_address
from reverie.language.tokens import count_tokens
from reverie.records.conversation_values import Block, Request
from reverie.window.parts import parts_of
from reverie.window.render import part_text, tool_text

# What may stand between two sections.
_SEPARATOR = re.compile(r"[\s-]*")

Sections = Sequence[tuple[str, str]]


def blocks_of(request: Request, sections: Sections = ()) -> tuple[Block, ...]:
    """The blocks of a request. `sections` are names and texts, as they stand in its prompt."""
    return tuple(block for block, _ in blocks_with_text(request, sections))


def blocks_with_text(request: Request, sections: Sections = ()) -> tuple[tuple[Block, str], ...]:
    """The same, each with its text, for keeping."""
    found = parts_of(request)
    told = [(f"tools/{tool.name}", tool_text(tool), True) for tool in request.tools]
    told += [(name or "system_prompt", text, True) for name, text in _cut(request.cached, sections)]
    told += [(f"system/{name}".rstrip("/"), text, True) for name, text in _cut(request.system, sections)]
    for place, part in enumerate(found.parts):
        if part.kind == "tail":
            told += [(f"tail/{name}".rstrip("/"), text, False) for name, text in _cut(part.text, sections)]
        else:
            told.append((f"history/{part.role.value}", part_text(part), place < found.asked))
    return tuple((_block(name, text, cached), text) for name, text, cached in told)


def group_of(block: Block) -> str:
    """Return the part of a request that a block belongs to: tools, cached, system, history or tail."""
    head = block.name.partition("/")[0]
    return head if head in ("tools", "system", "history", "tail") else "cached"


def section_of(block: Block) -> str:
    """The name of the section, or of the tool, that a block is."""
    return block.name.rpartition("/")[2]


def _block(name: str, text: str, cached: bool) -> Block:
    return Block(name, *_measured(text), cached)


@lru_cache(maxsize=2048)
def _measured(text: str) -> tuple[str, int, int]:
    """Address, size and tokens. The history is measured with every request, and most of it was measured before."""
    return content_address(text), len(text.encode("utf-8", "surrogatepass")), count_tokens(text)


def _cut(text: str, sections: Sections) -> Iterator[tuple[str, str]]:
    """The text in pieces by section, each with the separator before it; what belongs to none has no name."""
    if not text.strip():
        return
    pieces: list[tuple[str, int]] = []
    end = 0
    for name, content in sections:
        gap = _SEPARATOR.match(text, end)
        start = gap.end() if gap else end
        content = content.strip()
        # A section may begin with what looks like a separator, so it is looked for from both ends of the gap.
        found = next(
            (place for place in (start, *range(end, start)) if content and text.startswith(content, place)), -1
        )
        if found >= 0:
            pieces.append((name, end := found + len(content)))
    if not pieces:
        yield "", text
        return
    start = 0
    for name, stop in pieces[:-1]:
        yield name, text[start:stop]
        start = stop
    yield pieces[-1][0], text[start:]
