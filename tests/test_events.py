"""Who subscribes is told, by the class of an event or by its name; a name that no event has is an error."""

from dataclasses import dataclass

import pytest

from reverie.errors import BadInput
from reverie.events import EventBus, TurnCompletedEvent


def test_an_unknown_name_is_an_error_with_the_nearest_one() -> None:
    bus = EventBus()

    with pytest.raises(BadInput, match=r'no event "TurnCompleteEvent"; did you mean TurnCompletedEvent\?'):
        bus.subscribe("TurnCompleteEvent", print)
    with pytest.raises(BadInput, match="there are ObservationStored, LearningStored, ComposeSystemPromptEvent"):
        bus.subscribe("zzz", print)
    assert not bus.has_subscribers("TurnCompleteEvent")


def test_every_event_of_ours_can_be_subscribed_to_by_name() -> None:
    import reverie.events

    bus, heard = EventBus(), []
    names = [name for name in vars(reverie.events) if name.endswith(("Event", "Stored")) and name != "ContinuumEvent"]
    assert len(names) == 10
    for name in names:
        bus.subscribe(name, heard.append)

    bus.publish(TurnCompletedEvent(user_id="sam", turn_number=1))

    assert len(heard) == 1


def test_an_event_of_ones_own_is_subscribed_to_by_its_class() -> None:
    @dataclass(frozen=True)
    class Rained:
        millimetres: int

    bus, heard, again = EventBus(), [], []
    bus.subscribe(Rained, heard.append)
    bus.subscribe("Rained", again.append)

    bus.publish(Rained(3))

    assert heard == again == [Rained(3)]


def test_a_publisher_that_subscribes_is_not_told_what_it_says_itself() -> None:
    class Listener:
        def __init__(self) -> None:
            self.heard: list[object] = []

        def hear(self, event: object) -> None:
            self.heard.append(event)

    bus, one, other = EventBus(), Listener(), Listener()
    for listener in (one, other):
        bus.subscribe("TurnCompletedEvent", listener.hear)

    bus.publish(TurnCompletedEvent(user_id="sam", turn_number=1), except_for=one.hear)

    assert (len(one.heard), len(other.heard)) == (0, 1)
