"""Sentences -> what their writer says about themselves, their wishes, our mistakes and what is to be done later.

Each sentence gives at most one finding. A sentence that only points at its neighbour ("Remind me on Monday.", "That goes
for all files.") is read together with it. When in doubt there is no finding: a wrong memory costs more than a missing one.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from reverie.distil import cues
from reverie.distil.sentences import CODE, Sentence
from reverie.distil.subjects import subject_of
from reverie.distil.wording import core, shortened, trimmed
from reverie.records import LearningType, Owner, Priority


@dataclass(frozen=True, slots=True)
class Finding:
    """What a sentence says, in the writer's words."""

    type: LearningType
    text: str
    confidence: float
    priority: Priority = Priority.NORMAL
    owner: Owner = Owner.AGENT


def findings(said: Sequence[Sentence]) -> list[Finding]:
    """What can be learned from the sentences of one message."""
    found: list[tuple[int, Finding]] = []  # with the place of the sentence
    rejected: Sentence | None = None  # the sentence before, if it said that something was wrong but not what is right
    heading: LearningType | None = None  # what the items of a list are, by the line above them
    for place, sentence in enumerate(said):
        before = said[place - 1] if place else None
        if sentence.plain.endswith(":"):
            heading = _heading(sentence.plain)
            continue
        if sentence.is_listed and heading and not sentence.is_question:
            found.append((place, _item(heading, sentence)))
            continue
        heading = heading if sentence.is_listed else None
        finding = None if before is None or sentence.is_question else _together(before, sentence, rejected)
        if finding is not None:
            found = [(at, earlier) for at, earlier in found if at != place - 1]
        elif not sentence.is_question:
            finding = _finding(sentence)
        rejected = None if finding or sentence.is_question or not _only_rejects(sentence.plain) else sentence
        if finding is None:
            continue
        if found and found[-1][0] == place - 1 and (whole := _merged(found[-1][1], finding, sentence)):
            found[-1] = (place, whole)
        else:
            found.append((place, finding))
    return [finding for _, finding in found]


def _finding(sentence: Sentence) -> Finding | None:
    """What one sentence says. The order matters: what is said to be remembered, then what is said to be wrong."""
    if sentence.is_request:
        return _explicit_action(sentence) or _preference(sentence)
    if sentence.is_listed and not _cannot_be_a_requirement(sentence.plain):
        return None
    if cues.ORDERS_A_TEXT.match(sentence.plain):
        return None
    return (
        _explicit_action(sentence)
        or _correction(sentence)
        or _preference(sentence)
        or _deferred_action(sentence)
        or _fact(sentence)
    )


_OWN = re.compile(r"(?:my|our|we|i|i'm|always|never|don't|no|prefer|todo)\b")


def _cannot_be_a_requirement(plain: str) -> bool:
    """In a list most things are requirements of the work at hand."""
    strong = (cues.FROM_NOW_ON, cues.I_PREFER, cues.CALL_ME, cues.EXPLICIT_ACTION)
    return _OWN.match(plain) is not None or any(cue.search(plain) for cue in strong)


# ---- lists under a heading

_RULES = re.compile(
    r"\b(?:from now on|going forward|in (?:the )?future|rules|conventions|preferences|wishes|ab jetzt|a partir de ahora|désormais)\b"
)
_TO_DO = re.compile(r"\b(?:to-?dos?|reminders|follow-?ups?|backlog|for later|for next (?:time|week)|action items|tomorrow|remind me)\b")


def _heading(plain: str) -> LearningType | None:
    if cues.ORDERS_A_TEXT.match(plain):
        return None
    return LearningType.PREFERENCE if _RULES.search(plain) else LearningType.ACTION if _TO_DO.search(plain) else None


def _item(heading: LearningType, item: Sentence) -> Finding:
    owner = Owner.USER if heading is LearningType.ACTION and (_is_mine(item.plain) or _FOR_ME.search(item.plain)) else Owner.AGENT
    return Finding(heading, core(item.text), 0.85, _priority(item.plain), owner)


# ---- sentences that belong together


