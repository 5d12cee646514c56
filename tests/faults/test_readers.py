"""Another process reads and does not let go: what is forgotten for good then, and how long the write-ahead log becomes.

SQLite keeps what a reader began with until it ends, so what a forget erases stands in the log for so long. It must be
said, never forgotten, and gone as soon as the reader is. `make test` does this with a few forgets and 70 MB,
`make torture` with a hundred forgets and as many bytes as 300,000 observations have.
"""

import json
import os
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

import apsw
import pytest

from reverie.daemon.steward import Steward
from reverie.engines.sqlite.damage import damage
from reverie.engines.sqlite.wal import OPENER_WAL_BYTES, STEWARD_WAL_BYTES
from reverie.env.real import RealEnv, RealFiles
from reverie.foundation.workspace import Workspace
from reverie.memory import Memory
from reverie.ports import SCRUB
from reverie.records import Captured, Kind, LogFile
from reverie.records.log_file import LONG_LOG_BYTES
from reverie.settings import Settings
from reverie.shells.doctor import examine
from reverie.shells.health import status_of
from reverie.testing import FakeEnv
from support.faults import in_children, spool_events, turn_events
from support.readers import files_with, foreign_checkpoint, foreign_reader

CANARY = "Quuxberry"


@pytest.fixture
def home(scratch: Path) -> Path:
    return scratch / "home"


@pytest.fixture
def memory(home: Path, env: FakeEnv) -> Iterator[Memory]:
    with Memory.open(home, env=env) as opened:
        opened.observe(f"My doctor is {CANARY}", session="s")
        opened.observe("I like art", session="s")
        yield opened


def steward_of(home: Path, env: FakeEnv) -> Steward:
    steward = Steward(Workspace(home), env, Settings())
    steward.begin()
    return steward


# ---- forget


def test_a_forget_beside_a_reader_says_what_waits_and_for_whom(memory: Memory, home: Path) -> None:
    with foreign_reader(home / "reverie.db") as reader:
        done = memory.forget(f"text:{CANARY}", hard=True)

        assert (done.items, done.waits_for) == (1, (reader.pid,))
        assert done.owed_bytes == (home / "reverie.db-wal").stat().st_size
        assert f"{done.owed_bytes:,} bytes" in done.warnings[0]
        assert f"process {reader.pid}" in done.warnings[0]
        assert files_with(home, CANARY), "the negative control: the bytes are there as long as somebody reads"


def test_asked_again_it_is_gone_from_the_record_and_still_owed(memory: Memory, home: Path) -> None:
    with foreign_reader(home / "reverie.db") as reader:
        memory.forget(f"text:{CANARY}", hard=True)
        again = memory.forget(f"text:{CANARY}", hard=True)

        assert (again.items, again.observations, again.waits_for) == (0, 0, (reader.pid,))
        assert again.owed_bytes > 0
        assert "gone from the record, but" in again.warnings[0]


def test_status_and_doctor_say_what_is_owed(memory: Memory, home: Path) -> None:
    with foreign_reader(home / "reverie.db") as reader:
        memory.forget(f"text:{CANARY}", hard=True)
        status = status_of(memory)
        [journal] = [it for it in examine(Workspace(home), RealEnv(), home, repair=False) if it.name == "journal"]

    assert status.owes_erasing
    assert status.wal_readers == (reader.pid,)
    assert any(f"process {reader.pid}" in warning for warning in status.warnings)
    assert not journal.is_fine
    assert f"process {reader.pid}" in journal.detail


def next_opener(memory: Memory, home: Path) -> None:
    Memory.open(home, env=memory.env).close()


def next_forget(memory: Memory, home: Path) -> None:
    assert memory.forget("text:nothing", hard=True).warnings == ()
    assert (home / "reverie.db").exists()


def steward_at_work(memory: Memory, home: Path) -> None:
    steward = steward_of(home, FakeEnv())
    steward.step()
    steward.end()
    assert memory.engine.owes(SCRUB) == 0


