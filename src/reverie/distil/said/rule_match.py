"""What a rule finds in a sentence."""

from dataclasses import dataclass

from reverie.records import LearningType, Owner, Priority, Scope


@dataclass(frozen=True, slots=True)
class Finding:
    """What a sentence says, in the writer's words."""

    type: LearningType
    text: str
    confidence: float
    priority: Priority = Priority.NORMAL
    owner: Owner = Owner.AGENT
    scope: Scope = Scope.PROJECT
