"""The state of one user's sections in Valkey (or Redis): the hash `trinkets:{user_id}`, a JSON text for each section.

Every exchange has a deadline for the whole of it: name, connection, question and answer. A server that is away, hangs
or answers nonsense is a StoreError, and is then left alone for a while. The few words of its protocol that are needed
are spoken here: docs/decisions/012-sections-in-valkey.md says why.
"""

import json
import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from urllib.parse import SplitResult, unquote, urlsplit

from reverie.env.connections import Deadline, connect, encrypt
from reverie.errors import BadSettings, StoreError
from reverie.records.prompt_inputs import SectionState

_REST_SECONDS = 5.0  # that a server which failed is left alone: less than a turn of a talk, more than a request storm
_ANSWER_BYTES = 64_000_000  # at most; a hash of sections is far smaller
_DEPTH = 3  # of lists within lists in an answer; ours have two levels
_SCHEMES = {"redis": False, "valkey": False, "rediss": True, "valkeys": True}  # whether the line is encrypted

Answer = bytes | int | None | list["Answer"]


class ValkeySections:
    """The last texts of one user's sections, kept in Valkey."""

    def __init__(self, url: str, user_id: str, timeout_ms: int, monotonic: Callable[[], float]) -> None:
        self.key = f"trinkets:{user_id}"
        self._server = _Server(_address(url), timeout_ms / 1000, monotonic)

    def save(self, changed: Mapping[str, SectionState | None]) -> None:
        """Write these in one go; None clears one."""
        kept = [part for name, state in changed.items() if state for part in (name, json.dumps(asdict(state)))]
        cleared = [name for name, state in changed.items() if state is None]
        commands = [["HSET", self.key, *kept]] if kept else []
        commands += [["HDEL", self.key, *cleared]] if cleared else []
        if commands and not isinstance(self._server.ask([["MULTI"], *commands, ["EXEC"]])[-1], list):
            raise StoreError(f"Valkey did not say that it wrote {self.key}")

    def get(self, name: str) -> SectionState | None:
        answer = self._server.ask([["HGET", self.key, name]])[0]
        return None if answer is None else self._state(name.encode(), answer)

    def all(self) -> dict[str, SectionState]:
        answer = self._server.ask([["HGETALL", self.key]])[0]
        if not isinstance(answer, list) or len(answer) % 2:
            raise StoreError(f"Valkey has no hash at {self.key}")
        pairs = zip(answer[::2], answer[1::2], strict=True)
        states = {name: self._state(name, value) for name, value in pairs if isinstance(name, bytes)}
        return {name.decode("utf-8", "replace"): state for name, state in sorted(states.items())}

    def clear(self) -> None:
        """Drop all of them, whatever they are."""
        self._server.ask([["DEL", self.key]])

    def close(self) -> None:
        self._server.close()

    def _state(self, name: bytes, value: Answer) -> SectionState:
        try:
            found = json.loads(value if isinstance(value, bytes) else b"")
            return SectionState(str(found["content"]), bool(found["cache_policy"]), str(found["updated_at"]))
        except (ValueError, KeyError, TypeError) as error:
            field = name.decode("utf-8", "replace")
            raise StoreError(f"{self.key} has no section state at {field!r}; HDEL it to rewrite it") from error


@dataclass(frozen=True, slots=True)
class _Address:
    """The address of the server, and how one gets in. Messages name only the place."""

    host: str
    port: int
    encrypted: bool
    login: tuple[tuple[str, ...], ...]  # commands that come first on a new connection

    @property
    def place(self) -> str:
        return f"Valkey at {self.host}:{self.port}"


def _address(url: str) -> _Address:
    try:
        parts = urlsplit(url)
        port, database = parts.port or 6379, int(parts.path.strip("/") or 0)
    except ValueError:
        parts, port, database = SplitResult("", "", "", "", ""), 0, 0
    if parts.scheme not in _SCHEMES or not parts.hostname or database < 0:
        raise BadSettings(
            "compose.valkey_url is not the address of a Valkey server; one looks like redis://127.0.0.1:6379/0"
        )
    login: list[tuple[str, ...]] = []
    if parts.password:
        names = (unquote(parts.username),) if parts.username else ()
        login.append(("AUTH", *names, unquote(parts.password)))
    if database:
        login.append(("SELECT", str(database)))
    return _Address(parts.hostname, port, _SCHEMES[parts.scheme], tuple(login))


