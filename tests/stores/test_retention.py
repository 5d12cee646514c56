"""Each item is found for as long as the policy of its kind says."""

import pytest

from reverie.errors import BadInput
from reverie.records import CONVERSATION, WORKING, ItemType, MemoryItem, Source
from reverie.settings import RetentionSettings
from reverie.stores.retention import decay, expired, expires_ms, policy_of
from stores.made import DAY_MS, NOW_MS, item


@pytest.mark.parametrize(
    ("one", "policy", "days"),
    [
        (item(0, type=ItemType.USER_MESSAGE), "conversation", None),
        (item(0, type=ItemType.OBSERVATION, source=Source.USER), "user", None),
        (item(0, type=ItemType.OBSERVATION, source=Source.TOOL), "observations", 7),
        (item(0, type=ItemType.ERROR, source=Source.TOOL), "errors", 7),
        (item(0, type=ItemType.TOOL_RESULT, source=Source.TOOL), "tool_results", 30),
        (item(0, type=ItemType.PREFERENCE), "knowledge", None),
        (item(0, type=ItemType.FACT, store=WORKING), "working", 1),
        (item(0, type=ItemType.USER_MESSAGE, store=CONVERSATION), "conversation", None),
        (item(0, type=ItemType.FACT, retention="errors"), "errors", 7),
        (item(0, type=ItemType.TOOL_RESULT, tags=("pinned",)), "tool_results", None),
    ],
)
def test_an_item_ends_by_its_policy(one: MemoryItem, policy: str, days: int | None) -> None:
    assert policy_of(one) == policy
    assert expires_ms(one, RetentionSettings()) == (None if days is None else NOW_MS + days * DAY_MS)


def test_a_time_to_live_of_its_own_wins_where_it_is_shorter() -> None:
    tool = {"type": ItemType.TOOL_RESULT, "source": Source.TOOL}

    assert expires_ms(item(0, **tool, ttl_ms=5), RetentionSettings()) == NOW_MS + 5
    assert expires_ms(item(0, **tool, ttl_ms=99 * DAY_MS), RetentionSettings()) == NOW_MS + 30 * DAY_MS
    assert expires_ms(item(0, ttl_ms=5, tags=("pinned",)), RetentionSettings()) == NOW_MS + 5


def test_days_are_a_setting_and_nought_is_for_ever() -> None:
    one = item(0, type=ItemType.TOOL_RESULT, source=Source.TOOL)

    assert expires_ms(one, RetentionSettings(tool_results_days=0.5)) == NOW_MS + DAY_MS // 2
    assert expires_ms(one, RetentionSettings(tool_results_days=0)) is None


def test_only_what_is_over_has_expired() -> None:
    old, young = item(0, store=WORKING), item(60, store=WORKING)

    assert expired([old, young], RetentionSettings(), NOW_MS + DAY_MS) == [old]


def test_an_unknown_policy_is_an_error_that_names_the_nearest() -> None:
    with pytest.raises(BadInput, match='no retention policy "tool_result"; did you mean "tool_results"'):
        policy_of(item(0, retention="tool_result"))


def test_the_future_does_not_count_for_more_than_now() -> None:
    assert decay(-DAY_MS, 0.1) == 1
    assert decay(DAY_MS, 0.1) == pytest.approx(0.9048, abs=1e-4)
