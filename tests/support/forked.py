"""The command `reverie` without its start-up: a process that has loaded everything forks one for each command.

What runs is the same `main`, in a process, folder and environment of its own, with streams of its own. To load the
program takes four times as long as most commands do, and the tests run a thousand of them. How a command is found, what
it loads and how soon is what the tests look at that start it as a program.
"""

import atexit
import importlib
import io
import json
import os
import posix
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

_LOADED = (
    "numpy",
    "tokenizers",
    "reverie.memory",
    "reverie.records.conversation_values",
    "reverie.distil.by_rules",
    "reverie.recall.rank",
)
_server: socket.socket | None = None


def run_forked(
    words: Sequence[str], cwd: Path, env: Mapping[str, str], stdin: str | None, seconds: float
) -> tuple[int, str, str]:
    """The exit code of a command, and what it wrote to its output and to its errors."""
    ours, theirs = socket.socketpair()
    pipes = [os.pipe() for _ in range(3)]
    (read_in, write_in), (read_out, write_out), (read_err, write_err) = pipes
    socket.send_fds(_running_server(), [b"."], [theirs.fileno(), read_in, write_out, write_err])
    theirs.close()
    for number in (read_in, write_out, write_err):
        os.close(number)
    request = {"words": list(words), "cwd": str(cwd), "env": dict(env)}
    with ours, ours.makefile("rw") as line:
        print(json.dumps(request), file=line, flush=True)
        collected = [b"", b""]

        def collect(which: int, number: int) -> None:
            with open(number, "rb") as stream:
                collected[which] = stream.read()

        readers = [threading.Thread(target=collect, args=pair, daemon=True) for pair in ((0, read_out), (1, read_err))]
        for reader in readers:
            reader.start()
        with suppress(BrokenPipeError), open(write_in, "wb") as stream:  # a command need not read what it is given
            stream.write((stdin or "").encode("utf-8", "surrogateescape"))
        ours.settimeout(seconds)
        command = int(line.readline())
        try:
            code = int(line.readline())
        except TimeoutError:
            os.kill(command, signal.SIGKILL)
            raise
        for reader in readers:
            reader.join(seconds)
    out, err = (data.decode() for data in collected)
    return code, out, err


def _running_server() -> socket.socket:
    global _server
    if _server is None:
        _server, theirs = socket.socketpair()
        here = str(Path(__file__).parent.parent)
        code = f"import sys; sys.path.insert(0, {here!r}); from support.forked import serve; serve()"
        quiet = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}  # it starts none, and can be forked
        subprocess.Popen([sys.executable, "-c", code], stdin=theirs, cwd="/", env=quiet)
        theirs.close()
    return _server


def serve() -> None:
    """Fork a command for each request on standard input, until the tests are over."""
    from reverie.shells.cli.admin import admin_command
    from reverie.shells.cli.main import cli

    commands = {**cli.names, **admin_command.names}
    for name in (*_LOADED, *(f"reverie.shells.cli.{module}" for module, _ in commands.values())):
        importlib.import_module(name)
    requests = socket.socket(fileno=os.dup(0))
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while given := socket.recv_fds(requests, 1, 4)[1]:
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            requests.close()
            _watch(*given)
        for number in given:
            os.close(number)


def _watch(answer: int, *streams: int) -> None:
    with socket.socket(fileno=answer) as connection, connection.makefile("rw") as line:
        request = json.loads(line.readline())
        command = os.fork()
        if command == 0:
            os.close(answer)
            _become(request["words"], request["cwd"], request["env"], streams)
        for number in streams:
            os.close(number)
        print(command, file=line, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(command, 0)[1]), file=line, flush=True)
    os._exit(0)


def _become(words: list[str], cwd: str, env: dict[str, str], streams: Sequence[int]) -> None:
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(cwd)
    for variables in (os.environ, posix.environ):
        variables.clear()  # type: ignore[attr-defined]
    os.environ.update(env)
    posix.environ.update({name.encode(): value.encode("utf-8", "surrogateescape") for name, value in env.items()})
    time.tzset()
    sys.argv = words
    output, errors = (io.BufferedWriter(io.FileIO(number, "w")) for number in (1, 2))
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0)), encoding="utf-8")
    sys.stdout = io.TextIOWrapper(output, encoding="utf-8")
    sys.stderr = io.TextIOWrapper(errors, encoding="utf-8", errors="backslashreplace", line_buffering=True)
    from reverie.shells.cli.main import main

    code: object = 0
    try:
        main()
    except SystemExit as end:
        code = end.code
    except BaseException:
        traceback.print_exc()
        code = 1
    if isinstance(code, str):
        print(code, file=sys.stderr)
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (BrokenPipeError, ValueError):
        code = 120
    os._exit(1 if isinstance(code, str) else int(str(code or 0)))
