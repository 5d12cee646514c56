"""Items as the tests of compaction need them: who said what, when, where; and which tool did what."""

from collections.abc import Sequence
from itertools import count

from reverie.foundation.ids import fingerprint, ulid
from reverie.records import ItemType, MemoryItem

START_MS = 1_790_000_000_000
MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
DAY_MS = 24 * HOUR_MS

_NUMBERS = count(1)


def said(
    text: str, at_ms: int = 0, channel: str = "sms", session: str = "", speaker: str = "Ana", **more
) -> MemoryItem:
    """A message, `at_ms` after the start."""
    number = next(_NUMBERS)
    given = {"id": f"m{number:06}", "position": number, "type": ItemType.USER_MESSAGE, **more}
    metadata = {"channel": channel} if channel else {}
    return MemoryItem(
        text=text, created_ms=START_MS + at_ms, session=session, speaker=speaker, metadata=metadata, **given
    )


def in_session(text: str, session: str, at_ms: int = 0, **more) -> MemoryItem:
    return said(text, at_ms, channel="", session=session, **more)


def did(
    tool: str, given: str, *, failed: bool = False, session: str = "s1", at_ms: int = 0, text: str = ""
) -> MemoryItem:
    """A tool call with its first argument."""
    number = next(_NUMBERS)
    return MemoryItem(
        id=f"t{number:06}",
        position=number,
        type=ItemType.ERROR if failed else ItemType.TOOL_RESULT,
        text=text,
        created_ms=START_MS + at_ms,
        session=session,
        metadata={"tool": tool, "input": {"command" if tool == "Bash" else "file_path": given}},
    )


def derive_id(time_ms: int, kind: str, sources: Sequence[str], ordinal: int) -> str:
    return ulid(time_ms, fingerprint(b"test", kind, *sources, str(ordinal)))
