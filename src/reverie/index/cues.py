"""Score each row by the cues of a question: who and when."""

from collections.abc import Sequence
from datetime import date, timedelta

import numpy as np
from numpy.typing import NDArray

from reverie.index.columns import ASSISTANT, USER, Columns, is_name
from reverie.language.periods import Period
from reverie.records import ItemType

Values = NDArray[np.float64]

_DAY_MS = 86_400_000
_EPOCH = date(1970, 1, 1).toordinal()
_NEAR_DAYS = 3  # a day named by its date is often told a day or two later


def people_named(columns: Columns, names: frozenset[str]) -> frozenset[str]:
    """The first names of people who take part that are among these words."""
    speakers = columns.codes["speaker"].used()
    firsts = {speaker.lower().split()[0] for speaker in speakers if is_name(speaker) and speaker.split()}
    return names & firsts


def named_speakers(columns: Columns, names: frozenset[str]) -> list[int]:
    """The codes of the one person whose first name is among these words; none if it is nobody or more than one."""
    found: dict[str, list[int]] = {}
    for speaker, code in columns.codes["speaker"].used().items():
        first = speaker.lower().split()[0] if speaker.split() else ""
        if is_name(speaker) and first in names:
            found.setdefault(first, []).append(code)
    return next(iter(found.values())) if len(found) == 1 else []


def roles(columns: Columns) -> NDArray[np.int8]:
    """Return the role of the speaker of each row: the person, the assistant, or someone by name (0).

    Where only one name writes messages as the person, that name is the person: the others answer.
    """
    role = columns["role"].astype(np.int8)
    asks = columns["type"] == columns.codes["type"].code(ItemType.USER_MESSAGE)
    answers = columns["type"] == columns.codes["type"].code(ItemType.ASSISTANT_MESSAGE)
    unnamed = (columns["role"] != 0) | (columns["speaker"] == 0)
    if len(np.unique(columns["speaker"][asks & ~unnamed])) <= 1:
        role = np.where(~unnamed & asks, USER, np.where(~unnamed & answers, ASSISTANT, role)).astype(np.int8)
    return role


def closeness(periods: Sequence[Period], created: NDArray[np.int64]) -> Values:
    """Score how well each time fits the periods of a question: 0 not at all, 1 inside, 1.5 on the very day."""
    days = created // _DAY_MS
    months = created.astype("datetime64[ms]").astype("datetime64[M]").astype(np.int64)
    best = np.zeros(len(created))
    for period in periods:
        np.maximum(best, _fit(period, days, months), out=best)
    return best


def _fit(period: Period, days: NDArray[np.int64], months: NDArray[np.int64]) -> Values:
    length = (period.end - period.first).days
    first, end = period.first.toordinal() - _EPOCH, period.end.toordinal() - _EPOCH
    if period.exact:
        near = np.zeros(len(days), dtype=bool)
        for day in _anniversaries(period, months) if period.yearly else [first]:
            near |= np.abs(days - day) <= _NEAR_DAYS
        return np.where(near, 1.5, np.where(_months_on(period, months) == 0, 0.5, 0.0))
    inside = (days >= first) & (days < end)
    if length in (28, 29, 30, 31) and period.first.day == 1:
        on = _months_on(period, months)
        return np.where(on == 0, 1.0, np.where(on == 1, 0.3, 0.0))
    worth = 1.5 if length == 1 else 1.0 if length <= 31 else 0.5
    around = (days >= first - _NEAR_DAYS) & (days < end + _NEAR_DAYS) & period.vague
    return np.where(inside, worth, np.where(around, 0.5, 0.0))


def _months_on(period: Period, months: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count the months from the period to each month, in any year if no year was named."""
    since = months - ((period.first.year - 1970) * 12 + period.first.month - 1)
    return since % 12 if period.yearly else since


def _anniversaries(period: Period, months: NDArray[np.int64]) -> list[int]:
    years = range(1970 + int(months.min()) // 12, 1971 + int(months.max()) // 12) if len(months) else range(0)
    start = period.first.replace(day=1)
    return [
        (start.replace(year=year) + timedelta(days=period.first.day - 1)).toordinal() - _EPOCH
        for year in years
        if 1 <= year <= 9998
    ]
