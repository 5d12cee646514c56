"""The trinkets of a working memory: checked as they are made, and found by class name or by section."""

import logging
from dataclasses import fields
from difflib import get_close_matches

from reverie.compose.report import may_be_section
from reverie.compose.trinket import EventAwareTrinket
from reverie.errors import BadInput
from reverie.records.prompt_inputs import PromptInputs

_LOG = logging.getLogger(__name__)
INPUTS = tuple(field.name for field in fields(PromptInputs) if field.name not in ("user_id", "unread"))


class TrinketRegistry:
    """Trinkets, each with a class name and a section of its own."""

    def __init__(self) -> None:
        self._by_name: dict[str, EventAwareTrinket] = {}  # a replacement has the name of the trinket that it replaces
        self.by_section: dict[str, EventAwareTrinket] = {}

    def __len__(self) -> int:
        return len(self._by_name)

    def add(self, trinket: EventAwareTrinket) -> None:
        """Add a trinket, or put it in the place of the one that it `replaces`."""
        _check(trinket)
        name, section, replaced = type(trinket).__name__, trinket.variable_name, trinket.replaces
        if replaced and replaced not in self._by_name:
            raise BadInput(f"{name} replaces {self._unknown(replaced)}")
        others = {known: one for known, one in self._by_name.items() if known != replaced}
        for other in others.values():
            if other.variable_name == section:
                raise BadInput(f'section "{section}" of {_full(trinket)} is that of {_full(other)} already; rename one')
        if name in others:
            raise BadInput(f"{_full(trinket)} and {_full(others[name])} have the same class name; rename one")
        self._by_name[replaced or name] = trinket
        self.by_section = {one.variable_name: one for one in self._by_name.values()}

    def find(self, name: str) -> EventAwareTrinket | None:
        """Return a trinket by the name of its class, or of the class that it replaces."""
        own = (one for one in self._by_name.values() if type(one).__name__ == name)
        return self._by_name.get(name) or next(own, None)

    def get(self, name: str) -> EventAwareTrinket:
        """Return a trinket by name; BadInput with the nearest one if there is none."""
        trinket = self.find(name)
        if trinket is None:
            raise BadInput(self._unknown(name))
        return trinket

    def in_order(self) -> list[EventAwareTrinket]:
        """Return the trinkets as they are asked: cached ones first, because missing one of them costs the most."""
        return sorted(self._by_name.values(), key=lambda one: not one.cache_policy)

    def steady_sections(self) -> set[str]:
        """Return the cached sections that may wait with news until the prefix breaks."""
        return {one.variable_name for one in self._by_name.values() if one.steady and one.cache_policy}

    def forget_segment(self, user_id: str, continuum_id: str) -> None:
        """Have every trinket drop what belongs to a segment; one that fails does not keep another from it."""
        for name, trinket in self._by_name.items():
            try:
                trinket.forget_segment(user_id, continuum_id)
            except Exception:
                _LOG.exception("%s could not let go of a segment", name)

    def _unknown(self, name: str) -> str:
        near = get_close_matches(name, self._by_name, 1)
        hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(self._by_name) or 'none'}"
        return f'no trinket "{name}"; {hint}'


def _check(trinket: EventAwareTrinket) -> None:
    """Raise BadInput for a trinket that cannot work."""
    name, section = type(trinket).__name__, trinket.variable_name
    if not may_be_section(section):
        raise BadInput(f"{name} cannot have the section {section!r}; a name such as my_section will do")
    if trinket.placement not in (None, "cached", "tail", "system"):
        raise BadInput(f"{name} cannot stand in {trinket.placement!r}; a placement is cached, tail or system")
    if trinket.steady and not trinket.cache_policy and trinket.placement != "cached":
        raise BadInput(f"{name} is steady and not cached; only a cached section can wait with its news")
    if unknown := [part for part in trinket.reads if part not in INPUTS]:
        raise BadInput(f"{name} reads {unknown[0]!r}, which is no input of a prompt; there are {', '.join(INPUTS)}")


def _full(trinket: EventAwareTrinket) -> str:
    return f"{type(trinket).__module__}.{type(trinket).__qualname__}"
