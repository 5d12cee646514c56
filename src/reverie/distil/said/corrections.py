"""Cues that something was wrong, with what is right.

Both are needed: "No, try again" is only chat. They may stand in two sentences ("That's not our logger. We have our own
in lib/log.ts."), which is why there is also a test for a sentence that rejects and leaves the rest to the next one.
"""

import re
from typing import Final

from reverie.distil.said.cues import CONCRETE, NEGATES, STATES, SUGGESTS, TROUBLE, VERB, further, is_concrete
from reverie.distil.said.phrases import LowerText, bits
from reverie.distil.said.preferences import preference
from reverie.distil.said.rejections import (
    AS_YOU_SAID,
    CANNOT,
    CONTRASTS,
    DOUBTS,
    FAULTS,
    GAVE_INSTEAD,
    ONLY_DENIES,
    OPENS_WITH_NO,
    REALLY_IS,
    REJECTS,
    YOU_DID,
    contrasts,
)
from reverie.distil.said.sentences import Sentence

_SETS_RIGHT: Final = re.compile(
    r"(?:it's|it is|its|they're|they are|we're|we are|the|default|we \w+|our|that's|it \w+s\b|they \w+|everything) ?\S"
)
# What people say of anything; no news in it.
_EVALUATES: Final = re.compile(
    r"(?:it|that|this|they|these)(?:'s| is| was|'re| are|s)? "
    r"(?:(?:actually|just|really|very|so|pretty|quite|all|perfectly|totally|only|still|too|more|not) )*"
    r"(?:fine|ok|okay|good|great|hilarious|funny|nice|cool|perfect|weird|strange|odd|better|worse|bad|easy|hard"
    r"|right|true|interesting|amazing|awesome|clear|enough|done|a good|the (?:same|\w+ time)|fast|slow|broken"
    r"|annoying|it|working|your fault|finished|helping|what i expected)\b"
    r"|(?:it|that|this|they)(?:'s| is|'re| are) still running"
)
# How far the work is, what it shows just now, or a choice: "no, now the footer is gone", "the second one is better".
_AT_WORK: Final = further(r"""
    now (?:the|it|i|we|there|everything|all|my)
    gone|better|worse|nicer|simpler|cleaner|easier|prettier|idea|expected|cut off|too \w+
    (?:is|are|was|'s|'re|keeps?|still) (?:still |now |just |always |already )*(?!using|running|based|living|
        according)[a-z]{2,}ing
    prints?|printed|looks|looked|shows?|showed|displays?|displayed|returned|crash\w*|off by|pixels?|px
    (?:first|second|third|last|other|left|right|upper|lower|previous|next) (?:one|version|option|button|line|variant|
        try|approach|idea|half|test)
    i (?:need|see|get|got|want|checked|tried|tested|ran|have an?|have to|only want\w*|just want\w*)
    back|again|has to|have to|needs? to|should|must|\w*error|works? (?:now|after|fine|again|with)
    takes (?:\w+ ){0,2}\d+ (?:minutes?|seconds?|hours?|ms)
""")
# "It's still red" reports; "the flag still writes the file, so your claim is wrong" does not.
_STILL = re.compile(r"\bstill\b")
# Results of a run, parts of a page: that one is this and not that is a bug, not a thing to know.
_RESULTS: Final = re.compile(
    r"\b(?:results?|outputs?|button|image|crash|response|sum|count|colou?r|expected|pixels?|px|page|screen"
    r"|tests? (?:is|are|fails?)|called (?:twice|once|\d)|[45]0\d|not (?:that|so|as) \w+|i (?:see|get|got))\b"
)

# ---- how sure it is

_FAULTY = bits(AS_YOU_SAID, FAULTS, CANNOT, GAVE_INSTEAD)
STARTS = _FAULTY | bits(REJECTS, OPENS_WITH_NO, *CONTRASTS, YOU_DID, REALLY_IS, ONLY_DENIES, DOUBTS)


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
        is_contrast = contrasts(LowerText(rest, plain.seen)) and not _AT_WORK.exact.search(rest)
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
        reason = _NO_BUG.sub(" ", plain.text[cannot.start("why") :])
        return not any(doubt.search(reason) for doubt in (TROUBLE.exact, SUGGESTS.exact))
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
# "You said it is a dependency, it is not."
_DENIED = re.compile(
    r"(?:you|u) (?:said|claimed|wrote|assumed|told|stated|mentioned|thought)\b.{2,80}[,;—–-] ?(?:but |and |which )?"
    r"(?:it|that|they|this|he|she|there|we|you)?(?:'s| is| was| are|'re| does| do| has| have| did)? ?"
    r"(?:not|isn'?t|aren'?t|wasn'?t|doesn'?t|don'?t|didn'?t|hasn'?t|haven'?t)[.!]*$"
)
_AS_YOU = re.compile(r"\b(?:as|like) (?:you|u) (?:said|claimed|wrote|assumed|mentioned)\b")
_SPELLS_OUT = re.compile(r":\s+\S+ \S+ \S")


