"""With `[privacy] log = "strict"`, personal data that memory may not have is not in the log either, by whatever door.

An event stays the same event: its id does not depend on the setting, a repeat of it adds nothing.
"""

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import pytest

from reverie import create_hook_callbacks
from reverie.memory import Memory
from reverie.settings import PrivacySettings, Settings
from reverie.shells.imports import import_transcripts
from reverie.testing import FakeEnv
from support.hooks import files_of, spool_event

CARD, MAIL, IBAN = "4111 1111 1111 1111", "ana.costa@example.org", "DE89 3704 0044 0532 0130 00"
SAID = f"Charge {CARD}, write to {MAIL}, refund to {IBAN}."
PLAIN_CARD = CARD.replace(" ", "")
PLANTED = [CARD, PLAIN_CARD, MAIL, IBAN]
MASKED = "Charge [card], write to [email], refund to [iban]."


def opened(home: Path, log: Literal["keep", "strict"], **treatments: Literal["keep", "mask", "drop"]) -> Memory:
    privacy = PrivacySettings(log=log, **{"email": "mask", **treatments})
    return Memory.open(home, env=FakeEnv(), settings=Settings(privacy=privacy))


@pytest.fixture
def strict(tmp_path: Path) -> Iterator[Memory]:
    with opened(tmp_path / "home", "strict") as memory:
        yield memory


def by_hooks(memory: Memory, **ids: str) -> None:
    spool_event(memory, "UserPromptSubmit", prompt=SAID, **ids)
    spool_event(
        memory,
        "PostToolUse",
        tool_name="Bash",
        tool_input={"command": f"pay {CARD}", "to": [{"mail": MAIL, MAIL: 1}], "card": int(PLAIN_CARD)},
        tool_response={"stdout": SAID, "stderr": ""},
        tool_use_id="t0",
        note=SAID,
        **ids,
    )
    spool_event(memory, "Stop", last_assistant_message=f"Done: {SAID}", **ids)
    memory.parts.background.drain_spool()


def by_callbacks(memory: Memory) -> None:
    event = {"session_id": "s2", "cwd": "/", "hook_event_name": "UserPromptSubmit", "prompt_id": "p9", "prompt": SAID}
    asyncio.run(create_hook_callbacks(memory)["UserPromptSubmit"](event, None, {"signal": None}))
    memory.parts.background.drain_spool()


def transcript(memory: Memory, **more: str) -> Path:
    def line(number: int, kind: str, content: object, **more: str) -> str:
        said = {"id": f"msg_{number}", "content": content}
        stamp = f"2026-03-01T10:00:{number:02}Z"
        return json.dumps(
            {"type": kind, "uuid": f"u{number}", "sessionId": "s1", "timestamp": stamp, "message": said} | more
        )

    call = {"type": "tool_use", "id": "t0", "name": "Bash", "input": {"command": f"pay {CARD}"}}
    lines = [
        line(0, "user", SAID, **more),
        line(1, "assistant", [call]),
        line(2, "user", [{"type": "tool_result", "tool_use_id": "t0", "content": SAID}], **more),
        line(3, "assistant", [{"type": "text", "text": f"Done: {SAID}"}]),
    ]
    path = memory.workspace.home.parent / "t.jsonl"
    path.write_text("\n".join(lines) + "\n")
    return path


def by_import(memory: Memory) -> None:
    assert import_transcripts(memory, [transcript(memory)], lambda _: None).new == 3


def by_observing(memory: Memory) -> None:
    memory.observe(SAID, speaker=MAIL, metadata={"from": MAIL, "cards": [int(PLAIN_CARD), CARD]})
    memory.observe([{"text": SAID, "time": "2026-03-01T10:00:00Z"}, {"text": SAID, "time": "2026-03-01T10:00:00Z"}])


def by_other_calls(memory: Memory) -> None:
    memory.note(SAID)
    memory.memorize(f"Ana's card is {CARD}, her address {MAIL}")
    memory.track_tool_invocation("pay", {"card": CARD, "mail": MAIL}, result=SAID)


def by_talking(memory: Memory) -> None:
    memory.continuum().send(SAID)


DOORS = [by_hooks, by_callbacks, by_import, by_observing, by_other_calls, by_talking]


def found_in(home: Path) -> set[str]:
    """What of the planted is anywhere in the files of a workspace, as bytes."""
    whole = b"\n".join(path.read_bytes() for path in files_of(home))
    return {one for one in PLANTED if one.encode() in whole}


def learn(memory: Memory) -> None:
    for session in memory.engine.log.sessions(100):
        memory.engine.log.close_turn(session.id)
    memory.parts.background.distil()
    memory.search("card")
    memory.assemble_context(SAID, budget=500)
    memory.engine.checkpoint()


@pytest.mark.parametrize("door", DOORS)
def test_what_comes_in_by_any_door_is_nowhere_in_the_workspace(
    door: Callable[[Memory], None], tmp_path: Path, strict: Memory
) -> None:
    door(strict)
    learn(strict)

    assert strict.engine.log.read(limit=100)
    assert found_in(strict.workspace.home) == set()


