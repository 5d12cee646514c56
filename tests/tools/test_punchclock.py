"""The punchclock: what may follow what, offsets into the past, and every second where it belongs."""

import json
from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule

from reverie.errors import BadInput, StaleVersion
from reverie.foundation.ids import ulid
from reverie.memory import Memory
from reverie.records.conversation_values import Moment
from reverie.records.prompt_inputs import Punch, PunchState
from reverie.redact.secrets import redact
from reverie.testing import FakeEnv
from reverie.tools.punchclock import PunchclockTool

BERLIN = ZoneInfo("Europe/Berlin")
NOW = int(datetime(2026, 11, 16, 14, 20, tzinfo=BERLIN).timestamp() * 1000)
MINUTE = 60_000


@pytest.fixture
def env() -> FakeEnv:
    return FakeEnv(now_ms=NOW)


@pytest.fixture
def tool(memory: Memory, env: FakeEnv) -> PunchclockTool:
    return tool_of(memory.engine.punches, env)


def tool_of(punches, env: FakeEnv) -> PunchclockTool:
    return PunchclockTool(punches, lambda at: ulid(at, env.random_bytes(10)), env.now_ms, BERLIN, redact)


def test_time_counts_while_it_runs_and_not_while_it_is_paused(tool: PunchclockTool, env: FakeEnv) -> None:
    made = tool.start("report")
    env.pass_time(600)
    tool.pause(made.id)
    env.pass_time(3600)
    tool.resume(made.id)
    env.pass_time(300)
    done = tool.complete(made.id, note="sent")

    assert done.state is PunchState.COMPLETED
    assert done.spent_ms(env.now_ms()) == 15 * MINUTE
    assert done.completed_ms == env.now_ms()
    assert tool.told(done)["spent"] == "15m"
    assert tool.list() == [done]


def test_several_run_at_once(tool: PunchclockTool, env: FakeEnv) -> None:
    report = tool.start("report")
    mail = tool.start("mail", offset="-5m")
    tool.pause(report.id)
    env.pass_time(60)

    assert [one.label for one in tool.list("running")] == ["mail"]
    assert [one.label for one in tool.list()] == ["mail", "report"], "in the order they began"
    status = tool.status()
    assert ([one.id for one in status.running], [one.id for one in status.paused]) == ([mail.id], [report.id])
    assert status.today_ms == 6 * MINUTE


def test_what_was_forgotten_is_said_with_an_offset(tool: PunchclockTool, env: FakeEnv) -> None:
    made = tool.start("report", offset="-1h30m")
    paused = tool.pause(made.id, offset="-30m")
    assert paused.spent_ms(NOW) == 60 * MINUTE
    assert tool.resume(made.id, offset="10 minutes ago").spent_ms(NOW) == 70 * MINUTE
    done = tool.complete(made.id, offset="−5m")

    assert done.completed_ms == NOW - 5 * MINUTE
    assert tool.told(done)["intervals"] == [
        {"from": "2026-11-16T12:50+01:00", "to": "2026-11-16T13:50+01:00"},
        {"from": "2026-11-16T14:10+01:00", "to": "2026-11-16T14:15+01:00"},
    ]


def test_an_offset_reaches_neither_ahead_nor_before_the_last_change(tool: PunchclockTool) -> None:
    made = tool.start("report", offset="-10m")
    for offset, says in [
        ("+5m", "lies ahead"),
        ("5m", "cannot be read; write -10m"),
        ("-5 apples", "cannot be read"),
        ("-1 month", "cannot be read"),
        ("--5m", "cannot be read"),
        ("-11m", r"before report began, Mon 16 Nov 2026, 14:10; at most -10m is possible"),
    ]:
        with pytest.raises(BadInput, match=says):
            tool.pause(made.id, offset=offset)
    tool.pause(made.id, offset="-10m")
    tool.resume(made.id, offset="-8m")
    tool.pause(made.id, offset="-3m")
    with pytest.raises(BadInput, match=r"before report was paused, .*; at most -3m"):
        tool.resume(made.id, offset="-4m")
    with pytest.raises(BadInput, match="before report was paused"):
        tool.complete(made.id, offset="-4m")
    with pytest.raises(BadInput, match="before 1970"):
        tool.start("x", offset="-999999h")
    assert tool.list()[0].spent_ms(NOW) == 5 * MINUTE


