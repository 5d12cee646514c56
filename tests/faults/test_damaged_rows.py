"""Damage in any table: each command works, or says what is wrong and what to do; `doctor` finds it and sets it aside.

The same code tries a sample here and everything under the marker `torture`; which value of which row is changed, and how,
follows from a seed.
"""

import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import apsw
import pytest

from reverie.engines.sqlite import checks
from reverie.engines.sqlite.damage import damage
from reverie.engines.sqlite.database import read_migrations, teach
from reverie.engines.sqlite.salvage import salvage
from reverie.errors import DamagedRow
from reverie.testing import FakeEnv
from support.client import Ran
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

SEALED = ("observations", "acts", "replies", "ticks")
EDITS, COPIES = 30, 300  # of each table, and of the file
AFTERWARDS = (("doctor",), ("doctor", "--repair"), ("doctor",), ("context",), ("admin", "export"))


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
    # A hook that failed while the row was damaged stays in its log until the next one succeeds.
    bad = [line for line in looked.out.splitlines() if line.startswith("BAD") and "hook errors" not in line]
    if bad or "damaged" in told.err:
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


# ---- one by one


def change(home: Path, sql: str, *parameters: object) -> None:
    connection = apsw.Connection(str(home / "reverie.db"))
    connection.execute(sql, parameters)
    assert connection.changes() == 1
    connection.close()


@pytest.fixture
def home(original: Path, scratch: Path) -> Path:
    return copy_of(original, scratch / "home")


CHANGES = [
    ("acts", "UPDATE acts SET target = target || 'x' WHERE position = (SELECT max(position) FROM acts)"),
    ("replies", "UPDATE replies SET text = '[1]'"),
    ("ticks", "UPDATE ticks SET turn = turn + 1 WHERE position = (SELECT max(position) FROM ticks)"),
    ("observations", "UPDATE observations SET text = 'x' WHERE position = 1"),
]


@pytest.mark.parametrize(("table", "sql"), CHANGES)
def test_a_changed_row_of_the_log_does_not_match_its_checksum_and_is_set_aside(home, table, sql):
    change(home, sql)
    assert any(it.startswith(table) and "checksum" in it for it in damage(home / "reverie.db"))

    _, repaired, _, _, exported = in_child(home, AFTERWARDS)

    assert "1 set aside" in repaired.out or "set aside, which" in repaired.out
    assert damage(home / "reverie.db") == []
    rows = [json.loads(line) for line in exported.out.splitlines()]
    assert [row["source"] for row in rows if row["table"] == "set_aside"] == [table]


@pytest.mark.parametrize(("table", "sql"), CHANGES)
def test_negative_control_without_checksums_a_changed_row_of_the_log_passes(home, table, sql, monkeypatch):
    monkeypatch.setattr("reverie.engines.sqlite.checks.is_sealed", lambda row: True)
    monkeypatch.setitem(checks._BELONGS, "observations", lambda row: True)
    monkeypatch.setitem(checks._BELONGS, "replies", lambda row: True)
    change(home, sql)

    assert not any("checksum" in it for it in damage(home / "reverie.db"))


def in_child(home: Path, commands: Sequence[Sequence[str]]) -> list[Ran]:
    told = in_a_child(lambda: [json.dumps([it.code, it.out, it.err]) for it in try_commands(home, commands, "")])
    return [Ran(*json.loads(one)) for one in told]


def test_a_list_shows_the_other_rows_and_says_that_one_is_left_out(home):
    with opened(home) as memory:
        second = memory.goals.add("write it down")
    change(home, "UPDATE goals SET status = 'nonsense', horizon = x'00' WHERE id = ?", second.id)

    listed, reminded = in_child(home, [("goals", "--everywhere"), ("reminders", "list")])

    assert "ship the shop" in listed.out
    assert "1 damaged row left out" not in reminded.err
    change(home, "UPDATE goals SET status = 'active' WHERE id = ?", second.id)
    (listed,) = in_child(home, [("goals", "--everywhere")])
    assert "ship the shop" in listed.out
    assert listed.code == 0
    assert f"1 damaged row left out (goals {second.id}: horizon is 1 bytes)" in listed.err
    assert "reverie doctor --repair" in listed.err


def test_negative_control_without_checks_a_list_would_end_in_a_traceback(home, monkeypatch):
    monkeypatch.setattr("reverie.engines.sqlite.checks.RowShape.problem", lambda *_: "")
    monkeypatch.setattr("reverie.engines.sqlite.database._UNREADABLE", ())
    monkeypatch.setattr("reverie.shells.cli.exit_codes._damage", lambda _: "")
    change(home, "UPDATE goals SET horizon = 'nonsense'")

    (listed,) = in_child(home, [("goals", "--everywhere")])

    assert "Traceback" in listed.err


