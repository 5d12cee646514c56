"""One hook, from its arguments to its end, in the process that `launch.py` starts.

It never hurts the agent: it prints nothing that it was not asked for, and writes its own failures to a log that
`reverie status` counts. Start-up is most of what it costs, so it does without the package machinery: the code of the
twelve modules that every event needs is kept in one file.
"""

import gc
import marshal
import posix
import sys
import time
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader
from _imp import source_hash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any

ANSWERED = ("SessionStart", "UserPromptSubmit")
ASKED = "PreToolUse"  # which is answered and not kept
WORK_OFF = "work-off"  # in the place of an event: a hook that ran out of time has left its work to this process
ROOT = __file__.rpartition("/reverie/hook/")[0]
PARTS = (  # what runs at every event
    "reverie.hook.locate", "reverie.hook.opt_out", "reverie.hook.capture_event", "reverie.redact.secret_values",
    "reverie.redact.secret_patterns", "reverie.redact.secret_search", "reverie.redact.secret_rare",
    "reverie.redact.secret_shapes", "reverie.redact.secret_names", "reverie.redact.secret_commands",
    "reverie.redact.secrets", "reverie.hook.spool",
)  # fmt: skip
_VERSION = f"{sys.implementation.cache_tag}-{MAGIC_NUMBER.hex()}"  # code of another interpreter is not even read
_KEPT = f"{ROOT}/reverie/hook/__pycache__/hook.{_VERSION}"
_LARGEST = 4_000_000  # bytes; it has 200,000
_CHECKED = 8  # bytes of its checksum, which stands first


class Modules:
    """The modules of a hook by their full names. Their code comes from one file, if nothing was changed since."""

    def __init__(self) -> None:
        self._codes: dict[str, CodeType] | None = None  # read when first needed
        self._made_of: list[tuple[int, int, int]] = []
        self._is_outdated = False

    def load(self, name: str) -> "Any":
        if name not in sys.modules:
            code = self.code(name)
            module = sys.modules[name] = type(sys)(name)
            module.__file__ = path_of(name)
            is_loaded = False
            try:
                exec(code, module.__dict__)  # noqa: S102 — as an import does
                is_loaded = True
            finally:
                if not is_loaded:
                    del sys.modules[name]
        return sys.modules[name]

    def code(self, name: str) -> "CodeType":
        codes = self._codes = self._read() if self._codes is None else self._codes
        if name not in codes:
            codes[name] = compiled(name)
        return codes[name]

    def _read(self) -> "dict[str, CodeType]":
        self._made_of, self._is_outdated = made_of(), True
        file = -1
        try:
            file = posix.open(_KEPT, posix.O_RDONLY | posix.O_CLOEXEC | posix.O_NONBLOCK)
            data = memoryview(posix.read(file, min(posix.fstat(file).st_size, _LARGEST)))
            if data[:_CHECKED] == source_hash(0, data[_CHECKED:]):
                before, codes = marshal.loads(data[_CHECKED:])  # noqa: S302 — as trusted as byte code
                self._is_outdated = before != self._made_of
        except (OSError, ValueError, EOFError, TypeError):
            pass  # whatever is in its place, there is another way
        finally:
            if file >= 0:
                posix.close(file)
        return {} if self._is_outdated else codes

    def keep(self) -> None:
        """For the next hook, when all that matters is done. If it cannot be written, the next hook does without."""
        codes = {name: code for name, code in (self._codes or {}).items() if name in PARTS}
        if not self._is_outdated or not self._made_of or len(codes) < len(PARTS) or sys.dont_write_bytecode:
            return
        fresh = f"{_KEPT}.{posix.urandom(6).hex()}"
        try:
            file = posix.open(fresh, posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL | posix.O_CLOEXEC, 0o644)
        except OSError:
            return
        try:
            data = marshal.dumps((self._made_of, {name: slim(code) for name, code in codes.items()}))
            if posix.write(file, source_hash(0, data) + data) < _CHECKED + len(data):
                raise OSError("no space left for all of it")
            posix.rename(fresh, _KEPT)
        except OSError:
            posix.unlink(fresh)
        finally:
            posix.close(file)


def slim(code: "CodeType") -> "CodeType":
    """Without what only a debugger or a traceback would ask for: the rest is read and laid out in less memory."""
    consts = [slim(const) if isinstance(const, type(code)) else const for const in code.co_consts]
    return code.replace(co_linetable=b"", co_filename="", co_qualname=code.co_name, co_consts=tuple(consts))


def made_of() -> "list[tuple[int, int, int]]":
    """Return the times and sizes of the modules' files: another list, if one of them was changed or replaced.

    By the time of that, too: installers give files of two versions the same age, and leave our file where it is.
    """
    try:
        files = [posix.stat(path_of(name)) for name in PARTS]
    except OSError:
        return []
    return [(file.st_ctime_ns, file.st_mtime_ns, file.st_size) for file in files]


def compiled(name: str) -> "CodeType":
    """From what Python keeps of the module, or, if that is broken, from the module itself."""
    loader = SourceFileLoader(name, path_of(name))
    try:
        code = loader.get_code(name)
        assert code
    except (EOFError, ValueError, TypeError, ImportError):
        code = compile(loader.get_data(path_of(name)), path_of(name), "exec")
    return code


def path_of(name: str) -> str:
    return f"{ROOT}/{name.replace('.', '/')}.py"


def main(arguments: list[str]) -> None:
    started = time.monotonic()
    event = arguments[1] if len(arguments) > 1 else ""
    named = posix.environ.get(b"REVERIE_HOME", b"").decode("utf-8", "surrogateescape")
    home = arguments[2] if len(arguments) > 2 else named
    modules, hook = Modules(), None
    load = modules.load
    try:
        load("reverie.hook.locate")  # before what imports it: there is no package here to find it by
        if event == WORK_OFF:
            load("reverie.hook.context_reply").work_off(home, ROOT, is_handed=True)
            return
        load("reverie.hook.opt_out")
        hook = load("reverie.hook.capture_event")
        if event == ASKED:
            seen = load("reverie.hook.opened_file").look_at(event, home)
        else:
            seen = hook.capture(event, home, load)
        if seen and seen.event in (*ANSWERED, ASKED):
            load("reverie.hook.context_reply").reply_with_context(seen.event, seen, ROOT, started, hook.encode)
        elif seen and seen.event == "SessionEnd":
            load("reverie.hook.context_reply").work_off(seen.home, ROOT)
    except BaseException as error:  # the agent must not notice, whatever it was
        if hook:
            hook.complain(home, event, error, load)
    modules.keep()


if __name__ == "__main__":
    bytes(4_000_000)  # made and let go, it tells malloc to keep what is given back; else each large text is mapped anew
    gc.disable()  # a process this short leaves no garbage worth looking for
    sys.path.reverse()  # C modules are in the last folder, and nothing else is imported
    main(sys.argv)
