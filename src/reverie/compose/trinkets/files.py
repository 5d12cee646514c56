"""The sections that show a file of the workspace; without the file there is no section.

The person writes soul.md and user.md, whose comments are not shown. The others are for the person or an agent of
theirs: Reverie does not write them.
"""

from reverie.compose.context import said
from reverie.compose.markup import Markup
from reverie.compose.trinket import EventAwareTrinket, TrinketContext
from reverie.compose.trinkets.bounds import PAGE_CHARS, page
from reverie.foundation.text import clip


class SoulTrinket(EventAwareTrinket):
    """Shows who the agent is. A change waits until the prefix breaks anyhow."""

    cache_policy = True
    steady = True
    reads = ("soul",)

    def _get_variable_name(self) -> str:
        return "soul"

    def generate_content(self, context: TrinketContext) -> Markup:
        # Comments are looked for in what can be shown at all: a file of 5 MB is not read through.
        return page("soul", said(clip(context.inputs.soul, 2 * PAGE_CHARS)), "soul.md", "the person's soul.md")


class UserTrinket(EventAwareTrinket):
    """Shows who the person is. A preference learned in the middle of a talk is among the learnings meanwhile."""

    cache_policy = True
    steady = True
    reads = ("user",)

    def _get_variable_name(self) -> str:
        return "user"

    def generate_content(self, context: TrinketContext) -> Markup:
        return page("user_profile", said(clip(context.inputs.user, 2 * PAGE_CHARS)), "user.md", "the person's user.md")


class MemoryStateTrinket(EventAwareTrinket):
    """Shows MEMORY.md."""

    cache_policy = True
    steady = True
    reads = ("memory_state",)

    def _get_variable_name(self) -> str:
        return "memory_state"

    def generate_content(self, context: TrinketContext) -> Markup:
        return page("memory_state", context.inputs.memory_state, "MEMORY.md", "kept in this file by you or an agent")


class JournalTrinket(EventAwareTrinket):
    """Shows a digest of the last days."""

    cache_policy = True
    steady = True
    reads = ("journal_digest",)

    def _get_variable_name(self) -> str:
        return "journal_digest"

    def generate_content(self, context: TrinketContext) -> Markup:
        file = "notes/journal/daily_summary.md"
        return page("journal_digest", context.inputs.journal_digest, file, "kept in this file by you or an agent")


class ScratchTrinket(EventAwareTrinket):
    """Shows the scratch notes as they were written."""

    reads = ("scratch",)

    def _get_variable_name(self) -> str:
        return "scratch"

    def generate_content(self, context: TrinketContext) -> Markup:
        return page("scratch", context.inputs.scratch, "memory/scratch.md", "noted in this file by you or an agent")
