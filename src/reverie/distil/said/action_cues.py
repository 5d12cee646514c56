"""Cues that something is to be done, and not now.

Either it says so ("remind me to", "todo:"), or it has both a duty or a command and a later time or occasion. A command
alone is the task at hand; a time alone is a plan; a duty alone is a requirement.
"""

import re
from dataclasses import replace
from typing import Final

from reverie.distil.said.cues import COMMANDS, TIMES, VERB, anywhere, cues, further, name, opening, pattern
from reverie.distil.said.learning_text import core
from reverie.distil.said.phrases import LowerText, Phrases, bits
from reverie.distil.said.rule_match import Finding
from reverie.distil.said.sentences import Sentence
from reverie.records import LearningType, Owner, Priority

name(
    event=r"""
    release|launch|demo|deploy|deployment|migration|hot-?fix|merge|deadline|freeze|submission|meeting|holidays?|
        vacation
    weekend|sprint|lunch|stand-?up|review|audit|cut-?over|upgrade|roll-?out|go-?live|beta|conference|exam|paper|
        retro
    milestone|presentation|switch|move|experiment|maintenance|announcement|workshop|handover|offsite|summer
    christmas|easter|refactor(?:ing)?|cleanup|v\d\S*|\d+\.\d+\S*
    """,
    words=r"(?:[\w.'#ǁ-]+ )",
)

# A later occasion: after the release, once the PR is merged, before we publish.
_OCCASIONS: Final = cues(r"""
    (?:when|once|as soon as|after) (?!you\b|it\b|that\b|this\b|ci\b|the (?:tests?|user|client|button|request|form|
        page|function|method|build|linter|ci|download|upload) )<words>{1,9}?(?:is|are|has|have|gets|
        's) (?:been )?(?:done|merged|through|finished|live|out|released|deployed|over|back|approved|available|
        stable|shipped|published|landed|in prod|signed|upgraded|migrated|closed|gone|run)
    (?:when|once|as soon as|after) (?!you\b|it\b|the (?:user|client|button|request|form|
        page) )<words>{1,5}?(?:arrives?|lands|ships|merges|goes live|comes (?:back|out|in)|come back|drops|
        responds?|replies|gets back|signs off|answers|finishes|fixes|supports|publishes|upgrades|approves|confirms|
        delivers)
    (?:after|before|once|when|until|as soon as|right after|following) (?!you\b|u\b)(?:the |our |my |this |that |a |
        next )?<words>{0,3}?<event>(?! (?:to|from|statement|button|step|stage|function|call|key|event|block|handler|
        hook|script|command|job|of the (?:loop|function|list)|\w+\()\b)
    (?:after|before) (?:the )?(?:v\d\S*|\d+\.\d+\S*)(?: (?:tag|release|launch|version|rollout))?
    (?:after|before|once|when|as soon as) (?:we|i|they)(?:'ve| have|'re| are)? (?:\w+ )?(?:publish|ship|release|
        launch|merge|deploy|submit|go (?:live|public)|open[- ]source|present|migrate|switch|upgrade|move|cut|announce|
        tag|start|open|drop|get|touch|
        finish|come back|hand)\w*
    (?:when|once|as soon as|after) (?:we|i)(?:'re| are) (?:all )?(?:done|through|finished|live|back|out|settled)
    (?:next time|the next time) (?:we|you|i|somebody|someone)
    when(?:ever)? (?:we|you|i|somebody|someone) next \w+
    (?:wenn|sobald)\b.{2,50}\b(?:fertig|gemerged?t?|zurück|draußen|live|da|durch|freigegeben|released|
        erledigt) (?:ist|sind)
    (?:nach|vor) (?:dem|der) (?:nächsten )?(?:release|launch|abnahme|demo|urlaub|deployment|merge|umzug|migration|
        meeting|
        umstellung|freigabe|go-?live)
    (?:cuando|en cuanto|una vez que)\b.{2,50}\b(?:esté|estén|salga|termine|vuelva|llegue|acabe)
    (?:después|antes) de(?:l| la) (?:lanzamiento|release|despliegue|demo|migración|reunión|entrega|versión)
    (?:quand|dès que|une fois que?)\b.{2,60}\b(?:sera|seront|est|revient|arrive|sort)
    (?:après|avant) (?:la|le|l')? ?(?:mise en prod\w*|release|démo|migration|livraison|sortie|réunion|lancement|
        déploiement)
""")

