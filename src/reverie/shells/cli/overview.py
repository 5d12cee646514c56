"""`reverie` alone: how things stand here, and what one can do next. It opens no memory: it answers at once."""

import click

from reverie.shells.cli.show import say


def say_overview(context: click.Context) -> None:
    say(context.get_help())
