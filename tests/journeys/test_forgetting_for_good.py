"""Forgotten for good is gone: from every table and file, in every script, whoever is at work meanwhile; and no more."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from reverie.continuum import collapse as collapsing
from reverie.engines.valkey import ValkeySections
from reverie.errors import BadInput, StaleVersion
from reverie.events import TrinketContentEvent
from reverie.memory import Memory
from reverie.records import Filters
from reverie.records.conversation_values import Message, Request, Segment, SegmentState
from reverie.settings import ComposeSettings, ModelSettings, PersonSettings, Settings
from reverie.shells.cli.exit_codes import OWED
from reverie.shells.cli.main import cli
from reverie.testing import CannedModel, FakeEnv, ScriptedConverser
from support.valkey import running_valkey

SETTINGS = Settings(person=PersonSettings(first_name="Ana", time_zone="Europe/Berlin"))
WITH_MODEL = replace(SETTINGS, model=ModelSettings(provider="anthropic", name="claude-haiku-4-5", daily_dollars=1.0))
NAMES = ["Quuxberry", "Наталья", "Ünalkrank", "Zoë Müllerhaus", "夏目漱石"]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def memory(home: Path, env: FakeEnv) -> Iterator[Memory]:
    with Memory.open(home, env=env, settings=SETTINGS) as opened:
        yield opened


def places(memory: Memory, home: Path, word: str) -> list[str]:
    """Every table and file in which a word still stands, as it is or escaped."""
    forms = {form for one in (word, word.lower(), word.upper()) for form in (one, json.dumps(one)[1:-1])}
    tables = [row[0] for row in memory.engine.database.rows("SELECT name FROM sqlite_master WHERE type = 'table'")]
    found = []
    for table in tables:
        if not table.startswith("sqlite_") and "_fts" not in table:
            told = [str(value) for row in memory.engine.database.rows(f"SELECT * FROM {table}") for value in row]
            found += [table] if any(form in one for form in forms for one in told) else []
    for file in home.rglob("*"):
        if file.is_file():
            data = file.read_bytes()
            found += [file.name] if any(form.encode() in data for form in forms) else []
    return found


def fill_the_inputs(memory: Memory, name: str) -> None:
    memory.reminders.add(f"call {name}", "tomorrow at 9")
    memory.punchclock.start(f"work for {name}")
    memory.documents.create("garden", "Garden")
    memory.documents.create_section("garden", "Roses", f"{name} planted them")
    memory.goals.add(f"thank {name}")
    memory.goals.ask(f"where does {name} live?")


# ---- words


@pytest.mark.parametrize("name", NAMES)
def test_a_name_in_any_script_is_gone_from_every_table_and_file(memory: Memory, home: Path, name: str) -> None:
    fill_the_inputs(memory, name)
    model = ScriptedConverser(("memory", {"operation": "search", "query": name}), f"ok {name}", f"I see {name}", "fine")
    conversation = memory.continuum(converser=model)
    conversation.send(f"My doctor is {name} and I like her")
    conversation.send(f"Who is {name.upper()}?")
    conversation.collapse()
    conversation.send("Something else, please")
    assert {"reminders", "punchclock", "domaindoc_sections", "observations"} <= set(places(memory, home, name))

    done = memory.forget(f'text:"{name}"', hard=True)

    assert places(memory, home, name) == []
    conversation.send("And what now?")
    assert name not in repr(model.requests[-1])
    kinds = [line.split(' "')[0] for line in done.beside]
    assert kinds == ["goal", "question", "reminder", "punchclock entry", "section"]


def test_a_word_is_not_forgotten_inside_another_word(memory: Memory) -> None:
    memory.reminders.add("start the heart medication", "tomorrow at 9")
    memory.documents.create("house", "House")
    memory.documents.create_section("house", "Heating", "Start the boiler; the partner company is Artemis.")
    memory.observe("I like art a lot")

    done = memory.forget('text:"art"', hard=True)

    assert (done.items, done.beside) == (1, ())
    assert [one.title for one in memory.engine.reminders.all()] == ["start the heart medication"]
    assert [one.header for one in memory.documents.document("house").sections] == ["Heating"]


def test_who_looks_first_is_told_everything_that_would_go_and_nothing_goes(memory: Memory) -> None:
    fill_the_inputs(memory, "Quuxberry")
    memory.observe("Quuxberry called")

    would = memory.forget("text:Quuxberry", hard=True, dry_run=True)

    assert memory.search("Quuxberry")
    assert memory.engine.reminders.all()
    assert memory.forget("text:Quuxberry", hard=True) == would
    assert 'reminder "call Quuxberry"' in would.beside
    assert 'section "Roses" of document "garden"' in would.beside


def test_a_session_that_is_forgotten_leaves_reminders_and_documents_alone(memory: Memory) -> None:
    fill_the_inputs(memory, "Quuxberry")
    memory.observe("Quuxberry called", session="s")

    assert memory.forget("session:s", hard=True).beside == ()
    assert memory.engine.reminders.all()
    assert memory.documents.document("garden").sections


def test_everything_means_everything(memory: Memory, home: Path) -> None:
    fill_the_inputs(memory, "Quuxberry")
    model = ScriptedConverser(("memory", {"operation": "search", "query": "Quuxberry"}), "ok")
    memory.continuum(converser=model).send("Quuxberry called")

    memory.forget("all", hard=True)

    assert places(memory, home, "Quuxberry") == []
    assert memory.engine.log.read() == []
    assert memory.engine.documents.all() == []


# ---- what looked into memory


def test_what_a_search_answered_is_no_memory(memory: Memory) -> None:
    model = ScriptedConverser("noted", ("memory", {"operation": "search", "query": "doctor"}), "The one you named")
    conversation = memory.continuum(converser=model)
    conversation.send("My doctor is Dr. Quuxberry in Lisbon")
    conversation.send("who is my doctor?")
    memory.parts.background.catch_up()
    memory.maintenance.refresh_index()

    assert "tool_result" not in {item.type.value for item in memory.engine.items.select(Filters())}
    assert [hit.what for hit in memory.parts.word_lookup.search("similarity")] == []
    shown = [one.text for one in model.requests[-1].messages if one.role.value == "tool"]
    assert "Quuxberry" in shown[0]  # the conversation itself has it


def test_a_message_that_is_forgotten_goes_from_what_searches_answered(memory: Memory, home: Path) -> None:
    search = ("memory", {"operation": "search", "query": "doctor"})
    model = ScriptedConverser("noted", search, "The one you named", "x")
    conversation = memory.continuum(converser=model)
    conversation.send("My doctor is Dr. Quuxberry in Lisbon")
    conversation.send("who is my doctor?")
    conversation.collapse()
    conversation.send("doctor in Lisbon?")
    said = next(one for one in memory.engine.log.read() if "Quuxberry in" in one.text)

    memory.forget(f"id:{said.id}", hard=True)

    assert places(memory, home, "Quuxberry") == []
    conversation.send("who is my doctor in Lisbon?")
    assert "Quuxberry" not in repr(model.requests[-1])


def test_words_that_a_tool_was_called_with_are_found_and_forgotten(memory: Memory, home: Path) -> None:
    load = ("tool_repo", {"operation": "load", "names": ["get_context"]})
    asked = ("get_context", {"operation": "search", "query": "zanzibarquux clinic"})
    model = ScriptedConverser(load, asked, "ok", "ok")
    conversation = memory.continuum(converser=model)
    conversation.send("look up that clinic")
    memory.track_tool_invocation("Bash", {"timeout": "5\ud800\0", "command": "grep Zanzibarquux notes"}, "nothing")

    done = memory.forget("text:zanzibarquux", hard=True)

    assert done.observations == 2
    assert places(memory, home, "zanzibarquux") == []
    conversation.send("what now")
    assert "zanzibarquux" not in repr(model.requests[-1])
    assert "look up that clinic" in repr(model.requests[-1])


@pytest.mark.parametrize("word", ["query", "project", "fact", "auto", "shop"])
def test_what_only_our_book_keeping_says_is_not_meant(memory: Memory, word: str) -> None:
    memory.track_tool_invocation("Read", {"query": "opening hours"}, "from nine to five", project="/work/shop")
    memory.observe("the door is green", session="s", project="/work/shop", metadata={"cwd": "/work/shop"})
    memory.memorize("The staging port is 8080", type="fact")

    assert memory.forget(f"text:{word}", hard=True).observations == 0
    assert len(memory.engine.log.read()) == 2
    assert "8080" in memory.search("staging port")[0].text


# ---- documents


@pytest.fixture
def house(memory: Memory) -> Memory:
    documents = memory.documents
    documents.create("house", "House")
    documents.create_section("house", "Boiler", "made by Quuxberry")
    documents.create_section("house", "Service", "serviced in May", parent="Boiler")
    documents.create_section("house", "Bill", "paid to quuxberry", parent="Boiler")
    documents.create_section("house", "Roof", "tiles")
    documents.append("house", "Roof", "Quuxberry looked at them")
    documents.replace_section("house", "Roof", "tiles, red")
    return memory


def test_a_section_goes_and_what_stood_below_it_moves_up(house: Memory, home: Path) -> None:
    house.forget("text:Quuxberry", hard=True)

    overview = house.documents.overview("house")
    assert [one["section"] for one in overview["sections"]] == ["Service", "Roof"]
    assert house.documents.search("serviced")[0]["section"] == "Service"
    assert places(house, home, "Quuxberry") == []


def test_every_version_is_kept_but_for_what_is_forgotten(house: Memory) -> None:
    house.forget("text:Quuxberry", hard=True)

    history = house.documents.history("house")
    assert [one.operation for one in history][:2] == ["forget", "replace_section"]
    assert "forgotten for good" in history[1].diff
    # In version 6 the section on the roof said it; in version 5 it did not yet, and comes back.
    house.documents.undo("house", 6)
    assert [(one.header, one.content) for one in house.documents.document("house").sections][-1] == ("Roof", "tiles")


def test_a_section_is_gone_also_where_the_way_to_older_versions_is_broken(house: Memory, home: Path) -> None:
    house.engine.database.execute("DELETE FROM domaindoc_versions WHERE version > 5")

    house.forget("text:Quuxberry", hard=True)

    assert places(house, home, "Quuxberry") == []
    assert [one.header for one in house.documents.document("house").sections] == ["Service", "Roof"]


def test_what_only_older_versions_say_is_named_too(house: Memory) -> None:
    house.documents.delete("house", "Boiler")

    would = house.forget("text:Quuxberry", hard=True, dry_run=True)

    assert would.beside == ('name or older versions of document "house"',)


def test_who_edits_the_document_as_it_was_is_told_that_it_has_changed(house: Memory) -> None:
    before = house.documents.document("house")
    house.forget("text:Quuxberry", hard=True)

    with pytest.raises(StaleVersion):
        house.engine.documents.put(before, house.documents.history("house")[0], before.version)


def test_an_undo_that_could_only_bring_back_what_is_forgotten_says_so(house: Memory) -> None:
    house.forget("text:Quuxberry", hard=True)

    with pytest.raises(BadInput, match="forgotten"):
        house.documents.undo("house")


def test_a_document_that_is_called_by_it_keeps_the_rest_under_another_name(memory: Memory, home: Path) -> None:
    memory.documents.create("dr-quuxberry", "Dr Quuxberry", "all about Quuxberry")
    memory.documents.create_section("dr-quuxberry", "Tea", "likes Earl Grey")

    memory.forget("text:Quuxberry", hard=True)

    (document,) = memory.engine.documents.all()
    assert document.sections[0].content == "likes Earl Grey"
    assert document.title == document.name
    assert places(memory, home, "Quuxberry") == []


# ---- while others are at work


@contextmanager
def another(home: Path, env: FakeEnv, settings: Settings = SETTINGS) -> Iterator[Memory]:
    """A second opener of the same folder, as another process is."""
    with Memory.open(home, env=env, settings=settings, catch_up=False) as opened:
        yield opened


def forget_elsewhere(home: Path, env: FakeEnv, scope: str = "text:Quuxberry") -> None:
    with another(home, env) as other:
        other.forget(scope, hard=True)


def told_of_the_doctor(memory: Memory) -> None:
    conversation = memory.continuum(converser=ScriptedConverser("noted"))
    conversation.send("My doctor is Dr. Quuxberry in Lisbon")
    conversation.send("and the weather is fine")
    conversation.collapse()


def test_a_turn_that_runs_does_not_write_down_what_is_forgotten_meanwhile(
    memory: Memory, home: Path, env: FakeEnv
) -> None:
    told_of_the_doctor(memory)

    def during(request: Request) -> str:
        assert "Quuxberry" in repr(request)
        forget_elsewhere(home, env)
        return "a reply that says nothing"

    model = ScriptedConverser(during, ("tool_repo", {"operation": "load", "names": ["reminders"]}), "fine")
    conversation = memory.continuum(converser=model)
    conversation.send("who is my doctor?")
    assert places(memory, home, "Quuxberry") == []

    conversation.send("thanks")
    assert "Quuxberry" not in repr(model.requests[-1])
    assert places(memory, home, "Quuxberry") == []
    addresses = [block.address for block in memory.engine.ledger.entries("main")[-1].blocks]
    assert any(memory.engine.ledger.text(one) for one in addresses)  # what is composed since is kept


def test_a_second_request_of_the_turn_does_not_write_it_down_either(memory: Memory, home: Path, env: FakeEnv) -> None:
    told_of_the_doctor(memory)

    def during(_: Request) -> tuple[str, dict[str, object]]:
        forget_elsewhere(home, env)
        return "tool_repo", {"operation": "load", "names": ["reminders"]}

    memory.continuum(converser=ScriptedConverser(during, "fine")).send("who is my doctor?")

    assert places(memory, home, "Quuxberry") == []


def forget_once_it_is_said(memory: Memory, forget: Callable[[], None]) -> list[Callable[[], None]]:
    """Forget while a prompt is composed: its inputs are read, its reminders are told, and nothing is written yet."""
    todo = [forget]

    def hear(event: TrinketContentEvent) -> None:
        if todo and "Quuxberry" in event.content:
            todo.pop()()

    memory.parts.continuums.bus.subscribe("TrinketContentEvent", hear)
    return todo


def test_a_prompt_that_was_composed_before_leaves_no_section_behind(memory: Memory, home: Path, env: FakeEnv) -> None:
    memory.reminders.add("call Quuxberry", "tomorrow at 9")
    conversation = memory.continuum(converser=ScriptedConverser("ok"))
    todo = forget_once_it_is_said(memory, lambda: forget_elsewhere(home, env))

    conversation.send("hello")

    assert todo == []
    assert places(memory, home, "Quuxberry") == []


def test_after_others_forgot_something_the_next_turn_writes_down_what_is_true(
    memory: Memory, home: Path, env: FakeEnv
) -> None:
    conversation = memory.continuum(converser=ScriptedConverser("ok"))
    conversation.send("Quuxberry called")
    before = set(memory.engine.sections.all())
    forget_elsewhere(home, env)
    assert memory.engine.sections.all() == {}

    conversation.send("hello")

    assert "soul" in before
    assert set(memory.engine.sections.all()) >= before - {"relevant_memories"}


def test_a_summary_that_was_made_before_is_not_kept(memory: Memory, home: Path, env: FakeEnv, monkeypatch) -> None:
    conversation = memory.continuum(converser=ScriptedConverser("noted"))
    conversation.send("My doctor is Dr. Quuxberry in Lisbon")
    conversation.send("and the weather is fine")
    for step in ("_summarised", "_embedded"):
        _forgetting_after(step, monkeypatch, lambda: forget_elsewhere(home, env))

    segment = conversation.collapse()

    assert segment.state is SegmentState.COLLAPSED
    assert segment.title == "and the weather is fine"
    assert "weather" in segment.summary
    assert places(memory, home, "Quuxberry") == []


def test_without_the_check_the_summary_would_be_kept(memory: Memory, home: Path, env: FakeEnv, monkeypatch) -> None:
    """The negative control: the version is what tells."""
    conversation = memory.continuum(converser=ScriptedConverser("noted"))
    conversation.send("My doctor is Dr. Quuxberry in Lisbon")
    _forgetting_after("_summarised", monkeypatch, lambda: forget_elsewhere(home, env))
    put = type(memory.engine.conversations).put_segment
    monkeypatch.setattr(
        type(memory.engine.conversations), "put_segment", lambda self, segment, version=None: put(self, segment)
    )

    conversation.collapse()

    assert "segments" in places(memory, home, "Quuxberry")


def _forgetting_after(step: str, monkeypatch, forget) -> None:
    """Let a collapse pause after a step, and forget then, once."""
    original, todo = getattr(collapsing, step), [forget]

    def slow(memory: Memory, segment: Segment, *rest: list[Message]) -> Segment:
        done = original(memory, segment, *rest)
        if todo:
            todo.pop()()
        return done

    monkeypatch.setattr(collapsing, step, slow)


def test_what_a_model_learns_of_a_turn_is_not_kept_if_some_of_it_was_forgotten_meanwhile(
    home: Path, env: FakeEnv, monkeypatch
) -> None:
    with Memory.open(home, env=env, settings=WITH_MODEL) as memory:
        memory.observe("My doctor is Dr. Quuxberry", session="s", kind="user_message")
        memory.observe("I will call them", session="s", kind="assistant_message")
        memory.engine.log.close_turn("s")
        memory.parts.background.distil()
        model = CannedModel(["FACT [o2] (0.9): Dr. Quuxberry is called by the assistant", "NONE"])
        forget_while_asked(model, home, env, monkeypatch)

        assert memory.parts.background.ask_model().failed == 1
        assert places(memory, home, "Quuxberry") == []


def test_what_a_model_tells_of_a_session_is_not_kept_either(home: Path, env: FakeEnv, monkeypatch) -> None:
    with Memory.open(home, env=env, settings=WITH_MODEL) as memory:
        for number in range(12):
            text = f"{number}: the doctor Quuxberry wants to see the results of the test " + "in a week or two " * 20
            memory.observe(text if number == 5 else text.replace("Quuxberry", ""), session="s", kind="user_message")
        model = CannedModel(["Dr. Quuxberry wants to see the results."])
        forget_while_asked(model, home, env, monkeypatch)

        memory.maintenance.compact("s")

        assert model.prompts
        assert places(memory, home, "Quuxberry") == []


def forget_while_asked(model: CannedModel, home: Path, env: FakeEnv, monkeypatch) -> None:
    asked = model.ask

    def during(prompt):
        if not model.prompts:
            forget_elsewhere(home, env)
        return asked(prompt)

    monkeypatch.setattr(model, "ask", during)
    monkeypatch.setattr("reverie.models.remote.connect", lambda *_: model)


# ---- afterwards


def test_a_conversation_is_told_again_without_what_was_forgotten(memory: Memory) -> None:
    conversation = memory.continuum(converser=ScriptedConverser("noted"))
    for number in range(6):
        conversation.send(f"We decided on plan {number} for the garden house with Ana")
    conversation.send("my pin is banana")
    before = conversation.collapse()

    memory.forget("text:banana", hard=True)

    after = memory.engine.conversations.segment(before.id)
    assert after.title == before.title
    assert "garden house" in after.summary
    assert after.state is SegmentState.COLLAPSED
    assert after.done == before.done


def test_what_is_forgotten_goes_from_every_conversation_that_has_a_copy(memory: Memory, home: Path) -> None:
    """Also from what a copy's segment is called and summarised by, though nothing was said there by itself."""
    conversation = memory.continuum(converser=ScriptedConverser("noted"))
    conversation.send("We decided on plan one for the garden house with Ana")
    conversation.send("My doctor is Quuxberry and I like her")
    here = conversation.segments.open()
    assert here
    conversations = memory.engine.conversations
    now = memory.env.now_ms()
    copies = []
    for name, start in (("branch", 0), ("sub-agent", 2)):
        copy = Segment(id=f"{name}-1", continuum_id=name, state=SegmentState.ACTIVE, began_ms=now, last_ms=now)
        conversations.put_segment(copy)
        for message in conversations.messages("main", here.id)[start:]:
            conversations.add(name, replace(message, segment_id=copy.id))
        copies.append(memory.continuum(name).collapse())
    assert all("Quuxberry" in str(copy) for copy in copies)

    memory.forget("text:Quuxberry", hard=True)

    assert places(memory, home, "Quuxberry") == []
    assert conversations.messages("branch", "branch-1")[0].text.endswith("garden house with Ana")
    assert "garden house" in str(conversations.segment("branch-1"))
    assert [one.state for one in conversations.all_segments()].count(SegmentState.COLLAPSED) == 2


