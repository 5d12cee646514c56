"""The command `reverie`. Each command lives in a module that is imported only when it is called: start-up counts."""

import importlib
import io
import sys

import click
from click.shell_completion import CompletionItem

from reverie.errors import BadSettings
from reverie.shells.cli.exit_codes import run, tell_crash

# command: (module, one line of help). The help stands here so that `reverie --help` imports nothing else.
COMMANDS = {
    "up": ("daemon", "Start Reverie here, with a live view of what comes in and what is learned."),
    "down": ("daemon", "Stop the steward that runs in the background."),
    "service": ("daemon", "Start Reverie at login (systemd, launchd)."),
    "chat": ("chat", "Talk with an agent that remembers, here in the terminal."),
    "install": ("agents", "Connect a coding agent: its hooks report to Reverie from then on."),
    "uninstall": ("agents", "Disconnect a coding agent."),
    "hook": ("agents", "Take one event from a coding agent (agents run this themselves)."),
    "note": ("remember", "Remember a text."),
    "search": ("remember", "Find what was learned, said, noted or done."),
    "log": ("remember", "Show what came in, newest last."),
    "context": ("remember", "Show what an agent in this project would be told now."),
    "actions": ("remember", "List pending actions; mark some done or dismiss them."),
    "learnings": ("remember", "List what was learned lately."),
    "recall": ("recall", "Show what memory would tell an agent given a prompt."),
    "show": ("recall", "Show memories in full, by id."),
    "timeline": ("recall", "Show what happened around a memory."),
    "prompt": ("prompt", "Show the prompt as it is composed, with tokens per section."),
    "explain": ("recall", "Show what was asked, found and packed in a turn, and why."),
    "memorize": ("gate", "Ask memory to keep a text; say where it went, and why."),
    "gate": ("gate", "Say what the gate would do with a text; look at what it set aside."),
    "forget": ("forget", "Forget memories: hidden, or gone for good; bring back what is hidden."),
    "goals": ("goals", "List goals; add one, or say how far one has come."),
    "questions": ("goals", "List open questions; ask or answer one."),
    "reminders": ("reminders", "Set and list reminders."),
    "punchclock": ("punchclock", "Track the time spent on things."),
    "docs": ("docs", "Read and edit domain documents; undo an edit."),
    "tools": ("tools", "List the tools of a conversation; load or unload one."),
    "compact": ("tend", "Summarise sessions that are over, long, or a day old."),
    "summary": ("tend", "Show what happened in a session, at one of three lengths."),
    "skills": ("tend", "List ways of working that were repeated and worked."),
    "merge": ("tend", "Merge what is known twice, or undo a merge."),
    "tune": ("tend", "Propose better coefficients for recall."),
    "import": ("move", "Take in transcripts of earlier sessions."),
    "export": ("move", "Write out what is kept as JSON lines, each naming its table."),
    "inbox": ("care", "Show work that is waiting or has failed; retry failed work."),
    "status": ("care", "Say how Reverie is doing."),
    "doctor": ("care", "Check everything, and repair what can be repaired."),
    "rebuild": ("care", "Derive all learnings again from the log."),
    "init": ("care", "Make a workspace for this folder alone (.reverie/)."),
    "demo": ("daemon", "Play a short invented session in a throw-away workspace."),
}


class Lazy(click.Group):
    """Knows its commands by name, and imports one when it is called."""

    def list_commands(self, _context: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module = importlib.import_module(f"reverie.shells.cli.{COMMANDS[name][0]}")
        command: click.Command = getattr(module, f"{name}_command")
        return command

    def shell_complete(self, context: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete a command's name from the table above: a key press must not import every command."""
        names = [CompletionItem(name, help=text) for name, (_, text) in COMMANDS.items() if name.startswith(incomplete)]
        return names + click.Command.shell_complete(self, context, incomplete)

    def format_commands(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])

    def resolve_command(
        self, context: click.Context, arguments: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if arguments and arguments[0] not in COMMANDS and not arguments[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(arguments[0], COMMANDS, n=1)
            hint = f'did you mean "{near[0]}"?' if near else "`reverie --help` lists them."
            context.fail(f'no command "{arguments[0]}"; {hint}')
        return super().resolve_command(context, arguments)


@click.group(cls=Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="reverie", prog_name="reverie")
@click.option(
    "--home", metavar="FOLDER", help="The workspace to use (default: REVERIE_HOME, a .reverie here, ~/.reverie)."
)
@click.option(
    "--set",
    "overrides",
    metavar="SECTION.KEY=VALUE",
    multiple=True,
    help="A setting for this command only; it overrides the file and the variables; repeatable.",
)
@click.pass_context
def cli(context: click.Context, home: str | None, overrides: tuple[str, ...]) -> None:
    """Working memory for LLM agents: captures everything, distils what is worth knowing, and hands it back."""
    context.obj = home
    if overrides:  # a wrong one stops also a command that has no use for it
        from reverie.settings import read_overrides

        try:
            read_overrides(overrides)
        except BadSettings as error:
            raise click.UsageError(str(error)) from error


def main() -> None:
    """Run the command line; what goes wrong is one clear line, and an exit code that says of which kind it is."""
    if sys.platform == "win32":
        raise SystemExit("reverie: Windows is not supported yet; use WSL")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that cannot show a character gets a question mark
            stream.reconfigure(errors="replace")
    sys.excepthook = tell_crash
    try:
        sys.exit(run(cli, sys.argv[1:]))
    except BrokenPipeError:
        sys.stderr.close()
        raise SystemExit(141) from None