@pytest.mark.parametrize("door", DOORS)
def test_control_by_default_the_log_has_it(door: Callable[[Memory], None], tmp_path: Path) -> None:
    with opened(tmp_path / "home", "keep") as memory:
        door(memory)
        learn(memory)

        assert found_in(memory.workspace.home) >= {CARD, MAIL, IBAN}


def test_the_log_says_what_stood_there_and_keeps_all_else(strict: Memory) -> None:
    by_hooks(strict)
    prompt, call, reply = strict.engine.log.read(limit=10)

    assert prompt.text == call.text == MASKED
    assert reply.text == f"Done: {MASKED}"
    assert call.tool is not None
    assert call.tool.input == {"command": "pay [card]", "to": [{"mail": "[email]", "[email]": 1}], "card": "[card]"}
    assert call.metadata["note"] == MASKED
    assert strict.search("refund")[0].text


def test_what_the_treatments_keep_is_kept(tmp_path: Path) -> None:
    with opened(tmp_path / "home", "strict", email="keep", card="keep") as memory:
        memory.observe(SAID)
        (said,) = memory.engine.log.read(limit=10)

    assert said.text == f"Charge {CARD}, write to {MAIL}, refund to [iban]."


def test_what_the_treatments_drop_is_masked_in_the_log_and_not_learned(tmp_path: Path) -> None:
    told = f"Please remember: the card of the office is {CARD}."
    for log in ("keep", "strict"):
        with opened(tmp_path / log, log, card="drop") as memory:
            memory.note(told)
            learn(memory)
            said = memory.engine.log.read(limit=10)[0].text
            assert said == (told if log == "keep" else told.replace(CARD, "[card]"))
            assert memory.memorize(said).verdict == "drop"


# ---- an event stays itself


def ids_of(memory: Memory) -> list[str]:
    return [one.id for one in memory.engine.log.read(limit=100)]


@pytest.mark.parametrize("ids", [{"prompt_id": "p0"}, {}], ids=["ids", "no ids"])
def test_an_event_has_the_same_id_whatever_is_kept_of_it(ids: dict[str, str], tmp_path: Path) -> None:
    with opened(tmp_path / "home", "strict") as memory:
        by_hooks(memory, **ids)
        memory.observe([{"text": SAID, "time": "2026-03-01T10:00:00Z", "speaker": MAIL}])
        once = ids_of(memory)
    with opened(tmp_path / "home", "keep") as memory:
        memory.observe([{"text": SAID, "time": "2026-03-01T10:00:00Z", "speaker": MAIL}])
        file = transcript(memory, **({"promptId": "p0"} if ids else {}))
        assert import_transcripts(memory, [file], lambda _: None).new == 0
        assert ids_of(memory) == once


def test_a_repeat_adds_nothing(strict: Memory) -> None:
    spool_event(strict, "UserPromptSubmit", prompt=SAID, prompt_id="p0")
    spool_event(strict, "UserPromptSubmit", prompt=SAID, prompt_id="p0")  # a hook that is installed twice
    for _ in range(2):
        strict.observe([{"text": SAID, "session": "s2", "time": "2026-03-01T10:00:00Z"}])
        strict.observe(SAID, session="s3", id="mail-17")
    strict.parts.background.drain_spool()
    spool_event(strict, "UserPromptSubmit", prompt=SAID, prompt_id="p0")
    strict.parts.background.drain_spool()

    assert sorted(one.session for one in strict.engine.log.read(limit=100)) == ["s1", "s2", "s3"]


@pytest.mark.parametrize("has_ids", [True, False], ids=["ids", "no ids"])
def test_importing_the_transcript_of_a_captured_session_adds_nothing(has_ids: bool, strict: Memory) -> None:
    by_hooks(strict, **({"prompt_id": "p0"} if has_ids else {}))
    file = transcript(strict, **({"promptId": "p0"} if has_ids else {}))

    assert import_transcripts(strict, [file], lambda _: None).new == 0


@pytest.mark.parametrize("at_once", [True, False], ids=["at once", "one by one"])
def test_two_events_that_differ_only_in_what_is_masked_stay_two(at_once: bool, strict: Memory) -> None:
    for card in (CARD, "5500 0000 0000 0004"):
        spool_event(strict, "UserPromptSubmit", prompt=f"Charge {card}.")
        spool_event(strict, "PostToolUse", tool_name="pay", tool_input={"card": card}, tool_response="ok")
        if not at_once:
            strict.parts.background.drain_spool()
    for card in (CARD, "5500 0000 0000 0004"):
        spool_event(strict, "PostToolUse", tool_name="pay", tool_input={"card": card}, tool_response="ok")
        if not at_once:
            strict.parts.background.drain_spool()
    strict.parts.background.drain_spool()

    assert [one.kind.value for one in strict.engine.log.read(limit=100)] == [
        *["user_message", "tool_call"] * 2,
        *["tool_call"] * 2,
    ]


def test_no_digest_of_what_is_masked_is_kept_that_others_can_make(strict: Memory) -> None:
    """Whoever tries all card numbers must not find the one whose digest is in an id."""
    by_hooks(strict, prompt_id="p0")
    strict.observe(SAID, time="2026-03-01T10:00:00Z")

    prompt, _, reply, said = (one.event_id for one in strict.engine.log.read(limit=10))
    assert all(one.startswith("masked:") for one in (prompt, reply, said))
