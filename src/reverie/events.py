"""The typed events and the synchronous bus that carries them.

Whoever publishes never fails because of who listens: an exception in a subscriber is logged (or handed to `on_error`),
and the next subscriber is told all the same. Events carry their state: who is told never has to fetch it again.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, overload

from reverie.records import Learned, Observation

E = TypeVar("E")
Subscriber = Callable[[Any], None]


@dataclass(frozen=True, slots=True)
class ObservationStored:
    """An observation has its place in the log."""

    observation: Observation


@dataclass(frozen=True, slots=True)
class LearningStored:
    """Something was learned."""

    learned: Learned


@dataclass(frozen=True, slots=True, kw_only=True)
class ContinuumEvent:
    """What happens in a running conversation: whose it is, and when it happened (milliseconds since 1970)."""

    user_id: str
    continuum_id: str = ""
    event_id: str = ""
    occurred_at: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ComposeSystemPromptEvent(ContinuumEvent):
    """A prompt is wanted. `turn_number` and `segment_id` say for which turn."""

    base_prompt: str
    turn_number: int = 0
    segment_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateTrinketEvent(ContinuumEvent):
    """One trinket, named by its class, is to say what it has to say now."""

    target_trinket: str
    context: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrinketContentEvent(ContinuumEvent):
    """What a trinket has to say; an empty content clears its section."""

    variable_name: str
    content: str
    trinket_name: str
    cache_policy: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemPromptComposedEvent(ContinuumEvent):
    """A prompt is composed. `tail` is the part of `non_cached_content` that stands after the history."""

    cached_content: str
    non_cached_content: str
    tail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnCompletedEvent(ContinuumEvent):
    """A turn is over. `continuum` is the conversation's state as it is now."""

    turn_number: int
    continuum: object = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentTimeoutEvent(ContinuumEvent):
    """A segment has been silent for too long."""

    segment_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentCollapsedEvent(ContinuumEvent):
    """A segment has become a summary."""

    segment_id: str
    summary: str
    tools_used: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestUpdatedEvent(ContinuumEvent):
    """The list of segments has changed."""

    segment_count: int


def log_failure(error: Exception) -> None:
    """What a subscriber raised, for those who have configured logging: nobody else is shown a traceback."""
    import logging  # a hook that asks for the context has no time for it

    ours = logging.getLogger("reverie")
    if not ours.hasHandlers():
        ours.addHandler(logging.NullHandler())
    ours.getChild("events").error("a subscriber failed", exc_info=error)


class EventBus:
    """Synchronous publish and subscribe, by the class of the event or by its name."""

    def __init__(self, on_error: Callable[[Exception], None] = log_failure) -> None:
        self._subscribers: dict[str, list[Subscriber]] = {}
        self._on_error = on_error

    @overload
    def subscribe(self, kind: type[E], subscriber: Callable[[E], None]) -> None: ...
    @overload
    def subscribe(self, kind: str, subscriber: Subscriber) -> None: ...
    def subscribe(self, kind: type | str, subscriber: Subscriber) -> None:
        self._subscribers.setdefault(_name(kind), []).append(subscriber)

    def has_subscribers(self, kind: type | str) -> bool:
        return bool(self._subscribers.get(_name(kind)))

    def publish(self, event: object) -> None:
        for subscriber in tuple(self._subscribers.get(type(event).__name__, ())):
            try:
                subscriber(event)
            except Exception as error:
                self._on_error(error)


def _name(kind: type | str) -> str:
    return kind if isinstance(kind, str) else kind.__name__
