"""A message -> what its writer says that is worth knowing.

Each sentence gives at most one finding. A sentence that only points at its neighbour ("Remind me on Monday.", "That
goes for all files.") is read together with it. When in doubt there is no finding: a wrong memory costs more than a
missing one.
"""

from dataclasses import replace
from typing import Final

from reverie.distil.rules import action_rules, corrections, facts, preferences, statements
from reverie.distil.rules.action_rules import (
    continues_an_action,
    on_a_list,
    put_off,
    reminded_of,
    said_to_be_remembered,
)
from reverie.distil.rules.corrections import (
    adds_to_a_correction,
    blames,
    correction,
    did_otherwise,
    is_blame,
    only_rejects,
    only_repeats,
    puts_right,
    rejects,
    turns_round,
)
from reverie.distil.rules.cues import BOOK, cues
from reverie.distil.rules.facts import fact
from reverie.distil.rules.kinds import we_call
from reverie.distil.rules.learning_text import core, shortened, trimmed
from reverie.distil.rules.phrases import bits
from reverie.distil.rules.preferences import holds_generally, preference
from reverie.distil.rules.rule_match import Finding
from reverie.distil.rules.scopes import scope_of
from reverie.distil.rules.sentences import Sentence, sentences
from reverie.distil.rules.shared import ORDERS_A_TEXT
from reverie.distil.rules.statements import decision, gives_the_reason, standing_rule, statement
from reverie.distil.rules.subjects import subject_of
from reverie.distil.rules.unspaced import is_unspaced, unspaced_findings
from reverie.records import LearningType

_RULES: Final = cues("heads_rules")
_TO_DO: Final = cues("heads_to_do")

# A sentence without any phrase of these lists says nothing by itself. That is most sentences.
_STARTS = (
    action_rules.STARTS
    | corrections.STARTS
    | preferences.STARTS
    | facts.STARTS
    | statements.STARTS
    | bits(_RULES, _TO_DO)
)


def findings(message: str) -> list[Finding]:
    """Return what can be learned from one message."""
    if is_unspaced(message):
        return unspaced_findings(message)
    said = sentences(message)
    is_spec = len(message) > _SHORT_SPEC and bool(said) and _ORDERS_A_PROGRAM.match(said[0].plain) is not None
    is_alone = sum(one.plain.text.count(" ") > 1 for one in said) < 2  # but for a greeting or a last word
    found: list[tuple[int, Finding]] = []  # with the place of the sentence
    rejected: Sentence | None = None  # the sentence before, if it said that something was wrong but not what is right
    blamed = False  # whether the sentence before said what the agent did, but not what is right
    heading: LearningType | None = None  # what the items of a list are, by the line above them
    under: dict[int, str] = {}  # the place of an item, and that line
    above = ""
    for place, sentence in enumerate(said):
        if sentence.plain.text.endswith(":"):
            heading, above = _heading(sentence), sentence.text
            continue
        heading = heading if sentence.is_listed else None
        if found and found[-1][0] == place - 1 and (more := _with_more(found[-1][1], said[place - 1], sentence)):
            found[-1] = (place, more)
            continue
        if not (heading or rejected or blamed or sentence.follows_quote):
            plain = BOOK.narrowed(sentence.plain, _STARTS)
            if not _STARTS & plain.seen:
                blamed = False
                continue
            sentence = sentence._replace(plain=plain)
        finding = None
        if not sentence.is_question:
            finding = _with_the_one_before(said[place - 1], sentence, rejected) if place else None
            if finding is not None:
                found = [(at, earlier) for at, earlier in found if at != place - 1]
            elif heading:
                finding, under[place] = _item(heading, sentence), above
            elif (
                (finding := _finding(sentence, is_alone=is_alone)) and place and (not found or found[-1][0] < place - 1)
            ):
                finding = _with_what_it_points_at(finding, said[place - 1], sentence)
        if finding and _is_news(finding, sentence) and (rejected or (place and did_otherwise(said[place - 1]))):
            finding = Finding(LearningType.CORRECTION, _both(said[place - 1], sentence), 0.8)
        if finding and is_spec and _is_required(finding, sentence):
            finding = None
        rejected = sentence if not finding and only_rejects(sentence) else None
        was_blamed, blamed = blamed, finding is None and is_blame(sentence)
        if (
            finding is None
            and place
            and (was_blamed or blamed)
            and (finding := _put_right_by(said[place - 1], sentence))
        ):
            found = [(at, earlier) for at, earlier in found if at != place - 1]
        if finding is None:
            continue
        if found and found[-1][0] == place - 1 and (whole := _merged(found[-1][1], finding, sentence)):
            found[-1] = (place, whole)
        else:
            found.append((place, finding))
    return [
        replace(finding, scope=scope_of(finding.type, f"{finding.text} {under.get(place, '')}"))
        for place, finding in found
    ]


