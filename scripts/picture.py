"""Records what people see as pictures in docs/images: demo.svg, and chat.svg. Run it when one of them has changed."""

import io
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.text import Text

from reverie.continuum.orchestrator import ContinuumOrchestrator
from reverie.memory import Memory
from reverie.settings import PersonSettings, Settings
from reverie.shells.chat.talk import talk
from reverie.shells.chat.view import ChatView
from reverie.shells.demo import play
from reverie.shells.prompt import lines_of
from reverie.testing import FakeEnv, ScriptedConverser

FOLDER = Path(__file__).parents[1] / "docs" / "images"


def main() -> None:
    demo = _console(104)
    play(demo)
    _save(demo, "demo.svg", "make run")
    chat = _console(118)
    _chat(chat)
    _save(chat, "chat.svg", "reverie chat")


def _chat(console: Console) -> None:
    """A short conversation with a scripted model, and why a line of its prompt is there."""

    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(person=PersonSettings(first_name="Ana", time_zone="Europe/Berlin"))
        with Memory.open(folder, env=FakeEnv(seed=4), settings=settings) as memory:
            memory.note("The staging database is Postgres 14 on db-stage")
            memory.documents.create("shop", "The shop")
            memory.documents.create_section("shop", "Deploy", "Deploys go out on Tuesday.")
            model = ScriptedConverser("Postgres 14, on db-stage.", "On Tuesday.", name="claude-sonnet-4-5")
            view = ChatView(lambda text: console.print(Text(text), end=""), lambda text: text)
            conversation = memory.continuum(converser=model)
            talk(memory, conversation, view, _typed(console, conversation))


def _typed(console: Console, conversation: ContinuumOrchestrator) -> Iterator[str]:
    """What is typed; the number of the line that is asked about is looked up as a person would."""
    yield from _echoed(console, "Which database does staging use?")
    composed = conversation.last_composed
    assert composed
    number = next(line.number for line in lines_of(composed) if "db-stage" in line.text)
    yield from _echoed(console, f"/explain {number}")
    yield from _echoed(console, "/reminders add rotate the staging keys @ friday at 10")
    yield from _echoed(console, "And when do deploys go out?")
    yield from _echoed(console, "/prompt ledger")


def _echoed(console: Console, line: str) -> Iterator[str]:
    console.print(Text("you> ", style="bold") + Text(line))
    yield line


def _console(width: int) -> Console:
    return Console(record=True, width=width, file=io.StringIO(), force_terminal=True, highlight=False)


def _save(console: Console, name: str, title: str) -> None:
    svg = console.export_svg(title=title)
    # The picture must not fetch fonts when somebody looks at it, and with another font lines must not have gaps.
    svg = svg.replace("textLength=", 'lengthAdjust="spacingAndGlyphs" textLength=')
    (FOLDER / name).write_text(re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL), encoding="utf-8")


if __name__ == "__main__":
    main()
