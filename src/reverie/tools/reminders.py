"""Reminders: something to be told at a time, said as people say it in their own zone, kept in UTC."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta, tzinfo
from typing import Any, Literal, get_args

from reverie.errors import BadInput
from reverie.foundation.as_json import plain_json
from reverie.language.moments import EXAMPLES, day_of, local, moment, spelled, stretch, written
from reverie.records import JSON
from reverie.records.prompt_inputs import Reminder, Reminders
from reverie.tools.check_input import Clean, one_line, several_lines, the_one
from reverie.tools.operations import OperationTool, operation

MAX_TITLE, MAX_NOTE = 500, 5_000
Kind = Literal["user", "internal"]
When = Literal["today", "tomorrow", "upcoming", "overdue", "all", "done"]


class ReminderTool(OperationTool):
    """Reminders of one person. Secrets are taken out of titles and notes before they are kept."""

    name = "reminders"
    description = (
        "Reminders for the person (kind user) and for yourself (kind internal). "
        f"Give times as people say them, in the person's own time zone: {EXAMPLES}. "
        "An id may be shortened to its first or last characters, as long as only one fits."
    )
    hints = "Tell the person the day and time that a reminder was set for, as the answer has it."

    def __init__(
        self,
        reminders: Reminders,
        new_id: Callable[[int], str],
        now_ms: Callable[[], int],
        zone: tzinfo,
        clean: Clean,
    ) -> None:
        self._reminders = reminders
        self._new_id = new_id
        self._now_ms = now_ms
        self.zone = zone
        self._clean = clean

    @operation
    def add(self, title: str, when: str, note: str = "", kind: Kind = "user") -> Reminder:
        """Set a reminder for a time that is ahead; kind is user or internal."""
        now = self._now_ms()
        if kind not in get_args(Kind):
            raise BadInput(f"no kind {kind!r} of reminder; it is user (for the person) or internal (for the agent)")
        reminder = Reminder(
            id=self._new_id(now),
            title=one_line(title, "title of a reminder", MAX_TITLE, self._clean),
            due_ms=moment(when, now, self.zone),
            note=several_lines(note, "note of a reminder", MAX_NOTE, self._clean),
            kind=kind,
            created_ms=now,
            changed_ms=now,
        )
        return self._reminders.put(reminder)

    @operation
    def list(self, when: When = "upcoming") -> Sequence[Reminder]:
        """List reminders by the time they are due; when is today, tomorrow, upcoming, overdue, all or done."""
        now = self._now_ms()
        if when in ("all", "done"):
            return self._reminders.all(None if when == "all" else "done")
        active = self._reminders.all("active")
        if when == "overdue":
            return [one for one in active if one.due_ms <= now]
        if when == "upcoming":
            return [one for one in active if one.due_ms > now]
        if when not in ("today", "tomorrow"):
            raise BadInput(f"no list {when!r} of reminders; there are {', '.join(get_args(When))}")
        day = local(now, self.zone).date() + timedelta(days=when == "tomorrow")
        begin, end = day_of(day, self.zone)
        return [one for one in active if begin <= one.due_ms < end]

    @operation
    def range(self, start: str, end: str) -> Sequence[Reminder]:
        """List all reminders from a start to an end, which may be days (both included) or times, past or ahead."""
        now = self._now_ms()
        begin, until = stretch(start, now, self.zone)[0], stretch(end, now, self.zone)[1]
        if begin >= until:
            raise BadInput(
                f"{start!r} is {spelled(begin, self.zone)}, which is not before {end!r}, "
                f"{spelled(until, self.zone)}; give the earlier one first"
            )
        return [one for one in self._reminders.all(None) if begin <= one.due_ms < until]

    @operation
    def get(self, id: str) -> Reminder:
        """Show one reminder whole."""
        return self._reminders.get(id) or the_one(id, self._reminders.all(None), "reminder", _title)

    @operation
    def complete(self, id: str) -> Reminder:
        """Say that a reminder is done."""
        reminder = self.get(id)
        if reminder.status == "done":
            raise BadInput(f"reminder {reminder.id} ({reminder.title}) is done already; `reopen` makes it active again")
        return self._put(replace(reminder, status="done"))

    @operation
    def reopen(self, id: str) -> Reminder:
        """Make a reminder that was done active again, at the time it had."""
        reminder = self.get(id)
        if reminder.status == "active":
            raise BadInput(
                f"reminder {reminder.id} ({reminder.title}) is active; only one that is done can be reopened"
            )
        return self._put(replace(reminder, status="active"))

    @operation
    def update(self, id: str, title: str | None = None, when: str | None = None, note: str | None = None) -> Reminder:
        """Change the title, the time or the note of a reminder; what is not given stays."""
        reminder = self.get(id)
        if title is None and when is None and note is None:
            raise BadInput("say what to change of the reminder: title, when or note")
        if when is not None and reminder.status == "done":
            raise BadInput(f"reminder {reminder.id} ({reminder.title}) is done; `reopen` it before it gets a new time")
        if title is not None:
            reminder = replace(reminder, title=one_line(title, "title of a reminder", MAX_TITLE, self._clean))
        if when is not None:
            reminder = replace(reminder, due_ms=moment(when, self._now_ms(), self.zone))
        if note is not None:
            reminder = replace(reminder, note=several_lines(note, "note of a reminder", MAX_NOTE, self._clean))
        return self._put(reminder)

    @operation
    def delete(self, id: str) -> Reminder:
        """Delete a reminder for good; the answer is what it was."""
        reminder = self.get(id)
        if not self._reminders.remove(reminder.id):
            raise BadInput(f"reminder {reminder.id} ({reminder.title}) is gone already")
        return reminder

    def told(self, result: Any) -> JSON:
        """A reminder as a program or a model is told of it: times in the person's zone."""
        if not isinstance(result, Reminder):
            return [self.told(one) for one in result]
        return plain_json({
            "id": result.id,
            "title": result.title,
            "due": written(result.due_ms, self.zone),
            "due_in_words": spelled(result.due_ms, self.zone),
            "note": result.note,
            "kind": result.kind,
            "status": result.status,
            "overdue": result.status == "active" and result.due_ms <= self._now_ms(),
            "created": written(result.created_ms, self.zone),
        })  # fmt: skip

    def _put(self, changed: Reminder) -> Reminder:
        return self._reminders.put(replace(changed, changed_ms=self._now_ms()), changed.version)


def _title(reminder: Reminder) -> str:
    return reminder.title
