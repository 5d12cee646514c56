"""The base of every trinket: a class that gives the prompt one section.

A trinket of one's own is one small class:

    class Weather(EventAwareTrinket):
        def _get_variable_name(self) -> str:
            return "weather"

        def generate_content(self, context: TrinketContext) -> str:
            return tag("weather", str(context["weather"])) if "weather" in context else ""
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

from reverie.events import EventBus, UpdateTrinketEvent
from reverie.records.prompt_inputs import PromptInputs

Placement = Literal["cached", "tail", "system"]


@dataclass(frozen=True, slots=True)
class TrinketContext(Mapping[str, object]):
    """The values that a trinket may look at: whose prompt it is, when, for which turn, what was read for it; and, as a
    mapping, what the publisher of the update handed over.
    """

    user_id: str
    now: datetime  # in the person's time zone
    inputs: PromptInputs
    continuum_id: str = ""
    segment_id: str = ""
    turn_number: int = 0
    given: Mapping[str, object] = field(default_factory=dict)

    def __getitem__(self, key: str) -> object:
        return self.given[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.given)

    def __len__(self) -> int:
        return len(self.given)

    @property
    def now_ms(self) -> int:
        return int(self.now.timestamp() * 1000)


class TrinketHost(Protocol):
    """The part of WorkingMemory that a trinket uses."""

    def register_trinket(self, trinket: "EventAwareTrinket") -> None: ...

    def refresh(self, trinket: "EventAwareTrinket", event: UpdateTrinketEvent) -> None: ...


class EventAwareTrinket(ABC):
    """One section of the prompt. One instance serves every conversation of every user: state, where a trinket has any,
    is kept by `context.user_id` and `context.continuum_id`, or by user where it really is the person's."""

    cache_policy: bool = False  # True: it changes seldom, and belongs to the cached prefix
    placement: Placement | None = None  # where it stands; by default cached, or where volatile sections stand
    steady: bool = False  # True: a cached section that may wait with news until the prefix breaks anyhow
    replaces: str = ""  # the class name of the trinket whose place it takes, such as "TimeManager"
    reads: tuple[str, ...] = ()  # the inputs that it cannot do without

    def __init__(self, event_bus: EventBus, working_memory: TrinketHost) -> None:
        self.event_bus = event_bus
        self.working_memory = working_memory
        self.variable_name = self._variable_name = self._get_variable_name()
        self.working_memory.register_trinket(self)

    @abstractmethod
    def _get_variable_name(self) -> str:
        """Return the name of the section."""

    @abstractmethod
    def generate_content(self, context: TrinketContext) -> str:
        """Return the text of the section; an empty one if there is nothing to say."""

    def handle_update_request(self, event: UpdateTrinketEvent) -> None:
        """Render the section anew, as an UpdateTrinketEvent for this trinket does."""
        self.working_memory.refresh(self, event)

    def forget_segment(self, user_id: str, continuum_id: str) -> None:  # noqa: B027 (most keep nothing)
        """Drop what belonged to the segment of this conversation that has collapsed; "" means every conversation.

        WorkingMemory calls it for every trinket.
        """
