"""Cues that a sentence tells something lasting about its writer, their people or their setting.

"Our tests are red" has the form of "our tests are in spec/". So a fact needs something to hold on to, a name, a number,
a path or code, and must not report trouble or a wish.
"""

import re
from typing import Final

from reverie.distil.said.cues import (
    JUST_NOW,
    STATES,
    TROUBLE,
    anywhere,
    cues,
    further,
    is_concrete,
    name,
    opening,
    pattern,
)
from reverie.distil.said.phrases import LowerText, Phrases, bits
from reverie.distil.said.sentences import Sentence

name(
    mostly=r"""
    (?:(?:also|still|only|always|currently|now|all|mostly|usually|already|just|never|don't|do not|actually|
        basically|normally|
        both|mainly|even|fairly|pretty|quite|very|relatively|completely) )*
    """,
    since=r"""
    ^
    [,:;(—–] *
    [ ]-[ ]
    \b(?:and|but|btw|fyi|so|since|because|as|(?:note|remember|know|fact|mind|given|told you|forgot) that|context|
        also|
        remember|here|production|currently|actually|note|y|und|et|übrigens|weil)[,:]?[ ]
    """,
    # A word of a subject; no other clause begins with it.
    noun=r"(?:(?!(?:when|if|because|since|that|which|who|but|after|before|while|until|so|as)\b)[\w'./+#&ǁ-]+ )",
)
# Parts of a setting rather than of a program; about these also "the … is" tells something lasting.
name(
    setting=r"""
    repos?|repository|monorepo|project|app|apps|application|api|services?|servers?|cluster|database|db|back-?end|
        front-?end
    staging|production|prod|ci|pipeline|builds?|deploys?|deployments?|releases?|url|hosts?|domain|system|systems|
        site|website
    team|company|customers?|users?|tables?|buckets?|branch|branches|code|codebase|tests|docs|data|dataset|datasets|
        device
    devices|boards?|sensors?|machines?|box|laptop|packages?|library|firmware|clients?|budget|deadline|schema|
        migrations
    backups|logs|secrets|fixtures|scripts|stuff|config|configs|assets|images|jobs?|workers?|queue|cache|gateway|
        network|vpn
    tickets|specs|designs|artifacts|metrics|dashboards|credentials|keys|certs|maintainer|lead|owner|contact|
        password|port
    tokens?|vault|warehouse|farm|workstation|nas|rig|telescope|robot|game|printer|bot|hostname|endpoint|license|licence|
        namespace|account|
        environment|env|cli|sdk|infra|skripte|datos|servidor
    """
)