def steward_that_waits(memory: Memory, home: Path) -> None:
    """It has nothing to do, and looks around once a second."""
    with foreign_reader(home / "reverie.db") as reader:
        steward = steward_of(home, FakeEnv())
        steward.step()
        assert memory.engine.owes(SCRUB), "somebody else still reads"
        reader.let_go()
        steward.env.sleep(2)
        steward.look_around()
        steward.end()


@pytest.mark.parametrize("whoever_comes", [next_opener, next_forget, steward_at_work, steward_that_waits])
def test_whoever_comes_next_does_what_is_owed(
    memory: Memory, home: Path, whoever_comes: Callable[[Memory, Path], None]
) -> None:
    with foreign_reader(home / "reverie.db"):
        memory.forget(f"text:{CANARY}", hard=True)
    assert files_with(home, CANARY)

    whoever_comes(memory, home)

    assert files_with(home, CANARY) == []
    assert memory.engine.owes(SCRUB) == 0
    assert not status_of(memory).owes_erasing


def test_a_debt_that_nobody_wrote_down_is_never_paid(memory: Memory, home: Path) -> None:
    """The negative control: without what the forget noted, the bytes stay, whoever comes."""
    with foreign_reader(home / "reverie.db"):
        memory.forget(f"text:{CANARY}", hard=True)
        memory.engine.settle(SCRUB, memory.engine.owes(SCRUB))

    next_opener(memory, home)
    steward_at_work(memory, home)

    assert files_with(home, CANARY)


def test_a_process_that_dies_after_its_forget_leaves_the_rest_to_others(home: Path) -> None:
    with Memory.open(home, env=FakeEnv()) as memory:
        memory.observe(f"My doctor is {CANARY}", session="s")

    def forget_and_die(_: int) -> str:
        other = Memory.open(home, env=FakeEnv())
        doomed = other.parts.item_writer.scoped.doomed(f"text:{CANARY}")
        other.engine.erase(doomed.observations, [it.id for it in doomed.items], other.env.now_ms(), doomed.words)
        os._exit(9)

    in_children(1, forget_and_die)
    assert files_with(home, CANARY)

    Memory.open(home, env=FakeEnv()).close()

    assert files_with(home, CANARY) == []


def test_a_forget_while_it_is_scrubbed_is_not_taken_for_done(memory: Memory) -> None:
    memory.engine.owe(SCRUB)
    owed = memory.engine.owes(SCRUB)
    memory.engine.owe(SCRUB)

    memory.engine.settle(SCRUB, owed)

    assert memory.engine.owes(SCRUB) > owed


def test_another_users_forget_is_finished_too(memory: Memory, home: Path) -> None:
    memory.of("ana").observe("Ana's doctor is Zyzzyva", session="s")
    with foreign_reader(home / "reverie.db"):
        memory.of("ana").forget("text:Zyzzyva", hard=True)
    assert files_with(home, "Zyzzyva")

    next_opener(memory, home)

    assert files_with(home, "Zyzzyva") == []


class NoRoomFor(RealFiles):
    """A disk on which one file cannot be written."""

    name = ""

    def replace(self, path: Path, data: bytes, mode: int = 0o600) -> None:
        if self.name and self.name in path.name:
            raise OSError(28, "No space left on device", str(path))
        super().replace(path, data, mode)


def test_a_file_that_cannot_be_written_now_is_owed_and_the_rest_is_done(home: Path) -> None:
    env = FakeEnv()
    env.files = files = NoRoomFor()
    with Memory.open(home, env=env) as memory:
        memory.observe(f"I always prefer {CANARY} over tabs.", session="s")
        memory.commit()
        memory.parts.background.distil()
        assert "user.md" in files_with(home, CANARY)

        files.name = "user.md"
        done = memory.forget(f"text:{CANARY}", hard=True)

        assert any("No space left" in warning for warning in done.warnings)
        assert memory.engine.owes(SCRUB)
        files.name = ""

    Memory.open(home, env=env).close()

    assert files_with(home, CANARY) == []


