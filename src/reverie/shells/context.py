"""A hook's question for context, answered without a steward: the record is opened, and closed again, for one answer."""

from pathlib import Path

from reverie.memory import Memory


def context_for(home: str, project: str, session: str, event: str) -> str:
    with Memory.open(Path(home)) as memory:
        return memory.context(project, session, only_news=event == "UserPromptSubmit")
