"""List the learnings of the last hours, by type, newest first."""

from reverie.compose.context import MAX_LEARNINGS
from reverie.compose.markup import Markup, data, tag
from reverie.compose.trinket import EventAwareTrinket, TrinketContext, TrinketHost
from reverie.compose.trinkets.bounds import LIST_CHARS, group, line, listed
from reverie.events import EventBus
from reverie.records import Learned, LearningType

_GROUPS = {
    LearningType.FACT: "facts",
    LearningType.PATTERN: "patterns",
    LearningType.CORRECTION: "corrections",
    LearningType.PREFERENCE: "preferences",
}


class LearningsTrinket(EventAwareTrinket):
    """Shows learnings that hold. What only a web page or a foreign tool said is not told as knowledge."""

    reads = ("learnings",)

    def __init__(
        self,
        event_bus: EventBus,
        working_memory: TrinketHost,
        max_learnings: int = MAX_LEARNINGS,
    ) -> None:
        self._most = max_learnings
        super().__init__(event_bus, working_memory)

    def _get_variable_name(self) -> str:
        return "learnings"

    def generate_content(self, context: TrinketContext) -> Markup:
        told = sorted(filter(_is_told, context.inputs.learnings), key=lambda it: (it.learned_ms, it.position))[::-1]
        newest = told[: self._most]
        parts = [
            group(name, listed(its, _learning, "`reverie learnings` lists them", most=self._most, room=LIST_CHARS // 2))
            for kind, name in _GROUPS.items()
            if (its := [it for it in newest if it.type is kind])
        ]
        if len(newest) < len(told):
            parts.append(Markup(f"[… {len(told) - len(newest):,} more; `reverie learnings` lists them]"))
        return group("learnings", parts)


def _is_told(learned: Learned) -> bool:
    return not learned.is_held_back and not learned.superseded_by and learned.type in _GROUPS


def _learning(learned: Learned) -> Markup:
    why = f"{learned.type} by {learned.origin}, confidence {learned.confidence:.2f}, from {learned.observation_id}"
    return tag("learning", data(line(learned.text), "learning", learned.id, why))
