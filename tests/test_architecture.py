"""The house keeps its rooms apart: read the imports, and fail when a stage reaches into another."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from support.every import every
from support.past_env import CHANCE, CLOCK, CODE, FILES, NETWORK, PROCESSES, UNKNOWN, WAITING, past_env

ROOT = Path(__file__).parents[1] / "src" / "reverie"
FOUNDATION = {
    "errors",
    "events",
    "foundation",
    "language",
    "mirrors",
    "ports",
    "records",
    "redact",
    "scheduler",
    "settings",
}
JOINERS = {
    "__init__", "__main__", "assembly", "continuum", "daemon", "maintenance", "memory", "pipeline", "shells", "tasks", "testing",
}  # fmt: skip
# These reach one room more, each for a reason.
ALSO = {
    "capture": {"hook"},  # it reads the files that hooks write
    "engines": {"env", "hook"},  # a connection to Valkey, under a deadline; the name of the record's file
    "env": {"hook"},  # a file of ours is opened in one way, in a hook and elsewhere
    "foundation": {"hook"},  # a workspace is found in one way, in a hook and elsewhere
    "models": {"env"},  # a server's address is checked as the HTTP client does
    "tools": {"documents"},  # the tool is a schema over them
}
HOLDERS = {"__init__", "daemon", "memory", "shells", "testing"}  # of a whole Memory
HEAVY = {"starlette", "uvicorn", "mcp", "anthropic", "openai", "claude_agent_sdk", "psycopg", "numpy", "rich", "click"}

SOURCES = sorted(ROOT.rglob("*.py"))


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


@every("path", SOURCES)
def test_a_room_reaches_only_what_it_stands_on(path: Path) -> None:
    mine = room(path)
    if mine in JOINERS or mine in ALONE:
        return
    assert reached(path) - FOUNDATION - ALSO.get(mine, set()) - {mine} == set(), f"{mine} must not know about these"


# These can be loaded without the rest of the package.
ALONE = {"hook": {"hook", "redact"}, "redact": {"redact"}}
# Once an event is durable, a hook may take the whole package to answer it; and what it compiles is compiled beforehand.
HANDS_OVER = {"hook/context_reply.py": {"shells"}, "hook/compiled.py": {"memory", "pipeline"}}


@every("path", [path for path in SOURCES if room(path) in ALONE])
def test_a_hook_and_redaction_stand_alone(path: Path) -> None:
    later = HANDS_OVER.get(str(path.relative_to(ROOT)), set())

    assert reached(path) - ALONE[room(path)] == later
    assert not later & {name.split(".")[1] for name in imported_at_once(path) if name.startswith("reverie.")}


def imported_at_once(path: Path) -> set[str]:
    body = ast.parse(path.read_text(encoding="utf-8")).body
    return {node.module for node in body if isinstance(node, ast.ImportFrom) and node.module}


@every("path", SOURCES)
def test_only_shells_and_daemon_hold_a_whole_memory(path: Path) -> None:
    """Everybody else gets the parts that they need. The SDK callbacks are a shell inside of capture."""
    if room(path) not in HOLDERS and path.name not in ("callbacks.py", "compiled.py"):
        assert "memory" not in reached(path)


def imports_at_run_time(path: Path) -> set[str]:
    """The modules of ours that it loads, also inside of functions; not those that only a type checker reads."""
    found: set[str] = set()
    waiting: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            waiting += node.orelse
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            inside = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= inside & MODULES.keys() or {node.module}
        waiting += ast.iter_child_nodes(node)
    return found & MODULES.keys()


MODULES = {
    ".".join(("reverie", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__"): path
    for path in SOURCES
}


def test_no_module_imports_one_that_imports_it() -> None:
    left = {name: imports_at_run_time(path) - {name} for name, path in MODULES.items()}

    while leaves := {name for name, needed in left.items() if not needed}:
        left = {name: needed - leaves for name, needed in left.items() if name not in leaves}

    assert left == {}, "each of these needs another of them"


# ---- names

# Where a folder holds variants of one thing, the folder is part of the name.
VARIANTS = {"engines", "index", "shells", "trinkets"}
# Modules whose names end in -ing, and why they keep it.
GERUNDS = {
    "testing": "what every package calls it",
    "working": "the name of a memory type",
    "segment_opening": "the opening of a segment: a noun",
}


def test_no_two_modules_have_the_same_name_and_none_says_only_that_something_goes_on() -> None:
    named = [path for path in SOURCES if path.stem not in ("__init__", "__main__")]
    plain = [path.stem for path in named if VARIANTS.isdisjoint(path.parts)]

    assert sorted({name for name in plain if plain.count(name) > 1}) == []
    assert sorted({path.stem for path in named if path.stem.endswith("ing")} - GERUNDS.keys()) == []


def test_no_two_public_classes_have_the_same_name() -> None:
    named = [
        node.name
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    ]

    assert sorted({name for name in named if named.count(name) > 1}) == []


def test_the_map_has_every_room_and_no_other() -> None:
    table = (
        (ROOT.parents[1] / "ARCHITECTURE.md").read_text(encoding="utf-8").split("## The folders")[1].split("\n## ")[0]
    )
    first_column = " ".join(line.split("|")[1] for line in table.splitlines() if line.startswith("|"))
    named = {name.rstrip("/").removesuffix(".py") for name in re.findall(r"`([^`]+)`", first_column)}

    assert named == {room(path) for path in SOURCES} - {"__init__", "__main__"}


# ---- the outside world

# Time, chance, waiting, files, network and processes come through Env. These are the real edges: what each reaches past
# it, and why it has to. An edge that is not needed any more fails, too.
_LEAN = "runs in the hook process, in which nothing of the package is there"
_SQLITE = "SQLite opens its own files; and its errors have to be known by name"
_TOGETHER = "waits for a thread of its own, which tells when it is done; how long, Env's clock says or a setting"
EDGES: dict[str, tuple[str, set[str]]] = {
    "env/real.py": (
        "what Env is made of",
        {"time", "os", "open", "os.open", "os.urandom", "fcntl", ".is_symlink", ".mkdir", ".open", ".readlink", ".stat", ".unlink"},
    ),
    "testing.py": ("the chance of FakeEnv, from a seed", {"random"}),
    "env/http_client.py": ("the HTTP client behind Env", {"http", "socket", "ssl"}),
    "env/connections.py": ("connections for the HTTP client and for Valkey, under a deadline", {"socket", "ssl", "timeout"}),
    "engines/valkey.py": ("a server's own protocol, under a deadline of its own", {"socket", "timeout"}),
    "hook/locate.py": (_LEAN, {"posix", "pwd", ".lstat", ".open", ".stat"}),
    "hook/capture_event.py": (_LEAN, {"posix", "time", "_signal", ".mkdir", ".open"}),
    "hook/opt_out.py": (_LEAN, {"posix"}),
    "hook/spool.py": (_LEAN, {"posix", "fcntl", "time", "posix.urandom", ".lstat", ".open", ".rename", ".unlink"}),
    "redact/secret_search.py": (
        f"{_LEAN}: it finds the C part of re2 by its path",
        {"posix", ".stat", "__import__", "_frozen_importlib", "_frozen_importlib_external", "_imp"},
    ),
    "hook/launch.py": (_LEAN, {"posix", "_frozen_importlib_external", "exec"}),
    "hook/run.py": (_LEAN, {"posix", ".open", ".rename", ".stat", ".unlink", "time", "_frozen_importlib_external", "_imp", "marshal", "exec", "posix.urandom"}),
    "hook/opened_file.py": (_LEAN, {"posix"}),
    "hook/context_reply.py": (_LEAN, {"posix", "fcntl", "_signal", "time", "_socket"}),
    "shells/hook/launch.py": ("runs the launcher, which has moved", {"exec"}),
    "hook/compiled.py": ("keeps byte code for the hook process", {"os", "open", "_frozen_importlib_external", "marshal", "exec"}),
    "capture/callbacks.py": (
        "the SDK awaits its callbacks; and the hook's code is handed a way to load its parts",
        {"asyncio", "concurrent", "importlib.import_module", ".wait_for"},
    ),
    "engines/sqlite/database.py": (f"{_SQLITE}; its file gets our mode", {"apsw", ".touch"}),
    "engines/sqlite/damaged_rows.py": (_SQLITE, {"apsw"}),
    "engines/sqlite/doctor.py": (_SQLITE, {"apsw"}),
    "engines/sqlite/failures.py": (_SQLITE, {"apsw"}),
    "engines/sqlite/damage.py": (_SQLITE, {"apsw"}),
    "engines/sqlite/pages.py": (_SQLITE, {"apsw"}),
    "engines/sqlite/read_only.py": (_SQLITE, {"apsw"}),
    "engines/sqlite/salvage.py": (_SQLITE, {"apsw"}),
    "engines/sqlite/schema.py": (_SQLITE, {"apsw"}),
    "engines/sqlite/wal.py": (f"{_SQLITE}; which file a lock of the kernel is on", {"apsw", "os", ".samefile", ".stat"}),
    "engines/sqlite/upgrade.py": (
        f"{_SQLITE}; a copy of its file gets our mode, and the migrations are the package's own",
        {"apsw", ".touch", ".glob", ".read_text"},
    ),
    "daemon/index_worker.py": (f"connections of the steward; {_TOGETHER}", {"socket", "timeout"}),
    "daemon/socket_server.py": ("the steward's socket", {"os", "selectors", "socket", ".unlink"}),
    "daemon/prompt_reply.py": ("the steward's socket", {"socket"}),
    "daemon/hook_worker.py": ("the steward's socket", {"socket", ".unlink"}),
    "daemon/model_worker.py": (_TOGETHER, {".wait"}),
    "daemon/start.py": (f"ends with the program; {_TOGETHER}", {"atexit", ".join", ".wait"}),
    "daemon/steward.py": (f"its process; {_TOGETHER}", {"os", ".join", ".wait"}),
    "daemon/steward_lock.py": ("the content of a held lock is changed in place", {"os", "open", ".exists", ".stat"}),
    "daemon/heartbeat.py": ("written in place, and never synced", {"open"}),
    "memory.py": ("where the person stands; a temporary folder", {".cwd", "shutil", "tempfile"}),
    "foundation/workspace.py": ("where the person stands", {".absolute"}),
    "compose/workers.py": (_TOGETHER, {"timeout"}),
    "continuum/background_threads.py": (_TOGETHER, {"timeout"}),
    "continuum/orchestrator.py": (f"{_TOGETHER}: asks tools/context_search.py to", {".wait"}),
    "tools/context_search.py": (_TOGETHER, {".wait_for"}),
    "__init__.py": ("the public names, each from its home when it is asked for", {"importlib.import_module"}),
    "embed/minilm.py": ("a package that not everybody has", {"importlib.import_module"}),
    "shells/cli/grammar.py": ("a command's module when it is called", {"importlib.import_module"}),
    "shells/cli/progress.py": ("the seconds that a person at a terminal waits", {".wait"}),
    "shells/cli/tools.py": (f"{_TOGETHER}: asks tools/context_search.py to", {".wait"}),
    "shells/asking_steward.py": ("the steward's socket", {"socket"}),
    "shells/daemon/process.py": ("a last resort, where whatever else would end it waits", {"threading.Timer"}),
    "shells/demo.py": ("a hook's process is not waited for longer than this", {"timeout"}),
    "shells/install/entries.py": ("a compiler's process is not waited for longer than this", {"timeout"}),
}  # fmt: skip
# The doors stand outside: they look at files, start processes and read the terminal. Time and chance they have from Env.
OF_DOORS = {FILES, PROCESSES}


def reached_past_env(path: Path) -> set[str]:
    found = past_env(path.read_text(encoding="utf-8"))
    return {name for kind, name in found if room(path) != "shells" or kind not in OF_DOORS}


@every("path", SOURCES)
def test_only_the_edges_reach_past_env(path: Path) -> None:
    check_edges(path)


def check_edges(path: Path) -> None:
    _, needed = EDGES.get(str(path.relative_to(ROOT)), ("", set()))

    assert reached_past_env(path) - needed == set(), "time, chance, waiting, files and network come through Env"
    assert needed - reached_past_env(path) == set(), "it does not need these any more"


def test_every_edge_is_there_and_says_why() -> None:
    assert [
        name for name, (reason, needed) in EDGES.items() if not (ROOT / name).exists() or not reason or not needed
    ] == []


# Everybody could take them for a way past Env.
@pytest.mark.parametrize(
    ("way_out", "users"),
    [
        ("http_client", {"env/real.py", "models/remote.py"}),
        ("connections", {"env/http_client.py", "engines/valkey.py"}),
    ],
)
def test_what_opens_connections_is_used_only_by_these(way_out: str, users: set[str]) -> None:
    assert {str(path.relative_to(ROOT)) for path in SOURCES if f"reverie.env.{way_out}" in imports(path)} == users


OFFENCES = {
    CLOCK: [
        "import time", "from time import monotonic", "import time as t", "from datetime import datetime\ndatetime.now()",
        "from datetime import UTC, datetime as d\nd.now(UTC)", "import datetime\ndatetime.datetime.utcnow()", "import datetime as dt\ndt.date.today()",
        "from datetime import date\nfield(default_factory=date.today)", "import os\nos.times()", "def f():\n    import time", "import sched",
    ],
    CHANCE: [
        "import random", "import uuid\nuuid.uuid4()", "from uuid import uuid4", "import secrets", "import os\nos.urandom(8)", "from os import urandom",
        "import numpy as np\nnp.random.default_rng()", "from numpy import random",
    ],
    WAITING: [
        "import threading\nthreading.Event().wait(3)", "self._stop.wait()", "condition.wait_for(done, 2)", "answers.get(timeout=1)", "lock.acquire(timeout=1)",
        "thread.join()", "worker.join(2.0)", "from threading import Timer", "import threading\nthreading.Timer(1, f)",
    ],
    FILES: [
        "open('x')", "with open(p, 'r+b') as f: pass", "Path('a').open('w')", "Path(p).open()", "notes.open('w')", "lock_path.open('w')", "io.open('x')",
        "import codecs\ncodecs.open('x')", "self.path.exists()", "Path('a').read_text()", "workspace.home.glob('*')", "Path.cwd()", "old.replace(new)",
        "import sqlite3", "import shelve", "from os import environ", "import posix", "import tempfile", "import gzip", "import mmap", "import apsw",
    ],
    NETWORK: [
        "import socket", "import asyncio", "from urllib.request import urlopen", "import urllib", "import http.client", "import requests", "import httpx", "import ssl",
        "import smtplib", "import select",
    ],
    PROCESSES: [
        "import subprocess", "import multiprocessing", "from multiprocessing import Pool", "from concurrent.futures import ProcessPoolExecutor", "import signal",
        "import ctypes",
    ],
    CODE: [
        "__import__('time').sleep(1)", "import importlib\nimportlib.import_module('time')", "from importlib import import_module as load", "exec('import time')",
        "eval(x)", "import pickle",
    ],
    UNKNOWN: ["import a_module_that_nobody_thought_of", "from somewhere.inside import thing"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "source"), [(kind, source) for kind, sources in OFFENCES.items() for source in sources]
)
def test_a_planted_offence_is_found(kind: str, source: str) -> None:
    assert kind in {found for found, _ in past_env(source)}


@pytest.mark.parametrize(("kind", "source"), [(kind, sources[0]) for kind, sources in OFFENCES.items()])
def test_an_offence_in_a_stage_fails_and_in_a_door_where_it_is_none_of_its_business(
    kind: str, source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path)
    for name, is_offence in (("distil/rules.py", True), ("shells/cli/x.py", kind not in OF_DOORS)):
        path = tmp_path / name
        path.parent.mkdir(parents=True)
        path.write_text(source)
        if is_offence:
            with pytest.raises(AssertionError):
                check_edges(path)
        else:
            check_edges(path)


@pytest.mark.parametrize(
    "source",
    ["env.files.rename(a, b)", "files('reverie.x').joinpath('y').read_text()", "Memory.open('z')", "env.sleep(1)", "env.now_ms()", "', '.join(words)",
     "name.replace('a', 'b')", "moment.replace(hour=3)", "found.group()", "from datetime import UTC, datetime\ndatetime.fromtimestamp(1, UTC)",
     "from urllib.parse import urlsplit", "from pathlib import Path\nPath('a') / 'b'", "import threading\nthreading.Lock()", "import numpy as np\nnp.zeros(3)",
     "settings.model.timeout_seconds", "self.today()", "context.now.astimezone(zone)"],
)  # fmt: skip
def test_what_comes_through_env_or_only_computes_is_no_offence(source: str) -> None:
    assert list(past_env(source)) == []


# An engine is known by its ports: which one it is, how its files are called and what it says when it fails, nobody else
# needs to know. These words are data about what people talk of, or have to be known where no engine can be loaded.
_ENGINE_WORDS = re.compile(r"sqlite|apsw|\bwal\b|wal_|write-ahead|-wal|-shm|pragma|reverie\.db", re.IGNORECASE)
_NAMES_ENGINE = {
    "shells/health.py": "the keys of `status --json`, which programs read",
    "language/reported_speech.py": "names of products that people talk about",
    "hook/locate.py": "the hook process knows a workspace by this file, and loads nothing",
}


def words_of_engines(path: Path) -> set[str]:
    """The words in the code of a module that belong to one engine: names, and texts that are no docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    words = [*imports(path)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            words.append(node.value)
        elif isinstance(node, ast.Name | ast.Attribute):
            words.append(node.id if isinstance(node, ast.Name) else node.attr)
    return {word for word in words if _ENGINE_WORDS.search(word)}


def test_nobody_outside_of_engines_names_one() -> None:
    naming = {str(path.relative_to(ROOT)) for path in SOURCES if room(path) != "engines" and words_of_engines(path)}

    assert naming == set(_NAMES_ENGINE)


def test_nobody_outside_of_engines_reaches_into_one() -> None:
    for path in SOURCES:
        if room(path) != "engines":
            inside = {name for name in imports(path) if re.match(r"reverie\.engines\.sqlite\b", name)}
            assert inside == set(), path


def test_the_shells_are_imported_by_nobody() -> None:
    for path in SOURCES:
        if room(path) not in ("shells", "__main__") and str(path.relative_to(ROOT)) not in HANDS_OVER:
            assert "shells" not in reached(path), path


def test_the_suite_that_every_engine_goes_through_names_none() -> None:
    folder = Path(__file__).with_name("engines")
    fixed = [path for path in folder.glob("test_*.py") if "engine: Engine" in path.read_text(encoding="utf-8")]

    assert len(fixed) >= 3
    for path in fixed:
        assert "engines" not in reached(path), path


def test_every_module_says_what_it_does() -> None:
    silent = [
        str(path.relative_to(ROOT))
        for path in SOURCES
        if path.read_text(encoding="utf-8").strip()
        and not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert silent == []


_HEADLESS = re.compile(r"(What|Who|Whoever|Whose|Whom|Whatever|How|Which|Where|When)\b(?![^.]*\?)")


def test_docstrings_begin_with_the_verb_or_the_thing_not_with_a_relative_clause() -> None:
    """A sentence that begins with "What…" or "Who…" makes its reader wait for the subject. Questions may."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    headless = [
        f"{path.relative_to(ROOT)}: {text.splitlines()[0]}"
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, documented) and (text := ast.get_docstring(node) or "") and _HEADLESS.match(text)
    ]

    assert headless == []


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
