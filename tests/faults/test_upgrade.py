"""A store of an older Reverie: its ids stay, a copy is made first, and a kill on the way is harmless.

`stores/schema_5.db.z` was written by the last Reverie with schema 5: two sessions, rules and a model, a summary, a merge;
memories that were hidden, marked and retracted, an action that was closed, and three messages that were forgotten for
good, after which ids no longer were what that Reverie would have given.
"""

import zlib
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from reverie.engines.sqlite.learnings import SqliteLearnings
from reverie.engines.sqlite.salvage import salvage
from reverie.errors import DamagedStore, StoreFull
from reverie.foundation.ids import ulid
from reverie.memory import Memory
from reverie.testing import FakeEnv
from support.faults import copy_of, opened, run_with_fuse

OLD = Path(__file__).with_name("stores") / "schema_5.db.z"
VERSION = 5
# All that names a learning or an item, or says what it is.
_NAMED = (
    "SELECT id, type, text, observation_id, origin, superseded_by, verdict, item_id FROM learnings ORDER BY id",
    "SELECT id, text, store, type, position, lifecycle, importance, deleted_ms, superseded_by, data "
    "FROM items ORDER BY id",
    "SELECT from_id, kind, to_id FROM item_links ORDER BY 1, 2, 3",
    "SELECT id, version, data FROM item_versions ORDER BY 1, 2",
    "SELECT id, text, status FROM pending_actions ORDER BY id",
    "SELECT position, kind, target, data FROM acts ORDER BY position",
)
# How often each item was used: in the items once, beside them now.
_USES = {
    False: "SELECT id, access_count FROM items WHERE access_count > 0 ORDER BY 1",
    True: "SELECT item_id, uses FROM item_uses WHERE uses > 0 ORDER BY 1",
}


@pytest.fixture
def old(scratch: Path) -> Path:
    home = scratch / "old"
    home.mkdir()
    (home / "reverie.db").write_bytes(zlib.decompress(OLD.read_bytes()))
    return home


