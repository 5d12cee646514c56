"""The punchclock: time that is spent on things. Running -> paused -> running -> completed, several at once.

Who forgot to say it in time gives an offset into the past, such as -10m.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import Any, Literal

from reverie.errors import BadInput
from reverie.language.durations import length, milliseconds
from reverie.language.moments import day_of, local, spelled, written
from reverie.records import JSON
from reverie.records.prompt_inputs import Punch, Punches, PunchState
from reverie.tools.check_input import Clean, one_line, several_lines, the_one
from reverie.tools.operations import OperationTool, operation

MAX_LABEL, MAX_NOTE = 200, 5_000
_STATES = tuple(state.value for state in PunchState)
_POSSIBLE = {
    PunchState.RUNNING: "pause or complete it",
    PunchState.PAUSED: "resume or complete it",
    PunchState.COMPLETED: "edit or delete it, or start a new one",
}


@dataclass(frozen=True, slots=True)
class PunchclockStatus:
    """The punches that run or are paused now, and the time that was spent today, also on completed ones."""

    running: Sequence[Punch]
    paused: Sequence[Punch]
    today_ms: int


class PunchclockTool(OperationTool):
    """Time spent by one person. Secrets are taken out of labels and notes before they are kept."""

    name = "punchclock"
    description = (
        "Tracks time spent on things; several may run at once. "
        'What happened a while ago has an offset: "-10m", "-1h30m"; it cannot lie ahead, nor before the last change. '
        "An id may be shortened to its first or last characters, or be the label, as long as only one fits."
    )

    def __init__(
        self, punches: Punches, new_id: Callable[[int], str], now_ms: Callable[[], int], zone: tzinfo, clean: Clean
    ) -> None:
        self._punches = punches
        self._new_id = new_id
        self._now_ms = now_ms
        self.zone = zone
        self._clean = clean

    @operation
    def start(self, label: str, note: str = "", offset: str = "") -> Punch:
        """Begin to count time for something new."""
        now = self._now_ms()
        begin = now - _ago_ms(offset)
        if begin < 0:
            raise BadInput(f"the offset {offset!r} reaches back before 1970; give a shorter one, such as -10m")
        punch = Punch(
            id=self._new_id(now),
            label=one_line(label, "label", MAX_LABEL, self._clean),
            state=PunchState.RUNNING,
            intervals=((begin, None),),
            note=several_lines(note, "note", MAX_NOTE, self._clean),
            created_ms=begin,
        )
        return self._punches.put(punch)

    @operation
    def pause(self, id: str, offset: str = "") -> Punch:
        """Stop counting for a while."""
        punch = self._in_state(id, "pause", PunchState.RUNNING)
        return self._put(replace(self._closed(punch, offset), state=PunchState.PAUSED))

    @operation
    def resume(self, id: str, offset: str = "") -> Punch:
        """Count again after a pause."""
        punch = self._in_state(id, "resume", PunchState.PAUSED)
        intervals = (*punch.intervals, (self._when(punch, offset), None))
        return self._put(replace(punch, state=PunchState.RUNNING, intervals=intervals))

    @operation
    def complete(self, id: str, note: str = "", offset: str = "") -> Punch:
        """Stop counting for good; a note is added to the one that is there."""
        punch = self._in_state(id, "complete", PunchState.RUNNING, PunchState.PAUSED)
        ended = self._when(punch, offset)
        whole = "\n".join(part for part in (punch.note, note.strip()) if part)
        return self._put(
            replace(
                self._closed(punch, offset),
                state=PunchState.COMPLETED,
                completed_ms=ended,
                note=several_lines(whole, "note", MAX_NOTE, self._clean),
            )
        )

    @operation
    def edit(self, id: str, label: str | None = None, note: str | None = None) -> Punch:
        """Change a label or a note; what is not given stays."""
        punch = self.get(id)
        if label is None and note is None:
            raise BadInput("say what to change: label or note")
        if label is not None:
            punch = replace(punch, label=one_line(label, "label", MAX_LABEL, self._clean))
        if note is not None:
            punch = replace(punch, note=several_lines(note, "note", MAX_NOTE, self._clean))
        return self._put(punch)

    @operation
    def list(self, state: Literal["running", "paused", "completed"] | None = None) -> Sequence[Punch]:
        """List everything in the order it began, or only what is running, paused or completed."""
        if state is not None and state not in _STATES:
            raise BadInput(f"no state {state!r}; there are {', '.join(_STATES)}")
        return [one for one in self._punches.all() if state is None or one.state.value == state]

    @operation
    def status(self) -> PunchclockStatus:
        """Say what is running, what is paused, and how much time was spent today."""
        now, punches = self._now_ms(), self._punches.all()
        begin, _ = day_of(local(now, self.zone).date(), self.zone)
        return PunchclockStatus(
            [one for one in punches if one.state is PunchState.RUNNING],
            [one for one in punches if one.state is PunchState.PAUSED],
            sum(one.spent_ms(now) - _before(one, begin, now) for one in punches),
        )

    @operation
    def delete(self, id: str) -> Punch:
        """Delete one for good, with the time that was counted; the answer is what it was."""
        punch = self.get(id)
        if not self._punches.remove(punch.id):
            raise BadInput(f"{punch.id} ({punch.label}) is gone already")
        return punch

    def told(self, result: Any) -> JSON:
        """A result as a program or a model is told of it: times in the person's zone, lengths in words."""
        if isinstance(result, PunchclockStatus):
            return {
                "running": self.told(result.running),
                "paused": self.told(result.paused),
                "today": length(result.today_ms),
                "today_ms": result.today_ms,
            }
        if not isinstance(result, Punch):
            return [self.told(one) for one in result]
        spent = result.spent_ms(self._now_ms())
        intervals: JSON = [
            {"from": written(begin, self.zone), "to": None if end is None else written(end, self.zone)}
            for begin, end in result.intervals
        ]
        return {
            "id": result.id,
            "label": result.label,
            "state": result.state.value,
            "spent": length(spent),
            "spent_ms": spent,
            "intervals": intervals,
            "note": result.note,
        }

    def get(self, id: str) -> Punch:
        """Return the punch that is meant by an id, a part of one or a label."""
        return self._punches.get(id) or the_one(id, self._punches.all(), "punch", _label, "punches")

    def _in_state(self, id: str, doing: str, *able: PunchState) -> Punch:
        """The one that is meant, if it can be done to it. Of several with one label, the one to which it can."""
        called = [one for one in self._punches.all() if one.label.casefold() == id.strip().casefold()]
        fitting = [one for one in called if one.state in able]
        punch = fitting[0] if len(fitting) == 1 else self.get(id)
        if punch.state not in able:
            way_out = _POSSIBLE[punch.state]
            raise BadInput(f"cannot {doing} {punch.id} ({punch.label}): it is {punch.state.value}; one can {way_out}")
        return punch

    def _when(self, punch: Punch, offset: str) -> int:
        """Return when it happened: now, or so long ago; never before the last change."""
        ago, now = _ago_ms(offset), self._now_ms()
        begin, end = punch.intervals[-1]
        last, what = (begin, "began") if end is None else (end, "was paused")
        if ago and now - ago < last:
            raise BadInput(
                f"the offset {offset!r} reaches back before {punch.label} {what}, {spelled(last, self.zone)}; "
                f"at most -{length(now - last).replace(' ', '')} is possible"
            )
        return max(now - ago, last)  # a clock that was set back must not make time negative

    def _closed(self, punch: Punch, offset: str) -> Punch:
        begin, end = punch.intervals[-1]
        if end is not None:
            return punch
        return replace(punch, intervals=(*punch.intervals[:-1], (begin, self._when(punch, offset))))

    def _put(self, changed: Punch) -> Punch:
        return self._punches.put(changed, changed.version)


def _label(punch: Punch) -> str:
    return punch.label


def _before(punch: Punch, moment_ms: int, now_ms: int) -> int:
    """Return the milliseconds of the spent time that lie before a moment."""
    return sum(max(0, min(now_ms if end is None else end, moment_ms) - begin) for begin, end in punch.intervals)


def _ago_ms(offset: str) -> int:
    """Parse how long ago: -10m, -1h30m, 10 minutes ago; nothing is now.

    >>> _ago_ms("-1h30m"), _ago_ms("10 minutes ago"), _ago_ms("")
    (5400000, 600000, 0)
    """
    text = offset.strip().casefold().replace("−", "-")  # a minus as typesetters write it
    if not text:
        return 0
    if text.startswith("+"):
        raise BadInput(f"the offset {offset!r} lies ahead; time is counted until now: write -10m for ten minutes ago")
    ago = milliseconds(text.removeprefix("-").removesuffix("ago").strip())
    if ago is None or not (text.startswith("-") or text.endswith("ago")):
        raise BadInput(f"the offset {offset!r} cannot be read; write -10m, -1h30m or 10 minutes ago")
    return ago