def _together(before: Sentence, sentence: Sentence, rejected: Sentence | None) -> Finding | None:
    """What a sentence says together with the one before, if it does not stand by itself."""
    plain = sentence.plain
    if before.is_question:
        return None
    if cues.BARE_REMINDER.match(plain) and len(plain) < 90:
        both = f"{before.plain} {plain}"
        owner = Owner.USER if _is_mine(before.plain) or _FOR_ME.search(plain) else Owner.AGENT
        return Finding(LearningType.ACTION, core(before.text), 0.85, _priority(both), owner)
    if cues.SO_GENERALLY.match(plain) and len(plain) < 130 and _can_be_a_rule(before):
        return Finding(LearningType.PREFERENCE, _both(before, sentence), 0.85)
    if rejected is not None and _puts_right(rejected, sentence):
        return Finding(LearningType.CORRECTION, _both(rejected, sentence), 0.85)
    return None


_FOR_ME = re.compile(r"\b(?:remind me|let me forget|nag(?:ging)? me|bugging me)\b")
_CHOICE = re.compile(r"\b(?:not|no|only|instead of|over|rather than)\b|\b(?:i|we) (?:want|like|prefer|use)\b")


def _can_be_a_rule(sentence: Sentence) -> bool:
    plain = sentence.plain
    return (
        sentence.is_request
        or cues.COMMANDS.match(plain) is not None
        or any(cue.search(plain) for cue in (cues.IMPERATIVE, cues.CONVENTION, cues.HOUSE_RULE, _CHOICE))
    )


def _puts_right(rejected: Sentence, sentence: Sentence) -> bool:
    """Whether a sentence says what is right, after one that said what is wrong."""
    plain = sentence.plain
    if cues.REJECTS.search(rejected.plain) and "instead" in plain and _is_concrete(sentence):
        return True
    if not _says_how_it_is(plain) or _preference(sentence) or sentence.is_request:
        return False
    if cues.REJECTS.search(rejected.plain) or cues.OPENS_WITH_NO.match(rejected.plain):
        return True
    return cues.IT_IS.match(plain) is not None and (_is_concrete(sentence) or " called " in plain)


def _merged(before: Finding, finding: Finding, sentence: Sentence) -> Finding | None:
    """Two findings in a row that are one: "Follow-up: the separators. I'll create it tonight.", "Use pnpm. Never npm."."""
    if before.type is not finding.type:
        return None
    if finding.type is LearningType.ACTION and len(sentence.plain) < 60 and cues.PRONOUN_OBJECT.search(sentence.plain):
        return replace(before, owner=finding.owner)
    both = replace(before, text=shortened(f"{before.text}. {finding.text}"))
    if finding.type is LearningType.PREFERENCE and (
        len(finding.text.split()) < _SHORT or subject_of(before.text) == subject_of(finding.text)
    ):
        return both
    return both if finding.type is LearningType.CORRECTION else None


_SHORT = 4  # words; "never npm" does not stand by itself


def _both(first: Sentence, second: Sentence) -> str:
    return shortened(f"{core(first.text)}. {trimmed(second.text)}")


# ---- actions


def _explicit_action(sentence: Sentence) -> Finding | None:
    plain = sentence.plain
    cue = cues.EXPLICIT_ACTION.search(plain)
    if cue is None and not (cues.KEEP_IN_MIND.search(plain) and cues.TIMES.search(plain)):
        return None
    owner = Owner.USER if (cue and cue["me"]) or _is_mine(plain) or " for me" in plain else Owner.AGENT
    return Finding(LearningType.ACTION, core(sentence.text), 0.9, _priority(plain), owner)


def _deferred_action(sentence: Sentence) -> Finding | None:
    """Something is to be done, and not now."""
    plain = sentence.plain
    when = cues.TIMES.search(plain) or cues.OCCASIONS.search(plain)
    must = cues.MUST.search(plain)
    if cues.NOT_AN_ACTION.search(plain) or not (when or (must and cues.ALARMS.match(plain))):
        return None
    if must is None and not (when and _commands(plain, when.end())):
        return None
    owner = Owner.USER if must and must["i"] else Owner.AGENT
    return Finding(LearningType.ACTION, core(sentence.text), 0.8 if must else 0.75, _priority(plain), owner)


def _commands(plain: str, time_ends: int) -> bool:
    """Whether it is a command for that time: "check it again tomorrow" or "once it is out, check it"."""
    if cues.THEN_COMMANDS.match(plain, time_ends):
        return True
    return cues.COMMANDS.match(plain) is not None and cues.TIME_OF_A_THING.search(plain) is None


