"""A hard forget of any message, wherever it stands: a rebuild gives what was left, to the same bytes, ids included."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from reverie.engines.sqlite.learnings import SqliteLearnings
from reverie.foundation.ids import fingerprint, ulid
from reverie.memory import Memory
from reverie.pipeline.distil_turns import Distiller
from reverie.records import Filters, Kind, Learning, Observation
from reverie.settings import PrivacySettings, Settings
from reverie.testing import FakeEnv
from support.faults_histories import what_is_derived
from support.forgetful_lives import ForgetfulLife

HISTORIES = 240
SHARES = 24
STEPS = 60


def differs(home: Path, seed: int, *, with_model: bool | None = None) -> bool:
    """Whether a life in which something was forgotten for good looks different after a rebuild, which asks no model."""
    life = ForgetfulLife(home, seed, with_model=with_model)
    life.live(STEPS)
    life.memory.maintenance.refresh_index()
    for _ in range(3):
        life.forget()
    assert life.forgotten
    before = what_is_derived(life.memory.engine, life.home)
    life.env.is_silent = True
    life.env.pass_time(1e6)
    life.memory.rebuild()
    after = what_is_derived(life.memory.engine, life.home)
    life.memory.close()
    return after != before


@pytest.mark.parametrize("share", [0, *(pytest.param(share, marks=pytest.mark.torture) for share in range(1, SHARES))])
def test_a_rebuild_after_hard_forgets_is_byte_identical(scratch, share):
    seeds = range(share, HISTORIES, SHARES)

    assert [seed for seed in seeds if differs(scratch / str(seed), seed)] == []


# ---- negative controls


def by_place(
    self: SqliteLearnings, found: Sequence[Learning], kept: Sequence[Learning | None], sources: dict[str, Observation]
) -> list[str]:
    """Ids by the place in the turn and the turn's last message, as they were before."""
    last = str(max(one.position for one in sources.values()))
    marks = [fingerprint(self._key, self._user, one.observation_id, last, str(n)) for n, one in enumerate(found)]
    return [ulid(sources[one.observation_id].occurred_ms, mark) for one, mark in zip(found, marks, strict=True)]


def test_negative_control_ids_by_place_move(scratch, monkeypatch):
    monkeypatch.setattr(SqliteLearnings, "_ids", by_place)
    monkeypatch.setattr(Distiller, "learn_again", lambda *_: None)

    assert any(differs(scratch / str(seed), seed, with_model=False) for seed in range(12))


def test_negative_control_what_is_not_learned_again_differs(scratch, monkeypatch):
    monkeypatch.setattr(Distiller, "learn_again", lambda *_: None)

    assert any(differs(scratch / str(seed), seed, with_model=False) for seed in range(12))


# ---- one turn, and what of it is forgotten

PROMPT = "We use PostgreSQL 16 in production. I prefer short functions."
CALLS = (("node --version", "v20.11.1"), ("python --version", "Python 3.12.4"), ("node --version", "v20.11.1"))


def lived(home: Path, settings: Settings | None = None) -> Memory:
    """A turn of a prompt, three calls and a reply, all distilled."""
    memory = Memory.open(home, env=FakeEnv(), settings=settings or Settings())
    memory.observe(PROMPT, session="s", kind=Kind.USER_MESSAGE, speaker="user", id="prompt")
    for command, answer in CALLS:
        memory.track_tool_invocation("Bash", {"command": command}, answer, session="s")
        memory.env.pass_time(1)
    memory.observe("All done.", session="s", kind=Kind.ASSISTANT_MESSAGE, speaker="assistant", id="reply")
    memory.commit()
    memory.parts.background.distil()
    memory.maintenance.refresh_index()
    return memory


def ids_of(memory: Memory) -> dict[str, tuple[str, str]]:
    return {it.text: (it.id, it.observation_id) for it in memory.engine.learnings.all()}


