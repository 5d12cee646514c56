"""What a hook process does with the whole package, when no steward runs: answer for context, and work off a session."""

from collections.abc import Callable
from pathlib import Path

from reverie.memory import Memory


def context_for(home: str, project: str, session: str, event: str, offer: Callable[[str], None]) -> str:
    """The context. What is known before the rules have run is offered first, in case that there is no time for them."""
    with Memory.open(Path(home), catch_up=False) as memory:
        memory.catch_up(distil_seconds=0)
        text = ""
        for text in memory.context_in_steps(project, session, only_news=event == "UserPromptSubmit"):
            offer(text)
        return text


def work_off(home: str) -> None:
    """Take in what waits, and distil it."""
    with Memory.open(Path(home), catch_up=False) as memory:
        memory.catch_up(distil_seconds=3.0)
