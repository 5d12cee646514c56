"""What every engine promises of the log, the inbox and what is distilled."""

from dataclasses import replace
from itertools import permutations

import pytest

from reverie.errors import BadInput, LeaseLost
from reverie.ports import Engine
from reverie.records import (
    ActionStatus,
    Captured,
    Kind,
    Learning,
    LearningType,
    LoggedReply,
    Owner,
    Priority,
    Stage,
    ToolUse,
    Trust,
    WorkState,
)
from reverie.testing import FakeEnv

LEASE_MS = 60_000


def prompt(text: str, session: str = "s1", event_id: str = "", at: int = 1000) -> Captured:
    return Captured(
        kind=Kind.USER_MESSAGE, text=text, session=session, occurred_ms=at, event_id=event_id, event="UserPromptSubmit"
    )


def tool(text: str, session: str = "s1", event_id: str = "", name: str = "Bash") -> Captured:
    return Captured(
        kind=Kind.TOOL_CALL,
        text=text,
        session=session,
        occurred_ms=1001,
        event_id=event_id,
        event="PostToolUse",
        tool=ToolUse(name, {"command": "ls", "n": [1, None, {"x": 2.5}]}),
        metadata={"duration_ms": 3},
    )


def stop(session: str = "s1", text: str = "Done.", at: int = 1002) -> Captured:
    return Captured(kind=Kind.ASSISTANT_MESSAGE, text=text, session=session, occurred_ms=at, event="Stop")


def a_closed_turn(engine: Engine, env: FakeEnv, text: str = "hello", session: str = "s1") -> None:
    engine.log.append([prompt(text, session), tool("out", session), stop(session)])
    env.pass_time(3)
    engine.log.close_due_turns(env.now_ms())


# ---- the log


def test_what_goes_in_comes_out_the_same(engine: Engine) -> None:
    captured = tool("three\nlines\nünïcode 漢字 🎉", event_id="t1")

    stored = engine.log.append([captured])[0]

    assert stored is not None
    found = engine.log.get(stored.id)
    assert found == stored
    assert (found.text, found.tool, found.metadata, found.session) == (
        captured.text, captured.tool, captured.metadata, "s1",
    )  # fmt: skip


def test_a_repeat_by_the_hosts_id_is_a_no_op(engine: Engine) -> None:
    assert engine.log.append([tool("once", event_id="t1")])[0] is not None
    assert engine.log.append([tool("once, said differently", event_id="t1")]) == [None]
    assert len(engine.log.read()) == 1


def test_the_same_id_in_another_session_is_another_event(engine: Engine) -> None:
    engine.log.append([prompt("hi", "s1", "p1"), prompt("hi", "s2", "p1")])

    assert len(engine.log.read()) == 2


def test_a_prompt_without_an_id_that_is_said_again_is_a_new_turn(engine: Engine) -> None:
    engine.log.append([prompt("yes"), prompt("yes")])
    engine.log.append([stop(), prompt("yes")])

    assert [(o.text, o.turn) for o in engine.log.read()] == [("yes", 1), ("yes", 2), ("Done.", 2), ("yes", 3)]


def test_order_is_the_log_position_and_not_the_clock(engine: Engine, env: FakeEnv) -> None:
    engine.log.append([prompt("first", at=5_000_000)])
    env.jump_clock(-86_400 * 30)
    engine.log.append([stop(text="second")])

    assert [o.text for o in engine.log.read()] == ["first", "second"]
    assert [o.sequence_num for o in engine.log.read(session="s1")] == [1, 2]


def test_an_append_is_all_or_nothing(engine: Engine) -> None:
    broken = Captured(kind=Kind.NOTE, text="x", session="s1", occurred_ms="no time")  # type: ignore[arg-type]

    with pytest.raises(TypeError):
        engine.log.append([prompt("fine"), broken])

    assert engine.log.read() == []


def test_sessions_count_messages_and_observations(engine: Engine) -> None:
    engine.log.append([prompt("hi"), tool("out"), stop()])

    session = engine.log.session("s1")

    assert session is not None
    assert (session.message_count, session.observation_count, session.turn) == (2, 3, 1)
    assert session.ended_ms is None


