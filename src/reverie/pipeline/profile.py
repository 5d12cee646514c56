"""Profile: what agents are told of the person (user.md) and of how to behave (soul.md), and whose files these are."""

from collections.abc import Callable, Sequence
from pathlib import Path

from reverie import mirrors
from reverie.pipeline.open_store import OpenStore
from reverie.records import Learning
from reverie.redact.secrets import redact


class Profile:
    """The files belong to the owner of the workspace; what is told of another user comes from the record."""

    def __init__(self, store: OpenStore, note_from_file: Callable[[str], None]) -> None:
        self._store = store
        self.user_file = mirrors.UserFile(store.workspace, store.env, store.engine, note_from_file, redact)

    @property
    def owner(self) -> str:
        """The user who made the workspace. The files for people are theirs."""
        return self._store.engine.owner() or self._store.settings.user

    @property
    def is_owner(self) -> bool:
        return self._store.user == self.owner

    @property
    def owner_news(self) -> str:
        """Say who was recorded as the owner of an older store, until the person has been told; "" afterwards."""
        if not self._store.engine.owner_is_news():
            return ""
        stays = "that stays so, whatever the setting user says later"
        home = self._store.workspace.home
        return f"user.md, soul.md and the other files in {home} belong to the user {self.owner!r}: {stays}"

    def write_starters(self) -> None:
        """Begin soul.md and user.md, where they are absent."""
        if mirrors.is_absent(self._store.workspace.soul, self._store.env.files):
            self._store.env.files.replace(self._store.workspace.soul, mirrors.STARTER_SOUL.encode())
        self.user_file.write_starter()

    def sync(self) -> None:
        """Bring user.md up to date, and take in what the person changed there."""
        if self.is_owner:
            self.user_file.sync()

    def person(self) -> str:
        """Return what agents are told of the person: user.md, or for another user the preferences in the record."""
        return self.user_file.trusted() if self.is_owner else self.user_file.from_record()

    def soul(self) -> str:
        """Return what agents are told of how to behave: soul.md, or for another user what a soul begins with."""
        return self.own_soul() if self.is_owner else mirrors.STARTER_SOUL

    def own_soul(self) -> str:
        """Return soul.md, where it is this user's own; "" otherwise."""
        return self.read(self._store.workspace.soul) if self.is_owner else ""

    def own_file(self, name: str) -> str:
        """Return a file of the workspace, where the workspace is this user's; "" if it is absent."""
        return self.read(self._store.workspace.home / name).strip() if self.is_owner else ""

    def read(self, path: Path) -> str:
        return mirrors.text_of(self._store.env.files.read(path) or b"")

    def permitted(self, learnings: Sequence[Learning]) -> list[Learning | None]:
        """Mask or drop what the privacy settings and soul.md do not let memory keep."""
        from reverie.pipeline.privacy_filter import permitted

        return permitted(learnings, self._store.settings.privacy, self.own_soul())
