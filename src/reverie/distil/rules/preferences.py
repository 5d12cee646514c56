"""Cues that the writer wants things done a certain way, not only this time.

The difficulty is what looks the same: one-off instructions ("rename it everywhere"), requirements of the program ("the
function must always return a list"), choices between offers ("I prefer the second one") and complaints. So most cues
count only together with a word for habit or scope, or when they can only be meant for the agent.
"""

import re
from typing import Final

from reverie.distil.rules import kinds
from reverie.distil.rules.cues import cue_words, cues
from reverie.distil.rules.kinds import is_about_a_kind, writes_here
from reverie.distil.rules.phrases import LowerText, bits
from reverie.distil.rules.sentences import Sentence
from reverie.distil.rules.shared import IMPERATIVE, JUST_NOW, TIMES, TROUBLE
from reverie.distil.rules.subjects import topic_of

# Rules of the house.
CONVENTION: Final = cues("convention")
SCOPE: Final = cues("scope")
HABIT: Final = cues("habit")
HOUSE_RULE: Final = cues("house_rule")
CONVENTIONS: Final = cues("conventions")
OUR_STYLE: Final = cues("our_style")
# Wishes in the first person.
I_PREFER: Final = cues("i_prefer")
I_RATHER: Final = cues("i_rather")
CHOOSES: Final = cues("chooses")
WANTS_IT_BUILT: Final = cues("wants_it_built")
I_WANT: Final = cues("i_want")
I_DISLIKE: Final = cues("i_dislike")
OF_YOU: Final = cues("of_you")
OTHER_LANGUAGES: Final = cues("wishes_of_other_languages")
# How to deal with the person. Hardly anybody asks for these just once, so they need no "always".
STOP_DOING: Final = cues("stop_doing")
CALL_ME: Final = cues("call_me")
WAYS_OF_WORKING: Final = cues("ways_of_working")
HOW_TO_REPORT: Final = cues("how_to_report")
FURTHER_WISHES: Final = cues("further_wishes")
WHEN_YOU: Final = cues("when_you")
MAY_WITHOUT_ASKING: Final = cues("may_without_asking")
NO_SUCH_OUTPUT: Final = cues("no_such_output")
# A wish no longer holds, or something is allowed again. Its subject has to come out as the same (`subjects.py`).
_CHANGES: Final = cues("changes")
_ONE_THING: Final = cues("one_thing")
_FROM_NOW_ON: Final = cues("from_now_on")
_IN_FUTURE: Final = cues("in_future")
_TO_THE_AGENT: Final = cues("to_the_agent")
_PLANS: Final = cues("plans")
_HABITUALLY: Final = cues("habitually")
_ALWAYS: Final = cues("always")
_SO_GENERALLY: Final = cues("so_generally")
_SAME_GOES: Final = cues("same_goes")
_ALWAYS_DO: Final = cues("always_do")
_ENDS_ALWAYS: Final = cues("ends_always")
_REQUIRES: Final = cues("requires")

# ---- how sure it is


def preference(sentence: Sentence) -> float:
    """Return the confidence, 0 to 1, that a sentence tells a preference."""
    plain = sentence.plain
    if not STARTS & plain.seen:
        return 0.0
    if CALL_ME.search(plain) or (_FROM_NOW_ON.search(plain) and not _PLANS.search(plain)):
        return 0.95
    if _IN_FUTURE.search(plain) and _TO_THE_AGENT.search(plain) and not _PLANS.search(plain):
        return 0.9
    always = _ALWAYS_DO.search(plain)
    if always and _is_told(always["verb"], plain.text):
        return 0.9 if _SO_ALWAYS.search(plain.text) or not _is_about_the_work(sentence) else 0.0
    confidence = _wished(sentence)
    return confidence if confidence and not _is_about_the_work(sentence) else 0.0


_SO_ALWAYS: Final = cues("so_always")


def takes_back(plain: LowerText) -> bool:
    """Whether a sentence takes back or loosens a wish.

    >>> from reverie.distil.rules.cues import BOOK
    >>> [takes_back(BOOK.read(text)) for text in ("you can use mocks in tests again", "you can run it again")]
    [True, False]
    """
    return _CHANGES.search(plain) is not None and _ONE_THING.search(plain.text) is None


def _wished(sentence: Sentence) -> float:
    """Return the confidence, 0 to 1, that a sentence is a wish that is not only for now."""
    plain = sentence.plain
    if takes_back(plain):
        return 0.85
    if I_PREFER.search(plain) or (I_RATHER.search(plain) and (_HABITUALLY.search(plain) or _THAN.search(plain.text))):
        confidence = 0.0 if CHOOSES.search(plain) else 0.9
    elif I_WANT.search(plain) and _HABITUALLY.search(plain):
        confidence = 0.85
    else:
        confidence = 0.0 if sentence.leads_to_question else _less_sure(sentence)
    return confidence if confidence and (not _is_for_now(plain) or _HABITUALLY.search(plain)) else 0.0


_HERE = re.compile(r"\bhere\b")


def _is_for_now(plain: LowerText) -> bool:
    """Whether it says that it is for this time only. "Here" does not: it names the project."""
    return JUST_NOW.search(_HERE.sub(" ", plain.text)) is not None


