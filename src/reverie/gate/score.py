"""An item, its nearest neighbours and the active goals in, how much it matters out, with the reason for each part.

    importance = 0.30 goal + 0.20 user + 0.20 confidence + 0.15 novelty + 0.15 actionability

The same item, neighbours and goals always give the same number; nothing else enters. Every part is 0 to 1. A text
without substance ("ok, thanks!", "let me look") has nothing to be sure, new or anybody's wish about, so user,
confidence and novelty are multiplied by its substance. The sum is built so that, with no goal at all,

- what a person said is kept when new or when it is a distilled learning:  0.20 + 0.10 + 0.00-0.15 + 0.07-0.15 > 0.30
- a learning that only a tool or the assistant said is kept when it is new: 0.00 + 0.14 + 0.15      + 0.07-0.15 > 0.30
- the same when it is known already and one cannot act on it is dropped:    0.00 + 0.18 + 0.00      + 0.07      < 0.30
- chatter is dropped whoever said it:                                       0.00 + 0.00 + 0.00      + 0.00      < 0.30

An importance that a person or the assistant assigned (anything but the default of 0.5) stands as it is.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from reverie.gate.same_text import adds_nothing, telling_words
from reverie.gate.sentence_kinds import is_narrated
from reverie.language.words import GRAMMAR, words
from reverie.records import Goal, GoalStatus, ItemType, MemoryItem, Near, Priority, Source, Trust

WEIGHTS = {"goal": 0.30, "user": 0.20, "confidence": 0.20, "novelty": 0.15, "actionability": 0.15}
UNASSIGNED = 0.5  # the default of an item's importance

# An urgent goal counts fully with half of its words, a normal one is never more than a strong hint.
_PRIORITY = {Priority.URGENT: 1.0, Priority.HIGH: 0.9, Priority.NORMAL: 0.8}

_CHATTER = GRAMMAR | frozenset(
    words(
        "ok okay yes yep yeah no nope sure thanks thank thx you welcome great good nice cool perfect awesome fine "
        "right done hello "
        "hi hey bye lol haha hmm hm oh ah wow sorry please let me see look know think got get go going it that this "
        "sounds works "
        "working again now then next continue proceed ready wait moment one sec more here there just really maybe "
        "stuff thing "
        "things something anything everything looks looking try trying check checking back well too danke gracias "
        "merci ja nein "
        "si oui gern super day morning evening later course problem worries np ty lgtm help question questions "
        "cheers take time soon a so much will we my your can could would not don t ll s m ve re im i"
    )
)
_ENOUGH = 2  # words that are neither grammar nor chatter; "name is Ana" has two


@dataclass(frozen=True, slots=True)
class ScorePart:
    """One part of the sum: its value (0 to 1) and why."""

    name: str
    value: float
    why: str


def score(item: MemoryItem, near: Sequence[Near], goals: Sequence[Goal], trust: Trust) -> list[ScorePart]:
    """The five parts, in the order of the formula."""
    says = substance(item.text)
    if says >= 0.5 and item.type in _ACTED_ON | _DISTILLED:
        says = max(says, 0.75)  # somebody found that it says something
    user, confidence, fresh = user_part(item, trust), confidence_part(item, trust), novelty_part(item.text, near)
    return [
        goal_part(item, goals),
        _times(user, says),
        _times(confidence, says),
        _times(fresh, says),
        actionability_part(item),
    ]


def importance(parts: Sequence[ScorePart]) -> float:
    """The weighted sum, to four places."""
    return round(sum(WEIGHTS[part.name] * part.value for part in parts), 4)


def assigned(item: MemoryItem, trust: Trust) -> float | None:
    """The importance that somebody gave it, if that somebody may."""
    if item.importance == UNASSIGNED or not trust.has_a_say:
        return None
    return min(1.0, max(0.0, item.importance))


def substance(text: str) -> float:
    """Score how much a text says: 0 for chatter, 1 from two words of substance on.

    >>> substance("ok, thanks!"), substance("staging db is Postgres"), substance("Let me look at the failing tests")
    (0.0, 1.0, 0.25)
    """
    share = min(1.0, len(set(words(text)) - _CHATTER) / _ENOUGH)
    return min(share, 0.25) if is_narrated(text) else round(share, 4)


def goal_part(item: MemoryItem, goals: Sequence[Goal]) -> ScorePart:
    """Score how much it is about an active goal: the share of the goal's words that it has, doubled, by priority."""
    mine = set(telling_words(item.text))
    best, about = 0.0, ""
    for goal in goals:
        if goal.status is not GoalStatus.ACTIVE or (goal.project and item.project and goal.project != item.project):
            continue
        wanted = set(telling_words(goal.text))
        share = min(1.0, 2 * len(wanted & mine) / len(wanted)) if wanted else 0.0
        if (value := round(share * _PRIORITY[goal.priority], 4)) > best:
            best, about = value, goal.text
    return ScorePart("goal", best, f'about the goal "{about}"' if best else "no active goal is about this")


