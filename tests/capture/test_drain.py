"""What waits in the spool is taken in, and what cannot be is set aside without stopping the rest."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from reverie.capture.drain import CHUNK_BYTES, Drained, drain, has_waiting
from reverie.capture.hook_events import fast_parse, parse
from reverie.hook.spool import CURRENT, append, frame
from reverie.memory import Memory
from reverie.records import Captured
from reverie.shells.health import status_of
from reverie.testing import FakeEnv


def record(tool_input: str) -> bytes:
    fields = f'"session_id": "s", "tool_name": "Bash", "tool_response": "ok", "tool_input": {tool_input}'
    return frame(f'{{"event": "PostToolUse", "at": 1, "mono": 1, "payload": {{{fields}}}}}'.encode())


@pytest.mark.parametrize("levels", [501, 900, 960, 970, 980, 990, 100_000])
def test_a_record_nested_too_deeply_is_set_aside_and_the_others_are_kept(tmp_path: Path, levels: int):
    env = FakeEnv()
    with Memory.open(tmp_path, env=env) as memory:
        (tmp_path / "spool").mkdir(exist_ok=True)
        deep = record("[" * levels + "]" * levels)
        (tmp_path / "spool" / CURRENT).write_bytes(record('"a"') + deep + record('"b"'))

        drained = memory.parts.background.drain_spool()

        assert (drained.records, drained.unreadable) == (2, 1)
        assert [it.tool.input for it in memory.engine.log.read() if it.tool] == ["a", "b"]
        assert (tmp_path / "spool" / "damaged" / "records").read_bytes() == deep[12:] + b"\n"


def test_a_record_of_many_levels_is_kept_as_it_is(tmp_path: Path):
    with Memory.open(tmp_path, env=FakeEnv()) as memory:
        (tmp_path / "spool").mkdir(exist_ok=True)
        (tmp_path / "spool" / CURRENT).write_bytes(record("[" * 400 + "]" * 400))

        assert memory.parts.background.drain_spool().records == 1
        assert len(memory.engine.log.read()) == 1


# ---- for how long


def captured_in(folder: Path, enough: Callable[[], bool], taken: list[Captured], wait_seconds: float = 0.0) -> Drained:
    return drain(folder, FakeEnv(), lambda some, _: taken.extend(some), dict, enough, wait_seconds=wait_seconds)


def test_who_cannot_wait_leaves_it_to_the_one_who_drains(tmp_path: Path):
    append(str(tmp_path), record('"a"')[12:])
    taken: list[Captured] = []
    other = FakeEnv().files.lock(tmp_path / "drain.lock")
    assert other.acquire(0)

    assert captured_in(tmp_path, lambda: False, taken).records == 0
    started = time.monotonic()
    assert captured_in(tmp_path, lambda: False, taken, wait_seconds=0.5).records == 0
    assert time.monotonic() - started >= 0.5

    other.release()
    assert captured_in(tmp_path, lambda: False, taken).records == 1


def test_a_writer_that_was_suspended_keeps_nothing_back_and_its_file_stays(tmp_path: Path):
    append(str(tmp_path), record('"a"')[12:])
    taken: list[Captured] = []
    suspended = FakeEnv().files.lock(tmp_path / "lock")
    assert suspended.acquire(0)
    append(str(tmp_path), record('"b"')[12:])  # waits in vain, and writes a file of its own

    assert captured_in(tmp_path, lambda: False, taken, wait_seconds=0.1).records == 2
    assert has_waiting(tmp_path, FakeEnv()), "the suspended one may go on writing to it"

    suspended.release()
    captured_in(tmp_path, lambda: False, taken)
    assert not has_waiting(tmp_path, FakeEnv())


def test_when_it_is_enough_the_next_file_is_not_even_read(tmp_path: Path):
    (tmp_path / "drain-00000001").write_bytes(record('"a"'))
    (tmp_path / "drain-00000002").write_bytes(b"damaged")
    (tmp_path / "drain-00000003").write_bytes(record('"b"'))
    taken: list[Captured] = []

    assert captured_in(tmp_path, lambda: bool(taken), taken) == Drained(records=1)
    assert not (tmp_path / "damaged").exists()
    assert has_waiting(tmp_path, FakeEnv())

    assert captured_in(tmp_path, lambda: False, taken).records == 1
    assert (tmp_path / "damaged" / "drain-00000002").exists()


def chunks_of(folder: Path, sizes: list[int], enough: Callable[[], bool] = lambda: False) -> list[int]:
    """How many records of these sizes were stored at a time."""
    folder.mkdir(exist_ok=True)
    whole = [record(f'"{"x" * (size - len(record(chr(34) * 2)) + 12)}"') for size in sizes]
    assert [len(one) - 12 for one in whole] == sizes
    (folder / CURRENT).write_bytes(b"".join(whole))
    stored: list[int] = []
    drain(folder, FakeEnv(), lambda some, _: stored.append(len(some)), dict, lambda: bool(stored) and enough())
    return stored


def test_one_chunk_is_a_thousand_records_or_fewer_that_are_long(tmp_path: Path):
    third = CHUNK_BYTES // 3
    assert chunks_of(tmp_path, [1_330] * 2_500) == [1000, 1000, 500], "what hooks usually leave"
    assert chunks_of(tmp_path, [third] * 7) == [3, 3, 1]
    assert chunks_of(tmp_path, [200, 2 * CHUNK_BYTES, 200, 200]) == [1, 1, 2], "one is always taken, however long"


def test_between_long_records_it_is_asked_whether_that_is_enough(tmp_path: Path):
    assert chunks_of(tmp_path, [CHUNK_BYTES] * 3, enough=lambda: True) == [1]


# ---- what is not ours

STRANGE = [
    "drain-xx", "drain-", "drain-1-", "drain-1-copy", "drain-00000001-0a1b2c3d4e5f.bak", "drain-٣", "drain-" + "9" * 40,
    "own-", "own-notes.txt", "own-7-0A1B2C3D4E5F", ".own-7-0a1b2c3d4e5f", "current~", "README",
]  # fmt: skip
OURS = ["current", "drain-00000001", "drain-00000002-0a1b2c3d4e5f", "own-7-0a1b2c3d4e5f"]


@pytest.mark.parametrize("name", STRANGE)
def test_a_strangers_file_is_left_alone(tmp_path: Path, name: str):
    spool = tmp_path / "spool"
    spool.mkdir()
    (spool / name).write_bytes(b"mine")
    with Memory.open(tmp_path, env=FakeEnv()) as memory:
        assert not has_waiting(spool, memory.env)
        append(str(spool), record('"a"')[12:])
        assert has_waiting(spool, memory.env)

        assert memory.parts.background.drain_spool().records == 1

        assert (spool / name).read_bytes() == b"mine"
        assert status_of(memory).spool_bytes == 0
        assert not has_waiting(spool, memory.env)


@pytest.mark.parametrize("name", OURS)
def test_a_folder_with_a_name_of_ours_is_left_alone_and_nothing_is_refused(tmp_path: Path, name: str):
    spool = tmp_path / "spool"
    (spool / name).mkdir(parents=True)
    (spool / name / "diary").write_text("mine")
    with Memory.open(tmp_path, env=FakeEnv()) as memory:
        append(str(spool), record('"a"')[12:])
        append(str(spool), record('"b"')[12:])

        assert memory.parts.background.drain_spool().records == 2

        assert (spool / name / "diary").read_text() == "mine"
        assert status_of(memory).spool_bytes == 0


@pytest.mark.parametrize("name", OURS)
def test_what_is_ours_is_taken_in(tmp_path: Path, name: str):
    spool = tmp_path / "spool"
    spool.mkdir()
    (spool / name).write_bytes(record('"a"'))
    with Memory.open(tmp_path, env=FakeEnv(), catch_up=False) as memory:
        assert memory.parts.background.drain_spool().records == 1
        assert not (spool / name).exists()


def test_files_are_read_in_the_order_of_their_numbers(tmp_path: Path):
    spool = tmp_path / "spool"
    spool.mkdir()
    for number in (9, 100_000_000, 99_999_999):
        (spool / f"drain-{number:08d}").write_bytes(record(str(number)))
    append(str(spool), record("0")[12:])

    with Memory.open(tmp_path, env=FakeEnv(), catch_up=False) as memory:
        memory.parts.background.drain_spool()

        assert [o.tool.input for o in memory.engine.log.read() if o.tool] == [9, 99_999_999, 100_000_000, 0]


# ---- records


@pytest.mark.parametrize(
    "payload",
    [
        b'{"a": -0, "b": 18446744073709551616, "c": -0.0, "d": 1e22, "a": 2}',
        b'"\\ud83d\\ude00"',
        b'"\\ud83d"',
        b'"\\ude00\\ud83d"',
        b'"\xed\xa0\xbd\xed\xb8\x80"',
        b'{"a": NaN, "b": 1e400}',
        b'"nul \\u0000"',
        b"[" * 400 + b"]" * 400,
    ],
)
def test_the_fast_parser_reads_what_the_other_one_reads(payload: bytes):
    assert repr(fast_parse()(payload)) == repr(parse(payload))


@pytest.mark.parametrize("payload", [b"", b"{", b'"\xff"', b'"a\x01b"', b'{"a":1}x', b"\xef\xbb\xbf{}", b"01"])
def test_the_fast_parser_refuses_what_the_other_one_refuses(payload: bytes):
    with pytest.raises(ValueError):
        parse(payload)
    with pytest.raises(ValueError):
        fast_parse()(payload)
