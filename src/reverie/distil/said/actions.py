"""How a sentence shows that something is to be done, and not now.

Either it says so ("remind me to", "todo:"), or it has both a duty or a command and a later time or occasion. A command
alone is the task at hand; a time alone is a plan; a duty alone is a requirement.
"""

import re
from dataclasses import replace
from typing import Final

from reverie.distil.said.cues import COMMANDS, TIMES, VERB, anywhere, cues, further, name, opening, pattern
from reverie.distil.said.finding import Finding
from reverie.distil.said.phrases import Phrases, Plain, bits
from reverie.distil.said.sentences import Sentence
from reverie.distil.said.wording import core
from reverie.records import LearningType, Owner, Priority

name(
    event=r"""
    release|launch|demo|deploy|deployment|migration|hot-?fix|merge|deadline|freeze|submission|meeting|holidays?|
        vacation
    weekend|sprint|lunch|stand-?up|review|audit|cut-?over|upgrade|roll-?out|go-?live|beta|conference|exam|paper|
        call|retro
    milestone|presentation|switch|move|training|experiment|maintenance|announcement|workshop|handover|offsite|summer
    christmas|easter|break|refactor(?:ing)?|cleanup|v\d\S*|\d+\.\d+\S*
    """,
    words=r"(?:[\w.'#ǁ-]+ )",
)

# A later occasion: after the release, once the PR is merged, before we publish.
_OCCASIONS: Final = cues(r"""
    (?:when|once|as soon as|after) (?!you\b|it\b|that\b|this\b|ci\b|the (?:tests?|user|client|button|request|form|
        page|function|method|build|linter|ci|download|upload) )<words>{1,6}?(?:is|are|has|have|gets|
        's) (?:been )?(?:done|merged|through|finished|live|out|released|deployed|over|back|approved|available|
        stable|shipped|published|landed|in prod|signed|upgraded|migrated|closed|gone|run)
    (?:when|once|as soon as|after) (?!you\b|it\b|the (?:user|client|button|request|form|
        page) )<words>{1,5}?(?:arrives?|lands|ships|merges|goes live|comes (?:back|out|in)|come back|drops|
        responds?|replies|gets back|signs off|answers)
    (?:after|before|once|when|until|as soon as|right after|following) (?!you\b|u\b)(?:the |our |my |this |that |a |
        next )?<words>{0,3}?<event>
    (?:after|before|once|when|as soon as) (?:we|i|they)(?:'ve| have|'re| are)? (?:\w+ )?(?:publish|ship|release|
        launch|merge|deploy|submit|go live|migrate|switch|upgrade|move|cut|announce|tag|start|open|drop|get|touch|
        finish|come back|hand)\w*
    (?:next time|the next time) (?:we|you|i|somebody|someone)
    when(?:ever)? (?:we|you|i|somebody|someone) next \w+
""")

