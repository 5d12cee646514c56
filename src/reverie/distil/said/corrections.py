"""How a sentence shows that something was wrong, and says what is right.

Both are needed: "No, try again" is only chat. They may stand in two sentences ("That's not our logger. We have our own
in lib/log.ts."), which is why there is also a test for a sentence that rejects and leaves the rest to the next one.
"""

import re
from typing import Final

from reverie.distil.said.cues import (
    CONCRETE,
    JUST_NOW,
    NEGATES,
    STATES,
    SUGGESTS,
    TROUBLE,
    anywhere,
    cues,
    is_concrete,
    name,
)
from reverie.distil.said.phrases import Plain, bits
from reverie.distil.said.preferences import preference
from reverie.distil.said.sentences import Sentence

name(
    no=r"""
    no|nope|nah|(?:still )?wrong(?: again)?|incorrect|nein|falsch|non|not quite|not exactly|not really|almost|
        close|careful
    again|wait|hold on|one correction|nö|ne|negative
    """
)

# The writer says that something was wrong, and cannot mean anything else.
_REJECTS: Final = cues(r"""
    (?:that|this|it|which|your \w+|these|those)(?:'s| is| was|s| are) (?:just |simply |still |actually |plain |
        also |all )?(?:wrong|incorrect|false|outdated|a mistake|mistaken|out of date)(?= *(?:$|[,.:;!—–(-]|about|here|
        because|since|again))
    (?:that|this|it|which|these|those)(?:'s| is| was|s| are)? ?(?:not|isn't|wasn't|aren't|ain't) (?:quite |really |
        actually )?(?:right|correct|true|accurate|our|how (?:we|our|it|the|my)|the (?:right|correct|case))
    i don't think (?:that|this|it)(?:'s| is) (?:right|correct|true)
    not (?:right|correct|true)(?=[,.:])
    (?:you're|you are|ur|u r) (?:wrong|mistaken|confusing|mixing|thinking of)
    you(?:'ve| have)? (?:mis\w+|mixed up|mixed|confused|swapped|guessed wrong|forgot(?:ten)?|overlooked|ignored)
    you(?:'ve| have)? (?:got|had|have|did|put|set|made|wrote|spelled)\b.{0,50}\b(?:wrong|backwards|mixed up|
        reversed|confused|upside down|the other way(?: round| around)?|the wrong way(?: round| around)?|swapped)
    that's (?:our|the|an?) (?:old|former|previous|legacy|wrong|deprecated)
    you should(?:'ve| have) \w+
    you were supposed to
    that's a (?:typo|mistake|mix-?up)
    (?:i think )?you (?:probably )?mean
    (?:sorry for the|to avoid) (?:confusion|misunderstandings?)
    (?:there's|there is|this is|that's) a misunderstanding
    that's (?:last|from last|the previous) \w+(?:'s)?
    i asked (?:you )?(?:for|to)
    we agreed(?: on| that| to)?
    as (?:i )?(?:said|mentioned|wrote|explained|discussed)
    i was wrong(?: earlier| before)?
    (?:as )?(?:i|we) (?:already |just )?(?:told|said|mentioned)(?: to)?(?: you)?(?: already| before| earlier| twice|
         again)?(?: that)?
    (?:you|u) (?:used|put|wrote|took|ran|called|named|assumed|picked|chose|based|set|added|imported|installed|
        edited|changed|deployed|pushed|tagged|targeted|queried|connected|pointed|went|created|started|generated|
        hardcoded|reverted|tested|hit|asked|thought|treated|read|named|spelled|listed|counted)\b.{0,80}?\b(?:again|
        but|wrong|instead of|although|even though|which (?:is|was|doesn't|isn't))
    (?:you|u) (?:assumed|thought|wrote|spelled|called it|named it)
    (?:you|u) (?:still|keep|again|constantly) \w+
    the wrong \w+ again
    (?:you|u|that's|this is|it's)\b.{0,40}\bthe wrong (?!way)\w+
    ^wrong \w+(?=[.,!;:—–]|$)
    (?:doesn't|does not|don't|do not) exist(?: any ?more)?
    i (?:meant|mean)
    not what i (?:meant|said|asked for)
    (?:small |one |quick )?correction(?=[:,])
    (?:one |a |small |another |the )*(?:mistake|error|typo|slip) in (?:your|the) \w+(?=[:,])
    there(?:'s| is) no such
    das (?:ist|war) (?:falsch|nicht richtig)
    stimmt (?:so )?nicht
    (?:eso |esto )?est(?:á|o está) mal
    no es (?:correcto|así)
    c'est faux
    ce n'est pas (?:ça|correct|juste)
""")
_OPENS_WITH_NO: Final = anywhere(r"""
    ^(?:<and_so>|(?:ah|uh|um|sorry|hold on|stop|thx|thanks|no|nope|wait),?[ ])*(?:<no> *(?:[,.!:—–…]|- |$)|
        no (?=it's|its|it is|we|the|our|that's|they|there|i )|
        (?:actually|eigentlich|en realidad|en fait|tatsächlich|in fact)\b,?)
""")

