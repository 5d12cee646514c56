"""Secrets of every kind, said in every way there is, and then a search: through every file, every answer, every request.

Each one that was planted must be nowhere: not in the spool before anybody has looked at it, not in the database or its
log, not in files for people, and not in what a model is asked. How well each kind is recognised is asked elsewhere
(tests/capture); whatever a door keeps that its neighbours do not is found here.
"""

import asyncio
import json
from collections.abc import Iterable, Iterator

import pytest

from redact.secret_corpus import Secret, secrets
from reverie import Memory, create_hook_callbacks
from support.client import REVERIE, Place, fresh_place, steward, wait_until
from support.hooks import spool_event
from support.scripted_model import ScriptedModel

OF_EACH_KIND = 5
SHORTEST = 8  # characters; what is shorter could be anywhere by chance
HUGE = 9_000_000  # more than a hook keeps whole


def some_of_each_kind(most: int) -> list[Secret]:
    chosen: dict[str, list[Secret]] = {}
    for one in secrets(seed=23):
        found = chosen.setdefault(one.kind, [])
        if len(found) < most and len(one.value) >= SHORTEST:
            found.append(one)
    return [one for found in chosen.values() for one in found]


def texts(chosen: list[Secret], size: int = 25) -> Iterator[str]:
    """What is said: some secrets at a time, each in its surroundings."""
    for at in range(0, len(chosen), size):
        yield "\n\n".join(one.text for one in chosen[at : at + size])


def nested(text: str) -> str:
    return json.dumps({"log": text})


def say_everything(place: Place, said: list[str]) -> None:
    """Every field of every event through the real hook, every door of the library, every command that takes a text."""
    for number, text in enumerate(said):
        session, ids = f"s{number}", {"prompt_id": f"p{number}"}
        call = {"tool_name": "Bash", "tool_use_id": f"call-{number}", **ids}
        place.hook("SessionStart", session, source="startup")
        place.hook("UserPromptSubmit", session, prompt=f"Look at this:\n{text}", **ids)
        place.hook("PostToolUse", session, tool_input={"command": text}, tool_response={"stdout": text}, **call)
        answer = {"content": [{"type": "text", "text": nested(text)}]}
        call["tool_use_id"] = f"nested-{number}"
        place.hook("PostToolUse", session, tool_input={"a": {"b": [text]}}, tool_response=answer, **call)
        call["tool_use_id"] = f"failed-{number}"
        place.hook("PostToolUseFailure", session, tool_input={}, error=text, **call)
        place.hook("PostCompact", session, compact_summary=text)
        place.hook("Stop", session, last_assistant_message=text, **ids)
    output = said[0] + "\n" + "word " * (HUGE // 5) + "\n" + said[1]
    place.hook("PostToolUse", "huge", tool_name="Bash", tool_use_id="huge", tool_response={"stdout": output})

    transcript = place.home / "old.jsonl"
    entry = {"type": "user", "sessionId": "old", "cwd": str(place.project), "timestamp": "2026-11-01T10:00:00Z"}
    lines = [{**entry, "uuid": f"u{n}", "message": {"role": "user", "content": text}} for n, text in enumerate(said)]
    transcript.write_text("".join(json.dumps(line) + "\n" for line in lines))
    place.run(REVERIE, "admin", "import", "transcript", transcript)
    with Memory.open(place.workspace) as memory:
        callbacks = create_hook_callbacks(memory)
        for number, text in enumerate(said):
            memory.observe(text, session="observed", speaker="Ana", metadata={"log": text, text: 1})
            memory.observe(f"names {number}", speaker=text, session=text, project=text, id=text)
            memory.track_tool_invocation(text, {"command": text}, text, session=text, project=text, task=text)
            memory.assemble_context(text, session=text, plan=text)
            memory.note(f"Note {number}:\n{text}")
            payload = {"session_id": "sdk", "cwd": str(place.project), "prompt": text, "prompt_id": f"sdk-{number}"}
            asyncio.run(callbacks["UserPromptSubmit"](payload, None, None))


def found_in(values: Iterable[bytes], data: bytes) -> list[bytes]:
    """The values that are in some data, as they are or as JSON writes them."""
    return [it for it in values if it in data or json.dumps(it.decode())[1:-1].encode() in data]


def found_in_files(values: list[bytes], place: Place) -> dict[bytes, list[str]]:
    """The values that are in any file, with the files' names."""
    found: dict[bytes, list[str]] = {}
    for path, data in place.files():
        for value in found_in(values, data):
            found.setdefault(value, []).append(path.name)
    return found


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as found:
        yield found


@pytest.mark.parametrize("of_each_kind", [2, pytest.param(OF_EACH_KIND, marks=pytest.mark.torture)])
def test_no_secret_is_anywhere_after_a_whole_run(model: ScriptedModel, of_each_kind: int) -> None:
    chosen = some_of_each_kind(of_each_kind)
    values = [one.value.encode() for one in chosen]
    assert len({one.kind for one in chosen}) >= 30
    assert len(values) >= 30 * of_each_kind

    with fresh_place(ANTHROPIC_BASE_URL=model.url, ANTHROPIC_API_KEY="a-key") as place:
        place.workspace.mkdir()
        (place.workspace / "reverie.toml").write_text('[model]\nprovider = "anthropic"\ndaily_dollars = 5.0\n')
        said = list(texts(chosen))

        say_everything(place, said)
        assert found_in_files(values, place) == {}, "hooks left them behind"

        with steward(place):
            wait_until(lambda: len(model.asked_by_reverie) >= len(said), "the model is asked about the turns", 60.0)
            shown = [place.reverie(*one.split()) for one in ("log", "context", "learnings", "admin export", "status")]
            answered = place.hook("SessionStart", "another", source="startup")
        place.reverie("admin", "rebuild")

        assert found_in_files(values, place) == {}
        asked = json.dumps([[it.body, it.headers] for it in model.requests], ensure_ascii=False).encode()
        assert b"[secret:" in asked
        assert found_in(values, asked) == []
        assert found_in(values, "\n".join([*shown, answered]).encode()) == []

        # The negative control: what comes in past the hook's redactor is found by the same search.
        with place.memory() as memory:
            spool_event(memory, "UserPromptSubmit", prompt=said[0])
        assert found_in_files(values, place) != {}
