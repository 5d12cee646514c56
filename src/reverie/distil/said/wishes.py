"""Cues of what a writer likes, wants of the agent, or cannot stand: wishes in the first person."""

from typing import Final

from reverie.distil.said.cues import cues, further, name

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

I_PREFER: Final = cues(r"""
    (?:i|we) (?:(?:really|generally|usually|strongly|much|always|also|personally|tend to|just|still|definitely|
        all) )*prefer
    (?:i|we)(?:'d| would) (?:(?:really|generally|usually|strongly|much|always|also|personally) )*prefer (?!an?\b|
        the\b|to\b|if\b|it\b|that\b|this\b|not\b|you\b)
    i (?:usually|generally|normally|typically|mostly) (?:just |only )?(?:want|like(?! the\b)) (?!it\b|this\b|that\b|
        them\b|to\b|\d)
    (?:my|our) (?:personal |strong |clear |general |usual )?preference (?:is|would be)
    i(?:'m| am) more of an? [\w -]{2,40} (?:person|guy|girl|gal|type|man|woman|kind)
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

I_RATHER: Final = cues(r"""
    i(?:'d| would| had) (?:much |really )?(?:rather|sooner|prefer)
""")

# One thing out of several on offer, or how to go on now; not a preference.
CHOOSES: Final = further(r"""
    (?:prefer|rather|like|take|go with|have|use) +(?:the +)?(?:option|variant|version|approach|solution|proposal|
        idea|choice|alternative|number|plan) *(?:#?\d+|[a-d]|one|two)?
    (?:prefer|rather|like|take|go with|have|use) +(?:the +)?(?:#?\d+|[a-d]|first|second|third|last|latter|former|
        other|left|right|one|two|that|this|your (?:first|second|other)|it|old|new|current|previous|original|
        existing|simpler?|upper|lower|top|bottom)(?! +(?:person|names?|way of|line|column|class|spaces?|tabs?))
    preference (?:is|would be) (?:to )?(?:the )?(?:option|variant|version|approach|#?\d+|[a-d]|first|second|third|last|
        latter|former|other|that|this|it|your|old|new)
    (?:'d|would) prefer (?:to|not to|if we|if you)
    prefer (?:not )?to (?!see|have|get)\w+ (?:the|this|that|it)
""")

# What the program is to do, in the words of the person who wants it.
WANTS_IT_BUILT: Final = further(r"""
    i(?:'d| would)? (?:want|need|like|love) (?:to have )?(?:the|an?|it|this|that|my app|
        our app) (?:[\w-]+ ){0,3}(?:to|that|which)
    as an? [\w -]{2,30},? i (?:want|need|can|would)
""")

I_WANT: Final = cues(r"""
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
        go (?:with|for)|pick|reach for|
        name|put|keep|commit|squash|rebase|indent|want|have|test|deploy|start|read|format)
""")

# A dislike of something in general, or of what the agent does, is a preference even without "always".
I_DISLIKE: Final = cues(r"""
    i (?:really |just |generally )?(?:hate|dislike|don't like|do not like|can't stand|cannot stand)(?! (?:it|this|
        that|these|those|them|him|her|his|their|your|the|my|to|how|where|when|how|what|myself|having to|css|regex|
        javascript|java|php|perl|python|
        windows|
        linux|mondays?|mornings?|meetings?|computers?|printers?|programming|coding|waiting|bugs?|yaml|git|
        jira|time ?zones?|dates|merge conflicts|dns|ci|docker|people|everything|being)\b)
    i (?:really )?(?:hate|dislike|don't like|do not like|can't stand) (?:it )?(?:when|if|that|how) (?:you|your)
    i (?:do not|don't) want you (?:to )?\w+ing
    (?:annoys|bothers|bugs|irritates) me(?: is)?[:,]? (?:(?:when|if|that|how) )?(?:you|your)
    \b(?:you|your|don't|do not)\b.*(?:drives|driving|annoys|bothers|irritates) me\b.*
    i like (?:my (?!job|boss|team)|short|concise|brief|detailed|small|early|explicit|functional|verbose|clean code|
        things|it when you)
    i(?:'m| am) not a (?:big |huge )?fan of (?!this|that|it|the)
    <clause>no more [\w -]{3,30}(?:please|pls|from now|in (?:my|the|your|this))
    i(?:'m| am) allergic to
    i(?:'d| would) (?:like|love|appreciate|prefer)\b(?! an?| the| to| you to \w+ (?:the|this|that|my|our|
        it)\b).{0,40}\b<output>
""")

# What the agent is wished to do, or not to do, whenever it comes to it: "I'd rather you didn't add dependencies".
OF_YOU: Final = cues(r"""
    (?:my|our) (?:personal |strong |clear |general |usual )?preference (?:for|in|on|with|when|regarding|about|
        as to) [^,;:]{2,60}?(?::| is| are| would be)(?! (?:stored|saved|not|lost|ignored|kept|set|missing|gone|reset|
        never|in)\b)
    (?:i|we) have an? (?:strong |clear |slight |general )?(?:preference|weakness|soft spot) for <bare>
    i(?:'d| would) (?:much |really )?(?:rather|prefer (?:it )?if) (?:you|we|u) (?:didn't|don't|did not|do not|never|
        always|[a-z]+ed|
        kept|wrote|stuck|told|gave|left|ran|made|put)(?! (?:it|this|that|the|these|those)\b)
    i(?:'d| would) (?:really )?(?:love|like|appreciate|prefer) it if you (?:[a-z]+ed|kept|wrote|told|gave|could|would|
        always|
        never|didn't)(?! (?:the|this|that|it)\b(?! why| how| reason))
    (?:i'd be|i would be|i'm|i am) (?:very |really )?(?:grateful|thankful|happy|glad) if,? .{0,20}you (?:[a-z]+ed|
        always|never|
        could always|kept|told|wrote)
    i(?:'d| would)? (?:really )?(?:like|love|want|expect|need) you to .{2,80}\b(?:before|when|whenever|each time|
        instead of|if) (?:you|i|
        something|anything|a|any|guessing|asking|assuming)(?!.{0,30}\b(?:the|this|that|it)\b)
    i (?:don't|do not|never) want you (?:to )?(?:touch|edit|change|modify|commit|push|delete|merge|reformat|rename|
        install|
        rewrite|run|create|mock|guess)(?:ing)?(?! (?:it|this|that|the (?:file|function|test|branch|line|button|page|
        code))\b)
    i (?:don't|do not|never) want (?:to see )?(?:direct|any|big|long|huge|more|new|unrelated|
        generated) [\w -]{2,30}(?:in|on|to|inside|from) (?!this|that|it\b)
    i (?:don't|do not) need (?:an? |any |the |your |so many |such |all (?:the |those |
        these )?)?(?:[\w-]+ )?(?:explanations?|
        summar(?:y|ies)|recaps?|comments|apolog\w+|introductions?|preambles?|disclaimers?|hand-?holding|emojis?|
        praise|
        compliments?|bullet points|pep talks?|sorry)
    i(?:'m| am) (?:not (?:so |very |too |really )?(?:fond of|keen on|into)|no (?:big )?(?:fan|friend) of) (?!this\b|
        that\b|it\b|
        the\b|your\b|you\b)
    i find <bare> (?:hard|difficult|annoying|confusing|ugly|easier|better|clearer|unreadable|worse|distracting|
        more readable)
    (?:as|like) i (?:already |always )?(?:said|told you|wrote|mentioned)(?: before| already| earlier|
         twice)?,? i (?:want|like|expect) (?:[\w-]+ )?(?:<output>|functions|tests)(?! (?:that|which|for)\b)
    i (?:want|like|expect) (?:[\w-]+ )?(?:<output>|functions|tests)(?! (?:that|which|for)\b)[^,;.]{0,40}, (?:as|
        like) i (?:already |always )?(?:said|told you|wrote|mentioned)
    i like (?:my |our )?<bare> (?:kept|thin|flat|short|small|simple|explicit|plain|tidy|minimal|boring|early)
    i like (?:having|seeing|getting|to (?:have|see|get)) .{3,40}\b(?:in|with|at|before|after|next to|first|
        alongside) (?!this|that|it)
    i (?:hate|dislike|don't like|can't stand)(?: it)? when .{3,60}, ?(?:so|please|don't|never|just)\b
    (?:what|the way) i(?:'d)? (?:like|want|prefer|
        expect)(?: from you| it| things| my \w+)?,?(?: here| in general| generally| from now on|
        and in .{3,30})*:
    (?:suits?|works? (?:best|better) for|(?:is|are) (?:much |way )?easier for) me
""")