def _says_after_colon(plain: LowerText) -> bool:
    """ "You got the order wrong: first validate, then save."."""
    rejection = REJECTS.search(plain)
    if rejection is None or plain.text[rejection.end() : rejection.end() + 1] != ":":
        return False
    rest = plain.text[rejection.end() + 1 :]
    return not any(doubt.search(rest) for doubt in (TROUBLE.exact, SUGGESTS.exact, _AT_WORK.exact))


_NOT_THAT = re.compile(
    r"(?:, (?:and )?|[\w)] )(?<!is )(?<!are )(?<!was )(?<!do )(?<!does )(?<!did )(?<!but )(?<!ould )(?:not|nicht"
    r"|pas) (?!yet|sure|working|that|so\b|too)[\w/ǁǂ]|\by no [\w/ǁǂ]"
)
_IT_IS = re.compile(r"(?:it's|it is|its) \S")
_OURS = re.compile(r"\b(?:we|our|my|the|i|der|die|das|el|la|le|c'est)\b")
_COMMANDS = re.compile(
    rf"(?:please |pls |just |let's |lets |let us )*{VERB}\b(?! (?:is|are|means|was|has|doesn't|does not)\b| v?\d+\.\d)"
)
_BARE_CONTRAST = re.compile(
    r"(?:[\w./ǁǂ%-]+ ){0,2}[\w./ǁǂ%-]+, (?:not|nicht) (?:the |a |an |in |on |der |die |das |den |dem )?[\w./ǁǂ%-]+"
    r"(?: [\w-]+)?[.!]*$"
)
# All things of a kind: "timestamps are in milliseconds". Not what is so just now.
_OF_A_KIND = re.compile(
    r"(?!things\b|tests\b|builds\b|errors\b|results\b|changes\b|thanks\b|always\b|others\b)[a-z][\w-]+(?<![su'])s"
    r" (?:(?:only|always|all|never) )?(?:are (?:in|on|at|per|from|by|stored|sent|kept|counted|measured|given|numbered"
    r"|unique|case|optional|required|immutable|signed|zero|net|gross)|come|go|include|live|use|belong|expire|count"
    r"|(?:start|end) (?:on|at|with))\b"
)
# Which part of a setting was meant; a part of the program would be about the task at hand.
_MEANT = re.compile(
    r"\bi meant? (?:the|our|my) (?:[\w*./ǁǂ-]+ ){0,2}\*?(?:staging|production|prod|cluster|database|db|bucket|servers?"
    r"|host|branch|queue|namespace|account|environment|env|region|tenant|registry|topic|repo|repository)\b"
    r"(?! (?:is|are|was|has)\b)"
)
# One of several things in sight: "I meant the second button".
_CHOOSES = re.compile(
    r"\bi (?:meant?|asked for) (?:the |an? )?(?:first|second|third|last|other|left|right|upper|lower|one|list|tab"
    r"|button"
    r"|in\b|with\b)"
)
_THIRD_PERSON = re.compile(
    r"(?:(?:e?h?m+|uhm?|um|hm+|sorry|my mistake|my bad),? )+(?:my|our|the|it's|its|it is)\b"
    r"|(?:(?:and|but|so|also|oh|btw|by the way|hey|well|right|yes|sure|please fix|small thing|with respect"
    r"|no offen[cs]e"
    r"|to be precise|to be exact|for the record)[,:]? )*(?:it's|it is|its|it isn'?t|that's|that isn'?t|they're"
    r"|they are|they aren'?t|these|those|the|this|that|there(?:'s| is| are)|we don'?t|we do not|el|la|le|der|die|das|es"
    r"|c'est|ce n'est|not|nicht(?=.*,? sondern)|her|his|their"
    r"|[\w-]+ (?:isn'?t|is not|aren'?t|wasn'?t) (?:the|our|my|an?) [\w -]{2,30},? (?:it's|that's|they're|it is"
    r"|[\w-]+ is)"
    r"|(?:our|my) (?:[\w-]+ ){1,4}(?:isn'?t|is not|aren'?t|are not|wasn'?t)|[\w-]+'s [\w-]+ (?:[\w-]+ ){1,3}[\w.]*\d"
    r"|i'?m not|we(?:'re| are) not|we aren'?t|[ǁǂ]|[\w/]+ (?:is|was) (?:renamed|removed|decommissioned)"
    r"|(?:ms|mr|mrs|dr) \w+"
    r"|(?!our\b|my\b|i\b|we\b)[\w-]+ (?:is|are) (?:in |on |at |by |from |per |the "
    r"|an? )?[\w./'-]+(?: [\w./'-]+){0,3},? (?:and )?not)\b"
)
_REQUIRED = re.compile(r"\b(?:should(?! have)|must|has to|needs to|would|could|might)\b")
_NO_BUG = re.compile(
    r"\b(?:it|that|this)(?:'s| is) not (?:an? |the )?[\w -]{3,30}|\blooking at your\b|\b(?:not|isn'?t) an? (?:bug"
    r"|error|problem|issue|typo|mistake)\b|\b(?:don'?t|doesn'?t|does not|do not)\b"
)
_FOR_NOW = re.compile(r"\b(?:today|for now|right now|this time|at the moment|yet)\b")


