"""Write and read our entries in a coding agent: the command that it runs at each event."""

import os
import py_compile
import shlex
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from reverie.errors import BadSettings
from reverie.foundation.workspace import Workspace, personal_home
from reverie.hook.opt_out import VARIABLE
from reverie.hook.run import PARTS
from reverie.ports import Env
from reverie.records import JSON

EVENTS = (
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "Stop",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "SessionEnd",
)
# Of tools that open a file: what is known about it is told. At any other tool the client runs no hook of ours.
MATCHERS = {"PreToolUse": "Read|Edit|MultiEdit|Write|NotebookEdit"}
LAUNCHER = Path(os.path.abspath(__file__)).parents[2] / "hook" / "launch.py"
# The launcher has moved: entries that name its old place still work, are known as ours, and are renewed.
_MARKS = ("reverie/hook/launch.py", "reverie/shells/hook/launch.py")
_COMPILE_SECONDS = 20
_TIMEOUT_SECONDS = 10  # the client's own is 1.5 for SessionEnd; a hook takes 30 ms


def hook_command(event: str, home: str = "") -> str:
    """The command for one event. It is silent and succeeds also where the interpreter or the launcher has gone.

    Run directly, a missing launcher would make Python exit with 2, which the client takes for "block".
    """
    if not sys.executable:
        raise BadSettings("the path of the Python interpreter is unknown; start reverie by its full path")
    words = [os.path.abspath(sys.executable), "-I", "-S", str(LAUNCHER), event, *([home] if home else [])]
    return f"{shlex.join(words)} 2>/dev/null || :"


def hook_entries(home: str = "") -> dict[str, JSON]:
    """The entry for each event. Not `async`: the client ends what still runs when it exits, and the event is lost."""
    return {
        event: {"type": "command", "command": hook_command(event, home), "timeout": _TIMEOUT_SECONDS}
        for event in EVENTS
    }


def group_of(event: str, entry: JSON) -> JSON:
    """Return our entry as it stands in the client's list for an event, with the tools that it is for."""
    matcher: dict[str, JSON] = {"matcher": MATCHERS[event]} if event in MATCHERS else {}
    return {**matcher, "hooks": [entry]}


def home_argument(workspace: Workspace, env: Env) -> str:
    """The workspace as a hook must be told it: not at all where it is the one that a hook finds by itself."""
    return "" if workspace.home == personal_home(env) else str(workspace.home)


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return []


def command_of(entry: JSON) -> str:
    """Return the command of an entry, as one line; "" if it runs nothing."""
    if not isinstance(entry, dict) or not isinstance(command := entry.get("command"), str):
        return ""
    arguments = entry.get("args")
    return shlex.join([command, *map(str, arguments)]) if isinstance(arguments, list) else command


def is_ours(command: str) -> bool:
    return any(mark in command for mark in _MARKS)


def is_current(entry: JSON, wanted: JSON) -> bool:
    """Whether an entry does what we would write today. A person may have given it more time, or keys of their own."""
    if not isinstance(entry, dict) or not isinstance(wanted, dict):
        return False
    timed = type(entry.get("timeout")) in (int, float)
    plain = not entry.get("async") and not entry.get("args")
    return timed and plain and all(entry.get(name) == wanted[name] for name in ("type", "command"))


def home_in(command: str) -> str:
    """The workspace that an entry names; "" if it names none."""
    words = _words(command)
    at = next((index for index, word in enumerate(words) if word.endswith(_MARKS)), len(words))
    home = words[at + 2 : at + 3]
    return home[0] if home and not home[0].startswith("2>") else ""


def missing_files(command: str) -> list[str]:
    """The interpreter and the launcher of an entry, as far as they are not there."""
    words = _words(command)
    needed = [*words[:1], *(word for word in words if word.endswith(_MARKS))]
    return [word for word in needed if not os.path.exists(word)]


# ---- byte code

_BESIDES = (  # what a hook loads beside `PARTS`: at its start, for some events, for some texts
    "reverie.redact.secret_blocks",
    "reverie.redact.secret_layouts",
    "reverie.redact.secret_cells",
    "reverie.redact.secret_encoded",
    "reverie.hook.context_reply",
    "reverie.hook.opened_file",
    "reverie.hook.run",
)


def check_hook() -> None:
    """Run one hook for a workspace that nobody needs; BadSettings if its event does not arrive there."""
    with TemporaryDirectory(prefix="reverie-") as home:
        # Where nothing has opted out: it is tried whether a hook works, not whether it is wanted here.
        variables = {name: value for name, value in os.environ.items() if name not in (VARIABLE, "CLAUDE_PROJECT_DIR")}
        command = ["/bin/sh", "-c", hook_command("Stop", home)]
        with suppress(subprocess.TimeoutExpired):
            subprocess.run(command, input=b"{}", env=variables, cwd=home, timeout=_COMPILE_SECONDS, check=False)
        if not (Path(home) / "spool" / "current").exists():
            log = Path(home) / "hook-errors.log"
            said = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
            why = said.strip().partition("' ")[2] or "it left no word"
            raise BadSettings(
                f"a hook that was tried did not work ({why}); install Reverie into a virtual environment of its own "
                f"(`python3 -m venv`), and connect the agent with the `reverie` in there"
            )


def precompile(package: Path = LAUNCHER.parents[1]) -> list[Path]:
    """Compile what a hook loads, so that the first one is fast, too. Says what it could not compile."""
    left = []
    for name in (*PARTS, *_BESIDES):
        path = package.joinpath(*name.split(".")[1:]).with_suffix(".py")
        try:
            py_compile.compile(str(path), doraise=True)
        except (OSError, py_compile.PyCompileError):
            left.append(path)
    keeper = package / "hook" / "compiled.py"
    with suppress(OSError, subprocess.SubprocessError):  # it only saves time
        command = [sys.executable, "-I", "-S", str(keeper), str(package.parent)]
        subprocess.run(command, capture_output=True, check=True, timeout=_COMPILE_SECONDS, stdin=subprocess.DEVNULL)
    return left
