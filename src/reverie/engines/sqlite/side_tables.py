"""The tables beside the log: actions, model replies, money, and what was mirrored to files."""

import json
from collections.abc import Sequence
from typing import Any

from reverie.engines.sqlite import rows
from reverie.engines.sqlite.database import Database
from reverie.errors import BadInput
from reverie.records import Action, ActionStatus, KeptReply, Learned, LoggedReply, Owner, Work

# An action that was learned from what is forgotten softly is told to nobody.
_NOT_HIDDEN = (
    "NOT EXISTS (SELECT 1 FROM learnings l JOIN items i ON i.user_id = l.user_id AND i.deleted_ms IS NOT NULL "
    "AND i.id IN (l.item_id, l.observation_id) WHERE l.user_id = ?1 AND l.id = pending_actions.id)"
)
_BY_PRIORITY = "CASE priority WHEN 'urgent' THEN 0 WHEN 'high' THEN 1 ELSE 2 END, created_ms, id"

_ACTION_NAMED = f"SELECT {rows.ACTION} FROM pending_actions WHERE user_id = ? AND id = ?"
_ADD_ACTION = (
    "INSERT OR IGNORE INTO pending_actions "
    "(user_id, id, version, text, priority, owner, status, project, trust, created_ms, changed_ms) "
    f"VALUES (?, ?, 1, ?, ?, ?, 'pending', ?, ?, ?, ?) RETURNING {rows.ACTION}"
)
_SET_ACTION_STATUS = (
    "UPDATE pending_actions SET status = ?, closed_by = ?, reason = ?, changed_ms = ?, "
    f"version = version + 1 WHERE user_id = ? AND id = ? RETURNING {rows.ACTION}"
)

_REPLY = "purpose, prompt_hash, text, model, input_tokens, output_tokens, nanodollars"
_KEPT_REPLY = f"{_REPLY}, position, session_id, turn, last_position, at_ms"
_OF_TURN = "user_id = ? AND session_id = ? AND turn = ? AND last_position = ?"
_ADD_REPLY = "INSERT INTO replies VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
_REPLIES_OF_TURN = f"SELECT {_REPLY} FROM replies WHERE {_OF_TURN} ORDER BY position"
_ERASE_REPLIES_OF_TURN = f"DELETE FROM replies WHERE {_OF_TURN}"
_ALL_REPLIES = f"SELECT {_KEPT_REPLY} FROM replies WHERE user_id = ? ORDER BY position"

# Values of `is_settled`: open, settled by what the server reported, settled by our own count because it reported less.
_BY_REPORT, _BY_OWN_COUNT = 1, 2
_RESERVE = "INSERT INTO spend VALUES (?, ?, ?, ?, ?, 0)"
_SETTLE = "UPDATE spend SET nanodollars = ?, is_settled = ? WHERE user_id = ? AND id = ? AND is_settled = 0"
_SPENT_ON_DAY = "SELECT coalesce(sum(nanodollars), 0) FROM spend WHERE user_id = ? AND day = ?"
_SPENT_BY_ALL_ON_DAY = "SELECT coalesce(sum(nanodollars), 0) FROM spend WHERE day = ?"
_SPENT_IN_SESSION = "SELECT coalesce(sum(nanodollars), 0) FROM spend WHERE user_id = ? AND session_id = ?"
_OWN_COUNTS_ON_DAY = "SELECT count(*) FROM spend WHERE user_id = ? AND day = ? AND is_settled = ?"
_LAST_DAY = "SELECT max(day) FROM spend WHERE user_id = ?"

_MIRROR = "data, before, position"
_LAST_WRITTEN = f"SELECT {_MIRROR} FROM mirrors WHERE user_id = ? AND name = ?"
_PUT_MIRROR = "INSERT OR REPLACE INTO mirrors VALUES (?, ?, ?, ?, ?)"


class SqliteActions:
    def __init__(self, database: Database, user: str) -> None:
        self._db = database
        self._user = user

    def version(self) -> tuple[int, ...]:
        """The same for as long as nobody has written to the actions here, and nobody elsewhere at all."""
        return self._db.action_writes, self._db.rollbacks, self._db.value("PRAGMA data_version")

    def add(self, learned: Learned) -> Action | None:
        """The action, unless there is one with this id already."""
        with self._db.write():
            self._db.action_writes += 1
            added = self._db.rows(
                _ADD_ACTION,
                (
                    self._user, learned.id, rows.storable(learned.text), learned.priority.value, learned.owner.value,
                    learned.project, learned.trust.value, learned.learned_ms, learned.learned_ms,
                ),
            )  # fmt: skip
        return rows.action(added[0]) if added else None

    def pending(self, project: str | None = None) -> list[Action]:
        return self._select(
            f"status = 'pending' AND (?2 IS NULL OR project IN (?2, '')) AND {_NOT_HIDDEN} ORDER BY {_BY_PRIORITY}",
            project,
        )

    def unfinished(self) -> list[Action]:
        """Return the actions that are not done, also those that are told to nobody."""
        return self._select("status = 'pending' AND ?2 IS NULL ORDER BY created_ms, id", None)

    def pending_among(self, action_ids: Sequence[str]) -> list[Action]:
        where = f"status = 'pending' AND id IN (SELECT value FROM json_each(?2)) AND {_NOT_HIDDEN} ORDER BY id"
        return self._select(where, json.dumps(action_ids)) if action_ids else []

    def all(self) -> list[Action]:
        return self._select("?2 IS NULL ORDER BY created_ms, id", None)

    def _select(self, where: str, argument: str | None) -> list[Action]:
        sql = f"SELECT {rows.ACTION} FROM pending_actions WHERE user_id = ?1 AND {where}"
        return self._db.records("pending_actions", rows.ACTION, rows.action, sql, (self._user, argument))

    def set_status(self, action_id: str, status: ActionStatus, by: str, reason: str, at_ms: int) -> Action:
        with self._db.write():
            asked = (self._user, action_id)
            found = self._db.record("pending_actions", rows.ACTION, rows.action, _ACTION_NAMED, asked)
            if found is None:
                raise BadInput(f'no action "{action_id}"; `reverie actions` lists them')
            if found.owner is Owner.USER and by == Owner.AGENT.value:
                raise BadInput(f'"{found.text}" is the user\'s to do; an agent cannot complete it')
            self._db.action_writes += 1
            closed = (status.value, by, reason, at_ms, self._user, action_id)
            changed = self._db.rows(_SET_ACTION_STATUS, closed)
        return rows.action(changed[0])


