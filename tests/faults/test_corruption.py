"""Damaged files: noticed, or harmless; and what is still whole is kept.

A damaged database either shows no change in what it holds, or `damage` names it, or opening it fails with an error of ours.
Salvage never invents: every observation in the new file is one of the old, unchanged.
A damaged write-ahead log is another matter: SQLite takes its sound beginning for the whole, so what is promised there is
a store that is sound, and holds the beginning of the log without a gap.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import apsw
import pytest

from reverie.engines.sqlite import SqliteEngine
from reverie.engines.sqlite.damage import damage, sign_of_damage
from reverie.engines.sqlite.database import Database, Row
from reverie.engines.sqlite.pages import PageFile, records
from reverie.engines.sqlite.salvage import TRUTH, salvage
from reverie.errors import ReverieError
from reverie.hook.spool import frame, frames
from reverie.memory import Memory
from reverie.records import Captured, Kind
from reverie.shells.health import status_of
from reverie.testing import START_MS, FakeEnv, ScriptedConverser
from support.faults import copy_of, opened, steward_on, work_off, workspace_with_spool

PAGE = 4096
OBSERVATIONS = "SELECT * FROM observations ORDER BY position"


# ---- ways to damage a file


def flip_bits(data: bytearray, chance: random.Random) -> None:
    for _ in range(chance.choice((1, 1, 2, 5, 20))):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def cut_off(data: bytearray, chance: random.Random) -> None:
    del data[chance.randrange(len(data)) :]


def zero_pages(data: bytearray, chance: random.Random) -> None:
    for _ in range(chance.randint(1, 3)):
        at = PAGE * chance.randrange(len(data) // PAGE)
        data[at : at + PAGE] = bytes(PAGE)


def swap_pages(data: bytearray, chance: random.Random) -> None:
    one, other = (slice(PAGE * page, PAGE * page + PAGE) for page in chance.sample(range(len(data) // PAGE), 2))
    data[one], data[other] = data[other], data[one]


WAYS = (flip_bits, flip_bits, cut_off, zero_pages, swap_pages)


def damage_somehow(path: Path, chance: random.Random) -> None:
    data = bytearray(path.read_bytes())
    chance.choice(WAYS)(data, chance)
    path.write_bytes(data)


# ---- databases


@dataclass(frozen=True, slots=True)
class Original:
    home: Path
    observations: list[Row]


@pytest.fixture(scope="module")
def without_wal(module_scratch) -> Original:
    """A lived-in workspace, all of it in the database file."""
    home = module_scratch / "plain"
    workspace_with_spool(home, turns=50)
    with opened(home) as memory:
        memory.observe(
            {"text": f"message {n} " + "of an old chat " * 20, "session": "old", "time": START_MS + n, "kind": "system"}
            for n in range(1500)
        )
    work_off(steward_on(home))
    return _kept(home, apsw.SQLITE_CHECKPOINT_TRUNCATE)


@pytest.fixture(scope="module")
def with_wal(without_wal, module_scratch) -> Original:
    """The same, with what came last still in the write-ahead log."""
    home = copy_of(without_wal.home, module_scratch / "wal")
    with opened(home) as memory:
        for number in range(40):
            memory.note(f"late note {number}")
            memory.env.sleep(1)
        memory.parts.background.distil()
    assert (home / "reverie.db-wal").stat().st_size > 40 * PAGE
    return _kept(home)


def _kept(home: Path, checkpoint: int | None = None) -> Original:
    with opened(home) as memory:
        if checkpoint is not None:
            memory.engine.database.connection.wal_checkpoint(mode=checkpoint)
        observations = memory.engine.database.rows(OBSERVATIONS)
    (home / "reverie.db-shm").unlink()
    return Original(home, observations)


def opens(database: Path) -> bool:
    try:
        SqliteEngine.open(database, FakeEnv()).close()
    except ReverieError:  # anything else is a failure of the test
        return False
    return True


def read_observations(database: Path) -> list[Row]:
    connection = apsw.Connection(str(database))
    try:
        return list(connection.execute(OBSERVATIONS))
    finally:
        connection.close()


def is_noticed(original: Original, home: Path, scratch: Path, seed: int) -> bool:
    """Whether a damaged copy is known for one. If not, it holds all that it should."""
    found = damage(copy_of(home, scratch / "examined") / "reverie.db")
    if found or not opens(copy_of(home, scratch / "opened") / "reverie.db"):
        return True
    assert read_observations(scratch / "examined" / "reverie.db") == original.observations, f"seed {seed}: unnoticed"
    return False


def expect_salvage_to_keep_what_is_whole_and_nothing_else(original: Original, scratch: Path, seed: int) -> int:
    """Salvage the damaged copy; says how many of the observations stood on damaged pages."""
    database = scratch / "home" / "reverie.db"
    damaged = database.read_bytes()
    whole = rows_on_whole_pages(original, damaged)

    salvaged = salvage(database, FakeEnv(seed))

    assert salvaged.set_aside.read_bytes() == damaged, f"seed {seed}: the damaged file was changed"
    assert damage(database) == []
    kept = read_observations(database)
    known = set(original.observations)
    assert all(row in known for row in kept), f"seed {seed}: a row that was never written"
    assert whole <= set(kept), f"seed {seed}: {len(whole - set(kept))} rows were lost that stand on whole pages"
    assert salvaged.kept["observations"] == len(kept)
    expect_it_works(database.parent)
    return len(known - whole)


def rows_on_whole_pages(original: Original, damaged: bytes) -> set[Row]:
    """The observations none of whose pages the damage has touched, wherever the pages that lead to them are."""
    intact = (original.home / "reverie.db").read_bytes()
    touched = {
        at // PAGE + 1 for at in range(0, len(intact), PAGE) if intact[at : at + PAGE] != damaged[at : at + PAGE]
    }
    file = PageFile(original.home / "reverie.db")
    found = {it.values: it.pages for it in records(file, lambda is_row, columns: is_row and columns == 18)}
    file.close()
    assert set(found) == set(original.observations), "the walk over the pages sees what SQLite sees"
    return {row for row, pages in found.items() if not touched.intersection(pages)}


def expect_it_works(home: Path) -> None:
    """What was salvaged can be written to, distilled and searched."""
    with Memory.open(home, env=FakeEnv(7)) as memory:
        new = [Captured(kind=Kind.NOTE, text="afterwards", session="new", occurred_ms=1)]
        assert memory.engine.log.append(new)[0] is not None
        memory.parts.background.distil()
        memory.rebuild()
        assert memory.search("afterwards")


def damage_many(original: Original, scratch: Path, seeds: range) -> None:
    noticed = hit = 0
    for seed in seeds:
        home = copy_of(original.home, scratch / "home")
        damage_somehow(home / "reverie.db", random.Random(seed))
        noticed += is_noticed(original, home, scratch, seed)
        hit += expect_salvage_to_keep_what_is_whole_and_nothing_else(original, scratch, seed) > 0
    assert noticed > len(seeds) / 3
    assert hit > len(seeds) / 3, "the damage was where the observations are"


def test_a_damaged_database_is_noticed_or_harmless_and_what_is_whole_is_salvaged(without_wal, scratch):
    damage_many(without_wal, scratch, range(20))


@pytest.mark.torture
@pytest.mark.parametrize("share", range(10))
def test_five_hundred_damaged_databases_are_noticed_or_harmless(without_wal, scratch, share):
    damage_many(without_wal, scratch, range(1000 + share, 1500, 10))


@pytest.mark.parametrize("root", ["sqlite_schema", "meta", "observations", "sqlite_autoindex_observations_1", "ticks"])
def test_a_damaged_root_hides_nothing_that_lies_below_it(without_wal, scratch, root):
    home = copy_of(without_wal.home, scratch / "home")
    page = root_page(home / "reverie.db", root)
    overwrite_page(home / "reverie.db", page)

    assert damage(copy_of(home, scratch / "examined") / "reverie.db") != []
    on_that_page = expect_salvage_to_keep_what_is_whole_and_nothing_else(without_wal, scratch, page)
    assert on_that_page == 0, "so everything was kept"


def root_page(database: Path, name: str) -> int:
    connection = apsw.Connection(str(database))
    try:
        found = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (name,)).get
        return int(found) if found else 1  # the schema itself
    finally:
        connection.close()


def overwrite_page(database: Path, number: int) -> None:
    data = bytearray(database.read_bytes())
    data[(number - 1) * PAGE : number * PAGE] = random.Random(number).randbytes(PAGE)
    database.write_bytes(data)


def test_sqlite_alone_finds_nothing_below_a_damaged_root(without_wal, scratch):
    """The negative control: from the root down, as SQLite reads, there is nothing left to keep."""
    database = copy_of(without_wal.home, scratch / "home") / "reverie.db"
    overwrite_page(database, root_page(database, "observations"))

    with pytest.raises(apsw.CorruptError):
        read_observations(database)


def desk_of(memory):
    engine = memory.engine
    [segment] = engine.conversations.segments("main")
    return (
        engine.reminders.all(), engine.punches.all(), engine.documents.all(), engine.documents.versions("shop"),
        engine.documents.at_version("shop", 2),
        segment, engine.conversations.messages("main", segment.id), engine.ledger.entries("main"),
    )  # fmt: skip


def test_what_is_kept_for_people_survives_a_damaged_schema(scratch):
    home = scratch / "home"
    with opened(home) as memory:
        memory.note("Remind me to rotate the staging keys on Friday.")
        memory.parts.background.distil()
        memory.goals.add("ship it")
        memory.goals.ask("Which port does staging use?")
        memory.engine.spend.reserve("r1", "2026-01-01", "s", 5, 10, 10)
        memory.actions.close(memory.actions.list()[0].id, by="user")
        memory.reminders.add("Call Ana", "tomorrow at 9")
        memory.punchclock.start("review")
        memory.documents.create("shop")
        memory.documents.create_section("shop", "Deploy", "Deploys go out on Tuesday.")
        memory.parts.toolset.documents("agent").append("shop", "Deploy", "Never on Friday.")
        memory.continuum(converser=ScriptedConverser("Hello.")).send("hello there")
        memory.engine.database.connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        kept = (
            memory.engine.actions.all(),
            memory.goals.list(),
            memory.goals.questions(),
            memory.engine.spend.on_day("2026-01-01"),
            desk_of(memory),
        )
        acts, states = memory.engine.log.acts(), memory.engine.inbox.counts()
        ids = [it.id for it in memory.engine.log.read()]
    (home / "reverie.db-shm").unlink(missing_ok=True)
    (home / "reverie.db-wal").unlink(missing_ok=True)
    overwrite_page(home / "reverie.db", 1)

    salvage(home / "reverie.db", FakeEnv(3))

    with opened(home) as memory:
        engine = memory.engine
        spent = engine.spend.on_day("2026-01-01")
        assert (engine.actions.all(), memory.goals.list(), memory.goals.questions(), spent, desk_of(memory)) == kept
        assert (engine.log.acts(), engine.inbox.counts(), [it.id for it in engine.log.read()]) == (acts, states, ids)


def test_the_write_ahead_log_is_salvaged_too(with_wal, scratch):
    home = copy_of(with_wal.home, scratch / "home")
    looked_at = copy_of(with_wal.home, scratch / "looked at")  # looking takes the log into the file
    overwrite_page(home / "reverie.db", root_page(looked_at / "reverie.db", "observations"))

    salvage(home / "reverie.db", FakeEnv(3))

    assert read_observations(home / "reverie.db")[-40:] == with_wal.observations[-40:]


def test_no_work_is_dead_because_its_observations_are_gone_and_none_is_lost(without_wal, scratch):
    """Whole turns are gone; the tick and the work of others are. Status counts what is there."""
    home = copy_of(without_wal.home, scratch / "home")
    with opened(home) as memory:
        database = memory.engine.database
        work = database.rows("SELECT id, session_id, first_position, last_position FROM inbox ORDER BY id LIMIT 20")
        with memory.engine.write():
            for _, session, first, last in work[:5]:
                where = "session_id = ? AND position BETWEEN ? AND ?"
                database.execute("PRAGMA defer_foreign_keys = ON")
                database.execute(f"DELETE FROM learnings WHERE {where}", (session, first, last))
                database.execute(f"DELETE FROM observations WHERE {where}", (session, first, last))
            for identifier, *_ in work[10:15]:
                database.execute("DELETE FROM inbox WHERE id = ?", (identifier,))
            for identifier, *_ in work[13:15]:
                database.execute("DELETE FROM ticks WHERE position = ?", (identifier,))
        left = len(database.rows("SELECT 1 FROM observations"))

    salvage(home / "reverie.db", FakeEnv(3))

    with opened(home) as memory:
        counts = memory.engine.inbox.counts()
        assert "dead" not in counts
        assert counts["skipped"] == 5
        assert {it.reason for it in memory.engine.inbox.listing(["skipped"])} == {"its observations were damaged"}
        assert counts["pending"] == 2, "two turns without tick or work are queued again; of three the ticks say: done"
        memory.parts.background.distil()
        memory.rebuild()
        assert status_of(memory).observations == left
        covered = "SELECT count(*) FROM processed WHERE processed = 0 AND position <= ?"
        assert memory.engine.database.value(covered, (work[-1][3],)) == 0


def test_every_table_is_truth_that_is_salvaged_or_is_derived_anew(tmp_path):
    derived = {"learnings", "items", "item_versions", "item_sources", "item_links", "item_uses", "vectors", "sections"}
    # What a conversation has at hand while it runs, and the bytes of past prompts, which explain and are not needed.
    passing = {"loaded_tools", "context_searches", "section_texts"}
    with opened(tmp_path / "home") as memory:
        names = memory.engine.database.rows(
            "SELECT name FROM pragma_table_list WHERE type = 'table' AND schema = 'main'"
        )

    assert {name for (name,) in names if not name.startswith("sqlite_")} == set(TRUTH) | derived | passing


@pytest.mark.parametrize("name", ["observations", "sessions", "observations_by_session", "learnings_fts_data"])
def test_status_sees_a_damaged_root(without_wal, scratch, name):
    home = copy_of(without_wal.home, scratch / "home")
    with opened(home) as memory:
        assert sign_of_damage(memory.engine.database) == ""
    overwrite_page(home / "reverie.db", root_page(home / "reverie.db", name))

    database = Database(home / "reverie.db", FakeEnv())
    assert name in sign_of_damage(database)
    database.close()


def damage_logs(original: Original, older: Original, scratch: Path, seeds: range) -> None:
    for seed in seeds:
        home = copy_of(original.home, scratch / "home")
        damage_somehow(home / "reverie.db-wal", random.Random(seed))

        found = damage(copy_of(home, scratch / "examined") / "reverie.db")
        with opened(home) as memory:
            kept = memory.engine.database.rows(OBSERVATIONS)
            assert memory.engine.database.value("PRAGMA integrity_check") == "ok" or found
        assert kept == original.observations[: len(kept)], f"seed {seed}: a gap, or a changed row"
        assert len(kept) >= len(older.observations), "the database file itself was whole"
        expect_it_works(home)


def test_a_damaged_write_ahead_log_leaves_a_sound_store_without_gaps(with_wal, without_wal, scratch):
    damage_logs(with_wal, without_wal, scratch, range(12))


@pytest.mark.torture
@pytest.mark.parametrize("share", range(4))
def test_two_hundred_damaged_write_ahead_logs_leave_sound_stores(with_wal, without_wal, scratch, share):
    damage_logs(with_wal, without_wal, scratch, range(2000 + share, 2200, 4))


def test_without_checksums_a_changed_observation_would_pass_unnoticed(without_wal, scratch, monkeypatch):
    """The negative control: SQLite itself does not see that a letter has become another one."""
    home = copy_of(without_wal.home, scratch / "home")
    data = (home / "reverie.db").read_bytes()
    where = data.index(b"message 700 of an old chat")
    (home / "reverie.db").write_bytes(data[:where] + b"massage" + data[where + 7 :])
    assert damage(home / "reverie.db") != []

    monkeypatch.setattr("reverie.engines.sqlite.checks.is_sealed", lambda row: True)
    connection = apsw.Connection(str(home / "reverie.db"))
    assert connection.execute("PRAGMA integrity_check").get == "ok"
    connection.close()


# ---- the spool


def payloads(count: int, chance: random.Random) -> list[bytes]:
    return [f'{{"number":{number},"text":"{"é" * chance.randrange(60)}"}}'.encode() for number in range(count)]


def test_a_spool_cut_off_at_any_byte_keeps_every_whole_frame():
    said = payloads(12, random.Random(1))
    whole = [frame(payload) for payload in said]
    data = b"".join(whole)
    for length in range(len(data) + 1):
        kept, damaged = frames(data[:length])
        ends = [sum(map(len, whole[: n + 1])) for n in range(len(whole))]
        complete = sum(end <= length for end in ends)
        assert kept == said[:complete]
        assert damaged == length - sum(map(len, whole[:complete]))


def flip_frames(seeds: range, frames: Callable[[bytes], tuple[list[bytes], int]] = frames) -> None:
    """A frame that was not touched is found, wherever the damage is around it; none is invented."""
    for seed in seeds:
        chance = random.Random(seed)
        said = payloads(chance.randint(1, 20), chance)
        whole = [frame(payload) for payload in said]
        data = bytearray(b"".join(whole))
        touched = set()
        for _ in range(chance.choice((1, 1, 3, 10))):
            at = chance.randrange(len(data))
            data[at] ^= 1 << chance.randrange(8)
            touched.add(next(n for n in range(len(whole)) if at < sum(map(len, whole[: n + 1]))))
        kept, damaged = frames(bytes(data))

        untouched = [payload for n, payload in enumerate(said) if n not in touched]
        assert [payload for payload in kept if payload in untouched] == untouched, f"seed {seed}"
        assert set(kept) <= set(said), f"seed {seed}"  # two flips of one bit leave a frame as it was
        assert damaged == len(data) - sum(len(frame(payload)) for payload in kept)


def test_a_spool_with_flipped_bits_keeps_every_untouched_frame():
    flip_frames(range(300))


def test_negative_control_without_checksums_changed_frames_would_be_taken_for_whole(monkeypatch):
    monkeypatch.setattr("reverie.hook.spool.crc32", lambda payload: 0)

    with pytest.raises(AssertionError):
        flip_frames(range(300))


def test_negative_control_a_reader_that_gives_up_at_the_first_damage_would_lose_untouched_frames():
    def give_up(data: bytes) -> tuple[list[bytes], int]:
        whole = data
        while frames(whole)[1]:  # the longest beginning in which nothing is damaged
            whole = whole[: len(whole) - 1]
        return frames(whole)[0], len(data) - len(whole)

    with pytest.raises(AssertionError):
        flip_frames(range(30), give_up)


@pytest.mark.torture
def test_three_thousand_spools_with_flipped_bits_keep_every_untouched_frame():
    flip_frames(range(1000, 4000))


def test_a_damaged_spool_is_drained_and_its_bytes_are_set_aside(scratch):
    home = scratch / "home"
    events = workspace_with_spool(home, turns=5)
    data = bytearray((home / "spool" / "current").read_bytes())
    data[len(data) // 2] ^= 1
    (home / "spool" / "current").write_bytes(data)

    with opened(home) as memory:
        drained = memory.parts.background.drain_spool()
        kept = memory.engine.log.read(limit=1000)
    assert drained.damaged_bytes > 0
    assert len(kept) == len(events) - 1
    assert [path.read_bytes() for path in (home / "spool" / "damaged").iterdir()] == [bytes(data)]