# It is this, not that; or: what you think of is no more.
_IS_THIS_NOT_THAT: Final = cues(r"""
    (?:is|are|was|were|\w+'s|\w+'re|its|has|have|uses?|lives?|comes?|runs?|starts?|goes|called|named|spelled|
        points?|sits?|we \w+) [^,;]{1,80}?,? (?:and )?not (?!only|sure|yet|working|too|that|just|because|a (?:big|
        problem)|so\b|very|me\b|even|necessarily|really|to\b|the (?:problem|issue|best))[\w/'.ǁǂ@#:-]+
    (?:is|are|was) [^,;]{1,60}, (?:it's|it is|they're|they are|that's) not [\w/'.ǁǂ@#:-]+
""")
_IS_NOT_BUT: Final = cues(r"""
    (?:isn't|is not|aren't|are not|wasn't|'m not|'re not|am not|not|doesn't have|don't have|has no|have no|
        there's no|there is no|no longer) [^.;]{1,60}?[,:—–-] ?(?:but |rather |only |just )?(?:it's(?! (?:about|
        just|only|more))|it is|its|it has|they have|they're|they are|i'm|we're|we've|he's|she's|we (?:use|have|are|
        run|deploy|call|keep|switched|moved)|the \w+ (?:is|are)|[\w'-]+ (?:is|are|does))
    (?:is|are) [^,;]{1,60}, (?:but )?you (?:used|wrote|put|added|took|have|assumed|set|called|named|said)
    not [^,;.]{1,40}?,? but (?:the |a |an |in |on |with |from |via |at )?[\w/.ǁ-]+
    (?:deprecated|obsolete|discontinued|no longer \w+|dead|gone)[,;—–-] ?(?:so |please )?(?:we )?(?:use|now|it's|
        the new|switch)\b.*
    (?:the|el|la|le|der|die|das) (?:correct|right|actual|real|proper|richtige|\w+ correct[oae]s?) ?(?:\w+ )?(?:is|
        are|ist|es|son|est|lautet|heißt)
    (?:was|were|got|has been|have been|is|are) (?:decommissioned|renamed|removed|retired|shut down|the old name|
        superseded|replaced by)
    we (?:don't|do not) (?:use|have|run) .{1,40}(?:any ?more|any longer)[,.:;—–-]? .*\b(?:switched|moved|migrated|
        replaced|now)
    the other way (?:a?round)[:,] .*
    ^(?:the )?(?:[\w./ǁǂ-]+ ){0,2}[\w.-]*[ǁǂ/\d][\w./ǁǂ-]*,? not (?:the )?[\w./ǁǂ-]+[\w ]{0,20}[.!]*$
    ^not (?!sure|yet|now|really|quite|bad|today|an?\b|the\b|at all|that|too|so\b|only|just|my\b|exactly|
        necessarily)[\w./ǁǂ-]+(?: [\w./ǁǂ-]+)?, (?:but )?(?!sorry|no\b|thanks|maybe|later|though|
        but)[\w./ǁǂ-]+(?: [\w./ǁǂ-]+)?[.!]*$
""")
_IN_OTHER_LANGUAGES: Final = cues(r"""
    (?:es|son|está|est|ist|sind|läuft|liegt|se llama|heißt|c'est) [^,;]{1,80}?, (?:no|pas|nicht) [\w/'.ǁǂ@#:-]+
    ce n'est pas .{1,40}, c'est .*
    nicht .{1,40},? sondern .*
    no (?:es|son|está)? ?.{1,40},? sino .*
    (?:n'est|ne sont|pas) .{1,40},? mais .*
""")
# Three lists, because in one their runs of any words make a new state of RE2's automaton in almost every sentence.
_CONTRASTS: Final = (_IS_THIS_NOT_THAT, _IS_NOT_BUT, _IN_OTHER_LANGUAGES)


