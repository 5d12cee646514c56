"""The words by which rules recognise what a sentence is. Data only; `said.py` says what follows from them.

All of it is looked for in plain sentences (see `sentences.py`): small letters, straight apostrophes, code as ǁ and quotes
as ǂ. One cue per line; a name in <angle brackets> stands for the words defined under it. English first; German, Spanish
and French where a cue is hard to misread.
"""

import re
from typing import Final

_NAMED: dict[str, str] = {}
_START = r"(?:(?<![\w-])|(?!\w))"
_END = r"(?:(?!\w)|(?<!\w))"


def _alternatives(text: str) -> str:
    joined = "|".join(line.strip() for line in text.splitlines() if line.strip())
    for name, words in _NAMED.items():
        joined = joined.replace(f"<{name}>", words)
    return f"(?:{joined})"


def _cues(text: str) -> re.Pattern[str]:
    """Any of these, each beginning and ending at the edge of a word, if it begins and ends with one."""
    return re.compile(_START + _alternatives(text) + _END)


def _opening(text: str) -> re.Pattern[str]:
    """The same, at the start of a sentence. Use it with `match`."""
    return re.compile(_alternatives("<and_so>") + "*" + _alternatives(text) + _END)


# ---- what cues are made of

_NAMED["and_so"] = (
    r"(?:(?:and|but|so|also|then|ok|okay|oh|well|hey|hi|btw|plus|fyi|hm+|please|pls|plz|bitte|und|y|et|anyway|note|by the way|one more thing|small thing|right|yes|yeah|sure|true|fair enough|hmm no|generally|also generally)[,:]? +)"
)
_NAMED["please"] = r"(?:(?:please|pls|plz|bitte|kindly|por favor|stp|svp|s'il te plaît),? +)"
_NAMED["n"] = r"(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|a few|a couple of|dozens of)"
_NAMED["day"] = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_NAMED["tag"] = r"(?:montag|dienstag|mittwoch|donnerstag|freitag|lunes|martes|miércoles|jueves|viernes|lundi|mardi|mercredi|jeudi|vendredi)"
_NAMED["language"] = (
    r"(?:english|german|deutsch|french|français|spanish|español|italian|portuguese|dutch|polish|russian|japanese|chinese"
    r"|englisch|französisch|spanisch|inglés|alemán|anglais|allemand)"
)
# What an agent hands in, in general: commits, answers, names. Not "the tests" or "this commit".
_NAMED["output"] = (
    r"(?:commits?|commit messages?|prs|pull requests|merge requests|answers|replies|responses|explanations|summaries|messages"
    r"|suggestions|variables?|variable names|function names|identifiers|branch names|docstrings|code comments|comments|imports"
    r"|docs|changelogs?|screenshots|type hints|error messages|log messages|test names|plots|charts|code)"
)
# Where a clause begins: "never push" but not "users never find it".
_NAMED["clause"] = r"(?:(?:^|[,:;—–(] *| - )<and_so>*(?:(?:just|remember|again)[,:]? )?<please>?|\b(?:and|but|also|please|pls|plz|so) <please>?)"
_NAMED["clause"] = _NAMED["clause"].replace("<and_so>", _NAMED["and_so"]).replace("<please>", _NAMED["please"])

# What an agent is told to do. A list, because in English nothing else tells a command from a noun.
VERBS: Final = (
    "add answer apply archive ask avoid backport bump build buy call cancel change check clean clear close collect comment "
    "commit compare configure contact convert copy create cut deactivate debug decide define delete deploy deprecate "
    "consider disable do document double-check download draft drop edit email enable ensure explain export extend extract file find "
    "finish fix focus follow format generate get give go handle implement import improve include inform install investigate "
    "invite keep launch leave link lint list log look mail make mark measure mention merge message migrate move name notify "
    "number open optimise optimize order patch pay pick pin ping plan port post prefer prepare print publish pull push put "
    "re-run read rebase rebuild record redo reduce refactor regenerate release remove rename renew reopen replace reply "
    "report request rerun reset respond restart restore revert review revisit revoke rewrite rotate run save say schedule "
    "send set share ship show sign simplify skip speak split squash start stick stop submit swap switch sync tag talk tell "
    "test tidy touch translate treat try turn uninstall unpin update upgrade upload use verify wait warn wire wrap write"
).split()
VERB: Final = f"(?:{'|'.join(sorted(VERBS, key=len, reverse=True))})"
_NAMED["verb"] = VERB

# Verbs for what a program does rather than an agent: "always return a list" is a requirement.
PROGRAM_VERBS: Final = frozenset(
    "return raise throw yield emit render display sort round escape trim retry fall accept reject allow validate handle "
    "output contain redirect cache store support fail happen come appear parse match start overlap show be trust".split()
)

# ---- what no kind of learning is made from

# The sentence asks for something to be written; what follows is about that thing.
ORDERS_A_TEXT: Final = _opening(r"""
    (?:write|create|generate|implement|build|draft|design|compose|make|act|invent|come up with|give me|produce)(?: me| us)? (?:an?|some|\d+|two|three|as|the following)\b(?! (?:mental )?(?:note|to-?do|habit|point))(?!.*\b(?:from now on|in future|going forward|every time)\b)
    (?:add|put) an? (?:\w+ ){0,2}(?:comment|button|field|column|option|flag|check|test|link|page|label)\b
""")

# ---- preferences

# It holds from now on, not only for the task at hand.
FROM_NOW_ON: Final = _cues(r"""
    from (?:now|here|today) on(?:wards?| out)?
    henceforth
    (?:make|get into|get in) (?:it |that |this )?(?:a|the) habit
    as a (?:general )?rule
    unless (?:i|told|asked|stated|specified)\b.{0,30}otherwise
    unless i (?:say|ask|tell|explicitly)
    ab (?:jetzt|sofort|heute|nun)
    in zukunft
    für die zukunft
    künftig
    zukünftig
    a partir de ahora
    de (?:ahora|aquí) en adelante
    en el futuro
    à partir de maintenant
    désormais
    dorénavant
    à l'avenir
""")
# The same words also tell plans; they count with a command or a "you".
IN_FUTURE: Final = _cues(r"""
    (?:going|moving) forward
    (?<!is )(?<!be )(?<!are )(?<!date )(?<!time )(?<!days )(?<!far )in (?:the )?future
    for (?:the )?future(?! reference)
    (?:for )?next time(?=,? (?:please|you|ask|use|do|don't|tell|check|run|just|first))
""")
TO_THE_AGENT: Final = _cues(r"""
    <clause>(?:<verb>|don't|do not|never|always|no|only|just|avoid)
    (?:you|u|please|pls|plz|i want|i'd like|i expect)
""")
PLANS: Final = _cues(r"""
    (?:we|it|they|i|the \w+)(?: will|'ll| may| might| plan| could| would| can)
    (?:may|might|will) (?:be|move|change|need)
""")

