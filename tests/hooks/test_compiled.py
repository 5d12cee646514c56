"""What was compiled in one process serves the next; what does not fit is compiled anew, and nobody needs the file."""

import subprocess
import sys
from pathlib import Path

import pytest

from reverie.hook import compiled
from reverie.shells.install.entries import LAUNCHER

USE = """
import sys
sys.path.insert(0, {source!r})
from reverie.hook.compiled import Kept
kept = Kept({path!r})
kept.use()
import dataclasses, re
@dataclasses.dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 2
assert Point(1) == Point(1, 2) and hash(Point(1)) == hash(Point(1, 2)) and repr(Point(1)).endswith("Point(x=1, y=2)")
assert dataclasses.replace(Point(1), y=3).y == 3
assert re.compile.__module__ == "re" and re._compiler.compile.__module__ == "re._compiler", "patterns are left alone"
was_outdated = kept.is_outdated
kept.save()
print(was_outdated)
"""


def use(path: Path) -> bool:
    """Whether a process that uses what is kept had to compile something."""
    code = USE.format(source=str(LAUNCHER.parents[2]), path=str(path))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout == "True\n"


def test_what_one_process_compiled_serves_the_next(tmp_path: Path) -> None:
    assert use(tmp_path / "cache" / "kept")
    assert not use(tmp_path / "cache" / "kept")


@pytest.mark.parametrize("content", [b"", b"not ours", compiled._HEADER, compiled._HEADER + b"\xff" * 50])
def test_a_file_that_cannot_be_used_is_replaced(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "kept").write_bytes(content)

    assert use(tmp_path / "kept")
    assert not use(tmp_path / "kept")


def test_a_place_that_cannot_be_written_to_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / "a file").write_text("in the way")

    assert use(tmp_path / "a file" / "kept")