def _is_plain_contrast(plain: LowerText) -> bool:
    """Whether "it's X, not Y" without a "no" before it corrects: not if it reports trouble or asks for something."""
    return (
        _THIRD_PERSON.match(plain.text) is not None
        and len(plain.text) < _LONG
        and _REQUIRED.search(plain.text) is None
        and contrasts(plain)
        and not (_RESULTS.search(plain.text) or _FOR_NOW.search(plain.text) or SUGGESTS.search(plain))
        and not TROUBLE.exact.search(_NO_BUG.sub(" ", _CONSEQUENCE.split(plain.text, maxsplit=1)[0]))
        and not any(_EVALUATES.match(clause.strip()) for clause in _CLAUSES.split(plain.text))
    )


_LONG = 160  # characters
_CONSEQUENCE = re.compile(r",? so (?!that\b)|, that's why ")


def _tells_otherwise(sentence: Sentence) -> bool:
    """Whether it says how things are, and that the agent did not do so."""
    did = YOU_DID.search(sentence.plain)
    if did is None:
        return False
    text = sentence.plain.text
    before = text[: did.start()] or "".join(_BUT.split(text, maxsplit=1)[1:])
    known = is_concrete(sentence.text, sentence.plain) or _WE.search(before) or _AGAINST.search(text)
    return bool(known) and _tells(before)


def _tells(text: str) -> bool:
    return not TROUBLE.exact.search(text) and (_says_how_it_is(text, weakly=True) or _HAS_TO_BE.match(text) is not None)


def did_otherwise(sentence: Sentence) -> bool:
    """Whether a sentence is about what the agent did, and nothing else: "You treat the end date as exclusive."."""
    did = YOU_DID.match(sentence.plain)
    return (
        did is not None
        and not sentence.is_question
        and len(sentence.plain.text) < _LONG
        and not _THANKS.search(sentence.plain.text)
    )


_THANKS = re.compile(r"\b(?:thanks|thank|great|good|nice|perfect|well|please|can you|could you|right|correctly)\b")
_HAS_TO_BE = re.compile(
    r"(?:(?:and|but|so|no|hm)[,:]? )*(?:it|this|that|these|those|they) (?:has to|have to|must|should|needs? to) be\b"
)
_BUT = re.compile(r",? (?:but|while|whereas|although) ")
_WE = re.compile(r"\b(?:we|our|by design)\b")
_AGAINST = re.compile(
    r"\b(?:whereas|but you|while you|instead|as if|your [\w ]{2,20} (?:assumes?|treats?|thinks?)"
    r"|you(?:'ve| have)? \w+ (?:it|them|those|that) (?:as|like|to|in|for|with))\b"
)


# ---- two sentences


_BLAMES = re.compile(
    r"(?:(?:but|and|hm+|hmm|so) )?(?:you|u)(?:'ve| have)? (?:just |again |still |also )?(?:wrote|said|put|used"
    r"|have (?:it|them)|had (?:it|them)|swapped"
    r"|treat(?:ed)?|assumed?|called|named|converted|mixed|confused|claimed|listed|counted|rounded|sorted|hardcoded"
    r"|addressed"
    r"|spelled|labell?ed|took|write|use|call|made|set|marked)\b"
)


