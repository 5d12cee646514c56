"""A scripted model on loopback, for tests: it answers in both wire protocols, or fails in one of FAULTS.

    with ModelServer() as server:
        server.script("FACT: a line", "silence", Say("NONE"))

Each entry is one answer: a text to say, the name of a fault, or a `Say`. When the script is used up, it says NONE. It
speaks raw sockets rather than http.server, because most of the faults are things that a proper server cannot do.
It keeps what it received and what it would have charged.
"""

import contextlib
import gzip
import json
import random
import socket
import ssl
import struct
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Say:
    """A proper answer: its text, why it ends, and changes to the JSON around it."""

    text: str
    end: str = "done"  # done, limit, refused, or a word of the protocol itself
    change: Callable[[dict[str, Any]], Any] = lambda whole: whole


@dataclass(frozen=True)
class Received:
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class ModelServer:
    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.received: list[Received] = []
        self.charged_tokens: list[tuple[int, int]] = []  # input and output of each call that it would bill
        self._script: deque[str | Say] = deque()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self._listener.getsockname()[1]}"
        self._tls = tls
        self._stopping = threading.Event()
        threading.Thread(target=self._serve, daemon=True).start()

    def script(self, *answers: str | Say) -> None:
        self._script.extend(answers)

    def __enter__(self) -> "ModelServer":
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._listener.close()

    def _serve(self) -> None:
        while not self._stopping.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError, IndexError, ValueError), connection:  # a client may send no request
            if self._tls:
                connection = self._tls.wrap_socket(connection, server_side=True)
            received = read_request(connection)
            self.received.append(received)
            answer = self._script.popleft() if self._script else Say("NONE")
            fault = FAULTS.get(answer) if isinstance(answer, str) else None
            say = answer if isinstance(answer, Say) else Say(answer)
            if fault is None or not fault.is_free:
                self.charged_tokens.append((len(json.dumps(received.body)) // 4, len(say.text) // 4 + 1))
            if fault is None:
                connection.sendall(http(whole_answer(received, say)))
            else:
                fault.act(connection, received, self._stopping)
            connection.close()


def read_request(connection: socket.socket) -> Received:
    stream = connection.makefile("rb")
    path = stream.readline().split()[1].decode()
    headers = {}
    while line := stream.readline().strip():
        name, _, value = line.decode("latin1").partition(":")
        headers[name.lower()] = value.strip()
    return Received(path, headers, json.loads(stream.read(int(headers["content-length"]))))


def whole_answer(received: Received, say: Say) -> bytes:
    """The JSON of an answer in the protocol that the request is in."""
    into, out = len(json.dumps(received.body)) // 4, len(say.text) // 4 + 1
    if received.path.endswith("/messages"):
        ends = {"done": "end_turn", "limit": "max_tokens", "refused": "refusal"}
        whole: dict[str, Any] = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": received.body["model"],
            "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": say.text}],
            "stop_reason": ends.get(say.end, say.end),
            "usage": {"input_tokens": into, "output_tokens": out, "cache_read_input_tokens": 0},
        }
    else:
        ends = {"done": "stop", "limit": "length", "refused": "content_filter"}
        said = {"role": "assistant", "content": say.text, "refusal": None}
        whole = {
            "id": "c1",
            "model": received.body["model"],
            "choices": [{"index": 0, "message": said, "finish_reason": ends.get(say.end, say.end)}],
            "usage": {"prompt_tokens": into, "completion_tokens": out, "total_tokens": into + out},
        }
    return json.dumps(say.change(whole)).encode()


