"""Lengths of time as people say them <-> what they are: "an hour and a half", "1h30m", "2 weeks".

Hours and shorter are lengths; days and longer are steps in the calendar, because a day may have 23 or 25 hours.
"""

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta

NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
    "sixty": 60, "ninety": 90, "half a": 0.5, "half an": 0.5, "a couple of": 2, "a couple": 2, "couple of": 2,
}  # fmt: skip
_SECONDS = {"s": 1, "sec": 1, "second": 1, "m": 60, "min": 60, "minute": 60, "h": 3600, "hr": 3600, "hour": 3600}
_DAYS = {"d": 1, "day": 1, "w": 7, "wk": 7, "week": 7, "fortnight": 14}
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_MOST_DIGITS = 6  # a number with more is a slip, and would only leave the calendar

# "1h30m" has no space in it, and a word for a number needs one after it: "and" is not "an d".
_WORDS = "|".join(sorted(NUMBERS, key=len, reverse=True))
_COUNT = rf"\d{{1,{_MOST_DIGITS}}}(?:\.\d{{1,3}})?\s*|(?:{_WORDS})\s+"
_UNIT = "|".join(sorted([*_SECONDS, *_DAYS, *_MONTHS], key=len, reverse=True))
_PART = rf"(?:(?:{_COUNT})(?:{_UNIT})s?(?![a-z])(?:\s+and\s+a\s+half)?)"
DURATION = rf"{_PART}(?:(?:\s*,\s*|\s+and\s+|\s*){_PART}){{0,5}}"
_ONE = re.compile(rf"({_COUNT})({_UNIT})s?(?![a-z])(\s+and\s+a\s+half)?", re.ASCII)
_WHOLE = re.compile(DURATION, re.ASCII)


@dataclass(frozen=True, slots=True)
class Duration:
    """Steps in the calendar, then a length."""

    months: int = 0
    days: int = 0
    seconds: float = 0

    def from_day(self, day: date, sign: int = 1) -> date:
        """The day that is as many months and days away; the 31st becomes the last day of a shorter month.

        >>> Duration(months=1).from_day(date(2026, 1, 31))
        datetime.date(2026, 2, 28)
        """
        months = day.year * 12 + day.month - 1 + sign * self.months
        year, month = divmod(months, 12)
        last = monthrange(year, month + 1)[1]
        return date(year, month + 1, min(day.day, last)) + timedelta(days=sign * self.days)


def duration(text: str) -> Duration | None:
    """Parse a text that is a length of time and nothing else.

    >>> duration("1h30m"), duration("2 weeks and a day")
    (Duration(months=0, days=0, seconds=5400.0), Duration(months=0, days=15, seconds=0))
    >>> duration("soon"), duration("1.5 months")
    (None, None)
    """
    text = " ".join(text.casefold().split())
    if len(text) > 100 or not _WHOLE.fullmatch(text):
        return None
    months, days, seconds = 0.0, 0.0, 0.0
    for count, unit, and_a_half in _ONE.findall(text):
        number = (float(count) if count[0].isdigit() else NUMBERS[count.strip()]) + (0.5 if and_a_half else 0)
        months += number * _MONTHS.get(unit, 0)
        days += number * _DAYS.get(unit, 0)
        seconds += number * _SECONDS.get(unit, 0)
    if months % 1:
        return None  # half a month is no step that a calendar has
    seconds += days % 1 * 86_400
    return Duration(int(months), int(days), round(seconds, 3) or 0)


def milliseconds(text: str) -> int | None:
    """The same as a plain length, for time that was spent: a day is 24 hours there. None for months.

    >>> milliseconds("1h30m"), milliseconds("a month")
    (5400000, None)
    """
    found = duration(text)
    return None if found is None or found.months else round((found.days * 86_400 + found.seconds) * 1000)


def length(ms: int) -> str:
    """Write a length of time, to the second where that matters.

    >>> length(5_400_000), length(59_999), length(90 * 3_600_000)
    ('1h 30m', '59s', '90h')
    """
    seconds = max(0, ms) // 1000
    if seconds < 60:
        return f"{seconds}s"
    hours, minutes = divmod(seconds // 60, 60)
    return " ".join([f"{hours}h"] * bool(hours) + [f"{minutes}m"] * bool(minutes))
