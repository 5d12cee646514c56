"""Show where the person's time goes: what runs, what is paused, and the three newest that are completed."""

from reverie.compose.markup import Markup, Origin, tag
from reverie.compose.trinket import EventAwareTrinket, TrinketContext
from reverie.compose.trinkets.bounds import attribute, group, line, listed
from reverie.compose.trinkets.spans import in_words
from reverie.records.prompt_inputs import Punch, PunchState

COMPLETED_SHOWN = 3
_REST = "`reverie punchclock` lists them"


class PunchclockTrinket(EventAwareTrinket):
    """Shows stretches of work with how long they have run by now."""

    reads = ("punches",)

    def _get_variable_name(self) -> str:
        return "punchclock_status"

    def generate_content(self, context: TrinketContext) -> Markup:
        def of(state: PunchState) -> list[Punch]:
            return [it for it in context.inputs.punches if it.state is state]

        def shown(punch: Punch) -> Markup:
            return _punch(punch, context.now_ms)

        completed = sorted(of(PunchState.COMPLETED), key=lambda it: (it.completed_ms or 0, it.id), reverse=True)
        parts = [
            group("running", listed(of(PunchState.RUNNING), shown, _REST, most=20)),
            group("paused", listed(of(PunchState.PAUSED), shown, _REST, most=20)),
            group("completed", map(shown, completed[:COMPLETED_SHOWN])),
        ]
        return group("punchclock", [part for part in parts if part])


def _punch(punch: Punch, now_ms: int) -> Markup:
    said = line(punch.label) + (f" ({line(punch.note)})" if punch.note.strip() else "")
    spent = in_words(punch.spent_ms(now_ms))
    origin = Origin(0, "punch", punch.id, f"{punch.state}, {spent} so far")
    return tag("session", said, id=attribute(punch.id, 40), spent=spent, origin=origin)
