"""Goals and open questions, kept with versions."""

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from typing import TypeVar

from reverie.errors import BadInput
from reverie.pipeline.open_store import OpenStore
from reverie.records import Goal, GoalStatus, Horizon, Priority, Question
from reverie.redact.secrets import redact

_QUERY_CHARS = 600  # of goals, questions and actions that go into the composite query


class Goals:
    def __init__(self, store: OpenStore) -> None:
        self._store = store
        self._goals = store.engine.goals
        self._env = store.env

    def add(
        self, text: str, *, priority: Priority = Priority.NORMAL, horizon: Horizon = Horizon.OPEN, project: str = ""
    ) -> Goal:
        """Add something to work towards: it widens every question a little, and memories about it matter more."""
        now = self._env.now_ms()
        goal = Goal(
            id=self._store.engine.derived_id(now, "goal", text, self._env.random_bytes(8).hex()),
            text=self._cleaned(text, "a goal"),
            priority=_one_of(Priority, priority, "priority"),
            horizon=_one_of(Horizon, horizon, "horizon"),
            project=project,
            created_ms=now,
            changed_ms=now,
        )
        self._goals.add_goal(goal)
        return goal

    def update(
        self,
        goal_id: str,
        *,
        progress: float | None = None,
        status: GoalStatus | None = None,
        version: int | None = None,
    ) -> Goal:
        """Record progress, or that a goal is done; with a version, only if nobody else was first."""
        if progress is not None and (not isinstance(progress, int | float) or not 0 <= progress <= 1):
            raise BadInput(f"progress is {progress}; it goes from 0 to 1")
        now = self._env.now_ms()

        def changed(goal: Goal) -> Goal:
            return replace(
                goal,
                progress=goal.progress if progress is None else progress,
                status=goal.status if status is None else _one_of(GoalStatus, status, "status"),
                changed_ms=now,
            )

        return self._goals.change_goal(goal_id, version, changed)

    def list(self, project: str | None = None, *, everything: bool = False) -> Sequence[Goal]:
        """Return the open goals; with `everything`, those that are done or dropped as well."""
        return self._goals.goals(project, everything=everything)

    def ask(self, text: str, *, project: str = "") -> Question:
        """Add something that somebody wants to know; it is open until it has an answer."""
        now = self._env.now_ms()
        question = Question(
            id=self._store.engine.derived_id(now, "question", text, self._env.random_bytes(8).hex()),
            text=self._cleaned(text, "a question"),
            project=project,
            created_ms=now,
            changed_ms=now,
        )
        self._goals.add_question(question)
        return question

    def answer(self, question_id: str, text: str, version: int | None = None) -> Question:
        return self._goals.change_question(question_id, version, self._cleaned(text, "an answer"), self._env.now_ms())

    def questions(self, project: str | None = None, *, everything: bool = False) -> Sequence[Question]:
        return self._goals.questions(project, everything=everything)

    def as_query(self, project: str | None) -> str:
        """Return goals, open questions and pending actions as text that widens a question a little."""
        goals = [goal.text for goal in self._goals.goals(project)]
        questions = [question.text for question in self._goals.questions(project)]
        actions = [action.text for action in self._store.engine.actions.pending(project)]
        return "\n".join([*goals, *questions, *actions])[:_QUERY_CHARS]

    def _cleaned(self, text: str, what: str) -> str:
        """Remove secrets, and the personal data that memory does not keep."""
        from reverie.redact.personal import masked

        if not isinstance(text, str) or not text.strip():
            raise BadInput(f"{what} needs some text")
        return masked(redact(text.strip()), self._store.settings.privacy).text


Word = TypeVar("Word", bound=StrEnum)


def _one_of(words: type[Word], value: str, what: str) -> Word:
    try:
        return words(value)
    except ValueError:
        raise BadInput(f'no {what} "{value}"; there are {", ".join(words)}') from None
