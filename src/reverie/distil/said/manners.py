"""Cues of how the agent is to deal with its person: what to call them, how to answer, when to ask, what to stop.

Hardly anybody asks for these just once, so they need no "always".
"""

from typing import Final

from reverie.distil.said.cues import cues

STOP_DOING: Final = cues(r"""
    <clause>(?:stop|quit|refrain from|lay off)(?: \w+ly)? (?!being|using|running|building|processing|listening|
        serving|trying|there|it)\w+ing
    (?:could|can|would) (?:you|u) (?:please )?stop \w+ing
    (?:you|u) (?:don't|do not) (?:need|have) to (?:always|keep|explain|ask|apologi[sz]e|summari[sz]e|repeat|thank|
        be so|tell me|remind me|justify)\b.*
    no need to \w+ .*\b(?:each|every|always)
    no need for (?:an? |the |any |your )?(?:\w+ )?(?:summar\w+|explanations?|recaps?|apolog\w+|comments|docstrings?|
        intros?|introductions?|disclaimers?|praise|emojis?)
    <clause>(?:don't|do not) bother (?:with|adding|writing|to (?:add|write)) (?!the\b|this\b|that\b|it\b|any of)
    no need to (?:always|keep|explain|apologi[sz]e|summari[sz]e|thank|justify)\b.*
    <clause>(?:stop|quit) using (?!\w+\()<bare>(?=[,.;!]|$| in (?:this|my|our|all|the (?:repo|codebase|
        project))| for | and | when )
""")

CALL_ME: Final = cues(r"""
    (?:call me|address me (?:as|with|by)|refer to me as|nenn mich|llámame|appelle[- ]moi) (?!back|later|when|maybe|
        at\b|on\b|
        if\b|tomorrow|crazy|a\b|an\b|old|paranoid|stupid|in\b|after|before|by\b|directly|once|for\b|the\b|through|
        via|from|with|over|using)\w+
    my pronouns are
    i (?:go by|use) (?:they/them|she/her|he/him|\w+/\w+ pronouns)
    i go by
""")

