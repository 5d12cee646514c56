"""Moments as people say them -> milliseconds UTC, in a person's zone: "tomorrow at 9", "in 20 minutes", "3 March".

English words only; an ISO date works everywhere. What can be read in several ways is the first that is still ahead:

- an hour without am or pm is that of a 24-hour clock, or its other half if that has passed ("at 5", said at 14:00)
- a day without a time is at 9:00; today, if that has passed, at 17:00 or 21:00
- midnight is the end of the day that is named
- a time that the clock skips in spring is as much later as it skips; if it is shown twice, the first that is ahead
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo

from reverie.errors import BadInput
from reverie.language.days import MONTHS, WEEKDAYS, date_of, day_words
from reverie.language.durations import DURATION, duration

EXAMPLES = '"tomorrow at 9", "in 20 minutes", "next friday 14:00", "3 March", "2026-12-01 10:00"'
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_HOUR, _DAY = 3600, 86_400
_CLOCKS_OF_A_DAY = (9 * _HOUR, 17 * _HOUR, 21 * _HOUR)
_PARTS = {"morning": 9, "afternoon": 15, "evening": 19, "night": 20}
_FARTHEST_MS = 36_525 * _DAY * 1000  # a century: what is further away is a slip
_LONGEST = 100  # characters: nobody says a time at greater length


@dataclass(frozen=True, slots=True)
class _Said:
    """The readings of a text, likeliest first: whole instants, or days and times of day (in seconds)."""

    instants: Sequence[int] = ()
    days: Sequence[date] = ()
    clocks: Sequence[int] = ()
    only_a_day: bool = False


class _Unreadable(Exception):
    """A word is left that says nothing about time."""


def moment(text: str, now_ms: int, zone: tzinfo) -> int:
    """The moment that is meant, which must be ahead.

    >>> written(moment("tomorrow at 9", 1_790_000_000_000, UTC), UTC)
    '2026-09-22T09:00+00:00'
    """
    meant = _instants(_read(text, now_ms, zone), zone)
    ahead = [one for one in meant if one > now_ms]
    if not ahead:
        raise BadInput(
            f"{text!r} is {spelled(meant[0], zone)}, which has passed: it is now {spelled(now_ms, zone)}; "
            f"say a time that is ahead, like {EXAMPLES}"
        )
    if ahead[0] - now_ms > _FARTHEST_MS:
        raise BadInput(f"{text!r} is more than a hundred years away; say a nearer time, like {EXAMPLES}")
    return ahead[0]


def stretch(text: str, now_ms: int, zone: tzinfo) -> tuple[int, int]:
    """From when until when: a whole day if only a day is named, else one minute. It may have passed."""
    said = _read(text, now_ms, zone)
    if said.only_a_day:
        return day_of(said.days[0], zone)
    begin = _instants(said, zone)[0]
    return begin, begin + 60_000


def day_of(day: date, zone: tzinfo) -> tuple[int, int]:
    """Return when a day begins, and when the next one does."""
    return _at(day, 0, zone)[0], _at(day, _DAY, zone)[0]


def local(ms: int, zone: tzinfo) -> datetime:
    """A moment as the clock on the person's wall shows it."""
    return (_EPOCH + timedelta(milliseconds=ms)).astimezone(zone)


def written(ms: int, zone: tzinfo) -> str:
    """A moment for programs and models: ISO 8601 with the offset, to the minute unless there is more.

    >>> written(1_790_000_000_000, UTC)
    '2026-09-21T14:13:20+00:00'
    """
    return local(ms, zone).isoformat(timespec="milliseconds" if ms % 1000 else "seconds" if ms % 60_000 else "minutes")


def spelled(ms: int, zone: tzinfo) -> str:
    """A moment for people, to the minute; it can be read again.

    >>> spelled(1_790_000_000_000, UTC)
    'Mon 21 Sep 2026, 14:13'
    """
    at = local(ms, zone)
    day, month = WEEKDAYS[at.weekday()][:3].title(), MONTHS[at.month - 1][:3].title()
    return f"{day} {at.day} {month} {at.year:04}, {at:%H:%M}"


# ---- instants


def _instants(said: _Said, zone: tzinfo) -> list[int]:
    """Everything that may be meant, in the order in which it is tried."""
    return [*said.instants, *(one for day in said.days for clock in said.clocks for one in _at(day, clock, zone))]


def _at(day: date, seconds: float, zone: tzinfo) -> list[int]:
    """Return the instants at which the wall clock shows this: one, or two on the night when it is set back."""
    on_the_wall = datetime(day.year, day.month, day.day, tzinfo=zone) + timedelta(seconds=seconds)
    first, second = (_ms(on_the_wall.replace(fold=fold)) for fold in (0, 1))
    # In an hour that is skipped the two are the other way round, and the first is what the clock shows after it.
    return [first, second] if first < second else [first]


def _since_midnight(shown: datetime) -> float:
    return shown.hour * 3600 + shown.minute * 60 + shown.second + shown.microsecond / 1_000_000


def _ms(aware: datetime) -> int:
    return (aware.astimezone(UTC) - _EPOCH) // timedelta(milliseconds=1)


# ---- reading


