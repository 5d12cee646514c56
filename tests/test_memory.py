"""The façade, without a daemon: what comes in is kept, found, and told again."""

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from reverie.errors import BadInput, BulkStopped, ReverieError, StoreClosed
from reverie.events import ObservationStored
from reverie.memory import Memory
from reverie.records import ActionStatus, Kind
from reverie.testing import START_MS, FakeEnv
from support.hooks import PROJECT, files_of, say, spool_event


def test_a_note_is_found_as_soon_as_it_was_made(memory: Memory) -> None:
    memory.note("The staging database is Postgres 14")

    assert memory.search("postgres staging")[0].text == "The staging database is Postgres 14"


@pytest.mark.parametrize("speaker", ["", "user", "local"])
def test_what_the_person_wants_is_a_preference_and_what_another_wants_a_fact_about_them(
    memory: Memory, speaker: str
) -> None:
    memory.observe("I prefer short answers.", speaker=speaker, session="chat")
    memory.observe("I prefer very long answers.", speaker="Bob", session="chat")
    memory.observe("Remind me to water the plants tomorrow.", speaker="Bob", session="chat")
    memory.engine.log.close_turn("chat")
    memory.parts.background.distil()

    assert [it.text for it in memory.engine.learnings.preferences()] == ["I prefer short answers"]
    assert "long answers" not in memory.parts.profile.read(memory.workspace.user)
    assert memory.actions.list() == []
    assert "Bob said: I prefer very long answers" in [it.text for it in memory.engine.learnings.all()]


def test_what_another_says_of_themselves_is_told_as_theirs(memory: Memory) -> None:
    memory.observe("I moved to Lisbon.", speaker="Ana", session="chat")
    memory.engine.log.close_turn("chat")
    memory.parts.background.distil()

    assert "- Ana said: I moved to Lisbon" in memory.context("")
    assert "- I moved to Lisbon" not in memory.context("")


def test_whoever_listens_hears_of_everything_that_comes_in(memory: Memory) -> None:
    heard: list[str] = []
    memory.events.subscribe(ObservationStored, lambda event: heard.append(event.observation.text))

    memory.observe("observed")
    memory.note("noted")
    memory.track_tool_invocation("Bash", {"command": "ls"}, result="tracked")
    memory.continuum().send("said")

    assert heard[:4] == ["observed", "noted", "tracked", "said"]


