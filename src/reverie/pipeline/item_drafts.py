"""The input of `memorize` -> a memory item, checked field by field, without secrets."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from enum import StrEnum
from typing import Any

from reverie.capture.observation_input import moment_ms
from reverie.errors import BadInput
from reverie.foundation.as_json import plain_json
from reverie.ports import Engine, Env
from reverie.records import ItemType, MemoryItem, Source, Trust
from reverie.redact.secrets import redact, redact_json
from reverie.stores.retention import POLICIES


def draft_of(
    item: str | MemoryItem, metadata: Mapping[str, Any], fields: Mapping[str, Any], engine: Engine, env: Env
) -> MemoryItem:
    """The item as the gate is to see it; a wrong field is an error that names those there are.

    Who hands it in is a program: its word counts as the assistant's, unless it says whose it is.
    """
    if not isinstance(item, str | MemoryItem):
        raise BadInput(f"a memory is a text or a MemoryItem, not {type(item).__name__}")
    if not isinstance(metadata, Mapping):
        raise BadInput(f"metadata is a mapping, not {type(metadata).__name__}")
    if isinstance(item, MemoryItem):
        given = {name: getattr(item, name) for name in _READERS if getattr(item, name) is not None}
        fields, metadata = given | dict(fields), {**item.metadata, **metadata}
        if item.id and engine.items.get([item.id]):
            raise BadInput(f'there is a memory with the id "{item.id}" already; leave the id out')
    text = item if isinstance(item, str) else item.text
    if not text.strip():
        raise BadInput("a memory needs some text")
    fields = {_SAME.get(name, name): value for name, value in fields.items()}
    if "ttl" in fields:
        fields["ttl_ms"] = _milliseconds(fields.pop("ttl"))
    for name in fields:
        if name not in _READERS:
            raise BadInput(f'a memory takes no "{name}"; it takes {", ".join(_READERS)}')
    values: dict[str, Any] = {"created_ms": env.now_ms(), "type": ItemType.OBSERVATION}
    values |= {"source": Source.MODEL, "trust": Trust.ASSISTANT}
    values |= {name: _READERS[name](name, value) for name, value in fields.items()}
    text = redact(text)
    given_id = item.id if isinstance(item, MemoryItem) else ""
    mark = env.random_bytes(8).hex()
    draft = MemoryItem(
        id=given_id or engine.derived_id(values["created_ms"], "memorised", text, mark),
        text=text,
        user=engine.user,
        metadata=redact_json(plain_json(metadata)),
        **values,
    )
    if draft.source is Source.USER and "trust" not in fields:
        draft = replace(draft, trust=Trust.PERSON)
    return draft


# The names that the same fields have elsewhere.
_SAME = {
    "timestamp": "created_ms",
    "session_id": "session",
    "agent_id": "agent",
    "task_id": "task",
    "episode_id": "episode",
}


def _milliseconds(ttl: object) -> int:
    """A time to live: a timedelta, or seconds."""
    seconds = ttl.total_seconds() if isinstance(ttl, timedelta) else ttl
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or seconds <= 0:
        raise BadInput(f"ttl is a timedelta or a number of seconds, not {ttl!r}")
    return int(seconds * 1000)


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise BadInput(f"{name} is a text, not {value!r}")
    return redact(value)


def _share(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise BadInput(f"{name} is a number from 0 to 1, not {value!r}")
    return float(value)


def _moment(name: str, value: Any) -> int:
    try:
        return moment_ms(value)
    except BadInput as error:
        raise BadInput(f"{name}: {error}") from error


def _length(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value <= 0:
        raise BadInput(f"{name} is a whole number of milliseconds, not {value!r}")
    return value


def _names(name: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Sequence) or not all(isinstance(one, str) for one in value):
        raise BadInput(f"{name} is a list of texts, not {value!r}")
    return tuple(value)


def _policy(name: str, value: Any) -> str:
    if value and value not in POLICIES:
        raise BadInput(f'no {name} "{value}"; there are {", ".join(POLICIES)}')
    return _text(name, value)


def _one_of(enum: type[StrEnum]) -> Callable[[str, Any], StrEnum]:
    def read(name: str, value: Any) -> StrEnum:
        try:
            return enum(value)
        except ValueError:
            raise BadInput(f'no {name} "{value}"; there are {", ".join(enum)}') from None

    return read


_READERS: Mapping[str, Callable[[str, Any], Any]] = {
    "type": _one_of(ItemType), "source": _one_of(Source), "trust": _one_of(Trust), "created_ms": _moment,
    "project": _text, "session": _text, "speaker": _text, "agent": _text, "task": _text, "episode": _text,
    "subject": _text, "importance": _share, "confidence": _share, "tags": _names, "sources": _names,
    "retention": _policy, "ttl_ms": _length, "valid_from_ms": _moment, "valid_to_ms": _moment,
}  # fmt: skip
