"""A working memory over inputs and section states that a test can see into."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import count
from time import monotonic, sleep

from reverie.compose.composer import Composed, ComposerConfig
from reverie.compose.remove_secrets import Clean
from reverie.compose.trinket import EventAwareTrinket, Placement, TrinketContext
from reverie.compose.working_memory import WorkingMemory
from reverie.events import EventBus
from reverie.records.prompt_inputs import PromptInputs, SectionState, SectionStates
from reverie.settings import ComposeSettings
from support.prompt_inputs import NOW


class States:
    """Section states in a dict, with every write on record."""

    def __init__(self) -> None:
        self.kept: dict[str, SectionState] = {}
        self.writes: list[dict[str, SectionState | None]] = []

    def save(self, changed: Mapping[str, SectionState | None]) -> None:
        self.writes.append(dict(changed))
        for name, state in changed.items():
            if state is None:
                self.kept.pop(name, None)
            else:
                self.kept[name] = state

    def get(self, name: str) -> SectionState | None:
        return self.kept.get(name)

    def all(self) -> dict[str, SectionState]:
        return dict(self.kept)


class HandClock:
    """A monotonic clock that only a test moves on, so that deadlines pass because of what hangs and for nothing else."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def pass_while_hanging(self, seconds: float) -> None:
        """Move on little by little, as time goes by for somebody who waits."""
        ends = self.now + seconds
        while self.now < ends:
            self.now += 0.001
            sleep(0.0005)


# A busy machine must not fail a test that is not about time.
NO_HURRY = ComposeSettings(deadline_ms=60_000, trinket_ms=60_000)


@dataclass
class Room:
    """A bus and a working memory, with inputs and states for each user."""

    settings: ComposeSettings = NO_HURRY
    config: ComposerConfig | None = None
    inputs: dict[str, PromptInputs] = field(default_factory=dict)
    states_of: Callable[[str], SectionStates] | None = None
    monotonic: Callable[[], float] = monotonic
    clean: Clean | None = None

    def __post_init__(self) -> None:
        self.problems: list[Exception] = []
        self.states: dict[str, States] = {}
        self.bus = EventBus(self.problems.append)
        ids = count(1)
        self.memory = WorkingMemory(
            self.bus,
            lambda user, _: self.inputs.get(user, PromptInputs(user_id=user)),
            lambda user, _: self.states_of(user) if self.states_of else self.states.setdefault(user, States()),
            self.settings,
            lambda: NOW,
            lambda: f"event-{next(ids)}",
            self.config,
            self.monotonic,
            self.clean,
        )

    def section(self, name: str, says: Callable[[TrinketContext], str], **about: object) -> EventAwareTrinket:
        """A trinket that says what it is told to."""
        return make_trinket(name, says, **about)(self.bus, self.memory)

    def compose(self, user_id: str = "sam", base: str = "You help {first_name}.", **more: object) -> Composed:
        return self.memory.compose(user_id, base, **more)  # type: ignore[arg-type]


def make_trinket(
    name: str,
    says: Callable[[TrinketContext], str],
    *,
    cache_policy: bool = False,
    placement: Placement | None = None,
    steady: bool = False,
    reads: tuple[str, ...] = (),
    class_name: str = "",
    replaces: str = "",
) -> type[EventAwareTrinket]:
    """The class of a trinket, named after its section."""
    inside = {
        "cache_policy": cache_policy,
        "placement": placement,
        "steady": steady,
        "reads": reads,
        "replaces": replaces,
        "_get_variable_name": lambda _: name,
        "generate_content": lambda _, context: says(context),
    }
    return type(class_name or f"{name.title().replace('_', '')}Trinket", (EventAwareTrinket,), inside)
