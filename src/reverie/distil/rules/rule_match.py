"""The result of a rule on a sentence."""

from dataclasses import dataclass

from reverie.records import LearningType, Owner, Priority, Scope


@dataclass(frozen=True, slots=True)
class Finding:
    """A learning in a sentence, in the writer's words."""

    type: LearningType
    text: str
    confidence: float
    priority: Priority = Priority.NORMAL
    owner: Owner = Owner.AGENT
    scope: Scope = Scope.PROJECT