def _read(text: str, now_ms: int, zone: tzinfo) -> _Said:
    """Read a text: an ISO time, a length of time from now, or a day and a time of day in either order."""
    plain = " ".join(text.casefold().replace(",", " ").split()).strip(" .!")
    plain = re.sub(r"\btonight\b", "today night", plain)
    plain = re.sub(r"\bthis (?=morning|afternoon|evening)", "today ", plain)
    shown = text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
    try:
        if not plain or len(plain) > _LONGEST:
            raise _Unreadable
        said = _iso(plain, zone) or _from_now(plain, now_ms, zone) or _day_and_clock(plain, local(now_ms, zone).date())
        _instants(said, zone)  # so that what leads out of the calendar is found here
    except _Unreadable:
        raise BadInput(f"{shown!r} cannot be read as a time; write it like {EXAMPLES}") from None
    except (OverflowError, ValueError):
        raise BadInput(f"{shown!r} is beyond the calendar; say a nearer time, like {EXAMPLES}") from None
    return said


_ISO = re.compile(
    r"(\d{4})-(\d{2})-(\d{2})(?:t| )(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?) ?(z|[+-]\d{2}(?::?\d{2})?)?", re.ASCII
)


def _iso(plain: str, zone: tzinfo) -> _Said | None:
    found = _ISO.fullmatch(plain)
    if found is None:
        return None
    day = date_of(int(found[1]), int(found[2]), int(found[3]))
    try:
        exact = datetime.fromisoformat(f"{day}T{found[4]}{(found[5] or '').upper()}")
    except ValueError:
        raise BadInput(f"{found[4]}{found[5] or ''} is not a time; write it like 10:00 or 10:00+02:00") from None
    return _Said(instants=[_ms(exact)] if exact.tzinfo else _at(day, _since_midnight(exact), zone))


_FROM_NOW = re.compile(rf"in ({DURATION})|({DURATION}) from now|({DURATION}) ago", re.ASCII)


def _from_now(plain: str, now_ms: int, zone: tzinfo) -> _Said | None:
    """Hours and minutes are counted. Days and longer keep the time on the clock, or have one of their own."""
    if plain == "now":
        return _Said(instants=[now_ms])
    found = _FROM_NOW.match(plain)
    span = duration(found[1] or found[2] or found[3]) if found else None
    if found is None or span is None:
        return None
    sign = -1 if found[3] else 1
    now = local(now_ms, zone)
    day = span.from_day(now.date(), sign)
    if rest := plain[found.end() :].strip():
        clocks = _clocks(rest, day_is_named=True)
        if span.seconds or clocks is None:
            raise _Unreadable
        return _Said(days=[day], clocks=clocks)
    begin = now_ms if day == now.date() else _at(day, _since_midnight(now), zone)[0]
    return _Said(instants=[begin + sign * round(span.seconds * 1000)])


def _day_and_clock(plain: str, today: date) -> _Said:
    found = day_words(plain)
    if found is None:
        clocks = _clocks(plain, day_is_named=False)
        if clocks is None:
            raise _Unreadable
        return _Said(days=[today, today + timedelta(days=1)], clocks=clocks)
    clocks = _clocks(found.rest, day_is_named=True)
    days = found.days(today, clocks is not None)
    if clocks is not None:
        return _Said(days=days, clocks=clocks)
    at_its_end = found.words[0].endswith((" of day", " the day"))
    return _Said(days=days, clocks=_CLOCKS_OF_A_DAY[1:2] if at_its_end else _CLOCKS_OF_A_DAY, only_a_day=True)


_PART = re.compile(rf"(?:\b(?:in the|at|in|the) )?\b({'|'.join(_PARTS)})\b")
_BETWEEN = re.compile(r"^(?:(?:on|by|for|the|of)\b ?)+|(?: ?\b(?:on|by|for|at|the))+$")
_CLOCK = re.compile(
    r"(?:(?P<at>at|@) ?)?(?P<hour>\d{1,2})(?::(?P<minute>\d{2})(?::(?P<second>\d{2}))?)?"
    r"(?: ?(?P<half>[ap])\.?m\.?)?(?P<oclock> o'?clock)?",
    re.ASCII,
)


def _clocks(text: str, *, day_is_named: bool) -> list[int] | None:
    """Times of day that may be meant, in seconds; None if none is named."""
    part = _PART.search(text)
    if part:
        text = f"{text[: part.start()].strip()} {text[part.end() :].strip()}"
    text = _BETWEEN.sub("", text.strip()).strip()
    if not text:
        return [_PARTS[part[1]] * _HOUR] if part else None
    if (named := text.removeprefix("at ")) in ("noon", "midday", "midnight"):
        return [_DAY if named == "midnight" else 12 * _HOUR]
    found = _CLOCK.fullmatch(text)
    if found is None:
        raise _Unreadable
    if not (found["minute"] or found["half"] or found["oclock"] or found["at"] or part or day_is_named):
        raise _Unreadable  # a number alone may be a day as well
    hour, minute, second = int(found["hour"]), int(found["minute"] or 0), int(found["second"] or 0)
    if hour > 23 or minute > 59 or second > 59 or (found["half"] and not 1 <= hour <= 12):
        raise BadInput(f'"{text}" is not a time; write it like 9, 9:30 pm or 21:30')
    within = minute * 60 + second
    if found["half"]:
        return [(hour % 12 + (12 if found["half"] == "p" else 0)) * _HOUR + within]
    hours = _in_part(hour, part[1]) if part else [hour]
    if not part and not found["minute"] and 1 <= hour <= 12:
        hours.append(hour + 12)
    return [one * _HOUR + within for one in hours]


def _in_part(hour: int, part: str) -> list[int]:
    """An hour of a twelve-hour clock, in a part of the day: 8 in the evening is 20, 1 at night is past midnight."""
    if hour > 12 or part == "morning":
        return [hour]
    if part == "night" and (hour < 5 or hour == 12):
        return [24 + hour % 12]
    return [hour % 12 + 12] if part != "evening" or hour < 12 else [24]
