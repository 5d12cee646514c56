"""Show the advice that loaded tools give about their use."""

from reverie.compose.markup import Markup, Origin, tag
from reverie.compose.trinket import EventAwareTrinket, TrinketContext
from reverie.compose.trinkets.bounds import attribute, cut, group, lines_of, listed
from reverie.records.prompt_inputs import ToolNote

_HINT_CHARS = 1_500


class ToolGuidanceTrinket(EventAwareTrinket):
    """Shows the hints of the tools that are loaded; a tool without hints is not mentioned."""

    reads = ("tools",)

    def _get_variable_name(self) -> str:
        return "tool_guidance"

    def generate_content(self, context: TrinketContext) -> Markup:
        loaded = {tool.name for tool in context.inputs.tools.loaded}
        hinting = [it for it in context.inputs.tools.available if it.name in loaded and it.hints.strip()]
        return group("tool_guidance", listed(hinting, _hints, "`reverie admin tools` tells them"))


def _hints(tool: ToolNote) -> Markup:
    why = "it is loaded and has hints"
    told = lines_of(cut(tool.hints.strip(), _HINT_CHARS), "tool", tool.name, why)
    return tag("tool", told, name_=attribute(tool.name, 80), origin=Origin(0, "tool", tool.name, why))
