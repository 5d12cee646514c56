"""Values that are logged whole <-> JSON: memory items and goals, to the last field."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from reverie.records import (
    JSON,
    Goal,
    GoalStatus,
    Horizon,
    ItemType,
    Lifecycle,
    MemoryItem,
    Priority,
    Redaction,
    Source,
    Trust,
)

_ITEM_ENUMS: Mapping[str, type] = {
    "type": ItemType,
    "source": Source,
    "trust": Trust,
    "lifecycle": Lifecycle,
    "redaction_status": Redaction,
}
_GOAL_ENUMS: Mapping[str, type] = {"priority": Priority, "horizon": Horizon, "status": GoalStatus}
_TUPLES = ("tags", "lineage_ids", "sources", "sparse_terms", "embedding")


def item_as_json(item: MemoryItem) -> dict[str, JSON]:
    """Every field that is not at its default."""
    plain = asdict(item)
    defaults = asdict(MemoryItem(id="", type=ItemType.FACT, text="", created_ms=0))
    always = ("id", "type", "text", "created_ms")
    return {name: _plain(value) for name, value in plain.items() if name in always or value != defaults[name]}


def item_from_json(data: JSON) -> MemoryItem:
    """The item that `item_as_json` told.

    >>> item = MemoryItem(id="1", type=ItemType.SKILL, text="x", created_ms=5, tags=("a",), trust=Trust.ASSISTANT)
    >>> item_from_json(item_as_json(item)) == item
    True
    """
    assert isinstance(data, dict)
    values: dict[str, Any] = dict(data)
    for name in _TUPLES:
        if values.get(name) is not None:
            values[name] = tuple(values[name])
    for name, enum in _ITEM_ENUMS.items():
        if name in values:
            values[name] = enum(values[name])
    return MemoryItem(**values)


def goal_as_json(goal: Goal) -> dict[str, JSON]:
    return {name: _plain(value) for name, value in asdict(goal).items()}


def goal_from_json(data: JSON) -> Goal:
    assert isinstance(data, dict)
    values: dict[str, Any] = dict(data)
    return Goal(**values | {name: enum(values[name]) for name, enum in _GOAL_ENUMS.items()})


def _plain(value: Any) -> JSON:
    if isinstance(value, str):
        return str(value)
    if isinstance(value, tuple):
        return list(value)
    return dict(value) if isinstance(value, Mapping) else value


def listed(value: JSON) -> list[JSON]:
    """A list that was logged; empty where there is none."""
    return value if isinstance(value, list) else []


def plain_json(value: Any) -> JSON:
    """Turn a value into JSON as far as that can hold it; the rest becomes text.

    >>> plain_json({1: (True, object)})
    {'1': [True, "<class 'object'>"]}
    """
    if isinstance(value, Mapping):
        return {str(key): plain_json(held) for key, held in value.items()}
    if isinstance(value, list | tuple):
        return [plain_json(held) for held in value]
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)
