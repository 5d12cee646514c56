"""A long text -> the sentences of it that a question is about, in their order, within so many tokens."""

import re
from collections import Counter
from collections.abc import Callable, Sequence

from reverie.language.tokens import count_tokens
from reverie.language.words import words

_SENTENCE = re.compile(r"[^.!?。！？\n]*(?:[.!?。！？]+(?=\s|$|[^\x00-\x7f])|\n|[.!?。！？]|$)")
_GAP = " … "
_MAX_CHARS = 100_000  # that are looked at; longer texts are stored in chunks anyway


def clip(text: str, terms: Sequence[str], limit_tokens: int, count: Callable[[str], int] = count_tokens) -> str:
    """At most `limit_tokens` of a text, around the words that are asked for; the whole if it is short enough.

    >>> clip("The sky is grey. My cat is called Tom. It rained all day.", ["cat"], 9)
    '… My cat is called Tom. …'
    """
    if len(text) <= limit_tokens or (count(text[:_MAX_CHARS]) <= limit_tokens and len(text) <= _MAX_CHARS):
        return text
    sentences = [piece for piece in _SENTENCE.findall(text[:_MAX_CHARS]) if piece]
    costs = [count(sentence) + 1 for sentence in sentences]
    kept: set[int] = set()
    left = limit_tokens - 2
    for at in _order(sentences, terms):
        if costs[at] <= left:
            kept.add(at)
            left -= costs[at]
        elif not kept:
            return _hard(sentences[at], limit_tokens, count)
        if left <= 0:
            break
    return _joined(sentences, kept, len(text) > _MAX_CHARS)


def _order(sentences: Sequence[str], terms: Sequence[str]) -> list[int]:
    """Sentences by what they have of the question; among equals, those next to the best one first."""
    wanted = set(terms)
    found = [wanted.intersection(words(sentence)) for sentence in sentences]
    often = Counter(term for terms_here in found for term in terms_here)
    worth = [sum(1 / often[term] for term in sorted(terms_here)) for terms_here in found]
    best = max(range(len(sentences)), key=lambda at: (worth[at], -at), default=0)
    # A sentence is understood by what stands around it: half the worth of the neighbours counts as its own.
    around = [
        worth[at] + 0.5 * max(worth[at - 1] if at else 0.0, worth[at + 1] if at + 1 < len(worth) else 0.0)
        for at in range(len(worth))
    ]
    return sorted(range(len(sentences)), key=lambda at: (at != best, -round(around[at], 6), abs(at - best), at))


def _joined(sentences: Sequence[str], kept: set[int], more: bool) -> str:
    shown = ""
    last = -1
    for at in sorted(kept):
        shown = shown.rstrip() + _GAP + sentences[at].lstrip() if at > last + 1 else shown + sentences[at]
        last = at
    ends_early = more or any(sentence.strip() for sentence in sentences[last + 1 :])
    return shown.strip() + (" …" if ends_early else "")


def _hard(sentence: str, limit_tokens: int, count: Callable[[str], int]) -> str:
    """The beginning of a sentence that is too long by itself."""
    low, high = 0, len(sentence)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count(sentence[:middle]) < limit_tokens - 1 else (low, middle - 1)
    return sentence[:low].strip() + " …"
