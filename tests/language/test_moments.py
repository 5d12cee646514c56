"""Times as people say them, in the zone they live in; what cannot be meant is an error that shows the way."""

import re
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.errors import BadInput
from reverie.language.durations import duration, length, milliseconds
from reverie.language.moments import day_of, local, moment, spelled, stretch, written

BERLIN = ZoneInfo("Europe/Berlin")
ZONES = [UTC, *map(ZoneInfo, ["Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe",
                              "Pacific/Apia", "America/Havana", "Africa/Cairo", "America/St_Johns"])]  # fmt: skip


def ms(*parts: int, zone=BERLIN, fold: int = 0) -> int:
    return int(datetime(*parts, tzinfo=zone, fold=fold).timestamp() * 1000)


NOW = ms(2026, 11, 16, 14, 20)  # a Monday


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("tomorrow at 9", (2026, 11, 17, 9)),
        ("Tomorrow 9am", (2026, 11, 17, 9)),
        ("at 9 tomorrow", (2026, 11, 17, 9)),
        ("tomorrow", (2026, 11, 17, 9)),
        ("tomorrow evening at 8", (2026, 11, 17, 20)),
        ("day after tomorrow at 7:30 pm", (2026, 11, 18, 19, 30)),
        ("in 20 minutes", (2026, 11, 16, 14, 40)),
        ("in an hour and a half", (2026, 11, 16, 15, 50)),
        ("in 1h30m", (2026, 11, 16, 15, 50)),
        ("two hours from now", (2026, 11, 16, 16, 20)),
        ("in 2 weeks", (2026, 11, 30, 14, 20)),
        ("in 2 days at 8", (2026, 11, 18, 8)),
        ("in 3 months", (2027, 2, 16, 14, 20)),
        ("friday", (2026, 11, 20, 9)),
        ("on Friday, at noon", (2026, 11, 20, 12)),
        ("this friday 14:00", (2026, 11, 20, 14)),
        ("next friday 14:00", (2026, 11, 27, 14)),
        ("friday next week", (2026, 11, 27, 9)),
        ("monday", (2026, 11, 23, 9)),
        ("monday 15:00", (2026, 11, 16, 15)),
        ("monday 9:00", (2026, 11, 23, 9)),
        ("on 3 March", (2027, 3, 3, 9)),
        ("March 3rd, 2028 at 4pm", (2028, 3, 3, 16)),
        ("16 November at 15:00", (2026, 11, 16, 15)),
        ("Friday 20 November", (2026, 11, 20, 9)),
        ("29 February", (2028, 2, 29, 9)),
        ("the 15th", (2026, 12, 15, 9)),
        ("the 31st at noon", (2026, 12, 31, 12)),
        ("2026-12-01", (2026, 12, 1, 9)),
        ("2026-12-01 10:00", (2026, 12, 1, 10)),
        ("2026-12-01 9pm", (2026, 12, 1, 21)),
        ("2026-12-01T10:00", (2026, 12, 1, 10)),
        ("2026-12-01T10:00+02:00", (2026, 12, 1, 9)),
        ("2026-12-01T10:00:00Z", (2026, 12, 1, 11)),
        ("tonight", (2026, 11, 16, 20)),
        ("tonight at 9", (2026, 11, 16, 21)),
        ("tonight at 1", (2026, 11, 17, 1)),
        ("noon", (2026, 11, 17, 12)),
        ("midnight", (2026, 11, 17, 0)),
        ("tomorrow at midnight", (2026, 11, 18, 0)),
        ("12 am", (2026, 11, 17, 0)),
        ("at 5", (2026, 11, 16, 17)),
        ("15:00", (2026, 11, 16, 15)),
        ("9:00", (2026, 11, 17, 9)),
        ("8 in the evening", (2026, 11, 16, 20)),
        ("today", (2026, 11, 16, 17)),
        ("this evening", (2026, 11, 16, 19)),
        ("end of day", (2026, 11, 16, 17)),
        ("end of week", (2026, 11, 20, 9)),
        ("end of month", (2026, 11, 30, 9)),
        ("at the end of next month", (2026, 12, 31, 9)),
        ("end of the year", (2026, 12, 31, 9)),
        ("next week", (2026, 11, 23, 9)),
        ("next month", (2026, 12, 1, 9)),
        ("the weekend", (2026, 11, 21, 9)),
    ],
)
def test_a_time_is_read_in_the_person_s_zone(text: str, means: tuple[int, ...]) -> None:
    assert spelled(moment(text, NOW, BERLIN), BERLIN) == spelled(ms(*means), BERLIN)


