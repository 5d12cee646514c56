"""What a program hands in -> Captured: checked, with its secrets out. For `Memory.observe`, notes and SDK callbacks."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from reverie.capture.secrets import redact, redact_json
from reverie.errors import BadInput
from reverie.records import Captured, Kind

_FIELDS = ("text", "kind", "speaker", "session", "time", "project", "metadata", "id")


def captured(fields: Mapping[str, Any], now_ms: int, project: str = "") -> Captured:
    """One observation from named fields; a wrong one is an error that names it."""
    for name in fields:
        if name not in _FIELDS:
            raise BadInput(f'an observation has no "{name}"; it has {", ".join(_FIELDS)}')
    text = fields.get("text")
    if not isinstance(text, str):
        raise BadInput(f"an observation's text is a string, not {type(text).__name__}")
    occurred_ms = moment_ms(fields["time"]) if fields.get("time") is not None else now_ms
    kind = _kind(fields.get("kind", Kind.USER_MESSAGE))
    speaker, session = str(fields.get("speaker") or ""), str(fields.get("session") or "default")
    clean = redact(text)
    given, metadata = fields.get("id"), fields.get("metadata")
    return Captured(
        kind=kind,
        text=clean,
        session=session,
        occurred_ms=occurred_ms,
        speaker=speaker,
        project=str(fields.get("project") or project),
        # The same words at the same time by the same speaker are the same event.
        event_id=f"id:{given}" if given else f"at:{occurred_ms}:{kind.value}:{speaker}:{clean}",
        source="api" if fields.get("time") is None else "past",
        metadata=redact_json(dict(metadata)) if metadata else {},
    )


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
        raise BadInput(f"{value!r} is no time")
    if isinstance(value, int | float):
        return int(value)
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            raise BadInput(f"{value!r} is no time: use ISO 8601, such as 2026-11-16T09:30:00+00:00") from None
    if isinstance(value, datetime):
        return int((value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp() * 1000)
    raise BadInput(f"{value!r} is no time: use a datetime, an ISO text, or milliseconds since 1970")
