"""The words by which rules recognise what a sentence is. Data only; `said.py` says what follows from them.

All patterns are looked for in plain sentences (see `sentences.py`): small letters, straight apostrophes, code as ǁ and
quotes as ǂ. English first; German, Spanish and French where a cue is hard to misread.
"""

import re
from typing import Final


def _any(*parts: str) -> re.Pattern[str]:
    """One pattern for several alternatives, each of which begins and ends at the edge of a word."""
    return re.compile(r"(?<![\w-])(?:" + "|".join(parts) + r")(?![\w-])")


# ---- things that sentences are made of

YOU: Final = r"(?:you|u|ya)"
PLEASE: Final = r"(?:(?:please|pls|plz|bitte|kindly|por favor|stp|svp|s'il te plaît),?\s+)"

# Where a clause begins, for "never push" but not for "users never find it".
CLAUSE: Final = (
    r"(?:(?:^|[,:;—–(]\s*|\s-\s)(?:(?:and|but|so|also|then|ok|okay|oh|well|hey|hi|again|btw|plus|remember|und|y|et)[,:]?\s+)*"
    r"|\b(?:and|but|also|please|pls|plz|so)\s+)" + PLEASE + "?"
)

# What an agent is told to do. A list, because in English nothing else tells a command from a noun.
VERBS: Final = (
    "add answer apply archive ask avoid backport back bump build buy call cancel change check clean clear close collect "
    "comment commit compare configure contact convert copy create cut deactivate debug decide define delete deploy "
    "deprecate describe disable do document double-check download draft drop edit email enable ensure explain export "
    "extend extract file find finish fix follow format generate get give go handle implement import improve include "
    "increase inform install investigate invite invoice keep launch leave link lint list log look mail make mark measure "
    "mention merge message migrate move name notify number offer open optimise optimize order patch pay pick pin ping plan "
    "port post prefer prepare print publish pull push put raise re-run read rebase rebuild record redo reduce refactor "
    "regenerate release remove rename renew reopen reorganise replace reply report request rerun reset respond restart "
    "restore return revert review revisit revoke rewrite rotate run save say schedule see send set share ship show sign "
    "simplify skip sort speak split squash start stick stop submit swap switch sync tag talk tell test tidy touch "
    "translate treat try turn uninstall unpin update upgrade upload use validate verify wait warn wire work wrap write"
).split()
VERB: Final = r"(?:" + "|".join(sorted(VERBS, key=len, reverse=True)) + r")"

# Verbs for what a program does rather than what an agent does: "always return a list" is a requirement.
PROGRAM_VERBS: Final = frozenset(
    "return returns raise throw yield emit render display show sort round escape trim retry fall default accept reject "
    "allow validate handle output be have contain redirect cache store support work fail pass happen come appear start "
    "parse match include".split()
)

# ---- preferences

# It holds from now on, not only for the task at hand.
FROM_NOW_ON: Final = _any(
    "from now on",
    "from now onwards?",
    "from here on(?: out)?",
    "from today on",
    "going forward",
    "moving forward",
    "in (?:the )?future",
    "for (?:the )?future(?: reference)?",
    "for next time",
    "next time you",
    "henceforth",
    "make (?:it|that) a habit",
    "get (?:in|into) the habit",
    "as a (?:general )?rule",
    "as a rule of thumb",
    "rule of thumb",
    "unless i (?:say|ask|tell|specify|explicitly)(?: otherwise)?",
    "unless (?:told|asked|stated|specified)(?: otherwise)?",
    "until i (?:say|tell) (?:otherwise|you)",
    "ab (?:jetzt|sofort|heute|nun)",
    "in zukunft",
    "für die zukunft",
    "künftig",
    "zukünftig",
    "a partir de ahora",
    "de ahora en adelante",
    "de aquí en adelante",
    "en el futuro",
    "à partir de maintenant",
    "désormais",
    "dorénavant",
    "à l'avenir",
)

# It holds generally. Not enough by itself: one can also ask to rename something everywhere.
GENERALLY: Final = _any(
    "always",
    "never",
    "ever",
    "every ?time",
    "each time",
    "whenever",
    "any ?time (?:you|we|i)",
    "by default",
    "in general",
    "generally",
    "usually",
    "throughout",
    "everywhere",
    "across the (?:board|site|codebase|repo|project|app|code)",
    r"(?:in|for|of|on|across) (?:this|my|our|the whole|the entire|these) (?:\w+ )?(?:repos?|repository|projects?|code ?base|package|monorepo|workspace|code)",
    "(?:for|in|with|on|to) (?:all|every|everything|anything|each|any)",
    "all (?:my|your|our|new|future)",
    r"(?:every|each|any) (?:new |single )?[\w-]+",
    "anything (?:new|else)",
    "for new (?:ones|code|files|projects)",
    "in new (?:code|files|projects|ones)",
    "in your (?:answers|replies|responses|messages|commits|summaries|explanations|code|output)",
    r"(?:that|which|when|whenever|what|code|commits|charts|scripts|things|files|plots|tests|docs|queries|examples|commands)"
    r" (?:you|u) (?:write|make|give|create|open|send|generate|produce|propose|suggest|add|name|report|explain|answer|commit"
    r"|reference|show|edit|change|touch|reply|refactor|summari[sz]e|ask|need|print|plot|draw|list|run|fix|review)",
    "also in",
    "any ?more",
    "at all times",
    "without exception",
    "not only today",
    "immer",
    "nie(?:mals)?",
    "siempre",
    "nunca",
    "toujours",
    "jamais",
)