# Ways of working together that nobody asks for just once.
WAYS_OF_WORKING: Final = cues(r"""
    <clause>default to\b.*\b(?:you|i|me|we|whenever|always)
    <clause>ask (?:me )?(?:first|before|if (?:you're |you are |ever )?(?:unsure|in doubt|not sure|uncertain|
        anything))
    <clause>(?:check with|confirm with|ping|warn|consult|notify|talk to) me (?:first|before)
    <clause>(?:run (?:it|that|things|everything) by|clear (?:it|that|things) with) me\b
    <clause>(?:open|create) (?:prs|pull requests|mrs|merge requests|branches|issues|tickets) (?:as|from|with|against|
        in)
    (?:use|speak|write|stick to) <bare> with me
    <clause><bare> only with me
    everything (?:that|you|in|which) .{2,40} in <language>
    in (?:all|every|any|each|everything)\b.{0,24} ?you (?:produce|write|make|create|generate|give|send)(?: (?:for|
        to))? (?:me|us)
    (?:when|if) in doubt
    (?:if|when|whenever|where) (?:(?:you're|you are|u r) )?(?:ever )?(?:unsure|uncertain|not sure|in doubt)
    <clause>(?:tell me|warn me|let me know|say so|say it|admit it) (?:when|if|whenever) (?:you're|you are|
        you) (?:unsure|
        not sure|guessing|uncertain|don't know|guess)
    (?:ask|check|look it up)\b.{0,30} instead of (?:guessing|assuming|making)
    (?:if|when|whenever) (?:something|anything|a \w+|it)(?:'s| is) (?:ambiguous|unclear|not clear|ambivalent|
        vague),? (?:please |just |always )*(?:ask|
        tell|stop|say|check|ping)
    ^<and_so>*(?:before|after) (?:every|each) (?:\w+ )?(?:change|edit|commit|push|merge|pr|release|deploy|answer|task|
        session|
        feature|fix|refactoring),? (?:please |always )?<verb>
    <clause>(?:do not|don't) (?:guess|assume|make assumptions|apologi[sz]e|sugar-?coat|flatter)(?= *(?:$|[,.;!—–]|
        things|anything|what|about|me|it when|when))
    <clause>be (?:more |less )?(?:concise|brief|terse|direct|blunt|verbose|succinct|chatty)
    <clause>keep (?:your |all )?(?!it\b|this\b|that\b|the\b|these\b|going\b|track\b)[\w -]{2,24}s (?!in\b|to\b|
        for\b|from\b|as\b|and\b|on\b|at\b|with\b|of\b|running|passing|working|there|here|unchanged|intact)[\w-]+
    <clause>keep (?:the|your) (?:answers|replies|responses|explanations|summaries) (?:\w+ )?(?:short|small|brief|
        concise|simple|under|below)
    <clause>(?:shorter|longer|more concise|less verbose|more detailed|briefer) (?:answers|replies|responses|
        explanations|messages|output)
    <clause>(?:always )?one (?:\w+ )?(?:commit|pr|test|file|class|function|branch|migration|change|topic|
        concern) per \w+
    i (?:want|like|prefer|expect) one (?:\w+ )?(?:commit|pr|test|file|class|function|branch|migration|change|
        topic) per \w+
    so (?:please )?no <bare>,? (?:please|pls)
    so (?:please )?(?:give|show|send|tell|explain|describe)(?: me)? <bare> (?:in|with|as|without)
    ^<and_so>*<bare> only,? (?:please|pls)
    so (?:please |pls )?(?:do|use|follow|stick|write|keep)\b.{0,40}\b(?:too|as well|likewise|accordingly)(?=[.,!]|$)
    <clause>(?:use|go through|call) our (?:own )?[\w-]+(?: [\w-]+)? (?:and not|instead of|rather than|not|over) <bare>
    <clause>keep (?:the |your )?(?:commit )?(?:subjects?|subject lines?) (?:under|below|within|shorter|short|to)
    <clause>(?:answer|reply|respond|talk|speak|write)(?: to)?(?: me)?(?: only)? (?:in|auf|en) (?:plain )?<language>
    (?:antworte|antworten sie|schreib|sprich)(?: mir| bitte)* (?:nur |immer )?auf <language>
    (?:responde|contesta|háblame|respóndeme) (?:siempre )?en <language>
    (?:réponds|réponds-moi|parle(?:-moi)?) (?:toujours )?en <language>
    <clause>(?:(?:you|u) (?:can|may|could) )?(?:skip|drop|omit|leave out|lose|spare me|cut|forget) (?:all )?(?:the|
        those|these|your|
        that)? ?(?:preambles?|intros?|introductions?|summary|summaries|recaps?|pleasantries|fluff|disclaimers?|
        explanations?|
        small talk|jargon|bullet points|emojis?|apologies|filler|pep talk|boilerplate|praise|flattery|
        buzzwords)(?! (?:in|from|of|
        on|for) (?:the|this|that)\b)
    <clause>(?:don't|do not) abbreviate\b
    <clause>(?:less|fewer|more) (?:comments|emojis?|words|text|logging|explanations?|details?|tests|
        abstractions?),? (?:please|pls)
    <clause>leave out (?:the |all )?(?:semi-?colons|comments|emojis?|type hints|docstrings)
    <clause>(?:get|come|cut) (?:straight |right )?to the (?:point|chase)
    (?:you|your \w+) (?:explain|talk|write|say|comment|apologi[sz]e|ask|type)s? (?:way |far )?too much
    your (?:answers|replies|messages|summaries|explanations|responses|commit messages|comments|prs) are (?:all |
        always |way |
        far |just |a bit |much )*(?:too (?:long|short|verbose|wordy|detailed|big|large)|longer than)
    <clause>(?:don't|do not|never) (?:give|show|send|offer|bother|flood|spam|quiz|lecture|
        overwhelm) me\b(?!.*\b(?:yet|now|this time|
        the (?:answer|solution|code))\b)
    <clause>no <bare>(?:(?:,| and| or) no <bare>)*,? (?:for me|with me|in my \w+|when you (?:talk|write|answer))
    <clause>please no (?!changes|tests|refactor\w*|worries|more\b|new\b|need|problem|hurry|rush|code|other)<bare>
    ^<and_so>*no (?!changes|tests|refactor\w*|worries|more|new|need|problem|hurry|rush|code|other|idea|
        thanks)[\w-]+(?:, no [\w-]+(?: [\w-]+)?)+
    ^<and_so>*(?:all )?(?:[\w-]+ ){0,2}[\w-]+s in [\w -]{2,20} (?:case|format|style|order|notation|mood|
        tense)(?:[,.!]|$| please| pls| everywhere|
         always| only)
    <clause>(?:one|a single) (?:option|suggestion|question|step|change|thing|file) at a time
    <clause>explain (?:things|stuff|everything)? ?to me (?:the way|like|as if|as you)
    <clause>(?:keep|leave) (?:all |your |our )?[\w -]{2,30}s in <language>
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
    <clause>(?!(?:explain|write|answer|say|translate|put|give|send|do|draft|reply|make|show) (?:it|this|that|the|an?|
        me)\b)[\w -]{3,30} in <language>,? (?:please|
        only|always|even)
    <clause>only (?:ever )?(?:suggest|propose|recommend|offer)
    <clause>talk to me (?:like|in|informally|as)
""")

