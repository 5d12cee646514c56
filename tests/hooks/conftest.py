"""A folder in memory, for runs in which thousands of syncs would only measure the disk."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def quick_folder(tmp_path: Path) -> Iterator[Path]:
    if not Path("/dev/shm").is_dir():
        yield tmp_path
        return
    folder = Path(tempfile.mkdtemp(prefix="reverie-test-", dir="/dev/shm"))
    yield folder
    shutil.rmtree(folder)
