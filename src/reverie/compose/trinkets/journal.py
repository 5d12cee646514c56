"""What somebody keeps as a digest of the last days, in notes/journal/daily_summary.md.

Reverie writes no such file: without one there is no section.
"""

from reverie.compose.markup import Markup
from reverie.compose.trinket import EventAwareTrinket, TrinketContext
from reverie.compose.trinkets.bounds import page


class JournalTrinket(EventAwareTrinket):
    """Shows the digest."""

    cache_policy = True
    steady = True
    reads = ("journal_digest",)

    def _get_variable_name(self) -> str:
        return "journal_digest"

    def generate_content(self, context: TrinketContext) -> Markup:
        file = "notes/journal/daily_summary.md"
        return page("journal_digest", context.inputs.journal_digest, file, "kept in this file by you or an agent")
