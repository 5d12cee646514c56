"""The words by which a sentence says that something was wrong: "no", "that's not how", "this, not that", "you used"."""

from typing import Final

from reverie.distil.said.cues import anywhere, cues, name, opening
from reverie.distil.said.phrases import LowerText

name(
    no=r"""
    no|nope|nah|(?:still )?wrong(?: again)?|incorrect|nein|falsch(?: verstanden)?|non|not (?:quite|exactly|
        really)(?: right| correct| true)?|(?:almost|nearly)(?: right| correct| there)?|close(?: enough)?|careful
    again|wait|hold on|one correction|nö|ne|negative|mal|faux
    """
)

# The writer says that something was wrong, and cannot mean anything else.
REJECTS: Final = cues(r"""
    (?:that|this|it)(?:'s| is|s)? (?:not|isn't) (?:quite |really |at all )?how (?!i\b)(?:[\w'-]+ ){1,5}(?:works?|
        is (?:done|set up|built)|are|
        behaves?|does|do|goes?|deploy|release|set up|handle)
    (?:that|this|it|which|your \w+|these|those)(?:'s| is| was|s| are) (?:just |simply |still |actually |plain |
        also |all )?(?:wrong|incorrect|false|outdated|a mistake|mistaken|out of date)(?= *(?:$|[,.:;!—–(-]|about|here|
        because|since|again))
    (?:that|this|it|which|these|those)(?:'s| is| was|s| are)? ?(?:not|isn't|wasn't|aren't|ain't) (?:quite |really |
        actually )?(?:right|correct|true|accurate|our|how (?:we|our|it|the|my)|the (?:right|correct|case))
    i don't think (?:that|this|it)(?:'s| is) (?:right|correct|true)
    not (?:right|correct|true)(?=[,.:])
    (?:you're|you are|ur|u r) (?:wrong|mistaken|confusing|mixing|thinking of)
    you(?:'ve| have)? (?:(?:probably|just|again) )?(?:misread|mistook|misunderst\w+|misinterpreted|misspelled|
        mistyped|
        misquoted|misremember\w*|mixed up|mixed|confused|swapped|guessed wrong|forgot(?:ten)? that|overlooked that|
        ignored that|hallucinated|invented|made (?:that|this|it|those) up|made up (?:that|this|the|an?))
    i (?:mixed|got|had) (?:that|it|this|them) (?:up|wrong|backwards|mixed up)|i (?:misread|misremembered|mistyped)
    you(?:'re| are) (?:assuming|forgetting|overlooking|ignoring) that
    (?<!do )(?<!can )(?<!would )(?<!if )(?<!what )you (?:seem to |still )?(?:think|assume|believe) (?:that|the|we|
        it's|our|all)
    your (?:[\w'-]+ ){1,6}?(?:that .{2,60} )?(?:is|was|are|were) (?:all |just |simply |still |also )?(?:wrong|false|
        incorrect|off|
        outdated|backwards|mistaken|not (?:quite )?(?:right|true|correct|accurate))
    (?:that|this|it)(?:'s| is)? ?(?:not|isn't) what (?:the |our |we |a )?(?:[\w'-]+ ){1,3}?(?:means?|says?|does|do|
        is for)
    i (?:never|didn't|did not) (?:said|say|asked for|ask for|told|tell|mentioned|mention)(?: you)?(?: anything about)?
    you(?:'ve| have)? (?:got|had|have|did|put|set|made|wrote|spelled)\b.{0,50}\b(?:wrong|backwards|mixed up|
        reversed|confused|upside down|the other way(?: round| around)?|the wrong way(?: round| around)?|swapped)
    that's (?:our|the|an?) (?:old|former|previous|legacy|wrong|deprecated|generated|vendored|compiled)
    you(?:'re| are) \w+ing (?:the|a) (?:old|legacy|deprecated|generated|vendored|compiled) \w+
    you should(?:'ve| have) \w+
    you were supposed to
    that's a (?:typo|mistake|mix-?up)
    (?:i think )?you (?:probably )?mean
    (?:sorry for the|to avoid) (?:confusion|misunderstandings?)
    (?:there's|there is|there has been|this is|that's|that was) (?:a|some) (?:misunderstanding|mix-up|mixup|confusion)
    (?:that|this) won't (?:fly|work|do)(?=[:,;.—–-]| because| since| here)
    (?:that|this|it|the [\w ]{2,30}) ?(?:isn't|is not|'s not|s not) an? (?:bug|error|mistake|typo|problem)(?: either)?
    that's (?:the|our|my|an?) [\w ]{2,30} (?:that )?you(?:'re| are|'ve| have)? (?:looking at|using|used|reading|
        editing|edited|opened|on|in|pasted|copied|took|picked|posted|quoted|linked)
    (?:don't know|no idea|wonder) where you (?:have|got|took|get) (?:that|this|it) from
    i misspoke|my mistake|to be (?:precise|exact|clear)
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
    (?:you|u) (?:assumed|thought|wrote|said|claimed|told (?:me|us)|stated|
        mentioned)(?: that)? [^,;:—–]{2,80}?(?=,| but |;| -|—|–|:|[.!]*$)
    (?:you|u) (?:spelled|called it|named it)
    (?:you|u) (?:still|keep|again|constantly) \w+
    the wrong \w+ again
    (?:you|u|that's|this is|it's)\b.{0,40}\bthe wrong (?!way)\w+
    ^wrong \w+(?=[.,!;:—–]|$)
    (?:doesn't|does not|don't|do not) exist(?: any ?more)?
    i (?:meant|mean)
    (?:not|isn't|wasn't) what i (?:meant|said|asked(?: you)?(?: for)?|wanted|described|had in mind)
    (?:small |one |quick )?correction(?=[:,])
    (?:one |a |small |another |the )*(?:mistake|error|typo|slip) in (?:your|the) (?:\w+ ){0,4}?\w+(?=[:,])
    that's the (?:\w+ ){1,3}(?:of|for|from) [^,;]{2,40}(?=, (?:we|our|it|not|ours))
    there(?:'s| is) no such
    das (?:ist|war) (?:falsch|nicht richtig)
    stimmt (?:so |leider )?nicht
    du hast\b.{0,60}\b(?:verwechselt|falsch(?:e[nrms]?)?|vertauscht|umgekehrt|missverstanden)
    da hast du (?:dich|was|etwas)\b.{0,20}\b(?:vertan|geirrt|verwechselt)
    falsch verstanden|(?:ich )?meinte
    (?:liegst du|du liegst)(?: leider| hier| da)? falsch|(?:irrst|täuschst|vertust) (?:du )?dich
    (?:eso |esto )?est(?:á|o está) mal
    (?:eso )?no es (?:correcto|así|cierto|verdad)
    te (?:equivocaste|has equivocado|equivocas|confundiste|confundes)
    estás equivocad[oa]
    has confundido
    entendiste mal
    c'est (?:faux|pas (?:ça|vrai))
    ce n'est pas (?:ça|correct|juste|vrai|exact)
    tu t'es trompée?|tu as (?:confondu|mal compris|inversé)|tu confonds
    tu (?:te trompes|fais erreur)
""")
# The agent is told its fault. Why it is one, or how it is, has to follow: "you can't use fetch there, it's Node 16".
FAULTS: Final = cues(r"""
    (?:you|u) should(?:n't| not)(?: have|'ve|ve) (?!to\b|any\b|an?\b|the\b|problems?|trouble)[a-z]+ [^,;:—–.]{2,60}
    (?:that|this|it) (?:only works|works only|won't work|doesn't work|does not work|can't work) (?:on|in|with|for|
        here)[^,;:—–.]{0,40}
    (?:you|u) (?:interpreted|modell?ed|parsed|misread) [^,;:—–]{2,40} as [^,;:—–]{2,40}
    your (?:[\w'-]+ ){1,4}?(?:broke|breaks|killed|undid|disabled) (?:the |our |my |all )?[^,;:—–.]{2,40}
""")
# After a "not", what the agent said is wrong: "the bug isn't in the parser as you claimed, it's in the lexer".
AS_YOU_SAID: Final = cues(r"""
    (?:as|like|the way) (?:you|u) (?:claimed|said|assumed|suspected|thought|guessed|suggested|wrote|stated|believed|
        described|implemented)(?: it| that)?
""")
CANNOT: Final = opening(r"""
    (?:(?:ah|uh|um|sorry|hold on|stop|no|nope|wait|careful|hmm+),? )*(?:you|u) (?:can't|cannot|mustn't) (?:just |
        simply |really )?(?:use|call|import|write|rely|run|install|deploy|push|assume|put|ship|
        mock) [^,;:—–]{2,60}[,;:—–] ?(?P<why>(?:because |since |as )?(?:the|our|these|those|we|it's|there's|there is|
        there are|they|this|it) \S+ \S+)
""")
# What was asked for, and what came instead; what is not so, and by which mistake it came out.
GAVE_INSTEAD: Final = cues(r"""
    i (?:wanted|asked (?:you )?for|meant) (?!to\b)[^;:.]{2,60}?(?:,| and| but),? (?:you|u) (?:gave|built|made|wrote|
        plotted|used|sent|showed|generated|drew|implemented|picked|took)
    (?:isn't|is not|aren't|are not|wasn't|was not) (?!right|correct|
        ok\b)[\w.%/ǁǂ'-]+(?: [\w.%/ǁǂ'-]+){0,3}[,;:—–-] ?(?:because )?(?:you|
        u) (?:used|counted|divided|multiplied|took|included|forgot|summed|added|rounded|compared|averaged|skipped|
        ignored|
        mixed|applied|assumed|treated|measured)
""")
OPENS_WITH_NO: Final = anywhere(r"""
    ^(?:<and_so>|(?:ah|uh|um|sorry|hold on|stop|thx|thanks|no|nope|wait|lol|haha|hmm+),?[ ])*(?:(?:<no>|
        (?P<halts>stop|(?:undo|revert) (?:that|this|it)|stopp|halt|mach das rückgängig)) *(?:[,.!:—–…]|- |
        $)|
        (?:no|nope|nah) (?=it's|its|it is|we|the|our|that's|they|there|i )|
        (?:actually|eigentlich|en realidad|en fait|tatsächlich|in fact)\b,?)
""")

