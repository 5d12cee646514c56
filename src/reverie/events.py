"""The typed events and the synchronous bus that carries them.

A publisher never fails because of a subscriber: an exception in one is logged (or handed to `on_error`), and the next
subscriber is told all the same. Events carry their state, so that a subscriber never has to fetch it again.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, overload

from reverie.errors import BadInput
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
    """Something that happens in a running conversation; `occurred_at` is in milliseconds since 1970."""

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
    """One trinket, named by its class, is to render its section now."""

    target_trinket: str
    context: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrinketContentEvent(ContinuumEvent):
    """A section as it stands in the prompt; an empty content clears it."""

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
    """Log what a subscriber raised, if logging is configured: nobody else is shown a traceback."""
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
        """Call `subscriber` with each event of this class. An event of your own is subscribed to by its class."""
        if isinstance(kind, str) and kind not in self._subscribers:
            _check_name(kind)
        self._subscribers.setdefault(_name(kind), []).append(subscriber)

    def has_subscribers(self, kind: type | str) -> bool:
        return bool(self._subscribers.get(_name(kind)))

    def publish(self, event: object, *, except_for: Subscriber | None = None) -> None:
        """Tell every subscriber, in the order they subscribed, `except_for` the publisher's own."""
        for subscriber in tuple(self._subscribers.get(type(event).__name__, ())):
            if subscriber == except_for:
                continue
            try:
                subscriber(event)
            except Exception as error:
                self._on_error(error)


def _name(kind: type | str) -> str:
    return kind if isinstance(kind, str) else kind.__name__


def _check_name(name: str) -> None:
    """Raise BadInput if no event has this name: nobody would ever be told."""
    kinds = [ObservationStored, LearningStored, *ContinuumEvent.__subclasses__()]
    known = dict.fromkeys(kind.__name__ for kind in kinds)
    if name in known:
        return
    from difflib import get_close_matches  # a hook that asks for the context has no time for it

    near = get_close_matches(name, known, 1)
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
    raise BadInput(f'no event "{name}"; {hint} (an event of your own is subscribed to by its class)')
