"""Facts that were stored, hidden or shown again -> when the facts and messages that they replace are valid.

Semantic memory chains the facts of a subject; here the chain is drawn again when some of them are forgotten or brought
back, and the messages that tell a fact and little else follow it. All of it is derived from the items alone.
"""

from collections.abc import Iterator, Sequence

from reverie.ports import Engine, StoreView
from reverie.records import SEMANTIC, Filters, Lifecycle, MemoryItem
from reverie.stores.message_validity import as_it_holds
from reverie.stores.semantic import chained, history

_EVERYTHING = Filters(superseded=True, expired=True, deleted=True)


def settle(facts: Sequence[MemoryItem], engine: Engine) -> None:
    """Let the messages that tell these facts, or what these replaced, hold as long as the facts do."""
    lineage = [one for fact in facts for one in fact.lineage_ids]
    told = [*facts, *engine.items.get(lineage)] if lineage else facts
    for source in dict.fromkeys(one for fact in told if fact.store == SEMANTIC for one in fact.sources):
        made = engine.items.of_sources([source])
        for message in [one for one in made if one.id == source]:
            if (settled := as_it_holds(message, made)) != message:
                engine.items.set_validity(settled)


def chain_again(ids: Sequence[str], engine: Engine, view: StoreView) -> None:
    """Some items were hidden, or shown again: what they had replaced holds again, or does no longer."""
    known = [item for item in engine.items.get(ids) if item.store == SEMANTIC]
    changed: dict[str, MemoryItem] = {}
    for chain in _chains(known, engine, view):
        before = {one.id: one for one in chain}
        changed |= {after.id: after for after in chained(chain) if after is not before[after.id]}
    for item in changed.values():
        engine.items.set_validity(item)
    settle([*known, *changed.values()], engine)


def _chains(known: Sequence[MemoryItem], engine: Engine, view: StoreView) -> Iterator[list[MemoryItem]]:
    for subject, project in dict.fromkeys((item.subject, item.project) for item in known if item.subject):
        yield history(subject, project, view, _EVERYTHING)
    # An item may also have replaced what is about something else, or about nothing that could be told.
    for item in known:
        for older in engine.items.get(item.lineage_ids):
            is_elsewhere = not older.subject or older.subject != item.subject
            if is_elsewhere and older.lifecycle is not Lifecycle.ARCHIVED:
                yield [older, item]
