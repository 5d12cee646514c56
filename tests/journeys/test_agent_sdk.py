"""The whole way through the Agent SDK: callbacks capture, `memory.context` tells the next run and the one after a compaction."""

import asyncio
import importlib
import os
import time
from collections.abc import Iterator
from typing import Any

import pytest

from reverie import Memory, create_hook_callbacks
from reverie.records import Kind, LearningType
from reverie.settings import InboxSettings, Settings
from support.client import Agent, fresh_agent
from support.scripted_model import Request

pytestmark = pytest.mark.client

PREFERENCE = "always use pnpm instead of npm"
FIRST_PROMPT = f"""From now on {PREFERENCE}.
CALL Bash {{"command": "echo the shop is open"}}
CALL Bash {{"command": "ls /no/such/folder"}}
SAY The shop is open, and that folder does not exist."""
GRACE_SECONDS = 0.2  # instead of two, which a test need not wait for


@pytest.fixture
def agent(monkeypatch: pytest.MonkeyPatch) -> Iterator[Agent]:
    """The client is started by this very process, so this process gives up the developer's environment, too."""
    with fresh_agent() as found:
        for name in os.environ:
            if not name.startswith("PYTEST_"):
                monkeypatch.delenv(name)
        for name, value in found.place.variables.items():
            monkeypatch.setenv(name, value)
        yield found


@pytest.fixture
def memory(agent: Agent) -> Iterator[Memory]:
    settings = Settings(inbox=InboxSettings(turn_grace_seconds=GRACE_SECONDS))
    with Memory.open(agent.place.workspace, settings=settings) as opened:
        yield opened


def run(
    agent: Agent, memory: Memory, *prompts: str, resume: str | None = None, tells_at_prompts: bool = False
) -> tuple[str, list[Request]]:
    """A conversation with a new client; returns its session and what the model was sent.

    What the memory knows is told in the system prompt, once and for all, or with each prompt as far as it is news.
    """
    sdk: Any = importlib.import_module("claude_agent_sdk")
    project = str(agent.place.project)
    callbacks = create_hook_callbacks(memory)
    capture_prompt = callbacks["UserPromptSubmit"]

    async def tell(given: Any, tool_use_id: str | None, context: Any) -> dict[str, Any]:
        await capture_prompt(given, tool_use_id, context)
        news = memory.context(project, given["session_id"], only_news=True)
        return {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": news}}

    if tells_at_prompts:
        callbacks["UserPromptSubmit"] = tell
    told = "" if tells_at_prompts else memory.context(project, resume)
    options = sdk.ClaudeAgentOptions(
        cwd=project,
        permission_mode="bypassPermissions",
        setting_sources=[],
        resume=resume,
        system_prompt={"type": "preset", "preset": "claude_code", "append": told},
        hooks={event: [sdk.HookMatcher(hooks=[callback])] for event, callback in callbacks.items()},
    )
    before = len(agent.model.requests)

    async def converse() -> str:
        session = ""
        async with sdk.ClaudeSDKClient(options=options) as client:
            for prompt in prompts:
                await client.query(prompt)
                async for message in client.receive_response():
                    session = getattr(message, "session_id", None) or session
        return session

    session = asyncio.run(converse())
    memory.parts.background.catch_up()
    time.sleep(GRACE_SECONDS)  # the turn is over when nothing has come after its Stop for a while
    memory.parts.background.catch_up()
    return session, agent.model.requests[before:]


def test_what_happened_is_there_in_order_complete_and_once(agent, memory):
    session, _ = run(agent, memory, FIRST_PROMPT)

    found = memory.engine.log.read()
    assert [(o.kind, o.event, o.text) for o in found] == [
        (Kind.USER_MESSAGE, "UserPromptSubmit", FIRST_PROMPT),
        (Kind.TOOL_CALL, "PostToolUse", "the shop is open"),
        (Kind.TOOL_CALL, "PostToolUseFailure", found[2].text),
        (Kind.ASSISTANT_MESSAGE, "Stop", "The shop is open, and that folder does not exist."),
    ]
    assert [o.sequence_num for o in found] == [1, 2, 3, 4]
    assert [o.tool.failed for o in found if o.tool] == [False, True]
    assert "No such file or directory" in found[2].text
    assert {(o.session, o.project) for o in found} == {(session, str(agent.place.project))}
    assert memory.parts.profile.read(memory.workspace.hook_errors) == ""


def test_the_preference_is_learned_and_told_to_the_next_run(agent, memory):
    _, first = run(agent, memory, FIRST_PROMPT)
    assert PREFERENCE not in first[0].system

    (learned,) = memory.engine.learnings.all()
    assert (learned.type, PREFERENCE in learned.text) == (LearningType.PREFERENCE, True)
    assert memory.parts.profile.read(memory.workspace.user).count(PREFERENCE) == 1

    _, (second,) = run(agent, memory, "What is new?\nSAY Nothing.")
    assert second.system.count("<reverie-context>") == 1
    assert PREFERENCE in second.system.partition("<reverie-context>")[2]
    assert len(memory.engine.learnings.all()) == 1


def test_what_a_session_was_told_is_told_again_only_after_a_compaction(agent, memory):
    memory.note(f"From now on {PREFERENCE}.")
    memory.parts.background.catch_up()
    says = [f"{said}\nSAY Nothing." for said in ("What is new?", "And now?", "Where were we?")]

    session, requests = run(agent, memory, *says[:2], "/compact", says[2], tells_at_prompts=True)

    first, second, compaction, third = requests
    assert compaction.is_compaction
    assert "This session is being continued" in third.said
    for request in (first, second, third):
        assert request.said.count("<reverie-context>") == 1, "once in what the model reads"
        assert PREFERENCE in request.said.partition("<reverie-context>")[2]
    turn = ["UserPromptSubmit", "Stop"]
    assert [o.event for o in memory.engine.log.read(session=session)] == [*turn * 2, "PreCompact", *turn]
    assert len(memory.engine.learnings.all()) == 1
    assert not any("<reverie-context>" in o.text for o in memory.engine.log.read(limit=1000))


def test_callbacks_beside_installed_hooks_give_each_event_once(agent, memory):
    agent.place.reverie("install", "claude-code")
    callbacks = create_hook_callbacks(memory)
    sdk: Any = importlib.import_module("claude_agent_sdk")
    options = sdk.ClaudeAgentOptions(
        cwd=str(agent.place.project),
        permission_mode="bypassPermissions",
        hooks={event: [sdk.HookMatcher(hooks=[callback])] for event, callback in callbacks.items()},
    )

    async def ask() -> None:
        async for _ in sdk.query(prompt=FIRST_PROMPT, options=options):
            pass

    asyncio.run(ask())
    memory.parts.background.catch_up()

    assert [o.event for o in memory.engine.log.read()] == [
        "SessionStart",
        "UserPromptSubmit",
        "PostToolUse",
        "PostToolUseFailure",
        "Stop",
        "SessionEnd",
    ]
