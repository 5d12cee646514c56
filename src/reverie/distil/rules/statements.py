"""Plain statements, standing rules and decisions: sentences without any word that says that they are to be kept.

"Redis is on 6380" has no "our", "don't edit schema.gen.ts" no "never", "let's go with Stripe, I don't want card data"
is about the task and yet to be known. What tells them from talk about the work at hand is what they leave out: they
report no trouble, point at nothing on the screen, and say where, when, how much or why.
"""

import re
from typing import Final

from reverie.distil.rules.cues import cues
from reverie.distil.rules.facts import AT_HAND, DOES, IN_A_PROGRAM, LEADS_TO_A_TASK, POINTS_AT_A_FILE, WHEN
from reverie.distil.rules.phrases import bits
from reverie.distil.rules.sentences import Sentence
from reverie.distil.rules.shared import JUST_NOW, TIMES, TROUBLE, is_concrete

_STATES_PLAINLY: Final = cues("states_plainly")
_STATES_SURELY: Final = cues("states_surely")
_TELLS_SOMETHING: Final = cues("tells_something")
_RESULTS: Final = cues("results")
_FOR_ONCE: Final = cues("for_once")
_REPORTS_WORK: Final = cues("reports_work")
_HOLDS_FOR_ALL: Final = cues("holds_for_all")
_STANDING_RULE: Final = cues("standing_rule")
_FORBIDS: Final = cues("forbids_to_touch")
_DOES_IT_SO: Final = cues("does_it_so")
_UNDER: Final = cues("everything_under")
_DECIDES: Final = cues("decides")
_WAITS: Final = cues("waits")
_REASON: Final = cues("reason_sentence")
_BECAUSE: Final = cues("because")
STARTS = bits(_STATES_PLAINLY, _STATES_SURELY, _TELLS_SOMETHING, _STANDING_RULE, _FORBIDS, _DOES_IT_SO, _DECIDES)

STATED: Final = 0.7  # the confidence of what has no word that says that it is to be kept
_LONG = 240  # characters


def statement(sentence: Sentence, *, is_alone: bool) -> float:
    """Return the confidence that a sentence states something lasting. `is_alone` if it is the whole message."""
    plain = sentence.plain
    if not STARTS & plain.seen or len(plain.text) > _LONG or WHEN.match(plain.text) or DOES.match(plain):
        return 0.0
    surely, plainly = _STATES_SURELY.match(plain), _STATES_PLAINLY.match(plain)
    found = surely or plainly or (_TELLS_SOMETHING.match(plain) if is_alone else None)
    if found is None or LEADS_TO_A_TASK.search(plain) or AT_HAND.search(plain) or _is_of_the_program(found):
        return 0.0
    clause = _clause(plain.text, found.end())
    if any(doubt.search(clause) for doubt in (TROUBLE, JUST_NOW, _RESULTS)):
        return 0.0
    if surely:
        return STATED if is_alone or is_concrete(sentence.text, plain) else 0.0
    if _REPORTS_WORK.search(clause) or (not is_alone and POINTS_AT_A_FILE.search(clause)):
        return 0.0
    if not (is_concrete(sentence.text, plain) or (is_alone and _HOLDS_FOR_ALL.search(clause))):
        return 0.0
    return STATED


def _is_of_the_program(found: re.Match[str]) -> bool:
    """Whether a statement is about a part of the program at hand, or about a tool as everybody knows it."""
    return IN_A_PROGRAM.search(found[0]) is not None or _OF_A_TOOL.match(found[0]) is not None


def _clause(text: str, at: int) -> str:
    """Return the text up to the end of the clause that goes on at a place. What follows only adds to it."""
    ends = _CLAUSE_ENDS.search(text, at)
    return text[: ends.start()] if ends else text


_OF_A_TOOL: Final = cues("of_a_tool")
_CLAUSE_ENDS = re.compile(r"[,;:—–]| (?:so|or|because|since|but|otherwise|and) ")


def standing_rule(sentence: Sentence, *, is_alone: bool) -> float:
    """Return the confidence that a sentence tells the agent what to do whenever it comes to it."""
    plain = sentence.plain
    if not STARTS & plain.seen or _FOR_ONCE.search(plain) or len(plain.text) > _LONG:
        return 0.0
    if _STANDING_RULE.search(plain):
        return 0.75
    if _FORBIDS.match(plain) and (is_concrete(sentence.text, plain) or _BECAUSE.search(plain) or _UNDER.search(plain)):
        return 0.75
    if not is_alone or not _DOES_IT_SO.match(plain) or TROUBLE.search(plain):
        return 0.0
    return STATED if is_concrete(sentence.text, plain) or " only" in plain.text else 0.0


def decision(sentence: Sentence) -> float:
    """Return the confidence that a sentence tells a decision with its reason."""
    plain = sentence.plain
    if not STARTS & plain.seen or not _DECIDES.search(plain):
        return 0.0
    because = _BECAUSE.search(plain)
    return 0.75 if because and not TROUBLE.search(plain.text[: because.start()]) else 0.0


def gives_the_reason(decided: Sentence, sentence: Sentence) -> bool:
    """Whether a sentence says why something was decided in the one before it."""
    plain = decided.plain
    if sentence.is_question or sentence.is_request or sentence.is_listed or decided.is_question or decided.is_request:
        return False
    if len(plain.text) > _LONG // 2 or not _DECIDES.match(plain) or _FOR_ONCE.search(plain):
        return False
    if not is_concrete(decided.text, plain) or any(later.search(sentence.plain) for later in (TIMES, _WAITS, TROUBLE)):
        return False
    return _REASON.match(sentence.plain.text) is not None and not DOES.match(sentence.plain)
