"""What becomes of an event's fields: everything that a tool's answer says can be searched, and nothing is dropped."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie import Memory
from reverie.capture.hook_events import from_event, lift, restore

PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo" * 300}}
ANSWERS: dict[str, Any] = {
    "bilby": {"type": "create", "filePath": "/srv/g.txt", "content": "bilby\n", "originalFile": None},
    "numbat": {"oldString": "wombat", "newString": "numbat", "originalFile": "a wombat and many more words here\n"},
    "quokka": {"mode": "files_with_matches", "filenames": ["src/quokka.py", "src/a/much/longer/path/to/another.py"]},
    "emu": {"results": [{"title": "Emu release notes", "url": "https://x/1"}, {"title": "A second, longer title"}]},
    "cassowary": {"stdout": "everything went well, and took its time", "stderr": "warning: cassowary"},
    "potoroo": [{"type": "text", "text": "the potoroo ticket is open"}, PICTURE],
}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["type", "text", "filePath", "data"]), inner),
    max_leaves=30,
)


@pytest.mark.parametrize("word", ANSWERS)
def test_whatever_a_tool_answers_is_found(word: str, tmp_path: Path) -> None:
    fields = {"session_id": "s", "tool_name": "Tool", "tool_input": {}, "tool_response": ANSWERS[word]}
    with Memory.open(tmp_path) as memory:
        memory.parts.ingest.store([from_event("PostToolUse", fields, occurred_ms=memory.env.now_ms(), project="")])

        assert [hit for hit in memory.search(word) if word in hit.text.lower()]
        assert memory.parts.word_lookup.search(word), "also where no index is loaded"


def test_a_picture_is_not_text() -> None:
    assert lift(ANSWERS["potoroo"])[0] == "the potoroo ticket is open"


@given(json_values)
def test_an_answer_can_be_put_together_again(answer: Any) -> None:
    assert restore(*lift(answer)) == answer


@pytest.mark.parametrize("event", ["PreToolUse", "PermissionRequest", "StopFailure", "PostToolUseFailure", "Unheard"])
def test_a_field_that_no_reader_has_a_place_for_is_kept(event: str) -> None:
    fields = {"session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": "half of it"}
    fields |= {"error": "it broke", "last_assistant_message": "so far", "prompt": "go on"}

    kept = from_event(event, fields, occurred_ms=1, project="")

    shown = f"{kept.text} {kept.tool} {kept.metadata}"
    for words in ("Bash", "'command': 'ls'", "half of it", "it broke", "so far", "go on"):
        assert words in shown