def test_a_session_ends_at_session_end_and_not_at_stop(engine: Engine) -> None:
    engine.log.append([prompt("hi"), stop()])
    assert engine.log.session("s1").ended_ms is None  # type: ignore[union-attr]

    engine.log.append([Captured(kind=Kind.SYSTEM, text="", session="s1", occurred_ms=7, event="SessionEnd")])

    assert engine.log.session("s1").ended_ms == 7  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "query", ["C++", "foo-bar", "what's up?", '"', "NEAR(", "a AND", "*", "(", "x:y", "-", "\0", "💥"]
)
def test_no_query_is_a_syntax_error(engine: Engine, query: str) -> None:
    engine.log.append([prompt("C++ and foo-bar, what's up")])

    engine.log.search(query, 5)
    engine.learnings.search(query, 5)


def test_search_finds_by_stem_and_in_what_a_tool_was_called_with(engine: Engine) -> None:
    engine.log.append([prompt("The deployment failed"), tool("nothing here", name="Deployer")])

    assert {hit.what for hit in engine.log.search("deployments deployer", 5)} == {"user_message", "tool_call"}


def test_a_megabyte_of_query_is_answered(engine: Engine) -> None:
    engine.log.append([prompt("needle in the beginning")])

    assert engine.log.search("needle " + "hay " * 250_000, 5)


# ---- turns


def test_a_turn_ends_two_seconds_after_stop(engine: Engine, env: FakeEnv) -> None:
    engine.log.append([prompt("hi"), stop(at=env.now_ms())])
    env.pass_time(1)
    assert engine.log.close_due_turns(env.now_ms()) == 0
    env.pass_time(1)
    assert engine.log.close_due_turns(env.now_ms()) == 1


def test_a_turn_ends_at_the_next_prompt(engine: Engine) -> None:
    engine.log.append([prompt("one"), tool("x"), prompt("two")])

    assert engine.inbox.counts() == {"pending": 1}


def test_a_turn_ends_after_ten_idle_minutes(engine: Engine, env: FakeEnv) -> None:
    engine.log.append([prompt("one"), tool("x")])
    env.pass_time(599)
    assert engine.log.close_due_turns(env.now_ms()) == 0
    env.pass_time(2)
    assert engine.log.close_due_turns(env.now_ms()) == 1


def test_what_comes_late_is_a_supplement_of_its_turn(engine: Engine, env: FakeEnv) -> None:
    a_closed_turn(engine, env)
    engine.log.append([tool("late", event_id="late")])
    engine.log.append([prompt("next")])

    works = engine.inbox.claim(Stage.RULES, 10, env.now_ms(), LEASE_MS, "t")

    turns = [engine.log.turn(work) for work in works]
    assert [[o.text for o in turn.observations] for turn in turns] == [["hello", "out", "Done."], ["late"]]
    assert [turn.number for turn in turns] == [1, 1]
    assert [o.text for o in turns[1].before] == ["hello", "out", "Done."]


def test_an_extraction_sees_the_ten_observations_before_its_turn(engine: Engine, env: FakeEnv) -> None:
    engine.log.append([tool(f"earlier {n}", event_id=f"t{n}") for n in range(14)])
    a_closed_turn(engine, env, "now")

    works = engine.inbox.claim(Stage.RULES, 10, env.now_ms(), LEASE_MS, "t")
    turn = engine.log.turn(works[-1])

    assert [o.text for o in turn.before] == [f"earlier {n}" for n in range(4, 14)]
    assert len(turn.earlier_tools) == 14


# ---- the inbox


def test_claimed_work_is_nobody_elses(engine: Engine, env: FakeEnv) -> None:
    a_closed_turn(engine, env)

    assert len(engine.inbox.claim(Stage.RULES, 5, env.now_ms(), LEASE_MS, "a")) == 1
    assert engine.inbox.claim(Stage.RULES, 5, env.now_ms(), LEASE_MS, "b") == []


