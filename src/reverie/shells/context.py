"""What a hook process does with the whole package, when no steward runs: answer for context, and work off a session."""

from pathlib import Path
from typing import Protocol

from reverie.env import RealEnv
from reverie.memory import Memory
from reverie.records import Stage
from reverie.settings import load_settings
from reverie.workspace import Workspace


class Reply(Protocol):
    """The answer as the hook process knows it (shells/hook/answer.py), with its deadline."""

    event: str
    best: str
    is_said: bool
    is_telling: bool
    may_go_on: bool


def tell(home: str, project: str, session: str, reply: Reply) -> None:
    """Find the context. What is known before the rules have run is offered first, in case there is no time for them.

    When the time was over meanwhile, what waits is still distilled, so that the next prompt is told; but nothing more
    is noted as told.
    """
    with _open(home) as memory:
        if not reply.is_said:
            reply.may_go_on = False  # from here on it may have to wait for others
        memory.catch_up(distil_seconds=0)
        steps = memory.context_in_steps(project, session, only_news=reply.event == "UserPromptSubmit")
        if not reply.is_said:
            reply.is_telling = True
            reply.best = next(steps)
            reply.is_telling = False
        if memory.engine.inbox.next_ready_ms(Stage.RULES) is None:
            return
        reply.may_go_on = reply.event == "SessionStart"
        memory.catch_up()
        if not reply.is_said:
            reply.is_telling = True
            reply.best = next(steps)
            reply.is_telling = False


def work_off(home: str) -> None:
    """Take in what waits, and distil it."""
    with _open(home) as memory:
        memory.catch_up(distil_seconds=3.0)


def _open(home: str) -> Memory:
    workspace, env = Workspace(Path(home)), RealEnv()
    settings = load_settings(workspace, env, in_hook=True)
    return Memory.open(workspace.home, env=env, settings=settings, catch_up=False)
