"""How much a call does, counted in lines of Python and not in seconds: the same on every machine, however busy."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, TypeVar

_Result = TypeVar("_Result")


class Endless(AssertionError):
    """A call ran more lines than it may."""


def within_steps(most: int, call: Callable[[], _Result]) -> _Result:
    """What a call returns; Endless as soon as it has run more than so many lines."""
    left = most

    def trace(_frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal left
        left -= event == "line"
        if left < 0:
            raise Endless(f"more than {most:,} lines were run")
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        return call()
    finally:
        sys.settrace(before)
