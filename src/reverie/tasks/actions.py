"""Pending actions: what is to be done later."""

from collections.abc import Sequence

from reverie.capture.observation_input import a_text
from reverie.errors import BadInput
from reverie.pipeline.open_store import OpenStore
from reverie.records import Action, ActionStatus, Learned, LearningType, Priority
from reverie.redact.secrets import redact


class Actions:
    def __init__(self, store: OpenStore) -> None:
        self._store = store

    def list(self, project: str | None = None) -> Sequence[Action]:
        """Return the pending actions, most pressing first."""
        return self._store.engine.actions.pending(None if project is None else self._store.clean_name(project))

    def add(self, text: str, *, project: str = "", priority: Priority = Priority.NORMAL) -> Action:
        """Put something on the list, because a person says so."""
        if not a_text(text, "an action").strip():
            raise BadInput("an action needs some text")
        engine, env = self._store.engine, self._store.env
        now, chance = env.now_ms(), env.random_bytes(8).hex()
        learned = Learned(
            id=engine.derived_id(now, "action", chance), type=LearningType.ACTION, text=redact(text.strip()),
            confidence=1.0, observation_id="", project=self._store.clean_name(project), session="", position=0,
            learned_ms=now, priority=priority,
        )  # fmt: skip
        with engine.write():
            added = engine.actions.add(learned)
            assert added, "no other action has this id"
            engine.log.act("add", learned.id, {"by": "user"}, now)
        return added

    def close(self, action_id: str, status: ActionStatus = ActionStatus.DONE, by: str = "agent") -> Action:
        """Mark an action as done, or dismiss it.

        An agent cannot complete a user's action; a person says `by="user"`.
        """
        engine, now = self._store.engine, self._store.env.now_ms()
        action_id = a_text(action_id, "an action's id")
        with engine.write():
            action = engine.actions.set_status(action_id, status, by, "", now)
            engine.log.act(status.value, action_id, {"by": by}, now)
        return action
