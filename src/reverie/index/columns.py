"""The properties of items as columns of numbers: filters become masks over all rows at once."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reverie.language.periods import Period
from reverie.records import Filters, ItemType, Lifecycle, MemoryItem, Trust

Mask = NDArray[np.bool_]

USER, ASSISTANT = 1, 2  # who speaks, where speakers are roles and not names
_ROLES = {
    **dict.fromkeys(("user", "human", "me"), USER),
    **dict.fromkeys(("assistant", "ai", "agent", "bot", "model"), ASSISTANT),
}
_BY_TYPE = {ItemType.USER_MESSAGE: USER, ItemType.ASSISTANT_MESSAGE: ASSISTANT}

# Why an item is hidden from those who did not ask for it.
DELETED, QUARANTINED, EXPIRED, SUPERSEDED = 1, 2, 4, 8

_EVER, _NEVER = np.iinfo(np.int64).min, np.iinfo(np.int64).max
_TRUST = {trust: rank for rank, trust in enumerate(Trust)}
_NAMES = ("store", "type", "project", "session", "speaker", "agent", "task", "subject")
_NUMBERS: dict[str, Any] = {
    "created": np.int64, "expires": np.int64, "valid_from": np.int64, "valid_to": np.int64, "importance": np.float64,
    "trust": np.int8, "hidden": np.int8, "role": np.int8, "length": np.int32, "alive": np.bool_, "only_asks": np.bool_,
    "tells": np.bool_,
}  # fmt: skip


class Codes:
    """Names <-> small numbers, counted, so that a name that nobody uses any more is gone. 0 is the empty name."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {"": 0}
        self._names: list[str] = [""]
        self._uses: list[int] = [0]
        self._free: list[int] = []

    def take(self, name: str) -> int:
        code = self._codes.get(name)
        if code is None:
            if self._free:
                code = self._free.pop()
                self._names[code] = name
            else:
                code = len(self._names)
                self._names.append(name)
                self._uses.append(0)
            self._codes[name] = code
        self._uses[code] += 1
        return code

    def give_back(self, code: int) -> None:
        self._uses[code] -= 1
        if code and not self._uses[code]:
            del self._codes[self._names[code]]
            self._names[code] = ""
            self._free.append(code)

    def name(self, code: int) -> str:
        return self._names[code]

    def code(self, name: str) -> int:
        """-1 for a name that nobody uses."""
        return self._codes.get(name, -1)

    def used(self) -> dict[str, int]:
        return {name: code for name, code in self._codes.items() if code}

    def others(self, names: Sequence[str]) -> list[int]:
        """The codes that somebody uses, but for those of these names."""
        return [code for name, code in self._codes.items() if self._uses[code] and name not in names]


