"""Users: who has a memory in this store, and how one is removed with everything that is theirs."""

from collections.abc import Callable, Sequence

from reverie.capture.observation_input import a_text
from reverie.errors import BadInput
from reverie.pipeline.open_store import OpenStore


class Users:
    def __init__(self, store: OpenStore, finish_erasing: Callable[[str], object]) -> None:
        self._store = store
        self._finish_erasing = finish_erasing

    def list(self) -> Sequence[str]:
        """Return everybody who has something in this store."""
        return self._store.engine.users()

    def delete(self, user: str) -> int:
        """Erase everything of a user for good; return how many rows went. What remains is the fact that it was done.

        The owner of the workspace cannot be deleted this way: the files for people are theirs. Remove the folder.
        """
        engine = self._store.engine
        user = a_text(user, "a user")
        if user == (engine.owner() or self._store.settings.user):
            raise BadInput(f'"{user}" owns this workspace; to delete everything, remove {self._store.workspace.home}')
        if user not in engine.users():
            raise BadInput(f'no user "{user}" has anything here; there are {", ".join(engine.users()) or "none"}')
        count = engine.delete_user(user, self._store.env.now_ms())
        self._finish_erasing(engine.user)
        return count
