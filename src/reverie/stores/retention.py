"""An item and `RetentionSettings` -> its policy, and until when it is found.

Expiry takes an item out of retrieval and nothing else; the log keeps its source by a policy of its own.
"""

from collections.abc import Iterable
from dataclasses import fields
from difflib import get_close_matches
from math import exp

from reverie.errors import BadInput
from reverie.records import CONVERSATION, SEMANTIC, WORKING, ItemType, MemoryItem, Source
from reverie.settings import RetentionSettings

DAY_MS = 86_400_000
PINNED = "pinned"  # a tag: neither eviction nor age takes the item away
FOR_EVER = 0.0

# A policy is a name; its days are the setting of that name.
POLICIES = tuple(f.name.removesuffix("_days") for f in fields(RetentionSettings) if f.name.endswith("_days"))

_BY_TYPE = {
    ItemType.USER_MESSAGE: "conversation",
    ItemType.ASSISTANT_MESSAGE: "conversation",
    ItemType.TOOL_RESULT: "tool_results",
    ItemType.ACTION: "tool_results",
    ItemType.OBSERVATION: "observations",
    ItemType.METRIC: "observations",
    ItemType.ERROR: "errors",
    ItemType.THOUGHT: "working",
    ItemType.PLAN: "working",
}


def policy_of(item: MemoryItem) -> str:
    """The policy that an item names, or else the one for its place and type."""
    if item.retention:
        if item.retention not in POLICIES:
            near = get_close_matches(item.retention, POLICIES, n=1, cutoff=0.4)
            hint = f'did you mean "{near[0]}"?' if near else f"known are {', '.join(POLICIES)}"
            raise BadInput(f'no retention policy "{item.retention}"; {hint}')
        return item.retention
    if item.store == WORKING:
        return "working"
    if item.store == SEMANTIC:
        return "knowledge"  # whatever it was called: it was found worth knowing
    if item.store == CONVERSATION:
        return "conversation"
    policy = _BY_TYPE.get(item.type, "knowledge")
    # What a person reported is theirs: it is not a passing state that some tool saw.
    return "user" if item.source is Source.USER and policy in ("observations", "errors") else policy


def expires_ms(item: MemoryItem, settings: RetentionSettings) -> int | None:
    """Return when an item leaves retrieval; None for never. A time to live of its own wins where it is shorter."""
    days: float = getattr(settings, f"{policy_of(item)}_days")
    is_kept = days <= FOR_EVER or PINNED in item.tags
    ends = [] if is_kept else [item.created_ms + int(days * DAY_MS)]
    if item.ttl_ms is not None:
        ends.append(item.created_ms + item.ttl_ms)
    return min(ends, default=None)


def expired(items: Iterable[MemoryItem], settings: RetentionSettings, now_ms: int) -> list[MemoryItem]:
    """Those whose time is over."""
    return [item for item in items if (end := expires_ms(item, settings)) is not None and end <= now_ms]


def decay(age_ms: float, per_day: float) -> float:
    """The weight of something that old: w(t) = exp(-lambda t), and 1 for what a wrong clock put in the future.

    >>> round(decay(16 * DAY_MS, 0.0432), 2)
    0.5
    """
    return exp(-per_day * max(age_ms, 0.0) / DAY_MS)