_ABOUT_ME: Final = anywhere(r"""
    <since>my (?:full |first |last |real )?name(?:'s| is)\b
    <since>(?:i'm|im|i am) (?:called|named)\b
    <since>(?:i'm|im|i am) <mostly>(?:a|an|the|one of|part of|responsible for|in charge of|new to|based in|from|
        located in|learning|coming from|working (?:at|for|in|as|(?:on|with) (?!an? |the |this |that |issue|it\b|
        ticket|pr\b))|
        on(?! (?:line|step|page|branch|it|this|that|a|the (?:train|bus|phone|road|way|same|page|branch|last|first|
        main))\b)|
        (?:using|running)(?! (?:the|this|that|it|your|into|out)\b)|in(?! (?:the|a|this|that|my)\b)|out of office|
        dyslexic|deaf|blind|left-handed)\b
    <since>(?:i'm|im|i am) <mostly>on an? (?:[\w.-]+ ){0,3}(?:mac|macbook|imac|laptop|thinkpad|chromebook|pc|desktop|
        surface|workstation|raspberry|linux|windows)\b
    <since>i <mostly>(?:maintain|own|lead|manage)\b
    <since>at (?:work|home|school|uni|the (?:office|lab)),? i(?:'m| am)? <mostly>(?:on|use|run|have|using|running)\b
    <since>i <mostly>(?:live|work|study|teach|speak|moved to|switched (?:to|from)|started (?:at|as|with)|joined|
        develop|
        use|run|come from|grew up|took over|inherited|
        graduated|speciali[sz]e|(?:mostly|mainly|usually|only) write)\b(?! (?:out|into|on (?:it|this|that|the)|that|
        this|
        the|an?|same|to think|up|it)\b)
    <since>(?:i|i'm|i am) <mostly>(?:use|run|work (?:on|with)|using|running|working (?:on|with)) (?:an? |
        the )(?:[\w.-]+ ){0,3}(?:mac|macbook|laptop|desktop|pc|machine|
        keyboard|screen|screen reader|cluster|team|shop|phone|tablet|raspberry|server|workstation|device|distro)\b
    <since>i(?:'ve| have) (?:been (?:an?|working|using|doing|programming|coding|writing)|\d+ years|
        no (?:experience|access|admin|root|sudo))\b
    <since>i <mostly>have an? (?:[\w-]+ ){1,4}with \d+ ?(?:gb|tb|mb|cores|gpus)\b
    <since>i <mostly>have (?:an?|two|three|no|only|\d+) (?:[\w-]+ ){0,2}(?:mac|macbook|laptop|desktop|pc|gpu|machine|
        server|
        account|licen[cs]e|kids?|years|raspberry|board|monitor|screens?|root|sudo|access|background|degree|phone|
        ram)\b
    <since>i(?:'ll be| will be|'m| am) (?:away|gone|out|off|offline|unavailable|travell?ing|on (?:vacation|holiday|
        leave|pto)) (?:until|from|on|next|this|for|in|all)\b
    <since>i (?:don't|do not) have (?:root|sudo|admin|access|internet|an?|any)\b
    <since>ich (?:bin|arbeite|wohne|lebe|heiße|nutze|benutze|verwende|studiere)\b
    <since>(?:trabajo (?:en|con|para)|me llamo|vivo en|soy|uso)\b
    <since>(?:je (?:travaille|m'appelle|suis|vis)|j'(?:habite|utilise)|mein name ist)\b
""")

# What somebody lives with, or a team without: sure, and rare enough for a list of its own.
_LIVES_WITH: Final = cues(r"""
    i have (?:dyslexia|adhd|autism|aspergers?|rsi|tinnitus|epilepsy|migraines?|astigmatism|arthritis|(?:low|poor|bad|
        impaired) (?:vision|eyesight|hearing)|colou?r[- ]?blindness|carpal tunnel)
    i(?:'m| am) (?:also |quite |very |a bit |partially |completely )*(?:colou?r[- ]?blind|autistic|neurodivergent|
        hard of hearing|(?:visually|hearing)[- ]impaired|(?:short|near)-sighted)
    i use an? (?:screen reader|braille display|screen magnifier)
    <language> (?:isn't|is not|is) my (?:first|native|second|third|mother) (?:language|tongue)
    we (?:(?:don't|do not) have|have no) (?:(?:any|an?|our|own|real|proper|much|dedicated|automated|unit|integration|
        e2e|
        test) )*(?:tests?|test suite|coverage|staging|ci|cd|pipeline|qa|monitoring|alerting|backups?|docs|documentation|
        budget|designers?|dba|devops|sysadmins?|ops team|gpus?|internet|vpn|root|sudo|admin rights|linter|type hints|
        feature flags|test data|support contract|sla)(?! (?:for|in|of|on) (?:this|that|it|these|those)\b| yet| case|
         \w+ing\b)
""")

