"""A question is asked by the words that say something."""

import pytest

from reverie.language.empty import asked_by


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("where is my car", "car"),
        ("What's Ana's number?", "Ana number"),
        ("Don't we have a backup?", "backup"),
        ("WHERE IS MY CAR", "CAR"),
        ("May I park there?", "park"),
        ("when does May travel", "May travel"),
        ("is it IT?", "IT"),
        ("who are you", "who are you"),
        ("我的车在哪里", "我的车在哪里"),
        ("?!", ""),
    ],
)
def test_words_that_say_nothing_are_not_asked_by_unless_there_are_no_others(question: str, words: str) -> None:
    assert " ".join(asked_by(question)) == words
