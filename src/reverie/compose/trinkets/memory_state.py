"""What somebody keeps in MEMORY.md. Reverie writes no such file: without one there is no section."""

from reverie.compose.markup import Markup
from reverie.compose.trinket import EventAwareTrinket, TrinketContext
from reverie.compose.trinkets.bounds import page


class MemoryStateTrinket(EventAwareTrinket):
    """Shows MEMORY.md."""

    cache_policy = True
    steady = True
    reads = ("memory_state",)

    def _get_variable_name(self) -> str:
        return "memory_state"

    def generate_content(self, context: TrinketContext) -> Markup:
        return page("memory_state", context.inputs.memory_state, "MEMORY.md", "kept in this file by you or an agent")
