"""List pending actions, most pressing first, with whose they are."""

from reverie.compose.markup import Markup, Origin, tag
from reverie.compose.trinket import EventAwareTrinket, TrinketContext
from reverie.compose.trinkets.bounds import attribute, group, line, listed
from reverie.records import Action, ActionStatus, Priority

_MARKS = {Priority.URGENT: "[URGENT] ", Priority.HIGH: "[HIGH] ", Priority.NORMAL: ""}
_RANKS = {priority: rank for rank, priority in enumerate(Priority)}


class ActionsTrinket(EventAwareTrinket):
    """Shows pending actions. What only a tool, a web page or somebody else asked for is no action of anybody here."""

    reads = ("actions",)

    def _get_variable_name(self) -> str:
        return "pending_actions"

    def generate_content(self, context: TrinketContext) -> Markup:
        pending = [it for it in context.inputs.actions if it.status is ActionStatus.PENDING and it.trust.has_a_say]
        pending.sort(key=lambda it: _RANKS[it.priority])
        return group("pending_actions", listed(pending, _action, "`reverie actions` lists them"))


def _action(action: Action) -> Markup:
    origin = Origin(0, "action", action.id, f"pending, for the {action.owner} to do")
    said = _MARKS[action.priority] + line(action.text)
    return tag("action", said, id=attribute(action.id, 40), owner=action.owner, origin=origin)