def _less_sure(sentence: Sentence) -> float:
    plain = sentence.plain
    if any(cue.search(plain) for cue in _CLEAR):
        return 0.85
    if HOUSE_RULE.match(plain) or (_tells_how(plain) and not TIMES.search(plain)):
        return 0.8
    if is_about_a_kind(plain) and not sentence.is_request:
        return 0.8
    if any(cue.search(plain) for cue in _LESS_CLEAR) or _is_a_convention(plain) or _REMEMBER.match(plain.text):
        return 0.75
    if _ENDS_ALWAYS.search(plain) and not (TROUBLE.search(plain) or _DONE_ONCE.match(plain.text)):
        return 0.75
    return 0.75 if sentence.is_request else 0.7 if _is_a_style(sentence) else 0.0


_DONE_ONCE: Final = cues("done_once")
_STYLE_WORDS: Final = cues("style_words")
_REMEMBERS: Final = cues("remembers")
_CLEAR = (
    FURTHER_WISHES,
    CONVENTIONS,
    I_DISLIKE,
    OF_YOU,
    WAYS_OF_WORKING,
    HOW_TO_REPORT,
    STOP_DOING,
    OTHER_LANGUAGES,
    _SAME_GOES,
)
_LESS_CLEAR = (MAY_WITHOUT_ASKING, NO_SUCH_OUTPUT)
STARTS = kinds.STARTS | bits(
    *(
        _CHANGES,
        CALL_ME,
        _FROM_NOW_ON,
        _IN_FUTURE,
        _ALWAYS_DO,
        I_PREFER,
        I_RATHER,
        I_WANT,
        *_CLEAR,
        *_LESS_CLEAR,
        HOUSE_RULE,
    ),
    *(WHEN_YOU, HABIT, SCOPE, _REMEMBERS, _ENDS_ALWAYS, _ALWAYS, _STYLE_WORDS, _SO_GENERALLY),
)
_THAN: Final = cues("than")
_REMEMBER: Final = cues("remember_a_rule")


def holds_generally(before: Sentence, sentence: Sentence) -> bool:
    """Whether a sentence makes a rule of the one before it: "That goes for all files."."""
    plain = sentence.plain
    if not _SO_GENERALLY.match(plain) or len(plain.text) > _SHORT_REMARK:
        return False
    cases = (IMPERATIVE, CONVENTION, HOUSE_RULE)
    return (
        before.is_request
        or any(cue.search(before.plain) for cue in cases)
        or _CHOICE.search(before.plain.text) is not None
    )


_SHORT_REMARK = 130  # characters
_CHOICE: Final = cues("choice")


# ---- what is about the work at hand


def _is_about_the_work(sentence: Sentence) -> bool:
    plain = sentence.plain
    if sentence.is_request and _OF_A_PROGRAM.search(plain.text):
        return True
    if sentence.is_request and (not _ALWAYS.search(plain) or _LOOKS.match(plain.text)):
        return True
    return bool(_REQUIRES.match(plain) or WANTS_IT_BUILT.search(plain) or _NO_PREFERENCE.search(plain.text))


_OF_A_PROGRAM: Final = cues("of_a_program")
_LOOKS: Final = cues("looks_into")
_NO_PREFERENCE: Final = cues("no_preference")
_PROGRAM_VERBS: Final = cue_words("program_verbs")
_WITH_S: Final = cue_words("with_s")
_WITH_ED: Final = cue_words("with_ed")
_NOT_VERBS: Final = cue_words("not_verbs")
_US: Final = cues("says_us")


def _is_told(verb: str, plain: str) -> bool:
    """Whether the word after "always" is a command to the agent: "never works" and "always return a list" are not."""
    if verb in _NOT_VERBS or (verb.endswith("ed") and verb not in _WITH_ED):
        return False
    if verb.endswith("s") and not verb.endswith("ss") and verb not in _WITH_S:
        return False
    return verb not in _PROGRAM_VERBS or _US.search(plain) is not None


# ---- conventions and style

_DEFINITE: Final = cues("definite")
_HOW: Final = cues("says_how")
_TELLS_OF: Final = cues("tells_of")


def _is_a_convention(plain: LowerText) -> bool:
    """Tell whether a rule holds everywhere. "Use the cached value by default" is one thing in one place."""
    if HABIT.search(plain) and IMPERATIVE.search(plain) and not _TELLS_OF.match(plain.text):
        return True
    if not (SCOPE.search(plain) and CONVENTION.search(plain)) or writes_here(plain):
        return False
    return _DEFINITE.search(plain.text) is None or _US.search(plain.text) is not None


def _tells_how(plain: LowerText) -> bool:
    """A command for each time that the agent does something: "when you reference code, give me the line"."""
    when = WHEN_YOU.search(plain)
    if when is None:
        return False
    rest = plain.text[: when.start()] + plain.text[when.end() :]
    return "," in when[0] or _HOW.search(rest) is not None or _THEN.exact.search(plain.text, when.start()) is not None


_THEN: Final = cues("then_for_me")


# Topics about which a wish is hardly ever for once, even without a verb: "single quotes in python".
_STYLES = frozenset(
    (
        *("indentation", "quotes", "semicolons", "naming style", "spelling", "package manager", "clock", "units"),
        *("docstring style", "commit message style", "line length"),
    )
)
_NOUN_FIRST: Final = cues("noun_first")
_NOT_A_STYLE: Final = cues("not_a_style")
_HERE_TOO: Final = cues("here_too")


def _is_a_style(sentence: Sentence) -> bool:
    plain = _HERE_TOO.exact.sub("", sentence.plain.text)
    if OUR_STYLE.match(sentence.plain.text) and topic_of(sentence.text) in _STYLES:
        return True
    return (
        len(plain) < 100
        and _NOT_A_STYLE.search(plain) is None
        and _NOUN_FIRST.match(plain) is not None
        and topic_of(sentence.text) in _STYLES
    )
