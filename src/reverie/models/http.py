"""One HTTP exchange: an `HttpRequest` in, an `HttpResponse` out, or an error within the request's own time.

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
from collections.abc import Callable
from typing import Any
from urllib.parse import SplitResult, urlsplit

from reverie.errors import BadSettings, ModelUnavailable, UnreadableReply
from reverie.ports import HttpRequest, HttpResponse

_PIECE = 65_536
_PORTS = {"http": 80, "https": 443}


def send(request: HttpRequest, monotonic: Callable[[], float]) -> HttpResponse:
    """Make the exchange within `timeout_seconds` in all, or raise ModelUnavailable, UnreadableReply or BadSettings."""
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
        return _exchange(request, url, _TimedSocket(wire, deadline))
    except (OSError, http.client.HTTPException) as error:
        raise ModelUnavailable(f"the connection to {where} failed: {_reason(error)}") from None
    finally:
        wire.close()


def checked_url(text: str) -> SplitResult:
    """The parts of a base URL or request URL; BadSettings if it is not one that we would send a key to."""
    try:
        url = urlsplit(text)
        usable = url.scheme in _PORTS and bool(url.hostname) and (url.port is None or url.port > 0)
        usable = usable and text.isascii() and text.isprintable() and " " not in text
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

    def __init__(self, wire: socket.socket, deadline: Deadline) -> None:
        self._wire = wire
        self._deadline = deadline

    def sendall(self, data: bytes) -> None:
        self._wire.settimeout(self._deadline.left())
        self._wire.sendall(data)

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_TimedReader(self._wire, self._deadline))

    def close(self) -> None:
        """Nothing: `http.client` closes before it reads, and `send` closes the wire."""


class _TimedReader(io.RawIOBase):
    def __init__(self, wire: socket.socket, deadline: Deadline) -> None:
        self._wire = wire
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._wire.settimeout(self._deadline.left())
        return self._wire.recv_into(buffer)


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


def _exchange(request: HttpRequest, url: SplitResult, wire: _TimedSocket) -> HttpResponse:
    connection = http.client.HTTPConnection(url.hostname or "", url.port or _PORTS[url.scheme])
    connection.sock = wire  # so it never connects by itself
    path = (url.path or "/") + (f"?{url.query}" if url.query else "")
    fixed = {"Host": url.netloc, "Connection": "close", "Accept-Encoding": "identity"}
    try:
        connection.request(request.method, path, request.body, {**request.headers, **fixed})
    except ValueError:
        raise BadSettings("a header of the request has a character that no header may have") from None
    response = connection.getresponse()
    body = _read(response, request.max_bytes)
    return HttpResponse(response.status, {name.lower(): value for name, value in response.getheaders()}, body)


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
