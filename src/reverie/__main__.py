"""`python -m reverie` is the command `reverie`."""

from reverie.shells.cli.main import main

main()
