"""A text of hundreds of thousands of characters: its end is found like its beginning, and forgotten like it."""

from pathlib import Path

from reverie import Memory
from reverie.testing import FakeEnv


def test_the_end_of_a_very_long_text_is_found_and_forgotten_for_good(tmp_path: Path, env: FakeEnv) -> None:
    pasted = "line of a log that says nothing much\n" * 6000 + "and then the zebracorn fell asleep\n"
    with Memory.open(tmp_path / "home", env=env) as memory:
        memory.observe([{"text": pasted, "kind": "user_message", "session": "s1"}])

        found = memory.search("what did the zebracorn do?", limit=1)[0]

        assert "zebracorn fell asleep" in found.text
        memory.forget("text:zebracorn", hard=True)
        assert all("zebracorn" not in hit.text for hit in memory.search("zebracorn"))
        memory.engine.scrub()
    assert all(b"zebracorn" not in file.read_bytes() for file in (tmp_path / "home").rglob("*") if file.is_file())
