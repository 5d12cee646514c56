"""The command that a coding agent runs at each event:  python -I -S launch.py EVENT [HOME]

Python compiles this file at every start, so it only starts `run.py`, which is compiled once. Exits 0 whatever happens.
"""

import posix
from _frozen_importlib_external import SourceFileLoader

if __name__ == "__main__":
    path = __file__.removesuffix("launch.py") + "run.py"
    loader = SourceFileLoader("run", path)
    try:
        try:
            code = loader.get_code("run")
        except Exception:  # what Python kept of it is broken: it was written to a full disk
            code = compile(loader.get_data(path), path, "exec")
        exec(code or "", {"__name__": "__main__", "__file__": path})  # noqa: S102 — as an import does
    finally:
        posix._exit(0)
