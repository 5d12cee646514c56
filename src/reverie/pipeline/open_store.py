"""OpenStore: one user's view of an opened store, the value that every part is built on."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from reverie.capture.observation_input import clean_name
from reverie.events import EventBus, LearningStored
from reverie.foundation.workspace import Workspace
from reverie.ports import Engine, Env
from reverie.records import Learned
from reverie.settings import Settings


@dataclass(frozen=True, eq=False)
class OpenStore:
    """An engine scoped to one user, with the environment, the settings, the folder and the event bus."""

    workspace: Workspace
    env: Env
    settings: Settings
    engine: Engine
    events: EventBus = field(default_factory=EventBus)

    @property
    def user(self) -> str:
        return self.engine.user

    def clean_name(self, name: str) -> str:
        """Return a session or project name as the record has it: `observe` removes secrets from names, too."""
        return clean_name(str(name or ""), self.engine.mark)

    def new_id(self, at_ms: int) -> str:
        """Make an id of its own for something that a person or an agent makes."""
        return self.engine.derived_id(at_ms, "made", self.env.random_bytes(10).hex())

    def publish_learned(self, learned: Iterable[Learned]) -> None:
        for one in learned:
            self.events.publish(LearningStored(one))
