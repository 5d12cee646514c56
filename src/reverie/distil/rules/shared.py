"""Cues that several kinds of learnings share, and what makes a statement concrete."""

from typing import Final

from reverie.distil.rules.cues import cue_words, cues
from reverie.distil.rules.phrases import LowerText

ORDERS_A_TEXT: Final = cues("orders_a_text")
JUST_NOW: Final = cues("just_now")
IMPERATIVE: Final = cues("imperative")
COMMANDS: Final = cues("commands")
STATES: Final = cues("states")
NEGATES: Final = cues("negates")
SUGGESTS: Final = cues("suggests")
TROUBLE: Final = cues("trouble")
TIMES: Final = cues("times")
CONCRETE: Final = cues("concrete")
KNOWN_NAMES: Final = cue_words("known_names")
_NOT_NAMES: Final = cue_words("not_names")


def is_concrete(text: str, plain: LowerText) -> bool:
    """Whether there is a name, a number, a path or code in a sentence: something to hold on to."""
    if CONCRETE.search(plain.text):
        return True
    if any(word[:1].isupper() and word.rstrip(".,;:!") not in _NOT_NAMES for word in text.split()[1:]):
        return True
    return any(word.strip(".,;:()!") in KNOWN_NAMES for word in plain.text.split())
