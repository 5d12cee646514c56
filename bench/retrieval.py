"""How well recall finds: LoCoMo-dev and LongMemEval-dev, by set and category, beside plain FTS5 and vectors alone.

`Ranker` is the one place where turns go in and answers come out; each method is one of them. The formula is measured
through the public API, with what the rules learned on the way beside the turns themselves.
"""

import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import log2
from pathlib import Path
from typing import Any, Protocol

import apsw
import numpy as np

from bench.conversations import DATA, Asking, Corpus, corpus
from bench.table import Figure, NotMeasured, figures, progress
from reverie.embed import embedder_of
from reverie.env.real import RealEnv
from reverie.index import ItemIndex
from reverie.language.words import question_terms
from reverie.memory import Memory
from reverie.pipeline.lookup import given_ids
from reverie.ports import Embedder
from reverie.recall import pack
from reverie.records import Candidate, MemoryItem, ReadContext, Recalled
from reverie.settings import EmbedSettings, RecallSettings, Settings

BUDGETS = (1000, 2000, 4000)
_FIRST = 100
SETTINGS = RecallSettings()
WITHOUT_FLOOR = replace(Settings(), recall=RecallSettings(floor=0.0))


class Ranker(Protocol):
    """One user's memory by one method."""

    def add(self, items: Sequence[MemoryItem], vectors: Sequence[bytes]) -> None: ...

    def ask(self, question: Asking) -> list[Recalled]:
        """The first twenty or more, best first."""
        ...


def _in_order(items: Sequence[MemoryItem]) -> list[Recalled]:
    """A ranking that knows nothing of the formula."""
    return [
        Recalled(item=item, score=-place, similarity=1.0, recency=1.0, importance=1.0, duplication=0.0)
        for place, item in enumerate(items)
    ]


class Fts5:
    """Plain FTS5: porter, every word of the question or-ed, bm25."""

    def __init__(self, _: Embedder) -> None:
        self._database = apsw.Connection(":memory:")
        self._database.execute("create virtual table turns using fts5(text, tokenize='porter unicode61')")
        self._items: list[MemoryItem] = []

    def add(self, items: Sequence[MemoryItem], vectors: Sequence[bytes]) -> None:
        rows = [(len(self._items) + place, item.text) for place, item in enumerate(items)]
        self._database.executemany("insert into turns(rowid, text) values (?, ?)", rows)
        self._items += items

    def ask(self, question: Asking) -> list[Recalled]:
        words = "".join(letter if letter.isalnum() else " " for letter in question.text).split()
        match = " OR ".join(f'"{word}"' for word in words)
        rows = self._database.execute("select rowid from turns(?) order by rank, rowid limit ?", (match, _FIRST))
        return _in_order([self._items[row] for (row,) in rows])


