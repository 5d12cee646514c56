"""The tools of a conversation: definitions only ever grow at the end, essential ones stay, idle ones go when it is free."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.engines.sqlite import SqliteEngine
from reverie.errors import BadInput
from reverie.records import JSON
from reverie.records.conversation_values import Moment
from reverie.records.prompt_inputs import IDLE_TURNS, LoadedTools
from reverie.tools.toolbox import ToolBox
from tools.made import an_engine, at

NAMES = ("weather", "calendar", "email", "music", "lights")
ESSENTIAL = frozenset({"calendar"})


@dataclass(frozen=True)
class Echo:
    """A tool of somebody else's: it only has to look like one."""

    name: str
    description: str = "Says what it was given."
    hints: str = ""
    input_schema: Mapping[str, JSON] = None  # type: ignore[assignment]

    def run(self, arguments: Mapping[str, JSON], moment: Moment) -> JSON:
        return {"said": dict(arguments), "turn": moment.turn}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteEngine]:
    made = an_engine(tmp_path_factory.mktemp("tools"))
    yield made
    made.close()


@pytest.fixture(scope="module")
def loaded(engine: SqliteEngine) -> LoadedTools:
    return engine.loaded_tools


@pytest.fixture
def box(loaded: LoadedTools) -> ToolBox:
    for tool in loaded.all("c1"):
        loaded.remove("c1", tool.name)
    return a_box(loaded)


def a_box(loaded: LoadedTools) -> ToolBox:
    tools = [Echo(name, hints=f"About {name}.") for name in NAMES]
    return ToolBox(tools, loaded, ESSENTIAL)


def told(box: ToolBox, continuum_id: str = "c1") -> list[str]:
    return [one.name for one in box.definitions(continuum_id)]


def test_a_conversation_begins_with_the_essential_tools(box: ToolBox) -> None:
    assert told(box) == ["tool_repo", "calendar"]
    assert [note.name for note in box.state("c1").available] == ["tool_repo", *NAMES]
    assert all(tool.is_essential for tool in box.state("c1").loaded)


def test_tools_stand_in_the_order_in_which_they_were_loaded(box: ToolBox, loaded: LoadedTools) -> None:
    box.load("c1", "music", 1)
    box.load("c1", "email", 2)
    box.used("c1", "music", 3)
    box.load("c1", "music", 4)

    assert told(box) == ["tool_repo", "calendar", "music", "email"]
    assert told(a_box(loaded)) == told(box)  # after a restart
    assert told(box, "another") == ["tool_repo", "calendar"]


def test_a_model_loads_tools_itself(box: ToolBox) -> None:
    def repo(**arguments: JSON) -> JSON:
        return box.run("c1", "tool_repo", arguments, at(turn=2))

    assert repo(operation="load", names=["weather", "email"]) == {
        "loaded": {"weather": "About weather.", "email": "About email."}
    }
    assert repo(operation="list")["loaded"] == ["calendar", "email", "tool_repo", "weather"]
    assert list(repo(operation="list")["available"]) == ["music", "lights"]
    assert repo(operation="hints", name="lights") == {"name": "lights", "hints": "About lights."}
    with pytest.raises(BadInput, match="did you mean weather"):
        repo(operation="load", names=["music", "wether"])
    assert "music" not in told(box)  # all or none


def test_what_a_model_lets_go_stays_until_the_prefix_breaks(box: ToolBox) -> None:
    box.load("c1", "music", 1)
    before = box.definitions("c1")

    answer = box.run("c1", "tool_repo", {"operation": "unload", "name": "music"}, at(turn=2))

    assert "next change" in answer["when"]
    assert box.definitions("c1") == before
    assert box.clean_up("c1", 2, may_break=False) == ()
    assert box.clean_up("c1", 2, may_break=True) == ("music",)
    with pytest.raises(BadInput, match="essential and stays"):
        box.run("c1", "tool_repo", {"operation": "unload", "name": "calendar"}, at())


def test_a_call_goes_to_the_tool_and_counts_as_use(box: ToolBox) -> None:
    box.load("c1", "music", 1)

    assert box.run("c1", "music", {"song": "x"}, at(turn=6)) == {"said": {"song": "x"}, "turn": 6}
    assert box.clean_up("c1", 11, may_break=True) == ()
    assert box.clean_up("c1", 12, may_break=True) == ("music",)


def test_a_call_of_what_is_not_there_says_what_is(box: ToolBox) -> None:
    with pytest.raises(BadInput, match="did you mean music"):
        box.run("c1", "musik", {}, at())
    with pytest.raises(BadInput, match="there are tool_repo, weather"):
        box.run("c1", "zzz", {}, at())
    with pytest.raises(BadInput, match='"music" is not loaded; load it first'):
        box.run("c1", "music", {}, at())