name(
    verbs=r"""
    is|are|was|were|\w+'s|\w+'re|its|has|have|uses?|lives?|comes?|runs?|starts?|goes|called|named|spelled|points?|
        sits?|
        we \w+|said|apply|applies|reads?|writes?|takes?|sends?|expects?|calls?|needs?|wants?|means?
    """,
    other=r"""
    (?!only|sure|yet|working|too|that|just|because|a (?:big|problem)|so\b|very|me\b|even|necessarily|really|to\b|
        the (?:problem|issue|best)|an? option|\w+ing\b|if\b|when\b|on the|at all|everything|always|found\b|
        detected)[\w/'.ǁǂ@#:-]+
    """,
    # "But cat is not an option" denies, "the queue is rabbit not kafka" contrasts.
    unless_denied=r"(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bbut )(?<!\bdoes )(?<!\bdo )(?<!\bdid )(?<!\bcan )(?<!ould )"
    r"(?<!\bhas )(?<!\bhave )(?<!\bmust )(?<!\bwill )(?<!\bam )(?<!\bwere )(?<!\bit's )(?<!\bor )(?<!\bwhy )",
)

# It is this, not that; or: what you think of is no more.
IS_THIS_NOT_THAT: Final = cues(r"""
    <verbs> [^,;]{1,80}?(?:, |,? and | - |— ?|– ?)not <other>
    <verbs> (?!not\b)(?:[\w/'.ǁǂ@#:-]+ ){1,5}?<unless_denied>not <other>(?: [\w/'.ǁǂ@#:-]+){0,3}[.!]*$
    (?:is|are|was) [^,;]{1,60}, (?:it's|it is|they're|they are|that's) not [\w/'.ǁǂ@#:-]+
    (?:is|are) (?:called|named) [^,;]{1,60}, (?:there's|there is|there are) no [\w/'.ǁǂ@#:-]+
""")
IS_NOT_BUT: Final = cues(r"""
    (?:isn't|is not|aren't|are not|wasn't|'m not|'re not|am not|not|doesn't have|don't have|has no|have no|
        there's no|there is no|no longer) [^;]{1,60}?[,:—–-] ?(?:but |rather |only |just )?(?:it's(?! (?:about|
        just|only|more))|it is|its|it has|they have|they're|they are|i'm|we're|we've|he's|she's|we (?:use|have|are|
        run|deploy|call|keep|switched|moved)|the \w+ (?:is|are)|[\w'-]+ (?:is|are|does))
    not [^,;.]{1,40}?,? but (?:the |a |an |in |on |with |from |via |at )?[\w/.ǁ-]+
    (?:deprecated|obsolete|discontinued|no longer \w+|dead|gone)[,;—–-] ?(?:so |please )?(?:we )?(?:use|now|it's|
        the new|switch)\b.*
    (?:the|el|la|le|der|die|das) (?:correct|right|actual|real|proper|richtige|\w+ correct[oae]s?) ?(?:\w+ )?(?:is|
        are|ist|es|son|est|lautet|heißt)
    (?:was|were|got|has been|have been|is|are) (?:decommissioned|renamed|removed|retired|shut down|the old name|
        superseded|replaced by)
    we (?:don't|do not) (?:use|have|run) .{1,40}(?:any ?more|any longer)[,.:;—–-]? .*\b(?:switched|moved|migrated|
        replaced|now)
    (?:we|they|it|that|this|the \w+)(?:'re| are|'s| is)? (?:not|don't|do not|doesn't|does not|isn't|
        aren't) [^;]{1,60}(?:any ?more|
        any longer)[,;:—–-] ?\S.*
    (?:we|they|people) (?:don't|do not) [^;]{1,60}?[,:—–] ?(?:it's|they're|that's|its)\b.*
    we (?:don't|do not) (?:have|use|run|support|offer) [^;]{1,60}?[,;:—–-] ?(?:it's|only|just|we (?:have|use|only)|
        there's)\b.*
    the other way (?:a?round)[:,] .*
    ^(?:the )?(?:[\w./ǁǂ-]+ ){0,2}[\w.-]*[ǁǂ/\d][\w./ǁǂ-]*,? not (?:the )?[\w./ǁǂ-]+[\w ]{0,20}[.!]*$
    ^not [\w./ǁǂ-]+, (?!sorry|no\b|thanks|maybe|later|though|but)[\w./ǁǂ-]+, with(?:out)? .*
    ^not (?!sure|yet|now|really|quite|bad|today|an?\b|the\b|at all|that|too|so\b|only|just|my\b|exactly|
        necessarily)[\w./ǁǂ-]+(?: [\w./ǁǂ-]+)?, (?:but )?(?!sorry|no\b|thanks|maybe|later|though|
        but)[\w./ǁǂ-]+(?: [\w./ǁǂ-]+)?[.!]*$
""")
IN_OTHER_LANGUAGES: Final = cues(r"""
    (?:es|son|está|est|ist|sind|läuft|liegt|se llama|heißt|c'est) [^,;]{1,80}?, (?:no|pas|nicht) [\w/'.ǁǂ@#:-]+
    ce n'est pas .{1,40}, (?:c'est|l[ea] \w+ est) .*
    nicht (?!nur\b|mehr\b).{1,40},? sondern .*
    nicht (?:der|die|das|den|dem|im|in|auf|am|an) [\w./ǁǂ-]+(?: \d+)?, (?:der|die|das|den|dem|im|in|auf|am|
        an) (?!ist\b|sind\b|war\b|hat\b|ich\b|du\b|wir\b)[\w./ǁǂ-]+
    no (?:es|son|está)? ?.{1,40},? sino .*
    no (?:es|está|son|están) [^;]{1,40}, (?:es|está|son|están) .*
    (?:ist|sind|heißt) [^;]{1,60}?(?:,| und) (?:nicht|keine?n?) (?!mehr\b|viel\b|so\b|zu\b)[\w/'.ǁǂ@#:-]+
    (?:wir|ich) \w+ [^,;]{1,60}, nicht [\w/'.ǁǂ@#:-]+
    (?:usamos|se usa|on utilise|nous utilisons|on part de) [^,;]{1,60}, (?:no|pas) [\w/'.ǁǂ@#:-]+
    (?:n'est|ne sont|pas) .{1,40},? mais .*
""")
# Three lists, because in one their runs of any words make a new state of RE2's automaton in almost every sentence.
CONTRASTS: Final = (IS_THIS_NOT_THAT, IS_NOT_BUT, IN_OTHER_LANGUAGES)


