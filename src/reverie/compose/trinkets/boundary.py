"""The mark at which a person's words end and the volatile sections begin.

What is pasted into a message may look like a section. It stands before this mark, and cannot have its key.
"""

from reverie.compose.markup import Markup, tag
from reverie.compose.trinket import EventAwareTrinket, TrinketContext


class BoundaryTrinket(EventAwareTrinket):
    """Shows the key of the conversation, which the base prompt names."""

    def _get_variable_name(self) -> str:
        return "now"

    def generate_content(self, context: TrinketContext) -> Markup:
        return tag("now", key=context.inputs.key) if context.inputs.key else Markup()
