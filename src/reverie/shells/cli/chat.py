"""The command `chat`: a conversation in the terminal, with this memory."""

import sys
from collections.abc import Iterator

import click

from reverie.shells.chat.talk import say, talk
from reverie.shells.chat.view import View
from reverie.shells.cli.opening import json_option, open_memory
from reverie.shells.cli.show import as_json, is_terminal


@click.command("chat")
@click.argument("text", nargs=-1)
@click.option("--conversation", default="main", show_default=True, help="Its name; each goes on where it was left.")
@json_option
@click.pass_context
def chat_command(context: click.Context, text: tuple[str, ...], conversation: str, json_output: bool) -> None:
    """Talk with an agent that remembers; with TEXT, say only that. Without a model it quotes what it remembers."""
    with open_memory(context) as memory:
        running = memory.continuum(conversation)
        if json_output and text:
            result = running.send(" ".join(text))
            running.close()
            told = ("text", "end", "turn_number", "segment_id", "mentioned", "tools_used", "problem")
            as_json({name: getattr(result, name) for name in told} | {"surfaced": result.surfaced})
            return
        view = View(_write, _dim)
        if text:
            result = say(running, view, " ".join(text))
            running.close()
            sys.exit(1 if result.problem else 0)
        talk(running, view, _lines())
        running.close()


def _lines() -> Iterator[str]:
    """What a person types, with a prompt and a history where there is a terminal; else the lines of a file."""
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
    return click.style(text, dim=True) if is_terminal() else text
