"""The outcome of one check of `doctor`."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One thing that was looked at."""

    name: str
    is_fine: bool
    detail: str
