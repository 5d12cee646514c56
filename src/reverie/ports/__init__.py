"""The protocols one may implement, and the small values that cross them.

What we ship goes through the same doors as what others write. Time, randomness, files and network come in
through `Env`, so that a seed number reproduces a whole life of the system in a test.
"""

from reverie.ports.doctor import RecordDoctor
from reverie.ports.engine import (
    SCRUB,
    Engine,
    Goals,
    History,
    Items,
    Trace,
)
from reverie.ports.log import (
    Actions,
    Inbox,
    Learnings,
    Log,
    Meanwhile,
    Mirrors,
    Replies,
    Spend,
)
from reverie.ports.memory_types import (
    DeriveId,
    Embedder,
    Matches,
    MemoryType,
    Scored,
    SearchIndex,
    Shelf,
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
    "Actions",
    "Ask",
    "DeriveId",
    "Embedder",
    "Engine",
    "Env",
    "Files",
    "Goals",
    "History",
    "HttpRequest",
    "HttpResponse",
    "HttpStream",
    "Inbox",
    "Items",
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
    "Shelf",
    "Spend",
    "Trace",
]
