"""Items, neighbours and goals for the tests of the gate, in a few words."""

from typing import Any

from reverie.gate.decide import Policy, gate
from reverie.records import SEMANTIC, ItemType, MemoryItem, Near, Source, Trust, Verdict, WriteEvent

# What a text may cost, in lines of code that run. The densest hits (a digit and a blank) take 80 for a character.
LINES_FOR_A_CHARACTER = 150
LINES_AT_LEAST = 20_000
_SOURCES = {Trust.ASSISTANT: Source.MODEL, Trust.LOCAL_TOOL: Source.TOOL, Trust.OUTSIDE_TOOL: Source.TOOL}


def item(text: str, kind: ItemType = ItemType.FACT, trust: Trust = Trust.PERSON, **more: Any) -> MemoryItem:
    given = {"id": "new", "created_ms": 2_000, "source": _SOURCES.get(trust, Source.USER), "confidence": 0.8, **more}
    return MemoryItem(type=kind, text=text, trust=trust, **given)


def stored(text: str, kind: ItemType = ItemType.FACT, trust: Trust = Trust.PERSON, **more: Any) -> MemoryItem:
    return item(text, kind, trust, **{"id": "old", "created_ms": 1_000, "store": SEMANTIC, **more})


def judged(new: MemoryItem, *known: MemoryItem, policy: Policy | None = None, store: str = "auto") -> Verdict:
    """What the gate says, with the likeness that a store would find."""
    from reverie.gate.same_text import likeness

    near = [Near(one, likeness(new.text, one.text)) for one in known]
    return gate(WriteEvent(item=new, store=store), near, policy or Policy())
