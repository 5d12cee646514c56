"""The house keeps its rooms apart: read the imports, and fail when a stage reaches into another."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "src" / "reverie"
FOUNDATION = {
    "as_json", "conversing", "desk", "errors", "events", "ids", "language", "mirrors", "ports", "recent", "records", "results", "settings", "text", "where", "workspace", "zones",
}  # fmt: skip
STAGES = {"capture", "inbox", "distil", "gate", "stores", "recall", "compose", "window", "dream", "journal"}
GROUND = {"engines", "index", "embed", "models", "tools"}
JOINERS = {
    "__init__", "__main__", "attendant", "continuum", "distiller", "memory", "orchestrator", "shells", "steward", "testing",
}  # fmt: skip
# The outside world is reached through Env. These rooms are its edge: env itself and the HTTP client behind it, what
# runs in the hook process without the package, the database with its files, and the doors.
EDGE = {
    "env.py", "where.py", "models/http.py", "engines/valkey.py", "capture/hook.py", "capture/spool.py", "capture/secret_shapes.py", "capture/callbacks.py", "steward.py", "testing.py",
    "attendant.py", "reception.py",
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


# Files are read and written through Env too. Methods of paths do it without an import, so they are looked for by name;
# each place that may use one is named here, with the ones it needs.
FILE_METHODS = {
    "chmod", "cwd", "exists", "expanduser", "glob", "home", "is_dir", "is_file", "is_symlink", "iterdir", "lstat", "mkdir", "read_bytes", "read_text", "rename",
    "resolve", "rglob", "rmdir", "samefile", "stat", "symlink_to", "touch", "unlink", "write_bytes", "write_text",
}  # fmt: skip
OF_ENV_OR_ENGINE = ("files", "items")  # env.files.rename, engine.items.touch: the names are the same, the thing is not
MAY_TOUCH_FILES = {
    "engines/sqlite/database.py": {"touch", "glob", "read_text"},  # SQLite's file with our mode, and the migrations
    "memory.py": {"cwd"},  # where the person stands
    "pulse.py": {"open"},  # written in place, and never synced
    "reception.py": {"unlink"},  # its socket
    "steward.py": {"exists", "open", "unlink"},  # the content of a held lock is changed in place; its socket
}
WITHOUT_ENV = {"env.py", "where.py", "capture/hook.py", "capture/spool.py", "capture/secret_shapes.py"}


def touched_files(source: str) -> set[str]:
    """What is done to files past Env: `open`, and methods of paths. What the package itself contains may be read."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Name) and node.func.id == "open":
            found.add("open")
        elif isinstance(node.func, ast.Attribute):
            owner, name = ast.unparse(node.func.value), node.func.attr
            is_path = owner.startswith("Path(") or owner.lower().endswith("path") or owner == "io"
            if name == "open" and is_path:
                found.add("open")
            elif name in FILE_METHODS and not owner.endswith(OF_ENV_OR_ENGINE) and not owner.startswith("files("):
                found.add(name)
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_the_edge_touches_files(path: Path) -> None:
    name = str(path.relative_to(ROOT))
    if name in WITHOUT_ENV or room(path) == "shells":
        return
    assert touched_files(path.read_text(encoding="utf-8")) <= MAY_TOUCH_FILES.get(name, set()), "files come through Env"


@pytest.mark.parametrize(
    "source",
    ["open('x')", "with open(p, 'r+b') as f: pass", "self.path.exists()", "Path('a').read_text()", "Path(p).open()",
     "lock_path.open('w')", "io.open('x')", "workspace.home.glob('*')", "Path.cwd()"],
)  # fmt: skip
def test_a_file_that_is_touched_past_env_is_noticed(source: str) -> None:
    assert touched_files(source)


def test_env_and_what_the_package_contains_are_not_past_env() -> None:
    assert (
        touched_files("env.files.rename(a, b); files('reverie.x').joinpath('y').read_text(); Memory.open('z')") == set()
    )


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
