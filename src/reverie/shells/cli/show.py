"""Values -> what a person reads in a terminal, or a program reads as JSON. Stored text never controls the terminal."""

import dataclasses
import json
import os
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path, PurePath
from typing import Any

import click

from reverie.text import clip, plural

_LONG_WORD = re.compile(r"\S{200,}")
_LONGEST_NAME, _LONGEST_MESSAGE = 160, 1500  # of what an error repeats, and of all that it says

# Everything below space except tab and newline, DEL, and the second block of control characters.
_CONTROLS = {code: "�" for code in (*range(0x20), 0x7F, *range(0x80, 0xA0)) if code not in (0x09, 0x0A)}
# JSON escapes the first block itself.
_ESCAPED_CONTROLS = {code: f"\\u{code:04x}" for code in range(0x7F, 0xA0)}


def plain(text: str) -> str:
    """Text that cannot move the cursor, change colours or ring the bell."""
    return text.translate(_CONTROLS)


def one_line(text: str, width: int = 100) -> str:
    flat = " ".join(plain(text).split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"


def shortened(message: str) -> str:
    """What an error says, with very long names cut in their middle: how it began is said first, the way out last."""
    return clip(short_names(message), _LONGEST_MESSAGE)


def short_names(text: str) -> str:
    return _LONG_WORD.sub(lambda word: clip(word[0], _LONGEST_NAME), text)


def counted(count: int, thing: str) -> str:
    """How many, in words that fit.

    >>> counted(1, "memory"), counted(1200, "memory"), counted(0, "turn")
    ('1 memory', '1,200 memories', '0 turns')
    """
    if count == 1:
        return f"1 {thing}"
    return f"{count:,} {plural(thing)}"


def say(text: str = "") -> None:
    click.echo(plain(text))


def as_json(value: Any) -> None:
    """One JSON document on standard output."""
    click.echo(json_text(value, indent=2))


def json_text(value: Any, indent: int | None = None) -> str:
    """A value as JSON that a terminal can show: every control character is escaped, not only those that must be."""
    text = json.dumps(jsonable(value), ensure_ascii=False, indent=indent)
    return text.encode("utf-8", "replace").decode().translate(_ESCAPED_CONTROLS)


def jsonable(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: jsonable(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(name): jsonable(part) for name, part in value.items()}
    if isinstance(value, frozenset | set):
        return sorted(jsonable(part) for part in value)
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [jsonable(part) for part in value]
    if isinstance(value, PurePath):
        return str(value)
    return value


def when(ms: int, form: str = "%Y-%m-%d %H:%M") -> str:
    """A moment in the person's own time zone."""
    try:
        return datetime.fromtimestamp(ms / 1000, UTC).astimezone().strftime(form)
    except (OverflowError, ValueError, OSError):
        return "?"


def age(ms: float) -> str:
    """A length of time, roughly.

    >>> age(90_000), age(7_200_000)
    ('2 min', '2 h')
    """
    seconds = max(0.0, ms / 1000)
    for size, unit in ((86_400, "days"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"


def dollars(nanodollars: int) -> str:
    return f"${nanodollars / 10**9:.4f}"


def own_command(*, here: bool = True) -> str:
    """How a person starts this very Reverie: by its path, where it is not on theirs.

    From a fresh clone that is `.venv/bin/reverie`; whole, where it is not read `here`.
    """
    beside = Path(sys.executable).with_name("reverie")
    found = shutil.which("reverie")
    if not beside.exists() or (found and os.path.samefile(found, beside)):
        return "reverie"
    is_below = here and Path.cwd() != Path("/") and beside.is_relative_to(Path.cwd())
    return os.path.relpath(beside) if is_below else str(beside)


def wants_colour() -> bool:
    """Whether there is a terminal whose person wants colours (no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def is_terminal() -> bool:
    """Whether somebody can be asked something here."""
    return sys.stdin.isatty() and sys.stdout.isatty()