# It holds generally. Not enough by itself: one can also ask once to rename something everywhere.
GENERALLY: Final = _cues(r"""
    always
    never
    ever
    (?:every|each) ?time
    whenever
    any ?time (?:you|we|i)
    by default
    in general
    generally
    usually
    throughout
    everywhere
    across the (?:board|site|codebase|repo|project|app|code)
    (?:in|for|of|on|across) (?:this|my|our|the whole|the entire|these) (?:\w+ )?(?:repos?|repository|projects?|code ?base|package|monorepo|workspace|code)
    (?:for|in|with|on|to|before|after) (?:all|every|everything|anything|each|any)
    all (?:my|your|our|new|future)
    (?:every|each|any) (?:new |single )?[\w-]+
    anything (?:new|else)
    (?:in|for) new (?:ones|code|files|projects)
    in your (?:answers|replies|responses|messages|commits|summaries|explanations|code|output|suggestions)
    \w+ (?:you|u) (?:write|make|give|create|open|send|generate|produce|propose|suggest|add|name|report|commit|reference|show|print|plot|draw)
    also in
    any ?more
    at all times
    all the time
    without exception
    not only today
    immer
    nie(?:mals)?
    siempre
    nunca
    toujours
    jamais
""")
# Strong enough to make a wish of "I want": not "I want every row to have an id".
HABITUALLY: Final = _cues(r"""
    always
    never
    ever
    (?:every|each) ?time
    whenever
    by default
    in general
    generally
    throughout
    everywhere
    as a rule
    across the (?:board|site|codebase|repo|project|app|code)
    (?:in|for|of|on|across) (?:this|my|our|the whole|the entire|these) (?:\w+ )?(?:repos?|repository|code ?base|package|monorepo|workspace)
    (?:for|in|with) (?:everything|anything)
    (?:all|every|each|any) (?:my|your|our|new|future)
    (?:for|in|with|before|after) (?:every|each) (?:\w+ )?(?:commit|push|merge|pr|release|change|edit|answer|reply|report|bug ?fix|feature|script|file|function|class|module|test|endpoint|migration|plot)
    (?:you|u) (?:write|make|give|create|open|send|generate|produce|propose|suggest|add|report|commit|show|print|plot)
    in your (?:answers|replies|responses|messages|commits|summaries|explanations|code|output|suggestions)
    also in
    any ?more
    all the time
    immer
    nie(?:mals)?
    siempre
    nunca
    toujours
    jamais
""")
# Words that make even a question a wish: "could you always number them?"
ALWAYS: Final = _cues(r"""
    always
    never
    whenever
    (?:every|each) ?time
    (?:before|after|for|with|in) (?:every|each)
    by default
    in general
    generally
    immer
    siempre
    toujours
""")

# The sentence before holds generally: "That goes for all components.", "Always."
SO_GENERALLY: Final = _opening(r"""
    (?:that|this|it|same|the same)(?:'s| is)? ?(?:true|goes|holds|applies|counts|valid|a (?:general )?rule|my|how (?:i|we)|what (?:i|we|the))\b.{0,80}\b(?:all|every|everything|always|general|generally|everywhere|any|future|from now on|for good|whole (?:repo|project|codebase))
    (?:always|every ?time|in general|everywhere|as a rule|from now on|no exceptions?|ever|generally|by default|throughout|immer|siempre|toujours)(?: please| pls| btw)?[\s.!]*$
    (?:remember|respect|follow|note|keep) (?:that|this|it)(?: in mind)?(?: please| for (?:new|next|all|every|any|later|future).*| in (?:this|our|my|all|future).*| from now on| everywhere)?[\s.!]*$
    stick (?:to|with) (?:that|this|it)
    i (?:always |generally )?(?:prefer|want|like) (?:it|that|this)\b.*\b(?:in general|generally|always|every|all)
    (?:the )?same (?:goes )?for (?:all|every|everything|any) ?(?:new|future|my|our|your)?
""")
# The same inside one sentence.
SAME_GOES: Final = _cues(r"""
    (?:that|this|same)(?:'s| is)? (?:true |goes |holds |applies |counts |valid )+(?:for|to|in) (?:all|every|everything|any)\b.*
    ^we\b.*[,;.—–-] ?(?:so )?(?:please |pls )?(?:do the same|do likewise|do so too|follow (?:that|this|it|suit)|respect (?:that|this|it)|stick to (?:that|this|it)|keep to (?:that|this|it))\b.*
    remember (?:that|this|it) for (?:new|next|all|every|any|later|future)\b.*
    not (?:only|just) (?:today|now|here|this time)
""")

I_PREFER: Final = _cues(r"""
    (?:i|we) (?:(?:really|generally|usually|strongly|much|always|also|personally|tend to|just|still|definitely|all) )*prefer
    (?:i|we)(?:'d| would) (?:(?:really|generally|usually|strongly|much|always|also|personally) )*prefer (?!an?\b|the\b|to\b|if\b|it\b|that\b|this\b|not\b|you\b)
    my (?:personal )?preference (?:is|would be)
    my (?:preferred|favou?rite|go-to) \w+(?: \w+)? (?:is|are)
    (?:i|we) favou?r
    ich (?:bevorzuge|hätte (?:gerne?|lieber)|mag lieber|möchte (?:immer|lieber|nie))
    ich möchte,? dass du (?:immer|nie)
    mir (?:ist|wäre)\b.{1,40}\blieber
    (?:yo )?prefiero
    je préfère
    j'aime(?:rais)? mieux
    (?:i'm|i am) (?:much )?more comfortable (?:with|in|using)
""")
I_RATHER: Final = _cues(r"""
    i(?:'d| would| had) (?:much |really )?(?:rather|sooner|prefer)
""")
# One thing out of several on offer, or how to go on now; not a preference.
CHOOSES: Final = _cues(r"""
    (?:prefer|rather|like|take|go with|have|use) +(?:the +)?(?:option|variant|version|approach|solution|proposal|idea|choice|alternative|number|plan) *(?:#?\d+|[a-d]|one|two)?
    (?:prefer|rather|like|take|go with|have|use) +(?:the +)?(?:#?\d+|[a-d]|first|second|third|last|latter|former|other|left|right|one|two|that|this|your (?:first|second|other)|it|old|new|current|previous|original|existing|simpler?|upper|lower|top|bottom)(?! +(?:person|names?|way of|line|column|class|spaces?|tabs?))
    (?:'d|would) prefer (?:to|not to|if we|if you)
""")
# What the program is to do, in the words of who wants it.
WANTS_IT_BUILT: Final = _cues(r"""
    i(?:'d| would)? (?:want|need|like|love) (?:to have )?(?:the|an?|it|this|that|my app|our app) (?:[\w-]+ ){0,3}(?:to|that|which)
    as an? [\w -]{2,30},? i (?:want|need|can|would)
""")
I_WANT: Final = _cues(r"""
    i (?:(?:always|never|really|generally|only|just|do|also|do not|don't|would) )*(?:want|like|hate|dislike|expect|appreciate|insist)(?! to (?!have|see))
    i(?:'d| would) (?:really )?(?:like|love|appreciate)(?! to (?!have|see))
    i can(?:'t|not) stand
    (?:it'd|it would) be (?:great|nice|good|cool|lovely|helpful) if (?:you|u)
    ich (?:will|möchte|mag)
    quiero que
    je (?:veux|voudrais)
    i (?:always|never) need
    i (?:always|never|only|usually|exclusively|generally|mostly|normally|typically|tend to) (?:use|write|run|work|name|put|keep|commit|squash|rebase|indent|want|have|test|deploy|start|read|format)
""")
# A dislike of something in general, or of what the agent does, is a preference even without "always".
I_DISLIKE: Final = _cues(r"""
    i (?:really |just |generally )?(?:hate|dislike|don't like|do not like|can't stand|cannot stand)(?! (?:it|this|that|these|those|the|my|to|how|where|when|how|what|myself|having to)\b)
    i (?:really )?(?:hate|dislike|don't like|do not like|can't stand) (?:it )?(?:when|if|that|how) (?:you|your)
    i (?:do not|don't) want you (?:to )?\w+ing
    (?:annoys|bothers|irritates) me (?:when|if|that) (?:you|your)
    \b(?:you|your|don't|do not)\b.*(?:drives|driving|annoys|bothers|irritates) me\b.*
    i like (?:my (?!job|boss|team)|short|concise|brief|detailed|small|early|explicit|functional|verbose|clean code|things|it when you)
    i(?:'m| am) not a (?:big |huge )?fan of (?!this|that|it|the)
    <clause>no more [\w -]{3,30}(?:please|pls|from now|in (?:my|the|your|this))
    i(?:'m| am) allergic to
    i(?:'d| would) (?:like|love|appreciate|prefer)\b(?! an?| the| to).{0,40}\b<output>
""")

