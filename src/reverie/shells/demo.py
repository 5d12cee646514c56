"""A short invented agent session, played through the real hook command in a throw-away workspace.

A newcomer sees in ten seconds what Reverie does: capture, a secret removed, a preference learned, the context of the
next session, and a prompt that brings back what was found out. Nothing of it touches their own memory.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from reverie.daemon.steward import Steward
from reverie.env.real import RealEnv
from reverie.foundation.workspace import Workspace
from reverie.memory import Memory
from reverie.settings import Settings
from reverie.shells.cli.show import one_line, own_command, plain
from reverie.shells.daemon.view import LiveView

_LAUNCH = Path(__file__).parents[1] / "hook" / "launch.py"
_SESSION = "demo-session"
# Put together here, so that no scanner takes this file for a leak.
_SECRET = "ghp_" + "x7Kd93mQpL2vRt8sWz4Yb6Nc1Fh5Gj0AeUiT"[:36]

_NEEDS = "The login test gets a 401 again. Which header did the token need?"
_NEEDS_NOTHING = "Ok, run the tests again."

_EVENTS: list[tuple[str, dict[str, object]]] = [
    ("SessionStart", {"source": "startup"}),
    (
        "UserPromptSubmit",
        {
            "prompt_id": "p1",
            "prompt": "From now on always use pnpm instead of npm. Why does the login test fail?",
        },
    ),
    (
        "PostToolUse",
        {
            "prompt_id": "p1",
            "tool_use_id": "t1",
            "tool_name": "Bash",
            "tool_input": {"command": "cat .env"},
            "tool_response": {"stdout": f"GITHUB_TOKEN={_SECRET}\nPORT=8080\n", "stderr": "", "interrupted": False},
        },
    ),
    (
        "PostToolUseFailure",
        {
            "prompt_id": "p1",
            "tool_use_id": "t2",
            "tool_name": "Bash",
            "tool_input": {"command": "pnpm test login"},
            "error": "AssertionError: expected 200, got 401",
        },
    ),
    (
        "Stop",
        {
            "prompt_id": "p1",
            "last_assistant_message": "The login test sends the token in the wrong header: it must be Authorization.",
        },
    ),
    (
        "UserPromptSubmit",
        {"prompt_id": "p2", "prompt": "Great, fix it. And remind me to rotate the staging keys on Friday."},
    ),
    ("Stop", {"prompt_id": "p2", "last_assistant_message": "Fixed: all 14 login tests pass."}),
    ("SessionEnd", {"reason": "other"}),
]


def play(console: Console) -> None:
    """Play the session, and show what became of it."""
    with tempfile.TemporaryDirectory(prefix="reverie-demo-") as folder:
        home, project = Path(folder) / "home", Path(folder) / "shop"
        (project / ".git").mkdir(parents=True)
        env = RealEnv()
        console.rule("[bold]A short invented session[/bold] (in a throw-away workspace)")
        steward = Steward(Workspace(home), env, Settings())
        steward.begin()
        LiveView(console, lambda: " ").follow(steward.memory.events)
        try:
            for event, fields in _EVENTS:
                run_hook(home, project, event, fields)
                steward.step()
            _show_results(console, steward.memory, home, project)
        finally:
            steward.end()
    _show_next_steps(console)


def run_hook(home: Path, project: Path, event: str, fields: dict[str, object]) -> str:
    """One event through the command that a coding agent runs; returns what it answered."""
    payload = {"session_id": _SESSION, "cwd": str(project), "hook_event_name": event, **fields}
    command = [sys.executable, "-I", "-S", str(_LAUNCH), event, str(home)]
    done = subprocess.run(command, input=json.dumps(payload).encode(), capture_output=True, check=False, timeout=10)
    return done.stdout.decode("utf-8", "replace")


def _show_results(console: Console, memory: Memory, home: Path, project: Path) -> None:
    console.rule("[bold]A secret was removed before anything was written[/bold]")
    calls = [o for o in memory.engine.log.read(limit=100) if o.tool]
    console.print(Text(f"  the tool printed   GITHUB_TOKEN={_SECRET[:8]}…"))
    console.print(Text(f"  the log has        {one_line(calls[0].text, 80)}"))
    on_disk = sum(_SECRET.encode() in path.read_bytes() for path in home.rglob("*") if path.is_file())
    console.print(Text(f"  files that contain the token: {on_disk}"))
    console.rule("[bold]What the next session's agent will be told[/bold]")
    answer = run_hook(home, project, "SessionStart", {"source": "startup", "session_id": "next-session"})
    told = json.loads(answer)["hookSpecificOutput"]["additionalContext"] if answer else memory.context(str(project))
    console.print(Padding(Text(plain(_without_soul(told))), (0, 2)))  # a frame breaks where fonts have no box signs
    console.rule("[bold]A later session: what is told with a prompt[/bold]")
    for prompt in (_NEEDS, _NEEDS_NOTHING):
        console.print(Text(f"  prompt   {prompt}"))
        told = memory.context(str(project), "later-session", prompt=prompt)
        console.print(Padding(Text(plain(told or "(nothing that is known fits: nothing is said)")), (0, 2, 0, 11)))


def _without_soul(text: str) -> str:
    """The starter soul.md is long, and not what a newcomer came for."""
    start, end = text.find("# Soul"), text.find("# About you")
    return text if start < 0 or end < 0 else f"{text[:start]}[soul.md: who the agent is, and its rules]\n\n{text[end:]}"


def _show_next_steps(console: Console) -> None:
    console.rule("[bold]Now with your own agent[/bold]")
    shown = own_command()
    console.print(Text(f"  {shown} install claude-code    connect Claude Code (uninstall undoes it)"))
    console.print(Text(f"  {shown} up                     this live view, on your own sessions"))
    console.print(Text(f"  {shown} search WORDS           find what was learned, said or done"))
    console.print()
