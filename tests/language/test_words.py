"""Texts meet the questions that ask for them, in prose, in code, and in scripts without spaces."""

import pytest

from reverie.language import words as kept
from reverie.language.words import MAX_QUESTION_TERMS, question_terms, words


def meet(question: str, text: str) -> bool:
    return bool(set(question_terms(question)) & set(words(text)))


def test_prose_gives_its_plain_words() -> None:
    text = "He/she didn't go. The 2nd time, YouTube's iPhone app e.g. crashed... twice!"

    plain = [word for word in words(text) if word not in ("you", "tube")]

    assert " ".join(plain) == "he she didn t go the 2nd time youtub s iphon app e g crash twice"


@pytest.mark.parametrize("question", ["parseConfigFile", "parse_config_file", "parse config file", "ParseConfigFile"])
@pytest.mark.parametrize("text", ["parseConfigFile", "parse_config_file", "ParseConfigFile", "parse config file"])
def test_the_spellings_of_a_name_meet(question: str, text: str) -> None:
    shared = set(question_terms(question)) & set(words(f"I renamed {text} today"))

    assert len(shared) >= 3


def test_c_plus_plus_is_not_c() -> None:
    assert meet("C++", "we use C++ here")
    assert not meet("C++", "vitamin c, plan C")
    assert not meet("C#", "C++ and C")
    assert meet("C#", "a C# project")


def test_versions_paths_and_files_are_found_whole() -> None:
    assert "1.2.3" in words("upgrade to v1.2.3.")
    assert "1.2.3" in question_terms("what broke in 1.2.3?")
    assert "words.py" in words("see src/reverie/words.py, please")
    assert "src/reverie/words.py" in question_terms("src/reverie/words.py")


@pytest.mark.parametrize(
    ("question", "text", "other"),
    [
        ("绿茶", "我喜欢喝绿茶。", "他买了红酒。"),
        ("茶", "我喜欢喝绿茶。", "他买了红酒。"),
        ("東京に住んでいますか", "私は東京に住んでいます。", "猫が好きだ。"),
        ("ชอบชา", "ฉันชอบชาเขียว", "แมวดำ"),
        ("서울", "저는 서울에서 삽니다", "고양이"),
    ],
)
def test_scripts_without_spaces(question: str, text: str, other: str) -> None:
    assert meet(question, text)
    assert not meet(question, other)


def test_accents_and_forms_do_not_matter() -> None:
    assert words("José café") == words("Jose\u0301 cafe\u0301") == words("jose cafe")
    assert words("ＡＢＣ") == ["abc"]


def test_a_question_of_function_words_keeps_them() -> None:
    assert question_terms("Who is he?") == ["who", "is", "he"]


def test_a_pasted_file_is_a_bounded_question() -> None:
    paste = "needle " + " ".join(f"word{number}" for number in range(150_000)) + " haystack?"

    terms = question_terms(paste)

    assert len(terms) == MAX_QUESTION_TERMS
    assert terms[0] == "needl"
    assert terms[-1] == "haystack"


def test_a_word_that_is_forgotten_is_kept_nowhere() -> None:
    words("the Pfefferwurzian pfefferwurzian_file")

    kept.forget(set(words("pfefferwurzian pfefferwurzian_file")))

    assert not any("pfefferwurz" in word.lower() for store in (kept._STEMS, kept._PARTS) for word in store)