# What to ask, tell and show. A list of its own: its runs of any words would slow the one above.
HOW_TO_REPORT: Final = cues(r"""
    <clause>ask(?: me)? (?:when|if|whenever) (?!i\b|you need).{2,40}\b(?:unclear|ambiguous|missing|not clear|vague)
    i (?:want|like|expect) to be (?:asked|told|warned|consulted)(?: first| before| when| if|[.!]*$)
    <clause>(?:the |a )?(?:short version|summary|conclusion|tl;?dr|bottom line|result|
        answer)(?: comes)? first,? (?:then|
        details|and then|and the|the rest)
    <clause>(?:give|show|tell) me the (?:short version|summary|conclusion|result|answer) first
    so (?:please |pls )?(?:don't|do not) (?:explain|summari[sz]e|repeat|describe|paraphrase)
    (?:before|for) (?:big|bigger|large|larger|major|risky) (?:[\w-]+ ){0,2}[\w-]+s,? (?:i (?:want|expect|need|
        like)|(?:please )?(?:give|show|ask|send) me)
    (?:when|whenever|if) i (?:paste|ask(?! the| it)|quote) [^,]{2,40}, (?:please |just |always |only )*(?:<verb>|don't)
    (?:when|whenever|if) (?:you|u) (?:answer|reply|respond)(?=[.!]*$)
    <clause>(?:just |only )?(?:give|show|send) me (?:only |just )?the (?:diffs?|changed lines|changes|
        changed part),? (?:not|
        never|no|without|instead of)
    <clause>leave (?:my|our) [\w -]{2,30}s (?:alone|untouched|as they are)
    the (?:fewer|less|shorter|smaller|simpler) (?!it\b|this\b|that\b|the\b)[\w -]{3,30},? the better
    (?:try|aim|make sure) to keep (?!it\b|this\b|that\b|the\b|these\b)[\w -]{2,24}s (?:under|below|short|small|within|
        to)
""")

# "When you open PRs, make them drafts": a habit, unless it is about the end of the task at hand.
WHEN_YOU: Final = cues(r"""
    (?:whenever|any ?time|every time|each time) (?:you|u) [a-z]+
    (?:when|if|where) (?:you|u) (?!are\b|done|ready|finish|get\b|have\b|can\b|want|need|see\b|like\b|think|could|
        know|had|were|mean|said|say\b|find|reach|run\b|start)[a-z]+ (?:me |up |out )?(?!the\b|this|that|it\b|them|
        an?\b|my|on\b|to\b|in\b|through|down|up\b|out\b|with\b|at\b)[\w-]+
    (?:before|after) (?:you|u) (?:change|edit|delete|touch|commit|push|run|start|write|add|remove|create|install|open|
        merge|deploy|
        modify|rename|drop|move|rewrite|refactor) (?:any|an?|anything|something|every|each|new|code|files|
        [\w-]+s)\b.*[,:]
    (?:when|if|whenever) (?:you|u) (?:update|create|open|write|add|fix|make|rename|touch|review|delete|change|commit|
        merge|push|
        edit|move|introduce|propose) an? [\w-]+
    (?:before|after) (?:deleting|changing|editing|touching|moving|removing|renaming|installing|running|committing|
        pushing|
        merging|adding) (?:anything|any [\w-]+|something|files|code|data)
    when (?:you're |you are )?(?:writing|reviewing|naming|committing|documenting|refactoring|explaining|answering|
        designing|editing|generating|proposing|summari[sz]ing|reporting|planning)(?: [\w ]{0,30})?, (?:please |
        always |never |don't |no )?\w+
""")

MAY_WITHOUT_ASKING: Final = cues(r"""
    (?:can|may|feel free|never|don't|do not|no \w+|nothing|anything)\b.*(?:without|w/o) (?:asking|confirmation|
        confirming|checking with me|telling|talking to|my (?:ok|approval|permission))
    (?:no need to|don't (?:have|need) to) ask
    don't ask me (?:for|before|every)
""")

# The same with a thing that the agent hands in again and again.
NO_SUCH_OUTPUT: Final = cues(r"""
    <clause>(?:do not|don't|no|avoid|skip) (?:\w+ )?[\w-]+(?: [\w-]+)* (?:in|to|into|from|for) (?:my |your |
        our )?(?:commits|commit messages?|prs|pull requests|answers|replies|responses|explanations|summaries|
        variable names|function names|identifiers|branch names|docstrings|log messages|test names)(?! yet)
    <clause>(?:do not|don't|no|avoid|skip) (?:use |add |write |put )?(?:any )?(?:abbreviations|emojis?|jargon|
        buzzwords|acronyms|bullet points|default exports|wildcard imports|magic numbers|one-letter \w+|
        single-letter \w+|nested ternaries)
""")
