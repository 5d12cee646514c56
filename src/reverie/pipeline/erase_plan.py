"""A scope -> all that is erased for good with it: memories, the log entries behind them, and what depends on these.

Nothing is forgotten here. Whoever looks first (`--dry-run`) is told the same as whoever forgets.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from reverie.ports import Engine
from reverie.records import EPISODIC, ItemType, MemoryItem, Observation
from reverie.stores.forget_scopes import ForgetScope, everything_of

AsItems = Callable[[Observation], Sequence[MemoryItem]]
_QUOTABLE_CHARS = 1_000  # of a text: more of it is never quoted in a line


@dataclass(frozen=True, slots=True)
class ErasePlan:
    """`words` is what else must not be mentioned anywhere: none, but a list, means everything; None nothing at all."""

    items: tuple[MemoryItem, ...]
    observations: tuple[str, ...]
    beside: tuple[str, ...]
    words: tuple[str, ...] | None


def doomed(scope: ForgetScope, items: Sequence[MemoryItem], engine: Engine, as_items: AsItems) -> ErasePlan:
    """All that has to go with these items. What was said goes with what was learned from it, or it would be learned
    again; a summary is only made anew.
    """
    telling = [item for item in items if item.type is not ItemType.SUMMARY]
    gone = {source for item in telling for source in item.sources}
    texts = [item.text for item in telling]
    for observation in engine.mentioning(scope.text) if not scope.ids else ():
        if _is_meant(observation, scope, as_items):
            gone.add(observation.id)
            texts.append(observation.text[:_QUOTABLE_CHARS])
    if not scope.everything:
        gone |= set(engine.quoting({*gone, *(item.id for item in items)}, texts))
    is_about_words = scope.everything or bool(scope.text)
    learned = [] if scope.everything else _learned_from(gone, {item.text for item in items}, engine)
    return ErasePlan(
        items=tuple(items),
        observations=tuple(one for one in sorted(gone) if engine.log.get(one)),
        beside=(*learned, *(engine.beside(scope.text) if is_about_words else ())),
        words=tuple(scope.text.split()) if is_about_words else None,
    )


def _learned_from(observations: Collection[str], known: Collection[str], engine: Engine) -> list[str]:
    """List what else was learned from these observations: it goes too, though it may be about other things."""
    return [
        f"{learned.type.value}: {learned.text}"
        for learned in engine.learnings.all()
        if learned.observation_id in observations and learned.text not in known
    ]


def _is_meant(observation: Observation, scope: ForgetScope, as_items: AsItems) -> bool:
    """Whether a scope without ids means this, also if no memory was ever made of it."""
    filters = scope.filters
    if filters.stores and EPISODIC not in filters.stores:
        return False
    is_here = (
        (not filters.session or observation.session == filters.session)
        and (filters.project is None or observation.project == filters.project)
        and (not filters.speaker or observation.speaker == filters.speaker)
        and (filters.after_ms is None or observation.occurred_ms >= filters.after_ms)
        and (filters.before_ms is None or observation.occurred_ms < filters.before_ms)
    )
    if not is_here or not (filters.types or filters.tags):
        return is_here
    return any(everything_of(filters).admits(item) for item in as_items(observation))
