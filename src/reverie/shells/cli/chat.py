"""The command `chat`: a conversation in the terminal, with this memory."""

import sys
from collections.abc import Iterator

import click

from reverie.errors import BadInput
from reverie.shells.chat.commands import run_command
from reverie.shells.chat.talk import answer_in_json, say, talk, talk_in_json
from reverie.shells.chat.view import ChatView
from reverie.shells.cli.exit_codes import NOTHING
from reverie.shells.cli.grammar import example
from reverie.shells.cli.opened_memory import json_option, open_memory, say_if_long, some_text
from reverie.shells.cli.show import as_json, is_terminal, tame_log, wants_colour


@click.command("chat", epilog=example("chat 'Which port does staging use?' --conversation work"))
@click.argument("text", nargs=-1)
@click.option("--conversation", default="main", show_default=True, help="Its name; each continues where it was left.")
@json_option
@click.pass_context
def chat_command(context: click.Context, text: tuple[str, ...], conversation: str, json_output: bool) -> None:
    """Talk with an agent that remembers; with TEXT, say only that, or run it as a command if it begins with a slash.

    Without a model it quotes what it remembers. With --json, each line of standard input is answered by a line of JSON.
    """
    words = some_text(" ".join(text), "a message") if text else ""
    if json_output and not words and sys.stdin.isatty():
        raise BadInput("--json takes a TEXT, or messages on standard input, one per line")
    tame_log()
    with open_memory(context, makes=True) as memory:
        say_if_long(memory)
        running = memory.continuum(conversation)
        view = ChatView(_write, _dim)
        is_fine = True
        if json_output and words:
            told = answer_in_json(memory, running, words) or {}
            is_fine = not told.get("problem")
            as_json(told)
        elif json_output:
            is_fine = talk_in_json(memory, running, _lines(), lambda line: _write(line + "\n"))
        elif words.startswith("/"):
            run_command(memory, running, view, words[1:])
        elif words:
            is_fine = not say(running, view, words).problem
        else:
            is_fine = talk(memory, running, view, _lines()) or is_terminal()  # a person has seen what went wrong
        running.close()
    if not is_fine:
        sys.exit(NOTHING)


def _lines() -> Iterator[str]:
    """Yield the lines that a person types, with a history where there is a terminal; else those of a file."""
    if is_terminal():
        import readline  # noqa: F401
    while True:
        try:
            yield input("you> " if is_terminal() else "")
        except EOFError:
            return
        except KeyboardInterrupt:
            _write("\n")
            return


def _write(text: str) -> None:
    click.echo(text, nl=False)
    sys.stdout.flush()


def _dim(text: str) -> str:
    return click.style(text, dim=True) if wants_colour() else text
