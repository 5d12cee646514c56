"""An episode -> summaries at three lengths, with pointers to the raw items they stand for.

Compaction hides, it never removes: each summary is linked to every raw item ("summary_of"), and following the links
brings back everything. The longest summary takes the raw items' place in recall; the two shorter ones are there for
whoever asks for them, and are not recalled by themselves, so that nothing is shown twice. The words of the hidden items
stay on the summaries (`sparse_terms`), so that a summary is found by what it leaves out, too.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from reverie.foundation.as_json import listed
from reverie.foundation.chunks import tokens_of
from reverie.language.tokens import count_tokens
from reverie.ports import DeriveId
from reverie.records import EPISODIC, JSON, Episode, ItemType, Lifecycle, MemoryItem, Source, Thread
from reverie.stores.summaries import TOLERANCE, Written, quotes, render
from reverie.stores.terms import stems
from reverie.stores.threads import THREAD_MS, in_order

SUMMARY_OF = "summary_of"
LEVELS = ("short", "medium", "long")

Write = Callable[[Sequence[MemoryItem], int], Written]  # items and a limit -> a summary, as `with_model` writes it

_HOUR_MS = 3_600_000
# A thread that still runs is compacted after so many turns, hours or tokens: what a person reads again in one go.
_TURNS, _HOURS, _TOKENS = 50, 24, 8_000
_LEAST_TOKENS = 200  # what is shorter is read as fast as its summary would be
# The three lengths of a summary: a line in a list, a paragraph, and what stands for the raw items in recall.
_SHORT_TOKENS, _MEDIUM_TOKENS, _LONG_TOKENS = 100, 500, 1_000
_KEPT_SHARE = 0.48  # of the raw tokens, at most, for the longest summary: compaction must at least halve


@dataclass(frozen=True, slots=True)
class ThreadState:
    """The figures that decide whether a thread is compacted: what has come in since it last was."""

    thread: Thread
    turns: int  # since the last compaction; likewise the next two
    tokens: int
    since_ms: int
    is_ended: bool = False
    is_asked_for: bool = False


@dataclass(frozen=True, slots=True)
class Limits:
    """The most tokens that the three summaries may have."""

    short: int
    medium: int
    long: int


@dataclass(frozen=True, slots=True)
class ItemLink:
    """A pointer from one item to another, by its kind."""

    source: str
    target: str
    kind: str


@dataclass(frozen=True, slots=True)
class Compacted:
    """A proposed compaction: items and links to write, raw items to hide. All empty: it is not worth it."""

    summaries: tuple[MemoryItem, ...] = ()  # short, medium, long
    links: tuple[ItemLink, ...] = ()
    hidden: tuple[str, ...] = ()
    tokens_before: int = 0
    tokens_after: int = 0  # of what is shown


def due(state: ThreadState, now_ms: int) -> str:
    """Why a thread should be compacted now, or nothing."""
    if state.is_asked_for:
        return "asked for"
    if state.tokens <= 0:
        return ""
    silent_ms = now_ms - state.thread.ended_ms
    if state.is_ended or (not state.thread.explicit and silent_ms > THREAD_MS):
        return "thread ended"
    if state.turns >= _TURNS:
        return f"{state.turns} turns"
    if state.tokens >= _TOKENS:
        return f"{state.tokens} tokens"
    if now_ms - state.since_ms >= _HOURS * _HOUR_MS:
        return f"{_HOURS} hours"
    return ""


def limits_for(raw_tokens: int) -> Limits:
    """The usual lengths; of a short episode shares of it, so that all three together are less than it."""
    long = int(min(_LONG_TOKENS, raw_tokens * _KEPT_SHARE))
    return Limits(
        short=min(_SHORT_TOKENS, long // 4),
        medium=min(_MEDIUM_TOKENS, long // 2),
        long=long,
    )


def compact(
    episode: Episode,
    items: Sequence[MemoryItem],
    derive_id: DeriveId,
    write: Write | None = None,
    known: Mapping[str, MemoryItem] | None = None,
) -> Compacted:
    """Summaries for an episode's items, by rules unless `write` is given. What is too short to gain stays as it is.

    A summary by rules that is `known` under its id, which names the items that it tells of, need not be made again.
    """
    raw = [item for item in in_order(items) if item.is_current and item.type is not ItemType.SUMMARY]
    before = sum(map(tokens_of, raw))
    if not raw or before < _LEAST_TOKENS:
        return Compacted(tokens_before=before, tokens_after=before)
    limits = limits_for(before)
    summaries = tuple(
        _summary_item(episode, raw, level, limit, derive_id, write, known or {})
        for level, limit in zip(LEVELS, (limits.short, limits.medium, limits.long), strict=True)
    )
    after = summaries[-1].tokens_estimate
    if not summaries[-1].text or after > before * TOLERANCE:
        return Compacted(tokens_before=before, tokens_after=before)
    return Compacted(
        summaries=summaries,
        links=tuple(ItemLink(one.id, item.id, SUMMARY_OF) for one in summaries for item in raw),
        hidden=tuple(item.id for item in raw),
        tokens_before=before,
        tokens_after=after,
    )


def _summary_item(
    episode: Episode,
    raw: Sequence[MemoryItem],
    level: str,
    limit_tokens: int,
    derive_id: DeriveId,
    write: Write | None,
    known: Mapping[str, MemoryItem],
) -> MemoryItem:
    newest = max(raw, key=lambda item: (item.created_ms, item.id))
    ids = tuple(item.id for item in raw)
    summary_id = derive_id(newest.created_ms, f"summary {level}", (episode.id, *ids), LEVELS.index(level))
    written = write(raw, limit_tokens) if write is not None else Written("", "rules")
    by_rules = (_told(known.get(summary_id)) or _quoted(raw, limit_tokens)) if written.by == "rules" else None
    text, quoted = by_rules or (written.text, [])
    return MemoryItem(
        id=summary_id,
        type=ItemType.SUMMARY,
        text=text,
        created_ms=newest.created_ms,
        store=EPISODIC,
        user=newest.user,
        project=_common({item.project for item in raw}),
        session=_common({item.session for item in raw}),
        episode=episode.id,
        tokens_estimate=count_tokens(text),
        importance=max(item.importance for item in raw),
        source=Source.SYSTEM if written.by == "rules" else Source.MODEL,
        trust=min(item.trust for item in raw),
        lifecycle=Lifecycle.CONSOLIDATED if level == LEVELS[-1] else Lifecycle.ARCHIVED,
        tags=("compaction", level),
        metadata={
            "level": level,
            "by": written.by,
            "why": written.why,  # why not by a model, where one was asked
            "simplified": written.simplified,
            "quoted": quoted,
        },
        checksum=sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
        position=max(item.position for item in raw),
        sources=tuple(dict.fromkeys(source for item in raw for source in (item.sources or (item.id,)))),
        sparse_terms=tuple(sorted({term for item in raw for term in stems(item.text)})),
    )


def _quoted(raw: Sequence[MemoryItem], limit_tokens: int) -> tuple[str, list[JSON]]:
    """A summary by rules, and the items that it quotes."""
    quoted = quotes(raw, limit_tokens)
    return render(quoted), list(dict.fromkeys(one.item for one in quoted))


def _told(known: MemoryItem | None) -> tuple[str, list[JSON]] | None:
    if known is None or known.metadata.get("by") != "rules":
        return None
    return known.text, listed(known.metadata.get("quoted"))


def _common(values: set[str]) -> str:
    return values.pop() if len(values) == 1 else ""