# The sentence before holds generally: "That goes for all components.", "Always."
SO_GENERALLY: Final = re.compile(
    r"(?:and |so |but |please |pls )*(?:(?:that|this|it|same|the same)(?:'s| is| goes| holds| applies| counts| should| is true)?\b"
    r".{0,40}\b(?:all|every|everything|always|general|generally|everywhere|any|future|from now on|for good|whole (?:repo|project|codebase))\b"
    r"|(?:always|every time|in general|everywhere|as a rule|from now on|no exceptions?|ever|generally|by default|throughout"
    r"|immer|siempre|toujours)(?: please| pls| btw)?[\s.!]*$"
    r"|(?:please )?(?:remember|respect|follow|note|keep) (?:that|this|it)(?: in mind)?(?: please| for.*| in .*| from now on| everywhere)?[\s.!]*$"
    r"|(?:please )?(?:stick (?:to|with)) (?:that|this|it)\b)"
)

I_PREFER: Final = re.compile(
    r"\bi (?:(?:really|generally|usually|strongly|much|always|would|'d|also|personally|tend to|just|still|definitely) ?)*"
    r"prefer(?:red)?\b|\bi(?:'d| would) (?:prefer|much prefer|strongly prefer)\b|\bmy preference (?:is|would be)\b"
    r"|\bmy preferred \w+(?: \w+)? (?:is|are)\b|\bmy (?:favou?rite|go-to) \w+(?: \w+)? (?:is|are)\b|\bi favou?r\b"
    r"|\bich (?:bevorzuge|hätte (?:gerne?|lieber)|mag lieber|möchte (?:immer|lieber|nie))\b|\bmir (?:ist|wäre)\b.{1,40}\blieber\b"
    r"|\b(?:yo )?prefiero\b|\bje préfère\b|\bj'aime(?:rais)? mieux\b"
)
I_RATHER: Final = re.compile(r"\bi(?:'d| would| had) (?:much |really )?(?:rather|sooner)\b")
# One thing out of several on offer, not a preference.
CHOOSES: Final = re.compile(
    r"\b(?:prefer|rather|like|take|go with|have|use)\s+(?:the\s+)?(?:option|variant|version|approach|solution|proposal|idea|choice|"
    r"alternative|number|plan)?\s*(?:#?\d+|[a-d]|first|second|third|last|latter|former|other|left|right|one|two|that|this|"
    r"this one|that one|your (?:first|second|other)|it)\b(?!\s+(?:person|names?|way of|line|column|class))"
)

I_WANT: Final = re.compile(
    r"\bi (?:(?:always|never|really|generally|only|just|do|also|do not|don't|would|'d) )*(?:want|like|love|hate|dislike|need|expect"
    r"|appreciate|insist)\b|\bi(?:'d| would) (?:like|love|appreciate)\b|\bi can(?:'t|not) stand\b|\bich (?:will|möchte|mag)\b"
    r"|\bquiero que\b|\bje (?:veux|voudrais)\b|\bit (?:annoys|bothers|irritates) me\b|\bdrives me (?:mad|crazy|nuts|up the wall)\b"
    r"|\bi(?:'m| am) (?:not )?(?:a )?(?:big )?fan of\b|\bi (?:always|never|only|usually|exclusively) (?:use|write|run|work|name|go|put|keep|do code|commit|"
    r"squash|rebase|indent)\b"
)
# A dislike of what the agent does is a preference even without "always".
I_DISLIKE_YOUR: Final = re.compile(
    r"\bi (?:really )?(?:hate|dislike|don't like|do not like|can't stand|don't want|do not want|don't need|do not need)"
    r"\s(?:it\s)?(?:(?:when|if|that|how|having|seeing)\s)?(?:you|your|to see|to have|any|\w+ing (?:you|your))\b"
    r"|(?:annoys|bothers|irritates) me (?:when|if|that) (?:you|your)\b|\bdrives me (?:mad|crazy|nuts|up the wall)\b"
    r"|\bi like (?:my|your|short|concise|brief|detailed|small|early|explicit|functional|verbose)\b"
    r"|\bi(?:'m| am) not a (?:big )?fan of\b|\bplease no more\b|\bno more \w+"
)

