"""A hook's question for context, answered without a steward: the record is opened, and closed again, for one answer."""

from collections.abc import Callable
from pathlib import Path

from reverie.memory import Memory


def context_for(home: str, project: str, session: str, event: str, offer: Callable[[str], None]) -> str:
    """The context. What is known before the rules have run is offered first, in case that there is no time for them."""
    only_news = event == "UserPromptSubmit"
    with Memory.open(Path(home), catch_up=False) as memory:
        memory.catch_up(distil_seconds=0)
        offer(memory.preview_context(project, session, only_news=only_news))
        return memory.context(project, session, only_news=only_news)
