"""A store serves many users, and the steward works for each of them alike."""

import threading
from pathlib import Path

import pytest

from reverie.daemon.heartbeat import Heartbeat
from reverie.daemon.index_worker import IndexWorker, everybody
from reverie.errors import StoreBusy
from reverie.memory import Memory
from reverie.models.prices import nanodollars
from reverie.ports import HttpRequest, HttpResponse
from reverie.records import Filters
from reverie.records.conversation_values import SegmentState
from reverie.scheduler import COLLAPSE, MAINTENANCE, due
from reverie.settings import ModelSettings, Settings
from reverie.testing import FakeEnv, ScriptedConverser

DAY = 86_400
MODEL = ModelSettings(provider="anthropic", daily_dollars=1.0, session_dollars=1.0, key_variable="KEY")


class Answering(FakeEnv):
    """An environment whose model server always has the same answer."""

    def __init__(self) -> None:
        super().__init__(variables={"KEY": "-".join(["sk", "test", "0123456789abcdef"])})
        self.asked: list[HttpRequest] = []

    def http(self, request: HttpRequest) -> HttpResponse:
        self.asked.append(request)
        body = (
            b'{"model": "m", "content": [{"type": "text", "text": "FACT [o1] (0.9): The crane is serviced in May"}], '
            b'"stop_reason": "end_turn", "usage": {"input_tokens": 900, "output_tokens": 40}}'
        )
        return HttpResponse(200, {}, body)


def live(memory: Memory) -> None:
    """What a person does on one day."""
    memory.observe("I prefer tabs over spaces.", session="work")
    for number in range(8):
        memory.observe(f"Step {number}: the harbour office answers mails about tide {number}. " * 4, session="work")
    memory.commit()
    memory.continuum(converser=ScriptedConverser("Good morning.")).send("The crane of the harbour squeaks.")
    memory.parts.background.distil()


def test_after_a_month_the_steward_has_done_for_each_user_what_it_does_for_one(tmp_path: Path) -> None:
    env = Answering()
    with Memory.open(tmp_path / "home", env=env, settings=Settings(model=MODEL)) as memory:
        for user in ("local", "ana"):
            live(memory.of(user))
        steward = IndexWorker(
            threading.Event(), threading.Event(), Heartbeat(tmp_path / "pulse", env, 1), lambda _: None
        )
        while steward._work(memory):
            pass
        env.pass_time(30 * DAY)
        while steward._work(memory):
            pass
        for one in everybody(memory):
            while one.parts.background.ask_model():
                pass

        done = {one.engine.user: what_was_done(one) for one in everybody(memory)}
        assert list(done) == ["local", "ana"]
        assert done["ana"] == done["local"]
        assert all(done["ana"].values()), done["ana"]


def index_worker(tmp_path: Path, env: FakeEnv) -> IndexWorker:
    return IndexWorker(threading.Event(), threading.Event(), Heartbeat(tmp_path / "pulse", env, 1), lambda _: None)


def test_an_idle_steward_leaves_many_users_alone_until_somebody_writes(tmp_path: Path) -> None:
    env = FakeEnv()
    with Memory.open(tmp_path / "home", env=env) as memory, Memory.open(tmp_path / "home", env=env) as elsewhere:
        for number in range(40):
            memory.of(f"user-{number}").note("The harbour is blue")
        worker, asked = index_worker(tmp_path, env), []
        while worker._work(memory):
            pass
        worker._work(memory)  # its own writes are seen once more
        connection = memory.engine.database.connection  # type: ignore[attr-defined]
        connection.exec_trace = lambda _, statement, __: asked.append(statement) or True

        worker._work(memory)
        assert len(asked) < 5

        connection.exec_trace = None

        elsewhere.of("user-7").note("The crane is red")
        while worker._work(memory):
            pass
        assert len(memory.of("user-7").engine.items.select(Filters())) == 2


def test_a_user_whose_rows_cannot_be_written_does_not_keep_the_others_from_being_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = FakeEnv()
    with Memory.open(tmp_path / "home", env=env) as memory:
        for user in ("ana", "ben"):
            memory.of(user).note("The harbour is blue")
        worker, work = index_worker(tmp_path, env), IndexWorker._work_for

        def failing(self: IndexWorker, one: Memory) -> bool:
            if one.engine.user == "ana":
                raise StoreBusy("somebody keeps us out")
            return work(self, one)

        monkeypatch.setattr(IndexWorker, "_work_for", failing)
        for _ in range(5):
            with pytest.raises(StoreBusy):
                worker._work(memory)

        embedder = memory.parts.index.embedder()
        assert embedder
        assert memory.of("ben").engine.items.count_vectors(embedder.name) == (1, 1)


def what_was_done(memory: Memory) -> dict[str, bool]:
    items = memory.engine.items
    embedder = memory.parts.index.embedder()
    assert embedder
    have, total = items.count_vectors(embedder.name)
    return {
        "preferences are told": "tabs over spaces" in memory.parts.session_context.preview(),
        "segments are collapsed": all(
            one.state is SegmentState.COLLAPSED for one in memory.engine.conversations.all_segments()
        ),
        "items are embedded": 0 < have == total,
        "episodes are compacted": bool(memory.maintenance.summary("work")),
        "the model was asked": "The crane is serviced in May" in [it.text for it in memory.engine.learnings.all()],
        "nothing is due": due(memory.engine, memory.env.now_ms()) == [],
    }


def test_all_users_together_spend_no_more_than_the_ceiling_of_the_day(tmp_path: Path) -> None:
    with Memory.open(tmp_path, env=FakeEnv()) as memory:
        ceiling = nanodollars(1.0)
        kept = [
            memory.of(user).engine.spend.reserve(f"r-{user}", "2026-09-21", "s", ceiling // 2, ceiling, ceiling)
            for user in ("local", "ana", "ben")
        ]

    assert kept == [True, True, False]


def test_what_was_last_done_is_known_after_a_restart_and_for_each_user(tmp_path: Path) -> None:
    env = FakeEnv()
    with Memory.open(tmp_path, env=env) as memory:
        assert due(memory.engine, env.now_ms()) == [], "a new store has nothing to tidy up"
    env.pass_time(6 * 60)
    with Memory.open(tmp_path, env=env) as memory:
        assert due(memory.engine, env.now_ms()) == [COLLAPSE]
        memory.engine.set_last_run(COLLAPSE.name, env.now_ms())
        assert due(memory.of("ana").engine, env.now_ms()) == []
        assert due(memory.engine, env.now_ms() + 5 * 60_000) == [COLLAPSE, MAINTENANCE]
        assert due(memory.engine, env.now_ms() - DAY * 1000) == [COLLAPSE, MAINTENANCE], "the clock was set back"
