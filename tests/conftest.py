"""What several tests share: a fake environment, and a memory in a temporary folder."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from reverie.memory import Memory
from reverie.testing import FakeEnv


@pytest.fixture
def env() -> FakeEnv:
    return FakeEnv()


@pytest.fixture
def memory(tmp_path: Path, env: FakeEnv) -> Iterator[Memory]:
    with Memory.open(tmp_path / "home", env=env) as opened:
        yield opened
