"""The protocols one may implement, and the small values that cross them.

What we ship implements the same protocols as what others write. Time, randomness, files and network come in
through `Env`, so that a seed number reproduces a whole life of the system in a test.
"""

from reverie.ports.doctor import RecordDoctor
from reverie.ports.engine import (
    SCRUB,
    Engine,
    History,
    StoredGoals,
    StoredItems,
    Trace,
)
from reverie.ports.log import (
    Inbox,
    Learnings,
    Log,
    Meanwhile,
    Mirrors,
    Replies,
    Spend,
    StoredActions,
)
from reverie.ports.memory_types import (
    DeriveId,
    Embedder,
    Grounds,
    Matches,
    MemoryType,
    Scored,
    SearchIndex,
    StoreView,
)
from reverie.ports.models import (
    Ask,
    Model,
    Prompt,
    Reply,
)
from reverie.ports.outside import (
    Env,
    Files,
    HttpRequest,
    HttpResponse,
    HttpStream,
    Lock,
)

__all__ = [
    "SCRUB",
    "Ask",
    "DeriveId",
    "Embedder",
    "Engine",
    "Env",
    "Files",
    "Grounds",
    "History",
    "HttpRequest",
    "HttpResponse",
    "HttpStream",
    "Inbox",
    "Learnings",
    "Lock",
    "Log",
    "Matches",
    "Meanwhile",
    "MemoryType",
    "Mirrors",
    "Model",
    "Prompt",
    "RecordDoctor",
    "Replies",
    "Reply",
    "Scored",
    "SearchIndex",
    "Spend",
    "StoreView",
    "StoredActions",
    "StoredGoals",
    "StoredItems",
    "Trace",
]