def _is_mine(plain: str) -> bool:
    must = cues.MUST.search(plain)
    return bool(must and must["i"])


def _priority(plain: str) -> Priority:
    if cues.URGENT.search(plain):
        return Priority.URGENT
    return Priority.HIGH if cues.HIGH.search(plain) else Priority.NORMAL


# ---- corrections


def _correction(sentence: Sentence) -> Finding | None:
    confidence = _correction_confidence(sentence)
    return Finding(LearningType.CORRECTION, core(sentence.text), confidence) if confidence else None


def _correction_confidence(sentence: Sentence) -> float:
    plain = sentence.plain
    rejects = cues.REJECTS.search(plain)
    opens = cues.OPENS_WITH_NO.match(plain)
    rest = plain[opens.end() :].strip() if opens else plain
    contrast = cues.CONTRASTS.search(plain)
    if rejects and (contrast or _NOT_THAT.search(cues.REJECTS.sub(" ", plain)) or _says_how_it_is(rest)):
        return 0.9
    if opens and not cues.EVALUATES.match(rest) and (contrast or _says_how_it_is(rest)):
        return 0.85 if _OURS.search(rest) or _is_concrete(sentence) else 0.0
    if contrast and _is_plain_contrast(plain):
        return 0.75
    if cues.REALLY_IS.search(plain) and _is_concrete(sentence) and not cues.TROUBLE.search(plain):
        return 0.75
    if sentence.follows_quote and _IT_IS.match(plain) and cues.CONCRETE.search(plain):
        return 0.75
    return 0.0


_NOT_THAT = re.compile(r"\w,? (?:not|nicht|pas) [\w/ǁǂ]")
_IT_IS = re.compile(r"(?:it's|it is|its) \S")
_OURS = re.compile(r"\b(?:we|our|my|the|i|der|die|das|el|la|le|c'est)\b")
_THIRD_PERSON = re.compile(
    r"(?:(?:and|but|so|also|oh|btw|by the way|hey|well|right|yes|sure|please fix)[,:]? )*(?:it's|it is|its|that's|they're|they are|these|those|the|this|that|there (?:is|are)|we don't|we do not"
    r"|el|la|le|der|die|das|es|c'est|ce n'est|not|i'm not|we're not|[ǁǂ]|[\w/]+ (?:is|was) (?:renamed|removed|decommissioned))\b"
)
_REQUIRED = re.compile(r"\b(?:should|must|has to|needs to|would|could|might)\b")


def _is_plain_contrast(plain: str) -> bool:
    """"It's X, not Y" without a "no" before it: still a correction, unless it reports trouble or asks for something."""
    return (
        _THIRD_PERSON.match(plain) is not None
        and len(plain) < 140
        and not any(cue.search(plain) for cue in (cues.TROUBLE, cues.SUGGESTS, cues.JUST_NOW, _REQUIRED))
    )


def _only_rejects(plain: str) -> bool:
    """Whether a sentence says that something is wrong, and leaves open what is right."""
    if cues.REJECTS.search(plain) or (cues.ONLY_DENIES.match(plain) and not cues.TROUBLE.search(plain)):
        return True
    opens = cues.OPENS_WITH_NO.match(plain)
    return opens is not None and (cues.NEGATES.search(plain, opens.end()) is not None or not plain[opens.end() :].strip(" .!,"))


_CLAUSES = re.compile(r"[,:;—–(]| but | - |\.\.\. ")


def _says_how_it_is(plain: str) -> bool:
    """Whether some clause says how things are: no "not" in it, no trouble, no proposal."""
    for clause in _CLAUSES.split(cues.REJECTS.sub(" ", plain)):
        if cues.STATES.search(clause) and not any(
            cue.search(clause) for cue in (cues.NEGATES, cues.SUGGESTS, cues.TROUBLE, cues.EVALUATES)
        ):
            return True
    return False


# ---- preferences


def _preference(sentence: Sentence) -> Finding | None:
    confidence = _preference_confidence(sentence)
    return Finding(LearningType.PREFERENCE, core(sentence.text), confidence) if confidence else None


