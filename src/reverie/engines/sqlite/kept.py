"""What is kept beside the log: actions, model replies, money, and what was mirrored to files."""

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
                "INSERT OR IGNORE INTO pending_actions "
                "(user_id, id, version, text, priority, owner, status, project, trust, created_ms, changed_ms) "
                f"VALUES (?, ?, 1, ?, ?, ?, 'pending', ?, ?, ?, ?) RETURNING {rows.ACTION}",
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
        """What is not done, also what is told to nobody."""
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
            found = self._db.record(
                "pending_actions",
                rows.ACTION,
                rows.action,
                f"SELECT {rows.ACTION} FROM pending_actions WHERE user_id = ? AND id = ?",
                (self._user, action_id),
            )
            if found is None:
                raise BadInput(f'no action "{action_id}"; `reverie actions` lists them')
            if found.owner is Owner.USER and by == Owner.AGENT.value:
                raise BadInput(f'"{found.text}" is the user\'s to do; an agent cannot complete it')
            self._db.action_writes += 1
            changed = self._db.rows(
                "UPDATE pending_actions SET status = ?, closed_by = ?, reason = ?, changed_ms = ?, "
                f"version = version + 1 WHERE user_id = ? AND id = ? RETURNING {rows.ACTION}",
                (status.value, by, reason, at_ms, self._user, action_id),
            )
        return rows.action(changed[0])


class SqliteReplies:
    def __init__(self, database: Database, user: str) -> None:
        self._db = database
        self._user = user

    def add(self, work: Work, reply: LoggedReply, at_ms: int) -> None:
        with self._db.write():
            self._db.execute(
                "INSERT INTO replies VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
                rows.sealed((
                    self._user, self._db.next_position(), work.session, work.turn, work.last_position, reply.purpose,
                    reply.prompt_hash, reply.model, rows.storable(reply.text), reply.input_tokens, reply.output_tokens,
                    reply.nanodollars, at_ms,
                )),
            )  # fmt: skip

    def of_turn(self, session: str, turn: int, last_position: int) -> list[LoggedReply]:
        return self._db.records(
            "replies",
            _REPLY,
            lambda row: LoggedReply(**_reply(row)),
            f"SELECT {_REPLY} FROM replies "
            "WHERE user_id = ? AND session_id = ? AND turn = ? AND last_position = ? ORDER BY position",
            (self._user, session, turn, last_position),
        )

    def erase(self, work: Work) -> None:
        with self._db.write():
            where = "user_id = ? AND session_id = ? AND turn = ? AND last_position = ?"
            of_turn = (self._user, work.session, work.turn, work.last_position)
            self._db.execute(f"DELETE FROM replies WHERE {where}", of_turn)

    def all(self) -> list[KeptReply]:
        columns = f"{_REPLY}, position, session_id, turn, last_position, at_ms"
        sql = f"SELECT {columns} FROM replies WHERE user_id = ? ORDER BY position"
        return self._db.records("replies", columns, _kept_reply, sql, (self._user,))


_REPLY = "purpose, prompt_hash, text, model, input_tokens, output_tokens, nanodollars"


def _reply(row: Sequence[Any]) -> dict[str, Any]:
    return dict(zip(_REPLY.split(", "), row, strict=False))


def _kept_reply(row: Sequence[Any]) -> KeptReply:
    return KeptReply(**_reply(row), position=row[7], session=row[8], turn=row[9], last_position=row[10], at_ms=row[11])


# Values of `is_settled`: open, settled by what the server reported, settled by our own count because it reported less.
_BY_REPORT, _BY_OWN_COUNT = 1, 2


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
            if self.on_day(day) + nanodollars > daily_ceiling or in_session + nanodollars > session_ceiling:
                return False
            self._db.execute(
                "INSERT INTO spend VALUES (?, ?, ?, ?, ?, 0)", (self._user, reservation_id, day, session, nanodollars)
            )
        return True

    def settle(self, reservation_id: str, nanodollars: int, *, by_own_count: bool = False) -> None:
        how = _BY_OWN_COUNT if by_own_count else _BY_REPORT
        with self._db.write():
            self._db.execute(
                "UPDATE spend SET nanodollars = ?, is_settled = ? WHERE user_id = ? AND id = ? AND is_settled = 0",
                (nanodollars, how, self._user, reservation_id),
            )

    def on_day(self, day: str) -> int:
        return self._sum("day = ?", day)

    def own_counts_on_day(self, day: str) -> int:
        sql = "SELECT count(*) FROM spend WHERE user_id = ? AND day = ? AND is_settled = ?"
        return self._db.number(sql, (self._user, day, _BY_OWN_COUNT))

    def in_session(self, session: str) -> int:
        return self._sum("session_id = ?", session)

    def last_day(self) -> str | None:
        latest: str | None = self._db.value("SELECT max(day) FROM spend WHERE user_id = ?", (self._user,))
        return latest

    def _sum(self, where: str, argument: str) -> int:
        sql = f"SELECT coalesce(sum(nanodollars), 0) FROM spend WHERE user_id = ? AND {where}"
        return self._db.number(sql, (self._user, argument))


class SqliteMirrors:
    def __init__(self, database: Database, user: str) -> None:
        self._db = database
        self._user = user

    def last_written(self, name: str) -> tuple[bytes, bytes, int]:
        columns = "data, before, position"
        sql = f"SELECT {columns} FROM mirrors WHERE user_id = ? AND name = ?"
        found = self._db.record("mirrors", columns, lambda row: (row[0], row[1], row[2]), sql, (self._user, name))
        return found or (b"", b"", 0)

    def record(self, name: str, data: bytes, before: bytes) -> None:
        with self._db.write():
            self._db.execute(
                "INSERT OR REPLACE INTO mirrors VALUES (?, ?, ?, ?, ?)",
                (self._user, name, data, before, self._db.last_position()),
            )