def test_wrong_transitions_say_the_state_and_what_is_possible(tool: PunchclockTool) -> None:
    made = tool.start("report")
    with pytest.raises(
        BadInput, match=rf"cannot resume {made.id} \(report\): it is running; one can pause or complete"
    ):
        tool.resume(made.id)
    tool.pause(made.id)
    with pytest.raises(BadInput, match=r"cannot pause .* it is paused; one can resume or complete it"):
        tool.pause(made.id)
    done = tool.complete(made.id)
    for again in (tool.pause, tool.resume, tool.complete):
        with pytest.raises(BadInput, match="it is completed; one can edit or delete it, or start a new one"):
            again(made.id)
    assert tool.list() == [done]


def test_a_label_names_the_one_to_which_it_can_be_done(tool: PunchclockTool) -> None:
    old = tool.complete(tool.start("report").id)
    new = tool.start("Report")

    assert tool.pause("report").id == new.id
    with pytest.raises(BadInput, match="any of 2 punches"):
        tool.delete("report")
    assert {one.id for one in tool.list()} == {old.id, new.id}


def test_labels_and_notes_can_be_changed_and_lose_their_secrets(tool: PunchclockTool, memory: Memory) -> None:
    made = tool.start("  deploy\nwith password: hunter2abc ", note="first")
    tool.edit(made.id, label="deploy")
    tool.complete(made.id, note="curl -u bob:hunter2abc https://example.com")

    (kept,) = memory.engine.punches.all()
    assert kept.label == "deploy"
    assert kept.note.startswith("first\ncurl -u bob:[secret:")
    assert tool.edit(made.id, note="").note == ""
    for refused, says in [
        (lambda: tool.edit(made.id), "say what to change"),
        (lambda: tool.edit(made.id, label=" "), "label is empty"),
        (lambda: tool.start("x" * 201), "201 characters"),
        (lambda: tool.list("sleeping"), "there are running, paused, completed"),
        (lambda: tool.pause("zzz"), "there is no"),
    ]:
        with pytest.raises(BadInput, match=says):
            refused()


def test_deleting_takes_it_away(tool: PunchclockTool) -> None:
    made = tool.start("report")

    assert tool.delete(made.id[-5:]) == made
    assert tool.list() == []


def test_a_clock_that_is_set_back_makes_no_time_negative(tool: PunchclockTool, env: FakeEnv) -> None:
    made = tool.start("report")
    env.jump_clock(-3600)

    assert tool.pause(made.id).spent_ms(env.now_ms()) == 0
    assert tool.complete(made.id).state is PunchState.COMPLETED


def test_today_is_the_person_s_own_day(tool: PunchclockTool, env: FakeEnv) -> None:
    tool.start("night shift", offset="-20h")  # 14:20 now: five hours and forty minutes of it were yesterday

    assert tool.status().today_ms == (14 * 60 + 20) * MINUTE


def test_who_was_overtaken_is_told(tool: PunchclockTool, memory: Memory) -> None:
    made = tool.start("report")
    memory.engine.punches.put(replace(made, note="by somebody else"))

    with pytest.raises(StaleVersion):
        tool._put(made)
    assert tool.pause(made.id).note == "by somebody else"


def test_a_model_uses_it_through_one_door(tool: PunchclockTool, env: FakeEnv) -> None:
    at = Moment(at_ms=NOW)
    made = tool.run({"operation": "start", "label": "report", "offset": "-10m"}, at)
    assert (made["state"], made["spent"]) == ("running", "10m")
    assert tool.run({"operation": "status"}, at)["running"] == [made]
    assert tool.run({"operation": "list", "state": "running"}, at) == [made]
    assert tool.run({"operation": "complete", "id": made["id"], "note": "sent"}, at)["note"] == "sent"
    with pytest.raises(BadInput, match="it is completed"):
        tool.run({"operation": "resume", "id": made["id"]}, at)
    with pytest.raises(BadInput, match="needs 'label'"):
        tool.run({"operation": "start"}, at)
    with pytest.raises(BadInput, match="'state' of punchclock list"):
        tool.run({"operation": "list", "state": "sleeping"}, at)
    schema = tool.input_schema
    assert {"oneOf", "anyOf", "allOf", "not", "enum"} & set(schema) == set()
    json.dumps(schema)