def named(path: Path) -> list[list[tuple[object, ...]]]:
    """What a file says, read past everything of ours."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        has_uses = connection.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'item_uses'").get
        return [list(connection.execute(sql)) for sql in (*_NAMED, _USES[bool(has_uses)])]
    finally:
        connection.close()


def copies(home: Path) -> list[str]:
    return sorted(path.name for path in home.iterdir() if ".schema-" in path.name)


def test_an_older_store_is_rebuilt_with_the_ids_that_it_had(old):
    before = named(old / "reverie.db")
    with opened(old) as memory:
        migrated = named(old / "reverie.db")
        memory.rebuild()

    assert migrated == before
    assert named(old / "reverie.db") == before
    assert len(before[0]) == 22


def test_negative_control_without_what_was_written_down_the_ids_are_others(old, monkeypatch):
    def by_rule(self, found, kept, sources):
        marks = self._marks(found)
        return [ulid(sources[one.observation_id].occurred_ms, mark) for one, mark in zip(found, marks, strict=True)]

    before = named(old / "reverie.db")
    monkeypatch.setattr(SqliteLearnings, "_ids", by_rule)
    with opened(old) as memory:
        memory.rebuild()

    assert named(old / "reverie.db") != before


@pytest.mark.parametrize("first", [0, *(pytest.param(first, marks=pytest.mark.torture) for first in range(1, 5))])
def test_an_older_store_bears_further_forgetting(old, first):
    """Whichever message goes: the others keep the ids that they had, and a rebuild gives the same."""
    with opened(old) as memory:
        memory.rebuild()  # what was forgotten before has left gaps in the numbers of others
        ids = [one.id for one in memory.engine.log.read()]
    for gone in ids[first::5]:
        home = copy_of(old, old.with_name("again"))
        with opened(home) as memory:
            before = {it.id for it in memory.engine.learnings.all()}
            memory.forget(f"id:{gone}", hard=True)
            left = list(memory.engine.dump_derived())
            known = {it.text: it.id for it in memory.engine.learnings.all()}
            memory.rebuild()

            assert list(memory.engine.dump_derived()) == left
            new = [text for text, one in known.items() if one not in before]
            assert len(new) <= 1, "at most what was seen twice is known from the other time"


def test_ids_that_were_given_survive_a_repair(old):
    opened_once(old)
    before = named(old / "reverie.db")
    kept = salvage(old / "reverie.db", FakeEnv()).kept
    with opened(old) as memory:
        memory.rebuild()

    assert kept["learning_ids"] == len(before[0])
    assert [row[:5] for row in named(old / "reverie.db")[0]] == [row[:5] for row in before[0]]


def test_the_copy_is_the_store_as_it_was(old):
    before = named(old / "reverie.db")
    opened_once(old)

    copy = old / f"reverie.db.schema-{VERSION}"
    assert copies(old) == [copy.name]
    assert copy.stat().st_mode & 0o777 == 0o600
    assert named(copy) == before
    assert version_of(copy) == VERSION


def opened_once(home: Path) -> None:
    Memory.open(home, env=FakeEnv(1), catch_up=False).close()


def version_of(path: Path) -> int:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        return int(connection.execute("PRAGMA user_version").fetchall()[0][0])
    finally:
        connection.close()


def test_a_new_store_is_not_copied(scratch):
    opened_once(scratch / "new")

    assert copies(scratch / "new") == []


def test_the_copy_goes_when_something_is_forgotten_for_good(old):
    """It says all that the store said."""
    (old / "reverie.db.schema-3").write_bytes(b"of an upgrade before")
    with opened(old) as memory:
        assert copies(old) == [f"reverie.db.schema-{VERSION}"]
        memory.forget(f"id:{memory.engine.log.read()[0].id}", hard=True)

        assert copies(old) == []


def test_an_upgrade_without_room_for_the_copy_is_refused_and_changes_nothing(old, monkeypatch):
    def no_room(*_: object) -> None:
        raise apsw.FullError("database or disk is full")

    before = named(old / "reverie.db")
    monkeypatch.setattr("reverie.engines.sqlite.database.back_up", no_room)
    with pytest.raises(StoreFull, match="free some space"):
        opened_once(old)

    assert named(old / "reverie.db") == before
    assert version_of(old / "reverie.db") == VERSION


EVERY = 9  # of the kill points in `make test`; the step and the number of points share no factor


@pytest.mark.parametrize(
    "first", [1, *(pytest.param(first, marks=pytest.mark.torture) for first in range(2, EVERY + 1))]
)
def test_an_upgrade_killed_at_any_write_is_made_whole_at_the_next_start(old, first):
    killed_at_each(old, opened_once, range(first, 1_000_000, EVERY))


def killed_at_each(old: Path, upgrade: Callable[[Path], None], points: range) -> None:
    before = named(old / "reverie.db")
    for at in points:
        home = copy_of(old, old.with_name("killed"))
        was_killed = run_with_fuse(lambda home=home: upgrade(home), at).was_killed
        for name in copies(home):
            if ".unfinished" not in name:
                assert named(home / name) == before, "a copy that has its name is whole"
        with opened(home) as memory:
            memory.rebuild()
            assert memory.engine.database.value("PRAGMA integrity_check") == "ok"
        assert named(home / "reverie.db") == before
        assert [name for name in copies(home) if ".unfinished" in name] == []
        if not was_killed:
            return


def test_negative_control_a_copy_under_its_own_name_may_be_half_of_one(old, monkeypatch):
    monkeypatch.setattr("reverie.engines.sqlite.upgrade._UNFINISHED", "")

    with pytest.raises((AssertionError, apsw.Error, DamagedStore)):
        killed_at_each(old, opened_once, range(1, 1_000_000, EVERY))
