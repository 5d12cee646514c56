"""Pending actions: what is to be done later."""

from collections.abc import Sequence

from reverie.capture.observation_input import a_text
from reverie.pipeline.open_store import OpenStore
from reverie.records import Action, ActionStatus


class Actions:
    def __init__(self, store: OpenStore) -> None:
        self._store = store

    def list(self, project: str | None = None) -> Sequence[Action]:
        """Return the pending actions, most pressing first."""
        return self._store.engine.actions.pending(None if project is None else self._store.clean_name(project))

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
