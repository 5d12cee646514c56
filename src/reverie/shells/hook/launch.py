"""The command that a coding agent runs at each event:  python -I -S launch.py EVENT [HOME]

It never hurts the agent: it exits 0 whatever happens, prints nothing that it was not asked for, and writes its own
failures to a log that `reverie status` counts. This file stays tiny because it is compiled at every start; the rest is
loaded from compiled files, without the package machinery.
"""

import _frozen_importlib as importlib
import _frozen_importlib_external as external
import posix
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ANSWERED = ("SessionStart", "UserPromptSubmit")
WORK_OFF = "work-off"  # in the place of an event: a hook that ran out of time has left its work to this process
ROOT = __file__.rpartition("/reverie/shells/")[0]


def load(name: str) -> "Any":
    """A module by its full name, from its compiled file."""
    if name not in sys.modules:
        path = f"{ROOT}/{name.replace('.', '/')}.py"
        spec = importlib.ModuleSpec(name, external.SourceFileLoader(name, path), origin=path)
        spec.has_location = True
        return importlib._load(spec)  # type: ignore[attr-defined]
    return sys.modules[name]


def main(arguments: list[str]) -> None:
    started = time.monotonic()
    event = arguments[1] if len(arguments) > 1 else "unknown"
    named = posix.environ.get(b"REVERIE_HOME", b"").decode("utf-8", "surrogateescape")
    home = arguments[2] if len(arguments) > 2 else named
    hook = None
    try:
        if event == WORK_OFF:
            load("reverie.shells.hook.answer").work_off(home, ROOT)
            return
        for name in ("where", "capture.opting_out"):  # before who imports it: there is no package here to find it by
            load(f"reverie.{name}")
        hook = load("reverie.capture.hook")
        seen = hook.capture(event, home, load)
        if seen and event in ANSWERED:
            load("reverie.shells.hook.answer").answer(event, seen, ROOT, started, hook.encode)
        elif seen and event == "SessionEnd":
            load("reverie.shells.hook.answer").work_off(seen.home, ROOT)
    except BaseException as error:  # the agent must not notice, whatever it was
        if hook:
            hook.complain(home, event, error, load)


if __name__ == "__main__":
    main(sys.argv)
    posix._exit(0)
