"""A reply -> the surfaced memories that it really speaks of: the stronger signal of the two."""

from collections.abc import Sequence

from reverie.compose.trinkets.proactive_memory import short_id
from reverie.language.words import question_terms
from reverie.records.prompt_inputs import Surfaced

_LEAST_TERMS = 2  # what a memory must say of its own before sharing words with it means anything
_SHARE = 0.6  # of these words in the reply


def mentioned(reply: str, surfaced: Sequence[Surfaced], asked: str = "") -> list[str]:
    """The ids of memories that the reply names, or whose own words it says. Words of the question do not count."""
    known = set(question_terms(asked))
    said = set(question_terms(reply))
    found = []
    for memory in surfaced:
        own = set(question_terms(memory.text)) - known
        speaks = len(own) >= _LEAST_TERMS and len(own & said) >= _SHARE * len(own)
        if short_id(memory.id) in reply or speaks:
            found.append(memory.id)
    return found