# "Always use", "never push", "stop adding", "only ever run": told to the agent, at the start of a clause.
ALWAYS_DO: Final = re.compile(
    r"(?:" + CLAUSE + r"|\byou (?:should |must |can |need to |have to )?|\bto |\bcould you |\bcan (?:you|u) |\bwould you )"
    r"(?:please )?(?P<how>always|never(?! ?-?mind\b|-| again\b)|don't ever|do not ever|only ever|ever only)\s+(?:ever )?(?:please )?(?P<verb>[a-z][\w-]*)"
)
STOP_DOING: Final = re.compile(
    CLAUSE + r"(?:stop|quit|avoid|no need to keep|refrain from|lay off)\s+(?:\w+ly\s)?(?P<verb>\w+ing)\b"
    r"|\byou (?:don't|do not) (?:need|have) to (?:always |keep )?\w+|\bno need to \w+ .*\b(?:each|every|always)\b"
)
IMMER: Final = re.compile(
    r"\b(?:bitte )?(?:immer|nie(?:mals)?)\b.*\b\w+(?:en|e|ieren)\b|\b\w+e?\b(?: mir| bitte| uns)* (?:immer|nie(?:mals)?|nur noch)\b|\b(?:keine?n?)\b.*\b(?:bitte|mehr)\b"
    r"|(?:^|[,:]\s*)(?:por favor,? )?(?:siempre|nunca) (?:usa|utiliza|escribe|responde|pon|ejecuta|hagas|uses|escribas|pongas|añade|\w+[ae]s?)\b"
    r"|\b(?:usa|utiliza|escribe|responde|contesta|respóndeme)\b.* siempre\b|\bsiempre (?:en|usa|con)\b"
    r"|\b(?:utilise|écris|réponds|mets|réponds-moi|fais)\b.* toujours\b|\btoujours (?:en|utiliser|écrire|avec)\b|\bne \w+ (?:plus )?jamais\b|\b(?:ne )?jamais de\b"
)
CALL_ME: Final = re.compile(
    r"\b(?:(?:please )?(?:just )?call me|address me as|refer to me as|you can call me|nenn mich|llámame|appelle[- ]moi)\s+"
    r"(?!back|later|when|maybe|at\b|on\b|if\b|tomorrow|crazy|a\b|an\b|old|paranoid|stupid|in\b|after|before|by\b|directly|once|for\b)\w+"
    r"|\bmy pronouns are\b|\bi (?:go by|use) (?:they/them|she/her|he/him|\w+/\w+ pronouns)"
)
# Ways of working together that nobody asks for just once.
WAYS_OF_WORKING: Final = re.compile(
    CLAUSE + r"(?:default to\b|ask (?:me )?(?:first|before|if (?:you're |you are |ever )?(?:unsure|in doubt|not sure|uncertain|anything))"
    r"|check with me (?:first|before)|when in doubt|if in doubt|if (?:you're |you are )?(?:unsure|uncertain|not sure)\b"
    r"|(?:do not|don't) (?:guess|assume|make assumptions|apologi[sz]e|sugar-?coat|flatter)"
    r"|be (?:more |less )?(?:concise|brief|terse|direct|blunt|verbose|succinct|chatty|explicit)\b"
    r"|keep (?:your|the|all) (?:answers|replies|responses|explanations|summaries|messages|commits|prs|commit messages|comments)\b"
    r"|(?:shorter|longer|more concise|less verbose|more detailed|briefer) (?:answers|replies|responses|explanations|messages|output)\b"
    r"|(?:answer|reply|respond|talk|speak|explain things)(?: to me)?(?: only)? (?:in|auf|en) (?:english|german|deutsch|french|français|spanish|español"
    r"|italian|portuguese|dutch|polish|russian|japanese|chinese|plain (?:english|text|words)|simple words)\b"
    r"|(?:antworte|antworten sie|schreib|sprich)(?: mir| bitte)* (?:nur |immer )?auf \w+|(?:responde|contesta|háblame|respóndeme) (?:siempre )?en \w+"
    r"|(?:réponds|réponds-moi|parle(?:-moi)?) (?:toujours )?en \w+"
    r"|skip the (?:preamble|intro|introduction|summary|pleasantries|fluff|disclaimers?)|no (?:fluff|preamble|small talk|pleasantries|sugar-?coating)"
    r"|(?:don't|do not|never) (?:start|begin|end|open|close) (?:your|each|every|with|the) )"
)
# "When you open PRs, make them drafts": a habit, unless it is about the end of the task at hand.
WHEN_YOU: Final = re.compile(
    r"\b(?:when|whenever|any ?time|every time|each time|if|where) (?:you|u|you're|you are) (?!(?:are )?(?:done|ready|finished|finish|get (?:there|to|back)|have time|can|want|need|see|like"
    r"|think|could|know|had|were|mean|said|say|find (?:it|the)|reach|have (?:it|a minute))\b)[a-z]+"
)
MAY_WITHOUT_ASKING: Final = re.compile(
    r"\b(?:without|w/o) (?:asking|confirmation|confirming|checking with me)\b|\b(?:no need to|don't (?:have|need) to) ask\b|\bdon't ask (?:me )?(?:for|before|every)\b"
)
# What the agent is to do in all it writes; the scope makes it a convention.
CONVENTION_VERB: Final = re.compile(
    CLAUSE + r"(?:i'd say )?(?:use|write|keep|follow|respect|avoid|no|don't|do not|stick (?:to|with)|format|name|put|prefer|document|only|stay|indent|log|leave"
    r"|wrap|sign|prefix|run|make|show|give|tell|ask|add|include|go|reference|number|print|start|end|explain|commit|try|limit|mention|cite|quote|link"
    r"|we (?:should|don't|do not|only|always|never|stick|prefer|keep|want|like|write|name|put|avoid))\b"
)
SCOPE: Final = _any(
    r"(?:in|for|of|on|across|throughout) (?:this|my|our|the whole|the entire|the|these|all(?: of)?(?: my| our| your)?) (?:\w+ )?(?:repos?|repository|projects?|code ?base|package|monorepo|workspace)",
    "in everything (?:you|we|i)?",
    "(?:for|in|with|to) (?:anything|everything)(?: new| else| you| in)",
    "anything new",
    r"(?:for|in|on) (?:all|any|every) (?:my|our|your|new|future) [\w-]+",
    r"(?:code|commits|charts|scripts|plots|tests|docs|queries|examples|commands|files|prs) (?:that )?(?:you|u) (?:write|make|give|create|open|send|generate|produce|propose|suggest|add)",
    "throughout",
    "by default",
    "across the (?:board|site|codebase|repo|project|app)",
    "any ?more",
    "ever",
    "always",
    "every ?time",
    "in your (?:answers|replies|responses|messages|commits|summaries|explanations|code)",
    "for (?:new|all) (?:code|files|projects|ones)",
)
HOUSE_RULE: Final = re.compile(
    r"(?:(?:and|also|ok|one more thing|note|btw|fyi)[,:]? )*(?:(?:for|in|on) (?:this|our|my|the) (?:\w+ )?(?:repo|repository|project|codebase|package|monorepo|team|company|shop|house)"
    r"|(?:house|team|project|repo|our) (?:rules?|conventions?|style|policy)|(?:our|my|the team) (?:convention|rule|policy|style) (?:is|here))\b"
)
ENDS_ALWAYS: Final = re.compile(
    r"(?:,|\s-|—|–)\s*(?:please,? )?(?:always|ever|every ?time|everywhere|without exception|no exceptions|as a rule|in general|by default|immer|siempre|toujours)(?:,? (?:please|pls))?[\s.!)]*$"
)
# Only for what is being done now.
JUST_NOW: Final = _any(
    "today",
    "for now",
    "right now",
    "this time",
    "this once",
    "just this",
    "just once",
    "for the moment",
    "at the moment",
    "this one",
    "in this (?:pr|mr|case|commit|refactoring|change|branch|function|file|test|method|class|example|ticket|task|round|step|script|session|query|pass|spike|migration)",
    "for this (?:pr|mr|case|commit|refactoring|change|branch|function|file|test|method|class|ticket|task|one|script|query|migration|release|demo)",
    "here",
    "now",
    "diesmal",
    "heute",
    "esta vez",
    "hoy",
    "cette fois",
)

