"""Notes that the agent made and that no dream has taken in yet."""

from reverie.compose.markup import Markup
from reverie.compose.trinket import EventAwareTrinket, TrinketContext
from reverie.compose.trinkets.bounds import page


class ScratchTrinket(EventAwareTrinket):
    """Shows the scratch notes as they were written."""

    reads = ("scratch",)

    def _get_variable_name(self) -> str:
        return "scratch"

    def generate_content(self, context: TrinketContext) -> Markup:
        return page("scratch", context.desk.scratch, "scratch", "a note that waits for the next dream")
