"""The cache ledger: the blocks of one request and of the one before it in, what the provider's cache kept of it out.

The provider is simulated by its own rules. It keeps the prefix up to each breakpoint of a request for a few minutes,
and reads the longest one that the next request repeats byte for byte and that stands at most 20 blocks before one of
its breakpoints. What it does not read it bills. Of that, new messages and the tail are to be expected; the rest was
billed before, and is billed again because something in front of it changed: the ledger says what.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from reverie.records.conversation_values import Block, LedgerEntry
from reverie.window.blocks import group_of, section_of

FIRST = "first request"
_OUT_OF_REACH = "out of reach"


class TokenRates(Protocol):
    """Nanodollars per token, as `models` knows them."""

    @property
    def input(self) -> int: ...

    @property
    def cache_write(self) -> int: ...

    @property
    def cache_read(self) -> int: ...


@dataclass(frozen=True, slots=True)
class CacheRules:
    """The rules by which a provider caches."""

    minimum_tokens: int = 1024  # a shorter prefix is not cached
    lifetime_ms: int = 300_000  # since it was last used; the shortest that is sold
    look_back: int = 20  # blocks before a breakpoint in which an earlier one is looked for
    is_marked: bool = True  # False: no breakpoints, whatever prefix is repeated is kept (Chat Completions)


def compare(
    previous: LedgerEntry | None, entry: LedgerEntry, rates: TokenRates | None = None, rules: CacheRules | None = None
) -> LedgerEntry:
    """The entry with everything that follows from its blocks, its time and its model; `previous` is the one before."""
    rules = rules or CacheRules()
    blocks = entry.blocks
    kept, new, broken_by, cause = 0, _tokens(block for block in blocks if group_of(block) != "tail"), "", FIRST
    if previous is not None:
        lasting = _lasting(previous, entry)
        same = _common(previous.blocks, blocks)
        gone = _why_all_is_gone(previous, entry, rules)
        kept = 0 if gone else _read_from_cache(previous.blocks, blocks, same, rules)
        new = _tokens(_unknown(lasting, blocks, kept))
        broken_by = _broken_by(previous.blocks, blocks, same) if same < len(lasting) else ""
        changes = _changes(previous, entry, lasting) if broken_by else ""
        cause = "; ".join(why for why in (gone, changes) if why)
    tail = _tokens(block for block in blocks[kept:] if group_of(block) == "tail")
    kept_tokens = _tokens(blocks[:kept])
    rebilled = _tokens(blocks) - kept_tokens - new - tail
    if previous is not None and rebilled and not cause:
        cause = _why_missed(previous.blocks, _common(previous.blocks, blocks), rules)
    return replace(
        entry,
        kept_bytes=sum(block.size for block in blocks[:kept]),
        kept_tokens=kept_tokens,
        new_tokens=new,
        tail_tokens=tail,
        rebilled_tokens=rebilled,
        broken_by=broken_by,
        cause=cause,
        rebilled_nanodollars=rebilled * rates.cache_write if rates else 0,
        saved_nanodollars=kept_tokens * max(0, rates.input - rates.cache_read) if rates else 0,
    )


# ---- what the provider does


def _read_from_cache(old: Sequence[Block], new: Sequence[Block], same: int, rules: CacheRules) -> int:
    """Count the blocks that come from the cache."""
    if not rules.is_marked:
        return same if _tokens(new[:same]) >= rules.minimum_tokens else 0
    numbers, marks = _numbers(new), _marks(new)
    best = 0
    for place in _marks(old):
        if place > same or _tokens(old[:place]) < rules.minimum_tokens:
            continue
        if place < len(new) and numbers[place] == numbers[place - 1]:
            continue  # what ended here goes on now: for the provider it is another block
        if any(0 <= numbers[mark - 1] - numbers[place - 1] <= rules.look_back for mark in marks):
            best = max(best, place)
    return best


def _marks(blocks: Sequence[Block]) -> list[int]:
    """After how many blocks a breakpoint stands: see `render.breakpoints`."""
    ends = {group_of(block): place for place, block in enumerate(blocks, 1)}
    asked = [place for place, block in enumerate(blocks, 1) if group_of(block) == "history" and block.cached][-1:]
    begun = asked[0] if asked else 0
    turns = [place for place, block in enumerate(blocks, 1) if block.name == "history/user" and place < begun]
    is_loop = ends.get("history", 0) > begun
    places = [
        ends.get("tools", 0),
        ends.get("cached", 0),
        *([begun, ends["history"]] if is_loop else [*turns[-1:], begun]),
    ]
    return sorted({place for place in places if place})


def _numbers(blocks: Sequence[Block]) -> list[int]:
    """For each of our blocks, which of the provider's it is part of: the sections of one text are one."""
    numbers: list[int] = []
    group, number = "", -1
    for block in blocks:
        number += (fresh := group_of(block)) != group or fresh in ("tools", "history")
        group = fresh
        numbers.append(number)
    return numbers


# ---- what that means


def _lasting(previous: LedgerEntry, entry: LedgerEntry) -> tuple[Block, ...]:
    """The blocks of the previous request that this one ought to begin with: all, or all before a tail that is over."""
    blocks = previous.blocks
    tail = next((place for place, block in enumerate(blocks) if group_of(block) == "tail"), len(blocks))
    is_same_turn = (previous.continuum_id, previous.turn) == (entry.continuum_id, entry.turn)
    return blocks if is_same_turn else blocks[:tail]