# Somebody has to; group `i` if it is the writer.
_MUST: Final = further(r"""
    (?P<i>i(?:'ll| will)? (?:still |also |really )*(?:have to|need to|must|should|ought to|gotta|got to|want to)|
        i(?:'ve| have) (?:still )?(?:got )?to|i'll|i will|i(?:'m| am) going to|ich muss|tengo que|je dois)
    (?:we|you|someone|somebody|one of us|u|they|he|she|ops|legal|marketing|design|qa|the team|devops|
        whoever \w+)(?: will|'ll)? (?:still |also |really |all )*(?:ha(?:ve|s) to|needs? to|must|should|ought to|gotta|
        got to|
        've got to)(?! be\b)
    (?:it|this|that|they|these|those) (?:has to|have to|needs? to|must|should)(?: all)? (?:come (?:out|off|back)|
        disappear|die|leave|move)
    (?:has to|have to|needs? to|must|should)(?: all)? go
    (?:has to|have to|needs? to|must) (?:all )?(?:come (?:out|off|back)|disappear|die)
    we (?:can|could) (?:tackle|do|fix|look at|handle|address|clean|revisit|deal with|get to|sort|finish|add|write|
        remove)
    still needs? (?:an? |some |more )?[\w-]+
    i(?:'ve| have)? promised|we owe|i owe
    (?:we'll|we will) (?:want to|look at|take a look|deal with|do|fix|handle|tackle|clean|revisit|sort|come back|get|
        return|
        address|finish|add|write|update|remove|move|migrate|split|replace|drop|rename|delete|port|rewrite|refactor|
        extract|upgrade|switch|swap|document|measure|investigate|optimi[sz]e)
    we(?:'ve| have) (?:still )?got to
    (?:needs|need|has|have|must|ought|should)(?: to)?(?: still)? (?:be|get) (?:\w+ed|back (?:on|in|up)|gone|
        (?:un)?done|undo\w*|rewritten|
        redone|sent|run|
        built|made|cut|set|put|written|paid|split|shut|reset|taken \w+|looked at|brought \w+|ready|with|out|live|online|
        in (?:place|prod))
    needs? \w+ing
    needs an? \w+
    will need (?:an?|new|some|another|more|to be)
    plan (?:for|on) (?:it|that|this|them)
    (?:it would|it'd) be (?:good|great|nice|best|cool|useful) (?:if (?:you|we)|to)
    (?:don't|do not|dont) forget(?: to| that| about)?
    remember to
    it(?:'s| is) (?:important|essential|crucial|vital) (?:that (?:we|you|i|someone)|to)
    make sure (?:to|that|we|you)
    wir müssen|müssen wir|muss ich|muss noch|muss man|müsste\w* noch
    muss\b.{1,60}\b(?:werden|fertig|raus|weg|erledigt|online)
    (?:machen|schauen|klären|prüfen|erledigen|fixen|beheben|kümmern|gehen|nehmen) wir
    hay que|habrá que|tenemos que
    il (?:faut|faudra)
    on doit|nous devons|il faut que|faudra
""")
_THEN_COMMANDS: Final = Phrases(
    r" *[,:]?(?: [^,:]{1,60}[,:])? *(?:please |pls |then |let's |lets |we (?:can |will )?(?!use|run|go|keep|get|do))*"
    + rf"{VERB}\b"
)
_TIME_OF_A_THING: Final = Phrases(
    pattern(r"""
    \b(?:that|whether|if|which|who|saying) (?:we|i|he|she|they|it|the|you|our|my)\b
    \b(?:for|to|until|is|are|sent|due|dated?|expires?|valid|from|by default) (?:tomorrow|tonight|next|later|on |
        by |in )
    \b(?:which|who) (?:is|are|runs?|starts?|should|must)\b
    \b(?:test|scheduler|function|script|job|cron)\b.*\bthat\b
""")
)

