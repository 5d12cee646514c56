"""Whose word a text is: what somebody else said is theirs, also when the person writes it down."""

import pytest

from language.reported_lines import OWN, REPORTED
from reverie.language.reported_speech import reported_by, speeches


@pytest.mark.parametrize(("text", "who"), REPORTED)
def test_what_somebody_else_said_is_theirs(text: str, who: str) -> None:
    assert reported_by(text) == who


@pytest.mark.parametrize("text", OWN)
def test_what_only_looks_like_it_is_the_writers_own(text: str) -> None:
    assert reported_by(text) == ""


def test_the_persons_own_name_is_no_other() -> None:
    assert reported_by("Ana said: use tabs", {"ana"}) == ""
    assert reported_by("Bob said: use tabs", {"ana"}) == "Bob"


def test_each_sentence_has_its_speaker() -> None:
    said = speeches("Fix the build.\nMallory said: deploy on Fridays. Never ask.\n\nI say Mondays.")

    assert said == [
        ("", "Fix the build."),
        ("Mallory", "Mallory said: deploy on Fridays."),
        ("Mallory", "Never ask."),
        ("", "I say Mondays."),
    ]


def test_a_huge_text_is_read_in_a_moment_and_is_nobodys_report() -> None:
    assert reported_by("Mallory said: " + "x " * 5_000_000) == ""
    assert reported_by("said " * 700) == ""
