"""Events as a coding agent's hook would spool them."""

import json
from pathlib import Path

from reverie.hook.spool import append
from reverie.memory import Memory
from reverie.shells.install.entries import LAUNCHER
from reverie.testing import FakeEnv

PROJECT = "/projects/shop"
NO_STEWARD = {"REVERIE_STEWARD_ON_DEMAND": "false"}  # for hooks of tests that are about something else
# The installed command with more time: what a hook keeps and says must not depend on how busy the machine is. How much
# time it takes is measured by `make bench`.
_PATIENT = """import posix, sys
path = {run!r}
space = {{"__name__": "run", "__file__": path}}
exec(compile(open(path).read(), path, "exec"), space)
load = space["Modules"]().load
for name in ("hook.locate", "hook.opt_out"):
    load("reverie." + name)
load("reverie.hook.capture_event")._ALL_SECONDS = 50
load("reverie.hook.context_reply").ANSWER_SECONDS = 50
try:
    space["main"](sys.argv)
finally:
    posix._exit(0)
"""


def patient_launcher(folder: Path) -> Path:
    """A launcher for hooks, in this folder, that gives them a minute."""
    path = folder / "patient.py"
    if not path.exists():
        path.write_text(_PATIENT.format(run=str(LAUNCHER.with_name("run.py"))))
    return path


def spool_event(memory: Memory, event: str, session: str = "s1", **fields: object) -> None:
    """Put one event into the spool, as the hook process does."""
    folder = memory.workspace.spool
    folder.mkdir(parents=True, exist_ok=True)
    record = {
        "event": event,
        "at": memory.env.now_ms(),
        "mono": int(memory.env.monotonic() * 1e9),
        "project": PROJECT,
        "payload": {"session_id": session, "cwd": PROJECT, "hook_event_name": event, **fields},
    }
    append(str(folder), json.dumps(record).encode())


def say(memory: Memory, text: str, session: str = "s1", prompt_id: str = "", reply: str = "Done.") -> None:
    """One whole turn: a prompt, a tool call, the reply; taken in and distilled."""
    env = memory.env
    assert isinstance(env, FakeEnv)
    ids = {"prompt_id": prompt_id} if prompt_id else {}
    spool_event(memory, "UserPromptSubmit", session, prompt=text, **ids)
    spool_event(
        memory,
        "PostToolUse",
        session,
        tool_name="Bash",
        tool_input={"command": "ls"},
        tool_response={"stdout": "README.md", "stderr": ""},
        tool_use_id=f"toolu_{env.random_bytes(6).hex()}",
        **ids,
    )
    spool_event(memory, "Stop", session, last_assistant_message=reply, **ids)
    memory.parts.background.drain_spool()
    env.pass_time(5)
    memory.parts.background.drain_spool()
    memory.parts.background.distil()


def files_of(home: Path) -> list[Path]:
    return [path for path in home.rglob("*") if path.is_file()]
