"""The types, ranges, words and JSON that a row of each table may hold. A row that does not fit was damaged.

SQLite keeps any value in any column, so that its own check does not see what a flipped bit or another program left.
Rows are checked here when they are read, when `doctor` looks at all of them, and when they are salvaged.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from reverie.engines.sqlite import rows
from reverie.foundation.ids import content_address, tail_of
from reverie.records import (
    ActionStatus,
    GoalStatus,
    Horizon,
    ItemType,
    Kind,
    LearningType,
    Lifecycle,
    Owner,
    Priority,
    Redaction,
    Source,
    Stage,
    Trust,
    WorkState,
)
from reverie.records.conversation_values import Role, SegmentState
from reverie.records.prompt_inputs import PunchState, SearchState

# The years 1 and 9999, in milliseconds: before and after them there is no date. No other number of ours is larger.
_FIRST_MS, MOST = -62_135_596_800_000, 253_402_300_799_999

_PYTHON_TYPES: dict[str, tuple[type, ...]] = {
    "TEXT": (str,),
    "INTEGER": (int,),
    "REAL": (float, int),  # SQLite writes 1.0 as 1
    "BLOB": (bytes,),
}
# Columns whose every value is one of a few words. A row with another word cannot be read.
_WORDS: dict[tuple[str, str], Iterable[str]] = {
    ("observations", "kind"): Kind,
    ("inbox", "stage"): Stage,
    ("inbox", "state"): WorkState,
    ("pending_actions", "priority"): Priority,
    ("pending_actions", "owner"): Owner,
    ("pending_actions", "status"): ActionStatus,
    ("pending_actions", "trust"): Trust,
    ("goals", "priority"): Priority,
    ("goals", "horizon"): Horizon,
    ("goals", "status"): GoalStatus,
    ("reminders", "kind"): ("user", "internal"),
    ("reminders", "status"): ("active", "done"),
    ("punchclock", "state"): PunchState,
    ("domaindoc_sections", "by"): ("user", "agent"),
    ("segments", "state"): SegmentState,
    ("messages", "role"): Role,
    ("context_searches", "state"): SearchState,
    ("learnings", "type"): LearningType,
    ("learnings", "trust"): Trust,
    ("learnings", "priority"): Priority,
    ("learnings", "owner"): Owner,
    ("items", "type"): ItemType,
    ("items", "source"): Source,
    ("items", "trust"): Trust,
    ("items", "lifecycle"): Lifecycle,
    ("items", "redaction"): Redaction,
}
# Turns that are counted back from the present one: a tool that was loaded before the first.
_BELOW_ZERO = (("loaded_tools", "loaded_turn"), ("loaded_tools", "last_used_turn"))
SEALED = ("observations", "acts", "replies", "ticks")  # whose last column is the checksum of the others
# Of the table meta.
_COUNTERS = ("position", "latest_ms", "erasures", "items_generation", "items_position", "owner untold")
_COUNTER_PREFIXES = ("vectors:", "owes:")
_LISTS = (list, tuple)
_ITEM_LISTS = ("tags", "lineage", "sources", "terms")  # of what an item keeps as JSON


@dataclass(frozen=True, slots=True)
class Column:
    """The values that one column may hold."""

    name: str
    types: tuple[type, ...]
    words: frozenset[str] | None  # the only ones it may hold
    least: int

    def problem(self, value: object) -> str:
        if not isinstance(value, self.types):
            return f"{self.name} is {_told(value)}"
        if self.words is not None and value not in self.words:
            return f"{self.name} is {_told(value)}"
        if isinstance(value, int | float) and not self.least <= value <= MOST:
            return f"{self.name} is {value}"
        return ""


def _told(value: object) -> str:
    if value is None:
        return "missing"
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    return f"{str(value)[:40]!r}" if isinstance(value, str) else f"the number {value}"


def columns_of(table: str, declared: Iterable[tuple[str, str, int]]) -> list[Column]:
    """The columns of a table from their declarations: name, type, and whether NULL is refused."""
    found = []
    for name, kind, not_null in declared:
        types = _PYTHON_TYPES[kind] if table != "meta" else (str, int, bytes)
        words = _WORDS.get((table, name))
        least = _FIRST_MS if name.endswith("_ms") or (table, name) in _BELOW_ZERO else 0
        found.append(
            Column(name, types if not_null else (*types, type(None)), frozenset(words) if words else None, least)
        )
    return found


class RowShape:
    """Some columns of a table, as a row of them is checked: mostly by one look at its types and one at its numbers."""

    def __init__(self, table: str, columns: Sequence[Column]) -> None:
        self.table = table
        self._columns = columns
        self._words = [(place, it.words) for place, it in enumerate(columns) if it.words is not None]
        # Types that were found to fit, with what takes the numbers out of such a row.
        self._known: dict[tuple[type, ...], Callable[[Sequence[Any]], Sequence[Any]] | None] = {}

    def problem(self, row: Sequence[Any]) -> str:
        """Say what is wrong with a row; "" if nothing is."""
        types = tuple(map(type, row))
        if types in self._known:
            numbers = self._known[types]
            if numbers is not None:
                taken = numbers(row)
                if min(taken) < 0 or max(taken) > MOST:
                    return self._slowly(row)
            for place, words in self._words:
                if row[place] not in words:
                    return self._slowly(row)
            return ""
        if not (found := self._slowly(row)):
            places = [place for place, value in enumerate(row) if isinstance(value, int | float)]
            # Of one place `itemgetter` would give the value itself.
            self._known[types] = itemgetter(places[0], *places) if places else None
        return found

    def _slowly(self, row: Sequence[Any]) -> str:
        pairs = zip(self._columns, row, strict=True)
        return next((found for column, value in pairs if (found := column.problem(value))), "")


# ---- what else a whole row of a table is known by


def problem_of(table: str, row: Sequence[Any]) -> str:
    """Say what is wrong with a whole row whose values have the right types; "" if nothing is."""
    try:
        return "" if _BELONGS.get(table, _anything)(row) else _WRONG.get(table, "what it says cannot be read")
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        return "what it says cannot be read"


def is_sealed(row: Sequence[Any]) -> bool:
    """Whether a row matches the checksum that stands last in it."""
    try:
        return bool(rows.checksum(row[:-1]) == row[-1])
    except UnicodeError:
        return False


def _is_setting(row: Sequence[Any]) -> bool:
    user, name, value = row
    if name == "store_key":
        return user == "" and isinstance(value, bytes) and len(value) == 32
    if name == "owner":
        return user == "" and isinstance(value, str)
    if name in _COUNTERS or name.startswith(_COUNTER_PREFIXES):
        return isinstance(value, int) and 0 <= value <= MOST
    return True


def has_json(column: int, fits: Callable[[Any], bool]) -> Callable[[Sequence[Any]], bool]:
    return lambda row: fits(json.loads(row[column]))


def _is_dict(value: object) -> bool:
    return isinstance(value, dict)


def are_strings(value: Any) -> bool:
    return isinstance(value, _LISTS) and all(isinstance(one, str) for one in value)


def _are_pairs(value: Any) -> bool:
    return isinstance(value, list) and all(are_strings(one) and len(one) == 2 for one in value)


def are_intervals(value: Any) -> bool:
    """From when to when something was worked on; the last may still go on."""
    return isinstance(value, list) and all(
        isinstance(one, list) and len(one) == 2 and _is_moment(one[0]) and (one[1] is None or _is_moment(one[1]))
        for one in value
    )


def _is_moment(value: object) -> bool:
    return isinstance(value, int) and _FIRST_MS <= value <= MOST


def is_item_data(value: Any) -> bool:
    """Whether this is what an item keeps of its tags, metadata and sources. Mostly one or two of them are there."""
    return isinstance(value, dict) and all(
        are_strings(kept) if name in _ITEM_LISTS else name != "metadata" or isinstance(kept, dict)
        for name, kept in value.items()
    )


def _is_way_back(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("head", {}), dict)
        and isinstance(value.get("sections", {}), dict)
        and all(was is None or isinstance(was, dict) for was in value.get("sections", {}).values())
    )


def _is_tick(row: Sequence[Any]) -> bool:
    """A tick of a turn says why in words; every other has its data there."""
    return is_sealed(row) and (row[6] != 0 or _is_dict(json.loads(row[7])))


def _anything(_row: Sequence[Any]) -> bool:
    return True


_BELONGS: Mapping[str, Callable[[Sequence[Any]], bool]] = {
    "meta": _is_setting,
    "drains": lambda row: row[1].startswith(("drain-", "own-")),  # the names that spool files have
    "observations": is_sealed,
    "acts": lambda row: is_sealed(row) and _is_dict(json.loads(row[4])),
    "replies": is_sealed,
    "ticks": _is_tick,
    "trace": has_json(6, _is_dict),
    "texts": lambda row: content_address(row[2]) == row[1],
    "section_texts": lambda row: content_address(row[2]) == row[1],
    # Not an entry in the index of tombstones: there, the hash is the one in the id.
    "learning_ids": lambda row: tail_of(row[2]) not in (None, row[1]),
    "punchclock": has_json(4, are_intervals),
    "domaindoc_versions": has_json(8, _is_way_back),
    "segments": lambda row: are_strings(json.loads(row[11])) and are_strings(json.loads(row[13])),
    "messages": has_json(9, _are_pairs),
    "cache_ledger": has_json(7, _is_dict),
    "item_versions": has_json(3, _is_dict),
    "context_searches": has_json(8, lambda found: isinstance(found, list) and all(map(_is_dict, found))),
}
_WRONG = {
    **dict.fromkeys(SEALED, "it does not match its checksum"),
    "texts": "it does not match its address",
    "section_texts": "it does not match its address",
    "meta": "its value is of another kind",
    "drains": "no file has such a name",
}
