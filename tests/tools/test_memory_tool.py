"""The memory tool: a real memory through one call, a line at a time."""

import pytest

from reverie.errors import BadInput
from reverie.memory import Memory
from reverie.records import JSON
from reverie.tools.memory_tool import MemoryTool
from tools.made import at


@pytest.fixture
def tool(memory: Memory) -> MemoryTool:
    return MemoryTool(memory.search, memory.items.get, memory.note, memory.items.timeline)


def ask(tool: MemoryTool, **arguments: JSON) -> JSON:
    return tool.run(arguments, at())


def test_what_was_noted_is_found_in_one_line_and_shown_whole(tool: MemoryTool) -> None:
    text = "The CI runs on Buildkite, in the eu-west region.\n" + "More about it. " * 40
    ask(tool, operation="note", text="Ana's dog is called Pixel")
    ask(tool, operation="note", text=text)

    lines = ask(tool, operation="search", query="where does the CI run?", limit=1)

    assert len(lines) == 1
    assert "The CI runs on Buildkite" in lines[0]
    assert "\n" not in lines[0]
    assert len(lines[0]) < 300
    found = lines[0].split()[0]
    assert ask(tool, operation="show", id=found)["text"].startswith("The CI runs on Buildkite")
    around = ask(tool, operation="timeline", id=found)
    assert ["Pixel" in line for line in around] == [True, False]


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"operation": "search", "query": " "}, "some words"),
        ({"operation": "search", "query": "x", "limit": 21}, "1 to 20"),
        ({"operation": "show", "id": "nope"}, "no memory has the id nope"),
        ({"operation": "timeline", "id": "nope"}, "no memory has the id nope"),
        ({"operation": "note", "text": ""}, "nothing to note"),
        ({"operation": "forget", "id": "x"}, "has no operation"),
    ],
)
def test_what_cannot_be_done_says_why(tool: MemoryTool, given: dict[str, JSON], problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        tool.run(given, at())