# "Always use", "never push", "only ever run": told to the agent, at the start of a clause.
ALWAYS_DO: Final = re.compile(
    _alternatives(r"<clause>(?:(?:you|u) (?:should |must |need to |have to )?)?|\b(?:you|u|remember|sure|try|please|need|like|love|prefer|habit) to |\b(?:could|can|would) (?:you|u) (?:please )?|\bif you (?:could )?")
    + r"(?P<how>always|never(?! ?-?mind\b|-| again\b)|don't ever|do not ever|only ever|ever only) +(?:ever )?(?:please )?(?P<verb>[a-z][\w-]*)"
)
STOP_DOING: Final = _cues(r"""
    <clause>(?:stop|quit|refrain from|lay off)(?: \w+ly)? (?!being|using the|running|building|processing|listening|serving|trying|there|it)\w+ing
    (?:you|u) (?:don't|do not) (?:need|have) to (?:always|keep|explain|ask|apologi[sz]e|summari[sz]e|repeat|thank|be so|tell me|remind me|justify)\b.*
    no need to \w+ .*\b(?:each|every|always)
    no need to (?:always|keep|explain|apologi[sz]e|summari[sz]e|thank|justify)\b.*
""")
OTHER_LANGUAGES: Final = _cues(r"""
    (?:^|: |bitte )(?:immer|nie(?:mals)?)\b.*\b\w+(?:en|ieren)
    (?:^|, |bitte )(?!wir|ich|es|sie|er|das|die|der|man|warum)\w+e?(?: mir| bitte| uns)* (?:immer|nie(?:mals)?|nur noch)
    bitte keine?n?\b.*
    wenn du\b.*\b(?:schreib|nimm|benutz|nutz|verwend|mach|frag)e?\b.*
    keine?n?\b.*\b(?:bitte|mehr)
    (?:siempre|nunca) (?:usa|utiliza|escribe|responde|pon|ejecuta|hagas|uses|escribas|pongas|añade|con|en)
    (?:usa|utiliza|escribe|responde|contesta|respóndeme)\b.* siempre
    (?:utilise|écris|réponds|mets|réponds-moi|fais)\b.* toujours
    toujours (?:en|utiliser|écrire|avec)
    (?:ne \w+ )?(?:plus )?jamais (?:de|utiliser|faire|mettre|toucher)
""")
CALL_ME: Final = _cues(r"""
    (?:call me|address me as|refer to me as|nenn mich|llámame|appelle[- ]moi) (?!back|later|when|maybe|at\b|on\b|if\b|tomorrow|crazy|a\b|an\b|old|paranoid|stupid|in\b|after|before|by\b|directly|once|for\b|the\b)\w+
    my pronouns are
    i (?:go by|use) (?:they/them|she/her|he/him|\w+/\w+ pronouns)
    i go by
""")
# Ways of working together that nobody asks for just once.
WAYS_OF_WORKING: Final = _cues(r"""
    <clause>default to\b.*\b(?:you|i|me|we|whenever|always)
    <clause>ask (?:me )?(?:first|before|if (?:you're |you are |ever )?(?:unsure|in doubt|not sure|uncertain|anything))
    <clause>(?:check with|ping|warn|consult|notify|talk to) me (?:first|before)
    (?:when|if) in doubt
    if (?:you're|you are|u r)? ?(?:ever )?(?:unsure|uncertain|not sure)
    <clause>(?:do not|don't) (?:guess|assume|make assumptions|apologi[sz]e|sugar-?coat|flatter)(?= *(?:$|[,.;!—–]|things|anything|what|about|me))
    <clause>be (?:more |less )?(?:concise|brief|terse|direct|blunt|verbose|succinct|chatty)
    <clause>keep (?:your |all )?(?!it\b|this\b|that\b|the\b|these\b|going\b|track\b)[\w -]{2,24}s (?!in\b|to\b|for\b|from\b|as\b|and\b|on\b|at\b|with\b|of\b|running|passing|working|there|here|unchanged|intact)[\w-]+
    <clause>keep (?:the|your) (?:answers|replies|responses|explanations|summaries) (?:\w+ )?(?:short|small|brief|concise|simple|under|below)
    <clause>(?:shorter|longer|more concise|less verbose|more detailed|briefer) (?:answers|replies|responses|explanations|messages|output)
    <clause>(?:answer|reply|respond|talk|speak|write)(?: to)?(?: me)?(?: only)? (?:in|auf|en) (?:plain )?<language>
    (?:antworte|antworten sie|schreib|sprich)(?: mir| bitte)* (?:nur |immer )?auf <language>
    (?:responde|contesta|háblame|respóndeme) (?:siempre )?en <language>
    (?:réponds|réponds-moi|parle(?:-moi)?) (?:toujours )?en <language>
    <clause>skip the (?:preamble|intro|introduction|summary|summaries|pleasantries|fluff|disclaimers?|explanations?|small talk)
    <clause>no (?:fluff|preamble|small talk|pleasantries|sugar-?coating|explanations|summaries)
    <clause>(?:don't|do not) (?:start|begin|end|open|close|finish) (?:your|each|every|with)
    explain (?:things|stuff|everything) (?:to me )?(?:like|as if) (?:i'm|i am|to)
    (?:make sure you|be sure to) always
    work in small steps
""")
# "When you open PRs, make them drafts": a habit, unless it is about the end of the task at hand.
WHEN_YOU: Final = _cues(r"""
    (?:whenever|any ?time|every time|each time) (?:you|u) [a-z]+
    (?:when|if|where) (?:you|u) (?!are\b|done|ready|finish|get\b|have\b|can\b|want|need|see\b|like\b|think|could|know|had|were|mean|said|say\b|find|reach|run\b|start)[a-z]+ (?:me |up |out )?(?!the\b|this|that|it\b|them|an?\b|my|on\b|to\b|in\b|through|down|up\b|out\b|with\b|at\b)[\w-]+
    when (?:you're |you are )?(?:writing|reviewing|naming|committing|documenting|refactoring|explaining|answering|designing|editing|generating|proposing|summari[sz]ing|reporting|planning)(?: [\w ]{0,30})?, (?:please |always |never |don't |no )?\w+
""")
MAY_WITHOUT_ASKING: Final = _cues(r"""
    (?:can|may|feel free|never|don't|do not|no \w+|nothing|anything)\b.*(?:without|w/o) (?:asking|confirmation|confirming|checking with me|my (?:ok|approval|permission))
    (?:no need to|don't (?:have|need) to) ask
    don't ask (?:me )?(?:for|before|every)
""")
# A command about how to write and name things; a scope makes it a convention.
CONVENTION: Final = _cues(r"""
    <clause>(?:use|write|keep|follow|respect|avoid|no|don't|do not|stick (?:to|with)|format|name|put|prefer|document|only|stay|indent|log|wrap|sign|prefix|make|lean|limit|commit|reference|number)
    <clause>we (?:should|don't|do not|only|stick|keep|want|like|write|name|put|avoid)
""")
SCOPE: Final = _cues(r"""
    (?:in|for|of|on|across|throughout) (?:this|my|our|the whole|the entire|these|all(?: of)?(?: my| our| your)?) (?:\w+ )?(?:repos?|repository|projects?|code ?base|package|monorepo|workspace)
    in everything (?:you|we|i)
    all (?:my|your|our|new|future) \w+
    (?:for|in|with|to) (?:anything|everything)(?: new| else| you| in)
    anything new
    (?:for|in) (?:all|any|every) (?:my |our |your |new |future )?(?!the\b|of\b|files\b|three\b|places\b|these\b|those\b|cases\b|requests?\b|inputs?\b|users?\b|rows?\b|env\w*\b|platforms?\b)[\w-]+
    (?:in|for) new (?:code|files|projects|ones|\w+s)
    throughout
    by default
    generally
    in general
    across the (?:board|site|codebase|repo|project|app)
    any ?more
    all the time
    only(?=[.!]*$)
    ever
    in your (?:answers|replies|responses|messages|commits|summaries|explanations|code|suggestions)
""")
# Any command at all, for a habit: "run the linter before every commit".
HABIT: Final = _cues(r"""
    (?:before|after|for|with|per|on|in) (?:every|each) (?:\w+ )?(?:commit|push|merge|pr|pull request|release|change|edit|answer|reply|report|bug ?fix|feature|script|new \w+)
    in everything you (?:write|do|make)
    (?:that )?(?:you|u) (?:write|make|give me|create|open|send|generate|produce|propose|suggest) (?:for )?me
    (?:code|commits|charts|scripts|plots|tests|docs|queries|examples|commands|prs|sql) (?:that )?(?:you|u) (?:write|make|create|open|send|generate|produce|propose|suggest)
    in your (?:answers|replies|responses|messages|commits|summaries|explanations|suggestions)
    (?:every|each) ?time
""")
# The same with a thing that the agent hands in again and again.
NO_SUCH_OUTPUT: Final = _cues(r"""
    <clause>(?:do not|don't|no|avoid|skip) (?:\w+ )?[\w-]+(?: [\w-]+)* (?:in|to|into|from|for) (?:my |your |our )?(?:commits|commit messages?|prs|pull requests|answers|replies|responses|explanations|summaries|variable names|function names|identifiers|branch names|docstrings|log messages|test names)(?! yet)
    <clause>(?:do not|don't|no|avoid|skip) (?:use |add |write |put )?(?:any )?(?:abbreviations|emojis?|jargon|buzzwords|acronyms|bullet points|default exports|wildcard imports|magic numbers|one-letter \w+|single-letter \w+|nested ternaries)
""")
HOUSE_RULE: Final = _opening(r"""
    (?:for|in|on) (?:this|our|my) (?:\w+ )?(?:repo|repository|project|codebase|package|monorepo|team|company|shop|house):
    (?:for|in|on) (?:this|our|my) (?:\w+ )?(?:repo|repository|project|codebase|package|monorepo|team|company|shop|house),(?! (?:can|could|how|what|is|why|i|the|there|please|create|write|build|generate|add|fix|implement|find|show|make|it|a|an)\b)
    (?:house|team|project|repo) (?:rules?|conventions?|style|policy)
    (?:our|my|the team) (?:\w+ )?(?:convention|rule|policy|coding style|code style|style) (?:is|here|for)
""")
CONVENTIONS: Final = _cues(r"""
    by convention
    (?:company|team|house|project) (?:policy|rule|convention|standard)
    (?:is|are) (?:banned|forbidden|off limits|taboo|verboten)(?: here| in (?:our|this|my)| by|,|[.!]|$)
    (?:is|are) the (?:rule|convention|standard|norm|policy)(?: here| in| for| with)
    (?:let's|lets) (?:make|set) (?:it )?a rule
    make it a rule (?:to|that you)
    in (?:this|our) team,? we
    our (?:policy|convention|rule) is
    <clause>we (?:always|never) (?:use|write|name|put|indent|import|export|commit|squash|log|catch|throw|mock|test|prefix|format|wrap|call|add|leave|merge|push|rebase|hardcode|write|document)
""")
ENDS_ALWAYS: Final = re.compile(
    r"(?:,| -|—|–) *(?:please,? )?(?:always|ever|every ?time|everywhere|without exception|no exceptions|as a rule|in general|by default"
    r"|immer|siempre|toujours)(?:,? (?:please|pls))?[\s.!)]*$"
)
# Only for what is being done now.
JUST_NOW: Final = _cues(r"""
    today
    for now
    right now
    now
    this (?:time|once|one)
    just (?:this|once)
    as is
    for the moment
    at the moment
    (?:in|for|with|on|to) (?:this|that) (?!repo|repository|project|code ?base|package|monorepo|workspace|team|company|house|org)\w+
    (?:in|for|with|on) the (?:pr|mr|commit|branch|first|second|next|new|current|other)
    (?<!around )(?<!over )(?<!rule )here
    diesmal
    heute
    esta vez
    hoy
    cette fois
""")
# What a program has to do. "The function must always return a list."
REQUIRES: Final = re.compile(
    r"(?:and |but |so |also )*(?:the|it|this|that|these|those|a|an|each|every|they|users?|customers?|clients?|input|output|both|if|one)\b.*"
    r"\b(?:should|must|has to|have to|needs? to|can|may|will|shall)\b"
)