def _preference_confidence(sentence: Sentence) -> float:
    """How sure it is that a sentence tells how its writer wants things to be done, not only this time."""
    plain = sentence.plain
    if cues.CALL_ME.search(plain) or (cues.FROM_NOW_ON.search(plain) and not cues.PLANS.search(plain)):
        return 0.95
    if cues.IN_FUTURE.search(plain) and cues.TO_THE_AGENT.search(plain) and not cues.PLANS.search(plain):
        return 0.9
    if cues.REQUIRES.match(plain) or any(cue.search(plain) for cue in _NO_PREFERENCE):
        return 0.0
    if sentence.is_request and (not cues.ALWAYS.search(plain) or _LOOKS.search(plain)):
        return 0.0
    always = cues.ALWAYS_DO.search(plain)
    if always and _is_told(always["verb"], plain):
        return 0.9
    habitually = cues.HABITUALLY.search(plain)
    if cues.JUST_NOW.search(plain) and not habitually:
        return 0.0
    if cues.I_PREFER.search(plain) or (cues.I_RATHER.search(plain) and (habitually or _THAN.search(plain))):
        return 0.0 if cues.CHOOSES.search(plain) else 0.9
    if habitually and cues.I_WANT.search(plain):
        return 0.85
    if sentence.leads_to_question:
        return 0.0
    if any(cue.search(plain) for cue in _CLEAR):
        return 0.85
    if cues.HOUSE_RULE.match(plain) or (_tells_how(plain) and not cues.TIMES.search(plain)):
        return 0.8
    if any(cue.search(plain) for cue in _LESS_CLEAR) or _is_a_convention(plain) or _REMEMBER.match(plain):
        return 0.75
    if cues.ENDS_ALWAYS.search(plain) and not cues.TROUBLE.search(plain):
        return 0.75
    return 0.75 if sentence.is_request else 0.7 if _is_a_style(sentence) else 0.0


_CLEAR = (cues.CONVENTIONS, cues.I_DISLIKE, cues.WAYS_OF_WORKING, cues.STOP_DOING, cues.OTHER_LANGUAGES, cues.SAME_GOES)
_LESS_CLEAR = (cues.MAY_WITHOUT_ASKING, cues.NO_SUCH_OUTPUT)
_FORGET = re.compile(r"\b(?:don't|do not) forget\b")
_WHY = re.compile(r"\b(?:why|whether|how|check if|see if|explain|sure) (?:that )?(?:you|we|i|it|they|the)\b")
_IN_A_FUNCTION = re.compile(r"\b(?:in|from|inside|within) (?:(?:the|this) (?:function|method|class|loop)|ǁ|\w+\(\))")
_NO_PREFERENCE = (_FORGET, _WHY, _IN_A_FUNCTION, cues.WANTS_IT_BUILT)
_LOOKS = re.compile(r"\b(?:be|tell|explain|show|check|see|find|look|verify|confirm|believe|imagine)\b")
_THAN = re.compile(r"\bthan\b(?!.*\b(?:this|it|now)\b)")
_REMEMBER = re.compile(r"(?:please )?remember\b.*\b(?:don't|do not|never|always|no|only|i (?:like|hate|want))\b")
_HOW = re.compile(rf"\b{cues.VERB}\b|\b(?:please|pls|no)\b")
_US = re.compile(r"\b(?:you|me|my|our|i|us|repo|codebase|project)\b")


_DEFINITE = re.compile(r"\b(?:use|keep|put|make|show|run|print|add|include|start|end|log|give|leave) (?:the|this|that|an?|it)\b")


def _is_a_convention(plain: str) -> bool:
    """How things are to be done wherever they are done. "Use the cached value by default" is one thing in one place."""
    if cues.HABIT.search(plain) and cues.IMPERATIVE.search(plain):
        return True
    if not (cues.CONVENTION.search(plain) and cues.SCOPE.search(plain)):
        return False
    return _DEFINITE.search(plain) is None or _US.search(plain) is not None


def _tells_how(plain: str) -> bool:
    """Whether it is a command for each time that the agent does something: "when you reference code, give me the line"."""
    when = cues.WHEN_YOU.search(plain)
    return when is not None and _HOW.search(plain[: when.start()] + plain[when.end() :]) is not None


# ---- a matter of style, said without a verb or with "use": "single quotes in python", "use tabs"

