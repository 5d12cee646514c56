"""A planned change of one file: shown first, made after, and only if the file is still what the plan saw."""

import os
from dataclasses import dataclass
from pathlib import Path

from reverie.errors import BadSettings
from reverie.ports import Env


@dataclass(frozen=True, slots=True)
class Plan:
    """A planned change of one file. None stands for no file; `changes` says it in words, one line each."""

    path: Path
    before: bytes | None
    after: bytes | None
    changes: tuple[str, ...] = ()

    @property
    def is_needed(self) -> bool:
        return self.before != self.after


def apply(plan: Plan, env: Env) -> None:
    """Make the change in one step. A symbolic link stays one: the file that it points to is replaced."""
    if not plan.is_needed:
        return
    try:
        _write(plan, env)
    except OSError as error:
        raise BadSettings(f"cannot write {plan.path}: {error.strerror or error}; nothing was changed") from error


def _write(plan: Plan, env: Env) -> None:
    target = plan.path.resolve()
    if env.files.read(target) != plan.before:
        raise BadSettings(f"{plan.path} has changed meanwhile and was left as it is; try again")
    if plan.before is not None and not os.access(target, os.W_OK):
        raise BadSettings(f"{plan.path} is read-only and was left as it is; make it writable first")
    if plan.after is None:
        env.files.remove(target)
        return
    env.files.make_folder(target.parent)
    if plan.before is None:
        env.files.replace(target, plan.after, mode=0o644)
        return
    # The new file takes the place of the old one, so it must be as the old one was to everybody else, too.
    was = target.stat()
    env.files.replace(target, plan.after, mode=was.st_mode & 0o777)
    os.chmod(target, was.st_mode & 0o777)  # the umask may have taken something away
    if os.geteuid() == 0:
        os.chown(target, was.st_uid, was.st_gid)
