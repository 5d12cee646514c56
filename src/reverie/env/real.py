"""The real outside world: clocks, randomness, files and network of this machine."""

import fcntl
import os
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path

from reverie.errors import StoreError
from reverie.hook.locate import open_file
from reverie.ports import HttpRequest, HttpResponse, HttpStream, Lock

# flock has no deadline of its own, so a bounded wait is a poll. 2 ms is well under the time of one sync.
_LOCK_POLL_SECONDS = 0.002


class FileLock:
    """An flock on its own file descriptor, so that threads exclude each other like processes do."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor = -1

    def acquire(self, wait_seconds: float | None = None) -> bool:
        if self._descriptor < 0:
            self._descriptor = self._open()
        if wait_seconds is None:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX)
            return True
        deadline = time.monotonic() + wait_seconds
        while True:
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return True
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    return False
                time.sleep(_LOCK_POLL_SECONDS)

    def _open(self) -> int:
        try:
            return open_file(str(self._path), os.O_RDWR | os.O_CREAT)
        except OSError:  # who may only read can still ask whether somebody holds it
            return open_file(str(self._path), os.O_RDONLY)

    def release(self) -> None:
        if self._descriptor >= 0:
            fcntl.flock(self._descriptor, fcntl.LOCK_UN)

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    __del__ = close


def full_sync(descriptor: int) -> None:
    """Sync to the disk itself; on macOS fsync stops at the drive's cache."""
    if sys.platform == "darwin":
        fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
    else:
        os.fsync(descriptor)


class RealFiles:
    """Files on this machine."""

    def read(self, path: Path, *, follow: bool = True) -> bytes | None:
        try:
            descriptor = open_file(str(path), os.O_RDONLY, follow)
        except (FileNotFoundError, NotADirectoryError):
            return None
        with open(descriptor, "rb") as file:
            return file.read()

    def replace(self, path: Path, data: bytes, mode: int = 0o600) -> None:
        if self.is_link(path):
            raise StoreError(f"{path} is a symbolic link; Reverie writes only to real files: replace it by one")
        fresh = path.with_name(f".{path.name}.{os.urandom(6).hex()}.new")
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
        try:
            _write_all(descriptor, data)
            full_sync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(fresh, path)
        _sync_folder(path.parent)

    def append(self, path: Path, data: bytes) -> None:
        descriptor = open_file(str(path), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        try:
            _write_all(descriptor, data)
            full_sync(descriptor)
        finally:
            os.close(descriptor)

    def truncate(self, path: Path) -> None:
        descriptor = open_file(str(path), os.O_WRONLY)
        try:
            os.ftruncate(descriptor, 0)
        finally:
            os.close(descriptor)

    def make_folder(self, path: Path) -> None:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)

    def names(self, folder: Path) -> list[str]:
        try:
            return sorted(os.listdir(folder))
        except (FileNotFoundError, NotADirectoryError):
            return []

    def is_link(self, path: Path) -> bool:
        return path.is_symlink()

    def link_target(self, path: Path) -> str | None:
        try:
            return os.readlink(path)
        except OSError:
            return None

    def size(self, path: Path) -> int:
        try:
            return path.stat().st_size
        except (FileNotFoundError, NotADirectoryError):
            return 0

    def mode(self, path: Path) -> int | None:
        try:
            return path.stat().st_mode & 0o777
        except (FileNotFoundError, NotADirectoryError):
            return None

    def rename(self, old: Path, new: Path) -> None:
        os.replace(old, new)
        _sync_folder(new.parent)

    def remove(self, path: Path) -> None:
        path.unlink(missing_ok=True)

    def lock(self, path: Path) -> Lock:
        return FileLock(path)


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class RealEnv:
    """This machine, now."""

    def __init__(self) -> None:
        self.files = RealFiles()

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000

    def monotonic(self) -> float:
        return time.monotonic()

    def random_bytes(self, count: int) -> bytes:
        return os.urandom(count)

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    def variable(self, name: str) -> str | None:
        return os.environ.get(name)

    def variable_names(self) -> Iterable[str]:
        return list(os.environ)

    def http(self, request: HttpRequest) -> HttpResponse:
        from reverie.env.http_client import send  # http.client is slow to import, and most runs never need it

        return send(request, time.monotonic)

    def http_stream(
        self, request: HttpRequest, is_cancelled: Callable[[], bool] = lambda: False
    ) -> AbstractContextManager[HttpStream]:
        from reverie.env.http_client import stream

        return stream(request, time.monotonic, is_cancelled)
