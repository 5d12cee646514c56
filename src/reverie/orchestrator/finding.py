"""A question -> ranked memories: the index in step with the record, the memory types' offers, the formula, the budget.

The index lives in this process and follows the record by change numbers. One-shot processes have none: they ask the
steward, or search by words alone.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reverie.compose.recalled import frame_cost, heading_cost, line_cost, render
from reverie.errors import BadInput, ReverieError
from reverie.gate.mandates import Mandates, always_included
from reverie.language.asking import asked
from reverie.orchestrator.keeping import Keeping
from reverie.ports import Embedder, Engine, Env
from reverie.recall import Outline, composite, leaders, pack, rank
from reverie.records import (
    CONVERSATION,
    SEMANTIC,
    WORKING,
    Candidate,
    Filters,
    MemoryBundle,
    MemoryItem,
    ReadContext,
    Recalled,
    Trust,
)
from reverie.settings import Settings
from reverie.stores.retention import expires_ms

if TYPE_CHECKING:
    from reverie.index import ItemIndex

_FOLLOWED = 2000  # changes read at a time
_SCRATCH = (WORKING, CONVERSATION)  # what an agent has before it: offered to it, but nothing one searches for
_PINNED = "always include"
_OFFERED = 5  # candidates for each place in the answer: more change the first ten by a tenth of a point, and cost time


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found for a question, ranked; what of it was packed, and the text of that."""

    bundle: MemoryBundle
    text: str
    tokens: int
    found: tuple[Recalled, ...]
    context: ReadContext
    degraded: str = ""


