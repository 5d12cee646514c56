"""The file in which an engine writes first, as `status`, `doctor` and a forget tell of it."""

from collections.abc import Iterator
from dataclasses import dataclass

# A longer log means that somebody reads and does not end: a steward moves it into the record at a fifth of this.
LONG_LOG_BYTES = 64_000_000


@dataclass(frozen=True, slots=True)
class LogFile:
    """The file in which writes stand before they are moved into the record, and who keeps it from being emptied."""

    bytes: int
    readers: tuple[int, ...]  # processes that read the record right now, as far as they can be found out
    holds_forgotten: bool  # something was forgotten for good, and the log has not been emptied since
    name: str = "log"  # as the engine calls such a file
    mode: str = ""  # how the engine writes now, in its own word
    is_kept: bool = True  # whether writes go through it, as they should

    def troubles(self) -> Iterator[str]:
        """Yield what is wrong with it, in words, and what ends that.

        >>> print(*LogFile(4_152, (77,), True).troubles())
        gone from the record, but 4,152 bytes of the log may still say it; they wait for a reader, process 77, and are\
 erased when it lets go: by the steward, or by the next command
        """
        if self.holds_forgotten:
            yield (
                f"gone from the record, but {self.bytes:,} bytes of the {self.name} may still say it; "
                f"they wait for {self._reader}, and are erased when it lets go: by the steward, or by the next command"
            )
        if self.bytes > LONG_LOG_BYTES:
            yield (
                f"the {self.name} has {self.bytes:,} bytes, more than {LONG_LOG_BYTES // 1_000_000} MB; it waits "
                f"for {self._reader}, and shrinks when it lets go: by the steward, or by the next command"
            )

    @property
    def _reader(self) -> str:
        named = " and ".join(str(process) for process in self.readers)
        return f"a reader, process {named}" if named else "another process that reads the record"