# Said to be remembered: no time needed. Group `me` if the writer will do it.
_EXPLICIT_ACTION: Final = anywhere(r"""
    \b(?P<me>remind me(?!,? (?:of (?:the|a|how|what|when)|again|what|how|why|who|where|which|whether|if)\b)|
        don't let me forget|do not let me forget|nag(?:ging)? me|
        bugging me|note to self(?! *[.,!]|$)|reminder (?:for|to) (?:me|myself)|erinner\w* mich|recu[eé]rdame|
        rappelle[sz]?[- ]moi|que no se me olvide|que je n'oublie pas|
        i (?:need|have) to remember to|i (?:must|should) (?:remember to|not forget)|tengo pendientes?|me (?:queda|
        falta)n? (?:pendientes? )?por|il me reste à|steht bei mir noch)\b
    <clause>(?:add |make |leave |note )?(?:a |one |my |another )?(?:todo|to-do list)(?: (?:list|for|item|
        note)(?: \w+){0,2})?(?: ?\([\w ]{1,20}\))?(?:,? (?:urgent|asap|important|
        critical))? *(?:[:–—-]|!+) *(?=\S)
    \b(?:add|put|note|write|stick|throw|park|keep|get)\b.{0,100}?\b(?:on|to|onto|in|into|as) (?:the |my |our |your |
        a )?(?:to-do lists?|todos?(?: list)?|backlog|task list|follow-?ups?(?: list)?|
        list of (?:todos|to-dos|tasks|follow-?ups)|punch list|
        list for (?:later|tomorrow|next \w+))\b(?! (?:app|component|page|view|item|class|store|widget))
    \bfollow-? ?ups?(?: issue| task| item| ticket| pr| for [\w ]{1,20})? *:
    <clause>(?:one|another|something)(?: more)?(?: thing| point| item)? for later *[,:]
    <clause>(?:tomorrow|next (?:week|sprint|month|quarter)) *: (?=<verb>\b)
    <clause>(?:action items?|reminder|backlog|later|still (?:to do|open|missing|owed|outstanding|pending|
        left)(?: from \w+)?|for (?:later|tomorrow|another day|
        <day>|next (?!time)\w+|the next (?!time)\w+)|(?:put |add |one )?(?:on|for|to) (?:the|my|
        our) list(?: for \w+)?) *:
    \b(?:create|open|make|file|add)(?: me| us)? an? (?:follow-up )?(?:ticket|issue|card|task|
        reminder) (?:for (?:later|that|this|next|the)|about|to)\b
    \b(?:make|take) a (?:mental )?note(?: to| that|:)
    \b(?:que no se nos olvide|nicht vergessen)\b
    \b(?:quedan? pendientes? (?:de )?\w+(?:ar|er|ir)|(?:está|están|sigue|siguen) pendientes? (?:de )?\w+(?:ar|er|ir)|
        faltan? por \w+(?:ar|er|ir)|il (?:nous )?reste à \w+(?:er|ir|re))\b
    \b(?:lets|let's|let us|we'll|we will|we can|we|i'd) (?:park|postpone|defer|shelve) (?!the (?:car|thread))
    \b(?:come|get|go) back to (?:it|this|that|the (?:\w+ ){1,4})(?: ?(?:later|after|when|once|next|tomorrow|in|on))\b
    <clause>(?:let's |lets |let us )?(?:leave|save|keep|do|move|push) (?:\w+ ){1,6}?(?:for|to|until) (?:later|
        tomorrow|
        another day|next (?:week|sprint|month|time|release|quarter)|after the \w+|the next (?:sprint|release|week))\b
    \b(?:keep|put|have|get|stick) (?:it|that|this|them|those) on (?:the|my|our|your) list\b
    \bpick (?:it|this|that|them) (?:back )?up (?:again )?(?:later|after|tomorrow|next|when|once|on |in )
""")

