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

from reverie.foundation.text import clip, plural, without_controls

_LONG_WORD = re.compile(r"\S{200,}")
_LONGEST_NAME, _LONGEST_MESSAGE = 160, 1500  # of what an error repeats, and of all that it says

plain = without_controls  # whatever is printed has gone through this, by `say`, `warn`, `ask` or a style


def one_line(text: str, width: int = 100) -> str:
    flat = " ".join(plain(text).split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"


def shortened(message: str) -> str:
    """Return the message of an error, with very long names cut in their middle."""
    return clip(short_names(message), _LONGEST_MESSAGE)


def short_names(text: str) -> str:
    return _LONG_WORD.sub(lambda word: clip(word[0], _LONGEST_NAME), text)


def counted(count: int, thing: str) -> str:
    """Write a count with its noun.

    >>> counted(1, "memory"), counted(1200, "memory"), counted(0, "turn")
    ('1 memory', '1,200 memories', '0 turns')
    """
    if count == 1:
        return f"1 {thing}"
    return f"{count:,} {plural(thing)}"


def short(identifier: str) -> str:
    """Return what a person is shown of an id: its end, by which every command takes it.

    >>> short("01HZXK3V9QW8R7T6Y5U4")
    'R7T6Y5U4'
    """
    return plain(identifier[-8:])


def say(text: str = "") -> None:
    click.echo(plain(text))


def warn(text: str) -> None:
    """A line beside the answer, on standard error."""
    click.echo(f"reverie: {plain(text)}", err=True)


def ask(question: str, default: bool = False) -> bool:
    """Whether the person at the terminal says yes."""
    return click.confirm(plain(question), default=default)


def tame_log() -> None:
    """Escape what is logged to the terminal, where nobody else takes the log: errors may quote stored text."""
    import logging

    class PlainFormatter(logging.Formatter):
        def format(self, record: logging.LogRecord) -> str:
            return plain(super().format(record))

    if logging.lastResort:
        logging.lastResort.setFormatter(PlainFormatter())


def as_json(value: Any) -> None:
    """One JSON document on standard output."""
    click.echo(json_text(value, indent=2))


def json_text(value: Any, indent: int | None = None) -> str:
    """A value as JSON that a terminal can show: every control character is escaped, not only those that must be."""
    text = json.dumps(jsonable(value), ensure_ascii=False, indent=indent)
    text = text.encode("utf-8", "replace").decode()
    safe = plain(text)  # JSON escapes the first block of control characters itself, and each sign stays one sign
    return text if safe == text else "".join(map(_escaped, text, safe))


def _escaped(sign: str, shown: str) -> str:
    return sign if sign == shown else f"\\u{ord(sign):04x}"


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
    """Return the command that starts this very Reverie: by its path, where it is not on the person's PATH.

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
    return is_shown() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def is_shown() -> bool:
    """Whether the answer goes to a terminal, not into a pipe or a file."""
    return sys.stdout.isatty()


def is_terminal() -> bool:
    """Whether somebody can be asked something here."""
    return sys.stdin.isatty() and sys.stdout.isatty()
