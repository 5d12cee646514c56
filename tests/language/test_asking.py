"""What a question's words tell about whom, when, and for what is current."""

from datetime import UTC, date, datetime

import pytest

from reverie.language.periods import periods
from reverie.language.questions import asked
from reverie.records import ReadContext

AT = int(datetime(2023, 5, 13, 12, tzinfo=UTC).timestamp() * 1000)  # a Saturday


def ask(text: str, **more: str):
    return asked(ReadContext(query_text=text, at_ms=AT, **more))


@pytest.mark.parametrize(
    ("text", "first", "end"),
    [
        ("yesterday", date(2023, 5, 12), date(2023, 5, 13)),
        ("What did I say this morning?", date(2023, 5, 13), date(2023, 5, 14)),
        ("two days ago", date(2023, 5, 11), date(2023, 5, 12)),
        ("last week", date(2023, 5, 1), date(2023, 5, 8)),
        ("last Tuesday", date(2023, 5, 9), date(2023, 5, 10)),
        ("last month", date(2023, 4, 1), date(2023, 5, 1)),
        ("in May 2023", date(2023, 5, 1), date(2023, 6, 1)),
        ("in May", date(2023, 5, 1), date(2023, 6, 1)),
        ("in June", date(2022, 6, 1), date(2022, 7, 1)),
        ("on 3 May", date(2023, 5, 3), date(2023, 5, 4)),
        ("on May 3rd, 2021", date(2021, 5, 3), date(2021, 5, 4)),
        ("on 2023-02-28", date(2023, 2, 28), date(2023, 3, 1)),
        ("in 2021", date(2021, 1, 1), date(2022, 1, 1)),
        ("in December 2022", date(2022, 12, 1), date(2023, 1, 1)),
    ],
)
def test_times_are_understood_from_the_question_s_own(text: str, first: date, end: date) -> None:
    (found,) = periods(text, AT)

    assert (found.first, found.end) == (first, end)


@pytest.mark.parametrize("text", ["What may I eat?", "We march on", "on 31 June", "the last one", "9999999-99-99", ""])
def test_words_that_only_look_like_times(text: str) -> None:
    assert periods(text, AT) == ()


def test_times_at_the_ends_of_the_calendar_are_no_error() -> None:
    assert periods("999 years ago, in 0000, last year, on 0001-01-01, 9999-12-31", 0) is not None


def test_who() -> None:
    assert ask("What did you recommend for dinner?").you_said
    assert ask("In our previous conversation, which book was it?").you_said
    assert ask("Where did I park my car?").first_person
    assert not ask("Where does Gina work?").first_person
    assert "gina" in ask("where does gina work?").names
    assert "will" in ask("Where does Will work?").names
    assert "will" not in ask("Will it rain?").names


def test_what_is_current() -> None:
    assert ask("What is my current job?").wants_current
    assert not ask("What happened last week?").wants_current


def test_the_goal_weighs_little_beside_a_question_and_more_beside_a_nudge() -> None:
    plain = ask("Where did Gina open her clothing store?", goal="fix the parser")
    bare = ask("go on", goal="fix the parser")

    assert plain.aside == bare.aside == ("fix", "parser")
    assert plain.aside_weight < 0.2 < bare.aside_weight