# A reminder that says only when; what it is about stands in the sentence before.
_BARE_REMINDER: Final = anywhere(r"""
    ^<and_so>*(?:(?:remind me|don't let me forget|do not let me forget|(?:keep )?(?:nag|nagging|bugging) me|
        erinner\w* mich(?: daran| bitte)*|recuérdamelo|recuérdame|
        rappelle-le-moi)(?!.{0,40}\b(?:to \w+|that (?:the|we|i|you|our|my)|daran,|de \w+)\b)|
        that's a (?:note to self|todo|reminder)(?: for me)?|(?:put|note|write|jot) (?:it|that|this|those) down|
        (?:put|add|note|keep) (?:it|that|this|those|them) (?:on|to|in|into) (?:the|my|our|
        your) (?:todo(?: list)?|to-do(?: list)?|list|
        backlog))(?: (?:of|about) (?:it|that|this))?(?: (?:please|pls|then|again|later|tomorrow|tonight|on|at|when|
        once|after|
        before|next|until|in|if|every|this|for|can|am|bitte|mañana|demain|el)\b.*)?[\s.!?]*$
""")
_KEEP_IN_MIND: Final = cues(r"""
    (?:keep|bear) (?:it|that|this) in mind
    keep (?:it|that|this) on (?:the|our|your) radar
    don't (?:let us )?forget(?: it| that| this)?(?=[.!,]|$)
""")
_ALARMS: Final = opening(r"""
    (?:urgent|asap|critical|important|high prio(?:rity)?|dringend|wichtig|urgente|importante)[\w ]{0,20}[:,!—–-]
""")
_NOT_AN_ACTION: Final = further(r"""
    i (?:have|need|want) to (?:present|demo|show|leave|go|hand (?:this|it)|give|catch|head|be|know|understand|see|
        have|say|admit|think)
    back (?:later|tomorrow|in|soon)
    i'll (?:grab|get|go|take|pop|head|call it|come back|be|have|let|give|try|see|send you|tell you|get back|need|
        take a look|think|test it)
    (?:should|must|has to|have to|need to|needs to) (?:be able|be there|work|return|accept|support|handle|
        be (?:possible|easy|fast|idempotent|optional|required|visible|shown))
    (?:user|client|customer|app|system|page|button|job|server|e?mail|newsletter|notification|reminder|message|
        banner|form|component|function|importer)s? (?:should|must|has to|have to|needs? to|will(?! need (?:an?|new)\b))
    if (?:it|that|this|you|the)\b.*\b(?:fails|breaks|works|passes)
    we'll see|see you
    we (?:can|could)\b.*\bif (?:it|that|this|we|you)
    talk (?:to you )?(?:later|tomorrow)
    we (?:continue|go on|resume)
    wants (?:us|me|you|it|to)
    maybe|perhaps|might|not sure
    (?:token|session|timer|loop|calendar|spinner|video|field|value|query|request|response|list|row|column|cache|
        connection|thread|lock|cursor|popup|modal|toast|menu|widget|counter|header|callback|event|scheduler|queue|
        animation|cron ?job|date|input|output|variable|class|method|test|index)s? (?:should|must|has to|have to|
        needs? to|will)
    first\b.*\b(?:then|later)
    [\w.]+\(\)
""")
_PRONOUN: Final = re.compile(r"\b(?:it|that|this|them|those|one)\b")
_URGENT: Final = further(r"""
    urgent(?:ly|es?)?
    asap|as soon as possible|critical|immediately|p0|drop everything|emergency|dringend|sofort|d'urgence
""")
_HIGH: Final = further(r"""
    important(?:e|es)?
    high[ -]?prio(?:rity)?
    prio(?:rity)?:? (?:is )?(?:high|1|one)
    p1|top priority|crucial|wichtig|hohe priorität|prioridad alta
""")

