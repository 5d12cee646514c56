"""Cues that the writer wants things done a certain way, not only this time.

The difficulty is what looks the same: one-off instructions ("rename it everywhere"), requirements of the program ("the
function must always return a list"), choices between offers ("I prefer the second one") and complaints. So most cues
count only together with a word for habit or scope, or when they can only be meant for the agent.
"""

import re
from typing import Final

from reverie.distil.said import changes, everyday
from reverie.distil.said.changes import takes_back
from reverie.distil.said.conventions import CONVENTION, CONVENTIONS, HABIT, HOUSE_RULE, OUR_STYLE, SCOPE
from reverie.distil.said.cues import (
    BOOK,
    IMPERATIVE,
    JUST_NOW,
    TIMES,
    TROUBLE,
    VERB,
    anywhere,
    cues,
    further,
    opening,
    pattern,
)
from reverie.distil.said.everyday import is_about_a_kind, writes_here
from reverie.distil.said.manners import (
    CALL_ME,
    HOW_TO_REPORT,
    MAY_WITHOUT_ASKING,
    NO_SUCH_OUTPUT,
    STOP_DOING,
    WAYS_OF_WORKING,
    WHEN_YOU,
)
from reverie.distil.said.other_languages import OTHER_LANGUAGES
from reverie.distil.said.phrases import LowerText, Phrases, bits, words
from reverie.distil.said.sentences import Sentence
from reverie.distil.said.subjects import topic_of
from reverie.distil.said.wishes import CHOOSES, I_DISLIKE, I_PREFER, I_RATHER, I_WANT, OF_YOU, WANTS_IT_BUILT

# It holds from now on, not only for the task at hand.
_FROM_NOW_ON: Final = cues(r"""
    from (?:now|here|today) on(?:wards?| out)?
    henceforth
    (?:make|get into|get in) (?:it |that |this )?(?:a|the) habit
    as a (?:general )?rule
    unless (?:i|told|asked|stated|specified)\b.{0,30}otherwise
    unless i (?:say|ask|tell|explicitly)
    ab (?:jetzt|sofort|heute|nun)
    in zukunft|für die zukunft|künftig|zukünftig|a partir de ahora
    de (?:ahora|aquí) en adelante
    en el futuro|à partir de maintenant|désormais|dorénavant|à l'avenir
""")

# The same words also tell plans; they count with a command or a "you".
_IN_FUTURE: Final = cues(r"""
    (?:going|moving) forward
    (?<!is )(?<!be )(?<!are )(?<!date )(?<!time )(?<!days )(?<!far )in (?:the )?future
    for (?:the )?future(?! reference)
    (?:for )?next time(?=,? (?:please|you|ask|use|do|don't|tell|check|run|just|first))
    for next time(?=[:,])
""")
_TO_THE_AGENT: Final = further(r"""
    <clause>(?:<verb>|don't|do not|never|always|no|only|just|avoid)
    (?:you|u|please|pls|plz|i want|i'd like|i expect)
""")
_PLANS: Final = further(r"""
    (?:we|it|they|i|the \w+)(?: will|'ll| may| might| plan| could| would(?! be (?:grateful|thankful|happy|
        great)| like| love|
         prefer| appreciate)| can)
    (?:may|might|will) (?:be|move|change|need)
    (?:from now on|as a rule),? (?:i (?:get|see|have)|it|this|the \w+ (?:is|are|\w+s))
""")

# Strong enough to make a wish of "I want": not "I want every row to have an id".
_HABITUALLY: Final = further(r"""
    always|never|ever
    (?:every|each) ?time
    whenever|by default|in general|generally|throughout|everywhere|as a rule
    across the (?:board|site|codebase|repo|project|app|code)
    (?:in|for|of|on|across) (?:this|my|our|the whole|the entire|these) (?:\w+ )?(?:repos?|repository|code ?base|
        package|monorepo|workspace)
    (?:for|in|with) (?:everything|anything)
    (?:in|for|on) (?:all|every|any) (?:plots?|charts?|figures?|docs|commits?|prs?|answers?|replies|reports?|texts?|
        e?mails?|
        messages?)
    (?:all|every|each|any) (?:my|your|our|new|future)
    (?:for|in|with|before|after) (?:every|each) (?:\w+ )?(?:commit|push|merge|pr|release|change|edit|answer|reply|
        report|bug ?fix|feature|script|file|function|class|module|test|endpoint|migration|plot)
    (?:you|u) (?:write|make|give|create|open|send|generate|produce|propose|suggest|add|report|commit|show|print|
        plot)
    in your (?:answers|replies|responses|messages|commits|summaries|explanations|code|output|suggestions)
    also in|any more|anymore|all the time|immer
    nie(?:mals)?
    siempre|nunca|toujours|jamais
""")

