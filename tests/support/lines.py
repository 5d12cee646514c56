"""Counts the lines of the package that run, so that "it comes to an end" has a bound that no machine changes.

The count is the interpreter's. What a regular expression does inside one call is not seen.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import reverie

_PACKAGE = str(Path(reverie.__file__).parent)
Trace = Callable[[FrameType, str, Any], Any]


class TooManyLines(Exception):
    """The work was not done within its bound."""


@contextmanager
def at_most(lines: int) -> Iterator[None]:
    """Fail as soon as more lines of the package have run."""
    left, before = lines, sys.gettrace()

    def ran(frame: FrameType, event: str, argument: object) -> "Trace | None":
        nonlocal left
        left -= 1
        if left < 0:
            raise TooManyLines(f"more than {lines} lines, at last in {frame.f_code.co_name}")
        return ran

    def called(frame: FrameType, event: str, argument: object) -> "Trace | None":
        return ran(frame, event, argument) if frame.f_code.co_filename.startswith(_PACKAGE) else None

    sys.settrace(called)
    try:
        yield
    finally:
        sys.settrace(before)