def _contrasts(plain: Plain) -> bool:
    return any(cue.search(plain) is not None for cue in _CONTRASTS)


# "The region isn't us-east-1.", "Not `yarn test`.": what is right comes in the next sentence.
_REALLY_IS: Final = cues(r"""
    (?:it|they|we|i|the [\w -]{2,30}|our [\w -]{2,30}|that)(?:'s|'re|'m| is| are| am| was|
         were) actually (?!\w+ing\b)
    (?:it|they|we|i|the [\w -]{2,30}|our [\w -]{2,30}) actually (?:uses?|runs?|lives?|has|have|comes?|goes|deploys?|
        calls?|needs?|starts?|means?)
""")
_ONLY_DENIES: Final = anywhere(r"""
    ^(?:(?:and|but|so|hey|careful|wait|no|nope)[,:]? )*(?:[\w'./ǁǂ-]+ ){1,5}?(?:isn't|is not|aren't|are not|
        wasn't) (?!\w+ing\b)(?:[\w'./ǁǂ-]+ ?){1,6}[.!]*$
    ^not [ǁǂ]+
    ^there(?:'s| is| are) no (?:[\w'./ǁǂ-]+ ?){1,4}[.!]*$
""")
_SETS_RIGHT: Final = re.compile(r"(?:it's|it is|its|they're|they are|we're|we are|the|default|we \w+|our|that's) ?\S")

# What people say of anything; no news in it.
_EVALUATES: Final = re.compile(
    r"(?:it|that|this|they|these)(?:'s| is| was|'re| are)? "
    r"(?:(?:actually|just|really|very|so|pretty|quite|all|perfectly|totally|only|still|too|more|not) )*"
    r"(?:fine|ok|okay|good|great|hilarious|funny|nice|cool|perfect|weird|strange|odd|better|worse|bad|easy|hard"
    r"|right|true"
    r"|interesting|amazing|awesome|clear|enough|done|a good|the same|fast|slow|broken|annoying|it|working"
    r"|your fault"
    r"|finished|helping|what i expected)\b"
)

# ---- how sure it is

STARTS = bits(_REJECTS, _OPENS_WITH_NO, *_CONTRASTS, _REALLY_IS, _ONLY_DENIES)


def correction(sentence: Sentence) -> float:
    """How sure it is that a sentence corrects something; 0 if it does not."""
    plain = sentence.plain
    opens = _OPENS_WITH_NO.match(plain)
    rest = plain.text[opens.end() :].strip() if opens else plain.text
    if _REJECTS.search(plain) and (
        _contrasts(plain) or _NOT_THAT.search(_REJECTS.exact.sub(" ", plain.text)) or _says_how_it_is(rest)
    ):
        return 0.9
    if opens and not _EVALUATES.match(rest) and (_contrasts(plain) or _says_how_it_is(rest)):
        return 0.85 if _OURS.search(rest) or is_concrete(sentence.text, plain) else 0.0
    if _is_plain_contrast(plain):
        return 0.75
    if _REALLY_IS.search(plain) and is_concrete(sentence.text, plain) and not TROUBLE.search(plain):
        return 0.75
    return 0.75 if sentence.follows_quote and _IT_IS.match(plain.text) and CONCRETE.search(plain.text) else 0.0