@pytest.mark.parametrize("place", range(5), ids=["prompt", "first call", "second call", "third call", "reply"])
def test_whichever_message_goes_the_others_keep_their_ids(tmp_path, place):
    with lived(tmp_path / "home") as memory:
        before = ids_of(memory)
        gone = memory.engine.log.read()[place]
        memory.forget(f"id:{gone.id}", hard=True)

        left = ids_of(memory)
        memory.rebuild()

        stays = {text: ids for text, ids in before.items() if ids[1] != gone.id}
        assert len(before) == 4
        assert {text: ids for text, ids in left.items() if text in stays} == stays
        assert ids_of(memory) == left


def test_what_was_seen_twice_is_known_from_the_other_time(tmp_path):
    """The first of two calls with the same answer goes: the second still says so, at once and after a rebuild."""
    with lived(tmp_path / "home") as memory:
        first, second = (o for o in memory.engine.log.read() if o.tool and "node" in str(o.tool.input))
        assert ids_of(memory)["node: v20.11.1"][1] == first.id
        memory.forget(f"id:{first.id}", hard=True)

        assert ids_of(memory)["node: v20.11.1"][1] == second.id


def test_a_habit_goes_with_a_call_that_it_quotes(tmp_path):
    with Memory.open(tmp_path / "home", env=FakeEnv()) as memory:
        for number in range(6):
            command = ("ruff check --select xylograph", "pytest -q")[number % 2]
            memory.track_tool_invocation("Bash", {"command": command}, "ok", session="s")
            memory.env.pass_time(1)
            memory.engine.log.close_turn("s")  # each call is a turn: the habit is learned in the last
        memory.parts.background.distil()
        memory.maintenance.refresh_index()
        assert any("xylograph" in it.text for it in memory.engine.learnings.all())
        memory.forget(f"id:{memory.engine.log.read()[0].id}", hard=True)

        assert memory.engine.learnings.all() == []


def test_ids_stay_when_a_policy_changes(tmp_path):
    """Masked or not, it is what was found in the same message."""
    home, text = tmp_path / "home", "Always bill to card 4111 1111 1111 1111 in tests."
    kept = Settings(privacy=PrivacySettings(card="keep"))
    ids = []
    for settings in (kept, Settings()):
        with Memory.open(home, env=FakeEnv(), settings=settings) as memory:
            memory.observe(text, session="s", kind=Kind.USER_MESSAGE, speaker="user", id="prompt")
            memory.commit()
            memory.parts.background.distil()
            memory.rebuild()
            ids.append([(it.id, it.text) for it in memory.engine.learnings.all()])

    assert [one[0][0] for one in ids] == [ids[0][0][0]] * 2
    assert "4111" in ids[0][0][1]
    assert "[card]" in ids[1][0][1]


def test_a_summary_tells_what_holds_again(tmp_path):
    """What had replaced a message is forgotten: the summary of its session, which had left it out, has it now."""
    with Memory.open(tmp_path / "home", env=FakeEnv()) as memory:
        plan = " A step of the plan is finished, and the report says so." * 40
        said = ("I live in Lisbon.", "s0"), (plan, "s0"), ("I live in Porto now.", "s1")
        for text, session in said:
            memory.env.pass_time(60)
            memory.observe(text, session=session, kind=Kind.USER_MESSAGE, speaker="user")
            memory.commit()
            memory.parts.background.distil()
            memory.maintenance.refresh_index()
        lisbon, _, porto = memory.engine.log.read()
        memory.maintenance.compact("s0")
        assert sources_of_summaries(memory)
        assert lisbon.id not in sources_of_summaries(memory)
        memory.forget(f"id:{porto.id}", hard=True)
        left = list(memory.engine.dump_derived())

        memory.rebuild()

        assert lisbon.id in sources_of_summaries(memory)
        assert list(memory.engine.dump_derived()) == left


def sources_of_summaries(memory: Memory) -> set[str]:
    summaries = memory.engine.items.select(Filters(types=("summary",), expired=True))
    return {one for item in summaries for one in item.sources}