def test_a_lease_that_ran_out_can_be_claimed_and_its_first_holder_cannot_finish(engine: Engine, env: FakeEnv) -> None:
    a_closed_turn(engine, env)
    mine = engine.inbox.claim(Stage.RULES, 5, env.now_ms(), LEASE_MS, "a")[0]
    env.pass_time(61)
    theirs = engine.inbox.claim(Stage.RULES, 5, env.now_ms(), LEASE_MS, "b")[0]

    assert theirs.attempts == 2
    with pytest.raises(LeaseLost):
        engine.inbox.done(mine)
    engine.inbox.fail(mine, "too late", env.now_ms(), max_attempts=1)
    engine.inbox.put_back([mine])
    engine.inbox.done(theirs)
    assert engine.inbox.counts() == {"done": 1}


def test_after_five_attempts_work_is_dead_listed_and_can_be_tried_again(engine: Engine, env: FakeEnv) -> None:
    a_closed_turn(engine, env)
    for attempt in range(1, 6):
        work = engine.inbox.claim(Stage.RULES, 5, env.now_ms(), LEASE_MS, "a")[0]
        assert work.attempts == attempt
        engine.inbox.fail(work, "it broke", env.now_ms(), max_attempts=5)

    assert [(w.state, w.reason) for w in engine.inbox.listing(["dead"])] == [(WorkState.DEAD, "it broke")]
    assert engine.inbox.claim(Stage.RULES, 5, env.now_ms(), LEASE_MS, "a") == []
    assert engine.inbox.retry(None, env.now_ms()) == 1
    assert len(engine.inbox.claim(Stage.RULES, 5, env.now_ms(), LEASE_MS, "a")) == 1


def test_a_new_steward_gets_the_work_of_the_old_one_with_its_attempts(engine: Engine, env: FakeEnv) -> None:
    a_closed_turn(engine, env)
    engine.inbox.claim(Stage.RULES, 5, env.now_ms(), LEASE_MS, "dead steward")

    assert engine.inbox.release_all() == 1
    assert engine.inbox.claim(Stage.RULES, 5, env.now_ms(), LEASE_MS, "new")[0].attempts == 2


def test_what_is_put_back_was_no_attempt(engine: Engine, env: FakeEnv) -> None:
    a_closed_turn(engine, env)
    for _ in range(9):
        engine.inbox.claim(Stage.RULES, 5, env.now_ms(), LEASE_MS, "a")
        assert engine.inbox.put_back_all() == 1

    assert engine.inbox.claim(Stage.RULES, 5, env.now_ms(), LEASE_MS, "a")[0].attempts == 1


@pytest.mark.parametrize("jump_seconds", [-30 * 86_400, 10 * 365 * 86_400])
def test_no_lease_or_backoff_is_stuck_when_the_clock_jumps(engine: Engine, env: FakeEnv, jump_seconds: float) -> None:
    a_closed_turn(engine, env)
    work = engine.inbox.claim(Stage.RULES, 5, env.now_ms(), LEASE_MS, "a")[0]
    env.jump_clock(jump_seconds)
    again = engine.inbox.claim(Stage.RULES, 5, env.now_ms(), LEASE_MS, "b")
    assert [w.id for w in again] == [work.id]

    engine.inbox.fail(again[0], "model away", env.now_ms() + 60_000, max_attempts=5)
    env.jump_clock(-jump_seconds)
    env.pass_time(61)
    assert len(engine.inbox.claim(Stage.RULES, 5, env.now_ms(), LEASE_MS, "c")) == 1


def test_work_that_failed_is_claimed_in_smaller_batches(engine: Engine, env: FakeEnv) -> None:
    for n in range(20):
        a_closed_turn(engine, env, session=f"s{n}")
    sizes = []
    for _ in range(4):
        sizes.append(len(engine.inbox.claim(Stage.RULES, 20, env.now_ms(), LEASE_MS, "a")))
        engine.inbox.release_all()

    assert sizes == [20, 2, 2, 2]


# ---- what was learned


