"""The input of a program -> Captured: checked, without secrets. For `Memory.observe`, notes and SDK callbacks."""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, TypedDict

from reverie.capture.hook_events import digest
from reverie.errors import BadInput
from reverie.foundation.text import whole_letters
from reverie.language.host_tags import Parted, as_metadata, parted
from reverie.records import JSON, Captured, Kind
from reverie.redact.secrets import redact, redact_json

# A smaller number of milliseconds is a day before March 1973: far more often it is a time in seconds.
_EARLIEST_MS = 10**11
_LATEST_MS = 253_402_300_800_000  # the end of the year 9999
_FIELDS = ("text", "kind", "speaker", "session", "time", "project", "metadata", "id", "agent", "task")
# Other names that programs have for the same: of chat messages, and of the memory systems that they come from.
_SAME = {
    "content": "text",
    "timestamp": "time",
    "session_id": "session",
    "agent_id": "agent",
    "task_id": "task",
    "message_id": "id",
}
_KINDS_OF_ROLES = {
    "user": Kind.USER_MESSAGE,
    "human": Kind.USER_MESSAGE,
    "assistant": Kind.ASSISTANT_MESSAGE,
    "ai": Kind.ASSISTANT_MESSAGE,
    "model": Kind.ASSISTANT_MESSAGE,
    "system": Kind.SYSTEM,
    "developer": Kind.SYSTEM,
    "tool": Kind.TOOL_CALL,
    "function": Kind.TOOL_CALL,
}


class ObservationFields(TypedDict, total=False):
    """The fields that `Memory.observe` takes. `role` and `content` are those of a chat message."""

    text: str
    kind: str
    speaker: str
    session: str
    time: object  # a datetime, an ISO text, or milliseconds since 1970
    project: str
    metadata: Mapping[str, Any]
    id: str
    agent: str
    task: str
    role: str
    content: object  # a text, or the blocks of a message
    timestamp: object
    session_id: str
    agent_id: str
    task_id: str
    message_id: str


def a_text(value: object, what: str) -> str:
    """Return a value that has to be a text, or raise an error that says `what` it is."""
    if not isinstance(value, str):
        raise BadInput(f"{what} is a text, not {type(value).__name__}")
    return value


Mark = Callable[[str], str]  # what only this store makes of a text, the same every time


def clean_name(name: str, mark: Mark) -> str:
    """A session, project, speaker or id as it is kept: without its secrets, and without bytes that are no letters.

    It is a key: two sessions that are named by two tokens must stay two, and a program whose random ids look like
    tokens must not be refused. So a keyed mark of the whole name stands behind what is left of it.
    """
    name = whole_letters(name)
    clean = _redacted(name)
    return name if clean == name else f"{clean}~{mark(name)}"


_redacted = lru_cache(1024)(redact)  # the same few names come with thousands of observations


def captured(fields: Mapping[str, Any], now_ms: int, mark: Mark, call: bytes = b"") -> Captured:
    """One observation from named fields, without its secrets; a wrong field is an error that names it.

    Without an id, the same words at the same time by the same speaker are the same event: a list may be given again.
    Who calls for one event alone gives random bytes for the `call`, which make it an event of its own.
    """
    fields = _by_our_names(fields)
    text = fields.get("text")
    if not isinstance(text, str):
        raise BadInput(f"an observation's text is a string, not {type(text).__name__}")
    # A turn of another system's conversation may be empty: a picture, a sticker. It has a time or an id.
    if not text.strip() and fields.get("time") is None and not fields.get("id"):
        raise BadInput("an observation needs some text")
    occurred_ms = moment_ms(fields["time"]) if fields.get("time") is not None else now_ms
    kind = _kind(fields.get("kind", Kind.USER_MESSAGE))
    speaker, session, project, given = [
        clean_name(str(fields.get(name) or ""), mark) for name in ("speaker", "session", "project", "id")
    ]
    clean, metadata = redact(text), fields.get("metadata")
    said = parted(clean) if kind in (Kind.USER_MESSAGE, Kind.NOTE) else Parted(clean)
    return Captured(
        kind=Kind.SYSTEM if said.is_of_host else kind,  # then it is kept, and nobody's word
        text=said.own or clean,
        session=session or "default",
        occurred_ms=occurred_ms,
        speaker=speaker,
        project=project,
        event_id=f"id:{given}" if given else f"at:{occurred_ms}:{kind.value}:{speaker}:{digest(clean)}{call.hex()}",
        source="api" if fields.get("time") is None else "past",
        metadata={**(_metadata(metadata) if metadata else {}), **({} if said.is_of_host else as_metadata(said))},
    )


