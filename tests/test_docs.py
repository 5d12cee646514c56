"""The pages tell the truth: generated ones are current, links lead somewhere, examples run, nothing private is in them."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def test_the_generated_pages_are_current() -> None:
    done = subprocess.run(
        [sys.executable, "scripts/docs.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
        if not target.startswith(("http://", "https://")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_python_in_the_readme_runs(tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    for block in blocks:
        done = subprocess.run(
            [sys.executable, "-c", block],
            env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr


def test_every_command_in_the_readme_exists() -> None:
    from reverie.shells.cli.main import COMMANDS

    text = (ROOT / "README.md").read_text(encoding="utf-8")
    used = set(re.findall(r"(?:^|`|/)reverie ([a-z]+)", text, re.MULTILINE))

    assert used - set(COMMANDS) == set()
    assert used


def test_every_word_of_the_glossary_is_explained_once() -> None:
    words = re.findall(r"^\*\*(.+?)\*\*", (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8"), re.MULTILINE)

    assert len(words) == len(set(words)) >= 10


@pytest.mark.parametrize("name", ["observation", "learning", "turn", "session", "steward", "spool", "lease", "tick"])
def test_the_glossary_has_the_words_that_the_code_uses(name: str) -> None:
    assert f"**{name}**" in (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")


def test_the_constraints_hold_no_addresses() -> None:
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")

    assert "://" not in text
    assert "file:" not in text
    assert all(re.fullmatch(r"[\w.-]+==[\w.+]+|#.*|", line) for line in text.splitlines())