# ---- corrections

# The writer says that something was wrong, and cannot mean anything else.
REJECTS: Final = _cues(r"""
    (?:that|this|it|which|your \w+|these|those)(?:'s| is| was|s| are) (?:just |simply |still |actually |plain |also |all )?(?:wrong|incorrect|false|outdated|a mistake|mistaken|out of date)(?= *(?:$|[,.:;!—–(-]|about|because|since|again))
    (?:that|this|it|which|these|those)(?:'s| is| was|s| are)? ?(?:not|isn't|wasn't|aren't|ain't) (?:quite |really |actually )?(?:right|correct|true|accurate|our|how (?:we|our|it|the|my)|the (?:right|correct|case))
    i don't think (?:that|this|it)(?:'s| is) (?:right|correct|true)
    not (?:right|correct|true)(?=[,.:])
    (?:you're|you are|ur|u r) (?:wrong|mistaken|confusing|mixing|thinking of)
    you(?:'ve| have)? (?:mis\w+|mixed up|mixed|confused|swapped|guessed wrong|forgot(?:ten)?|overlooked|ignored)
    you(?:'ve| have)? (?:got|had|have|did|put|set|made|wrote|spelled)\b.{0,50}\b(?:wrong|backwards|mixed up|reversed|confused|upside down|the other way(?: round| around)?|the wrong way(?: round| around)?|swapped)
    that's (?:our|the|an?) (?:old|former|previous|legacy|wrong|deprecated)
    you should(?:'ve| have) \w+
    you were supposed to
    (?:sorry for the|to avoid) (?:confusion|misunderstandings?)
    (?:there's|there is|this is|that's) a misunderstanding
    that's (?:last|from last|the previous) \w+(?:'s)?
    i asked (?:you )?(?:for|to)
    we agreed(?: on| that| to)?
    as (?:i )?(?:said|mentioned|wrote|explained|discussed)
    i was wrong(?: earlier| before)?
    (?:as )?(?:i|we) (?:already |just )?(?:told|said|mentioned)(?: to)?(?: you)?(?: already| before| earlier| twice| again)?(?: that)?
    (?:you|u) (?:used|put|wrote|took|ran|called|named|assumed|picked|chose|based|set|added|imported|installed|edited|changed|deployed|pushed|tagged|targeted|queried|connected|pointed|went|created|started|generated|hardcoded|reverted|tested|hit|asked|thought|treated|read|named|spelled|listed|counted)\b.{0,80}?\b(?:again|but|wrong|instead of|although|even though|which (?:is|was|doesn't|isn't))
    (?:you|u) (?:assumed|thought|wrote|spelled|called it|named it)
    (?:you|u) (?:still|keep|again|constantly) \w+
    the wrong \w+ again
    (?:you|u|that's|this is|it's)\b.{0,40}\bthe wrong (?!way)\w+
    ^wrong \w+(?=[.,!;:—–]|$)
    (?:doesn't|does not|don't|do not) exist(?: any ?more)?
    i (?:meant|mean)
    not what i (?:meant|said|asked for)
    (?:small |one |quick )?correction(?=:)
    there(?:'s| is) no such
    das (?:ist|war) (?:falsch|nicht richtig)
    stimmt (?:so )?nicht
    (?:eso |esto )?est(?:á|o está) mal
    no es (?:correcto|así)
    c'est faux
    ce n'est pas (?:ça|correct|juste)
""")
OPENS_WITH_NO: Final = re.compile(
    _alternatives("<and_so>|(?:ah|uh|um|sorry|hold on|stop|thx|thanks|no|nope|wait),?[ ]")
    + r"*(?:(?:no|nope|nah|(?:still )?wrong(?: again)?|incorrect|nein|falsch|non|not quite|not exactly|not really|almost|close|careful|again|wait|hold on|one correction|nö|ne|negative)"
    r" *(?:,|\.|!|:|—|–|- |\.\.\.|…|$)|no (?=it's|its|it is|we|the|our|that's|they|there|i )|(?:actually|eigentlich|en realidad|en fait|tatsächlich|in fact|fyi,? that's not)\b,?)"
)
# It is this, not that; or: what you think of is no more.
CONTRASTS: Final = _cues(r"""
    (?:is|are|was|were|\w+'s|\w+'re|its|has|have|uses?|lives?|comes?|runs?|starts?|goes|called|named|spelled|points?|sits?|we \w+) [^,;]{1,80}?,? (?:and )?not (?!only|sure|yet|working|too|that|just|because|a (?:big|problem)|so\b|very|me\b|even|necessarily|really|to\b|the (?:problem|issue|best))[\w/'.ǁǂ@#:-]+
    (?:es|son|está|est|ist|sind|läuft|liegt|se llama|heißt|c'est) [^,;]{1,80}?, (?:no|pas|nicht) [\w/'.ǁǂ@#:-]+
    (?:isn't|is not|aren't|are not|wasn't|'m not|'re not|am not|not|doesn't have|don't have|has no|have no|there's no|there is no|no longer) [^.;]{1,60}?[,:—–-] ?(?:but |rather |only |just )?(?:it's(?! (?:about|just|only|more))|it is|its|it has|they have|they're|they are|i'm|we're|we've|he's|she's|we (?:use|have|are|run|deploy|call|keep|switched|moved)|the \w+ (?:is|are)|[\w'-]+ (?:is|are|does))
    not [^,;.]{1,40}?,? but (?:the |a |an |in |on |with |from |via |at )?[\w/.ǁ-]+
    ce n'est pas .{1,40}, c'est .*
    (?:deprecated|obsolete|discontinued|no longer \w+|dead|gone)[,;—–-] ?(?:so |please )?(?:we )?(?:use|now|it's|the new|switch)\b.*
    nicht .{1,40},? sondern .*
    no (?:es|son|está)? ?.{1,40},? sino .*
    (?:n'est|ne sont|pas) .{1,40},? mais .*
    (?:the|el|la|le|der|die|das) (?:correct|right|actual|real|proper|richtige|\w+ correct[oae]s?) ?(?:\w+ )?(?:is|are|ist|es|son|est|lautet|heißt)
    (?:was|were|got|has been|have been|is|are) (?:decommissioned|renamed|removed|retired|shut down|the old name|superseded|replaced by)
    we (?:don't|do not) (?:use|have|run) .{1,40}(?:any ?more|any longer)[,.:;—–-]? .*\b(?:switched|moved|migrated|replaced|now)
    the other way (?:a?round)[:,] .*
    ^(?:the )?(?:[\w./ǁǂ-]+ ){0,2}[\w.-]*[ǁǂ/\d][\w./ǁǂ-]*,? not (?:the )?[\w./ǁǂ-]+[\w ]{0,20}[.!]*$
    ^not (?!sure|yet|now|really|quite|bad|today|an?\b|the\b|at all|that|too|so\b|only|just|my\b|exactly|necessarily)[\w./ǁǂ-]+(?: [\w./ǁǂ-]+)?, (?:but )?(?!sorry|no\b|thanks|maybe|later|though|but)[\w./ǁǂ-]+(?: [\w./ǁǂ-]+)?[.!]*$
""")
# "The region isn't us-east-1.", "Not `yarn test`.": what is right comes in the next sentence.
REALLY_IS: Final = _cues(r"""
    (?:it|they|we|i|the [\w -]{2,30}|our [\w -]{2,30}|that)(?:'s|'re|'m| is| are| am| was| were) actually (?!\w+ing\b)
    (?:it|they|we|i|the [\w -]{2,30}|our [\w -]{2,30}) actually (?:uses?|runs?|lives?|has|have|comes?|goes|deploys?|calls?|needs?|starts?|means?)
""")
ONLY_DENIES: Final = re.compile(
    r"(?:(?:and|but|so|hey|careful|wait|no|nope)[,:]? )*(?:[\w'./ǁǂ-]+ ){1,5}?(?:isn't|is not|aren't|are not|wasn't) (?!\w+ing\b)(?:[\w'./ǁǂ-]+ ?){1,6}[.!]*$"
    r"|not [ǁǂ]+|there(?:'s| is| are) no (?:[\w'./ǁǂ-]+ ?){1,4}[.!]*$"
)
IT_IS: Final = re.compile(r"(?:it's|it is|its|they're|they are|we're|we are|the|default|we \w+|our|that's) ?\S")
# Something is said to be so.
STATES: Final = _cues(r"""
    is
    are
    was
    were
    it's
    its
    that's
    they're
    there's
    has
    have
    gets?
    we're
    we've
    we (?:use|have|keep|deploy|call|store|run|are|do|ship|build|only|host|target|support|write|don't|test|release|pin|need|upgraded|switched|moved|want)
    i (?:use|have|am|run|work|said|meant)
    i'm
    lives?
    comes?
    uses?
    called
    named
    points?
    runs?
    reports?
    renders?
    goes
    belongs?
    means?
    needs?
    takes?
    expects?
    sends?
    starts?
    ends?
    sits?
    owns?
    should be
    must be
    only
    answers?
    listens?
    contains?
    supports?
    requires?
    works?
    polls?
    calls?
    stores?
    reads?
    writes?
    stands? for
    ist
    sind
    hat
    heißt
    liegt
    läuft
    es
    son
    está
    est
    c'est
    sont
    se llama
    s'appelle
    \w+'s \w+
""")
NEGATES: Final = re.compile(r"(?<!has )(?<!have )\bno\b(?! longer)|\b(?:not|never|nicht|kein\w*|ne|pas|nothing|nobody|none|without)\b|n't\b")
SUGGESTS: Final = _cues(r"""
    let's
    lets
    let us
    (?:can|could|would|will) (?:you|we|i)
    i think (?:we|you|it)
    maybe
    perhaps
    i guess
    probably
    never ?mind
    nvm
    forget it
    should (?:i|we)
    thanks
    thank you
    leave
    (?:we|you) (?:could|should|can)
    changed my mind
    i want
    i'd
""")
# What people say of anything; no news in it.
EVALUATES: Final = re.compile(
    r"(?:it|that|this|they|these)(?:'s| is| was|'re| are)? (?:(?:actually|just|really|very|so|pretty|quite|all|perfectly|totally|only|still|too|more|not) )*"
    r"(?:fine|ok|okay|good|great|hilarious|funny|nice|cool|perfect|weird|strange|odd|better|worse|bad|easy|hard|right|true|interesting"
    r"|amazing|awesome|clear|enough|done|a good|the same|fast|slow|broken|annoying|it|working|your fault|finished|helping|what i expected)\b"
)

