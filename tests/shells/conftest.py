"""A person at the command line: a home, a project, and commands that end as they do in a shell."""

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from reverie.shells.cli.exit_codes import run
from reverie.shells.cli.main import cli


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str


Reverie = Callable[..., Ended]


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project that the person is in."""
    folder = tmp_path / "shop"
    (folder / ".git").mkdir(parents=True)
    monkeypatch.chdir(folder)
    for name in ("REVERIE_HOME", "REVERIE_PROJECT_ENABLED", "CLAUDE_CONFIG_DIR", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "person"))
    monkeypatch.setenv("REVERIE_EMBED_PROVIDER", "none")
    return folder


@pytest.fixture
def reverie(shop: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Reverie:
    """Runs a command line to its end, with its exit code and what it wrote where."""

    def run_it(*words: Any, stdin: str = "") -> Ended:
        monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
        capsys.readouterr()
        try:
            code = run(cli, [str(word) for word in words])
        except SystemExit as end:
            code = int(end.code or 0)
        return Ended(code, *capsys.readouterr())

    return run_it
