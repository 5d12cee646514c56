"""What status, doctor and search say of a Reverie that is not well, and that they say nothing of one that is."""

import json
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from reverie.daemon.heartbeat import read_pulse
from reverie.env.real import RealEnv
from reverie.foundation.workspace import LOG_BYTES, Workspace
from reverie.hook.spool import count_loss
from support.client import REVERIE, Place, Ran, fresh_place, steward, wait_until

# A search takes a third of a second, and one that waits for a sign two more. It used to be 30.
IN_TIME_SECONDS = 60.0
AS_ANYBODY = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search,-fowner"] if os.geteuid() == 0 else []


@pytest.fixture
def place() -> Iterator[Place]:
    with fresh_place() as found:
        yield found


def doctor(place: Place, *words: str) -> dict[str, tuple[bool, str]]:
    """What it found, by name; its exit code says the same."""
    ran = place.run(REVERIE, "doctor", *words, "--json")
    found = {it["name"]: (it["is_fine"], it["detail"]) for it in json.loads(ran.out)}
    assert ran.code == (0 if all(is_fine for is_fine, _ in found.values()) else 1)
    return found


def timed_search(place: Place, words: str) -> Ran:
    began = time.monotonic()
    ran = place.run(REVERIE, "search", words)
    assert time.monotonic() - began < IN_TIME_SECONDS
    return ran


# ---- a steward that does not move


def test_a_hung_steward_is_named_and_nobody_waits_for_it(place: Place) -> None:
    place.reverie("note", "Staging runs Postgres 14.")
    with steward(place) as pid:
        assert "Postgres 14" in place.reverie("search", "postgres"), "without a word on standard error"
        assert doctor(place)["steward"][0]
        os.kill(pid, signal.SIGSTOP)

        at_once = timed_search(place, "postgres")
        assert "Postgres 14" in at_once.out
        assert at_once.err.count("\n") == 1
        assert "by words alone" in at_once.err

        wait_until(lambda: is_hung(place), "its sign of life is old", 30.0)
        place.hook("PostToolUse", tool_name="Bash", tool_use_id="t1", tool_response={"stdout": "3 passed"})
        later = timed_search(place, "postgres")
        assert "Postgres 14" in later.out
        assert f"(process {pid}) has made no progress for" in later.err
        status = place.reverie("status")
        assert f"warning    process {pid} holds steward.lock but has made no progress for" in status
        found = doctor(place)
        assert "has made no progress for" in found["steward"][1]
        assert not found["steward"][0]
        assert found["spool"][1].endswith("bytes are waiting in the spool, and the steward does not take them in")
        assert not found["spool"][0]
    # The end of the block said `down`, which wakes it up to stop it; and nothing is lost.
    assert "3 passed" in place.reverie("log")


def is_hung(place: Place) -> bool:
    env = RealEnv()
    pulse = read_pulse(Workspace(place.workspace).pulse, env)
    return pulse is not None and pulse.is_hung(env.monotonic())


def test_what_waits_too_long_beside_a_steward_is_bad_news(place: Place) -> None:
    with steward(place) as pid:
        os.kill(pid, signal.SIGSTOP)
        place.hook("PostToolUse", tool_name="Bash", tool_use_id="t1", tool_response={"stdout": "3 passed"})
        assert doctor(place)["spool"][0], "it has only just come"
        lock = place.workspace / "steward.lock"
        told = json.loads(lock.read_bytes())
        before = json.dumps({**told, "since_ms": told["since_ms"] - 600_000}).encode()
        current = place.workspace / "spool" / "current"
        at_ms = int(current.read_bytes().partition(b'"at":')[2][:13])
        old = current.read_bytes().replace(str(at_ms).encode(), str(at_ms - 300_000).encode())
        with lock.open("r+b") as file:  # in place: it is locked
            file.write(before)
        current.write_bytes(old)

        is_fine, said = doctor(place)["spool"]

        assert not is_fine
        assert f"{len(old):,} bytes are waiting in the spool, the oldest for 5 min, although a steward runs" in said
        assert said in place.reverie("status")
        with lock.open("r+b") as file:
            file.write(json.dumps(told).encode())


# ---- a damaged record


