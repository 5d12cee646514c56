"""Items that no longer fit -> one summary item that stands for them. Who summarises is handed in.

A summary is trusted no more than the least trusted of what it says, and it says how much it covers, so that it can be
found and removed when something in it is to be forgotten.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from reverie.foundation.chunks import first_sentence, head, tokens_of
from reverie.foundation.text import fair_shares
from reverie.language.tokens import count_tokens
from reverie.ports import DeriveId, StoreView
from reverie.records import ItemType, MemoryItem, Redaction, Source
from reverie.stores.eviction import reservoir

Summarise = Callable[[Sequence[MemoryItem], int], str]

_SOURCES = 64  # newest ones that a rolling summary names; the range that it covers is in its metadata
_LOOKED_AT = 5000  # newest items of a memory type that a summary of all of it draws from,
_SUMMARISED = 200  # and how many of them it tells of


def shorten(texts: Sequence[str], limit_tokens: int) -> str:
    """Texts in at most so many tokens: whole if they fit, else their first sentences, long ones cut.

    >>> shorten(["The build is red. Nobody knows why.", "It was the cache."], 10)
    'The build is red.\\nIt was the cache.'
    """
    if sum(map(count_tokens, texts)) <= limit_tokens:
        return "\n".join(text.strip() for text in texts if text.strip())
    lines = [first_sentence(text) for text in texts]
    shares = fair_shares([count_tokens(line) for line in lines], limit_tokens, limit_tokens)
    return "\n".join(short for line, share in zip(lines, shares, strict=True) if (short := head(line, share)))


def shorten_items(items: Sequence[MemoryItem], limit_tokens: int) -> str:
    """`shorten` as a summariser, for callers that have no better one."""
    return shorten([item.text for item in items], limit_tokens)


def fold(
    items: Sequence[MemoryItem],
    summary: MemoryItem | None,
    limit_tokens: int,
    summarise: Summarise,
    derive_id: DeriveId,
) -> MemoryItem:
    """The summary of what it said so far and of these items, oldest first. The first item gives it its id for good."""
    first, newest = items[0], items[-1]
    covered = [summary, *items] if summary else list(items)
    text = _within(summarise(covered, limit_tokens), limit_tokens)
    sources = [source for item in covered for source in item.sources or (item.id,)]
    is_whole = all(item.redaction_status is Redaction.NONE for item in covered)
    return MemoryItem(
        id=summary.id if summary else derive_id(first.created_ms, f"{first.store} summary", [first.id], 0),
        type=ItemType.SUMMARY,
        text=text,
        created_ms=max(item.created_ms for item in covered),
        store=newest.store,
        user=newest.user,
        project=newest.project,
        session=newest.session,
        agent=newest.agent,
        task=newest.task,
        tokens_estimate=count_tokens(text),
        importance=max(item.importance for item in covered),
        confidence=min(item.confidence for item in covered),
        source=Source.SYSTEM,
        trust=min(item.trust for item in covered),
        redaction_status=Redaction.NONE if is_whole else Redaction.PARTIAL,
        position=max(item.position for item in covered),
        step_index=max(item.step_index for item in covered),
        sources=tuple(dict.fromkeys(sources))[-_SOURCES:],
        metadata={
            "covers": sum(_covered_by(item) for item in covered),
            "first_ms": min(first_ms(item) for item in covered),
        },
    )


def is_folded(item: MemoryItem) -> bool:
    """Whether an item is a summary that `fold` made."""
    return item.type is ItemType.SUMMARY and "covers" in item.metadata


def first_ms(item: MemoryItem) -> int:
    """Return when that of which an item tells began."""
    began = item.metadata.get("first_ms")
    return began if isinstance(began, int) else item.created_ms


def _covered_by(item: MemoryItem) -> int:
    count = item.metadata.get("covers")
    return count if isinstance(count, int) else 1


def fitted(item: MemoryItem, limit_tokens: int, summarise: Summarise) -> MemoryItem:
    """An item that takes at most so many tokens. Its whole text is where it was copied from."""
    tokens = count_tokens(item.text)
    if tokens <= limit_tokens:
        return replace(item, tokens_estimate=tokens)
    text = _within(summarise([item], limit_tokens), limit_tokens)
    metadata = {**item.metadata, "shortened_from_tokens": tokens}
    return replace(item, text=text, tokens_estimate=count_tokens(text), checksum="", metadata=metadata)


def _within(text: str, limit_tokens: int) -> str:
    """Shorten a summary that is longer than was asked for."""
    return text if count_tokens(text) <= limit_tokens else shorten([text], limit_tokens)


def summary_of(view: StoreView, limit_tokens: int, summarise: Summarise) -> str:
    """A whole memory type in so many tokens. Of a long log, what is important has the better chance to be told."""
    items = reservoir(view.items(limit=_LOOKED_AT, newest_first=True)[::-1], _SUMMARISED, seed=0)
    return _within(summarise(items, limit_tokens), limit_tokens) if items else ""


def total_tokens(items: Sequence[MemoryItem]) -> int:
    return sum(tokens_of(item) for item in items)