def turns_round(denying: Sentence, sentence: Sentence) -> bool:
    """Whether what was denied gets its right name: "We don't run the tests with tox here. It's nox."."""
    return ONLY_DENIES.match(denying.plain) is not None and _NAMES.match(sentence.plain.text) is not None


_NAMES = re.compile(
    r"(?:it's|they're|its|it is) (?!an?\b|the\b|our\b|my\b|not\b|just\b|too\b|so\b|why\b|how\b|fine|ok\b)[\w./-]+[.!]*$"
)


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
    if REJECTS.search(plain) or (ONLY_DENIES.match(plain) and not TROUBLE.exact.search(_NO_BUG.sub(" ", plain.text))):
        return True
    opens = OPENS_WITH_NO.match(plain)
    if opens is None:
        return False
    rest = plain.text[opens.end() :].strip(" .!,")
    return not rest or NEGATES.search(rest) is not None or _RENAMED.search(rest) is not None


_RENAMED = re.compile(r"\b(?:renamed|removed|moved|dropped|replaced|changed|deprecated|killed)\b")


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


_REMINDS = re.compile(
    r"i (?:already )?(?:told you|said)(?: already| before| twice)?[,:]? (?:to use |use )?[\w./-]+[.!]*$"
)
_RESUMES = re.compile(r"(?:it's|they're|that's|its|it is|they are) (?:[\w-]+ ){0,4}[\w-]+[.!]*$")
_PERHAPS = 0.8  # "Nope. We don't deploy from develop": after a "no" what we do is a correction
_EXPLAINS = re.compile(r"(?:it|that|this|they|which)(?:'s| is| means?| stands? for|'re| are| was)\b")
_ADDS = re.compile(
    r"(?:it's|it is|its|that's|they're|the (?:right|correct|actual|real|new|live|current|proper) (?:\w+ ){1,2}(?:is"
    r"|are)"
    r"|you (?:read|used|took|looked at|opened|checked|edited|copied|picked|mixed)|[\w-]+ (?:is|are) [ǁǂ])"
)
_ADDS_A_DUTY = re.compile(r"(?:it|they) (?:must|should|has to|have to|needs? to) be (?!\w+ed\b|done\b|able\b)")


def adds_to_a_correction(sentence: Sentence) -> bool:
    """Whether a sentence after a correction only says more of it: "The right one is config/prod.toml."."""
    plain = sentence.plain.text
    if len(plain) > _LONG or sentence.is_question or sentence.is_listed:
        return False
    if _ADDS_A_DUTY.match(plain):
        return not TROUBLE.exact.search(plain)
    if _ADDS.match(plain) is None:
        return False
    return not any(doubt.search(plain) for doubt in (TROUBLE.exact, _AT_WORK.exact, _EVALUATES))


def rejects(sentence: Sentence) -> bool:
    """Whether a sentence says plainly that something was wrong, and has more to say."""
    if not REJECTS.search(sentence.plain):
        return False
    return STATES.exact.search(REJECTS.exact.sub(" ", sentence.plain.text)) is not None


def only_repeats(sentence: Sentence) -> bool:
    """Whether a sentence says only what the agent said: "you wrote that Priya owns the service"."""
    return REJECTS.search(sentence.plain) is not None and not rejects(sentence)


_SINCE_VERSION = re.compile(
    r"\b(?:came (?:with|in)|(?:was|were|got) (?:added|introduced|removed|dropped|deprecated|renamed) (?:in|with)) "
    r"(?:version |python |v)?\d"
)
_OPEN_END = re.compile(r"\b(?:is|are|was|were)[\s.!]*$")  # what was said to be wrong stood there
_CLAUSES = re.compile(r"[,:;—–(]| but | - |\.\.\. ")


def _says_how_it_is(text: str, *, weakly: bool = False) -> bool:
    """Whether some clause says how things are: no "not" in it, no trouble, no proposal."""
    if _SINCE_VERSION.search(text):
        return True
    doubts = (NEGATES, SUGGESTS.exact, TROUBLE.exact, _EVALUATES, _AT_WORK.exact, *([_STILL] if weakly else []))
    return any(
        STATES.exact.search(clause) and not (_OPEN_END.search(clause) or any(doubt.search(clause) for doubt in doubts))
        for clause in map(str.strip, _CLAUSES.split(REJECTS.exact.sub(" ", text)))
    )
