"""Each session's events come in the order in which its hooks wrote them, whichever file each of them went to."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from reverie.capture.drain import drain, has_waiting
from reverie.env.real import RealEnv
from reverie.hook import spool
from reverie.hook.spool import CURRENT, append, frame
from reverie.records import Captured

DAY_MS = 86_400_000
NOW_MS = 1_790_000_000_000
HERE = spool.boot_id()


def payload(text: str, mono: int, *, session: str = "s1", at: int = NOW_MS, boot: str | None = HERE) -> bytes:
    """A record as a hook writes it; without `boot` as an older one did."""
    record: dict[str, object] = {"event": "UserPromptSubmit", "at": at, "mono": mono}
    record |= {"boot": boot} if boot is not None else {}
    record["payload"] = {"session_id": session, "prompt": text}
    return json.dumps(record, separators=(",", ":")).encode()


class Spool:
    """A spool folder, and what a store was given of it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.env = folder, RealEnv()
        self.taken: list[Captured] = []
        self.progress: dict[str, int] = {}
        self._number = 0

    def shared(self, number: int, *payloads: bytes) -> None:
        name = f"drain-{number:08d}-{number:012x}" if number else CURRENT
        (self.folder / name).write_bytes(b"".join(map(frame, payloads)))

    def own(self, one: bytes) -> None:
        self._number += 1
        # Names in the opposite order of the events: a drain that goes by them would be wrong.
        (self.folder / f"own-{9_999 - self._number}-{'0a1b2c3d4e5f'}").write_bytes(frame(one))

    def drain(self) -> list[str]:
        """Everything that was taken in so far, in order."""

        def store(captures: Sequence[Captured], progress: Mapping[str, int]) -> None:
            self.taken.extend(captures)
            self.progress = dict(progress)

        drain(self.folder, self.env, store, lambda: dict(self.progress), wait_seconds=0.0)
        return [captured.text for captured in self.taken]


@pytest.fixture
def waiting(tmp_path: Path) -> Spool:
    return Spool(tmp_path)


# ---- a process that is stopped while it holds the lock


def test_events_behind_a_stopped_lock_holder_come_after_those_before_it(waiting: Spool) -> None:
    append(str(waiting.folder), payload("E1", 1))
    append(str(waiting.folder), payload("E2", 2))
    stopped = waiting.env.files.lock(waiting.folder / "lock")
    assert stopped.acquire(0)
    append(str(waiting.folder), payload("E3", 3))

    assert waiting.drain() == ["E1", "E2", "E3"]

    append(str(waiting.folder), payload("E4", 4))
    assert waiting.drain() == ["E1", "E2", "E3", "E4"]
    stopped.release()
    append(str(waiting.folder), payload("E5", 5))
    assert waiting.drain() == ["E1", "E2", "E3", "E4", "E5"]
    assert not has_waiting(waiting.folder, waiting.env)


def test_what_a_stopped_writer_writes_when_it_goes_on_is_not_lost(waiting: Spool) -> None:
    """It has the file open, which is renamed under its hands."""
    append(str(waiting.folder), payload("E1", 1))
    stopped = waiting.env.files.lock(waiting.folder / "lock")
    assert stopped.acquire(0)
    whole = frame(payload("E2", 2))
    with (waiting.folder / CURRENT).open("ab", buffering=0) as file:
        assert waiting.drain() == ["E1"]
        file.write(whole[:40])
        append(str(waiting.folder), payload("E3", 3))
        assert waiting.drain() == ["E1", "E3"], "half a record is not damage while somebody may be writing it"
        assert not (waiting.folder / "damaged").exists()
        file.write(whole[40:])
    stopped.release()

    assert waiting.drain() == ["E1", "E3", "E2"], "it was acknowledged after E3"
    assert not has_waiting(waiting.folder, waiting.env)


def test_a_lock_holder_stopped_twice_costs_no_record(waiting: Spool) -> None:
    for number in (1, 4):
        append(str(waiting.folder), payload(f"E{number}", number))
        stopped = waiting.env.files.lock(waiting.folder / "lock")
        assert stopped.acquire(0)
        append(str(waiting.folder), payload(f"E{number + 1}", number + 1))
        waiting.drain()
        append(str(waiting.folder), payload(f"E{number + 2}", number + 2))
        stopped.release()

    assert waiting.drain() == ["E1", "E2", "E3", "E4", "E5", "E6"]
    assert not has_waiting(waiting.folder, waiting.env)


# ---- own files, among all the others


def test_an_own_file_is_merged_with_every_file_that_waits(waiting: Spool) -> None:
    waiting.shared(1, payload("E1", 1), payload("E3", 3))
    waiting.own(payload("E2", 2))
    waiting.shared(2, payload("E4", 4))

    assert waiting.drain() == ["E1", "E2", "E3", "E4"]
    assert not has_waiting(waiting.folder, waiting.env)


def test_own_files_alone_come_in_their_order(waiting: Spool) -> None:
    for number in range(1, 30):
        waiting.own(payload(f"E{number}", number))

    assert waiting.drain() == [f"E{number}" for number in range(1, 30)]


def test_a_hook_that_was_stopped_before_it_took_the_lock_is_put_where_it_belongs(waiting: Spool) -> None:
    waiting.shared(0, payload("E2", 20), payload("E3", 30), payload("x", 35, session="s2"), payload("E1", 10))

    assert waiting.drain() == ["E1", "E2", "x", "E3"], "the other session keeps its place"


