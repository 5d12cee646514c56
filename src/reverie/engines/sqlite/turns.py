"""Turns as an extraction looks at them: read from the log, or known from what has just been written to it.

A row of the log never changes, and its place is given again only after a rollback. So what was read or written stays
true until something is erased or taken back; and a turn is mostly distilled by the process that has just taken it in.
"""

import json
from collections.abc import Iterable, Sequence

from reverie.engines.sqlite import rows
from reverie.engines.sqlite.database import Database
from reverie.errors import BadInput
from reverie.foundation.sized_cache import SizedCache
from reverie.records import Kind, Observation, Stage, Turn, Work

_BEFORE = 10  # observations of context that an extraction gets: enough to know what "it" is
_EARLIER_TOOLS = 50  # tool calls back in which a repeated sequence is looked for
_END = 1 << 62  # beyond every place in the log
_ROOM = 5_000_000  # characters of what was written, and of what was read, that are kept for the next to ask
_TURNS_OF_CONTEXT = 10  # about; what a turn is taken to hold beside its own


class Turns:
    """The closed turns of one user."""

    def __init__(self, database: Database, user: str) -> None:
        self._db = database
        self._user = user
        self._known = SizedCache[int, tuple[Observation, int]](_ROOM)  # by place, with the characters of its row
        self._read = SizedCache[int, Turn](_ROOM)  # by work
        self._last = SizedCache[str, tuple[Turn, int]](_ROOM)  # by session, with about what it holds
        self._undone: tuple[int, int | None] = 0, None

    def wrote(self, written: Iterable[tuple[Observation, int]]) -> None:
        """Know these, with the characters of their rows, without reading them: they are what a read would give."""
        self._leave_what_was_undone()
        for one, chars in written:
            self._known.add(one.position, (one, chars), chars)

    def turn(self, work: Work) -> Turn:
        """The observations of a closed turn, with what came before them in the session."""
        self._leave_what_was_undone()
        if known := self._read.get(work.id):
            return known
        own = self._find(
            work.last_position,
            "session_id = ? AND position BETWEEN ? AND ? ORDER BY position",
            (work.session, work.first_position, work.last_position),
        )
        if not own:
            raise BadInput(f"turn {work.turn} of session {work.session} has no observations left")
        last, held = self._last.get(work.session) or (None, 0)
        before, tools = self._earlier(work, last)
        turn = Turn(
            work.session, work.turn, tuple(own), tuple(before), tuple(tools), own[0].project, work.last_position
        )
        chars = self._chars(own)
        self._read.add(work.id, turn, chars)
        held = max(chars * _TURNS_OF_CONTEXT, held - held // _TURNS_OF_CONTEXT)
        self._last.add(work.session, (turn, held), held)
        return turn

    def _chars(self, observations: Iterable[Observation]) -> int:
        known = [self._known.get(o.position) for o in observations]
        return sum([one[1] for one in known if one])

    def _leave_what_was_undone(self) -> None:
        erased = self._db.value("SELECT max(position) FROM tombstones WHERE user_id = ?", (self._user,))
        if (undone := (self._db.rollbacks, erased)) != self._undone:
            self._undone = undone
            self._known.clear()
            self._read.clear()
            self._last.clear()

    def _earlier(self, work: Work, last: Turn | None) -> tuple[Sequence[Observation], Sequence[Observation]]:
        """Return the observations before a turn, and the tool calls among them. The turn before this one knows both."""
        if last and last.last_position == work.first_position - 1:
            called = [o for o in last.observations if o.kind is Kind.TOOL_CALL]
            before = [*last.before, *last.observations][-_BEFORE:]
            return before, [*last.earlier_tools, *called][-_EARLIER_TOOLS:]
        latest, where = work.first_position - 1, (work.session, work.first_position)
        before = self._find(latest, "session_id = ? AND position < ? ORDER BY position DESC LIMIT ?", (*where, _BEFORE))
        tools = self._find(
            latest,
            "session_id = ? AND position < ? AND kind = 'tool_call' ORDER BY position DESC LIMIT ?",
            (*where, _EARLIER_TOOLS),
        )
        return before[::-1], tools[::-1]

    def _find(self, newest: int, where: str, arguments: Sequence[object]) -> list[Observation]:
        """Like `observations`. Of what was written or read a moment ago only the index is asked, what is there."""
        if self._known.get(newest):
            sql = f"SELECT position FROM observations WHERE user_id = ? AND {where}"
            found = [self._known.get(place) for (place,) in self._db.rows(sql, (self._user, *arguments))]
            if None not in found:
                return [one[0] for one in found if one]
        read = _rows(self._db, self._user, where, arguments)
        for one, chars in read:
            self._known.add(one.position, (one, chars), chars)
        return [one for one, _ in read]


def works_that_saw(db: Database, user: str, ids: Sequence[str]) -> list[Work]:
    """The extractions of turns with one of these observations in them, or shortly before them.

    By rules those that are done; by a model also those that failed: a reply may have been logged before the failure.
    """
    seen = (
        "SELECT session_id, min(position) AS first, max(position) AS last FROM observations "
        "WHERE user_id = ?1 AND id IN (SELECT value FROM json_each(?2)) GROUP BY session_id"
    )
    after = (
        "SELECT position FROM observations o WHERE o.user_id = ?1 AND o.session_id = s.session_id AND position > last"
    )
    reach = [
        f"coalesce(({after} {which} ORDER BY position LIMIT 1 OFFSET {count}), {_END})"
        for which, count in (("", _BEFORE), ("AND kind = 'tool_call'", _EARLIER_TOOLS))
    ]
    spans = db.rows(f"SELECT session_id, first, max({', '.join(reach)}) FROM ({seen}) s", (user, json.dumps(list(ids))))
    sql = (
        f"SELECT {rows.WORK} FROM inbox WHERE user_id = ? AND (state = 'done' OR stage = 'model') AND session_id = ? "
        "AND last_position >= ? AND first_position <= ?"
    )
    works = [rows.work(row) for span in spans for row in db.rows(sql, (user, *span))]
    return sorted(works, key=lambda work: (work.id, work.stage is not Stage.RULES))


def observations(db: Database, user: str, where: str, arguments: Sequence[object]) -> list[Observation]:
    """A user's observations that fulfil a condition."""
    return [one for one, _ in _rows(db, user, where, arguments)]


def _rows(db: Database, user: str, where: str, arguments: Sequence[object]) -> list[tuple[Observation, int]]:
    sql = f"SELECT {rows.OBSERVATION}, length(text) + length(data) FROM observations WHERE user_id = ? AND {where}"
    return db.records(
        "observations", rows.OBSERVATION, lambda row: (rows.observation(row[:-1]), row[-1]), sql, (user, *arguments)
    )
