"""End a command with its exit code, and an error as one clear line, or with `--json` as one object (docs/json.md).

Standard output has the answer and nothing else, so with `--json` an error stands there, too: whoever reads it always
finds JSON. What is only said to people goes to standard error.
"""

import errno
import io
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

import click

from reverie.errors import BadInput, BulkStopped, ReverieError

NOTHING = 1  # nothing was found or done, or it failed
WRONG = 2  # what was asked cannot be understood or used
OWED = 3  # it was done in the record, and something that belongs to it waits: what, the answer says

opened: list[Path] = []  # the workspaces whose records this process has looked into

_WAYS_OUT = {errno.ENOSPC: "; free some space", errno.EACCES: "; check who owns it", errno.EPERM: "; check who owns it"}


def run(command: click.Command, arguments: Sequence[str]) -> int:
    """Run a command line to its end; returns the exit code."""
    is_json = "--json" in arguments[: list(arguments).index("--") if "--" in arguments else None]
    try:
        code = command.main(list(arguments), standalone_mode=False)
        if sys.stdout:  # None where it was closed
            sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except click.ClickException as error:
        return _usage(error, is_json)
    except click.Abort:
        return _tell("stopped; nothing was done after that", "Abort", NOTHING, is_json)
    except BulkStopped as error:
        return _tell(str(error), "BulkStopped", NOTHING, is_json, {"stored": error.stored})
    except ReverieError as error:
        return _tell(str(error), type(error).__name__, WRONG if isinstance(error, BadInput) else NOTHING, is_json)
    except BrokenPipeError:
        raise
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        way_out = _WAYS_OUT.get(error.errno or 0, "")
        is_json = _can_be_written() and is_json
        return _tell(f"{where}{error.strerror or error}{way_out}", "OSError", NOTHING, is_json)
    except UnicodeEncodeError:
        return _tell("an argument is not valid UTF-8 text; write it again", "BadInput", WRONG, is_json)
    except Exception:
        if not (found := _damage()):
            raise
        message = f"the record is damaged ({found}); `reverie doctor --repair` saves what can be read"
        return _tell(message, "DamagedStore", NOTHING, is_json)


def _damage() -> str:
    """Look for damage in the records that the command had open; '' if they are whole, and the mistake is ours."""
    from reverie.engines import find_damage
    from reverie.env.real import RealEnv

    return next((found for home in opened if (found := find_damage(home, RealEnv()))), "")


def tell_crash(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Show Python's own message of an error that nobody foresaw; it may quote stored text."""
    from reverie.shells.cli.show import plain

    stream, sys.stderr = sys.stderr, io.StringIO()
    try:
        sys.__excepthook__(kind, error, trace)
        told = sys.stderr.getvalue()
    finally:
        sys.stderr = stream
    if stream:
        stream.write(plain(told))


def _usage(error: click.ClickException, is_json: bool) -> int:
    """Show what is wrong with the words of the command line. To people, the library shows it with the usage."""
    from reverie.shells.cli.show import plain, short_names

    asked = error.ctx if isinstance(error, click.NoSuchOption) and error.option_name == "--json" else None
    if asked and isinstance(asked.command, click.Group):
        error = click.UsageError(f"--json goes after the command: `{asked.command_path} COMMAND --json`", asked)
    if is_json:
        return _tell(error.format_message(), "Usage", error.exit_code, is_json)
    shown = io.StringIO()
    error.show(shown)
    click.echo(plain(short_names(shown.getvalue())), err=True, nl=False)
    return error.exit_code


def _tell(message: str, kind: str, code: int, is_json: bool, more: Mapping[str, int] | None = None) -> int:
    from reverie.shells.cli.show import as_json, shortened, warn

    message = shortened(message)
    if is_json:
        as_json({"error": message, "kind": kind, "exit_code": code, **(more or {})})
    else:
        warn(message)
    return code


def _can_be_written() -> bool:
    """Whether standard output still works. If not, what is left of it is not tried again when the process ends."""
    if not sys.stdout:
        return False
    try:
        sys.stdout.flush()
    except OSError:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 — for as long as the process lives
        return False
    return True
