"""Checks and repairs of a record as it lies on the disk: what `doctor` asks an engine for, besides its own checks."""

from pathlib import Path
from typing import Protocol

from reverie.records import CheckResult


class RecordDoctor(Protocol):
    """Looks at one workspace's record, which nobody needs to be able to open."""

    def has_record(self) -> bool: ...

    def is_lost(self) -> bool:
        """Whether there is no record, and other files say that there was one."""
        ...

    def lock_files(self) -> list[Path]:
        """The locks that writers take."""
        ...

    def check_library(self) -> CheckResult:
        """Whether the engine that is installed can be trusted with the record."""
        ...

    def check_record(self, *, repair: bool) -> CheckResult:
        """Read everything. With `repair`, set aside what is damaged, or carry over the rest into a new record."""
        ...

    def check_schema(self, *, repair: bool) -> CheckResult:
        """Whether the tables are those of the version that the record says it has."""
        ...