def user_part(item: MemoryItem, trust: Trust) -> ScorePart:
    """Whether the person said it, or wrote it down; half, if it was somebody else."""
    if trust >= Trust.PERSON_FILE and item.source is not Source.MODEL:
        return ScorePart("user", 1.0, "a person said it")
    if trust is Trust.OTHER_PEOPLE:
        return ScorePart("user", 0.5, "another person said it")
    return ScorePart("user", 0.0, "no person said it")


def confidence_part(item: MemoryItem, trust: Trust) -> ScorePart:
    """Score the confidence of an item; a tool's counts nine tenths at most, one from outside eight."""
    most = {Trust.LOCAL_TOOL: 0.9, Trust.OUTSIDE_TOOL: 0.8}.get(trust, 1.0)
    value = min(most, max(0.0, item.confidence))
    return ScorePart("confidence", round(value, 4), f"confidence {value:.2f}")


def novelty_part(text: str, near: Sequence[Near]) -> ScorePart:
    """Score how much it differs from the nearest that is stored: 1 minus their likeness.

    A text that adds something to its neighbour, be it one changed number, is news however alike they are, or a new
    port would be lost for its likeness to the old one; so the likeness then counts a third.
    """
    counted = [(one.likeness if adds_nothing(text, one.item.text) else one.likeness / 3, one) for one in near]
    alike, nearest = max(counted, key=lambda pair: (pair[0], pair[1].item.id), default=(0.0, None))
    if nearest is None or alike <= 0:
        return ScorePart("novelty", 1.0, "nothing like it is stored")
    return ScorePart("novelty", round(1 - min(1.0, alike), 4), f"{nearest.likeness:.2f} like {nearest.item.id}")


# What one can act on: each cue that is there counts half.
_CUES = {
    "a command or code": re.compile(
        r"`[^`]+`|(?:^|\s)--?[a-z][\w-]+|\b(?:npm|pnpm|yarn|pip|uv|git|docker|kubectl|make|cargo|pytest|curl|helm|"
        r"terraform|npx)"
        r" [a-z-]|\w\(\)|\b[a-z]+(?:_[a-z0-9]+)+\b|\b[a-z]+[A-Z]\w+"
    ),
    "a path or address": re.compile(
        r"(?:^|[\s(])(?:[\w.~-]*/)[\w./~-]+|\w\.[a-z]{2,5}\b|https?://|\bport \d+|:\d{2,5}\b"
    ),
    "a rule": re.compile(
        r"\b(?:always|never|must|should|shall|only|avoid|don[’']t|do not|not|instead|rather|before|after|whenever|"
        r"when|unless|"
        r"immer|nie|nicht|kein\w*|siempre|nunca|toujours|jamais|pas)\b", re.IGNORECASE
    ),
    "a wish or decision": re.compile(
        r"\b(?:prefers?|wants?|likes?|decided|chose|agreed|switch\w*|moved?|use[sd]?|using|need[s]?|deadline|due|"
        r"by \w+day|"
        r"tomorrow|next \w+|remember|todo|fix|follow.up)\b", re.IGNORECASE
    ),
    "a version or number": re.compile(r"\bv?\d+(?:\.\d+)+\b|\b\d{2,}\b"),
}  # fmt: skip
_ACTED_ON = frozenset(
    {ItemType.PREFERENCE, ItemType.CORRECTION, ItemType.SKILL, ItemType.ACTION, ItemType.GOAL, ItemType.ERROR}
)
_DISTILLED = frozenset({ItemType.FACT, ItemType.PATTERN, ItemType.SUMMARY, ItemType.INSIGHT, ItemType.POINTER})


def actionability_part(item: MemoryItem) -> ScorePart:
    """Whether one can act on it: by its type, and by commands, paths, rules, decisions and numbers in its text."""
    if is_narrated(item.text):
        return ScorePart("actionability", 0.0, "a step that is being taken right now")
    found = [cue for cue, pattern in _CUES.items() if pattern.search(item.text)]
    value = min(1.0, 0.5 * len(found))
    if item.type in _ACTED_ON and substance(item.text):
        return ScorePart("actionability", max(value, 0.75), f"{_with_article(item.type)} is there to be acted on")
    if item.type in _DISTILLED and substance(item.text) and not found:
        return ScorePart("actionability", 0.5, f"{_with_article(item.type)} is good to know")
    return ScorePart("actionability", value, " and ".join(found) or "nothing in it to act on")


def _with_article(name: str) -> str:
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name.replace('_', ' ')}"


def _times(part: ScorePart, factor: float) -> ScorePart:
    if factor == 1.0:
        return part
    why = "it says nothing" if factor == 0 else f"{part.why}, but it says little"
    return ScorePart(part.name, round(part.value * factor, 4), why)
