"""Items -> a summary of at most so many tokens: by rules (extractive), or by a model whose answer is checked.

By rules, sentences are quoted, not rewritten. Each next one is the sentence that adds most for its length: terms that
matter here and are not yet covered, and what people look for later (names, figures, dates, decisions, commands, files,
errors). They are shown in their order, under their day, with their speaker. So a summary is never wrong about what was
said, only incomplete; the raw items stay one hop away.
"""

import heapq
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import groupby
from math import log, pow

from reverie.errors import ModelError, OverBudget
from reverie.foundation.text import xml_attribute, xml_text
from reverie.language.tokens import count_tokens
from reverie.ports import Ask, Prompt
from reverie.records import MemoryItem
from reverie.stores.quotable import QuotableSentence, cut, day_of, sentences, speaker_of
from reverie.stores.threads import in_order

TOLERANCE = 1.05  # a model counts tokens by its own measure; further over is a text that was not asked for
_INPUT_TOKENS = 12_000  # of what a model is shown to summarise; more is simplified first
_SIMPLIFICATIONS = 3  # then the model is not asked
_AGAIN = 0.25  # what a term is worth when another chosen sentence has it already
_LENGTH = 0.75  # 1 would choose only short sentences, 0 only long ones
_SHORTEST = 8  # tokens: what is shorter ("Hey Jon!") is not better for it
_QUESTION = 0.5  # what a question is worth: it is the answer that tells
_CANDIDATES = 4_000  # sentences that are compared; of a larger pile, those with the most in them


def summary(items: Sequence[MemoryItem], limit_tokens: int) -> str:
    """The summary by rules; never over the limit, empty only if nothing was said or nothing fits."""
    return render(quotes(items, limit_tokens))


def quotes(items: Sequence[MemoryItem], limit_tokens: int) -> list[QuotableSentence]:
    """The sentences of the summary, in their order."""
    found = sentences(in_order(items))
    weights = _weights(found)
    if len(found) > _CANDIDATES:
        best = heapq.nlargest(_CANDIDATES, found, key=lambda one: (one.bonus + len(one.terms), -one.place, -one.number))
        found = sorted(best, key=lambda one: (one.place, one.number))
    chosen = _choose(found, weights, limit_tokens)
    if not chosen and found:
        chosen = _shortened(max(found, key=lambda one: (_worth(one, weights), -one.place)), limit_tokens)
    # A day is paid for once. Where the log's order is not the clock's it may have to be named again.
    while chosen and count_tokens(render(_as_said(chosen))) > limit_tokens:
        chosen.pop()
    return _as_said(chosen)


def _as_said(chosen: Sequence[QuotableSentence]) -> list[QuotableSentence]:
    return sorted(chosen, key=lambda one: (one.place, one.number))


def render(chosen: Sequence[QuotableSentence]) -> str:
    """Sentences as lines: a day, then who said what."""
    lines: list[str] = []
    day = ""
    for _, group in groupby(chosen, key=lambda one: one.place):
        said = list(group)
        if said[0].day != day:
            day = said[0].day
            lines += [day] if day else []
        speaker = f"{said[0].speaker}: " if said[0].speaker else ""
        lines.append(speaker + " ".join(one.text for one in said))
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Written:
    """A summary and who wrote it. `simplified` counts the steps by which the question had to be made smaller."""

    text: str
    by: str  # rules, or the model's name
    simplified: int = 0
    why: str = ""  # why the rules wrote it although a model was asked


def with_model(
    items: Sequence[MemoryItem],
    limit_tokens: int,
    ask: Ask,
    is_refusal: Callable[[str], bool],
    input_tokens: int = _INPUT_TOKENS,
) -> Written:
    """The summary by a model, or by rules if there is no usable answer, with the reason.

    Over a budget (`input_tokens`, or what `ask` is allowed to spend) the question is simplified in up to three steps;
    then the model is not asked. Nothing is cut silently: the prompt says what is left out.
    """
    ordered = in_order(items)
    why = f"the items do not fit into {input_tokens} tokens, not even simplified"
    for level in range(_SIMPLIFICATIONS + 1):
        prompt = _prompt(ordered, limit_tokens, level)
        if count_tokens(prompt.system) + count_tokens(prompt.user) > input_tokens:
            continue
        try:
            reply = ask(prompt)
        except OverBudget as error:
            why = str(error)
            continue
        except ModelError as error:
            why = str(error)
            break
        text = reply.text.strip()
        why = "the answer broke off at its limit" if reply.end == "limit" else _fault(text, limit_tokens, is_refusal)
        if not why:
            return Written(text, reply.model, simplified=level)
        break
    return Written(summary(ordered, limit_tokens), "rules", why=why)


