"""What happened lately, from the journal; fixed for a session."""

from reverie.compose.markup import Markup
from reverie.compose.trinket import EventAwareTrinket, TrinketContext
from reverie.compose.trinkets.bounds import page


class JournalTrinket(EventAwareTrinket):
    """Shows the digest of the journal."""

    cache_policy = True
    steady = True
    reads = ("journal_digest",)

    def _get_variable_name(self) -> str:
        return "journal_digest"

    def generate_content(self, context: TrinketContext) -> Markup:
        return page("journal_digest", context.desk.journal_digest, "journal", "a digest of the last journal entries")