def test_of_a_conversation_of_which_nothing_is_left_nothing_is_told(memory: Memory) -> None:
    conversation = memory.continuum(converser=ScriptedConverser("noted"))
    conversation.send("my pin is banana")
    segment = conversation.collapse()

    memory.forget(f"session:{segment.id}", hard=True)

    after = memory.engine.conversations.segment(segment.id)
    assert (after.title, after.summary) == ("", "")
    assert collapsing.collapse_silent(memory.parts.for_conversations) == 0


# ---- the command


def command(home: Path, *words: str) -> Result:
    return CliRunner().invoke(cli, ["--home", str(home), "forget", "--hard", *words])


def test_the_command_names_what_goes_beside_memories(memory: Memory, home: Path) -> None:
    memory.reminders.add("call Quuxberry", "tomorrow at 9")

    looked = command(home, "--dry-run", "text:Quuxberry")
    assert looked.output == 'and with it: reminder "call Quuxberry"\n'
    told = json.loads(command(home, "--dry-run", "--json", "text:Quuxberry").output)
    assert (told["beside"], told["memories"], told["done"]) == (['reminder "call Quuxberry"'], [], False)
    assert memory.engine.reminders.all()

    assert 'forgotten with it: reminder "call Quuxberry"' in command(home, "--yes", "text:Quuxberry").output
    assert memory.engine.reminders.all() == []
    assert command(home, "--dry-run", "text:Quuxberry").output == "nothing matches that\n"


