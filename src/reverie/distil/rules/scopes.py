"""The type and text of a learning -> its `Scope`: how far it holds.

A preference is its person's, and goes with them into every project, unless it names this one ("in this repo", "here").
Everything else belongs to the project, except what tells who the person is.
"""

import re
from functools import lru_cache
from typing import Final

from reverie.records import LearningType, Scope

_PLACE: Final = (
    r"(?:repos?|repository|project|code ?base|monorepo|package|module|service|micro-?service|workspace|app|application"
    r"|library|crate|gem|plug-?in|site|website|product|team|backend|back-end|frontend|front-end|firmware|game|api"
    r"|cli|sdk"
    r"|company|org|organi[sz]ation|shop|house|paquete|proyecto|repositorio|projekt|repo|projet|dépôt)"
)
# "This service", "our repo", "the whole codebase", "project rules"; not "any project", and not "all my projects".
_THIS_PROJECT: Final = re.compile(
    rf"\b(?:this|our|the whole|the entire|this whole|diese[mnrs]?|unsere[mnrs]?|este|nuestro|ce|notre)"
    rf" (?:[\w.+#-]+ )?{_PLACE}\b"
    r"|\b(?:in|for|of|across) the (?:repo|repository|project|code ?base|monorepo)\b"
    rf"|^(?:for |in )?(?:{_PLACE}) (?:rules?|conventions?|style|policy|standards?)\b"
    r"|(?<!\bfrom )(?<!\bright )(?<!\bonly )(?<!\bout of )\b(?:in |around |over )?here\b(?! and in| (?:on|is|are|was"
    r"|you|we|i)\b)"
    r"|\b(?:hier|aquí)\b"
)
# Names the person, whatever else the sentence tells.
_NAMED: Final = re.compile(
    r"\b(?:my (?:\w+ )?name(?:['’]s| is)|i(?:['’]m| am) (?:called|named)|call me|me llamo|ich heiße|je m['’]appelle"
    r"|mein name ist|the user['’]s name)\b"
    r"|^(?:(?:hi|hello|hey)[,!]? )?i(?:['’]m| am) (?!on\b|in\b|at\b|an?\b|the\b|not\b)[^\W\d_]+(?=[,.!]| from\b"
    r"| and\b| here\b|$)"
)
_THE_PERSON: Final = re.compile(
    r"\b(?<!if )(?<!when )(?<!where )(?:i(?:['’]m| am|['’]ve| have|['’]ll)?|im) (?:(?:also|still|only|currently|now"
    r"|mostly|just|really|fairly|pretty|very"
    r"|quite|both|been|originally|usually|normally) )*(?:an?|the only|from|based|new|learning|coming|living|live|lived"
    r"|moved to|grew up|study|studied|teach|speak|graduated|colou?r[ -]?blind|dyslexic|deaf|blind|left-handed|work"
    r"|working"
    r"|use|using|run|running|on|have|away|gone|out|off|offline|travell?ing|two|three|no|don['’]t|do not|used to)\b"
    r"|\bmy (?:time ?zone|pronouns|e-?mail|birthday|husband|wife|kids?|children|daughter|son|dog|cat|hobby|hobbies"
    r"|degree"
    r"|background|laptop|machine|computer|mac|macbook|keyboard|phone|screen|native language|mother tongue|job"
    r"|working hours"
    r"|hours|github|handle|account|editor|shell|terminal|setup)\b"
    r"|\b(?:ich (?:bin|wohne|lebe|arbeite|studiere)|vivo en|trabajo|soy|j['’]habite|je (?:travaille|suis|vis))\b"
    r"|\bthe (?:user|person) (?:is|lives|works|speaks|studies|has|uses)\b"
)


@lru_cache(maxsize=1_000)
def scope_of(kind: LearningType, text: str) -> Scope:
    """Decide whether a learning holds for the person everywhere or in one project.

    >>> scope_of(LearningType.PREFERENCE, "use pnpm here, not npm"), scope_of(LearningType.PREFERENCE, "I prefer tabs")
    (<Scope.PROJECT: 'project'>, <Scope.PERSON: 'person'>)
    >>> scope_of(LearningType.FACT, "I live in Berlin"), scope_of(LearningType.FACT, "Our CI runs on GitLab")
    (<Scope.PERSON: 'person'>, <Scope.PROJECT: 'project'>)
    """
    plain = text.lower()
    if kind is LearningType.PREFERENCE:
        return Scope.PROJECT if _THIS_PROJECT.search(plain) else Scope.PERSON
    if kind is not LearningType.FACT:
        return Scope.PROJECT
    if _NAMED.search(plain):
        return Scope.PERSON
    return Scope.PERSON if _THE_PERSON.search(plain) and not _THIS_PROJECT.search(plain) else Scope.PROJECT
