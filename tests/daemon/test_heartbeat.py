"""A steward's sign of life: what another process can tell from it."""

from pathlib import Path

from reverie.daemon.heartbeat import HUNG_SECONDS, PATIENCE_SECONDS, Heartbeat, read_pulse
from reverie.testing import FakeEnv


def troubles(path: Path, env: FakeEnv) -> list[str]:
    pulse = read_pulse(path, env)
    assert pulse
    return list(pulse.troubles(env.monotonic()))


def test_a_steward_that_moves_has_no_troubles(tmp_path: Path, env: FakeEnv) -> None:
    heart = Heartbeat(tmp_path / "pulse", env, 7)
    for _ in range(100):
        heart.beat("work")
        env.pass_time(0.25)

        assert troubles(tmp_path / "pulse", env) == []


def test_one_that_has_stopped_is_named_with_the_way_out(tmp_path: Path, env: FakeEnv) -> None:
    heart = Heartbeat(tmp_path / "pulse", env, 7)
    heart.beat("work")
    heart.beat("memory", "loading its index", 600)
    env.pass_time(HUNG_SECONDS + 15)

    (said,) = troubles(tmp_path / "pulse", env)
    assert "process 7 holds steward.lock but has made no progress for 25 s; `reverie down`" in said


def test_a_machine_that_slept_finds_no_hung_steward(tmp_path: Path, env: FakeEnv) -> None:
    Heartbeat(tmp_path / "pulse", env, 7).beat("work")
    env.jump_clock(8 * 3600)

    assert troubles(tmp_path / "pulse", env) == []


def test_one_thread_that_stands_still_is_told_apart_from_one_that_does_something_long(
    tmp_path: Path, env: FakeEnv
) -> None:
    heart = Heartbeat(tmp_path / "pulse", env, 7)
    heart.beat("hooks")
    heart.beat("memory", "loading its index", 600)
    env.pass_time(PATIENCE_SECONDS + 5)
    heart.beat("work")

    (said,) = troubles(tmp_path / "pulse", env)
    assert "does not answer hooks: that thread has made no progress for 65 s" in said


def test_a_failure_is_told_until_it_works_again_and_then_remembered(tmp_path: Path, env: FakeEnv) -> None:
    heart = Heartbeat(tmp_path / "pulse", env, 7)
    heart.fail("work", "no space left; free some space")
    (said,) = troubles(tmp_path / "pulse", env)
    assert "cannot take in and learn: no space left; free some space" in said

    heart.works("work")
    assert troubles(tmp_path / "pulse", env) == []
    pulse = read_pulse(tmp_path / "pulse", env)
    assert pulse
    assert pulse.last_error == "no space left; free some space"


def test_what_only_a_repair_can_mend_is_told_to_the_end(tmp_path: Path, env: FakeEnv) -> None:
    heart = Heartbeat(tmp_path / "pulse", env, 7)
    heart.fail("memory", "the record is damaged", is_final=True)
    heart.works("memory")
    heart.fail("memory", "something else")

    (said,) = troubles(tmp_path / "pulse", env)
    assert "the record is damaged" in said


def test_a_shorter_sign_leaves_nothing_of_a_longer_one(tmp_path: Path, env: FakeEnv) -> None:
    heart = Heartbeat(tmp_path / "pulse", env, 7)
    for thread in ("work", "models", "memory", "hooks"):
        heart.fail(thread, "\N{SNOWMAN}" * 10_000)
        assert read_pulse(tmp_path / "pulse", env)
    for thread in ("work", "models", "memory", "hooks"):
        heart.works(thread)
        assert read_pulse(tmp_path / "pulse", env)


def test_a_file_that_is_none_of_it_tells_nothing(tmp_path: Path, env: FakeEnv) -> None:
    path = tmp_path / "pulse"
    for content in (b"", b"{", b"[]", b'{"pid": 1}', b'{"pid": 1, "threads": {"work": {"speed": 1}}}', b"\xff\x00"):
        path.write_bytes(content)
        assert read_pulse(path, env) is None
    Heartbeat(path, env, 7).beat("work")
    assert read_pulse(path, env, pid=8) is None
    assert read_pulse(path, env, pid=7)


def test_a_sign_that_cannot_be_written_stops_nobody(tmp_path: Path, env: FakeEnv) -> None:
    heart = Heartbeat(tmp_path / "gone" / "pulse", env, 7)
    heart.beat("work")
    heart.fail("work", "x")
    heart.works("work")
    heart.stop()

    assert read_pulse(tmp_path / "gone" / "pulse", env) is None