def test_the_command_says_what_is_still_elsewhere(memory: Memory, home: Path) -> None:
    memory.observe("Quuxberry called")
    (home / "reverie.toml").write_text('[compose]\nstate = "valkey"\nvalkey_url = "redis://127.0.0.1:1/0"\n')

    done = command(home, "--yes", "text:Quuxberry")

    assert done.exit_code == OWED
    assert "1 memory gone from the record, but not yet from everywhere" in done.output
    assert "DEL trinkets:local" in done.stderr


# ---- Valkey


def over_valkey(url: str) -> Settings:
    return replace(SETTINGS, compose=ComposeSettings(state="valkey", valkey_url=url, valkey_ms=2_000))


def talked_over_valkey(home: Path, env: FakeEnv, settings: Settings) -> None:
    with Memory.open(home, env=env, settings=settings) as memory:
        memory.reminders.add("call Quuxberry", "tomorrow at 9")
        memory.continuum(converser=ScriptedConverser("ok")).send("hello")


def test_what_valkey_has_is_cleared_also_where_nobody_talked(home: Path, env: FakeEnv, tmp_path: Path) -> None:
    with running_valkey(tmp_path) as server:
        settings, states = over_valkey(server.url), ValkeySections(server.url, "local", 5_000, env.monotonic)
        talked_over_valkey(home, env, settings)
        assert "Quuxberry" in str(states.all())

        with another(home, env, settings) as other:
            assert other.forget("text:Quuxberry", hard=True).warnings == ()

        assert states.all() == {}


