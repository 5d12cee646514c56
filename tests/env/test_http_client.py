"""One exchange ends in its own time, follows nobody, and shows nobody the key."""

import http.client
import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from reverie import errors
from reverie.env.http_client import send
from reverie.ports import HttpRequest
from support.model_server import FAULTS, ModelServer, Say

TIMEOUT = 0.4  # for what must not be waited for
PATIENCE = 60.0  # for what a busy machine may take


def request(url: str, **changes: object) -> HttpRequest:
    headers = {"content-type": "application/json", "x-api-key": "sk-secret"}
    return replace(HttpRequest("POST", url, headers, b"{}", PATIENCE, 100_000), **changes)


def hurried(url: str, **changes: object) -> HttpRequest:
    """A request that gives up soon."""
    return request(url, timeout_seconds=TIMEOUT, **changes)


def test_an_answer_comes_with_status_headers_and_body():
    with ModelServer() as server:
        server.script(Say("NONE"))
        body = b'{"model": "m"}'
        response = send(request(f"{server.url}/v1/messages?beta=true", body=body), time.monotonic)

    assert response.status == 200
    assert response.headers["content-type"] == "application/json"
    assert b'"NONE"' in response.body
    received = server.received[0]
    assert received.path == "/v1/messages?beta=true"
    assert received.headers["host"] == server.url.removeprefix("http://")
    assert received.headers["accept-encoding"] == "identity"
    assert received.body == {"model": "m"}


@pytest.mark.parametrize("name", [name for name, fault in FAULTS.items() if fault.is_slow])
def test_the_whole_exchange_ends_in_time_however_slowly_bytes_come(name: str):
    with ModelServer() as server:
        server.script(name)
        start = time.monotonic()
        with pytest.raises(errors.ModelUnavailable, match="too long") as raised:
            send(hurried(f"{server.url}/v1/messages", body=b'{"model": "m"}'), time.monotonic)
        took = time.monotonic() - start

    assert TIMEOUT <= took < PATIENCE
    assert not raised.value.unbilled


def test_negative_control_the_timeout_of_the_standard_library_starts_again_with_every_byte():
    with ModelServer() as server:
        server.script("drip")
        plain = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=3.0)
        over = threading.Event()

        def ask() -> None:
            with suppress(OSError, http.client.HTTPException):
                plain.request("POST", "/v1/messages", b'{"model": "m"}')
                plain.getresponse().read()
            over.set()

        threading.Thread(target=ask, daemon=True).start()
        assert not over.wait(4.0), "each byte came within three seconds, and the answer did not"


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A certificate for 127.0.0.1 with its key, signed by itself."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("needs the openssl command")
    path = tmp_path / "both.pem"
    names = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    made = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *names]
    subprocess.run([*made, "-keyout", tmp_path / "key.pem", "-out", path], check=True, capture_output=True)
    path.write_bytes(path.read_bytes() + (tmp_path / "key.pem").read_bytes())
    return path


def tls_server(certificate: Path) -> ModelServer:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return ModelServer(context)


def test_an_exchange_over_tls(certificate: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with tls_server(certificate) as server:
        server.script(Say("NONE"), "silence", "cut off")
        asked = request(f"{server.url}/v1/messages", body=b'{"model": "m"}')
        assert send(asked, time.monotonic).status == 200
        with pytest.raises(errors.ModelUnavailable, match="too long"):
            send(replace(asked, timeout_seconds=TIMEOUT), time.monotonic)
        with pytest.raises(errors.ModelUnavailable, match="cut off"):
            send(asked, time.monotonic)


def test_a_certificate_that_nobody_signed_gets_no_key(certificate: Path):
    with tls_server(certificate) as server:
        with pytest.raises(errors.ModelUnavailable, match="certificate") as raised:
            send(request(f"{server.url}/v1/messages"), time.monotonic)
        assert raised.value.unbilled
        assert server.received == []


def test_a_refused_connection_is_surely_free():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(errors.ModelUnavailable, match=r"cannot reach 127\.0\.0\.1") as raised:
        send(request(f"http://127.0.0.1:{port}/"), time.monotonic)
    assert raised.value.unbilled


def test_a_name_that_does_not_resolve_is_unavailable_and_free(monkeypatch: pytest.MonkeyPatch):
    def no_such_name(*_: object, **__: object) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", no_such_name)
    with pytest.raises(errors.ModelUnavailable, match=r"cannot reach no\.such\.host: Name or service") as raised:
        send(request("http://no.such.host/"), time.monotonic)
    assert raised.value.unbilled


def test_a_resolver_that_hangs_is_left_behind(monkeypatch: pytest.MonkeyPatch):
    released = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: released.wait())
    with pytest.raises(errors.ModelUnavailable, match="too long"):
        send(hurried("http://slow.host/"), time.monotonic)
    released.set()