def test_what_is_kept_for_a_person_is_set_aside_with_what_can_be_read_and_forgetting_reaches_it(home):
    change(home, "UPDATE reminders SET due_ms = 'tomorrow'")
    _, repaired, looked, _, exported = in_child(home, AFTERWARDS)

    assert "reminders" in repaired.out
    assert "set_aside" in repaired.out
    assert looked.code == 0
    (row,) = [it for line in exported.out.splitlines() if (it := json.loads(line))["table"] == "set_aside"]
    assert (row["source"], row["row"]["title"], row["row"]["due_ms"]) == ("reminders", "Call Ana", "tomorrow")

    with opened(home) as memory:
        memory.note("Ana is on holiday.")
        memory.forget("text:Ana", hard=True)
        assert memory.engine.set_aside() == []


def test_a_row_of_a_broken_file_that_fails_its_check_is_set_aside_as_well(home):
    change(home, "UPDATE observations SET speaker = 'somebody else' WHERE position = 1")
    data = bytearray((home / "reverie.db").read_bytes())
    data[:4096] = bytes(4096)
    (home / "reverie.db").write_bytes(data)

    in_child(home, [("doctor", "--repair")])

    with opened(home) as memory:
        (row,) = memory.engine.set_aside()
        assert (row["source"], row["row"]["position"]) == ("observations", 1)  # type: ignore[index]


def test_a_rebuild_is_refused_while_a_row_of_the_log_is_damaged(home):
    with opened(home) as memory:
        before = list(memory.engine.dump_derived())
    change(home, "UPDATE observations SET data = 'nonsense' WHERE position = 1")

    with opened(home) as memory:
        with pytest.raises(DamagedRow, match="observations"):
            memory.rebuild()
        assert list(memory.engine.dump_derived()) == before


def test_forgetting_for_good_is_refused_while_a_row_of_the_log_cannot_be_read(home):
    change(home, "UPDATE observations SET kind = 'nonsense' WHERE text = 'The port is 5433.'")

    forgotten, repaired, again, exported = in_child(
        home,
        [
            ("forget", "text:port", "--hard", "--yes"),
            ("doctor", "--repair"),
            ("forget", "text:port", "--hard", "--yes"),
            ("admin", "export"),
        ],
    )

    assert (forgotten.code, repaired.code, again.code) == (1, 0, 0)
    assert "a row of observations is damaged" in forgotten.err
    assert "5433" not in exported.out


def test_a_row_that_was_asked_for_is_refused_by_its_name(home):
    with opened(home) as memory:
        (reminder,) = memory.engine.reminders.all(None)
        change(home, "UPDATE reminders SET version = 'x'")
        with pytest.raises(DamagedRow, match=f"reminders is damaged .{reminder.id}: version is 'x'"):
            memory.engine.reminders.get(reminder.id)


def test_the_migration_gives_old_rows_the_checksums_that_new_ones_have(home):
    connection = apsw.Connection(str(home / "reverie.db"))
    kept = {it: connection.execute(f"SELECT * FROM {it} ORDER BY position").fetchall() for it in SEALED[1:]}
    for table in SEALED[1:]:
        connection.execute(f"UPDATE {table} SET checksum = 0")
    teach(connection)
    script = next(it for it in read_migrations() if "row_checksum" in it)
    connection.execute(script[script.index("UPDATE") : script.index("CREATE")])
    assert {it: connection.execute(f"SELECT * FROM {it} ORDER BY position").fetchall() for it in SEALED[1:]} == kept
    connection.close()
    assert damage(home / "reverie.db") == []


def test_rows_from_before_a_column_was_added_are_salvaged(home):
    """SQLite does not write old rows again when a table gets a column."""
    with opened(home) as memory:
        acts, work = memory.engine.log.acts(), memory.engine.inbox.counts()
        memory.engine.database.connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    connection = apsw.Connection(str(home / "reverie.db"))
    for table, column in (("acts", "checksum"), ("ticks", "checksum"), ("replies", "checksum"), ("inbox", "waits")):
        connection.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
    connection.close()

    salvage(home / "reverie.db", FakeEnv(3))

    with opened(home) as memory:
        assert (memory.engine.log.acts(), memory.engine.inbox.counts()) == (acts, work)
    assert not [it for it in damage(home / "reverie.db") if "checksum" in it]
