"""A steward inside of a program that has opened a memory, instead of a process of its own."""

import atexit
import threading

from reverie.daemon.steward import Steward
from reverie.errors import StewardRunning
from reverie.memory import Memory

_LEAVE_SECONDS = 30.0  # what a program gives the threads of its steward before it ends


def start_steward(memory: Memory) -> bool:
    """Drain, distil and tidy in threads of this process until the memory is closed.

    Return False if another process, or another memory of this one, does that already.
    """
    if _NAME in memory.at_close:
        return True
    steward = Steward(memory.workspace, memory.env, memory.settings)
    try:
        steward.begin()
    except StewardRunning:
        steward.memory.close()
        return False
    thread = threading.Thread(target=steward.run, name="reverie steward", daemon=True)
    thread.start()
    steward.is_ready.wait()

    def end() -> None:
        steward.stop()
        thread.join()
        if not steward.is_still_busy:
            atexit.unregister(leave)

    def leave() -> None:
        """An interpreter that ends while a thread is inside an extension in C++ aborts the process."""
        end()
        steward.wait(_LEAVE_SECONDS)

    atexit.register(leave)
    memory.at_close[_NAME] = end
    return True


_NAME = "steward"  # of what is done when the memory is closed