# About the writer, and clear without a name or number in it.
_SURELY_ME: Final = further(r"""
    my (?:\w+ )?name(?:'s| is) (?!in\b|not\b|the\b|wrong|missing|shown|displayed|always|on\b|empty|too)
    i live in
    i work (?:at|for|as)
    i study
    (?:i'm|im|i am) <mostly>(?:an?|the only|the (?:[\w-]+ ){0,2}(?:owner|lead|maintainer|admin|author|manager|
        architect|
        designer|developer|dev|engineer|founder|cto|pm)|on (?:vacation|holiday|leave|pto|the [\w -]{2,20} team)|
        based in|from|new to|
        learning|responsible|blind|deaf|left-handed|dyslexic|part of)
    time ?zone is
    i(?:'ll be| will be|'m| am) (?:away|gone|out|off|offline|unavailable|travell?ing|on (?:vacation|holiday|leave|
        pto))
    i maintain
    (?:users|customers|clients|readers|developers|devs) are (?:mostly|all|mainly|only|usually|mostly all)
    our (?:users|customers|clients|readers|players|patients|students|operators|testers) are (?!\w+ing\b|not\b|happy|
        angry|
        unhappy|confused|annoyed|waiting|still|now|back)
    we(?:'re| are) (?:under|subject to|bound by|regulated by|audited by|certified|covered by)
    we (?:sell|cater|deliver) to
    i (?:don't|do not) have (?:root|sudo|admin|internet)
    we(?:'re| are) (?:a|an) (?:\w+ )?(?:team|company|startup|start-up|non-?profit|agency|shop|university|lab|ngo|
        consultancy)
    ich (?:arbeite|wohne|heiße|studiere)
    trabajo (?:en|para)
    me llamo|vivo en
    je (?:travaille|m'appelle)
    j'habite
""")
_MOODS: Final = further(r"""
    (?:i'm|im|i am) <mostly>(?:an?|the|from|on|in) ?(?:bit|little|fan|idiot|lot|few|total|big fan|huge fan|mess|moron|
        loss|hurry|it|the same|one who|rush|good|trouble|line \d+|(?:the )?branch|page \d+|step \d+|old school|
        middle of|root|folder|process of|
        same boat)
""")
_WE_DO: Final = anywhere(r"""
    <since>(?:everyone|everybody) (?:here|on the team|in the team|at work) (?:is|uses|has|works)\b
    <since>(?:(?:in|at) (?:our|this|my|the) \w+,? |at (?:work|home|school|uni),? )?we(?:'re| are|'ve got|
        )? <mostly>(?:(?:on|in|at)(?! (?:step|line|page|
        the (?:same|middle|page)|a (?:meeting|hurry)|\d+ ?%))|
        using|running|hosted|based|
        under|subject to|bound by|regulated by|audited by|certified|(?:closed|open|available) (?:on|from|until|
        between)|stuck on|limited to|bound to|tied to|locked to|about|<n>)\b
    <since>we(?:'ve| have) been (?:on|using|running|with)\b
    <since>(?:(?:in|at) (?:our|this|my|the) \w+,? |at (?:work|home|school|uni),? )?we (?!don't|do not|
        never)<mostly>(?:use|run|have(?! (?:to|\d+ (?:warnings?|
        errors?|cases|conflicts)))|ship|release|deploy|support|host|build|target|
        store|pin|write(?! to\b)|work|develop|test|moved|switched|migrated|upgraded|standardi[sz]ed|track|log|name|
        keep|
        follow(?! the (?:tutorial|docs|guide|steps))|rely|maintain|own|speak|meet|pay|bill|serve|publish|manage|sell|
        make|operate|sign|tag|review|merge|
        back up|monitor|charge|generate|distribute|train|teach|process|receive|employ|dropped|rewrote|inherited|
        bought|share|sync|plan in|(?:talk|chat|communicate) (?:in|on|via|over|through)|count|measure)\b
    <since>there are <n> of us\b
    <since>we <mostly>get (?:(?:the|our|all|most) )*(?:[\w-]+ ){1,3}from\b
    \b(?:nutzen|benutzen|verwenden) wir\b
    \bon est (?:sous|sur|chez)\b
    \bwir (?:haben|nutzen|benutzen|verwenden|arbeiten|sind|setzen|deployen|hosten|betreiben)\b
    \b(?:somos|nous sommes|on est|wir sind) (?:<n>|zu )\b
    \b(?:usamos|utilizamos|tenemos|trabajamos con|desplegamos)\b
    \b(?:on|nous) (?:héberge|hébergeons|déploie|travaille|utilisons|utilise|avons|travaillons|déployons|sommes sur)\b
""")
_OUR_IS: Final = anywhere(r"""
    <since>(?:(?:all|both|most)(?: of)? )?(?:my|our|the team's|the company's) <noun>{1,6}?(?:is|are|has|have|gets?|
        runs?|uses?|lives?|sits?|supports?|requires?|needs?|starts?|ends?|reviews?|works?|handles?|owns?|manages?|
        deploys?|sends?|comes?|goes|takes?|expects?|listens?|speaks?|talks?|costs?|consists?|allows?|stores?|reads?|
        writes?|points?|connects?|expires?|closes?|opens?|means?|contains?|bills?|builds?|ships?|covers?|includes?|
        spans?|serves?|exposes?|publishes|lies?|resides?|belongs?|depends?|relies|follows?|targets?|counts?|weighs?|
        forbids?|prohibits?|mandates?|isn't|aren't|times)\b
    <since>(?:unsere?|meine?|nuestr[oa]s?|mis?|notre|nos|mon|ma|mes) <noun>{1,5}?(?:ist|sind|hat|haben|läuft|laufen|
        senden|liegt|heißt|nutzt|es|son|está|están|tiene|corren?|usan?|despliega|vive|est|sont|tourne|utilise|déploie|
        a)\b
""")
_THE_IS: Final = anywhere(r"""
    <since>(?:it's|this is|it is) (?:an?|our|my) (?:[\w.+#-]+ ){0,5}(?:app|application|project|repo|codebase|
        library|service|monorepo|plugin|package|site|website|game|firmware|cli|tool|api|shop|startup|device|board|
        robot|extension|compiler|platform)\b
    \byou(?:'ll| can| will)? find\b.* (?:in|under|at|on)\b
    <since>(?:(?:the|this|all|these|most|every|both|that) )?<noun>{1,5}?(?:is|are|was|were|gets?|
        can only be) (?:written in|reached|accessed|hosted (?:on|
        by|at|in)|
        built (?:with|on|by)|deployed (?:to|on|with|via|by)|called|owned by|stored (?:in|as|on)|generated (?:by|from|
        with)|
        exported (?:to|from|by)|managed (?:by|with|in)|maintained by|based on|served (?:by|from)|run by|synced (?:to|
        with|from)|
        pinned to|licensed under|capped at|limited to|done (?:with|by|in)|handled by|processed (?:by|with|in)|
        sent (?:by|via|with|to)|tracked in|kept (?:in|on|for)|monitored (?:by|with)|billed|encrypted with|shared with|
        protected|signed by|reviewed by|approved by|forked from|ported from|derived from|inherited from)\b
    <since>(?:(?:the|this|these|all|our|most) )?<noun>{1,3}?(?:comes? (?:from|in as|in via)|ends? up in|lands? in|
        flows? (?:to|into)|go(?:es)? (?:through|via)|
        arrives? (?:as|via|
        from|every|at)|caps? us at)\b
    ^<and_so>*there(?:'s| is| are) (?:an?|no) (?:[\w-]+ )?(?:freeze|vpn|firewall|quota|rate limit|limit|nda|sla|
        air gap|proxy)\b
    <since>(?:the|our) <noun>{0,2}?(?:ci|build|server|image|container|runner|cluster|machine|box|laptop|vm|stack|
        staging|prod|
        production)(?: \w+)? (?:has|have|comes with) (?:only )?[\w.+-]+ v?\d
    <since>(?:the|this|these|all) <noun>{1,4}?(?:runs? (?:on|in|under|at|every|as|via|inside|behind)|targets?|
        (?:lives?|sits?) (?:in|on|at|under|behind)|
        speaks?|writes? to|reads? from|
        depends? on|talks? to|belongs? to|moved to)\b
    \b<setting>, which (?:is|are|runs?|lives?|uses?|has|have)\b
    <since>(?:(?:the|shared|all(?: the| our)?|both|this|these|most|
        every) )?<noun>{0,4}?<setting> (?:(?!(?:there|if|when|that|which|who|has|have|is|
        are)\b)[\w'./+#ǁ-]+ ){0,4}?(?:is|are|runs?|
        lives?|sits?|(?:has|have) (?:only |about |around |over |almost |just )?(?:(?:\d[\d.,]* ?|<n> )(?:[kmgt]i?b|gb|
        mb|tb|million|
        thousand|billion|k|m|cores?|gpus?|cpus?|users|customers|rows|people|developers|devs|tenants|stores|nodes|
        shards|regions|[av]\d+)|\d+ ?x [\w-]*\d|no (?!idea)|read-only|access)|
        gets? (?:wiped|reset|rebuilt|redeployed|synced|backed up|deployed|restarted)|always (?:starts?|ends?)|
        (?:starts?|ends?|begins?) (?:on|at) (?:\w+ )?\d|
        comes? from|go(?:es)? (?:to|through|via)|listens? on|supports?|requires?|uses?|live|happen|takes?|costs?|
        expires?|closes|contains?|consists?)\b
    ^<and_so>*(?:die|der|das|el|la|los|las|le|les) <noun>{1,4}(?:laufen|läuft|liegt|heißt|están? en|es un|se ejecuta|
        corre|
        tourne)\b
""")
# What is where, how long it lasts, what there is. By itself, to be looked for only where its rarer words are.
_THERE_IS: Final = anywhere(r"""
    ^<and_so>*(?:the|my|our|this) (?:\w+ )?(?:novel|story|book|game|film|movie|play|series|campaign|screenplay|comic|
        adventure) (?:is set (?:in|on|during|around)|takes? place (?:in|on|during|around)|plays? in)\b
    ^<and_so>*(?:the|our|my) <noun>{0,2}?(?:key|certificate|cert|licen[cs]e|contract|domain|subscription|trial|
        warranty) <noun>{0,5}?expires? (?:on|at the end|in (?:<month>|20\d\d))\b
    ^<and_so>*everything (?:here |we \w+ |of ours )?(?:runs?|lives?|sits|goes|comes|is (?:hosted|deployed|written|
        stored|
        behind)) (?:on|in|at|under|behind|through|from|via)\b
    ^<and_so>*there are (?:two|three|four|five|six|several) (?:environments|regions|teams|tenants|clusters|stages|repos|
        databases|offices|warehouses)\b
    ^<and_so>*there(?:'s| is) no (?:internet|outbound|wifi|root|sudo|gpu|swap)\b
    ^<and_so>*(?:the |our )?(?:(?:release|deploy|deployment|test|launch|patch) (?:day|night)|(?:release|deploy|
        deployment|merge|launch|maintenance|patch) window|(?:merge|code|feature|deploy|release) freeze|
        release train)s? (?:is|are|starts?|begins?|ends?|lasts?|opens?|closes?)\b
    ^<and_so>*(?:(?:the|our|all|these) )?<noun>{0,3}?(?:tests?|specs|suite|builds?|ci|pipeline|deploys?|deployments?|
        app|server|services?|cluster|workers?|scripts?|migrations?|importer|linter|container|image|
        cli) (?:needs?|requires?) [^,;.]{2,60}(?=[,;] (?:otherwise|or else)\b)
""")
# So many a day. By itself, because its runs of any words would slow the list above.
_AT_A_RATE: Final = anywhere(r"""
    <since>(?:the|our|this|each|every|all) <noun>{1,4}?(?:gets?|has|have|receives?|processes|handles?|produces?|
        sends?|makes?)\b.{0,30}?\d.{0,30}?\b(?:per|a|each|every) (?:second|minute|hour|day|night|week|month|year)\b
""")
name(
    remember=r"""
    remember(?: that|:)
    (?:keep|bear) in mind(?: that|:)
    (?:don't|do not) forget that
    be aware that|mind that
    (?:add|save|put|store|write|keep) (?:(?:this|that|it) )?(?:to|in|into) (?:your |the )?(?:memory|notes|claude\.md|
        agents\.md):
    """
)
_TO_REMEMBER: Final = opening("<remember>")
_TELLS: Final = cues(r"""
    fyi|btw|by the way|for context
    for (?:your )?info(?:rmation)?
    just so you know|note that
    note(?=:)
    for the record
    heads[- ]?up
    for reference|good to know
    context(?=:)
    background(?=:)
    (?:in case|if) (?:that|it|this) (?:matters|helps|is relevant|makes a difference)
    that's how .{2,40} works? (?:here|in our|for us|at our|with us)
    (?:in|at|for) our (?:system|company|product|shop|setup|database|data|world|domain|hospital|lab|bank|business)
    just so (?:that )?you know
    for orientation
    you should know(?: that)?
    keep (?:that|this|it) in mind
    <remember>
    when (?:i|we) say
    it should be noted(?: that)?
    i should (?:have )?(?:said|mentioned|mention|add|say)(?: that)?
    übrigens|por cierto|zur info|au fait|pour info
""")

