"""An item -> its trust, by whose words it holds, or a reason to hold it back.

Text from a tool can say anything, and filters on wording alone let most poisoning through. So there are two rules, and
the second does not read the text: an instruction, a question or a wish that comes from a tool waits for a person; and
an item never replaces, strengthens or joins one that is trusted more. What other people say is a fact about them: a
wish of theirs waits for the person, too.
"""

from reverie.foundation.text import plural
from reverie.gate.sentence_kinds import asks, hijacks, instructs
from reverie.language.reported_speech import reported_by
from reverie.records import ItemType, MemoryItem, Source, Trust, is_the_person

# Tools have no wishes: what comes from one and claims to be somebody's will is held back whatever it says.
_WISHES = frozenset({ItemType.PREFERENCE, ItemType.GOAL, ItemType.ACTION, ItemType.PLAN})
# What a tool answered, as it is. It is shown as such, so only an attempt to take over is held back.
_RAW = frozenset({ItemType.TOOL_RESULT, ItemType.OBSERVATION, ItemType.ERROR, ItemType.METRIC})
_HABIT_ENDS = "times in a row"  # how a repeated sequence of tool calls is reported

_MOST_BY_SOURCE = {Source.TOOL: Trust.LOCAL_TOOL, Source.MODEL: Trust.ASSISTANT}
_MOST_BY_TYPE = {ItemType.TOOL_RESULT: Trust.LOCAL_TOOL, ItemType.ASSISTANT_MESSAGE: Trust.ASSISTANT}


def trust_of(item: MemoryItem) -> Trust:
    """Return the trust that an item claims, but no more than its source allows: a tool result is never a person's."""
    allowed = [trust for trust in (_MOST_BY_SOURCE.get(item.source), _MOST_BY_TYPE.get(item.type)) if trust]
    if _is_anothers(item):
        allowed.append(Trust.OTHER_PEOPLE)
    return min([item.trust, *allowed])


def _is_anothers(item: MemoryItem) -> bool:
    """Whether somebody else said it: a speaker who is not the person, or whom the text itself names."""
    is_named = item.source is Source.USER and not is_the_person(item.speaker, item.user)
    return is_named or bool(reported_by(item.text, {item.user.casefold()}))


def may_touch(new: Trust, known: Trust) -> bool:
    """Whether an item of one trust may supersede or join an item of another: never upwards."""
    return new >= known


def why_quarantined(item: MemoryItem, trust: Trust) -> str:
    """Why an item waits for a person; nothing if it does not have to."""
    if trust.has_a_say:
        return ""
    if trust is Trust.OTHER_PEOPLE:
        return _why_anothers_waits(item)
    whose = "a tool outside this machine" if trust is Trust.OUTSIDE_TOOL else "a tool"
    if hijacks(item.text):
        return f"{whose} says it, and it tries to take over whoever reads it"
    if item.type in _RAW:
        return ""
    if item.type in _WISHES:
        return f"{whose} says it, and tools have no {plural(item.type)} of their own"
    if item.type is ItemType.PATTERN and item.text.endswith(_HABIT_ENDS):
        return ""
    if asks(item.text):
        return f"{whose} asks it: only a person's questions are taken up"
    if instructs(item.text):
        return f"{whose} says it, and it is an instruction"
    return ""


def _why_anothers_waits(item: MemoryItem) -> str:
    """People may say what is so, and how they want it: only that is not how the person wants it."""
    if hijacks(item.text):
        return "somebody else says it, and it tries to take over whoever reads it"
    if item.type in _WISHES or item.type is ItemType.CORRECTION:
        return f"somebody else says it, and their {item.type} is not the person's"
    return ""
