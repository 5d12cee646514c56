"""Search hits in a terminal, and into a pipe."""

import re
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.memory import Memory
from reverie.records import Hit
from reverie.shells.cli import hits
from reverie.shells.cli.hits import cells, hit_lines, wrapped
from shells.conftest import Reverie

HIT = Hit(
    id="01KZ", what="user_message", text="The staging database is Postgres 14. " * 20, when_ms=1_760_000_000_000,
    session="s1", project="/home/ana/shop", speaker="Ana",
)  # fmt: skip


@given(st.text(), st.integers(min_value=30, max_value=120))
def test_no_line_is_wider_than_the_terminal(text: str, width: int) -> None:
    lines = [line for line, _ in hit_lines(Hit(id="x", what="fact", text=text, when_ms=0, session=text), width)]

    assert max(map(cells, lines)) <= width


@given(st.lists(st.text(st.characters(categories=("L", "Nd")), min_size=1), max_size=30), st.integers(2, 40))
def test_wrapping_loses_nothing(words: list[str], width: int) -> None:
    assert "".join(wrapped(" ".join(words), width)).replace(" ", "") == "".join(words)


def test_a_hit_has_its_title_text_date_source_and_id() -> None:
    parts = [part for _, part in hit_lines(HIT, 60)]
    shown = "\n".join(line for line, _ in hit_lines(HIT, 60))

    assert parts == ["title", "text", "text", "source", "id"]
    assert re.search(r"2025-10-0\d \d\d:\d\d  Ana in shop, session s1\n  01KZ$", shown)
    assert " …\n" in shown


def test_a_terminal_is_shown_colours_and_a_pipe_plain_lines(
    reverie: Reverie, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Memory.open() as memory:
        memory.note("The staging database is Postgres 14 on db-stage", project=str(shop))

    piped = reverie("search", "staging", "--everywhere").out

    identifier = piped.split()[0]
    assert piped.count("\n") == 1
    assert " The staging database is Postgres 14 on db-stage" in piped
    assert "\x1b" not in piped

    monkeypatch.setattr(sys.modules["reverie.shells.cli.remember"], "is_shown", lambda: True)
    monkeypatch.setattr(hits, "wants_colour", lambda: True)
    monkeypatch.setattr(hits.click, "echo", print)
    seen = reverie("search", "staging", "--everywhere").out

    assert seen.startswith("\x1b[1mThe staging database is Postgres 14 on db-stage\x1b[0m\n")
    assert f"\x1b[2m  {identifier}\x1b[0m" in seen
