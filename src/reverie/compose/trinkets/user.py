"""Who the person is and what they prefer: user.md, without its comments."""

from reverie.compose.context import said
from reverie.compose.markup import Markup
from reverie.compose.trinket import EventAwareTrinket, TrinketContext
from reverie.compose.trinkets.bounds import PAGE_CHARS, page
from reverie.text import clip


class UserTrinket(EventAwareTrinket):
    """Shows user.md. A preference that is learned in the middle of a talk stands among the learnings meanwhile."""

    cache_policy = True
    steady = True
    reads = ("user",)

    def _get_variable_name(self) -> str:
        return "user"

    def generate_content(self, context: TrinketContext) -> Markup:
        return page("user_profile", said(clip(context.inputs.user, 2 * PAGE_CHARS)), "user.md", "the person's user.md")