class Columns:
    """One row for each item, row 0 for nobody."""

    def __init__(self, expires: Callable[[MemoryItem], int | None]) -> None:
        self._expires = expires
        self.codes = {name: Codes() for name in _NAMES}
        self._columns: dict[str, NDArray[Any]] = {
            name: np.zeros(1, dtype=kind) for name, kind in {**dict.fromkeys(_NAMES, np.int32), **_NUMBERS}.items()
        }
        self._labels: dict[int, frozenset[str]] = {}  # tags and metadata
        self._shown: dict[int, Mask] = {}  # what is alive and not hidden, by what was asked for; until the next change
        self._soonest: int | None = None  # when the first row expires; the same
        self.rows = 1

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._columns[name][: self.rows]

    def set(
        self,
        rows: Sequence[int],
        items: Sequence[MemoryItem],
        lengths: Sequence[int],
        only_asks: Sequence[bool],
        tells: Sequence[bool],
    ) -> None:
        """Fill rows that are free."""
        self._changed()
        self._grow(max(rows) + 1)
        values: dict[str, list[float]] = {name: [] for name in self._columns}
        for item in items:
            for name, codes in self.codes.items():
                values[name].append(codes.take(str(getattr(item, name))))
            values["created"].append(item.created_ms)
            values["expires"].append(_or(self._expires(item), _NEVER))
            values["valid_from"].append(_or(item.valid_from_ms, _EVER))
            values["valid_to"].append(_or(item.valid_to_ms, _NEVER))
            values["importance"].append(item.importance)
            values["trust"].append(_TRUST[item.trust])
            values["hidden"].append(_hidden(item))
            values["role"].append(role_of(item))
        values["length"] = list(lengths)
        values["alive"] = [True] * len(rows)
        values["only_asks"] = list(only_asks)
        values["tells"] = list(tells)
        at = np.array(rows)
        for name, column in self._columns.items():
            column[at] = np.array(values[name], dtype=column.dtype)
        self._labels.update((row, labels) for row, item in zip(rows, items, strict=True) if (labels := item.labels))

    def clear(self, rows: Sequence[int]) -> None:
        self._changed()
        for row in rows:
            for name, codes in self.codes.items():
                codes.give_back(int(self._columns[name][row]))
            self._labels.pop(row, None)
        at = np.array(rows, dtype=np.int64)
        for column in self._columns.values():
            column[at] = np.zeros((), dtype=column.dtype)

    def _changed(self) -> None:
        self._shown.clear()
        self._soonest = None

    def _grow(self, rows: int) -> None:
        self.rows = max(self.rows, rows)
        for name, column in self._columns.items():
            if len(column) < rows:
                self._columns[name] = np.append(
                    column, np.zeros(max(rows, 2 * len(column)) - len(column), column.dtype)
                )

    # ---- filters

    def visible(
        self, filters: Filters, stores: Sequence[str], at_ms: int, past: Sequence[Period], formerly: bool
    ) -> Mask:
        """Return a mask of the rows that may be found."""
        mask = self._unhidden(filters, at_ms, past, formerly)
        for name in ("session", "speaker", "agent", "task", "subject"):
            wanted = getattr(filters, name)
            if wanted:
                mask &= self[name] == self.codes[name].code(wanted)
        if filters.project is not None:
            mask &= self._among("project", (filters.project, ""))
        if stores:
            mask &= self._among("store", stores)
        if filters.types:
            mask &= self._among("type", filters.types)
        if filters.after_ms is not None:
            mask &= self["created"] >= filters.after_ms
        if filters.before_ms is not None:
            mask &= self["created"] < filters.before_ms
        if filters.min_importance > 0:
            mask &= self["importance"] >= filters.min_importance
        if filters.min_trust is not Trust.OUTSIDE_TOOL:
            mask &= self["trust"] <= _TRUST[filters.min_trust]
        if wanted := filters.labels:
            labelled = np.zeros(self.rows, dtype=bool)
            labelled[[row for row, labels in self._labels.items() if wanted <= labels]] = True
            mask &= labelled
        return np.asarray(mask, dtype=bool)

    def _unhidden(self, filters: Filters, at_ms: int, past: Sequence[Period], formerly: bool) -> Mask:
        asked_for = (QUARANTINED if filters.quarantined else 0) | (EXPIRED if filters.expired else 0)
        former = bool(past) or formerly or filters.superseded or filters.valid_at_ms is not None
        mask = self._not_hidden_by(~(asked_for | SUPERSEDED) if former else ~asked_for).copy()
        if filters.valid_at_ms is not None:
            mask &= np.maximum(self["created"], self["valid_from"]) <= filters.valid_at_ms
            mask &= (self["valid_to"] > filters.valid_at_ms) | filters.superseded
        elif past and not filters.superseded:
            superseded = (self["hidden"] & np.int8(SUPERSEDED)) != 0
            then = self._valid_during(past)
            mask &= ~superseded | then
            # What replaced something that held at that time did not hold yet: the older one is the answer.
            answered = np.unique(self["subject"][then & superseded & mask])
            mask &= then | ~np.isin(self["subject"], answered[answered > 0])
        if not filters.expired and self._first_expiry() <= at_ms:
            mask &= self["expires"] > at_ms
        return mask

    def _not_hidden_by(self, reasons: int) -> Mask:
        """The rows that none of these reasons hides."""
        if reasons not in self._shown:
            self._shown[reasons] = self["alive"] & ((self["hidden"] & np.int8(reasons)) == 0)
        return self._shown[reasons]

    def _first_expiry(self) -> int:
        if self._soonest is None:
            self._soonest = int(self["expires"][self["alive"]].min(initial=_NEVER))
        return self._soonest

    def _valid_during(self, past: Sequence[Period]) -> Mask:
        then = np.zeros(self.rows, dtype=bool)
        for period in past:
            then |= (self["valid_from"] < _ms(period.end.toordinal())) & (
                self["valid_to"] > _ms(period.first.toordinal())
            )
        return then

    def _among(self, name: str, wanted: Sequence[str]) -> Mask:
        """Return a mask of the rows with one of these names, or without the others, whichever are fewer."""
        column, codes = self[name], self.codes[name]
        others = codes.others(wanted)
        if len(others) < len(wanted):
            mask = np.ones(self.rows, dtype=bool)
            for code in others:
                mask &= column != code
            return mask
        mask = np.zeros(self.rows, dtype=bool)
        for each in wanted:
            mask |= column == codes.code(each)
        return mask


def role_of(item: MemoryItem) -> int:
    """Return the role of the speaker: the person or the assistant; 0 where the speaker has a name, or nobody speaks."""
    if item.speaker:
        return _ROLES.get(item.speaker.lower(), 0)
    return _BY_TYPE.get(item.type, 0)


def is_name(speaker: str) -> bool:
    return bool(speaker) and speaker.lower() not in _ROLES and speaker.lower() not in ("system", "tool")


def _hidden(item: MemoryItem) -> int:
    return (
        (DELETED if item.deleted_ms is not None else 0)
        | (QUARANTINED if item.lifecycle is Lifecycle.QUARANTINED else 0)
        | (EXPIRED if item.lifecycle in (Lifecycle.ARCHIVED, Lifecycle.EXPIRED) else 0)
        | (SUPERSEDED if item.superseded_by else 0)
    )


def _or(value: int | None, other: int) -> int:
    return other if value is None else value


def _ms(ordinal: int) -> int:
    return (ordinal - 719_163) * 86_400_000  # 719,163 is 1 January 1970