def learn(engine: Engine, env: FakeEnv, *learnings: tuple[LearningType, str, str], session: str = "s1") -> list[str]:
    a_closed_turn(engine, env, " ".join(text for _, text, _ in learnings), session)
    work = engine.inbox.claim(Stage.RULES, 1, env.now_ms(), LEASE_MS, "a")[0]
    turn = engine.log.turn(work)
    source = turn.observations[0].id
    with engine.write():
        added = engine.learnings.add(
            turn,
            [
                Learning(type=kind, text=text, subject=subject, confidence=0.9, observation_id=source)
                for kind, text, subject in learnings
            ],
        )
        engine.inbox.done(work)
    return [it.id for it in added]


def test_a_learning_names_the_observation_it_came_from(engine: Engine, env: FakeEnv) -> None:
    learn(engine, env, (LearningType.FACT, "CI runs on Buildkite", ""))

    learned = engine.learnings.all()[0]

    source = engine.log.get(learned.observation_id)
    assert source is not None
    assert source.text == "CI runs on Buildkite"


def test_a_newer_preference_supersedes_the_older_of_the_same_subject(engine: Engine, env: FakeEnv) -> None:
    learn(engine, env, (LearningType.PREFERENCE, "tabs", "indentation"), (LearningType.PREFERENCE, "pnpm", "packages"))
    learn(engine, env, (LearningType.PREFERENCE, "spaces", "indentation"))

    assert [it.text for it in engine.learnings.preferences()] == ["pnpm", "spaces"]
    assert engine.learnings.search("tabs", 5) == []
    assert [it.text for it in engine.learnings.all()] == ["tabs", "pnpm", "spaces"]


def test_a_chain_of_preferences_does_not_depend_on_the_order_in_which_turns_are_distilled(
    engine: Engine, env: FakeEnv
) -> None:
    for number in range(4):
        a_closed_turn(engine, env, f"wish {number}", session=f"s{number}")
    turns = [engine.log.turn(work) for work in engine.inbox.claim(Stage.RULES, 4, env.now_ms(), LEASE_MS, "a")]
    ids = {}
    for number in (1, 3, 0, 2):
        turn = turns[number]
        wish = Learning(
            type=LearningType.PREFERENCE, text=f"wish {number}", subject="indentation", confidence=0.9,
            observation_id=turn.observations[0].id,
        )  # fmt: skip
        ids[number] = engine.learnings.add(turn, [wish])[0].id

    chain = [it.superseded_by for it in engine.learnings.all()]

    assert chain == [ids[1], ids[2], ids[3], ""]


_PERSON, _MODEL, _PAGE = Trust.PERSON, Trust.ASSISTANT, Trust.OUTSIDE_TOOL


@pytest.mark.parametrize(
    ("said", "in_force"),
    [
        ([_PERSON, _PAGE], [0, 1]),  # a page's is not told to anybody, and takes nothing away
        ([_PERSON, _MODEL], [0, 1]),
        ([_PAGE, _PERSON], [1]),
        ([_PERSON, _PAGE, _MODEL, _PERSON], [3]),
        ([_PAGE, _PERSON, _MODEL, _MODEL], [1, 3]),
        ([_MODEL, _PAGE], [1]),
    ],
)
def test_what_a_person_prefers_is_superseded_by_a_person_alone(
    engine: Engine, env: FakeEnv, said: list[Trust], in_force: list[int]
) -> None:
    for number in range(len(said)):
        a_closed_turn(engine, env, f"wish {number}", session=f"s{number}")
    turns = [engine.log.turn(work) for work in engine.inbox.claim(Stage.RULES, 9, env.now_ms(), LEASE_MS, "a")]
    chains = set()
    for order in permutations(range(len(said))):
        engine.learnings.clear()
        for number in order:
            source = turns[number].observations[0].id
            wish = Learning(
                type=LearningType.PREFERENCE, text=f"wish {number}", subject="indentation", confidence=0.9,
                observation_id=source, trust=said[number],
            )  # fmt: skip
            engine.learnings.add(turns[number], [wish])
        chains.add(tuple(it.superseded_by for it in engine.learnings.all()))

    assert [it.text for it in engine.learnings.preferences()] == [f"wish {number}" for number in in_force]
    assert len(chains) == 1, "in whatever order the turns were distilled"


