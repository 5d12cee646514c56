"""Work that waits: leases, attempts, dead letters. SQLite hands it out by UPDATE … RETURNING."""

from collections.abc import Iterable, Sequence

from reverie.engines.sqlite import rows
from reverie.engines.sqlite.database import Database
from reverie.errors import LeaseLost
from reverie.records import MAX_ATTEMPTS, OVER_BUDGET, Stage, Work

# A server may ask for an hour of patience, and nothing waits longer.
_LONGEST_WAIT_MS = 3_660_000
SKIPPED_OVER_BUDGET = f"state = 'skipped' AND reason LIKE '{OVER_BUDGET}:%'"
_AGAIN = "state = 'pending', attempts = 0, waits = 0, ready_ms = ?, reason = ''"
_BACK = "state = 'pending', token = '', attempts = attempts - 1"
_HELD = "user_id = ? AND id = ? AND stage = ? AND state = 'leased' AND token = ?"  # by whoever has this token
# User, stage, now, how long a lease lasts, how long anything waits. Times far ahead of the clock mean that the clock
# went back: they count as past.
_READY = (
    "user_id = ?1 AND stage = ?2 AND state IN ('pending', 'leased') "
    "AND (state = 'pending' AND (ready_ms <= ?3 OR ready_ms > ?3 + ?5)"
    " OR state = 'leased' AND (lease_until_ms <= ?3 OR lease_until_ms > ?3 + 2 * ?4))"
)

_FIRST_READY = f"SELECT attempts FROM inbox WHERE {_READY} ORDER BY attempts, {{order}} LIMIT 1"
_LEASE = (
    "UPDATE inbox SET state = 'leased', attempts = attempts + 1, lease_until_ms = ?3 + ?4, token = ?6 "
    f"WHERE user_id = ?1 AND stage = ?2 AND id IN (SELECT id FROM inbox WHERE {_READY} AND attempts = ?7 "
    f"ORDER BY {{order}} LIMIT ?8) RETURNING {rows.WORK}"
)
_BURY_VANISHED = (
    "UPDATE inbox SET state = 'dead', token = '', waits = 0, "
    "reason = 'whoever worked on it vanished, ' || attempts || ' times; ' || reason "
    f"WHERE attempts >= ?6 AND {_READY}"
)
_FINISH = f"UPDATE inbox SET state = ?, reason = ?, token = '' WHERE {_HELD}"
_FAIL = f"UPDATE inbox SET state = ?, reason = ?, ready_ms = ?, attempts = ?, waits = ?, token = '' WHERE {_HELD}"
_PUT_BACK = f"UPDATE inbox SET {_BACK} WHERE {_HELD}"
_ADD_TICK = "INSERT INTO ticks VALUES (?,?,?,?,?,?,?,?,?,?)"
_ENQUEUE = (
    "INSERT OR IGNORE INTO inbox (user_id, id, stage, session_id, turn, first_position, last_position, "
    "closed_ms, state, ready_ms, reason) VALUES (?,?,?,?,?,?,?,?,?,?,?)"
)
_COUNTS = "SELECT state, count(*) FROM inbox WHERE user_id = ? GROUP BY state"
_NEXT_READY = (
    "SELECT min(CASE state WHEN 'leased' THEN lease_until_ms ELSE ready_ms END) FROM inbox "
    "WHERE user_id = ? AND stage = ? AND state IN ('pending', 'leased')"
)


