"""Progress of what takes longer than a second: on standard error where that is a terminal, else nothing."""

import sys
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import click

_FIRST_SECONDS = 1.0  # what is done by then needs no word


def progress_bar(label: str, length: int) -> AbstractContextManager[Any]:
    """Return a bar for work whose size is known."""
    return click.progressbar(length=length, label=label, file=sys.stderr, hidden=not sys.stderr.isatty())


@contextmanager
def working(label: str) -> Iterator[None]:
    """Say every second for how long something is going on already, and wipe that out when it is over."""
    if not sys.stderr.isatty():
        yield
        return
    is_over = threading.Event()

    def tell() -> None:
        seconds = 0
        while not is_over.wait(_FIRST_SECONDS):
            seconds += 1
            sys.stderr.write(f"\r{label}… {seconds} s")
            sys.stderr.flush()
        if seconds:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        is_over.set()
        teller.join()
