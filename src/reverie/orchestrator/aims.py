"""What a person and their agent are after: goals and questions, kept with versions, and pending actions."""

from dataclasses import replace
from enum import StrEnum
from typing import TypeVar

from reverie.capture.secrets import redact
from reverie.errors import BadInput
from reverie.ports import Engine, Env
from reverie.records import Goal, GoalStatus, Horizon, Priority, Question
from reverie.settings import Settings

_AROUND_CHARS = 600  # of goals, questions and actions that go into the composite query


class Aims:
    """Goals, open questions and pending actions, as far as memory needs them."""

    def __init__(self, engine: Engine, env: Env, settings: Settings) -> None:
        self.engine = engine
        self.env = env
        self.settings = settings

    def _cleaned(self, text: str, what: str) -> str:
        """A text without secrets, and without the personal data that memory does not keep."""
        from reverie.gate.personal import masked

        if not isinstance(text, str) or not text.strip():
            raise BadInput(f"{what} needs some text")
        return masked(redact(text.strip()), self.settings.privacy).text

    def add_goal(
        self, text: str, *, priority: Priority = Priority.NORMAL, horizon: Horizon = Horizon.OPEN, project: str = ""
    ) -> Goal:
        """Something to work towards: it widens every question a little, and makes memories about it matter more."""
        now = self.env.now_ms()
        goal = Goal(
            id=self.engine.derived_id(now, "goal", text, self.env.random_bytes(8).hex()),
            text=self._cleaned(text, "a goal"),
            priority=_one_of(Priority, priority, "priority"),
            horizon=_one_of(Horizon, horizon, "horizon"),
            project=project,
            created_ms=now,
            changed_ms=now,
        )
        self.engine.goals.add_goal(goal)
        return goal

    def set_goal(
        self,
        goal_id: str,
        *,
        progress: float | None = None,
        status: GoalStatus | None = None,
        version: int | None = None,
    ) -> Goal:
        """Say how far a goal has come, or that it is done; with a version, only if nobody else was first."""
        if progress is not None and (not isinstance(progress, int | float) or not 0 <= progress <= 1):
            raise BadInput(f"progress is {progress}; it goes from 0 to 1")
        now = self.env.now_ms()

        def changed(goal: Goal) -> Goal:
            return replace(
                goal,
                progress=goal.progress if progress is None else progress,
                status=goal.status if status is None else _one_of(GoalStatus, status, "status"),
                changed_ms=now,
            )

        return self.engine.goals.change_goal(goal_id, version, changed)

    def goals(self, project: str | None = None, *, everything: bool = False) -> list[Goal]:
        return self.engine.goals.goals(project, everything=everything)

    def ask(self, text: str, *, project: str = "") -> Question:
        """Something somebody wants to know; open until it has an answer."""
        now = self.env.now_ms()
        question = Question(
            id=self.engine.derived_id(now, "question", text, self.env.random_bytes(8).hex()),
            text=self._cleaned(text, "a question"),
            project=project,
            created_ms=now,
            changed_ms=now,
        )
        self.engine.goals.add_question(question)
        return question

    def answer(self, question_id: str, text: str, version: int | None = None) -> Question:
        return self.engine.goals.change_question(
            question_id, version, self._cleaned(text, "an answer"), self.env.now_ms()
        )

    def questions(self, project: str | None = None, *, everything: bool = False) -> list[Question]:
        return self.engine.goals.questions(project, everything=everything)

    def aims(self, project: str | None) -> str:
        """What is worked towards, asked and to be done, in a few words: it widens every question a little."""
        goals = [goal.text for goal in self.engine.goals.goals(project)]
        questions = [question.text for question in self.engine.goals.questions(project)]
        actions = [action.text for action in self.engine.actions.pending(project)]
        return "\n".join([*goals, *questions, *actions])[:_AROUND_CHARS]


Word = TypeVar("Word", bound=StrEnum)


def _one_of(words: type[Word], value: str, what: str) -> Word:
    try:
        return words(value)
    except ValueError:
        raise BadInput(f'no {what} "{value}"; there are {", ".join(words)}') from None
