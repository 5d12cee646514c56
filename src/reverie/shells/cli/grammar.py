"""The grammar of the command line (docs/decisions/034): commands that are imported when called, and things with verbs.

A thing (goals, reminders, docs, …) is a noun. It takes those of the `VERBS` that make sense for it; alone, it lists.
"""

import importlib
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import click
from click.shell_completion import CompletionItem

VERBS = ("list", "show", "add", "edit", "done", "remove")

# name: (module, one line of help). The help stands there so that `--help` and completion import no command.
Table = Mapping[str, tuple[str, str]]


class Lazy(click.Group):
    """A group that knows its commands by name, under headings, and imports one when it is called."""

    def __init__(self, *arguments: Any, sections: Mapping[str, Table], hidden_names: Table, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.sections = sections
        self.names = {name: row for table in sections.values() for name, row in table.items()}
        self._all: Table = {**self.names, **hidden_names}

    def list_commands(self, _context: click.Context) -> list[str]:
        return list(self.names)

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        if name not in self._all:
            return None
        module = importlib.import_module(f"reverie.shells.cli.{self._all[name][0]}")
        command: click.Command = getattr(module, f"{name}_command")
        return command

    def shell_complete(self, context: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete a command's name from the tables: a key press must not import every command."""
        rows = self.names.items()
        names = [CompletionItem(name, help=text) for name, (_, text) in rows if name.startswith(incomplete)]
        return names + click.Command.shell_complete(self, context, incomplete)

    def format_commands(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        for heading, table in self.sections.items():
            with formatter.section(heading):
                formatter.write_dl([(name, text) for name, (_, text) in table.items()])

    def resolve_command(
        self, context: click.Context, arguments: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        check_known(context, arguments, self._all)
        return super().resolve_command(context, arguments)


class Noun(click.Group):
    """A thing with its verbs; without a verb it is listed."""

    def parse_args(self, context: click.Context, arguments: list[str]) -> list[str]:
        first, second = [*arguments, "", ""][:2]
        is_option = first.startswith("-") and first not in context.help_option_names
        if (
            not first or (is_option and second not in self.commands)
        ) and not context.resilient_parsing:  # while a shell completes, nothing is decided yet
            arguments = ["list", *arguments]
        return super().parse_args(context, arguments)

    def list_commands(self, _context: click.Context) -> list[str]:
        return sorted(self.commands, key=lambda name: (name not in VERBS, VERBS.index(name) if name in VERBS else 0))

    def shell_complete(self, context: click.Context, incomplete: str) -> list[CompletionItem]:
        found = super().shell_complete(context, incomplete)
        if incomplete.startswith("-"):
            found += self.commands["list"].shell_complete(context, incomplete)
        return list({item.value: item for item in found}.values())

    def resolve_command(
        self, context: click.Context, arguments: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        check_known(context, arguments, self.list_commands(context))
        return super().resolve_command(context, arguments)


def check_known(context: click.Context, arguments: Sequence[str], known: Sequence[str] | Table) -> None:
    """Refuse a word that is no command, and name the nearest one or all."""
    if not arguments or arguments[0] in known or arguments[0].startswith("-"):
        return
    near = get_close_matches(arguments[0], known, n=1)
    is_root = context.parent is None
    there = "`reverie --help` lists them." if is_root else f"{context.command_path} takes {', '.join(known)}"
    context.fail(f'no command "{arguments[0]}"; {f"did you mean {near[0]!r}?" if near else there}'.replace("'", '"'))


def example(line: str) -> str:
    """Return the end of a command's help: how it is typed. A test reads each of these lines as the shell would.

    >>> example("goals add 'Ship 2.0'")
    "Example: reverie goals add 'Ship 2.0'"
    """
    return f"Example: reverie {line}"
