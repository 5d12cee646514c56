"""What a strict log keeps of an event."""

from dataclasses import replace

import pytest

from reverie.gate.logged import as_logged
from reverie.records import JSON, Captured, Kind, ToolUse
from reverie.settings import PrivacySettings

STRICT = PrivacySettings(log="strict")
CARD = "4111 1111 1111 1111"
EVENT = Captured(kind=Kind.TOOL_CALL, text="ok", session="s1", occurred_ms=1, event_id="tool:t1", tool=ToolUse("pay"))


def logged(event: Captured) -> Captured:
    return as_logged(event, STRICT, lambda text: f"{len(text)}")


def test_an_event_without_personal_data_is_kept_as_it_is():
    plain = replace(
        EVENT, event_id="prompt:p1:0a1b", metadata={"cwd": "/srv", "retries": 3, "ratio": 0.5, "none": None}
    )
    assert logged(plain) == plain


@pytest.mark.parametrize("event_id", ["tool:t1", "id:4111111111111111"])
def test_an_id_that_the_host_gave_stays(event_id: str):
    assert logged(replace(EVENT, text=CARD, event_id=event_id)) == replace(EVENT, text="[card]", event_id=event_id)


@pytest.mark.parametrize("depth", [10, 400, 800])
def test_however_deep_it_is_nested_it_is_found(depth: int):
    value: JSON = f"pay {CARD}"
    for _ in range(depth):
        value = {"in": [value]} if depth < 500 else {"in": value}
    event = logged(replace(EVENT, tool=ToolUse("pay", value), metadata={"again": value}))
    assert event.tool is not None
    for kept in (event.tool.input, event.metadata["again"]):
        while isinstance(kept, dict | list):
            kept = kept["in"] if isinstance(kept, dict) else kept[0]
        assert isinstance(kept, str)
        assert CARD not in kept
        assert "pay [card]" in kept
