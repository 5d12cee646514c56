"""The command that a coding agent runs at each event:  python -I -S launch.py EVENT [HOME]

Python compiles this file at every start, so it only starts `run.py`, which is compiled once. Exits 0 whatever happens.
"""

import posix
from _frozen_importlib_external import SourceFileLoader

if __name__ == "__main__":
    path = __file__[:-9] + "run.py"
    try:
        code = SourceFileLoader("run", path).get_code("run")
        exec(code or "", {"__name__": "__main__", "__file__": path})  # noqa: S102 — as an import does
    finally:
        posix._exit(0)