# ---- what is to be done

STARTS = bits(_EXPLICIT_ACTION, _KEEP_IN_MIND, TIMES, _OCCASIONS, _ALARMS, _BARE_REMINDER)


def said_to_be_remembered(sentence: Sentence) -> Finding | None:
    """An action that the writer asks to be reminded of, or puts on a list."""
    plain = sentence.plain
    cue = _EXPLICIT_ACTION.search(plain)
    if cue is None and not (_KEEP_IN_MIND.search(plain) and TIMES.search(plain)):
        return None
    is_mine = (cue and cue["me"]) or _is_mine(plain) or " for me" in plain.text
    return _action(sentence, 0.9, Owner.USER if is_mine else Owner.AGENT)


def put_off(sentence: Sentence) -> Finding | None:
    """An action that has its time: somebody has to, or is told to, but not now."""
    plain = sentence.plain
    when = TIMES.search(plain) or _OCCASIONS.search(plain)
    if when is None and not _ALARMS.match(plain):
        return None
    must = _MUST.search(plain)
    if (must is None and not (when and _commands(plain, when.end()))) or _NOT_AN_ACTION.search(plain):
        return None
    return _action(sentence, 0.8 if must else 0.75, Owner.USER if must and must["i"] else Owner.AGENT)


def reminded_of(before: Sentence, sentence: Sentence) -> Finding | None:
    """An action in one sentence, and "remind me on Monday" in the next."""
    plain = sentence.plain
    if len(plain.text) > _SHORT_REMINDER or not _BARE_REMINDER.match(plain):
        return None
    is_mine = _FOR_ME.search(plain.text) or _is_mine(before.plain)
    found = _action(before, 0.85, Owner.USER if is_mine else Owner.AGENT)
    return found if found.priority is not Priority.NORMAL else replace(found, priority=_priority(plain))


def on_a_list(item: Sentence) -> Finding:
    """An item of a list whose heading says that these are things to do."""
    is_mine = _is_mine(item.plain) or _FOR_ME.search(item.plain.text)
    return _action(item, 0.85, Owner.USER if is_mine else Owner.AGENT)


def continues_an_action(sentence: Sentence) -> bool:
    """Whether this only adds to the action before: "I'll create it tonight"."""
    return len(sentence.plain.text) < _SHORT_ADDITION and _PRONOUN.search(sentence.plain.text) is not None


_SHORT_REMINDER = 90  # characters; a longer one says itself what it is about
_SHORT_ADDITION = 60
_FOR_ME = re.compile(r"\b(?:remind me|let me forget|nag(?:ging)? me|bugging me)\b")


def _action(sentence: Sentence, confidence: float, owner: Owner) -> Finding:
    return Finding(LearningType.ACTION, core(sentence.text), confidence, _priority(sentence.plain), owner)


def _commands(plain: LowerText, time_ends: int) -> bool:
    """Whether it is a command for that time: "check it again tomorrow" or "once it is out, check it"."""
    if _THEN_COMMANDS.exact.match(plain.text, time_ends):
        return True
    return COMMANDS.match(plain) is not None and _TIME_OF_A_THING.search(plain) is None


def _is_mine(plain: LowerText) -> bool:
    must = _MUST.search(plain)
    return must is not None and must["i"] is not None


def _priority(plain: LowerText) -> Priority:
    if _URGENT.search(plain):
        return Priority.URGENT
    return Priority.HIGH if _HIGH.search(plain) else Priority.NORMAL
