"""The file that a command writes for a person: there when it is whole, and never a workspace's own."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

import click

from reverie.env.real import full_sync
from reverie.errors import BadInput
from reverie.foundation.workspace import Workspace
from reverie.hook.locate import RECORD
from reverie.ports import Env


def is_stdout(out: Path | None) -> bool:
    """Whether this means standard output: by its name, or as the very same file."""
    if out is None or str(out) == "-":
        return True
    try:
        return os.path.samestat(os.stat(out), os.fstat(1))
    except OSError:  # it is not there, or there is no standard output
        return False


@contextmanager
def written(out: Path | None, workspace: Workspace, env: Env, named: str = "--out") -> Iterator[IO[str]]:
    """The file to write to, under its own name once everything is in it: what was there before stays until then.

    A pipe, a device and what the shell has opened are written to as they are. `named` is where a person said `out`.
    """
    if out is None or is_stdout(out):
        with click.open_file("-", "w", encoding="utf-8") as file:
            yield file
        return
    real = Path(os.path.realpath(out))
    if inside := _workspace_around(real, workspace):
        why = f"{inside} is a workspace, and only Reverie writes there"
        raise BadInput(f"{out} would be written over the memory or beside it: {why}; give {named} a file elsewhere")
    try:
        before = _status(real)
        if before and stat.S_ISDIR(before.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if before and not os.access(real, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        fresh = real if _is_open_already(out, before) else real.with_name(f".reverie-{env.random_bytes(6).hex()}.new")
        fresh_file = _opened(fresh, before)
    except OSError as error:
        raise OSError(error.errno, f"{error.strerror}{_way_out(error, real, named)}", str(out)) from error
    if fresh == real:
        with fresh_file as file:
            yield file
        return
    is_done = False
    try:
        with fresh_file as file:
            yield file
            file.flush()
            full_sync(file.fileno())
        env.files.rename(fresh, real)
        is_done = True
    finally:
        if not is_done:
            with suppress(OSError):
                env.files.remove(fresh)


def _opened(path: Path, before: os.stat_result | None) -> IO[str]:
    """For writing: as private as what it stands for, or as a new file is."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600 if before else 0o666)
    if before and stat.S_ISREG(before.st_mode):
        os.fchmod(descriptor, stat.S_IMODE(before.st_mode))
    return open(descriptor, "w", encoding="utf-8")


def _way_out(error: OSError, real: Path, named: str) -> str:
    if isinstance(error, IsADirectoryError):
        return f"; {named} takes a file"
    return f"; make the folder {real.parent} first" if isinstance(error, FileNotFoundError) else ""


def _status(path: Path) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _is_open_already(out: Path, before: os.stat_result | None) -> bool:
    """Whether somebody is at the other end, so that another file of this name would reach nobody."""
    folder = os.path.realpath(os.path.dirname(os.path.abspath(out)))
    is_descriptor = folder == "/dev" or folder.startswith(("/dev/fd", "/proc/"))
    return before is not None and (is_descriptor or not stat.S_ISREG(before.st_mode))


def _workspace_around(real: Path, workspace: Workspace) -> str:
    """The workspace that a file is in, this one or another; by any of its names. "" if there is none."""
    for folder in real.parents:
        if os.path.exists(folder / RECORD) or _is_same(folder, workspace.home):
            return str(folder)
    status = _status(real)
    if status and stat.S_ISREG(status.st_mode) and status.st_nlink > 1:
        for inner, _, names in os.walk(workspace.home):
            if any(_is_same(Path(inner, name), real) for name in names):
                return str(workspace.home)
    return ""


def _is_same(one: Path, other: Path) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False