# Words that make even a question a wish: "could you always number them?"
_ALWAYS: Final = cues(r"""
    always|never|whenever(?! (?:we|you|i|somebody|someone) next)
    (?:every|each) ?time
    (?:before|after|for|with|in|on) (?:every|each)
    by default|in general|generally|immer|siempre|toujours
    stop \w+ing
    (?:answer|reply|respond|talk|speak|write) (?:to )?me in <language>
    (?:mich |uns )(?:bitte )?duzen|me tutoyer
    (?:can|could|shall|should) we (?:please |just |all |maybe )*(?:stick (?:to|with)|stay (?:with|on|away from)|agree|
        settle on|
        keep to|steer clear of)
""")

# The sentence before holds generally: "That goes for all components.", "Always."
_SO_GENERALLY: Final = opening(r"""
    (?:that|this|it|same|the same)(?:'s| is)? ?(?:true|goes|holds|applies|counts|valid|a (?:general )?rule|my|
        how (?:i|we)|what (?:i|we|the))\b.{0,80}\b(?:all|every|everything|always|general|generally|everywhere|any|
        future|from now on|for good|whole (?:repo|project|codebase))
    (?:always|every ?time|in general|everywhere|as a rule|from now on|no exceptions?|ever|generally|by default|
        throughout|immer|siempre|toujours)(?: please| pls| btw)?[\s.!]*$
    (?:remember|respect|follow|note|keep) (?:that|this|it)(?: in mind)?(?: please| for (?:new|next|all|every|any|
        later|future).*| in (?:this|our|my|all|future).*| from now on| everywhere)?[\s.!]*$
    stick (?:to|with) (?:that|this|it)
    i (?:always |generally )?(?:prefer|want|like) (?:it|that|this)\b.*\b(?:in general|generally|always|every|all)
    (?:the )?same (?:goes )?for (?:all|every|everything|any) ?(?:new|future|my|our|your)?
""")

# The same inside one sentence.
_SAME_GOES: Final = cues(r"""
    (?:that|this|same)(?:'s| is)? (?:true |goes |holds |applies |counts |valid )+(?:for|to|in) (?:all|every|
        everything|any)\b.*
    ^we\b.*[,;.—–-] ?(?:so )?(?:please |pls )?(?:do the same|do likewise|do so too|follow (?:that|this|it|suit)|
        respect (?:that|this|it)|stick to (?:that|this|it)|keep to (?:that|this|it))\b.*
    remember (?:that|this|it) for (?:new|next|all|every|any|later|future)\b.*
    not (?:only|just) (?:today|now|here|this time)
""")

# "Always use", "never push", "only ever run": told to the agent, at the start of a clause.
_ALWAYS_DO: Final = BOOK.add(
    pattern(r"""
    <clause>(?:(?:you|u) (?:should |must |need to |have to )?)?
    \b(?:you|u|remember|sure|try|please|need|like|love|prefer|habit) to[ ]
    \b(?:could|can|would) (?:you|u) (?:please )?
    \bif you (?:could )?
    \b(?:let's|lets)[ ]
    ^<and_so>*(?:in|for|on|when|with|at|inside) (?!some|the\b|that\b|my\b)(?:(?!i\b|we\b|it\b|they\b|he\b|she\b|you\b|
        who\b|which\b)[\w./+#-]+ ){1,4}
    """)
    + r"(?:always|never(?! ?-?mind\b|-| again\b)|don't ever|do not ever|only ever|ever only"
    r"|under no circumstances?,?(?: (?:should|must|may) (?:you|we))?"
    r"|(?:don't|dont|do not)(?=.*\bunder any circumstances?\b)(?:,? under any circumstances?,?)?"
    r") +(?:ever )?(?:please )?(?P<verb>[a-z][\w-]*)"
)