def test_the_command_ends_true(memory: Memory, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from reverie.shells.cli.exit_codes import NOTHING, OWED, run
    from reverie.shells.cli.main import cli

    def forget(*more: str) -> tuple[int, str]:
        capsys.readouterr()
        try:
            code = run(cli, ["--home", str(home), "forget", "--hard", "--yes", f"text:{CANARY}", *more])
        except SystemExit as end:
            code = int(end.code or 0)
        told = capsys.readouterr()
        return code, told.out + told.err

    with foreign_reader(home / "reverie.db") as reader:
        code, told = forget()
        assert code == OWED
        assert "gone from the record, but not yet from everywhere" in told
        assert f"process {reader.pid}" in told
        code, told = forget()
        assert code == OWED
        assert "nothing in the record matches that; something was forgotten before" in told
        assert f"process {reader.pid}" in told
        code, told = forget("--json")
        assert code == OWED
        assert json.loads(told)["waits_for"] == [reader.pid]
    code, told = forget()
    assert (code, told.strip()) == (NOTHING, "nothing matches that")
    assert files_with(home, CANARY) == []
    assert memory.engine.owes(SCRUB) == 0


# ---- forget in ordinary concurrency


@dataclass(frozen=True)
class Life:
    """What processes did side by side: how many forgets ended how, and what stands where in the end."""

    ended: Counter[str]
    left: list[str]


def live(home: Path, forgets: int, *, pays: bool = True) -> Life:
    """One process forgets what was noted, two read for shorter or longer, two write. One reader is the last to end."""
    with Memory.open(home, env=RealEnv()) as memory:
        memory.observe([{"text": f"look at {CANARY}{number:04} again"} for number in range(forgets)], session="s")
    is_over, is_reading, sleep = home / "over", home / "reading", RealEnv().sleep

    def forget() -> str:
        told = []
        with Memory.open(home, env=RealEnv()) as memory:
            for number in range(forgets):
                while number == forgets - 1 and not is_reading.exists():
                    sleep(0.01)
                done = memory.forget(f"text:{CANARY}{number:04}", hard=True)
                told.append(f"{done.items} {'owed' if done.owed_bytes else 'gone'}")
                if number == forgets - 2:
                    (home / "last").touch()
                if not pays:
                    memory.engine.settle(SCRUB, memory.engine.owes(SCRUB))
        is_over.touch()
        return ";".join(told)

    def read(seed: int) -> str:
        chance, connection = random.Random(seed), apsw.Connection(str(home / "reverie.db"))
        connection.wal_autocheckpoint(0)
        connection.set_busy_timeout(60_000)
        while not is_over.exists():
            is_last = seed == 1 and (home / "last").exists()
            connection.execute("BEGIN")
            list(connection.execute("SELECT count(*) FROM observations"))
            if is_last:
                is_reading.touch()
            while is_last and not is_over.exists():
                sleep(0.01)
            sleep(chance.choice((0.01, 0.1, 2.5)))
            connection.execute("COMMIT")
        os._exit(0)  # as a process ends that is killed: without a checkpoint

    def write(seed: int) -> str:
        count = 0
        with Memory.open(home, env=RealEnv()) as memory:
            while not is_over.exists():
                memory.observe(f"writer {seed} says {count}", session=f"w{seed}")
                count += 1
                sleep(0.1)
        return "wrote"

    told = in_children(5, lambda number: forget() if number == 0 else read(number) if number < 3 else write(number))
    assert told[1:] == ["", "", "wrote", "wrote"]
    with Memory.open(home, env=RealEnv(), catch_up=False) as memory:
        memory.parts.background.finish_erasures()
    return Life(Counter(told[0].split(";")), files_with(home, CANARY))


@pytest.mark.parametrize("forgets", [3, pytest.param(60, marks=pytest.mark.torture)])
def test_forgets_beside_readers_and_writers_all_end_well_and_leave_nothing(home: Path, forgets: int) -> None:
    life = live(home, forgets)

    assert life.ended["1 gone"] + life.ended["1 owed"] == forgets, life.ended
    assert life.ended["1 owed"]
    assert life.left == []


def test_without_what_is_written_down_they_leave_something(home: Path) -> None:
    """The negative control: nobody owes, so that a forget that met a reader is never finished."""
    life = live(home, 2, pays=False)

    assert life.ended["1 owed"]
    assert life.left


# ---- the write-ahead log


TEXT = "0123456789" * 50_000


def fill(memory: Memory, size: int) -> None:
    """Write so many bytes, as notes are written: each in a transaction of its own."""
    for number in range(size // len(TEXT)):
        memory.engine.trace.keep_text(f"{number} {TEXT}")


def wal(home: Path) -> int:
    return (home / "reverie.db-wal").stat().st_size


WRITTEN = 70_000_000


def test_beside_a_reader_the_log_grows_is_named_and_shrinks_when_it_lets_go(home: Path, env: FakeEnv) -> None:
    steward = steward_of(home, env)
    with foreign_reader(home / "reverie.db") as reader:
        fill(steward.memory, WRITTEN)
        steward.step()
        status = status_of(steward.memory)
        [journal] = [it for it in examine(Workspace(home), RealEnv(), home, repair=False) if it.name == "journal"]

    assert status.wal_bytes > LONG_LOG_BYTES, "the negative control: it cannot be bounded as long as somebody reads"
    assert status.wal_readers == (reader.pid,)
    [warning] = [one for one in status.warnings if "write-ahead log" in one]
    assert f"{status.wal_bytes:,} bytes" in warning
    assert f"process {reader.pid}" in warning
    assert not journal.is_fine
    assert f"process {reader.pid}" in journal.detail

    steward.look_around()

    assert wal(home) <= STEWARD_WAL_BYTES
    assert not any("write-ahead log" in one for one in status_of(steward.memory).warnings)
    steward.end()


def test_a_long_log_is_shortened_by_whoever_opens_the_memory_next(home: Path, env: FakeEnv) -> None:
    with Memory.open(home, env=env) as memory, foreign_reader(home / "reverie.db"):
        fill(memory, WRITTEN)
    assert wal(home) > LONG_LOG_BYTES

    Memory.open(home, env=env).close()

    assert wal(home) <= STEWARD_WAL_BYTES


def test_a_passive_checkpoint_alone_leaves_it_as_long_as_it_was(home: Path, env: FakeEnv) -> None:
    """The negative control: what was done before."""
    with Memory.open(home, env=env) as memory, foreign_reader(home / "reverie.db") as reader:
        fill(memory, WRITTEN)
        reader.let_go()
        memory.engine.database.connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)

        assert wal(home) > LONG_LOG_BYTES


def test_one_who_writes_for_long_without_a_steward_keeps_the_log_short(home: Path, env: FakeEnv) -> None:
    with Memory.open(home, env=env) as memory:
        for number in range(60):
            memory.observe(f"{number} " + "so much was said " * 30_000, session="s")
            assert wal(home) < OPENER_WAL_BYTES + 6_000_000


def overlap(home: Path, size: int, *, waits: bool) -> int:
    """How long the log became while two readers take turns, each of which begins before the other ends."""
    is_over, longest = home / "over", 0

    def read(_: int) -> str:
        readers = [apsw.Connection(str(home / "reverie.db")) for _ in range(2)]
        for reader in readers:
            reader.wal_autocheckpoint(0)
            reader.set_busy_timeout(60_000)
        while not is_over.exists():
            for reader in readers:
                if reader.in_transaction:
                    reader.execute("COMMIT")
                reader.execute("BEGIN")
                list(reader.execute("SELECT count(*) FROM texts"))
                RealEnv().sleep(0.05)
        os._exit(0)

    def write(_: int) -> str:
        nonlocal longest
        with Memory.open(home, env=FakeEnv()) as memory:
            for number in range(size // len(TEXT)):
                memory.engine.trace.keep_text(f"{number} {TEXT}")
                if not waits:
                    memory.engine.database._held_up_at = 1 << 60
                longest = max(longest, wal(home))
        is_over.touch()
        return str(longest)

    Memory.open(home, env=FakeEnv()).close()
    return int(in_children(2, lambda number: read(number) if number else write(number))[0])


@pytest.mark.parametrize("size", [200_000_000, pytest.param(2_000_000_000, marks=pytest.mark.torture)])
def test_readers_that_come_and_go_do_not_keep_the_log_long(
    home: Path, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a busy machine a reader may not end within the second that it is given; here it is waited for until it does."""
    monkeypatch.setattr("reverie.engines.sqlite.database._LONG_WAIT_MS", 60_000)
    assert overlap(home, size, waits=True) < LONG_LOG_BYTES


def test_without_a_wait_readers_that_come_and_go_keep_the_log_long(home: Path) -> None:
    """The negative control."""
    assert overlap(home, 200_000_000, waits=False) > 200_000_000 // 2


def test_a_write_is_not_refused_because_somebody_else_checkpoints(home: Path, env: FakeEnv) -> None:
    """What was committed is committed, whoever moves the log at that moment."""
    steward = steward_of(home, env)
    steward.step()
    with foreign_checkpoint(home / "reverie.db"):
        fill(steward.memory, OPENER_WAL_BYTES + 1_000_000)
        spool_events(home, [one for number in range(20) for one in turn_events(number, "s", f"step {number}")])
        steward.step()
        steward.memory.forget("text:nothing", hard=True)
        one = Captured(kind=Kind.NOTE, text="kept", session="s", occurred_ms=1, event_id="kept")
        assert steward.memory.parts.ingest.store([one]) == 1
    steward.end()


def test_no_reader_of_ours_holds_on_between_two_rows(memory: Memory) -> None:
    memory.commit()
    memory.parts.background.distil()
    memory.forget(f"text:{CANARY}")
    engine = memory.engine
    for rows in (
        engine.dump_derived(),
        engine.items.dump(),
        engine.extractions(),
        engine.mentioning("art"),
        engine.history.ticks(),
        engine.history.events(["hide"]),
        memory.export(),
    ):
        assert next(iter(rows))
        assert engine.database.connection.txn_state("main") == apsw.SQLITE_TXN_NONE, rows


def test_the_words_name_several_readers_and_none() -> None:
    both, nobody = LogFile(70_000_000, (7, 8), False), LogFile(5, (), True)

    assert "process 7 and 8" in " ".join(both.troubles())
    assert "another process that reads the record" in " ".join(nobody.troubles())
    assert [*LogFile(5, (7,), False).troubles()] == []


@pytest.mark.torture
def test_at_full_size_the_log_shrinks_without_a_restart_and_after_one(home: Path) -> None:
    """As many bytes as 300,000 observations have, taken in by a steward while another process reads."""
    env = FakeEnv()
    for ends_first in (False, True):
        steward = steward_of(home, env)
        with foreign_reader(home / "reverie.db") as reader:
            first = steward.memory.engine.database.last_position()
            for start in range(0, 150_000, 5_000):
                notes = ({"text": f"{first} {start + n} " + "a b c d " * 40} for n in range(5_000))
                assert steward.memory.observe(notes, session=f"s{first}") == 5_000
                steward.step()
            grown = wal(home)
            assert grown > 3 * LONG_LOG_BYTES
            assert status_of(steward.memory).wal_readers == (reader.pid,)
            if ends_first:
                steward.end()
        if ends_first:
            steward = steward_of(home, env)
            steward.step()
        else:
            steward.look_around()
        assert wal(home) <= STEWARD_WAL_BYTES
        steward.end()


def test_one_who_writes_while_doctor_looks_is_no_damage(home: Path) -> None:
    Memory.open(home, env=FakeEnv()).close()
    other = apsw.Connection(str(home / "reverie.db"))
    other.execute("BEGIN IMMEDIATE")
    ending = Thread(target=lambda: (RealEnv().sleep(0.5), other.execute("COMMIT")))
    ending.start()

    found = damage(home / "reverie.db")

    ending.join()
    assert found == []
