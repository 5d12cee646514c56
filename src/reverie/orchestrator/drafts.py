"""What somebody hands to `memorize` -> a memory item, checked, with its secrets out."""

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Any

from reverie.capture.secrets import redact, redact_json
from reverie.errors import BadInput
from reverie.ports import Engine, Env
from reverie.records import ItemType, Lifecycle, MemoryItem, Source, Trust

_NOT_GIVEN = {"id", "position", "user"}


def draft_of(
    item: str | MemoryItem, metadata: Mapping[str, Any], fields: Mapping[str, Any], engine: Engine, env: Env
) -> MemoryItem:
    """The item as the gate is to see it; a wrong field is an error that names those there are."""
    if isinstance(item, str):
        if not item.strip():
            raise BadInput("a memory needs some text")
        item = MemoryItem(id="", type=ItemType.OBSERVATION, text=item, created_ms=env.now_ms())
    known = set(MemoryItem.__dataclass_fields__) - _NOT_GIVEN
    for name in fields:
        if name not in known:
            raise BadInput(f'a memory has no "{name}"; it has {", ".join(sorted(known))}')
    values = {name: _typed(name, value) for name, value in fields.items()}
    draft = replace(item, **values)
    draft = replace(
        draft,
        text=redact(draft.text),
        user=engine.user,
        metadata={**draft.metadata, **redact_json(dict(metadata))},
    )
    mark = env.random_bytes(8).hex()
    return replace(draft, id=draft.id or engine.derived_id(draft.created_ms, "memorised", draft.text, mark))


_ENUMS: Mapping[str, type[StrEnum]] = {"type": ItemType, "source": Source, "trust": Trust, "lifecycle": Lifecycle}


def _typed(name: str, value: Any) -> Any:
    if name in _ENUMS:
        try:
            return _ENUMS[name](value)
        except ValueError:
            raise BadInput(f'no {name} "{value}"; there are {", ".join(_ENUMS[name])}') from None
    return tuple(value) if name in ("tags", "lineage_ids", "sources") else value
