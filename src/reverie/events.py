"""The typed events and the synchronous bus that carries them.

Whoever publishes never fails because of who listens: an exception in a subscriber is handed to `on_error`, and the
next subscriber is told all the same.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

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


class EventBus:
    """Synchronous publish and subscribe, by the class of the event."""

    def __init__(self, on_error: Callable[[Exception], None] = lambda _: None) -> None:
        self._subscribers: dict[type, list[Subscriber]] = {}
        self._on_error = on_error

    def subscribe(self, kind: type[E], subscriber: Callable[[E], None]) -> None:
        self._subscribers.setdefault(kind, []).append(subscriber)

    def has_subscribers(self, kind: type) -> bool:
        return kind in self._subscribers

    def publish(self, event: object) -> None:
        for subscriber in self._subscribers.get(type(event), ()):
            try:
                subscriber(event)
            except Exception as error:
                self._on_error(error)
