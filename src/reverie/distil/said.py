"""Sentences -> what their writer says about themselves, their wishes, our mistakes and what is to be done later.

Each sentence gives at most one finding. A sentence that only points at its neighbour ("Remind me on Monday.", "That goes
for all files.") is read together with it. When in doubt there is no finding: a wrong memory costs more than a missing one.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from reverie.distil import cues
from reverie.distil.sentences import CODE, Sentence
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
    found: list[tuple[int, Finding]] = []
    rejected: Sentence | None = None  # the sentence before, if it said that something was wrong but not what is right
    for place, sentence in enumerate(said):
        before = said[place - 1] if place else None
        if sentence.is_question:
            rejected = None
            continue
        if before is not None and (joined := _with_the_one_before(before, sentence)):
            found = [(at, finding) for at, finding in found if at != place - 1]
            found.append((place, joined))
            rejected = None
            continue
        if rejected is not None and _says_how_it_is(sentence.plain) and not _preference(sentence):
            found = [(at, finding) for at, finding in found if at != place - 1]
            found.append((place, Finding(LearningType.CORRECTION, _both(rejected, sentence), 0.85)))
            rejected = None
            continue
        finding = _finding(sentence)
        rejected = None
        if finding is not None:
            last = found[-1] if found else None
            if last and _continues(last, place, finding, sentence):
                found[-1] = (place, replace(last[1], owner=finding.owner))
                continue
            found.append((place, finding))
        if (finding is None or finding.type is LearningType.FACT) and not sentence.is_request and _only_rejects(sentence.plain):
            rejected = sentence
        elif finding is not None and finding.type is LearningType.CORRECTION and not _says_how_it_is(sentence.plain):
            rejected = sentence
    return [finding for _, finding in found]


def _finding(sentence: Sentence) -> Finding | None:
    if sentence.is_request:
        return _explicit_action(sentence) or _preference(sentence)
    if sentence.is_listed and not _is_strong(sentence):
        return None
    return (
        _explicit_action(sentence)
        or _correction(sentence)
        or _preference(sentence)
        or _deferred_action(sentence)
        or _fact(sentence)
    )


def _is_strong(sentence: Sentence) -> bool:
    """In a list most things are requirements; only what cannot be one counts."""
    plain = sentence.plain
    return any(cue.search(plain) for cue in (cues.FROM_NOW_ON, cues.I_PREFER, cues.CALL_ME, cues.EXPLICIT_ACTION)) or bool(
        re.match(r"(?:my|our|we|i|i'm)\b", plain)
    ) or bool(re.match(r"(?:always|never|don't|no) \w+", plain))


# ---- sentences that belong together


def _with_the_one_before(before: Sentence, sentence: Sentence) -> Finding | None:
    plain = sentence.plain
    if cues.BARE_REMINDER.match(plain) and not before.is_question:
        if cues.KEEP_IN_MIND.search(plain) or len(plain) < 90:
            both = f"{before.plain} {plain}"
            owner = Owner.USER if _EXPLICIT_ME.search(both) or _is_mine(before.plain) else Owner.AGENT
            return Finding(LearningType.ACTION, core(before.text), 0.85, _priority(both), owner)
    if cues.SO_GENERALLY.match(plain) and len(plain) < 110 and not before.is_question and _can_be_a_rule(before):
        return Finding(LearningType.PREFERENCE, _both(before, sentence), 0.85)
    return None


_EXPLICIT_ME = re.compile(r"\b(?:remind me|let me forget|nag(?:ging)? me|bugging me)\b")


def _can_be_a_rule(sentence: Sentence) -> bool:
    plain = sentence.plain
    return bool(
        cues.IMPERATIVE.search(plain)
        or cues.CONVENTION_VERB.search(plain)
        or sentence.is_request
        or cues.HOUSE_RULE.match(plain)
        or re.search(r"\b(?:not|no|only|instead of|over|rather than)\b|\bi (?:want|like|prefer)\b", plain)
    ) and not cues.TROUBLE.search(plain)


def _continues(last: tuple[int, Finding], place: int, finding: Finding, sentence: Sentence) -> bool:
    """"Follow-up: the separators. I'll create it tonight." is one action."""
    at, before = last
    is_action = before.type is LearningType.ACTION and finding.type is LearningType.ACTION
    return is_action and at == place - 1 and len(sentence.plain) < 60 and bool(cues.PRONOUN_OBJECT.search(sentence.plain))


def _both(first: Sentence, second: Sentence) -> str:
    return shortened(f"{core(first.text)}. {trimmed(second.text)}")


# ---- actions


def _explicit_action(sentence: Sentence) -> Finding | None:
    plain = sentence.plain
    cue = cues.EXPLICIT_ACTION.search(plain)
    if cue is None:
        return None
    owner = Owner.USER if cue["me"] or _is_mine(plain) else Owner.AGENT
    return Finding(LearningType.ACTION, core(sentence.text), 0.9, _priority(plain), owner)


def _deferred_action(sentence: Sentence) -> Finding | None:
    """Something is to be done, and not now."""
    plain = sentence.plain
    when = cues.TIMES.search(plain) or cues.OCCASIONS.search(plain)
    if when is None or cues.NOT_AN_ACTION.search(plain):
        return None
    must = cues.MUST.search(plain)
    if must is None and not _commands(plain):
        return None
    if must and must["i"] and not _is_mine(plain):
        return None
    owner = Owner.USER if must and must["i"] else Owner.AGENT
    return Finding(LearningType.ACTION, core(sentence.text), 0.8 if must else 0.75, _priority(plain), owner)


_AFTER_WHEN = re.compile(
    r"^(?:(?:and|but|so|ok|also|then) )*(?:when|once|after|before|as soon as|until|next time|tomorrow|later|on|by|next)\b[^,:]{0,80}?[,:\s]\s*(?:please |pls |then )*"
    + cues.VERB
    + r"\b"
)
_COMMANDS = re.compile(
    r"^(?:(?:and|but|so|ok|okay|also|then|please|pls|oh|important|urgent|high priority|low priority)[,:]? )*(?:please |pls )?" + cues.VERB + r"\b|:\s*(?:please |pls )?" + cues.VERB + r"\b"
)


def _commands(plain: str) -> bool:
    return bool(_COMMANDS.search(plain) or _AFTER_WHEN.search(plain))


def _is_mine(plain: str) -> bool:
    must = cues.MUST.search(plain)
    return bool(must and must["i"])


def _priority(plain: str) -> Priority:
    if cues.URGENT.search(plain):
        return Priority.URGENT
    return Priority.HIGH if cues.HIGH.search(plain) else Priority.NORMAL


# ---- corrections


def _correction(sentence: Sentence) -> Finding | None:
    plain = sentence.plain
    opens = cues.OPENS_WITH_NO.match(plain)
    rejects = cues.REJECTS.search(plain)
    contrast = cues.CONTRASTS.search(plain)
    if not (opens or rejects or contrast):
        return None
    rest = plain[opens.end() :].strip() if opens else plain
    if cues.EVALUATES.match(rest) and not contrast:
        return None
    if rejects and (contrast or _says_how_it_is(rest)):
        return Finding(LearningType.CORRECTION, core(sentence.text), 0.9)
    if opens and (contrast or _says_how_it_is(rest)) and _has_something(sentence, rest):
        return Finding(LearningType.CORRECTION, core(sentence.text), 0.85)
    if contrast and _is_short_contrast(plain) and not cues.SUGGESTS.search(plain):
        return Finding(LearningType.CORRECTION, core(sentence.text), 0.75)
    if sentence.follows_quote and re.match(r"(?:it's|it is|its) \S", plain) and cues.CONCRETE.search(plain):
        return Finding(LearningType.CORRECTION, core(sentence.text), 0.75)
    return None


_SHORT_CONTRAST = re.compile(
    r"(?:(?:and|but|so|also|oh|btw|hey|well)[,:]? )*(?:it's|it is|its|that's|they're|they are|the|this|there (?:is|are))\b"
)


def _is_short_contrast(plain: str) -> bool:
    return bool(_SHORT_CONTRAST.match(plain)) and len(plain) < 140 and not cues.TROUBLE.search(plain)


def _has_something(sentence: Sentence, rest: str) -> bool:
    return bool(re.search(r"\b(?:we|our|my|the|i)\b", rest)) or _is_concrete(sentence)


def _only_rejects(plain: str) -> bool:
    opens = cues.OPENS_WITH_NO.match(plain)
    return bool(cues.REJECTS.search(plain) or (opens and cues.ONLY_DENIES.search(plain)) or cues.ONLY_DENIES.match(plain))


_CLAUSES = re.compile(r"[,:;—–(]| but | - |\.\.\. ")


def _says_how_it_is(plain: str) -> bool:
    """Whether some clause says how things are, without a "not" in it and without asking for anything."""
    plain = cues.REJECTS.sub(" ", plain)
    for clause in _CLAUSES.split(plain):
        if cues.STATES.search(clause) and not cues.NEGATES.search(clause) and not cues.SUGGESTS.search(clause):
            return True
    return cues.CONTRASTS.search(plain) is not None


# ---- preferences


def _preference(sentence: Sentence) -> Finding | None:
    confidence = _preference_confidence(sentence)
    if confidence:
        return Finding(LearningType.PREFERENCE, core(sentence.text), confidence)
    return None


_PLANS = re.compile(r"\b(?:we|it|they|i|the \w+)(?: will|'ll| may| might| plan| could| would)\b|\b(?:may|might|will) (?:be|move|change|need)\b")


def _preference_confidence(sentence: Sentence) -> float:  # noqa: PLR0911
    plain = sentence.plain
    if cues.CALL_ME.search(plain):
        return 0.95
    if cues.FROM_NOW_ON.search(plain) and not _PLANS.search(plain):
        return 0.95
    generally = cues.GENERALLY.search(plain)
    just_now = cues.JUST_NOW.search(plain) and not generally
    always = cues.ALWAYS_DO.search(plain)
    if always and _is_told(always["verb"]) and not (always["verb"] in cues.PROGRAM_VERBS and not _is_about_us(plain)):
        return 0.9
    if just_now and not cues.HOUSE_RULE.match(plain):
        return 0.0
    if cues.I_PREFER.search(plain):
        return 0.0 if cues.CHOOSES.search(plain) else 0.9
    if cues.I_RATHER.search(plain) and (generally or re.search(r"\bthan\b|\bif you\b|\byou\b", plain)):
        return 0.0 if cues.CHOOSES.search(plain) else 0.8
    if cues.I_DISLIKE_YOUR.search(plain) and not cues.IMPERATIVE.match(plain):
        return 0.85
    if cues.I_WANT.search(plain) and generally:
        return 0.85
    if cues.WAYS_OF_WORKING.search(plain):
        return 0.85
    stop = cues.STOP_DOING.search(plain)
    if stop:
        return 0.85
    if cues.IMMER.search(plain):
        return 0.85
    if cues.MAY_WITHOUT_ASKING.search(plain):
        return 0.8
    if cues.WHEN_YOU.search(plain) and cues.CONVENTION_VERB.search(plain) and not cues.TIMES.search(plain):
        return 0.8
    if cues.HOUSE_RULE.match(plain) and not cues.TROUBLE.search(plain):
        return 0.8
    if cues.ENDS_ALWAYS.search(plain):
        return 0.8
    if cues.CONVENTION_VERB.search(plain) and cues.SCOPE.search(plain):
        return 0.8
    if re.match(r"(?:please )?remember\b", plain) and re.search(r"\b(?:don't|do not|never|always|no|only)\b", plain):
        return 0.8
    return 0.0


_PLURAL_OK = frozenset("process pass discuss express focus address access bypass cross dismiss miss guess press stress use".split())
_NOT_VERBS = frozenset(
    "the a an been mind on in at of to and or the same this that it i you he she they we my your our was is were are has had gonna worked failed happened".split()
)


def _is_told(verb: str) -> bool:
    """Whether the word after "always" can be a command: "never works" and "never worked" cannot."""
    if verb in _NOT_VERBS:
        return False
    if verb.endswith("ed") and verb not in ("embed", "need", "feed", "seed", "shed", "speed", "proceed"):
        return False
    return not (verb.endswith("s") and verb not in _PLURAL_OK and not verb.endswith("ss"))


def _is_about_us(plain: str) -> bool:
    return bool(re.search(r"\b(?:you|me|my|our|i|us|repo|codebase|project)\b", plain))


# ---- facts


def _fact(sentence: Sentence) -> Finding | None:
    plain = sentence.plain
    confidence = _fact_confidence(sentence, plain)
    return Finding(LearningType.FACT, core(sentence.text), confidence) if confidence else None


_SURELY_ME = re.compile(
    r"\bmy (?:\w+ )?name(?:'s| is)|\bi live in\b|\bi work (?:at|for|as)\b|\bi(?:'m| am) (?:also |still |currently )?(?:a|an|the|on (?:vacation|holiday|leave|pto)|based in|from|new to|responsible|colou?r ?blind)\b"
    r"|\btime ?zone is\b|\bi maintain\b|\bich (?:arbeite|wohne|heiße)\b|\btrabajo (?:en|para)\b|\bme llamo\b|\bvivo en\b|\bje (?:travaille|m'appelle)\b|\bj'habite\b"
)


def _fact_confidence(sentence: Sentence, plain: str) -> float:
    concrete = _is_concrete(sentence)
    me = cues.ABOUT_ME.search(plain)
    we = cues.WE_DO.search(plain)
    ours = cues.OUR_IS.search(plain)
    if me and _SURELY_ME.search(plain) and not _is_a_mood(plain):
        return 0.9
    trouble = cues.TROUBLE.search(plain)
    wishes = cues.WISHES.search(plain)
    if (me or we or ours) and concrete and not wishes and (not trouble or trouble.start() > 45):
        return 0.85
    if cues.TELLS.search(plain) and (me or we or ours or concrete) and cues.STATES.search(plain) and not wishes and not trouble:
        return 0.8
    if cues.THE_IS.search(plain) and concrete and not trouble and not wishes:
        return 0.7
    return 0.0


def _is_a_mood(plain: str) -> bool:
    return bool(re.search(r"\bi(?:'m| am) (?:a|an|the|from|on) ?(?:bit|little|fan|idiot|lot|few|total|big fan|huge fan|mess|moron|loss|hurry|it\b|the same|one who|only one)\b", plain))


def _is_concrete(sentence: Sentence) -> bool:
    """Whether there is a name, a number, a path or code in it: something to hold on to."""
    if CODE in sentence.plain or cues.CONCRETE.search(sentence.plain):
        return True
    words = sentence.text.split()
    if any(word[:1].isupper() and word not in _NO_NAMES for word in words[1:]):
        return True
    return any(word.strip(".,;:()!") in cues.KNOWN_NAMES for word in sentence.plain.split())


_NO_NAMES = frozenset("I I'm I've I'd I'll OK Ok PR PRs ASAP URGENT TODO FYI BTW Please And But So LOVE NOT NEVER ALWAYS".split())
