"""Sections in, a prompt out: what is cached first and together, then what changes from turn to turn.

`compose()` gives the two texts; `composed()` gives the same with every section, where it stands, and what is missing.
"""

import logging
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Literal

from reverie.compose.markup import Markup, Origin
from reverie.compose.profiles import BASE, section_order
from reverie.compose.trinket import Placement
from reverie.foundation.text import without_controls, xml_text
from reverie.language.tokens import count_tokens
from reverie.settings import ComposeSettings

_LOG = logging.getLogger(__name__)
_MANY_NEWLINES = re.compile(r"\n{3,}")
_PLACEHOLDER = re.compile(r"\{(?:first_name|user)\}")
_NAME_CHARS = 60

Kind = Literal["infrastructure", "logic", "late", "too_long", "unread"]


@dataclass(frozen=True, slots=True)
class ComposerConfig:
    """Set the order of sections, the text between them, and where sections stand that change often."""

    section_order: tuple[str, ...] = field(default_factory=section_order)
    section_separator: str = "\n\n---\n\n"
    strip_empty_sections: bool = True
    volatile: Literal["tail", "system"] = "tail"  # where a volatile section stands that does not say so itself


def composer_config(settings: ComposeSettings) -> ComposerConfig:
    """Return how the settings want sections put together."""
    order = section_order(settings.profile, settings.section_order)
    return ComposerConfig(order, volatile=settings.volatile)


@dataclass(frozen=True, slots=True)
class Section:
    """One part of a prompt, as it stands there. Lines of its origins count from 0 within it."""

    name: str
    content: str
    cache_policy: bool
    placement: Placement
    trinket: str = ""
    origins: tuple[Origin, ...] = ()

    @property
    def tokens(self) -> int:
        return count_tokens(self.content)


@dataclass(frozen=True, slots=True)
class Missing:
    """A part of the prompt that could not be shown, whose it was, and why."""

    section: str
    trinket: str
    kind: Kind
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Composed:
    """A prompt. `non_cached_content` is everything volatile; `system_content` and `tail` say where it stands."""

    cached_content: str
    non_cached_content: str
    system_content: str
    tail: str
    sections: tuple[Section, ...]
    missing: tuple[Missing, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def degraded(self) -> bool:
        """Whether something is missing that belongs here."""
        return bool(self.missing)


class SystemPromptComposer:
    """Collects the sections of one prompt, and puts them together."""

    def __init__(self, config: ComposerConfig | None = None, on_warning: Callable[[str], None] = _LOG.warning) -> None:
        self.config = config or ComposerConfig()
        self._on_warning = on_warning
        self._sections: dict[str, Section] = {}

    def set_base_prompt(self, prompt: str) -> None:
        """The prompt that the sections follow; it is cached."""
        self.add_section(BASE, prompt, cache_policy=True)

    def add_section(
        self,
        name: str,
        content: str,
        cache_policy: bool = False,
        *,
        placement: Placement | None = None,
        trinket: str = "",
        origins: Iterable[Origin] = (),
    ) -> None:
        """Add a section, or replace the one of this name. Where a placement is given, it decides."""
        placement = placement or ("cached" if cache_policy else self.config.volatile)
        origins = tuple(origins) or (content.origins if isinstance(content, Markup) else ())
        text, cut = _trimmed(content)
        moved = tuple(replace(origin, line=origin.line - cut) for origin in origins) if cut else origins
        self._sections[name] = Section(name, text, placement == "cached", placement, trinket, moved)

    def clear_sections(self, preserve_base: bool = True) -> None:
        """Start again; by default with the same base prompt."""
        self._sections = {BASE: self._sections[BASE]} if preserve_base and BASE in self._sections else {}

    def compose(self) -> dict[str, str]:
        """The two texts: what is cached, and everything else."""
        composed = self.composed()
        return {"cached_content": composed.cached_content, "non_cached_content": composed.non_cached_content}

    def composed(self) -> Composed:
        """The prompt with all that is known about it."""
        sections, warnings = self._in_order()
        for warning in warnings:
            self._on_warning(warning)
        return Composed(
            cached_content=self._joined(one for one in sections if one.cache_policy),
            non_cached_content=self._joined(one for one in sections if not one.cache_policy),
            system_content=self._joined(one for one in sections if one.placement == "system"),
            tail=self._joined(one for one in sections if one.placement == "tail"),
            sections=sections,
            warnings=warnings,
        )

    def _in_order(self) -> tuple[tuple[Section, ...], tuple[str, ...]]:
        """Cached sections, then volatile ones; among each the known ones in their order, then the unknown."""
        shown = [one for one in self._sections.values() if one.content or not self.config.strip_empty_sections]
        places = {name: place for place, name in enumerate(self.config.section_order)}
        warnings = tuple(
            f'section "{one.name}" is in no order, so it stands behind the known ones'
            for one in shown
            if one.name not in places
        )
        ordered = sorted(shown, key=lambda one: (not one.cache_policy, places.get(one.name, len(places))))
        return tuple(ordered), warnings

    def _joined(self, sections: Iterable[Section]) -> str:
        """Blank lines are cleaned up between sections, never inside: what they say is data."""
        text = glue = ""
        for number, section in enumerate(sections):
            glue += self.config.section_separator if number else ""
            if section.content:
                text += _MANY_NEWLINES.sub("\n\n", glue) + section.content
                glue = ""
        return text + _MANY_NEWLINES.sub("\n\n", glue)


def personalised(prompt: str, first_name: str) -> str:
    """The base prompt with the person's name in the place of {first_name} and {user}. A name is data.

    >>> personalised("You help {first_name}.", "Ana"), personalised("You help {user}.", "")
    ('You help Ana.', 'You help the user.')
    """
    name = xml_text(" ".join(first_name.split())[:_NAME_CHARS].strip()) or "the user"
    return _PLACEHOLDER.sub(lambda _: name, without_controls(prompt))


def _trimmed(text: str) -> tuple[str, int]:
    """The text without blank lines around it, and how many were cut off its beginning.

    >>> _trimmed("\\n \\n  a\\n\\n\\nb \\n\\n")
    ('  a\\n\\n\\nb ', 2)
    """
    inner = len(text.rstrip())
    if not inner:
        return "", 0
    end = text.find("\n", inner)
    begin = text.rfind("\n", 0, len(text) - len(text.lstrip())) + 1
    return str(text[begin : end if end >= 0 else None]), text.count("\n", 0, begin)
