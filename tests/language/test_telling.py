"""Where two texts differ in a number, a denial or a direction, they say different things."""

import pytest

from reverie.language.distinctions import denials, directions, numbers


@pytest.mark.parametrize(
    "text",
    [
        "nobody deploys", "nothing is kept", "it is nowhere", "no one knows", "none of it", "it isn't so", "it isn’t so", "it cannot be", "dont do it",
        "they refused it", "that is forbidden", "Ana dislikes it", "it is disabled", "unless asked", "all except Ana", "hardly ever", "stopped using it",
        "niemand weiß es", "niemandem gesagt", "nichts davon", "nirgends steht es", "keiner kommt", "auf keinen Fall", "keineswegs", "nie wieder", "ohne Ana",
        "das ist verboten", "vermeide es", "alle außer Ana", "no lo hace nadie", "jamais", "não é", "senza zucchero", "他不来",
    ],
)  # fmt: skip
def test_one_word_that_says_no_is_one_denial_or_more(text: str) -> None:
    assert denials(text) >= 1


@pytest.mark.parametrize(
    "text",
    [
        "a note about another node", "the display shows the distance", "a notable noun", "Es ist im Mai noch da", "want and plant", "the disk is distributed", "einige kleine Kinder",
        "unlimited union", "he nods",
    ],
)  # fmt: skip
def test_words_that_look_like_denials_are_none(text: str) -> None:
    assert denials(text) == 0


def test_denials_are_counted() -> None:
    assert denials("Nobody deploys without approval") == 2


def test_numbers_are_told_as_they_are_written() -> None:
    assert numbers("at 14:30 on 2026-05-03, 1.5 of 12") == {"14:30", "2026-05-03", "1.5", "12"}


def test_directions_are_told_in_order() -> None:
    assert directions("Before the deploy turn it OFF, after it on") == ("before", "off", "after")
