"""The house keeps its rooms apart: read the imports, and fail when a stage reaches into another."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "src" / "reverie"
FOUNDATION = {"records", "ports", "settings", "errors", "workspace", "ids", "text", "events", "mirrors"}
STAGES = {"capture", "inbox", "distil", "gate", "stores", "recall", "compose", "window", "dream", "journal"}
GROUND = {"engines", "index", "embed", "models", "tools"}
JOINERS = {"memory", "steward", "continuum", "shells", "testing", "__main__", "__init__"}
# The outside world is reached through Env. These rooms are its edge: env itself and the HTTP client behind it, what
# runs in the hook process without the package, the database with its files, and the doors.
EDGE = {
    "env.py", "models/http.py", "capture/hook.py", "capture/spool.py", "capture/secrets.py", "capture/callbacks.py", "steward.py", "testing.py",
}  # fmt: skip
OUTSIDE = {
    "time",
    "random",
    "secrets",
    "os",
    "posix",
    "shutil",
    "socket",
    "http",
    "urllib",
    "subprocess",
    "tempfile",
    "signal",
}
HEAVY = {"starlette", "uvicorn", "mcp", "anthropic", "openai", "claude_agent_sdk", "psycopg", "numpy", "rich", "click"}

FILES = sorted(ROOT.rglob("*.py"))


def imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: write whole names, not relative imports"
            found |= {f"{node.module}.{alias.name}" for alias in node.names} | {node.module}
    return found


def room(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def reached(path: Path) -> set[str]:
    return {name.split(".")[1] for name in imports(path) if name.startswith("reverie.") and name.count(".")}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_room_reaches_only_what_it_stands_on(path: Path) -> None:
    mine = room(path)
    if mine in JOINERS:
        return
    allowed = FOUNDATION | {mine}
    if mine == "env":
        allowed |= {"models"}  # the HTTP client
    assert reached(path) - allowed == set(), f"{mine} must not know about these"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_the_edge_touches_the_outside_world(path: Path) -> None:
    name = str(path.relative_to(ROOT))
    if name in EDGE or room(path) == "shells":
        return
    touched = {imported.split(".")[0] for imported in imports(path)} & OUTSIDE
    assert touched == set(), "time, chance, files and network come through Env"


def test_the_shells_are_imported_by_nobody() -> None:
    for path in FILES:
        if room(path) not in ("shells", "__main__"):
            assert "shells" not in reached(path), path


def test_every_module_says_what_it_does() -> None:
    silent = [
        str(path.relative_to(ROOT))
        for path in FILES
        if path.read_text(encoding="utf-8").strip()
        and not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert silent == []


def test_import_reverie_is_light() -> None:
    code = "import sys, reverie; from reverie import Memory; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert HEAVY & {name.split(".")[0] for name in done.stdout.split()} == set()


def test_the_public_names_are_the_ones_that_are_listed() -> None:
    import reverie

    assert sorted(reverie.__all__) == sorted(reverie._HOMES)
    for name in reverie.__all__:
        assert getattr(reverie, name) is not None
    with pytest.raises(AttributeError):
        _ = reverie.nonsense
