"""One HTTP exchange: an `HttpRequest` in, an `HttpResponse` out, or an error within the request's own time.

`send` reads the whole answer, `stream` hands it on as it comes and hangs up when nobody wants it any more.

Built on `http.client` and a socket of our own, because its timeout starts again with every byte: a server that drips
would hold us for ever. Redirects are not followed and proxies are not used: a key goes only where the settings say.
No message from here repeats a header or the body of a request, for that is where keys are.
"""

import http.client
import io
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import SplitResult, urlsplit

from reverie.env.connections import Deadline, connect, encrypt
from reverie.errors import BadSettings, ExchangeCancelled, ModelUnavailable, UnreadableReply
from reverie.ports import HttpRequest, HttpResponse, HttpStream

_PIECE = 65_536
_PORTS = {"http": 80, "https": 443}

# How long a silence lasts before we look whether the answer is still wanted.
_LOOK_SECONDS = 0.1


def send(request: HttpRequest, monotonic: Callable[[], float]) -> HttpResponse:
    """Make the exchange within `timeout_seconds` in all, or raise ModelUnavailable, UnreadableReply or BadSettings."""
    with _connected(request, monotonic, lambda: False) as wire, _failures_named(request):
        response = _begin(request, wire)
        return HttpResponse(response.status, _headers(response), _read(response, request.max_bytes))


@contextmanager
def stream(
    request: HttpRequest, monotonic: Callable[[], float], is_cancelled: Callable[[], bool] = lambda: False
) -> Iterator[HttpStream]:
    """The same exchange, its answer piece by piece. Also while nothing comes, a cancelled one ends soon."""
    with _connected(request, monotonic, is_cancelled) as wire:
        with _failures_named(request):
            response = _begin(request, wire)
        yield HttpStream(response.status, _headers(response), _pieces(request, response))


def checked_url(text: str) -> SplitResult:
    """The parts of a base URL or request URL; BadSettings if it is not one that we would send a key to."""
    try:
        url = urlsplit(text)
        usable = url.scheme in _PORTS and bool(url.hostname) and (url.port is None or url.port > 0)
        usable = usable and text.isascii() and text.isprintable() and " " not in text and "#" not in text
    except ValueError:
        usable = False
    if not usable:
        raise BadSettings(f"{text[:80]!r} is not the address of a model; one looks like https://host/path")
    if url.username is not None or url.password is not None:
        raise BadSettings("the address of the model has a user name or password in it; use the key variable instead")
    return url


class _TimedSocket:
    """A socket for `http.client`, where each operation gets only the time that is left for all."""

    def __init__(self, wire: socket.socket, deadline: Deadline, is_cancelled: Callable[[], bool]) -> None:
        self._wire = wire
        self._deadline = deadline
        self._is_cancelled = is_cancelled

    def sendall(self, data: bytes) -> None:
        self._wire.settimeout(self._deadline.left())
        self._wire.sendall(data)

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_TimedReader(self._wire, self._deadline, self._is_cancelled))

    def close(self) -> None:
        """Nothing: `http.client` closes before it reads, and `_connected` closes the wire."""


class _TimedReader(io.RawIOBase):
    def __init__(self, wire: socket.socket, deadline: Deadline, is_cancelled: Callable[[], bool]) -> None:
        self._wire = wire
        self._deadline = deadline
        self._is_cancelled = is_cancelled

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while True:
            if self._is_cancelled():
                raise ExchangeCancelled("nobody waits for the answer any more")
            self._wire.settimeout(min(self._deadline.left(), _LOOK_SECONDS))
            try:
                return self._wire.recv_into(buffer)
            except TimeoutError:
                continue  # the deadline says when it is really too long


@contextmanager
def _connected(
    request: HttpRequest, monotonic: Callable[[], float], is_cancelled: Callable[[], bool]
) -> Iterator[_TimedSocket]:
    url = checked_url(request.url)
    deadline = Deadline(monotonic, request.timeout_seconds)
    where = url.hostname or ""
    try:
        plain = connect(where, url.port or _PORTS[url.scheme], deadline)
        wire = encrypt(plain, where, deadline) if url.scheme == "https" else plain
    except OSError as error:
        # Nothing of the request has left this machine, so nobody can charge for it.
        raise ModelUnavailable(f"cannot reach {where}: {_reason(error)}", unbilled=True) from None
    try:
        yield _TimedSocket(wire, deadline, is_cancelled)
    finally:
        wire.close()


@contextmanager
def _failures_named(request: HttpRequest) -> Iterator[None]:
    try:
        yield
    except (OSError, http.client.HTTPException) as error:
        where = checked_url(request.url).hostname
        raise ModelUnavailable(f"the connection to {where} failed: {_reason(error)}") from None


def _begin(request: HttpRequest, wire: _TimedSocket) -> http.client.HTTPResponse:
    """Send the request and wait for the head of the answer."""
    url = checked_url(request.url)
    connection = http.client.HTTPConnection(url.hostname or "", url.port or _PORTS[url.scheme])
    connection.sock = wire  # so it never connects by itself
    path = (url.path or "/") + (f"?{url.query}" if url.query else "")
    fixed = {"Host": url.netloc, "Connection": "close", "Accept-Encoding": "identity"}
    try:
        connection.request(request.method, path, request.body, {**request.headers, **fixed})
    except ValueError:
        raise BadSettings("a header of the request has a character that no header may have") from None
    return connection.getresponse()


def _headers(response: http.client.HTTPResponse) -> dict[str, str]:
    return {name.lower(): value for name, value in response.getheaders()}


def _read(response: http.client.HTTPResponse, max_bytes: int) -> bytes:
    body = bytearray()
    while len(body) <= max_bytes and (piece := response.read(min(_PIECE, max_bytes + 1 - len(body)))):
        body += piece
    if len(body) > max_bytes:
        raise UnreadableReply(f"the answer is longer than {max_bytes} bytes")
    # `length` counts down what was announced; read() does not mind when the connection closes before it is 0.
    if response.length:
        raise http.client.IncompleteRead(b"")
    return bytes(body)


def _pieces(request: HttpRequest, response: http.client.HTTPResponse) -> Iterator[bytes]:
    """The body as it comes. What was announced is counted here: not every version of `read1` does it."""
    announced, got = response.length, 0
    while announced is None or got < announced:
        with _failures_named(request):
            piece = response.read1(_PIECE)
            if not piece and announced is not None:
                raise http.client.IncompleteRead(b"")
        if not piece:
            return
        got += len(piece)
        if got > request.max_bytes:
            raise UnreadableReply(f"the answer is longer than {request.max_bytes} bytes")
        yield piece


def _reason(error: Exception) -> str:
    """Why it failed, in words that cannot contain what was sent or received."""
    match error:
        case TimeoutError():
            return "it took too long"
        case ssl.SSLCertVerificationError():
            return "its certificate is not valid"
        case http.client.IncompleteRead():
            return "the answer was cut off"
        case http.client.HTTPException() if not isinstance(error, OSError):
            return f"no valid HTTP answer ({type(error).__name__})"
        case OSError(strerror=str(words)):
            return words
    return type(error).__name__
