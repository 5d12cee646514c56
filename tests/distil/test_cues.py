"""The cue files: each list says what it is for and is used, each language can be read, and a mistake is named."""

import re
from importlib.resources import files
from pathlib import Path

import pytest

import reverie.distil
from reverie.distil.rules.cues import LANGUAGES, CueList, cue_lists, cue_words, cues, read_cues
from support.every import every

_CODE = "\n".join(path.read_text() for path in Path(reverie.distil.__file__).parent.rglob("*.py"))


def test_each_list_says_what_it_is_for():
    assert [name for name, one in cue_lists().items() if not one.purpose.endswith((".", '."'))] == []


def test_each_list_is_used():
    named = {name for one in cue_lists().values() for cue in one.cues for name in re.findall(r"(?<!P)<(\w+)>", cue)}
    asked = set(re.findall(r'(?:cues|cue_words|group)\(["\'](\w+)["\']\)', _CODE))
    topics = {name for name in cue_lists() if name.startswith(("saying_", "choice_"))}

    assert asked | named | topics == set(cue_lists())
    assert {name for name in named if cue_lists()[name].way != "group"} == set()


def test_each_list_is_a_regular_expression():
    for name, one in cue_lists().items():
        assert cue_words(name) if one.way == "words" else cues(name).exact


@every("language", LANGUAGES)
def test_the_files_are_part_of_the_package(language: str):
    text = files("reverie.distil.rules").joinpath(f"{language}.cues").read_text(encoding="utf-8")

    assert text.startswith("#")
    assert "\t" not in text


def test_another_language_adds_to_the_lists_of_english_and_has_none_of_its_own():
    lists: dict[str, CueList] = {}
    read_cues("[no] phrase, later\nA denial.\n    nope", lists)
    read_cues("[no]\n    nein", lists)

    assert lists == {"no": CueList("phrase", True, "A denial.", ["nope", "nein"])}
    with pytest.raises(ValueError, match=r"no list \[yes\] in the files before"):
        read_cues("[yes]\n    ja", lists)


@every("line", ["[no] phrases", "[no", "[no] phrase later"])
def test_a_header_that_cannot_be_read_is_named(line: str):
    with pytest.raises(ValueError, match="no header of a list"):
        read_cues(line, {})
