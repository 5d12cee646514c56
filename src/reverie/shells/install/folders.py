"""Remember the folders that an install made, so that an uninstall removes them, if nothing else is in them."""

import os
from contextlib import suppress
from pathlib import Path

from reverie.foundation.workspace import Workspace
from reverie.ports import Env

_LIST = "made-folders"  # in the workspace: a path per line


def note_missing(folder: Path, workspace: Workspace, env: Env) -> None:
    """Before something is written into a folder: if it is not there, it is going to be ours."""
    if not folder.exists() and str(folder) not in _listed(workspace, env):
        env.files.append(workspace.home / _LIST, f"{folder}\n".encode("utf-8", "surrogateescape"))


def remove_made(folder: Path, workspace: Workspace, env: Env) -> None:
    """Remove a folder that an install made, if it is empty; what somebody has put something into is theirs from now."""
    listed = _listed(workspace, env)
    if str(folder) not in listed:
        return
    rest = "".join(f"{one}\n" for one in listed if one != str(folder))
    env.files.replace(workspace.home / _LIST, rest.encode("utf-8", "surrogateescape"))
    with suppress(OSError):
        os.rmdir(folder)


def _listed(workspace: Workspace, env: Env) -> list[str]:
    return (env.files.read(workspace.home / _LIST) or b"").decode("utf-8", "surrogateescape").splitlines()