def test_a_steward_whose_record_is_damaged_says_so_and_searches_do_not_hang(place: Place) -> None:
    place.reverie("status")
    with place.memory() as memory:
        for number in range(60):
            memory.note(f"The zanzibar lamp number {number} hangs in room {number}. " + "It glows. " * 80)
    with steward(place):
        wait_until(lambda: not place.reverie_json("status")["unsorted_observations"], "everything is sorted")
    with place.memory() as memory:
        memory.engine.database.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        page = memory.engine.database.value("PRAGMA page_size")
    database = place.workspace / "reverie.db"
    data = bytearray(database.read_bytes())
    marked = [at for at in range(page, len(data), page) if b"zanzibar lamp" in data[at : at + page]]
    for at in marked[1::6]:  # some of each table that holds the texts
        data[at] = 0xFF
    database.write_bytes(data)

    pid = place.reverie_json("up", "--detach")["pid"]
    timed_search(place, "zanzibar")
    timed_search(place, "zanzibar")

    said = wait_until(lambda: bad_steward(place), "the steward has noticed")
    assert f"(process {pid}) cannot" in said
    assert "doctor --repair" in said
    os.kill(pid, 0)  # it goes on
    place.reverie("down")
    place.run(REVERIE, "doctor", "--repair")
    with steward(place):
        assert doctor(place)["steward"][0]


def bad_steward(place: Place) -> str:
    """What is wrong with it."""
    is_fine, said = doctor(place)["steward"]
    return "" if is_fine else said


# ---- what hooks could not keep


def test_a_loss_is_bad_news_until_an_event_has_come_in_and_then_a_memory(place: Place) -> None:
    place.hook("UserPromptSubmit", prompt="hello", prompt_id="p1")
    place.reverie("status")
    for _ in range(3):
        count_loss(str(place.workspace / "spool"), RealEnv().now_ms())

    is_fine, said = doctor(place)["hook errors"]
    assert (is_fine, said) == (False, "3 events could not be kept because the disk was full; free some space")
    assert f"warning    {said}" in place.reverie("status")

    place.hook("UserPromptSubmit", prompt="hello again", prompt_id="p2")
    status = place.reverie("status")
    assert "warning" not in status
    assert "past       3 events could not be kept until" in status
    is_fine, said = doctor(place)["hook errors"]
    assert (is_fine, "events have come in since" in said) == (True, True)
    assert place.reverie_json("status")["lost_events"] == 3


def test_failures_of_hooks_are_bad_news_until_an_event_has_come_in(place: Place) -> None:
    place.hook("UserPromptSubmit", prompt="hello", prompt_id="p1")
    place.reverie("status")
    now = RealEnv().now_ms()
    (place.workspace / "hook-errors.log").write_text(f"{now} 'Stop' PermissionError Permission denied x\n")

    assert not doctor(place)["hook errors"][0]
    assert "warning    1 failures in hook-errors.log; last:" in place.reverie("status")

    place.hook("UserPromptSubmit", prompt="hello again", prompt_id="p2")
    assert "warning" not in place.reverie("status")
    assert doctor(place)["hook errors"][0]


@pytest.mark.skipif(bool(AS_ANYBODY) and not shutil.which("setpriv"), reason="root, and no setpriv")
def test_a_spool_that_cannot_be_written_to_is_bad_news_and_can_be_repaired(place: Place) -> None:
    place.hook("UserPromptSubmit", prompt="hello", prompt_id="p1")
    place.reverie("status")
    (place.workspace / "spool").chmod(0o500)

    looked = place.run(*AS_ANYBODY, REVERIE, "doctor")
    assert looked.code == 1
    assert f"BAD  spool        you have no permission to write to {place.workspace / 'spool'}" in looked.out
    assert "chmod u+rwX" in place.run(*AS_ANYBODY, REVERIE, "status").out

    repaired = place.run(*AS_ANYBODY, REVERIE, "doctor", "--repair")
    assert "ok   spool" in repaired.out
    assert (place.workspace / "spool").stat().st_mode & 0o777 == 0o700


# ---- hooks that are switched off


