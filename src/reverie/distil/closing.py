"""A turn and the pending actions -> those that what happened has finished."""

from collections.abc import Sequence

from reverie.records import Action, Turn


def closes(turn: Turn, pending: Sequence[Action]) -> list[tuple[str, str, str]]:
    return []