def _fault(text: str, limit_tokens: int, is_refusal: Callable[[str], bool]) -> str:
    """Say what is wrong with an answer; "" if it can be used."""
    if not any(map(str.isalnum, text)):
        return "the answer is empty"
    if is_refusal(text):
        return "the answer is a refusal"
    if (tokens := count_tokens(text)) > limit_tokens * TOLERANCE:
        return f"the answer has {tokens} tokens, asked for were {limit_tokens}"
    return ""


def _prompt(items: Sequence[MemoryItem], limit_tokens: int, level: int) -> Prompt:
    shown = _simplified(items, level)
    if shown is None:
        body = [element(speaker_of(item), day_of(item.created_ms), item.text) for item in items]
    else:
        body = [element(one.speaker, one.day, one.text) for one in shown]
        before, after = sum(count_tokens(item.text) for item in items), sum(one.tokens for one in shown)
        body.append(f'<left_out tokens="{max(before - after, 0)}"/>')
    user = "\n".join(["<record>", *body, "</record>", f'<limit tokens="{limit_tokens}"/>'])
    return Prompt(prompt_file("summary.md"), user, max_output_tokens=limit_tokens + limit_tokens // 2)


def _simplified(items: Sequence[MemoryItem], level: int) -> list[QuotableSentence] | None:
    """Return what a model is shown at a level: everything, the telling lines, a long extract, a short one."""
    if level == 0:
        return None
    return sentences(items) if level == 1 else quotes(items, 6_000 if level == 2 else 2_000)


def element(speaker: str, day: str, text: str) -> str:
    """Something that was said, as a model is shown it."""
    attributes = "".join(f' {name}="{xml_attribute(value)}"' for name, value in (("by", speaker), ("on", day)) if value)
    return f"<said{attributes}>{xml_text(text)}</said>"


@cache
def prompt_file(name: str) -> str:
    """Read a prompt from its file."""
    return files("reverie.stores").joinpath("prompts", name).read_text(encoding="utf-8").strip()


def _weights(found: Sequence[QuotableSentence]) -> dict[str, float]:
    """Weigh each term: said more than once is a theme, said everywhere is a habit. About 1 on average."""
    spread = Counter(term for one in found for term in one.terms)
    weights = {term: (1 + log(count)) * log(1 + len(found) / count) for term, count in spread.items()}
    mean = sum(weights.values()) / len(weights) if weights else 1.0
    return {term: weight / (mean or 1.0) for term, weight in weights.items()}


def _worth(
    one: QuotableSentence, weights: Mapping[str, float], covered: frozenset[str] | set[str] = frozenset()
) -> float:
    fresh = sum(weights.get(term, 0.0) * (_AGAIN if term in covered else 1.0) for term in sorted(one.terms))
    if not (one.terms - covered) and (one.terms or not one.bonus):
        return 0.0
    worth = (fresh + one.bonus) / pow(max(one.tokens, _SHORTEST), _LENGTH)
    return worth * _QUESTION if one.is_question else worth


def _choose(
    found: Sequence[QuotableSentence], weights: Mapping[str, float], limit_tokens: int
) -> list[QuotableSentence]:
    """Greedy by worth for its length. Worth only falls as others are chosen, so only the top is computed again."""
    chosen: list[QuotableSentence] = []
    covered: set[str] = set()
    days: set[str] = set()
    quoted: set[str] = set()
    left = limit_tokens
    queue = [(-_worth(one, weights), place) for place, one in enumerate(found)]
    heapq.heapify(queue)
    while queue and left > 0:
        _, place = heapq.heappop(queue)
        one = found[place]
        worth = _worth(one, weights, covered)
        if worth <= 0:
            continue
        if queue and (-worth, place) > queue[0]:
            heapq.heappush(queue, (-worth, place))
            continue
        cost = one.tokens + _frame_tokens(one, days, quoted)
        if cost > left:
            continue
        chosen.append(one)
        covered |= one.terms
        days.add(one.day)
        quoted.add(one.item)
        left -= cost
    return chosen


def _frame_tokens(one: QuotableSentence, days: set[str], quoted: set[str]) -> int:
    """Count the tokens of the line around a sentence: its speaker and its day, once each."""
    speaker = count_tokens(f"{one.speaker}:") if one.speaker and one.item not in quoted else 0
    return speaker + (count_tokens(one.day) if one.day not in days else 0)


def _shortened(one: QuotableSentence, limit_tokens: int) -> list[QuotableSentence]:
    """The best sentence, cut to what fits with its speaker; or without the day; or not at all."""
    for day, speaker in ((one.day, one.speaker), ("", one.speaker), ("", "")):
        room = limit_tokens - count_tokens(day) - (count_tokens(f"{speaker}:") if speaker else 0)
        if text := cut(one.text, room):
            return [QuotableSentence(one.item, speaker, day, one.place, one.number, text)]
    return []
