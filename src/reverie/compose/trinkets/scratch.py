"""What somebody notes in memory/scratch.md. Reverie writes no such file: without one there is no section."""

from reverie.compose.markup import Markup
from reverie.compose.trinket import EventAwareTrinket, TrinketContext
from reverie.compose.trinkets.bounds import page


class ScratchTrinket(EventAwareTrinket):
    """Shows the scratch notes as they were written."""

    reads = ("scratch",)

    def _get_variable_name(self) -> str:
        return "scratch"

    def generate_content(self, context: TrinketContext) -> Markup:
        return page("scratch", context.inputs.scratch, "memory/scratch.md", "noted in this file by you or an agent")