# A statement that only leads to the task at hand: "the API has three endpoints, document them".
_LEADS_TO_A_TASK: Final = Phrases(
    pattern(r"""
    [,;] (?:please |pls |so |then |now |can you )*<verb> (?:it|them|that|this|these|those|all|each|the|again)\b
    [,;] (?:please |pls |so |then |now |and )*(?!so\b|and\b|but\b|which\b|that\b|if\b|as\b|when\b|because\b|since\b|
        is\b|was\b|then\b|where\b|while\b|otherwise\b|
        does\b|has\b|before\b|after\b|until\b)[a-z]{3,} (?:it|them)\b
    \b(?:attached|below|above|following)\b
    \d ?%
""")
)

# Somebody with a part in it: looked for in the sentence as it was written, for the capital letter.
_WHO_IS: Final = re.compile(
    r"\b[A-Z][a-zé]+ (?:is (?:our|my)\b|(?:is|was) the (?:maintainer|owner|lead|pm|manager|admin|reviewer|contact"
    r"|author|cto"
    r"|designer|boss|client)|(?:handles|owns|maintains|manages|reviews|approves|takes care of|does"
    r"|is responsible for"
    r"|is in charge of|leads|runs|took over) (?:the|our|all|every)|joined (?:the team|us)|left (?:the company|us"
    r"|in \d))\b"
)
_WISHES: Final = further(r"""
    should|would|could|might|want|wants|wanted|need to|needs to|have to|must|will|i'll|we'll|plan to|planning
    hope|maybe|perhaps|probably|i think|i guess|not sure|prefers?|likes?|loves?|hates?|thinks?|wishes|let's|lets
    add
""")
_I_AM_NAMED: Final = re.compile(
    r"(?:^|[Hh]i|[Hh]ello|[Hh]ey|[,!])[,!]? ?(?:I'm|I am) [A-Z][a-z]+(?=[,.!]| from| and| here|$)"
)
# The same in small letters, to be found quickly.
_PERHAPS_A_NAME: Final = cues(r"""
    \w+ is (?:our|my)
    (?:is|was) the (?:maintainer|owner|lead|pm|manager|admin|reviewer|contact|author|cto|designer|boss|client)
    (?:handles|owns|maintains|manages|reviews|approves|takes care of|does|responsible for|in charge of|leads|runs|
        took over) (?:the|our|all|every)
    joined (?:the team|us)
    left (?:the company|us|in \d)
    (?:i'm|i am) \w+
""")
STARTS = bits(
    _TO_REMEMBER, _ABOUT_ME, _WE_DO, _OUR_IS, _THE_IS, _THERE_IS, _LIVES_WITH, _AT_A_RATE, _TELLS, _PERHAPS_A_NAME
)

