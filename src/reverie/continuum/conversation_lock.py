"""One at a time: a turn, or a collapse, has its conversation for itself, across threads and processes.

Without it two shells in one conversation would answer each other's questions, and a segment would collapse under a
turn that runs in it.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from reverie.errors import StoreBusy
from reverie.foundation.ids import content_address
from reverie.pipeline.open_store import OpenStore


@contextmanager
def conversation_lock(store: OpenStore, continuum_id: str, wait_seconds: float) -> Iterator[None]:
    """Have this conversation for oneself, or StoreBusy if somebody else has it for longer than we wait."""
    name = content_address(f"{store.engine.user}\0{continuum_id}")[:16]
    lock = store.env.files.lock(store.workspace.home / f"conversation-{name}.lock")
    if not lock.acquire(wait_seconds):
        raise StoreBusy(
            f'somebody else is talking in "{continuum_id}"; wait for that reply, or name another conversation '
            "(`reverie chat --conversation NAME`)"
        )
    try:
        yield
    finally:
        lock.release()
