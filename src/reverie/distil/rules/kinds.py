"""Cues that a short command is about every such thing and not about one: by what it leaves out.

"Don't use mocks in tests" and "use pnpm here, not npm" have no "always". But neither have they a "the", "this" or "a":
they speak of kinds of things, in a place that is wider than the task. "Don't use a mock in this test" does not.
"""

import re
from typing import Final

from reverie.distil.rules.cues import cues
from reverie.distil.rules.phrases import LowerText, bits, words
from reverie.distil.rules.shared import KNOWN_NAMES, TROUBLE

_CHOOSES_A_KIND: Final = cues("chooses_a_kind")
_FORBIDS_A_KIND: Final = cues("forbids_a_kind")
_ASKS_FOR_A_KIND: Final = cues("asks_for_a_kind")
_WE_HOLD: Final = cues("we_hold")
_WE_CALL: Final = cues("we_call")
_MATTERS_TO_ME: Final = cues("matters_to_me")
EVERYDAY: Final = (_CHOOSES_A_KIND, _FORBIDS_A_KIND, _ASKS_FOR_A_KIND, _WE_HOLD, _WE_CALL, _MATTERS_TO_ME)
STARTS = bits(*EVERYDAY)

_EDGES = ".,;:()!"
# What is weighed against something else: "readability over cleverness, please".
_KNOWN = KNOWN_NAMES | words(
    "readability clarity simplicity correctness speed performance cleverness brevity explicitness composition "
    "inheritance consistency safety security convenience completeness"
)
_IN_ONE_PLACE: Final = cues("in_one_place")
_WRITES_HERE: Final = cues("writes_here")
_PLURAL = re.compile(r"\w{2,}(?<!s)s$")


def is_about_a_kind(plain: LowerText) -> bool:
    """Whether a command is about all things of a kind."""
    if not STARTS & plain.seen:
        return False
    if writes_here(plain):
        return False
    if (choice := _CHOOSES_A_KIND.search(plain)) and _is_wide(choice):
        return True
    if _FORBIDS_A_KIND.search(plain) and not TROUBLE.search(plain):
        return True
    return any(cue.search(plain) is not None for cue in (_ASKS_FOR_A_KIND, _WE_HOLD, _WE_CALL, _MATTERS_TO_ME))


def we_call(plain: LowerText) -> bool:
    """Whether a sentence says what things are called here."""
    return _WE_CALL.search(plain) is not None


def writes_here(plain: LowerText) -> bool:
    """Whether something is to be written in one place: "write docstrings for all public functions in core/"."""
    return _WRITES_HERE.match(plain.text) is not None


def _is_wide(choice: re.Match[str]) -> bool:
    """Whether a choice is more than one for the task at hand: it says where it holds, or it is between known tools."""
    if choice["where"] or (choice["wish"] or "") not in ("", "please", "pls", "for me"):
        return True
    if _IN_ONE_PLACE.exact.match(choice.string, choice.end()):
        return False
    named = [choice[group] for group in ("chosen", "refused", "first", "second", "only") if choice[group]]
    known = [any(word.strip(_EDGES) in _KNOWN for word in one.split()) for one in named]
    if choice["only"]:
        return all(known)
    return any(known) or all(_PLURAL.search(one) for one in named)
