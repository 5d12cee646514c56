"""A conversation without a model: what memory alone can answer, quoted, and said to be no more than that."""

from collections.abc import Callable, Sequence
from datetime import datetime, tzinfo

from reverie.compose.trinkets.proactive_memory import short_id
from reverie.records.conversation_values import Request, Said
from reverie.records.prompt_inputs import Surfaced

NAME = "offline"
_QUOTED = 5


class OfflineConverser:
    """Answers with what surfaced. `surfaced` gives the memories of the turn that runs."""

    name = NAME

    def __init__(self, surfaced: Callable[[], Sequence[Surfaced]], zone: tzinfo) -> None:
        self._surfaced = surfaced
        self._zone = zone

    def converse(
        self,
        _request: Request,
        on_text: Callable[[str], None] = lambda _: None,
        _is_cancelled: Callable[[], bool] = lambda: False,
    ) -> Said:
        text = quoted(self._surfaced(), self._zone)
        on_text(text)
        return Said(text=text, model=NAME)


def quoted(surfaced: Sequence[Surfaced], zone: tzinfo) -> str:
    """Quote the memories that were found, each with its id and its date."""
    if not surfaced:
        return "No model is set, so I can only quote what I remember, and I remember nothing about this."
    lines = ["No model is set, so I can only quote what I remember about this:"]
    for one in surfaced[:_QUOTED]:
        day = datetime.fromtimestamp(one.when_ms / 1000, zone).strftime("%Y-%m-%d")
        who = f", {one.who}" if one.who else ""
        lines.append(f'- "{" ".join(one.text.split())}" ({day}{who}) [{short_id(one.id)}]')
    return "\n".join(lines)
