"""A memory whose clock stands still, for conversations."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from reverie.memory import Memory
from reverie.settings import PersonSettings, Settings
from reverie.testing import FakeEnv


@pytest.fixture
def env() -> FakeEnv:
    return FakeEnv(seed=5)


@pytest.fixture
def memory(tmp_path: Path, env: FakeEnv) -> Iterator[Memory]:
    settings = Settings(person=PersonSettings(first_name="Ana", time_zone="Europe/Berlin"))
    with Memory.open(tmp_path / "home", env=env, settings=settings) as opened:
        yield opened