# ---- how sure it is


def fact(sentence: Sentence) -> float:
    """Return the confidence, 0 to 1, that a sentence tells a fact."""
    plain = sentence.plain
    if not STARTS & plain.seen:
        return 0.0
    if _LIVES_WITH.bit & plain.seen and _LIVES_WITH.search(plain):
        return 0.9
    me, ours = _ABOUT_ME.search(plain), _WE_DO.search(plain) or _OUR_IS.search(plain)
    tells, is_who = _TELLS.search(plain), None
    if _PERHAPS_A_NAME.bit & plain.seen:
        is_who = _WHO_IS.search(sentence.text) or _I_AM_NAMED.search(sentence.text)
    if not (me or ours or tells or is_who) and _is_ruled_out(sentence):
        return 0.0
    the = None if me or ours else _THE_IS.search(plain) or _THERE_IS.search(plain) or _AT_A_RATE.search(plain)
    if not (me or ours or the or tells or is_who):
        return 0.0
    if (me or ours) and _SURELY_ME.search(plain) and not _MOODS.search(plain):
        return 0.9
    if _reports_trouble(plain, (me or ours or the or tells)) or _wishes(sentence):
        return 0.0
    concrete = is_concrete(sentence.text, plain) or _CALLED.search(plain.text) is not None
    if _TO_REMEMBER.match(plain) and _IN_A_PROGRAM.search(plain.text) and not _OURS.search(plain.text):
        return 0.0
    if _SHOWS.match(plain.text) or (_OWNS_A_TASK.search(plain.text) and not (me or ours)):
        return 0.0
    if ((me or ours) and concrete and not _AT_HAND.search(plain)) or (
        _TO_REMEMBER.match(plain) and STATES.search(plain)
    ):
        return 0.85
    if is_who or (tells and STATES.search(plain) and (me or ours or the or concrete) and not _AT_HAND.search(plain)):
        return 0.8
    is_passing = JUST_NOW.search(plain) or _LEADS_TO_A_TASK.search(plain) or _AT_HAND.search(plain)
    if _WHEN.match(plain.text) or _DOES.match(plain) or _POINTS_AT_A_FILE.search(plain.text):
        return 0.0
    return 0.7 if the and (concrete or " our " in plain.text) and not is_passing else 0.0