# ---- actions

TIMES: Final = _cues(r"""
    tomorrow(?!'s)
    tonight
    this (?:afternoon|evening|weekend|week|month|sprint|quarter)
    later(?: today| this week| on)?(?! versions?| than)
    next (?:week|month|sprint|quarter|year|time|release|<day>|iteration|session|deploy)(?!'s)
    (?:on|by|until|before|this|come|from|at) (?:\w+ )?<day>(?:'s \w+)?
    on the weekend
    (?:by|before|at|until|towards) the end of (?:the |this |next )?\w+
    (?:by|before|until) (?:eod|eow|noon|the weekend|the deadline)
    in (?:about |around )?<n> (?:hours?|days?|weeks?|months?)
    (?:by|on|before|until) (?:the )?\d{1,2}(?:st|nd|rd|th)?(?: of)?(?: (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*)?
    some ?day
    eventually
    at some point
    some other (?:time|day)
    another (?:day|time)
    one of these days
    sometime(?: soon| next| this)?
    when(?:ever)? (?:we|i|you|there's|there is) (?:have |get |find |got )?(?:some )?(?:time|a minute|a moment)
    in a (?:follow-?up|separate|later|second|future) (?:pr|mr|step|commit|issue|ticket|session)
    as a follow-?up
    first thing
    before i (?:leave|go|forget)
    morgen
    übermorgen
    nächste[nrs]? (?:woche|monat|mal|sprint)
    später
    (?:am|bis) <tag>
    el <tag>
    mañana
    más tarde
    luego
    la (?:próxima semana|semana que viene)
    demain
    plus tard
    la semaine prochaine
    <tag> prochain
""")
_NAMED["event"] = (
    r"(?:release|launch|demo|deploy|deployment|migration|hot-?fix|merge|deadline|freeze|submission|meeting|holidays?|vacation|weekend|sprint|lunch"
    r"|stand-?up|review|audit|cut-?over|upgrade|roll-?out|go-?live|beta|conference|exam|paper|call|retro|milestone|presentation|switch|move"
    r"|training|experiment|maintenance|announcement|workshop|handover|offsite|summer|christmas|easter|break|refactor(?:ing)?|cleanup|v\d\S*|\d+\.\d+\S*)"
)
_NAMED["words"] = r"(?:[\w.'#ǁ-]+ )"
# A later occasion: after the release, once the PR is merged, before we publish.
OCCASIONS: Final = _cues(r"""
    (?:when|once|as soon as|after) (?!you\b|it\b|that\b|this\b|ci\b|the (?:tests?|user|client|button|request|form|page|function|method|build|linter|ci|download|upload) )<words>{1,6}?(?:is|are|has|have|gets|'s) (?:been )?(?:done|merged|through|finished|live|out|released|deployed|over|back|approved|available|stable|shipped|published|landed|in prod|signed|upgraded|migrated|closed|gone|run)
    (?:when|once|as soon as|after) (?!you\b|it\b|the (?:user|client|button|request|form|page) )<words>{1,5}?(?:arrives?|lands|ships|merges|goes live|comes (?:back|out|in)|come back|drops|responds?|replies|gets back|signs off|answers)
    (?:after|before|once|when|until|as soon as|right after|following) (?!you\b|u\b)(?:the |our |my |this |that |a |next )?<words>{0,3}?<event>
    (?:after|before|once|when|as soon as) (?:we|i|they)(?:'ve| have|'re| are)? (?:\w+ )?(?:publish|ship|release|launch|merge|deploy|submit|go live|migrate|switch|upgrade|move|cut|announce|tag|start|open|drop|get|touch|finish|come back|hand)\w*
    next time (?:we|you|i|somebody|someone)
""")
# Somebody has to; group `i` if it is the writer.
MUST: Final = _cues(r"""
    (?P<i>i(?:'ll| will)? (?:still |also |really )*(?:have to|need to|must|should|ought to|gotta|got to|want to)|i(?:'ve| have) (?:still )?(?:got )?to|i'll|i will|i(?:'m| am) going to|ich muss|tengo que|je dois)
    (?:we|you|someone|somebody|one of us|u|\w+)(?:'ll| will)? (?:still |also |really |all )*(?:ha(?:ve|s) to|needs? to|must|should|ought to|gotta|got to|'ve got to)(?! be\b)
    we(?:'ve| have) (?:still )?got to
    (?:needs|need|has|have|must|ought|should)(?: to)?(?: still)? (?:be|get) (?:\w+ed|done|rewritten|redone|sent|run|built|made|cut|set|put|written|paid|split|shut|reset|taken \w+|looked at|brought \w+)
    needs? \w+ing
    (?:it would|it'd) be (?:good|great|nice|best|cool|useful) (?:if (?:you|we)|to)
    (?:don't|do not|dont) forget(?: to| that| about)?
    remember to
    make sure (?:to|that|we|you)
    wir müssen
    müssen wir
    muss\b.{1,60}\bwerden
    hay que
    habrá que
    tenemos que
    il (?:faut|faudra)
    on doit
    nous devons
""")
# A command for later: the time comes first, or last; in between it belongs to the thing ("the job for tomorrow").
COMMANDS: Final = _opening(r"""
    (?:(?:important|urgent|high prio(?:rity)?|low prio(?:rity)?|low priority)[,:]? )*(?:let's |lets )?(?!schedule|set|write|create|generate|implement|show|list|book)<verb>\b.*
    .{0,60}: <please>?(?:let's |lets )?<verb>\b.*
""")
THEN_COMMANDS: Final = re.compile(_alternatives(r"[ ]*[,:]?(?: [^,:]{1,60}[,:])? *(?:please |pls |then |let's |lets )*<verb>\b"))
TIME_OF_A_THING: Final = re.compile(
    r"\b(?:that|whether|if|which|who|saying) (?:we|i|he|she|they|it|the|you|our|my)\b|\b(?:for|to|until|is|are|sent|due|dated?|expires?|valid|from|by default) (?:tomorrow|tonight|next|later|on |by |in )|\b(?:which|who) (?:is|are|runs?|starts?|should|must)\b|\b(?:test|scheduler|function|script|job|cron)\b.*\bthat\b"
)
IMPERATIVE: Final = re.compile(_alternatives(r"<clause><verb>\b"))
# Said to be remembered: no time needed. Group `me` if the writer will do it.
EXPLICIT_ACTION: Final = re.compile(
    _alternatives(r"""
    \b(?P<me>remind me(?! of (?:the|a|how|what|when)\b)|don't let me forget|do not let me forget|nag(?:ging)? me|bugging me|note to self|reminder (?:for|to) (?:me|myself)|erinner\w* mich|recu[eé]rdame|rappelle[sz]?[- ]moi|que no se me olvide|que je n'oublie pas)\b
    <clause>(?:add |make |leave |note )?(?:a |one |my |another )?to-?do(?: (?:list|for|item|note)(?: \w+){0,2})? *[:–—-] *(?=\S)
    \b(?:add|put|note|write|stick|throw|park|keep|get)\b.{0,100}?\b(?:on|to|onto|in|into|as) (?:the |my |our |your |a )?(?:to-?do(?: list)?s?|backlog|task list|follow-?ups?(?: list)?|list of (?:to-?dos|tasks|follow-?ups)|punch list|list for (?:later|tomorrow|next \w+))\b(?! (?:app|component|page|view|item|class|store|widget))
    \bfollow-? ?ups?(?: issue| task| item| ticket| pr| for [\w ]{1,20})? *:
    <clause>(?:action items?|reminder|backlog|later|still (?:to do|open|missing)|for (?:later|tomorrow|another day|<day>|next \w+|the next \w+)) *:
    \b(?:make|take) a (?:mental )?note(?: to| that|:)
    \b(?:que no se nos olvide|nicht vergessen)\b
    \b(?:lets|let's|we'll|we will|we can|we) (?:park|postpone|defer|shelve) (?!the (?:car|thread))
    \b(?:come|get|go) back to (?:it|this|that|the \w+) (?:later|after|when|once|next|tomorrow|in |on )
    \bpick (?:it|this|that|them) (?:back )?up (?:again )?(?:later|after|tomorrow|next|when|once|on |in )
    """)
)
# A reminder that says only when; what it is about stands in the sentence before.
BARE_REMINDER: Final = re.compile(
    _alternatives("<and_so>")
    + "*"
    + _alternatives(r"""
    (?:remind me|don't let me forget|do not let me forget|(?:keep )?(?:nag|nagging|bugging) me|erinner\w* mich(?: daran| bitte)*|recuérdamelo|recuérdame|rappelle-le-moi)(?!.{0,40}\b(?:to \w+|that (?:the|we|i|you|our|my)|daran,|de \w+)\b)
    keep (?:it|that|this) in mind
    (?:put|add|note|keep) (?:it|that|this|those|them) (?:on|to) (?:the|my|our|your) (?:to-?do(?: list)?|list|backlog)
    """)
    + r"(?: (?:of|about) (?:it|that|this))?(?: (?:please|pls|then|again|later|tomorrow|tonight|on|at|when|once|after|before|next|until|in|if|every|this|am|bitte|mañana|demain|el)\b.*)?[\s.!?]*$"
)
KEEP_IN_MIND: Final = _cues(r"""
    (?:keep|bear) (?:it|that|this) in mind
    keep (?:it|that|this) on (?:the|our|your) radar
    don't (?:let us )?forget(?: it| that| this)?(?=[.!,]|$)
""")
ALARMS: Final = _opening(r"""
    (?:urgent|asap|critical|important|high prio(?:rity)?|dringend|wichtig|urgente|importante)[\w ]{0,20}[:,!—–-]
""")
NOT_AN_ACTION: Final = _cues(r"""
    i (?:have|need|want) to (?:present|demo|show|leave|go|hand (?:this|it)|give|catch|head|be|know|understand|see|have|say|admit|think)
    back (?:later|tomorrow|in|soon)
    i'll (?:grab|get|go|take|pop|head|call it|come back|be|have|let|give|try|see|send you|tell you|get back|need|take a look|think|test it)
    (?:should|must|has to|have to|need to|needs to) (?:be able|be there|work|return|accept|support|handle|be (?:possible|easy|fast|idempotent|optional|required|visible|shown))
    (?:user|client|customer|app|system|page|button|job|server|e?mail|newsletter|notification|reminder|message|banner|form|component|function|importer)s? (?:should|must|has to|have to|needs? to|will)
    if (?:it|that|this|you|the)\b.*\b(?:fails|breaks|works|passes)
    we'll see
    see you
    talk (?:to you )?(?:later|tomorrow)
    we (?:continue|go on|resume)
    wants
""")
PRONOUN_OBJECT: Final = re.compile(r"\b(?:it|that|this|them|those|one)\b")
URGENT: Final = _cues(r"""
    urgent(?:ly|es?)?
    asap
    as soon as possible
    critical
    immediately
    p0
    drop everything
    emergency
    dringend
    sofort
    d'urgence
""")
HIGH: Final = _cues(r"""
    important(?:e|es)?
    high[ -]?prio(?:rity)?
    prio(?:rity)?:? (?:is )?(?:high|1|one)
    p1
    top priority
    crucial
    wichtig
    hohe priorität
    prioridad alta
""")

