"""What Reverie costs, measured: `python -m bench` runs every part and compares it with its bar."""

import importlib
from typing import Any


def measured(name: str) -> Any:
    """Run a part. Here, because a process of its own can find it here."""
    part = importlib.import_module(f"bench.{name}")
    return part.run() if hasattr(part, "run") else part.main()
