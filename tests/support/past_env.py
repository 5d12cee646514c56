"""Source text -> what in it reaches the outside world past `Env`: clocks, chance, waiting, files, network, processes.

Imports are judged by what is known to be harmless, so that a module nobody thought of is noticed, too. Names are
followed through imports (`from datetime import datetime as d`), and a function that is only handed on counts like one
that is called. What cannot be known from the text alone is judged by the name of the method.
"""

import ast
from collections.abc import Iterator

CLOCK, CHANCE, WAITING, FILES, NETWORK, PROCESSES, CODE, UNKNOWN = (
    "clock", "chance", "waiting", "files", "network", "processes", "code", "unknown",
)  # fmt: skip

# Modules that compute, and nothing else; what they have that does more is looked for by its name below.
HARMLESS = {
    "__future__", "abc", "array", "ast", "base64", "binascii", "bisect", "calendar", "codecs", "collections",
    "contextlib", "contextvars", "copy", "dataclasses", "datetime", "decimal", "difflib", "email.utils", "enum", "errno", "functools", "gc",
    "hashlib", "heapq", "hmac", "html", "importlib", "inspect", "io", "ipaddress", "itertools", "json", "logging",
    "math", "operator", "pathlib", "queue", "re", "shlex", "statistics", "string", "struct", "sys", "textwrap", "threading",
    "tomllib", "types", "typing", "unicodedata", "urllib.parse", "weakref", "xml.parsers", "xml.sax.saxutils", "zlib",
    "zoneinfo", "_blake2", "_json",
    "click", "msgspec", "numpy", "re2", "reverie", "rich", "tokenizers",
}  # fmt: skip
KINDS = {
    CLOCK: {"time", "timeit", "sched"},
    CHANCE: {"random", "secrets", "uuid"},
    FILES: {
        "apsw", "bz2", "dbm", "fcntl", "fileinput", "glob", "grp", "gzip", "linecache", "lzma", "mmap", "os", "posix", "pwd", "py_compile", "readline", "shelve",
        "shutil", "sqlite3", "stat", "tarfile", "tempfile", "zipfile",
    },
    NETWORK: {
        "_socket", "aiohttp", "asyncio", "ftplib", "http", "httpx", "imaplib", "poplib", "requests", "select", "selectors", "smtplib", "socket", "socketserver",
        "ssl", "telnetlib", "urllib", "urllib3", "webbrowser", "websockets", "wsgiref", "xmlrpc",
    },
    PROCESSES: {"_signal", "atexit", "concurrent", "ctypes", "multiprocessing", "pty", "signal", "subprocess"},
    CODE: {"_frozen_importlib", "_frozen_importlib_external", "_imp", "marshal", "pickle", "runpy"},
}  # fmt: skip
# By their whole names, wherever they are named: in harmless modules, and in those that a door may use.
NAMES = {
    CLOCK: {"datetime.datetime.now", "datetime.datetime.today", "datetime.datetime.utcnow", "datetime.date.today", "os.times"},
    CHANCE: {"numpy.random", "os.urandom", "os.getrandom", "posix.urandom"},
    WAITING: {"threading.Timer"},
    FILES: {"open", "codecs.open", "io.open", "io.FileIO", "io.open_code", "os.open"},
    CODE: {"importlib.import_module", "__import__", "exec", "eval"},
}  # fmt: skip
# Methods of paths, of whatever is waited for. They are known by name alone, so a few of ours are called the same.
METHODS = {
    FILES: {
        "absolute", "chmod", "cwd", "exists", "expanduser", "glob", "hardlink_to", "home", "is_dir", "is_file", "is_mount", "is_socket", "is_symlink",
        "iterdir", "lchmod", "lstat", "mkdir", "open", "read_bytes", "read_text", "readlink", "rename", "resolve", "rglob", "rmdir", "samefile", "stat",
        "symlink_to", "touch", "unlink", "walk", "write_bytes", "write_text",
    },
    WAITING: {"wait", "wait_for"},
}  # fmt: skip
OURS = {
    "Memory.open", "SqliteEngine.open", "continuums.open", "segments.open",  # no files of their own
    "files.rename", "_files.rename", "items.touch", "items.unlink",  # of Env, and of an engine
}  # fmt: skip


def past_env(source: str) -> Iterator[tuple[str, str]]:
    """Each thing that is reached: of which kind it is, and its name."""
    tree = ast.parse(source)
    named = _names(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from _imported(node)
        elif isinstance(node, ast.Name | ast.Attribute):
            yield from _named(_whole(node, named))
        if isinstance(node, ast.Call):
            yield from _called(node)


def _names(tree: ast.AST) -> dict[str, str]:
    """What each imported name stands for."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.asname or alias.name: alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return found


def _whole(node: ast.expr, named: dict[str, str]) -> str:
    first, dot, rest = ast.unparse(node).partition(".")
    return named.get(first, first) + dot + rest


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.Import):
        wholes = [alias.name for alias in node.names]
    else:
        wholes = [f"{node.module}.{alias.name}" for alias in node.names]
    for whole in wholes:
        parts = whole.split(".")
        if not any(".".join(parts[:count]) in HARMLESS for count in range(1, len(parts) + 1)):
            yield next((kind for kind, modules in KINDS.items() if parts[0] in modules), UNKNOWN), parts[0]
        yield from _named(whole)


def _named(whole: str) -> Iterator[tuple[str, str]]:
    for kind, names in NAMES.items():
        if whole in names:
            yield kind, whole


def _called(node: ast.Call) -> Iterator[tuple[str, str]]:
    if any(keyword.arg == "timeout" for keyword in node.keywords):
        yield WAITING, "timeout"
    if not isinstance(node.func, ast.Attribute):
        return
    owner, name = ast.unparse(node.func.value), node.func.attr
    if f"{owner.rpartition('.')[2]}.{name}" in OURS or owner.startswith("files("):  # what the package itself contains
        return
    for kind, methods in METHODS.items():
        if name in methods:
            yield kind, f".{name}"
    if name == "replace" and len(node.args) == 1 and not node.keywords:  # a path's; a string's takes two
        yield FILES, ".replace"
    if name == "join" and ("thread" in owner or isinstance(node.args[0] if node.args else None, ast.Constant)):
        yield WAITING, ".join"
