"""What several tests share: a fake environment, and a memory in a temporary folder."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from reverie.memory import Memory
from reverie.testing import FakeEnv

os.environ.setdefault("REVERIE_STEWARD_ON_DEMAND", "false")  # hooks of tests leave no process behind

# A shell that starts `make test` in the background has it ignore Ctrl-C, and so would every program that a test starts.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def env() -> FakeEnv:
    return FakeEnv()


@pytest.fixture
def memory(tmp_path: Path, env: FakeEnv) -> Iterator[Memory]:
    with Memory.open(tmp_path / "home", env=env) as opened:
        yield opened