def test_what_a_person_took_back_stays_back(engine: Engine, env: FakeEnv) -> None:
    first = learn(engine, env, (LearningType.PREFERENCE, "tabs", "indentation"))[0]
    engine.learnings.retract(first)
    assert engine.learnings.preferences() == []

    learn(engine, env, (LearningType.PREFERENCE, "spaces", "indentation"))

    assert [it.text for it in engine.learnings.preferences()] == ["spaces"]


def test_adding_the_same_learnings_again_changes_nothing(engine: Engine, env: FakeEnv) -> None:
    learn(engine, env, (LearningType.FACT, "one", ""))
    before = list(engine.dump_derived())
    work = next(iter(engine.extractions()))
    turn = engine.log.turn(work)

    again = engine.learnings.add(
        turn, [Learning(type=LearningType.FACT, text="one", confidence=0.9, observation_id=turn.observations[0].id)]
    )

    assert again == []
    assert list(engine.dump_derived()) == before


def test_cleared_learnings_leave_nothing_in_the_index(engine: Engine, env: FakeEnv) -> None:
    learn(engine, env, (LearningType.FACT, "Buildkite", ""))
    engine.learnings.clear()

    assert engine.learnings.search("Buildkite", 5) == []
    assert list(engine.dump_derived()) == []


# ---- actions, money, replies


def test_actions_come_most_pressing_first_and_an_agent_cannot_complete_a_users(engine: Engine, env: FakeEnv) -> None:
    a_closed_turn(engine, env)
    turn = engine.log.turn(engine.inbox.claim(Stage.RULES, 1, env.now_ms(), LEASE_MS, "a")[0])
    source = turn.observations[0].id
    learnings = [
        Learning(type=LearningType.ACTION, text="later", confidence=1, observation_id=source),
        Learning(
            type=LearningType.ACTION,
            text="now",
            confidence=1,
            observation_id=source,
            priority=Priority.URGENT,
            owner=Owner.USER,
        ),
        Learning(type=LearningType.ACTION, text="soon", confidence=1, observation_id=source, priority=Priority.HIGH),
    ]
    for learned in engine.learnings.add(turn, learnings):
        engine.actions.add(learned)
    pending = engine.actions.pending()
    assert [it.text for it in pending] == ["now", "soon", "later"]

    with pytest.raises(BadInput, match="user's to do"):
        engine.actions.set_status(pending[0].id, ActionStatus.DONE, "agent", "", 1)
    before = engine.actions.version()
    done = engine.actions.set_status(pending[0].id, ActionStatus.DONE, "user", "", 1)

    assert engine.actions.version() != before
    assert (done.status, done.version) == (ActionStatus.DONE, 2)
    assert [it.text for it in engine.actions.pending()] == ["soon", "later"]
    assert {it.text for it in engine.actions.unfinished()} == {"soon", "later"}
    assert [it.text for it in engine.actions.pending_among([it.id for it in pending[:2]])] == ["soon"]
    with pytest.raises(BadInput, match="no action"):
        engine.actions.set_status("nonsense", ActionStatus.DONE, "user", "", 1)


def test_a_reservation_over_either_ceiling_is_refused(engine: Engine) -> None:
    spend = engine.spend
    assert spend.reserve("r1", "2026-11-16", "s1", 60, daily_ceiling=100, session_ceiling=80)
    assert not spend.reserve("r2", "2026-11-16", "s1", 30, daily_ceiling=100, session_ceiling=80)
    assert not spend.reserve("r3", "2026-11-16", "s2", 50, daily_ceiling=100, session_ceiling=80)
    spend.settle("r1", 10)
    assert spend.reserve("r4", "2026-11-16", "s2", 50, daily_ceiling=100, session_ceiling=80)
    assert spend.on_day("2026-11-16") == 60
    spend.settle("r1", 999)  # settled once and for all
    assert spend.on_day("2026-11-16") == 60