def _finding(sentence: Sentence, *, is_alone: bool) -> Finding | None:
    """Return what one sentence says. The order matters: what is to be remembered, then what is wrong."""
    if action := said_to_be_remembered(sentence):
        return action
    if sentence.is_request:
        return _made(LearningType.PREFERENCE, sentence, preference(sentence))
    if (sentence.is_listed and not _is_own(sentence)) or ORDERS_A_TEXT.match(sentence.plain):
        return None
    if not _ALWAYS.match(sentence.plain.text) and (confidence := correction(sentence)) > 0:
        return _made(LearningType.CORRECTION, sentence, confidence)
    if (confidence := preference(sentence)) > 0:
        return _made(LearningType.PREFERENCE, sentence, confidence)
    if action := put_off(sentence):
        return action
    if only_repeats(sentence):
        return None
    if (confidence := fact(sentence)) > 0:
        return _made(LearningType.CORRECTION if rejects(sentence) else LearningType.FACT, sentence, confidence)
    if (confidence := decision(sentence)) > 0:
        return _made(LearningType.FACT, sentence, confidence)
    if (confidence := standing_rule(sentence, is_alone=is_alone)) > 0:
        return _made(LearningType.PREFERENCE, sentence, confidence)
    return _made(LearningType.FACT, sentence, statement(sentence, is_alone=is_alone))


_ALWAYS: Final = cues("changes_to_always")
_OWN: Final = cues("own_item")


def _is_own(item: Sentence) -> bool:
    """Whether an item of a list is a word to the agent. Most are requirements of the work at hand."""
    return _OWN.match(item.plain.text) is not None or _SAYS_FOR_WHOM.search(item.plain.text) is not None


def _made(kind: LearningType, sentence: Sentence, confidence: float) -> Finding | None:
    return Finding(kind, core(sentence.text), confidence) if confidence else None


# ---- what is to be built

_ORDERS_A_PROGRAM: Final = cues("orders_a_program")
_SHORT_SPEC = 80  # characters
_SAYS_FOR_WHOM: Final = cues("says_for_whom")


def _is_required(finding: Finding, sentence: Sentence) -> bool:
    """Whether a finding is a requirement of what is to be built: nothing in it speaks of the people who build it."""
    return finding.confidence < _SAID_PLAINLY and _SAYS_FOR_WHOM.search(sentence.plain.text) is None


_SAID_PLAINLY = 0.95


# ---- lists under a heading


def _heading(sentence: Sentence) -> LearningType | None:
    if ORDERS_A_TEXT.match(sentence.plain):
        return None
    plain = sentence.plain
    return LearningType.PREFERENCE if _RULES.search(plain) else LearningType.ACTION if _TO_DO.search(plain) else None


def _item(heading: LearningType, item: Sentence) -> Finding:
    return on_a_list(item) if heading is LearningType.ACTION else Finding(heading, core(item.text), 0.85)


# ---- sentences that belong together

_POINTS_BACK: Final = cues("points_back")
_FEW_WORDS = 12
_THAT_IS: Final = cues("that_is")
_DONE_TO_IT: Final = cues("done_to_it")


def _with_what_it_points_at(finding: Finding, before: Sentence, sentence: Sentence) -> Finding:
    """A short wish, or a thing to do, about "that" is not understood without the sentence before it."""
    plain = sentence.plain.text
    if finding.type is LearningType.ACTION and not before.is_question:
        pointer = _DONE_TO_IT.search(plain)
        is_open = pointer and len(plain[: pointer.start()].split()) < _FEW_WORDS // 2
        return replace(finding, text=_both(before, sentence)) if is_open else finding
    if "follow suit" in plain or "for those" in plain or _THAT_IS.match(plain):
        return replace(finding, text=_both(before, sentence))
    if finding.type is not LearningType.PREFERENCE or before.is_question or len(plain.split()) > _FEW_WORDS:
        return finding
    return replace(finding, text=_both(before, sentence)) if _POINTS_BACK.search(plain) else finding


