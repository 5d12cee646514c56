"""Cues of a rule of the house: what "we" do here, how things are written and named, how far it holds."""

import re
from typing import Final

from reverie.distil.said.cues import cues, further, opening

# A command about how to write and name things; a scope makes it a convention.
CONVENTION: Final = further(r"""
    <clause>(?:use|write|keep|follow|respect|avoid|no|don't|do not|stick (?:to|with)|format|name|put|prefer|
        document|only|stay|indent|log|wrap|sign|prefix|make|lean|limit|commit|assume|treat|quote|cite|propose|
        suggest|reference|number)
    <clause>we (?:(?:don't|do not)(?! need| have| know| see| get| want)|only|stick|keep|want|like|write|name|
        put|avoid)
""")

SCOPE: Final = cues(r"""
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
HABIT: Final = cues(r"""
    (?:before|after|for|with|per|on|in) (?:every|each) (?:\w+ )?(?:commit|push|merge|pr|pull request|release|change|
        edit|answer|reply|report|bug ?fix|feature|script|new \w+)(?! (?:in|of|from|since|between|that is|on) (?:the|
        this|that|these|a)\b)
    in everything you (?:write|do|make)
    (?:that )?(?:you|u) (?:write|make|give me|create|open|send|generate|produce|propose|suggest) (?:for )?me
    (?:code|commits|charts|scripts|plots|tests|docs|queries|examples|commands|prs|sql) (?:that )?(?:you|u) (?:write|
        make|create|open|send|generate|produce|propose|suggest)
    in your (?:answers|replies|responses|messages|commits|summaries|explanations|suggestions)
    (?:every|each) ?time
    (?:in|on|for|with) (?:every|each) \w+ (?:that )?(?:you|u) (?:make|write|create|build|touch|edit|change|open|
        generate|draw)
""")

HOUSE_RULE: Final = opening(r"""
    (?:for|in|on) (?:this|our|my) (?:\w+ )?(?:repo|repository|project|codebase|package|monorepo|team|company|shop|
        house):
    (?:for|in|on) (?:this|our|my) (?:\w+ )?(?:repo|repository|project|codebase|package|monorepo|team|company|shop|
        house),(?! (?:can|could|how|what|is|why|i|the|there|please|create|write|build|generate|add|fix|implement|
        find|show|make|it|a|an)\b)
    (?:house|team|project|repo) (?:rules?|conventions?|style|policy)
    (?:our|my|the team) (?:\w+ )?(?:convention|rule|policy|coding style|code style|style) (?:is|here|for)
""")

CONVENTIONS: Final = cues(r"""
    by convention
    <clause>we (?:name|prefix|suffix|spell|indent) (?!the\b|this\b|that\b|it\b)<bare> (?:with|as|in|like|after|by)
    ^<and_so>*(?:all |our )?(?:tests|migrations|fixtures|docs|refactorings?|renames?|formatting changes|
        dependency updates|
        scripts|changelogs?) (?:always )?(?:go|goes|belong|belongs) (?:in|into|under|next to|with) (?:their own|its own|
        a separate|separate|.{2,30} in (?:this|our))
    (?:how|the way) (?:we|i) (?:like to |want to |usually |generally |normally |always )*work(?: here| together|
         around here|
         on this| in (?:this|our) \w+)?(?: is)?: \S+
    that's how (?:we|i) (?:do|like|want|work|prefer)\b.*
    that's (?:our|the|my) (?:[\w-]+ )?(?:standard|convention|style|policy|rule|way)
    (?:make|let's make|lets make) (?:that|this|it) (?:the|a|our) (?:convention|rule|standard|default|habit|norm|
        policy)
    <clause>(?:we|let's|lets|let us) (?:keep|stay|go|remain|stick)(?:ing)? (?:to|with|
        on) <bare>,? (?:please )?(?:keep|stick|hold) to (?:it|that)
    <clause>we (?:don't|do not|never|only) (?:merge|deploy|push|release|ship|commit|rebase|force-?push|
        squash)(?: \w+)? (?:on|to|from|
        without|before|after|during|straight|directly)
    <clause>we (?:always )?(?:squash|rebase|lint|format|review|document|test|sign|pin|name|prefix|sort|type|
        tag) (?:everything|all|every \w+|each \w+)
    (?:in|on|for|inside) (?:this|our|my) (?:[\w-]+ )?(?:repo|repository|project|code ?base|package|monorepo|service|
        team|app|library|
        company|house),? (?:we|you) (?:all |do )?(?:always|never|only|don't|do not|avoid)
    ^<and_so>*(?:around |over |in )?here,? (?:we|you) (?:all |do )?(?:always|never|only|don't|do not|avoid|name|write|
        prefix|squash)
    (?:can|could|let's|lets|let us|shall|should) (?:we )?(?:please |just |all |maybe )*(?:stick (?:to|with)|
        stay (?:with|on|away from)|
        agree (?:on|that we|that you)|settle on|keep to|steer clear of|not use|avoid|only use|keep (?:all|
        the commits?|
        commit messages|names|docs|comments)) <bare>.{0,40}\b(?:<here>|from now on|going forward|always|before you|
        whenever)
    (?:can|could|let's|lets|let us|shall|should) (?:we )?(?:please |just )*agree that (?:you|we) \w+
    (?:this|our|the whole|the) (?:repo|repository|code ?base|project|monorepo) (?:is|uses|stays|sticks to) (?:all |
        only |on )?(?:tabs|
        \w+ spaces|spaces|camel ?case|snake_case|kebab-case|british english|american english|conventional commits)
    no exceptions?(?=[.!,]|$)
    <clause>we (?:don't|do not|never) (?!need|have|know|see|want|use|get|handle|check|call|care|mean|
        even)[a-z]+ (?:<bare> )?(?:around |
        in )?here(?=[.!,]|$)
    <clause>we (?:write|name|format|indent|document|structure|organi[sz]e|style|spell) .{2,60}(?:, (?:no|not|never)|
        instead of|
        and not|rather than)
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

OUR_STYLE = re.compile(
    r"(?:(?:and|also|so|btw|but)[,:]? )*(?:in this \w+,? )?we (?:(?:all|always|only) )?(?:use|write|follow|go with"
    r"|indent with|stick (?:to|with)|do)\b"
    r".*\b(?:here|(?:in|on|for) (?:this|our) (?:\w+ )?(?:repo|repository|project|code ?base|package|monorepo|service"
    r"|team))\b"
    r"|(?:(?:and|also|so|btw|but)[,:]? )*in (?:this|our) (?:\w+ )?(?:repo|repository|project|code ?base|package"
    r"|monorepo|service|team),? we"
    r" (?:(?:all|always|only) )?(?:use|write|follow|go with|indent with|stick (?:to|with)|do)\b"
)
