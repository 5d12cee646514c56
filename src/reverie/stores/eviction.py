"""Items and a budget -> the ids of the items to evict.

Greedy by utility density: of a token budget, a long item of little use is given up before a short one of the same use.
For long logs there is also a sample in which important items are likelier.
"""

from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from math import exp, log

from reverie.foundation.chunks import tokens_of
from reverie.records import GoalStatus, ItemType, MemoryItem
from reverie.stores.retention import PINNED, decay

# Each use makes the next one a little less telling: 0.18 unused, 0.63 after four uses, 0.89 after ten.
_PER_USE = 0.2
_DECAY_PER_DAY = 0.0432  # lambda of w(t) = exp(-lambda t): half after 16 days without use
_LEAST_WEIGHT = 0.01  # of an item without importance in a sample: unlikely, not impossible

Protect = Callable[[MemoryItem], bool]


def utility(item: MemoryItem, now_ms: int) -> float:
    """Score the worth of an item now: importance, faded since its last use, more for what was used often."""
    last_ms = max(item.created_ms, item.accessed_ms or 0)
    used = 1 - exp(-_PER_USE * (item.access_count + 1))
    return item.importance * decay(now_ms - last_ms, _DECAY_PER_DAY) * used


def is_held(item: MemoryItem) -> bool:
    """Whether an item is never evicted: it is pinned, or a goal that is still open."""
    if PINNED in item.tags:
        return True
    return item.type is ItemType.GOAL and item.metadata.get("status") not in (GoalStatus.DONE, GoalStatus.DROPPED)


def evict(
    items: Sequence[MemoryItem],
    *,
    now_ms: int,
    max_items: int | None = None,
    max_tokens: int | None = None,
    protect: Protect = lambda _: False,
) -> list[str]:
    """The ids of those that must go, in the order in which they were given up.

    Protected items go only when nothing else is left, held ones never: a budget smaller than these is not kept.
    """
    room = _Room(len(items) if max_items is None else max_items, max_tokens, list(items))
    worth = {item.id: utility(item, now_ms) for item in items}
    gone: list[str] = []
    for tier in (False, True):
        gone += _give_up([item for item in items if not is_held(item) and bool(protect(item)) is tier], room, worth)
    return gone


class _Room:
    """The room that is left while items go and come back."""

    def __init__(self, max_items: int, max_tokens: int | None, items: Sequence[MemoryItem]) -> None:
        self.max_items, self.max_tokens = max_items, max_tokens
        self.items, self.tokens = len(items), sum(tokens_of(item) for item in items)

    def lacks_tokens(self) -> bool:
        return self.max_tokens is not None and self.tokens > self.max_tokens

    def lacks_items(self) -> bool:
        return self.items > self.max_items

    def change(self, item: MemoryItem, sign: int) -> None:
        self.items += sign
        self.tokens += sign * tokens_of(item)


def _give_up(items: Sequence[MemoryItem], room: _Room, worth: Mapping[str, float]) -> list[str]:
    """Return the items to evict so that the rest fits the budget; all of them if nothing fits."""
    gone: dict[str, MemoryItem] = {}
    # Only tokens make a long item dearer; where items are counted, they all take the same room.
    by_density = sorted(items, key=lambda item: (worth[item.id] / max(1, tokens_of(item)), item.position, item.id))
    by_worth = sorted(items, key=lambda item: (worth[item.id], item.position, item.id))
    for order, is_short in ((by_density, room.lacks_tokens), (by_worth, room.lacks_items)):
        for item in order:
            if not is_short():
                break
            if item.id not in gone:
                gone[item.id] = item
                room.change(item, -1)
    # The last one to go may have been long: then some of the short ones before it need not have gone.
    for item in sorted(gone.values(), key=lambda item: (-worth[item.id], item.position, item.id)):
        room.change(item, +1)
        if room.lacks_tokens() or room.lacks_items():
            room.change(item, -1)
        else:
            del gone[item.id]
    return list(gone)


def reservoir(items: Sequence[MemoryItem], size: int, seed: int) -> list[MemoryItem]:
    """A sample in which an item's chance follows its importance, in the order of the items.

    Weighted reservoir sampling (A-ES): each item draws u between 0 and 1 and keeps the key u^(1/weight); the largest
    keys stay. Here u is a hash of seed and id instead of the next number of a generator, so the sample depends neither
    on the order of the items nor on which of them were seen in an earlier run, and a rebuild draws it again.
    """
    ranked = sorted(items, key=lambda item: (-_key(item, seed), item.id))
    chosen = {item.id for item in ranked[: max(0, size)]}
    return [item for item in items if item.id in chosen]


def _key(item: MemoryItem, seed: int) -> float:
    digest = blake2b(f"{seed}:{item.id}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
    chance = (int.from_bytes(digest, "big") + 1) / 2.0**64  # never 0, whose logarithm there is none of
    return log(chance) / max(item.importance, _LEAST_WEIGHT)  # orders like u^(1/weight), and does not run out of digits
