"""Other programs that look into a store's file: one that holds a read transaction, one that holds a lock of SQLite."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CHECKPOINT_LOCK = 121  # the byte of the `-shm` file that a checkpoint locks: https://sqlite.org/walformat.html

_READ = """
import os, sys, apsw
connection = apsw.Connection(sys.argv[1])
connection.set_busy_timeout(60_000)
connection.execute("BEGIN")
list(connection.execute("SELECT count(*) FROM meta"))
print("holds", flush=True)
sys.stdin.readline()
os._exit(0)  # closing it would checkpoint
"""
_LOCK = """
import fcntl, os, sys
file = open(sys.argv[1] + "-shm", "r+b")
fcntl.lockf(file, fcntl.LOCK_EX, 1, int(sys.argv[2]))
print("holds", flush=True)
sys.stdin.readline()
os._exit(0)
"""


class Other:
    """Another process, which holds on to a store until it is told to let go."""

    def __init__(self, code: str, *arguments: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", code, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout
        assert self._process.stdout.readline() == "holds\n"

    @property
    def pid(self) -> int:
        return self._process.pid

    def let_go(self) -> None:
        if self._process.poll() is None:
            self._process.communicate("\n")


@contextmanager
def foreign_reader(database: Path) -> Iterator[Other]:
    """A process that has begun to read and does not end."""
    yield from _until_it_lets_go(Other(_READ, str(database)))


@contextmanager
def foreign_checkpoint(database: Path) -> Iterator[Other]:
    """A process that checkpoints, for as long as it holds on."""
    yield from _until_it_lets_go(Other(_LOCK, str(database), str(CHECKPOINT_LOCK)))


def _until_it_lets_go(other: Other) -> Iterator[Other]:
    try:
        yield other
    finally:
        other.let_go()


def files_with(home: Path, word: str) -> list[str]:
    """The names of all files in a workspace in which the bytes of a word stand."""
    return sorted(file.name for file in home.rglob("*") if file.is_file() and word.encode() in file.read_bytes())
