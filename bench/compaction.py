"""Compaction of real conversations: what it saves, and what can still be found.

Every LoCoMo-dev conversation is cut into threads and compacted. Then each answerable question is asked in four ways,
with a context of 2,000 tokens: of the raw turns; of the summaries alone; of the summaries' lines around the match; and
of the raw turns that the first summaries point at (one hop), ranked as before. A turn counts as shown if a sentence of
it stands in the context; how much of its words the summaries keep is a figure of its own. An answer is there if all its
words are.
"""

import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bench.conversations import DATA, Asking, corpus
from bench.table import Figure, NotMeasured, figures, progress
from reverie.embed import embedder_of
from reverie.env.real import RealEnv
from reverie.foundation.ids import fingerprint, ulid
from reverie.index import ItemIndex
from reverie.language.tokens import count_tokens
from reverie.language.words import words
from reverie.ports import Embedder
from reverie.records import ItemType, MemoryItem, ReadContext
from reverie.settings import EmbedSettings
from reverie.stores.compaction import compact
from reverie.stores.episodes import episodes_of
from reverie.stores.terms import stems
from reverie.stores.threads import threads_of

BUDGET_TOKENS = 2_000
HOPS = (5, 10, 15)  # summaries whose pointers are followed
JUDGED_HOPS = 10  # what a search gives by default

Rank = Callable[[Asking], list[str]]  # a question -> ids, best first
Retrieve = Callable[[Sequence[MemoryItem]], Rank]


def run(retrieve: Retrieve | None = None) -> dict[str, Any]:
    data = corpus("locomo-dev")
    if data is None:
        raise NotMeasured(f"no locomo-dev in {DATA}; CONTRIBUTING.md says where it comes from")
    search = retrieve or by_index(embedder_of(EmbedSettings(), RealEnv()))
    tally = Tally()
    for name, turns in data.turns.items():
        progress(name)
        asked = [question for question in data.questions if question.conversation == name]
        measure([replace(one, tokens_estimate=count_tokens(one.text)) for one in turns], asked, search, tally)
    return figures(*tally.figures())


def by_index(embedder: Embedder | None) -> Retrieve:
    """The index that we ship, without the formula."""

    def retrieve(items: Sequence[MemoryItem]) -> Rank:
        index = ItemIndex(embedder)
        vectors: list[bytes | None] = [None] * len(items)
        if embedder is not None:
            vectors = [row.tobytes() for row in embedder.embed([item.text for item in items]).astype("<f2")]
        index.put(items, vectors)

        def rank(question: Asking) -> list[str]:
            context = ReadContext(query_text=question.text, at_ms=question.at_ms)
            return [found.id for found in index.search(context, len(items))]

        return rank

    return retrieve


@dataclass
class Tally:
    """What was measured, over all conversations."""

    before: int = 0
    after: int = 0
    all_levels: int = 0
    grew: int = 0
    shown: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    answered: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))
    words_kept: list[float] = field(default_factory=list)

    def figures(self) -> Iterator[Figure]:
        yield Figure("tokens shown after compaction", 100 * self.after / self.before, "%", at_most=50)
        yield Figure("tokens of all three lengths", 100 * self.all_levels / self.before, "%", at_most=105)
        yield Figure("episodes that grew by more than 5 %", self.grew, "", at_most=0)
        yield Figure("evidence's words that the summaries keep", 100 * _mean(self.words_kept), "%")
        for name, shares in self.shown.items():
            yield Figure(f"evidence in {BUDGET_TOKENS} tokens, {name}", 100 * _mean(shares), "%")
        for name, answers in self.answered.items():
            yield Figure(f"answer's words there, {name}", 100 * _mean(answers), "%")
        for hops in HOPS:
            share = _mean(self.shown[_hop(hops)]) / _mean(self.shown["raw turns"])
            bar = 98 if hops == JUDGED_HOPS else None
            yield Figure(f"of what was reachable before, {_hop(hops)}", 100 * share, "%", at_least=bar)


