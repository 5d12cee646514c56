"""One hook, from its arguments to its end, in the process that `launch.py` starts.

It never hurts the agent: it prints nothing that it was not asked for, and writes its own failures to a log that
`reverie status` counts. Start-up is most of what it costs, so it does without the package machinery: the code of the
ten modules that every event needs is kept in one file.
"""

import marshal
import posix
import sys
import time
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any

ANSWERED = ("SessionStart", "UserPromptSubmit")
WORK_OFF = "work-off"  # in the place of an event: a hook that ran out of time has left its work to this process
ROOT = __file__.rpartition("/reverie/shells/")[0]
PARTS = (  # what runs at every event
    "reverie.where", "reverie.capture.opting_out", "reverie.capture.hook", "reverie.capture.secret_values",
    "reverie.capture.secret_patterns", "reverie.capture.secret_shapes", "reverie.capture.secret_names",
    "reverie.capture.secret_commands", "reverie.capture.secrets", "reverie.capture.spool",
)  # fmt: skip
_VERSION = f"{sys.implementation.cache_tag}-{MAGIC_NUMBER.hex()}"  # code of another interpreter is not even read
_KEPT = f"{ROOT}/reverie/shells/hook/__pycache__/hook.{_VERSION}"


class Modules:
    """The modules of a hook by their full names. Their code comes from one file, if nothing was changed since."""

    def __init__(self) -> None:
        self._codes: dict[str, CodeType] | None = None  # read when first needed
        self._made_of: list[Any] = []
        self._is_new = False

    def load(self, name: str) -> "Any":
        if name not in sys.modules:
            code = self.code(name)
            module = sys.modules[name] = type(sys)(name)
            module.__file__ = path_of(name)
            exec(code, module.__dict__)  # noqa: S102 — as an import does
        return sys.modules[name]

    def code(self, name: str) -> "CodeType":
        codes = self._codes = self._read() if self._codes is None else self._codes
        if name not in codes:
            codes[name] = SourceFileLoader(name, path_of(name)).get_code(name)  # type: ignore[assignment]
        return codes[name]

    def _read(self) -> "dict[str, CodeType]":
        self._made_of = made_of()
        try:
            file = posix.open(_KEPT, posix.O_RDONLY | posix.O_CLOEXEC)
            before, codes = marshal.loads(posix.read(file, posix.fstat(file).st_size))  # noqa: S302 — as byte code
            posix.close(file)
        except (OSError, ValueError, EOFError, TypeError):  # not there, or not whole
            before, codes = None, {}
        self._is_new = before != self._made_of
        return {} if self._is_new else codes

    def keep(self) -> None:
        """For the next hook, when all that matters is done. Who cannot write it does without."""
        codes = {name: code for name, code in (self._codes or {}).items() if name in PARTS}
        if not self._is_new or len(codes) < len(PARTS) or sys.dont_write_bytecode:
            return
        data, fresh = marshal.dumps((self._made_of, codes)), f"{_KEPT}.{posix.getpid()}"
        try:
            file = posix.open(fresh, posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL | posix.O_CLOEXEC, 0o644)
            is_whole = posix.write(file, data) == len(data)
            posix.close(file)
            posix.rename(fresh, _KEPT) if is_whole else posix.unlink(fresh)
        except OSError:
            pass


def made_of() -> "list[Any]":
    """What the code of the modules was made of: another list, if one of their files was changed, replaced or moved.

    By the time of that, too: installers give files of two versions the same age, and leave our file where it is.
    """
    try:
        files = [posix.stat(path_of(name)) for name in PARTS]
    except OSError:
        return []
    return [ROOT, *[(file.st_ctime_ns, file.st_mtime_ns, file.st_size) for file in files]]


def path_of(name: str) -> str:
    return f"{ROOT}/{name.replace('.', '/')}.py"


def main(arguments: list[str]) -> None:
    started = time.monotonic()
    event = arguments[1] if len(arguments) > 1 else "unknown"
    named = posix.environ.get(b"REVERIE_HOME", b"").decode("utf-8", "surrogateescape")
    home = arguments[2] if len(arguments) > 2 else named
    modules, hook = Modules(), None
    load = modules.load
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
    modules.keep()


if __name__ == "__main__":
    bytes(4_000_000)  # made and let go, it tells malloc to keep what is given back; else each large text is mapped anew
    sys.path.reverse()  # C modules are in the last folder, and nothing else is imported
    main(sys.argv)
