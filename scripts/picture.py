"""Records the demo as a picture: docs/images/demo.svg. Run it when the demo has changed."""

import io
import re
from pathlib import Path

from rich.console import Console

from reverie.shells.demo import play

TARGET = Path(__file__).parents[1] / "docs" / "images" / "demo.svg"


def main() -> None:
    console = Console(record=True, width=104, file=io.StringIO(), force_terminal=True, highlight=False)
    play(console)
    svg = console.export_svg(title="make run")
    # The picture must not fetch fonts when somebody looks at it.
    TARGET.write_text(re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL), encoding="utf-8")


if __name__ == "__main__":
    main()
