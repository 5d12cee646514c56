"""What WorkingMemory knows of a conversation between prompts: what stays in the prefix, what is new for the states.

Turns and composed prompts in, prompts and changes out; nothing here is kept for more than one conversation.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from reverie.compose.composer import Composed, Missing, Section, SystemPromptComposer
from reverie.compose.profiles import BASE
from reverie.compose.trinket import EventAwareTrinket, TrinketContext
from reverie.conversing import MAIN
from reverie.events import UpdateTrinketEvent
from reverie.prompt_inputs import SectionState


@dataclass(eq=False, slots=True)
class Turn:
    """A composition that is under way, or one update."""

    context: TrinketContext
    ends: float  # on the monotonic clock: when there is no time left for trinkets
    composer: SystemPromptComposer
    missing: list[Missing]
    asked: list[tuple[EventAwareTrinket, UpdateTrinketEvent]] = field(default_factory=list)
    answered: set[str] = field(default_factory=set)  # sections that were told, be it that there is nothing


@dataclass(frozen=True, slots=True)
class Held:
    """The cached sections of a segment as they were composed last; `failed` ones are absent only because of that."""

    segment_id: str
    sections: Mapping[str, Section]
    failed: frozenset[str]


@dataclass(eq=False, slots=True)
class Served:
    """What is known of one conversation."""

    last: TrinketContext | None = None
    composed: Composed | None = None
    held: Held | None = None
    saved: dict[str, SectionState | None] = field(default_factory=dict)  # as the state store has it; None: not there
    missing: tuple[Missing, ...] = ()  # since the last prompt


def state_name(continuum_id: str, section: str) -> str:
    """What a section of a conversation is called among its user's states.

    >>> state_name("main", "soul"), state_name("work", "soul")
    ('soul', 'work/soul')
    """
    return section if continuum_id == MAIN else f"{continuum_id}/{section}"


def states_in(continuum_id: str, states: Mapping[str, SectionState]) -> dict[str, SectionState]:
    """Those of a conversation, by section. No section has a slash in its name; a conversation may."""
    split = {name: name.rpartition("/") for name in states}
    return {section: states[name] for name, (of, _, section) in split.items() if (of or MAIN) == continuum_id}


def held(turn: Turn, composed: Composed) -> Held:
    """What the next turn of the segment may hold on to."""
    sections = {one.name: one for one in composed.sections if one.cache_policy}
    failed = frozenset(one.section for one in composed.missing if one.section not in sections)
    return Held(turn.context.segment_id, sections, failed)


def steadied(turn: Turn, before: Held | None, steady: Collection[str]) -> Composed:
    """The prompt, with steady sections as they were if nothing else of the prefix changed within the segment.

    A preference learned in the middle of a talk would otherwise bill the whole history anew; it is told in the tail
    meanwhile. When the prefix breaks anyhow, steady sections come up to date at no further cost. A section that failed
    this time stays as it was, too: its trinket was late, not empty.
    """
    fresh = turn.composer.composed()
    if before is None or not turn.context.segment_id or before.segment_id != turn.context.segment_id:
        return fresh
    failed = {one.section for one in turn.missing}
    steady = {*steady, *(name for name in before.sections if name in failed)}
    now = {one.name: one.content for one in fresh.sections if one.cache_policy}
    was = {name: one.content for name, one in before.sections.items()}
    recovered = any(name in now for name in before.failed)
    if recovered or now == was or _others(now, steady) != _others(was, steady):
        return fresh
    for name in steady:
        old = before.sections.get(name)
        turn.composer.add_section(
            name,
            old.content if old else "",
            placement="cached",
            trinket=old.trinket if old else "",
            origins=old.origins if old else (),
        )
    return turn.composer.composed()


def _others(contents: Mapping[str, str], steady: Collection[str]) -> dict[str, str]:
    return {name: content for name, content in contents.items() if name not in steady}


def changes(
    turn: Turn, served: Served, composed: Composed, concerned: Iterable[str], updated_at: str
) -> dict[str, SectionState | None]:
    """What the state store does not have yet: sections with another content, and None for those of the sections
    `concerned` that are empty now.

    A section that failed keeps its old state: that it could not be told does not mean that there is nothing to tell.
    """
    shown = {one.name: one for one in composed.sections if one.content and one.name != BASE}
    changed: dict[str, SectionState | None] = {
        name: SectionState(one.content, one.cache_policy, updated_at)
        for name, one in shown.items()
        if not _is_saved(served.saved.get(name), one)
    }
    failed = {one.section for one in turn.missing}
    gone = [name for name in concerned if name not in shown and name not in failed]
    return changed | {name: None for name in gone if served.saved.get(name, ...) is not None}


def _is_saved(saved: SectionState | None, section: Section) -> bool:
    return saved is not None and (saved.content, saved.cache_policy) == (section.content, section.cache_policy)