def measure(turns: Sequence[MemoryItem], asked: Iterable[Asking], retrieve: Retrieve, tally: Tally) -> None:
    """Compact one conversation and ask everything about it."""
    by_id = {turn.id: turn for turn in turns}
    stored = compacted(turns, tally)
    raw_of = {summary.id: pointed for summary, pointed, _ in stored}
    lines_of = {summary.id: lines for summary, _, lines in stored}
    line_by_id = {line.id: line for lines in lines_of.values() for line in lines}
    # A summary is searched by what it stands for; that is what `sparse_terms` are kept for.
    searchable = [_with_terms(summary) for summary, _, _ in stored]
    rank_raw, rank_summaries, rank_lines = retrieve(turns), retrieve(searchable), retrieve(list(line_by_id.values()))
    quoted_of = {line.sources[0]: line.text for line in line_by_id.values() if line.sources}
    for question in asked:
        evidence = question.evidence
        for turn in sorted(evidence & by_id.keys()):
            meant = set(stems(by_id[turn].text))
            tally.words_kept.append(len(meant & set(stems(quoted_of.get(turn, "")))) / len(meant) if meant else 1.0)
        raw_ranked, best = rank_raw(question), rank_summaries(question)
        contexts = {
            "raw turns": pack([by_id[one] for one in raw_ranked]),
            "summaries alone": [
                line for one in pack([_whole(lines_of[name], name) for name in best]) for line in lines_of[one.id]
            ],
            "their lines around the match": pack([line_by_id[one] for one in rank_lines(question)]),
        }
        for hops in HOPS:
            reach = {turn for summary in best[:hops] for turn in raw_of[summary]}
            contexts[_hop(hops)] = pack([by_id[one] for one in raw_ranked if one in reach])
        for name, context in contexts.items():
            there = {turn for item in context for turn in (item.sources or (item.id,))}
            tally.shown[name].append(len(evidence & there) / len(evidence))
            said = set(words(" ".join(item.text for item in context)))
            tally.answered[name].append(set(words(question.answer)) <= said)


def compacted(turns: Sequence[MemoryItem], tally: Tally) -> list[tuple[MemoryItem, tuple[str, ...], list[MemoryItem]]]:
    """What is shown instead of the turns: summaries, what they point at, and their lines, each with its turn."""
    by_id = {turn.id: turn for turn in turns}
    shown = []
    for episode in episodes_of(threads_of(turns), [], derive_id):
        raw = [by_id[one] for one in episode.items]
        made = compact(episode, raw, derive_id)
        levels = sum(one.tokens_estimate for one in made.summaries) or made.tokens_before
        tally.before += made.tokens_before
        tally.after += made.tokens_after
        tally.all_levels += levels
        tally.grew += levels > 1.05 * made.tokens_before
        if made.summaries:
            shown.append((made.summaries[-1], made.hidden, _lines(made.summaries[-1])))
        else:
            shown += [(one, (one.id,), [one]) for one in raw]
    return shown


def _lines(summary: MemoryItem) -> list[MemoryItem]:
    """A summary's lines as items. Each quoted turn is one line, in order; lines that are only a day belong to none."""
    quoted = iter(summary.metadata["quoted"])
    lines, day = [], ""
    for number, text in enumerate(summary.text.splitlines()):
        if len(text) == 10 and text[4] == text[7] == "-":
            day = text
            continue
        source = next(quoted)
        line_id = f"{summary.id}/{number}"
        shown = f"{day} {text}"
        lines.append(
            MemoryItem(
                id=line_id,
                type=ItemType.SUMMARY,
                text=shown,
                created_ms=summary.created_ms,
                session=summary.session,
                sources=(source,),
                tokens_estimate=count_tokens(shown),
            )
        )
    assert next(quoted, None) is None, "a quoted turn without a line"
    return lines


def _whole(lines: Sequence[MemoryItem], name: str) -> MemoryItem:
    tokens = sum(count_tokens(line.text) for line in lines)
    return MemoryItem(id=name, type=ItemType.SUMMARY, text="", created_ms=0, tokens_estimate=tokens)


def _with_terms(summary: MemoryItem) -> MemoryItem:
    text = f"{summary.text} {' '.join(summary.sparse_terms)}"
    return replace(summary, text=text)


def pack(ranked: Iterable[MemoryItem]) -> list[MemoryItem]:
    """Best first while there is room; what does not fit is passed over."""
    packed, left = [], BUDGET_TOKENS
    for item in ranked:
        tokens = item.tokens_estimate or count_tokens(item.text)
        if tokens <= left:
            packed.append(item)
            left -= tokens
    return packed


def _hop(hops: int) -> str:
    return f"one hop from {hops} summaries"


def derive_id(time_ms: int, kind: str, sources: Sequence[str], ordinal: int) -> str:
    return ulid(time_ms, fingerprint(b"bench", kind, *sources, str(ordinal)))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


if __name__ == "__main__":
    from bench.table import show

    sys.exit(not show("compaction", run()))
