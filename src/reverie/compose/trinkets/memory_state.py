"""The state that memory has distilled from everything: MEMORY.md."""

from reverie.compose.markup import Markup
from reverie.compose.trinket import EventAwareTrinket, TrinketContext
from reverie.compose.trinkets.bounds import page


class MemoryStateTrinket(EventAwareTrinket):
    """Shows MEMORY.md as the desk has it: cut for the model's window already, by section and priority."""

    cache_policy = True
    steady = True
    reads = ("memory_state",)

    def _get_variable_name(self) -> str:
        return "memory_state"

    def generate_content(self, context: TrinketContext) -> Markup:
        return page("memory_state", context.desk.memory_state, "MEMORY.md", "what memory has made of all before")
