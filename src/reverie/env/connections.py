"""A connection to a server: a host and a port in, a socket out, within a deadline; an OSError if there is none.

The time that is left for all is also the most that each step gets. What is said on the line is left to others.
"""

import queue
import socket
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress

_Addresses = Sequence[tuple[socket.AddressFamily, socket.SocketKind, int, str, tuple[object, ...]]]


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


def connect(
    host: str,
    port: int,
    deadline: Deadline,
    make_ready: Callable[[socket.socket], socket.socket] = lambda wire: wire,
) -> socket.socket:
    """The first of the host's addresses that answers and can be made ready; each gets its share of the time.

    A name that nobody knows is a socket.gaierror.
    """
    addresses = _resolve(host, port, deadline)
    problem = OSError("it has no address")
    for tried, (family, kind, protocol, _, address) in enumerate(addresses):
        wire = socket.socket(family, kind, protocol)
        try:
            wire.settimeout(deadline.left() / (len(addresses) - tried))
            wire.connect(address)
            return make_ready(wire)
        except OSError as error:
            wire.close()
            problem = error
    raise problem


def encrypt(plain: socket.socket, host: str, deadline: Deadline) -> socket.socket:
    """The line under TLS, with a certificate that is valid for the host; closed if that fails."""
    import ssl  # slow to import, and most lines are not encrypted

    with ExitStack() as failed:
        failed.callback(plain.close)
        plain.settimeout(deadline.left())
        encrypted = ssl.create_default_context().wrap_socket(plain, server_hostname=host)
        failed.pop_all()
    return encrypted


def _resolve(host: str, port: int, deadline: Deadline) -> _Addresses:
    """Look the name up. The system's resolver knows no deadline, so it runs in a thread that may be left behind."""
    if host.replace(".", "").isdigit() or ":" in host:  # an address in numbers needs no resolver
        with suppress(OSError):
            return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    answer: queue.SimpleQueue[_Addresses | OSError] = queue.SimpleQueue()

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
