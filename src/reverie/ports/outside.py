"""The outside world: clocks, randomness, files, locks and network, all through one `Env`."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One request. `timeout_seconds` bounds the whole exchange, `max_bytes` the answer."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes
    timeout_seconds: float
    max_bytes: int = 8_000_000


@dataclass(frozen=True, slots=True)
class HttpResponse:
    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class HttpStream:
    """An answer as it comes. `pieces` ends with the answer, or raises what `http` would have raised."""

    status: int
    headers: Mapping[str, str]
    pieces: Iterator[bytes]


class Lock(Protocol):
    """An advisory lock on a file, shared by threads and processes."""

    def acquire(self, wait_seconds: float | None = None) -> bool:
        """Take it; wait for ever by default, not at all with 0. Says whether it was got."""
        ...

    def release(self) -> None: ...


class Files(Protocol):
    """The file operations that the package needs, durable where they say so."""

    def read(self, path: Path, *, follow: bool = True) -> bytes | None:
        """The bytes of a file; None if there is none.

        What is no regular file is refused with an OSError, and so is a symbolic link unless it may be followed.
        """
        ...

    def replace(self, path: Path, data: bytes, mode: int = 0o600) -> None:
        """Write a whole file: temp file, sync, rename, sync of the folder; never through a symlink."""
        ...

    def append(self, path: Path, data: bytes) -> None:
        """Append and sync."""
        ...

    def truncate(self, path: Path) -> None:
        """Empty a file in place."""
        ...

    def make_folder(self, path: Path) -> None: ...

    def names(self, folder: Path) -> list[str]: ...

    def is_link(self, path: Path) -> bool: ...

    def link_target(self, path: Path) -> str | None:
        """Return where a symbolic link leads, as it is written there; None if it is none."""
        ...

    def size(self, path: Path) -> int:
        """Bytes in the file, 0 if there is none."""
        ...

    def mode(self, path: Path) -> int | None:
        """The permission bits of a file; None if there is none."""
        ...

    def rename(self, old: Path, new: Path) -> None:
        """Rename and sync the folder."""
        ...

    def remove(self, path: Path) -> None: ...

    def lock(self, path: Path) -> Lock: ...


class Env(Protocol):
    """Clocks, randomness, files and network.

    Whatever can come through here does. What cannot (SQLite's own files, sockets, the hook process, which loads nothing
    of the package) is listed with its reason in tests/test_architecture.py.
    """

    @property
    def files(self) -> Files: ...

    def now_ms(self) -> int: ...

    def monotonic(self) -> float: ...

    def random_bytes(self, count: int) -> bytes: ...

    def sleep(self, seconds: float) -> None: ...

    def variable(self, name: str) -> str | None:
        """An environment variable."""
        ...

    def variable_names(self) -> Iterable[str]:
        """Of all environment variables."""
        ...

    def http(self, request: HttpRequest) -> HttpResponse: ...

    def http_stream(
        self, request: HttpRequest, is_cancelled: Callable[[], bool] = lambda: False
    ) -> AbstractContextManager[HttpStream]:
        """As `http`, but read as it comes; once cancelled, ExchangeCancelled. On leaving, the connection is closed."""
        ...