_ENDS_ALWAYS: Final = anywhere(r"""
    (?:,| -|—|–) *(?:please,? )?(?:always|ever|every ?time|everywhere|without exception|no exceptions|as a rule|
        in general|
        by default|immer|siempre|toujours)(?:,? (?:please|pls))?[\s.!)]*$
""")

# What a program has to do. "The function must always return a list."
_REQUIRES: Final = Phrases(
    pattern(r"""
    ^(?:and |but |so |also )*(?:the|it|this|that|these|those|a|an|(?:each|every)(?! (?:commit|pr|pull request|mr|
        merge request|branch|release|migration)\b)|they|users?|customers?|clients?|input|
        output|
        both|if|one)\b.*\b(?:should|must|has to|have to|needs? to|can|may|will|shall)\b
""")
)

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


_SO_ALWAYS = re.compile(r"\b(?:so|please|pls),? (?:please )?(?:always|never)\b")  # whatever the first half requires


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
    return JUST_NOW.exact.search(_HERE.sub(" ", plain.text)) is not None


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


# "Rename it everywhere" is done when it is done.
_DONE_ONCE = re.compile(
    r"(?:(?:and|so|ok|now|then|please|pls|can you|could you)[,:]? )*(?:convert|rename|replace|remove|delete|migrate"
    r"|update|upgrade"
    r"|change|move|fix|add|apply|search|port|rewrite|refactor|switch)\b"
)
# A word of these topics at least; what is said of them is looked at more closely.
_STYLE_WORDS: Final = cues(r"""
    tabs?|spaces?|indent\w*|quotes?|quot\w+|semi-?colons?|camel|camelcase|snake|pascal|pascalcase|kebab|spelling|
        british|american|npm|pnpm|yarn|bun|
        24h|12h|clock|(?:24|12)[- ]h\w*|(?:us|uk) (?:english|spelling)
    am/pm|metric|imperial|si units|celsius|fahrenheit|numpy|google|sphinx|rest\w*|epytext|conventional|gitmoji|
        semantic
    imperative|past tense|\d+[- ](?:columns?|char\w*)|lines?
""")
_REMEMBERS: Final = opening(r"remember")
_CLEAR = (CONVENTIONS, I_DISLIKE, OF_YOU, WAYS_OF_WORKING, HOW_TO_REPORT, STOP_DOING, OTHER_LANGUAGES, _SAME_GOES)
_LESS_CLEAR = (MAY_WITHOUT_ASKING, NO_SUCH_OUTPUT)
STARTS = (
    changes.STARTS
    | everyday.STARTS
    | bits(
        *(
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
)
_THAN = re.compile(r"\bthan\b(?!.*\b(?:this|it|now)\b)")
_REMEMBER = re.compile(
    r"(?:please )?remember\b(?! that (?:the|our|my|we|it|there|\w+ (?:is|are|has|have))\b).*\b(?:don't|do not|never"
    r"|always|no|only|i (?:like|hate|want))\b"
)


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
_CHOICE = re.compile(r"\b(?:not|no|only|instead of|over|rather than)\b|\b(?:i|we) (?:want|like|prefer|use)\b")


# ---- what is about the work at hand


def _is_about_the_work(sentence: Sentence) -> bool:
    plain = sentence.plain
    if sentence.is_request and _OF_A_PROGRAM.search(plain.text):
        return True
    if sentence.is_request and (not _ALWAYS.search(plain) or _LOOKS.match(plain.text)):
        return True
    return bool(_REQUIRES.match(plain) or WANTS_IT_BUILT.search(plain) or _NO_PREFERENCE.search(plain.text))


_OF_A_PROGRAM = re.compile(r"\b(?:that|which|who) (?:always|never|only|generally)\b")
_LOOKS = re.compile(
    r"(?!.*\bagree\b).*\b(?:be|tell|explain|show|check|see|find|look|verify|confirm|believe|imagine|say|think"
    r"|recommend|know|assume"
    r"|rely|expect|trust|guarantee|count)\b"
)
_NO_PREFERENCE = re.compile(
    r"\b(?:don't|do not) forget\b"
    r"|\b(?:why|whether|(?<!that's )how|check if|see if|(?<!make )(?<!be )sure) (?:that )?(?:you|we|i|it|they"
    r"|the)\b(?! (?:like|work))"
    r"|\b(?:in|from|inside|within) (?:(?:the|this) (?:function|method|class|loop)|ǁ|\w+\(\))"
)

# Verbs for what a program does rather than an agent: "always return a list" is a requirement.
_PROGRAM_VERBS: Final = words(
    "return raise throw yield emit render display sort round escape trim retry fall accept reject allow validate "
    "handle bind listen lock unlock serialize encode decode normalize sanitize output contain redirect cache store "
    "support fail happen come appear parse match start overlap show be trust let cover exceed block lose reach grow"
)
_WITH_S = words("process pass discuss express focus address access bypass cross dismiss miss guess press")
_WITH_ED = words("embed need feed seed shed speed proceed exceed")
_NOT_VERBS = words(
    "heard seen had done gone got gotten found knew known thought understood came went took taken saw made said "
    "told "
    "felt broke tried nice good happy fun great glad funny interesting hard easy bad wrong there here true so too "
    "more better worse again something nothing anything someone works if when because as not just really quite "
    "once "
    "the a an been mind on in at of to and or this that it i you he she they we my your our was is were are has be "
    "gonna ok okay fine welcome possible useful cool nice ready available empty visible green red up down "
    "enough easier harder much very pretty can could will would shall should must may might"
)
_US = re.compile(r"\b(?:you|me|my|our|i|us|repo|codebase|project)\b")


def _is_told(verb: str, plain: str) -> bool:
    """Whether the word after "always" is a command to the agent: "never works" and "always return a list" are not."""
    if verb in _NOT_VERBS or (verb.endswith("ed") and verb not in _WITH_ED):
        return False
    if verb.endswith("s") and not verb.endswith("ss") and verb not in _WITH_S:
        return False
    return verb not in _PROGRAM_VERBS or _US.search(plain) is not None


# ---- conventions and style

_DEFINITE = re.compile(
    r"\b(?:use|keep|put|make|show|run|print|add|include|start|end|log|give|leave|write|format|name|document"
    r"|number|sign|call) (?:the|this|that|an?|it)\b"
)
_HOW = Phrases(rf"\b{VERB}\b|\b(?:please|pls|no)\b")


_TELLS_OF = re.compile(r"(?:this|that|the|it|these|those) (?:\w+ )?(?:\w+s|is|are|was|were|has|have)\b")


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
    return "," in when[0] or _HOW.exact.search(rest) is not None or _THEN.search(plain.text, when.start()) is not None


# After "when you write SQL for me," a word of which nothing is known is a command.
_THEN = re.compile(
    r"\bfor me, (?!i\b|we\b|it\b|the\b|this\b|that\b|you\b|there\b|is\b|are\b|why\b|what\b|how\b)[a-z]{3,} "
)


# Topics about which a wish is hardly ever for once, even without a verb: "single quotes in python".
_STYLES = frozenset(
    (
        *("indentation", "quotes", "semicolons", "naming style", "spelling", "package manager", "clock", "units"),
        *("docstring style", "commit message style", "line length"),
    )
)
_NOUN_FIRST = re.compile(r"(?:(?:please|pls|and|also|use|only|always|keep)[,:]? )*(?:use |with )?(?:\d|[\w-]+ )")
_NOT_A_STYLE = re.compile(
    r"\b(?:this|that|these|those|the|is|are|was|it|i|you|he|she|they|has|have|should|must|why|fix|change|convert"
    r"|replace)\b"
)


_HERE_TOO = re.compile(
    r"\b(?:in|for|across) (?:this|our|the) (?:\w+ )?(?:repo|repository|project|code ?base|package|monorepo)\b"
)


def _is_a_style(sentence: Sentence) -> bool:
    plain = _HERE_TOO.sub("", sentence.plain.text)
    if OUR_STYLE.match(sentence.plain.text) and topic_of(sentence.text) in _STYLES:
        return True
    return (
        len(plain) < 100
        and _NOT_A_STYLE.search(plain) is None
        and _NOUN_FIRST.match(plain) is not None
        and topic_of(sentence.text) in _STYLES
    )