# ---- corrections

# The writer says that something was wrong. Strong: nothing else is meant. Weak: "no" and "actually" also begin chat.
REJECTS: Final = re.compile(
    r"\b(?:that|this|it|which|your \w+)(?:'s| is| was|s) (?:just |simply |still |actually |plain |also )?(?:wrong|incorrect|false|not (?:right|correct|true|quite right|our|how|what|the (?:right|correct|case))|outdated|a mistake)\b"
    r"|\b(?:that|this|it) (?:isn't|wasn't|ain't) (?:right|correct|true|our|how|what|the (?:right|correct|case))\b"
    r"|\bi don't think (?:that|this|it)(?:'s| is) (?:right|correct|true)\b|\bnot (?:right|correct|true)[,.:]"
    r"|\b(?:you're|you are|ur|u r|your) (?:wrong|mistaken|confusing|mixing)\b|\byou(?:'ve| have)? (?:mis\w+|mixed up|confused|swapped|guessed wrong)\b"
    r"|\byou(?:'ve| have)? (?:got|had|have|did|put|set|made|wrote|spelled) .{0,50}(?:wrong|backwards|mixed up|reversed|confused|upside down|the other way|swapped)\b"
    r"|\b(?:i|we) (?:already |just )?(?:told|said|mentioned)(?: to)?(?: you)?(?: already| before| earlier| twice| again)?(?: that)?\b"
    r"|\b(?:you|u) (?:used|put|wrote|took|ran|called|named|assumed|picked|chose|based|set|added|imported|installed|edited|changed|deployed|pushed|tagged|targeted|queried"
    r"|connected|pointed|went|created|started|generated|hardcoded|imported|reverted|tested|hit|asked)\b.{0,80}?\b(?:again|but|wrong|instead of|although|even though|which (?:is|was|doesn't|isn't))\b"
    r"|\b(?:you|u) (?:still|keep|again|always|constantly) (?:\w+)\b"
    r"|\bthe wrong \w+(?: again)?\b|\b(?:doesn't|does not|don't|do not) exist\b"
    r"|\bi (?:meant|mean)\b|\bnot what i (?:meant|said|asked)\b|\bdon't (?:confuse|mix)\b|\bcorrection:|\bsmall correction\b|\btypo:"
    r"|\bdas (?:ist|war) (?:falsch|nicht richtig)\b|\bstimmt (?:so )?nicht\b|\best(?:á|o está) mal\b|\bno es (?:correcto|así)\b|\bc'est faux\b|\bce n'est pas (?:ça|correct|juste)\b"
)
OPENS_WITH_NO: Final = re.compile(
    r"(?:(?:and|but|oh|ah|hm+|uh|um|sorry|ok|okay|wait|well|hey|hold on|stop|careful|again|thx|thanks)[,!.:…]?\s+)*"
    r"(?:(?:no|nope|nah|wrong|incorrect|nein|falsch|non|not quite|not exactly|almost|close|careful|again|wait|hold on|one correction|nö|ne)\s*(?:,|\.|!|:|—|–|-\s|\.\.\.|…)"
    r"|no (?=it's|its|it is|we|the|our|that's|they|there|i )|actually\b,?|eigentlich\b|en realidad\b|en fait\b|tatsächlich\b)"
)
# It is this, not that.
CONTRASTS: Final = re.compile(
    r"\b(?:is|are|was|were|'s|its|'re|has|have|uses?|lives?|comes?|runs?|goes|called|named|points?|sits?|in|on|to|at|from|by|we \w+)\b[^,;]{1,80}?,?(?:\s|,\s)(?:not|and not|rather than|instead of|nicht|no|pas)\s"
    r"(?!only\b|sure\b|yet\b|working\b|too\b|that\b|just\b|because\b|a (?:big|problem)\b|so\b|very\b|me\b|even\b|necessarily\b|really\b|to\b)[\w/'.ǁǂ@#:-]+"
    r"|\b(?:isn't|is not|aren't|are not|wasn't|doesn't|don't|does not|not)\b[^.;]{1,60}?[,:—–-]\s?(?:but |rather |sondern )?(?:it's|it is|its|they're|they are|we (?:use|have|are|run|deploy|call|keep)|that's|the \w+ (?:is|are)|[\w'-]+ (?:is|are|does)\b)"
    r"|\bnot\s[^,;.]{1,40}?,?\sbut\s(?:the |a |an |in |on |with |from |via |at )?[\w/.ǁ-]+|\bnicht\s.{1,40},?\ssondern\s|\bno\s(?:es|son|está)?\s?.{1,40},?\ssino\s|\b(?:n'est|ne sont|pas)\s.{1,40},?\smais\s"
    r"|\b(?:the|el|la|le|der|die|das) (?:correct|right|actual|real|proper|new|richtige|nombre correcto|\w+ correct[oae]s?) ?(?:\w+ )?(?:is|are|ist|es|son|est|lautet|heißt)\b"
    r"|\b(?:was|were|got|has been|have been|is|are) (?:decommissioned|renamed|removed|replaced|retired|shut down|deprecated|the old name|gone|moved|superseded|dead)\b"
)
ONLY_DENIES: Final = re.compile(
    r"(?:^|[,—–:] )(?:'?[\w'./ǁǂ-]+ ){0,6}?(?:isn't|is not|aren't|are not|wasn't|doesn't|does not|don't|has no|have no)\b|^not [ǁǂ\w./-]+"
)
# Something is said to be so.
STATES: Final = re.compile(
    r"\b(?:is|are|was|were|it's|its|that's|they're|there's|has|have|we're|we've|we (?:use|have|keep|deploy|call|store|run|are|do|ship|build|only|host|target|support|write|don't|test|release|pin|need)"
    r"|i (?:use|have|am|run|work)|i'm|lives?|comes?|uses?|called|named|points?|runs?|reports?|renders?|goes|belongs?|means?|needs?|takes?|expects?|returns?|sends?|starts?|ends?|wants?|sits?"
    r"|should be|must be|has to be|only|answers?|listens?|counts?|contains?|supports?|requires?|works?|stands? for|ist|sind|hat|heißt|liegt|läuft|es|son|está|est|sont|se llama|s'appelle)\b"
    r"|(?<=\w)'s (?=\w)"
)
NEGATES: Final = re.compile(r"\b(?:not|no|never|nicht|kein\w*|ne|pas|nothing|nobody|none|without)\b|n't\b")
SUGGESTS: Final = re.compile(
    r"\b(?:let's|lets|let us|can you|could you|would you|please|pls|i think (?:we|you|it)|maybe|perhaps|i guess|probably|never ?mind|nvm|forget it|should (?:i|we)|thanks|thank you|leave|we could|we should|you could|you should|try)\b"
)
# What people say of anything; no news in it.
EVALUATES: Final = re.compile(
    r"(?:it|that|this|they)(?:'s| is| was|'re| are)? (?:(?:actually|just|really|very|so|pretty|quite|all|perfectly|totally|only|still|too|more) )*"
    r"(?:fine|ok|okay|good|great|hilarious|funny|nice|cool|perfect|weird|strange|odd|better|worse|bad|easy|hard|right|true|wrong|interesting|amazing|awesome|clear|enough|done|not|a good|the same|fast|slow|broken|annoying)\b"
)

