"""The state of a conversation between two prompts: its cached prefix, and which section states are stored."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from reverie.compose.composer import Composed, Missing, Section, SystemPromptComposer
from reverie.compose.profiles import BASE
from reverie.compose.trinket import TrinketContext
from reverie.events import ContinuumEvent
from reverie.records.conversation_values import MAIN
from reverie.records.prompt_inputs import SectionState


@dataclass(eq=False, slots=True)
class Draft:
    """A prompt that is being composed; or the one section that is refreshed between prompts."""

    about: Mapping[str, Any]  # the fields that all events of this prompt share
    context: TrinketContext
    ends: float  # on the monotonic clock: when there is no time left for trinkets
    composer: SystemPromptComposer
    missing: list[Missing]
    asked: list[str] = field(default_factory=list)  # the trinkets that are rendering now
    answered: set[str] = field(default_factory=set)  # the sections that were told, empty ones too

    def is_of(self, event: ContinuumEvent) -> bool:
        """Whether an event is about the conversation of this prompt."""
        return event.user_id == self.context.user_id and event.continuum_id in ("", self.context.continuum_id)


@dataclass(frozen=True, slots=True)
class CachedPrefix:
    """The cached sections of a segment as they were composed last; `failed` ones are absent only because of that."""

    segment_id: str
    sections: Mapping[str, Section]
    failed: frozenset[str]


@dataclass(eq=False, slots=True)
class ConversationState:
    """The state of one conversation between two prompts."""

    last: TrinketContext | None = None
    composed: Composed | None = None
    prefix: CachedPrefix | None = None
    saved: dict[str, SectionState | None] = field(default_factory=dict)  # as the state store has it; None: not there
    missing: tuple[Missing, ...] = ()  # since the last prompt


def state_name(continuum_id: str, section: str) -> str:
    """Return the name of a conversation's section among its user's states.

    >>> state_name("main", "soul"), state_name("work", "soul")
    ('soul', 'work/soul')
    """
    return section if continuum_id == MAIN else f"{continuum_id}/{section}"


def states_in(continuum_id: str, states: Mapping[str, SectionState]) -> dict[str, SectionState]:
    """Return those of a conversation, by section. No section has a slash in its name; a conversation may."""
    split = {name: name.rpartition("/") for name in states}
    return {section: states[name] for name, (of, _, section) in split.items() if (of or MAIN) == continuum_id}


def cached_prefix(composed: Composed, segment_id: str) -> CachedPrefix | None:
    """Return what the next turn of the segment may repeat; None outside a segment."""
    sections = {one.name: one for one in composed.sections if one.cache_policy}
    failed = frozenset(one.section for one in composed.missing if one.section not in sections)
    return CachedPrefix(segment_id, sections, failed) if segment_id else None


def repeat_prefix(draft: Draft, before: CachedPrefix | None, steady: Collection[str]) -> Composed:
    """Compose the prompt, with steady sections as they were if nothing else of the prefix changed within the segment.

    A preference learned in the middle of a talk would otherwise bill the whole history anew; it is told in the tail
    meanwhile. When the prefix breaks anyhow, steady sections come up to date at no further cost. A section that failed
    this time stays as it was, too: its trinket was late, not empty.
    """
    fresh = draft.composer.composed()
    if before is None or not draft.context.segment_id or before.segment_id != draft.context.segment_id:
        return fresh
    failed = {one.section for one in draft.missing}
    steady = {*steady, *(name for name in before.sections if name in failed)}
    now = {one.name: one.content for one in fresh.sections if one.cache_policy}
    was = {name: one.content for name, one in before.sections.items()}
    recovered = any(name in now for name in before.failed)
    if recovered or now == was or _others(now, steady) != _others(was, steady):
        return fresh
    for name in steady:
        old = before.sections.get(name)
        draft.composer.add_section(
            name,
            old.content if old else "",
            placement="cached",
            trinket=old.trinket if old else "",
            origins=old.origins if old else (),
        )
    return draft.composer.composed()


def _others(contents: Mapping[str, str], steady: Collection[str]) -> dict[str, str]:
    return {name: content for name, content in contents.items() if name not in steady}


def changed_states(
    draft: Draft, state: ConversationState, composed: Composed, concerned: Iterable[str], updated_at: str
) -> dict[str, SectionState | None]:
    """Return what the state store does not have yet: sections with another content, and None for those of the sections
    `concerned` that are empty now.

    A section that failed keeps its old state: that it could not be told does not mean that there is nothing to tell.
    """
    shown = {one.name: one for one in composed.sections if one.content and one.name != BASE}
    changed: dict[str, SectionState | None] = {
        name: SectionState(one.content, one.cache_policy, updated_at)
        for name, one in shown.items()
        if not _is_saved(state.saved.get(name), one)
    }
    failed = {one.section for one in draft.missing}
    gone = [name for name in concerned if name not in shown and name not in failed]
    return changed | {name: None for name in gone if state.saved.get(name, ...) is not None}


def _is_saved(saved: SectionState | None, section: Section) -> bool:
    return saved is not None and (saved.content, saved.cache_policy) == (section.content, section.cache_policy)