def http(body: bytes, status: str = "200 OK", *headers: str, announced: int | None = None) -> bytes:
    length = len(body) if announced is None else announced
    lines = [f"HTTP/1.1 {status}", "content-type: application/json", f"content-length: {length}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


# ---- the faults


@dataclass(frozen=True)
class Fault:
    """A way to fail. `error` is what a caller has to see; `is_free` if no provider would charge for it."""

    error: str  # the name of the error class
    act: Callable[[socket.socket, Received, threading.Event], None]
    is_free: bool = False
    is_slow: bool = False  # takes the caller's whole timeout


def _status(line: str, *headers: str) -> Callable[[socket.socket, Received, threading.Event], None]:
    def act(connection: socket.socket, received: Received, _: threading.Event) -> None:
        # Some servers echo what they were sent, the key included.
        error = {"type": "error", "error": {"message": f"scripted {line}", "you_sent": received.headers}}
        connection.sendall(http(json.dumps(error).encode(), line, *headers))

    return act


def _bytes(make: Callable[[Received], bytes]) -> Callable[[socket.socket, Received, threading.Event], None]:
    def act(connection: socket.socket, received: Received, _: threading.Event) -> None:
        connection.sendall(make(received))

    return act


def _says(say: Say) -> Callable[[socket.socket, Received, threading.Event], None]:
    return _bytes(lambda received: http(whole_answer(received, say)))


def _good(received: Received) -> bytes:
    return http(whole_answer(received, Say("FACT: junk that must not be stored")))


def _reset(connection: socket.socket, _: Received, __: threading.Event) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def _hang_up(_: socket.socket, __: Received, ___: threading.Event) -> None:
    pass


def _silence(_: socket.socket, __: Received, stopping: threading.Event) -> None:
    stopping.wait(120)


def _drip(start: int) -> Callable[[socket.socket, Received, threading.Event], None]:
    """Whole up to `start`, then a byte at a time, each well within any timeout between two bytes."""

    def act(connection: socket.socket, received: Received, stopping: threading.Event) -> None:
        answer = _good(received)
        connection.sendall(answer[:start])
        for byte in answer[start:]:
            connection.sendall(bytes([byte]))
            if stopping.wait(0.05):
                return

    return act


def _endless(piece: bytes, start: bytes = b"HTTP/1.1 200 OK\r\n") -> Callable[..., None]:
    def act(connection: socket.socket, _: Received, stopping: threading.Event) -> None:
        connection.sendall(start)
        while not stopping.is_set():
            connection.sendall(piece)

    return act


def _without(*path: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    def change(whole: dict[str, Any]) -> dict[str, Any]:
        for name in path:
            whole.pop(name, None)
        return whole

    return change


def _usage(**counts: object) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda whole: {**whole, "usage": {**whole["usage"], **counts}}


_JUNK = "FACT: junk that must not be stored"
_LINES = Say(_JUNK)
_HALF = _bytes(lambda received: http(whole_answer(received, _LINES)[:-40]))
_CHUNKED = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"

FAULTS: dict[str, Fault] = {
    # The server says no.
    "400": Fault("ModelRefused", _status("400 Bad Request"), is_free=True),
    "401": Fault("ModelRefused", _status("401 Unauthorized"), is_free=True),
    "403": Fault("ModelRefused", _status("403 Forbidden"), is_free=True),
    "404": Fault("ModelRefused", _status("404 Not Found"), is_free=True),
    "413": Fault("ModelRefused", _status("413 Payload Too Large"), is_free=True),
    "307": Fault("ModelRefused", _status("307 Temporary Redirect", "location: http://127.0.0.1:1/"), is_free=True),
    "408": Fault("ModelUnavailable", _status("408 Request Timeout"), is_free=True),
    "429": Fault("ModelUnavailable", _status("429 Too Many Requests", "retry-after: 7"), is_free=True),
    "500": Fault("ModelUnavailable", _status("500 Internal Server Error"), is_free=True),
    "502": Fault("ModelUnavailable", _status("502 Bad Gateway")),
    "503": Fault("ModelUnavailable", _status("503 Service Unavailable", "retry-after: soon"), is_free=True),
    "504": Fault("ModelUnavailable", _status("504 Gateway Timeout")),
    "529": Fault("ModelUnavailable", _status("529 Overloaded"), is_free=True),
    "799": Fault("UnreadableReply", _status("799 What")),
    # The connection fails.
    "reset": Fault("ModelUnavailable", _reset),
    "hang up": Fault("ModelUnavailable", _hang_up),
    "silence": Fault("ModelUnavailable", _silence, is_slow=True),
    "drip": Fault("ModelUnavailable", _drip(0), is_slow=True),
    "drip the body": Fault("ModelUnavailable", _drip(120), is_slow=True),
    "continue for ever": Fault("ModelUnavailable", _endless(b"HTTP/1.1 100 Continue\r\n\r\n", b""), is_slow=True),
    "cut off": Fault("ModelUnavailable", _bytes(lambda received: _good(received)[:-30])),
    "cut off chunk": Fault("ModelUnavailable", _bytes(lambda _: _CHUNKED + b"40\r\n{")),
    "no chunk": Fault("ModelUnavailable", _bytes(lambda _: _CHUNKED + b"junk\r\n{")),
    "no http": Fault("ModelUnavailable", _bytes(lambda _: b"SSH-2.0-OpenSSH_9.6\r\n")),
    "endless headers": Fault("ModelUnavailable", _endless(b"x: y\r\n")),
    "endless header": Fault("ModelUnavailable", _endless(b"y" * 4096)),
    # The answer is too long, or is not one.
    "endless body": Fault("UnreadableReply", _endless(b"x" * 65536, b"HTTP/1.1 200 OK\r\n\r\n")),
    "huge body": Fault("UnreadableReply", _bytes(lambda r: http(whole_answer(r, Say("x" * 2_000_000))))),
    "half json": Fault("UnreadableReply", _HALF),
    "random bytes": Fault("UnreadableReply", _bytes(lambda _: http(random.Random(7).randbytes(2000)))),
    "gzip": Fault("UnreadableReply", _bytes(lambda r: http(gzip.compress(whole_answer(r, _LINES))))),
    "no body": Fault("UnreadableReply", _bytes(lambda _: http(b"", "204 No Content"))),
    "login page": Fault("UnreadableReply", _bytes(lambda _: http(b"<!doctype html><title>Sign in</title>"))),
    "json error": Fault("UnreadableReply", _bytes(lambda _: http(b'{"type":"error","error":{"message":"no"}}'))),
    "json list": Fault("UnreadableReply", _bytes(lambda _: http(b'["FACT: junk"]'))),
    "deep json": Fault("UnreadableReply", _bytes(lambda _: http(b'{"model":' + b"[" * 100_000))),
    "no usage": Fault("UnreadableReply", _says(replace(_LINES, change=_without("usage")))),
    "negative usage": Fault(
        "UnreadableReply", _says(replace(_LINES, change=_usage(output_tokens=-5, completion_tokens=-5)))
    ),
    "absurd usage": Fault(
        "UnreadableReply", _says(replace(_LINES, change=_usage(input_tokens=10**30, prompt_tokens=10**30)))
    ),
    "no content": Fault("UnreadableReply", _says(replace(_LINES, change=_without("content", "choices")))),
    "odd end": Fault("UnreadableReply", _says(replace(_LINES, end="tool_use"))),
    "refusal": Fault("ModelRefused", _says(replace(_LINES, end="refused"))),
}

# Answers whose form is right and whose words are not. The model may be asked once more, so they are said twice.
BAD_TEXTS: dict[str, tuple[str, Say]] = {
    "empty": ("UnreadableReply", Say("")),
    "apology": ("ModelRefused", Say("I'm sorry, but I can't help with that.")),
    "apologies in lines": (
        "UnreadableReply",
        Say("FACT [o1] (0.9): I'm sorry, but I can't help.\nACTION: I cannot assist."),
    ),
    "prose": ("UnreadableReply", Say("The person seems to like tabs. Let me know if you need more!")),
    "html text": ("UnreadableReply", Say("<html><body>502 Bad Gateway</body></html>")),
    "html in a line": ("UnreadableReply", Say("FACT: <html><body>502 Bad Gateway</body></html>")),
    "json text": ("UnreadableReply", Say('{"learnings": [{"type": "fact", "text": "junk"}]}')),
    "error text": ("UnreadableReply", Say("Error 529: overloaded_error")),
    "error in a line": ("UnreadableReply", Say("FACT [o1]: API error: overloaded\nFACT: 503 Service Unavailable")),
    "too long": ("UnreadableReply", Say("FACT [o1] (0.9): " + "junk " * 150)),
    "cut in the first line": (
        "UnreadableReply",
        Say("PREFERENCE [o1] (0.9): Always use tabs, but never in", end="limit"),
    ),
    "unknown observation": ("UnreadableReply", Say("FACT [o99] (0.9): junk that must not be stored")),
    "odd confidence": ("UnreadableReply", Say("FACT [o1] (95%): junk that must not be stored")),
    "unknown kind": ("UnreadableReply", Say("RUMOUR [o1] (0.9): junk that must not be stored")),
    "empty lines": ("UnreadableReply", Say("FACT:\nACTION [o1] (0.9): …\nPREFERENCE: NONE")),
    "binary text": ("UnreadableReply", Say("\x00\x01\x02\ufffd\u202e\x7f" * 50)),
}
