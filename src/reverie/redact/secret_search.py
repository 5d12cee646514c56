"""Search with RE2, which is loaded by its path, and `splice`, which puts marks in the place of spans."""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Span = tuple[int, int, str]  # from, to, and the kind of secret there
    Search = Callable[[bytes, int, int], list[tuple[int, int]]]


class RedactorMissing(Exception):
    """RE2 could not be loaded, so nothing can be redacted and nothing may be stored."""


# A pattern is compiled when first needed. All of them take 2 ms; then a pass over 2 MB takes 3 ms each.

BOUNDARY = b"\xff"  # stands between the strings of one JSON value; no UTF-8 text contains this byte
_engine: "Any" = None
_told: list[str] = []
_compiled: "dict[bytes, Search]" = {}


def use_extension(path: str) -> None:
    """Load RE2 from this file instead of looking for it."""
    global _engine
    _engine, _told[:] = None, [path]
    _compiled.clear()


def load_engine() -> "Any":
    """RE2's extension, loaded when first asked for."""
    global _engine
    if _engine is None:
        from _frozen_importlib import _ModuleLockManager  # type: ignore[attr-defined]

        with _ModuleLockManager("re2._re2"):  # another thread may be importing it
            # Where `import re2` came first, its copy is used: one process may not hold two.
            _engine = (None if _told else sys.modules.get("re2._re2")) or _load_extension()
    return _engine


def _load_extension() -> "Any":
    import _imp
    import posix
    from _frozen_importlib import ModuleSpec

    for path in _places(_imp.extension_suffixes()):
        try:
            posix.stat(path)
            loaded = _imp.create_dynamic(ModuleSpec("re2._re2", None, origin=path))
            _imp.exec_dynamic(loaded)
            sys.modules["re2._re2"] = loaded
            return loaded
        except OSError:
            continue
        except ImportError as error:
            raise RedactorMissing(f"cannot load RE2 from {path}: {error}") from error
    raise RedactorMissing("RE2 is not installed beside this interpreter; install google-re2")


def _places(suffixes: list[str]) -> list[str]:
    """List where RE2's extension may be. With `-S` neither `sys.path` nor `sys.prefix` knows the environment.

    Mostly in that of the interpreter; after `pip install --user`, or from Debian's packages, beside this package.
    """
    if _told:
        return _told
    library = f"lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
    beside = __file__.rpartition("/reverie/capture/")[0]
    folders = [f"{sys.executable.rpartition('/bin/')[0]}/{library}", beside, *sys.path, f"{sys.prefix}/{library}"]
    return [f"{folder}/re2/_re2{suffix}" for folder in folders if folder for suffix in suffixes]


def pattern(source: bytes, anchored: bool = False) -> "Search":
    """A function of data, from, to that gives the spans of the match and its groups; (-1, -1) where there is none."""
    search = _compiled.get(source)
    if search is None:
        engine = load_engine()
        options = engine.RE2.Options()
        options.encoding = engine.RE2.Options.Encoding.LATIN1
        match = engine.RE2(source, options).Match
        anchor = engine.RE2.Anchor.ANCHOR_START if anchored else engine.RE2.Anchor.UNANCHORED
        search = _compiled[source] = lambda data, start, stop: match(anchor, data, start, stop)
    return search


def is_compiled(source: bytes) -> bool:
    return source in _compiled


def splice(data: bytes, spans: "list[Span]") -> bytes:
    """The data with each span, in order and apart, replaced by a mark."""
    out: list[bytes] = []
    at = 0
    for start, stop, kind in spans:
        while data[stop : stop + 1] and data[stop] & 0xC0 == 0x80:  # a look that was cut short ended within a character
            stop += 1
        out += (data[at:start], b"[secret:%s]" % kind.encode())
        at = stop
    return b"".join((*out, data[at:])) if spans else data


_LINE_ENDS = (b"", b"\n", b"\r", BOUNDARY)


def has_escape(data: bytes, escape: bytes) -> bool:
    """Whether it is in there. To look for one byte first takes a thirtieth of the time."""
    return data.find(b"\\") >= 0 and data.find(escape) >= 0


def is_line(data: bytes, start: int, stop: int) -> bool:
    """Whether this is a line of its own, without a margin, as in a file of settings."""
    return data[max(0, start - 1) : start] in (b"", b"\n", BOUNDARY) and data[stop : stop + 1] in _LINE_ENDS


def neighbour(name: str) -> "Any":
    """A module of this folder, loaded when first asked for; in a hook, which has no package around it, by its path."""
    name = f"reverie.redact.{name}"
    if "reverie.redact" in sys.modules:
        __import__(name)  # of several threads, the others wait
    elif name not in sys.modules:
        import _frozen_importlib
        from _frozen_importlib_external import SourceFileLoader

        path = f"{__file__.rpartition('/')[0]}/{name.rpartition('.')[2]}.py"
        spec = _frozen_importlib.ModuleSpec(name, SourceFileLoader(name, path), origin=path)
        spec.has_location = True
        _frozen_importlib._load(spec)  # type: ignore[attr-defined]
    return sys.modules[name]
