"""Reminders: the person's and the agent's own apart, and in each what is overdue, due today, and coming up."""

from collections.abc import Sequence
from datetime import datetime

from reverie.compose.markup import Markup, Origin, tag
from reverie.compose.trinket import EventAwareTrinket, TrinketContext
from reverie.compose.trinkets.bounds import attribute, group, line, listed
from reverie.compose.trinkets.spans import in_words
from reverie.records.prompt_inputs import Reminder

_MOST = {"overdue": 20, "today": 20, "upcoming": 10}  # what comes later can wait until it is nearer


class ReminderManager(EventAwareTrinket):
    """Shows reminders that are not done, by when they are due in the person's time zone."""

    reads = ("reminders",)

    def _get_variable_name(self) -> str:
        return "active_reminders"

    def generate_content(self, context: TrinketContext) -> Markup:
        active = sorted((it for it in context.inputs.reminders if it.status == "active"), key=lambda it: it.due_ms)
        owners = {
            "user_reminders": [it for it in active if it.kind != "internal"],
            "internal_reminders": [it for it in active if it.kind == "internal"],
        }
        return group(
            "active_reminders",
            [group(name, _by_time(reminders, context.now)) for name, reminders in owners.items() if reminders],
        )


def _by_time(reminders: Sequence[Reminder], now: datetime) -> list[Markup]:
    groups: dict[str, list[Reminder]] = {"overdue": [], "today": [], "upcoming": []}
    for reminder in reminders:
        groups[_when(_due(reminder, now), now)].append(reminder)
    return [
        group(name, listed(those, lambda it: _reminder(it, now), "`reverie reminders` lists them", most=_MOST[name]))
        for name, those in groups.items()
        if those
    ]


def _when(due: datetime, now: datetime) -> str:
    if due < now:
        return "overdue"
    return "today" if due.date() == now.date() else "upcoming"


def _reminder(reminder: Reminder, now: datetime) -> Markup:
    due = _due(reminder, now)
    late = in_words(int((now - due).total_seconds() * 1000)) if due < now else None
    said = line(reminder.title) + (f" ({line(reminder.note)})" if reminder.note.strip() else "")
    why = f"due {due:%Y-%m-%d %H:%M}"
    return tag(
        "reminder",
        said,
        id=attribute(reminder.id, 40),
        due=f"{due:%a %d %b %Y %H:%M}",
        late=late,
        origin=Origin(0, "reminder", reminder.id, why),
    )


def _due(reminder: Reminder, now: datetime) -> datetime:
    return datetime.fromtimestamp(reminder.due_ms / 1000, now.tzinfo)
