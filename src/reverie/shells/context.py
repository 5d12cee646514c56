"""Serve a hook process with the whole package, when no steward runs: find its context, and work off a session."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from reverie.env.real import RealEnv
from reverie.foundation.workspace import Workspace
from reverie.memory import Memory
from reverie.records import Stage
from reverie.settings import load_settings


class HookReply(Protocol):
    """The answer as the hook process knows it (hook/context_reply.py), with its deadline."""

    event: str
    best: str
    is_telling: bool
    leaves_work: bool


def tell(home: str, project: str, session: str, prompt: str, reply: HookReply) -> None:
    """Find the context. What is known before the rules have run is offered first, in case there is no time for them."""
    with _open(home) as memory:
        # Another process may be at work, already past what came in last. Then that is left to one that can wait.
        reply.leaves_work = not memory.parts.background.catch_up(distil_seconds=0)
        context = memory.parts.session_context.teller(project, session, only_news=reply.event == "UserPromptSubmit")
        _offer(context, reply)
        if memory.engine.inbox.next_ready_ms(Stage.RULES) is not None:
            reply.leaves_work = True  # if the time is up while it is being worked off
            reply.leaves_work = not memory.parts.background.catch_up()
            _offer(context, reply)
        if prompt and reply.event == "UserPromptSubmit":
            _add_what_is_known(memory, prompt, project, session, reply)


def _add_what_is_known(memory: Memory, prompt: str, project: str, session: str, reply: HookReply) -> None:
    about = memory.parts.prompt_context_by_words.for_prompt(prompt, project, session)
    reply.is_telling = True
    about.confirm()
    reply.best = "\n".join(filter(None, (reply.best, about.text)))
    reply.is_telling = False


def _offer(context: Callable[[], str], reply: HookReply) -> None:
    reply.is_telling = True
    reply.best = context()
    reply.is_telling = False


def work_off(home: str) -> None:
    """Take in what waits, and distil it, when nobody else is at it any more."""
    with _open(home) as memory:
        memory.parts.background.catch_up(distil_seconds=3.0, wait_seconds=None)


def _open(home: str) -> Memory:
    workspace, env = Workspace(Path(home)), RealEnv()
    settings = load_settings(workspace, env, in_hook=True)
    return Memory.open(workspace.home, env=env, settings=settings, catch_up=False)
