"""The sections of a prompt, their order, and the name of the element that each of them is.

A section that stands in no order is appended after the known ones of its kind, with a warning.
"""

from collections.abc import Sequence
from typing import Literal

BASE = "base_prompt"

# What changes seldom comes first and together: a provider's cache holds a prefix.
_CACHED = (BASE, "soul", "user", "memory_state", "conversation_manifest", "domaindoc", "journal_digest")
_VOLATILE = (
    "now",
    "datetime_section",
    "active_reminders",
    "punchclock_status",
    "learnings",
    "pending_actions",
    "goals",
    "scratch",
    "tool_guidance",
    "tool_hints",
    "relevant_memories",
    "context_search_results",
    "workflow_guidance",
    "temporal_context",
)
_ACTIVE = (*_CACHED, *_VOLATILE)
# An agent without memory tools keeps no notes of its own and asks for no searches.
_ONLY_ACTIVE = {"memory_state", "scratch", "context_search_results"}

# Sections whose element has another name than the section.
TAGS = {
    "user": "user_profile",
    "domaindoc": "domain_knowledge",
    "datetime_section": "current_datetime",
    "punchclock_status": "punchclock",
    "tool_hints": "tool_loader",
    "relevant_memories": "surfaced_memories",
}


def section_order(profile: Literal["active", "ambient"] = "active", together: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the order of a profile's sections.

    The sections named in `together`, your own too, stand side by side in that order where the first known one of them
    is, or at the end if none is known.

    >>> [name for name in section_order("active") if name not in section_order("ambient")]
    ['memory_state', 'scratch', 'context_search_results']
    >>> section_order("active", ["now", "weather", "goals"])[7:12]
    ('now', 'weather', 'goals', 'datetime_section', 'active_reminders')
    """
    names = _ACTIVE if profile == "active" else tuple(name for name in _ACTIVE if name not in _ONLY_ACTIVE)
    place = next((names.index(name) for name in together if name in names), len(names))
    before, after = ([name for name in part if name not in together] for part in (names[:place], names[place:]))
    return (*before, *dict.fromkeys(together), *after)


def reserved_for_others(name: str) -> frozenset[str]:
    """Elements that only sections of another name may be.

    >>> "goals" in reserved_for_others("weather"), "goals" in reserved_for_others("goals")
    (True, False)
    """
    return frozenset({*_ACTIVE, *TAGS.values()} - {name, TAGS.get(name, name)})
