"""Cues that something was wrong, with what is right.

Both are needed: "No, try again" is only chat. They may stand in two sentences ("That's not our logger. We have our own
in lib/log.ts."), which is why there is also a test for a sentence that rejects and leaves the rest to the next one.
"""

import re
from typing import Final

from reverie.distil.rules.cues import cues
from reverie.distil.rules.phrases import LowerText, bits
from reverie.distil.rules.preferences import preference
from reverie.distil.rules.sentences import Sentence
from reverie.distil.rules.shared import CONCRETE, NEGATES, STATES, SUGGESTS, TROUBLE, is_concrete

REJECTS: Final = cues("rejects")
FAULTS: Final = cues("faults")
AS_YOU_SAID: Final = cues("as_you_said")
CANNOT: Final = cues("cannot")
GAVE_INSTEAD: Final = cues("gave_instead")
OPENS_WITH_NO: Final = cues("opens_with_no")
YOU_DID: Final = cues("you_did")
REALLY_IS: Final = cues("really_is")
ONLY_DENIES: Final = cues("only_denies")
DOUBTS: Final = cues("doubts")
# Three lists, because in one their runs of any words make a new state of RE2's automaton in almost every sentence.
CONTRASTS: Final = (cues("is_this_not_that"), cues("is_not_but"), cues("contrasts_of_other_languages"))

_SETS_RIGHT: Final = cues("sets_right")
_EVALUATES: Final = cues("evaluates")
_AT_WORK: Final = cues("at_work")
# "It's still red" reports; "the flag still writes the file, so your claim is wrong" does not.
_STILL = re.compile(r"\bstill\b")
_RESULTS: Final = cues("results")

# ---- how sure it is

_FAULTY = bits(AS_YOU_SAID, FAULTS, CANNOT, GAVE_INSTEAD)
STARTS = _FAULTY | bits(REJECTS, OPENS_WITH_NO, *CONTRASTS, YOU_DID, REALLY_IS, ONLY_DENIES, DOUBTS)


def contrasts(plain: LowerText) -> bool:
    """Whether a sentence says that it is this and not that."""
    return any(cue.search(plain) is not None for cue in CONTRASTS)


def correction(sentence: Sentence) -> float:
    """Return the confidence, 0 to 1, that a sentence corrects something."""
    plain = sentence.plain
    opens = OPENS_WITH_NO.match(plain)
    rest = plain.text[opens.end() :].strip() if opens else plain.text
    if REJECTS.search(plain):
        left = REJECTS.exact.sub(" ", rest)
        is_denied = _DENIED.search(plain.text) and not _AS_YOU.search(plain.text)
        if is_denied or contrasts(LowerText(left, plain.seen)) or _NOT_THAT.search(left) or _says_how_it_is(rest):
            return 0.9 if not _CHOOSES.search(plain.text) else 0.0
        if _MEANT.search(plain.text):
            return 0.8
    if _SPELLS_OUT.search(plain.text) and _says_after_colon(plain):
        return 0.8
    if _FAULTY & plain.seen and _names_a_fault(sentence):
        return 0.8
    if opens and not (_EVALUATES.match(rest) or _COMMANDS.match(rest)):
        is_contrast = contrasts(LowerText(rest, plain.seen)) and not _AT_WORK.search(rest)
        if (is_contrast or _says_how_it_is(rest, weakly=True)) and not _RESULTS.search(rest):
            is_known = is_concrete(sentence.text, plain) or (_OURS.search(rest) and not opens["halts"])
            return 0.85 if is_contrast or is_known else 0.75 if _OF_A_KIND.match(rest) else 0.0
        return 0.8 if _BARE_CONTRAST.match(rest) else 0.0
    if _is_plain_contrast(plain) or _tells_otherwise(sentence):
        return 0.75
    if REALLY_IS.search(plain) and is_concrete(sentence.text, plain) and not TROUBLE.search(plain):
        return 0.75
    return 0.75 if sentence.follows_quote and _IT_IS.match(plain.text) and CONCRETE.search(plain.text) else 0.0


def _names_a_fault(sentence: Sentence) -> bool:
    """ "You should not have touched the lockfile, we pin by hand": what the agent did or would do, and why not."""
    plain = sentence.plain
    if GAVE_INSTEAD.search(plain):
        return not (_CHOOSES.search(plain.text) or _THANKS.search(plain.text))
    if (said := AS_YOU_SAID.search(plain)) and NEGATES.search(plain.text[: said.start()]):
        return _says_how_it_is(plain.text[said.end() :])
    if (cannot := CANNOT.match(plain)) and not _FOR_NOW.search(plain.text):
        reason = _NO_BUG.exact.sub(" ", plain.text[cannot.start("why") :])
        return not any(doubt.search(reason) for doubt in (TROUBLE, SUGGESTS))
    fault = FAULTS.search(plain)
    if fault is None or _FOR_NOW.search(plain.text) or _NOW.search(plain.text):
        return False
    rest = plain.text[fault.end() :]
    if not (contrasts(LowerText(rest, plain.seen)) or _says_how_it_is(rest, weakly=True)) or _RESULTS.search(rest):
        return False
    return (
        "should" in fault[0]
        or " as " in fault[0]
        or _WE.search(rest) is not None
        or is_concrete(sentence.text[fault.end() :], LowerText(rest))
    )