# ---- actions

TIMES: Final = _any(
    "tomorrow",
    "tonight",
    "this (?:afternoon|evening|weekend|week|month|sprint|quarter)",
    "later(?: today| this week| on)?(?! version| versions| than)",
    r"next (?:week|month|sprint|quarter|year|time|release|monday|tuesday|wednesday|thursday|friday|saturday|sunday|iteration|session|deploy)",
    r"(?:on|by|until|before|this|come|from|at) (?:\w+ )?(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)s?(?<!s)",
    r"(?:by|before|at|until|towards) the end of (?:the |this |next )?\w+",
    "(?:by|before|until) (?:eod|eow|noon|then|the weekend|the deadline)",
    r"in (?:about |a |an |one |two |three |four |a few |a couple of |\d+ )+(?:hours?|days?|weeks?|months?)",
    r"(?:by|on|before|until) (?:the )?\d{1,2}(?:st|nd|rd|th)?(?: of)?(?: (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*)?",
    "some ?day",
    "eventually",
    "at some point",
    "some other (?:time|day)",
    "another (?:day|time)",
    "one of these days",
    "sometime(?: soon| next| this)?",
    "when(?:ever)? (?:we|i|you|there's|there is) (?:have |get |find |got )?(?:some )?(?:time|a minute|a moment)",
    "in a (?:follow-?up|separate|later|second|future) (?:pr|mr|step|commit|issue|ticket|session)",
    "as a follow-?up",
    "first thing",
    "before i (?:leave|go|forget)",
    "morgen",
    "übermorgen",
    "nächste[nrs]? (?:woche|monat|mal|sprint)",
    "später",
    "am (?:montag|dienstag|mittwoch|donnerstag|freitag)",
    "bis (?:montag|dienstag|mittwoch|donnerstag|freitag)",
    "mañana",
    "más tarde",
    "luego",
    "la (?:próxima semana|semana que viene)",
    "el (?:lunes|martes|miércoles|jueves|viernes)",
    "demain",
    "plus tard",
    "la semaine prochaine",
    "(?:lundi|mardi|mercredi|jeudi|vendredi)",
)
_EVENTS: Final = (
    r"(?:release|launch|demo|deploy|deployment|migration|hot-?fix|merge|deadline|freeze|submission|meeting|holidays?|vacation|weekend|sprint|lunch|stand-?up|review|audit|cut-?over|upgrade|"
    r"roll-?out|go-?live|beta|conference|exam|paper|call|retro|milestone|presentation|switch|move|code freeze|training|experiment|maintenance|announcement|workshop|handover|offsite|summer|"
    r"christmas|break|refactoring|refactor|cleanup|v\d\S*|\d+\.\d+\S*)"
)
# A later occasion: after the release, once the PR is merged, before we publish.
OCCASIONS: Final = re.compile(
    r"\b(?:after|before|once|when|until|as soon as|right after|following)\s(?:the |our |my |this |that |a |next )?(?:[\w.'ǁ-]+ ){0,3}?" + _EVENTS + r"\b"
    r"|\b(?:after|before|once|when|as soon as)\s(?:we|i|they)(?:'ve| have|'re| are)?\s(?:\w+ )?(?:publish|ship|release|launch|merge|deploy|submit|go live|migrate|switch|upgrade|move|cut|announce|tag|start|open|drop|get|touch|finish|come back|hand)\w*"
    r"|\b(?:when|once|as soon as|after)\s(?!you\b|it\b|the (?:tests?|user|client|button|request|form|page|function|method|build|linter) )(?:[\w.'ǁ-]+ ){1,6}?(?:is|are|has|have|gets|'s)\s(?:been )?(?:done|merged|through|finished|live|out|released|deployed|over|back|approved|"
    r"available|stable|shipped|published|landed|in prod|signed|here|there|upgraded|migrated|closed|gone)\b"
    r"|\b(?:when|once|as soon as|after)\s(?!you\b|it\b|the (?:user|client|button|request|form|page) )(?:[\w.'ǁ-]+ ){1,5}?(?:arrives?|lands|ships|merges|goes live|comes (?:back|out|in)|come back|drops|responds?|replies|gets back|signs off|answers)\b"
    r"|\bnext time (?:we|you|i|somebody|someone)\b"
)
# Somebody has to. `i` owns it if the writer says so of themselves.
MUST: Final = re.compile(
    r"\b(?P<i>i(?:'ll| will)? (?:still |also |really )*(?:have to|need to|must|should|ought to|gotta|got to|want to)|i(?:'ve| have) (?:still )?(?:got )?to|i'll|i will|i(?:'m| am) going to|ich muss|tengo que|je dois)\b"
    r"|\b(?:we|you|someone|somebody|one of us|u)(?:'ll| will)? (?:still |also |really |all )*(?:have to|need to|must|should|ought to|gotta|got to|'ve got to)\b|\bwe(?:'ve| have) (?:still )?got to\b"
    r"|\b(?:needs|need|has|have|must|ought|should)(?: to)?(?: still)? (?:be|get) (?:\w+ed|done|rewritten|redone|sent|run|built|made|cut|set|put|written|paid|split|shut|reset|taken \w+|looked at|brought \w+)\b"
    r"|\bneeds? (?:\w+ing)\b|\bit would be (?:good|great|nice|best) (?:if (?:you|we)|to)\b|\b(?:don't|do not|dont) forget(?: to| that| about)?\b|\bremember to\b|\bmake sure (?:to|that|we|you)\b|\bwe're going to have to\b"
    r"|\bwir müssen\b|\bmüssen wir\b|\bmuss\b.{1,60}\bwerden\b|\bhay que\b|\bhabrá que\b|\btenemos que\b|\bil faut\b|\bil faudra\b|\bon doit\b|\bnous devons\b"
)
IMPERATIVE: Final = re.compile(CLAUSE + r"(?:you (?:can|could) |can you |could you |let's |lets |then )?" + VERB + r"\b(?! ?:)")
# Said to be remembered: no time needed. `me` means that the writer will do it.
EXPLICIT_ACTION: Final = re.compile(
    r"\b(?P<me>remind me\b|don't let me forget|do not let me forget|(?:keep )?nag(?:ging)? me\b|keep bugging me|note to self|to-?do for me|my to-?do|reminder (?:for|to) (?:me|myself)"
    r"|erinner\w* mich|recu[eé]rdame|rappelle[sz]?-moi|rappelle moi|que no se me olvide|que je n'oublie pas)"
    r"|\bto-?do(?: \w+){0,3}\s*[:–—]|\bto-?do\s-\s|\b(?:add|put|note|write|stick|throw|park|keep|file|leave|get)\b.{0,100}?\b(?:on|to|onto|in|into|for|as)\s(?:the |my |our |your |a )?(?:to-?do(?: list)?s?|backlog|task list|follow-?ups?(?: list| issue| ticket)?|list of (?:to-?dos|tasks|follow-?ups)|punch list)\b"
    r"|\bfollow-?\s?ups?(?: issue| task| item| ticket| pr| for [\w ]{1,20})?\s*:|\baction items?\s*:|\breminder\s*:|\bfor (?:later|tomorrow|another day|monday|tuesday|wednesday|thursday|friday|next \w+)\s*:"
    r"|\bbacklog\s*:|\blater\s*:|\bstill (?:to do|open|missing)\s*:|\b(?:que no se nos olvide|nicht vergessen)\b"
    r"|\b(?:lets|let's|we'll|we will|we can|we) (?:park|postpone|defer|shelve) (?!the (?:car|thread))|\b(?:come|get|go) back to (?:it|this|that|the \w+) (?:later|after|when|once|next|tomorrow|in |on )"
    r"|\bpick (?:it|this|that|them) (?:back )?up (?:again )?(?:later|after|tomorrow|next|when|once|on |in )"
)
# A reminder that says only when; what it is about stands before it.
BARE_REMINDER: Final = re.compile(
    r"(?:(?:and|so|but|please|pls|also|oh|ok)[,]? )*(?:remind me|don't let me forget|do not let me forget|(?:keep )?(?:nag|nagging|bugging) me|keep (?:it|that|this) in mind|put (?:it|that|this) on (?:the|my|our|your) (?:to-?do(?: list)?|list|backlog)"
    r"|add (?:it|that|this) to (?:the|my|our|your) (?:to-?do(?: list)?|list|backlog)|erinner\w* mich(?: daran| bitte)*|recuérdamelo|recuérdame|rappelle-le-moi)"
    r"(?!.{0,40}\b(?:to \w+|that (?:the|we|i|you|our|my)|daran,|de \w+)\b)(?:\s(?:of|about) (?:it|that|this))?"
    r"(?: (?:please|pls|then|again|later|tomorrow|tonight|on|at|when|once|after|before|next|until|in|if|every|this|am|bitte|mañana|demain|el)\b.*)?[\s.!?]*$"
)
KEEP_IN_MIND: Final = re.compile(r"\b(?:keep|bear) (?:it|that|this) in mind\b|\bdon't (?:let (?:us|me) )?forget\b|\bremind me\b")
NOT_AN_ACTION: Final = re.compile(
    r"\bi (?:have|need|want) to (?:present|demo|show|leave|go|hand|give|catch|run to|head|be|know|understand|see|have|say|admit|think|be able)\b|\bi'll (?:be|have|let|give|try|see|send you|tell you|get back|need|take a look|think)\b"
    r"|\b(?:should|must|has to|have to|need to|needs to) (?:be able|be there|work|return|accept|support|handle|be (?:possible|easy|fast|idempotent|optional|required|visible|shown))\b"
    r"|\bif (?:it|that|this|you|the)\b.*\b(?:fails|breaks|works|passes)\b|\bwe'll see\b|\bsee you\b|\btalk (?:to you )?(?:later|tomorrow)\b"
)
PRONOUN_OBJECT: Final = re.compile(r"\b(?:it|that|this|them|those|one)\b")
URGENT: Final = _any("urgent", "urgently", "asap", "as soon as possible", "critical", "immediately", "p0", "prio(?:rity)? ?(?:0|zero)", "drop everything", "dringend", "sofort", "urgente", "urgent(?:e|es)?", "d'urgence", "emergency")
HIGH: Final = _any("important", "high[ -]?prio(?:rity)?", "prio(?:rity)?:? (?:is )?(?:high|1|one)", "p1", "top priority", "wichtig", "importante?", "crucial", "must not forget", "really must", "hohe priorität", "prioridad alta")