# ---- any order of everything, against a model that counts seconds one by one


class InMemory:
    """Punches in a dictionary, with the promises of the real ones."""

    def __init__(self) -> None:
        self._kept: dict[str, Punch] = {}

    def put(self, punch: Punch, version: int | None = None) -> Punch:
        before = self._kept.get(punch.id)
        if version is not None and (before is None or before.version != version):
            raise StaleVersion("read it again")
        self._kept[punch.id] = replace(punch, version=before.version + 1 if before else 1)
        return self._kept[punch.id]

    def get(self, punch_id: str) -> Punch | None:
        return self._kept.get(punch_id)

    def all(self) -> list[Punch]:
        return sorted(self._kept.values(), key=lambda one: (one.created_ms, one.id))

    def remove(self, punch_id: str) -> bool:
        return self._kept.pop(punch_id, None) is not None


class Punching(RuleBasedStateMachine):
    """Each second of each punch is counted or not; a change with an offset says it anew for the seconds since then."""

    made = Bundle("made")

    def __init__(self) -> None:
        super().__init__()
        self.env = FakeEnv(now_ms=NOW)
        self.tool = tool_of(InMemory(), self.env)
        self.states: dict[str, str] = {}
        self.changed: dict[str, int] = {}  # when the state changed last
        self.seconds: dict[str, set[int]] = {}  # seconds, since the epoch, that count

    @property
    def now(self) -> int:
        return self.env.now_ms() // 1000

    @rule(seconds=st.integers(0, 120))
    def pass_time(self, seconds: int) -> None:
        for one, state in self.states.items():
            if state == "running":
                self.seconds[one] |= set(range(self.now, self.now + seconds))
        self.env.pass_time(seconds)

    @rule(target=made, ago=st.integers(0, 90))
    def start(self, ago: int) -> str:
        punch = self.tool.start("work", offset=f"-{ago}s")
        self.states[punch.id], self.changed[punch.id] = "running", self.now - ago
        self.seconds[punch.id] = set(range(self.now - ago, self.now))
        return punch.id

    @rule(one=made, ago=st.integers(0, 90), to=st.sampled_from(["paused", "running", "completed"]))
    def change(self, one: str, ago: int, to: str) -> None:
        if one not in self.states:
            return
        does = {"paused": self.tool.pause, "running": self.tool.resume, "completed": self.tool.complete}[to]
        able = {"paused": ["running"], "running": ["paused"], "completed": ["running", "paused"]}[to]
        at = self.now - ago
        if self.states[one] not in able or at < self.changed[one]:
            with pytest.raises(BadInput):
                does(one, offset=f"-{ago}s")
            return
        does(one, offset=f"-{ago}s")
        since = set(range(at, self.now))
        self.seconds[one] = self.seconds[one] | since if to == "running" else self.seconds[one] - since
        self.states[one], self.changed[one] = to, at

    @rule(one=made)
    def delete(self, one: str) -> None:
        if self.states.pop(one, None) is None:
            with pytest.raises(BadInput):
                self.tool.delete(one)
        else:
            self.tool.delete(one)

    @invariant()
    def all_is_as_the_model_says(self) -> None:
        kept = {one.id: one for one in self.tool.list()}
        assert {one: punch.state.value for one, punch in kept.items()} == self.states
        for one, punch in kept.items():
            assert punch.spent_ms(self.env.now_ms()) == len(self.seconds[one]) * 1000
            ends = [end for _, end in punch.intervals]
            assert all(end is not None for end in ends[:-1])
            assert (ends[-1] is None) == (punch.state is PunchState.RUNNING)
            flat = [at for begin, end in punch.intervals for at in (begin, end) if at is not None]
            assert flat == sorted(flat), "intervals neither overlap nor run backwards"


TestPunching = Punching.TestCase
TestPunching.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
