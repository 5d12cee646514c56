"""Goals and questions: kept for the person and the agent, guarded by version numbers."""

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Any, TypeVar

from reverie.engines.sqlite import rows
from reverie.engines.sqlite.database import Database
from reverie.errors import BadInput, StaleVersion
from reverie.records import Goal, GoalStatus, Horizon, Priority, Question

Kept = TypeVar("Kept", Goal, Question)

_GOAL = "id, text, priority, horizon, status, progress, project, created_ms, changed_ms, version"
_QUESTION = "id, text, answer, project, created_ms, changed_ms, version"
# User, whether all of them, project.
_GOALS = (
    f"SELECT {_GOAL} FROM goals WHERE user_id = ?1 AND (?2 OR status = 'active') "
    "AND (?3 IS NULL OR project IN (?3, '')) "
    "ORDER BY CASE priority WHEN 'urgent' THEN 0 WHEN 'high' THEN 1 ELSE 2 END, created_ms, id"
)
_QUESTIONS = (
    f"SELECT {_QUESTION} FROM questions WHERE user_id = ?1 AND (?2 OR answer = '') "
    "AND (?3 IS NULL OR project IN (?3, '')) ORDER BY created_ms, id"
)


class SqliteGoals:
    def __init__(self, database: Database, user: str) -> None:
        self._db = database
        self._user = user

    def add_goal(self, goal: Goal) -> None:
        self._insert("goals", _GOAL, goal)

    def add_question(self, question: Question) -> None:
        self._insert("questions", _QUESTION, question)

    def goals(self, project: str | None = None, *, everything: bool = False) -> list[Goal]:
        """Return the active goals, most pressing first; with `everything` also those that are over."""
        return self._db.records("goals", _GOAL, _goal, _GOALS, (self._user, everything, project))

    def questions(self, project: str | None = None, *, everything: bool = False) -> list[Question]:
        return self._db.records("questions", _QUESTION, _question, _QUESTIONS, (self._user, everything, project))

    def change_goal(self, goal_id: str, version: int | None, change: Callable[[Goal], Goal]) -> Goal:
        """Change a goal that is still at this version, else say that somebody else was first."""
        with self._db.write():
            found = _find(self.goals(everything=True), goal_id, version, "goals")
            changed = replace(change(found), version=found.version + 1)
            self._update("goals", changed)
        return changed

    def change_question(self, question_id: str, version: int | None, answer: str, at_ms: int) -> Question:
        with self._db.write():
            found = _find(self.questions(everything=True), question_id, version, "questions")
            changed = replace(found, answer=answer, changed_ms=at_ms, version=found.version + 1)
            self._update("questions", changed)
        return changed

    def _insert(self, table: str, columns: str, kept: Goal | Question) -> None:
        values = [_plain(getattr(kept, name)) for name in columns.split(", ")]
        with self._db.write():
            self._db.execute(
                f"INSERT OR IGNORE INTO {table} (user_id, {columns}) VALUES ({', '.join('?' * (len(values) + 1))})",
                (self._user, *values),
            )

    def _update(self, table: str, kept: Goal | Question) -> None:
        names = [field.name for field in fields(kept) if field.name != "id"]
        self._db.execute(
            f"UPDATE {table} SET {', '.join(f'{name} = ?' for name in names)} WHERE user_id = ? AND id = ?",
            (*(_plain(getattr(kept, name)) for name in names), self._user, kept.id),
        )


def _find(present: Sequence[Kept], wanted: str, version: int | None, where: str) -> Kept:
    found = next((one for one in present if one.id == wanted), None)
    if found is None:
        raise BadInput(f'there is nothing with the id "{wanted}" among the {where}')
    if version is not None and found.version != version:
        raise StaleVersion(f"{wanted} is at version {found.version}, not {version}: read it again")
    return found


def _plain(value: object) -> object:
    return rows.storable(str(value)) if isinstance(value, str) else value


def _question(row: Sequence[Any]) -> Question:
    return Question(**dict(zip(_QUESTION.split(", "), row, strict=True)))


def _goal(row: Sequence[Any]) -> Goal:
    values = dict(zip(_GOAL.split(", "), row, strict=True))
    values |= {
        "priority": Priority(values["priority"]),
        "horizon": Horizon(values["horizon"]),
        "status": GoalStatus(values["status"]),
    }
    return Goal(**values)
