"""Threads -> episodes: threads that are about one matter are linked, and threads that are all linked are an episode.

The score is .3 keywords + .3 entities + .2 topic + .2 recency, and links above .7. A thread that opens with
"and on Thursday?" names nothing it could share, so the sum can never link it: such an opener is a signal of its own,
and points at the thread just before. Where a model votes, both opinions are recorded and the surer one decides; the
rules are as sure of a no as their score is far from 1.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from reverie.language.distinctions import numbers
from reverie.ports import DeriveId
from reverie.records import Episode, ItemType, Link, MemoryItem, Thread, Vote
from reverie.stores.terms import entities, stems
from reverie.stores.threads import in_order

_HOUR_MS = 3_600_000
LINK_ABOVE = 0.7  # score from which two threads are one matter: shared words and names alone give .6
_HALF_LIFE_HOURS = 24.0  # of the recency term: what was a day ago counts half
_LINK_DAYS = 14.0  # threads further apart are not compared: few matters rest that long, and each pair costs
_WEIGHTS = {"keyword": 0.3, "entity": 0.3, "topic": 0.2, "recency": 0.2}
_KEYWORDS = 12  # of a thread: what it says most often
_FEWEST = 3  # an overlap of one word out of one would be all of it
_SURE_OF_OPENER = 0.95  # it asks for something before it; that this is the thread just before is likely, not certain
_OPENER_WORDS = 12  # a longer opening says what it is about
_OPENER_CHARS = 200
_MOST_EPISODES = 8  # that one thread may begin; more is noise, and the number of groups can explode

_CONTINUES = re.compile(
    r"(?:and|but|or|also|then|so|what about|how about|same|ditto|likewise|the other|another one|still|again|instead|"
    r"und|aber|et|mais|y|pero|e se|auch|aussi|también)\b"
    r"|.{0,12}\bsame (?:for|with|as|thing|again|goes)\b|那|还有|然后|那么|じゃあ|それ|あと|그럼|그리고",
    re.IGNORECASE,
)
_POINTS_BACK = re.compile(
    r"\b(?:it|that|this|those|these|them|they|he|him|she|her|one|ones|there|then)\b|那个|这个|それ|その|그거",
    re.IGNORECASE,
)
_GREETING = re.compile(
    r"(?:\W*(?:hey|hi|hello|ok|okay|oh|well|um|thanks|please|hallo|bonjour|hola)\b)*\W*", re.IGNORECASE
)
_OWN_NOUN = re.compile(r"\b(?:the|a|an|my|our|your) \w{4,}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Matter:
    """The subject of a thread, as far as words tell."""

    thread: Thread
    keywords: frozenset[str]
    entities: frozenset[str]
    terms: Mapping[str, int]
    is_elliptical: bool


def matter(thread: Thread, items: Mapping[str, MemoryItem]) -> Matter:
    """Read a thread once, so that it can be compared with many."""
    texts = [items[item_id].text for item_id in thread.items if item_id in items]
    terms = Counter(term for text in texts for term in stems(text))
    common = sorted(terms, key=lambda term: (-terms[term], -len(term), term))[:_KEYWORDS]
    named = frozenset(name for text in texts for name in entities(text))
    opening = _opening(thread, items)
    return Matter(thread, frozenset(common), named, terms, is_elliptical(opening))


def is_elliptical(opening: str) -> bool:
    """Whether a message needs another one before it to mean anything.

    >>> [is_elliptical(text) for text in ("and on Thursday?", "same for the other one", "did she answer?", "why not?")]
    [True, True, True, True]
    >>> is_elliptical("Can you book the dentist for Tuesday? It hurts.")
    False
    """
    if len(opening) > _OPENER_CHARS:
        return False
    text = opening[_end_of_greeting(opening) :].strip()
    if not text or len(text.split()) > _OPENER_WORDS:
        return False
    if _CONTINUES.match(text):
        return True
    named = entities(text) or numbers(text) or _OWN_NOUN.search(text)
    if _POINTS_BACK.search(text) and not named:
        return True
    return text.endswith(("?", "？")) and len(stems(text)) <= 1 and not named


def score(older: Matter, newer: Matter, *, is_just_before: bool) -> dict[str, float]:
    """Score by each rule how likely two threads belong together."""
    gap_ms = max(newer.thread.started_ms - older.thread.ended_ms, 0)
    recency = 0.5 ** (gap_ms / (_HALF_LIFE_HOURS * _HOUR_MS))
    points_at_it = newer.is_elliptical and is_just_before and not newer.thread.explicit
    return {
        # Two talks about one thing share half of their frequent words at best: that counts in full.
        "keyword": min(2 * _overlap(older.keywords, newer.keywords), 1.0),
        "entity": _overlap(older.entities, newer.entities),
        "topic": _topic(older, newer),
        "recency": recency,
        "elliptical": _SURE_OF_OPENER * recency if points_at_it else 0.0,
    }


def link(
    older: Matter,
    newer: Matter,
    *,
    vote: Vote | None = None,
    is_just_before: bool = False,
) -> Link:
    """Whether two threads are about one matter. Both opinions are kept; the surer one decides, in a tie the rules."""
    parts = score(older, newer, is_just_before=is_just_before)
    total = max(sum(weight * parts[name] for name, weight in _WEIGHTS.items()), parts["elliptical"])
    linked, decided_by = total > LINK_ABOVE, "rules"
    if vote is not None and vote.linked != linked and vote.confidence > (total if linked else 1 - total):
        linked, decided_by = vote.linked, "model"
    return Link(
        older=older.thread.id,
        newer=newer.thread.id,
        score=round(total, 4),
        parts={name: round(value, 4) for name, value in parts.items()},
        vote=vote,
        linked=linked,
        decided_by=decided_by,
    )


def links_of(
    threads: Sequence[Thread],
    items: Mapping[str, MemoryItem],
    *,
    votes: Mapping[tuple[str, str], Vote] | None = None,
) -> list[Link]:
    """Every comparison that was made, linked or not. Votes are by (older id, newer id)."""
    ordered = sorted(threads, key=lambda thread: (thread.started_ms, thread.id))
    matters = [matter(thread, items) for thread in ordered]
    links: list[Link] = []
    for place, newer in enumerate(matters):
        before = [older for older in matters[:place] if _is_comparable(older.thread, newer.thread)]
        just_before = max(before, key=_nearness, default=None)
        for older in before:
            vote = (votes or {}).get((older.thread.id, newer.thread.id))
            links.append(link(older, newer, vote=vote, is_just_before=older is just_before))
    return links


def episodes_of(threads: Sequence[Thread], links: Sequence[Link], derive_id: DeriveId) -> list[Episode]:
    """Each largest group of threads that are all linked with each other; a thread without links is one alone."""
    ordered = sorted(threads, key=lambda thread: (thread.started_ms, thread.id))
    linked = {(one.older, one.newer) for one in links if one.linked}
    groups: list[tuple[str, ...]] = []
    for thread in ordered:
        groups = _with(thread.id, groups, linked)
    by_id = {thread.id: thread for thread in ordered}
    return [_episode([by_id[name] for name in group], derive_id) for group in groups]


def _with(new: str, groups: Sequence[tuple[str, ...]], linked: set[tuple[str, str]]) -> list[tuple[str, ...]]:
    """The groups once a thread has joined: those it is linked with throughout take it in, parts of others split off."""
    kept: list[tuple[str, ...]] = []
    joined: list[tuple[str, ...]] = []
    for group in groups:
        shared = tuple(name for name in group if (name, new) in linked)
        if shared != group:
            kept.append(group)
        if shared:
            joined.append((*shared, new))
    largest = sorted(set(joined), key=lambda group: (-len(group), group))
    whole = [one for place, one in enumerate(largest) if not any(set(one) < set(other) for other in largest[:place])]
    return kept + (whole[:_MOST_EPISODES] or [(new,)])


def _episode(threads: Sequence[Thread], derive_id: DeriveId) -> Episode:
    names = tuple(thread.id for thread in threads)
    ended_ms = max(thread.ended_ms for thread in threads)
    return Episode(
        id=derive_id(ended_ms, "episode", names, 0),
        threads=names,
        items=tuple(item for thread in threads for item in thread.items),
        started_ms=min(thread.started_ms for thread in threads),
        ended_ms=ended_ms,
    )


def _is_comparable(older: Thread, newer: Thread) -> bool:
    return older.user == newer.user and newer.started_ms - older.ended_ms <= _LINK_DAYS * 24 * _HOUR_MS


def _nearness(older: Matter) -> tuple[bool, int, str]:
    """Rank the threads that "and on Thursday?" may continue: first those that nobody chose, then the later one."""
    return not older.thread.explicit, older.thread.ended_ms, older.thread.id


def _overlap(ours: frozenset[str], theirs: frozenset[str]) -> float:
    """Return the share of the smaller set that is in the larger."""
    smaller = min(len(ours), len(theirs))
    return len(ours & theirs) / max(smaller, _FEWEST) if smaller else 0.0


def _topic(older: Matter, newer: Matter) -> float:
    """Cosine of the word counts: no embedder decides what is linked, so that another one changes nothing."""
    shared = sum(count * newer.terms.get(term, 0) for term, count in older.terms.items())
    lengths = sqrt(sum(n * n for n in older.terms.values()) * sum(n * n for n in newer.terms.values()))
    return shared / lengths if lengths else 0.0


def _opening(thread: Thread, items: Mapping[str, MemoryItem]) -> str:
    """The first thing that the person said in a thread."""
    ordered = in_order(items[item_id] for item_id in thread.items if item_id in items)
    said = [item for item in ordered if item.type is ItemType.USER_MESSAGE]
    return (said or ordered)[0].text if ordered else ""


def _end_of_greeting(text: str) -> int:
    found = _GREETING.match(text)
    return found.end() if found else 0
