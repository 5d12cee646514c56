"""List active goals, most pressing first."""

from reverie.compose.markup import Markup, Origin, tag
from reverie.compose.trinket import EventAwareTrinket, TrinketContext
from reverie.compose.trinkets.bounds import attribute, group, line, listed
from reverie.records import Goal, GoalStatus, Priority

_RANKS = {priority: rank for rank, priority in enumerate(Priority)}


class GoalsTrinket(EventAwareTrinket):
    """Shows active goals with how far they have come."""

    reads = ("goals",)

    def _get_variable_name(self) -> str:
        return "goals"

    def generate_content(self, context: TrinketContext) -> Markup:
        active = [it for it in context.inputs.goals if it.status is GoalStatus.ACTIVE]
        active.sort(key=lambda it: _RANKS[it.priority])
        return group("goals", listed(active, _goal, "`reverie goals` lists them", most=20))


def _goal(goal: Goal) -> Markup:
    return tag(
        "goal",
        line(goal.text),
        id=attribute(goal.id, 40),
        priority=goal.priority,
        horizon=goal.horizon,
        progress=f"{goal.progress:.0%}",
        origin=Origin(0, "goal", goal.id, f"an active goal, {goal.progress:.0%} done"),
    )
