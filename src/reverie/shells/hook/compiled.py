"""What Python compiles anew in each process, kept from one to the next: methods of dataclasses, regular expressions.

That is more than half of what importing the package takes, and a hook that finds no steward has 300 ms for everything.
What is kept is found by the very text that it was compiled from, so it is never the wrong one; it lies beside the byte
code, is trusted like byte code, and whoever cannot read or write it does without.

`python -I -S compiled.py ROOT` makes it before the first hook needs it, and what `run.py` keeps for every hook, too.
"""

import _frozen_importlib_external
import dataclasses
import marshal
import os
import re
import sys
from array import array
from typing import Any

_compiler: Any = re._compiler  # type: ignore[attr-defined]
_sre: Any = _compiler._sre
# Code of another interpreter is not even looked at.
_HEADER = _frozen_importlib_external.MAGIC_NUMBER + _sre.MAGIC.to_bytes(8, "little")
PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "__pycache__", f"kept.{sys.implementation.cache_tag}")


class Kept:
    """Compiled things by what they were compiled from. `use` makes this process look here first."""

    def __init__(self, path: str = PATH) -> None:
        self.path = path
        self.is_outdated = False
        self._methods: dict[str, Any] = {}
        self._patterns: dict[tuple[Any, int], tuple[Any, ...]] = {}
        self._used_methods: dict[str, Any] = {}
        self._used_patterns: dict[tuple[Any, int], tuple[Any, ...]] = {}
        try:
            with open(path, "rb") as file:
                if file.read(len(_HEADER)) == _HEADER:
                    self._methods, self._patterns = marshal.load(file)  # noqa: S302 — as trusted as byte code
        except (OSError, ValueError, EOFError, TypeError):
            self.is_outdated = True

    def use(self) -> None:
        dataclasses.exec = self._execute  # type: ignore[attr-defined]  # it is called there by that name
        self._really_compile = _compiler.compile
        _compiler.compile = self._compile

    def save(self) -> None:
        """Keep what this process used, if some of it is new; what nobody uses any more goes.

        Only methods count as new: some patterns are put together from sets, and look different in each process.
        """
        if not self.is_outdated:
            return
        fresh = f"{self.path}.{os.getpid()}"
        try:
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            with open(fresh, "wb") as file:
                file.write(_HEADER + marshal.dumps((self._used_methods, self._used_patterns)))
            os.replace(fresh, self.path)
        except OSError:
            return
        self.is_outdated = False

    def _execute(self, text: Any, *spaces: dict[str, Any]) -> None:
        code = self._methods.get(text)
        if code is None:
            code = compile(text, "<dataclass>", "exec")
            self.is_outdated = True
        self._used_methods[text] = code
        exec(code, *spaces)  # noqa: S102 — as dataclasses does

    def _compile(self, pattern: Any, flags: int = 0) -> Any:
        if not isinstance(pattern, (str, bytes)):  # it was parsed already
            return self._really_compile(pattern, flags)
        key = (pattern, int(flags))
        if found := self._patterns.get(key):
            self._used_patterns[key] = found
            all_flags, code, groups, names, indexed = found
            return _sre.compile(pattern, all_flags, array("I", code).tolist(), groups, names, indexed)
        recorder = _Recorder()
        before, _compiler._sre = _compiler._sre, recorder
        try:
            compiled = self._really_compile(pattern, flags)
        finally:
            _compiler._sre = before
        self._used_patterns[key] = recorder.seen
        return compiled


class _Recorder:
    """Stands in for the C module while one pattern is compiled, to see what it is given in the end."""

    def __init__(self) -> None:
        self.seen: tuple[Any, ...] = ()

    def __getattr__(self, name: str) -> Any:
        return getattr(_sre, name)

    def compile(
        self, pattern: Any, flags: int, code: list[int], groups: int, names: dict[str, int], indexed: tuple[Any, ...]
    ) -> Any:
        self.seen = (int(flags), array("I", code).tobytes(), groups, dict(names), indexed)
        return _sre.compile(pattern, flags, code, groups, names, indexed)


if __name__ == "__main__":
    kept = Kept()
    kept.use()
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    sys.path += [sys.argv[1], f"{sys.executable.rpartition('/bin/')[0]}/lib/{version}/site-packages"]
    import reverie.memory  # noqa: F401 — what an answer needs beside the rules
    from reverie.distiller import load_rules

    load_rules()
    kept.save()
    from reverie.shells.hook.run import PARTS, Modules

    modules = Modules()
    for part in PARTS:
        modules.code(part)
    modules.keep()
