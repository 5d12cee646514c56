"""Cues that a sentence tells something lasting about its writer, their people or their setting.

"Our tests are red" has the form of "our tests are in spec/". So a fact needs something to hold on to, a name, a number,
a path or code, and must not report trouble or a wish.
"""

import re
from typing import Final

from reverie.distil.rules.cues import cues
from reverie.distil.rules.phrases import LowerText, bits
from reverie.distil.rules.sentences import Sentence
from reverie.distil.rules.shared import JUST_NOW, STATES, TROUBLE, is_concrete

_ABOUT_ME: Final = cues("about_me")
_LIVES_WITH: Final = cues("lives_with")
_SURELY_ME: Final = cues("surely_me")
_MOODS: Final = cues("moods")
_WE_DO: Final = cues("we_do")
_OUR_IS: Final = cues("our_is")
_THE_IS: Final = cues("the_is")
_THERE_IS: Final = cues("there_is")
_AT_A_RATE: Final = cues("at_a_rate")
_TO_REMEMBER: Final = cues("to_remember")
_TELLS: Final = cues("tells")
LEADS_TO_A_TASK: Final = cues("leads_to_a_task")

# Somebody with a part in it: looked for in the sentence as it was written, for the capital letter.
_WHO_IS: Final = re.compile(
    r"\b[A-Z][a-zé]+ (?:is (?:our|my)\b|(?:is|was) the (?:maintainer|owner|lead|pm|manager|admin|reviewer|contact"
    r"|author|cto"
    r"|designer|boss|client)|(?:handles|owns|maintains|manages|reviews|approves|takes care of|does"
    r"|is responsible for"
    r"|is in charge of|leads|runs|took over) (?:the|our|all|every)|joined (?:the team|us)|left (?:the company|us"
    r"|in \d))\b"
)
_WISHES: Final = cues("wishes")
_I_AM_NAMED: Final = re.compile(
    r"(?:^|[Hh]i|[Hh]ello|[Hh]ey|[,!])[,!]? ?(?:I'm|I am) [A-Z][a-z]+(?=[,.!]| from| and| here|$)"
)
_PERHAPS_A_NAME: Final = cues("perhaps_a_name")
STARTS = bits(
    _TO_REMEMBER, _ABOUT_ME, _WE_DO, _OUR_IS, _THE_IS, _THERE_IS, _LIVES_WITH, _AT_A_RATE, _TELLS, _PERHAPS_A_NAME
)

# ---- how sure it is


def fact(sentence: Sentence) -> float:
    """Return the confidence, 0 to 1, that a sentence tells a fact."""
    plain = sentence.plain
    if not STARTS & plain.seen:
        return 0.0
    if _LIVES_WITH.bit & plain.seen and _LIVES_WITH.search(plain):
        return 0.9
    me, ours = _ABOUT_ME.search(plain), _WE_DO.search(plain) or _OUR_IS.search(plain)
    tells, is_who = _TELLS.search(plain), None
    if _PERHAPS_A_NAME.bit & plain.seen:
        is_who = _WHO_IS.search(sentence.text) or _I_AM_NAMED.search(sentence.text)
    if not (me or ours or tells or is_who) and _is_ruled_out(sentence):
        return 0.0
    the = None if me or ours else _THE_IS.search(plain) or _THERE_IS.search(plain) or _AT_A_RATE.search(plain)
    if not (me or ours or the or tells or is_who):
        return 0.0
    if (me or ours) and _SURELY_ME.search(plain) and not _MOODS.search(plain):
        return 0.9
    if _reports_trouble(plain, (me or ours or the or tells)) or _wishes(sentence):
        return 0.0
    concrete = is_concrete(sentence.text, plain) or _CALLED.search(plain.text) is not None
    if _TO_REMEMBER.match(plain) and IN_A_PROGRAM.search(plain.text) and not _OURS.search(plain.text):
        return 0.0
    if _SHOWS.match(plain.text) or (_OWNS_A_TASK.search(plain.text) and not (me or ours)):
        return 0.0
    if ((me or ours) and concrete and not AT_HAND.search(plain)) or (
        _TO_REMEMBER.match(plain) and STATES.search(plain)
    ):
        return 0.85
    if is_who or (tells and STATES.search(plain) and (me or ours or the or concrete) and not AT_HAND.search(plain)):
        return 0.8
    is_passing = JUST_NOW.search(plain) or LEADS_TO_A_TASK.search(plain) or AT_HAND.search(plain)
    if WHEN.match(plain.text) or DOES.match(plain) or POINTS_AT_A_FILE.search(plain.text):
        return 0.0
    return 0.7 if the and (concrete or " our " in plain.text) and not is_passing else 0.0


_SHOWS: Final = cues("shows_below")
_OWNS_A_TASK: Final = cues("owns_a_task")
_OURS: Final = cues("of_our_setting")
IN_A_PROGRAM: Final = cues("in_a_program")
WHEN: Final = cues("opens_with_when")
_CALLED: Final = cues("is_called")
AT_HAND: Final = cues("at_hand")
DOES: Final = cues("does_a_task")
POINTS_AT_A_FILE: Final = cues("points_at_a_file")
_CLAUSE_ENDS = re.compile(r"[,;]")


def _is_ruled_out(sentence: Sentence) -> bool:
    """Whether it cannot be a fact wherever "the … is" stands in it. Said first: to look for that takes longest."""
    plain = sentence.plain
    has_clauses = _CLAUSE_ENDS.search(plain.text) is not None
    return _wishes(sentence) or (not has_clauses and TROUBLE.search(plain) is not None)


def _reports_trouble(plain: LowerText, cue: re.Match[str] | None) -> bool:
    """Whether there is trouble in the clause of the fact. In a later one the fact explains it: "we use zsh, so …"."""
    trouble = TROUBLE.search(plain)
    if trouble is None:
        return False
    ends = _CLAUSE_ENDS.search(plain.text, cue.end()) if cue else None
    return ends is None or trouble.start() < ends.start()


def _wishes(sentence: Sentence) -> bool:
    """ "You should know that" is no wish."""
    plain = sentence.plain
    if not _WISHES.search(plain):
        return False
    fact_itself = _CONSEQUENCE.exact.split(plain.text, maxsplit=1)[0]
    return _WISHES.search(_TELLS.exact.sub(" ", fact_itself)) is not None


_CONSEQUENCE: Final = cues("consequence")