# ---- facts

# Something that a fact can be about: a name, a number, a path, a piece of code.
CONCRETE: Final = re.compile(r"\d|[ǁ/@]|\w\.\w|\w_\w")
KNOWN_NAMES: Final = frozenset(
    "postgres postgresql mysql mariadb sqlite oracle mongodb redis valkey kafka rabbitmq docker podman kubernetes k8s helm terraform ansible aws gcp azure heroku vercel netlify fly hetzner linux "
    "ubuntu debian fedora arch nixos macos windows wsl android ios python django flask fastapi ruby rails java kotlin scala clojure go golang rust swift typescript javascript node deno bun react vue "
    "svelte angular nextjs next.js nuxt remix astro vite webpack rollup esbuild pnpm npm yarn pip poetry uv conda cargo maven gradle bazel make cmake ninja meson jest vitest mocha pytest unittest "
    "rspec junit playwright cypress selenium git github gitlab gerrit bitbucket mercurial svn perforce jenkins circleci travis buildkite argocd flux jira linear asana trello slack teams discord "
    "notion confluence vim neovim nvim emacs vscode intellij pycharm goland xcode zed cursor tmux zsh bash fish powershell nginx apache caddy traefik haproxy envoy istio grpc graphql rest websocket "
    "protobuf json yaml toml xml csv parquet avro numpy pandas pytorch tensorflow jax keras sklearn spark airflow dbt snowflake bigquery redshift databricks elasticsearch opensearch solr grafana "
    "prometheus datadog sentry loki splunk newrelic stripe auth0 okta keycloak oauth saml ldap kerberos slurm cuda rocm arduino esp32 raspberry stm32 freertos zephyr yocto unity unreal godot blender "
    "haskell ocaml elixir erlang phoenix php laravel symfony wordpress drupal magento dotnet .net c# f# c++ perl lua zig nim julia matlab fortran cobol latex typst mkdocs sphinx docusaurus hugo jekyll "
    "storybook figma tailwind bootstrap sass monday tuesday wednesday thursday friday mondays tuesdays wednesdays thursdays fridays daily weekly monthly quarterly biweekly staging production monorepo "
    "trunk-based rebase squash utc cet est pst gmt s3 ec2 lambda rds dynamodb sns sqs cloudfront cloudflare fastly akamai lorawan mqtt modbus plc scada sap salesforce".split()
)
ABOUT_ME: Final = re.compile(
    CLAUSE.replace(r"\b(?:and|but|also|please|pls|so)\s+", r"\b(?:and|but|also|so|because|since|as|context)\s+") + r"(?:for context,? |fyi,? |btw,? |note that |just so you know,? |remember that |remember:? )?(?:"
    r"my (?:full |first |last |real )?name(?:'s| is)|i(?:'m| am) (?:called|named)|"
    r"i(?:'m| am) (?:also |still |currently |basically |just |only |actually |mostly )*(?:a|an|the|one of the|part of|responsible for|in charge of|new to|based in|from|located in|in the|working (?:at|for|on|in|as)|on (?:vacation|holiday|leave|parental leave|pto|the \w+ (?:team|plan))"
    r"|color ?blind|colour ?blind|dyslexic|left-handed|deaf|blind|allergic|vegetarian|out of office|the (?:maintainer|owner|author|lead|admin))\b(?!\s(?:bit|little|fan|idiot|lot|few|total|mess|huge fan|big fan|noob lol|while|hurry|meeting)\b)"
    r"|i (?:also |still |mostly |only |currently |usually |just |mainly )*(?:live|work|study|teach|maintain|own|lead|manage|speak|moved|switched|started|joined|develop|use|run|come from|grew up|graduated|specialize|specialise|have been (?:a|an|working|using))\b(?! (?:out|into|on it|on this|that|this|the same|to think|up)\b)"
    r"|i(?:'ve| have) (?:been (?:a|an|working|using|doing|programming|coding)|\d+ years|never used|no (?:experience|access|admin|root|sudo))\b|i have (?:a|an|two|three|no|only|\d+)\b|i(?:'m| am) (?:on|using|running|in) "
    r"|ich (?:bin|arbeite|wohne|lebe|heiße|nutze|benutze|verwende|studiere)\b|trabajo (?:en|con|para)\b|me llamo\b|vivo en\b|soy (?:un|una|el|la)?\b|uso\b|je (?:travaille|m'appelle|suis|vis)\b|j'(?:habite|utilise)\b|mein name ist\b)"
)
WE_DO: Final = re.compile(
    r"(?:^|[,:;(]\s*|\b(?:and|but|btw|fyi|so|since|because|as|that|context|also|here|remember|production|currently|actually)[,:]?\s+)(?:in (?:our|this) \w+,? )?we(?:'re| are|)\s+"
    r"(?:(?:also|still|only|always|currently|now|all|mostly|usually|already|just|never|don't|do not|actually|basically|normally|both|got) )*"
    r"(?:use|run|have|ship|release|deploy|support|host|build|target|store|pin|write|work|develop|test|moved|switched|migrated|standardi[sz]ed|track|log|call|name|keep|follow|rely|maintain|own|speak|meet|pay|serve|publish|cache|manage|sell|make|operate|"
    r"on|in|at|using|running|hosted|based|stuck on|behind|limited to|a team of|a small|a \w+ (?:company|team|startup|shop)|\d+ (?:people|developers|devs|engineers))\b"
    r"|\bwir (?:haben|nutzen|benutzen|verwenden|arbeiten|sind|setzen|deployen|hosten|betreiben)\b|\b(?:usamos|utilizamos|tenemos|trabajamos con|desplegamos)\b|\b(?:on|nous) (?:utilisons|utilise|avons|travaillons|déployons|sommes sur)\b"
)
OUR_IS: Final = re.compile(
    r"(?:^|[,:;(]\s*|\b(?:and|but|btw|fyi|so|since|because|as|that|context|also|remember|here)[,:]?\s+)(?P<whose>my|our|unsere?|mein|meine|nuestr[oa]s?|mi|mis|notre|nos|mon|ma|the team's|the company's)\s"
    r"(?P<what>(?:[\w'./+#ǁ-]+\s){1,6}?)(?P<verb>is|are|has|have|runs?|uses?|lives?|sits?|supports?|requires?|needs?|starts?|ends?|reviews?|works?|handles?|owns?|manages?|deploys?|sends?|comes?|goes|takes?|expects?|listens?|speaks?|costs?|consists?|"
    r"allows?|stores?|talks?|reads?|writes?|points?|connects?|expires?|closes?|opens?|means?|contains?|speak|ist|sind|hat|haben|läuft|laufen|senden|liegt|heißt|es|son|está|están|tiene|corre|usa|est|sont|a|tourne|utilise|isn't|aren't)\b"
)
THE_IS: Final = re.compile(
    r"(?:^|[,:;(]\s*|\b(?:and|but|btw|fyi|so|since|because|as|that|context|also|remember|here)[,:]?\s+)(?:the|shared|all(?: the| our)?|both|this|these|production|prod|staging|ci|die|der|das|el|la|los|las|le|les)\s(?P<what>(?:[\w'./+#ǁ-]+\s){1,5}?)"
    r"(?:runs? (?:on|in|under|behind|at|as|every|with)|(?:is|are) (?:hosted|deployed|written|built|stored|kept|located|based|called|named|pinned|limited|owned|maintained|managed|served|mounted|exposed|scheduled|generated|published|signed|released|installed|in|on|at|under|behind)\b"
    r"|lives? (?:in|on|at|under|next)|sits? (?:in|on|behind)|has (?:about |around |only |roughly |over |ca\.? )*(?:\d|two|three|four|five|six|seven|eight|nine|ten|no )|have \d|comes? from|listens? on|supports? |requires? |uses? |laufen|läuft|liegt|están? en|se ejecuta|tourne)"
)
TELLS: Final = re.compile(r"\b(?:fyi|btw|by the way|for context|for (?:your )?info(?:rmation)?|just so you know|note that|for the record|heads[- ]?up|for reference|good to know|context:|background:|übrigens|por cierto|zur info|au fait|pour info)\b")
# A report of what goes wrong, or of what somebody did; true today, not worth knowing tomorrow.
TROUBLE: Final = re.compile(
    r"\b(?:bugs?|problems?|issues?|errors?|fail\w*|crash\w*|broken|broke|breaks?|slow|hang\w*|stuck|wrong|weird|strange|missing|leak\w*|doesn't|does not|didn't|won't|can't|cannot|isn't working|not working|red|green|flaky|down|timeouts?|times? out|exceptions?|undefined|"
    r"null|nan|empty|question|questions|trouble|confus\w*|lost|throws?|throwing|complain\w*|refus\w*|returning|returns|getting|trying|looking|wondering|thinking|afraid|sure|sorry|happy|glad|curious|tired|done|ready|finished|back|here to|about to|going to|ok|fine)\b"
)
STILL_A_FACT: Final = re.compile(r"\b(?:so (?:no|we|never|only|the)|my name|i live|i work|i'm a\b|i am a\b|timezone|time zone)\b")
WISHES: Final = re.compile(r"\b(?:should|would|could|might|may|want|wants|wanted|need to|needs to|have to|must|will|'ll|plan to|planning|hope|maybe|perhaps|probably|i think|i guess|not sure|prefers?|likes?|loves?|hates?|thinks?|wishes|wants|let's|lets)\b")
