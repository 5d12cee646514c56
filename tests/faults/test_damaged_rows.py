"""Damage in any table: each command works, or says what is wrong and what to do; `doctor` finds it and sets it aside.

The same code tries a sample here and everything under the marker `torture`; which value of which row is changed, and how,
follows from a seed.
"""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from reverie.engines.sqlite.looking import damage
from support.damaging import (
    READS,
    WRITES,
    damage_file,
    edit_one_row,
    in_a_child,
    lived_in,
    steward_pass,
    tables_of,
    try_commands,
)
from support.faults import copy_of, opened

EDITS, COPIES = 30, 300  # of each table, and of the file
AFTERWARDS = (("doctor",), ("doctor", "--repair"), ("doctor",), ("context",), ("export",))


@pytest.fixture(scope="module")
def original(module_scratch: Path) -> Path:
    home = module_scratch / "home"
    lived_in(home)
    (home / "settings.toml").write_text('[embed]\nprovider = "none"\n', encoding="utf-8")
    return home


def item_of(home: Path) -> str:
    with opened(home) as memory:
        return str(memory.engine.database.value("SELECT id FROM items ORDER BY id LIMIT 1"))


def complaints(home: Path, what: object, commands: list[tuple[str, ...]], item: str) -> Iterator[str]:
    """Run commands on a damaged workspace, then look at it and repair it; yields what was not as it should be."""
    said = f"{what}: "
    for command, ran in zip(commands, try_commands(home, commands, item), strict=True):
        if "Traceback" in ran.err or ran.code not in (0, 1, 2):
            yield f"{said}{' '.join(command)} ended with {ran.code}\n{ran.err[-1500:]}"
    try:
        steward_pass(home)
    except Exception as error:
        yield f"{said}the steward ended with {error!r}"
    tried = try_commands(home, AFTERWARDS, item)
    for command, ran in zip(AFTERWARDS, tried, strict=True):
        if "Traceback" in ran.err or ran.code not in (0, 1):
            yield f"{said}{' '.join(command)} ended with {ran.code}\n{ran.err[-1500:]}"
    _, mended, looked, told, _ = tried
    if looked.code or told.err:
        yield f"{said}after the repair: {mended.out}{looked.out}{told.err}"


def try_damaged(original: Path, scratch: Path, edits: list[tuple[str, int]], most: int) -> list[str]:
    """Damage copies, a row of a table or, with no table, the file; on each try up to so many commands."""

    def run() -> list[str]:
        found: list[str] = []
        item = item_of(original)
        for table, seed in edits:
            home = copy_of(original, scratch / "home")
            database = home / "reverie.db"
            what = edit_one_row(database, table, seed) if table else damage_file(database, seed)
            chosen = random.Random(f"{table} {seed}").sample(range(len(READS + WRITES)), min(most, len(READS + WRITES)))
            found += complaints(home, what, [(READS + WRITES)[place] for place in sorted(chosen)], item)
        return found

    return in_a_child(run)


def test_every_table_has_rows_to_damage(original):
    named = {"meta", "observations", "acts", "replies", "ticks", "sessions", "learnings", "items", "item_versions"}
    named |= {
        "item_links",
        "item_sources",
        "vectors",
        "pending_actions",
        "goals",
        "questions",
        "reminders",
        "punchclock",
    }
    named |= {"domaindocs", "domaindoc_sections", "domaindoc_versions", "segments", "messages", "cache_ledger", "spend"}
    named |= {"sections", "section_texts", "context_searches", "loaded_tools", "trace", "texts", "tombstones", "inbox"}

    assert named | {"drains", "mirrors"} <= set(tables_of(original / "reverie.db"))
    assert damage(original / "reverie.db") == [], "and none of them is damaged"


def test_a_damaged_row_of_any_table_is_left_out_or_told_and_set_aside(original, scratch):
    edits = [(table, 1) for table in tables_of(original / "reverie.db")]

    assert try_damaged(original, scratch, edits, most=3) == []


def test_a_damaged_file_is_told_and_repaired(original, scratch):
    assert try_damaged(original, scratch, [("", seed) for seed in range(8)], most=3) == []


@pytest.mark.torture
@pytest.mark.parametrize("share", range(10))
def test_thirty_edits_of_each_table_never_end_in_a_traceback(original, scratch, share):
    tables = tables_of(original / "reverie.db")
    edits = [(table, seed) for table in tables for seed in range(100 + share, 100 + EDITS, 10)]

    assert try_damaged(original, scratch, edits, most=100) == []


@pytest.mark.torture
@pytest.mark.parametrize("share", range(10))
def test_three_hundred_damaged_files_never_end_in_a_traceback(original, scratch, share):
    seeds = range(1000 + share, 1000 + COPIES, 10)

    assert try_damaged(original, scratch, [("", seed) for seed in seeds], most=100) == []
