"""Filters in settings are key=value; a wrong one is an error that names the way out."""

import pytest

from reverie.errors import BadInput, BadSettings
from reverie.records import Filters, Trust
from reverie.settings import Settings, StoreSettings, parse_settings
from reverie.stores.filters import default_filters, parse_filters


def test_filters_are_read() -> None:
    texts = [
        "project=/x",
        "types=fact, error",
        "min_trust=assistant",
        "min_importance=0.3",
        "superseded=true",
        "after=2024-01-01",
        "valid_at=2024-01-01T01:00+01:00",
    ]

    assert parse_filters(texts) == Filters(
        project="/x", types=("fact", "error"), min_trust=Trust.ASSISTANT, min_importance=0.3, superseded=True,
        after_ms=1_704_067_200_000, valid_at_ms=1_704_067_200_000,
    )  # fmt: skip
    assert parse_filters([]) == Filters()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("projekt=/x", 'no filter "projekt"; did you mean "project"'),
        ("project", "is not key=value"),
        ("project=", "is not key=value"),
        ("type=fakt", 'no item type "fakt"; did you mean "fact"'),
        ("min_importance=much", 'min_importance is "much"; it takes a number from 0 to 1'),
        ("min_importance=nan", "a number from 0 to 1"),
        ("min_trust=persn", 'did you mean "person"'),
        ("expired=maybe", '"maybe" is neither true nor false'),
        ("before=soon", "is not a time"),
    ],
)
def test_a_wrong_filter_says_what_is_wrong(text: str, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        parse_filters([text])


def test_the_same_filter_twice_is_an_error() -> None:
    with pytest.raises(BadInput, match="given twice"):
        parse_filters(["type=fact", "types=error"])


def test_a_wrong_default_filter_is_a_wrong_setting() -> None:
    with pytest.raises(BadSettings, match=r'stores\.default_filters: no filter "typ"; did you mean "type"'):
        default_filters(StoreSettings(default_filters=("typ=fact",)))


def test_the_settings_of_memory_can_be_set() -> None:
    settings = parse_settings(
        'memory_types = ["episodic"]\nenable_tool_tracking = false\n[stores]\ndefault_filters = ["type=fact"]\n', "x"
    )

    assert (settings.memory_types, settings.enable_tool_tracking, settings.enable_skill_extraction) == (
        ("episodic",),
        False,
        True,
    )
    assert default_filters(settings.stores) == Filters(types=("fact",))
    assert default_filters(Settings().stores) == Filters()


def test_a_value_where_a_section_belongs_is_still_an_error() -> None:
    with pytest.raises(BadSettings, match=r"\[stores\] is a section"):
        parse_settings("stores = 3", "x")