def _by_our_names(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Read the fields of an observation, or of a chat message with `role` and `content`, under the names we use."""
    named: dict[str, Any] = {}
    for name, value in fields.items():
        own = _SAME.get(name, name)
        if own not in _FIELDS and own != "role":
            raise BadInput(f'an observation has no "{name}"; it has {", ".join(_FIELDS)}')
        if own in named:
            raise BadInput(f'an observation has one "{own}", and "{name}" gives it a second time')
        named[own] = _joined(value) if name == "content" else value
    if (role := named.pop("role", None)) is not None:
        kind = _KINDS_OF_ROLES.get(str(role).lower())
        if kind is None:
            raise BadInput(f'no role "{role}"; there are {", ".join(_KINDS_OF_ROLES)}')
        named.setdefault("kind", kind)
        named.setdefault("speaker", {Kind.USER_MESSAGE: "user", Kind.ASSISTANT_MESSAGE: "assistant"}.get(kind, ""))
    of_work = {name: str(value) for name in ("agent", "task") if (value := named.pop(name, None))}
    if of_work:
        named["metadata"] = {**(named.get("metadata") or {}), **of_work}
    return named


def _joined(content: object) -> object:
    """The text of a chat message's content: a text, or blocks of which some have a text."""
    if not isinstance(content, list | tuple):
        return content
    texts = [one if isinstance(one, str) else one.get("text") for one in content if isinstance(one, str | Mapping)]
    return "\n".join(text for text in texts if isinstance(text, str))


def again(first: Captured, number: int) -> Captured:
    """The same words at the same time once more, the `number`-th time in one conversation: an event of its own."""
    return replace(first, event_id=f"{first.event_id}#{number}")


def _metadata(value: object) -> dict[str, JSON]:
    if not isinstance(value, Mapping):
        raise BadInput(f"an observation's metadata is a mapping, not {type(value).__name__}")
    try:
        json.dumps(dict(value))
    except (TypeError, ValueError, RecursionError) as error:
        raise BadInput(f"an observation's metadata must be JSON: {error}") from None
    clean: dict[str, JSON] = redact_json(dict(value))
    return clean


def _kind(value: object) -> Kind:
    try:
        return Kind(str(value))
    except ValueError:
        raise BadInput(f'no kind "{value}"; there are {", ".join(Kind)}') from None


def moment_ms(value: object) -> int:
    """A time as people give it: a datetime, an ISO text, or milliseconds since 1970. Without a zone it is UTC.

    >>> moment_ms("2023-05-08T13:56:00")
    1683554160000
    """
    if isinstance(value, bool):
        raise BadInput(f"{value!r} is not a time")
    if isinstance(value, int | float):
        if not math.isfinite(value) or abs(value) > _LATEST_MS:
            raise BadInput(f"{value!r} is not a time: as a number it is milliseconds since 1970")
        if value < _EARLIEST_MS:
            hint = f"; if these are seconds, say {int(value * 1000)}" if value > _EARLIEST_MS / 1000 else ""
            raise BadInput(
                f"{value!r} is not a time in milliseconds since 1970{hint}. For times before 1973 use ISO 8601"
            )
        return int(value)
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            raise BadInput(f"{value!r} is not a time: use ISO 8601, such as 2026-11-16T09:30:00+00:00") from None
    if isinstance(value, datetime):
        return int((value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp() * 1000)
    raise BadInput(f"{value!r} is not a time: use a datetime, an ISO text, or milliseconds since 1970")
