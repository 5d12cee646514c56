"""A message that tells a fact and little else holds as long as the fact; every other message stays as it is."""

from dataclasses import replace

import pytest

from reverie.records import EPISODIC, SEMANTIC, ItemType, Lifecycle, MemoryItem, Source
from reverie.stores.message_validity import as_it_holds, tells_only
from stores.made import item

SAID = item(1, "I live in Lisbon.", type=ItemType.USER_MESSAGE, store=EPISODIC)
OLD = item(
    2, "I live in Lisbon", store=SEMANTIC, subject="person:user home", valid_from_ms=5, valid_to_ms=9, superseded_by="i0009"
)  # fmt: skip


def test_it_ends_with_the_fact_that_it_tells() -> None:
    held = as_it_holds(SAID, [SAID, OLD])

    assert (held.subject, held.valid_from_ms, held.valid_to_ms, held.superseded_by) == (OLD.subject, 5, 9, "i0009")
    assert as_it_holds(held, []) == SAID


def test_it_holds_while_another_fact_that_it_tells_does() -> None:
    still = replace(OLD, id="i0003", superseded_by="", valid_to_ms=None, lineage_ids=("i0000",))

    assert as_it_holds(SAID, [OLD, still]).superseded_by == ""


@pytest.mark.parametrize(
    ("message", "fact"),
    [
        (SAID, replace(OLD, superseded_by="", valid_to_ms=None)),  # nothing was ever replaced
        (SAID, replace(OLD, deleted_ms=1)),
        (SAID, replace(OLD, lifecycle=Lifecycle.QUARANTINED)),
        (SAID, replace(OLD, subject="")),
        (replace(SAID, source=Source.MODEL), OLD),  # the assistant's words are not the person's
        (replace(SAID, parent_id="long"), OLD),
        (replace(SAID, text="I live in Lisbon. Could you look at the flaky login test?"), OLD),
    ],
)
def test_other_messages_stay_as_they_are(message: MemoryItem, fact: MemoryItem) -> None:
    assert as_it_holds(message, [message, fact]) == message


def test_a_long_message_tells_more_than_one_fact() -> None:
    assert not tells_only("I live in Lisbon. " * 30, "I live in Lisbon")
    assert not tells_only("", "I live in Lisbon")