class SqliteInbox:
    def __init__(self, database: Database, user: str) -> None:
        self._db = database
        self._user = user

    def claim(self, stage: Stage, limit: int, now_ms: int, lease_ms: int, token: str) -> list[Work]:
        """Lease the next pieces that have been tried equally often.

        What has failed before is claimed in ever smaller batches (200, 25, 3, 1, 1), so that a piece that kills the
        process is alone by its fourth attempt and its neighbours are long done.

        Waiting for a model does not count as an attempt, so there the one comes first that has been ready for longest:
        a turn that no model ever answers must not keep the others waiting. Rules have longer queues, and an index.
        """
        order = "ready_ms, id" if stage is Stage.MODEL else "id"
        first, ready = _FIRST_READY.format(order=order), (self._user, stage.value, now_ms, lease_ms, _LONGEST_WAIT_MS)
        if self._db.value(first, ready) is None:
            return []
        with self._db.write():
            self._db.execute(
                _BURY_VANISHED, (*ready, MAX_ATTEMPTS)
            )  # who kills its worker never gets as far as to fail
            attempts = self._db.value(first, ready)
            if attempts is None:
                return []
            asked = (*ready, token, attempts, max(1, limit >> 3 * attempts))
            claimed = self._db.records("inbox", rows.WORK, rows.work, _LEASE.format(order=order), asked)
        return sorted(claimed, key=lambda work: work.id)

    def done(self, work: Work) -> None:
        self._finish(work, "done", "")

    def skip(self, work: Work, reason: str) -> None:
        self._finish(work, "skipped", reason)

    def _finish(self, work: Work, state: str, reason: str) -> None:
        with self._db.write():
            self._db.execute(_FINISH, (state, reason, self._user, work.id, work.stage.value, work.token))
            if not self._db.connection.changes():
                raise LeaseLost(f"turn {work.turn} of session {work.session} was given to another worker meanwhile")
            # The log says how often each turn was extracted: once, whatever happened in between.
            self._db.execute(
                _ADD_TICK,
                rows.sealed((
                    self._user, self._db.next_position(), f"{work.stage.value} {state}", work.session, work.turn,
                    work.first_position, work.last_position, reason, work.closed_ms,
                )),
            )  # fmt: skip

    def fail(self, work: Work, reason: str, retry_at_ms: int, max_attempts: int) -> bool:
        """The work says how many attempts and waits count: who does not want to count this one has taken it off."""
        is_dead = work.attempts >= max_attempts
        with self._db.write():
            self._db.execute(
                _FAIL,
                (
                    "dead" if is_dead else "pending", reason, retry_at_ms, work.attempts, work.waits,
                    self._user, work.id, work.stage.value, work.token,
                ),
            )  # fmt: skip
        return is_dead

    def put_back(self, works: Sequence[Work]) -> None:
        with self._db.write():
            self._db.execute_many(_PUT_BACK, [(self._user, work.id, work.stage.value, work.token) for work in works])

    def put_back_all(self) -> int:
        return self._change(_BACK, "state = 'leased'", ())

    def release_all(self) -> int:
        return self._change("state = 'pending', token = ''", "state = 'leased'", ())

    def enqueue(self, work: Work, stage: Stage, now_ms: int, skip_reason: str = "") -> None:
        with self._db.write():
            self._db.execute(
                _ENQUEUE,
                (
                    self._user, work.id, stage.value, work.session, work.turn, work.first_position, work.last_position,
                    work.closed_ms, "skipped" if skip_reason else "pending", now_ms, skip_reason,
                ),
            )  # fmt: skip

    def retry(self, ids: Iterable[int] | None, now_ms: int) -> int:
        if ids is None:
            return self._change(_AGAIN, "state = 'dead'", (), now_ms)
        return sum(self._change(_AGAIN, "state IN ('dead', 'skipped') AND id = ?", (one,), now_ms) for one in ids)

    def ask_again(self, work: Work, now_ms: int) -> None:
        self._change(_AGAIN, "state = 'done' AND id = ? AND stage = 'model'", (work.id,), now_ms)

    def retry_over_budget(self, now_ms: int) -> int:
        return self._change(_AGAIN, SKIPPED_OVER_BUDGET, (), now_ms)

    def revive(self, since_ms: int, now_ms: int) -> int:
        return self._change(_AGAIN, "state = 'dead' AND waits > 0 AND closed_ms >= ?", (since_ms,), now_ms)

    def _change(self, assignments: str, where: str, arguments: Sequence[object], *values: object) -> int:
        selection = f"SELECT 1 FROM inbox WHERE user_id = ? AND {where} LIMIT 1"
        if self._db.value(selection, (self._user, *arguments)) is None:
            return 0
        with self._db.write():
            self._db.execute(
                f"UPDATE inbox SET {assignments} WHERE user_id = ? AND {where}",
                (*values, self._user, *arguments),
            )
            return self._db.connection.changes()

    def listing(self, states: Sequence[str], limit: int = 100) -> list[Work]:
        marks = ",".join("?" * len(states))
        # The place of a state's name among the names is its place in the list: none of them is part of another.
        order = "ORDER BY instr(?, state), id LIMIT ?"
        sql = f"SELECT {rows.WORK} FROM inbox WHERE user_id = ? AND state IN ({marks}) {order}"
        return self._db.records("inbox", rows.WORK, rows.work, sql, (self._user, *states, " ".join(states), limit))

    def counts(self) -> dict[str, int]:
        return dict(self._db.records("inbox", "state", tuple, _COUNTS, (self._user,)))

    def next_ready_ms(self, stage: Stage) -> int | None:
        """Return when the next piece may be claimed: one that waits, or one whose lease will have run out."""
        soonest: int | None = self._db.value(_NEXT_READY, (self._user, stage.value))
        return soonest
