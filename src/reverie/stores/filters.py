"""Filters as people write them, `key=value`, -> `Filters`. A wrong key or value is an error that names the nearest."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import Any

from reverie.errors import BadInput, BadSettings
from reverie.records import STORE_ALIASES, Filters, ItemType, Trust
from reverie.settings import StoreSettings


def default_filters(settings: StoreSettings) -> Filters:
    """The filters of every question that does not say otherwise."""
    try:
        return parse_filters(settings.default_filters)
    except BadInput as error:
        raise BadSettings(f"stores.default_filters: {error}") from error


def parse_filters(texts: Iterable[str]) -> Filters:
    """Several filters, all of which must hold.

    >>> parse_filters(["project=/work/shop", "types=fact,preference", "min_importance=0.4"]).types
    ('fact', 'preference')
    """
    found: dict[str, Any] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        key, value = key.strip(), value.strip()
        if not equals or not value:
            raise BadInput(f'the filter "{text}" is not key=value')
        if key not in _READERS:
            raise BadInput(unknown("filter", key, _READERS))
        field, read = _READERS[key]
        if field in found:
            raise BadInput(f'the filter "{key}" is given twice; say several values as {key}=a,b where it takes them')
        found[field] = read(value)
    return Filters(**found)


def filters_from(wanted: Mapping[str, object]) -> Filters:
    """Read filters from a plain mapping. `metadata` takes a mapping of its own; several values are a list.

    >>> filters_from({"project": "/shop", "types": ["fact"], "metadata": {"channel": "mail"}}).metadata
    (('channel', 'mail'),)
    """
    metadata = wanted.get("metadata") or {}
    if not isinstance(metadata, Mapping) or not all(isinstance(one, str | int | float) for one in metadata.values()):
        raise BadInput(f'the filter "metadata" is a mapping of names to plain values, not {metadata!r}')
    found: dict[str, Any] = {"metadata": tuple(metadata.items())} if metadata else {}
    for key, value in wanted.items():
        if key == "metadata" or value is None:
            continue
        if key not in _READERS:
            raise BadInput(unknown("filter", key, [*_READERS, "metadata"]))
        field, read = _READERS[key]
        if field in found:
            raise BadInput(f'the filter "{key}" is given twice, by two of its names')
        found[field] = read(_as_written(value))
    return Filters(**found)


def _as_written(value: object) -> str:
    """A value as people write it behind `key=`."""
    match value:
        case bool():
            return str(value).lower()
        case datetime():
            return value.isoformat()
        case list() | tuple() | set() | frozenset():
            return ",".join(str(one) for one in value)
        case _:
            return str(value)


def chosen_filters(texts: Sequence[str], project: str | None, settings: StoreSettings) -> Filters:
    """The filters that somebody wrote, or else those of every question; within a project, unless they name one."""
    found = parse_filters(texts) if texts else default_filters(settings)
    return found if found.project is not None else replace(found, project=project)


def unknown(what: str, name: str, known: Iterable[str]) -> str:
    """Say that a name is not known, with the nearest one, or all of them."""
    names = list(dict.fromkeys(known))
    near = get_close_matches(name.casefold(), names, n=1, cutoff=0.5)
    return f'no {what} "{name}"; ' + (f'did you mean "{near[0]}"?' if near else f"known are {', '.join(names)}")


def type_named(text: str) -> str:
    """The name of an item type."""
    if text not in ItemType.__members__.values():
        raise BadInput(unknown("item type", text, [one.value for one in ItemType]))
    return text


def time_named(text: str) -> int:
    """A day or a moment in milliseconds; in UTC where it names no offset.

    >>> time_named("2024-01-01"), time_named("2024-01-01T01:00+01:00")
    (1704067200000, 1704067200000)
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise BadInput(f'"{text}" is not a time; write 2024-01-31 or 2024-01-31T18:30') from None
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)


def _several(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _stores(text: str) -> tuple[str, ...]:
    return tuple(STORE_ALIASES.get(name, name) for name in _several(text))


def _types(text: str) -> tuple[str, ...]:
    return tuple(type_named(part) for part in _several(text))


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise BadInput(f'min_importance is "{text}"; it takes a number from 0 to 1')
    return share


def _trust(text: str) -> Trust:
    if text not in Trust.__members__.values():
        raise BadInput(unknown("trust", text, [one.value for one in Trust]))
    return Trust(text)


def _flag(text: str) -> bool:
    if text.casefold() not in ("true", "yes", "1", "false", "no", "0"):
        raise BadInput(f'"{text}" is neither true nor false')
    return text.casefold() in ("true", "yes", "1")


_Reader = tuple[str, Callable[[str], Any]]
_READERS: Mapping[str, _Reader] = {
    "project": ("project", str),
    "session": ("session", str),
    "speaker": ("speaker", str),
    "agent": ("agent", str),
    "task": ("task", str),
    "subject": ("subject", str),
    "stores": ("stores", _stores),
    "store": ("stores", _stores),
    "types": ("types", _types),
    "type": ("types", _types),
    "tags": ("tags", _several),
    "tag": ("tags", _several),
    "after": ("after_ms", time_named),
    "before": ("before_ms", time_named),
    "valid_at": ("valid_at_ms", time_named),
    "min_importance": ("min_importance", _share),
    "min_trust": ("min_trust", _trust),
    "superseded": ("superseded", _flag),
    "quarantined": ("quarantined", _flag),
    "expired": ("expired", _flag),
}
