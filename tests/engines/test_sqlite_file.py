"""The SQLite file itself: pragmas, permissions, versions, schema."""

import stat
from itertools import count
from pathlib import Path

import apsw
import pytest

from reverie.engines.sqlite import SqliteEngine
from reverie.engines.sqlite.database import OPENER_WAL_BYTES, STEWARD_WAL_BYTES, read_migrations
from reverie.engines.sqlite.schema import Versions, read_versions
from reverie.errors import DamagedStore, NewerStore, StoreError
from reverie.records import Captured, Kind, Stage
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


def test_a_view_says_which_observations_were_distilled(tmp_path: Path, env: FakeEnv) -> None:
    engine = SqliteEngine.open(tmp_path / "reverie.db", env)
    engine.log.append(
        [Captured(kind=Kind.USER_MESSAGE, text="hi", session="s1", occurred_ms=1, event="UserPromptSubmit")]
    )
    engine.log.append([Captured(kind=Kind.SYSTEM, text="", session="s1", occurred_ms=2, event="SessionEnd")])
    engine.log.close_due_turns(env.now_ms())
    flags = "SELECT DISTINCT processed FROM processed"

    assert engine.database.rows(flags) == [(0,)]
    engine.inbox.done(engine.inbox.claim(Stage.RULES, 5, env.now_ms(), 60_000, "a")[0])
    assert engine.database.rows(flags) == [(1,)]


def test_learnings_refer_to_observations_that_exist(tmp_path: Path, env: FakeEnv) -> None:
    database = SqliteEngine.open(tmp_path / "reverie.db", env).database

    with pytest.raises(DamagedStore, match="FOREIGN KEY"), database.write():
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


@pytest.mark.parametrize("version", range(len(read_migrations())))
def test_a_number_that_is_not_that_of_the_tables_is_named_and_nothing_migrated(
    tmp_path: Path, env: FakeEnv, version: int
) -> None:
    path = tmp_path / "reverie.db"
    engine = SqliteEngine.open(path, env)
    engine.database.execute(f"PRAGMA user_version = {version}")
    engine.close()

    with pytest.raises(DamagedStore, match=rf"says that it has schema {version}, but .*reverie doctor --repair"):
        SqliteEngine.open(path, env)

    assert read_versions(path) == Versions(said=version, true=len(read_migrations()), known=len(read_migrations()))


def test_a_log_whose_file_is_gone_is_not_thrown_away(tmp_path: Path, env: FakeEnv) -> None:
    """SQLite deletes a log that it finds beside an empty file, and in a young record everything is in the log."""
    path, log = tmp_path / "reverie.db", tmp_path / "reverie.db-wal"
    SqliteEngine.open(path, env).close()
    before = log.read_bytes()
    for leave in (path.unlink, path.touch):
        leave()
        with pytest.raises(DamagedStore, match="is gone, but the log beside it is there"):
            SqliteEngine.open(path, env)
        assert log.read_bytes() == before


def test_a_file_that_is_no_database_is_named_with_the_way_out(tmp_path: Path, env: FakeEnv) -> None:
    (tmp_path / "reverie.db").write_bytes(b"this is a text file, and a long one at that " * 50)

    with pytest.raises(DamagedStore, match="reverie doctor"):
        SqliteEngine.open(tmp_path / "reverie.db", env)


def test_a_folder_in_the_place_of_the_file_is_an_error_of_ours(tmp_path: Path, env: FakeEnv) -> None:
    (tmp_path / "reverie.db").mkdir()

    with pytest.raises(StoreError):
        SqliteEngine.open(tmp_path / "reverie.db", env)


def test_the_steward_moves_a_long_log_into_the_file_before_an_opener_would(tmp_path: Path, env: FakeEnv) -> None:
    path = tmp_path / "reverie.db"
    engine = SqliteEngine.open(path, env)
    assert STEWARD_WAL_BYTES < OPENER_WAL_BYTES

    texts = (f"{number} " * 100_000 for number in count())

    def write_past(size: int) -> int:
        while engine.database.wal_bytes() <= size:
            engine.trace.keep_text(next(texts))
        return path.stat().st_size

    before = write_past(STEWARD_WAL_BYTES // 2)
    engine.shorten_log(as_steward=True)
    assert path.stat().st_size == before, "a short one is left alone"

    before = write_past(STEWARD_WAL_BYTES)
    engine.database.shorten_log()
    assert path.stat().st_size == before, "it is the steward's as yet"
    engine.shorten_log(as_steward=True)
    assert path.stat().st_size > before + STEWARD_WAL_BYTES // 2

    before = engine.database.wal_bytes()
    for _ in range(2 * OPENER_WAL_BYTES // 600_000):
        engine.trace.keep_text(next(texts))
    assert engine.database.wal_bytes() <= before < OPENER_WAL_BYTES, "whoever writes more without a steward moves it"
