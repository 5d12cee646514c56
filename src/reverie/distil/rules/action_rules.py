"""Cues that something is to be done, and not now.

Either it says so ("remind me to", "todo:"), or it has both a duty or a command and a later time or occasion. A command
alone is the task at hand; a time alone is a plan; a duty alone is a requirement.
"""

from dataclasses import replace
from typing import Final

from reverie.distil.rules.cues import cues
from reverie.distil.rules.learning_text import core
from reverie.distil.rules.phrases import LowerText, bits
from reverie.distil.rules.rule_match import Finding
from reverie.distil.rules.sentences import Sentence
from reverie.distil.rules.shared import COMMANDS, TIMES
from reverie.records import LearningType, Owner, Priority

_OCCASIONS: Final = cues("occasions")
_MUST: Final = cues("must")
_THEN_COMMANDS: Final = cues("then_commands")
_TIME_OF_A_THING: Final = cues("time_of_a_thing")
_EXPLICIT_ACTION: Final = cues("explicit_action")
_BARE_REMINDER: Final = cues("bare_reminder")
_KEEP_IN_MIND: Final = cues("keep_in_mind")
_ALARMS: Final = cues("alarms")
_NOT_AN_ACTION: Final = cues("not_an_action")
_PRONOUN: Final = cues("pronoun")
_URGENT: Final = cues("urgent")
_HIGH: Final = cues("high_priority")

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
_FOR_ME: Final = cues("for_me")


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
