"""Who the agent is: soul.md, without its comments."""

from reverie.compose.context import said
from reverie.compose.markup import Markup
from reverie.compose.trinket import EventAwareTrinket, TrinketContext
from reverie.compose.trinkets.bounds import PAGE_CHARS, page
from reverie.text import clip


class SoulTrinket(EventAwareTrinket):
    """Shows soul.md. A change waits until the prefix breaks anyhow."""

    cache_policy = True
    steady = True
    reads = ("soul",)

    def _get_variable_name(self) -> str:
        return "soul"

    def generate_content(self, context: TrinketContext) -> Markup:
        # Comments are looked for in what can be shown at all: a file of 5 MB is not read through.
        return page("soul", said(clip(context.inputs.soul, 2 * PAGE_CHARS)), "soul.md", "the person's soul.md")
