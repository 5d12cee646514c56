"""How a sentence shows that its writer wants things done a certain way, not only this time.

The difficulty is what looks the same: one-off instructions ("rename it everywhere"), requirements of the program ("the
function must always return a list"), choices between offers ("I prefer the second one") and complaints. So most cues
count only together with a word for habit or scope, or when they can only be meant for the agent.
"""

import re
from typing import Final

from reverie.distil.said import changes, everyday
from reverie.distil.said.changes import takes_back
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
    name,
    opening,
    pattern,
)
from reverie.distil.said.everyday import is_about_a_kind
from reverie.distil.said.phrases import Phrases, Plain, bits, words
from reverie.distil.said.sentences import Sentence
from reverie.distil.said.subjects import subject_of

# What an agent hands in, in general: commits, answers, names. Not "the tests" or "this commit".
name(
    output=r"""
    commits?|commit messages?|prs|pull requests|merge requests|answers|replies|responses|explanations|summaries|
        messages
    suggestions|variables?|variable names|function names|identifiers|branch names|docstrings|code comments|
        comments|imports
    docs|changelogs?|screenshots|type hints|error messages|log messages|test names|plots|charts|code
    """
)

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
""")
_TO_THE_AGENT: Final = further(r"""
    <clause>(?:<verb>|don't|do not|never|always|no|only|just|avoid)
    (?:you|u|please|pls|plz|i want|i'd like|i expect)
""")
_PLANS: Final = further(r"""
    (?:we|it|they|i|the \w+)(?: will|'ll| may| might| plan| could| would| can)
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
    (?:before|after|for|with|in) (?:every|each)
    by default|in general|generally|immer|siempre|toujours
    stop \w+ing
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
_I_PREFER: Final = cues(r"""
    (?:i|we) (?:(?:really|generally|usually|strongly|much|always|also|personally|tend to|just|still|definitely|
        all) )*prefer
    (?:i|we)(?:'d| would) (?:(?:really|generally|usually|strongly|much|always|also|personally) )*prefer (?!an?\b|
        the\b|to\b|if\b|it\b|that\b|this\b|not\b|you\b)
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
_I_RATHER: Final = cues(r"""
    i(?:'d| would| had) (?:much |really )?(?:rather|sooner|prefer)
""")

# One thing out of several on offer, or how to go on now; not a preference.
_CHOOSES: Final = further(r"""
    (?:prefer|rather|like|take|go with|have|use) +(?:the +)?(?:option|variant|version|approach|solution|proposal|
        idea|choice|alternative|number|plan) *(?:#?\d+|[a-d]|one|two)?
    (?:prefer|rather|like|take|go with|have|use) +(?:the +)?(?:#?\d+|[a-d]|first|second|third|last|latter|former|
        other|left|right|one|two|that|this|your (?:first|second|other)|it|old|new|current|previous|original|
        existing|simpler?|upper|lower|top|bottom)(?! +(?:person|names?|way of|line|column|class|spaces?|tabs?))
    (?:'d|would) prefer (?:to|not to|if we|if you)
    prefer (?:not )?to (?!see|have|get)\w+ (?:the|this|that|it)
""")

# What the program is to do, in the words of who wants it.
_WANTS_IT_BUILT: Final = further(r"""
    i(?:'d| would)? (?:want|need|like|love) (?:to have )?(?:the|an?|it|this|that|my app|
        our app) (?:[\w-]+ ){0,3}(?:to|that|which)
    as an? [\w -]{2,30},? i (?:want|need|can|would)
""")
_I_WANT: Final = cues(r"""
    i (?:(?:always|never|really|generally|only|just|do|also|do not|don't|would) )*(?:want|like|hate|dislike|expect|
        appreciate|insist)(?! to (?!have|see))
    i(?:'d| would) (?:really )?(?:like|love|appreciate)(?! to (?!have|see))
    i can(?:'t|not) stand
    (?:it'd|it would) be (?:great|nice|good|cool|lovely|helpful) if (?:you|u)
    ich (?:will|möchte|mag)
    quiero que
    je (?:veux|voudrais)
    i (?:always|never) need
    i (?:always|never|only|usually|exclusively|generally|mostly|normally|typically|tend to) (?:use|write|run|work|
        name|put|keep|commit|squash|rebase|indent|want|have|test|deploy|start|read|format)
""")

# A dislike of something in general, or of what the agent does, is a preference even without "always".
_I_DISLIKE: Final = cues(r"""
    i (?:really |just |generally )?(?:hate|dislike|don't like|do not like|can't stand|cannot stand)(?! (?:it|this|
        that|these|those|the|my|to|how|where|when|how|what|myself|having to)\b)
    i (?:really )?(?:hate|dislike|don't like|do not like|can't stand) (?:it )?(?:when|if|that|how) (?:you|your)
    i (?:do not|don't) want you (?:to )?\w+ing
    (?:annoys|bothers|irritates) me (?:when|if|that) (?:you|your)
    \b(?:you|your|don't|do not)\b.*(?:drives|driving|annoys|bothers|irritates) me\b.*
    i like (?:my (?!job|boss|team)|short|concise|brief|detailed|small|early|explicit|functional|verbose|clean code|
        things|it when you)
    i(?:'m| am) not a (?:big |huge )?fan of (?!this|that|it|the)
    <clause>no more [\w -]{3,30}(?:please|pls|from now|in (?:my|the|your|this))
    i(?:'m| am) allergic to
    i(?:'d| would) (?:like|love|appreciate|prefer)\b(?! an?| the| to).{0,40}\b<output>
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
    + r"(?:always|never(?! ?-?mind\b|-| again\b)|don't ever|do not ever|only ever|ever only) +(?:ever )?(?:please )?"
    + r"(?P<verb>[a-z][\w-]*)"
)
_STOP_DOING: Final = cues(r"""
    <clause>(?:stop|quit|refrain from|lay off)(?: \w+ly)? (?!being|using|running|building|processing|listening|
        serving|trying|there|it)\w+ing
    (?:could|can|would) (?:you|u) (?:please )?stop \w+ing
    (?:you|u) (?:don't|do not) (?:need|have) to (?:always|keep|explain|ask|apologi[sz]e|summari[sz]e|repeat|thank|
        be so|tell me|remind me|justify)\b.*
    no need to \w+ .*\b(?:each|every|always)
    no need to (?:always|keep|explain|apologi[sz]e|summari[sz]e|thank|justify)\b.*
""")
_OTHER_LANGUAGES: Final = cues(r"""
    (?:^|: |bitte )(?:immer|nie(?:mals)?)\b.*\b\w+(?:en|ieren)
    (?:^|, |bitte )(?!wir|ich|es|sie|er|das|die|der|man|warum)\w+e?(?: mir| bitte| uns)* (?:immer|nie(?:mals)?|
        nur noch)
    bitte keine?n?\b.*
    bitte\b.{1,40}\b(?:immer|nie)
    (?:por favor,? )?no (?:uses|pongas|escribas|hagas|toques)\b.*
    wenn du\b.*\b(?:schreib|nimm|benutz|nutz|verwend|mach|frag)e?\b.*
    keine?n?\b.*\b(?:bitte|mehr)
    (?:siempre|nunca) (?:usa|utiliza|escribe|responde|pon|ejecuta|hagas|uses|escribas|pongas|añade|con|en)
    (?:usa|utiliza|escribe|responde|contesta|respóndeme)\b.* siempre
    (?:utilise|écris|réponds|mets|réponds-moi|fais)\b.* toujours
    toujours (?:en|utiliser|écrire|avec)
    ^toujours \w+(?:er|ir|re)
    (?:ne \w+ )?(?:plus )?jamais (?:de|utiliser|faire|mettre|toucher)
""")
_CALL_ME: Final = cues(r"""
    (?:call me|address me (?:as|with|by)|refer to me as|nenn mich|llámame|appelle[- ]moi) (?!back|later|when|maybe|
        at\b|on\b|
        if\b|tomorrow|crazy|a\b|an\b|old|paranoid|stupid|in\b|after|before|by\b|directly|once|for\b|the\b|through|
        via|from|with|over|using)\w+
    my pronouns are
    i (?:go by|use) (?:they/them|she/her|he/him|\w+/\w+ pronouns)
    i go by
""")

# Ways of working together that nobody asks for just once.
_WAYS_OF_WORKING: Final = cues(r"""
    <clause>default to\b.*\b(?:you|i|me|we|whenever|always)
    <clause>ask (?:me )?(?:first|before|if (?:you're |you are |ever )?(?:unsure|in doubt|not sure|uncertain|
        anything))
    <clause>(?:check with|ping|warn|consult|notify|talk to) me (?:first|before)
    (?:when|if) in doubt
    if (?:you're|you are|u r)? ?(?:ever )?(?:unsure|uncertain|not sure)
    <clause>(?:do not|don't) (?:guess|assume|make assumptions|apologi[sz]e|sugar-?coat|flatter)(?= *(?:$|[,.;!—–]|
        things|anything|what|about|me))
    <clause>be (?:more |less )?(?:concise|brief|terse|direct|blunt|verbose|succinct|chatty)
    <clause>keep (?:your |all )?(?!it\b|this\b|that\b|the\b|these\b|going\b|track\b)[\w -]{2,24}s (?!in\b|to\b|
        for\b|from\b|as\b|and\b|on\b|at\b|with\b|of\b|running|passing|working|there|here|unchanged|intact)[\w-]+
    <clause>keep (?:the|your) (?:answers|replies|responses|explanations|summaries) (?:\w+ )?(?:short|small|brief|
        concise|simple|under|below)
    <clause>(?:shorter|longer|more concise|less verbose|more detailed|briefer) (?:answers|replies|responses|
        explanations|messages|output)
    <clause>(?:answer|reply|respond|talk|speak|write)(?: to)?(?: me)?(?: only)? (?:in|auf|en) (?:plain )?<language>
    (?:antworte|antworten sie|schreib|sprich)(?: mir| bitte)* (?:nur |immer )?auf <language>
    (?:responde|contesta|háblame|respóndeme) (?:siempre )?en <language>
    (?:réponds|réponds-moi|parle(?:-moi)?) (?:toujours )?en <language>
    <clause>skip the (?:preamble|intro|introduction|summary|summaries|pleasantries|fluff|disclaimers?|explanations?|
        small talk)
    <clause>no (?:fluff|preamble|small talk|pleasantries|sugar-?coating|explanations|summaries)
    <clause>(?:don't|do not) (?:start|begin|end|open|close|finish) (?:your|each|every|with)
    explain (?:things|stuff|everything) (?:to me )?(?:like|as if) (?:i'm|i am|to)
    (?:make sure you|be sure to) always
    work in small steps
    <clause>(?:answer|reply|respond|explain|write)(?: me| to me)? (?:shorter|longer|briefer|more (?:briefly|concisely|
        directly)|in (?:short|full|simple|
        plain|complete) \w+)
    <clause>less [\w-]+,? (?:and )?more [\w-]+
    <clause>give me (?!the\b|this\b|that\b|an?\b|it\b).{2,30} (?:instead of|rather than|not) (?!the\b|this\b|that\b|
        an?\b)
    (?:make|be) sure (?:that you |you |to )\w+ .{2,60}\bbefore you (?:say|claim|call|tell|declare|report)
    i(?:'ll| will)? (?:always )?(?:do|make|handle|write|run|manage) (?:the |all |all the |my )?(?:commits?|
        commit messages|push(?:es|ing)|committing|merges|
        merging|deploys?|deploying|deployments|releases?|git stuff|git|migrations) (?:by )?myself
    <clause>leave (?:the |all |all the )?(?:commits?|committing|push(?:es|ing)|git stuff|git|merg(?:es|ing)|
        deploy(?:s|ing|ments)|releas(?:es|ing)) to me
    <clause>(?:don't|do not|never) (?:commit|push|merge|deploy|publish|rebase|force-push|
        amend)(?: anything| code| changes)? (?:for me|yourself|on your own|
        by yourself|on my behalf|unless i)
    (?:when|if|whenever) (?:something|anything|a (?:test|command|build|step)|tests|commands) (?:fails?|breaks?|
        goes wrong|(?:is|isn't|are) (?:\w+ )?\w+), (?:please |
        just |always )*(?:ask|tell|stop|say|report|ping|warn|show|let me|don't|do not|never)
    <clause>[\w -]{3,30} in <language>,? (?:please|only|always|even)
    <clause>only (?:ever )?(?:suggest|propose|recommend|offer)
    <clause>talk to me (?:like|in|informally|as)
""")

# "When you open PRs, make them drafts": a habit, unless it is about the end of the task at hand.
_WHEN_YOU: Final = cues(r"""
    (?:whenever|any ?time|every time|each time) (?:you|u) [a-z]+
    (?:when|if|where) (?:you|u) (?!are\b|done|ready|finish|get\b|have\b|can\b|want|need|see\b|like\b|think|could|
        know|had|were|mean|said|say\b|find|reach|run\b|start)[a-z]+ (?:me |up |out )?(?!the\b|this|that|it\b|them|
        an?\b|my|on\b|to\b|in\b|through|down|up\b|out\b|with\b|at\b)[\w-]+
    when (?:you're |you are )?(?:writing|reviewing|naming|committing|documenting|refactoring|explaining|answering|
        designing|editing|generating|proposing|summari[sz]ing|reporting|planning)(?: [\w ]{0,30})?, (?:please |
        always |never |don't |no )?\w+
""")
_MAY_WITHOUT_ASKING: Final = cues(r"""
    (?:can|may|feel free|never|don't|do not|no \w+|nothing|anything)\b.*(?:without|w/o) (?:asking|confirmation|
        confirming|checking with me|my (?:ok|approval|permission))
    (?:no need to|don't (?:have|need) to) ask
    don't ask me (?:for|before|every)
""")

# A command about how to write and name things; a scope makes it a convention.
_CONVENTION: Final = further(r"""
    <clause>(?:use|write|keep|follow|respect|avoid|no|don't|do not|stick (?:to|with)|format|name|put|prefer|
        document|only|stay|indent|log|wrap|sign|prefix|make|lean|limit|commit|assume|treat|quote|cite|propose|
        suggest|reference|number)
    <clause>we (?:should|(?:don't|do not)(?! need| have| know| see| get| want)|only|stick|keep|want|like|write|name|
        put|avoid)
""")
_SCOPE: Final = cues(r"""
    (?:in|for|of|on|across|throughout) (?:this|my|our|the whole|the entire|these|all(?: of)?(?: my| our|
         your)?) (?:\w+ )?(?:repos?|repository|projects?|code ?base|package|monorepo|workspace|service|library|crate|
        team)
    in everything (?:you|we|i)
    all (?:my|your|our|new|future) \w+
    (?:for|in|with|to) (?:anything|everything)(?: new| else| you| in)
    anything new
    (?:for|in) (?:all|any|every) (?:my |our |your |new |future )?(?!the\b|of\b|files\b|three\b|places\b|these\b|
        those\b|cases\b|requests?\b|inputs?\b|users?\b|rows?\b|env\w*\b|platforms?\b)[\w-]+
    (?:in|for) new (?:code|files|projects|ones|\w+s)
    throughout|by default|generally|in general|anywhere|from you
    across the (?:board|site|codebase|repo|project|app)
    any more|anymore|all the time
    only(?=[.!]*$)
    ever
    in your (?:answers|replies|responses|messages|commits|summaries|explanations|code|suggestions)
""")

# Any command at all, for a habit: "run the linter before every commit".
_HABIT: Final = cues(r"""
    (?:before|after|for|with|per|on|in) (?:every|each) (?:\w+ )?(?:commit|push|merge|pr|pull request|release|change|
        edit|answer|reply|report|bug ?fix|feature|script|new \w+)
    in everything you (?:write|do|make)
    (?:that )?(?:you|u) (?:write|make|give me|create|open|send|generate|produce|propose|suggest) (?:for )?me
    (?:code|commits|charts|scripts|plots|tests|docs|queries|examples|commands|prs|sql) (?:that )?(?:you|u) (?:write|
        make|create|open|send|generate|produce|propose|suggest)
    in your (?:answers|replies|responses|messages|commits|summaries|explanations|suggestions)
    (?:every|each) ?time
""")

# The same with a thing that the agent hands in again and again.
_NO_SUCH_OUTPUT: Final = cues(r"""
    <clause>(?:do not|don't|no|avoid|skip) (?:\w+ )?[\w-]+(?: [\w-]+)* (?:in|to|into|from|for) (?:my |your |
        our )?(?:commits|commit messages?|prs|pull requests|answers|replies|responses|explanations|summaries|
        variable names|function names|identifiers|branch names|docstrings|log messages|test names)(?! yet)
    <clause>(?:do not|don't|no|avoid|skip) (?:use |add |write |put )?(?:any )?(?:abbreviations|emojis?|jargon|
        buzzwords|acronyms|bullet points|default exports|wildcard imports|magic numbers|one-letter \w+|
        single-letter \w+|nested ternaries)
""")
_HOUSE_RULE: Final = opening(r"""
    (?:for|in|on) (?:this|our|my) (?:\w+ )?(?:repo|repository|project|codebase|package|monorepo|team|company|shop|
        house):
    (?:for|in|on) (?:this|our|my) (?:\w+ )?(?:repo|repository|project|codebase|package|monorepo|team|company|shop|
        house),(?! (?:can|could|how|what|is|why|i|the|there|please|create|write|build|generate|add|fix|implement|
        find|show|make|it|a|an)\b)
    (?:house|team|project|repo) (?:rules?|conventions?|style|policy)
    (?:our|my|the team) (?:\w+ )?(?:convention|rule|policy|coding style|code style|style) (?:is|here|for)
""")
_CONVENTIONS: Final = cues(r"""
    by convention
    that's how (?:we|i) (?:do|like|want|work|prefer)\b.*
    that's (?:our|the|my) (?:standard|convention|style|policy|rule|way)
    (?:company|team|house|project) (?:policy|rule|convention|standard)
    (?:is|are) (?:banned|forbidden|off limits|taboo|verboten)(?: here| in (?:our|this|my)| by|,|[.!]|$)
    (?:is|are) the (?:rule|convention|standard|norm|policy)(?: here| in| for| with)
    (?:let's|lets) (?:make|set) (?:it )?a rule
    make it a rule (?:to|that you)
    in (?:this|our) team,? we
    our (?:policy|convention|rule) is
    <clause>we (?:always|never) (?:use|write|name|put|indent|import|export|commit|squash|log|catch|throw|mock|test|
        prefix|format|wrap|call|add|leave|merge|push|rebase|hardcode|write|document)
""")
_ENDS_ALWAYS: Final = anywhere(r"""
    (?:,| -|—|–) *(?:please,? )?(?:always|ever|every ?time|everywhere|without exception|no exceptions|as a rule|
        in general|
        by default|immer|siempre|toujours)(?:,? (?:please|pls))?[\s.!)]*$
""")

# What a program has to do. "The function must always return a list."
_REQUIRES: Final = Phrases(
    pattern(r"""
    ^(?:and |but |so |also )*(?:the|it|this|that|these|those|a|an|each|every|they|users?|customers?|clients?|input|
        output|
        both|if|one)\b.*\b(?:should|must|has to|have to|needs? to|can|may|will|shall)\b
""")
)

# ---- how sure it is


def preference(sentence: Sentence) -> float:
    """How sure it is that a sentence tells a preference; 0 if it does not."""
    plain = sentence.plain
    if not STARTS & plain.seen:
        return 0.0
    if _CALL_ME.search(plain) or (_FROM_NOW_ON.search(plain) and not _PLANS.search(plain)):
        return 0.95
    if _IN_FUTURE.search(plain) and _TO_THE_AGENT.search(plain) and not _PLANS.search(plain):
        return 0.9
    always = _ALWAYS_DO.search(plain)
    confidence = 0.9 if always and _is_told(always["verb"], plain.text) else _wished(sentence)
    return confidence if confidence and not _is_about_the_work(sentence) else 0.0


def _wished(sentence: Sentence) -> float:
    """How sure a wish is that is not only for now."""
    plain = sentence.plain
    if takes_back(plain):
        return 0.85
    if _I_PREFER.search(plain) or (_I_RATHER.search(plain) and (_HABITUALLY.search(plain) or _THAN.search(plain.text))):
        confidence = 0.0 if _CHOOSES.search(plain) else 0.9
    elif _I_WANT.search(plain) and _HABITUALLY.search(plain):
        confidence = 0.85
    else:
        confidence = 0.0 if sentence.leads_to_question else _less_sure(sentence)
    return confidence if confidence and (not _is_for_now(plain) or _HABITUALLY.search(plain)) else 0.0


_HERE = re.compile(r"\bhere\b")


def _is_for_now(plain: Plain) -> bool:
    """Whether it says that it is for this time only. "Here" does not: it names the project."""
    return JUST_NOW.exact.search(_HERE.sub(" ", plain.text)) is not None


def _less_sure(sentence: Sentence) -> float:
    plain = sentence.plain
    if any(cue.search(plain) for cue in _CLEAR):
        return 0.85
    if _HOUSE_RULE.match(plain) or (_tells_how(plain) and not TIMES.search(plain)):
        return 0.8
    if is_about_a_kind(plain) and not sentence.is_request:
        return 0.8
    if any(cue.search(plain) for cue in _LESS_CLEAR) or _is_a_convention(plain) or _REMEMBER.match(plain.text):
        return 0.75
    if _ENDS_ALWAYS.search(plain) and not TROUBLE.search(plain):
        return 0.75
    return 0.75 if sentence.is_request else 0.7 if _is_a_style(sentence) else 0.0


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
_CLEAR = (_CONVENTIONS, _I_DISLIKE, _WAYS_OF_WORKING, _STOP_DOING, _OTHER_LANGUAGES, _SAME_GOES)
_LESS_CLEAR = (_MAY_WITHOUT_ASKING, _NO_SUCH_OUTPUT)
STARTS = (
    changes.STARTS
    | everyday.STARTS
    | bits(
        *(
            _CALL_ME,
            _FROM_NOW_ON,
            _IN_FUTURE,
            _ALWAYS_DO,
            _I_PREFER,
            _I_RATHER,
            _I_WANT,
            *_CLEAR,
            *_LESS_CLEAR,
            _HOUSE_RULE,
        ),
        *(_WHEN_YOU, _HABIT, _SCOPE, _REMEMBERS, _ENDS_ALWAYS, _ALWAYS, _STYLE_WORDS, _SO_GENERALLY),
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
    cases = (IMPERATIVE, _CONVENTION, _HOUSE_RULE)
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
    if sentence.is_request and (not _ALWAYS.search(plain) or _LOOKS.search(plain.text)):
        return True
    return bool(_REQUIRES.match(plain) or _WANTS_IT_BUILT.search(plain) or _NO_PREFERENCE.search(plain.text))


_LOOKS = re.compile(
    r"\b(?:be|tell|explain|show|check|see|find|look|verify|confirm|believe|imagine|say|think|recommend|know|assume"
    r"|rely|expect|trust|guarantee|count)\b"
)
_NO_PREFERENCE = re.compile(
    r"\b(?:don't|do not) forget\b"
    r"|\b(?:why|whether|how|check if|see if|sure) (?:that )?(?:you|we|i|it|they|the)\b"
    r"|\b(?:in|from|inside|within) (?:(?:the|this) (?:function|method|class|loop)|ǁ|\w+\(\))"
)

# Verbs for what a program does rather than an agent: "always return a list" is a requirement.
_PROGRAM_VERBS: Final = words(
    "return raise throw yield emit render display sort round escape trim retry fall accept reject allow validate "
    "handle bind listen lock unlock serialize encode decode normalize sanitize output contain redirect cache store "
    "support fail happen come appear parse match start overlap show be trust"
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
    "gonna"
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


def _is_a_convention(plain: Plain) -> bool:
    """How things are to be done wherever they are done. "Use the cached value by default" is one thing in one place."""
    if _HABIT.search(plain) and IMPERATIVE.search(plain) and not _TELLS_OF.match(plain.text):
        return True
    if not (_SCOPE.search(plain) and _CONVENTION.search(plain)):
        return False
    return _DEFINITE.search(plain.text) is None or _US.search(plain.text) is not None


def _tells_how(plain: Plain) -> bool:
    """A command for each time that the agent does something: "when you reference code, give me the line"."""
    when = _WHEN_YOU.search(plain)
    return when is not None and _HOW.exact.search(plain.text[: when.start()] + plain.text[when.end() :]) is not None


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


_OUR_STYLE = re.compile(
    r"(?:(?:and|also|so|btw|but)[,:]? )*(?:in this \w+,? )?we (?:(?:all|always|only) )?(?:use|write|follow|go with"
    r"|indent with|stick (?:to|with)|do)\b"
    r".*\b(?:here|(?:in|on|for) (?:this|our) (?:\w+ )?(?:repo|repository|project|code ?base|package|monorepo|service"
    r"|team))\b"
    r"|(?:(?:and|also|so|btw|but)[,:]? )*in (?:this|our) (?:\w+ )?(?:repo|repository|project|code ?base|package"
    r"|monorepo|service|team),? we"
    r" (?:(?:all|always|only) )?(?:use|write|follow|go with|indent with|stick (?:to|with)|do)\b"
)


def _is_a_style(sentence: Sentence) -> bool:
    plain = sentence.plain.text
    if _OUR_STYLE.match(plain) and subject_of(sentence.text) in _STYLES:
        return True
    return (
        len(plain) < 100
        and _NOT_A_STYLE.search(plain) is None
        and _NOUN_FIRST.match(plain) is not None
        and subject_of(sentence.text) in _STYLES
    )
