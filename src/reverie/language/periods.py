"""Words about time -> periods: "in May 2023", "on 3 May", "last week", "two days ago", against the question's own time.

English words only; an ISO date works everywhere. All days are UTC, as the record's times are.
"""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from reverie.language.porter import stem

_MONTHS = "january february march april may june july august september october november december".split()  # noqa: SIM905
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()  # noqa: SIM905
_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "couple of": 2, "a couple of": 2, "three": 3, "few": 3, "a few": 3,
    "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
}  # fmt: skip
_NUMBER = "|".join([r"\d{1,3}", *sorted(_NUMBERS, key=len, reverse=True)])
_LATEST_MS = 250_000_000_000_000  # well before the end of the calendar
_UNITS = {"day": 1, "week": 7, "month": 30, "year": 365}

_MONTH = "|".join([*_MONTHS, *(name[:3] for name in _MONTHS), "sept"])
_ISO = re.compile(r"\b(\d{4})-(\d{2})(?:-(\d{2}))?\b")
_DAY_MONTH = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?({_MONTH})\b\.?,?(?:\s+(?:of\s+)?(\d{{4}}))?", re.I
)
_MONTH_DAY = re.compile(rf"\b({_MONTH})\b\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s+(\d{{4}}))?", re.I)
_MONTH_YEAR = re.compile(rf"\b({_MONTH})\b\.?,?\s+(?:of\s+)?(\d{{4}})\b", re.I)
_ONLY_MONTH = re.compile(
    rf"\b(in|during|since|until|by|last|this|of|early|late|mid|for|and)?[\s-]*\b({_MONTH})\b", re.I
)
_YEAR = re.compile(r"\b(?:in|during|of|since)\s+(\d{4})\b", re.I)
_AGO = re.compile(rf"\b({_NUMBER})\s+(day|week|month|year)s?\s+(?:ago|before|back)\b", re.I)
_PAST_UNITS = re.compile(rf"\b(?:last|past|previous)\s+({_NUMBER})\s+(day|week|month|year)s\b", re.I)
_LAST_UNIT = re.compile(r"\b(last|past|previous|this)\s+(week|weekend|month|year)\b", re.I)
_WEEKDAY = re.compile(rf"\b(?:last|on|this past|past)\s+({'|'.join(_DAYS)})\b", re.I)
_PARTS_OF_DAYS = ("weekend", "yesterday", "today", "night", "tonight", "morning", "afternoon", "evening")
# Most questions name no time, and a look at their words says so.
_HINTS = frozenset([*_MONTH.split("|"), *_DAYS, *_UNITS, *(f"{unit}s" for unit in _UNITS), *_PARTS_OF_DAYS])
# Words of which dates are made, as they are found.
DATE_WORDS = frozenset(map(stem, [*_HINTS, "last", "past", "previous", "ago"]))
_BARE = str.maketrans(dict.fromkeys(".,;:!?()[]\"'", " "))
_TODAY = re.compile(
    r"\b(day before yesterday|yesterday|last night|today|this (?:morning|afternoon|evening)|tonight)\b", re.I
)


@dataclass(frozen=True, slots=True)
class Period:
    """First day and the day after the last. `yearly` when only a month was named: the same month of any year.

    `exact` when a single day was named by date, `vague` when the words allow for some days more on both sides.
    """

    first: date
    end: date
    yearly: bool = False
    exact: bool = False
    vague: bool = False


def periods(text: str, at_ms: int) -> tuple[Period, ...]:
    """Every period that a question names, in no order that matters.

    >>> periods("What did we decide last week?", 1_684_000_000_000)  # Saturday 13 May 2023
    (Period(first=datetime.date(2023, 5, 1), end=datetime.date(2023, 5, 8), yearly=False, exact=False, vague=True),)
    >>> periods("What may I eat?", 0)
    ()
    """
    if not any(map(str.isdigit, text)) and _HINTS.isdisjoint(text.lower().replace("-", " ").translate(_BARE).split()):
        return ()
    today = datetime.fromtimestamp(min(max(at_ms, 0), _LATEST_MS) / 1000, UTC).date()
    return tuple(dict.fromkeys([*_dated(text, today), *_relative(text, today)]))


