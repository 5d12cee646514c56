"""The system of record, behind its ports. Nobody outside this folder knows which engine it is, or names its files."""

from collections.abc import Callable, Sequence
from pathlib import Path

from reverie.engines.sqlite import SqliteEngine
from reverie.engines.sqlite.damage import damage
from reverie.engines.sqlite.doctor import SqliteDoctor
from reverie.engines.sqlite.read_only import ReadOnlyDatabase
from reverie.engines.sqlite.wal import files_of
from reverie.hook.locate import RECORD
from reverie.ports import Engine, Env, RecordDoctor
from reverie.settings import InboxSettings


def open_engine(home: Path, env: Env, user: str, inbox: InboxSettings, *, read_only: bool = False) -> Engine:
    """Open the record of a workspace; make it if there is none, unless it is only to be read."""
    if read_only:
        return SqliteEngine(ReadOnlyDatabase(home / RECORD, env), env, user, inbox)
    return SqliteEngine.open(home / RECORD, env, user, inbox)


def record_files(home: Path) -> tuple[Path, ...]:
    """The files of a workspace's record, whether they are there or not."""
    return files_of(home / RECORD)


def find_damage(home: Path, env: Env) -> str:
    """Read all of a workspace's record; return the first damage that is found, '' if there is none."""
    path = home / RECORD
    return next(iter(damage(path)), "") if env.files.size(path) else ""


def record_doctor(
    home: Path, env: Env, *, is_writable: bool, rebuild: Callable[[], int], in_use: str, traces: Sequence[Path]
) -> RecordDoctor:
    """Return the doctor that checks and repairs the record of a workspace.

    `rebuild` opens the repaired record, derives everything again, and returns how many turns had to be skipped because
    their observations are gone. `in_use` says who has to stop before the record can be replaced; '' if nobody does.
    `traces` are files of the workspace that are there only where there was a record.
    """
    return SqliteDoctor(home / RECORD, env, is_writable, rebuild, in_use, traces)