_SHOWS = re.compile(r"(?:(?:and|so|ok|btw)[,:]? )*(?:here(?:'s| is| are)|attached|below|see) ")
_OWNS_A_TASK = re.compile(
    r"\b(?:owns|handles|reviews|takes care of|does) (?:the|this|that) (?:ticket|issue|pr|task|bug|fix)\b"
)
_OURS = re.compile(r"\b(?:we|our|my|i|prod|production|staging)\b")
# Parts of a program at hand. Who says "remember that the array is sorted" speaks of the task.
_IN_A_PROGRAM = re.compile(
    r"\b(?:arrays?|lists?|ind(?:ex|ices)|intervals?|loops?|strings?|values?|variables?|param(?:eter)?s?|arguments?"
    r"|functions?|methods?"
    r"|pointers?|inputs?|outputs?|results?|objects?|class|dicts?|maps?|sets?|tuples?|vectors?|matrix|nodes?|trees?"
    r"|graphs?|elements?"
    r"|items?|keys are|buttons?|fields?|forms?)\b"
)
_WHEN = re.compile(r"(?:and |but |so |then )*(?:once|when|whenever|after|before|if|until|as soon as|while|unless)\b")
_CALLED = re.compile(
    r"\b(?:is|are|it's|its) (?:called|named) (?!twice|once|from|by|with|in\b|when|after|on\b|for\b|every|again"
    r"|before|at\b|an?\b|the\b|too)\w+"
    r"|\b(?:default|main|base|trunk) branch (?:(?:of|for|in) (?:[\w-]+ ){1,3})?is (?!ahead|behind|up\b|clean|dirty"
    r"|there|not\b|now\b|\w+(?:ed|en)\b)[\w./-]+[.!]*$"
)