def test_the_second_address_is_tried_when_the_first_is_dead(monkeypatch: pytest.MonkeyPatch):
    with ModelServer() as server:
        port = int(server.url.rpartition(":")[2])
        with socket.create_server(("127.0.0.1", 0)) as listener:
            dead = listener.getsockname()[1]
        entries = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", p)) for p in (dead, port)]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: entries)
        response = send(request("http://two.addresses/v1/messages", body=b'{"model": "m"}'), time.monotonic)
    assert response.status == 200


def test_tls_to_a_server_that_speaks_none_is_unavailable_and_free():
    def refuse(connection: socket.socket) -> None:
        connection.recv(65_536)
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")

    with RawServer(refuse) as server, pytest.raises(errors.ModelUnavailable) as raised:
        send(request(server.url.replace("http:", "https:")), time.monotonic)
    assert raised.value.unbilled


def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    with ModelServer() as server:
        body = b'{"model": "m"}'
        assert send(request(f"{server.url}/v1/messages", body=body), time.monotonic).status == 200


def test_an_answer_over_the_limit_is_unreadable():
    with ModelServer() as server:
        server.script("huge body")
        with pytest.raises(errors.UnreadableReply, match="longer than 100000 bytes"):
            send(request(f"{server.url}/v1/messages", body=b'{"model": "m"}'), time.monotonic)


class RawServer:
    """Answers one connection with what a function does to it."""

    def __init__(self, act: Callable[[socket.socket], None], tls: ssl.SSLContext | None = None) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)  # so that it is felt who reads slowly
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self._listener.getsockname()[1]}/"
        self._act, self._tls = act, tls
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with suppress(OSError):
            connection, _ = self._listener.accept()
            with connection:
                self._act(self._tls.wrap_socket(connection, server_side=True) if self._tls else connection)

    def __enter__(self) -> "RawServer":
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()


def pour(connection: socket.socket, head: bytes, piece: bytes, sent: list[int], pause: float = 0.0) -> None:
    connection.recv(65_536)
    connection.sendall(head)
    for _ in range(10_000):
        connection.sendall(piece)
        sent.append(len(piece))
        time.sleep(pause)


@pytest.mark.parametrize(
    ("head", "piece"),
    [
        (b"HTTP/1.1 200 OK\r\ncontent-length: 104857600\r\n\r\n", b"x" * 65_536),
        (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", b"4000\r\n" + b"x" * 0x4000 + b"\r\n"),
        (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nffffffffff\r\n", b"x" * 65_536),
        (b"HTTP/1.1 500 Oops\r\n\r\n", b"x" * 65_536),
    ],
    ids=["100 MB", "endless chunks", "one endless chunk", "an endless error"],
)
def test_of_an_answer_without_end_no_more_is_read_than_the_limit(head: bytes, piece: bytes):
    sent: list[int] = []
    too_long = pytest.raises(errors.UnreadableReply, match="longer than 100000 bytes")
    with RawServer(lambda connection: pour(connection, head, piece, sent)) as server, too_long:
        send(request(server.url), time.monotonic)
    assert sum(sent) < 20_000_000  # what the system's buffers take


def test_chunks_of_a_byte_that_never_end_take_no_longer_than_the_time_limit():
    head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
    with RawServer(lambda connection: pour(connection, head, b"1\r\nx\r\n", [], pause=0.01)) as server:
        start = time.monotonic()
        with pytest.raises(errors.ModelUnavailable, match="too long"):
            send(hurried(server.url), time.monotonic)
    assert TIMEOUT <= time.monotonic() - start < PATIENCE


def read_slowly(connection: socket.socket) -> None:
    while connection.recv(16_384):
        time.sleep(0.02)


def test_a_server_that_takes_what_it_is_sent_slowly_gets_the_time_limit_and_no_more(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with RawServer(read_slowly, context) as server:
        start = time.monotonic()
        with pytest.raises(errors.ModelUnavailable, match="too long"):
            send(hurried(server.url, body=b"x" * 8_000_000), time.monotonic)
    assert TIMEOUT <= time.monotonic() - start < PATIENCE


@pytest.mark.parametrize(
    "url", ["", "host/path", "ftp://host/", "http://", "http://h:99999/", "http://h/a b", "http://h/\n", "http://h/#a"]
)
def test_a_bad_address_is_named(url: str):
    with pytest.raises(errors.BadSettings, match="not the address of a model"):
        send(request(url), time.monotonic)


def test_an_address_with_a_password_is_refused_without_repeating_it():
    with pytest.raises(errors.BadSettings) as raised:
        send(request("http://me:hunter2@host/"), time.monotonic)
    assert "hunter2" not in str(raised.value)


@pytest.mark.parametrize("key", ["sk-secret\nx: y", "sk-secret\r", "sk-secret-\N{SNOWMAN}"])
def test_a_header_that_cannot_be_sent_is_not_repeated(key: str):
    with ModelServer() as server, pytest.raises(errors.BadSettings) as raised:
        send(request(server.url, headers={"x-api-key": key}), time.monotonic)
    assert "sk-secret" not in str(raised.value)