# Somebody has to; group `i` if it is the writer.
_MUST: Final = further(r"""
    (?P<i>i(?:'ll| will)? (?:still |also |really )*(?:have to|need to|must|should|ought to|gotta|got to|want to)|
        i(?:'ve| have) (?:still )?(?:got )?to|i'll|i will|i(?:'m| am) going to|ich muss|tengo que|je dois)
    (?:we|you|someone|somebody|one of us|u|\w+)(?:'ll| will)? (?:still |also |really |all )*(?:ha(?:ve|s) to|
        needs? to|must|should|ought to|gotta|got to|'ve got to)(?! be\b)
    we(?:'ve| have) (?:still )?got to
    (?:needs|need|has|have|must|ought|should)(?: to)?(?: still)? (?:be|get) (?:\w+ed|(?:un)?done|undo\w*|rewritten|
        redone|sent|run|
        built|made|cut|set|put|written|paid|split|shut|reset|taken \w+|looked at|brought \w+)
    needs? \w+ing
    needs an? \w+
    (?:it would|it'd) be (?:good|great|nice|best|cool|useful) (?:if (?:you|we)|to)
    (?:don't|do not|dont) forget(?: to| that| about)?
    remember to
    it(?:'s| is) (?:important|essential|crucial|vital) (?:that (?:we|you|i|someone)|to)
    make sure (?:to|that|we|you)
    wir müssen|müssen wir
    muss\b.{1,60}\bwerden
    hay que|habrá que|tenemos que
    il (?:faut|faudra)
    on doit|nous devons
""")
_THEN_COMMANDS: Final = Phrases(rf" *[,:]?(?: [^,:]{{1,60}}[,:])? *(?:please |pls |then |let's |lets )*{VERB}\b")
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
    \b(?P<me>remind me(?! of (?:the|a|how|what|when)\b)|don't let me forget|do not let me forget|nag(?:ging)? me|
        bugging me|note to self|reminder (?:for|to) (?:me|myself)|erinner\w* mich|recu[eé]rdame|
        rappelle[sz]?[- ]moi|que no se me olvide|que je n'oublie pas)\b
    <clause>(?:add |make |leave |note )?(?:a |one |my |another )?(?:todo|to-do list)(?: (?:list|for|item|
        note)(?: \w+){0,2})? *[:–—-] *(?=\S)
    \b(?:add|put|note|write|stick|throw|park|keep|get)\b.{0,100}?\b(?:on|to|onto|in|into|as) (?:the |my |our |your |
        a )?(?:to-do lists?|todos?(?: list)?|backlog|task list|follow-?ups?(?: list)?|
        list of (?:todos|to-dos|tasks|follow-?ups)|punch list|
        list for (?:later|tomorrow|next \w+))\b(?! (?:app|component|page|view|item|class|store|widget))
    \bfollow-? ?ups?(?: issue| task| item| ticket| pr| for [\w ]{1,20})? *:
    <clause>(?:action items?|reminder|backlog|later|still (?:to do|open|missing)|for (?:later|tomorrow|another day|
        <day>|next \w+|the next \w+)) *:
    \b(?:make|take) a (?:mental )?note(?: to| that|:)
    \b(?:que no se nos olvide|nicht vergessen)\b
    \b(?:lets|let's|we'll|we will|we can|we) (?:park|postpone|defer|shelve) (?!the (?:car|thread))
    \b(?:come|get|go) back to (?:it|this|that|the \w+) (?:later|after|when|once|next|tomorrow|in |on )
    \bpick (?:it|this|that|them) (?:back )?up (?:again )?(?:later|after|tomorrow|next|when|once|on |in )
""")

# A reminder that says only when; what it is about stands in the sentence before.
_BARE_REMINDER: Final = anywhere(r"""
    ^<and_so>*(?:(?:remind me|don't let me forget|do not let me forget|(?:keep )?(?:nag|nagging|bugging) me|
        erinner\w* mich(?: daran| bitte)*|recuérdamelo|recuérdame|
        rappelle-le-moi)(?!.{0,40}\b(?:to \w+|that (?:the|we|i|you|our|my)|daran,|de \w+)\b)|
        keep (?:it|that|this) in mind|
        (?:put|add|note|keep) (?:it|that|this|those|them) (?:on|to|in|into) (?:the|my|our|
        your) (?:todo(?: list)?|to-do(?: list)?|list|
        backlog))(?: (?:of|about) (?:it|that|this))?(?: (?:please|pls|then|again|later|tomorrow|tonight|on|at|when|
        once|after|
        before|next|until|in|if|every|this|am|bitte|mañana|demain|el)\b.*)?[\s.!?]*$
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
        banner|form|component|function|importer)s? (?:should|must|has to|have to|needs? to|will)
    if (?:it|that|this|you|the)\b.*\b(?:fails|breaks|works|passes)
    we'll see|see you
    talk (?:to you )?(?:later|tomorrow)
    we (?:continue|go on|resume)
    wants
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


def _commands(plain: Plain, time_ends: int) -> bool:
    """Whether it is a command for that time: "check it again tomorrow" or "once it is out, check it"."""
    if _THEN_COMMANDS.exact.match(plain.text, time_ends):
        return True
    return COMMANDS.match(plain) is not None and _TIME_OF_A_THING.search(plain) is None


def _is_mine(plain: Plain) -> bool:
    must = _MUST.search(plain)
    return must is not None and must["i"] is not None


def _priority(plain: Plain) -> Priority:
    if _URGENT.search(plain):
        return Priority.URGENT
    return Priority.HIGH if _HIGH.search(plain) else Priority.NORMAL
