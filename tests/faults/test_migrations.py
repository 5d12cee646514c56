"""A store can be made, or brought up to date, under any kill; a newer one is refused and left alone."""

from collections.abc import Sequence
from itertools import count
from pathlib import Path

import apsw
import pytest

from reverie.engines.sqlite import SqliteEngine
from reverie.engines.sqlite.database import Database, read_migrations
from reverie.errors import DamagedStore, NewerStore
from reverie.memory import Memory
from reverie.records import LOCAL_USER, Captured, Kind
from reverie.records.conversation_values import Message, Role
from reverie.testing import START_MS, FakeEnv
from support.faults import copy_of, opened, run_with_fuse


def bytes_of(folder: Path) -> dict[str, bytes]:
    """Everything in a folder but locks and the index of the write-ahead log, which is only a cache."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.name: path.read_bytes() for path in files if path.suffix not in (".lock", ".turn", ".db-shm")}


@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.torture)])
def test_a_store_killed_at_any_write_of_its_making_opens(scratch, step):
    for at in count(1, step):
        home = scratch / str(at)
        was_killed = run_with_fuse(lambda home=home: Memory.open(home, env=FakeEnv(1)).close(), at).was_killed
        with opened(home) as memory:
            assert memory.engine.database.value("PRAGMA user_version") == len(read_migrations())
            assert memory.engine.database.value("PRAGMA integrity_check") == "ok"
            assert memory.engine.database.value("PRAGMA journal_mode") == "wal"
            memory.note("I prefer tea over coffee.")
            assert memory.search("tea")
            assert memory.engine.log.acts() == [], "a kill is not taken for a person's edit"
        if not was_killed:
            break
    assert at > 50


def test_a_migration_killed_at_any_write_is_made_whole_at_the_next_start(scratch, monkeypatch):
    """A second migration, with rows that it has to change: afterwards all of it has happened, once."""
    with Memory.open(scratch / "old", env=FakeEnv()) as memory:
        for number in range(100):
            memory.observe(f"message {number}", session=f"s{number % 3}", time=START_MS + number)
    monkeypatch.setattr("reverie.engines.sqlite.database.read_migrations", lambda: [*read_migrations(), ONE_MORE])
    for at in count(1):
        home = copy_of(scratch / "old", scratch / "new")

        def migrate(home: Path = home) -> None:
            SqliteEngine.open(home / "reverie.db", FakeEnv(1)).close()

        was_killed = run_with_fuse(migrate, at).was_killed
        migrate()
        engine = SqliteEngine.open(home / "reverie.db", FakeEnv(2))
        assert engine.database.value("PRAGMA user_version") == len(read_migrations()) + 1
        assert engine.database.rows("SELECT DISTINCT marks FROM observations") == [(1,)]
        assert engine.database.value("SELECT count(*) FROM observations") == 100
        assert engine.database.value("PRAGMA integrity_check") == "ok"
        engine.close()
        if not was_killed:
            break
    assert at > 5


ONE_MORE = """
ALTER TABLE observations ADD COLUMN marks INTEGER NOT NULL DEFAULT 0;
UPDATE observations SET marks = marks + 1;
CREATE TABLE more (user_id TEXT NOT NULL, position INTEGER NOT NULL, PRIMARY KEY (user_id, position)) WITHOUT ROWID;
INSERT INTO more SELECT user_id, position FROM observations;
"""


@pytest.mark.parametrize("has_wal", [True, False])
def test_a_newer_store_is_refused_and_not_touched(scratch, has_wal):
    home = scratch / "home"
    with Memory.open(home, env=FakeEnv()) as memory:
        memory.note("from the future")
        newer = memory.engine.database.value("PRAGMA user_version") + 1
        memory.engine.database.execute(f"PRAGMA user_version = {newer}")
        if not has_wal:
            memory.engine.database.connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    before = bytes_of(home)
    assert bool(before["reverie.db-wal"]) is has_wal

    with pytest.raises(NewerStore, match=f"schema {newer}"):
        Memory.open(home, env=FakeEnv())

    assert bytes_of(home) == before


def test_what_an_older_store_says_in_a_reason_is_counted_afterwards(scratch, monkeypatch):
    """Until the third version only words told that work had died for want of a model."""
    monkeypatch.setattr("reverie.engines.sqlite.database.read_migrations", lambda: read_migrations()[:3])
    old = SqliteEngine.open(scratch / "reverie.db", FakeEnv())
    passing = ("model unavailable 7 times: refused", *(f"the model's server answered {n}: no" for n in (401, 403, 307)))
    lasting = ("the model's server answered 400: prompt is too long", "")
    for number, reason in enumerate(passing + lasting):
        old.database.execute(
            "INSERT INTO inbox (user_id, id, stage, session_id, turn, first_position, last_position, closed_ms, state, "
            "attempts, reason) VALUES (?, ?, 'model', 's', 1, 1, 2, ?, 'dead', 5, ?)",
            (LOCAL_USER, number, START_MS, reason),
        )
    old.close()
    monkeypatch.undo()

    engine = SqliteEngine.open(scratch / "reverie.db", FakeEnv())

    assert [work.waits for work in engine.inbox.listing(["dead"])] == [1, 1, 1, 1, 0, 0]
    assert engine.inbox.revive(START_MS, START_MS + 1) == 4
    assert [work.reason for work in engine.inbox.listing(["dead"])] == list(lasting)
    engine.close()


def before_conversations_had_copies() -> list[str]:
    """The migrations up to the one that makes a message belong to its conversation."""
    scripts = read_migrations()
    return scripts[: next(at for at, script in enumerate(scripts) if "messages_in_conversation" in script)]


def store_with_messages(folder: Path, monkeypatch) -> list[tuple[object, ...]]:
    """A store of before, with two conversations in it; says what its messages are."""
    older = before_conversations_had_copies()
    monkeypatch.setattr("reverie.engines.sqlite.database.read_migrations", lambda: older)
    engine = SqliteEngine.open(folder / "reverie.db", FakeEnv())
    for number in range(40):
        said = Captured(kind=Kind.USER_MESSAGE, text=f"message {number}", session="s", occurred_ms=START_MS + number)
        [kept] = engine.log.append([said])
        message = Message(role=Role.USER, text=said.text, id=kept.id, turn=number, segment_id="s")
        engine.conversations.add(f"talk {number % 2}", message)
    rows = engine.database.rows("SELECT * FROM messages ORDER BY continuum_id, place")
    engine.close()
    monkeypatch.undo()
    return rows


def test_messages_of_an_older_store_are_kept_whenever_their_migration_is_killed(scratch, monkeypatch):
    (scratch / "old").mkdir()
    rows = store_with_messages(scratch / "old", monkeypatch)
    assert len(rows) == 40
    for at in count(1):
        home = copy_of(scratch / "old", scratch / "new")

        def migrate(home: Path = home) -> None:
            SqliteEngine.open(home / "reverie.db", FakeEnv(1)).close()

        was_killed = run_with_fuse(migrate, at).was_killed
        engine = SqliteEngine.open(home / "reverie.db", FakeEnv(2))
        assert engine.database.value("PRAGMA user_version") == len(read_migrations())
        assert engine.database.rows("SELECT * FROM messages ORDER BY continuum_id, place") == rows
        first = engine.conversations.messages("talk 0", "s")[0]
        engine.conversations.add("talk 1", first)
        engine.conversations.add("talk 0", first)
        assert [len(engine.conversations.messages(f"talk {n}", "s")) for n in (0, 1)] == [20, 21]
        assert engine.database.value("PRAGMA integrity_check") == "ok"
        engine.close()
        if not was_killed:
            break
    assert at > 5


@pytest.mark.parametrize("content", [None, b""])
def test_an_absent_or_empty_file_becomes_a_new_store(scratch, content):
    if content is not None:
        (scratch / "reverie.db").write_bytes(content)
    engine = SqliteEngine.open(scratch / "reverie.db", FakeEnv())

    stored = engine.log.append([Captured(kind=Kind.NOTE, text="hello", session="s", occurred_ms=1)])

    assert stored[0] is not None
    engine.close()


def test_negative_control_a_migration_statement_by_statement_is_left_half_done(scratch, monkeypatch):
    """Without one transaction for a migration and its number, some kill leaves a store that cannot be brought up."""
    with Memory.open(scratch / "old", env=FakeEnv()) as memory:
        for number in range(100):
            memory.observe(f"message {number}", session=f"s{number % 3}", time=START_MS + number)
    monkeypatch.setattr("reverie.engines.sqlite.database.read_migrations", lambda: [*read_migrations(), ONE_MORE])
    monkeypatch.setattr(Database, "_migrate", one_by_one)
    broken = 0
    for at in count(1):
        home = copy_of(scratch / "old", scratch / "new")

        def migrate(home: Path = home) -> None:
            SqliteEngine.open(home / "reverie.db", FakeEnv(1)).close()

        was_killed = run_with_fuse(migrate, at).was_killed
        try:
            migrate()
        except (apsw.Error, DamagedStore):
            broken += 1
        if not was_killed:
            break

    assert broken


def one_by_one(self: Database, migrations: Sequence[str]) -> None:
    for number, script in enumerate(migrations, start=1):
        if self.value("PRAGMA user_version") < number:
            for statement in script.split(";\n"):
                self.execute(statement)
            self.execute(f"PRAGMA user_version = {number}")
