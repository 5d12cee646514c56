"""Figures about the record of one user: counted in the tables, for `status` and `doctor`."""

from reverie.engines.sqlite.database import Database
from reverie.engines.sqlite.inbox import SKIPPED_OVER_BUDGET
from reverie.records import Health

# Sessions that no agent reported: notes, what programs handed in, and what people wrote into their files.
_NOT_CAPTURED = "source NOT IN ('api', 'past', 'file')"
_WAITING = "user_id = ? AND state IN ('pending', 'leased')"
_LAST_ERROR = (
    "SELECT reason FROM inbox WHERE user_id = ? AND reason != '' AND state != 'skipped' ORDER BY id DESC LIMIT 1"
)
_CAPTURES = (
    f"SELECT project, max(last_ms) FROM sessions WHERE user_id = ? AND {_NOT_CAPTURED} "
    "GROUP BY project ORDER BY 2 DESC LIMIT 20"
)
_LATEST_EVENT = (
    f"SELECT max(occurred_ms) FROM (SELECT occurred_ms FROM observations WHERE user_id = ? AND {_NOT_CAPTURED} "
    "ORDER BY position DESC LIMIT 100)"
)


def health_of(database: Database, user: str, admitted: int) -> Health:
    """`admitted`: the place in the log up to which observations have become items."""

    def one(sql: str, *more: int) -> int:
        return database.value(sql, (user, *more)) or 0

    return Health(
        # What is there, not what sessions counted: a repair may have lost some. The count reads an index alone.
        observations=one("SELECT count(*) FROM observations WHERE user_id = ?"),
        sessions=one("SELECT count(*) FROM sessions WHERE user_id = ?"),
        learnings=one("SELECT count(*) FROM learnings WHERE user_id = ? AND superseded_by = ''"),
        unsorted_observations=one("SELECT count(*) FROM observations WHERE user_id = ? AND position > ?", admitted),
        unsorted_learnings=one("SELECT count(*) FROM learnings WHERE user_id = ? AND verdict = ''"),
        waiting=one(f"SELECT count(*) FROM inbox WHERE {_WAITING}"),
        oldest_waiting_ms=database.value(f"SELECT min(closed_ms) FROM inbox WHERE {_WAITING}", (user,)),
        dead=one("SELECT count(*) FROM inbox WHERE user_id = ? AND state = 'dead'"),
        over_budget=one(f"SELECT count(*) FROM inbox WHERE user_id = ? AND {SKIPPED_OVER_BUDGET}"),
        last_error=database.value(_LAST_ERROR, (user,)) or "",
        last_capture_ms=dict(database.rows(_CAPTURES, (user,))),
        latest_event_ms=database.value(_LATEST_EVENT, (user,)),
    )