_STYLE = frozenset(
    ("indentation", "quotes", "semicolons", "naming style", "spelling", "package manager", "clock", "units", "docstring style")
    + ("commit message style", "line length", "spelling")
)
_NOUN_START = re.compile(r"(?:(?:please|pls|and|also|use|only|always|keep)[,:]? )*(?:use |with )?(?:\d|[\w-]+ )")
_NOT_STYLE = re.compile(r"\b(?:this|that|these|those|the|is|are|was|it|i|you|he|she|they|has|have|should|must|why|fix|change|convert|replace|for the)\b")


def _is_a_style(sentence: Sentence) -> bool:
    plain = sentence.plain
    return (
        len(plain) < 100
        and _NOT_STYLE.search(plain) is None
        and _NOUN_START.match(plain) is not None
        and subject_of(sentence.text) in _STYLE
    )


_WITH_S = frozenset("process pass discuss express focus address access bypass cross dismiss miss guess press".split())
_WITH_ED = frozenset("embed need feed seed shed speed proceed exceed".split())
_NOT_VERBS = frozenset(
    "heard seen had done gone got gotten found knew known thought understood came went took taken saw made said told felt broke tried "
    "nice good happy fun great glad funny interesting hard easy bad wrong there here true so too more better worse again something "
    "nothing anything someone works if when because as not just really quite once "
    "the a an been mind on in at of to and or this that it i you he she they we my your our was is were are has had be gonna".split()
)


def _is_told(verb: str, plain: str) -> bool:
    """Whether the word after "always" is a command to the agent: "never works" and "always return a list" are not."""
    if verb in _NOT_VERBS or (verb.endswith("ed") and verb not in _WITH_ED):
        return False
    if verb.endswith("s") and not verb.endswith("ss") and verb not in _WITH_S:
        return False
    return verb not in cues.PROGRAM_VERBS or _US.search(plain) is not None


# ---- facts


def _fact(sentence: Sentence) -> Finding | None:
    confidence = _fact_confidence(sentence)
    return Finding(LearningType.FACT, core(sentence.text), confidence) if confidence else None


def _fact_confidence(sentence: Sentence) -> float:
    plain = sentence.plain
    me, ours = cues.ABOUT_ME.search(plain), cues.WE_DO.search(plain) or cues.OUR_IS.search(plain)
    if (me or ours) and cues.SURELY_ME.search(plain) and not cues.MOODS.search(plain):
        return 0.9
    trouble = cues.TROUBLE.search(plain)
    if cues.WISHES.search(cues.TELLS.sub(" ", plain)) or (trouble and trouble.start() < _FAR):
        return 0.0
    if (me or ours) and _is_concrete(sentence):
        return 0.85
    the = cues.THE_IS.search(plain)
    if cues.TELLS.search(plain) and cues.STATES.search(plain) and (me or ours or the or _is_concrete(sentence)):
        return 0.8
    if _I_AM_NAMED.search(sentence.text) or cues.WHO_IS.search(sentence.text):
        return 0.8
    if the and (_is_concrete(sentence) or " our " in plain) and not (cues.JUST_NOW.search(plain) or cues.LEADS_TO_A_TASK.search(plain)):
        return 0.7
    return 0.0


_I_AM_NAMED = re.compile(r"(?:^|[Hh]i|[Hh]ello|[Hh]ey|[,!])[,!]? ?(?:I'm|I am) [A-Z][a-z]+(?=[,.!]| from| and| here|$)")
_FAR = 45  # trouble that comes later than this is what the fact explains: "We use Postgres 14 on db-stage, so ... fails"


def _is_concrete(sentence: Sentence) -> bool:
    """Whether there is a name, a number, a path or code in it: something to hold on to."""
    if CODE in sentence.plain or cues.CONCRETE.search(sentence.plain):
        return True
    words = sentence.text.split()
    if any(word[:1].isupper() and word.rstrip(".,;:!") not in _NO_NAMES for word in words[1:]):
        return True
    return any(word.strip(".,;:()!") in cues.KNOWN_NAMES for word in sentence.plain.split())


_NO_NAMES = frozenset("I I'm I've I'd I'll OK Ok PR PRs ASAP URGENT TODO FYI BTW Please And But So LOVE NOT NEVER ALWAYS".split())