def test_fallback_lends_everything_for_a_turn(box: ToolBox) -> None:
    box.load("c1", "email", 1)

    assert box.fallback("c1", 3) == ("weather", "music", "lights")
    assert box.state("c1").fallback
    box.run("c1", "lights", {}, at(turn=3))
    assert box.clean_up("c1", 4, may_break=True) == ()
    assert box.clean_up("c1", 5, may_break=True) == ("weather", "music")
    assert told(box)[2:] == ["email", "lights"]  # what was used has proved itself
    assert not box.state("c1").fallback


def test_a_tool_that_is_gone_from_the_box_is_left_out(loaded: LoadedTools, box: ToolBox) -> None:
    box.load("c1", "music", 1)
    box.load("c1", "email", 1)

    smaller = ToolBox([Echo("calendar"), Echo("email")], loaded, ESSENTIAL)

    assert told(smaller) == ["tool_repo", "calendar", "email"]


def test_two_tools_of_one_name_are_refused(loaded: LoadedTools) -> None:
    with pytest.raises(BadInput, match='two tools are called "music"'):
        ToolBox([Echo("music"), Echo("music")], loaded, frozenset())


def test_an_essential_tool_that_a_profile_leaves_out_is_no_error(loaded: LoadedTools) -> None:
    box = ToolBox([Echo("music")], loaded, frozenset({"memory", "music"}))

    assert told(box, "fresh") == ["tool_repo", "music"]


def test_users_do_not_share_what_is_loaded(tmp_path: Path) -> None:
    ana, ben = an_engine(tmp_path), an_engine(tmp_path, "ben")
    a_box(ana.loaded_tools).load("c1", "music", 1)

    assert told(a_box(ben.loaded_tools)) == ["tool_repo", "calendar"]
    ana.close()
    ben.close()


STEPS = st.lists(
    st.tuples(st.sampled_from(["load", "used", "run", "let_go", "fallback", "tidy", "turn"]), st.sampled_from(NAMES)),
    max_size=30,
)


def step(box: ToolBox, what: str, name: str, turn: int) -> None:
    """One thing that happens inside a segment."""
    if what == "load":
        box.load("h", name, turn)
    elif what == "used":
        box.used("h", name, turn)
    elif what == "run":
        box.run("h", name, {}, at(turn=turn, continuum="h"))
    elif what == "let_go":
        box.let_go("h", name, turn)
    elif what == "fallback":
        box.fallback("h", turn)
    elif what == "tidy":
        box.clean_up("h", turn, may_break=False)


@settings(max_examples=100, deadline=None)
@given(st.lists(STEPS, max_size=4))
def test_definitions_only_grow_at_the_end_while_a_segment_lasts(
    engine: SqliteEngine, segments: list[list[tuple[str, str]]]
) -> None:
    loaded = engine.loaded_tools
    with engine.write():  # one transaction for the whole example: a sync for each step would take most of the time
        for tool in loaded.all("h"):
            loaded.remove("h", tool.name)
        turn = 0
        last_use: dict[str, int] = {}  # of what was asked for; lent tools are not in it
        for steps in segments:
            for what, name in steps:
                turn += what == "turn"
                one_step(loaded, what, name, turn, last_use)
            gone = at_the_break(loaded, turn, last_use)
            last_use = {name: used for name, used in last_use.items() if name not in gone}


def one_step(loaded: LoadedTools, what: str, name: str, turn: int, last_use: dict[str, int]) -> None:
    box = a_box(loaded)  # as if the process had just begun
    before = told(box, "h")
    try:
        step(box, what, name, turn)
    except BadInput:
        assert told(box, "h") == before
        return
    after = told(box, "h")
    assert after[: len(before)] == before
    assert len(set(after)) == len(after)
    if what == "load" or (what in ("used", "run") and name in before):
        last_use[name] = turn
    elif what == "let_go":
        last_use.pop(name, None)


def at_the_break(loaded: LoadedTools, turn: int, last_use: dict[str, int]) -> tuple[str, ...]:
    box = a_box(loaded)
    before = told(box, "h")
    gone = box.clean_up("h", turn, may_break=True)
    assert told(box, "h") == [name for name in before if name not in gone]
    assert told(box, "h")[:2] == ["tool_repo", "calendar"]  # essential ones are never gone
    for name in before[2:]:
        if name in last_use:
            assert (name in gone) == (turn - last_use[name] > IDLE_TURNS)
    return gone