def _with_the_one_before(before: Sentence, sentence: Sentence, rejected: Sentence | None) -> Finding | None:
    """Return what a sentence says together with the one before, if it does not stand by itself."""
    if before.is_question and rejected is None:
        return None
    if action := reminded_of(before, sentence):
        return action
    if holds_generally(before, sentence):
        return Finding(LearningType.PREFERENCE, _both(before, sentence), 0.85)
    if rejected is not None and puts_right(rejected, sentence):
        return Finding(LearningType.CORRECTION, _both(rejected, sentence), 0.85)
    if gives_the_reason(before, sentence):
        return Finding(LearningType.FACT, _both(before, sentence), 0.75)
    return None


def _is_news(finding: Finding, sentence: Sentence) -> bool:
    """Whether it says how it is, so that it corrects if something was wrong before."""
    if finding.type is LearningType.PREFERENCE:
        return we_call(sentence.plain)
    return finding.type is LearningType.FACT


def _put_right_by(before: Sentence, sentence: Sentence) -> Finding | None:
    """Find a correction in two sentences: "The newsletter goes out weekly. You wrote daily."."""
    if sentence.is_question or not (blames(before, sentence) or blames(sentence, before)):
        return None
    return Finding(LearningType.CORRECTION, _both(before, sentence), 0.75)


_FRAGMENT: Final = cues("fragment")
_STANDS_ALONE: Final = cues("stands_alone")


def _with_more(finding: Finding, before: Sentence, sentence: Sentence) -> Finding | None:
    """Extend the finding of the sentence before by this one, if this one only adds to it."""
    if _goes_on(finding, sentence):
        return _longer(finding, trimmed(sentence.text))
    if turns_round(before, sentence):
        return Finding(LearningType.CORRECTION, _both(before, sentence), 0.8)
    if finding.type is LearningType.FACT and did_otherwise(sentence):
        return replace(_longer(finding, trimmed(sentence.text)), type=LearningType.CORRECTION)
    return None


def _goes_on(before: Finding, sentence: Sentence) -> bool:
    """Whether a sentence is only the rest of the one before it: "Use pnpm. Not npm."."""
    plain = sentence.plain.text
    if before.type is LearningType.CORRECTION and adds_to_a_correction(sentence):
        return True
    if before.type is LearningType.FACT and plain.startswith("no "):
        return False  # a wish of its own: "No tables."
    if before.type is LearningType.ACTION or sentence.is_question or sentence.is_listed:
        return False
    return len(plain) < _SHORT_REST and _FRAGMENT.match(plain) is not None and _STANDS_ALONE.search(plain) is None


_SHORT_REST = 80  # characters


def _longer(finding: Finding, text: str) -> Finding:
    return replace(finding, text=shortened(f"{finding.text}. {text}"))


def _merged(before: Finding, finding: Finding, sentence: Sentence) -> Finding | None:
    """Two findings in a row that are one: "Follow-up: the paths. I'll create it tonight." or "Use pnpm. Never npm."."""
    if before.type is not finding.type or sentence.is_listed:
        return None
    both = _longer(before, finding.text)
    match finding.type:
        case LearningType.ACTION:
            return replace(before, owner=finding.owner) if continues_an_action(sentence) else None
        case LearningType.PREFERENCE:
            is_short = len(finding.text.split()) < _SHORT or _SAYS_WHY.match(sentence.plain.text) is not None
            is_rest = (
                _NOT_THIS.match(before.text.lower()) is not None and _BUT_THIS.match(sentence.plain.text) is not None
            )
            return both if is_short or is_rest or subject_of(before.text) == subject_of(finding.text) else None
        case LearningType.CORRECTION:
            return both
        case _:
            return None


_SHORT = 4  # words; "never npm" does not stand by itself
_SAYS_WHY: Final = cues("says_why")
_NOT_THIS: Final = cues("not_this")
_BUT_THIS: Final = cues("but_this")


def _both(first: Sentence, second: Sentence) -> str:
    return shortened(f"{core(first.text)}. {trimmed(second.text)}")
