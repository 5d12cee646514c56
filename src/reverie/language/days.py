"""Words for days -> the days that may be meant, likeliest first: "tomorrow", "next friday", "3 March", "end of month".

A weekday is the next one; with "next" it is that of the next week, which begins on Monday. English words only.
"""

import re
from calendar import monthrange
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from reverie.errors import BadInput

MONTHS = "january february march april may june july august september october november december".split()  # noqa: SIM905
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()  # noqa: SIM905
_MONTH = "|".join([*MONTHS, "sept", *(name[:3] for name in MONTHS)])
_WEEKDAY = "|".join([*WEEKDAYS, "tues", "thurs", "thur", *(name[:3] for name in WEEKDAYS)])
_ONE = timedelta(days=1)

# From the words, today, and whether a time of day is named as well, to days.
_Reader = Callable[[re.Match[str], date, bool], list[date]]


@dataclass(frozen=True, slots=True)
class DayWords:
    """The words of a text that name a day, and what is left of the text without them."""

    words: re.Match[str]
    rest: str
    reader: _Reader

    def days(self, today: date, has_clock: bool) -> list[date]:
        """The days that may be meant. Who names a time as well may mean today: "friday at 14:00", said on a Friday."""
        return self.reader(self.words, today, has_clock)


def day_words(text: str) -> DayWords | None:
    """Find the day that a text in lower case names.

    >>> found = day_words("at 9 on the 3rd of march")
    >>> found.rest, found.days(date(2026, 11, 16), True)[0]
    ('at 9 on', datetime.date(2027, 3, 3))
    """
    for pattern, reader in _PATTERNS:
        if found := pattern.search(text):
            rest = f"{text[: found.start()].strip()} {text[found.end() :].strip()}"
            return DayWords(found, rest.strip(), reader)
    return None


def date_of(year: int, month: int, day: int) -> date:
    """A day that the calendar has, or an error that says what it has."""
    if not (1 <= month <= 12 and 1 <= year <= 9999):
        raise BadInput(f"there is no {year:04}-{month:02}-{day:02}; write a date like 2026-12-01")
    last = monthrange(year, month)[1]
    if not 1 <= day <= last:
        name = MONTHS[month - 1].title()
        raise BadInput(f"there is no {day} {name} {year}: that month has {last} days; name another day")
    return date(year, month, day)


def _dated(found: re.Match[str], today: date, _has_clock: bool) -> list[date]:
    month = next(number for number, name in enumerate(MONTHS, 1) if name.startswith(found["month"][:3]))
    if found["year"]:
        days = [date_of(int(found["year"]), month, int(found["day"]))]
    else:
        days = _coming(today, (month,), int(found["day"]))
    if not (weekday := found["weekday"]):
        return days
    fitting = [day for day in days if day.weekday() == _number(weekday)]
    if not fitting:
        really = WEEKDAYS[days[0].weekday()].title()
        raise BadInput(f"{days[0]} is a {really}, not a {WEEKDAYS[_number(weekday)].title()}; say which one is meant")
    return fitting


def _of_month(found: re.Match[str], today: date, _has_clock: bool) -> list[date]:
    if not 1 <= int(found["day"]) <= 31:
        raise BadInput(f"no month has a day {int(found['day'])}; name another day")
    return _coming(today, range(1, 13), int(found["day"]))


def _coming(today: date, months: Sequence[int], day: int) -> list[date]:
    """The next two such days, today among them: its time may have passed."""
    years = range(today.year, min(today.year + 9, 10_000))  # between two 29 February there may be eight years
    days = [date(year, month, day) for year in years for month in months if 1 <= day <= monthrange(year, month)[1]]
    ahead = [one for one in days if one >= today][:2]
    return ahead or [date_of(today.year, months[0], day)]


def _weekday(found: re.Match[str], today: date, has_clock: bool) -> list[date]:
    wanted = _number(found["weekday"])
    if found["which"] == "last":
        return [today - ((today.weekday() - wanted) % 7 or 7) * _ONE]
    if found["which"] == "next" or found["next_week"]:
        return [_monday(today) + (7 + wanted) * _ONE]
    coming = today + ((wanted - today.weekday()) % 7 or (0 if has_clock else 7)) * _ONE
    return [coming, coming + 7 * _ONE]


def _end_of(found: re.Match[str], today: date, _has_clock: bool) -> list[date]:
    following = bool(found["next"])
    if found["unit"] == "week":
        return [today + ((4 - today.weekday()) % 7 + 7 * following) * _ONE]  # Friday
    if found["unit"] == "month":
        first = _next_month(today) if following else today.replace(day=1)
        return [_next_month(first) - _ONE]
    return [date(today.year + following, 12, 31)]


def _next_unit(found: re.Match[str], today: date, _has_clock: bool) -> list[date]:
    if found["unit"] == "week":
        return [_monday(today) + 7 * _ONE]
    return [_next_month(today) if found["unit"] == "month" else date(today.year + 1, 1, 1)]


def _weekend(found: re.Match[str], today: date, _has_clock: bool) -> list[date]:
    saturday = _monday(today) + (5 + 7 * (found["which"] == "next")) * _ONE
    return [day for day in (saturday, saturday + _ONE) if day >= today]


def _number(weekday: str) -> int:
    return next(number for number, name in enumerate(WEEKDAYS) if name.startswith(weekday[:3]))


def _monday(today: date) -> date:
    return today - today.weekday() * _ONE


def _next_month(day: date) -> date:
    return (day.replace(day=1) + 32 * _ONE).replace(day=1)


def _away(days: int) -> _Reader:
    return lambda _, today, _has_clock: [today + days * _ONE]


def _iso(found: re.Match[str], _today: date, _has_clock: bool) -> list[date]:
    return [date_of(int(found["year"]), int(found["month"]), int(found["day"]))]


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w:.-])(?:{pattern})(?![\w:-])", re.ASCII)


_TH = "(?:st|nd|rd|th)"
_ON = rf"(?:(?P<weekday>{_WEEKDAY})\.? )?(?:the )?"
_YEAR = r"(?: (?P<year>\d{4})(?![\d:]))?"
# Tried in this order: the first that is found names the day.
_PATTERNS: Sequence[tuple[re.Pattern[str], _Reader]] = [
    (_words(r"(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})"), _iso),
    (_words(r"(?:the )?day after tomorrow"), _away(2)),
    (_words(r"tomorrow"), _away(1)),
    (_words(r"today|(?:the )?end of (?:the )?day"), _away(0)),
    (_words(r"(?:the )?day before yesterday"), _away(-2)),
    (_words(r"yesterday"), _away(-1)),
    (_words(rf"{_ON}(?P<day>\d{{1,2}}){_TH}? (?:of )?(?P<month>{_MONTH})\.?{_YEAR}"), _dated),
    (_words(rf"{_ON}(?P<month>{_MONTH})\.? (?:the )?(?P<day>\d{{1,2}}){_TH}?{_YEAR}"), _dated),
    (_words(rf"(?:(?P<which>this|next|last|coming) )?(?P<weekday>{_WEEKDAY})(?P<next_week> next week)?"), _weekday),
    (_words(rf"(?:the )?(?P<day>\d{{1,2}}){_TH}"), _of_month),
    (_words(r"(?:the )?end of (?:the |this )?(?P<next>next )?(?P<unit>week|month|year)"), _end_of),
    (_words(r"next (?P<unit>week|month|year)"), _next_unit),
    (_words(r"(?:(?P<which>this|the|next) )?weekend"), _weekend),
]