# What is so while the task at hand lasts: how far one has come, what one has in one's hands, where one is just now.
_AT_HAND = further(r"""
    we(?:'re| are) (?:at|on|up to|down to) \d+ ?%
    i(?:'m| am) on (?:the )?branch
    right now|in the middle of|at \d+ ?%|(?:is|are) running(?=[,.!]|$)|\d+ \w+ left
    ^(?:the|this|that|my|our) (?:new|second|first|third|last|other|next|current|old) (?:column|function|test|field|
        migration|
        button|class|file|query|version|endpoint|page|script|step|commit|branch|one)
    (?:my|our) (?:prs?|mr|branch|changes?|commits?|diff|patch|functions?|method|class|query|script|component|loop|
        regex|endpoint|snippet|page|form|button|container|pod|request|variable|file|terminal|meeting|last \w+|
        first \w+|next \w+|current \w+|new \w+) (?!lives|sits|runs on|belongs)(?:are|have|still|get|need|take|[a-z]+s)
    my (?:tests?|build|app|site|server|model|code) \w+
    in (?:this|that) (?:component|file|function|class|method|module|test|script|pr|branch|commit|line|block|loop|view|
        page|case)
    for (?:this|that|it|my) (?:exercise|homework|assignment|ticket|task|course|test|one|pr|branch|script|function)
    for (?:that|this|it)(?=[,.!]|$)
    (?:is|are) (?:still |now |just |currently |again |already |always )*(?!using|running|living|working|moving|
        serving|
        being|starting|ending|closing|talking|sharing|missing)[a-z]{3,}ing
    took|takes? (?:\w+ )?\d.{0,30}(?:since|now|today)
    ^(?!.*\b(?:is|are) (?:called|named)\b).*\bsince (?:yesterday|this|the|last|today|an|\d+ hours)
    in \d+ (?:minutes?|seconds?|hours?)
    ^(?:so |and |but |ok |now )*(?:the|this|that|these|those|your) (?:\w+ )?(?:files?|pages?|buttons?|lines?|columns?|
        functions?|
        methods?|class|parser|form|field|menu|header|footer|title|error|bug|output|input|results?|numbers?|rows?|
        chart|
        plot|legend|font|modal|dialog|component|loop|query|regex|request|response|commit|diff|changes?|pr|row|cell|
        fehler|skript)\b
    we have (?:\d+|<n>) (?:\w+ ){0,2}(?:prs?|commits|tickets|issues|bugs|files|tests|todos|warnings|errors|rows|lines|
        tasks)
    (?:is|are) (?:\w+ )?(?:skipped|disabled|ignored|commented out|renamed|deleted|removed|changed|fixed|updated|
        merged|closed|
        attached|added|reported|assigned|planned|scheduled)
    my (?:friend|buddy|neighbou?r|cousin|ex|old (?:job|company|boss|team)) \w+
    we have (?:\w+ )?(?:options?|choices?|ways?|questions?|possibilities|problems?)
    (?:we|i)(?:'ve got| have| have got) (?:an?|the|another|my|our) (?:[\w-]+ ){0,2}(?:meeting|call|demo|interview|
        appointment|presentation|visitor|visit)(?= (?:at|in|on|with|to|today|tomorrow|this|next|now|soon|<day>)\b|[,.!]|
        $)(?!.*\b(?:every|each|daily|weekly|monthly|\w+days)\b)
    (?:my|our) (?:goal|plan|idea|question|task|homework|guess|problem|assignment|job here|exercise|aim|hope|suspicion|
        theory|bet|first \w+) (?:is|was|for)
    but still|at first|so far|either|maybe|i guess|i think|seems?|(?:ten |\w+ )?times (?:bigger|smaller|larger|slower|
        faster|more)
    jetzt|gerade|ahora|maintenant
    too \w+|\w+er than|yesterday|this morning|last night|an hour ago|in \w+ places
    [,;] (?:please |pls |so |then |now )*(?!tell|note|keep|mind)<verb> (?:it|them|these|those|the|that|this|an?|me)
""")
# "Write the mail in English, the customer is from Ireland": a task, and what is good to know for it.
_DOES = opening(
    r"(?:<verb>\b<unless_noun>|here(?:'s| is| are)|see|this is (?:the|my))\b"
    r"(?! (?:lives?|runs?|code|stuff|data|jobs?|logs?)\b)"
)
_POINTS_AT_A_FILE = re.compile(
    r"\b(?:code|data|tests?|function|class|bug|error|logs?|script|file|input|output|images?|screenshots?) (?:is|are"
    r"|lives?)"
    r" (?:all )?(?:in|at|under) \S*\w\.[a-z]{1,5}\b|\b(?:is|are) not \w+ed\b|\btaken\b"
)
_CLAUSE_ENDS = re.compile(r"[,;]")