_NOT_THAT = re.compile(r"\w,? (?:not|nicht|pas) [\w/ǁǂ]")
_IT_IS = re.compile(r"(?:it's|it is|its) \S")
_OURS = re.compile(r"\b(?:we|our|my|the|i|der|die|das|el|la|le|c'est)\b")
_THIRD_PERSON = re.compile(
    r"(?:(?:e?h?m+|uhm?|um|hm+|sorry|my mistake|my bad),? )+(?:my|our|the|it's|its|it is)\b"
    r"|(?:(?:and|but|so|also|oh|btw|by the way|hey|well|right|yes|sure|please fix)[,:]? )*(?:it's|it is|its|that's"
    r"|they're"
    r"|they are|these|those|the|this|that|there (?:is|are)|we don't|we do not|el|la|le|der|die|das|es|c'est"
    r"|ce n'est|not"
    r"|we call (?:it|them)|[\w-]+ (?:isn't|is not|aren't|wasn't) (?:the|our|my|an?) [\w -]{2,30},? (?:it's|that's"
    r"|they're|it is)"
    r"|i'm not|we're not|[ǁǂ]|[\w/]+ (?:is|was) (?:renamed|removed|decommissioned))\b"
)
_REQUIRED = re.compile(r"\b(?:should|must|has to|needs to|would|could|might)\b")


def _is_plain_contrast(plain: Plain) -> bool:
    """Whether "it's X, not Y" without a "no" before it corrects: not if it reports trouble or asks for something."""
    return (
        _THIRD_PERSON.match(plain.text) is not None
        and len(plain.text) < 140
        and _REQUIRED.search(plain.text) is None
        and _contrasts(plain)
        and not any(cue.search(plain) for cue in (TROUBLE, SUGGESTS, JUST_NOW))
    )


# ---- two sentences


def only_rejects(sentence: Sentence) -> bool:
    """Whether a sentence says that something is wrong, and leaves open what is right."""
    plain = sentence.plain
    if _REJECTS.search(plain) or (_ONLY_DENIES.match(plain) and not TROUBLE.search(plain)):
        return True
    opens = _OPENS_WITH_NO.match(plain)
    if opens is None:
        return False
    return not plain.text[opens.end() :].strip(" .!,") or NEGATES.search(plain.text, opens.end()) is not None


def puts_right(rejected: Sentence, sentence: Sentence) -> bool:
    """Whether a sentence says what is right, after one that said what is wrong."""
    plain = sentence.plain
    strongly = _REJECTS.search(rejected.plain)
    if strongly and "instead" in plain.text and is_concrete(sentence.text, plain):
        return True
    if sentence.is_request or not _says_how_it_is(plain.text) or preference(sentence):
        return False
    if strongly or _OPENS_WITH_NO.match(rejected.plain):
        return True
    named = " called " in plain.text or is_concrete(sentence.text, plain)
    return named and _SETS_RIGHT.match(plain.text) is not None


_CLAUSES = re.compile(r"[,:;—–(]| but | - |\.\.\. ")


def _says_how_it_is(text: str) -> bool:
    """Whether some clause says how things are: no "not" in it, no trouble, no proposal."""
    doubts = (NEGATES, SUGGESTS.exact, TROUBLE.exact, _EVALUATES)
    return any(
        STATES.exact.search(clause) and not any(doubt.search(clause) for doubt in doubts)
        for clause in _CLAUSES.split(_REJECTS.exact.sub(" ", text))
    )
