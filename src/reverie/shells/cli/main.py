"""The command `reverie`. Each command lives in a module that is imported only when it is called: start-up counts."""

import io
import sys

import click

from reverie.errors import BadSettings
from reverie.shells.cli.exit_codes import run, tell_crash
from reverie.shells.cli.grammar import VERBS, Lazy, Table

# What people type every day, by what they want. What there is more of are things: nouns that share their verbs.
EVERYDAY: dict[str, Table] = {
    "Start": {
        "up": ("daemon", "Start Reverie here, with a live view."),
        "down": ("daemon", "Stop the steward that runs in the background."),
        "install": ("agents", "Connect a coding agent by its hooks."),
        "uninstall": ("agents", "Disconnect a coding agent."),
        "chat": ("chat", "Talk with an agent that remembers, here in the terminal."),
    },
    "Ask": {
        "search": ("remember", "Find what was learned, said, noted or done."),
        "recall": ("recall", "Show what memory would tell an agent given a prompt."),
        "context": ("remember", "Show what an agent in this project would be told now."),
        "explain": ("recall", "Say why: what was asked, found and packed in a turn."),
        "log": ("remember", "Show what came in, newest last."),
    },
    "Keep": {
        "note": ("remember", "Remember a text."),
        "forget": ("forget", "Forget memories, or bring them back."),
    },
}
THINGS: Table = {
    "actions": ("actions", "Pending actions: list, finish, remove."),
    "docs": ("docs", "Domain documents: lasting knowledge in sections."),
    "goals": ("goals", "Goals: list, add, change."),
    "learnings": ("learnings", "Recent learnings."),
    "memories": ("memories", "Memories, whole and by id."),
    "punchclock": ("punchclock", "Time spent on things."),
    "questions": ("goals", "Open questions: list, add, answer."),
    "reminders": ("reminders", "Reminders: list, add, change."),
    "sessions": ("sessions", "Sessions, and what happened in them."),
    "skills": ("memories", "Ways of working that were repeated and worked."),
}
MACHINERY: Table = {
    "status": ("care", "Say how Reverie is doing."),
    "doctor": ("care", "Check everything, and repair what can be repaired."),
    "admin": ("admin", "The machinery: prompt, gate, queue, import, export, …"),
}
# Installed by other people's settings files, or typed by programs: it stays where they call it.
HIDDEN: Table = {"hook": ("agents", "Take one event from a coding agent (agents run this themselves).")}


class Root(Lazy):
    """The command `reverie` itself: it knows old names, and shows things in one block."""

    def resolve_command(
        self, context: click.Context, arguments: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        from reverie.shells.cli.old_names import in_new_names

        return super().resolve_command(context, in_new_names(arguments, context))

    def format_commands(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, self.names))
        for heading, table in self.sections.items():
            with formatter.section(heading):
                if table is THINGS:
                    formatter.write_text(", ".join(THINGS))
                    formatter.write_text(f"They take {', '.join(VERBS)}, where that makes sense. Alone: list.")
                else:
                    formatter.write_dl([(name.ljust(width), text) for name, (_, text) in table.items()])


@click.group(
    cls=Root,
    sections={**EVERYDAY, "Things": THINGS, "Machinery": MACHINERY},
    hidden_names=HIDDEN,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
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
    if context.invoked_subcommand is None:
        from reverie.shells.cli.overview import say_overview

        say_overview(context)


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
