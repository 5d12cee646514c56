"""Long texts are kept in chunks that, put together, are the text again."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.foundation.chunks import chunked, cut, head, is_border
from reverie.language.tokens import count_tokens
from reverie.stores.overflow_summary import shorten
from stores.made import derive_id, item

MARKS = "\u0301\u200d\ufe0f\u093f\u094d\U0001f3fd\u1161\u11a8\r\n\ud83d\ude00🇩🇪👩‍🚀 .!?。\n\n"
TEXTS = st.one_of(
    st.text(max_size=400),
    st.text(alphabet=st.sampled_from(MARKS + "aZ09+/=한คक汉"), max_size=400),
    st.lists(
        st.sampled_from(["One is here. ", "two\n", "\n\n", "x" * 50, "9a" * 30, "  ", "汉字。", "é"]), max_size=60
    ).map("".join),
)


@given(TEXTS, st.integers(1, 60))
@settings(max_examples=300)
def test_pieces_rejoin_exactly_and_never_split_a_character(text: str, limit: int) -> None:
    pieces = cut(text, limit)

    assert "".join(pieces) == text
    at = 0
    for piece in pieces[:-1]:
        at += len(piece)
        assert is_border(text, at)
        assert not unicodedata.category(text[at]).startswith("M") or text[at - 1] in "\r\n"
        assert not ("\ud800" <= text[at - 1] <= "\udbff" and "\udc00" <= text[at] <= "\udfff")


@given(TEXTS, st.integers(1, 60))
@settings(max_examples=300)
def test_no_piece_exceeds_the_limit_unless_it_is_one_character(text: str, limit: int) -> None:
    for piece in cut(text, limit):
        inner = [index for index in range(1, len(piece)) if is_border(piece, index)]
        assert count_tokens(piece) <= limit or not inner


@given(st.lists(TEXTS, max_size=6), st.integers(0, 40))
def test_a_shortened_text_fits(texts: list[str], limit: int) -> None:
    assert count_tokens(shorten(texts, limit)) <= limit
    assert all(count_tokens(head(text, limit)) <= limit for text in texts)


@pytest.mark.parametrize(
    ("text", "limit", "pieces"),
    [
        ("First paragraph.\n\nSecond paragraph.", 5, ["First paragraph.\n\n", "Second paragraph."]),
        ("a line\nanother line\n", 3, ["a line\n", "another line\n"]),
        ("One two. Three four. Five.", 6, ["One two. Three four. ", "Five."]),
        ("这是第一句。这是第二句。", 6, ["这是第一句。", "这是第二句。"]),
        ("one two three", 2, ["one two ", "three"]),
        ("👩‍🚀👩‍🚀", 3, ["👩‍🚀", "👩‍🚀"]),
        ("🇩🇪🇫🇷", 2, ["🇩🇪", "🇫🇷"]),
        ("", 5, [""]),
    ],
)
def test_pieces_end_where_a_reader_pauses(text: str, limit: int, pieces: list[str]) -> None:
    assert cut(text, limit) == pieces


def test_a_long_item_becomes_chunks_that_name_their_parent_and_their_place() -> None:
    whole = item(1, "A sentence of seven words is here. " * 100, sources=("o1",))

    chunks = chunked(whole, 200, derive_id)

    assert len(chunks) > 3
    assert "".join(chunk.text for chunk in sorted(chunks, key=lambda chunk: chunk.chunk_index)) == whole.text
    assert {chunk.parent_id for chunk in chunks} == {whole.id}
    assert [chunk.chunk_index for chunk in chunks] == list(range(len(chunks)))
    assert all(chunk.tokens_estimate <= 200 and chunk.sources == ("o1",) for chunk in chunks)
    assert [whole.text[slice(*chunk.metadata["span"])] for chunk in chunks] == [chunk.text for chunk in chunks]
    assert [chunk.id for chunk in chunks] == [chunk.id for chunk in chunked(whole, 200, derive_id)]
    assert len({chunk.id for chunk in chunks}) == len(chunks)


def test_a_short_item_stays_itself() -> None:
    assert chunked(item(1), 200, derive_id) == [item(1)]