class VectorsAlone:
    """Static vectors, cosine from the middle of them all."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._items: list[MemoryItem] = []
        self._matrix = np.zeros((0, embedder.dimensions), dtype=np.float32)

    def add(self, items: Sequence[MemoryItem], vectors: Sequence[bytes]) -> None:
        more = np.frombuffer(b"".join(vectors), dtype="<f2").astype(np.float32).reshape(len(items), -1)
        self._matrix = np.concatenate((self._matrix, more))
        self._items += items

    def ask(self, question: Asking) -> list[Recalled]:
        mean = self._matrix.mean(axis=0)
        centred = self._matrix - mean
        lengths = np.sqrt((centred**2).sum(axis=1))
        asked = self._embedder.embed([question.text])[0] - mean
        order = np.argsort(-(centred @ asked) / np.maximum(lengths, 1e-9), kind="stable")[:_FIRST]
        return _in_order([self._items[row] for row in order.tolist()])


class Recipe:
    """Our index by itself, without the formula."""

    def __init__(self, embedder: Embedder | None) -> None:
        self._index = ItemIndex(embedder)
        self._items: dict[str, MemoryItem] = {}

    def add(self, items: Sequence[MemoryItem], vectors: Sequence[bytes]) -> None:
        self._index.put(items, vectors)
        self._items.update((item.id, item) for item in items)

    def candidates(self, question: Asking) -> list[Candidate]:
        context = ReadContext(query_text=question.text, at_ms=question.at_ms)
        found = self._index.search(context, _FIRST)
        return [Candidate(item=self._items[each.id], score=each.score, parts=each.parts) for each in found]

    def ask(self, question: Asking) -> list[Recalled]:
        return _in_order([candidate.item for candidate in self.candidates(question)])


class PublicApi:
    """What a program gets: observe, distil, search and assemble_context, without the floor and without a key."""

    def __init__(self, _: Embedder) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._memory = Memory.open(Path(self._folder.name) / "home", settings=WITHOUT_FLOOR)
        self._items: dict[str, MemoryItem] = {}

    def add(self, items: Sequence[MemoryItem], vectors: Sequence[bytes]) -> None:
        self._memory.observe(
            {"id": item.id, "text": item.text, "kind": item.type.value, "speaker": item.speaker,
             "session": item.session, "time": item.created_ms}
            for item in items
        )  # fmt: skip
        for session in {item.session for item in items}:
            self._memory.engine.log.close_turn(session)
        self._memory.parts.background.distil()
        self._memory.maintenance.refresh_index()
        self._items.update((item.id, item) for item in items)

    def ask(self, question: Asking) -> list[Recalled]:
        hits = self._memory.search(question.text, limit=20, at=question.at_ms)
        return _in_order([self._items[turn] for hit in hits for turn in hit.given_ids[:1]])

    def packed(self, question: Asking, budget: int) -> set[str]:
        found = self._memory.assemble_context(question.text, budget, at=question.at_ms)
        self._memory.commit()
        given = given_ids(self._memory.parts.store, [one.item for one in found.items])
        return {turn for turns in given for turn in turns}


METHODS: dict[str, Callable[[Embedder], Ranker]] = {
    "plain FTS5": Fts5,
    "vectors alone": VectorsAlone,
    "recipe bare": Recipe,
    "formula": PublicApi,
}
MEASURES = ("hit@5", "hit@10", "hit@20", "recall@10", "full@10", "nDCG@10")


@dataclass
class Scores:
    """Sums over questions, by category; "all" is every question."""

    sums: dict[str, dict[str, float]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(float)))
    counts: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def add(self, category: str, measured: dict[str, float]) -> None:
        for name in (category, "all"):
            self.counts[name] += 1
            for measure, value in measured.items():
                self.sums[name][measure] += value

    def of(self, category: str, measure: str) -> float:
        return 100 * self.sums[category][measure] / max(1, self.counts[category])


def measured(ranked: Sequence[str], evidence: frozenset[str]) -> dict[str, float]:
    """What one ranking is worth for one question."""
    found = [place for place, item_id in enumerate(ranked) if item_id in evidence]
    in_ten = sum(place < 10 for place in found)
    gain = sum(1 / log2(place + 2) for place in found if place < 10)
    ideal = sum(1 / log2(place + 2) for place in range(min(10, len(evidence))))
    hits = {f"hit@{depth}": float(any(place < depth for place in found)) for depth in (5, 10, 20)}
    share = in_ten / len(evidence)
    return {**hits, "recall@10": share, "full@10": float(share == 1), "nDCG@10": gain / ideal}


@dataclass(frozen=True)
class _User:
    """One memory: batches of turns with their vectors, and the questions that are asked of it."""

    turns: list[tuple[list[MemoryItem], list[bytes]]]
    questions: list[Asking]


def score(method: Callable[[Embedder], Ranker], users: Iterable[_User], embedder: Embedder, *, packing: bool) -> Scores:
    """Ask one method every question of every user."""
    scores = Scores()
    for user in users:
        ranker = method(embedder)
        for items, vectors in user.turns:
            ranker.add(items, vectors)
        for question in user.questions:
            ranked = ranker.ask(question)
            told = measured([found.item.id for found in ranked], question.evidence)
            terms = question_terms(question.text)
            for budget in BUDGETS if packing else ():
                if isinstance(ranker, PublicApi):
                    shown = ranker.packed(question, budget)
                else:
                    shown = {found.item.id for found in pack(ranked, budget, terms=terms).items}
                told[f"in {budget} tokens"] = len(question.evidence & shown) / len(question.evidence)
            scores.add(question.category, told)
    return scores


def _users(data: Corpus, vectors: dict[str, list[bytes]]) -> list[_User]:
    asked: dict[str, list[Asking]] = defaultdict(list)
    for question in data.questions:
        asked[question.conversation].append(question)
    return [_User([(data.turns[name], vectors[name])], questions) for name, questions in asked.items()]


def _embedded(data: Corpus, embedder: Embedder) -> dict[str, list[bytes]]:
    return {
        name: [row.tobytes() for row in embedder.embed([item.text for item in items]).astype("<f2")]
        for name, items in data.turns.items()
    }


def _print(title: str, scores: dict[str, Scores], *, by_category: str | None) -> None:
    budgets = [f"in {budget} tokens" for budget in BUDGETS]
    measures = [*MEASURES, *(name for name in budgets if name in next(iter(scores.values())).sums["all"])]
    print(f"\n{title}\n  {'':<34}" + "".join(f"{name.replace(' tokens', ''):>10}" for name in measures))
    rows = [(name, found, "all") for name, found in scores.items()]
    if by_category:
        categories = sorted(set(scores[by_category].counts) - {"all"})
        rows += [(f"{by_category}: {category}", scores[by_category], category) for category in categories]
    for name, found, category in rows:
        cells = "".join(f"{found.of(category, measure):>10.1f}" for measure in measures)
        print(f"  {f'{name} ({found.counts[category]})':<34}" + cells)


def run() -> dict[str, Any]:
    sets = [data for name in ("locomo-dev", "longmemeval-dev") if (data := corpus(name))]
    if len(sets) < 2:
        raise NotMeasured(f"no locomo-dev and longmemeval-dev in {DATA}; CONTRIBUTING.md says where they come from")
    embedder = embedder_of(EmbedSettings(), RealEnv())
    assert embedder is not None
    found: list[Figure] = []
    vectors = {}
    for data, (hit, recall) in zip(sets, ((84, 77), (95, 89)), strict=True):
        progress(f"{data.name}: {sum(map(len, data.turns.values()))} turns, {len(data.questions)} questions")
        vectors[data.name] = _embedded(data, embedder)
        users = _users(data, vectors[data.name])
        scores = {name: score(method, users, embedder, packing=True) for name, method in METHODS.items()}
        _print(data.name, scores, by_category="formula")
        found += _figures(data.name, scores, hit, recall)
    progress("both sets as one user")
    everything = [(items, vectors[data.name][name]) for data in sets for name, items in data.turns.items()]
    scores = {}
    for name in ("recipe bare", "formula"):
        one = [_User(everything, sets[0].questions)]
        scores[name] = score(METHODS[name], one, embedder, packing=False)
    _print("both sets as one user, questions of locomo-dev", scores, by_category=None)
    found.append(Figure("both sets as one user: locomo hit@10", scores["formula"].of("all", "hit@10"), "", at_least=75))
    return figures(*found)


def _figures(name: str, scores: dict[str, Scores], hit: float, recall: float) -> list[Figure]:
    ours, bare = scores["formula"], scores["recipe bare"]
    found = [
        Figure(f"{name}: hit@10", ours.of("all", "hit@10"), "", at_least=hit),
        Figure(f"{name}: recall@10", ours.of("all", "recall@10"), "", at_least=recall),
    ]
    for measure in ("hit@10", "recall@10"):
        behind = bare.of("all", measure) - ours.of("all", measure)
        found.append(Figure(f"{name}: {measure} that the formula trails the bare recipe", behind, "", at_most=0.5))
    for method, each in scores.items():
        for measure in (*MEASURES, *(f"in {budget} tokens" for budget in BUDGETS)):
            found.append(Figure(f"{name}, {method}: {measure}", each.of("all", measure), ""))
    for category in sorted(set(ours.counts) - {"all"}):
        for measure in ("hit@10", "recall@10"):
            found.append(Figure(f"{name}, {category}: {measure}", ours.of(category, measure), ""))
    return found


if __name__ == "__main__":
    from bench.table import show

    sys.exit(0 if show("retrieval", run()) else 1)