class SqliteReplies:
    def __init__(self, database: Database, user: str) -> None:
        self._db = database
        self._user = user

    def add(self, work: Work, reply: LoggedReply, at_ms: int) -> None:
        with self._db.write():
            self._db.execute(
                _ADD_REPLY,
                rows.sealed((
                    self._user, self._db.next_position(), work.session, work.turn, work.last_position, reply.purpose,
                    reply.prompt_hash, reply.model, rows.storable(reply.text), reply.input_tokens, reply.output_tokens,
                    reply.nanodollars, at_ms,
                )),
            )  # fmt: skip

    def of_turn(self, session: str, turn: int, last_position: int) -> list[LoggedReply]:
        asked = (self._user, session, turn, last_position)
        return self._db.records("replies", _REPLY, lambda row: LoggedReply(**_reply(row)), _REPLIES_OF_TURN, asked)

    def erase(self, work: Work) -> None:
        with self._db.write():
            self._db.execute(_ERASE_REPLIES_OF_TURN, (self._user, work.session, work.turn, work.last_position))

    def all(self) -> list[KeptReply]:
        return self._db.records("replies", _KEPT_REPLY, _kept_reply, _ALL_REPLIES, (self._user,))


def _reply(row: Sequence[Any]) -> dict[str, Any]:
    return dict(zip(_REPLY.split(", "), row, strict=True))


def _kept_reply(row: Sequence[Any]) -> KeptReply:
    *reply, position, session, turn, last_position, at_ms = row
    return KeptReply(
        **_reply(reply), position=position, session=session, turn=turn, last_position=last_position, at_ms=at_ms
    )


class SqliteSpend:
    def __init__(self, database: Database, user: str) -> None:
        self._db = database
        self._user = user

    def reserve(
        self,
        reservation_id: str,
        day: str,
        session: str,
        nanodollars: int,
        daily_ceiling: int,
        session_ceiling: int,
    ) -> bool:
        with self._db.write():
            in_session = self.in_session(session)
            # The day's ceiling is that of the store: each of its users would have it once more.
            on_day = self._db.number(_SPENT_BY_ALL_ON_DAY, (day,))
            if on_day + nanodollars > daily_ceiling or in_session + nanodollars > session_ceiling:
                return False
            self._db.execute(_RESERVE, (self._user, reservation_id, day, session, nanodollars))
        return True

    def settle(self, reservation_id: str, nanodollars: int, *, by_own_count: bool = False) -> None:
        how = _BY_OWN_COUNT if by_own_count else _BY_REPORT
        with self._db.write():
            self._db.execute(_SETTLE, (nanodollars, how, self._user, reservation_id))

    def on_day(self, day: str) -> int:
        return self._db.number(_SPENT_ON_DAY, (self._user, day))

    def own_counts_on_day(self, day: str) -> int:
        return self._db.number(_OWN_COUNTS_ON_DAY, (self._user, day, _BY_OWN_COUNT))

    def in_session(self, session: str) -> int:
        return self._db.number(_SPENT_IN_SESSION, (self._user, session))

    def last_day(self) -> str | None:
        latest: str | None = self._db.value(_LAST_DAY, (self._user,))
        return latest


class SqliteMirrors:
    def __init__(self, database: Database, user: str) -> None:
        self._db = database
        self._user = user

    def last_written(self, name: str) -> tuple[bytes, bytes, int]:
        found = self._db.record("mirrors", _MIRROR, _mirrored, _LAST_WRITTEN, (self._user, name))
        return found or (b"", b"", 0)

    def record(self, name: str, data: bytes, before: bytes) -> None:
        with self._db.write():
            self._db.execute(_PUT_MIRROR, (self._user, name, data, before, self._db.last_position()))


def _mirrored(row: Sequence[Any]) -> tuple[bytes, bytes, int]:
    data, before, position = row
    return data, before, position
