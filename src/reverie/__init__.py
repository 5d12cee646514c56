"""Reverie: working memory for LLM agents.

    from reverie import Memory

    with Memory.open() as memory:
        memory.note("The staging database is Postgres 14")
        print(memory.context())

Names are imported when they are first used, so that `import reverie` itself costs nothing.
"""

TYPE_CHECKING = False  # type checkers take it for true; `typing` itself would be most of the cost of this import
if TYPE_CHECKING:
    from reverie.capture.callbacks import create_hook_callbacks
    from reverie.daemon.start import start_steward
    from reverie.errors import BadInput, BulkStopped, ReverieError
    from reverie.language.tokens import count_tokens
    from reverie.memory import Memory
    from reverie.pipeline.agent_turn import AgentTurn
    from reverie.records import (
        Action,
        ActionStatus,
        Filters,
        Hit,
        ItemType,
        Kind,
        Learned,
        LearningType,
        MemoryItem,
        Observation,
        Session,
        Trust,
    )
    from reverie.settings import Settings

_HOMES = {
    "Memory": "reverie.memory",
    "Settings": "reverie.settings",
    "create_hook_callbacks": "reverie.capture.callbacks",
    "ReverieError": "reverie.errors",
    "BadInput": "reverie.errors",
    "BulkStopped": "reverie.errors",
    "Action": "reverie.records",
    "ActionStatus": "reverie.records",
    "Filters": "reverie.records",
    "Hit": "reverie.records",
    "ItemType": "reverie.records",
    "Kind": "reverie.records",
    "Learned": "reverie.records",
    "LearningType": "reverie.records",
    "MemoryItem": "reverie.records",
    "Observation": "reverie.records",
    "Session": "reverie.records",
    "Trust": "reverie.records",
    "AgentTurn": "reverie.pipeline.agent_turn",
    "count_tokens": "reverie.language.tokens",
    "start_steward": "reverie.daemon.start",
}

__all__ = [
    "Action",
    "ActionStatus",
    "AgentTurn",
    "BadInput",
    "BulkStopped",
    "Filters",
    "Hit",
    "ItemType",
    "Kind",
    "Learned",
    "LearningType",
    "Memory",
    "MemoryItem",
    "Observation",
    "ReverieError",
    "Session",
    "Settings",
    "Trust",
    "count_tokens",
    "create_hook_callbacks",
    "start_steward",
]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'reverie' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