def test_a_valkey_that_cannot_be_reached_is_cleared_later_and_the_person_told_at_once(
    home: Path, env: FakeEnv, tmp_path: Path
) -> None:
    with running_valkey(tmp_path) as server:
        settings, states = over_valkey(server.url), ValkeySections(server.url, "local", 5_000, env.monotonic)
        talked_over_valkey(home, env, settings)
        with another(home, env, over_valkey("redis://127.0.0.1:1/0")) as other:
            (warning,) = other.forget("text:Quuxberry", hard=True).warnings
        assert "DEL trinkets:local" in warning
        assert "Quuxberry" in str(states.all())

        with another(home, env, settings) as other:
            other.continuum(converser=ScriptedConverser("ok")).send("hello again")
            assert "Quuxberry" not in str(states.all())
            assert states.all()  # what is true now was written anew
            assert not other.engine.owes("sections in Valkey")


def test_a_turn_that_runs_does_not_write_it_to_valkey_either(home: Path, env: FakeEnv, tmp_path: Path) -> None:
    with running_valkey(tmp_path) as server:
        settings, states = over_valkey(server.url), ValkeySections(server.url, "local", 5_000, env.monotonic)
        with Memory.open(home, env=env, settings=settings) as memory:
            memory.reminders.add("call Quuxberry", "tomorrow at 9")
            conversation = memory.continuum(converser=ScriptedConverser("ok"))

            def forget() -> None:
                with another(home, env, settings) as other:
                    other.forget("text:Quuxberry", hard=True)

            todo = forget_once_it_is_said(memory, forget)
            conversation.send("hello")

        assert todo == []
        assert "Quuxberry" not in str(states.all())
