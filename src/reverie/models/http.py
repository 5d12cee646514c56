"""One HTTP exchange: an `HttpRequest` in, an `HttpResponse` out, or an error within the request's own time.

`send` reads the whole answer, `stream` hands it on as it comes and hangs up when nobody wants it any more.

Built on `http.client` and a socket of our own, because its timeout starts again with every byte: a server that drips
would hold us for ever. Redirects are not followed and proxies are not used: a key goes only where the settings say.
No message from here repeats a header or the body of a request, for that is where keys are.
"""

import http.client
import io
import queue
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import SplitResult, urlsplit

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
        raise BadSettings(f"{text[:80]!r} is no address of a model; it looks like https://host/path")
    if url.username is not None or url.password is not None:
        raise BadSettings("the address of the model has a user name or password in it; use the key variable instead")
    return url


class Deadline:
    """The moment when an exchange must be over."""

    def __init__(self, monotonic: Callable[[], float], seconds: float) -> None:
        self._monotonic = monotonic
        self._end = monotonic() + seconds

    def left(self) -> float:
        """Seconds that are left; TimeoutError when there are none."""
        left = self._end - self._monotonic()
        if left <= 0:
            raise TimeoutError
        return left


class _TimedSocket:
    """What `http.client` needs of a socket, where each operation gets only the time that is left for all."""

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
        plain = _connect(where, url.port or _PORTS[url.scheme], deadline)
        wire = _encrypt(plain, where, deadline) if url.scheme == "https" else plain
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


def _connect(host: str, port: int, deadline: Deadline) -> socket.socket:
    """The first of the host's addresses that answers; each gets its share of the time."""
    addresses = _resolve(host, port, deadline)
    problem = OSError("it has no address")
    for tried, (family, kind, protocol, _, address) in enumerate(addresses):
        wire = socket.socket(family, kind, protocol)
        try:
            wire.settimeout(deadline.left() / (len(addresses) - tried))
            wire.connect(address)
            return wire
        except OSError as error:
            wire.close()
            problem = error
    raise problem


def _resolve(host: str, port: int, deadline: Deadline) -> list[Any]:
    """Look the name up. The system's resolver knows no deadline, so it runs in a thread that may be left behind."""
    answer: queue.SimpleQueue[list[Any] | OSError] = queue.SimpleQueue()

    def look_up() -> None:
        try:
            answer.put(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError) as error:
            answer.put(error if isinstance(error, OSError) else OSError("its name is not one"))

    threading.Thread(target=look_up, name="reverie-resolve", daemon=True).start()
    try:
        found = answer.get(timeout=deadline.left())
    except queue.Empty:
        raise TimeoutError from None
    if isinstance(found, OSError):
        raise found
    return found


def _encrypt(plain: socket.socket, host: str, deadline: Deadline) -> socket.socket:
    try:
        plain.settimeout(deadline.left())
        return ssl.create_default_context().wrap_socket(plain, server_hostname=host)
    except BaseException:
        plain.close()
        raise


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
