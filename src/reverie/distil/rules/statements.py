"""Plain statements, standing rules and decisions: sentences without any word that says that they are to be kept.

"Redis is on 6380" has no "our", "don't edit schema.gen.ts" no "never", "let's go with Stripe, I don't want card data"
is about the task and yet to be known. What tells them from talk about the work at hand is what they leave out: they
report no trouble, point at nothing on the screen, and say where, when, how much or why.
"""

from typing import Final

from reverie.distil.rules.cues import cues
from reverie.distil.rules.facts import AT_HAND, DOES, LEADS_TO_A_TASK, POINTS_AT_A_FILE, WHEN
from reverie.distil.rules.phrases import LowerText, bits
from reverie.distil.rules.sentences import Sentence
from reverie.distil.rules.shared import JUST_NOW, TROUBLE, is_concrete

_STATES_PLAINLY: Final = cues("states_plainly")
_STATES_SURELY: Final = cues("states_surely")
_TELLS_SOMETHING: Final = cues("tells_something")
_RESULTS: Final = cues("results")
_FOR_ONCE: Final = cues("for_once")
_REPORTS_WORK: Final = cues("reports_work")
_WHERE_OR_WHEN: Final = cues("tells_where_or_when")
_STANDING_RULE: Final = cues("standing_rule")
_FORBIDS: Final = cues("forbids_to_touch")
_DOES_IT_SO: Final = cues("does_it_so")
_UNDER: Final = cues("everything_under")
_DECIDES: Final = cues("decides")
_BECAUSE: Final = cues("because")
STARTS = bits(_STATES_PLAINLY, _STATES_SURELY, _TELLS_SOMETHING, _STANDING_RULE, _FORBIDS, _DOES_IT_SO, _DECIDES)

_LONG = 160  # characters


def statement(sentence: Sentence, *, is_alone: bool) -> float:
    """Return the confidence that a sentence states something lasting. `is_alone` if its message asks for nothing."""
    plain = sentence.plain
    if not STARTS & plain.seen or len(plain.text) > _LONG or _is_passing(plain):
        return 0.0
    if _STATES_SURELY.match(plain):
        return 0.7
    if _RESULTS.search(plain) or _REPORTS_WORK.search(plain) or WHEN.match(plain.text) or DOES.match(plain):
        return 0.0
    if not is_concrete(sentence.text, plain):
        return 0.0
    if _STATES_PLAINLY.match(plain):
        return 0.7 if is_alone or not POINTS_AT_A_FILE.search(plain.text) else 0.0
    return 0.65 if is_alone and _TELLS_SOMETHING.match(plain) and _WHERE_OR_WHEN.search(plain) else 0.0


def standing_rule(sentence: Sentence) -> float:
    """Return the confidence that a sentence tells the agent what to do whenever it comes to it."""
    plain = sentence.plain
    if not STARTS & plain.seen or _FOR_ONCE.search(plain) or len(plain.text) > _LONG:
        return 0.0
    if _STANDING_RULE.search(plain):
        return 0.75
    if _FORBIDS.match(plain) and (is_concrete(sentence.text, plain) or _BECAUSE.search(plain) or _UNDER.search(plain)):
        return 0.75
    if (
        _DOES_IT_SO.match(plain)
        and (is_concrete(sentence.text, plain) or " only" in plain.text)
        and not TROUBLE.search(plain)
    ):
        return 0.7
    return 0.0


def decision(sentence: Sentence) -> float:
    """Return the confidence that a sentence tells a decision with its reason."""
    plain = sentence.plain
    if not STARTS & plain.seen or not _DECIDES.search(plain):
        return 0.0
    return 0.75 if _BECAUSE.search(plain) else 0.0


def _is_passing(plain: LowerText) -> bool:
    return bool(
        TROUBLE.search(plain) or JUST_NOW.search(plain) or LEADS_TO_A_TASK.search(plain) or AT_HAND.search(plain)
    )
