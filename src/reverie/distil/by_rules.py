"""Distil without a model: a `Turn` in, learnings out. Pure, the same for the same turn, and never eager.

What the person said goes through `said` (which of these words are theirs, and what do they say?); `tool_facts` reads
what structured tool results state, `patterns` the sequence of tools. Judging and storing are left to whoever calls.
"""

from collections.abc import Callable
from typing import Final

from reverie.distil.patterns import patterns
from reverie.distil.rules.findings import findings
from reverie.distil.rules.learning_text import shortened
from reverie.distil.rules.scopes import scope_of
from reverie.distil.rules.statements import STATED
from reverie.distil.rules.subjects import subject_of
from reverie.distil.source_trust import as_said_by, trust_of
from reverie.distil.tool_facts import tool_facts
from reverie.records import Kind, Learning, LearningType, Observation, Turn


def by_rules(turn: Turn) -> list[Learning]:
    """Return the learnings that the rules find in one turn, in the order in which things happened."""
    found: list[Learning] = []
    for observation in turn.observations:
        if read := _READ.get(observation.kind):
            found += read(observation)
    found += patterns(turn)
    return list({(one.type, one.text.casefold()): one for one in reversed(found)}.values())[::-1]


def _said(observation: Observation) -> list[Learning]:
    return [
        as_said_by(
            observation,
            Learning(
                type=finding.type,
                text=finding.text,
                confidence=finding.confidence,
                observation_id=observation.id,
                subject=subject_of(finding.text) if finding.type is LearningType.PREFERENCE else "",
                trust=trust_of(observation),
                priority=finding.priority,
                owner=finding.owner,
                scope=finding.scope,
            ),
        )
        for finding in findings(observation.text)
    ]


def _noted(observation: Observation) -> list[Learning]:
    """Learn from a note. Its writer wants it kept, so it is a fact where no rule says more."""
    if said := [one for one in _said(observation) if one.confidence > STATED]:
        return said
    text = shortened(" ".join(observation.text.split()))
    if not text:
        return []
    return [
        Learning(
            type=LearningType.FACT,
            text=text,
            confidence=0.95,
            observation_id=observation.id,
            trust=trust_of(observation),
            scope=scope_of(LearningType.FACT, text),
        )
    ]


_READ: Final[dict[Kind, Callable[[Observation], list[Learning]]]] = {
    Kind.USER_MESSAGE: _said,
    Kind.NOTE: _noted,
    Kind.TOOL_CALL: tool_facts,
}
