"""Every engine goes through one suite: add a second one to `ENGINES`."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from reverie.engines.sqlite import SqliteEngine
from reverie.ports import Engine
from reverie.testing import FakeEnv


def open_sqlite(folder: Path, env: FakeEnv) -> Engine:
    return SqliteEngine.open(folder / "reverie.db", env)


ENGINES: list[Callable[[Path, FakeEnv], Engine]] = [open_sqlite]


@pytest.fixture(params=ENGINES, ids=["sqlite"])
def engine(request: pytest.FixtureRequest, tmp_path: Path, env: FakeEnv) -> Iterator[Engine]:
    opened = request.param(tmp_path, env)
    yield opened
    opened.close()
