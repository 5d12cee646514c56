"""Migrations: their scripts, a copy of the file as it was before, and functions of ours in SQL.

The copy is for whoever wants to go back to an older Reverie. It says all that the file said, so it goes when something
is forgotten for good.
"""

from pathlib import Path
from typing import Any

import apsw

from reverie.engines.sqlite.rows import checksum
from reverie.foundation.ids import learning_mark
from reverie.ports import Env

_OLD = ".schema-"  # between the name of the file and the version of the copy
_UNFINISHED = ".unfinished"


def read_migrations() -> list[str]:
    """The numbered scripts of migrations, in order."""
    folder = Path(__file__).parents[1] / "migrations" / "sqlite"
    return [script.read_text(encoding="utf-8") for script in sorted(folder.glob("*.sql"))]


def teach(connection: apsw.Connection) -> None:
    """Let the scripts of migrations call what they cannot say in SQL."""

    def taught(*told: Any) -> bytes:
        return learning_mark(*told)

    connection.create_scalar_function("learning_mark", taught, 7, deterministic=True)
    connection.create_scalar_function("row_checksum", lambda *row: checksum(row), deterministic=True)


def back_up(path: Path, version: int, env: Env, vfs: str | None = None) -> Path:
    """Copy a file of this version to a file beside it, in the place of older copies.

    Whoever calls holds the write lock, so that the copy is what the migration finds. A kill leaves a file that is
    called unfinished, which the next to come removes.
    """
    copy = path.with_name(f"{path.name}{_OLD}{version}")
    unfinished = copy.with_name(copy.name + _UNFINISHED)
    remove_backups(path, env, keep=copy.name)
    unfinished.touch(mode=0o600)
    source = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE, vfs=vfs)
    try:
        source.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        source.execute("PRAGMA synchronous = FULL")
        source.execute("VACUUM INTO ?", (str(unfinished),))
    finally:
        source.close()
    env.files.rename(unfinished, copy)
    return copy


def remove_backups(path: Path, env: Env, keep: str = "") -> None:
    """Remove the copies of older versions, and what is left of copies that were not finished."""
    for name in env.files.names(path.parent):
        if name.startswith(path.name + _OLD) and name != keep:
            env.files.remove(path.with_name(name))