def _common(old: Sequence[Block], new: Sequence[Block]) -> int:
    pairs = enumerate(zip(old, new, strict=False))
    differs = (place for place, (one, other) in pairs if not _is_same(one, other))
    return next(differs, min(len(old), len(new)))


def _is_same(one: Block, other: Block) -> bool:
    return one.address == other.address and group_of(one) == group_of(other)


def _unknown(lasting: Sequence[Block], blocks: Sequence[Block], kept: int) -> list[Block]:
    """The messages that the previous request did not have, or only behind its tail."""
    known = Counter(block.address for block in lasting if group_of(block) == "history")
    unknown = []
    for place, block in enumerate(blocks):
        if group_of(block) != "history":
            continue
        if known[block.address] > 0:
            known[block.address] -= 1
        elif place >= kept:
            unknown.append(block)
    return unknown


def _broken_by(old: Sequence[Block], new: Sequence[Block], same: int) -> str:
    """The name of what differs first: tools, a section, or the history."""
    differing = [*new[same : same + 1], *old[same : same + 1]]
    for group in ("tools", "cached", "system"):
        if names := [block.name for block in differing if group_of(block) == group]:
            # Where a section is gone, the next one stands in its place, and is not to blame.
            is_gone = names[-1] not in {block.name for block in new}
            return "tools" if group == "tools" else names[-1] if is_gone else names[0]
    return "history"


def _changes(previous: LedgerEntry, entry: LedgerEntry, lasting: Sequence[Block]) -> str:
    """Everything that changed in front of the tail, in words."""
    told = []
    for group, what, came, went in (
        ("tools", "tool", "loaded", "unloaded"),
        ("cached", "section", "appeared", "is gone"),
        ("system", "volatile section", "appeared", "is gone"),
    ):
        before, after = (_by_name(blocks, group) for blocks in (previous.blocks, entry.blocks))
        told += [f"{what} {name} {came}" for name in after if name not in before]
        told += [f"{what} {name} {went}" for name in before if name not in after]
        told += [f"{what} {name} changed" for name in after if before.get(name, after[name]) != after[name]]
    history, now = ([block for block in blocks if group_of(block) == "history"] for blocks in (lasting, entry.blocks))
    if _common(history, now) < len(history):
        told.append("history is new" if previous.segment_id != entry.segment_id else "history changed")
    words = ", ".join(told) or "the order changed"
    return f"segment collapsed: {words}" if previous.segment_id != entry.segment_id else words


def _by_name(blocks: Sequence[Block], group: str) -> dict[str, str]:
    return {section_of(block): block.address for block in blocks if group_of(block) == group}


def _why_all_is_gone(previous: LedgerEntry, entry: LedgerEntry, rules: CacheRules) -> str:
    if previous.model != entry.model:
        return f"model changed from {previous.model} to {entry.model}"
    silent_ms = entry.at_ms - previous.at_ms
    if silent_ms > rules.lifetime_ms:
        return f"expired: {silent_ms // 60_000} minutes since the last request"
    return ""


def _why_missed(old: Sequence[Block], same: int, rules: CacheRules) -> str:
    longest = max((_tokens(old[:place]) for place in _marks(old) if place <= same), default=0)
    if longest < rules.minimum_tokens:
        return f"too short: a prefix of {longest} tokens, and {rules.minimum_tokens} are the least that is cached"
    return f"{_OUT_OF_REACH}: more than {rules.look_back} blocks since the last breakpoint"


def _tokens(blocks: Iterable[Block]) -> int:
    return sum(block.tokens for block in blocks)


# ---- many requests


@dataclass(frozen=True, slots=True)
class Totals:
    """The cost of a conversation for the cache. `unavoidable` = new messages + tail + one write per named cause."""

    requests: int
    kept: int
    billed: int  # what was not kept: new, tail and re-billed
    rebilled: int
    unavoidable: int
    breaks: Mapping[str, int]  # how often the prefix broke, by cause
    rebilled_nanodollars: int
    saved_nanodollars: int

    @property
    def ratio(self) -> float:
        """Return the tokens billed for each token that had to be."""
        return self.billed / self.unavoidable if self.unavoidable else 1.0


def totals(entries: Sequence[LedgerEntry]) -> Totals:
    """The sum of a conversation's requests."""
    return Totals(
        requests=len(entries),
        kept=sum(entry.kept_tokens for entry in entries),
        billed=sum(billed(entry) for entry in entries),
        rebilled=sum(entry.rebilled_tokens for entry in entries),
        unavoidable=sum(unavoidable(entry) for entry in entries),
        breaks=Counter(entry.cause for entry in entries if entry.broken_by),
        rebilled_nanodollars=sum(entry.rebilled_nanodollars for entry in entries),
        saved_nanodollars=sum(entry.saved_nanodollars for entry in entries),
    )


def billed(entry: LedgerEntry) -> int:
    """The tokens of a request that the cache did not keep."""
    return entry.new_tokens + entry.tail_tokens + entry.rebilled_tokens


def unavoidable(entry: LedgerEntry) -> int:
    """Return the tokens that had to be billed for this request, however it is laid out.

    A change that somebody wanted (a document edited, a tool loaded, a segment collapsed) has to be written once, with
    all that stands behind it. A volatile section changes by itself: it has to be sent, and nothing had to stand
    behind it.
    """
    least = entry.new_tokens + entry.tail_tokens
    if entry.broken_by.startswith("system/") or entry.broken_by == "system":
        return least + min(entry.rebilled_tokens, _tokens([b for b in entry.blocks if group_of(b) == "system"]))
    return least if entry.cause.startswith(_OUT_OF_REACH) else least + entry.rebilled_tokens