_NOW = re.compile(r"\bnow\b")
_DENIED: Final = cues("denied")
_AS_YOU: Final = cues("as_you")
_SPELLS_OUT = re.compile(r":\s+\S+ \S+ \S")


def _says_after_colon(plain: LowerText) -> bool:
    """ "You got the order wrong: first validate, then save."."""
    rejection = REJECTS.search(plain)
    if rejection is None or plain.text[rejection.end() : rejection.end() + 1] != ":":
        return False
    rest = plain.text[rejection.end() + 1 :]
    return not any(doubt.search(rest) for doubt in (TROUBLE, SUGGESTS, _AT_WORK))


_NOT_THAT: Final = cues("not_that")
_IT_IS = re.compile(r"(?:it's|it is|its) \S")
_OURS: Final = cues("names_ours")
_COMMANDS: Final = cues("tells_to_do")
_BARE_CONTRAST: Final = cues("bare_contrast")
_OF_A_KIND: Final = cues("of_a_kind")
_MEANT: Final = cues("meant")
_CHOOSES: Final = cues("picks_one")
_THIRD_PERSON: Final = cues("third_person")
_REQUIRED: Final = cues("required")
_NO_BUG: Final = cues("no_bug")
_FOR_NOW: Final = cues("for_now")


def _is_plain_contrast(plain: LowerText) -> bool:
    """Whether "it's X, not Y" without a "no" before it corrects: not if it reports trouble or asks for something."""
    return (
        _THIRD_PERSON.match(plain.text) is not None
        and len(plain.text) < _LONG
        and _REQUIRED.search(plain.text) is None
        and contrasts(plain)
        and not (_RESULTS.search(plain.text) or _FOR_NOW.search(plain.text) or SUGGESTS.search(plain))
        and not TROUBLE.search(_NO_BUG.exact.sub(" ", _CONSEQUENCE.exact.split(plain.text, maxsplit=1)[0]))
        and not any(_EVALUATES.match(clause.strip()) for clause in _CLAUSES.split(plain.text))
    )


_LONG = 160  # characters
_CONSEQUENCE: Final = cues("so_that")


def _tells_otherwise(sentence: Sentence) -> bool:
    """Whether it says how things are, and that the agent did not do so."""
    did = YOU_DID.search(sentence.plain)
    if did is None:
        return False
    text = sentence.plain.text
    before = text[: did.start()] or "".join(_BUT.exact.split(text, maxsplit=1)[1:]) or _after_the_first_clause(text)
    known = is_concrete(sentence.text, sentence.plain) or _WE.search(before) or _AGAINST.search(text)
    return bool(known) and _tells(before)


def _after_the_first_clause(text: str) -> str:
    """Return what follows on what the agent did: "you called her Mrs, she is a doctor"."""
    rest = "".join(_FIRST_CLAUSE.split(text, maxsplit=1)[1:])
    is_praise = _THANKS.search(text) is not None or _EVALUATES.match(rest) is not None
    return "" if is_praise or _RESULTS.search(rest) else rest


_FIRST_CLAUSE = re.compile(r"[,;:—–] ?")


def _tells(text: str) -> bool:
    return not TROUBLE.search(text) and (_says_how_it_is(text, weakly=True) or _HAS_TO_BE.match(text) is not None)


def did_otherwise(sentence: Sentence) -> bool:
    """Whether a sentence is about what the agent did, and nothing else: "You treat the end date as exclusive."."""
    did = YOU_DID.match(sentence.plain)
    return (
        did is not None
        and not sentence.is_question
        and len(sentence.plain.text) < _LONG
        and not _THANKS.search(sentence.plain.text)
    )


_THANKS: Final = cues("thanks")
_HAS_TO_BE: Final = cues("has_to_be")
_BUT: Final = cues("but_clause")
_WE: Final = cues("says_we")
_AGAINST: Final = cues("against")


# ---- two sentences

_BLAMES: Final = cues("blames")


def turns_round(denying: Sentence, sentence: Sentence) -> bool:
    """Whether what was denied gets its right name: "We don't run the tests with tox here. It's nox."."""
    return ONLY_DENIES.match(denying.plain) is not None and _NAMES.match(sentence.plain.text) is not None


_NAMES: Final = cues("gives_the_name")