class Finding:
    """One user's way out, from a question to memories."""

    def __init__(self, engine: Engine, env: Env, settings: Settings) -> None:
        self._engine = engine
        self._env = env
        self._settings = settings
        self._index: ItemIndex | None = None
        self._wanted: Embedder | None = None
        self._serving: Embedder | None = None
        self._embedder_error = ""
        self._generation = -1
        self._change = 0
        self._removal = 0

    def use(self, settings: Settings) -> None:
        """Rank by other coefficients from now on."""
        self._settings = settings

    # ---- the index

    @property
    def is_warm(self) -> bool:
        """Whether the index is loaded already."""
        return self._index is not None

    def wanted(self) -> Embedder | None:
        """The embedder that the settings ask for; loaded at the first call."""
        if self._wanted is None and not self._embedder_error:
            from reverie.embed import embedder_of

            try:
                self._wanted = embedder_of(self._settings.embed, self._env)
            except (ReverieError, ImportError) as error:
                self._embedder_error = f"no vectors: {error}"
        return self._wanted

    def embedder(self) -> Embedder | None:
        """The embedder whose vectors are searched: after a change, the former one until all items have new vectors."""
        if self._serving is None and (wanted := self.wanted()):
            others = {name: count for name, count in self._engine.items.embedders().items() if name != wanted.name}
            former = max(others, key=lambda name: (others[name], name), default="")
            have, _ = self._engine.items.count_vectors(wanted.name)
            self._serving = self._former(former) if former and have < others[former] else None
            self._serving = self._serving or wanted
        return self._serving

    @property
    def is_changing(self) -> bool:
        """Whether a former embedder still serves."""
        return self.embedder() is not self.wanted()

    def _former(self, name: str) -> Embedder | None:
        """An embedder that was in use before, if it can still be had without settings of its own."""
        from reverie.embed.static import StaticEmbedder

        static = StaticEmbedder.load(self._env) if name.startswith("static-") else None
        return static if static and static.name == name else None

    def re_embed(self, keeping: Keeping, limit: int) -> tuple[int, int]:
        """Give some more items a vector of the wanted embedder; says how many have one, and how many there are.

        The former embedder serves until this is through; then its vectors are dropped.
        """
        wanted = self.wanted()
        if wanted is None:
            return 0, 0
        if keeping.embed_waiting(wanted, limit) == 0 and self.embedder() is not wanted:
            self._engine.items.drop_vectors_except(wanted.name)
            self._serving, self._index = wanted, None
        return self._engine.items.count_vectors(wanted.name)

    def follow(self) -> "ItemIndex":
        """The index with everything that was written, superseded or forgotten until now."""
        items = self._engine.items
        if self._index is not None and not items.has_news(self._generation, self._change, self._removal):
            return self._index
        embedder = self.embedder()
        if self._index is None or self._generation != items.generation():
            from reverie.index import ItemIndex

            retention = self._settings.retention
            self._index = ItemIndex(embedder, lambda item: expires_ms(item, retention))
            self._generation, self._change, self._removal = items.generation(), 0, 0
        name = embedder.name if embedder else ""
        while changes := items.changes(self._change, name, _FOLLOWED):
            shown = [(item, vector) for _, item, vector in changes if item.deleted_ms is None]
            self._index.put([item for item, _ in shown], [vector for _, vector in shown])
            self._index.remove([item.id for _, item, _ in changes if item.deleted_ms is not None])
            self._change = changes[-1][0]
        if removals := items.removals(self._removal):
            gone = [item_id for _, item_id in removals]
            again = {item.id for item in items.get(gone)}  # what was erased with its source may have been made anew
            self._index.remove([item_id for item_id in gone if item_id not in again])
            self._removal = removals[-1][0]
        return self._index

    # ---- searching

    def candidates(self, context: ReadContext, limit: int) -> list[Candidate]:
        """The best items for a question, by the index alone."""
        scored = self.follow().search(context, limit)
        items = {item.id: item for item in self._engine.items.get([one.id for one in scored])}
        return [Candidate(item=items[one.id], score=one.score, parts=one.parts) for one in scored if one.id in items]

    def search(self, context: ReadContext, stores: Sequence[str]) -> list[Recalled]:
        """Ranked memories, the best first, one for each source."""
        wanted = context.filters.stores or context.include or tuple(name for name in stores if name not in _SCRATCH)
        context = replace(context, filters=replace(context.filters, stores=wanted))
        found = self.follow().offers(context, _OFFERED * context.top_k)
        outlines = [*map(Outline, found.ids, found.scores, found.created_ms, found.importances, found.sources)]
        best = leaders(outlines, context, self._settings.recall, context.top_k)
        items = {item.id: item for item in self._engine.items.get([found.ids[one.place] for one in best])}
        return [
            Recalled(
                item=items[item_id],
                score=one.score,
                similarity=one.similarity,
                recency=one.recency,
                importance=one.importance,
                duplication=one.duplication,
                parts=parts,
            )
            for one, parts in zip(best, found.parts([one.place for one in best]), strict=True)
            if (item_id := found.ids[one.place]) in items
        ]

    def assemble(
        self,
        context: ReadContext,
        keeping: Keeping,
        leave_out: Callable[[MemoryItem], bool] = lambda _: False,
        most: int | None = None,
        floor: float | None = None,
    ) -> Answer:
        """Ask every memory type, rank what they offer, and pack the best into the budget, `most` at most."""
        for name in context.include or context.filters.stores:
            keeping.registry.get(name)  # an unknown one is an error that names the nearest
        working = keeping.shelf(WORKING).items(Filters(session=context.session)) if context.session else []
        context = composite(context, working)
        include = context.include or context.filters.stores or tuple(keeping.registry.names)
        offered, silent = self._offers(replace(context, include=include), keeping)
        # Before the ranking: what an agent has before it already is no measure for the rest.
        offered = {name: [one for one in found if not leave_out(one.item)] for name, found in offered.items()}
        ranked, left_out = rank(self._comparable(offered, context), context, working, self._settings.recall)
        if floor is not None:
            ranked = [one for one in ranked if _is_about_it(one, context, floor, len(ranked))]
        ranked = [one for one in self._pinned(keeping.mandates(), context) + ranked if not leave_out(one.item)]
        room = context.budget_tokens - frame_cost()
        if room <= 0:
            raise BadInput(f"a budget of {context.budget_tokens} tokens has no room for a memory; ask for 100 or more")
        bundle = pack(
            _once(ranked),
            room,
            self._settings.recall,
            terms=asked(context).terms,
            cost=_cost,
            left_out=left_out,
            question=context.query_text,
        )
        if most is not None and len(bundle.items) > most:
            spare = bundle.items[most:]
            told = tuple((one.item.id, f"{most} were asked for") for one in spare)
            kept = bundle.tokens - sum(one.tokens for one in spare)
            bundle = replace(bundle, items=bundle.items[:most], tokens=kept, left_out=bundle.left_out + told)
        tokens = bundle.tokens + frame_cost() if bundle.items else 0
        text = render(bundle.items) if bundle.items else ""
        bundle = replace(bundle, tokens=tokens, budget_tokens=context.budget_tokens)
        degraded = "; ".join(one for one in (self._embedder_error, *silent) if one)
        return Answer(bundle, text, tokens, tuple(ranked), context, degraded)

    def _offers(self, context: ReadContext, keeping: Keeping) -> tuple[dict[str, list[Candidate]], list[str]]:
        """What each memory type offers. One that fails is left out, and said to be: the others answer."""
        offered: dict[str, list[Candidate]] = {}
        silent = []
        for name in context.include:
            try:
                offered |= keeping.registry.remember(replace(context, include=(name,)), keeping.shelf)
            except ReverieError:
                raise
            except Exception as error:  # a stranger's code may raise anything
                silent.append(f"{name} memory is missing: {type(error).__name__}: {error}")
        return offered, silent

    def _comparable(self, offered: dict[str, list[Candidate]], context: ReadContext) -> list[Candidate]:
        """All offers on one scale. Scratch memory offers by age; how near it is to the question, the index knows."""
        scratch = [candidate for name in _SCRATCH for candidate in offered.get(name, ())]
        others = [candidate for name, found in offered.items() if name not in _SCRATCH for candidate in found]
        if not scratch:
            return others
        ids = tuple(candidate.item.id for candidate in scratch)
        near = {
            one.id: one for one in self.follow().search(replace(context, include=(), filters=Filters()), len(ids) + 400)
        }
        known = {candidate.item.id for candidate in others}
        return others + [
            replace(candidate, score=near[candidate.item.id].score if candidate.item.id in near else 0.0)
            for candidate in scratch
            if candidate.item.id not in known
        ]

    def _pinned(self, mandates: Mandates, context: ReadContext) -> list[Recalled]:
        """What soul.md says must always be included: known and trusted items that a mandate names."""
        if not mandates.always_include or (context.include and SEMANTIC not in context.include):
            return []
        filters = replace(context.filters, stores=(SEMANTIC,), min_trust=Trust.ASSISTANT)
        return [
            Recalled(
                item=item, score=2.0, similarity=1.0, recency=1.0, importance=1.0, duplication=0.0, parts={_PINNED: 1.0}
            )
            for item in self._engine.items.select(filters)
            if always_included(item, mandates)
        ]


def _cost(found: Recalled, packed: Sequence[Recalled]) -> int:
    is_first = all(one.item.store != found.item.store for one in packed)
    return line_cost(found.item, found.shown) + (heading_cost(found.item.store) if is_first else 0)


def _once(ranked: Sequence[Recalled]) -> list[Recalled]:
    return list({found.item.id: found for found in reversed(ranked)}.values())[::-1]


_FEW = 20  # memories; the mean and deviation of fewer say nothing


def _is_about_it(found: Recalled, context: ReadContext, floor: float, among: int) -> bool:
    """Whether a memory, or what was said around it, has a word of the question, or means much the same.

    Around what was said in this very session stands the question itself.
    """
    parts = found.parts
    nearby = parts.get("ctx", 0) > 0 and found.item.session != context.session
    return parts.get("own", 0) > 0 or nearby or (among >= _FEW and parts.get("cos", 0) >= floor)
