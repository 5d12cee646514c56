"""A question -> memories, for every caller: what is asked beside the index, the one search, and what fits a budget.

`recall` searches, ranks and packs. This says which memory types a question may see and what of the running session is
at hand, asks other people's memory types, and renders what an agent is told.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from reverie.compose.recalled import frame_cost, heading_cost, line_cost, render
from reverie.errors import BadInput, ReverieError
from reverie.gate.mandates import always_included
from reverie.language.questions import asked
from reverie.language.tokens import count_tokens
from reverie.pipeline.item_writer import ItemWriter
from reverie.pipeline.live_index import LiveIndex
from reverie.pipeline.word_index import WordIndex
from reverie.ports import Engine
from reverie.recall import Answer, Beside, answer_question, composite, most_packed, pack
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
from reverie.settings import RecallSettings

_AT_HAND = (WORKING, CONVERSATION)  # what an agent has before it: offered to it, but nothing one searches for
_NO_STORE = ("",)  # no memory type has this name: the index then offers nothing by itself
_PINNED = "always include"


@dataclass(frozen=True, slots=True)
class Packed:
    """The ranked memories for a question; which of them were packed, and the text of those."""

    bundle: MemoryBundle
    text: str
    tokens: int
    found: tuple[Recalled, ...]
    context: ReadContext
    founded: float = 0.0  # how well, 0 to 1,
    reason: str = ""  # and why
    degraded: str = ""


class Searcher:
    """One user's way out, from a question to memories."""

    def __init__(
        self,
        engine: Engine,
        index: LiveIndex | WordIndex,
        item_writer: ItemWriter,
        settings: RecallSettings,
        tokenizer: Callable[[str], int] | None = None,
    ) -> None:
        """`tokenizer` counts tokens in place of ours, which is quick because items know theirs."""
        self._engine = engine
        self._index = index
        self._item_writer = item_writer
        self.settings = settings
        self._tokenizer = tokenizer
        self._count = tokenizer or count_tokens
        self.vectors = index.vectors

    def search(self, context: ReadContext) -> Answer:
        """Return the first `top_k` memories, best first, one for each source."""
        names = context.filters.stores or tuple(
            name for name in self._item_writer.registry.names if name not in _AT_HAND
        )
        return self._answer(context, names, context.top_k)

    def assemble(
        self,
        context: ReadContext,
        leave_out: Callable[[MemoryItem], bool] | None = None,
        most: int | None = None,
    ) -> Packed:
        """Pack what `search` would find, and what is at hand in the session, into the budget; `most` at most."""
        frame = frame_cost(self._count)
        room = context.budget_tokens - frame
        if room <= 0:
            raise BadInput(f"a budget of {context.budget_tokens} tokens has no room for a memory; ask for 100 or more")
        registry = self._item_writer.registry
        named = context.include or context.filters.stores
        for name in named:
            registry.get(name)  # an unknown one is an error that names the nearest
        working = self._item_writer.view(WORKING).items(Filters(session=context.session)) if context.session else []
        context = composite(context, working)
        names = named or tuple(registry.names)
        at_hand = self._at_hand(context, [name for name in names if name in _AT_HAND])
        beside = Beside(at_hand=at_hand, working=working, leave_out=leave_out)
        names = tuple(name for name in names if name not in _AT_HAND)
        found = self._answer(context, names, most_packed(context), beside)
        ranked = list(found.found)
        pinned = [one for one in self._pinned(context) if not (leave_out and leave_out(one.item))]
        ranked = [*pinned, *(one for one in ranked if one.item.id not in {first.item.id for first in pinned})]
        bundle = pack(
            ranked,
            room,
            terms=asked(context).terms,
            cost=self._cost,
            tokenizer=self._tokenizer,
            left_out=found.left_out,
            question=context.query_text,
        )
        bundle = bundle if most is None else _first(bundle, most)
        text = render(bundle.items) if bundle.items else ""
        while self._tokenizer and bundle.items and self._tokenizer(text) > context.budget_tokens:
            bundle = _first(bundle, len(bundle.items) - 1)  # its parts together may count for less than the whole
            text = render(bundle.items) if bundle.items else ""
        tokens = bundle.tokens + frame if bundle.items else 0
        bundle = replace(bundle, tokens=tokens, budget_tokens=context.budget_tokens)
        return Packed(bundle, text, tokens, tuple(ranked), context, found.founded, found.reason, found.degraded)

    def _answer(self, context: ReadContext, names: Sequence[str], most: int, beside: Beside | None = None) -> Answer:
        """Ask the index for the memory types that it searches, and the others of these names for themselves."""
        others = [name for name in self._item_writer.registry.others if name in names]
        offered, silent = self._offers(context, others)
        searched = tuple(name for name in names if name not in others)
        scoped = replace(context, filters=replace(context.filters, stores=searched or _NO_STORE))
        beside = replace(beside or Beside(), offered=offered)
        index = self._index.index_for(scoped)
        found = answer_question(scoped, index, self._index.get, self.settings, most, beside)
        degraded = "; ".join(one for one in (self._index.note, *silent) if one)
        return replace(found, degraded=degraded)

    def _at_hand(self, context: ReadContext, names: Sequence[str]) -> list[MemoryItem]:
        """The items of the running session that working and conversation memory have ready."""
        registry, view = self._item_writer.registry, self._item_writer.view
        return [one.item for name in names for one in registry.get(name).remember(context, view(name))]

    def _offers(self, context: ReadContext, names: Sequence[str]) -> tuple[list[Candidate], list[str]]:
        """Ask other people's memory types. One that fails is left out, and said to be: the others answer."""
        offered: list[Candidate] = []
        silent = []
        for name in names:
            try:
                asked_for = replace(context, include=(name,))
                offered += self._item_writer.registry.get(name).remember(asked_for, self._item_writer.view(name))
            except ReverieError:
                raise
            except Exception as error:  # a stranger's code may raise anything
                silent.append(f"{name} memory is missing: {type(error).__name__}: {error}")
        return offered, silent

    def _cost(self, found: Recalled, packed: Sequence[Recalled]) -> int:
        is_first = all(one.item.store != found.item.store for one in packed)
        above = heading_cost(found.item.store, self._count) if is_first else 0
        return line_cost(found.item, found.shown, self._count) + above

    def _pinned(self, context: ReadContext) -> list[Recalled]:
        """Find the items that soul.md says must always be included: trusted ones that a mandate names."""
        mandates = self._item_writer.mandates()
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


def _first(bundle: MemoryBundle, most: int) -> MemoryBundle:
    spare = bundle.items[most:]
    left_out = tuple((one.item.id, f"{most} were asked for") for one in spare)
    tokens = bundle.tokens - sum(one.tokens for one in spare)
    return replace(bundle, items=bundle.items[:most], tokens=tokens, left_out=bundle.left_out + left_out)