def is_blame(sentence: Sentence) -> bool:
    """Whether a sentence says what the agent did, so that the next one may say how it is."""
    return _BLAMES.match(sentence.plain.text) is not None


def blames(blaming: Sentence, telling: Sentence) -> bool:
    """Whether one sentence says what the agent did, and the other how it is."""
    plain = telling.plain.text
    if telling.is_question or telling.is_request or len(plain) > _LONG or not _BLAMES.match(blaming.plain.text):
        return False
    if _THANKS.search(blaming.plain.text) or TROUBLE.search(blaming.plain):
        return False
    if NEGATES.search(plain):
        return contrasts(telling.plain) and not _RESULTS.search(plain)
    return not _COMMANDS.match(plain) and not TROUBLE.search(telling.plain) and _says_how_it_is(plain, weakly=True)


def only_rejects(sentence: Sentence) -> bool:
    """Whether a sentence says that something is wrong, and leaves open what is right."""
    plain = sentence.plain
    if sentence.is_question or sentence.is_request:
        return DOUBTS.match(plain) is not None
    if REJECTS.search(plain) or (ONLY_DENIES.match(plain) and not TROUBLE.search(_NO_BUG.exact.sub(" ", plain.text))):
        return True
    opens = OPENS_WITH_NO.match(plain)
    if opens is None:
        return False
    rest = plain.text[opens.end() :].strip(" .!,")
    return not rest or NEGATES.search(rest) is not None or _RENAMED.search(rest) is not None


_RENAMED: Final = cues("renamed")


def puts_right(rejected: Sentence, sentence: Sentence) -> bool:
    """Whether a sentence says what is right, after one that said what is wrong."""
    plain = sentence.plain
    strongly = REJECTS.search(rejected.plain)
    if strongly and _REMINDS.match(plain.text) and is_concrete(sentence.text, plain):
        return True
    if strongly and "instead" in plain.text and is_concrete(sentence.text, plain):
        return not _AT_WORK.search(plain)
    if sentence.is_request or (preference(sentence) > _PERHAPS and not plain.text.startswith("we ")):
        return False
    if not (_says_how_it_is(plain.text, weakly=not strongly) or (strongly and _EXPLAINS.match(plain.text))):
        return False
    opens = OPENS_WITH_NO.match(rejected.plain)
    if strongly or (opens and not opens["halts"] and not _COMMANDS.match(plain.text)):
        return True
    named = " called " in plain.text or is_concrete(sentence.text, plain) or _RESUMES.match(plain.text) is not None
    if rejected.is_question:
        return named and not _COMMANDS.match(plain.text)
    return (named or "your" in rejected.plain.text) and _SETS_RIGHT.match(plain.text) is not None


_REMINDS: Final = cues("reminds")
_RESUMES: Final = cues("resumes")
_PERHAPS = 0.8  # "Nope. We don't deploy from develop": after a "no" what we do is a correction
_EXPLAINS: Final = cues("explains")
_ADDS: Final = cues("adds_more")
_ADDS_A_DUTY: Final = cues("adds_a_duty")


def adds_to_a_correction(sentence: Sentence) -> bool:
    """Whether a sentence after a correction only says more of it: "The right one is config/prod.toml."."""
    plain = sentence.plain.text
    if len(plain) > _LONG or sentence.is_question or sentence.is_listed:
        return False
    if _ADDS_A_DUTY.match(plain):
        return not TROUBLE.search(plain)
    if _ADDS.match(plain) is None:
        return False
    return not any(doubt.search(plain) for doubt in (TROUBLE, _AT_WORK, _EVALUATES))


def rejects(sentence: Sentence) -> bool:
    """Whether a sentence says plainly that something was wrong, and has more to say."""
    if not REJECTS.search(sentence.plain):
        return False
    return STATES.search(REJECTS.exact.sub(" ", sentence.plain.text)) is not None


def only_repeats(sentence: Sentence) -> bool:
    """Whether a sentence says only what the agent said: "you wrote that Priya owns the service"."""
    return REJECTS.search(sentence.plain) is not None and not rejects(sentence)


_SINCE_VERSION: Final = cues("since_version")
_OPEN_END: Final = cues("open_end")
_CLAUSES = re.compile(r"[,:;—–(]| but | - |\.\.\. ")


def _says_how_it_is(text: str, *, weakly: bool = False) -> bool:
    """Whether some clause says how things are: no "not" in it, no trouble, no proposal."""
    if _SINCE_VERSION.search(text):
        return True
    doubts = (NEGATES, SUGGESTS, TROUBLE, _EVALUATES, _AT_WORK)
    return any(
        STATES.search(clause)
        and not (
            _OPEN_END.search(clause)
            or any(doubt.search(clause) for doubt in doubts)
            or (weakly and _STILL.search(clause))
        )
        for clause in map(str.strip, _CLAUSES.split(REJECTS.exact.sub(" ", text)))
    )