class _Server:
    """One connection, made when it is needed, and the memory of the last failure."""

    def __init__(self, address: _Address, seconds: float, monotonic: Callable[[], float]) -> None:
        self._address = address
        self._seconds = seconds
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._line: _Line | None = None
        self._rests_until = float("-inf")
        self._problem = ""

    def ask(self, commands: Sequence[Sequence[str]]) -> list[Answer]:
        """The answers, one for each command; StoreError if they do not come in time or are none."""
        deadline = Deadline(self._monotonic, self._seconds)
        if not self._lock.acquire(timeout=self._seconds):
            raise StoreError(f"{self._address.place} is busy with another question")
        try:
            self._refuse_while_resting()
            return self._exchange(commands, deadline)
        except (OSError, _Nonsense) as error:
            self._drop()
            self._problem = "it does not answer in time" if isinstance(error, TimeoutError) else str(error)
            self._rests_until = self._monotonic() + _REST_SECONDS
            raise StoreError(f"{self._address.place}: {self._problem}") from error
        finally:
            self._lock.release()

    def close(self) -> None:
        with self._lock:
            self._drop()

    def _refuse_while_resting(self) -> None:
        left = self._rests_until - self._monotonic()
        if left > 0:
            raise StoreError(f"{self._address.place} is left alone for {left:.1f} s more: {self._problem}")

    def _exchange(self, commands: Sequence[Sequence[str]], deadline: Deadline) -> list[Answer]:
        if self._line is not None:
            try:
                return self._line.ask(commands, deadline)
            except TimeoutError:
                raise
            except OSError:  # it was restarted, or closed an idle line; all our commands may be said twice
                self._drop()
        self._line = _Line(self._address, deadline)
        return self._line.ask([*self._address.login, *commands], deadline)[len(self._address.login) :]

    def _drop(self) -> None:
        if self._line is not None:
            self._line.close()
            self._line = None


class _Nonsense(Exception):
    """An answer that is none, or a refusal."""


class _Line:
    """A connection on which commands are asked and answers read, each within the time that is left for all."""

    def __init__(self, address: _Address, deadline: Deadline) -> None:
        self._buffer = b""
        self._wire = _connected(address, deadline)

    def ask(self, commands: Sequence[Sequence[str]], deadline: Deadline) -> list[Answer]:
        self._wire.settimeout(deadline.left())
        self._wire.sendall(b"".join(map(_packed, commands)))
        self._budget = _ANSWER_BYTES
        return [self._answer(deadline, 0) for _ in commands]

    def close(self) -> None:
        self._wire.close()

    def _answer(self, deadline: Deadline, depth: int) -> Answer:
        """One answer of the protocol: +text, -refusal, :number, $bytes or *list."""
        line = self._read_line(deadline)
        kind, rest = line[:1], line[1:]
        if kind == b"+":
            return rest
        if kind == b"-":
            raise _Nonsense(f"it refuses: {rest[:200].decode('utf-8', 'replace')}")
        number = _number(rest) if kind in (b":", b"$", b"*") else None
        if number is None or depth > _DEPTH:
            raise _Nonsense(f"it answers nonsense: {line[:40]!r}")
        if kind == b":":
            return number
        if number < 0:
            return None
        if kind == b"$":
            return self._read(number + 2, deadline)[:-2]
        return [self._answer(deadline, depth + 1) for _ in range(number)]

    def _read_line(self, deadline: Deadline) -> bytes:
        while b"\r\n" not in self._buffer:
            if len(self._buffer) > 65_536:
                raise _Nonsense("it answers nonsense: a line without an end")
            self._receive(deadline)
        line, _, self._buffer = self._buffer.partition(b"\r\n")
        return line

    def _read(self, count: int, deadline: Deadline) -> bytes:
        if count > self._budget:
            raise _Nonsense(f"its answer is too large: {count:,} bytes")
        pieces, have = [self._buffer], len(self._buffer)
        while have < count:
            self._buffer = b""
            self._receive(deadline)
            pieces.append(self._buffer)
            have += len(self._buffer)
        whole = b"".join(pieces)
        self._buffer = whole[count:]
        return whole[:count]

    def _receive(self, deadline: Deadline) -> None:
        self._wire.settimeout(deadline.left())
        piece = self._wire.recv(262_144)
        if not piece:
            raise ConnectionError("it closed the connection")
        self._budget -= len(piece)
        if self._budget < 0:
            raise _Nonsense("its answer is too large")
        self._buffer += piece


def _packed(command: Sequence[str]) -> bytes:
    """A command as a list of byte strings.

    >>> _packed(["HGET", "k"])
    b'*2\\r\\n$4\\r\\nHGET\\r\\n$1\\r\\nk\\r\\n'
    """
    parts = [part.encode("utf-8", "surrogatepass") for part in command]
    return b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts)


def _number(text: bytes) -> int | None:
    return int(text) if len(text) < 12 and text.removeprefix(b"-").isdigit() else None


def _connected(address: _Address, deadline: Deadline) -> socket.socket:
    def make_ready(wire: socket.socket) -> socket.socket:
        wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return encrypt(wire, address.host, deadline) if address.encrypted else wire

    try:
        return connect(address.host, address.port, deadline, make_ready)
    except socket.gaierror as error:
        raise OSError(f"its name is not known: {error}") from error