@pytest.mark.parametrize("text", ["yesterday", "3 days ago", "this morning", "3 March 2020", "2026-11-16 14:00",
                                  "2026-11-16 14:20", "today at 9:00", "last friday", "in 0 minutes", "now"])  # fmt: skip
def test_what_has_passed_is_refused_with_the_time_that_it_is(text: str) -> None:
    with pytest.raises(BadInput, match=r"has passed: it is now Mon 16 Nov 2026, 14:20; say .* like"):
        moment(text, NOW, BERLIN)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("30 February", "no 30 February"),
        ("on 31 June 2027", "June 2027: that month has 30 days"),
        ("29 February 2027", "that month has 28 days"),
        ("2026-13-01 10:00", "no 2026-13-01"),
        ("2026-12-01 25:00", "25:00 is not a time"),
        ("tomorrow at 25", "is not a time"),
        ("tomorrow at 9:75", "is not a time"),
        ("13 pm", "is not a time"),
        ("the 45th", "no month has a day 45"),
        ("Thursday 20 November 2026", "is a Friday, not a Thursday"),
        ("in 99999 years", "beyond the calendar"),
        ("9999-12-31 midnight", "beyond the calendar"),
        ("in 150 years", "hundred years"),
    ],
)
def test_what_no_calendar_or_clock_has_is_refused(text: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        moment(text, NOW, BERLIN)


@pytest.mark.parametrize("text", ["", " ", "soon", "9", "may", "3/4/2027", "3.12", "20m", "tomorrow tomorrow", "in", "at",
                                  "in 2 days and 3 hours at 9", "friday 9 9", "x" * 10_000, "９ am", "\0", "in -5 minutes",
                                  "tomorrow at nine thousand", "1 " * 40 + "day"])  # fmt: skip
def test_what_cannot_be_read_is_refused_with_examples(text: str) -> None:
    with pytest.raises(BadInput, match=r'cannot be read as a time; write it like "tomorrow at 9"') as refused:
        moment(text, NOW, BERLIN)

    assert len(str(refused.value)) < 400


def test_a_weekday_is_never_the_day_that_runs_unless_a_time_is_named() -> None:
    assert moment("monday", ms(2026, 11, 16, 7), BERLIN) == ms(2026, 11, 23, 9)
    assert moment("monday at 8", ms(2026, 11, 16, 7), BERLIN) == ms(2026, 11, 16, 8)


def test_on_a_sunday_the_next_week_begins_tomorrow() -> None:
    assert moment("next friday", ms(2026, 11, 22, 12), BERLIN) == ms(2026, 11, 27, 9)


def test_a_month_later_is_the_last_day_where_the_month_is_shorter() -> None:
    assert moment("in a month", ms(2027, 1, 31, 12), BERLIN) == ms(2027, 2, 28, 12)


# ---- when clocks are changed: in Berlin on 28 March 2027 from 2 to 3, on 25 October 2026 from 3 to 2


def test_a_time_that_the_clock_skips_is_an_hour_later() -> None:
    meant = moment("2027-03-28 02:30", NOW, BERLIN)

    assert written(meant, BERLIN) == "2027-03-28T03:30+02:00"


def test_a_time_that_the_clock_shows_twice_is_the_first_that_is_ahead() -> None:
    before, between = ms(2026, 10, 24, 12), ms(2026, 10, 25, 2, 45)

    assert written(moment("25 October 2:30", before, BERLIN), BERLIN) == "2026-10-25T02:30+02:00"
    assert written(moment("2026-10-25 02:30", before, BERLIN), BERLIN) == "2026-10-25T02:30+02:00"
    assert written(moment("2:30", between, BERLIN), BERLIN) == "2026-10-25T02:30+01:00"
    assert written(moment("2026-10-25T02:30+01:00", before, BERLIN), BERLIN) == "2026-10-25T02:30+01:00"


def test_hours_are_counted_and_days_keep_the_time_on_the_clock() -> None:
    evening_before = ms(2027, 3, 27, 20)

    assert moment("in 24 hours", evening_before, BERLIN) == ms(2027, 3, 28, 21)
    assert moment("in 1 day", evening_before, BERLIN) == ms(2027, 3, 28, 20)


def test_a_day_is_as_long_as_it_is() -> None:
    for day, hours in ((date(2026, 10, 25), 25), (date(2027, 3, 28), 23), (date(2027, 3, 29), 24)):
        begin, end = day_of(day, BERLIN)
        assert (end - begin) // 3_600_000 == hours


def test_a_day_that_begins_at_one_o_clock() -> None:
    cairo = ZoneInfo("Africa/Cairo")  # clocks are set forward at midnight
    begin, end = day_of(date(2026, 4, 24), cairo)

    assert spelled(begin, cairo) == "Fri 24 Apr 2026, 01:00"
    assert end - begin == 23 * 3_600_000


# ---- stretches, for lists


def test_a_day_is_meant_whole_and_a_time_is_meant_as_it_is() -> None:
    assert stretch("yesterday", NOW, BERLIN) == (ms(2026, 11, 15), ms(2026, 11, 16))
    assert stretch("2026-10-25", NOW, BERLIN) == (ms(2026, 10, 25), ms(2026, 10, 26))
    assert stretch("tomorrow at 9", NOW, BERLIN)[0] == ms(2026, 11, 17, 9)
    assert stretch("3 days ago", NOW, BERLIN)[0] == ms(2026, 11, 13, 14, 20)


# ---- whatever is said or written


MOMENTS = st.integers(ms(1990, 1, 1), ms(2090, 1, 1))


@given(at=MOMENTS, zone=st.sampled_from(ZONES))
def test_what_is_written_is_read_again(at: int, zone) -> None:
    assert moment(written(at, zone), at - 1, zone) == at


@given(at=MOMENTS, zone=st.sampled_from(ZONES), back=st.integers(60_000, 10**12))
def test_what_is_spelled_for_people_is_read_again(at: int, zone, back: int) -> None:
    at -= at % 60_000
    read = moment(spelled(at, zone), at - back, zone)

    assert spelled(read, zone) == spelled(at, zone)
    assert at - read in (0, 3_600_000, 1_800_000), "only the hour that is shown twice is ambiguous"


@given(at=MOMENTS, zone=st.sampled_from(ZONES))
def test_every_moment_lies_in_its_own_day(at: int, zone) -> None:
    begin, end = day_of(local(at, zone).date(), zone)

    assert begin <= at < end


_SAID = (
    "in at on the next last this end of day week month year friday march 3 30 31st 9 9:30 25:00 pm am tomorrow tonight "
    "noon midnight evening minutes ago from now a half and 2026-12-01 99999"
)
_WORDS = st.sampled_from(re.findall(r"\S+", _SAID))


@given(text=st.one_of(st.lists(_WORDS, max_size=7).map(" ".join), st.text(max_size=30)), at=MOMENTS,
       zone=st.sampled_from(ZONES))  # fmt: skip
def test_any_text_is_a_time_ahead_or_a_clear_refusal(text: str, at: int, zone) -> None:
    with suppress(BadInput):
        assert moment(text, at, zone) > at


@given(st.integers(0, 10_000_000))
def test_a_length_that_is_told_is_read_again(seconds: int) -> None:
    told = length(seconds * 1000)

    assert milliseconds(told) == (seconds if seconds < 60 else seconds - seconds % 60) * 1000


def test_lengths() -> None:
    assert milliseconds("1h30m") == milliseconds("an hour and a half") == milliseconds("1.5 hours") == 5_400_000
    assert milliseconds("a day and 1 minute") == 86_460_000
    assert duration("2 weeks and a day").days == 15
    assert [duration(text) for text in ("", "and", "10", "10 apples", "a", "1.5 months", "m", "-10m")] == [None] * 8
    assert date(2026, 11, 16) + timedelta(days=1) == duration("1 day").from_day(date(2026, 11, 16))
