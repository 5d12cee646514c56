"""Connections -> whole requests. Whoever sends slowly, too much or nothing at all is dropped, and holds up nobody."""

import os
import selectors
import socket
from dataclasses import dataclass, field
from pathlib import Path

from reverie.ports import Env

_REQUEST_BYTES = 65_536
_REQUEST_SECONDS = 1.0  # from the connection to the last byte; a hook sends at once
_MOST_WAITING = 64  # of those who have not said all yet; then the one that has taken longest is dropped


@dataclass(slots=True)
class _Caller:
    connection: socket.socket
    until: float
    said: list[bytes] = field(default_factory=list)
    size: int = 0


class SocketServer:
    """Listens at an address, from one thread."""

    def __init__(self, address: Path, env: Env) -> None:
        self.address = address
        self._env = env
        self._server = _listen(address)
        self._callers: dict[int, _Caller] = {}  # by file number, the longest waiting first
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._server, selectors.EVENT_READ)

    def requests(self, wait_seconds: float) -> list[tuple[socket.socket, bytes]]:
        """Wait for requests; return each whole one with its connection. Callers that sent nothing are left out."""
        whole = []
        now = self._env.monotonic()
        until = min((caller.until for caller in self._callers.values()), default=now + wait_seconds)
        for key, _ in self._selector.select(max(0.0, min(wait_seconds, until - now))):
            if key.fileobj is self._server:
                self._accept()
            elif (caller := self._callers.get(key.fd)) and self._read(caller):
                self._selector.unregister(caller.connection)
                del self._callers[key.fd]
                if caller.size:
                    whole.append((caller.connection, b"".join(caller.said)))
                else:
                    caller.connection.close()
        for caller in [one for one in self._callers.values() if one.until <= self._env.monotonic()]:
            self._drop(caller)
        return whole

    def close(self) -> None:
        for caller in list(self._callers.values()):
            self._drop(caller)
        self._selector.close()
        self._server.close()

    def _accept(self) -> None:
        try:
            connection, _ = self._server.accept()
        except (BlockingIOError, ConnectionError):  # it has hung up already
            return
        connection.setblocking(False)
        if len(self._callers) >= _MOST_WAITING:
            self._drop(next(iter(self._callers.values())))
        self._callers[connection.fileno()] = _Caller(connection, self._env.monotonic() + _REQUEST_SECONDS)
        self._selector.register(connection, selectors.EVENT_READ)

    def _read(self, caller: _Caller) -> bool:
        """Take what is there; says whether that was the end of it."""
        try:
            piece = caller.connection.recv(_REQUEST_BYTES)
        except BlockingIOError:
            return False
        except OSError:
            self._drop(caller)
            return False
        caller.said.append(piece)
        caller.size += len(piece)
        if caller.size > _REQUEST_BYTES:
            self._drop(caller)
            return False
        return not piece

    def _drop(self, caller: _Caller) -> None:
        del self._callers[caller.connection.fileno()]
        self._selector.unregister(caller.connection)
        caller.connection.close()


def _listen(address: Path) -> socket.socket:
    address.unlink(missing_ok=True)
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        server.bind(str(address))
    finally:
        os.umask(before)
    server.listen(64)
    server.setblocking(False)
    return server
