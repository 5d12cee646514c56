"""Recalled memories -> the text that an agent reads, inside our own marker; and what each part of it costs.

Costs are counted from above: the parts together never cost less than the whole text.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from reverie.compose.context import TAG
from reverie.foundation.text import inert
from reverie.language.tokens import count_tokens
from reverie.records import MemoryItem, Recalled, Trust

_HEADINGS = {
    "semantic": "What is known",
    "episodic": "What happened",
    "working": "What is being worked on",
    "conversation": "What was just said",
}


def line(item: MemoryItem, text: str) -> str:
    """One memory as one line: when, who, what. What came from outside says so.

    >>> from reverie.records import ItemType
    >>> line(MemoryItem(id="1", type=ItemType.FACT, text="", created_ms=0, speaker="Ana"), "likes\\ntea")
    '- [1970-01-01 Ana] likes tea'
    """
    day = datetime.fromtimestamp(item.created_ms / 1000, UTC).strftime("%Y-%m-%d")
    who = " ".join(item.speaker.split()) or ("from outside" if item.trust is Trust.OUTSIDE_TOOL else "")
    return inert(f"- [{day}{' ' if who else ''}{who}] {' '.join(text.split())}")


def heading(store: str) -> str:
    """Return the heading above the memories of one type.

    >>> heading("semantic")
    '## What is known'
    """
    return f"## {_HEADINGS.get(store) or inert(' '.join(store.split())).capitalize()}"


def line_cost(item: MemoryItem, text: str, count: Callable[[str], int] = count_tokens) -> int:
    """The tokens that a memory takes up in the text."""
    return count(line(item, text) + "\n")


def heading_cost(store: str, count: Callable[[str], int] = count_tokens) -> int:
    return count(f"\n{heading(store)}\n\n")


def frame_cost(count: Callable[[str], int] = count_tokens) -> int:
    """The tokens around all memories."""
    return count(render(()))


def render(items: Sequence[Recalled]) -> str:
    """The whole text: a heading for each memory type, each type's memories in the order of their rank."""
    parts = []
    for store in dict.fromkeys(one.item.store for one in items):
        lines = [line(one.item, one.shown) for one in items if one.item.store == store]
        parts.append("\n".join([heading(store), "", *lines]))
    body = "\n\n".join(parts)
    return f"<{TAG}>\n{body}\n</{TAG}>"
