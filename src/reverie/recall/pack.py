"""Ranked memories and a budget -> what is shown, never over the budget, with the reason for everything left out.

Greedy by score: adding each hit's neighbours costs 2 to 3 points of evidence, and spreading out changes nothing. Long
items are shown around their match, which leaves room for more.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from reverie.language.tokens import count_tokens
from reverie.recall.clip import clip
from reverie.recall.rank import LeftOut
from reverie.records import MemoryBundle, MemoryItem, Recalled

_CLIP_TOKENS = 120  # a long item is shown around its match: 3 points more evidence in 1,000 tokens
_PER_TYPE = 1  # items of each memory type that are packed before the rest, where there are any

# What one more memory costs beside those that are packed already: its text, its line's other words, a new heading.
Cost = Callable[[Recalled, Sequence[Recalled]], int]


def plain_cost(found: Recalled, _: Sequence[Recalled]) -> int:
    """The tokens of the text alone."""
    return count_tokens(found.shown)


def pack(
    ranked: Sequence[Recalled],
    budget_tokens: int,
    *,
    terms: Sequence[str] = (),
    cost: Cost = plain_cost,
    most: int | None = None,
    left_out: Sequence[tuple[str, str]] = (),
    question: str = "",
    tokenizer: Callable[[str], int] | None = None,
) -> MemoryBundle:
    """Fill the budget with the best, after the first few of each memory type. Long items are shown around `terms`.

    With a `tokenizer`, whose counts items do not know, `cost` should count by it, too.

    What repeats the question, or a better item of the same memory type, word for word says nothing and gets no room.
    """
    packed: list[Recalled] = []
    reasons: LeftOut = list(left_out)
    used = 0
    asked, said = _words(question), dict[tuple[str, ...], str]()
    for found in _in_turn(ranked, _PER_TYPE):
        least = 0 if tokenizer else _least_tokens(found.item, _CLIP_TOKENS)
        if used < budget_tokens < used + least:  # told without a look at its text, which takes most of the time
            reasons.append((found.item.id, f"no room: {least} tokens or more, {budget_tokens - used} left"))
            continue
        words = (found.item.store, *_words(found.item.text))
        if words[1:] == asked:
            reasons.append((found.item.id, "the question itself"))
            continue
        if words in said:
            reasons.append((found.item.id, f"the same words as {said[words]}"))
            continue
        if most is not None and len(packed) >= most:
            reasons.append((found.item.id, f"more than {most} were not asked for"))
            continue
        if used >= budget_tokens:
            reasons.append((found.item.id, f"no room: all {budget_tokens} tokens are used"))
            continue
        shown = replace(found, shown=_shown(found.item, terms, _CLIP_TOKENS, tokenizer))
        tokens = cost(shown, packed)
        if used + tokens > budget_tokens:
            reasons.append((found.item.id, f"no room: {tokens} tokens, {budget_tokens - used} left"))
            continue
        used += tokens
        said[words] = found.item.id
        packed.append(replace(shown, tokens=tokens))
    packed.sort(key=lambda found: (-found.score, found.item.id))
    return MemoryBundle(items=tuple(packed), tokens=used, budget_tokens=budget_tokens, left_out=tuple(reasons))


def _words(text: str) -> tuple[str, ...]:
    """Split a text into words without punctuation; signs inside a word count: 1.5 is not 15."""
    return tuple(word for one in text.casefold().split() if (word := one.strip("?!.,;:…¿¡()\"'")))


def _shown(item: MemoryItem, terms: Sequence[str], limit_tokens: int, tokenizer: Callable[[str], int] | None) -> str:
    is_short = 0 < item.tokens_estimate <= limit_tokens and not tokenizer
    return item.text if is_short else clip(item.text, terms, limit_tokens, tokenizer or count_tokens)


def _least_tokens(item: MemoryItem, limit_tokens: int) -> int:
    """Return the least tokens that showing an item takes, as far as that is known: a long one is clipped."""
    return item.tokens_estimate if item.tokens_estimate <= limit_tokens else 0


def _in_turn(ranked: Sequence[Recalled], per_type: int) -> list[Recalled]:
    """The first of each memory type, then the rest, each in the order of the ranking."""
    first: list[Recalled] = []
    rest: list[Recalled] = []
    taken: dict[str, int] = {}
    for found in ranked:
        number = taken.get(found.item.store, 0)
        taken[found.item.store] = number + 1
        # What is no nearer to the question than the middle of the field is no minimum worth keeping.
        (first if number < per_type and found.similarity > 0 else rest).append(found)
    return first + rest