def contrasts(plain: LowerText) -> bool:
    """Whether a sentence says that it is this and not that."""
    return any(cue.search(plain) is not None for cue in CONTRASTS)


# "What you used" and "if you put" do not say what the agent did.
name(
    not_after="".join(
        rf"(?<!\b{word} )"
        for word in (
            *("if", "when", "what", "that", "as", "once", "did", "do", "can"),
            *("like", "where", "how", "which", "before", "after", "thing", "things", "could"),
            *("would", "one", "code", "since", "until", "whatever", "all", "stuff"),
        )
    )
)

# What the agent did: "you treated it as seconds", "your draft says". With how it is, a correction.
YOU_DID: Final = anywhere(r"""
    <not_after>\b(?:you|u)(?:'re| are) (?:still |now |just )?(?:sending|calling|passing|importing|querying|editing|
        testing|
        setting|comparing|returning|hitting|parsing|multiplying|dividing|mixing|mocking|deploying)\b
    <not_after>\b(?:you|u)(?:'ve| have| had)? (?:just |been |only |again |
        always |even |still |also |wrongly |keep )*(?:used|added|explained|answered|described|assumed|treated|counted|
        called|named|converted|
        multiplied|divided|swapped|mixed|confused|rounded|sorted|hardcoded|labelled|labeled|addressed|spelled|listed|
        claimed|started|installed|imported|created|generated|picked|placed|stored|passed|returned|changed|renamed|
        moved|removed|deleted|replaced|configured|deployed|tagged|pushed|merged|opened|translated|formatted|
        calculated|computed|parsed|skipped|ignored|copied|pointed|targeted|queried|tested|mocked|flipped|inverted|
        reversed|serialised|serialized|wrote|put|took|forgot|said|told|gave|built|read|made|sent|chose|ran|thought|
        adding|assuming|treating|counting|using|writing|putting|reading|taking|calling)\b
    (?:^|[,;:—–] ?|\b(?:but|and|while|whereas|yet) )(?:you|u) (?:write|use|treat|assume|count|call)\b
    \b(?:in )?your (?:\w+ ){1,3}?(?:says?|uses?|assumes?|divides?|treats?|claims?|counts?|multiplies|reads?|writes?|
        takes?|puts?|
        sorts?)\b
""")

