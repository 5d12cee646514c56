"""Where the fault tests put their workspaces."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

# A killed process leaves behind what the kernel already has, so memory is as good a disk as any for these tests and saves
# them tens of thousands of real syncs. What a power cut leaves behind is simulated (test_power_cut.py).
_IN_MEMORY = "/dev/shm"


@pytest.fixture
def scratch() -> Iterator[Path]:
    """A folder for one test, in memory where there is such a place."""
    yield from _folder()


@pytest.fixture(scope="module")
def module_scratch() -> Iterator[Path]:
    yield from _folder()


def _folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="reverie-", dir=_IN_MEMORY if os.access(_IN_MEMORY, os.W_OK) else None))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)
