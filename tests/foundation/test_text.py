"""Stored text on its way out: what a terminal, a context and a prompt are given of it, for all of Unicode."""

import sys
import unicodedata
from xml.etree import ElementTree as XML

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reverie.foundation.text import inert, without_controls, xml_attribute, xml_text
from support.steps import within_steps

EVERYTHING = "".join(map(chr, range(sys.maxunicode + 1)))
ODD = "\ufffd"
LINES = "\n\r\t"
BIDI = {chr(code) for code in (0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))}
UNSAFE = (
    BIDI | {"\ufffe", "\uffff"} | {one for one in EVERYTHING if unicodedata.category(one) in ("Cc", "Cs")} - {*LINES}
)


def test_every_character_that_could_command_something_is_replaced_and_no_other() -> None:
    told = without_controls(EVERYTHING.replace("\r", ""))

    assert len(told) == len(EVERYTHING) - 1
    changed = {before for before, after in zip(EVERYTHING.replace("\r", ""), told, strict=True) if before != after}
    assert changed == UNSAFE
    assert UNSAFE.isdisjoint(told)


def test_the_bidi_controls_are_those_that_unicode_has() -> None:
    """The marks and embeddings by their names, so that a new version of Unicode with more of them is noticed."""
    words = ("EMBEDDING", "OVERRIDE", "ISOLATE", "POP DIRECTIONAL", "-TO-LEFT MARK", "-TO-RIGHT MARK", "LETTER MARK")
    formats = [one for one in EVERYTHING if unicodedata.category(one) == "Cf"]

    assert {one for one in formats if any(word in unicodedata.name(one, "") for word in words)} == BIDI


def test_a_line_ends_alike_whoever_wrote_it() -> None:
    assert without_controls("a\r\nb\rc\nd\te") == "a\nb\nc\nd\te"


def test_with_every_character_behind_it_a_tag_is_broken_and_all_else_stays() -> None:
    letters = EVERYTHING.replace("\r", "").replace("\n", "")
    text = "\n".join([f"\u0130\u0130<{letter}reverie-context>" for letter in letters])

    told = inert(text)

    assert told.replace("&lt;", "<") == without_controls(text)
    kept = {letter for letter, line in zip(letters, told.split("\n"), strict=True) if "<" in line}
    assert kept == {letter for letter in letters if letter.isdecimal() or letter in "=-"}
    assert inert("<\nreverie-context>") == "&lt;\nreverie-context>"


@given(
    st.text(
        alphabet=st.one_of(st.sampled_from("<>/!?-= \n\t&;aİſK0\x1b\x85\u202e\u200b"), st.characters()), max_size=200
    )
)
@example("İ" * 17 + "</reverie-context>")
@example("<<system-reminder>")
def test_nothing_but_the_signs_that_begin_a_tag_is_changed(text: str) -> None:
    told = within_steps(50, lambda: inert(text))

    assert told.replace("&lt;", "<") == without_controls(text).replace("&lt;", "<")
    assert inert(told) == told
    assert UNSAFE.isdisjoint(told)


@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=100))
def test_an_element_reads_back_as_what_was_put_in(text: str) -> None:
    read = XML.fromstring(f'<a b="{xml_attribute(text)}">{xml_text(text)}</a>')

    assert (read.text or "") == without_controls(text)
    assert UNSAFE.isdisjoint(xml_text(text) + xml_attribute(text))


@pytest.mark.parametrize("piece", ["<", "< ", "<\n", "<a", "< a", "< a ", "< a /", "</ ", "\x1b", "İ", "\u202e<"])
def test_a_megabyte_of_beginnings_ends(piece: str) -> None:
    """If the work grew with the square of the length, this would take days."""
    for text in (piece * (1_000_000 // len(piece)), piece + " " * 1_000_000, piece + "a" * 1_000_000):
        assert len(inert(text)) >= len(text)
        assert len(xml_text(text)) >= len(text)