def _is_ruled_out(sentence: Sentence) -> bool:
    """Whether it cannot be a fact wherever "the … is" stands in it. Said first: to look for that takes longest."""
    plain = sentence.plain
    has_clauses = _CLAUSE_ENDS.search(plain.text) is not None
    return _wishes(sentence) or (not has_clauses and TROUBLE.search(plain) is not None)


def _reports_trouble(plain: LowerText, cue: re.Match[str] | None) -> bool:
    """Whether there is trouble in the clause of the fact. In a later one the fact explains it: "we use zsh, so …"."""
    trouble = TROUBLE.search(plain)
    if trouble is None:
        return False
    ends = _CLAUSE_ENDS.search(plain.text, cue.end()) if cue else None
    return ends is None or trouble.start() < ends.start()


def _wishes(sentence: Sentence) -> bool:
    """ "You should know that" is no wish."""
    plain = sentence.plain
    if not _WISHES.search(plain):
        return False
    fact_itself = _CONSEQUENCE.split(plain.text, maxsplit=1)[0]
    return _WISHES.exact.search(_TELLS.exact.sub(" ", fact_itself)) is not None


# What follows from a fact, or why it stays so: "…, the admins won't upgrade".
_CONSEQUENCE = re.compile(
    r",? so (?!that\b)|, therefore |, that's why "
    r"|, (?:and )?(?=(?:(?:the|our|my) \w+|they|he|she|it|nobody|no one) (?:will not|won't|wont|will never)\b)"
)
