"""Show what comes in and what is learned, line by line, as it happens."""

import threading
from collections.abc import Callable

from rich.console import Console
from rich.text import Text

from reverie.events import EventBus, LearningStored, ObservationStored
from reverie.records import Kind, Learned, Observation, argument_of
from reverie.shells.cli.show import one_line

_STYLES = {
    Kind.USER_MESSAGE: ("you", "bold cyan"),
    Kind.ASSISTANT_MESSAGE: ("agent", "green"),
    Kind.TOOL_CALL: ("tool", "blue"),
    Kind.NOTE: ("note", "bold cyan"),
    Kind.SYSTEM: ("event", "dim"),
}


_LONGEST_SHOWN = 1000  # of what was said, where no terminal says how much fits


class LiveView:
    """Prints one line per thing seen; a steward's threads may call it at once. `after_line` is called after each."""

    def __init__(
        self, console: Console, clock: Callable[[], str], after_line: Callable[[], None] = lambda: None
    ) -> None:
        self._console = console
        self._clock = clock
        self._after_line = after_line
        self._lock = threading.Lock()

    def follow(self, events: EventBus) -> None:
        events.subscribe(ObservationStored, lambda event: self._show_observation(event.observation))
        events.subscribe(LearningStored, lambda event: self._show_learning(event.learned))

    def _show_learning(self, it: Learned) -> None:
        self._line("learned", "bold yellow", f"{it.type.value}: {it.text}")

    def _show_observation(self, it: Observation) -> None:
        label, style = _STYLES[it.kind]
        text = it.text
        if it.tool:
            outcome = "failed:" if it.tool.failed else "→"
            text = f"{it.tool.name} {argument_of(it.tool)} {outcome} {it.text}"
        self._line(label, style, text)

    def report(self, text: str) -> None:
        """Show a warning whole: it names the thing and the way out."""
        self._line("warning", "red", text, len(text))

    def _line(self, label: str, style: str, text: str, width: int = 0) -> None:
        fitting = max(40, self._console.width - 20) if self._console.is_terminal else _LONGEST_SHOWN
        line = Text.assemble((self._clock(), "dim"), "  ", (f"{label:<8}", style), one_line(text, width or fitting))
        with self._lock:
            self._console.print(line, soft_wrap=True)
            self._after_line()