# ---- facts

# Something that a fact can hold on to: a number, a path, a piece of code, a name with a dot or an underscore in it.
CONCRETE: Final = re.compile(r"\d|[ǁǂ/@]|\w\.\w|\w_\w|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|dozens?|hundreds?|thousands?|millions?)\b")
# Names that people do not capitalise.
KNOWN_NAMES: Final = frozenset(
    "postgres postgresql mysql mariadb sqlite oracle mongodb redis valkey kafka rabbitmq docker podman kubernetes k8s helm "
    "terraform ansible aws gcp azure heroku vercel netlify hetzner linux ubuntu debian fedora nixos macos windows wsl android "
    "ios python django flask fastapi ruby rails java kotlin scala clojure golang rust swift typescript javascript node deno "
    "bun react vue svelte angular nextjs next.js nuxt remix astro vite webpack rollup esbuild pnpm npm yarn pip poetry uv conda "
    "cargo maven gradle bazel cmake ninja meson jest vitest mocha pytest unittest rspec junit playwright cypress selenium git "
    "github gitlab gerrit bitbucket mercurial svn perforce jenkins circleci travis buildkite argocd jira linear asana trello "
    "slack teams discord notion confluence vim neovim nvim emacs vscode intellij pycharm goland xcode tmux zsh bash fish "
    "powershell nginx apache caddy traefik haproxy envoy istio grpc graphql rest protobuf json yaml toml csv parquet avro numpy "
    "pandas pytorch tensorflow jax spark airflow dbt snowflake bigquery redshift databricks elasticsearch opensearch grafana "
    "prometheus datadog sentry loki splunk stripe auth0 okta keycloak oauth saml ldap slurm cuda arduino esp32 raspberry "
    "freertos zephyr unity unreal godot blender haskell ocaml elixir erlang phoenix php laravel symfony wordpress drupal dotnet "
    ".net c# f# c++ perl lua zig julia matlab fortran cobol latex typst mkdocs sphinx docusaurus hugo jekyll storybook figma "
    "tailwind bootstrap sass monday tuesday wednesday thursday friday mondays tuesdays wednesdays thursdays fridays daily "
    "weekly monthly quarterly utc cet pst gmt s3 ec2 lambda rds dynamodb cloudfront cloudflare mqtt lorawan modbus sap "
    "salesforce nx turborepo lerna trunk-based monorepo remote".split()
)
_NAMED["mostly"] = r"(?:(?:also|still|only|always|currently|now|all|mostly|usually|already|just|never|don't|do not|actually|basically|normally|both|mainly|even) )*"
_NAMED["since"] = r"(?:^|[,:;(—–] *| - |\b(?:and|but|btw|fyi|so|since|because|as|(?:note|remember|know|fact|mind|given|told you|forgot) that|context|also|remember|here|production|currently|actually|note|y|und|et|übrigens|weil)[,:]? )"
ABOUT_ME: Final = re.compile(
    _alternatives(r"""
    <since>my (?:full |first |last |real )?name(?:'s| is)\b
    <since>i(?:'m| am) (?:called|named)\b
    <since>i(?:'m| am) <mostly>(?:a|an|the|one of|part of|responsible for|in charge of|new to|based in|from|located in|learning|coming from|working (?:at|for|on|in|as|with)|on|using|running|in|out of office|colou?r ?blind|dyslexic|deaf|blind|left-handed)\b
    <since>i <mostly>(?:maintain|own|lead|manage)\b
    <since>i <mostly>(?:live|work|study|teach|speak|moved|switched|started|joined|develop|use|run|come from|grew up|graduated|speciali[sz]e)\b(?! (?:out|into|on it|on this|on that|that|this|the same|to think|up|it)\b)
    <since>i(?:'ve| have) (?:been (?:an?|working|using|doing|programming|coding|writing)|\d+ years|never used|no (?:experience|access|admin|root|sudo))\b
    <since>i have (?:an?|two|three|no|only|\d+) (?:[\w-]+ ){0,2}(?:mac|macbook|laptop|desktop|pc|gpu|machine|server|account|licen[cs]e|kids?|years|raspberry|board|monitor|screens?|root|sudo|access|background|degree|phone|ram)\b
    <since>i(?:'ll be| will be|'m| am) (?:away|gone|out|off|offline|unavailable|travell?ing|on (?:vacation|holiday|leave|pto)) (?:until|from|on|next|this|for|in|all)\b
    <since>i (?:don't|do not) have (?:root|sudo|admin|access|internet|an?|any)\b
    <since>ich (?:bin|arbeite|wohne|lebe|heiße|nutze|benutze|verwende|studiere)\b
    <since>(?:trabajo (?:en|con|para)|me llamo|vivo en|soy|uso)\b
    <since>(?:je (?:travaille|m'appelle|suis|vis)|j'(?:habite|utilise)|mein name ist)\b
    """)
)
# About the writer, and clear without a name or number in it.
SURELY_ME: Final = _cues(r"""
    my (?:\w+ )?name(?:'s| is) (?!in\b|not\b|the\b|wrong|missing|shown|displayed|always|on\b|empty|too)
    i live in
    i work (?:at|for|as)
    i study
    i(?:'m| am) <mostly>(?:an?|the only|the (?:[\w-]+ ){0,2}(?:owner|lead|maintainer|admin|author|manager|architect|designer|developer|dev|engineer|founder|cto|pm)|on (?:vacation|holiday|leave|pto)|based in|from|new to|learning|responsible|colou?r ?blind|dyslexic|part of)
    time ?zone is
    i(?:'ll be| will be|'m| am) (?:away|gone|out|off|offline|unavailable|travell?ing|on (?:vacation|holiday|leave|pto))
    i maintain
    i (?:don't|do not) have (?:root|sudo|admin|internet)
    we(?:'re| are) (?:a|an) (?:\w+ )?(?:team|company|startup|start-up|non-?profit|agency|shop|university|lab|ngo|consultancy)
    ich (?:arbeite|wohne|heiße|studiere)
    trabajo (?:en|para)
    me llamo
    vivo en
    je (?:travaille|m'appelle)
    j'habite
""")
MOODS: Final = _cues(r"""
    i(?:'m| am) <mostly>(?:an?|the|from|on|in) ?(?:bit|little|fan|idiot|lot|few|total|big fan|huge fan|mess|moron|loss|hurry|it|the same|one who|rush|good|trouble|line \d+|old school|middle of|root|folder|process of|same boat)
""")
WE_DO: Final = re.compile(
    _alternatives(r"""
    <since>(?:everyone|everybody) (?:here|on the team|in the team|at work) (?:is|uses|has|works)\b
    <since>(?:in (?:our|this) \w+,? )?we(?:'re| are|'ve got|)? <mostly>(?:on|in|at|using|running|hosted|based|stuck on|limited to|bound to|tied to|locked to|about|a|an|\d+)\b
    <since>we(?:'ve| have) been (?:on|using|running|with)\b
    <since>(?:in (?:our|this) \w+,? )?we <mostly>(?:use|run|have|ship|release|deploy|support|host|build|target|store|pin|write|work|develop|test|moved|switched|migrated|upgraded|standardi[sz]ed|track|log|name|keep|follow|rely|maintain|own|speak|meet|pay|bill|serve|publish|manage|sell|make|operate|sign|tag|review|merge|back up|monitor|charge|generate|distribute|train|teach|process|receive|employ|dropped|rewrote|inherited|bought|share|sync|plan in|count|measure)\b
    <since>there are <n> of us\b
    \bwir (?:haben|nutzen|benutzen|verwenden|arbeiten|sind|setzen|deployen|hosten|betreiben)\b
    \b(?:usamos|utilizamos|tenemos|trabajamos con|desplegamos)\b
    \b(?:on|nous) (?:utilisons|utilise|avons|travaillons|déployons|sommes sur)\b
    """)
)
_NAMED["noun"] = r"(?:[\w'./+#&ǁ-]+ )"
OUR_IS: Final = re.compile(
    _alternatives(r"""
    <since>(?:(?:all|both|most)(?: of)? )?(?:my|our|the team's|the company's) <noun>{1,6}?(?:is|are|has|have|gets?|runs?|uses?|lives?|sits?|supports?|requires?|needs?|starts?|ends?|reviews?|works?|handles?|owns?|manages?|deploys?|sends?|comes?|goes|takes?|expects?|listens?|speaks?|talks?|costs?|consists?|allows?|stores?|reads?|writes?|points?|connects?|expires?|closes?|opens?|means?|contains?|bills?|builds?|ships?|covers?|includes?|spans?|serves?|exposes?|publishes|lies?|resides?|belongs?|depends?|relies|follows?|targets?|counts?|weighs?|forbids?|prohibits?|mandates?|isn't|aren't)\b
    <since>(?:unsere?|meine?|nuestr[oa]s?|mis?|notre|nos|mon|ma|mes) <noun>{1,5}?(?:ist|sind|hat|haben|läuft|laufen|senden|liegt|heißt|es|son|está|están|tiene|corren?|usan?|est|sont|tourne|utilise)\b
    """)
)
# Parts of a setting rather than of a program; about these also "the ... is" tells something lasting.
_NAMED["setting"] = (
    r"(?:repos?|repository|monorepo|project|app|apps|application|api|services?|servers?|cluster|database|db|back-?end|front-?end|staging|production|prod|ci|pipeline"
    r"|builds?|deploys?|deployments?|releases?|url|hosts?|domain|system|systems|site|website|team|company|customers?|users?|tables?|buckets?|branch|branches|code|codebase"
    r"|tests|docs|data|dataset|datasets|device|devices|boards?|sensors?|machines?|box|laptop|packages?|library|firmware|clients?|budget|deadline|schema|migrations|backups"
    r"|logs|secrets|fixtures|scripts|stuff|config|configs|assets|images|jobs?|workers?|queue|cache|gateway|network|vpn|namespace|account|environment|env|cli|sdk|infra|skripte|datos|servidor)"
)
THE_IS: Final = re.compile(
    _alternatives(r"""
    ^(?:<and_so>)*(?:it's|this is|it is) (?:an?|our|my) (?:[\w.+#-]+ ){0,5}(?:app|application|project|repo|codebase|library|service|monorepo|plugin|package|site|website|game|firmware|cli|tool|api|shop|startup|device|board|robot|extension|compiler|platform)\b
    \byou(?:'ll| can| will)? find\b.* (?:in|under|at|on)\b
    <since>(?:(?:the|shared|all(?: the| our)?|both|this|these|most|every) )?<noun>{0,4}?<setting> (?:(?!there\b)[\w'./+#ǁ-]+ ){0,4}?(?:is|are|runs?|lives?|sits?|has|have|comes? from|goes? (?:to|through|via)|listens? on|supports?|requires?|uses?|live|happen|takes?|costs?|expires?|closes|contains?|consists?)\b
    \b(?:die|der|das|el|la|los|las|le|les) <noun>{1,4}(?:laufen|läuft|liegt|están? en|se ejecuta|corre|tourne)\b
    """)
)
TELLS: Final = _cues(r"""
    fyi
    btw
    by the way
    for context
    for (?:your )?info(?:rmation)?
    just so you know
    note that
    note(?=:)
    for the record
    heads[- ]?up
    for reference
    good to know
    context(?=:)
    background(?=:)
    (?:in case|if) (?:that|it|this) (?:matters|helps|is relevant|makes a difference)
    you should know(?: that)?
    it should be noted(?: that)?
    i should (?:have )?(?:said|mentioned|mention|add|say)(?: that)?
    übrigens
    por cierto
    zur info
    au fait
    pour info
""")
# A report of what goes wrong or of what is being done; true today, not worth knowing tomorrow.
TROUBLE: Final = _cues(r"""
    bugs?
    problems?
    issues?
    errors?
    (?:fail|crash|hang|leak|complain|refus|confus)\w*
    broken?
    breaks?
    (?:is|are|so|too|very|still|really) slow
    stuck
    wrong
    weird
    strange
    missing
    off by one
    doesn't
    does not
    didn't
    won't
    can't
    cannot
    not working
    (?:is|are|turns?|still) (?:red|green|down|empty|ready|done|finished|back|ok|fine|blank)
    flaky
    timeouts?
    times? out
    exceptions?
    exit code
    status code
    undefined
    null
    nan
    questions?
    trouble
    lost
    throw(?:s|ing)?
    returning
    returns
    getting
    trying
    tried
    looking
    wondering
    thinking
    afraid
    sure
    happy
    glad
    curious
    tired
    about to
    going to
    no idea
    get an?
    left
    behind main
    commits (?:ahead|behind)
""")
# A statement that only leads to the task at hand: "the API has three endpoints, document them".
LEADS_TO_A_TASK: Final = re.compile(_alternatives(r"""
    [,;] (?:please |pls |so |then |now |can you )*<verb> (?:it|them|that|this|these|those|all|each|the|again)\b
    \b(?:attached|below|above|following)\b
    \d ?%
    """))
# Somebody with a part in it: looked for in the sentence as it was written, for the capital letter.
WHO_IS: Final = re.compile(
    r"\b[A-Z][a-zé]+ (?:is (?:our|my)\b|(?:is|was) the (?:maintainer|owner|lead|pm|manager|admin|reviewer|contact|author|cto|designer|boss|client)"
    r"|(?:handles|owns|maintains|manages|reviews|approves|takes care of|does|is responsible for|is in charge of) (?:the|our|all|every))\b"
)
WISHES: Final = _cues(r"""
    should
    would
    could
    might
    want
    wants
    wanted
    need to
    needs to
    have to
    must
    will
    i'll
    we'll
    plan to
    planning
    hope
    maybe
    perhaps
    probably
    i think
    i guess
    not sure
    prefers?
    likes?
    loves?
    hates?
    thinks?
    wishes
    let's
    lets
    add
""")
