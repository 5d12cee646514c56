"""Leave Python's cycle collector out of a stretch of work that makes many values and no cycles."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_lock = Lock()
_stretches = 0  # in all threads
_was_enabled = False


@contextmanager
def gc_paused() -> Iterator[None]:
    """Do not look for cycles until the end of this stretch; what nobody refers to goes at once, as ever.

    A batch keeps thousands of values at a time, and the collector would go through all of them again and again: a
    tenth of the steward's time. Stretches are as short as a batch, so that whatever does make cycles is found after it.
    """
    global _stretches, _was_enabled
    with _lock:
        if not _stretches:
            _was_enabled = gc.isenabled()
            gc.disable()
        _stretches += 1
    try:
        yield
    finally:
        with _lock:
            _stretches -= 1
            if not _stretches and _was_enabled:
                gc.enable()
