"""What `Memory` offers beside remembering: a person's reminders, punchclock and documents, and conversations.

Everything behind these doors is loaded when the first of them is opened: a hook that asks for the context has no time.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from reverie.conversing import MAIN

if TYPE_CHECKING:
    from reverie.continuum.factory import Continuums
    from reverie.continuum.orchestrator import ContinuumOrchestrator
    from reverie.continuum.toolset import Toolset
    from reverie.conversing import Converser, Tool
    from reverie.memory import Memory
    from reverie.tools.domaindocs import DomaindocTool
    from reverie.tools.punchclock import PunchclockTool
    from reverie.tools.reminders import ReminderTool


class Doors:
    """`opened` is the memory that was opened; memories of other users in the same store share its conversations."""

    opened: "Memory"

    @cached_property
    def toolset(self) -> "Toolset":
        from reverie.continuum.toolset import Toolset

        return Toolset(self)  # type: ignore[arg-type]

    @property
    def reminders(self) -> "ReminderTool":
        return self.toolset.reminders

    @property
    def punchclock(self) -> "PunchclockTool":
        return self.toolset.punchclock

    @cached_property
    def documents(self) -> "DomaindocTool":
        """Domain documents, edited by the person."""
        return self.toolset.documents("user")

    @cached_property
    def continuums(self) -> "Continuums":
        from reverie.continuum.factory import Continuums

        return Continuums(self.opened)

    def continuum(
        self, continuum_id: str = MAIN, *, converser: "Converser | None" = None, tools: "Sequence[Tool]" = ()
    ) -> "ContinuumOrchestrator":
        """A conversation that goes on where it was left: with the model that the settings name, or one of your own."""
        from reverie.capture.doors import a_text

        name = self.opened.kept_name(a_text(continuum_id, "the name of a conversation"))
        return self.opened.continuums.open(self, name, converser, tools)  # type: ignore[arg-type]

    def collapse_silent_segments(self) -> int:
        """Collapse every segment, of any conversation, that was silent for too long; says how many. For stewards."""
        from reverie.continuum.collapse import collapse_silent

        return collapse_silent(self)  # type: ignore[arg-type]