def _dated(text: str, today: date) -> list[Period]:
    found: list[Period | None] = []

    def take(pattern: re.Pattern[str], year: int, month: int, day: int) -> None:
        nonlocal text
        for match in pattern.finditer(text):
            groups = ("", *match.groups())
            number = _month(groups[month]) if month else 0
            found.append(_period(groups[year] if year else None, number, groups[day] if day else None, today))
        text = pattern.sub(" ", text)

    for match in _ISO.finditer(text):
        found.append(_period(match[1], int(match[2]), match[3], today))
    text = _ISO.sub(" ", text)
    take(_DAY_MONTH, 3, 2, 1)
    take(_MONTH_YEAR, 2, 1, 0)
    take(_MONTH_DAY, 3, 1, 2)
    for match in _ONLY_MONTH.finditer(text):
        # `may`, `march`, `mar` and `sat` are words too: without a capital or a preposition they name no month.
        if match[2][0].isupper() and (match[1] or (len(match[2]) > 3 and match[2].lower() not in ("may", "march"))):
            found.append(_period(None, _month(match[2]), None, today))
    for match in _YEAR.finditer(text):
        if 1900 <= int(match[1]) <= 2200:
            found.append(Period(date(int(match[1]), 1, 1), date(int(match[1]) + 1, 1, 1)))
    return [period for period in found if period]


def _month(name: str) -> int:
    return next(number for number, full in enumerate(_MONTHS, 1) if full.startswith(name.lower()[:3]))


def _period(year: str | None, month: int, day: str | None, today: date) -> Period | None:
    try:
        this = date(int(year) if year else today.year, month, int(day) if day else 1)
        if not year and this > today:
            this = this.replace(year=this.year - 1)
        end = this + timedelta(days=1) if day else _next_month(this)
    except (ValueError, OverflowError):  # the 31st of June, or the end of the calendar
        return None
    return Period(this, end, yearly=not year, exact=bool(day))


def _relative(text: str, today: date) -> list[Period]:
    found: list[Period] = []
    one = timedelta(days=1)
    for match in _TODAY.finditer(text):
        back = {"day": 2, "yesterday": 1, "last": 1}.get(match[1].lower().split()[0], 0)
        found.append(Period(today - back * one, today - (back - 1) * one))
    for match in _AGO.finditer(text):
        unit = _UNITS[match[2].lower()]
        when = _back(today, _number(match[1]) * unit)
        slack = {1: 0, 7: 3, 30: 15, 365: 180}[unit]
        found.append(Period(_back(when, slack), when + (slack + 1) * one, vague=True))
    for match in _PAST_UNITS.finditer(text):
        found.append(Period(_back(today, _number(match[1]) * _UNITS[match[2].lower()]), today + one))
    for match in _WEEKDAY.finditer(text):
        back = (today.weekday() - _DAYS.index(match[1].lower())) % 7 or 7
        found.append(Period(today - back * one, today - (back - 1) * one))
    for match in _LAST_UNIT.finditer(text):
        found.append(_unit(match[1].lower(), match[2].lower(), today))
    return found


def _unit(which: str, unit: str, today: date) -> Period:
    this = which == "this"
    if unit == "year":
        first = date(today.year - (not this), 1, 1)
        return Period(first, date(first.year + 1, 1, 1))
    if unit == "month":
        end = today.replace(day=1)
        return (
            Period(end, _next_month(end)) if this else Period((end - timedelta(days=1)).replace(day=1), end, vague=True)
        )
    monday = today - timedelta(days=today.weekday() + (0 if this else 7))
    first = monday + timedelta(days=5) if unit == "weekend" else monday
    return Period(first, monday + timedelta(days=7), vague=not this)


def _next_month(first: date) -> date:
    return (first + timedelta(days=32)).replace(day=1)


def _number(text: str) -> int:
    return int(text) if text.isdigit() else _NUMBERS[" ".join(text.lower().split())]


def _back(day: date, days: int) -> date:
    return date.fromordinal(max(1, day.toordinal() - days))
