"""The SQLite file itself: pragmas, permissions, versions, schema."""

import stat
from pathlib import Path

import apsw
import pytest

from reverie.engines.sqlite import SqliteEngine
from reverie.errors import DamagedStore, NewerStore, StoreError
from reverie.testing import FakeEnv


def test_the_connection_is_set_up_for_durability(tmp_path: Path, env: FakeEnv) -> None:
    database = SqliteEngine.open(tmp_path / "reverie.db", env).database

    values = {
        name: database.value(f"PRAGMA {name}")
        for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout", "trusted_schema", "secure_delete")
    }

    assert values == {
        "journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 5000, "trusted_schema": 0, "secure_delete": 1,
    }  # fmt: skip


def test_only_the_owner_can_read_it(tmp_path: Path, env: FakeEnv) -> None:
    home = tmp_path / "home"
    SqliteEngine.open(home / "reverie.db", env)

    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in home.iterdir()} == {0o600}


def test_every_table_is_keyed_by_user(tmp_path: Path, env: FakeEnv) -> None:
    database = SqliteEngine.open(tmp_path / "reverie.db", env).database
    tables = [
        row[0]
        for row in database.rows(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%fts%' AND name NOT LIKE 'sqlite%'"
        )
    ]

    keys = {table: [row[1] for row in database.rows(f"PRAGMA table_info({table})") if row[5]] for table in tables}

    assert len(tables) >= 10
    assert [table for table, key in keys.items() if "user_id" not in key] == []


def test_learnings_refer_to_observations_that_exist(tmp_path: Path, env: FakeEnv) -> None:
    database = SqliteEngine.open(tmp_path / "reverie.db", env).database

    with pytest.raises(apsw.ConstraintError), database.write():
        database.execute(
            "INSERT INTO learnings (user_id, id, document, type, text, subject, confidence, observation_id, position, ordinal, trust, "
            "priority, owner, origin, project, session_id, turn, last_position, learned_ms) "
            "VALUES ('local', 'x', 1, 'fact', 't', '', 1, 'o', 99, 0, 'person', 'normal', 'agent', 'rules', '', 's', 1, 1, 1)"
        )


def test_a_file_of_a_newer_version_is_refused_and_not_touched(tmp_path: Path, env: FakeEnv) -> None:
    path = tmp_path / "reverie.db"
    engine = SqliteEngine.open(path, env)
    engine.database.execute("PRAGMA user_version = 999")
    engine.database.connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    engine.close()
    before = path.read_bytes()

    with pytest.raises(NewerStore, match="upgrade Reverie"):
        SqliteEngine.open(path, env)

    assert path.read_bytes() == before


def test_a_file_that_is_no_database_is_named_with_the_way_out(tmp_path: Path, env: FakeEnv) -> None:
    (tmp_path / "reverie.db").write_bytes(b"this is a text file, and a long one at that " * 50)

    with pytest.raises(DamagedStore, match="reverie doctor"):
        SqliteEngine.open(tmp_path / "reverie.db", env)


def test_a_folder_in_the_place_of_the_file_is_an_error_of_ours(tmp_path: Path, env: FakeEnv) -> None:
    (tmp_path / "reverie.db").mkdir()

    with pytest.raises(StoreError):
        SqliteEngine.open(tmp_path / "reverie.db", env)