@pytest.mark.parametrize(
    "clock", [[0, -30 * DAY_MS, -30 * DAY_MS, 3650 * DAY_MS], [0, 0, 0, 0]], ids=["jumps", "frozen"]
)
def test_the_wall_clock_does_not_matter(waiting: Spool, clock: list[int]) -> None:
    at = [NOW_MS + shift for shift in clock]
    waiting.shared(1, payload("E1", 1, at=at[0]), payload("E3", 3, at=at[2]))
    waiting.own(payload("E2", 2, at=at[1]))
    waiting.own(payload("E4", 4, at=at[3]))

    assert waiting.drain() == ["E1", "E2", "E3", "E4"]


def test_negative_control_by_files_or_by_the_wall_clock_it_would_be_another_order(waiting: Spool) -> None:
    records = [("E1", 0, NOW_MS), ("E3", 0, NOW_MS - DAY_MS), ("E2", 1, NOW_MS - 2 * DAY_MS), ("E4", 0, NOW_MS)]

    assert [name for name, _, _ in sorted(records, key=lambda it: it[1])] == ["E1", "E3", "E4", "E2"]
    assert [name for name, _, _ in sorted(records, key=lambda it: it[2])] == ["E2", "E3", "E1", "E4"]


# ---- a machine that was started again: its monotonic clock begins anew


@pytest.mark.parametrize("shift", [DAY_MS, -DAY_MS], ids=["later", "earlier"])
def test_a_session_that_goes_on_after_a_restart(waiting: Spool, shift: int) -> None:
    """Also where the battery of the clock is dead."""
    waiting.shared(1, payload("E1", 9_000, boot="before"), payload("E2", 9_001, boot="before"))
    waiting.shared(2, payload("E5", 5, at=NOW_MS + shift), payload("E7", 7, at=NOW_MS + shift))
    waiting.own(payload("E3", 9_002, boot="before"))
    waiting.own(payload("E4", 9_003, boot="before"))
    waiting.own(payload("E6", 6, at=NOW_MS + shift))

    assert waiting.drain() == [f"E{number}" for number in range(1, 8)]


def test_two_restarts_go_by_the_wall_clock_where_nothing_else_tells(waiting: Spool) -> None:
    waiting.shared(1, payload("E1", 900, boot="first"), payload("E3", 3, boot="third", at=NOW_MS + 2))
    waiting.own(payload("E2", 5_000, boot="second", at=NOW_MS + 1))

    assert waiting.drain() == ["E1", "E2", "E3"]


def test_two_machines_that_share_a_spool_do_not_disturb_each_other(waiting: Spool) -> None:
    there = [payload(f"T{number}", 100 * number, session="there", boot="there") for number in (1, 2, 4)]
    waiting.shared(1, payload("E1", 10), there[0], payload("E2", 20), there[1], payload("E4", 40), there[2])
    waiting.own(payload("E3", 30))
    waiting.own(payload("T3", 300, session="there", boot="there"))

    found = waiting.drain()

    assert [text for text in found if text[0] == "E"] == ["E1", "E2", "E3", "E4"]
    assert [text for text in found if text[0] == "T"] == ["T1", "T2", "T3", "T4"]


# ---- what an older version left


def test_records_of_an_older_version_come_first_and_in_their_order(waiting: Spool) -> None:
    waiting.shared(1, payload("E1", 1_000, boot=None), payload("E3", 1_002, boot=None))
    waiting.own(payload("E2", 1_001, boot=None))
    waiting.own(payload("E4", 1_003, boot=None))
    waiting.shared(2, payload("E5", 1_004), payload("E7", 1_006))
    waiting.own(payload("E6", 1_005))

    assert waiting.drain() == [f"E{number}" for number in range(1, 8)]


def test_records_without_any_stamp_stay_where_they_are(waiting: Spool) -> None:
    fields = {"session_id": "s1"}
    bare = [
        json.dumps({"event": "UserPromptSubmit", "at": 1, "payload": fields | {"prompt": text}}).encode()
        for text in ("a", "b", "c")
    ]
    waiting.shared(1, *bare)

    assert waiting.drain() == ["a", "b", "c"]


# ---- and each of them once


def test_a_drain_that_is_ended_after_any_chunk_goes_on_there(waiting: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reverie.capture.drain.CHUNK_BYTES", 300)  # two records
    monkeypatch.setattr(waiting.env.files, "remove", lambda _path: None)
    waiting.shared(1, *[payload(f"E{number}", number) for number in (1, 3, 2, 6, 8)])
    waiting.shared(2, *[payload(f"E{number}", number) for number in (9, 11)])
    for number in (4, 5, 7, 10, 12):
        waiting.own(payload(f"E{number}", number))

    def once(captures: Sequence[Captured], progress: Mapping[str, int]) -> None:
        waiting.taken.extend(captures)
        waiting.progress = dict(progress)
        raise KeyboardInterrupt  # committed; and whoever drained is gone

    for _ in range(30):
        try:
            drain(waiting.folder, waiting.env, once, lambda: dict(waiting.progress), wait_seconds=0.0)
        except KeyboardInterrupt:
            continue
        break

    assert sorted(it.text for it in waiting.taken) == sorted(f"E{number}" for number in range(1, 13))
