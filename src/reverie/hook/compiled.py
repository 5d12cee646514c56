"""Keep the byte code of dataclasses' methods from one hook process to the next: Python compiles them at each start.

That is a third of what an answer without a steward takes, and a hook has 300 ms for everything (docs/decisions/033).
A method is found by the very text that it was compiled from, so it is never the wrong one. The file lies beside the
byte code and is trusted like it; a process that cannot read or write it does without.

`python -I -S compiled.py ROOT` makes it before the first hook needs it, and what `run.py` keeps for every hook, too.
"""

import _frozen_importlib_external
import dataclasses
import marshal
import os
import sys
from typing import Any

_HEADER = _frozen_importlib_external.MAGIC_NUMBER  # code of another interpreter is not even looked at
_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "__pycache__")
PATH = os.path.join(_FOLDER, f"methods.{sys.implementation.cache_tag}")


class Kept:
    """Byte code of methods, by their text. `use` makes this process look here first."""

    def __init__(self, path: str = PATH) -> None:
        self.path = path
        self.is_outdated = False
        self._methods: dict[str, Any] = {}
        self._used_methods: dict[str, Any] = {}
        try:
            with open(path, "rb") as file:
                if file.read(len(_HEADER)) == _HEADER:
                    self._methods = marshal.load(file)  # noqa: S302 — as trusted as byte code
        except (OSError, ValueError, EOFError, TypeError):
            self.is_outdated = True

    def use(self) -> None:
        dataclasses.exec = self._execute  # type: ignore[attr-defined]  # it is called there by that name

    def save(self) -> None:
        """Keep what this process used, if some of it is new; what nobody uses any more goes."""
        if not self.is_outdated:
            return
        fresh = f"{self.path}.{os.getpid()}"
        try:
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            with open(fresh, "wb") as file:
                file.write(_HEADER + marshal.dumps(self._used_methods))
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


if __name__ == "__main__":
    kept = Kept()
    kept.use()
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    sys.path += [sys.argv[1], f"{sys.executable.rpartition('/bin/')[0]}/lib/{version}/site-packages"]
    import reverie.memory  # noqa: F401 — what an answer needs beside the rules
    from reverie.pipeline.distil_turns import load_rules

    load_rules()
    kept.save()
    from reverie.hook.run import PARTS, Modules

    modules = Modules()
    for part in PARTS:
        modules.code(part)
    modules.keep()
