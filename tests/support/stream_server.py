"""A server on loopback that sends an answer piece by piece, for tests of streaming.

    with StreamServer([head(), b"data: one", HOLD]) as server:
        ...  # server.hung_up is set once the client has closed the connection

Each list is one answer; HOLD waits, with the connection open, until the client hangs up.
"""

import contextlib
import json
import socket
import threading
from collections.abc import Sequence
from typing import Any

from support.model_server import Received, read_request

HOLD = b""


def head(kind: str = "text/event-stream", status: str = "200 OK") -> bytes:
    return f"HTTP/1.1 {status}\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n".encode()


def event(data: dict[str, Any] | str, name: str = "") -> bytes:
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    return (f"event: {name}\n" if name else "").encode() + f"data: {text}\n\n".encode()


class StreamServer:
    def __init__(self, *answers: Sequence[bytes]) -> None:
        self.received: list[Received] = []
        self.hung_up = threading.Event()
        self._answers = list(answers)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def __enter__(self) -> "StreamServer":
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()

    def _serve(self) -> None:
        for answer in self._answers:
            with contextlib.suppress(OSError):
                connection, _ = self._listener.accept()
                with connection:
                    self.received.append(read_request(connection))
                    self._send(connection, answer)

    def _send(self, connection: socket.socket, answer: Sequence[bytes]) -> None:
        for piece in answer:
            if piece:
                connection.sendall(piece)
                continue
            connection.settimeout(10)
            if connection.recv(1) == b"":
                self.hung_up.set()