def test_a_call_that_was_settled_by_our_own_count_is_known_as_such(engine: Engine) -> None:
    spend = engine.spend
    for name in ("r1", "r2", "r3"):
        assert spend.reserve(name, "2026-11-16", "s1", 10, daily_ceiling=100, session_ceiling=100)
    spend.settle("r1", 9, by_own_count=True)
    spend.settle("r2", 8)
    spend.settle("r1", 1)
    assert spend.own_counts_on_day("2026-11-16") == 1
    assert spend.own_counts_on_day("2026-11-17") == 0
    assert spend.on_day("2026-11-16") == 9 + 8 + 10


def test_replies_come_back_in_order_for_the_turn_that_they_answer(engine: Engine, env: FakeEnv) -> None:
    a_closed_turn(engine, env)
    work = engine.inbox.claim(Stage.RULES, 1, env.now_ms(), LEASE_MS, "a")[0]
    replies = [
        LoggedReply(purpose=p, prompt_hash="h", text=t, model="m") for p, t in (("extract", "?"), ("repair", "NONE"))
    ]
    for reply in replies:
        engine.replies.add(work, reply, 1)

    assert engine.replies.of_turn(work.session, work.turn, work.last_position) == replies
    assert engine.replies.of_turn(work.session, work.turn + 1, work.last_position) == []


# ---- how it is doing


def test_health_counts_what_is_there_and_what_waits(engine: Engine, env: FakeEnv) -> None:
    a_closed_turn(engine, env)
    turn = engine.log.turn(engine.inbox.claim(Stage.RULES, 5, env.now_ms(), LEASE_MS, "t")[0])
    source = turn.observations[0].id
    engine.learnings.add(turn, [Learning(type=LearningType.FACT, text="one", confidence=0.9, observation_id=source)])

    health = engine.health()
    assert (health.observations, health.sessions, health.learnings) == (3, 1, 1)
    assert (health.unsorted_observations, health.unsorted_learnings) == (3, 1)
    assert (health.waiting, health.dead, health.last_error) == (1, 0, "")
    engine.items.set_admitted(engine.log.read()[1].position)
    assert engine.health().unsorted_observations == 1


def test_health_says_when_an_agent_last_reported_and_leaves_out_notes_and_imports(engine: Engine) -> None:
    for source, project, at in (("hook", "/shop", 5_000), ("api", "/notes", 6_000), ("past", "/old", 7_000)):
        told = replace(prompt("hi", session=source, at=at), source=source, project=project)
        engine.log.append([told])

    health = engine.health()
    assert set(health.last_capture_ms) == {"/shop"}
    assert health.latest_event_ms == 5_000
    assert engine.scoped("nobody").health().latest_event_ms is None


# ---- one user never sees another


def test_two_users_in_one_store_see_only_their_own(engine: Engine, env: FakeEnv) -> None:
    other = engine.scoped("ana")
    engine.log.append([prompt("mine", event_id="p")])
    other.log.append([prompt("hers", event_id="p")])
    env.pass_time(700)
    engine.log.close_due_turns(env.now_ms())

    assert [o.text for o in engine.log.read()] == ["mine"]
    assert [o.text for o in other.log.read()] == ["hers"]
    assert other.log.search("mine", 5) == []
    assert other.inbox.claim(Stage.RULES, 5, env.now_ms(), LEASE_MS, "t") == []
    assert engine.users() == ["ana", "local"]


# ---- the file


def test_a_writer_that_fails_leaves_nothing_behind(engine: Engine) -> None:
    def write_and_fail() -> None:
        with engine.write():
            engine.log.append([prompt("never")])
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_and_fail()

    assert engine.log.read() == []


def test_text_that_sqlite_cannot_hold_is_kept_in_a_form_that_it_can(engine: Engine) -> None:
    engine.log.append([prompt("a\0b\ud800c")])

    assert engine.log.read()[0].text == "a␀b�c"
    assert engine.log.search("b", 5) or engine.log.search("c", 5)
