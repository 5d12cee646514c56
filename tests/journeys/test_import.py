"""Transcripts of sessions that hooks captured: only what is missing comes in, whether or not the host gives ids."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reverie.errors import BadInput
from reverie.memory import Memory
from reverie.records import Kind
from reverie.shells.imports import Imported, import_transcripts
from reverie.testing import FakeEnv
from support.client import REVERIE, Place, fresh_place
from support.hooks import spool_event

IDS = pytest.mark.parametrize("has_ids", [True, False], ids=["ids", "no ids"])
TALK = [("I prefer tabs.", "Noted."), ("yes", "Done."), ("yes", "Done."), ("no", "As you like.")]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "home", env=FakeEnv()) as opened:
        yield opened


def hook(memory: Memory, *talk: tuple[str, str], has_ids: bool, first: int = 0) -> None:
    """What hooks report of a conversation, each turn with its tool call."""
    env = memory.env
    assert isinstance(env, FakeEnv)
    for number, (prompt, reply) in enumerate(talk, start=first):
        ids = {"prompt_id": f"p{number}"} if has_ids else {}
        spool_event(memory, "UserPromptSubmit", prompt=prompt, **ids)
        spool_event(memory, "PostToolUse", tool_name="Bash", tool_response="ok", tool_use_id=f"t{number}", **ids)
        spool_event(memory, "Stop", last_assistant_message=reply, **ids)
        env.pass_time(60)
    memory.parts.background.drain_spool()


def transcript(path: Path, *talk: tuple[str, str], has_ids: bool) -> Path:
    """What the agent writes of it."""
    lines: list[dict[str, Any]] = []

    def line(kind: str, content: Any, number: int, **more: Any) -> None:
        message = {"id": f"msg_{len(lines)}", "content": content}
        if kind == "user" and has_ids:
            more["promptId"] = f"p{number}"
        stamp = f"2026-03-01T10:{number:02}:{len(lines) % 60:02}Z"
        lines.append(
            {"type": kind, "uuid": f"u{len(lines)}", "sessionId": "s1", "timestamp": stamp, "message": message} | more
        )

    for number, (prompt, reply) in enumerate(talk):
        line("user", prompt, number)
        line("assistant", [{"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {}}], number)
        line("user", [{"type": "tool_result", "tool_use_id": f"t{number}", "content": "ok"}], number)
        line("assistant", [{"type": "text", "text": reply}], number)
    path.write_text("".join(json.dumps(one) + "\n" for one in lines))
    return path


def take(memory: Memory, *paths: Path) -> Imported:
    return import_transcripts(memory, paths, lambda _: None)


def said(memory: Memory) -> list[str]:
    return sorted(o.text for o in memory.engine.log.read(limit=1000) if o.kind is not Kind.TOOL_CALL)


WHOLE = sorted(text for turn in TALK for text in turn)


# A host that tells its hooks an id writes it down, too; the other way round there are gaps.
@pytest.mark.parametrize(
    ("hook_ids", "file_ids"), [(True, True), (False, False), (False, True)], ids=["ids", "no ids", "ids in the file"]
)
def test_a_hooked_session_is_not_doubled(memory: Memory, tmp_path: Path, hook_ids: bool, file_ids: bool) -> None:
    hook(memory, *TALK, has_ids=hook_ids)
    file = transcript(tmp_path / "t.jsonl", *TALK, has_ids=file_ids)

    assert [take(memory, file).new, take(memory, file).new] == [0, 0]
    assert said(memory) == WHOLE


@pytest.mark.parametrize("hook_ids", [True, False], ids=["hooks with ids", "hooks without"])
@pytest.mark.parametrize("captured", [slice(0, 2), slice(2, 4), slice(1, 3), slice(0, 0)], ids=str)
def test_a_session_that_was_hooked_in_part_is_completed(
    memory: Memory, tmp_path: Path, hook_ids: bool, captured: slice
) -> None:
    hook(memory, *TALK[captured], has_ids=hook_ids, first=captured.start)
    file = transcript(tmp_path / "t.jsonl", *TALK, has_ids=hook_ids)

    first, second = take(memory, file), take(memory, file)

    assert (first.new, second.new) == (12 - 3 * len(TALK[captured]), 0)
    assert said(memory) == WHOLE


@IDS
def test_what_is_said_after_an_import_is_new_and_known_at_the_next(
    memory: Memory, tmp_path: Path, has_ids: bool
) -> None:
    take(memory, transcript(tmp_path / "t.jsonl", *TALK[:2], has_ids=has_ids))
    hook(memory, *TALK[2:], has_ids=has_ids, first=2)

    assert said(memory) == WHOLE
    assert take(memory, transcript(tmp_path / "t.jsonl", *TALK, has_ids=has_ids)).new == 0


@IDS
def test_an_import_does_not_bring_back_what_was_forgotten_for_good(
    memory: Memory, tmp_path: Path, has_ids: bool
) -> None:
    hook(memory, *TALK, has_ids=has_ids)
    memory.forget("session:s1", hard=True)
    assert said(memory) == []

    take(memory, transcript(tmp_path / "t.jsonl", *TALK, has_ids=has_ids))

    assert said(memory) == []


# ---- many sessions, each with something to do


def reminders(path: Path, numbers: range, mark: str = "u") -> Path:
    lines = [
        {
            "type": "user",
            "uuid": f"{mark}{number}",
            "sessionId": f"s {mark}{number}",
            "timestamp": "2026-09-21T14:00:00Z",  # just now
            "message": {"content": f"Remind me to fix issue {number} later."},
        }
        for number in numbers
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def cost_of(memory: Memory, path: Path) -> tuple[int, int]:
    """How many rows an import reads, and how many transactions it commits."""
    rows = commits = 0

    def read(_: object, row: object) -> object:
        nonlocal rows
        rows += 1
        return row

    def commit() -> bool:
        nonlocal commits
        commits += 1
        return False

    connection = memory.engine.database.connection
    connection.row_trace = read
    connection.set_commit_hook(commit)
    take(memory, path)
    connection.row_trace = None
    connection.set_commit_hook(None)
    return rows, commits


def test_what_a_session_costs_does_not_grow_with_what_is_to_be_done(memory: Memory, tmp_path: Path) -> None:
    few = cost_of(memory, reminders(tmp_path / "few.jsonl", range(100)))
    take(memory, reminders(tmp_path / "more.jsonl", range(100, 500)))

    many = cost_of(memory, reminders(tmp_path / "many.jsonl", range(500, 600)))

    assert len(memory.actions.list()) == 600
    assert many[0] <= few[0] + 100, "rows read"
    assert max(few[1], many[1]) < 20, "transactions"


def test_what_is_to_be_done_is_known_whoever_changed_it_last(memory: Memory, tmp_path: Path) -> None:
    take(memory, reminders(tmp_path / "first.jsonl", range(3)))
    with Memory.open(memory.workspace.home, env=memory.env) as elsewhere:
        for number, other in enumerate((memory, elsewhere)):
            for action in other.actions.list():
                other.actions.close(action.id, by="user")

            take(memory, reminders(tmp_path / "again.jsonl", range(3), mark=f"again {number} "))

            to_do = sorted(action.text for action in memory.actions.list())
            assert [text.partition(" later")[0] for text in to_do] == ["fix issue 0", "fix issue 1", "fix issue 2"]


# ---- files that are none

FOREIGN: dict[str, dict[str, Any]] = {
    "messages": {"role": "user", "content": "hello"},
    "logs": {"level": "info", "msg": "started", "type": "http"},
    "another agent": {"timestamp": "2026-03-01T10:00:00Z", "type": "session_meta", "payload": {"id": 1}},
    "nothing": {},
}


@pytest.mark.parametrize("what", FOREIGN)
def test_json_lines_that_are_no_transcript_are_refused_with_what_they_have(
    memory: Memory, tmp_path: Path, what: str
) -> None:
    file = tmp_path / "other.jsonl"
    file.write_text(f"{json.dumps(FOREIGN[what])}\n" * 3)

    with pytest.raises(BadInput) as refused:
        take(memory, file)

    for key in FOREIGN[what] or ["nothing"]:
        assert key in str(refused.value)
    assert f"{file} is not a transcript" in str(refused.value)
    assert '"type": "user", "sessionId"' in str(refused.value)


def test_a_strange_file_beside_transcripts_is_counted(memory: Memory, tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    other.write_text('{"role": "user"}\n')

    done = take(memory, other, transcript(tmp_path / "t.jsonl", *TALK, has_ids=True))

    assert (done.files, done.not_transcripts, done.new) == (2, 1, 12)


@pytest.mark.parametrize(
    "line", [{"type": "summary", "summary": "Tabs", "leafUuid": "u1"}, {"type": "mode", "sessionId": "s1"}]
)
def test_a_transcript_in_which_nothing_was_said_is_one(memory: Memory, tmp_path: Path, line: dict[str, str]) -> None:
    file = tmp_path / "t.jsonl"
    file.write_text(json.dumps(line) + "\n")

    assert take(memory, file).seen == 0


# ---- what was wanted then, and what is wanted now


def in_force(memory: Memory) -> list[str]:
    memory.engine.log.close_turns([session.id for session in memory.engine.log.sessions()])
    memory.parts.background.distil()
    return [it.text for it in memory.engine.learnings.preferences()]


def an_old_wish(path: Path, day: str, wish: str) -> Path:
    """A transcript in which somebody says one thing."""
    line = {"type": "user", "uuid": path.stem, "sessionId": path.stem, "timestamp": f"{day}T10:00:00Z"}
    path.write_text(json.dumps(line | {"message": {"content": f"From now on always indent with {wish}."}}) + "\n")
    return path


def test_an_old_transcript_does_not_take_back_what_is_wanted_today(memory: Memory, tmp_path: Path) -> None:
    memory.note("From now on always indent with tabs.")
    (today,) = in_force(memory)

    import_transcripts(memory, [an_old_wish(tmp_path / "old.jsonl", "2020-01-05", "spaces")], lambda _: None)

    assert in_force(memory) == [today]
    assert "tabs" in memory.workspace.user.read_text()
    assert "spaces" not in memory.workspace.user.read_text()
    memory.rebuild()
    assert in_force(memory) == [today]


def test_what_was_to_be_done_years_ago_is_known_and_asked_of_nobody(memory: Memory, tmp_path: Path) -> None:
    file = an_old_wish(tmp_path / "old.jsonl", "2020-01-05", "")
    file.write_text(
        file.read_text().replace("From now on always indent with .", "Remind me to rotate the keys on Friday.")
    )

    import_transcripts(memory, [file], lambda _: None)

    assert memory.actions.list() == []
    assert memory.search("rotate the keys")


@pytest.mark.parametrize("names", [("a", "b"), ("b", "a")])
def test_of_two_old_transcripts_the_later_holds_whatever_they_are_called(
    memory: Memory, tmp_path: Path, names: tuple[str, str]
) -> None:
    files = [
        an_old_wish(tmp_path / f"{name}.jsonl", day, wish)
        for name, day, wish in zip(names, ("2020-01-05", "2021-01-05"), ("spaces", "tabs"), strict=True)
    ]

    import_transcripts(memory, sorted(files), lambda _: None)

    (wish,) = in_force(memory)
    assert "tabs" in wish


def test_what_is_said_after_an_import_replaces_what_was_in_it(memory: Memory, tmp_path: Path) -> None:
    import_transcripts(memory, [an_old_wish(tmp_path / "old.jsonl", "2020-01-05", "spaces")], lambda _: None)
    memory.observe("From now on always indent with tabs.", session="now")
    memory.observe("From now on always indent with spaces.", session="then", time="2019-05-01T10:00:00Z")

    (wish,) = in_force(memory)

    assert "tabs" in wish


def test_a_wish_that_is_dated_into_the_future_holds_until_the_next_one(memory: Memory) -> None:
    memory.observe("From now on always indent with spaces.", session="odd", time="2099-01-01T00:00:00Z")
    assert "spaces" in in_force(memory)[0]
    memory.env.pass_time(1)
    memory.observe("From now on always indent with tabs.", session="now")

    (wish,) = in_force(memory)

    assert "tabs" in wish


def test_of_two_wishes_of_one_moment_the_same_holds_whatever_else_comes_in(memory: Memory) -> None:
    now = memory.env.now_ms()
    memory.observe("From now on always indent with spaces.", session="dated", time=now)
    memory.observe("From now on always indent with tabs.", session="live")
    before = in_force(memory)
    memory.observe("From now on always indent with three spaces.", session="old", time=now - 10**9)

    assert in_force(memory) == before
    assert "tabs" in before[0]


def test_what_a_wish_costs_does_not_grow_with_those_before_it(memory: Memory, tmp_path: Path) -> None:
    def wishes(first: int) -> Path:
        days = [f"20{10 + day // 300}-{1 + day // 25 % 12:02}-{1 + day % 25:02}" for day in range(first, first + 100)]
        path = tmp_path / f"{first}.jsonl"
        lines = [
            an_old_wish(tmp_path / f"w{first}-{number}.jsonl", day, "tabs" if number % 2 else "spaces").read_text()
            for number, day in enumerate(days)
        ]
        path.write_text("".join(lines))
        return path

    few, _ = cost_of(memory, wishes(0))
    for first in (100, 200, 300):
        take(memory, wishes(first))
    many, _ = cost_of(memory, wishes(400))

    assert len(in_force(memory)) == 1
    assert many <= few + 200, "rows read"


def test_what_was_done_long_ago_finishes_nothing_that_is_to_be_done_now(memory: Memory) -> None:
    memory.note("Remind me to rotate the staging keys on Friday.")
    in_force(memory)
    memory.observe("I have rotated the staging keys.", session="old", time="2025-01-01T10:00:00Z")
    memory.observe("I have rotated the staging keys.", session="hers", speaker="Ana")
    in_force(memory)
    assert len(memory.actions.list()) == 1

    memory.observe("I have rotated the staging keys.", session="now")
    in_force(memory)
    assert memory.actions.list() == []


def test_clocks_do_not_decide_between_two_wishes_that_came_in_as_they_were_said(memory: Memory) -> None:
    assert isinstance(memory.env, FakeEnv)
    memory.observe("From now on always indent with spaces.", session="before")
    memory.env.jump_clock(-30 * 86_400)
    memory.observe("From now on always indent with tabs.", session="after")

    (wish,) = in_force(memory)

    assert "tabs" in wish


@pytest.fixture
def place() -> Iterator[Place]:
    with fresh_place() as found:
        yield found


def test_the_command_says_so_and_fails(place: Place) -> None:
    file = place.project / "other.jsonl"
    file.write_text('{"role": "user", "content": "hello"}\n')

    ran = place.run(REVERIE, "admin", "import", "transcript", file)

    assert ran.code != 0
    assert 'JSON with "role", "content"' in " ".join(ran.err.split())