@pytest.mark.parametrize("where", ["user", "project"])
def test_hooks_that_are_switched_off_are_bad_news_for_everybody(place: Place, where: str) -> None:
    switch = place.settings if where == "user" else place.project / ".claude" / "settings.json"
    switch.parent.mkdir(parents=True)
    switch.write_text('{"disableAllHooks": true}')

    said = place.reverie("install", "claude-code")
    assert "reports to" not in said
    assert f"{switch} switches all hooks off" in said
    is_fine, detail = doctor(place)["hooks"]
    assert not is_fine
    assert f"disableAllHooks is set in {switch}" in detail
    assert f"hooks      off in {place.settings}" in place.reverie("status")

    near = place.project / ".claude" / "settings.local.json"
    near.parent.mkdir(parents=True, exist_ok=True)
    near.write_text('{"disableAllHooks": false}')
    assert doctor(place)["hooks"][0], "the nearest file counts"
    assert "reports to" in place.reverie("install", "claude-code")


def test_hooks_of_a_project_are_refreshed_by_a_steward_in_the_background(place: Place) -> None:
    place.reverie("install", "claude-code", "--project")
    path = place.project / ".claude" / "settings.local.json"
    current = path.read_text()
    path.write_text(current.replace(" -I -S ", " -I "))

    with_detach = place.reverie("up", "--detach")
    place.reverie("down")

    assert f"refreshed outdated hooks in {path}" in with_detach
    assert path.read_text() == current


# ---- logs


def test_the_stewards_log_has_whole_lines_and_does_not_grow_for_ever(place: Place) -> None:
    log = place.workspace / "steward.log"
    line = "was left unanswered: it asks for nothing known\n"
    with steward(place):
        assert f"`{REVERIE} install" in log.read_text() or "`reverie install" in log.read_text()
        send(place, b"{}")
        wait_until(lambda: line in log.read_text(), "the whole line")
        with log.open("a") as file:
            file.write("." * LOG_BYTES)
        send(place, b"{}")
        old = place.workspace / "steward.log.1"
        wait_until(old.exists, "the long one is set aside")
        send(place, b"{}")
        wait_until(lambda: line in log.read_text(), "it goes on in a new one")

        assert old.read_text().count(line) == 2
        assert log.stat().st_size < 1000
        assert log.stat().st_mode & 0o777 == 0o600


def send(place: Place, request: bytes) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.connect(str(place.workspace / "steward.sock"))
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(1) == b""


def test_the_hint_of_a_log_file_can_be_followed_from_anywhere(place: Place) -> None:
    variables = {**place.variables, "PATH": "/usr/bin:/bin"}
    process = subprocess.Popen(
        [str(REVERIE), "up", "--plain"], cwd="/", env=variables, text=True, stdout=subprocess.PIPE
    )
    place.started.append(process)
    assert process.stdout
    assert f"`{REVERIE} install claude-code`" in process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)


def test_the_hooks_log_is_set_aside_when_it_is_long_and_still_counts(place: Place) -> None:
    place.reverie("note", "x")
    log = place.workspace / "hook-errors.log"
    line = f"{RealEnv().now_ms()} 'Stop' OSError {'x' * 80}\n"
    log.write_text(line * (LOG_BYTES // len(line) + 1))
    count = len(log.read_text().splitlines())
    with log.open("a") as hook:  # one that has opened it already
        place.reverie("status")
        assert not log.exists()
        hook.write(line)
    log.write_text(line)

    assert place.reverie_json("status")["hook_errors"] == count + 2


# ---- what is counted and named


def test_what_search_finds_is_counted_although_no_steward_ever_ran(place: Place) -> None:
    place.reverie("note", "Staging runs Postgres 14.")
    status = place.reverie_json("status")
    assert (status["memories"], status["unsorted_observations"], status["unsorted_learnings"]) == ({}, 1, 1)
    assert "memories   1 observation and 1 learning that `search` finds" in place.reverie("status")

    with steward(place):
        wait_until(lambda: not place.reverie_json("status")["unsorted_learnings"], "a steward sorts them")
    assert place.reverie_json("status")["memories"] == {"episodic": 1, "semantic": 1}


def test_actions_name_their_project_where_there_are_several(place: Place) -> None:
    place.reverie("note", "Remind me to rotate the staging keys on Friday.")
    assert str(place.project) not in place.reverie("actions")

    other = Path(place.home, "garden")
    (other / ".git").mkdir(parents=True)
    place.reverie("note", "Remind me to water the plants tomorrow.", cwd=other)

    lines = place.reverie("actions").splitlines()
    assert sorted(line.rpartition("  in ")[2] for line in lines) == sorted([str(place.project), str(other)])