def test_what_a_subscriber_raises_is_logged_and_keeps_nobody_from_hearing(
    memory: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    heard: list[object] = []
    memory.events.subscribe(ObservationStored, lambda event: [].pop())
    memory.events.subscribe(ObservationStored, heard.append)

    memory.note("noted")

    assert len(heard) == 1
    (record,) = caplog.records
    assert record.message == "a subscriber failed"
    assert record.exc_info is not None
    assert record.exc_info[0] is IndexError


def test_an_empty_note_is_refused(memory: Memory) -> None:
    with pytest.raises(BadInput, match="needs some text"):
        memory.note("  \n")


def test_a_conversation_of_another_system_keeps_its_names_and_times(memory: Memory) -> None:
    memory.observe(
        {"text": text, "speaker": speaker, "session": "locomo-1", "time": time, "metadata": {"turn": turn}}
        for turn, (speaker, text, time) in enumerate(
            [
                ("Ana", "I moved to Lisbon in March", "2023-05-08T13:56:00+00:00"),
                ("Ben", "How do you like it there?", "2023-05-08T13:57:00+00:00"),
            ]
        )
    )

    first, second = memory.engine.log.read(session="locomo-1")

    assert (first.speaker, first.occurred_ms, first.metadata) == ("Ana", 1683554160000, {"turn": 0})
    assert (second.speaker, second.sequence_num) == ("Ben", 2)
    assert memory.search("Lisbon")[0].speaker == "Ana"


def test_observing_the_same_conversation_again_adds_nothing(memory: Memory) -> None:
    items = [{"text": f"message {n}", "time": 1_700_000_000_000 + n, "session": "x"} for n in range(30)]

    assert memory.observe(items) == 30
    assert memory.observe(items) == 0


def test_bulk_is_atomic_by_the_thousand_and_says_where_it_stopped(memory: Memory) -> None:
    items = [{"text": f"message {n}", "time": START_MS + n} for n in range(2500)]
    items[1700] = {"text": 5, "time": START_MS + 1700}

    with pytest.raises(BulkStopped, match=r"stopped after 1000 items: item 1700: .* not int") as stopped:
        memory.observe(items)

    assert stopped.value.stored == 1000
    assert len(memory.engine.log.read(limit=5000)) == 1000
    items[1700]["text"] = "mended"
    assert memory.observe(items) == 1500


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"text": 7}, "text is a string"),
        ({"text": "x", "kind": "thought"}, 'no kind "thought"'),
        ({"text": "x", "tiem": 1}, 'has no "tiem"'),
        ({"text": "x", "time": "yesterday"}, "is not a time"),
        ({}, "text is a string"),
        ({"text": " \n"}, "needs some text"),
        ({"text": "x", "time": 1_794_700_000}, "if these are seconds, say 1794700000000"),
        ({"text": "x", "time": 1_794_700_000.5}, "if these are seconds, say 1794700000500"),
        ({"text": "x", "time": 5}, "is not a time in milliseconds"),
        ({"text": "x", "time": float("nan")}, "is not a time"),
        ({"text": "x", "metadata": {"a": object()}}, "metadata must be JSON"),
        ({"text": "x", "metadata": ["a"]}, "metadata is a mapping, not list"),
    ],
)
def test_a_wrong_observation_is_named(memory: Memory, fields: dict[str, object], complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        memory.observe(fields)
    assert memory.engine.log.read() == []


def test_an_error_in_the_callers_own_iterator_says_how_many_are_in(memory: Memory) -> None:
    def conversation() -> Iterator[dict[str, object]]:
        for n in range(2500):
            if n == 2200:
                raise ValueError("line 2200 is broken")
            yield {"text": f"message {n}", "time": START_MS + n}

    with pytest.raises(BulkStopped, match="stopped after 2000 items: ValueError: line 2200 is broken") as stopped:
        memory.observe(conversation())

    assert stopped.value.stored == len(memory.engine.log.read(limit=5000)) == 2000
    assert isinstance(stopped.value.__cause__, ValueError)


def test_what_was_said_twice_at_the_same_time_is_kept_twice_and_imported_once(memory: Memory) -> None:
    said = [{"text": text, "speaker": "Ana", "time": START_MS} for text in ("ok", "ok", "bye", "ok")]

    assert memory.observe(said) == 4
    assert memory.observe(said) == 0
    assert [it.text for it in memory.engine.log.read()] == ["ok", "ok", "bye", "ok"]


def test_with_ids_of_its_own_a_repeat_in_one_call_is_a_repeat(memory: Memory) -> None:
    assert memory.observe([{"text": "ok", "id": 1}, {"text": "ok", "id": 1}, {"text": "ok", "id": 2}]) == 2


@pytest.mark.parametrize("what", [5, None, 2.5])
def test_what_is_no_observation_at_all_is_refused(memory: Memory, what: Any) -> None:
    with pytest.raises(BadInput, match="observe takes a text"):
        memory.observe(what)


def test_many_of_something_else_are_refused_by_number(memory: Memory) -> None:
    with pytest.raises(BulkStopped, match="item 1: an observation is a text, or a mapping with one, not int"):
        memory.observe([{"text": "x"}, 5])  # type: ignore[list-item]


def test_secrets_are_out_before_anything_is_written(memory: Memory) -> None:
    secret = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6"
    memory.observe(f"my token is {secret}", metadata={"env": {"GITHUB_TOKEN": secret}})
    memory.note(f"the key {secret}")

    assert all(secret.encode() not in path.read_bytes() for path in memory.workspace.home.rglob("*") if path.is_file())
    assert "[secret:" in memory.engine.log.read()[0].text


def token(seed: int) -> str:
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
    return "ghp_" + "".join(Random(seed).choices(letters, k=36))


def test_no_field_of_an_observation_keeps_a_secret(memory: Memory) -> None:
    names = ("speaker", "session", "project", "id")
    fields: dict[str, Any] = {name: f"the {token(number)}" for number, name in enumerate(names)}
    memory.observe("hello", **fields, metadata={token(5): {"inner": [token(6)]}})
    memory.observe([{"text": "many", **fields}])
    memory.note("a note", session=token(7), project=token(8))
    memory.track_tool_invocation(token(9), {"a": token(10)}, "ok", session=token(11), project=token(12), task=token(13))
    memory.assemble_context(f"what of {token(14)}", session=token(15), plan=token(16))
    memory.commit()

    written = b"".join(path.read_bytes() for path in files_of(memory.workspace.home))
    assert [number for number in range(20) if token(number).encode() in written] == []
    assert memory.engine.log.read()[0].speaker.startswith("the [secret:")


def test_names_that_are_secrets_still_tell_things_apart(memory: Memory) -> None:
    for number in (1, 2):
        memory.observe("ok", session=token(number), id=token(number), project=token(number))
    assert memory.observe("ok", session=token(1), id=token(1), project=token(1)) == 0

    first, second = memory.engine.log.sessions()
    assert first.id != second.id
    assert first.project != second.project
    memory.observe("The port is 8080", session=token(1), id=token(3), project=token(1))
    assert "The port is 8080" in [it.text for it in memory.search("port", project=token(1))]
    assert "The port is 8080" not in [it.text for it in memory.search("port", project=token(2))]


def test_a_session_that_is_named_by_a_secret_is_told_only_what_is_new(memory: Memory, env: FakeEnv) -> None:
    say(memory, "From now on always use pnpm instead of npm.")
    memory.observe("hello", session=token(1), project=PROJECT)

    assert "pnpm" in memory.context(PROJECT, token(1), only_news=True)
    assert memory.context(PROJECT, token(1), only_news=True) == ""


def test_our_own_injected_context_is_never_remembered(memory: Memory) -> None:
    told = "<reverie-context>\n- prefers tabs\n</reverie-context>"
    memory.observe(f"Fix the test. {told}")

    assert memory.engine.log.read()[0].text.strip() == "Fix the test."


def test_a_preference_stands_in_user_md_and_in_the_next_context(memory: Memory) -> None:
    say(memory, "From now on always use pnpm instead of npm.")

    line = next(line for line in memory.parts.profile.read(memory.workspace.user).splitlines() if "pnpm" in line)
    assert line.startswith("- ")
    context = memory.context(PROJECT)
    assert context.count("pnpm instead of npm") == 1


def test_a_newer_preference_replaces_the_older_line(memory: Memory) -> None:
    say(memory, "I prefer tabs for indentation.")
    say(memory, "I prefer spaces for indentation.", session="s2")

    text = memory.parts.profile.read(memory.workspace.user)
    assert "spaces" in text
    assert "tabs" not in text


def test_a_persons_own_lines_in_user_md_stay_and_a_removed_one_is_a_retraction(memory: Memory) -> None:
    say(memory, "From now on always use pnpm instead of npm.")
    path = memory.workspace.user
    edited = "\n".join(line for line in path.read_text().splitlines() if "pnpm" not in line)
    path.write_text(edited + "\n- I am colour blind\nfree text\n")
    say(memory, "Call me Sam.", session="s2")

    text = path.read_text()

    assert "pnpm" not in text
    assert "- I am colour blind\nfree text" in text
    assert "Sam" in text
    memory.rebuild()
    assert path.read_text() == text


def test_context_has_a_heading_per_type_and_nothing_for_empty_parts(memory: Memory) -> None:
    memory.env.files.replace(memory.workspace.soul, b"")
    assert memory.context(PROJECT) == ""

    memory.note("The CI runs on Buildkite", project=PROJECT)
    context = memory.context(PROJECT)

    assert "## Facts" in context
    assert "Buildkite" in context
    assert "## Corrections" not in context
    assert "Pending actions" not in context


def test_learnings_of_another_project_and_older_than_48_hours_are_not_told(memory: Memory, env: FakeEnv) -> None:
    memory.note("The port of shop is 8080", project=PROJECT)
    memory.note("The port of other is 9090", project="/projects/other")
    assert "8080" in memory.context(PROJECT)
    assert "9090" not in memory.context(PROJECT)

    env.pass_time(49 * 3600)

    assert "8080" not in memory.context(PROJECT)
    assert memory.search("port shop")


def test_pending_actions_come_by_priority_with_marks(memory: Memory) -> None:
    say(memory, "Later we need to clean up the changelog.")
    say(memory, "URGENT: remind me to rotate the staging keys on Friday.", session="s2")

    context = memory.context(PROJECT)

    assert context.index("[URGENT]") < context.index("changelog")
    assert "rotate the staging keys" in context


def test_an_action_is_closed_by_the_person_or_by_what_happened(memory: Memory) -> None:
    say(memory, "Remind me to rotate the staging keys on Friday.")
    action = memory.actions.list()[0]

    say(memory, "I've rotated the staging keys.", session="s2")

    assert memory.actions.list() == []
    closed = next(it for it in memory.engine.actions.all() if it.id == action.id)
    assert closed.status is ActionStatus.DONE
    assert closed.reason.startswith("seen in ")


def test_a_session_is_told_only_what_is_new_until_its_context_is_compacted(memory: Memory) -> None:
    spool_event(memory, "SessionStart", source="startup")
    memory.parts.background.drain_spool()
    assert "Your Daemon" in memory.context(PROJECT, "s1")
    assert memory.context(PROJECT, "s1", only_news=True) == ""

    memory.note("The CI runs on Buildkite", project=PROJECT)
    news = memory.context(PROJECT, "s1", only_news=True)
    assert "Buildkite" in news
    assert "Your Daemon" not in news
    assert memory.context(PROJECT, "s1", only_news=True) == ""

    spool_event(memory, "PreCompact", trigger="auto")
    memory.parts.background.drain_spool()

    assert "Buildkite" in memory.context(PROJECT, "s1", only_news=True)


def test_starter_files_are_written_once_and_never_over_a_persons_own(tmp_path: Path, env: FakeEnv) -> None:
    (tmp_path / "soul.md").write_text("my own soul\n")

    Memory.open(tmp_path, env=env).close()

    assert (tmp_path / "soul.md").read_text() == "my own soul\n"
    assert "## Preferences" in (tmp_path / "user.md").read_text()
    other = tmp_path / "other"
    Memory.open(other, env=env).close()
    for section in ("Your Daemon", "Autonomy Rules", "Tool Guidance"):
        assert section in (other / "soul.md").read_text()
    assert not (other / "MEMORY.md").exists()


def test_what_hooks_left_behind_is_taken_in_by_whoever_opens_the_memory(memory: Memory, env: FakeEnv) -> None:
    spool_event(memory, "UserPromptSubmit", prompt="From now on always use pnpm instead of npm.")
    spool_event(memory, "SessionEnd", reason="other")
    memory.close()

    with Memory.open(memory.workspace.home, env=env) as again:
        assert "pnpm" in again.context(PROJECT)


def test_a_task_notification_is_not_a_persons_word(memory: Memory) -> None:
    spool_event(memory, "UserPromptSubmit", prompt="<task-notification>always use npm from now on</task-notification>")
    memory.parts.background.drain_spool()

    assert memory.engine.log.read()[0].kind is Kind.SYSTEM


def test_the_log_keeps_a_long_tool_output_whole(memory: Memory) -> None:
    output = "line of output\n" * 20_000
    spool_event(
        memory,
        "PostToolUse",
        tool_name="Bash",
        tool_input={"command": "x"},
        tool_response={"stdout": output},
        tool_use_id="t",
    )
    memory.parts.background.drain_spool()

    assert memory.engine.log.read()[0].text == output


@pytest.mark.parametrize("lines", [1, 3000])
def test_words_that_were_printed_in_colour_are_found_and_the_log_keeps_the_colour(memory: Memory, lines: int) -> None:
    text = "\x1b[31mzanzibar\x1b[0m is red\n" * lines
    memory.observe(text, session="s")

    hit = memory.search("zanzibar")[0]

    assert hit.text.startswith("zanzibar is red")
    assert "\x1b" not in hit.text
    assert memory.engine.log.read()[0].text == text


def test_a_long_note_takes_a_few_times_its_size_and_no_more(memory: Memory) -> None:
    memory.note("A word like any other. " * 40_000)
    memory.search("word")
    memory.parts.item_writer.admit()
    memory.engine.checkpoint()

    assert (memory.workspace.home / "reverie.db").stat().st_size < 10_000_000


@pytest.mark.parametrize("address", ["postgresql://localhost/x", "mysql://x", "", " "])
def test_an_address_that_cannot_be_opened_is_named(address: str) -> None:
    with pytest.raises(BadInput):
        Memory.open(address)


def test_what_is_no_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(BadInput, match="is not a folder; give one"):
            Memory.open(path)
    with pytest.raises(BadInput, match="path of its folder, not int"):
        Memory.open(5)  # type: ignore[arg-type]


@pytest.mark.parametrize("host", ["", "localhost"])
def test_a_file_address_opens_the_folder_that_it_means(tmp_path: Path, env: FakeEnv, host: str) -> None:
    with Memory.open(f"file://{host}{tmp_path}/my%20memory", env=env) as memory:
        assert memory.workspace.home == tmp_path / "my memory"


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("file://nas/share/memory", "names the machine 'nas'"),
        ("file://memory", "names the machine 'memory'"),
        ("file://", "names no folder"),
        ("file:///tmp/%FF", "not UTF-8"),
    ],
)
def test_an_address_that_is_no_folder_of_this_machine_is_refused(address: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        Memory.open(address)


CALLS: dict[str, Callable[[Memory, Any], object]] = {
    "note": lambda memory, value: memory.note(value),
    "observe": lambda memory, value: memory.observe(value),
    "search": lambda memory, value: memory.search(value),
    "search, limit": lambda memory, value: memory.search("x", limit=value),
    "search, filters": lambda memory, value: memory.search("x", filters=[value]),
    "search_by_words": lambda memory, value: memory.parts.word_lookup.search(value),
    "search_by_words, limit": lambda memory, value: memory.parts.word_lookup.search("x", limit=value),
    "assemble_context": lambda memory, value: memory.assemble_context(value),
    "assemble_context, plan": lambda memory, value: memory.assemble_context("x", plan=value),
    "memorize": lambda memory, value: memory.memorize(value),
    "memorize, store": lambda memory, value: memory.memorize("x is y", store=value),
    "track_tool_invocation": lambda memory, value: memory.track_tool_invocation(value, None, "ok"),
    "commit": lambda memory, value: memory.commit([value]),  # type: ignore[arg-type]
    "close_action": lambda memory, value: memory.actions.close(value),
    "forget": lambda memory, value: memory.forget(value),
    "recover": lambda memory, value: memory.recover([value]),
    "show": lambda memory, value: memory.items.get([value]),
    "show, one": lambda memory, value: memory.items.get(value),
    "timeline": lambda memory, value: memory.items.timeline(value),
    "approve": lambda memory, value: memory.items.approve(value),
    "undo_merge": lambda memory, value: memory.maintenance.undo_merge(value),
    "of": lambda memory, value: memory.of(value),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("value", [None, 2.5, b"x", [1], object()], ids=lambda value: type(value).__name__)
def test_a_wrong_type_is_named(memory: Memory, name: str, value: Any) -> None:
    with pytest.raises(ReverieError, match=r"\w"):
        CALLS[name](memory, value)


CLOSED = CALLS | {
    "search, limit": lambda memory, _: memory.search("x", limit=3),
    "search, filters": lambda memory, _: memory.search("x", filters=["project=x"]),
    "search_by_words, limit": lambda memory, _: memory.parts.word_lookup.search("x", limit=3),
    "commit": lambda memory, _: memory.commit({"x": 0.5}),
    "context": lambda memory, _: memory.context(),
    "actions": lambda memory, _: memory.actions.list(),
    "export": lambda memory, _: list(memory.export()),
    "rebuild": lambda memory, _: memory.rebuild(),
}


@pytest.mark.parametrize("name", CLOSED)
def test_after_close_every_call_says_so(memory: Memory, name: str) -> None:
    memory.close()
    memory.close()

    with pytest.raises(StoreClosed, match=r"is closed; open it again with Memory\.open"):
        CLOSED[name](memory, "text:x")


def test_export_holds_everything(memory: Memory) -> None:
    say(memory, "Remind me to rotate the staging keys on Friday.")
    say(memory, "From now on always use pnpm instead of npm.", session="s2")

    tables = [table for table, _ in memory.export()]

    assert {table: tables.count(table) for table in set(tables)} == {
        "observations": 6, "ticks": 4, "learnings": 2, "pending_actions": 1, "sessions": 2,
    }  # fmt: skip


def test_what_a_tool_may_have_written_into_user_md_is_not_told(memory: Memory) -> None:
    say(memory, "From now on always use pnpm instead of npm.")
    path = memory.workspace.user
    spool_event(
        memory, "PostToolUse", "s2", tool_name="Bash", tool_use_id="t9", tool_response={"stdout": ""},
        tool_input={"command": f"sed -i s/pnpm/evil/ {path}"},
    )  # fmt: skip
    path.write_text(path.read_text().replace("pnpm instead of npm", "evil instead of npm"))
    say(memory, "hello", session="s3")

    context = memory.context(PROJECT)

    assert "evil" not in context
    assert "pnpm instead of npm" in context
    assert "evil" in path.read_text()  # it stays for the person to see


def test_a_search_by_words_tells_each_thing_once_and_goes_by_the_words_that_say_something(memory: Memory) -> None:
    memory.note("Lunch is at noon")
    memory.note("My car is parked in the garage on Elm Street")
    memory.parts.background.catch_up(60)
    assert len(memory.engine.learnings.all()) == 2

    for _ in range(2):
        assert [hit.text for hit in memory.parts.word_lookup.search("where is my car")] == [
            "My car is parked in the garage on Elm Street"
        ]
        memory.maintenance.refresh_index()  # the same in a record whose notes have become memories
    assert len(memory.parts.word_lookup.search("car noon")) == 2
    assert memory.parts.word_lookup.search("?!") == []


def test_a_search_by_words_tells_one_of_a_message_and_what_was_learned_from_it(memory: Memory) -> None:
    memory.note("We use Postgres 14. As far as anybody remembers, invoices were in folders in some cellar once")
    memory.parts.background.catch_up(60)
    (learned,) = memory.engine.learnings.all()

    (message,) = memory.parts.word_lookup.search("postgres invoices in the cellar")
    (fact,) = memory.parts.word_lookup.search("postgres", filters=["types=fact"])

    assert (message.id, "folders" in message.text) == (learned.observation_id, True)
    assert (fact.text, fact.sources) == (learned.text, (learned.observation_id,))
    assert len(memory.parts.word_lookup.search("postgres")) == 1


def test_a_line_that_a_person_adds_to_user_md_is_a_note_that_is_found(memory: Memory, env: FakeEnv) -> None:
    path = memory.workspace.user
    path.write_text(path.read_text() + "- I am colour blind\n\n## Work\n\nI ship on Fridays <!-- why not -->\n")
    path.write_text(path.read_text() + "<!-- a comment\nof two lines -->\n")
    before = path.read_text()

    for _ in range(2):
        with Memory.open(memory.workspace.home, env=env) as again:
            assert [it.text for it in again.parts.word_lookup.search("colour blind")] == ["I am colour blind"]
    (note,) = [it for it in memory.engine.log.read() if "colour" in it.text]
    assert (note.kind, note.session, note.source, note.project) == (Kind.NOTE, "user.md", "file", "")
    assert path.read_text() == before
    assert len(memory.engine.log.read()) == 2, "a heading is no note"


def test_a_preference_written_into_user_md_is_learned_and_not_written_there_again(memory: Memory, env: FakeEnv) -> None:
    path = memory.workspace.user
    path.write_text(path.read_text() + "- I prefer tabs for indentation.\n")
    for _ in range(3):
        Memory.open(memory.workspace.home, env=env).close()
        env.pass_time(5)

    assert path.read_text().count("tabs") == 1
    assert any("tabs" in it.text for it in memory.engine.learnings.all())

    path.write_text(path.read_text().replace("- I prefer tabs for indentation.\n", ""))
    Memory.open(memory.workspace.home, env=env).close()
    assert "tabs" not in memory.context(PROJECT)


def test_a_line_that_a_tool_may_have_added_is_no_note(memory: Memory, env: FakeEnv) -> None:
    path = memory.workspace.user
    spool_event(
        memory, "PostToolUse", "s2", tool_name="Bash", tool_use_id="t9", tool_response={"stdout": ""},
        tool_input={"command": f"echo evil >> {path}"},
    )  # fmt: skip
    path.write_text(path.read_text() + "- evil words\n")

    with Memory.open(memory.workspace.home, env=env) as again:
        assert [it.kind for it in again.engine.log.read()] == [Kind.TOOL_CALL]


def test_what_is_wanted_in_one_project_is_told_in_no_other(memory: Memory, env: FakeEnv) -> None:
    for project, text in (
        ("/p/a", "Always use npm in this project."),
        ("/p/b", "Always use pnpm in this project."),
        ("/p/b", "Always answer in German."),
    ):
        memory.observe(text, project=project, session=project)
        env.pass_time(700)
        memory.parts.background.drain_spool()
    memory.parts.background.distil()

    env.pass_time(30 * 86_400)  # the last 48 hours are long over
    assert "use npm" in memory.context("/p/a")
    assert "pnpm" not in memory.context("/p/a")
    assert "pnpm" in memory.context("/p/b")
    assert "npm" not in memory.context("/p/c")
    assert all("German" in memory.context(project) for project in ("/p/a", "/p/b", "/p/c"))
    assert [hit.text for hit in memory.search("npm pnpm", project="/p/c") if "npm" in hit.text] == []


def test_a_folder_that_sqlite_cannot_open_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"not UTF-8.*rename it"):
        Memory.open(tmp_path / "caf\udce9")


def test_by_words_alone_the_one_that_has_them_all_comes_before_what_was_learned_with_some(tmp_path: Path) -> None:
    with Memory.open(tmp_path, env=FakeEnv()) as memory:
        for number in range(12):
            memory.note(f"The release manager for team {number} is person{number}.")
        memory.observe("ERROR quux42: release signature mismatch", kind="assistant_message", session="s")

        assert "quux42" in memory.parts.word_lookup.search("release quux42", limit=10)[0].text


def test_a_commit_ends_the_turns_that_were_observed(tmp_path: Path) -> None:
    env = FakeEnv()
    with Memory.open(tmp_path, env=env) as memory:
        memory.observe("I prefer short answers.", session="chat-1")
        memory.commit()
    with Memory.open(tmp_path, env=env) as memory:
        assert [it.text for it in memory.engine.learnings.preferences()] == ["I prefer short answers"]
