"""The error tree. A message names the thing, the value and the way out.

ReverieError
├── BadSettings          a settings file, variable or argument is wrong
├── BadInput             what a caller handed in cannot be used
│   ├── StaleVersion     somebody else changed it meanwhile; read it again
│   └── UnknownMemoryType no memory type of this name; suggests the nearest
├── StoreError           the record on disk
│   ├── NewerStore       written by a newer Reverie; left untouched
│   ├── DamagedStore     a file failed its checks
│   │   └── DamagedRow   one row did; the others can be read
│   ├── StoreBusy        a lock was not free in time
│   ├── StoreFull        a write found no room, or the disk failed; nothing of it was kept
│   ├── StoreClosed      it was used after it had been closed
│   └── LeaseLost        the work was given to someone else meanwhile
├── BulkStopped          a bulk write stopped; says how many are safely in
├── StewardRunning       another process is the steward; says which
└── ModelError           a language model did not give a usable answer
    ├── ModelUnavailable try again later (network, 429, 5xx, overload)
    ├── ModelRefused     asking again will not help (401, 400, refusal)
    ├── UnreadableReply  an answer came, and it is not what was asked for
    ├── ExchangeCancelled we hung up, because nobody waits for the answer any more
    └── OverBudget       the call was not made: it might exceed a ceiling
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reverie.ports import Reply


class ReverieError(Exception):
    """The base of every error that Reverie raises on purpose."""


class BadSettings(ReverieError):
    """A settings file, variable or argument is wrong."""


class BadInput(ReverieError):
    """A caller handed in something that cannot be used."""


class StaleVersion(BadInput):
    """Somebody else changed this meanwhile."""


class UnknownMemoryType(BadInput):
    """No memory type of this name is registered."""


class StoreError(ReverieError):
    """The record on disk could not be read or written."""


class NewerStore(StoreError):
    """The file was written by a newer Reverie and has not been touched."""


class DamagedStore(StoreError):
    """A file failed its checks."""


class DamagedRow(DamagedStore):
    """A row holds what cannot stand there. The others can be read."""

    def __init__(self, table: str, key: object, why: str) -> None:
        super().__init__(f"a row of {table} is damaged ({key}: {why}); `reverie doctor --repair` sets it aside")


class StoreBusy(StoreError):
    """A lock was not free in time."""


class StoreFull(StoreError):
    """A write found no room, or the disk failed. Nothing of it was kept; what is there can be read."""


class StoreClosed(StoreError):
    """The memory was used after it had been closed."""


class LeaseLost(StoreError):
    """The lease on a piece of work is no longer ours; nothing was written."""


class BulkStopped(ReverieError):
    """A bulk write stopped part of the way; `stored` observations are safely in."""

    def __init__(self, message: str, stored: int) -> None:
        super().__init__(message)
        self.stored = stored


class StewardRunning(ReverieError):
    """Another process holds the steward's lock."""


class ModelError(ReverieError):
    """A language model did not give a usable answer.

    `unbilled` is true only when the provider certainly charged nothing; otherwise the call counts as spent.
    """

    def __init__(self, message: str, *, unbilled: bool = False) -> None:
        super().__init__(message)
        self.unbilled = unbilled


class ModelUnavailable(ModelError):
    """Trying again later may help: network trouble, 429, 5xx, overload; in the background a wrong key, too."""

    def __init__(self, message: str, retry_after_seconds: float | None = None, *, unbilled: bool = False) -> None:
        super().__init__(message, unbilled=unbilled)
        self.retry_after_seconds = retry_after_seconds


class ModelRefused(ModelError):
    """Asking the same again will not help: 400, 401, 403, or a refusal.

    `counted` is the reply that refused, where it says what it cost.
    """

    def __init__(self, message: str, *, unbilled: bool = False, counted: "Reply | None" = None) -> None:
        super().__init__(message, unbilled=unbilled)
        self.counted = counted


class UnreadableReply(ModelError):
    """An answer came, and it is not what was asked for."""


class ExchangeCancelled(ModelError):
    """We hung up before the answer was over, because somebody asked us to."""


class OverBudget(ModelError):
    """The call was not made, because it might have exceeded a ceiling."""
