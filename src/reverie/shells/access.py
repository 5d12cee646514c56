"""A workspace -> what keeps this process from reading or writing it, in words; and the way out.

Every command asks this first, so it imports little: `health` and `doctor` tell the rest.
"""

import os

from reverie.engines import record_files
from reverie.foundation.workspace import Workspace

WAY_OUT = "make it yours (`chown`, `chmod u+rwX`), or name another folder with --home or REVERIE_HOME"


def write_obstacle(workspace: Workspace) -> str:
    """Say what keeps this process from writing to a workspace, or from making one; "" if nothing does."""
    home = workspace.home
    nearest = next(path for path in (home, *home.parents) if os.path.exists(path))
    if nearest != home and not os.access(nearest, os.W_OK | os.X_OK):
        return f"you have no permission to make {home} in {nearest}"
    if hidden := read_obstacle(workspace):
        return hidden
    for path in (home, *record_files(workspace.home)):
        if os.path.exists(path) and not os.access(path, os.W_OK):
            return f"you can only read {path}"
    return ""


def read_obstacle(workspace: Workspace) -> str:
    """Say what keeps this process from reading the record of a workspace; "" if nothing does. That is no damage."""
    if os.path.exists(workspace.home) and not os.access(workspace.home, os.R_OK | os.X_OK):
        return f"you have no permission to open {workspace.home}"
    for path in record_files(workspace.home):
        if os.path.exists(path) and not os.access(path, os.R_OK):
            return f"you have no permission to read {path}"
    return ""