# "The region isn't us-east-1.", "Not `yarn test`.": what is right comes in the next sentence.
REALLY_IS: Final = cues(r"""
    (?:it|they|we|i|the [\w -]{2,30}|our [\w -]{2,30}|that)(?:'s|'re|'m| is| are| am| was|
         were) actually (?!\w+ing\b|an?\b|quite|pretty|very|really)
    (?:it|that|she|he|they|the name)(?:'s| is|s) (?:spelled|spelt|pronounced)
    it's (?!what\b|how\b|why\b|where\b|that\b|all\b|just\b|not\b)[\w.+#-]+ (?:that )?we (?:use|run|deploy|call)
    (?:it's|it is|that's) \w+,? with(?:out)? (?:an? )?[a-z](?= |[.!]|$)
    [\w.]*\d[\w.%]* should have been [\w.]*\d[\w.%]*
    (?:it|they|we|i|the [\w -]{2,30}|our [\w -]{2,30}) actually (?:uses?|runs?|lives?|has|have|comes?|goes|deploys?|
        calls?|needs?|starts?|means?)
""")
ONLY_DENIES: Final = anywhere(r"""
    ^(?:(?:and|but|so|hey|careful|wait|no|nope|hm+|actually|
        looking at your \w+)[,:]? )*(?:[\w'./ǁǂ-]+ ){1,5}?(?:isn't|is not|aren't|
        are not|wasn't|doesn't|does not|don't|do not) (?!\w+ing\b|need|want|have to|know|think|like|see|
        care)(?:[\w'./ǁǂ-]+ ?){1,6}[.!]*$
    ^not [ǁǂ]+
    ^not (?:in|on|at|under|from|with|via) [\w./ǁǂ-]+[.!]*$
    ^there(?:'s| is| are) no (?:[\w'./ǁǂ-]+ ?){1,4}[.!]*$
""")
# A question that doubts: "Who told you we're on AWS? Everything sits in Hetzner."
DOUBTS: Final = anywhere(r"""
    ^<and_so>*(?:who told you|where did you (?:get|read|see|find)|since when|what makes you think|
        why (?:do|did|are|would) you (?!ask|need|want|remove|delete|not\b|stop|skip)[a-z]+)\b
""")
